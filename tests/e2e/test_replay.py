"""Old requests, future ones, and genuine content under a fresh id."""

import time

import pytest

from hooktest import events, sign

NOW = 1790000000
FROZEN = {"FAKETIME": time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(NOW))}


@pytest.fixture(scope="module")
def timed(module_site):
    """A site with a source for each scheme that signs its time."""
    return module_site(routes={}, sources={
        "stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="},
        "slack": {"provider": "slack", "secret": "8f742231b10e8888abcd99yyyzzz85a5"},
        "clerk": {"provider": "clerk", "secret": "whsec_Y2xlcmstc2VjcmV0LWZvci10ZXN0cy0x"},
        "strict": {"provider": "stripe", "secret": "whsec_c3RyaWN0", "tolerance": "10s", "scope": "source"},
    })


def send(s, source, offset, body):
    """A request signed `offset` seconds from now, sent now -> (status, the reason or None)."""
    answer = s.cgi(source, body, s.signed(source, body, t=NOW + offset), now=NOW, env=FROZEN)
    if answer.status == 200:
        return 200, None
    line = s.log_lines(event="rejected")[-1]
    assert int(line["age_s"]) == -offset
    return answer.status, line["reason"]


@pytest.mark.parametrize("source,make", [("stripe", events.stripe), ("slack", events.slack),
                                         ("clerk", events.standard)])
def test_the_window_is_as_wide_forwards_as_backwards__O_RPL_01(timed, source, make):
    assert send(timed, source, -300, make()) == (200, None)
    assert send(timed, source, -301, make()) == (401, "timestamp too old")
    assert send(timed, source, 300, make()) == (200, None)
    assert send(timed, source, 301, make()) == (401, "timestamp in the future")


def test_a_source_may_narrow_the_window__O_RPL_01(timed):
    assert send(timed, "strict", -10, events.stripe()) == (200, None)
    assert send(timed, "strict", -11, events.stripe()) == (401, "timestamp too old")
    assert send(timed, "strict", 11, events.stripe()) == (401, "timestamp in the future")


def test_stale_and_future_requests_write_nothing__O_RPL_01(timed):
    before = timed.written()
    for offset in (-301, 301, -10_000_000, 10_000_000):
        assert send(timed, "stripe", offset, events.stripe())[0] == 401
    assert timed.written() == before


def guarded(site, guard):
    secret = "github test secret"
    keys = {"provider": "github", "secret": secret}
    if guard is not None:
        keys["guard"] = guard
    s = site(sources={"github": keys})
    body = events.github()
    for delivery in ("guid-a", "guid-c", "guid-c"):
        assert s.cgi("github", body, sign.github(secret, body, delivery=delivery)).status == 200
    return s, body


@pytest.mark.parametrize("guard", [None, "yes"], ids=["default", "on"])
def test_signed_content_under_a_fresh_id_is_held_for_a_person__O_RPL_02(site, guard):
    s, body = guarded(site, guard)
    assert s.written() == {"receipt": 1, "body": 1, "job": 1, "guard": 1, "conflict": 1}
    row = s.sql("SELECT * FROM hookonce_conflict")[0]
    assert (row["kind"], row["event_id"], row["seen"], row["body"]) == ("repeat", b"guid-c", 2, body)
    assert row["first_correlation_id"] == s.receipts()[0]["correlation_id"]
    s.process()
    assert s.effects() == ["guid-a"]
    assert s.log_lines(event="repeat")[0]["level"] == "alarm"
    assert b"guid-c" in s.hookonce("list", "conflicts", check=True).stdout


def test_without_the_guard_each_id_is_an_event__O_RPL_02(site):
    s, _ = guarded(site, "no")
    assert s.written() == {"receipt": 2, "body": 2, "job": 2}
    s.process()
    assert sorted(s.effects()) == ["guid-a", "guid-c"]


def test_a_receipt_does_not_go_stale_in_the_queue__O_RPL_03(site):
    s = site(sources={"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}})
    body = events.stripe("evt_rpl03")
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    s.sql("UPDATE hookonce_job SET run_at = run_at - INTERVAL 2 DAY")
    s.sql("UPDATE hookonce_receipt SET received_at = received_at - INTERVAL 2 DAY, "
          "recorded_at = recorded_at - INTERVAL 2 DAY")
    for _ in range(2):
        s.process(now=int(time.time()) + 2 * 86400)
    assert s.effects() == ["evt_rpl03"]
