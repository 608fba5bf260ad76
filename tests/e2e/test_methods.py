"""Which HTTP method is what: a delivery, a handshake, a probe, or not allowed; and what answers carry."""

import hashlib
import hmac

import pytest

from hooktest import wait_until

SECRET = "the secret of one that calls by any method"
RECIPES = """
[recipe call]
title = Calls by POST or GET and signs the path
methods = POST GET
sig = header:X-Sig
alg = hmac-sha256
enc = hex
signed = {method} {path} {body}
id = {query:id}
hello = unsigned GET query:challenge => 200 text/plain {query:challenge}
empty-body = yes
never = 422 text/plain never

[recipe put]
title = Delivers by PUT alone
methods = PUT
sig = header:X-Sig
alg = hmac-sha256
enc = hex
signed = {body}
id = {json:/id}
hello = unsigned OPTIONS header:WebHook-Request-Origin => 200 ;
  header WebHook-Allowed-Origin {header:WebHook-Request-Origin}
ok = 202 application/json {"taken":"{json:/id|json}"}
"""


@pytest.fixture(scope="module")
def served(module_site):
    return module_site(server="lighttpd", files={"own.conf": RECIPES},
                       settings={"hookonce": {"recipes": "own.conf"}},
                       sources={"call": {"provider": "call", "secret": SECRET},
                                "put": {"provider": "put", "secret": SECRET},
                                "stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBl"}})


def mac(data):
    return hmac.new(SECRET.encode(), data, hashlib.sha256).hexdigest()


def call(s, method, query, body=b"", signature=None, path="/hookonce.fcgi/call"):
    """One request whose signature is right unless another one is given ("" for none)."""
    if signature is None:
        signature = mac(f"{method} {path}{query} ".encode() + body)
    headers = [("X-Sig", signature)] if signature else []
    return s.server.request(method, path + query, body if method == "POST" else None, headers)


def count(s, event_id):
    return s.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = %s", event_id)


def test_a_signed_get_is_a_delivery_where_the_recipe_says_so(served):
    assert call(served, "GET", "?id=g1").status == 200
    assert call(served, "GET", "?id=g1").status == 200
    assert call(served, "POST", "?id=p1", b"{}").status == 200
    assert count(served, "g1") == 1 and count(served, "p1") == 1
    wait_until(lambda: served.value("SELECT duplicates FROM hookonce_receipt WHERE event_id = 'g1'") == 1, 10,
               "the repeat is counted, behind its answer")


def test_a_get_without_a_signature_is_a_probe_or_a_handshake(served):
    before = served.written()
    assert call(served, "GET", "?id=g2", signature="").status == 200
    answer = call(served, "GET", "?id=g2&challenge=echo-me", signature="")
    assert (answer.status, answer.body) == (200, b"echo-me")
    assert call(served, "HEAD", "?id=g2").status == 200
    assert served.written() == before


def test_a_get_with_a_bad_signature_is_refused_whatever_it_asks(served):
    before = served.written()
    assert call(served, "GET", "?id=g3", signature="0" * 64).status == 401
    answer = call(served, "GET", "?id=g3&challenge=echo-me", signature="0" * 64)
    assert answer.status == 401 and b"echo-me" not in answer.body
    good = mac(b"POST /hookonce.fcgi/call?id=g3 ")
    assert call(served, "GET", "?id=g3", signature=good).status == 401, "the method is signed"
    assert served.written() == before


def test_a_signed_get_to_one_that_only_posts_is_a_probe(served):
    before = served.written()
    answer = served.server.request("GET", "/hookonce.fcgi/stripe", None, [("Stripe-Signature", "t=1,v1=00")])
    assert answer.status == 200 and served.written() == before


def test_a_genuine_request_that_can_never_be_taken_is_answered_so(served):
    answer = call(served, "POST", "", b"{}")
    assert (answer.status, answer.body) == (422, b"never")
    assert served.log_lines(event="rejected")[-1]["reason"] == "no event id"


def test_put_where_the_recipe_says_so_and_nothing_else(served):
    body = b'{"id":"put-1"}'
    headers = [("X-Sig", mac(body)), ("Content-Type", "application/json")]
    answer = served.server.request("PUT", "/hookonce.fcgi/put", body, headers)
    assert (answer.status, answer.body) == (202, b'{"taken":"put-1"}')
    assert count(served, "put-1") == 1
    answer = served.server.request("POST", "/hookonce.fcgi/put", b'{"id":"put-2"}', headers)
    assert answer.status == 405 and answer.header("Allow") == "GET, HEAD, PUT, OPTIONS"
    answer = served.server.request("DELETE", "/hookonce.fcgi/call")
    assert answer.status == 405 and answer.header("Allow") == "POST, GET, HEAD"
    assert count(served, "put-2") == 0


def test_options_only_where_a_handshake_has_it(served):
    origin = [("WebHook-Request-Origin", "eventgrid.example")]
    answer = served.cgi("put", headers=origin, method="OPTIONS", env={"CONTENT_LENGTH": None})
    assert answer.status == 200 and answer.header("WebHook-Allowed-Origin") == "eventgrid.example"
    for source, headers in (("put", []), ("call", origin), ("stripe", origin)):
        answer = served.cgi(source, headers=headers, method="OPTIONS", env={"CONTENT_LENGTH": None})
        assert answer.status == 405 and answer.header("WebHook-Allowed-Origin") is None, source


def test_no_answer_is_to_be_taken_for_a_page(served):
    body = b'{"id":"put-3"}'
    answers = [
        call(served, "GET", "?challenge=%3Cscript%3E", signature=""),
        call(served, "POST", "", b"{}"),
        served.server.request("PUT", "/hookonce.fcgi/put", body, [("X-Sig", mac(body))]),
        served.server.request("POST", "/hookonce.fcgi/nobody", b"{}"),
        served.server.request("DELETE", "/hookonce.fcgi/call"),
        served.server.request("HEAD", "/hookonce.fcgi/call?challenge=x"),
    ]
    for answer in answers:
        if answer.body:
            assert answer.header("X-Content-Type-Options") == "nosniff", answer
            assert answer.header("Content-Type").partition(";")[0] in ("text/plain", "application/json")
    assert sum(bool(a.body) for a in answers) == 5
