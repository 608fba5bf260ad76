"""Ids that databases like to fold or cut, a database that is away, slow or lying, and rows written by others."""

import os
import re
import time

import pytest

from hooktest import events, sign, wait_until
from hooktest.proc import least, pids_of
from hooktest.proxy import DatabaseProxy

SECRET = "github test secret"
STATEMENT = re.compile(r"\d+ (?:Connect|Init DB|Query|Prepare|Execute|Long Data|Reset stmt|Ping)\s.*")
NO_SPOOL = {"hookonce": {"spool": "off"}}  # what a sender sees then; with a spool: test_spool.py
GITHUB = {"github": {"provider": "github", "secret": SECRET}}


def test_long_ids_that_begin_alike_are_different_events__O_DB_01(site):
    s = site(server="lighttpd", sources=GITHUB)
    long = "x" * 299
    ids = [long + "A", long + "B", "y" * 4000, "z" * 255, "z" * 256, "sha256:" + "0" * 64]
    for delivery in ids:
        for _ in range(2):
            body = events.github(ref=delivery[-4:] + str(len(delivery)), after="1")
            assert s.deliver("github", body, delivery=delivery).status == 200
    assert s.written() == {k: len(ids) for k in ("receipt", "body", "job", "guard")}
    stored = [r["event_id"] for r in s.receipts()]
    assert len(set(stored)) == len(ids) and b"z" * 255 in stored
    for delivery, key in zip(ids, stored):
        digest = b"sha256:" + sign.hashlib.sha256(delivery.encode()).hexdigest().encode()
        assert key == (delivery.encode() if len(delivery) == 255 else digest)
    s.process()
    assert len(s.effects()) == len(set(s.effects())) == len(ids)


def test_ids_differ_by_case_accent_or_a_trailing_blank__O_DB_02(site, mariadb):
    database = mariadb.create_database(options="CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
    s = site(database=database)
    for delivery in ("evt_1Ab", "evt_1ab"):
        body = events.github()
        assert s.cgi("github", body, s.signed("github", body, delivery=delivery)).status == 200
    body_ids = ("a", "a ", "A", "é", "e", "e\u0301", "ß", "ss", "😀", "😁", "x\x00", "x")
    for event_id in body_ids:
        body = events.stripe(event_id)
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    assert len(s.receipts()) == len(body_ids) + 2
    s.process()
    assert sorted(s.effects()) == sorted(body_ids + ("evt_1Ab", "evt_1ab"))
    mariadb.drop(database)


def test_while_the_database_is_stopped_nothing_is_claimed_to_be_stored__O_DB_03(site, own_mariadb):
    server = own_mariadb()
    s = site(server=("lighttpd", {"procs": 2}), database=server.create_database(), sources=GITHUB,
             settings=NO_SPOOL)
    assert s.deliver("github", events.github(), delivery="d-before").status == 200
    before = wait_until(lambda: len(pids_of(s.receiver)) == 2 and pids_of(s.receiver), 10, "two receivers")
    server.stop()
    forged = s.deliver("github", events.github(), secret="not ours")
    assert forged.status == 401
    bodies, took = [events.github() for _ in range(20)], []
    for n, body in enumerate(bodies):
        start = time.monotonic()
        answer = s.deliver("github", body, delivery=f"d-{n}")
        assert answer.status == 503 and int(answer.header("Retry-After")) > 0
        took.append(time.monotonic() - start)
    assert max(took) < 8 and sorted(took)[10] < 2.8
    server.start()
    for n, body in enumerate(bodies):
        assert s.deliver("github", body, delivery=f"d-{n}").status == 200
    s.process()
    assert sorted(s.effects()) == sorted(["d-before"] + [f"d-{n}" for n in range(20)])
    wait_until(lambda: pids_of(s.receiver) == before, 10, "the same receivers are there")
    assert 1 <= len(s.log_lines(event="alarm")) <= 3


def test_a_hanging_read_only_or_locked_database_gets_busy_in_time__O_DB_03(site, own_mariadb):
    server = own_mariadb()
    s = site(server=("lighttpd", {"procs": 1}), database=server.create_database(), sources=GITHUB,
             settings=NO_SPOOL)
    body = events.github()

    def busy_for(limit_s):
        def once():
            start = time.monotonic()
            answer = s.deliver("github", body, delivery="d-later")
            assert answer.status == 503 and answer.header("Retry-After")
            took = time.monotonic() - start
            assert took < 8
            return took

        least(once, limit_s)

    def works_again(name):
        wait_until(lambda: s.deliver("github", events.github(), delivery=name).status == 200, 10, "it is taken again")

    server.pause()
    try:
        busy_for(3)
        assert s.deliver("github", body, secret="not ours").status == 401
    finally:
        server.resume()
    works_again("d-hung")
    server.execute("SET GLOBAL read_only = 1")
    busy_for(1)
    server.execute("SET GLOBAL read_only = 0")
    works_again("d-read-only")
    locker = server.connect(s.db.name)
    with locker.cursor() as cursor:
        cursor.execute("LOCK TABLES hookonce_receipt WRITE")
        busy_for(3)
    locker.close()
    works_again("d-locked")
    assert s.written() == {name: 3 for name in ("receipt", "body", "job", "guard")}
    works_again("d-later")
    assert len(s.receipts()) == 4


def test_a_forged_request_sends_no_statement(site, own_mariadb):
    server = own_mariadb()
    s = site(server=("lighttpd", {"procs": 1}), database=server.create_database())
    assert s.deliver("github", events.github()).status == 200
    body = events.stripe("evt_forged")
    forged = [("stripe", body, s.signed("stripe", body, secret="whsec_bm90IG91cnM=")),
              ("stripe", body, s.signed("stripe", body, t=1000)), ("stripe", body, []),
              ("github", body, sign.github("not ours", body)), ("shopify", body, sign.shopify("not ours", body)),
              ("slack", body, sign.slack("not ours", body)),
              ("standard", body, sign.standard_webhooks("bm90IG91cnM=", body)), ("nobody", body, [])]
    server.log_statements(True)
    for source, content, headers in forged:
        assert 400 <= s.post(source, content, headers).status < 500
    quiet = server.logged_statements()
    assert s.deliver("stripe", body).status == 200
    server.log_statements(False)
    assert "hookonce_receipt" in server.logged_statements(), "the log shows what genuine ones do"
    assert STATEMENT.findall(quiet) == []


def test_a_link_that_was_killed_while_idle_is_opened_again__O_DB_04(site):
    s = site(server=("lighttpd", {"procs": 1}))
    for n in range(3):
        body = events.stripe(f"evt_idle{n}")
        assert s.deliver("stripe", body).status == 200
        links = s.db.server.execute(f"SELECT id FROM information_schema.processlist WHERE user IN ({s.db.accounts()})")
        assert links, "the receiver keeps its link"
        for link in links:
            s.db.server.execute(f"KILL {link['id']}")
    assert len(s.jobs()) == 3 and "busy" not in s.log_text()


ONE = {"receipt": 1, "body": 1, "job": 1}


@pytest.fixture(scope="module")
def breakable(module_site):
    """(site, proxy): the receiver reaches the database through a proxy that can drop a COMMIT."""
    s = module_site()
    proxy = DatabaseProxy(s.path("state/proxy.sock"), s.db.server.socket)
    s.settings = {"database": {"socket": proxy.path}, **NO_SPOOL}
    s.configure()
    s.serve("lighttpd", procs=1)
    yield s, proxy
    proxy.close()


@pytest.mark.parametrize("cut", ["before commit", "after commit"])
def test_a_commit_without_an_answer_is_looked_up_and_answered__O_DB_04(breakable, cut):
    s, proxy = breakable
    name, before, cuts = "evt_" + cut[:5], s.written(), proxy.cuts
    body = events.stripe(name)
    proxy.cut = cut
    assert s.deliver("stripe", body).status == 200
    assert proxy.cuts == cuts + 1
    assert s.written(before) == ONE
    assert s.deliver("stripe", body).status == 200
    assert s.written(before) == ONE
    wait_until(lambda: s.value("SELECT duplicates FROM hookonce_receipt WHERE event_id = %s", name) == 1, 5,
               "the second one is counted as duplicate")
    s.process()
    assert s.effects().count(name) == 1


@pytest.mark.parametrize("cut,stored", [("before commit", {}), ("after commit", ONE)])
def test_a_commit_that_cannot_be_looked_up_is_not_claimed__O_DB_04(breakable, cut, stored):
    s, proxy = breakable
    name, before, cuts = "evt_away_" + cut[:5], s.written(), proxy.cuts
    body = events.stripe(name)
    proxy.cut, proxy.refuse_after_cut = cut, True
    try:
        answer = s.deliver("stripe", body)
        assert answer.status == 503 and answer.header("Retry-After")
        assert proxy.cuts == cuts + 1 and s.written(before) == stored
    finally:
        proxy.refuse = proxy.refuse_after_cut = False
    assert s.deliver("stripe", body).status == 200
    assert s.written(before) == ONE
    s.process()
    assert s.effects().count(name) == 1


@pytest.mark.parametrize("cut", ["before commit", "after commit"])
def test_with_the_guard_on_a_lost_commit_is_no_repeat__O_DB_04(breakable, cut):
    s, proxy = breakable
    body, before, cuts = events.github(), s.written(), proxy.cuts
    proxy.cut = cut
    assert s.deliver("github", body).status == 200
    assert proxy.cuts == cuts + 1
    assert s.written(before) == {**ONE, "guard": 1}


# -- rows that no receiver of ours wrote ---------------------------------------------------------

COPY = "INSERT INTO hookonce_{0} ({1}) SELECT {2} FROM hookonce_{0} WHERE correlation_id = '{3}'"
FORGED_CID = "01JZZZZZZZZZZZZZZZZZZZZZZZ"


def copy_row(s, table, cid, **changes):
    """Writes a copy of a row with some columns changed (SQL text), as one with SQL access would."""
    columns = [r["Field"] for r in s.sql(f"SHOW COLUMNS FROM hookonce_{table}") if r["Extra"] != "auto_increment"]
    values = [changes.get(c, f"`{c}`") for c in columns]
    s.sql(COPY.format(table, ", ".join(f"`{c}`" for c in columns), ", ".join(values), cid).replace("%", "%%"))


def handmade(s, cid):
    """A receipt with body and job, copied from a genuine one under another id, type and body."""
    body = "'{\"id\":\"evt_by_hand\"}'"
    copy_row(s, "receipt", cid, correlation_id=f"'{FORGED_CID}'", event_id="'evt_by_hand'", status="'received'",
             outcome="NULL", body_sha256=f"UNHEX(SHA2({body}, 256))", body_len=f"LENGTH({body})")
    copy_row(s, "body", cid, correlation_id=f"'{FORGED_CID}'", bytes=body)
    copy_row(s, "job", cid, correlation_id=f"'{FORGED_CID}'")
    return FORGED_CID


def other_body(s, cid):
    """The genuine receipt's body exchanged."""
    s.sql("UPDATE hookonce_body SET bytes = '{\"id\":\"evt_x\",\"amount\":1000000}' WHERE correlation_id = %s", cid)


def other_body_and_digest(s, cid):
    """The same, with the digest and the length in the receipt made to fit."""
    other_body(s, cid)
    s.sql("UPDATE hookonce_receipt r JOIN hookonce_body b USING (correlation_id) "
          "SET r.body_sha256 = UNHEX(SHA2(b.bytes, 256)), r.body_len = LENGTH(b.bytes) "
          "WHERE correlation_id = %s", cid)


def other_type(s, cid):
    """A genuine receipt told to be of another type."""
    s.sql("UPDATE hookonce_receipt SET event_type = 'payout.paid' WHERE correlation_id = %s", cid)


def other_id(s, cid):
    """A genuine receipt under another id: the same work again."""
    s.sql("UPDATE hookonce_receipt SET event_id = 'evt_again' WHERE correlation_id = %s", cid)


def other_object(s, cid):
    """A genuine receipt about another object."""
    s.sql("UPDATE hookonce_receipt SET object_key = 'cs_mine' WHERE correlation_id = %s", cid)


def other_headers(s, cid):
    """A genuine receipt with other headers."""
    s.sql("UPDATE hookonce_body SET headers = 'x-forged: 1\\n' WHERE correlation_id = %s", cid)


def no_body(s, cid):
    """A genuine receipt whose body is gone."""
    s.sql("DELETE FROM hookonce_body WHERE correlation_id = %s", cid)


def no_receipt(s, cid):
    """A job for a receipt that there never was."""
    cid = FORGED_CID[:-1] + "Y"
    s.sql("INSERT INTO hookonce_job (correlation_id, route, state, run_at, created_at) "
          "VALUES (%s, 'all-stripe', 'ready', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))", cid)
    return cid


FORGERIES = [handmade, other_body, other_body_and_digest, other_type, other_id, other_object, other_headers, no_body,
             no_receipt]


def test_rows_written_by_hand_never_run_and_are_reported(site):
    s = site(sources={"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}})
    forged = {}
    for forge in FORGERIES:
        body = events.stripe("evt_" + forge.__name__)
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
        cid = s.value("SELECT correlation_id FROM hookonce_receipt WHERE event_id = %s", "evt_" + forge.__name__)
        forged[forge.__name__] = forge(s, cid) or cid
    for _ in range(2):
        s.hookonce("process", "--once")
        assert sorted(s.effects()) == ["evt_handmade", "evt_no_receipt"], "only what was genuine beside the forgeries"
        for name, cid in forged.items():
            jobs = s.sql("SELECT state, outcome FROM hookonce_job WHERE correlation_id = %s", cid)
            gone = name == "no_body"  # of which there is nothing to be seen by that it was changed
            assert jobs == [{"state": "dead", "outcome": "body gone" if gone else "forged row"}], name
            receipts = s.sql("SELECT status FROM hookonce_receipt WHERE correlation_id = %s", cid)
            assert receipts == ([] if name == "no_receipt" else [{"status": "failed"}]), name
            assert len(s.log_lines(event="dead" if gone else "forged", cid=cid)) == 1, name
    alarms = s.log_lines(event="alarm", level="alarm")
    assert {a["alarm"] for a in alarms} == {"forged", "dead"} and all(a["cid"] in forged.values() for a in alarms)
    told = [line for line in s.hookonce("check").stdout.decode().splitlines() if "did not write" in line]
    assert len(told) == 1 and told[0].startswith(("warn", "FAIL"))


def test_receipts_of_another_installations_key_do_not_run(site):
    s = site(sources={"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}})
    body = events.stripe("evt_key")
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    s.write("hookonce.key", os.urandom(32).hex())
    done = s.hookonce("process", "--once")
    assert s.effects() == []
    assert done.returncode != 0 or s.log_lines(event="forged")
    check = s.hookonce("check")
    assert check.returncode == 1 and b"FAIL  key:" in check.stdout
