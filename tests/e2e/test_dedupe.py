"""One event that arrives many times at once, and receipts that never stand without their job."""

import threading

import pytest

from hooktest import events, wait_until

TRIGGER = ("CREATE TRIGGER refuse BEFORE INSERT ON hookonce_{0} FOR EACH ROW "
           "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no inserts today'")


def in_parallel(calls):
    """Runs all functions at the same moment, each in a thread of its own; returns their results."""
    barrier, results = threading.Barrier(len(calls)), [None] * len(calls)

    def one(number):
        barrier.wait()
        results[number] = calls[number]()

    threads = [threading.Thread(target=one, args=(n,)) for n in range(len(calls))]
    for t in threads:
        t.start()
    for t in threads:
        t.join(100)
    assert all(r is not None for r in results), "a request failed or hung"
    return results


@pytest.fixture
def hosts(site):
    """Four hosts on one database, the first two with a web server and four receivers each."""
    first = site(server=("lighttpd", {"procs": 4}))
    made = [first]
    with open(first.path("hookonce.key"), "rb") as f:
        key = f.read()
    for server in (("lighttpd", {"procs": 4}), None, None):
        made.append(site(database=first.db, migrate=False))
        made[-1].write("hookonce.key", key)
        if server:
            made[-1].serve(server[0], **server[1])
    return made


@pytest.mark.parametrize("posts", [50, 200])
def test_parallel_posts_of_one_event_are_one_receipt_one_job_one_effect__O_DUP_01(hosts, posts):
    body = events.stripe("evt_dup01")
    headers = hosts[0].signed("stripe", body)
    processors = [h.start_processor("--for", "250s") for h in hosts]
    answers = in_parallel([lambda h=hosts[n % 2]: h.post("stripe", body, headers) for n in range(posts)])
    statuses = [a.status for a in answers]
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) >= 1
    assert all(a.header("Retry-After") for a in answers if a.status == 503)
    wait_until(hosts[0].effects, 15, "the effect")
    wait_until(lambda: hosts[0].receipts()[0]["status"] == "processed", 15, "the receipt is processed")
    assert all(h.post("stripe", body, headers).status == 200 for h in hosts[:2])
    for p in processors:
        assert p.stop() == 0
    hosts[0].process()
    assert hosts[0].effects() == ["evt_dup01"]
    assert hosts[0].written() == {"receipt": 1, "body": 1, "job": 1, "attempt": 1}
    assert hosts[0].receipts()[0]["duplicates"] <= statuses.count(200) + 1
    lines = [line for h in hosts for line in h.log_lines(event="accepted")]
    assert len(lines) == 1


def test_no_delivery_is_answered_on_a_rivals_uncommitted_receipt__O_DUP_01(site):
    s = site(server=("lighttpd", {"procs": 2}), settings={"hookonce": {"spool": "off"}})
    body = events.stripe("evt_rival")
    assert s.deliver("stripe", body).status == 200
    row = s.receipts()[0]
    s.sql("DELETE FROM hookonce_job")
    s.sql("DELETE FROM hookonce_body")
    s.sql("DELETE FROM hookonce_receipt")
    rival = s.db.connect()
    try:
        rival.begin()
        columns = ", ".join(f"`{c}`" for c in row)
        with rival.cursor() as cursor:
            cursor.execute(f"INSERT INTO hookonce_receipt ({columns}) VALUES "
                           f"({', '.join(['%s'] * len(row))})", tuple(row.values()))
        answer = s.deliver("stripe", body)
        assert answer.status == 503 and answer.header("Retry-After")
        rival.rollback()
    finally:
        rival.close()
    assert s.deliver("stripe", body).status == 200
    assert s.written() == {"receipt": 1, "body": 1, "job": 1}


@pytest.mark.parametrize("table", ["job", "body"])
def test_a_receipt_never_stands_without_its_job_and_body__O_DUP_03(site, table):
    s = site(server=("lighttpd", {"procs": 1}), settings={"hookonce": {"spool": "off"}})
    body = events.stripe("evt_dup03")
    s.sql(TRIGGER.format(table))
    for _ in range(2):
        answer = s.deliver("stripe", body)
        assert answer.status == 503 and answer.header("Retry-After")
        assert s.written() == {}
    s.sql("DROP TRIGGER refuse")
    for _ in range(2):
        assert s.deliver("stripe", body).status == 200
    s.process()
    assert s.effects() == ["evt_dup03"]
