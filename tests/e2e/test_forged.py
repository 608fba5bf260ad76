"""What somebody who can write to the tables can make happen, and what not."""

import os

import pytest

from hooktest import events, sign
from hooktest.flow import arrive, attempts

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="},
          "second": {"provider": "stripe", "secret": "whsec_c2Vjb25k", "scope": "source"}}
HANDLERS = {"pay": {"sql": "INSERT INTO fx (event_id) VALUES (CONCAT('pay-', {event:id}))"},
            "log": {"sql": "INSERT INTO fx (event_id) VALUES (CONCAT('log-', {event:id}))"}}
ROUTES = {"paid": {"provider": "stripe", "on": "charge.succeeded", "handler": "pay"},
          "log": {"provider": "stripe", "on": "charge.failed", "handler": "log"},
          "second": {"provider": "second", "handler": "pay"}}


@pytest.fixture
def shared(site):
    """A site with one genuine event that waits: a failed charge, which no route pays for."""
    s = site(sources=STRIPE, handlers=HANDLERS, routes=ROUTES)
    arrive(s, events.stripe("evt_genuine", "charge.failed"))
    return s


CHANGES = {
    "type": "UPDATE hookonce_receipt SET event_type = 'charge.succeeded'",
    "provider": "UPDATE hookonce_receipt SET provider = 'second'",
    "source": "UPDATE hookonce_receipt SET source = 'second'",
    "id": "UPDATE hookonce_receipt SET event_id = 'evt_other'",
    "occurred": "UPDATE hookonce_receipt SET occurred_at = occurred_at + INTERVAL 1 DAY",
    "document": "UPDATE hookonce_receipt SET document = 'form'",
    "digest": "UPDATE hookonce_receipt SET same_digest = UNHEX(SHA2('x', 256))",
    "mac": "UPDATE hookonce_receipt SET mac = UNHEX(SHA2('x', 256))",
    "one byte": "UPDATE hookonce_body SET bytes = CONCAT(bytes, ' ')",
    "second part": "INSERT INTO hookonce_body SELECT correlation_id, 1, NULL, ' ', NULL FROM hookonce_body",
    "headers": "UPDATE hookonce_body SET headers = CONCAT(headers, 'x-evil: 1\\r\\n')",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_genuine_receipt_that_was_changed_does_not_run(shared, change):
    shared.sql(CHANGES[change])
    assert shared.hookonce("process", "--once").returncode == 1
    assert shared.effects() == []
    job, = shared.jobs()
    assert (job["state"], job["outcome"]) == ("dead", "forged row") and attempts(shared) == [(1, "forged row")]
    assert shared.hookonce("check").returncode == 1
    shared.hookonce("retry", "--all", check=True)
    assert shared.hookonce("process", "--once").returncode == 1
    assert shared.effects() == [], "another try helps nobody"


@pytest.mark.parametrize("name", ["paid", "second", "log' OR '1", "none"])
def test_a_route_written_into_a_job_runs_only_if_it_wants_the_event(shared, name):
    shared.sql("UPDATE hookonce_job SET route = %s", name)
    assert shared.hookonce("process", "--once").returncode == 1
    job, = shared.jobs()
    assert (job["state"], job["outcome"]) == ("dead", "no route") and shared.effects() == []


def test_a_second_receipt_cannot_borrow_the_first_ones_mac(shared):
    columns = ", ".join(f"`{c}`" for c in shared.receipts()[0] if c not in ("event_id", "correlation_id"))
    cid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    shared.sql(f"INSERT INTO hookonce_receipt (event_id, correlation_id, {columns}) "
               f"SELECT 'evt_copy', '{cid}', {columns} FROM hookonce_receipt")
    shared.sql(f"INSERT INTO hookonce_body SELECT '{cid}', part, headers, bytes, body_key FROM hookonce_body")
    shared.sql("INSERT INTO hookonce_job (correlation_id, state, run_at, created_at) "
               f"VALUES ('{cid}', 'ready', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))")
    assert shared.hookonce("process", "--once").returncode == 1
    assert shared.effects() == ["log-evt_genuine"]


def test_two_receipts_under_one_correlation_id_run_neither(shared):
    columns = ", ".join(f"`{c}`" for c in shared.receipts()[0] if c not in ("event_id", "event_type"))
    shared.sql(f"INSERT INTO hookonce_receipt (event_id, event_type, {columns}) "
               f"SELECT 'evt_twin', 'charge.succeeded', {columns} FROM hookonce_receipt")
    shared.hookonce("process", "--once")
    assert shared.effects() in ([], ["log-evt_genuine"])


@pytest.mark.parametrize("change", [
    # another job's, so that the other side takes the second for a repeat of the first
    "UPDATE hookonce_job j, (SELECT idempotency_key k, key_mac m FROM hookonce_job WHERE id = 1) x"
    " SET j.idempotency_key = x.k, j.key_mac = x.m WHERE j.id = 2",
    # any, so that it takes the repeat for another
    "UPDATE hookonce_job SET idempotency_key = UNHEX(SHA2('x', 256)), state = 'ready', run_at = UTC_TIMESTAMP(6)"
    " WHERE id = 1",
    "UPDATE hookonce_job SET key_mac = NULL, state = 'ready', run_at = UTC_TIMESTAMP(6) WHERE id = 1"])
def test_an_idempotency_key_counts_only_if_this_installation_wrote_it_for_that_job(site, downstream, change):
    d = downstream(500)
    s = site(sources=STRIPE, handlers={"h": {"url": d.url("/x")}},
             routes={"r": {"provider": "stripe", "handler": "h", "retry": "9 tries, 1h to 1h"}})
    arrive(s, events.stripe("evt_1"))
    s.process()
    arrive(s, events.stripe("evt_2"))
    s.sql(change)
    hit = 2 if "id = 2" in change else 1
    s.hookonce("process", "--once")
    assert s.sql("SELECT outcome, last_error FROM hookonce_job WHERE id = %s", hit)[0]["outcome"] == "forged row"
    assert "idempotency key" in s.sql("SELECT last_error FROM hookonce_job WHERE id = %s", hit)[0]["last_error"]
    assert len(d.requests) == (1 if hit == 2 else 2) == len(set(d.headers("Idempotency-Key")))


def test_a_genuine_event_may_be_run_again_or_hidden_which_is_a_stated_limit(shared):
    shared.process()
    assert shared.effects() == ["log-evt_genuine"]
    shared.sql("UPDATE hookonce_job SET state = 'ready', run_at = UTC_TIMESTAMP(6)")
    shared.process()
    assert shared.effects() == ["log-evt_genuine"] * 2
    arrive(shared, events.stripe("evt_hidden", "charge.failed"))
    shared.sql("DELETE FROM hookonce_job WHERE state = 'ready'")
    shared.process()
    assert shared.effects() == ["log-evt_genuine"] * 2


def test_the_right_key_brings_rows_back_to_life(shared):
    with open(shared.path("hookonce.key"), "rb") as f:
        key = f.read()
    shared.write("hookonce.key", os.urandom(32).hex())
    done = shared.hookonce("process", "--once")
    assert done.returncode == 1 and b"another installation's key" in done.stderr
    assert shared.jobs()[0]["state"] == "ready" and shared.effects() == []
    shared.write("hookonce.key", key)
    shared.process()
    assert shared.effects() == ["log-evt_genuine"]


def test_text_from_an_event_is_never_sql(site):
    s = site(sources={"github": {"provider": "github", "secret": "github test secret"}},
             handlers={"h": {"sql": ["INSERT INTO fx (event_id) VALUES ({/ref})",
                                     "INSERT INTO fx (event_id) VALUES ({header:x-github-event})"]}},
             routes={"r": {"provider": "github", "handler": "h"}})
    evil = "'); DROP TABLE fx; -- \\' \" ` ? {event:id} %s %n"
    body = events.github(ref=evil)
    pairs = sign.github("github test secret", body, event="x' OR 1 -- ?")
    assert s.cgi("github", body, pairs).status == 200
    s.process()
    assert s.effects() == [evil, "x' OR 1 -- ?"]
