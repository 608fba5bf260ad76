"""A command that is taken up by another worker than the one that began it: nothing is done twice, nothing undone."""

import os
import time

import pytest

from hooktest import events
from hooktest.flow import KILL_WORKER, arrive, expire, lines
from hooktest.halt import Halt
from hooktest.proc import wait_until

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
ROUTE = {"provider": "stripe", "handler": "h", "retry": "1 try"}
BAD = "INSERT INTO not_there VALUES (1)"
GOOD = "INSERT INTO fx (event_id) VALUES ({event:id})"
ALL = {"hookonce": {"sql_commands": "retry, replay, replay-done, discard, hold, release, pause, resume, test-alert"}}


def shop(site, sql=GOOD, routes=None, handler=None):
    return site(sources=STRIPE, routes=routes or {"r": ROUTE}, handlers={"h": handler or {"sql": sql}}, settings=ALL)


def insert(s, command, **words):
    names, values = ["command", *words], [command, *words.values()]
    s.sql(f"INSERT INTO hookonce_command ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})", *values)
    return s.value("SELECT MAX(id) FROM hookonce_command")


def ask(s, command, **words):
    number = insert(s, command, **words)
    s.hookonce("process", "--once")
    return row(s, number)


def row(s, number):
    got, = s.sql("SELECT * FROM hookonce_command WHERE id = %s", number)
    return got


def over(s):
    s.sql("UPDATE hookonce_command SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE state = 'running'")


def stands(s, when, place):
    """A run that stands still there -> it, and the process that does."""
    halt = Halt(s.path(f"halt{time.monotonic_ns()}"))
    halt.arm("hookonce", when, place)
    child = s.start_program("process", "--once", env=halt.env)
    pid = wait_until(halt.halted, 30, "it stands")
    halt.disarm()
    return child, pid


def killed(s, when="before", place="SET state = ?, answer"):
    stands(s, when, place)[0].kill9()


def second(s):
    """A run of another host, of the same database."""
    s.write("second.conf", s.config_text().replace("[hookonce]", f"[hookonce]\nstate = {s.folder('state2')}"))
    return lambda: s.hookonce("--config", s.path("second.conf"), "process", "--once")


@pytest.mark.parametrize("by", ["job", "event_id", "correlation_id"])
def test_once_more_is_once_more_however_it_is_named(site, by):
    s = shop(site)
    arrive(s, events.stripe("evt_1"))
    s.process()
    what = {"job": 1, "event_id": "evt_1", "correlation_id": s.value("SELECT correlation_id FROM hookonce_job")}[by]
    number = insert(s, "replay", again="yes", reason="lost", **{by: what})
    killed(s)
    s.process()
    over(s)
    s.process()
    s.process()
    assert s.effects() == ["evt_1", "evt_1"]
    got = row(s, number)
    assert (got["state"], got["found"], got["did"]) == ("done", 1, 1) and got["answer"].startswith("1 of 1 job"), got


def test_an_event_of_many_routes_is_opened_once(site):
    s = shop(site, BAD, {f"r{i:02}": ROUTE for i in range(25)})
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    number = insert(s, "retry", event_id="evt_1")
    killed(s)
    s.hookonce("process", "--once")
    over(s)
    s.hookonce("process", "--once")
    assert s.sql("SELECT reopened, COUNT(*) AS n FROM hookonce_job GROUP BY reopened") == [{"reopened": 1, "n": 25}]
    assert (row(s, number)["found"], row(s, number)["did"]) == (25, 25)
    assert row(s, number)["answer"] == "25 of 25 jobs. It was cut off and taken up again behind job 25 of these"


def test_a_release_lets_it_act_once_more_and_not_twice(site):
    s = shop(site, handler={"command": "./do", "at_most_once": "yes"})
    s.write("do", "#!/bin/sh\necho x >> runs\n" + KILL_WORKER + "\nsleep 5\n", 0o700)
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    expire(s)
    s.hookonce("process", "--once")
    assert s.value("SELECT outcome FROM hookonce_job") == "outcome unknown" and len(lines(s, "runs")) == 1
    insert(s, "release", job=1)
    killed(s)
    s.hookonce("process", "--once")
    expire(s)
    s.hookonce("process", "--once")
    assert len(lines(s, "runs")) == 2
    over(s)
    s.hookonce("process", "--once")
    s.hookonce("process", "--once")
    assert len(lines(s, "runs")) == 2
    assert s.value("SELECT outcome FROM hookonce_job") == "outcome unknown"


@pytest.mark.parametrize("command", ["hold", "pause", "resume", "release", "discard"])
def test_what_was_done_is_told_as_done(site, command):
    s = shop(site)
    s.process()
    arrive(s, events.stripe("evt_1"))
    words = {"source": "stripe"} if command in ("pause", "resume") else {"job": 1}
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) + INTERVAL 1 DAY")
    if command == "release":
        ask(s, "hold", job=1)
    elif command == "resume":
        ask(s, "pause", source="stripe")
    elif command == "discard":
        words |= {"acted": "yes", "reason": "by hand"}
    number = insert(s, command, **words)
    killed(s)
    over(s)
    s.process()
    got = row(s, number)
    assert (got["state"], got["found"], got["did"]) == ("done", 1, 1), got


def test_a_worker_that_stood_still_does_not_pause_what_was_resumed(site):
    s = shop(site)
    s.process()
    other = second(s)
    insert(s, "pause", source="stripe")
    child, pid = stands(s, "before", "INSERT INTO hookonce_pause")
    over(s)
    other()
    s.sql("DO 1")
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_command WHERE state = 'running'") <= 1, 10, "told")
    insert(s, "resume", source="stripe")
    os.kill(pid, 18)
    child.wait(120)
    other()
    s.process()
    over(s)
    other()
    assert s.count("pause") == 0
    assert {r["state"] for r in s.sql("SELECT state FROM hookonce_command")} <= {"done", "refused"}


def test_a_worker_that_stood_still_does_not_hold_what_was_released(site):
    s = shop(site)
    s.process()
    other = second(s)
    arrive(s, events.stripe("evt_1"))
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) + INTERVAL 1 DAY")
    insert(s, "hold", job=1)
    child, pid = stands(s, "before", "START TRANSACTION")
    over(s)
    other()
    insert(s, "release", job=1)
    other()
    os.kill(pid, 18)
    child.wait(120)
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE waiting_for = 'hold'") == 0


def test_what_a_form_wrote_into_columns_of_the_program_counts_for_nothing(site):
    s = shop(site, BAD)
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    got = ask(s, "retry", job=1, reached_job=1, found=7, did=9, started_at="2001-01-01")
    assert (got["state"], got["found"], got["did"], got["answer"]) == ("done", 1, 1, "1 of 1 job: 1 opened again")


def test_a_lease_of_another_clock_ends(site):
    s = shop(site, BAD)
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    number = insert(s, "retry", job=1)
    s.sql("UPDATE hookonce_command SET state = 'running', lease_until = UTC_TIMESTAMP(6) + INTERVAL 1 DAY")
    s.hookonce("process", "--once")
    assert row(s, number)["state"] == "done"


def test_once_more_by_filter_is_all_or_nothing_and_each_event_once(site):
    s = shop(site)
    arrive(s, *[events.stripe(f"evt_{i}", created=1790000000 + i) for i in range(8)])
    s.process()
    few = ask(s, "replay", source="stripe", again="yes", reason="r", at_most=4)
    assert few["state"] == "refused" and "more than at_most = 4 jobs match" in few["answer"], few["answer"]
    assert len(s.effects()) == 8
    for n in (2, 3):  # the copies of an earlier one are no events of their own
        got = ask(s, "replay", source="stripe", again="yes", reason="r", at_most=8)
        assert got["answer"] == "8 of 8 jobs: 8 to be done once more", got["answer"]
        assert sorted(s.effects()) == sorted(n * [f"evt_{i}" for i in range(8)])


def test_what_is_left_as_it_is_uses_nothing_up(site):
    s = shop(site, BAD)
    arrive(s, *[events.stripe(f"evt_{i}", created=1790000000 + i) for i in range(4)])
    s.hookonce("process", "--once")
    s.sql("UPDATE hookonce_job SET outcome = 'outcome unknown' WHERE id <= 3")
    dry = ask(s, "replay", source="stripe", at_most=1, dry_run="yes")
    assert dry["did"] == 1 and dry["answer"].endswith("First: evt_3 (job 4)"), dry["answer"]
    got = ask(s, "replay", source="stripe", at_most=1)
    assert got["did"] == 1 and "1 of 4 jobs: 1 opened again" in got["answer"] and "more" not in got["answer"], got


@pytest.mark.parametrize("handler", ["nosuch", "idle"])
def test_a_handler_without_jobs_stands_for_none(site, handler):
    s = site(sources=STRIPE, routes={"r": {**ROUTE, "on": "other"}}, settings=ALL,
             handlers={"h": {"sql": GOOD}, "idle": {"sql": GOOD}})
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert s.value("SELECT outcome FROM hookonce_job") == "ignored"
    got = ask(s, "replay", handler=handler)
    assert got["did"] == 0 and s.value("SELECT outcome FROM hookonce_job") == "ignored"
    assert (handler == "nosuch") == ("the config has no handler 'nosuch'" in got["answer"]), got["answer"]


def test_the_outcomes_that_it_names_are_taken(site):
    s = shop(site)
    words = ask(s, "retry", outcome="unknown")["answer"].split("they are: ")[1].split(", ")
    assert "outcome unknown" in words and "gave up" not in words or len(words) > 8
    for word in words:
        assert ask(s, "retry", outcome=word)["answer"].startswith("Nothing matches"), word


def test_a_pause_does_not_wait_for_the_end_of_a_long_command(site):
    s = shop(site, BAD)
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    s.sql("INSERT INTO hookonce_job (correlation_id, route, replay_no, state, outcome, run_at, created_at) SELECT "
          "correlation_id, route, seq, 'dead', 'outcome unknown', run_at, created_at FROM hookonce_job, seq_1_to_20000 "
          "WHERE id = 1")
    s.sql("UPDATE hookonce_job SET outcome = 'outcome unknown'")
    long, pause = insert(s, "retry", route="r", at_most=100000), insert(s, "pause", source="stripe")
    run = s.start_processor("--once")
    wait_until(lambda: row(s, pause)["state"] == "done", 60, "it is paused")
    first, second = row(s, long), row(s, pause)
    run.kill9()
    assert first["started_at"] < second["started_at"], "the long one has begun before"
    assert first["ended_at"] is None or first["ended_at"] > second["ended_at"], "and was not through"


def test_a_job_that_somebody_has_locked_is_not_passed_over(site):
    s = shop(site, BAD)
    arrive(s, events.stripe("evt_1"), events.stripe("evt_2"))
    s.hookonce("process", "--once")
    console = s.db.server.connect(s.db.name)
    with console.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT * FROM hookonce_job WHERE id = 1 FOR UPDATE")
        number = insert(s, "retry", source="stripe")
        s.hookonce("process", "--once")
        assert row(s, number)["state"] != "done"
    console.close()
    over(s)
    s.hookonce("process", "--once")
    got = row(s, number)
    assert (got["state"], got["did"], got["answer"]) == ("done", 2, "2 of 2 jobs: 2 opened again"), got
