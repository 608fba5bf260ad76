"""GitHub's forms, its ping, and its delivery ids."""

import urllib.parse

import pytest

from hooktest import events, sign

SECRET = "github test secret"


@pytest.fixture(scope="module")
def served(module_site):
    """A site with a handler that wants pushes only and keeps what it finds in them."""
    s = module_site(sources={"github": {"provider": "github", "secret": SECRET, "guard": "no"}},
                    handlers={"push": {"sql": "INSERT INTO pushes (id, ref) VALUES ({event:id}, {/ref})"}},
                    routes={"pushes": {"provider": "github", "on": "push", "handler": "push"}})
    s.sql("CREATE TABLE pushes (id VARBINARY(255), ref VARBINARY(255))")
    return s


def receipt(s, delivery):
    """The only receipt of a delivery id, with its body."""
    rows = s.sql("SELECT * FROM hookonce_receipt JOIN hookonce_body USING (correlation_id) WHERE event_id = %s",
                 delivery)
    assert len(rows) == 1
    return rows[0]


def pushes(s, delivery):
    """The refs that the handler saw under a delivery id."""
    return [r["ref"].decode() for r in s.sql("SELECT ref FROM pushes WHERE id = %s", delivery)]


def form(body):
    return b"payload=" + urllib.parse.quote(body.decode(), safe="").encode()


FORM = {"content_type": "application/x-www-form-urlencoded"}


def test_a_form_encoded_push_reaches_the_handler_as_json__O_GH_01(served):
    body = form(events.github(ref="refs/heads/Plaça+x"))
    assert served.cgi("github", body, sign.github(SECRET, body, delivery="d-form", **FORM)).status == 200
    row = receipt(served, "d-form")
    assert (row["event_type"], row["document"], row["body_len"]) == (b"push", b"form:payload", len(body))
    assert row["bytes"] == body
    served.process()
    assert pushes(served, "d-form") == ["refs/heads/Plaça+x"]


def test_the_signature_is_over_the_form_not_over_the_json_in_it__O_GH_01(served):
    inner, before = events.github(), served.written()
    body = form(inner)
    assert served.cgi("github", body, sign.github(SECRET, inner, **FORM)).status == 401
    other = body.replace(b"%3A", b":")
    assert other != body
    assert served.cgi("github", other, sign.github(SECRET, body, **FORM)).status == 401
    assert served.written() == before


@pytest.mark.parametrize("encode", [bytes, form], ids=["json", "form"])
def test_a_ping_is_recorded_and_runs_nothing__O_GH_02(served, encode):
    body = encode(b'{"zen":"Keep it logically awesome.","hook_id":4711,"hook":{"type":"Repository"}}')
    delivery, more = "d-ping-" + encode.__name__, FORM if encode is form else {}
    headers = sign.github(SECRET, body, event="ping", delivery=delivery, **more)
    assert served.cgi("github", body, headers).status == 200
    served.process()
    row = receipt(served, delivery)
    assert (row["event_type"], row["status"], row["outcome"]) == (b"ping", "processed", "ignored")
    jobs = served.sql("SELECT state, outcome FROM hookonce_job WHERE correlation_id = %s", row["correlation_id"])
    assert jobs == [{"state": "done", "outcome": "ignored"}]
    assert pushes(served, delivery) == []


def test_a_redelivery_is_the_same_event(served):
    body, before = events.github(), served.written()
    for _ in range(3):
        assert served.cgi("github", body, sign.github(SECRET, body, delivery="d-again")).status == 200
    assert served.written(before) == {"receipt": 1, "body": 1, "job": 1}
    assert receipt(served, "d-again")["duplicates"] == 2


def test_one_delivery_id_with_two_bodies_is_a_conflict(served):
    first, other = events.github(ref="refs/heads/one"), events.github(ref="refs/heads/two")
    before = served.written()
    for body in (first, other, first, other):
        assert served.cgi("github", body, sign.github(SECRET, body, delivery="d-twice")).status == 200
    assert served.written(before) == {"receipt": 1, "body": 1, "job": 1, "conflict": 1}
    row = served.sql("SELECT * FROM hookonce_conflict")[0]
    assert (row["kind"], row["event_id"], row["body"], row["seen"]) == ("meaning", b"d-twice", other, 2)
    served.process()
    assert pushes(served, "d-twice") == ["refs/heads/one"]
    assert served.log_lines(event="conflict")[0]["level"] == "alarm"
    assert b"d-twice" in served.hookonce("list", "conflicts", check=True).stdout
