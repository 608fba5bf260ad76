"""Every shipped server configuration carries genuine and false requests to the same outcomes."""

import hashlib
import os

import pytest

from hooktest import SERVERS, events, sign, wire
from hooktest.site import DEFAULT_SOURCES

TOKEN = "a shared token that is sent as it is"
RECIPES = """
[recipe token]
title = Shows a token in Authorization, asks by OPTIONS, delivers by PUT
methods = PUT
sig = header:Authorization ; strip Bearer
alg = equal
weak = token
id = {json:/id}
hello = unsigned OPTIONS header:WebHook-Request-Origin => 200 ;
  header WebHook-Allowed-Origin {header:WebHook-Request-Origin}

[recipe bytes]
title = Any bytes under a token
sig = header:X-Token
alg = equal
weak = token
id = {body|sha256|hex}
"""


@pytest.fixture(scope="module", params=list(SERVERS))
def served(request, module_site):
    """One site behind each of the servers; the tests tell their events apart by id."""
    sources = dict(DEFAULT_SOURCES, token={"provider": "token", "secret": TOKEN},
                   bytes={"provider": "bytes", "secret": TOKEN})
    got = module_site(server=request.param, sources=sources, files={"own.conf": RECIPES},
                      settings={"hookonce": {"recipes": "own.conf"}})
    yield got
    got.close()


@pytest.fixture
def unwritten(served):
    """Holds that a test leaves every table as it was."""
    before = served.written()
    yield
    assert served.written() == before


def test_genuine_event_is_one_receipt_however_often_it_comes(served):
    body = events.stripe("evt_once")
    for _ in range(2):
        assert served.deliver("stripe", body).status == 200
    rows = served.sql("SELECT provider, event_type, status, correlation_id FROM hookonce_receipt "
                      "WHERE event_id = 'evt_once'")
    assert [(r["provider"], r["event_type"], r["status"]) for r in rows] == [
        (b"stripe", b"checkout.session.completed", "received")]
    for table in ("job", "body"):
        assert served.value(f"SELECT COUNT(*) FROM hookonce_{table} WHERE correlation_id = %s",
                            rows[0]["correlation_id"]) == 1, table
    assert served.value("SELECT bytes FROM hookonce_body WHERE correlation_id = %s",
                        rows[0]["correlation_id"]) == body


@pytest.mark.usefixtures("unwritten")
def test_forged_request_writes_nothing(served):
    body = events.stripe("evt_forged")
    assert served.deliver("stripe", body, secret="whsec_not_ours").status == 401
    assert served.post("stripe", body + b" ", served.signed("stripe", body)).status == 401
    assert served.post("stripe", body).status == 401


def test_short_path_and_long_path_name_the_same_source(served):
    body = events.stripe("evt_path")
    for path in ("/hook/stripe", "/hookonce.fcgi/stripe", "/hook/stripe?a=1"):
        answer = served.server.request("POST", path, body, served.signed("stripe", body))
        assert answer.status == 200, path
    assert served.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = 'evt_path'") == 1


@pytest.mark.parametrize("path", ["/hook/token", "/hookonce.fcgi/token"])
def test_credentials_and_other_methods_reach_the_program(served, path):
    body = b'{"id":"%s"}' % path.encode()
    for token, status in ((TOKEN, 200), (TOKEN[:-1], 401), ("", 401)):
        headers = [("Authorization", "Bearer " + token)] if token else []
        assert served.server.request("PUT", path, body, headers).status == status, token
    assert served.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = %s", path.encode()) == 1
    stored = served.value("SELECT b.headers FROM hookonce_body b JOIN hookonce_receipt USING (correlation_id) "
                          "WHERE event_id = %s", path.encode())
    assert TOKEN.encode() not in stored and TOKEN not in served.log_text()
    answer = served.server.request("OPTIONS", path, None, [("WebHook-Request-Origin", "x.example")])
    assert answer.status == 200 and answer.header("WebHook-Allowed-Origin") == "x.example"


@pytest.mark.parametrize("size", [457_522, 5 * 1024 * 1024])
def test_large_body_arrives_whole(served, size):
    body = events.github(padding="x" * (size - len(events.github(padding=""))))
    assert len(body) == size
    assert served.deliver("github", body, delivery=f"large-{size}").status == 200
    served.import_spooled()
    row = served.sql("SELECT * FROM hookonce_receipt WHERE event_id = %s", f"large-{size}")[0]
    assert row["body_len"] == size
    assert row["body_sha256"] == hashlib.sha256(body).digest()
    stored = served.sql("SELECT bytes FROM hookonce_body WHERE correlation_id = %s ORDER BY part",
                        row["correlation_id"])
    assert b"".join(r["bytes"] for r in stored) == body


def stored_bytes(served, body):
    """What the tables have of a body that came to the source "bytes"; None: nothing."""
    served.import_spooled()
    parts = served.sql("SELECT bytes FROM hookonce_body b JOIN hookonce_receipt r USING (correlation_id) "
                       "WHERE r.source = 'bytes' AND event_id = %s ORDER BY part",
                       hashlib.sha256(body).hexdigest().encode())
    return b"".join(p["bytes"] for p in parts) if parts else None


def chunked(body, size):
    """A body in chunks of that size."""
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize("size", [5_000, 200_000, 2_000_000])
@pytest.mark.parametrize("announced", [True, False])
def test_every_byte_arrives_with_and_without_a_length(served, size, announced):
    """NUL, CRLF, what is no UTF-8, and what a filter would take for markup; as such, and chunked."""
    body = bytes(range(256)) + b"\r\n\r\n\0<?php <%= \xff\xfe" + os.urandom(size)
    headers = [("X-Token", TOKEN), ("Content-Type", "application/octet-stream")]
    if announced:
        status = served.post("bytes", body, headers).status
    else:
        head = "".join(f"{k}: {v}\r\n" for k, v in [("Host", "localhost"), *headers, ("Connection", "close"),
                                                    ("Transfer-Encoding", "chunked")])
        status = wire.status_of(served.server.raw(
            f"POST /hook/bytes HTTP/1.1\r\n{head}\r\n".encode() + chunked(body, 16_000), limit_s=60))
    assert status == 200
    assert stored_bytes(served, body) == body


@pytest.mark.usefixtures("unwritten")
def test_a_signature_that_comes_twice_is_none(served):
    """Servers hand a repeated header on as one value or as two."""
    body = events.github(padding="twice")
    good = dict(sign.github(served.secrets["github"][0], body, delivery="twice"))
    for more in (good["X-Hub-Signature-256"], "sha256=" + "0" * 64):
        for pairs in ([("X-Hub-Signature-256", more), *good.items()], [*good.items(), ("X-Hub-Signature-256", more)]):
            assert served.post("github", body, pairs).status == 401


def test_a_name_with_an_underscore_is_not_taken_for_the_real_header(served):
    """lighttpd hands both on under one name, and then there are two; the others drop it."""
    kind = type(served.server).__name__
    for order in (1, -1):
        body = events.github(padding=f"underscore {order}")
        good = sign.github(served.secrets["github"][0], body, delivery=f"underscore {order}")
        pairs = [("X_Hub_Signature_256", "sha256=" + "0" * 64), *good][::order]
        assert served.post("github", body, pairs).status == (401 if kind == "Lighttpd" else 200)


# Whole targets; the source is their last segment. None: how it is taken depends on the server.
PATHS = [
    ("/hook/stripe?a=1&b=%2F", 200), ("/hookonce.fcgi/stripe?", 200), ("/hook/%73tripe", 200), ("/hook/stripe/", 200),
    ("/hook//stripe", 200), ("/hook/x/stripe", 200), ("/hook/stripe%2Fx", 404), ("/hook/Stripe", 404),
    ("/hook/", 404), ("/hookonce.fcgi", 404), ("/hook/..%2fstripe", None), ("/hook/stripe%00", None),
    ("http://evil.example:99/hook/stripe", None), ("/other/stripe", 404),
]


def test_paths_name_the_source_in_every_form(served):
    for n, (path, wanted) in enumerate(PATHS):
        event_id = f"evt_path_{n}"
        body = events.stripe(event_id)
        status = served.server.request("POST", path, body, served.signed("stripe", body)).status
        served.import_spooled()
        taken = served.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = %s", event_id.encode())
        assert taken == (1 if status == 200 else 0), path
        if wanted is not None:
            assert status == wanted, path
        elif path.startswith("http:"):
            assert status == 200 or (status == 400 and type(served.server).__name__ == "Lighttpd"), path
        else:
            assert status in (400, 404), path


@pytest.mark.usefixtures("unwritten")
def test_a_body_that_breaks_off_is_no_event(served):
    body = events.stripe("evt_broken_off")
    head = "".join(f"{k}: {v}\r\n" for k, v in [
        ("Host", "localhost"), ("Content-Length", str(len(body))), *served.signed("stripe", body)])
    answer = served.server.raw(f"POST /hook/stripe HTTP/1.1\r\n{head}\r\n".encode() + body[:-1], half_close=True)
    assert wire.status_of(answer) in (None, 400, 408, 500, 502)


@pytest.mark.usefixtures("unwritten")
def test_body_over_the_cap_is_refused_by_the_program(served):
    body = b"x" * (26 * 1024 * 1024)
    answer = served.post("github", body, sign.github(served.secrets["github"][0], body))
    assert answer.status == 413


@pytest.mark.parametrize("size", [10, 300_000, 3_000_000])
@pytest.mark.usefixtures("unwritten")
def test_answer_before_the_body_is_read_still_arrives(served, size):
    body = b"x" * size
    for _ in range(2):
        assert served.post("github", body, [("Content-Type", "application/json")]).status == 401
        assert served.post("nobody", body).status == 404
        assert served.server.request("PUT", "/hook/github", body).status == 405


@pytest.mark.usefixtures("unwritten")
def test_probes_and_methods(served):
    for method in ("GET", "HEAD"):
        answer = served.server.request(method, "/hook/stripe")
        assert answer.status == 200, method
    assert answer.body == b""
    for method in ("PUT", "DELETE"):
        answer = served.server.request(method, "/hook/stripe")
        assert answer.status == 405, method
        assert "POST" in answer.header("Allow")
    assert served.server.request("GET", "/hook/nobody").status == 404
    assert served.post("nobody", b"{}").status == 404


@pytest.mark.usefixtures("unwritten")
def test_config_and_secrets_are_not_served(served):
    for name in ("hookonce.conf", "hookonce.key", "stripe.secret0", "db.password", "hookonce", ".htaccess"):
        for path in (f"/{name}", f"/hook/../{name}", f"/hookonce.fcgi/../{name}"):
            answer = served.server.request("GET", path)
            assert answer.status in (400, 403, 404), path
            assert b"secret" not in answer.body.lower()


def test_the_next_genuine_event_is_taken_after_all_of_this(served):
    assert served.deliver("stripe", events.stripe("evt_last")).status == 200
    assert served.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = 'evt_last'") == 1
