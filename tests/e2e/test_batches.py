"""Requests that bring several events: each is one, all are durable together, the body is stored once."""

import hashlib
import hmac
import json
import resource
import threading
import time

import pytest

from hooktest import wait_until
from hooktest.proc import cpu_s

SECRET = "a batch's own secret"
RECIPE = """
[recipe grid]
title = Grid, which sends its events by the dozen
sig = header:X-Grid-Signature
alg = hmac-sha256
enc = hex
signed = {body}
batch = /events
deadline = 10s
id = {json:./id}
type = {json:./type}
object = {json:./order}

[recipe bare]
like = grid
title = Grid without ids
batch = .
id = none
"""
HANDLER = {"fx": {"sql": "INSERT INTO fx (event_id) VALUES (CONCAT({event:id}, ':', {/n}))"}}


def make(site, server=None, provider="grid", **more):
    return site(server=server, files={"own.conf": RECIPE}, handlers=HANDLER,
                settings={"hookonce": {"recipes": "own.conf"}, **more.pop("settings", {})},
                sources={"grid": {"provider": provider, "secret": SECRET}}, **more)


def body(*items):
    """A body with items (number, n) of ids e<number>."""
    return json.dumps({"sent": "now", "events": [
        {"id": f"e{number}", "type": "order.paid", "order": f"o{number}", "n": n} for number, n in items]}).encode()


def signed(content):
    mac = hmac.new(SECRET.encode(), content, hashlib.sha256).hexdigest()
    return [("Content-Type", "application/json"), ("X-Grid-Signature", mac)]


def send(s, content):
    return s.cgi("grid", content, signed(content))


def test_every_item_is_an_event_of_its_own_and_the_body_is_there_once(site):
    s = make(site)
    content = body((1, 10), (2, 20), (3, 30))
    assert send(s, content).status == 200
    assert s.written() == {"receipt": 3, "body": 1, "job": 3}
    rows = sorted(s.receipts(), key=lambda r: r["event_id"])
    assert [r["event_id"] for r in rows] == [b"e1", b"e2", b"e3"]
    assert [r["object_key"] for r in rows] == [b"o1", b"o2", b"o3"]
    assert len({r["correlation_id"] for r in rows}) == 3
    owner = s.value("SELECT correlation_id FROM hookonce_body")
    assert [r["body_id"] for r in rows if r["correlation_id"] != owner] == [owner, owner]
    assert s.value("SELECT bytes FROM hookonce_body") == content
    assert all(r["body_len"] == len(content) for r in rows)
    lines = s.log_lines(event="accepted")
    assert sorted(line["id"] for line in lines) == ["e1", "e2", "e3"]
    assert {line["cid"] for line in lines} == {r["correlation_id"] for r in rows}
    s.process()
    assert sorted(s.effects()) == ["e1:10", "e2:20", "e3:30"], "a handler looks into its item"
    assert {r["status"] for r in s.receipts()} == {"processed"}
    other = next(r["correlation_id"] for r in rows if r["correlation_id"] != owner)
    assert f"shared with {owner}" in s.hookonce("list", other, check=True).stdout.decode()


def test_what_is_known_in_it_is_a_duplicate_and_what_contradicts_a_conflict(site):
    s = make(site)
    assert send(s, body((1, 10), (2, 20))).status == 200
    mixed = body((2, 20), (3, 30), (1, 11), (3, 30))
    assert send(s, mixed).status == 200
    assert s.written() == {"receipt": 3, "body": 2, "job": 3, "conflict": 1}
    got = {r["event_id"]: r["duplicates"] for r in s.receipts()}
    assert got == {b"e1": 0, b"e2": 1, b"e3": 1}
    conflict, = s.sql("SELECT * FROM hookonce_conflict")
    assert (conflict["event_id"], conflict["kind"]) == (b"e1", "meaning")
    assert json.loads(conflict["body"])["n"] == 11, "the item alone is kept"
    assert conflict["body_len"] == len(mixed)
    assert send(s, mixed).status == 200
    assert s.count("receipt") == 3 and s.count("conflict") == 1
    s.process()
    assert sorted(s.effects()) == ["e1:10", "e2:20", "e3:30"]


def test_a_batch_of_none_is_answered_and_writes_nothing(site):
    s = make(site)
    assert send(s, body()).status == 200
    assert s.written() == {}
    assert [line["source"] for line in s.log_lines(event="empty")] == ["grid"]


@pytest.mark.parametrize("content", [b'{"events":{"id":"e1"}}', b'{"events":"e1"}', b"[", b""])
def test_what_is_no_batch_is_never_taken(site, content):
    s = make(site)
    assert send(s, content).status in (400, 422)
    assert s.written() == {}


def test_an_unsigned_batch_writes_nothing(site):
    s = make(site)
    content = body((1, 1), (2, 2))
    assert s.cgi("grid", content, [("Content-Type", "application/json"), ("X-Grid-Signature", "0" * 64)]).status == 401
    assert s.written() == {}


def test_all_items_or_none(site):
    s = make(site, settings={"hookonce": {"recipes": "own.conf", "spool": "off"}})
    content = body((1, 10), (2, 20), (3, 30))
    s.sql("CREATE TRIGGER refuse BEFORE INSERT ON hookonce_receipt FOR EACH ROW IF NEW.event_id = 'e3' THEN "
          "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no inserts today'; END IF")
    answer = send(s, content)
    assert answer.status == 503 and answer.header("Retry-After")
    assert s.written() == {}
    s.sql("DROP TRIGGER refuse")
    assert send(s, content).status == 200
    assert s.written() == {"receipt": 3, "body": 1, "job": 3}


def test_items_without_an_id_are_told_apart_by_their_place(site):
    s = make(site, provider="bare")
    content = json.dumps([{"n": 1}, {"n": 1}, {"n": 2}]).encode()
    assert send(s, content).status == 200
    assert send(s, content).status == 200
    assert s.count("receipt") == 3
    assert {r["duplicates"] for r in s.receipts()} == {1}


def worked(s):
    """Seconds of CPU that the receivers and the database have had: what it takes where nobody else is at work."""
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    return child.ru_utime + child.ru_stime + cpu_s(s.db.server.proc.pid)


def test_a_thousand_items_are_taken_within_the_deadline_and_one_more_is_refused(site):
    s = make(site)
    content = body(*((n, n) for n in range(1000)))
    before = worked(s)
    assert send(s, content).status == 200
    took = worked(s) - before
    wait_until(lambda: s.import_spooled() or s.count("receipt") == 1000, 10, "at the latest from the spool")
    assert s.count("receipt") == 1000 and s.count("body") == 1 and s.count("job") == 1000
    assert took < 2, f"{took:.1f} s of work on this machine, of a sender's two seconds"
    assert send(s, body(*((n, n) for n in range(1001)))).status in (400, 422)
    assert s.count("receipt") == 1000


def test_batches_that_overlap_and_come_at_once(site):
    s = make(site, server=("lighttpd", {"procs": 4}))
    contents = [body(*(((n * 7 + k) % 40, (n * 7 + k) % 40) for n in range(40))) for k in range(16)]
    statuses = [[] for _ in contents]

    def one(number):
        while time.monotonic() < end:
            answer = s.post("grid", contents[number], signed(contents[number]))
            statuses[number].append(answer.status)
            if answer.status == 200:
                return
            time.sleep(0.1)

    end = time.monotonic() + 60
    threads = [threading.Thread(target=one, args=(n,)) for n in range(len(contents))]
    for t in threads:
        t.start()
    for t in threads:
        t.join(100)
    assert all(got and got[-1] == 200 for got in statuses), statuses
    s.process()  # what had to wait too long lies in the spool
    assert s.count("receipt") == 40 and s.count("job") == 40 and s.count("conflict") == 0
    assert sorted(s.effects()) == sorted(f"e{n}:{n}" for n in range(40))


@pytest.mark.parametrize("change, outcome", [
    ("UPDATE hookonce_receipt SET document = 'json#/events/0'", "forged row"),
    ("UPDATE hookonce_receipt SET body_id = NULL", "body gone"),
    ("UPDATE hookonce_receipt SET body_id = (SELECT correlation_id FROM hookonce_body ORDER BY 1 DESC LIMIT 1)",
     "forged row"),
])
def test_an_item_that_was_given_another_body_or_place_does_not_run(site, change, outcome):
    s = make(site)
    assert send(s, body((1, 10), (2, 20))).status == 200
    assert send(s, body((3, 30))).status == 200
    s.sql(change + " WHERE event_id = 'e2'" if "ORDER" not in change else change + " WHERE event_id IN ('e2')")
    assert s.hookonce("process", "--once").returncode == 1
    assert sorted(s.effects()) == ["e1:10", "e3:30"]
    assert [j["outcome"] for j in s.jobs() if j["state"] == "dead"] == [outcome]


def test_a_running_processor_is_woken_for_a_batch(site):
    s = make(site, settings={"processor": {"poll": "60s"}})
    s.start_processor("--for", "100s")
    wait_until(lambda: s.count("worker") == 1, 10, "the processor is there")
    time.sleep(0.5)
    assert send(s, body((1, 1), (2, 2))).status == 200
    wait_until(lambda: len(s.effects()) == 2, 10, "both effects")
