"""Sources in reply mode: a handler answers while the sender waits."""

import json
import time

import pytest

from hooktest import SERVERS, supabase, wait_until
from hooktest.reply import FAILED, TRACE, Asking, ask, job, ran, replies, reply_site, script

# ---- the answer -------------------------------------------------------------------------------------------

def test_the_handlers_answer_is_given_and_kept(site):
    s = reply_site(site, TRACE + 'cat >got\necho \'{"decision":"continue"}\'')
    answer, took = ask(s)
    assert (answer.status, answer.body) == (200, b'{"decision":"continue"}\n')
    assert answer.header("Content-Type") == "application/json"
    assert took < 15, "it waits for nothing"
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
    s = reply_site(site, TRACE + 'until test -e go; do sleep 0.1; done\necho "{\\"n\\": $$}"', server=server)
    first = Asking(s, post=s.post)
    wait_until(lambda: ran(s), 5, "the handler runs")
    second = Asking(s, post=s.post)
    time.sleep(1)
    assert second.is_alive()
    s.write("go", "")
    answer, again = first.answer()[0], second.answer()[0]
    assert answer.status == 200 and "n" in json.loads(answer.body)
    assert (again.status, again.body) == (answer.status, answer.body)
    assert len(ran(s)) == 1
    assert [line["how"] for line in s.log_lines(event="answered")].count("waited") == 1


@pytest.mark.parametrize("server", [s for s in SERVERS if s not in ("lighttpd-socket", "htaccess-proxy")])
def test_it_works_behind_every_web_server(site, server):
    """With .htaccess the receiver lies in a folder of the web root, and the program beside the config."""
    s = reply_site(site, TRACE + "sleep 0.3\necho '{\"a\":1}'", server=server)
    for _ in range(2):
        answer, _ = ask(s, post=s.post)
        assert (answer.status, answer.header("Content-Type"), answer.body) == (200, "application/json", b'{"a":1}\n')
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
    ("printf '{\"Status: 500\": 1}'", 200, "application/json", b'{"Status: 500": 1}'),
    ("printf 'Status: 404\\nContent-Type: text/html\\n\\nx'", 200, "application/json",
     b"Status: 404\nContent-Type: text/html\n\nx"),
    ("printf 'Location: /\\n\\nx'", 200, "application/json", b"Location: /\n\nx"),
    ("head -c 204800 /dev/zero | tr '\\0' x", 200, "application/json", b"x" * 204800),
    ("head -c 204801 /dev/zero | tr '\\0' x", 200, "application/json", FAILED),
    ("head -c 9000000 /dev/zero", 200, "application/json", FAILED),
])
def test_all_that_a_command_prints_is_body(site, said, status, kind, body):
    s = reply_site(site, said)
    for _ in range(2):
        answer, _ = ask(s)
        assert (answer.status, answer.header("Content-Type"), answer.body) == (status, kind, body)


def test_a_command_that_echoes_the_event_gives_it_no_say_in_the_answer(site):
    """Whoever signs up chooses the text; that it begins like headers must not matter."""
    s = reply_site(site, "sed 's/.*\"name\":\"\\([^\"]*\\)\".*/\\1/; s/\\\\n/\\n/g'")
    answer, _ = ask(s, user={"name": "Status: 302\nContent-Type: text/html\n\n<script>"})
    assert (answer.status, answer.header("Content-Type")) == (200, "application/json")
    assert b"<script>" in answer.body


@pytest.mark.parametrize("said, status, kind, body", [
    ("printf 'Status: 202 Accepted\\nContent-Type: text/x-y\\n\\nz'", 202, "text/x-y", b"z"),
    ("printf 'Content-Type: application/json; charset=utf-8\\r\\n\\r\\n[1]'", 200,
     "application/json; charset=utf-8", b"[1]"),
    ("printf 'Status: 204\\n\\n'", 204, None, b""),
    ("printf 'Status: 418\\n\\n'", 418, None, b""),
    ("printf '\\nStatus: 418\\n\\n'", 200, "application/json", b"Status: 418\n\n"),
    ("printf '\\n'", 200, "application/json", b"{}"),
    ("printf '{}'", 200, "application/json", FAILED),
    ("printf 'Status: 99\\n\\nx'", 200, "application/json", FAILED),
    ("printf 'Status: 200\\nSet-Cookie: a=b\\n\\nx'", 200, "application/json", FAILED),
    ("printf 'Content-Type: a\\001b\\n\\nx'", 200, "application/json", FAILED),
    ("printf 'Content-Type: html\\n\\nx'", 200, "application/json", FAILED),
])
def test_a_command_may_speak_like_a_cgi_program(site, said, status, kind, body):
    s = reply_site(site, said, keys={"prints": "headers"})
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
    (["SELECT 'x', 200, 'html'"], 200, "application/json", FAILED),
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
    s = site(sources={"slack": {"provider": "slack", "secret": "s", "mode": "reply", "handler": "h",
                                "reply_timeout": "20s"}}, routes={},
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
    assert took < 15, "it waits for nothing"
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
    assert took < 15
    wait_until(lambda: replies(s) == [], 5, "the program has ended")
    assert job(s)["state"] == "dead"
    assert job(s)["last_error"] == "the command was not through in its time (reply_timeout 1s) and was killed"


def test_a_late_handler_is_told_from_the_recipes_time_and_from_its_own(site):
    s = reply_site(site, {"sql": "SELECT SLEEP(20)"}, reply_timeout=None)
    assert ask(s)[0].body == FAILED
    wait_until(lambda: replies(s) == [], 5, "the program has ended")
    assert job(s)["last_error"].endswith("not through in its time (reply_timeout of the recipe)")
    s = reply_site(site, "sleep 30", keys={"timeout": "1s"})
    assert ask(s)[0].body == FAILED
    assert job(s)["last_error"] == "the command was not through in its time (timeout 1s) and was killed"


@pytest.mark.parametrize("server", ["lighttpd", "lighttpd-cgi", "apache-fcgid", "apache-cgid"])
def test_a_handler_that_does_not_want_to_end_is_answered_for_in_time(site, server):
    s = reply_site(site, "trap '' TERM\nwhile :; do sleep 0.1; done", server=server, reply_timeout="1s")
    answer, took = ask(s, post=s.post)
    assert (answer.body, took < 15) == (FAILED, True)
    # not when its program has ended, which takes a second more
    assert s.log_lines(event="answered")[0]["why"] == "its handler was not through in time"
    wait_until(lambda: replies(s) == [], 5, "the program has ended")


def test_late_sql_is_undone(site):
    s = reply_site(site, {"sql": ["INSERT INTO fx (event_id) VALUES ({event:id})", "SELECT SLEEP(20)"]},
                   reply_timeout="1s")
    answer, took = ask(s)
    assert (answer.body, took < 15) == (FAILED, True)
    wait_until(lambda: replies(s) == [], 5, "the program has ended")
    assert s.effects() == [] and s.count("answer") == 0


def test_a_handler_has_no_more_than_its_own_time(site):
    s = reply_site(site, "sleep 30", keys={"timeout": "1s"})
    answer, took = ask(s)
    assert answer.body == FAILED
    assert 0.9 < took < 15
