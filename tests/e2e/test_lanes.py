"""Lanes: one job of an object at a time, the others asleep, none forgotten."""

import json
import os
import random
import signal

import pytest

from hooktest import events, wait_until
from hooktest.flow import (KILL_WORKER, Gate, arrive, expire, hurry, jobs, join, lines, script, sleeping,
                           wait_sleeping)
from hooktest.halt import Halt

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
LANE = {"provider": "stripe", "serialize_by": "{/data/object/id}", "handler": "h"}
# Fails loudly when two of one object are inside at once: the folder is there already.
ALONE = """id=$(sed -n 's/.*"id":"\\(cs_[a-z0-9]*\\)".*/\\1/p')
mkdir "$HERE/inside-$id" || { echo "$id" >>"$HERE/overlaps"; exit 1; }
sleep 0.05
rmdir "$HERE/inside-$id"
echo "$HOOKONCE_ID" >>"$HERE/done"
"""


def lane_site(site, sql=None, **more):
    s = site(sources=STRIPE, handlers={"h": {"sql": sql} if sql else {"command": "h.sh"}},
             routes={"lane": {**LANE, **more}}, settings={"processor": {"poll": "1s"}})
    script(s, "h.sh", ALONE)
    return s


def open_jobs(s):
    return s.value("SELECT COUNT(*) FROM hookonce_job WHERE state NOT IN ('done', 'dead')")


def test_jobs_of_one_object_never_overlap_and_none_is_forgotten(site):
    s = lane_site(site)
    order = [f"cs_{n % 3}" for n in range(60)]
    random.Random(1).shuffle(order)
    arrive(s, *[events.stripe(f"evt_{n:02}", object_id=o) for n, o in enumerate(order)])
    worker = s.start_processor("--for", "250s", "--workers", "5")
    # A sleeper that nobody wakes looks again after a minute; twenty in a row would take for ever.
    wait_until(lambda: open_jobs(s) == 0, 200, "all are done", 0.1)
    assert worker.stop() == 0
    assert lines(s, "overlaps") == []
    assert sorted(lines(s, "done")) == [f"evt_{n:02}" for n in range(60)]
    assert {j[1:3] for j in jobs(s)} == {("done", "done")}
    assert s.value("SELECT COUNT(*) FROM hookonce_object WHERE held_by IS NOT NULL") == 0
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE lane IS NOT NULL") == 0
    assert s.value("SELECT SUM(waits) FROM hookonce_job") > 0, "nobody ever had to wait: nothing was tested"
    assert s.value("SELECT MAX(tries) FROM hookonce_job") == 1


def test_sql_of_one_object_never_overlaps(site):
    s = lane_site(site, sql=["UPDATE counter SET n = n + 1", "SELECT SLEEP(0.02)", "INSERT INTO seen SELECT n "
                             "FROM counter"], serialize_by="{event:source}")
    s.sql("CREATE TABLE counter (n INT NOT NULL) ENGINE=InnoDB")
    s.sql("INSERT INTO counter VALUES (0)")
    s.sql("CREATE TABLE seen (n INT PRIMARY KEY) ENGINE=InnoDB")
    arrive(s, *[events.stripe(f"evt_{n:02}") for n in range(40)])
    worker = s.start_processor("--for", "250s", "--workers", "4")
    wait_until(lambda: open_jobs(s) == 0, 200, "all are done", 0.1)
    assert worker.stop() == 0
    assert [r["n"] for r in s.sql("SELECT n FROM seen ORDER BY n")] == list(range(1, 41))
    assert s.value("SELECT COUNT(*) FROM hookonce_attempt WHERE outcome <> 'done'") == 0


def test_sleepers_are_woken_oldest_first_and_shown_meanwhile(site):
    s = lane_site(site, sql=["INSERT INTO fx (event_id) VALUES ({event:id})",
                             Gate.PASS + " FROM DUAL WHERE {event:id} = 'evt_0'"])
    gate = Gate(s)
    arrive(s, events.stripe("evt_0", object_id="cs_1"))
    worker = s.start_processor("--for", "250s", "--workers", "2")
    gate.wait()
    arrive(s, *[events.stripe(f"evt_{n}", object_id="cs_1") for n in range(1, 5)])
    wait_until(lambda: [j[1] for j in jobs(s)][1:] == ["waiting"] * 4, 5, "four sleep")
    shown = [json.loads(line) for line in s.hookonce("list", "jobs", "--json", check=True).stdout.splitlines()]
    asleep = [job for job in shown if job["state"] == "waiting"]
    assert len(asleep) == 4
    for job in asleep:
        assert job["waiting_for"] == "lane" and job["waits"] == 1 and job["waits_since"].endswith("Z")
        assert "of the same object runs" in job["last_error"]
    assert b"asleep until their lane is free: 4" in s.hookonce("check").stdout
    gate.open()
    wait_until(lambda: open_jobs(s) == 0, 50, "all are done", promised=True)
    assert worker.stop() == 0
    assert s.effects() == [f"evt_{n}" for n in range(5)]
    assert s.value("SELECT COUNT(*) FROM hookonce_attempt") == 5


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_a_killed_holder_blocks_nobody_for_longer_than_its_lease(site, kind):
    sql = ["SELECT SLEEP(30) FROM DUAL WHERE {event:id} = 'evt_0' AND NOT EXISTS(SELECT 1 FROM fx)",
           "INSERT INTO fx (event_id) VALUES ({event:id})"]
    s = lane_site(site, sql=sql if kind == "sql" else None)
    script(s, "h.sh", 'test -e "$HERE/killed" && echo "$HOOKONCE_ID" >>"$HERE/done" && exit 0\n'
           f': >"$HERE/killed"\n{KILL_WORKER}\nsleep 9\n')
    arrive(s, events.stripe("evt_0", object_id="cs_1"))
    if kind == "sql":
        worker = s.start_processor("--for", "60s")
        link = wait_sleeping(s)
        worker.kill9()
        s.db.server.execute(f"KILL {link}")
        wait_until(lambda: not sleeping(s), 10, "its transaction is undone")
    else:
        s.hookonce("process", "--once")
    arrive(s, events.stripe("evt_1", object_id="cs_1"))
    s.process()
    assert [j[1] for j in jobs(s)] == ["running", "waiting"]
    if kind == "sql":
        s.sql("INSERT INTO fx (event_id) VALUES ('calm')")
    expire(s)
    s.process()
    assert [j[1:3] for j in jobs(s)] == [("done", "done")] * 2


def test_one_that_fails_lets_the_next_in_while_it_waits(site):
    s = lane_site(site, retry="3 tries, 1h")
    script(s, "h.sh", 'test "$HOOKONCE_ID" = evt_0 && exit 1\necho "$HOOKONCE_ID" >>"$HERE/done"\n')
    arrive(s, events.stripe("evt_0", object_id="cs_1"), events.stripe("evt_1", object_id="cs_1"))
    s.process()
    assert [j[1:3] for j in jobs(s)] == [("ready", "failed"), ("done", "done")]
    assert lines(s, "done") == ["evt_1"]


def test_retry_makes_a_sleeper_look_at_once(site):
    s = lane_site(site)
    arrive(s, events.stripe("evt_0", object_id="cs_1"))
    s.process()
    s.sql("UPDATE hookonce_job SET state = 'waiting', waiting_for = 'lane', lane = REPEAT('x', 32), "
          "run_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR")
    s.process()
    assert [j[1] for j in jobs(s)] == ["waiting"]
    s.hookonce("retry", "evt_0", check=True)
    s.process()
    assert [j[1] for j in jobs(s)] == ["done"]


# ---- what the route's queries say is asked again inside the lane ----

SELL = "UPDATE stock SET n = n - 1 WHERE item = 'cs_1'"
QUERIES = {"needs": "SELECT 1 FROM stock WHERE item = {/data/object/id} AND n > 0",
           "skip_if": "SELECT 1 FROM stock WHERE item = {/data/object/id} AND n < 1"}


@pytest.mark.parametrize("kind", ["sql", "command"])
@pytest.mark.parametrize("query", ["needs", "skip_if"])
def test_a_query_is_asked_again_where_another_had_the_lane_meanwhile(site, kind, query):
    """One looks, and stops before its lane; the other of the object runs; then the first one goes on."""
    s = lane_site(site, sql=SELL if kind == "sql" else None, **{query: QUERIES[query]})
    other = join(site, s)
    s.sql("CREATE TABLE stock (item VARCHAR(64) PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB")
    s.sql("INSERT INTO stock VALUES ('cs_1', 1)")
    for host in (s, other):
        script(host, "h.sh", f'mariadb -S "{s.db.server.socket}" -u root "{s.db.name}" -e "{SELL}"\n')
    halt = Halt(s.path("halt"))
    halt.arm("hookonce", "before", "FROM hookonce_object")
    arrive(s, events.stripe("evt_1", object_id="cs_1"))
    first = s.start_processor("--once", env=halt.env)
    pid = wait_until(halt.halted, 20, "it has looked, and stands before its lane")
    arrive(s, events.stripe("evt_2", object_id="cs_1"))
    other.process()
    assert jobs(s)[1][1:3] == ("done", "done")
    os.kill(pid, signal.SIGCONT)
    assert first.wait(120) == 0
    assert s.value("SELECT n FROM stock") == 0
    want = ("ready", None, "need") if query == "needs" else ("done", "already so", None)
    assert jobs(s)[0][1:] == want
    assert s.value("SELECT COUNT(*) FROM hookonce_object WHERE held_by IS NOT NULL") == 0
    row, = s.sql("SELECT tries, first_try_at FROM hookonce_job WHERE id = 1")
    assert row["first_try_at"] is None
    if query == "needs":
        assert row["tries"] == 0
        s.sql("UPDATE stock SET n = 1")
        hurry(s)
        s.process()
        assert jobs(s)[0][1:3] == ("done", "done") and s.value("SELECT n FROM stock") == 0


def test_one_that_finds_itself_needless_in_its_lane_wakes_the_next(site):
    s = lane_site(site, sql=[Gate.PASS + " FROM DUAL WHERE {event:id} = 'evt_0'",
                             "INSERT INTO fx (event_id) VALUES ({event:id})"],
                  skip_if="SELECT 1 FROM fx WHERE event_id = 'evt_0' AND {event:id} = 'evt_1'")
    gate = Gate(s)
    arrive(s, events.stripe("evt_0", object_id="cs_1"))
    worker = s.start_processor("--for", "250s", "--workers", "3")
    gate.wait()
    arrive(s, events.stripe("evt_1", object_id="cs_1"), events.stripe("evt_2", object_id="cs_1"))
    wait_until(lambda: [j[1] for j in jobs(s)][1:] == ["waiting"] * 2, 10, "two sleep")
    gate.open()
    wait_until(lambda: open_jobs(s) == 0, 50, "all are done, nobody looked again by himself", 0.1, promised=True)
    assert worker.stop() == 0
    assert [j[2] for j in jobs(s)] == ["done", "already so", "done"]
