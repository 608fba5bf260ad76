"""Pauses, held jobs and released deliveries with real processors: what a person writes is heeded within a second."""

import itertools
import json
import os
import re
import signal
import time

from hooktest import events
from hooktest.flow import Gate, arrive, hurry, script
from hooktest.halt import Halt
from hooktest.proc import wait_until

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
GATED = {"fx": {"sql": ["INSERT INTO fx (event_id) VALUES ({event:id})", Gate.PASS], "timeout": "50s"}}
FX = {"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}}
ROUTE = {"r": {"provider": "stripe", "handler": "fx"}}
PARKED = "SELECT COUNT(*) FROM hookonce_job WHERE state = 'waiting' AND waiting_for = 'pause'"


def pause(s, kind, name=""):
    """As a person does in a console."""
    s.sql("INSERT INTO hookonce_pause (kind, name) VALUES (%s, %s)", kind, name)


def resume(s):
    s.sql("DELETE FROM hookonce_pause")


def test_a_running_worker_heeds_a_row_within_a_second_and_its_going_too(site):
    s = site(sources=STRIPE, handlers=FX, routes=ROUTE, settings={"processor": {"poll": "10s"}})
    worker = s.start_processor("--for", "300s")
    arrive(s, events.stripe("evt_1"))
    wait_until(lambda: s.effects() == ["evt_1"], 15, "the first event runs")
    for kind, name in (("source", "stripe"), ("handler", "fx"), ("route", "r"), ("everything", "")):
        s.sql("DELETE FROM fx")
        pause(s, kind, name)
        time.sleep(1.2)
        arrive(s, *[events.stripe(f"evt_{kind}_{n}") for n in range(3)])
        wait_until(lambda: s.value(PARKED) == 3, 15, f"{kind}: three jobs are parked")
        assert s.effects() == []
        resume(s)
        wait_until(lambda: len(s.effects()) == 3, 5, f"{kind}: they run")
        assert s.effects() == [f"evt_{kind}_{n}" for n in range(3)]
    assert worker.alive()
    assert s.count("attempt") == 13 and s.value("SELECT MAX(tries) FROM hookonce_job") == 1
    assert len(s.log_lines(event="paused")) == 4 == len(s.log_lines(event="resumed"))


def test_a_pause_that_goes_beside_another_is_seen_too(site):
    s = site(sources=STRIPE, handlers=FX, routes=ROUTE, settings={"processor": {"poll": "5s"}})
    pause(s, "route", "another")
    pause(s, "route", "r")
    worker = s.start_processor("--for", "300s")
    arrive(s, events.stripe("evt_1"))
    wait_until(lambda: s.value(PARKED) == 1, 15, "the job is parked")
    time.sleep(3)  # the worker looks, finds nothing, and rests
    s.sql("DELETE FROM hookonce_pause WHERE name = 'r'")
    wait_until(lambda: s.effects() == ["evt_1"], 15, "it runs")
    assert worker.alive()


def test_a_running_handler_is_let_finish_and_the_rest_of_its_batch_waits(site):
    s = site(sources=STRIPE, handlers=GATED, routes=ROUTE)
    gate = Gate(s)
    arrive(s, *[events.stripe(f"evt_{n}") for n in range(3)])
    s.start_processor("--for", "300s")
    gate.wait()
    pause(s, "everything")
    time.sleep(1.2)
    gate.open()
    wait_until(lambda: s.value(PARKED) == 2, 15, "the others wait")
    assert s.effects() == ["evt_0"]
    time.sleep(1)
    assert s.effects() == ["evt_0"] and s.value("SELECT SUM(tries) FROM hookonce_job") == 1
    resume(s)
    wait_until(lambda: s.effects() == ["evt_0", "evt_1", "evt_2"], 15, "they run in their order")


def test_deliveries_and_the_spool_come_in_while_everything_is_paused(site):
    s = site(sources=STRIPE, handlers=FX, routes=ROUTE)
    pause(s, "everything")
    s.db.server.execute(f"ALTER USER '{s.db.receiver_user}'@'%' ACCOUNT LOCK")
    arrive(s, events.stripe("evt_spool"))
    s.db.server.execute(f"ALTER USER '{s.db.receiver_user}'@'%' ACCOUNT UNLOCK")
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert sorted(r["event_id"] for r in s.receipts()) == [b"evt_1", b"evt_spool"]
    assert s.value(PARKED) == 2 and s.effects() == []
    resume(s)
    s.process()
    assert sorted(s.effects()) == ["evt_1", "evt_spool"]


def test_a_paused_command_is_not_started_and_keeps_its_key(site):
    s = site(sources=STRIPE, handlers={"cmd": {"command": "run.sh"}},
             routes={"r": {"provider": "stripe", "handler": "cmd", "retry": "3 tries, 1s"}})
    script(s, "run.sh", 'echo "$HOOKONCE_IDEMPOTENCY_KEY" >> "$HERE/keys"\n[ -e "$HERE/well" ] || exit 75\n')
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    pause(s, "handler", "cmd")
    s.write("well", "")
    for _ in range(3):
        hurry(s)
        s.process()
    assert s.value(PARKED) == 1 or s.value("SELECT state FROM hookonce_job") == "ready"
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) WHERE state = 'ready'")
    s.process()
    assert s.value(PARKED) == 1
    with open(s.path("keys"), encoding="ascii") as f:
        first = f.read().split()
    resume(s)
    s.process()
    with open(s.path("keys"), encoding="ascii") as f:
        keys = f.read().split()
    assert len(keys) == len(first) + 1 and len(set(keys)) == 1
    assert s.value("SELECT state FROM hookonce_job") == "done"


def test_a_resumer_that_is_killed_forgets_nobody(site):
    s = site(sources=STRIPE, handlers=FX, routes=ROUTE)
    pause(s, "route", "r")
    arrive(s, events.stripe("evt_0"))
    s.process()
    s.sql("INSERT INTO hookonce_job (correlation_id, route, replay_no, state, run_at, created_at, waiting_for, "
          "held_at, lane) SELECT correlation_id, 'r', seq, 'waiting', run_at, created_at, waiting_for, held_at, lane "
          "FROM hookonce_job, seq_1_to_400")
    resume(s)
    halt = Halt(s.path("halt"))
    halt.arm("hookonce", "before", "WHERE lane = ? AND state = 'waiting' AND id IN")
    worker = s.start_processor("--for", "300s", env=halt.env)
    pid = wait_until(halt.halted, 15, "it wakes the first")
    halt.arm("hookonce", "behind", "COMMIT", pid)
    os.kill(pid, signal.SIGCONT)
    wait_until(halt.halted, 15, "some are awake")
    halt.disarm()
    worker.kill9()
    assert 0 < s.value(PARKED) < 401
    assert s.value(PARKED) + s.value("SELECT COUNT(*) FROM hookonce_job WHERE state <> 'waiting'") == 401
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) WHERE state = 'running'")
    s.process(limit_s=120)
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) WHERE state = 'running'")
    s.process(limit_s=120)
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE state = 'done' AND outcome = 'done'") == 401
    assert len(s.effects()) == 401


# ---- tail ----

def test_tail_tells_what_happens_once_and_in_order(site):
    s = site(sources=STRIPE, handlers={**FX, "bad": {"sql": "INSERT INTO not_there VALUES (1)"}},
             routes={"good": {"provider": "stripe", "on": "invoice.paid", "handler": "fx"},
                     "bad": {"provider": "stripe", "on": "charge.failed", "handler": "bad", "retry": "1 try"}})
    arrive(s, events.stripe("evt_before", type="invoice.paid"))
    s.process()
    everything = s.start_program("tail", "--json", "--for", "300s")
    some = s.start_program("tail", "--type", "charge.*", "--source", "stripe", "--for", "300s")
    marks = map("mark_{}".format, itertools.count())
    wait_until(lambda: arrive(s, events.stripe(next(marks), type="charge.mark")) or re.search(
        r"(?ms)(^\{.*mark_.*^[^{\n]*mark_|^[^{\n]*mark_.*^\{.*mark_)", everything.output()), 10, "both see what comes", 0.3)
    arrive(s, events.stripe("evt_1", type="invoice.paid"), events.stripe("evt_\x1b[31m2", type="charge.failed"))
    arrive(s, events.stripe("evt_1", type="invoice.paid"))
    s.hookonce("process", "--once")
    wait_until(lambda: everything.output().count("gave up") == 2, 20, "both have told the end")  # into one file
    time.sleep(2)
    told = [json.loads(line) for line in everything.output().splitlines() if line.startswith("{")]
    mine = [t for t in told if t["what"] != "command" and not (t["event_id"] or "").startswith("mark_")]
    assert [(t["what"], t["event_id"], t["outcome"]) for t in mine] == [
        ("received", "evt_1", None), ("received", "evt_\x1b[31m2", None),
        ("done", "evt_1", "done"), ("dead", "evt_\x1b[31m2", mine[-1]["outcome"])]
    assert mine[2]["route"] == "good" and mine[0]["at"].endswith("Z")
    jobs = {row["event_id"]: row["id"] for row in s.sql("SELECT r.event_id, j.id FROM hookonce_job j JOIN "
                                                        "hookonce_receipt r USING (correlation_id)")}
    assert mine[2]["job"] == jobs[b"evt_1"]
    assert "not_there" in mine[3]["detail"] and mine[3]["source"] == "stripe"
    lines = [line for line in some.output().splitlines() if line and not line.startswith("{") and "mark_" not in line]
    assert len(lines) == 2 and "received" in lines[0] and "dead" in lines[1] and "\x1b" not in some.output()
    assert "  job {}  bad  gave up  ".format(jobs[b"evt_\x1b[31m2"]) in lines[1]
    for proc in (everything, some):
        proc.stop(10)


def test_tail_ends_by_itself_and_when_nobody_reads(site):
    s = site(sources=STRIPE, handlers=FX, routes=ROUTE)
    done = s.hookonce("tail", "--for", "1s", check=True)
    assert done.stdout == b""
    assert s.hookonce("tail", "--for", "x").returncode == 2
    assert b"no source 'stipe'" in s.hookonce("tail", "--source", "stipe", "--for", "0s").stderr


# ---- top ----

def test_top_shows_the_queue_once_into_a_pipe(site):
    s = site(sources=STRIPE, handlers={**GATED, "bad": {"sql": "INSERT INTO not_there VALUES (1)"}},
             routes={"slow": {"provider": "stripe", "on": "slow", "handler": "fx"},
                     "bad": {"provider": "stripe", "on": "bad", "handler": "bad", "retry": "1 try"},
                     "off": {"provider": "stripe", "on": "off", "handler": "bad"}})
    pause(s, "route", "off")
    s.sql("UPDATE hookonce_pause SET who = 'an\x1bna', reason = 'for now'")
    arrive(s, events.stripe("evt_1", type="bad"), events.stripe("evt_2", type="off"))
    s.hookonce("process", "--once")
    arrive(s, events.stripe("evt_3", type="slow"))
    gate = Gate(s)
    worker = s.start_processor("--for", "300s")
    gate.wait()
    began = time.monotonic()
    told = [json.loads(line) for line in s.hookonce("top", "--json", check=True).stdout.decode().splitlines()]
    queue = told[0]
    assert (queue["kind"], queue["dead"], queue["running"], queue["waiting"], queue["paused"], queue["held"]) == (
        "queue", 1, 1, 1, 1, 0)
    assert queue["minute"] == {"received": 3, "done": 0, "dead": 1} == queue["ten_minutes"]
    assert 0 <= queue["processor_s"] < 30 and queue["at"].endswith("Z")
    routes = {t["route"]: t for t in told if t["kind"] == "route"}
    assert routes["off"]["waiting"] == 1 and routes["off"]["note"] == "paused" and routes["bad"]["dead"] == 1
    assert routes["bad"]["handler"] == "bad" and routes["bad"]["note"] is None
    running, = [t for t in told if t["kind"] == "running"]
    assert running["event_id"] == "evt_3" and running["lease_s"] > 0
    text = s.hookonce("top", check=True).stdout.decode()
    assert "PAUSED: route off, by an\\x1bna: for now" in text and "\x1b" not in text
    assert "running 1" in text and "dead letters 1" in text and "evt_3" in text
    time.sleep(0.5)
    held_ms = 1000 * (time.monotonic() - began)
    gate.open()
    wait_until(lambda: s.effects() == ["evt_3"], 20, "the slow one ends")
    worker.stop(20)
    s.sql("UPDATE hookonce_job SET route = 'gone' WHERE state = 'dead'")
    told = [json.loads(line) for line in s.hookonce("top", "--json", check=True).stdout.decode().splitlines()]
    routes = {t["route"]: t for t in told if t["kind"] == "route"}
    assert routes["gone"]["note"] == "the config has no such route"
    assert routes["slow"]["done_minute"] == 1 and routes["slow"]["try_ms"] >= held_ms - 1


def test_top_goes_on_when_told_to(site):
    s = site(sources=STRIPE, handlers=FX, routes=ROUTE)
    done = s.hookonce("top", "--every", "500ms", "--for", "3s", "--json", check=True)
    assert 2 <= done.stdout.count(b'"kind":"queue"') <= 7
    assert s.hookonce("top", "--every", "1ms").returncode == 2
    assert s.hookonce("top", "more").returncode == 2


# ---- check ----

def test_check_says_what_is_paused_and_held(site):
    s = site(sources=STRIPE, handlers=FX, routes=ROUTE)
    pause(s, "source", "stripe")
    pause(s, "handler", "gone")
    s.sql("UPDATE hookonce_pause SET who = 'anna', reason = 'new \x1bprices' WHERE kind = 'source'")
    arrive(s, events.stripe("evt_1"), events.stripe("evt_2"))
    s.process()
    s.sql("UPDATE hookonce_job SET waiting_for = 'hold', lane = NULL WHERE id = 2")
    said = s.hookonce("check", check=True).stdout.decode()
    assert "note  paused: source stripe since 20" in said
    assert " UTC; 1 job waits for it; hookonce resume --source stripe ends it; by anna: new \\x1bprices\n" in said
    assert "warn  paused: handler gone since" in said and "0 jobs wait for it; the config has no such handler" in said
    assert "note  held: 1 until a person releases it" in said and "asleep until" not in said
    resume(s)
    pause(s, "everything")
    said = s.hookonce("check", check=True).stdout.decode()
    assert "note  paused: everything since" in said and "hookonce resume ends it" in said


def test_check_says_which_pause_stops_nothing(site):
    s = site(sources={**STRIPE, "asks": {"provider": "github", "secret": "x" * 20, "mode": "reply", "handler": "fx"}},
             handlers=FX, routes=ROUTE)
    for kind, name in (("source", "asks"), ("source", "gone"), ("route", "gone"), ("route", "r")):
        pause(s, kind, name)
    said = s.hookonce("check").stdout.decode()
    for word, why in (("source asks", "it answers requests, and goes on doing that"),
                      ("source gone", "the config has no such source"), ("route gone", "the config has no such route")):
        line, = re.findall(f"^warn  paused: {word} since .*", said, re.M)
        assert why in line
    assert re.search("^note  paused: route r since ", said, re.M)


# ---- the same by commands ----

def test_hold_release_and_a_refused_delivery_by_words_and_by_rows(site):
    s = site(sources={"github": {"provider": "github", "secret": "s3cret of the hub", "guard": "yes"}},
             handlers=FX, routes={"r": {"provider": "github", "handler": "fx"}})
    body = events.github()
    for delivery in ("guid-a", "guid-b", "guid-c"):
        assert s.cgi("github", body, s.signed("github", body, delivery=delivery)).status == 200
    assert s.count("conflict") == 2 and s.count("job") == 1
    s.hookonce("hold", "1", "--reason", "not yet", check=True)
    s.process()
    assert s.effects() == [] and s.value("SELECT waiting_for FROM hookonce_job") == "hold"
    assert s.hookonce("retry", "1").returncode == 1
    s.sql("INSERT INTO hookonce_command (command, job) VALUES ('release', 1)")
    s.process()
    s.process()
    assert s.effects() == ["guid-a"]
    s.hookonce("release", "--conflict", "1", check=True)
    s.sql("INSERT INTO hookonce_command (command, conflict) VALUES ('release', 2), ('release', 2)")
    s.process()
    s.process()
    assert sorted(s.effects()) == ["guid-a", "guid-b", "guid-c"] and s.count("receipt") == 3
    assert s.value("SELECT COUNT(*) FROM hookonce_command WHERE state = 'done'") == 5
    s.hookonce("pause", "--handler", "fx", check=True)
    assert s.hookonce("pause", "--handler", "gone").returncode != 0 and s.count("pause") == 1
    assert b"fx" in s.hookonce("list", "paused", check=True).stdout
    s.hookonce("resume", "--handler", "fx", check=True)
    assert s.count("pause") == 0
