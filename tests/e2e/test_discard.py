"""`hookonce discard`: what a person ends for good, with a reason that is kept."""

import json
import re

import pytest

from hooktest import events
from hooktest.flow import arrive, expire, hurry, jobs, lines, script
from hooktest.reply import FAILED, ask, reply_site
from hooktest.reply import script as reply_script

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
ROUTE = {"provider": "stripe", "handler": "h"}
BAD = {"h": {"sql": "INSERT INTO not_there VALUES (1)"}}


def rows(done):
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def dead_site(site, *ids, **route):
    """A site whose handler cannot work, with a dead letter for each id."""
    s = site(sources=STRIPE, handlers=BAD, routes={"r": {**ROUTE, "retry": "1 try", **route}})
    arrive(s, *[events.stripe(i) for i in ids])
    assert s.hookonce("process", "--once").returncode == 1
    assert [j[1] for j in jobs(s)] == ["dead"] * len(ids)
    return s


def test_a_dead_letter_is_discarded_and_it_stays_known_who_did_it_and_why(site):
    s = dead_site(site, "evt_1", "evt_2")
    done = s.hookonce("discard", "evt_1", "--reason", "a test order\x1b[31m", check=True)
    assert b"1 job discarded" in done.stdout and b"gave up" in done.stdout and b"\x1b" not in done.stdout
    assert jobs(s) == [("r", "done", "discarded", None), ("r", "dead", "gave up", None)]
    assert [(r["status"], r["outcome"]) for r in s.receipts()] == [("processed", "discarded"), ("failed", "gave up")]
    assert [r["event_id"] for r in rows(s.hookonce("list", "dead", "--json", check=True))] == ["evt_2"]
    kept, = rows(s.hookonce("list", "discarded", "--json", check=True))
    assert (kept["event_id"], kept["acted"], kept["reason"]) == ("evt_1", None, "a test order\x1b[31m")
    assert "@" in kept["who"] and kept["discarded_at"].endswith("Z")
    story = s.hookonce("list", "evt_1", check=True).stdout.decode()
    assert f"by {kept['who']}: a test order" in story and "not_there" in story
    said = s.hookonce("check").stdout.decode()
    assert "note  discarded: 1 within a day" in said and "warn  dead letters: 1;" in said
    assert s.process().stderr == b"" and jobs(s)[0][1] == "done"

    again = s.hookonce("discard", "evt_1", "--reason", "once more")
    assert again.returncode == 1 and b"is discarded already; nothing to do" in again.stderr
    s.configure(s.config_text().replace("not_there VALUES (1)", "fx (event_id) VALUES ({event:id})"))
    s.hookonce("retry", "--all", check=True)
    s.process()
    assert s.effects() == ["evt_2"]
    s.hookonce("retry", "evt_1", check=True)
    s.process()
    assert s.effects() == ["evt_2", "evt_1"] and jobs(s)[0] == ("r", "done", "done", None)


def test_all_of_a_route_and_no_other(site):
    s = site(sources=STRIPE, handlers=BAD, routes={"a": {**ROUTE, "retry": "1 try"}, "b": {**ROUTE, "retry": "1 try"}})
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    s.hookonce("discard", "--all", "--route", "a", "--reason", "gone", check=True)
    assert [j[:3] for j in jobs(s)] == [("a", "done", "discarded"), ("b", "dead", "gave up")]
    assert s.receipts()[0]["status"] == "failed"
    s.hookonce("discard", "--all", "--reason", "gone", check=True)
    assert s.receipts()[0]["status"] == "processed"
    assert s.hookonce("discard", "--all", "--reason", "gone", check=True).stdout == b"0 jobs discarded\n"


@pytest.mark.parametrize("command", [("retry",), ("discard", "--reason", "x")])
def test_a_route_that_nobody_knows_is_a_mistake(site, command):
    s = dead_site(site, "evt_1")
    done = s.hookonce(*command, "--all", "--route", "rr")
    assert done.returncode == 1 and b"no route 'rr'" in done.stderr
    s.sql("UPDATE hookonce_job SET route = 'gone'")  # the config has it no more: its dead letters count
    assert s.hookonce(*command, "--all", "--route", "gone", check=True).stdout.count(b"1 job") == 1
    assert s.hookonce(*command, "--all", "--route", "gone").returncode == 1
    assert s.hookonce(*command, "--all", "--route", "r", check=True).stdout.startswith(b"0 jobs")
    assert s.hookonce(*command, "--all", "--route", "(reply)", check=True).stdout.startswith(b"0 jobs")


def test_what_waits_is_discarded_before_it_runs_and_what_was_done_is_left(site):
    s = site(sources=STRIPE, routes={"r": {**ROUTE, "handler": "fx", "needs": "SELECT 1 FROM fx WHERE event_id = 'go'"}})
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert jobs(s) == [("r", "ready", None, "need")]
    arrive(s, events.stripe("evt_2"))  # not dispatched yet
    s.hookonce("discard", "evt_1", "evt_2", "--reason", "cancelled", check=True)
    s.sql("INSERT INTO fx (event_id) VALUES ('go')")
    hurry(s)
    s.process()
    assert s.effects() == ["go"] and [j[1:3] for j in jobs(s)] == [("done", "discarded")] * 2
    arrive(s, events.stripe("evt_3"))
    s.process()
    left = s.hookonce("discard", "evt_3", "--reason", "late")
    assert left.returncode == 1 and b"was processed; nothing to do" in left.stderr
    assert s.value("SELECT COUNT(*) FROM hookonce_command WHERE did > 0") == 2


def doubtful(site):
    """evt_1 may have acted, nobody knows; evt_2 has the same business key and waits."""
    s = site(sources=STRIPE, handlers={"h": {"command": "h.sh", "at_most_once": "yes"}},
             routes={"r": {**ROUTE, "once_per": "{/data/object/id}"}})
    script(s, "h.sh", 'echo "$HOOKONCE_ID" >>"$HERE/ran"\nkill -9 $PPID\n')
    arrive(s, events.stripe("evt_1", object_id="cs_1"))
    s.hookonce("process", "--once")
    expire(s)
    s.hookonce("process", "--once")
    script(s, "h.sh", 'echo "$HOOKONCE_ID" >>"$HERE/ran"\n')
    arrive(s, events.stripe("evt_2", object_id="cs_1"))
    s.process()
    assert [j[1:] for j in jobs(s)] == [("dead", "outcome unknown", None), ("ready", None, "release")]
    return s


@pytest.mark.parametrize("acted, key, outcome, ran", [
    ("yes", "done", "already done", ["evt_1"]), ("no", None, "done", ["evt_1", "evt_2"])])
def test_what_is_said_of_its_work_decides_about_the_others_of_its_key(site, acted, key, outcome, ran):
    s = doubtful(site)
    job = str(s.jobs()[0]["id"])
    done = s.hookonce("discard", "evt_1", "--reason", "the warehouse is asked", "--json", check=True)
    assert rows(done)[0]["business_key"] == "unknown"
    assert b"hookonce discard JOB --acted yes|no --reason TEXT" in done.stderr
    hurry(s)
    s.process()
    assert [j[1:] for j in jobs(s)] == [("done", "discarded", None), ("ready", None, "release")]
    refused = s.hookonce("retry", "evt_1")
    assert refused.returncode == 1 and b"--release" in refused.stderr
    assert "warn  discarded: 1 may have acted" in s.hookonce("check").stdout.decode()
    assert rows(s.hookonce("list", "discarded", "--json"))[0]["business_key"] == "unknown"

    told = s.hookonce("discard", job, "--acted", acted, "--reason", "it says " + acted, "--json", check=True)
    assert rows(told)[0]["business_key"] == key and told.stderr == b""
    s.process()  # the others look at once
    assert [j[2] for j in jobs(s)] == ["discarded", outcome] and lines(s, "ran") == ran
    assert "may have acted" not in s.hookonce("check").stdout.decode()
    kept = s.sql("SELECT acted, reason FROM hookonce_command WHERE command = 'discard' ORDER BY id")
    assert [(k["acted"], k["reason"]) for k in kept] == [(None, "the warehouse is asked"), (acted, "it says " + acted)]
    assert f"acted: {acted}" in s.hookonce("list", "evt_1", check=True).stdout.decode()


def test_a_failed_answer_is_discarded_and_its_sender_may_still_ask_again(site):
    s = reply_site(site, "exit 1\n")
    assert ask(s)[0].body == FAILED
    assert len(rows(s.hookonce("list", "dead", "--json", check=True))) == 1
    assert re.search(r"source hook: 1 question failed within a day, the newest \d+[sm] ago",
                     s.hookonce("check", "--quiet").stdout.decode())
    s.hookonce("discard", "--all", "--route", "(reply)", "--reason", "seen", check=True)
    assert "question" not in s.hookonce("check", "--quiet").stdout.decode()
    assert s.hookonce("list", "dead", check=True).stdout == b"No dead letters.\n"
    reply_script(s, "echo '{\"n\":2}'\n")
    assert ask(s)[0].body == b'{"n":2}\n'
    assert s.receipts()[0]["outcome"] == "done"


def test_a_failed_answer_that_is_discarded_as_done_is_not_asked_for_again_until_it_is_taken_back(site):
    s = reply_site(site, "echo x >>ran; exit 1\n")
    ask(s)
    job = str(s.jobs()[0]["id"])
    s.hookonce("discard", job, "--acted", "yes", "--reason", "the account was made by hand", check=True)
    reply_script(s, "echo x >>ran; echo '{\"n\":2}'\n")
    assert ask(s)[0].body == FAILED and lines(s, "ran") == ["x"]
    s.hookonce("discard", job, "--acted", "no", "--reason", "it was another one", check=True)
    assert ask(s)[0].body == b'{"n":2}\n' and lines(s, "ran") == ["x"] * 2


KEYED = {**ROUTE, "once_per": "{/data/object/id}"}
MENDED = "INSERT INTO fx (event_id) VALUES ({event:id})"


@pytest.mark.parametrize("handler", ["sql", "exit 75", "exit 65", "undispatched"])
def test_work_that_was_done_by_hand_is_not_done_again_whatever_its_job_did(site, handler):
    broken = {"sql": "INSERT INTO nope VALUES (1)"} if handler in ("sql", "undispatched") else {"command": "h.sh"}
    s = site(sources=STRIPE, handlers={"h": broken}, routes={"r": {**KEYED, "retry": "1 try"}})
    script(s, "h.sh", handler + "\n")
    arrive(s, events.stripe("evt_1", object_id="cs_1"))
    if handler != "undispatched":
        s.hookonce("process", "--once")
        assert jobs(s)[0][1] in ("dead", "ready") and s.count("effect") == 0
    told = s.hookonce("discard", "evt_1", "--acted", "yes", "--reason", "by hand", "--json", check=True)
    assert rows(told)[0]["business_key"] == "done"
    s.configure(s.config_text().replace("command = h.sh", "sql = " + MENDED)
                .replace("INSERT INTO nope VALUES (1)", MENDED))
    arrive(s, events.stripe("evt_2", object_id="cs_1"), events.stripe("evt_3", object_id="cs_3"))
    s.process()
    assert [j[2] for j in jobs(s)] == ["discarded", "already done", "done"] and s.effects() == ["evt_3"]


def test_what_is_said_of_a_job_whose_key_is_anothers_is_refused(site):
    s = site(sources=STRIPE, handlers={"h": {"command": "h.sh"}}, routes={"r": {**KEYED, "retry": "5 tries, 1h"}})
    script(s, "h.sh", "exit 1\n")
    arrive(s, events.stripe("evt_1", object_id="cs_1"), events.stripe("evt_2", object_id="cs_1"))
    s.process()
    assert [j[3] for j in jobs(s)] == [None, "owner"]
    left = s.hookonce("discard", "evt_2", "--acted", "yes", "--reason", "by hand")
    assert left.returncode == 1 and b"hookonce discard 1 --acted yes" in left.stderr
    assert jobs(s)[1][1] == "ready" and s.value("SELECT COUNT(*) FROM hookonce_command WHERE did > 0") == 0
    s.hookonce("discard", "evt_1", "--acted", "yes", "--reason", "by hand", check=True)
    done = s.hookonce("discard", "evt_2", "--acted", "yes", "--reason", "by hand", "--json", check=True)
    assert rows(done)[0]["business_key"] == "done"


def test_what_is_said_of_a_job_whose_key_cannot_be_made_is_refused(site):
    s = site(sources=STRIPE, handlers=BAD, routes={"r": {**KEYED, "retry": "1 try"}})
    arrive(s, events.stripe("evt_1", object_id="cs_1"))
    s.hookonce("process", "--once")
    s.sql("DELETE FROM hookonce_body")
    left = s.hookonce("discard", "evt_1", "--acted", "yes", "--reason", "by hand")
    assert left.returncode == 1 and b"its event is not here any more" in left.stderr
    assert jobs(s)[0][1] == "dead" and s.value("SELECT COUNT(*) FROM hookonce_command WHERE did > 0") == 0
    s.hookonce("discard", "evt_1", "--reason", "by hand", check=True)


def test_without_a_good_reason_nothing_is_discarded(site):
    s = dead_site(site, "evt_1")
    for arguments, says in ((["evt_1"], "say why"), (["evt_1", "--reason", " "], "say why"),
                            (["evt_1", "--reason", b"\xff"], "UTF-8"),
                            (["evt_1", "--reason", "ä" * 1001], "1000 characters"),
                            (["--reason", "x"], "say which"), (["--all", "evt_1", "--reason", "x"], "say which"),
                            (["evt_1", "--reason", "x", "--acted", "maybe"], "yes or no"),
                            (["--all", "--reason", "x", "--acted", "yes"], "one by one")):
        done = s.hookonce("discard", *arguments)
        assert done.returncode == 2 and says in done.stderr.decode(), arguments
    assert s.hookonce("discard", "evt_9", "--reason", "x").returncode == 1
    assert s.value("SELECT COUNT(*) FROM hookonce_command WHERE did > 0") == 0
    s.hookonce("discard", "evt_1", "--reason", "ä" * 1000, check=True)
    assert s.value("SELECT reason FROM hookonce_command") == "ä" * 1000
