"""Requests that nobody meant well: the providers' own, signed now, spoilt before or after the signature.

Request number N of a seed is always the same one, but for the time that is signed.
"""

import base64
import gzip
import hashlib
import json
import os
import random
import urllib.parse
import uuid

from hooktest import PROJECT, sign

KEY = base64.b64encode(b"a key of hostile requests").decode()
SECRETS = {"stripe": "whsec_hostile", "github": "hostile", "shopify": "shpss_hostile", "slack": "8f742231b10e",
           "clerk": "whsec_" + KEY, "standard-webhooks": "whsec_" + KEY, "razorpay": "rzp hostile",
           "paddle": "pdl_ntfset_hostile", "supabase": "v1,whsec_" + KEY, "twilio": "hostile", "mailgun": "mg-hostile"}
TWILIO_URL = "https://hostile.example/hook/twilio"
SOURCES = {name: {"provider": name, "secret": secret, **({"url": TWILIO_URL} if name == "twilio" else {})}
           for name, secret in SECRETS.items()}
MANY = 20_000


def seeds():
    """Bodies and companion headers of the vectors that are to be accepted -> [(source, headers, body)]."""
    got = []
    for name in SECRETS:
        path = os.path.join(PROJECT, "tests", "vectors", name.replace("-", "") + ".json")
        with open(path, encoding="utf-8") as f:
            for v in json.load(f):
                if v["expect"]["verdict"] != "reject" and not v["name"].startswith("ed25519"):
                    got.append((name, v["request"]["headers"], base64.b64decode(v["request"]["body_b64"])))
    return got


def signed(source, headers, body):
    """The headers of a genuine delivery of that body; Mailgun signs inside of it -> (headers, body)."""
    secret = SECRETS[source]
    if source == "twilio":
        try:
            own = sign.twilio(secret, body, TWILIO_URL, token=str(uuid.uuid4()))
        except UnicodeDecodeError:
            own = [("X-Twilio-Signature", "x")]
    elif source == "mailgun":
        own = [("Content-Type", "application/json")]
    elif source == "supabase":
        own = sign.standard_webhooks(secret.split(",")[1], body)
    else:
        own = sign.BY_PROVIDER[source](secret, body)
    names = {name.lower() for name, _ in own}
    return own + [(n, v) for n, v in headers if n.lower() not in names]


def meaning(source, body):
    """What the signature is over: Twilio's does not cover how a form is spelled, nor its order."""
    if source == "twilio":
        return frozenset(urllib.parse.parse_qsl(body.decode("latin-1"), keep_blank_values=True, encoding="latin-1"))
    return hashlib.sha256(body).digest()


# -- bodies: before they are signed ------------------------------------------------------------

def flip(chance, body):
    """Some bytes become others."""
    got = bytearray(body)
    for _ in range(chance.randint(1, 8)):
        if got:
            got[chance.randrange(len(got))] = chance.randrange(256)
    return bytes(got)


def cut(chance, body):
    """A piece is missing, often the end."""
    at = chance.randrange(len(body) + 1)
    return body[:at] if chance.random() < 0.5 else body[:at] + body[at + chance.randint(1, 40):]


def doubled(chance, body):
    """A piece stands twice, or very often."""
    at = chance.randrange(len(body) + 1)
    piece = body[at:at + chance.randint(1, 60)]
    return body[:at] + piece * chance.choice((2, 2, 2, 50, 2000)) + body[at:]


WORDS = (b"\\u0000", b"\\ud800", b"\\udfff\\ud800", b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"1e999999",
         b"-0", b"00", b"NaN", b"Infinity", b"9" * 400, b"0.1e-400", b"null", b"{}", b"[]", b'""', b'"id":', b'"id":[', b",,",
         b"\0", b"\r\n\r\n", b"%00", b"%", b"%zz", b"&&&=", b"payload=", b"/*", b"'; DROP TABLE x; --", b"{/id}",
         b"\\", b"\"", b"\x1b[2J", b"a" * 300, b"sha256:", b"\xe2\x80\xae", b"{header:x}", b"\x7f")


def planted(chance, body):
    """Something awkward stands in it."""
    at = chance.randrange(len(body) + 1)
    return body[:at] + chance.choice(WORDS) + body[at:]


def value(chance, depth=0):
    """A JSON value that is not expected where it stands."""
    kinds = [None, True, 0, -1, 2 ** 63, 1e308, "", "x" * chance.choice((1, 255, 256, 1024, 70_000)), "\0", "\ud800",
             {}, [], "evt_1", "2026-11-30T12:00:00Z", "-99999-01-01", 1790000000, 1790000000000000000000]
    if depth < 3 and chance.random() < 0.4:
        return [value(chance, depth + 1) for _ in range(chance.randint(1, 4))]
    if depth < 3 and chance.random() < 0.3:
        return {chance.choice(("id", "type", "", "/", "~", "a/b", "\0", "data")): value(chance, depth + 1)}
    return chance.choice(kinds)


def other_value(chance, body):
    """One member of the document is another value."""
    try:
        doc = json.loads(body)
    except (ValueError, RecursionError):
        return planted(chance, body)
    at = doc
    while isinstance(at, (dict, list)) and at:
        key = chance.choice(list(at)) if isinstance(at, dict) else chance.randrange(len(at))
        if chance.random() < 0.5 or not isinstance(at[key], (dict, list)):
            at[key] = value(chance)
            break
        at = at[key]
    return json.dumps(doc, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def double_key(chance, body):
    """Keys that stand twice, or as if they did."""
    key = chance.choice((b"id", b"type", b"event", b"event_id", b"data", b"\\u0069d", b"id\\u0000", b"ID", b""))
    more = b"{" + b'"%s":"evt_%d",' % (key, chance.randrange(9)) * chance.choice((1, 2, 500))
    return more + body.lstrip()[1:] if body.lstrip()[:1] == b"{" else more + b'"x":1}'


def deep(chance, _):
    """Arrays and objects in one another."""
    n = chance.choice((30, 120, 1000, 10_000))
    if chance.random() < 0.5:
        return b"[" * n + b"]" * chance.choice((0, n, n + 1))
    return b'{"id":' * n + b'"evt_1"' + b"}" * chance.choice((0, n))


def wide(chance, _):
    """Very many members, elements or fields."""
    n = chance.choice((500, MANY))
    return chance.choice((
        b"{" + b",".join(b'"k%d":%d' % (i, i) for i in range(n)) + b',"id":"evt_wide","type":"a"}',
        b"[" + b"{}," * n + b"{}]", b"&".join(b"a%d=%d" % (i, i) for i in range(n)), b"a&" * n, b"=&" * n, b"%41=%42&" * n,
        b"payload=%7B%7D&" * n, b"{" + b'"id":"a",' * n + b'"id":"b"}'))


def packed(chance, body):
    """Compressed, perhaps to a thousandth."""
    return gzip.compress(body if chance.random() < 0.5 else b"\0" * 3_000_000)


def multipart(chance, body):
    """Parts as no browser writes them."""
    mark = chance.choice((b"x", b"", b"-" * 70, b"b" * 300, b"a b"))
    name = chance.choice((b"signature", b"timestamp", b"token", b"event-data", b"a\0b", b"", b'a"b', b"n" * 3000))
    part = b"--" + mark + b'\r\nContent-Disposition: form-data; name="' + name + b'"' + chance.choice((
        b"", b'; filename="x"', b"; name=other", b"\r\nContent-Disposition: form-data; name=b", b";" * 2000)) + b"\r\n\r\n" + body[:200]
    return part * chance.choice((1, 2, 40, 2000)) + chance.choice((b"", b"\r\n--" + mark + b"--\r\n", b"--", b"\r\n--" + mark))


def blown_up(chance, body):
    """Large."""
    return body + chance.choice((b" ", b"\0", b"x", b"\\u0000")) * chance.choice((3000, 100_000, 300_000))


BODIES = (flip, flip, cut, cut, doubled, doubled, planted, planted, planted, other_value, other_value, other_value, other_value,
          double_key, deep, wide, packed, multipart, multipart, blown_up)


# -- what stands around them: after the signature ----------------------------------------------

VALUES = ("", " ", "a" * 200, "a" * 9000, "\x01\x02", "\xff\xfe", "a, b", "t=1,v1=", "v1,", "v1," * 500, "sha256=", "=" * 64,
          "\u202e", "%00", "1790000000", "-1", "99999999999999999999", "t=,t=,t=", ",,,,", ";;;;", "1e9", "0x10", "Bearer ", "\r\nX: y")
TYPES = ("", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=",
         "multipart/form-data; boundary=x", 'multipart/form-data; boundary="' + "x" * 300, "multipart/form-data; boundary=x; boundary=y",
         "application/json; charset=utf-16", "text/plain", "a" * 5000, "multipart/form-data; boundary=" + "-" * 70, "\xff/\xff")


class Request:
    """One request to a source: what is said of it, and its bytes."""

    def __init__(self, chance, seed):
        self.source, headers, body = chance.choice(seed)
        self.method, self.path, self.query = "POST", "/" + self.source, ""
        self.how = []
        for _ in range(chance.choice((0, 0, 1, 1, 1, 2))):
            change = chance.choice(BODIES)
            body = change(chance, body)
            self.how.append(change.__name__)
        self.body = body[:2_000_000]
        self.headers = signed(self.source, headers, self.body)
        self.signed_body, self.length = self.body, str(len(self.body))
        self.framing = None
        for _ in range(chance.choice((0, 1, 1, 2))):
            change = chance.choice(AROUND)
            getattr(self, change)(chance)
            self.how.append(change)

    def head_value(self, chance):
        """A header says something else."""
        if not self.headers:
            return
        at = chance.randrange(len(self.headers))
        name, old = self.headers[at]
        new = chance.choice((chance.choice(VALUES), old + chance.choice(VALUES), old[:-1], old.swapcase(), old + "," + old))
        self.headers[at] = (name, new)

    def head_gone(self, chance):
        """A header is missing."""
        if self.headers:
            del self.headers[chance.randrange(len(self.headers))]

    def head_more(self, chance):
        """A header more, or very many of them."""
        n = chance.choice((1, 1, 5, 300))
        self.headers += [(f"X-More-{i}", chance.choice(VALUES)) for i in range(n)]

    def kind(self, chance):
        """Another Content-Type."""
        self.headers = [(n, v) for n, v in self.headers if n != "Content-Type"] + [("Content-Type", chance.choice(TYPES))]

    def encoding(self, chance):
        """Says how it would be packed."""
        self.headers += [("Content-Encoding", chance.choice(("gzip", "br", "identity", "gzip, gzip", "x" * 300)))]

    def lie(self, chance):
        """Another length than it has."""
        n = len(self.body)
        self.length = chance.choice((None, "", "0", "-1", "+5", "abc", str(n - 1), str(n + 1), str(n + 100_000), "9" * 30, f" {n}", f"{n},{n}",
                                     str(2 ** 31), str(2 ** 63), "0x10"))

    def tail(self, chance):
        """The body is another one than was signed."""
        self.body = chance.choice((flip, cut, doubled, planted))(chance, self.body)
        self.length = str(len(self.body))

    def verb(self, chance):
        """Another method."""
        self.method = chance.choice(("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "", "post", "X" * 3000, "G\0ET", "POST "))

    def place(self, chance):
        """Another path or query."""
        self.path = chance.choice(("", "/", "//", "/nobody", "/../stripe", "/stripe/..", "/" + "a" * 9000, "/\xff", "/stripe/", "/a\nb", "/%00", self.path))
        self.query = chance.choice(("", "a=b&" * 2000, "--replay+all", "%", "bodySHA256=" + "0" * 64, "token=x", "\xff", "=" * 4000))

    def frame(self, chance):
        """Records as no web server sends them; an answer is then not owed."""
        self.framing = chance.choice(("bytes", "abort", "unknown", "padding", "short", "other id", "early end", "no params", "garbage"))

    def variables(self):
        """What a web server would tell about it."""
        got = {"GATEWAY_INTERFACE": "CGI/1.1", "SERVER_PROTOCOL": "HTTP/1.1", "REQUEST_METHOD": self.method, "SCRIPT_NAME": "/hookonce.fcgi",
               "REQUEST_URI": "/hookonce.fcgi" + urllib.parse.quote(self.path, safe="/%\n") + ("?" + self.query if self.query else ""),
               "PATH_INFO": self.path, "QUERY_STRING": self.query}
        if self.length is not None:
            got["CONTENT_LENGTH"] = self.length
        for name, text in self.headers:
            key = name.upper().replace("-", "_")
            got[key if key == "CONTENT_TYPE" else "HTTP_" + key] = text
        return got


AROUND = ("head_value", "head_value", "head_value", "head_gone", "head_more", "kind", "kind", "encoding", "lie", "lie", "tail", "tail", "verb",
          "place", "frame")


def make(seed, number, bodies):
    """Request `number` of a seed."""
    return Request(random.Random(f"{seed} {number}"), bodies)
