"""Reply mode when something dies: programs, receivers, clients, the database."""

import json
import os
import signal
import time

import pytest

from hooktest import flow, raw, supabase, wait_until
from hooktest.proc import pids_of
from hooktest.reply import FAILED, SECRET, TRACE, Asking, ask, gone, job, ran, replies, reply_site, script

# ---- deaths -----------------------------------------------------------------------------------------------

def test_a_killed_program_is_a_failure_at_once_and_its_lease_is_taken_over(site):
    s = reply_site(site, TRACE + "sleep 60", server="lighttpd", reply_timeout="40s")
    asking = Asking(s, post=s.post)
    wait_until(lambda: ran(s), 5, "the handler runs")
    pids = replies(s)
    assert len(pids) == 1
    os.kill(pids[0], signal.SIGKILL)
    answer, took = asking.answer()
    assert (answer.body, took < 30) == (FAILED, True)
    assert job(s)["state"] == "running"
    assert 0 < s.value("SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), run_at) FROM hookonce_job") <= 45
    script(s, TRACE + "echo '{\"n\":2}'")
    flow.expire(s)
    answer, _ = ask(s, post=s.post)
    assert (answer.status, answer.body) == (200, b'{"n":2}\n')
    assert [attempt for _, attempt in ran(s)] == ["1", "2"]
    assert len({key for key, _ in ran(s)}) == 1
    attempts = s.sql("SELECT claim_no, outcome, ended_at FROM hookonce_attempt ORDER BY claim_no")
    assert [(a["claim_no"], a["outcome"]) for a in attempts] == [(1, "lease lost"), (2, "done")]
    assert all(a["ended_at"] for a in attempts)
    assert s.log_lines(event="answered")[-1]["how"] == "taken over"


def test_a_repeat_of_what_vanished_is_busy_until_the_lease_is_over(site):
    s = reply_site(site, TRACE + "sleep 60", reply_timeout="30s")
    asking = Asking(s)
    wait_until(lambda: ran(s), 5, "the handler runs")
    os.kill(replies(s)[0], signal.SIGKILL)
    assert asking.answer()[0].body == FAILED
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) + INTERVAL 200 SECOND")
    s.configure(s.config_text().replace("reply_timeout = 30s", "reply_timeout = 1s"))
    answer, took = ask(s)
    assert (answer.status, 0.9 < took < 20) == (503, True)
    assert int(answer.header("Retry-After")) > 0
    assert len(ran(s)) == 1


def test_sql_that_vanished_is_a_dead_letter_too(site):
    s = reply_site(site, {"sql": ["INSERT INTO fx (event_id) VALUES ({event:id})", "SELECT SLEEP(20)"]},
                   reply_timeout="30s")
    asking = Asking(s)
    link = flow.wait_sleeping(s)
    os.kill(replies(s)[0], signal.SIGKILL)
    assert asking.answer()[0].body == FAILED
    s.db.server.execute(f"KILL {link}")
    wait_until(lambda: flow.sleeping(s) == [], 10, "the server has noticed")
    flow.expire(s)
    assert s.hookonce("process", "--once").returncode in (0, 1)
    assert (job(s)["state"], s.receipts()[0]["status"], s.effects()) == ("dead", "failed", [])
    assert job(s)["outcome"] == "worker lost"


def test_what_vanished_is_a_dead_letter_in_the_end_and_can_still_be_asked_again(site):
    s = reply_site(site, TRACE + "sleep 60", reply_timeout="30s")
    asking = Asking(s)
    wait_until(lambda: ran(s), 5, "the handler runs")
    os.kill(replies(s)[0], signal.SIGKILL)
    asking.answer()
    flow.expire(s)
    assert s.hookonce("process", "--once").returncode in (0, 1)
    assert (job(s)["state"], s.receipts()[0]["status"]) == ("dead", "failed")
    assert b"dead letters" not in s.hookonce("check").stdout, "nobody here can run it again"
    assert len(ran(s)) == 1
    script(s, TRACE + "echo '{}'")
    assert ask(s)[0].status == 200
    assert len({key for key, _ in ran(s)}) == 1 and len(ran(s)) == 2


def test_at_most_once_is_not_started_twice(site):
    s = reply_site(site, TRACE + "sleep 60", keys={"at_most_once": "yes"}, reply_timeout="30s")
    asking = Asking(s)
    wait_until(lambda: ran(s), 5, "the handler runs")
    os.kill(replies(s)[0], signal.SIGKILL)
    asking.answer()
    flow.expire(s)
    for _ in range(2):
        assert ask(s)[0].body == FAILED
    assert len(ran(s)) == 1
    assert (job(s)["state"], job(s)["outcome"]) == ("dead", "outcome unknown")


def test_a_run_that_lost_its_claim_changes_nothing(site):
    """The program sleeps through its lease; another run has answered meanwhile."""
    s = reply_site(site, {"sql": ["INSERT INTO fx (event_id) VALUES ({event:id})", "SELECT '{\"n\":1}'"]},
                   reply_timeout="30s")
    script(s, f"cd {s.dir}\n: >begun\nuntil test -e go; do sleep 0.1; done\nexec {s.program} \"$@\"\n", "late.sh")
    s.settings = {"hookonce": {"program": "late.sh"}}
    s.configure()
    asking = Asking(s)
    wait_until(lambda: os.path.exists(s.path("begun")), 5, "the program runs")
    flow.expire(s)
    s.settings = {}
    s.configure()
    answer, _ = ask(s)
    assert (answer.status, answer.body) == (200, b'{"n":1}')
    s.write("go", "")
    asking.answer()
    wait_until(lambda: replies(s) == [], 5, "the program has ended")
    assert len(s.effects()) == 1 and s.count("answer") == 1


def test_a_client_that_goes_away_leaves_no_process_and_finds_its_answer_later(site):
    s = reply_site(site, TRACE + 'sleep 3\necho "{\\"n\\": $$}"', server=("lighttpd", {"procs": 1}))
    body = supabase.body_of("before-user-created", "away")
    head = "".join(f"{k}: {v}\r\n" for k, v in supabase.headers_of(SECRET, body))
    raw(s.server.port, f"POST /hookonce.fcgi/hook HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{head}\r\n"
        .encode() + body, read=False)
    wait_until(lambda: ran(s), 5, "the handler runs")
    pids = replies(s)
    answer, _ = ask(s, event="away", post=s.post)
    assert answer.status == 200 and json.loads(answer.body)["n"]
    assert len(ran(s)) == 1
    wait_until(lambda: gone(pids), 5, "the program has ended and is no zombie")


@pytest.mark.parametrize("log", ["file:state/hookonce.log", "stderr"])
def test_an_ended_receiver_does_not_end_the_handler(site, log):
    """A web server may kill what it has started; the answer is there for the repeat."""
    s = reply_site(site, TRACE + 'until test -e go; do sleep 0.1; done\necho "{\\"n\\": $$}"',
                   server=("lighttpd", {"procs": 1}))
    s.settings = {"hookonce": {"log": log}}
    s.configure()
    time.sleep(1.1)
    asking = Asking(s, post=s.post)
    wait_until(lambda: ran(s), 5, "the handler runs")
    program, = replies(s)
    assert os.getsid(program) == program, "what ends the receiver's group would end it"
    for pid in pids_of(s.receiver):
        os.kill(pid, signal.SIGKILL)
    s.write("go", "")
    asking.answer()
    wait_until(lambda: s.count("answer"), 5, "the answer is stored")
    answer, _ = ask(s)
    assert answer.status == 200 and json.loads(answer.body)["n"]
    assert len(ran(s)) == 1


# ---- the database -----------------------------------------------------------------------------------------

def test_without_a_database_the_sender_is_asked_to_come_again__O_PV_02(site, own_mariadb):
    server = own_mariadb()
    s = reply_site(site, TRACE + "echo '{}'", database=server.create_database())
    for _ in range(2):
        answer, took = ask(s)
        assert (answer.status, answer.header("Content-Type"), answer.body) == (200, "application/json", b"{}\n")
        assert took < 15
    body = supabase.body_of("before-user-created")
    assert s.cgi("hook", body, supabase.headers_of("v1,whsec_" + "b" * 32, body)).status == 401
    server.stop()
    answer, took = ask(s, event="another")
    assert (answer.status, took < 15) == (503, True)
    assert int(answer.header("Retry-After")) > 0
    assert len(ran(s)) == 1
    with pytest.raises(supabase.HookError) as refused:
        supabase.call(lambda b, h: s.cgi("hook", b, h), SECRET, "before-user-created")
    assert refused.value.message == "Service currently unavailable due to hook"


def test_a_database_that_goes_while_the_handler_runs(site, own_mariadb):
    server = own_mariadb()
    s = reply_site(site, TRACE + "until test -e go; do sleep 0.1; done\necho '{}'", database=server.create_database())
    asking = Asking(s)
    wait_until(lambda: ran(s), 5, "the handler runs")
    server.kill9()
    s.write("go", "")
    answer, took = asking.answer()
    assert answer.status == 503 or answer.body == FAILED
    assert took < 15
    server.start()
    wait_until(lambda: replies(s) == [], 10, "the program has ended")
    script(s, TRACE + "echo '{\"n\":2}'")
    flow.expire(s)
    wait_until(lambda: ask(s)[0].body == b'{"n":2}\n', 15, "the repeat is answered")
    assert len({key for key, _ in ran(s)}) == 1


def test_what_a_command_may_have_done_is_not_done_again_by_the_sql_that_the_handler_became(site):
    s = reply_site(site, TRACE + flow.KILL_WORKER + "; sleep 5\n", keys={"at_most_once": "yes"})
    ask(s)
    s.configure(s.config_text().replace("command = handler.sh", "sql = INSERT INTO fx (event_id) VALUES ({event:id})")
                .replace("at_most_once = yes\n", "").replace("breaker = off\n", ""))
    flow.expire(s)
    assert ask(s)[0].body == FAILED
    assert len(ran(s)) == 1 and s.effects() == [] and job(s)["outcome"] == "outcome unknown"
    assert "its handler is SQL now" in job(s)["last_error"]
