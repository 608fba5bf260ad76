"""Another version put in the place of a running one, on tables of another version; and databases of hostile hosts."""

import glob
import os
import re
import shutil
import signal
import threading
import time

import pytest

from hooktest import events, wait_until
from hooktest.paths import PROJECT, SCHEMA_VERSION
from hooktest.proc import pids_of

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}

SCHEMA_FILES = sorted(glob.glob(os.path.join(PROJECT, "schema", "0*.sql")))

# What a later version of the same hundred may do: add.
NEXT = ("ALTER TABLE hookonce_receipt ADD COLUMN later VARCHAR(20) NULL, ALGORITHM=INSTANT",
        "ALTER TABLE hookonce_job ADD COLUMN later INT UNSIGNED NOT NULL DEFAULT 0, ALGORITHM=INSTANT",
        "ALTER TABLE hookonce_receipt ADD KEY later (received_at), ALGORITHM=INPLACE, LOCK=NONE",
        "CREATE TABLE hookonce_later (id BIGINT UNSIGNED NOT NULL PRIMARY KEY) ENGINE=InnoDB",
        f"INSERT INTO hookonce_schema (version, name, applied_at) VALUES ({SCHEMA_VERSION + 1}, 'later', UTC_TIMESTAMP(6))")


class Sender:
    """Delivers events one after another, each until it is taken, as a provider would."""

    def __init__(self, site):
        self.site, self.taken, self.stopped = site, [], False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.stopped:
            event_id = f"evt_{len(self.taken):05}"
            try:
                if self.site.deliver("stripe", events.stripe(event_id)).status == 200:
                    self.taken.append(event_id)
            except OSError:
                time.sleep(0.05)

    def more(self, n):
        """Waits until so many more were taken."""
        goal = len(self.taken) + n
        wait_until(lambda: len(self.taken) >= goal, 60, f"{n} more are taken")

    def stop(self):
        self.stopped = True
        self.thread.join(60)
        assert not self.thread.is_alive()
        return self.taken


def replace(path):
    """A new file by rename, as `mv new old` does: whoever runs the old one goes on with it."""
    shutil.copy2(path, path + ".new")
    with open(path + ".new", "ab") as f:
        f.write(b"\0another build")
    status = os.stat(path)
    os.chown(path + ".new", status.st_uid, status.st_gid)
    os.rename(path + ".new", path)


@pytest.mark.parametrize("server", [("lighttpd", {"procs": 2}), "apache-fcgid"], ids=["lighttpd", "apache-fcgid"])
def test_programs_and_tables_are_changed_while_deliveries_come_and_none_is_lost(site, server):
    s = site(server=server, sources=STRIPE)
    sender = Sender(s)
    sender.more(5)
    before = set(pids_of(s.receiver))
    s.db.unrestrict()
    for statement in NEXT:  # tables first, by a newer program; those that run know nothing of it
        s.sql(statement)
        sender.more(3)
    for path in (s.receiver, s.program):
        replace(path)
        sender.more(3)
    for pid in before:
        os.kill(pid, signal.SIGTERM)
        sender.more(5)
    wait_until(lambda: not before & set(pids_of(s.receiver)), 20, "the old ones have ended")
    said = s.hookonce("migrate", check=True).stdout.decode()
    assert f"were up to date (version {SCHEMA_VERSION + 1})" in said
    sender.more(5)
    taken = sender.stop()
    s.import_spooled()
    assert len(set(r["event_id"].decode() for r in s.receipts()) & set(taken)) == len(taken)
    s.process()
    assert sorted(s.effects()) == sorted(set(r["event_id"].decode() for r in s.receipts()))
    status = s.hookonce("migrate", "--status", check=True).stdout.decode()
    assert "a later one than this program's" in status
    s.sql("DELETE FROM hookonce_job WHERE id = 0")
    checked = s.hookonce("check", "--json").stdout.decode()
    assert "of a newer program; this one" in checked


def statements(path):
    """Those of a schema file, without its comments."""
    with open(path, encoding="ascii") as f:
        text = "".join(line for line in f if not line.startswith("--"))
    return [part.strip() for part in text.split(";\n") if part.strip()]


def shown(s):
    """What all our tables and views are, by the server's own words."""
    names = [r["name"] for r in s.sql("SELECT table_name AS name FROM information_schema.tables WHERE table_schema = "
                                      "DATABASE() AND table_name LIKE 'hookonce\\_%'")]
    made = {}
    for name in names:
        row, = s.sql(f"SHOW CREATE TABLE {name}")
        text = row.get("Create Table") or row["Create View"]
        made[name] = re.sub(r" AUTO_INCREMENT=\d+|DEFINER=\S+ ", "", text).replace(f"`{s.db.name}`.", "")
    return made


def copied(old, new):
    """Puts the rows of one database into another's older tables, as far as these have the columns."""
    for table in ("receipt", "body", "job", "guard", "attempt"):
        columns = {r["Field"] for r in new.sql(f"SHOW COLUMNS FROM hookonce_{table}")}
        for row in old.sql(f"SELECT * FROM hookonce_{table}"):
            row = {k: v for k, v in row.items() if k in columns}
            new.sql(f"INSERT INTO hookonce_{table} ({', '.join(row)}) VALUES ({', '.join(['%s'] * len(row))})",
                    *row.values())


def test_from_each_version_on_the_tables_become_those_of_a_fresh_installation_and_nothing_is_lost(site):
    """With rows in them: of an event that is done, and of one that is open."""
    fresh = site(sources=STRIPE)
    wanted = shown(fresh)
    assert len(wanted) > 30, sorted(wanted)
    for event in ("evt_done", "evt_open"):
        body = events.stripe(event)
        assert fresh.cgi("stripe", body, fresh.signed("stripe", body)).status == 200
        if event == "evt_done":
            fresh.process()
    with open(fresh.path("hookonce.key"), encoding="ascii") as f:
        key = f.read()
    for version in range(1, SCHEMA_VERSION):
        s = site(sources=STRIPE, migrate=False)
        s.write("hookonce.key", key)
        for path in SCHEMA_FILES[:version]:
            for statement in statements(path):
                s.sql(statement)
        copied(fresh, s)
        assert s.value("SELECT MAX(version) FROM hookonce_schema") == version
        s.migrate()
        assert shown(s) == wanted, version
        body = events.stripe("evt_done")
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
        s.process()
        assert s.effects() == ["evt_open"], version
        assert [r["status"] for r in s.receipts()] == ["processed"] * 2, version


@pytest.mark.parametrize("mode", ["ANSI", ""])
def test_what_a_host_has_set_up_badly_holds_all_the_same(site, own_mariadb, mode):
    server = own_mariadb(options=["--default-storage-engine=MyISAM", "--character-set-server=utf8mb3",
                                  "--collation-server=utf8mb3_general_ci", f"--sql-mode={mode}",
                                  "--lower-case-table-names=1", "--max-allowed-packet=1M", "--wait-timeout=1",
                                  "--max-user-connections=15"])
    database = server.create_database(grants="SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX",
                                      options="CHARACTER SET utf8mb3")
    s = site(database=database, sources=STRIPE, migrate=False, settings={"hookonce": {"spool": "off"}})
    s.configure("".join(x for x in s.config_text().splitlines(True) if not x.startswith("receiver_")))
    done = s.hookonce("migrate", check=True)
    assert "lacks CREATE VIEW" in done.stderr.decode()
    database.sql("CREATE TABLE fx (n BIGINT AUTO_INCREMENT PRIMARY KEY, event_id VARBINARY(255) NOT NULL) "
                 "ENGINE=InnoDB")
    s.serve("lighttpd", procs=1)
    assert s.deliver("stripe", events.stripe("evt_Ab")).status == 200
    wait_until(lambda: not server.execute(f"SELECT 1 FROM information_schema.processlist WHERE user = '{database.user}'"),
               20, "the link is cut")
    assert s.deliver("stripe", events.stripe("evt_ab")).status == 200
    large = events.stripe("evt_large").replace(b"{", b'{"filler": "' + b"x" * 1500000 + b'",', 1)
    assert s.deliver("stripe", large).status == 200
    s.process()
    assert sorted(s.effects()) == ["evt_Ab", "evt_ab", "evt_large"]
    engines = s.sql("SELECT DISTINCT engine AS e FROM information_schema.tables WHERE table_schema = DATABASE()")
    assert [r["e"] for r in engines] == ["InnoDB"]
    assert s.value("SELECT SUM(LENGTH(bytes)) FROM hookonce_body b JOIN hookonce_receipt r USING (correlation_id) "
                   "WHERE r.event_id = 'evt_large'") == len(large)
