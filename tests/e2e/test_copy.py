"""The README's handlers to copy and its shop: as they are written, each run twice for the same event."""

import json
import re
import threading

import pytest

from hooktest import events
from hooktest.documents import Document
from hooktest.flow import arrive, hurry, jobs, lines, script

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
THANK = """cat >>"$HERE/mailed"; echo >>"$HERE/mailed"
exec /usr/bin/python3 -c "
import pymysql
there = pymysql.connect(unix_socket='{db.server.socket}', user='{db.user}', password='{db.password}',
                        database='{db.name}')
there.cursor().execute('INSERT INTO mails VALUES (%s)', ('order-1',))
there.commit()"
"""
OURS = ("attempt", "job", "body", "guard", "effect", "object", "receipt")


def event(event_id, kind, created=1790000000, **members):
    """A Stripe event whose object has just these members."""
    return json.dumps({**json.loads(events.stripe(event_id, kind, created=created)),
                       "data": {"object": members}}).encode()


def example(site, begins, *tables, values=(), files=None):
    """A site with one block of the README in its config."""
    s = site(sources=STRIPE, handlers={}, routes={}, files=files,
             extra="\n" + Document("README.md").take(begins, values))
    for statement in tables:
        s.sql(statement)
    return s


def forget(s):
    """All of the inbox's rows, as if an older backup were restored: what comes again is new, and runs again."""
    for table in OURS:
        s.sql(f"DELETE FROM hookonce_{table}")


def twice(s, body, second="done"):
    """The event comes, and comes again; then once more to an inbox that knows nothing of it."""
    arrive(s, body, body)
    s.process()
    assert jobs(s)[-1][1:] == ("done", "done", None), s.log_text()[-1000:]
    forget(s)
    arrive(s, body)
    s.process()
    assert [j[1:] for j in jobs(s)] == [("done", second, None)], s.log_text()[-1000:]


def test_a_state_is_set(site):
    s = example(site, "[handler set-state]",
                "CREATE TABLE subscriptions (id VARCHAR(40) PRIMARY KEY, status VARCHAR(20)) ENGINE=InnoDB",
                "INSERT INTO subscriptions VALUES ('sub_1', 'active'), ('sub_2', 'active')")
    twice(s, event("evt_1", "customer.subscription.deleted", id="sub_1", status="canceled"))
    arrive(s, event("evt_0", "customer.subscription.updated", 1789999000, id="sub_1", status="active"))
    s.process()
    assert jobs(s)[1][2] == "stale"
    assert s.sql("SELECT status FROM subscriptions ORDER BY id") == [{"status": "canceled"}, {"status": "active"}]
    # Of two within one second the one that is run last stays, as the text says: here the older one.
    arrive(s, event("evt_3", "customer.subscription.deleted", 1790000100, id="sub_2", status="canceled"))
    s.process()
    arrive(s, event("evt_2", "customer.subscription.updated", 1790000100, id="sub_2", status="past_due"))
    s.process()
    assert s.value("SELECT status FROM subscriptions WHERE id = 'sub_2'") == "past_due"
    # One that comes before its row waits for it.
    arrive(s, event("evt_4", "customer.subscription.updated", id="sub_3", status="active"))
    s.process()
    assert jobs(s)[-1] == ("set-state", "ready", None, "need")
    s.sql("INSERT INTO subscriptions VALUES ('sub_3', 'new')")
    hurry(s)
    s.process()
    assert s.value("SELECT status FROM subscriptions WHERE id = 'sub_3'") == "active"


def test_a_row_is_inserted_or_updated(site):
    s = example(site, "[handler keep-customer]",
                "CREATE TABLE customers (id VARCHAR(40) PRIMARY KEY, email VARCHAR(80)) ENGINE=InnoDB")
    twice(s, event("evt_1", "customer.created", id="cus_1", email="a@example.com"))
    arrive(s, event("evt_2", "customer.updated", 1790000100, id="cus_1", email="b@example.com"))
    s.process()
    assert s.sql("SELECT * FROM customers") == [{"id": "cus_1", "email": "b@example.com"}]


def test_a_number_grows_by_one(site):
    text = Document("README.md").text
    s = example(site, "[handler count-sale]", re.search(r"`(CREATE TABLE counted [^`]*)`", text).group(1),
                "CREATE TABLE products (id VARCHAR(40) PRIMARY KEY, sold INT NOT NULL) ENGINE=InnoDB",
                "INSERT INTO products VALUES ('cup', 0), ('mug', 0)")
    arrive(s, event("evt_0", "checkout.session.completed", id="cs_1", payment_status="unpaid",
                    metadata={"product": "cup"}))
    s.process()
    assert jobs(s)[-1][2] == "ignored"
    forget(s)
    twice(s, event("evt_1", "checkout.session.async_payment_succeeded", id="cs_1", payment_status="paid",
                   metadata={"product": "cup"}))
    assert s.value("SELECT sold FROM products WHERE id = 'cup'") == 1
    twice(s, event("evt_2", "checkout.session.completed", id="cs_2", payment_status="paid",
                   metadata={"product": "cup"}))
    assert s.sql("SELECT sold FROM products ORDER BY id") == [{"sold": 2}, {"sold": 0}]


def test_one_mail_is_sent(site):
    s = example(site, "[handler thank]", "CREATE TABLE mails (order_id VARCHAR(40) PRIMARY KEY) ENGINE=InnoDB")
    s.folder("bin")
    script(s, "bin/thank", THANK.format(db=s.db))
    arrive(s, event("evt_0", "checkout.session.completed", id="cs_1", client_reference_id="order-1",
                    payment_status="unpaid"))
    s.process()
    assert jobs(s)[-1][2] == "ignored" and not lines(s, "mailed")
    forget(s)
    body = event("evt_1", "checkout.session.async_payment_succeeded", id="cs_1", client_reference_id="order-1",
                 payment_status="paid")
    twice(s, body, second="already so")
    assert [json.loads(line)["id"] for line in lines(s, "mailed") if line] == ["evt_1"]


class Bank:
    """Pays back once for each key, as a service does that keeps them."""

    def __init__(self):
        self.paid, self.asked, self.lock = {}, [], threading.Lock()

    def __call__(self, request):
        key = request.headers["idempotency-key"]
        with self.lock:
            self.asked.append(key)
            self.paid.setdefault(key, json.loads(request.body)["data"]["object"]["charge"])
        return 200


def test_one_refund_is_made(site, downstream):
    bank = Bank()
    there = downstream(bank)
    s = example(site, "[handler pay-back]", values=[("https://pay.example.com", there.url(""))],
                files={"pay.token": "t0ken\n"})
    body = event("evt_1", "radar.early_fraud_warning.created", id="issfr_1", charge="ch_1", actionable=True)
    twice(s, body)
    assert len(bank.asked) == 2 and list(bank.paid.values()) == ["ch_1"]
    assert there.headers("authorization") == ["Bearer t0ken"] * 2
    arrive(s, event("evt_2", "radar.early_fraud_warning.created", id="issfr_2", charge="ch_1", actionable=True))
    s.process()
    assert jobs(s)[1][2] == "already done" and len(bank.asked) == 2


def shop(site, warehouse, stripe, *tables):
    """The site of "A shop", with an order's and a subscription's table."""
    return example(site, "[handler paid-by-card]",
                   "CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY, status VARCHAR(10) NOT NULL) ENGINE=InnoDB",
                   "CREATE TABLE subscriptions (id VARCHAR(40) PRIMARY KEY, status VARCHAR(20)) ENGINE=InnoDB", *tables,
                   values=[("https://warehouse.example.com", warehouse.url("")),
                           ("https://api.stripe.com", stripe.url(""))],
                   files={"warehouse.token": "t0ken\n", "stripe.api-key": "sk_test\n"})


@pytest.mark.parametrize("kind, id_at, more", [
    ("checkout.session.completed", "client_reference_id", {"payment_status": "paid"}), ("invoice.paid", "metadata", {})])
def test_a_payment_waits_for_its_order(site, downstream, kind, id_at, more):
    s = shop(site, downstream(200), downstream(200))
    value = {"order": "order-1"} if id_at == "metadata" else "order-1"
    arrive(s, event("evt_1", kind, id="x_1", **{id_at: value}, **more))
    s.process()
    assert ("need", "ready") in [(j[3], j[1]) for j in jobs(s)]
    assert s.value("SELECT COUNT(*) FROM hookonce_effect WHERE flow = 'payment'") == 0
    s.sql("INSERT INTO orders VALUES ('order-1', 'open')")
    hurry(s)
    s.process()
    assert s.value("SELECT status FROM orders") == "paid"


def test_a_subscription_that_stripe_does_not_find_is_a_dead_letter(site, downstream):
    s = shop(site, downstream(200), downstream(404))
    arrive(s, event("evt_sub", "customer.subscription.updated", id="sub_1", status="active"))
    s.hookonce("process", "--once")
    assert jobs(s) == [("subscription", "dead", "gone", None)]


@pytest.mark.parametrize("first", ["card", "invoice"])
def test_the_shop(site, downstream, first):
    warehouse = downstream(200)
    stripe = downstream((200, b'{"id": "sub_1", "status": "paused"}'))
    s = shop(site, warehouse, stripe, "INSERT INTO orders VALUES ('order-1', 'open')")
    assert "route" not in s.hookonce("check", "--quiet").stdout.decode()
    card = event("evt_card", "checkout.session.completed", id="cs_1", client_reference_id="order-1",
                 payment_status="paid")
    unpaid = event("evt_unpaid", "checkout.session.completed", id="cs_0", client_reference_id="order-1",
                   payment_status="unpaid")
    invoice = event("evt_invoice", "invoice.paid", id="in_1", metadata={"order": "order-1"})
    for body in (unpaid, *((card, invoice) if first == "card" else (invoice, card))):
        arrive(s, body)
        s.process()
    outcomes = {(j[0], j[2]) for j in jobs(s)}
    second = "invoice" if first == "card" else "card"
    assert outcomes >= {(f"paid-by-{first}", "done"), (f"paid-by-{second}", "already done"), ("warehouse", "done")}
    assert s.value("SELECT status FROM orders") == "paid" and len(warehouse.requests) == 1
    assert s.value("SELECT outcome FROM hookonce_receipt WHERE event_id = 'evt_unpaid'") == "ignored"
    arrive(s, event("evt_sub", "customer.subscription.updated", id="sub_1", status="active"))
    s.process()
    assert s.value("SELECT status FROM subscriptions") == "paused"
