"""The database's bad days: each fault, what a sender is told and how soon, and that nothing is lost or doubled."""

import contextlib
import itertools
import os
import threading
import time

import pymysql
import pytest

from hooktest import MariaDB, events, wait_until
from hooktest.proxy import DatabaseProxy

SECRET = "github test secret"
SOURCES = {"github": {"provider": "github", "secret": SECRET},
           "patient": {"provider": "github", "secret": SECRET, "mode": "reply", "handler": "says"}}
HANDLERS = {"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}, "says": {"command": "/bin/echo yes"}}
ROUTES = {"all": {"provider": "github", "on": "*", "handler": "fx"}}
DEADLINE_S = 2  # github's; READY_S is the least of many, LOADED_S the most that a busy machine makes of it
READY_S, LOADED_S = DEADLINE_S + 0.8, 4 * DEADLINE_S
ids = (f"d-{n}" for n in itertools.count())


class Days:
    """One database server that may be broken, and two sites on it: one spools, one does not."""

    def __init__(self, make_site, server):
        self.server = server
        self.sites = {spool: make_site(server=("lighttpd", {"procs": 1}), database=server.create_database(),
                                       sources=SOURCES, handlers=HANDLERS, routes=ROUTES,
                                       settings={"hookonce": {"spool": spool}}) for spool in ("on", "off")}

    def sql(self, site, statement):
        """As the server's root, in the site's database."""
        return self.server.execute(f"USE {site.db.name}", statement)

    def drop_links(self):
        """Ends the links that the receivers keep."""
        for link in self.server.execute("SELECT id FROM information_schema.processlist WHERE user LIKE 'hooks%'"):
            with contextlib.suppress(pymysql.err.Error):
                self.server.execute(f"KILL {link['id']}")

    def for_users(self, statement):
        """A statement with {user} in it, for both."""
        for site in self.sites.values():
            self.server.execute(statement.format(user=f"{site.db.receiver_user}@'%'",
                                                 password=site.db.receiver_password))
        self.drop_links()


@pytest.fixture(scope="module")
def days(base, module_site):
    server = MariaDB(os.path.join(base, "bad"), options=[
        "--max-user-connections=300", "--innodb-file-per-table=0",
        "--innodb-data-file-path=ibdata1:12M:autoextend:max:64M"])
    try:
        yield Days(module_site, server.start())
    finally:
        server.stop()


# -- the faults: each breaks the database for the length of its `with` block -----------------------------------

@contextlib.contextmanager
def hung(days):
    days.server.pause()
    try:
        yield
    finally:
        days.server.resume()


@contextlib.contextmanager
def away(days):
    days.server.stop()
    try:
        yield
    finally:
        days.server.start()


@contextlib.contextmanager
def read_only(days):
    days.server.execute("SET GLOBAL read_only = 1")
    try:
        yield
    finally:
        days.server.execute("SET GLOBAL read_only = 0")


@contextlib.contextmanager
def locked_table(days):
    lockers = [days.server.connect(site.db.name) for site in days.sites.values()]
    for locker in lockers:
        locker.cursor().execute("LOCK TABLES hookonce_receipt WRITE")
    try:
        yield
    finally:
        for locker in lockers:
            locker.close()


@contextlib.contextmanager
def all_locked(days):
    locker = days.server.connect()
    locker.cursor().execute("FLUSH TABLES WITH READ LOCK")
    try:
        yield
    finally:
        locker.close()


@contextlib.contextmanager
def missing_table(days):
    for site in days.sites.values():
        days.sql(site, "RENAME TABLE hookonce_receipt TO hookonce_elsewhere")
    try:
        yield
    finally:
        for site in days.sites.values():
            days.sql(site, "RENAME TABLE hookonce_elsewhere TO hookonce_receipt")


@contextlib.contextmanager
def other_schema(days, version):
    for site in days.sites.values():
        days.sql(site, "CREATE TABLE kept_schema AS SELECT * FROM hookonce_schema")
        days.sql(site, version)
    days.drop_links()
    try:
        yield
    finally:
        for site in days.sites.values():
            days.sql(site, "DELETE FROM hookonce_schema")
            days.sql(site, "INSERT INTO hookonce_schema SELECT * FROM kept_schema")
            days.sql(site, "DROP TABLE kept_schema")


def newer_schema(days):
    return other_schema(days, "UPDATE hookonce_schema SET version = version + 1000 ORDER BY version DESC LIMIT 1")


def older_schema(days):
    return other_schema(days, "DELETE FROM hookonce_schema ORDER BY version DESC LIMIT 1")


@contextlib.contextmanager
def too_many_connections(days):
    days.server.execute("CREATE USER IF NOT EXISTS crowd@'%'", "SET GLOBAL max_connections = 10")
    days.drop_links()
    crowd = []
    with contextlib.suppress(pymysql.err.OperationalError):
        for _ in range(12):
            crowd.append(days.server.connect(user="crowd"))
    try:
        yield
    finally:
        for link in crowd:
            link.close()
        days.server.execute("SET GLOBAL max_connections = 400")


@contextlib.contextmanager
def too_many_of_any_user(days):
    holders = [days.server.connect(user=s.db.receiver_user, password=s.db.receiver_password)
               for s in days.sites.values()]
    days.server.execute("SET GLOBAL max_user_connections = 1")
    held = {h.thread_id() for h in holders}
    for row in days.server.execute("SELECT id, user FROM information_schema.processlist WHERE user LIKE 'hooks%'"):
        if row["id"] not in held:
            days.server.execute(f"KILL {row['id']}")
    try:
        yield
    finally:
        days.server.execute("SET GLOBAL max_user_connections = 300")
        for holder in holders:
            holder.close()


@contextlib.contextmanager
def limit(days, word):
    days.for_users("ALTER USER {user} WITH " + word)
    for site in days.sites.values():
        with contextlib.suppress(pymysql.err.Error):
            link = days.server.connect(user=site.db.receiver_user, password=site.db.receiver_password)
            with link.cursor() as cursor:
                for _ in range(3):
                    cursor.execute("SELECT 1")
    try:
        yield
    finally:
        days.for_users(f"ALTER USER {{user}} WITH {word.split()[0]} 0")
        days.server.execute("FLUSH USER_RESOURCES")


def connections_of_the_user(days):
    return limit(days, "MAX_CONNECTIONS_PER_HOUR 1")


def queries_of_the_user(days):
    return limit(days, "MAX_QUERIES_PER_HOUR 1")


@contextlib.contextmanager
def other_password(days):
    days.for_users("ALTER USER {user} IDENTIFIED BY 'rotated'")
    try:
        yield
    finally:
        days.for_users("ALTER USER {user} IDENTIFIED BY '{password}'")


@contextlib.contextmanager
def no_right(days):
    grants = []
    for site in days.sites.values():
        user = f"{site.db.receiver_user}@'%'"
        grants += [next(iter(row.values())) for row in days.server.execute(f"SHOW GRANTS FOR {user}")]
        days.server.execute(f"REVOKE INSERT ON {site.db.name}.hookonce_receipt FROM {user}")
    days.drop_links()
    try:
        yield
    finally:
        days.server.execute(*grants)
        days.drop_links()


def fill(days, site, go_on):
    """Takes all room there is, while go_on(): what did not fit is rolled back, and its room given back a little later."""
    while go_on():
        for size in (1_000_000, 100_000, 9_000, 3_000):
            with contextlib.suppress(pymysql.err.Error):
                while True:
                    days.sql(site, f"INSERT INTO filler (b) VALUES (REPEAT('x', {size}))")
        time.sleep(0.1)


@contextlib.contextmanager
def full(days):
    site, over, rounds = days.sites["on"], threading.Event(), itertools.count()
    days.sql(site, "CREATE TABLE filler (a INT AUTO_INCREMENT PRIMARY KEY, b LONGBLOB) ENGINE=InnoDB")
    fill(days, site, lambda: next(rounds) < 6)
    filler = threading.Thread(target=fill, args=(days, site, lambda: not over.is_set()))
    filler.start()
    try:
        yield
    finally:
        over.set()
        filler.join()
        days.server.stop()  # not even a DROP works
        days.server.options = [o.replace("max:64M", "max:96M") for o in days.server.options]
        days.server.start()
        days.sql(site, "DROP TABLE filler")


@contextlib.contextmanager
def recovery(days):
    options = list(days.server.options)
    days.server.stop()
    days.server.options.append("--innodb-force-recovery=6")
    days.server.start()
    try:
        yield
    finally:
        days.server.stop()
        days.server.options[:] = options
        days.server.start()


# name -> (fault, a number that the log must give as the reason, or a word; whether it takes the request's time)
FAULTS = {
    "hung": (hung, "(2013)", True),
    "away": (away, "(2002)", False),
    "read only": (read_only, "(1290)", False),
    "receipts locked": (locked_table, "(2013)", True),
    "all tables locked": (all_locked, "(2013)", True),
    "receipts missing": (missing_table, "(1146)", False),
    "schema newer": (newer_schema, "the tables are newer", False),
    "schema older": (older_schema, "the tables are older", False),
    "too many connections": (too_many_connections, "(1040)", False),
    "too many of any user": (too_many_of_any_user, "(1203)", False),
    "connections per hour": (connections_of_the_user, "(1226)", False),
    "queries per hour": (queries_of_the_user, "(1226)", False),
    "password rotated": (other_password, "(1045)", False),
    "no right to write": (no_right, "(1142)", False),
    "tablespace full": (full, "(1114)|(2002)", False),  # a server without any room may give itself up
    "forced recovery": (recovery, "(1036)", False),
}


def spooled(site):
    folder = site.path("state/spool")
    return [n for n in os.listdir(folder) if n.endswith(".spool")] if os.path.isdir(folder) else []


def send(site, name, source="github", by_cgi=False, size=200_000):
    """-> (answer, seconds)."""
    body = events.github(filler="x" * size)
    start = time.monotonic()
    answer = (site.cgi(source, body, site.signed(source, body, delivery=name)) if by_cgi
              else site.deliver(source, body, delivery=name))
    return answer, time.monotonic() - start


def during(site, spool, hangs, sure):
    """What is sent while it lasts -> names of events that were answered ok, and busy.

    sure: nothing can be stored; else room may come back for one or another."""
    ok, busy, took = [], [], []
    for n in range(6):
        name = next(ids)
        answer, seconds = send(site, name, by_cgi=n in (2, 5))
        assert seconds < LOADED_S, f"request {n}"
        assert answer.status == (200 if spool == "on" else 503) or not sure, f"request {n}"
        assert answer.status == 200 or int(answer.header("Retry-After")) > 0
        (ok if answer.status == 200 else busy).append(name)
        took.append(seconds)
    assert sorted(took)[1 if hangs else 3] < (0.7 if hangs else READY_S), f"not all may take their time: {took}"
    assert spool == "on" or busy
    assert send(site, next(ids), source="patient")[0].status == 503 or not sure, "who waits for an answer is told at once"
    assert site.post("github", b"{}", site.signed("github", b"{}", secret="not ours")).status == 401
    return ok, busy


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_answered_in_time_and_nothing_is_lost_or_doubled__O_DB_03(days, name):
    fault, why, hangs = FAULTS[name]
    marks = {spool: len(site.log_text()) for spool, site in days.sites.items()}
    sent = {}
    for site in days.sites.values():
        wait_until(lambda: send(site, next(ids))[0].status == 200, 10, "all is well before it")
    with fault(days):
        for spool, site in days.sites.items():
            sent[spool] = during(site, spool, hangs, fault is not full)
    for spool, site in days.sites.items():
        ok, busy = sent[spool]
        assert any(w in site.log_text()[marks[spool]:] for w in why.split("|")), "the log names the reason"
        for event in busy:
            wait_until(lambda: send(site, event)[0].status == 200, 10, "it is taken when it comes again")
        wait_until(lambda: site.hookonce("process", "--once").returncode == 0 and not spooled(site), 10,
                       "the spool is imported")
        effects = site.effects()
        assert [effects.count(event) for event in ok + busy] == [1] * 6
        assert len(effects) == len(set(effects))
        stored = [r["event_id"].decode() for r in site.receipts() if r["source"] == b"github"]
        assert sorted(stored) == sorted(effects)


# -- a COMMIT without an answer ------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def cut(module_site):
    """({spool: site}, {spool: proxy}): the receivers reach the database through a proxy that breaks COMMITs."""
    sites, proxies = {}, {}
    for spool in ("on", "off"):
        s = sites[spool] = module_site(sources=SOURCES, handlers=HANDLERS, routes=ROUTES,
                                       settings={"hookonce": {"spool": spool}})
        proxies[spool] = DatabaseProxy(s.path("state/proxy.sock"), s.db.server.socket)
        s.settings["database"] = {"socket": proxies[spool].path}
        s.configure()
        s.serve("lighttpd", procs=1)
    yield sites, proxies
    for proxy in proxies.values():
        proxy.close()


@pytest.mark.parametrize("spool", ["on", "off"])
@pytest.mark.parametrize("away", [False, True])
@pytest.mark.parametrize("where", ["before commit", "after commit", "hole before commit", "hole after commit"])
def test_a_commit_without_an_answer_is_one_event_whatever_became_of_it__O_DB_04(cut, spool, away, where):
    s, proxy = cut[0][spool], cut[1][spool]
    wait_until(lambda: send(s, next(ids))[0].status == 200 and "spooled" not in s.log_text().splitlines()[-1], 10,
               "the breaker of the case before is closed")
    wait_until(lambda: spooled(s) == [], 10, "and what it kept is imported, behind an answer")
    name, before, cuts = next(ids), s.written(), proxy.cuts
    proxy.cut, proxy.refuse_after_cut = where, away
    try:
        answer, seconds = send(s, name, size=1000)
        assert proxy.cuts == cuts + 1 and seconds < LOADED_S
        lost = away or where.startswith("hole")
        assert answer.status == (503 if lost and spool == "off" else 200)
        stored = 1 if where.endswith("after commit") or not lost else 0
        wait_until(lambda: s.written(before).get("receipt", 0) == stored, 10, "the server has come to its end")
        assert len(spooled(s)) == (1 if lost and spool == "on" else 0)
    finally:
        proxy.refuse = proxy.refuse_after_cut = False
        proxy.drop_links()
    if answer.status != 200:
        wait_until(lambda: send(s, name, size=1000)[0].status == 200, 10, "it is taken when it comes again")
    s.process()
    assert spooled(s) == [] and s.effects().count(name) == 1
    row = s.sql("SELECT duplicates FROM hookonce_receipt WHERE event_id = %s", name)
    assert len(row) == 1 and (spool == "off" or row[0]["duplicates"] == 0), "what we kept twice is no duplicate"
