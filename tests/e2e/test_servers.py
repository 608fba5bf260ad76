"""Every shipped server configuration carries genuine and false requests to the same outcomes."""

import hashlib

import pytest

from hooktest import SERVERS, events, sign
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
"""


@pytest.fixture(scope="module", params=list(SERVERS))
def served(request, module_site):
    """One site behind each of the servers; the tests tell their events apart by id."""
    sources = dict(DEFAULT_SOURCES, token={"provider": "token", "secret": TOKEN})
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
