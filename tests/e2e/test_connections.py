"""What a host's limits for a database account mean: few connections at once, few questions an hour."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hooktest import events
from hooktest.proc import wait_until

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE="}}
AT_ONCE = 30


def limit(s, what):
    """Limits the receivers' account from now on; counts of the hour begin anew."""
    s.db.server.execute(f"ALTER USER {s.db.receiver_user}@'%' WITH {what}", "FLUSH USER_RESOURCES")


def bodies(n):
    return [events.stripe(f"evt_{i}") for i in range(n)]


def deliver(s, body):
    return s.cgi("stripe", body, s.signed("stripe", body)).status


def stored(s):
    return sorted(row["event_id"].decode() for row in s.receipts())


def links(s):
    return s.value("SELECT COUNT(*) FROM information_schema.processlist WHERE user = %s", s.db.receiver_user)


@pytest.mark.parametrize("most", [3, 15])
def test_thirty_at_once_lose_nothing_where_few_connections_are_allowed(site, most):
    s = site(sources=STRIPE)
    limit(s, f"MAX_USER_CONNECTIONS {most}")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda body: deliver(s, body), bodies(AT_ONCE)))
    assert answers == [200] * AT_ONCE
    s.process()
    assert stored(s) == sorted(f"evt_{i}" for i in range(AT_ONCE)) and len(s.effects()) == AT_ONCE


def test_without_a_spool_who_finds_no_connection_is_answered_busy(site):
    s = site(sources=STRIPE, settings={"hookonce": {"spool": "off"}})
    limit(s, "MAX_USER_CONNECTIONS 3")
    left = bodies(AT_ONCE)
    for _ in range(20):  # as a provider does it
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(lambda body: (deliver(s, body), body), left))
        assert {status for status, _ in answers} <= {200, 503}
        left = [body for status, body in answers if status == 503]
        waiting = {json.loads(body)["id"] for body in left}
        assert {f"evt_{i}" for i in range(AT_ONCE)} - waiting <= set(stored(s)), "who was answered 200 is stored"
        if not left:
            break
    assert not left and len(stored(s)) == AT_ONCE


def waits_for_its_turn(s, event_id):
    """Posts while somebody holds the only connection, who leaves after a moment. Whether it was waited for: a busy
    machine may let either of them be late."""
    held = s.db.server.connect(s.db.name, s.db.receiver_user, s.db.receiver_password)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(deliver, s, events.stripe(event_id))
        time.sleep(0.2)
        held.close()
        assert first.result() == 200
    return any(int(line["ms"]) >= 50 for line in s.log_lines(event="accepted", id=event_id))


def test_a_full_house_is_waited_for_and_reported(site):
    """For a moment; then it is the spool's turn."""
    s = site(sources=STRIPE)
    limit(s, "MAX_USER_CONNECTIONS 1")
    assert any(waits_for_its_turn(s, f"evt_waits{n}") for n in range(10))
    held = s.db.server.connect(s.db.name, s.db.receiver_user, s.db.receiver_password)
    assert deliver(s, events.stripe("evt_spooled")) == 200
    held.close()
    (line,) = [line for line in s.log_lines(event="spooled") if line["id"] == "evt_spooled"]
    assert "max_user_connections" in line["why"] or "a moment ago" in line["why"]
    s.process()
    assert "evt_spooled" in stored(s)


@pytest.mark.parametrize("spool", ["on", "off"])
def test_when_the_hours_questions_are_used_up(site, spool):
    s = site(sources=STRIPE, settings={"hookonce": {"spool": spool}})
    limit(s, "MAX_QUERIES_PER_HOUR 20")
    answers = [deliver(s, body) for body in bodies(8)]
    within = answers.count(200) if spool == "off" else len(s.receipts())
    assert 1 <= within < 8
    assert answers == [200] * 8 if spool == "on" else set(answers) == {200, 503} and answers[-1] == 503
    assert "max_queries_per_hour" in s.log_text()
    limit(s, "MAX_QUERIES_PER_HOUR 0")
    if spool == "off":
        wait_until(lambda: all(deliver(s, body) == 200 for body in bodies(8)), 30, "the breaker closes")
    s.process()
    assert stored(s) == sorted(f"evt_{i}" for i in range(8))


def test_a_receiver_holds_one_connection_and_gives_it_back(site):
    s = site(sources=STRIPE, server=("lighttpd", {}), settings={"database": {"idle_close": "1s"}})
    for round_ in range(2):
        for body in bodies(3):
            assert s.post("stripe", body, s.signed("stripe", body)).status == 200
        if round_ == 0:
            s.hookonce("check")  # has connections of its own, and closes them
        wait_until(lambda: links(s) == 0, 30, "what is idle is closed")
    assert len(stored(s)) == 3
