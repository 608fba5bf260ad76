"""`fetch`: the object of an event as it is now, for SQL, commands and URLs; gone, away, or not allowed."""

import json
import os
import threading

import pytest

from hooktest import events, wait_until
from hooktest.flow import arrive, attempts, make_due

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
SUBS = "CREATE TABLE subs (id VARCHAR(64) PRIMARY KEY, status VARCHAR(40), amount DECIMAL(10,2)) ENGINE=InnoDB"
PUT = "REPLACE INTO subs VALUES ({/data/object/id}, {fetched:/status}, {fetched:/amount})"


def fetch_site(site, there, handler=None, path="/subs/{/data/object/id}", route=(), **more):
    """One route that fetches an object of the server before its handler runs."""
    s = site(sources=STRIPE, handlers={"h": handler or {"sql": PUT}},
             routes={"r": {"provider": "stripe", "handler": "h", "fetch": there.url(path), "retry": "3 tries, 1h",
                           **dict(route)}}, **more)
    s.sql(SUBS)
    return s


def only_job(s):
    """The only job's row."""
    job, = s.jobs()
    return job


def test_sql_gets_what_is_true_now_and_not_what_the_event_says(site, downstream):
    there = downstream((200, b'{"status":"past_due","amount":12.50}'))
    s = fetch_site(site, there, path="/subs/{/data/object/id}?expand={event:type}",
                   route={"fetch_auth": "bearer file:token"}, files={"token": "sk_live_1\n"})
    arrive(s, events.stripe("evt_1", object_id="sub/1 é"))
    s.process()
    row, = s.sql("SELECT * FROM subs")
    assert (row["id"], row["status"], str(row["amount"])) == ("sub/1 é", "past_due", "12.50")
    got, = there.requests
    assert (got.method, got.path) == ("GET", "/subs/sub%2F1%20%C3%A9?expand=checkout.session.completed")
    assert got.headers["authorization"] == "Bearer sk_live_1" and got.headers["accept"] == "application/json"
    assert "sk_live" not in s.log_text() + json.dumps(s.jobs(), default=str)


def test_a_command_finds_the_object_in_a_private_file_that_is_gone_afterwards(site, downstream):
    there = downstream((200, b'{"status":"active"}'))
    s = fetch_site(site, there, handler={"command": "./do"})
    s.write("do", '#!/bin/sh\ncat "$HOOKONCE_FETCHED" > object; stat -c "%a %n" "$HOOKONCE_FETCHED" > file\n', 0o700)
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert only_job(s)["outcome"] == "done"
    with open(s.path("object"), "rb") as f:
        assert f.read() == b'{"status":"active"}'
    with open(s.path("file"), encoding="utf-8") as f:
        mode, name = f.read().split()
    assert mode == "600" and name.startswith("/") and not os.path.exists(name)
    assert not [n for n in os.listdir(s.path("state")) if n.startswith("command.")]


def test_a_url_gets_event_and_object_as_they_were_written(site, downstream):
    there = downstream(200, script=[(200, b' {"amount": 12.50, "big": 123456789012345678901234567890} ')])
    s = fetch_site(site, there, handler={"url": there.url("/in")})
    body = events.stripe("evt_1")
    arrive(s, body)
    s.process()
    fetched, posted = there.requests
    assert (fetched.method, posted.method) == ("GET", "POST")
    assert posted.body == (b'{"event":' + body + b',"fetched":{"amount": 12.50, "big": '
                           b'123456789012345678901234567890}}')
    assert posted.headers["content-type"] == "application/json"


@pytest.mark.parametrize("status", [404, 410])
@pytest.mark.parametrize("gone, state, outcome", [("dead", "dead", "gone"), ("skip", "done", "gone"),
                                                  ("run", "done", "done")])
def test_an_object_that_is_gone_is_what_the_route_says(site, downstream, status, gone, state, outcome):
    there = downstream(200, script=[status])
    s = fetch_site(site, there, handler={"url": there.url("/in")}, route={"gone": gone})
    body = events.stripe("evt_1")
    arrive(s, body)
    s.hookonce("process", "--once")
    assert (only_job(s)["state"], only_job(s)["outcome"]) == (state, outcome)
    posted = [r.body for r in there.requests if r.method == "POST"]
    assert posted == ([b'{"event":' + body + b',"fetched":null}'] if gone == "run" else [])


def test_sql_that_runs_without_the_object_gets_null(site, downstream):
    there = downstream(404)
    s = fetch_site(site, there, route={"gone": "run"})
    arrive(s, events.stripe("evt_1", object_id="sub_1"))
    s.process()
    assert s.sql("SELECT * FROM subs") == [{"id": "sub_1", "status": None, "amount": None}]


@pytest.mark.parametrize("status", [429, 503])
def test_who_is_asked_may_say_not_now(site, downstream, status):
    there = downstream((200, b'{"status":"active","amount":1}'), script=[(status, b"", {"Retry-After": "60"})] * 2)
    s = fetch_site(site, there, route={"retry": "1 try"})
    arrive(s, events.stripe("evt_1"))
    for waits in (1, 2):
        s.process()
        job = only_job(s)
        assert (job["state"], job["tries"], job["waits"], job["waiting_for"]) == ("ready", 0, waits, "fetch")
        left = s.value("SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), run_at) FROM hookonce_job")
        assert 20 < left <= 60
        make_due(s)
    s.process()
    assert only_job(s)["outcome"] == "done" and s.value("SELECT status FROM subs") == "active"


def test_what_is_not_fetched_fails_the_try_and_nothing_runs(site, downstream):
    there = downstream((200, b'{"status":"ok","amount":1}'),
                       script=[500, 401, (302, b"", {"Location": "/elsewhere"}), (200, b"<html>Please log in</html>"),
                               (200, b'{"status":"o')])
    s = fetch_site(site, there, route={"retry": "6 tries, 1h"})
    arrive(s, events.stripe("evt_1"))
    for why in (*(f"the server answers with status {status}" for status in (500, 401, 302)),
                *["what the server answers is no JSON document"] * 2):
        s.process()
        assert only_job(s)["last_error"].startswith(f"fetch: {why}")
        assert s.value("SELECT COUNT(*) FROM subs") == 0
        make_due(s)
    s.process()
    assert [o for _, o in attempts(s)] == ["failed"] * 5 + ["done"]
    assert [r.path.rpartition("/")[0] for r in there.requests] == ["/subs"] * 6


@pytest.mark.parametrize("handler", ["url", "command"])
def test_nobody_is_handed_an_object_that_is_no_json(site, downstream, handler):
    there = downstream((200, b"<html>Please log in</html>"))
    s = fetch_site(site, there, handler={"url": {"url": there.url("/in")}, "command": {"command": "./do"}}[handler],
                   route={"retry": "1 try"})
    s.write("do", "#!/bin/sh\ntouch acted\n", 0o700)
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    assert (only_job(s)["state"], only_job(s)["outcome"]) == ("dead", "gave up")
    assert [r.method for r in there.requests] == ["GET"] and not os.path.exists(s.path("acted"))


def test_an_event_that_does_not_say_which_object_is_a_dead_letter_and_nobody_is_asked(site, downstream):
    there = downstream()
    s = fetch_site(site, there, path="/subs/{/data/object/customer}")
    arrive(s, events.stripe("evt_1"))
    assert s.hookonce("process", "--once").returncode == 1
    assert only_job(s)["state"] == "dead" and "{/data/object/customer}" in only_job(s)["last_error"]
    assert not there.requests


@pytest.mark.parametrize("object_id", ["..", ".", "../../admin", "a?b=c#d", "%2e%2e"])
def test_an_event_chooses_no_other_address(site, downstream, object_id):
    there = downstream((200, b"{}"))
    s = fetch_site(site, there, path="/subs/{/data/object/id}/now")
    arrive(s, events.stripe("evt_1", object_id=object_id))
    s.hookonce("process", "--once")
    for got in there.requests:
        assert got.path.startswith("/subs/") and got.path.endswith("/now") and got.path.count("/") == 3
        assert "/../" not in got.path and "?" not in got.path
    assert len(there.requests) == (0 if object_id in ("..", ".") else 1)


def test_nothing_is_locked_while_somebody_else_is_asked(site, downstream):
    there = downstream((200, b'{"status":"ok","amount":1}'))
    there.script.append(there.late(60, (200, b'{"status":"late","amount":1}')))
    s = fetch_site(site, there)
    arrive(s, events.stripe("evt_1"))
    worker = s.start_processor()
    there.wait(1)
    # Neither the job's row nor a transaction of ours is open now; the look for alerts beside it may have a short one.
    wait_until(lambda: s.value("SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p "
                               f"ON p.id = t.trx_mysql_thread_id WHERE p.user = '{s.db.user}'") == 0, 10, "none is open")
    done = threading.Event()
    threading.Thread(target=lambda: (s.sql("SELECT * FROM hookonce_job FOR UPDATE"), done.set()), daemon=True).start()
    assert done.wait(10)
    there.gone.set()
    wait_until(lambda: only_job(s)["state"] != "running", 10, "it is settled")
    worker.stop()
