"""Every shipped server configuration carries genuine and false requests to the same outcomes."""

import hashlib

import pytest

from hooktest import SERVERS, events, sign


@pytest.fixture(params=list(SERVERS))
def served(request, site):
    """A site behind each of the servers."""
    return site(server=request.param)


def test_genuine_event_is_one_receipt_however_often_it_comes(served):
    body = events.stripe("evt_once")
    for _ in range(2):
        assert served.deliver("stripe", body).status == 200
    rows = served.receipts()
    assert [(r["provider"], r["event_id"], r["event_type"], r["status"]) for r in rows] == [
        (b"stripe", b"evt_once", b"checkout.session.completed", "received")]
    assert served.count("job") == 1
    assert served.value("SELECT bytes FROM hookonce_body") == body


def test_forged_request_writes_nothing(served):
    body = events.stripe("evt_forged")
    answer = served.deliver("stripe", body, secret="whsec_not_ours")
    assert answer.status == 401
    assert served.post("stripe", body + b" ", served.signed("stripe", body)).status == 401
    for table in ("receipt", "job", "body", "guard", "conflict"):
        assert served.count(table) == 0, table
    assert served.deliver("stripe", body).status == 200  # and the next one is served


def test_short_path_and_long_path_name_the_same_source(served):
    body = events.stripe("evt_path")
    for path in ("/hook/stripe", "/hookonce.fcgi/stripe", "/hook/stripe?a=1"):
        answer = served.server.request("POST", path, body, served.signed("stripe", body))
        assert answer.status == 200, path
    assert served.count("receipt") == 1


@pytest.mark.parametrize("size", [457_522, 5 * 1024 * 1024])
def test_large_body_arrives_whole(served, size):
    frame = events.github(padding="")
    body = events.github(padding="x" * (size - len(frame)))
    assert len(body) == size
    assert served.deliver("github", body).status == 200
    row = served.receipts()[0]
    assert row["body_len"] == size
    assert row["body_sha256"] == hashlib.sha256(body).digest()
    stored = b"".join(r["bytes"] for r in served.sql("SELECT bytes FROM hookonce_body ORDER BY part"))
    assert stored == body


def test_body_over_the_cap_is_refused_by_the_program(served):
    body = b"x" * (26 * 1024 * 1024)
    answer = served.post("github", body, sign.github(served.secrets["github"][0], body))
    assert answer.status == 413
    assert served.count("receipt") == 0
    assert served.deliver("github", events.github()).status == 200


@pytest.mark.parametrize("size", [10, 300_000, 3_000_000])
def test_answer_before_the_body_is_read_still_arrives(served, size):
    body = b"x" * size
    for _ in range(2):
        assert served.post("github", body, [("Content-Type", "application/json")]).status == 401
        assert served.post("nobody", body).status == 404
        assert served.server.request("PUT", "/hook/github", body).status == 405


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
    assert served.count("receipt") == 0


def test_config_and_secrets_are_not_served(served):
    for name in ("hookonce.conf", "hookonce.key", "stripe.secret0", "db.password", "hookonce", ".htaccess"):
        for path in (f"/{name}", f"/hook/../{name}", f"/hookonce.fcgi/../{name}"):
            answer = served.server.request("GET", path)
            assert answer.status in (400, 403, 404), path
            assert b"secret" not in answer.body.lower()
