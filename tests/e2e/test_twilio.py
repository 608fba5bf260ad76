"""Twilio: what URL and which parameters are signed, and what tells its callbacks apart."""

import base64
import hashlib
import hmac
import json

import pytest

from hooktest import sign

TOKEN = "0123456789abcdef0123456789abcdef"
URL = "https://hooks.example.com/hook/tw"
PROXIED = {"SERVER_NAME": "10.0.0.7", "SERVER_PORT": "8080", "HTTP_HOST": "10.0.0.7:8080"}
SMS = b"MessageSid=SM1&MessageStatus=sent&To=%2B15005550006&From=%2B15005550001"


@pytest.fixture(scope="module")
def served(module_site):
    """Sources that differ in the URL that their owner entered."""
    keys = {"provider": "twilio", "secret": TOKEN}
    urls = {"tw": URL, "fragment": "https://hooks.example.com/hook/fragment#rc=3&rp=all",
            "port": "https://hooks.example.com:443/hook/port",
            "own-port": "https://hooks.example.com:8443/hook/own-port"}
    return module_site(sources={**{name: {**keys, "url": url} for name, url in urls.items()}, "bare": keys})


def post(site, path, body, url, headers=(), env=PROXIED, **more):
    """Signs for url and posts to path -> status; the token is fresh unless given."""
    pairs = sign.twilio(TOKEN, body, url, **{"token": url + str(len(site.receipts())), **more})
    return site.cgi(path, body, pairs + list(headers), env=env).status


def test_the_configured_url_counts_and_not_what_the_proxy_hands_on__O_TW_01(served):
    before = served.written()
    assert post(served, "/hook/tw", SMS, URL) == 200
    assert post(served, "/hook/tw", SMS, "https://hooks.example.com:443/hook/tw") == 200
    assert served.written(before) == {"receipt": 2, "body": 2, "job": 2}
    for url in ("http://hooks.example.com/hook/tw", "http://10.0.0.7:8080/hook/tw",
                "https://hooks.example.com:8443/hook/tw", "https://other.example.com/hook/tw",
                "https://hooks.example.com/hook/tw/", "/hook/tw", ""):
        assert post(served, "/hook/tw", SMS, url) == 401
    assert served.written(before) == {"receipt": 2, "body": 2, "job": 2}


def test_no_header_of_the_request_overrides_the_configured_url__O_TW_01(served):
    before = served.written()
    forwarded = [("X-Forwarded-Proto", "http"), ("X-Forwarded-Host", "evil.example.com"), ("Forwarded", "proto=http")]
    assert post(served, "/hook/tw", SMS, "http://evil.example.com/hook/tw", forwarded) == 401
    assert post(served, "/hook/tw", SMS, "http://hooks.example.com/hook/tw", forwarded) == 401
    assert served.written() == before
    assert post(served, "/hook/tw", SMS, URL, forwarded) == 200


@pytest.mark.parametrize("source,good,bad", [
    ("fragment", "https://hooks.example.com/hook/fragment", "https://hooks.example.com/hook/fragment#rc=3&rp=all"),
    ("port", "https://hooks.example.com/hook/port", "https://hooks.example.com:8443/hook/port"),
    ("own-port", "https://hooks.example.com:8443/hook/own-port", "https://hooks.example.com:443/hook/own-port"),
])
def test_fragment_and_port_of_the_configured_url__O_TW_01(served, source, good, bad):
    assert post(served, f"/hook/{source}", SMS, good) == 200
    assert post(served, f"/hook/{source}", SMS, bad) == 401


def test_without_a_configured_url_scheme_and_host_are_the_requests__O_TW_01(served):
    env = {"HTTP_HOST": "hooks.example.com", "SERVER_PORT": "80"}
    assert post(served, "/hook/bare", SMS, "http://hooks.example.com/hook/bare", env=env) == 200
    assert post(served, "/hook/bare", SMS, "https://hooks.example.com/hook/bare", env=env) == 401
    behind = [("X-Forwarded-Proto", "https")]
    assert post(served, "/hook/bare", SMS, "https://hooks.example.com/hook/bare", behind, env=env) == 200
    assert post(served, "/hook/bare", SMS, "https://hooks.example.com/hook/bare", env={**env, "HTTPS": "on"}) == 200


FORM = (b"To=%2B15005550006&Body=&fromZip=1&From=%2B15005550001"
        b"&AddOns=%7B%22status%22%3A%22successful%22%7D&MessageSid=SM2&SmsStatus=received")
QUERY = "?b=2&a=1%2B1"


def test_query_as_it_came_and_fields_by_their_bytes__O_TW_02(served):
    before = served.written()
    assert post(served, "/hook/tw" + QUERY, FORM, URL + QUERY) == 200
    assert served.written(before) == {"receipt": 1, "body": 1, "job": 1}
    for query in ("?a=1%2B1&b=2", "?b=2&a=1+1", "?b=2&a=1%2b1", "?b=2&a=1%2B1&c=", "?b=2"):
        assert post(served, "/hook/tw" + QUERY, FORM, URL + query) == 401
    assert served.written(before) == {"receipt": 1, "body": 1, "job": 1}


@pytest.mark.parametrize("sent,verdict", [
    (FORM, 200),
    (b"&".join(reversed(FORM.split(b"&"))), 200),
    (FORM.replace(b"%22", b"\""), 200),
    (FORM + b"&Body=", 200),
    (FORM.replace(b"&Body=", b""), 401),
    (FORM.replace(b"Body=", b"Body=+"), 401),
    (FORM.replace(b"fromZip", b"FromZip"), 401),
    (FORM + b"&fromZip=2", 401),
    (FORM + b"&New=", 401),
], ids=["as signed", "another order", "escaped otherwise", "twice the same", "empty field left out", "a blank more",
        "another case", "a second value", "an empty field more"])
def test_what_is_signed_are_the_fields_and_not_their_spelling__O_TW_02(served, sent, verdict):
    before = served.written()
    headers = sign.twilio(TOKEN, FORM, URL, token="t" + hashlib.sha256(sent).hexdigest())
    assert served.cgi("/hook/tw", sent, headers, env=PROXIED).status == verdict
    assert bool(served.written(before)) == (verdict == 200)


def signed_url(body, url=URL):
    """Headers over a URL that holds the body's digest, and its query."""
    query = "?bodySHA256=" + hashlib.sha256(body).hexdigest()
    mac = hmac.new(TOKEN.encode(), (url + query).encode(), hashlib.sha1).digest()
    return [("Content-Type", "application/json"), ("X-Twilio-Signature", base64.b64encode(mac).decode())], query


def test_json_is_held_by_its_digest_in_the_url__O_TW_02(served):
    body = json.dumps({"data": {"name": "José 🎈"}}, ensure_ascii=False).encode()
    before = served.written()
    headers, query = signed_url(body)
    assert served.cgi("/hook/tw" + query, body + b" ", headers, env=PROXIED).status == 401
    plain = [("Content-Type", "text/plain"), headers[1]]
    assert served.cgi("/hook/tw" + query, b"a=1", plain, env=PROXIED).status == 401
    assert served.cgi("/hook/tw", body, sign.twilio(TOKEN, b"", URL)[1:] + headers[:1], env=PROXIED).status == 401
    assert served.written() == before
    assert served.cgi("/hook/tw" + query, body, headers, env=PROXIED).status == 200
    assert served.written(before) == {"receipt": 1, "body": 1, "job": 1}


PARTS = "--b\r\n" + "\r\n--b\r\n".join('Content-Disposition: form-data; name="%s"\r\n\r\n%s' % pair for pair in (
    ("MessageSid", "SM9"), ("MessageStatus", "sent"))) + "\r\n--b"
A_FILE = '\r\nContent-Disposition: form-data; name="MediaUrl"; filename="a"\r\n\r\nanything at all\r\n--b'


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=b", "application/x-www-form-urlencoded"])
def test_a_file_that_nobody_signs_is_not_taken(served, kind):
    """Its name is in no signature, so it would be stored with a genuine event."""
    before = served.written()
    signed = sign.twilio(TOKEN, b"MessageSid=SM9&MessageStatus=sent", URL)
    headers = [(name, value) for name, value in signed if name != "Content-Type"] + [("Content-Type", kind)]
    assert served.cgi("/hook/tw", (PARTS + A_FILE + "--\r\n").encode(), headers, env=PROXIED).status == 401
    assert served.written() == before
    assert served.cgi("/hook/tw", (PARTS + "--\r\n").encode(), headers, env=PROXIED).status == 200


def status(kind):
    return f"MessageSid=SMtw03&MessageStatus={kind}&SmsStatus={kind}".encode()


def callbacks(site, tokens):
    """sent, delivered, delivered again -> the receipts that came of them."""
    known = {r["correlation_id"] for r in site.receipts()}
    for kind, token in zip(("sent", "delivered", "delivered"), tokens):
        assert post(site, "/hook/tw", status(kind), URL, token=token) == 200
    new = [r for r in site.receipts() if r["correlation_id"] not in known]
    jobs = site.value("SELECT COUNT(*) FROM hookonce_job WHERE correlation_id IN (%s, %s)",
                      *(r["correlation_id"] for r in new))
    assert jobs == len(new) == 2
    assert [r["event_type"] for r in new] == [b"sent", b"delivered"]
    assert [r["duplicates"] for r in new] == [0, 1]
    assert [r["object_key"] for r in new] == [b"SMtw03"] * 2
    return [r["event_id"].decode() for r in new]


def test_each_status_of_a_message_is_an_event_of_its_own__O_TW_03(served):
    assert callbacks(served, (None, None, None)) == ["SMtw03-sent", "SMtw03-delivered"]


def test_the_idempotency_token_tells_events_apart_where_there_is_one__O_TW_03(served):
    assert callbacks(served, ("token-1", "token-2", "token-2")) == ["token-1", "token-2"]
