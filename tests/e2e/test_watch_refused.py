"""Deliveries that are refused or lost: the watch tells a wrong set-up from somebody's try."""

import json
import time


from hooktest import events, sign, wait_until
from hooktest.alerts import mails
from test_watch import STRIPE, quietly, watch, watched

OTHER = "whsec_b3RoZXI="


def seen(s, kind, **more):
    """The texts of what `watch --show` has of a kind, by subject."""
    done = watch(s, "--show", "--json", **more)
    return {a["subject"]: a["text"] for a in map(json.loads, done.stdout.splitlines()) if a["kind"] == kind}


def good(s, name):
    body = events.stripe(name)
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200


def bad(s, name, status=401):
    body = events.stripe(name)
    assert s.cgi("stripe", body, s.signed("stripe", body, secret=OTHER)).status == status


def test_deliveries_without_a_signature_are_told(site):
    s = watched(site, sources={"github": {"provider": "github", "secret": "a secret of github"}}, routes={})
    for n in range(5):
        assert s.cgi("github", b"{}", {"x-github-event": "push", "x-github-delivery": str(n)}).status == 401
    assert "header missing" in seen(s, "rejected")["github"] and seen(s, "retry-window") == {}
    quietly(s)
    assert len(mails(s)) == 1
    health = json.loads(s.hookonce("page", "health").stdout)
    assert any(r.startswith("github on ") and "5 deliveries were refused" in r for r in health["reasons"]), health


def test_deliveries_of_another_clock_are_told(site):
    s = watched(site)
    for n in range(5):
        body = events.stripe(f"evt_{n}")
        assert s.cgi("stripe", body, sign.stripe(s.secrets["stripe"][0], body, time.time() - 900)).status == 401
    assert "timestamp too old" in seen(s, "rejected")["stripe"]


def test_a_second_secret_that_we_do_not_have_is_told_though_others_hold(site):
    s = watched(site)
    for n in range(20):
        good(s, f"evt_g{n}")
        bad(s, f"evt_b{n}")
    text = seen(s, "rejected")["stripe"]
    assert text.startswith("20 deliveries were refused so far") and "signature mismatch" in text
    now = int(time.time())
    assert "stripe" not in seen(s, "rejected", now=now + 2 * 3600)


def test_what_is_signed_well_and_cannot_be_used_is_told_at_once_and_for_a_day(site):
    s = watched(site)
    good(s, "evt_1")
    body = b'{"object":"event","type":"x"}'
    assert s.cgi("stripe", body, s.signed("stripe", body)).status in (400, 422)
    for n in range(20):
        good(s, f"evt_{n}")
    assert "no event id" in seen(s, "rejected")["stripe"]
    now = int(time.time())
    assert seen(s, "rejected", now=now + 23 * 3600) and not seen(s, "rejected", now=now + 25 * 3600)


def test_deliveries_to_a_path_that_is_no_source_are_told(site):
    s = watched(site)
    body = events.stripe("evt_1")
    for _ in range(19):
        assert s.cgi("in2", body, s.signed("stripe", body)).status == 404
    for _ in range(5):
        s.cgi("robots.txt", b"", {}, method="GET")
    assert seen(s, "rejected") == {}
    s.cgi("in2", body, s.signed("stripe", body))
    assert "no source" in seen(s, "rejected")["unknown-path"]


def test_a_few_tries_where_others_hold_are_not_told(site):
    s = watched(site)
    for n in range(6):
        good(s, f"evt_{n}")
    for n in range(2):
        bad(s, f"evt_b{n}")
    good(s, "evt_7")
    bad(s, "evt_b3")
    assert seen(s, "rejected") == {}
    bad(s, "evt_b4")
    bad(s, "evt_b5")
    assert seen(s, "rejected")  # three in a row
    for n in range(8, 14):
        good(s, f"evt_{n}")
    assert seen(s, "rejected") == {}


def test_what_a_sender_that_never_tries_again_was_answered_busy_is_told_as_lost(site, own_mariadb):
    server = own_mariadb()
    s = watched(site, database=server.create_database(), settings={"hookonce": {"spool": "off"}}, routes={},
                sources={"github": {"provider": "github", "secret": "a secret of github"}})

    def push(n):
        body = b'{"n":%d}' % n
        return s.cgi("github", body, s.signed("github", body)).status

    server.stop()
    assert [push(n) for n in range(3)] == [503] * 3
    assert "3 deliveries were answered busy" in seen(s, "retry-window")["github"]
    server.start()
    wait_until(lambda: push(9) == 200, 20, "deliveries are taken again", 0.5)
    text = seen(s, "retry-window")["github"]
    assert "were answered busy" in text and "redeliver" in text
    quietly(s)
    assert "redeliver" in mails(s)[0]
    now = int(time.time())
    assert seen(s, "retry-window", now=now + 25 * 3600) == {}
