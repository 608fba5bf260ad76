"""One effect a business key: whatever further events say the same, whoever races, whoever is killed."""

import json
import threading
import time

import pytest

from hooktest import events, wait_until
from hooktest.flow import KILL_WORKER, arrive, expire, hurry, jobs, lines, script, sleeping, wait_sleeping

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
FX = "INSERT INTO fx (event_id) VALUES ({event:id})"
PAID = {"provider": "stripe", "on": "checkout.session.completed, checkout.session.async_payment_succeeded",
        "when": "{/data/object/payment_status} == paid",
        "informational": "payment_intent.succeeded, charge.succeeded",
        "once_per": "{/data/object/id}", "handler": "fulfil"}
FULFIL = 'echo "$HOOKONCE_IDEMPOTENCY_KEY" >>"$HERE/fulfilled"\n'


def checkout(event_id, kind="checkout.session.completed", session="cs_1", status="paid", created=1790000000):
    tree = json.loads(events.stripe(event_id, kind, session, created))
    tree["data"]["object"]["payment_status"] = status
    return json.dumps(tree).encode()


def shop(site, kind, **more):
    """A site that fulfils orders by SQL or by a command."""
    handler = {"sql": FX} if kind == "sql" else {"command": "fulfil.sh"}
    s = site(sources=STRIPE, handlers={"fulfil": handler}, routes={"paid": {**PAID, **more}})
    script(s, "fulfil.sh", FULFIL)
    return s


def fulfilled(s, kind):
    return len(s.effects()) if kind == "sql" else len(lines(s, "fulfilled"))


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_the_same_delivery_twice_is_one_effect(site, kind):
    s = shop(site, kind)
    body = checkout("evt_1")
    arrive(s, body, body)
    s.process()
    arrive(s, body)
    s.process()
    assert fulfilled(s, kind) == 1
    assert jobs(s) == [("paid", "done", "done", None)]


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_four_events_of_one_checkout_at_once_are_one_fulfilment__O_ST_02(site, kind):
    s = shop(site, kind)
    s.serve("lighttpd", procs=4)
    worker = s.start_processor("--for", "300s", "--workers", "4")
    wait_until(lambda: s.count("worker") == 4, 10, "all have said hello")
    for n in range(5):
        session = f"cs_{n}"
        bodies = [checkout(f"evt_{n}a", session=session),
                  checkout(f"evt_{n}b", "checkout.session.async_payment_succeeded", session),
                  checkout(f"evt_{n}c", "payment_intent.succeeded", session),
                  checkout(f"evt_{n}d", "charge.succeeded", session)]
        threads = [threading.Thread(target=s.deliver, args=("stripe", body)) for body in bodies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_receipt WHERE status = 'processed'") == 20
               or hurry(s), 20, "all are processed", 0.5)
    assert worker.stop() == 0
    assert fulfilled(s, kind) == 5
    outcomes = sorted(r["outcome"] for r in s.jobs())
    assert outcomes == ["already done"] * 5 + ["done"] * 5 + ["informational"] * 10
    for row in s.sql("SELECT j.done_by, o.correlation_id FROM hookonce_job j JOIN hookonce_effect e ON "
                     "e.correlation_id = j.done_by JOIN hookonce_job o ON o.id = e.job_id "
                     "WHERE j.outcome = 'already done'"):
        assert row["done_by"] == row["correlation_id"]


@pytest.mark.parametrize("kind", ["sql", "command"])
def test_an_unpaid_completion_leaves_the_fulfilment_to_the_payment__O_ST_02(site, kind):
    s = shop(site, kind)
    arrive(s, checkout("evt_1", status="unpaid"))
    s.process()
    assert fulfilled(s, kind) == 0 and jobs(s) == [("", "done", "ignored", None)]
    arrive(s, checkout("evt_2", "checkout.session.async_payment_succeeded"), checkout("evt_3"))
    s.process()
    assert fulfilled(s, kind) == 1
    assert s.value("SELECT COUNT(*) FROM hookonce_effect WHERE state = 'done' AND business_key = 'cs_1'") == 1


def test_many_workers_on_few_keys_run_each_once(site):
    s = shop(site, "command")
    arrive(s, *[checkout(f"evt_{n}", session=f"cs_{n % 4}") for n in range(40)])
    script(s, "fulfil.sh", "sleep 0.2\n" + FULFIL)
    worker = s.start_processor("--for", "300s", "--workers", "5")
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_receipt WHERE status = 'processed'") == 40
               or hurry(s), 40, "all are processed", 0.5)
    assert worker.stop() == 0
    keys = lines(s, "fulfilled")
    assert len(keys) == len(set(keys)) == 4
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE outcome = 'already done'") == 36


# ---- killed workers ----------------------------------------------------------------------------------


def run_and_die(s):
    """A processor that is killed by what it runs."""
    done = s.hookonce("process", "--once")
    assert done.returncode != 0, "the worker has survived"


def test_a_worker_killed_behind_the_side_effect_repeats_it_under_the_same_key(site):
    s = shop(site, "command", retry="3 tries, 1s")
    script(s, "fulfil.sh", FULFIL + 'test -e "$HERE/second" && exit 0\n: >"$HERE/second"\n' + KILL_WORKER)
    arrive(s, checkout("evt_1"))
    run_and_die(s)
    assert jobs(s) == [("paid", "running", None, None)] and s.jobs()[0]["tries"] == 1
    arrive(s, checkout("evt_2"))
    s.process()
    assert jobs(s)[1] == ("paid", "ready", None, "owner"), "the key is its owner's"
    expire(s)
    s.process()
    first, second = lines(s, "fulfilled")
    assert first == second and len(first) == 64
    hurry(s)
    s.process()
    assert [j[2] for j in jobs(s)] == ["done", "already done"]
    assert [(r["try_no"], r["outcome"]) for r in s.sql("SELECT * FROM hookonce_attempt WHERE job_id = "
            "(SELECT MIN(id) FROM hookonce_job) ORDER BY claim_no")] == [(1, "lease lost"), (2, "done")]


def test_a_worker_killed_inside_sql_leaves_nothing(site):
    s = site(sources=STRIPE, handlers={"fulfil": {"sql": [FX, "SELECT SLEEP(20) FROM fx WHERE n = 1"]}},
             routes={"paid": PAID})
    arrive(s, checkout("evt_1"), checkout("evt_2"))
    worker = s.start_processor("--for", "300s")
    link = wait_sleeping(s)
    worker.kill9()
    s.db.server.execute(f"KILL {link}")  # the server notices a dead client only at the statement's end
    wait_until(lambda: not sleeping(s), 10, "its transaction is undone")
    expire(s)
    s.process()
    assert s.effects() in (["evt_1"], ["evt_2"])
    hurry(s)
    s.process()
    assert len(s.effects()) == 1
    assert sorted(j[2] for j in jobs(s)) == ["already done", "done"]


def test_at_most_once_is_not_repeated_and_holds_the_key_until_a_person_says(site):
    s = site(sources=STRIPE, handlers={"fulfil": {"command": "fulfil.sh", "at_most_once": "yes"}},
             routes={"paid": PAID})
    script(s, "fulfil.sh", FULFIL + KILL_WORKER)
    arrive(s, checkout("evt_1"))
    run_and_die(s)
    expire(s)
    assert s.hookonce("process", "--once").returncode == 1
    assert jobs(s) == [("paid", "dead", "outcome unknown", None)]
    arrive(s, checkout("evt_2"))
    s.process()
    assert jobs(s)[1] == ("paid", "ready", None, "release")
    assert len(lines(s, "fulfilled")) == 1

    number = str(s.jobs()[0]["id"])
    refused = s.hookonce("retry", "evt_1")
    assert refused.returncode == 1 and b"hookonce retry --release evt_1" in refused.stderr
    everything = s.hookonce("retry", "--all")
    assert everything.returncode == 1 and b"1 job was left" in everything.stderr
    assert b"0 jobs opened again" in everything.stdout
    assert s.hookonce("retry", "--all", "--release").returncode == 2
    assert len(lines(s, "fulfilled")) == 1 and jobs(s)[0][1] == "dead"

    listed = s.hookonce("list", "jobs", "--wide", check=True).stdout.decode()
    assert "release" in listed and f"hookonce retry --release {number}" in listed
    script(s, "fulfil.sh", FULFIL)
    s.hookonce("retry", "--release", "evt_1", check=True)
    hurry(s)
    s.process()
    hurry(s)
    s.process()
    assert [j[2] for j in jobs(s)] == ["done", "already done"]
    assert len(lines(s, "fulfilled")) == 2
    assert f"by {s.jobs()[0]['correlation_id']}" in s.hookonce("list", "evt_2", check=True).stdout.decode()


@pytest.mark.parametrize("owner", ["is stale", "is gone"])
def test_a_key_in_doubt_is_released_however_its_owner_has_ended(site, owner):
    s = shop(site, "command", order_by="{/data/object/customer}", retry="2 tries, 1s")
    script(s, "fulfil.sh", FULFIL + "exit 1\n")

    def about(event_id, session, created):
        tree = json.loads(checkout(event_id, session=session, created=created))
        tree["data"]["object"]["customer"] = "cus_1"
        return json.dumps(tree).encode()

    arrive(s, about("evt_1", "cs_1", 1790000000))
    s.process()
    script(s, "fulfil.sh", FULFIL)
    arrive(s, about("evt_2", "cs_2", 1790000010))
    s.process()
    hurry(s)
    s.process()
    assert [j[2] for j in jobs(s)] == ["stale", "done"]
    arrive(s, about("evt_3", "cs_1", 1790000020))
    s.process()
    assert jobs(s)[2] == ("paid", "ready", None, "release")
    number = str(s.jobs()[0]["id"])
    if owner == "is gone":
        s.sql("DELETE FROM hookonce_job WHERE id = " + number)
    else:
        refused = s.hookonce("retry", number)
        assert refused.returncode == 1 and b"may have done its work" in refused.stderr
    released = s.hookonce("retry", "--release", number, check=True)
    assert b"0 jobs opened again" in released.stdout and b"free" in released.stderr
    hurry(s)
    s.process()
    assert jobs(s)[-1] == ("paid", "done", "done", None) and len(lines(s, "fulfilled")) == 3


def test_a_renamed_route_is_noticed_and_keeps_its_keys_by_its_flow(site):
    s = shop(site, "sql", order_by="{/data/object/id}")
    arrive(s, checkout("evt_1"))
    s.process()

    def flows():
        done = s.hookonce("list", "flows", "--json", check=True).stdout.decode()
        return [(f["flow"], f["routes"], f["business_keys"], f["objects"]) for f in map(json.loads, done.splitlines())]

    assert flows() == [("paid", "paid", "1", "1")] and b" flow " not in s.hookonce("check").stdout
    s.routes = {"paid2": s.routes["paid"]}
    s.configure()
    assert flows() == [("paid", None, "1", "1")]
    said = s.hookonce("check", "--quiet", check=True).stdout.decode()
    assert "flow paid: has 1 business key and 1 object" in said and "`flow = paid`" in said
    s.routes["paid2"]["flow"] = "paid"
    s.configure()
    assert flows() == [("paid", "paid2", "1", "1")] and b" flow " not in s.hookonce("check").stdout
    arrive(s, checkout("evt_2", "checkout.session.async_payment_succeeded"))
    s.process()
    assert [j[2] for j in jobs(s)] == ["done", "already done"]


@pytest.mark.parametrize("exit_code,word", [(65, "handler gave up"), (75, "gave up")])
def test_a_key_is_free_at_once_when_its_owner_did_nothing(site, exit_code, word):
    s = shop(site, "command", retry="1 try")
    script(s, "fulfil.sh", f"exit {exit_code}\n")
    arrive(s, checkout("evt_1"))
    assert s.hookonce("process", "--once").returncode == 1
    assert jobs(s) == [("paid", "dead", word, None)] and s.count("effect") == 0
    script(s, "fulfil.sh", FULFIL)
    arrive(s, checkout("evt_2"))
    s.process()
    assert jobs(s)[1] == ("paid", "done", "done", None) and len(lines(s, "fulfilled")) == 1
    s.hookonce("retry", "evt_1", check=True)
    s.process()
    assert [j[2] for j in jobs(s)] == ["already done", "done"]


def test_a_command_is_not_repeated_because_the_database_was_away(site, own_mariadb):
    server = own_mariadb()
    s = site(database=server.create_database(), sources=STRIPE, handlers={"fulfil": {"command": "fulfil.sh"}},
             routes={"paid": PAID})
    script(s, "fulfil.sh", FULFIL + ': >"$HERE/running"\nsleep 2\n')
    arrive(s, checkout("evt_1"))
    worker = s.start_processor("--for", "300s")
    wait_until(lambda: lines(s, "fulfilled"), 10, "the command runs")
    server.kill9()
    time.sleep(4)  # the command ends meanwhile, and what came of it cannot be written
    server.start()
    wait_until(lambda: [j[1:3] for j in jobs(s)] == [("done", "done")], 20, "what came of it is written")
    assert worker.stop() == 0
    assert len(lines(s, "fulfilled")) == 1 and s.jobs()[0]["tries"] == 1
    assert s.value("SELECT state FROM hookonce_effect") == "done"


# ---- one of twenty -------------------------------------------------------------------------------------


def test_one_of_twenty_claimed_jobs_that_kills_its_worker_is_the_only_dead_one(site):
    s = site(sources=STRIPE, settings={"processor": {"batch": "20", "lease": "70s", "poll": "1s"}},
             handlers={"h": {"sql": [FX, "SELECT SLEEP(IF({event:id} = 'evt_13', 50, 0))"], "timeout": "60s"}},
             routes={"r": {"provider": "stripe", "handler": "h", "retry": "3 tries, 1s"}})
    arrive(s, *[events.stripe(f"evt_{n}") for n in range(20)])
    kills, open_jobs = 0, "SELECT COUNT(*) FROM hookonce_job WHERE state IN ('ready', 'running')"
    while s.value(open_jobs) > 0:
        worker = s.start_processor("--for", "300s")
        wait_until(lambda: s.value(open_jobs) == 0 or sleeping(s), 15, "the killer runs")
        worker.kill9()
        for link in sleeping(s):  # the server notices a dead client only at the statement's end
            s.db.server.execute(f"KILL {link}")
        wait_until(lambda: not sleeping(s), 10, "its transaction is undone")
        expire(s)
        kills += 1
        assert kills < 10
    dead = s.sql("SELECT r.event_id, j.outcome, j.tries FROM hookonce_job j JOIN hookonce_receipt r "
                 "USING (correlation_id) WHERE j.state = 'dead'")
    assert dead == [{"event_id": b"evt_13", "outcome": "worker lost", "tries": 3}]
    assert sorted(s.effects()) == sorted(f"evt_{n}" for n in range(20) if n != 13)
    assert kills >= 3


def test_one_of_twenty_commands_that_kills_its_worker_is_the_only_dead_one(site):
    s = site(sources=STRIPE, settings={"processor": {"batch": "20"}}, handlers={"h": {"command": "h.sh"}},
             routes={"r": {"provider": "stripe", "handler": "h", "retry": "2 tries, 1s"}})
    script(s, "h.sh", f'test "$HOOKONCE_ID" = evt_13 && {KILL_WORKER} && sleep 9\necho "$HOOKONCE_ID" >>"$HERE/done"\n')
    arrive(s, *[events.stripe(f"evt_{n}") for n in range(20)])
    for _ in range(6):
        s.hookonce("process", "--once")
        expire(s)
    assert sorted(lines(s, "done")) == sorted(f"evt_{n}" for n in range(20) if n != 13)
    assert [(j["outcome"], j["tries"]) for j in s.jobs() if j["state"] != "done"] == [("worker lost", 2)]


def test_business_keys_are_compared_as_the_text_that_they_are(site):
    s = site(sources=STRIPE, routes={"r": {"provider": "stripe", "handler": "fx", "once_per": "{/data/object/n}"}})
    values = ["1", '"1"', "true", '"true"', "1.0", "1e0"]
    for i, n in enumerate(values):
        arrive(s, events.stripe(f"evt_{i}").replace(b'"payment_status":"paid"', b'"n":' + n.encode()))
    s.process()
    assert [j[2] for j in jobs(s)] == ["done", "already done", "done", "already done", "done", "done"]
