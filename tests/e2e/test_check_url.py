"""`hookonce check --url`: a host that is well gets no line too many, and each fault of the table is planted and found.

Most faults are planted in a proxy before a real server, the others in the server, the config or the database. Each row
of `hookonce check --findings` needs one here.
"""

import contextlib
import errno
import functools
import gzip
import itertools
import json
import os
import shutil
import time
from email.utils import formatdate

import pytest

from hooktest import Answer, free_port, run
from hooktest.halt import before_libraries
from hooktest.keyserver import KeyServer
from hooktest.middle import Middle
from hooktest.paths import BUILD, PROJECT, faketime_library, program
from hooktest.site import DEFAULT_SOURCES

SOURCES = {name: DEFAULT_SOURCES[name] for name in ("stripe", "github")}
PATH = "/hookonce.fcgi"


def lines(s, url, *more, env=None, config=None):
    """The lines of `check --url` as dicts."""
    said = ["--config", config] if config else []
    done = s.hookonce(*said, "check", "--json", *more, *(["--url", url] if url else []), env=env)
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert done.returncode == (1 if any(r["level"] == "FAIL" for r in rows) else 0), done
    return rows


def of_host(rows):
    """{id: its lines} of what was found of the host."""
    got = {}
    for r in rows:
        if "mend" in r:
            got.setdefault(r["subject"], []).append(r)
    return got


@functools.cache
def listed():
    """{id: {kind of host: row}} of the table."""
    done = run([program("hookonce"), "check", "--findings", "--json"])
    table = {}
    for row in map(json.loads, done.stdout.decode().splitlines()):
        table.setdefault(row["id"], {})[row["host"]] = row
    assert done.returncode == 0 and len(table) > 40
    return table


@pytest.mark.parametrize("server, kind, notes", [
    ("apache-fcgid", "FastCGI (Apache with FastCGI)", set()), ("apache-cgid", "CGI (Apache)", {"argv"}),
    ("lighttpd", "FastCGI (lighttpd)", set())])
def test_a_host_that_is_well_gets_no_line_too_many(site, server, kind, notes):
    s = site(server=server, sources=SOURCES)
    s.process()
    before, log = s.written(), s.log_text()
    rows = lines(s, s.server.url(PATH))
    assert [r for r in rows if r["level"] in ("warn", "FAIL")] == []
    told, = (r["text"] for r in rows if r["subject"] == "host")
    assert kind in told and set(of_host(rows)) - {"packet"} == notes, rows
    for line in of_host(rows).get("argv", []):
        is_as_listed(line, "out of the web root")
    assert s.written() == before and s.log_text() == log, "the probe writes nothing"


# ---- a world that most faults are planted in ----

class World:
    """A site, the proxy before it, and what is made once a plant needs it."""

    def __init__(self, site, tls):
        self.site, self.tls, self.middle = site, tls, Middle(site.server.port)

    def other_host(self):
        """The library of tests/faults/host.c, where the site's account may load it."""
        library = self.site.path("host.so")
        if not os.path.exists(library):
            shutil.copy(os.path.join(BUILD, "test", "host.so"), library)
            os.chmod(library, 0o755)
        return library

    def config(self, *changes, name="other.conf"):
        """Writes the config anew, changed so, beside the other one -> its path."""
        text = self.site.config_text()
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new, 1)
        return self.site.write(name, text)


@pytest.fixture(scope="module")
def world(module_site, base):
    s = module_site(server="apache-fcgid", sources=SOURCES)
    s.process()
    got = World(s, KeyServer(os.path.join(base, "check-tls")))
    yield got
    got.middle.close()


def answers(status, body=b"", **headers):
    """A proxy that answers itself."""
    return lambda r: Answer(status, list(headers.items()), body)


def tells(**values):
    """What the probe says, altered."""
    def alter(request, answer):
        if answer.status == 200 and answer.body.startswith(b'{"hookonce"'):
            answer.body = json.dumps({**json.loads(answer.body), **values}).encode()
    return alter


def without(name):
    """A proxy that drops a header."""
    return lambda r: r.drop(name)


def longest(limit):
    """A proxy that takes bodies up to a length."""
    return lambda r: Answer(413, [], b"too large") if len(r.body) > limit else None


def edit(change):
    """A proxy that alters bodies."""
    def alter(r):
        r.body = change(r.body)
    return alter


def only_last(r):
    """Of headers that stand twice the last one stays."""
    r.headers = list({k.lower(): (k, v) for k, v in r.headers}.values())


def underscores(r):
    """X_Y is taken for X-Y, and the first one counts."""
    first = {}
    for k, v in r.headers:
        first.setdefault(k.replace("_", "-").lower(), (k.replace("_", "-"), v))
    if any("_" in k for k, _ in r.headers):
        r.headers = list(first.values())


def no_query(r):
    """The query is lost."""
    r.target = r.target.partition("?")[0]


def inflate(r):
    """Bodies arrive inflated, without the header that says they are not."""
    if any(k.lower() == "content-encoding" for k, _ in r.headers):
        r.body = gzip.decompress(r.body)
        r.drop("content-encoding")


def at_times(status, when):
    """A server that answers so the requests whose number, from 1 on, is one of these."""
    number = itertools.count(1)
    return lambda r: Answer(status, [], b"busy") if when(next(number)) else None


class Cache:
    """GETs are answered from memory."""

    def __init__(self):
        self.kept = {}

    def request(self, r):
        return self.kept.get(r.target) if r.method == "GET" else None

    def answer(self, r, a):
        if r.method == "GET" and a.status == 200:
            self.kept[r.target] = a


def late_date(request, answer):
    """The server's clock is ten minutes behind."""
    answer.headers = [(k, formatdate(time.time() - 600, usegmt=True) if k.lower() == "date" else v)
                      for k, v in answer.headers]


def serves(path):
    """A web root with the installation in it: its config can be had."""
    def give(w):
        with open(w.site.path("hookonce.conf"), "rb") as f:
            content = f.read()
        return lambda r: Answer(200, [], content) if r.target == path and r.method == "GET" else None
    return give


def serves_program(w):
    """A server that takes the program for a file."""
    with open(w.site.receiver, "rb") as f:
        content = f.read()
    return lambda r: Answer(200, [], content) if r.method == "GET" else Answer(405, [], b"")


CACHE = Cache()

# id: (what the proxy does to requests, to answers, words of the advice)
IN_PROXY = {
    "redirected": (answers(301, Location="https://www.example.com/hookonce.fcgi"), None, "https://www.example.com"),
    "unsteady": (at_times(429, lambda n: n > 10), None, "requests a minute"),
    "not-reached": (answers(404, b"<html>not found"), None, "hookonce.fcgi itself"),
    "forbidden": (answers(403, b"<html>forbidden"), None, "take password or country blocks off"),
    "not-started": (answers(500, b"<html>internal", Server="Apache"), None, "suEXEC"),
    "not-configured": (answers(503, b"not configured"), None, "hookonce.conf"),
    "program-served": (serves_program, None, "to run files that end in .fcgi"),
    "other-version": (None, tells(hookonce="0.0.1"), "copy both programs"),
    "other-account": (None, tells(uid=4), "suEXEC"),
    "authorization": (without("authorization"), None, "CGIPassAuth On"),
    "header-altered": (without("x-hookonce-test-signature"), None, "RequestHeader"),
    "header-long": (lambda r: Answer(431, [], b"") if any(len(v) > 3000 for _, v in r.headers) else None, None,
                    "LimitRequestFieldSize"),
    "header-twice": (only_last, None, "keeps only one"),
    "header-shadowed": (underscores, None, "underscore"),
    "query-altered": (no_query, None, "[QSA]"),
    "body-altered": (edit(lambda b: b.replace(b"\r\n", b"\n")), None, "SetInputFilter"),
    "body-blocked": (lambda r: Answer(406, [], b"") if b"UNION SELECT" in r.body else None, None, "ModSecurity"),
    "body-limit": (longest(131072), None, "FcgidMaxRequestLen"),
    "body-limit-2m": (longest(1024 * 1024), None, "FcgidMaxRequestLen"),
    "body-inflated": (inflate, None, "DEFLATE"),
    "body-chunked": (lambda r: Answer(411, [], b"") if r.chunked else None, None, "as CGI"),
    "cached": (CACHE.request, CACHE.answer, "cache"),
    "clock-web": (None, late_date, "NTP"),
    "file-served": (serves("/hookonce.conf"), None, "out of the web root"),
    "memory-limit": (None, tells(memory=28 * 1024 * 1024), "RLimitMEM"),
    "process-limit": (None, tells(processes=5), "FcgidMaxProcessesPerClass"),
    "remote-disk": (None, tells(remote_disk="NFS"), "spool_dir"),
}


def in_proxy(name):
    @contextlib.contextmanager
    def plant(w):
        on_request, on_answer, _ = IN_PROXY[name]
        if name in ("program-served", "file-served"):
            on_request = on_request(w)
        w.middle.set(on_request, on_answer)
        yield {"url": w.middle.url(PATH)}
    return plant


# ---- faults of the host itself ----

@contextlib.contextmanager
def no_answer(w):
    yield {"url": f"http://127.0.0.1:{free_port()}{PATH}"}


@contextlib.contextmanager
def plain_http(w):
    yield {"url": f"http://0.0.0.0:{w.site.server.port}{PATH}"}


@contextlib.contextmanager
def tls(w):
    with contextlib.closing(Middle(w.site.server.port, context=w.tls.context)) as middle:
        yield {"url": f"https://localhost:{middle.port}{PATH}"}  # nobody knows its authority


@contextlib.contextmanager
def http2_untested(w):
    before_libraries()
    config = w.config(("[hookonce]\n", f"[hookonce]\nca_file = {w.tls.ca}\n"))
    with contextlib.closing(Middle(w.site.server.port, context=w.tls.context)) as middle:
        yield {"url": f"https://localhost:{middle.port}{PATH}", "config": config,
               "env": {"LD_PRELOAD": w.other_host(), "HOOKONCE_HOST_HTTP2": "no"}, "also": {"ipv6"}}  # where there is one, nobody listens there


@contextlib.contextmanager
def ipv6(w):
    try:
        other = Middle(w.site.server.port, host="::1", port=w.middle.port)
    except OSError:
        pytest.skip("no IPv6 on this machine")
    other.set(answers(404, b"another host"))
    with contextlib.closing(other):
        yield {"url": f"http://localhost:{w.middle.port}{PATH}"}


@contextlib.contextmanager
def ticket_refused(w):
    w.site.write("other.key", os.urandom(32).hex())
    yield {"config": w.config(("file:hookonce.key", "file:other.key"))}


@contextlib.contextmanager
def writable(w):
    os.chmod(w.site.receiver, 0o775)
    yield {"also": {"program-writable", "program-mode"}}
    os.chmod(w.site.receiver, 0o755)


@contextlib.contextmanager
def noexec(w):
    yield {"config": w.config(("[handler fx]", "[handler bad]\ncommand = /bin/true\n\n[handler fx]")),
           "env": {"LD_PRELOAD": w.other_host(), "HOOKONCE_HOST_NOEXEC": "/bin/true"}}


@contextlib.contextmanager
def cron_never(w):
    kept = w.site.sql("SELECT host, seen_at FROM hookonce_host")
    w.site.sql("UPDATE hookonce_host SET seen_at = seen_at - INTERVAL 2 DAY")
    yield {}
    w.site.sql("UPDATE hookonce_host SET seen_at = %s", kept[0]["seen_at"])


@contextlib.contextmanager
def cron_rare(w):
    config = w.config(("[hookonce]\n", "[hookonce]\nstate = state-15\n"))
    at = {"LD_PRELOAD": faketime_library()}
    for minutes in (60, 45, 30, 15):  # a cron that starts it every 15 minutes
        done = w.site.hookonce("--config", config, "process", "--once", env={**at, "FAKETIME": f"-{minutes}m"})
        assert done.returncode == 0, done
    yield {"config": config, "env": {**at, "FAKETIME": "-0m"}}


@contextlib.contextmanager
def socket(w):
    yield {"config": w.config(("socket = ", f"socket = {w.site.path('nobody.sock')}, "))}


def limited(words, none):
    @contextlib.contextmanager
    def plant(w):
        alter = f"ALTER USER {w.site.db.user}@'%' WITH "
        w.site.db.server.execute(alter + words)
        yield {}
        w.site.db.server.execute(alter + none)
    return plant


@contextlib.contextmanager
def outbound(w):
    handler = f"[handler away]\nurl = http://127.0.0.1:{free_port()}/\n\n[handler fx]"
    yield {"config": w.config(("[handler fx]", handler))}


@contextlib.contextmanager
def sendmail(w):
    alert = f"[alert mail]\nmail = you@example.com\nsendmail = {w.site.path('nothing')}\n\n[handler fx]"
    yield {"config": w.config(("[handler fx]", alert))}


# id: (plant, words of the advice)
IN_HOST = {
    "no-answer": (no_answer, "DNS"), "plain-http": (plain_http, "https://"), "tls": (tls, "Let's Encrypt"),
    "http2-untested": (http2_untested, "mod_http2"), "ipv6": (ipv6, "AAAA"), "ticket-refused": (ticket_refused, "one key file"),
    "program-writable": (writable, "chmod 755"), "program-mode": (writable, "chmod 755"), "noexec": (noexec, "home folder"),
    "cron-never": (cron_never, "tick-url"), "cron-rare": (cron_rare, "processor_every"), "socket": (socket, "[database]"),
    "connections": (limited("MAX_USER_CONNECTIONS 5", "MAX_USER_CONNECTIONS 0"), "FcgidMaxProcessesPerClass"),
    "quota": (limited("MAX_UPDATES_PER_HOUR 7000", "MAX_UPDATES_PER_HOUR 0"), "spool = on"),
    "outbound": (outbound, "port 443"), "sendmail": (sendmail, "MAILTO"),
}
PLANTS = {**{name: (in_proxy(name), row[2]) for name, row in IN_PROXY.items()}, **IN_HOST}
# Those of other servers, below.
DATABASE = {"wait-timeout": "idle_close", "packet": "64M", "engine": "ENGINE=InnoDB", "database-plain": "tls = on"}
ELSEWHERE = {"argv", "http2-body", *DATABASE}


def test_every_finding_is_planted_once():
    assert set(PLANTS) | ELSEWHERE == set(listed()) and not set(PLANTS) & ELSEWHERE


def is_as_listed(line, word):
    """That the line says what the table says, with an advice of the table that names this."""
    rows = listed()[line["subject"]]
    row = rows["any host"]
    assert line["level"] == row["level"] and line["why"] == row["why"], line
    assert line["text"].startswith(row["what"]), line
    assert line["mend"] in [r["mend"] for r in rows.values()], line
    assert word in line["mend"] + line["text"], line


@pytest.mark.parametrize("name", sorted(PLANTS))
def test_a_planted_fault_is_found(world, name):
    plant, word = PLANTS[name]
    world.middle.set()
    with plant(world) as how:
        rows = lines(world.site, how.get("url", world.middle.url(PATH)), env=how.get("env"), config=how.get("config"))
    world.middle.set()
    found = of_host(rows)
    assert name in found and set(found) - {"packet"} - how.get("also", set()) == {name} - how.get("also", set()), found
    for line in found[name]:
        is_as_listed(line, word)


def other_bytes(r):
    """Long bodies are cut."""
    r.body = r.body[:150000]


def lower_values(r):
    """A proxy that writes values anew."""
    r.headers = [(k, v.lower() if k.lower().startswith("x-hookonce-test") else v) for k, v in r.headers]


# The same findings from other causes: id, what the proxy does, what the line says.
OTHER_CAUSES = {
    "the ticket's header is dropped": ("header-altered", without("x-hookonce-ticket"), None, "X-Hookonce-Ticket is lost"),
    "values are written anew": ("header-altered", lower_values, None, "has another value"),
    "both of two headers are dropped": ("header-twice", without("x-hookonce-test-twice"), None, "both are"),
    "long bodies are cut": ("body-altered", other_bytes, None, "200000 bytes were sent, 150000 arrive"),
    "binary bodies are refused": ("body-blocked", lambda r: Answer(403, [], b"") if b"\0" in r.body and b"\x1f\x8b" not in
                                  r.body[:2] else None, None, "binary: status 403"),
    "forms are refused": ("body-blocked", lambda r: Answer(403, [], b"") if r.body.startswith(b"a=") else None, None,
                          "a form: status 403"),
    "one of five is not taken": ("unsteady", at_times(502, lambda n: n % 5 == 0), None, "status 502, and not so the next"),
    "none is taken any more": ("unsteady", at_times(503, lambda n: n > 3), None, "status 503, and the rest was left out"),
    "too many even for the first": ("unsteady", answers(429, b"too many"), None, "status 429"),
    "a firewall that calls itself busy": ("body-blocked", lambda r: Answer(503, [], b"") if b"UNION SELECT" in r.body else
                                          None, None, "JSON: status 503"),
    "a CDN does not reach it": ("no-answer", answers(522, b"<html>", Server="cloudflare"), None, "status 522 from"),
    "with the probe's path behind it": ("redirected", answers(301, Location="https://example.com/hook/setup/echo"), None,
                                        "status 301, to https://example.com/hook)"),
    "to another name, for good": ("redirected", answers(308, Location="https://www.example.com/"), None,
                                  "status 308, to https://www.example.com/"),
    "a page for every path": ("not-reached", answers(200, b"<html>hello", Server="nginx"), None, "status 200 from nginx"),
    "a password before the folder": ("forbidden", answers(401, b"who are you", Server="nginx"), None, "status 401 from nginx"),
    "the key is not there": ("not-configured", answers(503, b"no usable secret"), None, "it says: no usable key"),
    "the receiver's clock": ("clock-web", None, lambda r, a: tells(clock_us=int((time.time() + 920) * 1e6))(r, a),
                             "the receiver's is 15m ahead of"),
    "the key is served, one level up": ("file-served", lambda w: serving(w, "hookonce.key"), None, "/hookonce.key)"),
}


def test_a_look_ends_where_each_answer_is_late(world):
    """With a clock that runs twelve times as fast, each answer comes after eleven seconds."""
    world.middle.set(lambda r: time.sleep(0.9))
    count = world.middle.count
    fast = {"LD_PRELOAD": faketime_library(), "FAKETIME": "+0 x12"}
    found = of_host(lines(world.site, world.middle.url(PATH), env=fast))
    world.middle.set()
    assert "the rest was left out" in found["unsteady"][0]["text"], found
    assert world.middle.count - count < 20
    is_as_listed(found["unsteady"][0], "overloaded")


def test_a_machine_without_ipv6_cannot_tell(world):
    def told(number):
        rows = lines(world.site, world.middle.url(PATH).replace("127.0.0.1", "localhost"),
                     env={"LD_PRELOAD": world.other_host(), "HOOKONCE_HOST_IPV6": str(number)})
        return [r["level"] for r in rows if r["subject"] == "ipv6"]

    world.middle.set()
    if told(errno.ECONNREFUSED) == []:
        pytest.skip("localhost has no IPv6 address here")
    assert told(errno.ECONNREFUSED) == ["FAIL"], "the machine is there, and nobody listens"
    assert [told(n) for n in (errno.EHOSTUNREACH, errno.EPERM, errno.ENETUNREACH)] == [["note"], ["note"], []]


def test_an_address_ends_before_its_query(world):
    for end in ("?a=b", "#a"):
        row, = (r for r in lines(world.site, world.middle.url(PATH) + end) if r["subject"] == "url")
        assert row["level"] == "FAIL" and "up to its ? or #" in row["text"]


def serving(w, name):
    """A server that hands out this file of the installation."""
    with open(w.site.path(name), "rb") as f:
        content = f.read()
    return lambda r: Answer(200, [], content) if r.target == "/" + name else None


def test_a_setup_token_that_was_uploaded_into_the_web_root_is_found(world):
    world.site.write("setup.token", os.urandom(16).hex())
    config = world.config(("[hookonce]\n", "[hookonce]\nsetup_token = file:setup.token\n"))
    world.middle.set(serving(world, "setup.token"), None)
    found = of_host(lines(world.site, world.middle.url(PATH), config=config))
    world.middle.set()
    assert "/setup.token)" in found["file-served"][0]["text"], found


@pytest.mark.parametrize("cause", list(OTHER_CAUSES))
def test_a_fault_is_found_from_other_causes_too(world, cause):
    name, on_request, on_answer, words = OTHER_CAUSES[cause]
    if name == "file-served":
        on_request = on_request(world)
    world.middle.set(on_request, on_answer)
    found = of_host(lines(world.site, world.middle.url("/hook" if "one level" in cause else PATH)))
    world.middle.set()
    assert set(found) - {"packet"} == {name} and words in found[name][0]["text"], found
    for line in found[name]:
        is_as_listed(line, "")


@pytest.mark.parametrize("server, cgi, name, plant, word", [
    ("nginx/1.22.1", False, "body-limit", longest(100000), "client_max_body_size"),
    ("LiteSpeed", True, "authorization", without("authorization"), "E=HTTP_AUTHORIZATION"),
    ("lighttpd/1.4.69", True, "header-long", IN_PROXY["header-long"][0], "server.max-request-field-size"),
    ("Apache/2.4.62", True, "body-limit", longest(100000), "LimitRequestBody"),
    ("Caddy", False, "body-limit", longest(100000), "raise the longest body"),
])
def test_the_advice_is_for_the_host_that_is_seen(world, server, cgi, name, plant, word):
    world.middle.set(plant, tells(server=server, cgi=cgi))
    found = of_host(lines(world.site, world.middle.url(PATH)))
    world.middle.set()
    assert name in found and word in found[name][0]["mend"], found


# ---- real servers, set up in a bad way ----

def https(world_tls, port, *protocols):
    """Lines of Apache's configuration for a second port, with TLS."""
    return ["LoadModule ssl_module {modules}/mod_ssl.so", "LoadModule http2_module {modules}/mod_http2.so",
            f"Listen 127.0.0.1:{port} https", f"<VirtualHost 127.0.0.1:{port}>", "SSLEngine on",
            f'SSLCertificateFile "{os.path.join(os.path.dirname(world_tls.ca), "server.pem")}"',
            f"Protocols {' '.join(protocols)}", "</VirtualHost>"]


def _debian_12():
    path = "/etc/debian_version"
    return os.path.exists(path) and open(path, encoding="ascii").read().startswith("12")


@pytest.mark.parametrize("server, protocols, found", [
    ("apache-fcgid", ("h2", "http/1.1"), {"http2-body"}), ("apache-fcgid", ("http/1.1",), set()),
    ("apache-cgid", ("h2", "http/1.1"), {"argv"})])
def test_http2_before_mod_fcgid_is_found(site, base, server, protocols, found):
    tls_ca, port = KeyServer(os.path.join(base, "check-tls-2")), free_port()
    s = site(server=(server, {"further": https(tls_ca, port, *protocols)}), sources=SOURCES,
             settings={"hookonce": {"ca_file": tls_ca.ca}})
    s.process()
    got = of_host(lines(s, f"https://localhost:{port}{PATH}"))
    mended = {"http2-body"} if not _debian_12() else set()  # later ones may have it mended
    assert found - mended <= set(got) - {"packet", "ipv6"} <= found, got
    for line in got.get("http2-body", []):
        is_as_listed(line, "Protocols http/1.1")


def test_the_limit_of_mod_fcgid_is_found(site):
    s = site(server=("apache-fcgid", {"further": ["FcgidMaxRequestLen 131072"]}), sources=SOURCES)
    s.process()
    got = of_host(lines(s, s.server.url(PATH)))
    assert set(got) - {"packet"} == {"body-limit"}, got
    line, = got["body-limit"]
    is_as_listed(line, "FcgidMaxRequestLen 27262976")
    assert "status 500" in line["text"] and "131072 bytes do)" in line["text"], line


# .htaccess: (what is changed in it, what is found, words of the advice)
HTACCESS = {
    "as it is": ([], set(), ""),
    "no handler": ([("SetHandler cgi-script", ""), ("RewriteEngine On", "")], {"program-served"}, "AddHandler cgi-script"),
    "no ExecCGI": ([("Options +ExecCGI", "Options -ExecCGI")], {"forbidden"}, "Options +ExecCGI"),
    "no Authorization": ([("RewriteCond %{HTTP:Authorization} .", ""), ("RewriteRule ^ - [E=", "RewriteRule ^ - [E=X")],
                         {"authorization"}, "CGIPassAuth On"),
    "redirect": ([("RewriteEngine On", "RewriteEngine On\nRewriteRule ^ https://www.example.com%{REQUEST_URI} [R=301,L]")],
                 {"redirected"}, "RewriteCond %{REQUEST_URI} !/hookonce"),
    "short bodies": ([("RewriteEngine On", "RewriteEngine On\nLimitRequestBody 100000")], {"body-limit"},
                     "LimitRequestBody 27262976"),
    "all in the web root": ([("Require all denied", ""), ("RewriteEngine On", "")], {"file-served", "authorization"},
                            "out of the web root"),
}


@pytest.fixture(scope="module")
def by_htaccess(module_site):
    s = module_site(server="htaccess-cgid", sources=SOURCES)
    s.process()
    with open(s.path("www/hook/.htaccess"), encoding="utf-8") as f:
        return s, f.read()


@pytest.mark.parametrize("name", list(HTACCESS))
def test_a_mistake_in_htaccess_is_found(by_htaccess, name):
    s, text = by_htaccess
    changes, found, word = HTACCESS[name]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    s.write("www/hook/.htaccess", text, mode=0o644)
    s.write("www/hook/stripe.secret0", s.secrets["stripe"][0])
    got = of_host(lines(s, s.server.url("/hook/hookonce.fcgi")))
    assert set(got) - {"packet", "argv"} == found, got
    for key in sorted(found)[-1:]:
        is_as_listed(got[key][0], word)


def test_a_strange_database_is_found(site, own_mariadb):
    server = own_mariadb(networking=True, options=["--default-storage-engine=MyISAM", "--wait-timeout=10",
                                                   "--max-allowed-packet=2M"])
    s = site(server="lighttpd", database=server.create_database(), sources=SOURCES)
    s.process()
    got = of_host(lines(s, s.server.url(PATH)))
    assert set(got) == set(DATABASE) - {"database-plain"}, got
    away = s.config_text().replace(f"socket = {server.socket}", f"host = 0.0.0.0\nport = {server.port}\ntls = off")
    s.write("away.conf", away)
    got = of_host(lines(s, s.server.url(PATH), config=s.path("away.conf")))
    assert set(got) == set(DATABASE), got
    for name, word in DATABASE.items():
        is_as_listed(got[name][0], word)


# ---- the command, and what is written of it ----

def test_the_runbook_lists_the_table():
    with open(os.path.join(PROJECT, "schema", "RUNBOOK.md"), encoding="utf-8") as f:
        chapter = f.read().partition("\n## The host\n")[2].partition("\n## ")[0]
    wanted = []
    for rows in listed().values():
        id_, level, what, why, mend = (rows["any host"][k].replace("|", "\\|") for k in ("id", "level", "what", "why", "mend"))
        wanted.append(f"| `{id_}` | {level} | {what}: {why} | {mend} |")
    assert [line for line in chapter.splitlines() if line.startswith("| `")] == wanted


def test_check_takes_the_url_of_the_config(site):
    s = site(server="lighttpd", sources=SOURCES)
    assert b"through which address?" in s.hookonce("check", "--host").stderr
    assert not [r for r in lines(s, None) if r["subject"] in ("host", "cron")], "without --host nobody is asked"
    s.settings = {"hookonce": {"url": s.server.url(PATH)}}
    s.configure()
    rows = lines(s, None, "--host")
    assert [r for r in rows if r["subject"] == "host"] and [r for r in rows if r["subject"] == "cron-never"]
    rows = lines(s, s.server.url("/hook"))
    assert "[hookonce] is " + s.server.url(PATH) in next(r["text"] for r in rows if r["subject"] == "url")


def test_the_probe_answers_nobody_without_a_ticket(site):
    s = site(server="lighttpd", sources=SOURCES)
    for path in ("/hook/setup/echo", PATH + "/setup/echo", PATH + "/setup/echo?ticket=echo.9999999999.00." + "0" * 64):
        answer = s.server.request("POST", path, b"x")
        assert (answer.status, answer.body) == (401, b"wrong ticket")
    assert s.server.request("POST", PATH + "/echo", b"x").status == 404


def test_the_probe_tells_no_secret_and_no_value_of_a_header(world):
    told = []
    world.middle.set(lambda r: told.append(r) and None, lambda r, a: told.append(a))
    lines(world.site, world.middle.url(PATH))
    requests, said = told[0::2], told[1::2]
    tickets = {v for r in requests for k, v in r.headers if k.lower() == "x-hookonce-ticket"}
    assert len(tickets) == 1 and all(r.target.startswith(("/hookonce", "/" + os.path.basename(world.site.dir), "/db.",
                                                          "/stripe", "/github", "/receiver", "/state"))
                                     for r in requests if not r.target.startswith(PATH)), [r.target for r in requests]
    secrets = [open(world.site.path(n), "rb").read().strip() for n in ("hookonce.key", "db.password", "stripe.secret0")]
    ticket, = tickets
    for answer in said:
        assert ticket.encode() not in answer.body and not any(x in answer.body for x in secrets), answer
    echo = json.loads(said[0].body)
    assert all(len(h) == 1 for h in echo["headers"] if h[0] in ("host", "user-agent", "x-hookonce-ticket", "accept"))
    for r in requests:  # a ticket goes to the probe alone
        assert ("/setup/echo" in r.target) == any(k.lower() == "x-hookonce-ticket" for k, _ in r.headers), r.target
