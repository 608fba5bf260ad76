"""What a job needs, what makes it needless, and what it cannot do without: waiting costs no try."""

import json

from hooktest import events, wait_until
from hooktest.flow import arrive, hurry, jobs

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
PAY = "UPDATE orders SET status = 'paid' WHERE id = {/data/object/client_reference_id}"
ORDER = "SELECT 1 FROM orders WHERE id = {/data/object/client_reference_id}"


def order_site(site, handler=None, **more):
    s = site(sources=STRIPE, handlers={"h": handler or {"sql": PAY}},
             routes={"paid": {"provider": "stripe", "handler": "h", **more}}, settings={"processor": {"poll": "1s"}})
    s.sql("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, status VARCHAR(20)) ENGINE=InnoDB")
    return s


def test_an_event_before_its_order_waits_for_it(site):
    s = order_site(site, needs=ORDER, needs_wait="20 tries, 1h")
    arrive(s, events.stripe("evt_1"))
    worker = s.start_processor("--for", "300s")
    wait_until(lambda: jobs(s) == [("paid", "ready", None, "need")], 10, "it waits")
    shown = json.loads(s.hookonce("list", "jobs", "--json", check=True).stdout)
    assert shown["waiting_for"] == "need" and shown["tries"] == 0 and shown["waits"] >= 1
    assert " waits " in s.hookonce("list", "evt_1", check=True).stdout.decode()
    assert s.receipts()[0]["status"] == "received"
    s.sql("INSERT INTO orders VALUES ('1001', 'new')")
    hurry(s)
    wait_until(lambda: jobs(s) == [("paid", "done", "done", None)], 10, "it is done")
    assert worker.stop() == 0
    assert s.value("SELECT status FROM orders") == "paid"
    assert s.jobs()[0]["tries"] == 1 and s.count("attempt") == 1


def test_an_order_that_never_comes_is_a_dead_letter_and_can_be_tried_again(site):
    s = order_site(site, needs=ORDER, needs_wait="2 tries, 1s")
    arrive(s, events.stripe("evt_1"))
    for _ in range(2):
        s.process()
        assert jobs(s) == [("paid", "ready", None, "need")]
        hurry(s)
    assert s.hookonce("process", "--once").returncode == 1
    assert jobs(s) == [("paid", "dead", "need not met", None)] and s.jobs()[0]["tries"] == 0
    assert s.receipts()[0]["status"] == "failed"
    s.sql("INSERT INTO orders VALUES ('1001', 'new')")
    s.hookonce("retry", "evt_1", check=True)
    s.process()
    assert jobs(s) == [("paid", "done", "done", None)]


def test_what_is_so_already_is_not_done_again(site):
    s = order_site(site, skip_if=ORDER + " AND status = 'paid'", needs=ORDER)
    s.sql("INSERT INTO orders VALUES ('1001', 'paid')")
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert jobs(s) == [("paid", "done", "already so", None)]
    assert s.receipts()[0]["outcome"] == "already so"
    assert [line["outcome"] for line in s.log_lines(event="skipped")] == ["already so"]
    refused = s.hookonce("retry", "evt_1")
    assert refused.returncode == 1 and b"was so already" in refused.stderr


def test_the_queries_cannot_write(site):
    s = order_site(site, needs="SELECT note_it()", retry="1 try")
    s.sql("CREATE TABLE notes (n INT) ENGINE=InnoDB")
    s.db.server.execute(f"USE {s.db.name}", "SET GLOBAL log_bin_trust_function_creators = 1",
                        "CREATE FUNCTION note_it() RETURNS INT MODIFIES SQL DATA "
                        "BEGIN INSERT INTO notes VALUES (1); RETURN 1; END",
                        f"GRANT EXECUTE ON {s.db.name}.* TO {s.db.user}@'%'")
    arrive(s, events.stripe("evt_1"))
    assert s.hookonce("process", "--once").returncode == 1
    assert s.sql("SELECT n FROM notes") == []
    assert jobs(s) == [("paid", "dead", "gave up", None)] and "needs" in s.jobs()[0]["last_error"]


def test_a_slow_query_ends_with_the_handlers_time(site):
    s = order_site(site, {"sql": PAY, "timeout": "1s"}, needs="SELECT SLEEP(300)", retry="1 try")
    arrive(s, events.stripe("evt_1"))
    assert s.hookonce("process", "--once").returncode == 1
    assert "needs: not through in its time" in s.jobs()[0]["last_error"]


def test_a_job_that_waits_does_not_hold_up_once(site):
    s = order_site(site, needs=ORDER)
    arrive(s, events.stripe("evt_1"))
    said = s.process("--verbose").stdout.decode()
    assert "1 put off" in said
