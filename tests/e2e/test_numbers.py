"""What is counted: deliveries, the time of answers, each hour's events; and silence, learnt or said."""

import os
import signal
import subprocess

import pytest

from hooktest import events, wait_until
from hooktest.alerts import hours_pass, mail_section, mailing, mails, subject
from hooktest.documents import Document
from hooktest.flow import arrive, join
from hooktest.halt import Halt
from hooktest.proc import account, clear_of_the_turn

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
WORKS = {"h": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}}
ROUTE = {"paid": {"provider": "stripe", "on": "checkout.session.completed", "handler": "h"}}


def time_passes(s):
    """As if five minutes had gone by for what is done every five."""
    s.sql("UPDATE hookonce_sample SET at = at - INTERVAL 300 SECOND ORDER BY at")
    s.sql("UPDATE hookonce_round SET due_at = UTC_TIMESTAMP(6)")


def tallied(s):
    return {row["verdict"]: int(row["n"]) for row in s.sql("SELECT verdict, SUM(n) AS n FROM hookonce_tally "
                                                           "GROUP BY verdict")}


def forge(s, body):
    assert s.cgi("stripe", body, [("Stripe-Signature", "t=1,v1=" + 64 * "0")]).status in (400, 401)


def test_two_state_folders_of_one_host_name_are_counted_apart_and_seen(site):
    s = site(sources=STRIPE, handlers=WORKS, routes=ROUTE)
    other = join(site, s)
    assert "reports under this name" not in s.hookonce("check").stdout.decode()
    arrive(s, *(events.stripe(f"evt_a{n}") for n in range(4)))
    arrive(other, events.stripe("evt_b"))
    for _ in range(4):
        for host in (s, other):
            host.process()
        time_passes(s)
    assert tallied(s) == {"new": 5}
    s.sql("UPDATE hookonce_seen SET n = n + 300 WHERE counter = 'sampled'")
    assert "another state folder reports under this name" in s.hookonce("check").stdout.decode()


def test_deliveries_and_events_are_counted_exactly(site):
    clear_of_the_turn(3600, 40)  # rows are one an hour
    s = site(sources=STRIPE, handlers=WORKS, routes=ROUTE)
    arrive(s, events.stripe("evt_1"), events.stripe("evt_2"), events.stripe("evt_1"))
    arrive(s, events.stripe("evt_3", "customer.created"))
    forge(s, events.stripe("evt_4"))
    s.process()
    sample, = s.sql("SELECT * FROM hookonce_sample")
    assert (sample["accepted"], sample["duplicates"], sample["refused"], sample["busy"]) == (4, 1, 1, 0)
    assert sample["ack_n"] == 4 and 0 < sample["ack_us"] and sample["ack_p50_us"] <= sample["ack_p99_us"]
    assert sample["ready"] == sample["dead"] == 0
    for _ in range(2):
        assert tallied(s) == {"new": 3, "duplicate": 1, "unsigned": 1}
        rows = {r["event_type"].decode(): r for r in s.sql("SELECT * FROM hookonce_stat")}
        assert sum(r["events"] for r in rows.values()) == 3 and sum(r["duplicates"] for r in rows.values()) == 1
        paid, other = rows["checkout.session.completed"], rows["customer.created"]
        assert (paid["events"], paid["processed"], paid["jobs"], paid["tries"], paid["failed"]) == (2, 2, 2, 2, 0)
        assert paid["wait_us"] >= paid["wait_max_us"] > 0 and paid["run_us"] >= paid["run_max_us"]
        assert (other["processed"], other["ignored"], other["tries"]) == (1, 1, 0)
        time_passes(s)
        s.process()
    host, = s.sql("SELECT * FROM hookonce_host")
    assert host["received_at"] is not None and host["gate"] == "closed" and host["spool_files"] == 0
    seen = s.value("SELECT seen_at FROM hookonce_host")
    s.process()
    assert s.value("SELECT seen_at FROM hookonce_host") > seen  # every run says that it lives


@pytest.mark.parametrize("when", ["before", "behind"])
@pytest.mark.parametrize("text", ["hookonce_tally", "INTO hookonce_seen", "INTO hookonce_sample", "COMMIT",
                                  "INTO hookonce_stat"])
def test_whoever_is_killed_while_counting_nothing_counts_twice_or_not_at_all(site, when, text):
    s = site(sources=STRIPE, handlers=WORKS, routes=ROUTE)
    s.process()
    time_passes(s)
    arrive(s, events.stripe("evt_1"), events.stripe("evt_2"), events.stripe("evt_1"))
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) + INTERVAL 1 DAY")  # only counting commits
    halt = Halt(s.path("halt"))
    halt.arm("hookonce", when, text)
    child = subprocess.Popen([s.program, "process", "--once"], env=s.environment(env=halt.env), cwd=s.dir,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **account(s.user))
    pid = wait_until(halt.halted, 20, "halted")
    halt.disarm()
    os.kill(pid, signal.SIGKILL)
    child.wait(20)
    for _ in range(2):
        time_passes(s)
        s.process()
        assert tallied(s) == {"new": 2, "duplicate": 1}
        assert s.value("SELECT SUM(events) FROM hookonce_stat") == 2
        assert s.value("SELECT SUM(accepted) FROM hookonce_sample") == 3
        assert s.value("SELECT SUM(ack_n) FROM hookonce_sample") == 3


def test_what_lay_in_the_spool_is_counted_in_its_hour(site):
    s = site(sources=STRIPE, handlers=WORKS, routes=ROUTE)
    s.process()
    old = "TIMESTAMP('1970-01-01') + INTERVAL 1764500400 SECOND"  # 2025-11-30 11:00
    arrive(s, events.stripe("evt_1"))
    cid = s.value("SELECT correlation_id FROM hookonce_receipt")
    # 1764502000 s is 01KBAJ… as a correlation id
    ms, head = 1764502000000, ""
    for _ in range(10):
        ms, head = ms // 32, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[ms % 32] + head
    for table in ("receipt", "job", "body"):
        s.sql(f"UPDATE hookonce_{table} SET correlation_id = %s", head + cid[10:])
    s.sql("UPDATE hookonce_round SET due_at = UTC_TIMESTAMP(6)")
    s.hookonce("process", "--once")  # its MAC does not hold then: a dead letter
    assert s.value(f"SELECT failed FROM hookonce_stat WHERE hour = {old}") == 1
    assert s.value(f"SELECT events FROM hookonce_stat WHERE hour = {old}") == 1


def steady(s, hours):
    """An event in every hour of the last nine weeks, up to so many hours ago."""
    s.sql("INSERT INTO hookonce_stat (hour, source, event_type, events, processed, last_at, counted_at) SELECT h, "
          "'stripe', 'checkout.session.completed', 5, 5, h + INTERVAL 59 MINUTE, h FROM (SELECT FROM_UNIXTIME(FLOOR("
          "UNIX_TIMESTAMP() / 3600) * 3600 - seq * 3600) AS h FROM seq_%s_to_1512) AS x", hours)


def test_a_source_that_is_quiet_beyond_its_learnt_cadence_alarms_once_and_clears_once(site):
    s = mailing(site(sources={"stripe": {**STRIPE["stripe"], "expect_every": "learn"}}, handlers=WORKS, routes=ROUTE,
                     extra=mail_section(kinds="silence")))

    def go_on():
        time_passes(s)
        s.process()
        assert s.hookonce("watch", check=True).stdout == b""
        hours_pass(s)
        return [subject(mail) for mail in mails(s)]

    steady(s, 2)
    assert go_on() == []
    s.sql("DELETE FROM hookonce_stat WHERE hour > UTC_TIMESTAMP() - INTERVAL 6 HOUR")
    s.sql("DELETE FROM hookonce_expect")
    for _ in range(3):
        assert go_on() == ["[hookonce] silence"]
    assert "stripe: no event for " in mails(s)[0] and "far longer than usual" in mails(s)[0]
    arrive(s, events.stripe("evt_1"))
    for _ in range(3):
        assert go_on() == ["[hookonce] silence", "[hookonce] over: silence"]


def test_what_the_readme_expects_is_looked_at(site):
    block = Document("README.md").take("[expect payouts]", [])
    s = site(sources=STRIPE, handlers=WORKS, routes=ROUTE, extra="\n" + block)
    s.process()
    rows = s.sql("SELECT name, event_type, every_s, state FROM hookonce_expect ORDER BY name")
    assert [tuple(r.values()) for r in rows] == [("checkouts", b"checkout.session.completed", None, "learning"),
                                                 ("payouts", b"payout.*", 26 * 3600, "well")]


def test_a_said_cadence_counts_no_quiet_hours(site):
    hour = 3600
    s = site(sources={"stripe": {**STRIPE["stripe"], "expect_every": "3h"}}, handlers=WORKS, routes=ROUTE)
    steady(s, 8)
    s.process()
    assert s.value("SELECT state FROM hookonce_expect") == "silent"
    now = int(s.value("SELECT UNIX_TIMESTAMP()"))
    clock = ["{:02d}:{:02d}".format(t // hour % 24, t // 60 % 60) for t in (now - 9 * hour, now - 2 * hour)]
    text = s.config_text().replace("expect_every = 3h", f"expect_every = 3h\nquiet = {clock[0]}-{clock[1]}")
    s.configure(text)
    time_passes(s)
    s.process()
    row, = s.sql("SELECT state, silent_s FROM hookonce_expect")
    assert row["state"] == "well" and row["silent_s"] <= 2 * hour + 120
