"""Signed documents that nobody meant well, and senders that take their time. Random ones: tests/hostile."""

import gzip
import socket
import threading
import time
import urllib.parse

import pytest

from hooktest import events, sign

SECRET = "github test secret"
SOURCES = {"github": {"provider": "github", "secret": SECRET, "guard": "no"},
           "stripe": {"provider": "stripe", "secret": "whsec_hostile"}}
DEEP = 10_000
DIGEST = b"sha256:"  # the id can't be told for certain, so the body's digest stands for it


@pytest.fixture(scope="module", params=["lighttpd", "apache-fcgid"])
def served(request, module_site):
    """A site behind one web server; its events are told apart by their ids."""
    return module_site(server=request.param, sources=SOURCES)


def stripe(body):
    return sign.stripe("whsec_hostile", body)


def part(name, content, more=b""):
    return b'--x\r\nContent-Disposition: form-data; name="' + name + b'"' + more + b"\r\n\r\n" + content + b"\r\n"


# Bodies that are signed, and the id that is stored; None: it is no document of an event, and refused.
STRIPE = {
    "arrays-10000-deep": (b'{"id":"evt_1","type":"a","data":' + b"[" * DEEP + b"]" * DEEP + b"}", None),
    "objects-10000-deep": (b'{"a":' * DEEP + b"1" + b"}" * DEEP, None),
    "deep-and-open": (b"[" * DEEP, None),
    "id-twice": (b'{"id":"evt_twice_a","id":"evt_twice_b","type":"a"}', b"evt_twice_b"),
    "id-twice-escaped": (b'{"id":"evt_esc_a","\\u0069d":"evt_esc_b","type":"a"}', b"evt_esc_b"),
    "nul-in-id": (b'{"id":"evt_nul\\u0000x","type":"a"}', b"evt_nul\0x"),
    "nul-in-key": (b'{"id\\u0000":"evt_no","id":"evt_nulkey","type":"a"}', b"evt_nulkey"),
    "nul-raw": (b'{"id":"evt_\0","type":"a"}', None),
    "lone-surrogate": (b'{"id":"evt_\\ud800","type":"a"}', DIGEST),
    "no-utf-8": (b'{"id":"evt_\xff\xfe","type":"a"}', b"evt_\xff\xfe"),
    "id-is-an-object": (b'{"id":{"id":"evt_1"},"type":"a"}', None),
    "id-is-null": (b'{"id":null,"type":"a"}', None),
    "id-is-empty": (b'{"id":"","type":"a"}', None),
    "behind-it": (b'{"id":"evt_behind","type":"a"} {"id":"evt_2"}', None),
    "number-without-end": (b'{"id":"evt_digits","type":"a","n":' + b"9" * 200_000 + b"}", b"evt_digits"),
    "exponent": (b'{"id":"evt_exp","type":"a","created":1e999999999}', b"evt_exp"),
    "20000-members": (b'{"id":"evt_wide","type":"a",' + b",".join(b'"k%d":%d' % (i, i) for i in range(20_000)) + b"}", b"evt_wide"),
    "a-long-key": (b'{"' + b"k" * 500_000 + b'":1,"id":"evt_longkey","type":"a"}', b"evt_longkey"),
    "gzip": (gzip.compress(b'{"id":"evt_gzip","type":"a"}'), None),
    "gzip-bomb": (gzip.compress(b"\0" * 50_000_000), None),
}
GITHUB = {
    "form-bomb": b"a=b&" * 200_000, "form-without-end": b"payload=%7B%7D&" * 50_000, "percent-bomb": b"payload=" + b"%25" * 300_000,
    "two-payloads": b"payload=%7B%22a%22%3A1%7D&payload=%7B%22a%22%3A2%7D", "no-field": b"&&&&====%%%%",
    "multipart-without-end": part(b"payload", b"{}") * 3000, "multipart-in-itself": part(b"payload", part(b"payload", b"{}")),
    "boundary-only": b"--x" * 10_000, "nul-name": part(b"pay\0load", b"{}"), "many-parameters": part(b"payload", b"{}", b"; a=b" * 50_000),
}


def then_served(s):
    body = events.stripe("evt_then")
    assert s.post("stripe", body, stripe(body)).status == 200


@pytest.mark.parametrize("name", STRIPE)
def test_a_document_is_an_event_or_refused_and_nothing_else(served, name):
    body, event_id = STRIPE[name]
    before = served.written()
    start = time.monotonic()
    status = served.post("stripe", body, stripe(body)).status
    assert time.monotonic() - start < 25
    found = served.sql("SELECT event_id FROM hookonce_receipt ORDER BY correlation_id DESC LIMIT 1")
    if event_id is None:
        assert 400 <= status < 500
        assert served.written() == before
    else:
        assert status == 200
        assert found[0]["event_id"] == event_id or event_id is DIGEST and found[0]["event_id"].startswith(DIGEST)
    then_served(served)


@pytest.mark.parametrize("name", GITHUB)
def test_a_form_however_odd_is_told_by_its_delivery_id(served, name):
    body = GITHUB[name]
    kind = "multipart/form-data; boundary=x" if body.startswith(b"--x") else "application/x-www-form-urlencoded"
    headers = sign.github(SECRET, body, delivery=name, content_type=kind)
    start = time.monotonic()
    assert served.post("github", body, headers).status in (200, 400, 422)
    assert time.monotonic() - start < 25
    assert served.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = %s", name) <= 1
    then_served(served)


def test_a_flood_of_headers_is_refused_by_name_of_its_size(served):
    body = events.stripe("evt_flood")
    flood = [(f"X-Flood-{i}", "v" * 500) for i in range(300)]
    assert 400 <= served.post("stripe", body, stripe(body) + flood).status < 500
    then_served(served)


class Slow:
    """A sender of one byte now and then, whose request never ends."""

    def __init__(self, port, head):
        self.link = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.link.sendall(head)

    def more(self, data=b"x"):
        try:
            self.link.sendall(data)
        except OSError:
            pass  # the server has had enough


def test_others_are_served_while_many_take_their_time(served):
    """Half of them stop in the headers, half in the body."""
    head = b"POST /hook/stripe HTTP/1.1\r\nHost: localhost\r\n"
    before = served.written()
    slow = [Slow(served.server.port, head if n % 2 else head + b"Content-Length: 100000\r\n\r\n") for n in range(60)]
    over = threading.Event()

    def drip():
        while not over.wait(0.2):
            for s in slow:
                s.more()

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        times = []
        for n in range(20):
            body = events.stripe(f"evt_beside_{n}")
            start = time.monotonic()
            assert served.post("stripe", body, stripe(body)).status == 200
            times.append(time.monotonic() - start)
            time.sleep(0.1)
        assert max(times) < 25, times
    finally:
        over.set()
        thread.join()
        for s in slow:
            s.link.close()
    assert served.written(before)["receipt"] == 20


@pytest.mark.parametrize("query", ["token=" + "x" * 20_000, "a=" * 3000, urllib.parse.quote("\0\r\n'\"<>") * 500])
def test_a_query_changes_nothing(served, query):
    body = events.stripe("evt_query" + str(len(query)))
    status = served.server.request("POST", "/hook/stripe?" + query, body, stripe(body)).status
    assert status == 200 or 400 <= status < 500
    then_served(served)
