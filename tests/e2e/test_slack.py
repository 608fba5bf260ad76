"""Slack's handshakes and its retry headers."""

import json

import pytest

from hooktest import events

BODIES = {
    "plain": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
    "awkward": 'with "quotes", a \\ backslash,\na line end, a tab\t, ü and 😀' * 180,
}


def verification(challenge):
    return json.dumps({"token": "x", "challenge": challenge, "type": "url_verification"}).encode()


def challenge_of(answer):
    """The challenge as Slack reads it out of the answer."""
    kind = answer.header("Content-Type").partition(";")[0]
    if kind == "text/plain":
        return answer.body.decode()
    assert kind == "application/json"
    return json.loads(answer.body)["challenge"]


@pytest.fixture(scope="module")
def away(module_site):
    """A site whose database is not there."""
    return module_site(migrate=False, settings={"database": {"socket": "/nonexistent/db.sock"}},
                       sources={"slack": {"provider": "slack", "secret": "8f742231b10e8888abcd99yyyzzz85a5",
                                          "spool": "off"}})


@pytest.mark.parametrize("name", BODIES)
def test_a_signed_challenge_is_answered_without_a_database__O_SL_01(away, name):
    body = verification(BODIES[name])
    assert name != "awkward" or len(BODIES[name]) > 10_000
    answer = away.cgi("slack", body, away.signed("slack", body))
    assert answer.status == 200
    assert challenge_of(answer) == BODIES[name]
    event = events.slack()
    assert away.cgi("slack", event, away.signed("slack", event)).status == 503


def test_an_unsigned_or_forged_challenge_is_refused__O_SL_01(away):
    body = verification(BODIES["plain"])
    answers = [away.cgi("slack", body, [("Content-Type", "application/json")]),
               away.cgi("slack", body, away.signed("slack", body, secret="another")),
               away.cgi("slack", verification("other"), away.signed("slack", body))]
    for answer in answers:
        assert answer.status == 401
        assert BODIES["plain"].encode() not in answer.body and b"other" not in answer.body


def test_a_challenge_leaves_no_receipt__O_SL_01(site):
    s = site()
    body = verification(BODIES["plain"])
    assert challenge_of(s.cgi("slack", body, s.signed("slack", body))) == BODIES["plain"]
    assert s.written() == {}


def test_an_unsigned_ssl_check_is_answered_and_carries_nothing_in__O_SL_01(site):
    s = site()
    form = [("Content-Type", "application/x-www-form-urlencoded")]
    for body in (b"ssl_check=1&token=x", b"command=%2Fpay&text=all&trigger_id=1.2.3&ssl_check=1"):
        assert s.cgi("slack", body, form).status == 200
    assert s.cgi("slack", b"command=%2Fpay&text=all&trigger_id=1.2.3", form).status == 401
    assert s.written() == {}


def test_a_first_delivery_marked_as_retry_is_still_an_event__O_SL_02(site):
    s = site()
    body = events.slack("Ev0RETRY001")
    for number in ("1", "2"):
        headers = s.signed("slack", body) + [("X-Slack-Retry-Num", number), ("X-Slack-Retry-Reason", "http_timeout")]
        assert s.cgi("slack", body, headers).status == 200
    assert s.written() == {"receipt": 1, "body": 1, "job": 1}
    assert b"x-slack-retry-num: 1" in s.value("SELECT headers FROM hookonce_body")
    s.process()
    assert s.effects() == ["Ev0RETRY001"]


def test_a_signed_event_is_never_taken_for_the_certificate_probe(site):
    """Its text may hold what the probe's form would say; signed, it is a delivery."""
    s = site("lighttpd")
    body = events.slack("Ev_probe", text="see https://x/?a=1&ssl_check=1&b=2")
    assert s.deliver("slack", body).status == 200
    form = b"command=%2Fdeploy&ssl_check=1&trigger_id=1.2.3"
    headers = s.signed("slack", form, content_type="application/x-www-form-urlencoded")
    assert s.post("slack", form, headers).status == 200
    assert sorted(r["event_id"] for r in s.receipts()) == [b"1.2.3", b"Ev_probe"]
    assert s.post("slack", form, [("Content-Type", "application/x-www-form-urlencoded")]).status == 200
    assert s.post("slack", body, [("Content-Type", "application/json")]).status == 401
    assert s.count("receipt") == 2
