"""The spool: what the database can't take is answered as accepted, and is in the tables later, once."""

import contextlib
import datetime
import os
import time

import pytest

from hooktest import MariaDB, events, grid, wait_until
from hooktest.proc import pids_of
from hooktest.proxy import DatabaseProxy
from hooktest.spool import STRIPE, away, files, send


def now():
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


def test_what_comes_while_the_database_is_away_is_imported_once_and_in_order(site):
    s = site(sources=STRIPE)
    began = now()
    with away(s):
        for n in range(5):
            assert send(s, f"evt_{n}").status == 200
    ended = now()
    assert len(files(s)) == 5 and s.written() == {}
    time.sleep(0.1)
    s.process()
    assert files(s) == []
    assert s.effects() == [f"evt_{n}" for n in range(5)]
    assert s.written() == {"receipt": 5, "body": 5, "job": 5, "attempt": 5}
    for row in s.receipts():
        assert began <= row["received_at"] <= ended < row["recorded_at"]
        assert row["duplicates"] == 0
    assert [line["id"] for line in s.log_lines(event="spooled")] == [f"evt_{n}" for n in range(5)]
    assert {line["how"] for line in s.log_lines(event="imported")} == {"new"}
    assert len(s.log_lines(event="alarm")) == 1
    s.process()
    assert s.written() == {"receipt": 5, "body": 5, "job": 5, "attempt": 5}


def test_a_spool_time_ahead_of_the_database_is_cut_to_the_databases(site):
    s = site(sources=STRIPE)
    body = events.stripe("evt_ahead")
    with away(s):
        ahead = time.time() + 7200
        assert s.cgi("stripe", body, s.signed("stripe", body, t=int(ahead)), now=ahead).status == 200
    s.process()
    row, = s.receipts()
    assert row["received_at"] == row["recorded_at"] <= now()


# -- each way in which a database fails ----------------------------------------------------------

@pytest.fixture(scope="module")
def broken(module_site, base):
    """(site, server): a database server that the tests of this module take turns to break."""
    server = MariaDB(os.path.join(base, "dbspool")).start()
    yield module_site(database=server.create_database(), sources=STRIPE, server=("lighttpd", {"procs": 1})), server
    server.stop()


@contextlib.contextmanager
def stopped(s, server):
    """The server is not there."""
    server.stop()
    try:
        yield
    finally:
        server.start()


@contextlib.contextmanager
def hung(s, server):
    """Nothing is answered any more, on links that stand."""
    server.pause()
    try:
        yield
    finally:
        server.resume()


@contextlib.contextmanager
def read_only(s, server):
    server.execute("SET GLOBAL read_only = 1")
    try:
        yield
    finally:
        server.execute("SET GLOBAL read_only = 0")


@contextlib.contextmanager
def no_connections(s, server):
    """The account has used its connections up."""
    for link in server.execute(f"SELECT id FROM information_schema.processlist WHERE user = '{s.db.receiver_user}'"):
        server.execute(f"KILL {link['id']}")
    server.execute(f"ALTER USER '{s.db.receiver_user}'@'%' WITH MAX_USER_CONNECTIONS 1")
    link = server.connect(user=s.db.receiver_user, password=s.db.receiver_password)
    try:
        yield
    finally:
        link.close()
        server.execute(f"ALTER USER '{s.db.receiver_user}'@'%' WITH MAX_USER_CONNECTIONS 0")


@contextlib.contextmanager
def locked(s, server):
    """A backup holds the table."""
    link = server.connect(s.db.name)
    with link.cursor() as cursor:
        cursor.execute("LOCK TABLES hookonce_receipt WRITE")
    try:
        yield
    finally:
        link.close()


@contextlib.contextmanager
def no_table(s, server):
    server.execute(f"RENAME TABLE {s.db.name}.hookonce_job TO {s.db.name}.away")
    try:
        yield
    finally:
        server.execute(f"RENAME TABLE {s.db.name}.away TO {s.db.name}.hookonce_job")


@contextlib.contextmanager
def newer_schema(s, server):
    s.sql("INSERT INTO hookonce_schema (version, name, applied_at) VALUES (999, 'x', UTC_TIMESTAMP(6))")
    try:
        yield
    finally:
        s.sql("DELETE FROM hookonce_schema WHERE version = 999")


@contextlib.contextmanager
def other_password(s, server):
    """Somebody has changed the password."""
    server.execute(f"ALTER USER '{s.db.receiver_user}'@'%' IDENTIFIED BY 'other'")
    try:
        yield
    finally:
        server.execute(f"ALTER USER '{s.db.receiver_user}'@'%' IDENTIFIED BY '{s.db.receiver_password}'")


@pytest.mark.parametrize("fault", [stopped, hung, read_only, no_connections, locked, no_table, newer_schema,
                                   other_password])
def test_whatever_is_wrong_with_the_database_an_event_is_kept__O_DB_03(broken, fault):
    s, server = broken
    name, before = f"evt_{fault.__name__}", s.written()
    shows_on_new_links = fault in (no_connections, newer_schema, other_password)
    with fault(s, server):
        for n in range(2):
            start, body = time.monotonic(), events.stripe(f"{name}{n}")
            answer = (s.cgi("stripe", body, s.signed("stripe", body)) if shows_on_new_links
                      else s.deliver("stripe", body))
            assert answer.status == 200
            assert time.monotonic() - start < 20, "the sender would have given up"
        assert len(files(s)) == 2
    s.process()
    assert s.written(before) == {"receipt": 2, "body": 2, "job": 2, "attempt": 2} and files(s) == []
    assert [e for e in s.effects() if e.startswith(name)] == [name + "0", name + "1"]
    wait_until(lambda: s.deliver("stripe", events.stripe(f"{name}2")).status == 200 and s.written(before)["receipt"] > 2,
               15, "what comes after goes into the database again", 0.5)
    s.process()


def test_twenty_events_while_the_server_is_stopped_need_no_second_delivery__O_DB_03(broken):
    s, server = broken
    before, receivers = s.written(), pids_of(s.receiver)
    with stopped(s, server):
        for n in range(20):
            start = time.monotonic()
            assert s.deliver("stripe", events.stripe(f"evt_twenty{n:02}")).status == 200
            assert time.monotonic() - start < 20, "the sender would have given up"
    s.process()
    assert s.written(before) == {"receipt": 20, "body": 20, "job": 20, "attempt": 20}
    assert [e for e in s.effects() if "twenty" in e] == [f"evt_twenty{n:02}" for n in range(20)]
    assert pids_of(s.receiver) == receivers


# -- the same event more than once ---------------------------------------------------------------

def test_an_event_twice_in_the_spool_or_once_in_the_database_is_one(site):
    s = site(sources=STRIPE)
    assert send(s, "evt_known").status == 200
    with away(s):
        for name in ("evt_known", "evt_twice", "evt_twice"):
            assert send(s, name).status == 200
    assert len(files(s)) == 3
    done = s.hookonce("import", check=True)
    assert b"3 requests imported (3 events: 1 new, 2 known, 0 in conflict)" in done.stdout
    s.process()
    assert s.written() == {"receipt": 2, "body": 2, "job": 2, "attempt": 2}
    assert {r["event_id"]: r["duplicates"] for r in s.receipts()} == {b"evt_known": 1, b"evt_twice": 1}
    assert sorted(s.effects()) == ["evt_known", "evt_twice"]


def test_what_contradicts_a_receipt_is_a_conflict_also_from_the_spool(site):
    s = site()
    assert send(s, "evt_1").status == 200
    body = events.github()
    assert s.cgi("github", body, s.signed("github", body, delivery="d-1")).status == 200
    with away(s):
        assert send(s, "evt_1", kind="invoice.paid").status == 200
        assert s.cgi("github", body, s.signed("github", body, delivery="d-2")).status == 200
    done = s.hookonce("import", check=True)
    assert b"2 requests imported (2 events: 0 new, 0 known, 2 in conflict)" in done.stdout
    assert sorted(r["kind"] for r in s.sql("SELECT kind FROM hookonce_conflict")) == ["meaning", "repeat"]
    assert s.written()["receipt"] == 2 and s.count("job") == 2


def test_a_batch_goes_through_the_spool_as_one_body(site):
    s = site(files={"grid.conf": grid.RECIPE}, settings={"hookonce": {"recipes": "grid.conf"}},
             sources={"grid": {"provider": "grid", "secret": "grid secret"}})
    content = grid.batch("e1", "e2", "e3")
    with away(s):
        assert s.cgi("grid", content, s.signed("grid", content)).status == 200
    assert len(files(s)) == 1
    s.hookonce("import", check=True)
    assert s.written() == {"receipt": 3, "body": 1, "job": 3}
    assert s.value("SELECT bytes FROM hookonce_body") == content
    s.process()
    assert sorted(s.effects()) == ["e1", "e2", "e3"]


@pytest.mark.parametrize("cut,stored", [("before commit", {}), ("after commit", {"receipt": 1, "body": 1, "job": 1})])
def test_a_commit_that_cannot_be_looked_up_is_spooled_and_is_one_receipt(site, cut, stored):
    s = site(sources=STRIPE)
    proxy = DatabaseProxy(s.path("state/proxy.sock"), s.db.server.socket)
    s.settings["database"] = {"socket": proxy.path}
    s.configure()
    proxy.cut, proxy.refuse_after_cut = cut, True
    try:
        assert send(s, "evt_cut").status == 200
        assert proxy.cuts == 1 and len(files(s)) == 1 and s.written() == stored
        proxy.refuse = False
        s.process()
    finally:
        proxy.close()
    assert s.written() == {"receipt": 1, "body": 1, "job": 1, "attempt": 1}
    assert s.receipts()[0]["duplicates"] == 0 and s.effects() == ["evt_cut"]


# -- what is not taken ---------------------------------------------------------------------------

def test_what_is_not_verified_never_reaches_the_spool(site):
    s = site()
    body = events.stripe("evt_forged")
    with away(s):
        assert s.cgi("stripe", body, s.signed("stripe", body, secret="whsec_bm90IG91cnM=")).status == 401
        assert s.cgi("stripe", body).status in (400, 401)
    assert not os.path.exists(s.path("state/spool"))


def test_a_full_or_unwritable_spool_answers_busy_and_keeps_what_it_has(site):
    s = site(sources=STRIPE, settings={"hookonce": {"spool_files": "2"}})
    with away(s):
        assert [send(s, f"evt_{n}").status for n in range(3)] == [200, 200, 503]
        assert int(send(s, "evt_3").header("Retry-After")) > 0
        assert "the spool is full" in s.log_lines(event="busy")[0]["reason"]
        s.settings["hookonce"] = {"spool_dir": "/nonexistent/folder/spool"}
        s.configure()
        assert send(s, "evt_4").status == 503
        s.settings["hookonce"] = {"spool_dir": "elsewhere/spool"}
        s.configure()
        os.chmod(s.folder("elsewhere"), 0o500)
        assert send(s, "evt_5").status == 503
        os.rename(s.path("hookonce.key"), s.path("away.key"))
        s.settings["hookonce"] = {}
        s.configure()
        assert send(s, "evt_6").status == 503, "without its key nothing could be imported"
        os.rename(s.path("away.key"), s.path("hookonce.key"))
    assert len(files(s)) == 2
    s.process()
    assert s.effects() == ["evt_0", "evt_1"]


def test_the_spool_is_as_the_config_says_for_each_source(site):
    sources = {name: {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE=", "scope": "source", **more}
               for name, more in {"a": {}, "no": {"spool": "off"}, "ask": {"mode": "reply", "handler": "fx"}}.items()}
    s = site(sources=sources, routes={"all": {"provider": "a", "on": "*", "handler": "fx"}})
    with away(s):
        assert [send(s, f"evt_{name}", name).status for name in sources] == [200, 503, 503]
    assert len(files(s)) == 1
    wait_until(lambda: send(s, "evt_again", "no").status == 200, 10, "the database is asked again")
    s.settings["hookonce"] = {"spool": "always"}
    s.configure()
    assert [send(s, f"evt_always_{name}", name).status for name in sources] == [200, 200, 200]
    assert [line["id"] for line in s.log_lines(event="spooled")] == ["evt_a", "evt_always_a"], "the database is there"
    s.process()
    wait_until(lambda: not files(s), 10, "the import that the receiver started is through, too")
    assert sorted(r["event_id"] for r in s.receipts() if r["source"] == b"a") == [b"evt_a", b"evt_always_a"]
    alarms = [line for line in s.log_lines(event="alarm") if line["reason"].startswith("spooled")]
    assert len(alarms) == 1, "what always goes there is no alarm"
