"""Commands that a person gives by inserting a row into hookonce_command."""

import json
import os
import re
from contextlib import closing

import pymysql
import pytest

from hooktest import events
from hooktest.flow import arrive, jobs, lines, script
from hooktest.halt import Halt
from hooktest.paths import PROJECT
from hooktest.proc import wait_until

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
ROUTE = {"provider": "stripe", "handler": "h", "retry": "1 try"}
BAD = "INSERT INTO not_there VALUES (1)"
GOOD = "INSERT INTO fx (event_id) VALUES ({event:id})"


def ask(s, command, **words):
    """Inserts a command, lets a run do it -> its row."""
    number = insert(s, command, **words)
    s.hookonce("process", "--once")
    return row(s, number)


def insert(s, command, **words):
    names, values = ["command", *words], [command, *words.values()]
    s.sql(f"INSERT INTO hookonce_command ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})", *values)
    return s.value("SELECT MAX(id) FROM hookonce_command")


def row(s, number):
    got, = s.sql("SELECT * FROM hookonce_command WHERE id = %s", number)
    return got


def mended(s):
    s.configure(s.config_text().replace(BAD, GOOD))


@pytest.fixture
def dead(site):
    """A site with a dead letter for each id; its handler works from mended() on."""
    def make(*ids, settings=None):  # or one dict: {id: when it happened}
        s = site(sources=STRIPE, handlers={"h": {"sql": BAD}}, routes={"r": ROUTE}, settings=settings)
        times = ids[0] if isinstance(ids[0], dict) else dict.fromkeys(ids, 1790000000)
        arrive(s, *[events.stripe(i, created=at) for i, at in times.items()])
        s.hookonce("process", "--once")
        assert [j[1] for j in jobs(s)] == ["dead"] * len(times)
        return s
    return make


def test_the_shortest_insert_retries_a_job(dead):
    s = dead("evt_1", "evt_2")
    mended(s)
    got = ask(s, "retry", job=1)
    assert (got["state"], got["found"], got["did"]) == ("done", 1, 1), got
    assert got["answer"] == "1 of 1 job: 1 opened again"
    assert "@" in got["asked_by"] and got["ended_at"] is not None and got["claim_token"] is None
    assert s.effects() == ["evt_1"]
    assert s.value("SELECT command_id FROM hookonce_job WHERE id = 1") == got["id"]
    line, = s.log_lines(event="command")
    assert (line["command"], line["state"], line["from"]) == ("retry", "done", "sql")


def test_a_wrong_row_is_refused_by_the_database_with_words(dead):
    s = dead("evt_1")
    before = jobs(s)
    for words, constraint in [
            ({"command": "retry"}, "retry_replay_discard_need_a_job_an_event_or_a_filter"),
            ({"command": "discard", "job": 1}, "discard_needs_a_reason"),
            ({"command": "discard", "job": 1, "reason": "  "}, "discard_needs_a_reason"),
            ({"command": "replay", "job": 1, "again": "yes"}, "again_needs_a_reason"),
            ({"command": "retry", "job": 1, "again": "yes", "reason": "x"}, "again_is_only_for_replay"),
            ({"command": "retry", "job": 1, "event_id": "evt_1"}, "give_a_job_or_an_event_or_a_conflict_not_two"),
            ({"command": "retry", "job": 1, "source": "stripe"}, "give_an_id_or_a_filter_not_both"),
            ({"command": "hold", "source": "stripe"}, "hold_needs_a_job_or_an_event"),
            ({"command": "forget"}, "forget_needs_a_job_or_an_event"),
            ({"command": "release"}, "release_needs_a_job_an_event_or_a_conflict"),
            ({"command": "pause", "source": "a", "route": "b"}, "pause_and_resume_take_one_source_or_route_or_handler"),
            ({"command": "pause", "job": 1}, "pause_resume_prune_and_test_alert_take_no_job_or_event"),
            ({"command": "prune", "event_id": "evt_1"}, "pause_resume_prune_and_test_alert_take_no_job_or_event"),
            ({"command": "retry", "status": "failed", "at_most": 0}, "at_most_is_from_1_to_100000"),
            ({"command": "retry", "status": "failed", "per_minute": 0}, "per_minute_is_from_1_to_100000"),
            ({"command": "discard", "status": "failed", "reason": "x", "acted": "yes"},
             "acted_is_only_for_discard_of_a_job_or_an_event"),
            ({"command": "replay", "from_time": "2026-01-02", "to_time": "2026-01-02"}, "from_time_is_before_to_time"),
            ({"command": "resume", "provider": "stripe"}, "a_filter_is_only_for_retry_replay_and_discard"),
            ({"command": "prune", "source": "stripe"}, "a_filter_is_only_for_retry_replay_and_discard"),
            ({"command": "test-alert", "status": "failed"}, "a_filter_is_only_for_retry_replay_and_discard"),
            ({"command": "retry", "provider": "github", "job": 1}, "provider_goes_with_event_id_or_with_a_filter"),
    ]:
        with pytest.raises(pymysql.err.OperationalError) as refused:
            insert(s, **words)
        assert constraint in str(refused.value), words
    assert s.count("command") == 0 and jobs(s) == before


@pytest.mark.parametrize("words,constraint", [
    ({"command": "retried", "job": 1}, "command_must_be_one_of_the_list"),
    ({"command": "retry", "source": "stripe", "status": "faild"}, "status_is_received_processing_processed_or_failed"),
    ({"command": "retry", "source": "stripe", "from_time": "yesterday"}, "times_are_written_as_2026_12_31_23_59_59"),
    ({"command": "retry", "source": "stripe", "to_time": "31.12.2026"}, "times_are_written_as_2026_12_31_23_59_59"),
    ({"command": "retry", "job": "evt_1"}, "job_and_conflict_are_numbers"),
    ({"command": "release", "conflict": "first"}, "job_and_conflict_are_numbers"),
    ({"command": "retry", "event_id": "e" * 256}, "a_text_is_too_long"),
    ({"command": "retry", "correlation_id": "0" * 27}, "a_text_is_too_long"),
    ({"command": "retry", "outcome": "gave up" + " " * 40 + "x"}, "a_text_is_too_long"),
    ({"command": "retry", "job": 1, "reason": "r" * 1001}, "a_text_is_too_long"),
    ({"command": "retry", "job": 1, "asked_by": "r" * 201}, "a_text_is_too_long"),
    ({"command": "retry", "job": 1, "dry_run": "ye"}, "write_yes_or_no"),
    ({"command": "retry", "job": 1, "state": "todo"}, "leave_state_and_asked_from_as_they_are"),
    ({"command": "retry", "job": 1, "asked_from": "here"}, "leave_state_and_asked_from_as_they_are"),
    ({"command": "retry", "source": "stripe", "at_most": "all"}, "at_most_is_from_1_to_100000"),
    ({"command": "retry", "source": "stripe", "per_minute": "few"}, "per_minute_is_from_1_to_100000"),
    *[({"command": "retry", name: "n" * 65}, "a_text_is_too_long") for name in ("provider", "source", "route", "handler")],
    ({"command": "retry", "event_type": "t" * 256}, "a_text_is_too_long"),
], ids=lambda it: it if isinstance(it, str) else " ".join(it)[:40])
def test_a_console_without_strict_mode_cannot_give_what_it_would_change(site, words, constraint):
    s = site(sources=STRIPE)
    with pytest.raises(pymysql.err.OperationalError) as refused:
        with closing(s.db.server.connect(s.db.name)) as console, console.cursor() as cursor:
            cursor.execute("SET SESSION sql_mode = ''")
            cursor.execute(f"INSERT INTO hookonce_command ({', '.join(words)}) "
                           f"VALUES ({', '.join(['%s'] * len(words))})", [*words.values()])
    assert constraint in str(refused.value)


@pytest.mark.parametrize("words,answer", [
    ({"command": "retry", "job": 77}, "Nothing was done: there is no such job"),
    ({"command": "retry", "event_id": "evt_9"}, "Nothing was done: there is no such event"),
    ({"command": "replay", "outcome": "Gave Up"},
     "Nothing was done: there is no such outcome; they are: done, ignored, informational, failed, gave up, "),
    ({"command": "pause", "source": "strype"},
     "Nothing was done: the config has no source 'strype'; did you mean 'stripe'?"),
    ({"command": "discard", "job": 1, "reason": "no"},
     "Nothing was done: the config does not let discard be asked from SQL. It may be done in the shell, by hookonce "
     "discard; or whoever keeps the config writes into [hookonce]: sql_commands = retry, replay, discard, hold, "
     "release, pause, resume, test-alert"),
    ({"command": "replay", "job": 1, "again": "yes", "reason": "x"},
     "Nothing was done: the config does not let replay-done"),
    ({"command": "forget", "job": 1}, "Nothing was done: the config does not let forget"),
    ({"command": "prune"}, "Nothing was done: the config does not let prune"),
    ({"command": "retry", "job": 1, "asked_from": "shell"}, "nothing was done: asked_from = shell is for the program"),
])
def test_what_cannot_be_gets_its_error_and_nothing_else_happens(dead, words, answer):
    s = dead("evt_1")
    mended(s)
    before = jobs(s)
    got = ask(s, **words)
    assert got["state"] == "refused" and got["answer"].startswith(answer), got["answer"]
    assert (got["did"], jobs(s), s.effects()) == (0, before, [])


def test_what_the_config_lists_may_be_asked(dead):
    s = dead("evt_1", "evt_2", settings={"hookonce": {"sql_commands": "discard, forget, prune, replay-done"}})
    assert ask(s, "discard", event_id="evt_1", reason="a test")["answer"] == "1 of 1 job: 1 discarded"
    assert ask(s, "forget", event_id="evt_1")["state"] == "done"
    assert s.value("SELECT COUNT(*) FROM hookonce_body") == 1
    assert "keep_bodies" in ask(s, "prune")["answer"]
    assert "does not let retry" in ask(s, "retry", job=2)["answer"]
    assert jobs(s)[0][1:3] == ("done", "discarded") and jobs(s)[1][1] == "dead"
    assert [r["reason"] for r in s.sql("SELECT reason FROM hookonce_command WHERE command = 'discard'")] == ["forgotten"]


ALL = {"hookonce": {"sql_commands": "retry, replay, replay-done, discard, hold, release, pause, resume"}}
FORGETFUL = {"sql_commands": "release, pause, resume, forget, prune, test-alert"}


def test_a_replay_of_what_is_done_wants_to_be_asked_twice(site):
    s = site(sources=STRIPE, routes={"r": ROUTE}, handlers={"h": {"sql": GOOD}}, settings=ALL)
    arrive(s, *[events.stripe(i) for i in ("evt_1", "evt_2")])
    s.process()
    got = ask(s, "replay", event_id="evt_1")
    assert got["state"] == "refused" and "it was processed: replay with again = yes and a reason" in got["answer"]
    got = ask(s, "replay", source="stripe")
    assert got["state"] == "done" and got["answer"].startswith("Nothing matches that is not done; with again = yes")
    got = ask(s, "replay", event_id="evt_1", again="yes", reason="the mail was lost")
    assert got["answer"] == "1 of 1 job: 1 to be done once more"
    assert s.effects() == ["evt_1", "evt_2", "evt_1"]
    made, = s.sql("SELECT replay_no, state, command_id FROM hookonce_job WHERE id > 2")
    assert (made["replay_no"], made["state"], made["command_id"]) == (1, "done", got["id"])
    got = ask(s, "replay", job=1, again="yes", reason="once more")  # the newer stands for it
    assert got["state"] == "refused" and "a newer job" in got["answer"]


def test_a_replay_by_filter_goes_by_the_time_of_the_events(dead):
    s = dead({"evt_1": 1790000300, "evt_2": 1790000200, "evt_3": 1790000100})
    mended(s)
    dry = ask(s, "replay", source="stripe", event_type="checkout.*", status="failed", dry_run="yes")
    assert (dry["state"], dry["found"], dry["did"]) == ("done", 3, 3)
    assert dry["answer"] == ("Dry run, nothing was changed. It would be so. 3 of 3 jobs: 3 opened again. "
                             "First: evt_3 (job 3), evt_2 (job 2), evt_1 (job 1)")
    assert [j[1] for j in jobs(s)] == ["dead"] * 3 and s.effects() == []
    two = ask(s, "replay", provider="stripe", outcome="gave up", at_most=2)
    assert two["answer"] == "2 of 2 jobs: 2 opened again. There are more: at_most = 2 was reached"
    assert s.effects() == ["evt_3", "evt_2"]
    assert ask(s, "retry", handler="h", from_time="2020-01-01", to_time="2030-01-01")["did"] == 1
    assert s.effects() == ["evt_3", "evt_2", "evt_1"]
    s.hookonce("replay", "--source", "stripe", check=True)
    assert len(s.effects()) == 3
    assert ask(s, "retry", event_type="invoice.*")["answer"] == "Nothing matches"
    assert "no route 'x'" in ask(s, "retry", route="x")["answer"]


def test_a_rate_spreads_what_is_due(dead):
    s = dead("evt_1", "evt_2", "evt_3")
    mended(s)
    ask(s, "retry", status="failed", per_minute=1)
    assert s.effects() == ["evt_1"]
    due = s.sql("SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), run_at) AS s FROM hookonce_job WHERE id > 1 ORDER BY id")
    assert 0 < due[0]["s"] <= 60 and 60 < due[1]["s"] <= 120


def test_hold_release_pause_and_resume(dead):
    s = dead("evt_1")
    mended(s)
    arrive(s, events.stripe("evt_2"))
    assert ask(s, "pause", source="stripe", reason="the shop is moved")["state"] == "done"
    assert s.effects() == []
    assert "already" in ask(s, "pause", source="stripe")["answer"]
    got = ask(s, "resume", source="stripe")
    assert got["state"] == "done", got
    s.process()
    assert s.effects() == ["evt_2"]
    assert "is not paused" in ask(s, "resume", source="stripe")["answer"]
    number = insert(s, "pause")
    s.hookonce("process", "--once")
    assert row(s, number)["answer"].startswith("everything is paused")
    arrive(s, events.stripe("evt_3"))
    held = insert(s, "hold", event_id="evt_3")
    insert(s, "resume")
    s.process()
    assert row(s, held)["answer"] == "1 of 1 job: 1 held until released"
    assert s.effects() == ["evt_2"]
    assert ask(s, "release", event_id="evt_3")["answer"] == "1 of 1 job: 1 released"
    assert s.effects() == ["evt_2", "evt_3"]


def test_whoever_may_ask_may_pause(site):
    s = site(sources=STRIPE)
    assert ask(s, "pause", asked_by="é" * 200)["state"] == "done"
    assert s.value("SELECT who FROM hookonce_pause") == "é" * 200


def test_a_pause_among_more_rows_than_are_read_holds(site):
    s = site(sources=STRIPE, routes={"r": ROUTE}, handlers={"h": {"sql": GOOD}})
    assert ask(s, "pause", source="stripe")["state"] == "done"
    s.sql("INSERT INTO hookonce_pause (kind, name) SELECT 'source', CONCAT('a', seq) FROM seq_1_to_1100")
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert s.effects() == []
    assert ask(s, "resume", source="stripe")["state"] == "done"
    s.process()
    assert s.effects() == ["evt_1"]


def test_what_a_pause_would_not_reach_is_refused(site):
    s = site(sources={"r": {"provider": "github", "secret": "x" * 20, "mode": "reply", "handler": "a"}, **STRIPE},
             handlers={"h": {"sql": GOOD}, "a": {"command": "/bin/true"}}, routes={"r": ROUTE})
    assert "this source answers requests" in ask(s, "pause", source="r")["answer"]
    assert "no route runs this handler" in ask(s, "pause", handler="a")["answer"]
    assert s.count("pause") == 0 and ask(s, "pause", handler="h")["state"] == "done"


def test_two_processors_do_it_once(site):
    s = site(sources=STRIPE, routes={"r": ROUTE}, handlers={"h": {"sql": GOOD}}, settings=ALL)
    arrive(s, *[events.stripe(f"evt_{i}") for i in range(30)])
    s.process()
    for _ in range(3):
        insert(s, "replay", source="stripe", again="yes", reason="all of it")
    other = s.folder("state2")
    s.write("second.conf", s.config_text().replace("[hookonce]", f"[hookonce]\nstate = {other}"))
    runs = [s.start_processor("--once"),
            s.start_program("--config", s.path("second.conf"), "process", "--once")]
    for run in runs:
        run.wait(120)
    s.process()
    rows = s.sql("SELECT state, found, did FROM hookonce_command ORDER BY id")
    assert {r["state"] for r in rows} == {"done"}
    assert sum(r["did"] for r in rows) == s.value("SELECT COUNT(*) FROM hookonce_job WHERE replay_no > 0")
    assert s.value("SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM fx GROUP BY event_id) AS t") <= 4
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE replay_no > 0") == len(s.effects()) - 30


def test_text_of_a_row_reaches_the_log_escaped_and_bounded(dead):
    s = dead("evt_1")
    ask(s, "retry", event_id="evt_9\n2026-01-01T00:00:00Z alarm", asked_by="eve\x1b[31m\nalarm", reason="x" * 1000)
    line, = s.log_lines(event="command")
    assert "\n" not in line["by"] and "\x1b" not in line["by"] and len(line["why"]) < 300


def test_the_shell_says_the_same_and_keeps_it(dead):
    s = dead("evt_1", "evt_2")
    mended(s)
    dry = s.hookonce("replay", "--source", "stripe", "--dry-run", check=True).stdout.decode()
    assert "2 of 2 jobs: 2 opened again. First: evt_1 (job 1), evt_2 (job 2)" in dry
    done = s.hookonce("replay", "evt_1", "--json", check=True)
    got = json.loads(done.stdout)
    assert b"event=" not in done.stderr
    assert (got["what"], got["state"], got["did"], got["answer"]) == ("replay", "done", 1, "1 of 1 job: 1 opened again")
    s.process()
    assert s.effects() == ["evt_1"]
    again = s.hookonce("replay", "evt_1")
    assert again.returncode == 1 and b"it was processed" in again.stderr
    assert s.hookonce("replay", "evt_1", "--again").returncode == 2
    s.hookonce("replay", "evt_1", "--again", "--reason", "lost", check=True)
    s.hookonce("pause", "--route", "r", check=True)
    s.hookonce("retry", "--all", check=True)
    s.process()
    assert s.effects() == ["evt_1"]
    s.hookonce("resume", "--route", "r", check=True)
    s.process()
    assert sorted(s.effects()) == ["evt_1", "evt_1", "evt_2"]
    kept = s.sql("SELECT command, asked_from, state, did FROM hookonce_command ORDER BY id")
    assert [(r["command"], r["state"]) for r in kept] == [
        ("replay", "done"), ("replay", "done"), ("replay", "refused"), ("replay", "done"), ("pause", "done"),
        ("retry", "done"), ("resume", "done")]
    assert {r["asked_from"] for r in kept} == {"shell"}


def test_a_row_of_the_shell_that_was_cut_off_ends_as_failed_and_is_never_run(dead):
    s = dead("evt_1")
    mended(s)
    s.sql("INSERT INTO hookonce_command (command, job, asked_from, state, lease_until) VALUES ('retry', 1, 'shell', "
          "'running', UTC_TIMESTAMP(6) - INTERVAL 1 SECOND)")
    s.process()
    got = row(s, 1)
    assert got["state"] == "failed" and "before it was through" in got["answer"]
    assert s.effects() == []


@pytest.mark.parametrize("when,place", [
    ("before", "SET found = ?"), ("behind", "SET found = ?"), ("before", "SET state = ?, answer"),
    ("behind", "INSERT INTO hookonce_job")])
def test_killed_anywhere_it_is_gone_on_with_and_nothing_is_doubled(site, when, place):
    s = site(sources=STRIPE, routes={"r": ROUTE}, handlers={"h": {"sql": GOOD}}, settings=ALL)
    arrive(s, *[events.stripe(f"evt_{i}") for i in range(25)])
    s.process()
    number = insert(s, "replay", source="stripe", again="yes", reason="all of it")
    halt = Halt(s.path("halt"))
    halt.arm("hookonce", when, place)
    child = s.start_program("process", "--once", env=halt.env)
    wait_until(halt.halted, 30, "it stands")
    halt.disarm()
    child.kill9()
    assert row(s, number)["state"] == "running"
    s.process()  # while the lease lasts nobody takes it
    assert row(s, number)["state"] == "running"
    s.sql("UPDATE hookonce_command SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND")
    s.process()
    got = row(s, number)
    assert (got["state"], got["found"], got["did"], got["claims"]) == ("done", 25, 25, got["claims"])
    assert sorted(s.effects()) == sorted(2 * [f"evt_{i}" for i in range(25)])
    assert s.value("SELECT MAX(replay_no) FROM hookonce_job") == 1


def test_a_command_that_ends_whoever_takes_it_up_ends_itself(dead):
    s = dead("evt_1")
    number = insert(s, "retry", job=1)
    s.sql("UPDATE hookonce_command SET claims = 5, state = 'running'")
    s.process()
    assert row(s, number)["state"] == "failed" and jobs(s)[0][1] == "dead"


def test_a_look_for_commands_reads_no_row_of_those_that_are_done(site):
    s = site(sources=STRIPE)
    s.sql("INSERT INTO hookonce_command (command, job, state) SELECT 'retry', seq, 'done' FROM seq_1_to_5000")
    s.sql("INSERT INTO hookonce_command (command, job) VALUES ('retry', 1)")
    plan = s.sql("EXPLAIN SELECT id FROM hookonce_command FORCE INDEX (state) WHERE state = 'new' ORDER BY id LIMIT 1")
    assert plan[0]["key"] == "state" and int(plan[0]["rows"]) < 10


def test_the_calls_do_the_same(dead):
    s = dead("evt_1")
    mended(s)
    assert s.hookonce("migrate", "--calls").returncode == 1  # rights on rows are not enough
    with open(os.path.join(PROJECT, "schema", "calls.sql"), encoding="ascii") as f:
        statements = [x for x in re.sub(r"^--.*$", "", f.read(), flags=re.M).split(";\n") if x.strip()]
    for statement in statements:  # as a console imports them, by somebody who may
        s.sql(statement)
    assert len(statements) == 10
    s.db.unrestrict()
    assert b"CALL hookonce_retry(12)" in s.hookonce("migrate", "--calls", check=True).stdout
    s.sql("CALL hookonce_retry(1)")
    s.process()
    assert row(s, 1)["answer"] == "1 of 1 job: 1 opened again" and s.effects() == ["evt_1"]
    s.sql("CALL hookonce_replay('evt_1')")
    s.process()
    assert row(s, 2)["state"] == "refused"


def test_a_filter_passes_over_what_a_person_discarded(dead):
    s = dead("evt_1", "evt_2", settings=ALL)
    mended(s)
    s.hookonce("discard", "evt_1", "--reason", "a test", check=True)
    assert ask(s, "replay", source="stripe")["did"] == 1
    assert ask(s, "replay", source="stripe", again="yes", reason="all")["found"] == 1
    assert s.effects() == ["evt_2", "evt_2"]
    assert ask(s, "replay", outcome="discarded")["did"] == 1
    assert s.effects() == ["evt_2", "evt_2", "evt_1"]


@pytest.mark.parametrize("command", ["retry", "replay", "discard"])
def test_a_handler_that_the_config_has_not_is_of_no_event(site, command):
    s = site(sources=STRIPE, handlers={"h": {"sql": GOOD}}, routes={"r": {**ROUTE, "on": "other"}}, settings=ALL)
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert [j[1:] for j in jobs(s)] == [("done", "ignored", None)]
    got = ask(s, command, handler="nosuch", reason="x")
    assert (got["state"], got["answer"]) == ("refused", "Nothing was done: the config has no handler 'nosuch'")
    assert s.value("SELECT filter FROM hookonce_commands") == "handler nosuch"
    assert s.value("SELECT outcome FROM hookonce_job") == "ignored"


def test_what_a_person_says_was_done_is_done_again_only_as_what_was_done(dead):
    s = dead("evt_1", settings={"hookonce": {"sql_commands": "retry, replay, release"}})
    mended(s)
    s.hookonce("discard", "1", "--acted", "yes", "--reason", "by hand", check=True)
    for command, words in [("retry", {"job": 1}), ("release", {"event_id": "evt_1"}), ("replay", {"job": 1}),
                           ("replay", {"outcome": "discarded"})]:
        got = ask(s, command, **words)
        assert got["did"] == 0 and "it was discarded as done: replay with again" in got["answer"], (words, got)
    assert "replay-done" in ask(s, "replay", job=1, again="yes", reason="x")["answer"]
    done = s.hookonce("retry", "1")
    assert done.returncode == 1 and b"was discarded as done" in done.stderr
    assert s.effects() == []
    s.hookonce("replay", "1", "--again", "--reason", "once more after all", check=True)
    s.process()
    assert s.effects() == ["evt_1"]
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE outcome = 'discarded'") == 1


def test_once_per_and_the_idempotency_key_hold_for_a_replay_too(site):
    s = site(sources=STRIPE, handlers={"h": {"sql": GOOD}, "c": {"command": "/bin/true"}}, settings=ALL,
             routes={"r": {**ROUTE, "once_per": "{/data/object/id}"}, "k": {**ROUTE, "handler": "c"}})
    arrive(s, events.stripe("evt_1"))
    s.process()
    ask(s, "replay", event_id="evt_1", again="yes", reason="once more")
    assert s.effects() == ["evt_1"]
    done = s.sql("SELECT replay_no, outcome FROM hookonce_job WHERE route = 'r' ORDER BY id")
    assert [(r["replay_no"], r["outcome"]) for r in done] == [(0, "done"), (1, "already done")]
    keys = s.sql("SELECT idempotency_key AS k, outcome FROM hookonce_job WHERE route = 'k' ORDER BY id")
    assert keys[0]["k"] == keys[1]["k"] and keys[0]["k"] is not None and keys[1]["outcome"] == "done"


@pytest.mark.parametrize("words", [
    ("replay", "--from-time", "yesterday"), ("replay", "--to-time", "2026-13-01"), ("replay", "--at-most", "0"),
    ("replay", "--per-minute", "many"), ("replay", "--status", "odd"), ("replay", "--route", ""),
    ("replay", "--event-type", "x" * 1001), ("replay",), ("pause", "stripe"), ("discard", "1"), ("hold",)],
    ids=lambda words: " ".join(words)[:30])
def test_wrong_words_in_the_shell_are_said_and_leave_no_row(site, words):
    s = site(sources=STRIPE)
    done = s.hookonce(*words)
    assert done.returncode == 2 and done.stderr and s.count("command") == 0, done


def test_every_word_of_the_shell_reaches_its_row(dead):
    s = dead("evt_1", "evt_2", "evt_3")
    mended(s)
    s.hookonce("retry", "--provider", "stripe", "--source", "stripe", "--route", "r", "--handler", "h",
               "--event-type", "checkout.*", "--status", "failed", "--outcome", "gave up", "--from-time", "2026-09-01",
               "--to-time", "2026-12-31 12:30", "--at-most", "2", "--per-minute", "60000", check=True)
    got = row(s, 1)
    assert (got["state"], got["found"], got["did"]) == ("done", 2, 2) and "at_most = 2 was reached" in got["answer"]
    assert [got[k] for k in ("provider", "source", "route", "handler", "event_type", "status", "outcome")] == [
        "stripe", "stripe", "r", "h", "checkout.*", "failed", "gave up"]
    assert [str(got[k]) for k in ("from_time", "to_time", "at_most", "per_minute", "asked_from")] == [
        "2026-09-01 00:00:00", "2026-12-31 12:30:00", "2", "60000", "shell"]
    cid = s.value("SELECT correlation_id FROM hookonce_job WHERE state = 'dead'")
    s.hookonce("retry", cid, "--dry-run", check=True)
    assert (row(s, 2)["correlation_id"], row(s, 2)["dry_run"], row(s, 2)["did"]) == (cid, "yes", 1)
    assert s.hookonce("retry", "evt_9", "--dry-run").returncode != 0 and "no such event" in row(s, 3)["answer"]


def test_an_id_of_two_events_wants_its_provider(site):
    secret = "s3cret of the hub"
    s = site(sources={**STRIPE, "github": {"provider": "github", "secret": secret}}, handlers={"h": {"sql": BAD}},
             routes={"r": ROUTE, "g": {**ROUTE, "provider": "github"}})
    arrive(s, events.stripe("evt_1"))
    body = events.github()
    assert s.cgi("github", body, s.signed("github", body, delivery="evt_1")).status == 200
    s.hookonce("process", "--once")
    mended(s)
    got = ask(s, "retry", event_id="evt_1")
    assert got["state"] == "refused" and "2 events have that id" in got["answer"] and got["found"] == 0
    got = ask(s, "retry", event_id="evt_1", provider="github")
    assert (got["state"], got["did"]) == ("done", 1) and s.effects() == ["evt_1"]
    assert s.value("SELECT route FROM hookonce_job WHERE state = 'done'") == "g"
    assert ask(s, "retry", event_id="evt_1", provider="slack")["state"] == "refused"


def test_an_alert_that_nobody_takes_is_a_command_that_failed(site):
    s = site(sources=STRIPE, settings={"hookonce": FORGETFUL})
    got = ask(s, "test-alert")
    assert got["state"] == "refused" and "the config has no [alert NAME]" in got["answer"]
    s.configure(s.config_text() + "\n[alert ops]\ncommand = /bin/false\n[alert more]\ncommand = /bin/true\n")
    got = ask(s, "test-alert")
    assert (got["state"], got["found"], got["did"]) == ("failed", 2, 1), got
    assert "ops: /bin/false: exit code 1" in got["answer"] and "more: sent" in got["answer"]


def test_of_many_test_alerts_one_a_minute_is_sent_and_no_job_waits_for_it(site):
    s = site(sources=STRIPE, handlers={"h": {"sql": GOOD}}, routes={"r": ROUTE})
    script(s, "slow", 'echo told >> "$HERE/told"\nuntil [ -e "$HERE/go" ]; do sleep 0.1; done\n')
    s.configure(s.config_text() + "\n[alert ops]\ncommand = slow\n")
    s.sql("INSERT INTO hookonce_command (command) SELECT 'test-alert' FROM seq_1_to_5")
    arrive(s, events.stripe("evt_1"))
    processor = s.start_processor("--for", "200s")
    wait_until(lambda: s.effects() == ["evt_1"], 10, "the job")
    wait_until(lambda: s.value("SELECT state FROM hookonce_command WHERE id = 1") == "running", 10, "the first alert")
    s.write("go", "")
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_command WHERE ended_at IS NOT NULL") == 5, 20, "all")
    rows = s.sql("SELECT state, answer FROM hookonce_command ORDER BY id")
    assert [r["state"] for r in rows] == ["done"] + 4 * ["refused"] and rows[0]["answer"] == "ops: sent"
    assert "within the last minute" in rows[4]["answer"] and lines(s, "told") == ["told"]
    soon = insert(s, "test-alert")  # the first is through
    wait_until(lambda: row(s, soon)["state"] == "refused", 10, "refused")
    s.sql("UPDATE hookonce_command SET started_at = started_at - INTERVAL 61 SECOND")
    insert(s, "test-alert")
    wait_until(lambda: lines(s, "told") == ["told", "told"], 20, "the next minute's")
    processor.stop()


def test_dry_runs_of_what_is_not_about_jobs_change_nothing(site):
    s = site(sources=STRIPE, settings={"hookonce": {**FORGETFUL, "keep_bodies": "1d"}})
    arrive(s, events.stripe("evt_1"))
    arrive(s, events.stripe("evt_1", kind="other"))
    s.process()
    number = s.value("SELECT id FROM hookonce_conflict")
    for command, words in (("release", {"conflict": number}), ("prune", {}), ("forget", {"event_id": "evt_1"}),
                           ("pause", {"source": "stripe"}), ("resume", {"source": "stripe"}), ("test-alert", {})):
        got = ask(s, command, dry_run="yes", **words)
        assert got["did"] == 0 or command in ("forget", "prune"), got
        assert got["answer"], got
    assert s.count("conflict") == s.count("body") == s.count("receipt") == 1 and s.count("pause") == 0


def test_what_lies_in_the_spool_keeps_a_row_from_forgetting(site):
    s = site(sources=STRIPE, settings={"hookonce": FORGETFUL})
    arrive(s, events.stripe("evt_1"))
    s.process()
    s.folder("state/spool")
    s.folder("state/spool/quarantine")
    name = "01M8QA12GYHZKNS9XE4QQ09XEE.10.spool"
    s.write(f"state/spool/quarantine/{name}", "0123456789")
    got = ask(s, "forget", event_id="evt_1")
    assert got["state"] == "refused" and "quarantine" in got["answer"] and s.count("body") == 1
    os.unlink(s.path(f"state/spool/quarantine/{name}"))
    assert ask(s, "forget", event_id="evt_1")["state"] == "done" and s.count("body") == 0


def test_a_row_that_a_console_has_locked_stops_neither_jobs_nor_other_commands(dead):
    s = dead("evt_1")
    mended(s)
    first, second = insert(s, "pause", source="stripe"), insert(s, "retry", job=1)
    console = s.db.server.connect(s.db.name)
    with console.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE hookonce_command SET reason = 'x' WHERE id = %s", (first,))
        arrive(s, events.stripe("evt_2"))
        s.hookonce("process", "--once")
        assert sorted(s.effects()) == ["evt_1", "evt_2"]
        assert (row(s, first)["state"], row(s, second)["state"]) == ("new", "done")
        console.rollback()
    s.hookonce("process", "--once")
    assert row(s, first)["state"] == "done"
    console.close()


def test_a_command_whose_lease_is_longer_than_any_is_taken_up(dead):
    """The clock of the database was put back."""
    s = dead("evt_1")
    mended(s)
    number = insert(s, "retry", job=1)
    s.sql("UPDATE hookonce_command SET state = 'running', claim_token = REPEAT('x', 16), "
          "lease_until = UTC_TIMESTAMP(6) + INTERVAL 1 DAY WHERE id = %s", number)
    assert s.value("SELECT value FROM hookonce_overview WHERE name = 'commands to do'") == "1"
    s.hookonce("process", "--once")
    assert row(s, number)["state"] == "done" and s.effects() == ["evt_1"]


def test_a_time_finds_what_a_host_with_a_wrong_clock_received(dead):
    """Its ids hold its own time, five days ahead; received_at is the true one."""
    s = dead("evt_1")
    ahead = 5 * 86400 * 1000
    ten = s.receipts()[0]["correlation_id"][:10]
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    at = sum(digits.index(c) * 32 ** i for i, c in enumerate(reversed(ten))) + ahead
    far = "".join(digits[at // 32 ** i % 32] for i in reversed(range(10)))
    for table in ("receipt", "job", "body"):
        s.sql(f"UPDATE hookonce_{table} SET correlation_id = CONCAT(%s, SUBSTRING(correlation_id, 11))", far)
    s.sql("INSERT INTO hookonce_host (host, seen_at, clock_ahead_ms) VALUES ('far', UTC_TIMESTAMP(6), %s)", ahead)
    today, tomorrow = s.sql("SELECT DATE(received_at) AS a, DATE(received_at) + INTERVAL 1 DAY AS b "
                            "FROM hookonce_receipt")[0].values()
    got = ask(s, "retry", from_time=today, to_time=tomorrow, dry_run="yes")
    assert (got["state"], got["found"]) == ("done", 1), got["answer"]
