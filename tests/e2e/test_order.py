"""Events of one object in the wrong order, at the same time, or from the future: the newest one wins."""

import json
import os
import threading
import time

import pytest

from hooktest import events, wait_until
from hooktest.flow import KILL_WORKER, Gate, arrive, expire, hurry, jobs, lines, script

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
WRITE = "REPLACE INTO subs VALUES ({/data/object/id}, {/data/object/status})"
SUBS = {"provider": "stripe", "on": "customer.subscription.*", "order_by": "{/data/object/id}", "handler": "h"}
WHAT = """what=$(sed -n 's/.*"status": "\\([a-z]*\\)".*/\\1/p')\n"""
NOW = int(time.time())


def sub(event_id, status, created, sub_id="sub_1"):
    tree = json.loads(events.stripe(event_id, "customer.subscription.updated", sub_id, created))
    tree["data"]["object"]["status"] = status
    return json.dumps(tree).encode()


def subs(site, kind, before="", **more):
    """A site that keeps subscriptions, in a table or, with a command, in a file."""
    handler = {"sql": [s for s in (before, WRITE) if s]} if kind == "sql" else {"command": "h.sh"}
    s = site(sources=STRIPE, handlers={"h": handler}, routes={"subs": {**SUBS, **more}})
    s.sql("CREATE TABLE subs (id VARCHAR(64) PRIMARY KEY, status VARCHAR(20)) ENGINE=InnoDB")
    script(s, "h.sh", WHAT + 'echo "$what" >>"$HERE/statuses"\n')
    return s


def status(s, kind):
    if kind == "sql":
        rows = s.sql("SELECT status FROM subs")
        return rows[0]["status"] if rows else None
    return (lines(s, "statuses") or [None])[-1]


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_a_late_update_does_not_undo_a_cancellation__O_DUP_02(site, kind):
    s = subs(site, kind)
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    s.process()
    arrive(s, sub("evt_1", "active", NOW - 20))
    s.process()
    assert status(s, kind) == "cancelled"
    assert jobs(s) == [("subs", "done", "done", None), ("subs", "done", "stale", None)]
    newer, older = s.jobs()
    assert older["done_by"] == newer["correlation_id"]
    assert s.receipts()[1]["status"] == "processed" and s.receipts()[1]["outcome"] == "stale"


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_in_order_both_run__O_DUP_02(site, kind):
    s = subs(site, kind)
    arrive(s, sub("evt_1", "active", NOW - 20))
    s.process()
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    s.process()
    assert status(s, kind) == "cancelled"
    assert [j[2] for j in jobs(s)] == ["done", "done"]


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_a_crowd_in_any_order_ends_at_the_newest(site, kind):
    s = subs(site, kind)
    s.serve("lighttpd", procs=4)
    worker = s.start_processor("--for", "300s", "--workers", "4")
    wait_until(lambda: s.count("worker") == 4, 10, "all have said hello")
    order = [7, 3, 9, 1, 8, 0, 4, 6, 2, 5]
    bodies = [sub(f"evt_{n}", "newest" if n == 9 else "old", NOW - 100 + n) for n in order]
    threads = [threading.Thread(target=s.deliver, args=("stripe", body)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_receipt WHERE status = 'processed'") == 10,
               20, "all are processed")
    assert worker.stop() == 0
    assert status(s, kind) == "newest"
    assert s.value("SELECT mark DIV 1000000 FROM hookonce_object") == NOW - 91
    assert {j[2] for j in jobs(s)} <= {"done", "stale"}


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_a_newer_event_waits_for_an_old_one_that_runs(site, kind):
    s = subs(site, kind, before=Gate.PASS + " FROM DUAL WHERE {/data/object/status} = 'active'")
    gate = Gate(s)
    if kind == "command":
        script(s, "h.sh", WHAT + 'test "$what" = active && : >"$HERE/running" && '
               'until test -e "$HERE/go"; do sleep 0.1; done\necho "$what" >>"$HERE/statuses"\n')
    arrive(s, sub("evt_1", "active", NOW - 20))
    first = s.start_processor("--for", "300s", "--workers", "3")
    if kind == "sql":
        gate.wait()
    else:
        wait_until(lambda: "running" in os.listdir(s.dir), 10, "the old one runs")
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_job WHERE state = 'waiting'") == 1, 5,
               "the newer one sleeps")
    listed = s.hookonce("list", "jobs", "--wide", check=True).stdout.decode()
    assert "lane" in listed and "waiting" in listed
    gate.open()
    s.write("go", "")
    wait_until(lambda: [j[1] for j in jobs(s)] == ["done", "done"], 10, "both are done, the second woken")
    assert first.stop() == 0
    assert status(s, kind) == "cancelled"
    assert [j[2] for j in jobs(s)] == ["done", "done"]


def test_an_old_one_that_slept_past_its_lease_undoes_its_work(site):
    s = subs(site, "sql", before=Gate.PASS + " FROM DUAL WHERE {/data/object/status} = 'active'")
    gate = Gate(s)
    arrive(s, sub("evt_1", "active", NOW - 20))
    first = s.start_processor("--for", "300s")
    gate.wait()
    # As after a lease that ended long ago: the row says so, and the newer event is admitted.
    s.sql("UPDATE hookonce_object SET held_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND")
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    gate.open()
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_job WHERE state = 'done'") == 2 or hurry(s), 10,
               "both have ended", 0.3)
    assert first.stop() == 0
    assert status(s, "sql") == "cancelled"


def test_a_time_a_year_ahead_does_not_freeze_its_object(site):
    s = subs(site, "sql")
    arrive(s, sub("evt_1", "odd", NOW + 366 * 86400))
    s.process()
    assert status(s, "sql") == "odd"
    arrive(s, sub("evt_2", "active", NOW - 20), sub("evt_3", "cancelled", NOW - 10))
    s.process()
    arrive(s, sub("evt_4", "late", NOW - 15))
    s.process()
    assert status(s, "sql") == "cancelled"
    assert [j[2] for j in jobs(s)] == ["done", "done", "done", "stale"]
    flagged, = s.log_lines(event="future")
    assert flagged["cid"] == s.jobs()[0]["correlation_id"] and flagged["level"] == "warn"


def test_ties_run_or_are_skipped(site):
    for tie, outcomes in (("run", ["done", "done"]), ("skip", ["done", "stale"])):
        s = subs(site, "sql", tie=tie)
        arrive(s, sub("evt_1", "active", NOW - 20))
        s.process()
        arrive(s, sub("evt_2", "cancelled", NOW - 20))
        s.process()
        assert [j[2] for j in jobs(s)] == outcomes


def test_a_try_that_failed_is_stale_when_a_newer_one_ran_meanwhile(site):
    s = subs(site, "sql", before="INSERT INTO marks SELECT IF({/data/object/status} = 'active', NULL, 1)",
             retry="5 tries, 1s")
    s.sql("CREATE TABLE marks (mark INT NOT NULL) ENGINE=InnoDB")
    arrive(s, sub("evt_1", "active", NOW - 20))
    s.process()
    assert jobs(s) == [("subs", "ready", "failed", None)]
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    s.process()
    hurry(s)
    s.process()
    assert [j[2] for j in jobs(s)] == ["stale", "done"] and status(s, "sql") == "cancelled"



# ---- what a command or URL may have done counts, though it will be tried again ----

FAILS = WHAT + 'echo "$what" >>"$HERE/statuses"\ntest "$what" = active\n'  # NEW acts, and exits with 1


def test_an_older_one_does_not_act_between_the_tries_of_a_newer_one(site, downstream):
    """The other side acts, its answer is lost, and it heeds the key: nothing else may have come between."""
    crm = {"state": None, "keys": set()}
    d = downstream(200)

    def answer(request):
        key, what = request.headers["idempotency-key"], json.loads(request.body)["data"]["object"]["status"]
        if key in crm["keys"]:
            return 200
        crm["keys"].add(key)
        crm["state"] = what
        return d.late(3, 200)(request) if len(crm["keys"]) == 1 else 200

    d.answer = answer
    s = site(sources=STRIPE, handlers={"h": {"url": d.url("/crm"), "timeout": "1s"}}, routes={"subs": SUBS})
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    s.process()
    assert jobs(s) == [("subs", "ready", "failed", None)]
    arrive(s, sub("evt_1", "active", NOW - 20))
    s.process()
    assert [j[2] for j in jobs(s)] == ["failed", "stale"]
    hurry(s)
    s.process()
    assert [j[2] for j in jobs(s)] == ["done", "stale"] and crm["state"] == "cancelled"


def test_a_try_that_certainly_did_nothing_holds_nobody_up(site):
    s = subs(site, "command")
    script(s, "h.sh", WHAT + 'test "$what" = active || exit 75\necho "$what" >>"$HERE/statuses"\n')
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    s.process()
    arrive(s, sub("evt_1", "active", NOW - 20))
    s.process()
    assert [j[1:3] for j in jobs(s)][1] == ("done", "done") and lines(s, "statuses") == ["active"]


@pytest.mark.parametrize("acted", ["yes", None])
def test_discarding_one_that_may_have_acted_leaves_its_mark(site, acted):
    s = subs(site, "command")
    script(s, "h.sh", FAILS)
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    s.process()
    said = ["--acted", acted] if acted else []
    s.hookonce("discard", "evt_2", *said, "--reason", "seen there", check=True)
    arrive(s, sub("evt_1", "active", NOW - 20))
    s.process()
    assert [j[2] for j in jobs(s)] == ["discarded", "stale"] and lines(s, "statuses") == ["cancelled"]


def test_one_whose_worker_was_killed_may_have_acted_too(site):
    s = subs(site, "command", needs="SELECT 1 FROM open WHERE id = {event:id}")
    s.sql("CREATE TABLE open (id VARCHAR(64) PRIMARY KEY) ENGINE=InnoDB")
    s.sql("INSERT INTO open VALUES ('evt_1'), ('evt_2')")
    script(s, "h.sh", WHAT + f'echo "$what" >>"$HERE/statuses"\n{KILL_WORKER}\nsleep 9\n')
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    s.hookonce("process", "--once")
    assert jobs(s)[0][1] == "running"
    s.sql("DELETE FROM open WHERE id = 'evt_2'")  # when it is found, it is not tried at once
    expire(s)
    arrive(s, sub("evt_1", "active", NOW - 20))
    s.process()
    assert [j[1:3] for j in jobs(s)] == [("ready", "lease lost"), ("done", "stale")]
    assert lines(s, "statuses") == ["cancelled"]


@pytest.mark.parametrize("then", ["discard", "retry"])
def test_a_newer_one_in_doubt_stays_the_newest_until_it_is_run(site, then):
    s = subs(site, "command")
    s.handlers["h"]["at_most_once"] = "yes"
    s.configure()
    script(s, "h.sh", WHAT + 'test "$what" = active || test -e "$HERE/up" || exit 1\necho "$what" >>"$HERE/statuses"\n')
    arrive(s, sub("evt_2", "cancelled", NOW - 10))
    s.hookonce("process", "--once")
    assert jobs(s)[0][1:3] == ("dead", "outcome unknown")
    if then == "discard":
        s.hookonce("discard", "evt_2", "--acted", "no", "--reason", "looked there", check=True)
    else:
        s.write("up", "")
        s.hookonce("retry", "--release", "evt_2", check=True)
    arrive(s, sub("evt_1", "active", NOW - 20))
    s.process()
    assert jobs(s)[1][1:3] == ("done", "stale")
    assert lines(s, "statuses") == ([] if then == "discard" else ["cancelled"])


# ---- what it is ordered by changes ----

def test_marks_of_another_kind_count_as_none(site):
    s = subs(site, "sql")
    arrive(s, sub("evt_1", "active", NOW - 20))
    s.process()
    s.routes["subs"]["order_at"] = "{/data/object/version}"
    s.configure()

    def versioned(event_id, state, version):
        tree = json.loads(sub(event_id, state, NOW - 20))
        tree["data"]["object"]["version"] = version
        return json.dumps(tree).encode()

    for event_id, state, version in (("evt_2", "paused", 2), ("evt_4", "cancelled", 4), ("evt_3", "late", 3)):
        arrive(s, versioned(event_id, state, version))
        s.process()
    assert [j[2] for j in jobs(s)] == ["done", "done", "done", "stale"] and status(s, "sql") == "cancelled"
    told, = s.log_lines(event="reordered")
    assert told["cid"] == s.jobs()[1]["correlation_id"] and told["level"] == "warn"
    row, = s.sql("SELECT mark, mark_of FROM hookonce_object")
    assert row["mark"] == 4 and row["mark_of"] in (b"number {/data/object/version}", "number {/data/object/version}")
