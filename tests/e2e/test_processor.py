"""The processor from the outside: when it wakes, which routes it takes, when it tries again, how it ends."""

import json
import signal
import threading
import time

import pytest

from hooktest import events, wait_until
from hooktest.flow import Gate, arrive, attempts

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
GITHUB = {"github": {"provider": "github", "secret": "github test secret"}}
FX = "INSERT INTO fx (event_id) VALUES ({event:id})"
# Fails as long as the table `switch` says so.
SWITCHED = [FX, "INSERT INTO marks (mark) SELECT IF(off, NULL, 1) FROM switch"]


def switched(site, retry, **more):
    """A site whose handler fails until switch_on()."""
    s = site(sources=STRIPE, handlers={"h": {"sql": SWITCHED}},
             routes={"r": {"provider": "stripe", "handler": "h", "retry": retry}}, **more)
    s.sql("CREATE TABLE switch (off BOOLEAN NOT NULL) ENGINE=InnoDB")
    s.sql("CREATE TABLE marks (n BIGINT AUTO_INCREMENT PRIMARY KEY, mark INT NOT NULL) ENGINE=InnoDB")
    s.sql("INSERT INTO switch VALUES (1)")
    return s


def switch_on(s):
    s.sql("UPDATE switch SET off = 0")


# ---- waking up -------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", ["1", "3"])
def test_a_delivery_wakes_the_processor_at_once(site, workers):
    s = site(sources=STRIPE, server="lighttpd", settings={"processor": {"poll": "5m"}})
    worker = s.start_processor("--for", "300s", "--workers", workers)
    wait_until(lambda: s.count("worker") == int(workers), 10, "all have said hello")
    time.sleep(0.5)  # now they wait
    for n in range(3):
        assert s.deliver("stripe", events.stripe(f"evt_{n}")).status == 200
        wait_until(lambda n=n: len(s.effects()) == n + 1, 5, "the effect, long before it would look by itself")
    assert worker.stop() == 0 and s.count("worker") == 0


def test_a_burst_wakes_every_worker(site):
    s = site(sources=STRIPE, server="lighttpd", settings={"processor": {"poll": "5m", "batch": "1"}},
             handlers={"h": {"sql": [FX, Gate.PASS], "timeout": "50s"}},
             routes={"r": {"provider": "stripe", "handler": "h"}})
    gate = Gate(s)
    worker = s.start_processor("--for", "300s", "--workers", "4")
    wait_until(lambda: s.count("worker") == 4, 10, "all have said hello")
    for n in range(8):
        assert s.deliver("stripe", events.stripe(f"evt_{n}")).status == 200
    gate.wait(4)  # each has a job in hand
    gate.open()
    wait_until(lambda: len(s.effects()) == 8, 6, "all effects")
    assert worker.stop() == 0


def test_retry_wakes_the_processor_too(site):
    s = switched(site, "1 try", settings={"processor": {"poll": "5m"}})
    arrive(s, events.stripe("evt_dead"))
    assert s.hookonce("process", "--once").returncode == 1
    switch_on(s)
    worker = s.start_processor("--for", "300s")
    wait_until(lambda: s.count("worker") == 1, 10, "it has said hello")
    time.sleep(0.3)
    s.hookonce("retry", "evt_dead", check=True)
    wait_until(lambda: s.effects() == ["evt_dead"], 2, "the effect")
    assert worker.stop() == 0


# ---- trying again ------------------------------------------------------------------------------------


def test_a_retry_comes_when_it_is_due_inside_one_run(site):
    s = switched(site, "9 tries, 1s to 4s")
    arrive(s, events.stripe("evt_again"))
    worker = s.start_processor("--for", "300s")
    wait_until(lambda: len(attempts(s)) >= 2, 10, "two tries have failed")
    switch_on(s)
    wait_until(lambda: s.effects() == ["evt_again"], 10, "the third does it")
    wait_until(lambda: s.receipts()[0]["status"] == "processed", 2, "and it is said so")
    assert worker.stop() == 0
    assert attempts(s)[:2] == [(1, "failed"), (2, "failed")]  # on a busy machine the third may have failed too
    assert [outcome for _, outcome in attempts(s)[2:]] == ["failed"] * (len(attempts(s)) - 3) + ["done"]
    rows = s.sql("SELECT started_at, ended_at FROM hookonce_attempt ORDER BY claim_no")
    pauses = [(b["started_at"] - a["ended_at"]).total_seconds() for a, b in zip(rows, rows[1:])]
    assert 0.99 < pauses[0] < 10 and 1.99 < pauses[1] < 10, pauses


def test_a_retry_that_is_due_later_does_not_hold_up_once(site):
    s = switched(site, "4 tries, 1h")
    arrive(s, events.stripe("evt_later"))
    s.process()
    row = s.sql("SELECT state, tries, TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), run_at) AS wait FROM hookonce_job")[0]
    assert row["state"] == "ready" and row["tries"] == 1 and 3500 <= row["wait"] <= 4320
    assert s.receipts()[0]["status"] == "received"
    s.process()
    assert attempts(s) == [(1, "failed")]


def test_who_looks_on_is_told_what_was_done(site):
    s = switched(site, "2 tries, 1h")
    assert s.hookonce("process", "--once", "--verbose", check=True).stdout == b"0 done, 0 dead, 0 failed and waiting\n"
    arrive(s, events.stripe("evt_1"), events.stripe("evt_2"))
    for workers in ("1", "2"):
        text = s.hookonce("process", "--once", "--verbose", "--workers", workers, check=True).stdout.decode()
        assert text.startswith("0 done, 0 dead, 2 failed and waiting, next try at 20") and "cannot be null" in text
    s.hookonce("retry", "evt_1", "evt_2", check=True)
    done = s.hookonce("process", "--once", "--verbose")
    assert done.returncode == 1 and b" 2 dead, 0 failed and waiting; last error: " in done.stdout
    switch_on(s)
    s.hookonce("retry", "--all", check=True)
    assert s.hookonce("process", "--once", "-v", check=True).stdout == b"2 done, 0 dead, 0 failed and waiting\n"
    arrive(s, events.stripe("evt_3"))
    assert s.hookonce("process", "--once", check=True).stdout == b"", "silent for cron"


def test_dead_letters_are_opened_again_by_any_of_their_names(site):
    s = switched(site, "1 try")
    arrive(s, *(events.stripe(f"evt_{n}") for n in range(4)))
    assert s.hookonce("process", "--once").returncode == 1
    jobs, receipts = s.jobs(), s.receipts()
    assert [j["state"] for j in jobs] == ["dead"] * 4
    assert s.hookonce("process", "--once").returncode == 0, "what is dead stays so"
    switch_on(s)
    for name in (str(jobs[0]["id"]), receipts[1]["correlation_id"], "evt_2"):
        done = s.hookonce("retry", name, check=True)
        assert b"1 job opened again" in done.stdout
        again = s.hookonce("retry", name)
        assert again.returncode == 1 and b"is due already" in again.stderr
    assert [j["state"] for j in s.jobs()] == ["ready", "ready", "ready", "dead"]
    assert [j["tries"] for j in s.jobs()] == [0, 0, 0, 1]
    assert [r["status"] for r in s.receipts()] == ["received", "received", "received", "failed"]
    opened = [json.loads(line) for line in s.hookonce("retry", "--all", "--json", check=True).stdout.splitlines()]
    assert [o["event_id"] for o in opened] == ["evt_3"]
    s.process()
    assert s.effects() == [f"evt_{n}" for n in range(4)]
    assert {r["status"] for r in s.receipts()} == {"processed"}
    assert [outcome for _, outcome in attempts(s)] == ["failed", "done"] * 4
    refused = s.hookonce("retry", "evt_2")
    assert refused.returncode == 1 and b" of route r was processed; nothing to do" in refused.stderr


def test_an_ignored_event_is_opened_by_the_config_of_now(site):
    s = switched(site, "4 tries, 1h")
    s.routes["r"]["on"] = "checkout.sesion.completed"
    s.configure()
    arrive(s, *(events.stripe(f"evt_{n}") for n in range(3)))
    s.process()
    assert [j["outcome"] for j in s.jobs()] == ["ignored"] * 3
    assert b"no route wants it" in s.hookonce("list", "evt_0", check=True).stdout
    assert b"0 jobs" in s.hookonce("retry", "--all", check=True).stdout, "dead letters only"
    s.routes["r"]["on"] = "checkout.session.completed"
    s.configure()
    s.hookonce("retry", "evt_0", s.receipts()[1]["correlation_id"], str(s.jobs()[2]["id"]), check=True)
    s.process()
    assert [j["outcome"] for j in s.jobs()] == ["failed"] * 3, "now its handler runs, and fails"
    switch_on(s)
    s.process()
    assert s.effects() == [], "it waits for an hour"
    s.hookonce("retry", "evt_0", "evt_1", "evt_2", check=True)
    s.process()
    assert sorted(s.effects()) == ["evt_0", "evt_1", "evt_2"]
    assert s.hookonce("retry", "evt_0").returncode == 1


# ---- routes -------------------------------------------------------------------------------------------


def test_an_event_has_one_job_for_each_route_that_wants_it(site):
    s = site(sources=STRIPE,
             handlers={"a": {"sql": "INSERT INTO fx (event_id) VALUES (CONCAT('a-', {event:id}))"},
                       "b": {"sql": "INSERT INTO fx (event_id) VALUES (CONCAT('b-', {event:id}))"},
                       "bad": {"sql": "INSERT INTO nowhere VALUES (1)"}},
             routes={"first": {"provider": "stripe", "on": "charge.*", "handler": "a"},
                     "second": {"provider": "stripe", "on": "*.succeeded, x", "handler": "b"},
                     "third": {"provider": "stripe", "on": "charge.succeeded", "handler": "bad", "retry": "1 try"},
                     "other": {"provider": "stripe", "on": "invoice.*", "handler": "b"}})
    arrive(s, events.stripe("evt_two", "charge.succeeded"))
    assert s.hookonce("process", "--once").returncode == 1
    assert sorted(s.effects()) == ["a-evt_two", "b-evt_two"]
    assert sorted((j["route"], j["state"]) for j in s.jobs()) == [("first", "done"), ("second", "done"),
                                                                  ("third", "dead")]
    assert s.receipts()[0]["status"] == "failed"
    arrive(s, events.stripe("evt_two", "charge.succeeded"))
    s.process()
    assert len(s.jobs()) == 3 and len(s.effects()) == 2


def test_events_that_nobody_wants_are_kept_as_ignored(site):
    s = site(sources=STRIPE, handlers={"h": {"sql": FX}},
             routes={"r": {"provider": "stripe", "on": "invoice.paid", "handler": "h",
                           "informational": "charge.*"}})
    arrive(s, events.stripe("evt_1", "invoice.paid"), events.stripe("evt_2", "charge.failed"),
           events.stripe("evt_3", "invoice.paid.x"), events.stripe("evt_4", "INVOICE.PAID"))
    s.process()
    assert s.effects() == ["evt_1"]
    assert [(r["status"], r["outcome"]) for r in s.receipts()] == [
        ("processed", "done"), ("processed", "informational"), ("processed", "ignored"), ("processed", "ignored")]


def test_a_route_that_is_gone_while_its_job_waits_makes_a_dead_letter(site):
    s = switched(site, "5 tries, 1s")
    arrive(s, events.stripe("evt_route"))
    s.process()
    routes, s.routes = s.routes, {"renamed": {"provider": "stripe", "on": "nothing", "handler": "h"}}
    s.configure()
    wait_until(lambda: s.value("SELECT run_at <= UTC_TIMESTAMP(6) FROM hookonce_job"), 5, "it is due")
    assert s.hookonce("process", "--once").returncode == 1
    job, = s.jobs()
    assert (job["state"], job["outcome"]) == ("dead", "no route") and "no route" in job["last_error"]
    s.routes = routes
    s.configure()
    switch_on(s)
    s.hookonce("retry", "--all", "--route", "r", check=True)
    s.process()
    assert s.effects() == ["evt_route"] and s.jobs()[0]["state"] == "done"


def test_a_new_config_is_used_by_the_next_run(site):
    s = site(sources=STRIPE, handlers={"h": {"sql": FX}}, routes={"r": {"provider": "stripe", "handler": "h"}})
    arrive(s, events.stripe("evt_1"))
    s.handlers = {"h": {"sql": "INSERT INTO fx (event_id) VALUES (CONCAT('new-', {event:id}))"}}
    s.configure()
    s.process()
    assert s.effects() == ["new-evt_1"]


# ---- trouble ------------------------------------------------------------------------------------------


def test_a_mistake_in_the_config_is_named_with_file_and_line(site):
    s = site(sources=STRIPE)
    text = s.config_text().replace("[route all-stripe]\n", "[route all-stripe]\nretyr = 3 tries\n")
    line = text.splitlines().index("retyr = 3 tries") + 1
    s.configure(text)
    done = s.hookonce("process", "--once")
    assert done.returncode == 2 and done.stdout == b""
    assert f"hookonce.conf:{line}:" in done.stderr.decode() and "retyr" in done.stderr.decode()


def test_tables_that_are_missing_are_said_and_not_waited_for(site):
    s = site(sources=STRIPE, migrate=False)
    done = s.hookonce("process", "--for", "300s")  # within the usual limit
    assert done.returncode == 1 and b"hookonce migrate" in done.stderr


def untouched(s, claims, tries=0):
    """Whether all jobs wait as if nobody had tried them; with `claims` claims each at most."""
    return all(j["state"] == "ready" and j["tries"] == tries and j["claim_no"] <= claims for j in s.jobs())


def test_what_cannot_be_run_is_not_claimed(site):
    s = site(sources=STRIPE, handlers={"h": {"sql": FX, "timeout": "2s"}},
             routes={"r": {"provider": "stripe", "handler": "h", "retry": "2 tries, 1s"}},
             settings={"processor": {"lease": "3s"}})
    arrive(s, *(events.stripe(f"evt_{n}") for n in range(3)))
    s.db.server.execute(f"ALTER USER {s.db.user}@'%' WITH MAX_USER_CONNECTIONS 1")
    s.hookonce("process", "--for", "5s")  # one link for the queue, none for handlers
    assert untouched(s, claims=0), s.jobs()
    s.db.server.execute(f"ALTER USER {s.db.user}@'%' WITH MAX_USER_CONNECTIONS 0")
    s.process()
    assert len(s.effects()) == 3


@pytest.mark.parametrize("suspect", [0, 1])
def test_a_link_that_cannot_be_opened_again_costs_no_try(site, suspect):
    s = site(sources=STRIPE, handlers={"h": {"sql": [FX, Gate.PASS], "timeout": "50s"}},
             routes={"r": {"provider": "stripe", "handler": "h", "retry": "3 tries, 1s"}})
    gate = Gate(s)
    arrive(s, *(events.stripe(f"evt_{n}") for n in range(3)))
    s.sql("UPDATE hookonce_job SET suspect = %s, tries = 2 * %s", suspect, suspect)
    worker = s.start_processor("--for", "300s")
    link, = gate.wait()
    s.db.server.execute(f"ALTER USER {s.db.user}@'%' IDENTIFIED BY 'another'", f"KILL {link}")
    gate.open()
    assert worker.wait(60) == 1
    assert "Access denied" in worker.output()
    assert untouched(s, claims=1, tries=2 * suspect), s.jobs()
    s.db.server.execute(f"ALTER USER {s.db.user}@'%' IDENTIFIED BY '{s.db.password}'")
    s.process()
    assert sorted(s.effects()) == ["evt_0", "evt_1", "evt_2"]


def test_a_row_that_is_none_of_ours_does_not_stop_the_queue(site):
    s = site(sources=STRIPE)
    arrive(s, *(events.stripe(f"evt_{n}") for n in range(3)))
    s.sql("UPDATE hookonce_job SET claim_no = 4294967295 WHERE id = 1")
    s.process()
    assert sorted(s.effects()) == ["evt_1", "evt_2"]
    found = [json.loads(line) for line in s.hookonce("check", "--json").stdout.decode().splitlines()]
    assert any(f["text"].startswith("1 due") for f in found if f["subject"] == "queue"), found


@pytest.mark.parametrize("state", ["stopped", "hung"])
def test_a_database_that_is_away_ends_a_run_in_time_with_69(site, own_mariadb, state):
    server = own_mariadb()
    s = site(database=server.create_database(), sources=STRIPE)
    server.stop() if state == "stopped" else server.pause()
    try:
        start = time.monotonic()
        done = s.hookonce("process", "--for", "3s")
        took = time.monotonic() - start
    finally:
        server.resume()
    assert done.returncode == 69 and done.stderr.count(b"\n") == 1 and done.stdout == b""
    assert 2.5 < took < 60, took


def test_a_database_that_comes_back_is_used_by_the_same_run(site, own_mariadb):
    server = own_mariadb()
    s = site(database=server.create_database(), sources=STRIPE)
    arrive(s, events.stripe("evt_before"))
    server.stop()
    worker = s.start_processor("--for", "300s")
    wait_until(lambda: s.log_lines(event="busy"), 10, "it has noticed")
    server.start()
    wait_until(lambda: s.effects() == ["evt_before"], 15, "it goes on")
    server.kill9()
    time.sleep(0.5)
    server.start()
    arrive(s, events.stripe("evt_after"))
    wait_until(lambda: s.effects() == ["evt_before", "evt_after"], 20, "it goes on again")
    assert worker.stop() == 0


def test_a_stop_while_the_database_is_away_is_heeded(site, own_mariadb):
    server = own_mariadb()
    s = site(database=server.create_database(), sources=STRIPE)
    server.stop()
    worker = s.start_processor("--for", "300s")
    wait_until(lambda: s.log_lines(event="busy"), 10, "it has noticed")
    worker.signal(signal.SIGTERM)
    assert worker.wait(30) in (0, 69)


# ---- time zones ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("here, there", [("Asia/Tokyo", "America/New_York"), ("America/New_York", "Asia/Tokyo")])
def test_zones_of_programs_and_database_do_not_matter(site, own_mariadb, monkeypatch, here, there):
    monkeypatch.setenv("TZ", there)
    server = own_mariadb()
    monkeypatch.delenv("TZ")
    assert server.execute("SELECT TIMESTAMPDIFF(HOUR, UTC_TIMESTAMP(), NOW()) AS h")[0]["h"] != 0
    s = switched(site, "9 tries, 2s to 4s", database=server.create_database())
    body = events.stripe("evt_zone")
    assert s.cgi("stripe", body, s.signed("stripe", body), env={"TZ": here}).status == 200
    start = time.monotonic()
    worker = s.start_processor("--for", "300s", env={"TZ": there})
    wait_until(lambda: len(attempts(s)) >= 1, 3, "the first try, at once")
    switch_on(s)
    wait_until(lambda: s.effects() == ["evt_zone"], 8, "the second try, not hours later")
    assert time.monotonic() - start > 1.9 and worker.stop() == 0
    row = s.sql("SELECT ABS(TIMESTAMPDIFF(SECOND, received_at, UTC_TIMESTAMP())) AS a, "
                "ABS(TIMESTAMPDIFF(SECOND, recorded_at, UTC_TIMESTAMP())) AS b FROM hookonce_receipt")[0]
    assert row["a"] < 600 and row["b"] < 600


def test_a_processor_whose_clock_is_wrong_keeps_the_databases_time(site):
    s = switched(site, "9 tries, 2s to 4s")
    arrive(s, events.stripe("evt_clock"))
    worker = s.start_processor("--for", "300s", now=time.time() + 6000)
    wait_until(lambda: len(attempts(s)) >= 1, 3, "the first try, at once")
    switch_on(s)
    wait_until(lambda: s.effects() == ["evt_clock"], 8, "the second try")
    assert worker.stop() == 0
    first, second, *_ = s.sql("SELECT started_at, ended_at FROM hookonce_attempt ORDER BY claim_no")
    assert 1.9 < (second["started_at"] - first["ended_at"]).total_seconds() < 60


# ---- many ----------------------------------------------------------------------------------------------


def test_deliveries_and_processing_go_on_at_the_same_time(site):
    s = site(sources=STRIPE, server=("lighttpd", {"procs": 3}), settings={"processor": {"batch": "5"}})
    worker = s.start_processor("--for", "300s", "--workers", "2")
    statuses = []

    def post(first):
        for n in range(first, 120, 4):
            statuses.append(s.deliver("stripe", events.stripe(f"evt_{n:03}")).status)

    threads = [threading.Thread(target=post, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert statuses == [200] * 120
    wait_until(lambda: s.value("SELECT COUNT(*) FROM fx") >= 120, 20, "all effects")
    assert worker.stop() == 0
    assert sorted(s.effects()) == [f"evt_{n:03}" for n in range(120)]
    assert {r["status"] for r in s.receipts()} == {"processed"}


def test_a_running_processor_reads_a_changed_config_and_refuses_a_broken_one(site):
    s = site("lighttpd", handlers={"fx": {"sql": "INSERT INTO missing (event_id) VALUES ({event:id})"}},
             routes={"all": {"provider": "stripe", "handler": "fx", "retry": "20 tries, 1s to 2s"}})
    s.start_processor("--for", "300s")
    assert s.deliver("stripe", events.stripe("evt_1")).status == 200
    wait_until(lambda: s.log_lines(event="failed"), 10, "the handler fails")
    s.write("hookonce.conf", "[nonsense]\n")
    wait_until(lambda: s.log_lines(event="config", level="alarm"), 15, "the broken config is refused")
    s.handlers = {"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}}
    s.configure()
    wait_until(lambda: s.effects() == ["evt_1"], 15, "the mended handler works in the same run")
    assert len(s.log_lines(event="config", level="alarm")) == 1


def test_an_event_behind_a_changed_config_is_given_to_the_new_routes(site):
    s = site(sources=STRIPE, handlers={"fx": {"sql": FX}}, settings={"processor": {"poll": "60s"}},
             routes={"all": {"provider": "stripe", "on": "nothing", "handler": "fx"}})
    s.start_processor("--for", "300s")
    arrive(s, events.stripe("evt_1"))
    wait_until(lambda: s.jobs()[0]["outcome"] == "ignored", 10, "the processor is at work")
    s.routes["all"]["on"] = "*"
    s.configure()
    time.sleep(1.2)  # a change counts within a second; the processor sleeps, and has not looked yet
    arrive(s, events.stripe("evt_2"))
    wait_until(lambda: s.jobs()[1]["state"] == "done", 10, "it is done")
    assert s.effects() == ["evt_2"]


def test_what_a_handler_changed_is_told_and_nothing_too(site):
    """Done is not the same as useful: an order that was not there shows."""
    s = site(handlers={"pay": {"sql": ["UPDATE fx SET event_id = {event:id} WHERE event_id = 'open'",
                                       "DELETE FROM fx WHERE event_id = 'old'"]}},
             routes={"all": {"provider": "stripe", "handler": "pay"}})
    s.sql("INSERT INTO fx (event_id) VALUES ('open'), ('old'), ('old')")
    for event in ("evt_1", "evt_2"):
        body = events.stripe(event)
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
        s.process()
    assert [a["rows_changed"] for a in s.sql("SELECT * FROM hookonce_attempt ORDER BY job_id")] == [3, 0]
    assert [line["rows"] for line in s.log_lines(event="done")] == ["3", "0"]
    assert "rows changed: 0" in s.hookonce("list", "evt_2", check=True).stdout.decode()
    s.sql("DROP TABLE fx")
    body = events.stripe("evt_3")
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    s.hookonce("process", "--once")
    lines = s.hookonce("list", "attempts", "--json", check=True).stdout.decode().splitlines()
    newest, *rest = [json.loads(line) for line in lines]
    assert newest["rows_changed"] is None and "fx" in newest["error"]
    assert [(r["rows_changed"], r["error"]) for r in rest] == [(0, None), (3, None)]


@pytest.mark.parametrize("routes", [("bad", "good"), ("good", "bad")])
def test_a_receipt_that_failed_shows_why_whatever_ended_last(site, routes):
    s = site(handlers={"good": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"},
                       "bad": {"sql": "INSERT INTO missing_table (n) VALUES (1)"}},
             routes={n: {"provider": "stripe", "on": "*", "handler": n, "retry": "1 try"} for n in routes})
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    dead, = [j for j in s.jobs() if j["state"] == "dead"]
    receipt, = s.receipts()
    assert (receipt["status"], receipt["outcome"]) == ("failed", dead["outcome"])
    left = s.hookonce("retry", [str(j["id"]) for j in s.jobs() if j["state"] == "done"][0])
    assert b"of route good was processed" in left.stderr
