"""Sources in reply mode: a handler answers while the sender waits; once, whatever repeats and dies."""

import json
import os
import re
import signal
import threading
import time

import pytest

from hooktest import SERVERS, flow, raw, supabase, wait_until
from hooktest.proc import pids_of

SECRET = "v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDE="
FAILED = b'{"error":{"http_code":500,"message":"The hook was not answered"}}'
TRACE = 'echo "$HOOKONCE_IDEMPOTENCY_KEY $HOOKONCE_ATTEMPT" >>ran\n'


def script(site, text, name="handler.sh"):
    """A command for this site's handlers; its folder is where it runs."""
    return site.write(name, "#!/bin/sh\n" + text, mode=0o700)


def sources(**more):
    return {"hook": {"provider": "supabase", "secret": SECRET, "mode": "reply", "handler": "h", **more}}


def reply_site(site, handler, server=None, keys=None, database=None, **more):
    """A site with one Supabase source in reply mode; a text as handler is a shell script.

    keys: further ones of the handler; more: of the source
    """
    command = isinstance(handler, str)
    section = {"command": "handler.sh", "breaker": "off"} if command else handler
    s = site(server=server, database=database, sources=sources(**more), handlers={"h": {**section, **(keys or {})}},
             routes={}, files={"handler.sh": ""} if command else {})
    if command:
        script(s, handler)
    return s


def ask(s, event="8e6d3c2b-1111-4222-8333-aabbccddeeff", hook="before-user-created", post=None, **more):
    """One attempt of a hook -> (answer, seconds)."""
    body = supabase.body_of(hook, event, **more)
    start = time.monotonic()
    answer = (post or s.cgi)("hook", body, supabase.headers_of(SECRET, body))
    return answer, time.monotonic() - start


class Asking(threading.Thread):
    """The same in the background."""

    def __init__(self, s, **more):
        super().__init__()
        self.args, self.got = (s, more), None
        self.start()

    def run(self):
        self.got = ask(self.args[0], **self.args[1])

    def answer(self, limit_s=20):
        """(answer, seconds)"""
        self.join(limit_s)
        assert self.got, "no answer"
        return self.got


def ran(s):
    """[[idempotency key, attempt]] of each run of a handler with TRACE."""
    path = s.path("ran")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [line.split() for line in f]


def job(s):
    """The only job of the site."""
    rows = s.jobs()
    assert len(rows) == 1
    return rows[0]


def parent_of(pid):
    """The pid of a process's parent, 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return int(f.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def replies(s):
    """Pids of `hookonce reply` of this site; not of what it forks to guard its command."""
    pids = pids_of(s.program)
    return [pid for pid in pids if parent_of(pid) not in pids]


def gone(pids):
    """Whether no such process is there any more, not even as a zombie."""
    return not any(os.path.exists(f"/proc/{pid}") for pid in pids)


# ---- the answer -------------------------------------------------------------------------------------------

def test_the_handlers_answer_is_given_and_kept(site):
    s = reply_site(site, TRACE + 'cat >got\necho \'{"decision":"continue"}\'')
    answer, took = ask(s)
    assert (answer.status, answer.body) == (200, b'{"decision":"continue"}\n')
    assert answer.header("Content-Type") == "application/json"
    assert took < 2
    with open(s.path("got"), "rb") as f:
        assert f.read() == supabase.body_of("before-user-created", "8e6d3c2b-1111-4222-8333-aabbccddeeff")
    receipt, kept = s.receipts()[0], s.sql("SELECT * FROM hookonce_answer")[0]
    assert (receipt["status"], receipt["outcome"]) == ("processed", "done")
    assert (job(s)["state"], job(s)["route"], job(s)["tries"], job(s)["claim_no"]) == ("done", "(reply)", 1, 1)
    assert kept["correlation_id"] == receipt["correlation_id"]
    assert (kept["status"], kept["content_type"], kept["body"]) == (200, None, b'{"decision":"continue"}\n')
    assert len(ran(s)) == 1 and len(ran(s)[0][0]) == 64
    line = s.log_lines(event="answered")[0]
    assert (line["how"], line["status"], line["handler"], line["cid"]) == ("new", "200", "h",
                                                                           receipt["correlation_id"])


def test_the_queue_has_no_part_in_it(site):
    s = reply_site(site, TRACE + "exit 1")
    s.routes = {"all": {"provider": "hook", "on": "*", "handler": "h"}}
    s.configure()
    assert ask(s)[0].body == FAILED
    for _ in range(2):
        s.process()
    assert len(ran(s)) == 1
    assert job(s)["state"] == "dead"


def test_a_repeat_gets_the_stored_answer_and_runs_nothing(site):
    s = reply_site(site, TRACE + 'echo "{\\"n\\": $$}"')
    first = ask(s)[0]
    script(s, "exit 1")
    again = ask(s)[0]
    assert (again.status, again.headers, again.body) == (first.status, first.headers, first.body)
    assert len(ran(s)) == 1
    assert s.written() == {"receipt": 1, "body": 1, "job": 1, "attempt": 1}
    assert s.receipts()[0]["duplicates"] == 1
    assert [line["how"] for line in s.log_lines(event="answered")] == ["new", "stored"]


@pytest.mark.parametrize("server", ["lighttpd", "lighttpd-cgi"])
def test_a_repeat_while_the_first_runs_waits_for_its_answer(site, server):
    s = reply_site(site, TRACE + 'sleep 1.5\necho "{\\"n\\": $$}"', server=server)
    first = Asking(s, post=s.post)
    time.sleep(1)
    again, took = ask(s, post=s.post)
    answer, _ = first.answer()
    assert answer.status == 200 and "n" in json.loads(answer.body)
    assert (again.status, again.body) == (answer.status, answer.body)
    assert 0.3 < took < 2
    assert len(ran(s)) == 1


@pytest.mark.parametrize("server", SERVERS)
def test_it_works_behind_every_web_server(site, server):
    """With .htaccess the receiver lies in the web root, and the program beside the config."""
    s = reply_site(site, TRACE + "sleep 0.3\necho '{\"a\":1}'", server=server)
    for _ in range(2):
        answer, took = ask(s, post=s.post)
        assert (answer.status, answer.header("Content-Type"), answer.body) == (200, "application/json", b'{"a":1}\n')
        assert took < 3
    assert len(ran(s)) == 1
    wait_until(lambda: replies(s) == [], 5, "the program has ended")


def test_many_at_once_run_it_once(site):
    s = reply_site(site, TRACE + 'sleep 0.5\necho "{\\"n\\": $$}"')
    answers = [a.answer()[0] for a in [Asking(s) for _ in range(6)]]
    assert {(a.status, a.body) for a in answers} == {(200, answers[0].body)}
    assert len(ran(s)) == 1


def test_the_same_id_with_another_meaning_is_not_answered_for(site):
    s = reply_site(site, TRACE + "echo '{}'")
    ask(s)
    answer, _ = ask(s, user={"id": "another"})
    assert (answer.status, answer.body) == (200, FAILED)
    assert len(ran(s)) == 1
    assert s.count("conflict") == 1


def test_what_is_not_genuine_runs_nothing(site):
    s = reply_site(site, TRACE + "echo '{}'")
    body = supabase.body_of("before-user-created")
    for headers in ([("Content-Type", "application/json")], supabase.headers_of("v1,whsec_" + "b" * 32, body)):
        assert s.cgi("hook", body, headers).status == 401
    assert s.written() == {} and ran(s) == []


# ---- what a handler may say -------------------------------------------------------------------------------

@pytest.mark.parametrize("said, status, kind, body", [
    ("printf ''", 200, "application/json", b"{}"),
    ("printf 'Status: 202 Accepted\\nContent-Type: text/x-y\\n\\nz'", 202, "text/x-y", b"z"),
    ("printf 'Content-Type: application/json; charset=utf-8\\r\\n\\r\\n[1]'", 200,
     "application/json; charset=utf-8", b"[1]"),
    ("printf 'Status: 204\\n\\n'", 204, None, b""),
    ("printf 'Status: 418\\n\\n'", 418, None, b""),
    ("printf '{\"Status: 500\": 1}'", 200, "application/json", b'{"Status: 500": 1}'),
    ("head -c 204800 /dev/zero | tr '\\0' x", 200, "application/json", b"x" * 204800),
    ("head -c 204801 /dev/zero | tr '\\0' x", 200, "application/json", FAILED),
    ("head -c 9000000 /dev/zero", 200, "application/json", FAILED),
    ("printf 'Status: 99\\n\\nx'", 200, "application/json", FAILED),
    ("printf 'Status: 200\\nSet-Cookie: a=b\\n\\nx'", 200, "application/json", FAILED),
    ("printf 'Content-Type: a\\001b\\n\\nx'", 200, "application/json", FAILED),
])
def test_a_command_speaks_like_a_cgi_program(site, said, status, kind, body):
    s = reply_site(site, said)
    for _ in range(2):
        answer, _ = ask(s)
        assert (answer.status, answer.header("Content-Type"), answer.body) == (status, kind, body)
    assert answer.header("Set-Cookie") is None


@pytest.mark.parametrize("sql, status, kind, body", [
    (["SELECT JSON_OBJECT('id', {/user/id})"], 200, "application/json", b'{"id": "%s"}' % supabase.USER["id"].encode()),
    (["SELECT 'no', 403"], 403, "application/json", b"no"),
    (["SELECT '<a/>', 200, 'text/xml'"], 200, "text/xml", b"<a/>"),
    (["SELECT 'first'", "SELECT 'last'"], 200, "application/json", b"last"),
    (["SELECT NULL"], 200, "application/json", b"{}"),
    (["INSERT INTO fx (event_id) VALUES ({event:id})"], 200, "application/json", b"{}"),
    (["SELECT 'x', 99"], 200, "application/json", FAILED),
    (["SELECT 'x', 200, 'a\\r\\nSet-Cookie: b=c'"], 200, "application/json", FAILED),
    (["SELECT 'x' FROM fx"], 200, "application/json", FAILED),
    (["SELECT nothing FROM nowhere"], 200, "application/json", FAILED),
])
def test_sql_answers_with_its_first_row(site, sql, status, kind, body):
    s = reply_site(site, {"sql": sql})
    answer, _ = ask(s)
    assert (answer.status, answer.header("Content-Type"), answer.body) == (status, kind, body)
    assert answer.header("Set-Cookie") is None


def test_sql_and_its_answer_are_there_together_or_not_at_all(site):
    s = reply_site(site, {"sql": ["INSERT INTO fx (event_id) VALUES ({event:id})", "SELECT REPEAT('x', 204801)"]})
    assert ask(s)[0].body == FAILED
    assert s.effects() == [] and s.count("answer") == 0
    s.handlers["h"]["sql"][1] = "SELECT REPEAT('x', 204800)"
    s.configure()
    s.sql("ALTER TABLE hookonce_attempt ADD CONSTRAINT none CHECK (rows_changed IS NULL)")
    assert ask(s)[0].status == 503
    assert s.effects() == [] and s.count("answer") == 0
    s.sql("ALTER TABLE hookonce_attempt DROP CONSTRAINT none")
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6)")
    assert len(ask(s)[0].body) == 204800
    assert len(s.effects()) == 1 and s.count("answer") == 1
    assert [row["outcome"] for row in s.sql("SELECT outcome FROM hookonce_attempt ORDER BY claim_no")] == [
        "failed", "lease lost", "done"]


def test_each_type_is_guessed_where_nobody_names_one(site):
    """Slack's recipe has no type of its own."""
    said = {"json": ('{"text":"x"}', "application/json"), "text": ("hello", "text/plain; charset=utf-8"),
            "open": ("{no json", "text/plain; charset=utf-8")}
    s = site(sources={"slack": {"provider": "slack", "secret": "s", "mode": "reply", "handler": "h"}}, routes={},
             handlers={"h": {"sql": "SELECT {/text}"}})
    for number, (text, kind) in enumerate(said.values()):
        body = f"command=%2Fx&trigger_id=1.{number}&text=".encode() + text.encode().replace(b"\"", b"%22")
        headers = s.signed("slack", body, content_type="application/x-www-form-urlencoded")
        answer = s.cgi("slack", body, headers)
        assert (answer.header("Content-Type"), answer.body) == (kind, text.encode())


# ---- failures ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, outcome", [
    ("echo sorry >&2\nexit 1", "gave up"), ("kill -KILL $$", "gave up"), ("exit 65", "handler gave up"),
    ("exit 75", "gave up"),
])
def test_a_failure_is_what_the_provider_understands_and_a_repeat_tries_anew(site, text, outcome):
    s = reply_site(site, TRACE + text)
    answer, took = ask(s)
    assert (answer.status, answer.header("Content-Type"), answer.body) == (200, "application/json", FAILED)
    assert took < 2
    assert (job(s)["state"], job(s)["outcome"]) == ("dead", outcome)
    assert s.receipts()[0]["status"] == "failed"
    assert "sorry" not in text or "sorry" in job(s)["last_error"]
    script(s, TRACE + "echo '{\"a\":1}'")
    answer, _ = ask(s)
    assert answer.body == b'{"a":1}\n'
    assert (job(s)["state"], s.receipts()[0]["status"]) == ("done", "processed")
    assert [attempt for _, attempt in ran(s)] == ["1", "2"]
    assert len({key for key, _ in ran(s)}) == 1


def test_not_now_is_a_matter_of_asking_again(site):
    s = reply_site(site, TRACE + "exit 69")
    answer, _ = ask(s)
    assert answer.status == 503 and int(answer.header("Retry-After")) > 0
    script(s, "echo '{}'")
    assert ask(s)[0].status == 200


def test_a_late_handler_is_answered_for_in_time(site):
    s = reply_site(site, TRACE + "sleep 30", reply_timeout="1s")
    answer, took = ask(s)
    assert (answer.status, answer.body) == (200, FAILED)
    assert took < 3
    wait_until(lambda: replies(s) == [], 5, "the program has ended")
    assert job(s)["state"] == "dead"
    assert "in its time" in job(s)["last_error"]


@pytest.mark.parametrize("server", ["lighttpd", "lighttpd-cgi", "apache-fcgid", "apache-cgid"])
def test_a_handler_that_does_not_want_to_end_is_answered_for_in_time(site, server):
    s = reply_site(site, "trap '' TERM\nwhile :; do sleep 0.1; done", server=server, reply_timeout="1s")
    answer, took = ask(s, post=s.post)
    assert (answer.body, took < 1.6) == (FAILED, True)
    wait_until(lambda: replies(s) == [], 5, "the program has ended")


def test_late_sql_is_undone(site):
    s = reply_site(site, {"sql": ["INSERT INTO fx (event_id) VALUES ({event:id})", "SELECT SLEEP(20)"]},
                   reply_timeout="1s")
    answer, took = ask(s)
    assert (answer.body, took < 3) == (FAILED, True)
    wait_until(lambda: replies(s) == [], 5, "the program has ended")
    assert s.effects() == [] and s.count("answer") == 0


def test_a_handler_has_no_more_than_its_own_time(site):
    s = reply_site(site, "sleep 30", keys={"timeout": "1s"})
    answer, took = ask(s)
    assert answer.body == FAILED
    assert 0.9 < took < 3


# ---- deaths -----------------------------------------------------------------------------------------------

def test_a_killed_program_is_a_failure_at_once_and_its_lease_is_taken_over(site):
    s = reply_site(site, TRACE + "sleep 20", server="lighttpd", reply_timeout="1500ms")
    asking = Asking(s, post=s.post)
    wait_until(lambda: ran(s), 5, "the handler runs")
    pids = replies(s)
    assert len(pids) == 1
    os.kill(pids[0], signal.SIGKILL)
    answer, took = asking.answer()
    assert (answer.body, took < 1.4) == (FAILED, True)
    assert job(s)["state"] == "running"
    script(s, TRACE + "echo '{\"n\":2}'")
    wait_until(lambda: s.value("SELECT run_at < UTC_TIMESTAMP(6) FROM hookonce_job"), 5, "the lease is over")
    answer, _ = ask(s, post=s.post)
    assert (answer.status, answer.body) == (200, b'{"n":2}\n')
    assert [attempt for _, attempt in ran(s)] == ["1", "2"]
    assert len({key for key, _ in ran(s)}) == 1
    attempts = s.sql("SELECT claim_no, outcome, ended_at FROM hookonce_attempt ORDER BY claim_no")
    assert [(a["claim_no"], a["outcome"]) for a in attempts] == [(1, "lease lost"), (2, "done")]
    assert all(a["ended_at"] for a in attempts)
    assert s.log_lines(event="answered")[-1]["how"] == "taken over"


def test_a_repeat_of_what_vanished_is_busy_until_the_lease_is_over(site):
    s = reply_site(site, TRACE + "sleep 20", reply_timeout="1s")
    asking = Asking(s)
    wait_until(lambda: ran(s), 5, "the handler runs")
    os.kill(replies(s)[0], signal.SIGKILL)
    assert asking.answer()[0].body == FAILED
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) + INTERVAL 20 SECOND")
    answer, took = ask(s)
    assert (answer.status, 0.9 < took < 2) == (503, True)
    assert int(answer.header("Retry-After")) > 0
    assert len(ran(s)) == 1


def test_sql_that_vanished_is_a_dead_letter_too(site):
    s = reply_site(site, {"sql": ["INSERT INTO fx (event_id) VALUES ({event:id})", "SELECT SLEEP(20)"]},
                   reply_timeout="2s")
    asking = Asking(s)
    flow.wait_sleeping(s)
    os.kill(replies(s)[0], signal.SIGKILL)
    assert asking.answer()[0].body == FAILED
    wait_until(lambda: s.value("SELECT run_at < UTC_TIMESTAMP(6) FROM hookonce_job"), 6, "the lease is over")
    wait_until(lambda: flow.sleeping(s) == [], 10, "the server has noticed")
    assert s.hookonce("process", "--once").returncode in (0, 1)
    assert (job(s)["state"], s.receipts()[0]["status"], s.effects()) == ("dead", "failed", [])
    assert job(s)["outcome"] == "worker lost"


def test_what_vanished_is_a_dead_letter_in_the_end_and_can_still_be_asked_again(site):
    s = reply_site(site, TRACE + "sleep 20", reply_timeout="1s")
    asking = Asking(s)
    wait_until(lambda: ran(s), 5, "the handler runs")
    os.kill(replies(s)[0], signal.SIGKILL)
    asking.answer()
    wait_until(lambda: s.value("SELECT run_at < UTC_TIMESTAMP(6) FROM hookonce_job"), 5, "the lease is over")
    assert s.hookonce("process", "--once").returncode in (0, 1)
    assert (job(s)["state"], s.receipts()[0]["status"]) == ("dead", "failed")
    assert len(ran(s)) == 1
    script(s, TRACE + "echo '{}'")
    assert ask(s)[0].status == 200
    assert len({key for key, _ in ran(s)}) == 1 and len(ran(s)) == 2


def test_at_most_once_is_not_started_twice(site):
    s = reply_site(site, TRACE + "sleep 20", keys={"at_most_once": "yes"}, reply_timeout="1s")
    asking = Asking(s)
    wait_until(lambda: ran(s), 5, "the handler runs")
    os.kill(replies(s)[0], signal.SIGKILL)
    asking.answer()
    wait_until(lambda: s.value("SELECT run_at < UTC_TIMESTAMP(6) FROM hookonce_job"), 5, "the lease is over")
    for _ in range(2):
        assert ask(s)[0].body == FAILED
    assert len(ran(s)) == 1
    assert (job(s)["state"], job(s)["outcome"]) == ("dead", "outcome unknown")


def test_a_run_that_lost_its_claim_changes_nothing(site):
    """The program sleeps through its lease; another run has answered meanwhile."""
    s = reply_site(site, {"sql": ["INSERT INTO fx (event_id) VALUES ({event:id})", "SELECT '{\"n\":1}'"]},
                   reply_timeout="2s")
    asking = Asking(s)
    pid = wait_until(lambda: replies(s), 5, "the program runs", step_s=0.001)[0]
    os.kill(pid, signal.SIGSTOP)
    if s.count("answer"):
        pytest.skip("it was faster than the test")
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND")
    answer, _ = ask(s)
    assert (answer.status, answer.body) == (200, b'{"n":1}')
    os.kill(pid, signal.SIGCONT)
    asking.answer()
    wait_until(lambda: replies(s) == [], 5, "the program has ended")
    assert len(s.effects()) == 1 and s.count("answer") == 1


def test_a_client_that_goes_away_leaves_no_process_and_finds_its_answer_later(site):
    s = reply_site(site, TRACE + 'sleep 1\necho "{\\"n\\": $$}"', server=("lighttpd", {"procs": 1}))
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
    s = reply_site(site, TRACE + 'sleep 1\necho "{\\"n\\": $$}"', server=("lighttpd", {"procs": 1}))
    s.settings = {"hookonce": {"log": log}}
    s.configure()
    time.sleep(1.1)
    asking = Asking(s, post=s.post)
    wait_until(lambda: ran(s), 5, "the handler runs")
    program, = replies(s)
    assert os.getsid(program) == program, "what ends the receiver's group would end it"
    for pid in pids_of(s.receiver):
        os.kill(pid, signal.SIGKILL)
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
        assert took < 2
    body = supabase.body_of("before-user-created")
    start = time.monotonic()
    assert s.cgi("hook", body, supabase.headers_of("v1,whsec_" + "b" * 32, body)).status == 401
    assert time.monotonic() - start < 2
    server.stop()
    answer, took = ask(s, event="another")
    assert (answer.status, took < 2) == (503, True)
    assert int(answer.header("Retry-After")) > 0
    assert len(ran(s)) == 1
    with pytest.raises(supabase.HookError) as refused:
        supabase.call(lambda b, h: s.cgi("hook", b, h), SECRET, "before-user-created")
    assert refused.value.message == "Service currently unavailable due to hook"


def test_a_database_that_goes_while_the_handler_runs(site, own_mariadb):
    server = own_mariadb()
    s = reply_site(site, TRACE + "sleep 1\necho '{}'", database=server.create_database())
    asking = Asking(s)
    wait_until(lambda: ran(s), 5, "the handler runs")
    server.kill9()
    answer, took = asking.answer()
    assert answer.status == 503 or answer.body == FAILED
    assert took < 5
    server.start()
    wait_until(lambda: replies(s) == [], 10, "the program has ended")
    script(s, TRACE + "echo '{\"n\":2}'")
    wait_until(lambda: ask(s)[0].body == b'{"n":2}\n', 15, "the repeat is answered")
    assert len({key for key, _ in ran(s)}) == 1


# ---- who may say what -------------------------------------------------------------------------------------

def test_an_answer_that_somebody_else_wrote_is_not_given(site):
    s = reply_site(site, TRACE + "echo '{}'")
    ask(s)
    for change in ("body = '{\"claims\":{\"role\":\"service_role\"}}'", "status = 204",
                   "content_type = 'text/html'", "mac = REPEAT('x', 32)"):
        s.sql("CREATE TABLE IF NOT EXISTS kept AS SELECT * FROM hookonce_answer")
        s.sql("UPDATE hookonce_answer SET " + change)
        answer, _ = ask(s)
        assert (answer.status, answer.body) == (200, FAILED)
        s.sql("UPDATE hookonce_answer AS a JOIN kept AS k ON k.correlation_id = a.correlation_id SET a.body = k.body,"
              " a.status = k.status, a.content_type = k.content_type, a.mac = k.mac")
    assert ask(s)[0].body == b"{}\n"
    assert len(ran(s)) == 1


def test_another_receipts_answer_is_not_given(site):
    s = reply_site(site, TRACE + 'echo "{\\"n\\": $$}"')
    ask(s, event="one")
    ask(s, event="two")
    s.sql("UPDATE hookonce_answer AS a JOIN (SELECT * FROM hookonce_answer ORDER BY correlation_id LIMIT 1) AS b"
          " SET a.body = b.body, a.mac = b.mac")
    assert ask(s, event="two")[0].body == FAILED


def test_a_forged_receipt_is_not_answered(site):
    s = reply_site(site, TRACE + "exit 1")
    ask(s)
    script(s, TRACE + "echo '{}'")
    s.sql("UPDATE hookonce_body SET bytes = REPLACE(bytes, 'before', 'beyond')")
    assert ask(s)[0].body == FAILED
    assert len(ran(s)) == 1
    assert job(s)["outcome"] == "forged row"


def test_the_program_sees_nothing_of_the_receivers(site):
    s = reply_site(site, "cat /proc/$PPID/environ >env\ntr '\\0' ' ' </proc/$PPID/cmdline >argv\n"
                   "receiver=$(sed -n 's/^PPid:.//p' /proc/$PPID/status)\ncp /proc/$PPID/status status\n"
                   "ls -l /proc/$PPID/fd >fds\nls -l /proc/$receiver/fd >receiver\n"
                   "env >own\nls -l /proc/$$/fd >ownfds\necho '{}'", server=("lighttpd", {"procs": 1}))
    assert ask(s, post=s.post)[0].status == 200

    def text(name):
        with open(s.path(name), encoding="utf-8") as f:
            return f.read()

    env = dict(pair.split("=", 1) for pair in text("env").rstrip("\0").split("\0"))
    assert set(env) == {"HOOKONCE_CONFIG", "PATH", "HOME"}
    assert env["HOOKONCE_CONFIG"] == s.path("hookonce.conf")
    cid = s.receipts()[0]["correlation_id"]
    assert text("argv").split() == [s.program, "reply", cid]
    everything = text("env") + text("argv") + text("own")
    for secret in (SECRET, SECRET[9:], s.db.password, s.value("SELECT HEX(claim_token) FROM hookonce_job") or "-"):
        assert secret not in everything.replace("-", "") or secret == "-"
    theirs, ours = ({line.split(" -> ")[1] for line in text(name).splitlines() if " -> socket:" in line}
                    for name in ("receiver", "fds"))
    assert len(theirs) >= 3, "the listening socket, the web server's, the database's"
    assert ours and not theirs & ours
    assert text("ownfds").count("socket:") == 0
    signals = dict(re.findall(r"^(Sig\w+):\s*(\w+)$", text("status"), re.M))
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM):
        assert not (int(signals["SigBlk"], 16) | int(signals["SigIgn"], 16)) >> (number - 1) & 1


def test_by_hand_the_command_does_nothing(site):
    s = reply_site(site, TRACE + "exit 1")
    ask(s)
    cid = s.receipts()[0]["correlation_id"]
    for arguments, given in (((), b""), (("x",), b""), ((cid,), b""), ((cid,), b"zz\n"),
                             ((cid, "more"), b"0" * 32 + b"\n")):
        done = s.hookonce("reply", *arguments, input=given)
        assert (done.returncode, done.stdout) == (2, b"")
    assert s.hookonce("reply", cid, input=b"0" * 32 + b"\n").returncode == 1
    assert len(ran(s)) == 1


def test_a_program_that_is_not_there_is_an_alarm_and_may_stand_elsewhere(site):
    s = reply_site(site, TRACE + "echo '{}'")
    away = s.folder("away")
    os.rename(s.program, away + "/hookonce")
    assert ask(s)[0].body == FAILED
    assert [line for line in s.log_lines(event="config") if "program" in line["reason"]]
    s.settings = {"hookonce": {"program": "away/hookonce"}}
    s.configure()
    answer, took = ask(s)
    assert (answer.body, took < 2) == (b"{}\n", True)


def test_where_the_log_is_stderr_both_programs_write_there(site):
    s = reply_site(site, TRACE + "exit 1")
    s.settings = {"hookonce": {"log": "stderr"}}
    s.configure()
    assert ask(s)[0].body == FAILED
    assert "event=dead" in s.cgi_stderr and "event=answered" in s.cgi_stderr


def test_a_broken_config_is_said_in_the_log(site):
    s = reply_site(site, TRACE + "echo '{}'", server=("lighttpd", {"procs": 1}))
    ask(s, event="one", post=s.post)
    s.configure(s.config_text().replace("handler = h", "handler = g"))
    assert ask(s, event="two", post=s.post)[0].body == FAILED
    assert "[handler g]" in s.log_lines(event="answered")[-1]["why"]


def test_limits_of_the_handler_hold_here_too(site):
    s = reply_site(site, TRACE + "sleep 1\necho '{}'", keys={"concurrency": "1"})
    first = Asking(s, event="one")
    wait_until(lambda: ran(s), 5, "the handler runs")
    answer, _ = ask(s, event="two")
    assert answer.status == 503 and int(answer.header("Retry-After")) > 0
    assert first.answer()[0].status == 200
    assert ask(s, event="two")[0].status == 200


def test_a_recipe_of_batches_has_no_reply_mode(site):
    s = site(sources={}, routes={}, handlers={"h": {"sql": "SELECT 1"}}, migrate=False)
    s.sources = {"x": {"provider": "sendgrid", "secret": "file:x", "mode": "reply", "handler": "h"}}
    s.configure()
    done = s.hookonce("check")
    assert done.returncode != 0
    assert b"several events" in done.stdout + done.stderr


# ---- hookonce check ---------------------------------------------------------------------------------------

def findings(s):
    """[(level, text)] of what the check says of the source."""
    done = s.hookonce("check", "--json")
    return [(f["level"], f["text"]) for f in map(json.loads, done.stdout.splitlines())
            if f["subject"] in ("source hook", "handler h", "route all")]


def test_the_check_knows_who_answers_and_where_from(site):
    s = reply_site(site, "exit 0")
    assert ("ok", "reply mode: handler h answers within 4s") in findings(s)
    assert [f for f in findings(s) if f[0] in ("warn", "FAIL")] == []
    s.sources["hook"]["reply_timeout"] = "30s"
    s.settings = {"hookonce": {"program": "nowhere/hookonce"}}
    s.routes = {"all": {"provider": "hook", "on": "*", "handler": "h"}}
    s.configure()
    said = findings(s)
    assert [text for level, text in said if level == "FAIL" and "nowhere/hookonce" in text]
    assert [text for level, text in said if level == "warn" and "30s" in text and "4s" in text]
    assert [text for level, text in said if level == "warn" and "no source delivers" in text]
