"""A backup, made and restored as the runbook says, into an empty server: nothing is done a second time."""

import os
import subprocess

from hooktest import events
from hooktest.documents import Document
from hooktest.mariadb import Database
from hooktest.paths import mariadb_dump, tool

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
# One whose other side knows idempotency keys: each asking is a line, each work a file of its key.
PAY = """#!/bin/sh
cd "${0%/*}" || exit 75
echo "$HOOKONCE_ID $HOOKONCE_IDEMPOTENCY_KEY" >>asked
mkdir "paid-$HOOKONCE_IDEMPOTENCY_KEY" 2>/dev/null || true
"""


def arrives(s, name, spooled=False):
    body = events.stripe(name)
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    if not spooled:
        s.import_spooled()


def lines(s):
    """What the other side was asked -> [(event id, key)]."""
    with open(s.path("handlers/asked"), encoding="ascii") as f:
        return [tuple(line.split()) for line in f]


def works_of(s):
    return sorted(n for n in os.listdir(s.path("handlers")) if n.startswith("paid-"))


def restored_into(server, old, dump, folder):
    """The database of that name with both accounts, and the dump's tables."""
    server.execute(f"CREATE DATABASE {old.name}", f"CREATE USER {old.user}@'%' IDENTIFIED BY '{old.password}'",
                   f"CREATE USER {old.receiver_user}@'%' IDENTIFIED BY '{old.receiver_password}'",
                   f"GRANT ALL PRIVILEGES ON {old.name}.* TO {old.user}@'%'")
    with open(dump, "rb") as f:
        subprocess.run([tool("mariadb"), "--no-defaults", f"--socket={server.socket}", "--user=root", old.name],
                       stdin=f, check=True, timeout=120, cwd=folder)
    return Database(server, old.name, old.user, old.password)


def test_what_was_done_before_is_not_done_again(site, own_mariadb):
    first = own_mariadb()
    s = site(database=first.create_database(), sources=STRIPE, settings={"hookonce": {"spool": "on"}},
             handlers={"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"},
                       "pay": {"command": "handlers/pay", "timeout": "30s"}},
             routes={n: {"provider": "stripe", "on": "*", "handler": n} for n in ("fx", "pay")})
    s.folder("handlers")
    s.write("handlers/pay", PAY, 0o755)
    arrives(s, "evt_done")
    s.process()
    arrives(s, "evt_open")

    book = Document("schema/RUNBOOK.md")
    dump = book.take("mariadb-dump", [("mariadb-dump", f"{mariadb_dump()} --no-defaults --socket={first.socket} --user=root"),
                                      ("acme >", f"{s.db.name} >"), ("acme.sql", s.path("acme.sql"))])
    subprocess.run(["sh", "-c", dump], check=True, timeout=120)
    s.process()  # done since the backup
    arrives(s, "evt_since")
    s.process()
    before, works = lines(s), works_of(s)
    assert [event for event, _ in before] == ["evt_done", "evt_open", "evt_since"] and len(works) == 3

    first.stop()
    arrives(s, "evt_meanwhile", spooled=True)
    s.db = restored_into(own_mariadb(), s.db, s.path("acme.sql"), s.dir)
    s.configure()
    s.restrict()
    for statement in book.take("INSERT INTO hookonce_pause").strip().split(";\n"):
        s.sql(statement.rstrip("; \n"))
    said = s.hookonce("migrate", "--status", check=True).stdout.decode()
    assert "another" not in said, said
    s.process()
    assert lines(s) == before and s.effects() == ["evt_done"]
    assert s.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = 'evt_meanwhile'") == 1

    s.sql(book.take("INSERT INTO hookonce_command (command) VALUES ('resume')").strip("; \n"))
    s.process()
    s.process()
    for event in ("evt_done", "evt_since", "evt_meanwhile"):  # the provider sends again what came since
        arrives(s, event)
    s.process()
    assert sorted(s.effects()) == ["evt_done", "evt_meanwhile", "evt_open", "evt_since"]
    asked = lines(s)
    assert sorted(asked[3:]) == sorted([*before[1:], next(a for a in asked if a[0] == "evt_meanwhile")])
    assert len(works_of(s)) == 4 and set(works) < set(works_of(s))
