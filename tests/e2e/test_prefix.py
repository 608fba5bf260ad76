"""Two installations in one database, each with a prefix of its own; and `hookonce config`."""

import json

import pymysql
import pytest

from hooktest import events

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
FIRST, SECOND = "acme_", "shop_eu_hooks_"


def installation(site, database, prefix):
    """One that writes its prefix and the event's id to fx, by SQL that looks like a name of ours."""
    return site(database=database, sources=STRIPE, migrate=False, settings={"database": {"table_prefix": prefix}},
                handlers={"fx": {"sql": f"INSERT INTO fx (event_id) SELECT CONCAT('{prefix} ', {{event:id}}, note) "
                                        "FROM hookonce_note"}})


@pytest.fixture
def both(site, mariadb):
    """Two sites in one database, with rights as `hookonce grants` says."""
    database = mariadb.create_database()
    database.sql("CREATE TABLE fx (n BIGINT AUTO_INCREMENT PRIMARY KEY, event_id VARBINARY(255) NOT NULL) "
                 "ENGINE=InnoDB")
    database.sql("CREATE TABLE hookonce_note (note VARCHAR(20)) ENGINE=InnoDB")  # a site's own, whatever it is called
    database.sql("INSERT INTO hookonce_note VALUES (' hookonce_')")
    sites = [installation(site, database, prefix) for prefix in (FIRST, SECOND)]
    for s in sites:
        s.hookonce("migrate", check=True)
    database.restrict("\n".join(s.hookonce("grants", "--host", "%", check=True).stdout.decode() for s in sites))
    database.server.execute(f"GRANT SELECT ON {database.name}.hookonce_note TO {database.user}@'%'")
    for name in view_names(database):
        database.server.execute(f"GRANT SELECT ON {database.name}.{name} TO {database.user}@'%'")
    yield sites
    mariadb.drop(database)


def view_names(database):
    return [r["n"] for r in database.sql("SELECT table_name AS n FROM information_schema.views "
                                         "WHERE table_schema = DATABASE()")]


def deliver(s, event_id):
    body = events.stripe(event_id)
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200


def count(s, table):
    return s.value(f"SELECT COUNT(*) FROM {s.settings['database']['table_prefix']}{table}")


def test_two_installations_in_one_database_do_not_see_each_other(both):
    first, second = both
    tables = [r["t"] for r in first.sql("SELECT table_name AS t FROM information_schema.tables "
                                        "WHERE table_schema = DATABASE()")]
    names = {p: {t[len(p):] for t in tables if t.startswith(p)} for p in (FIRST, SECOND)}
    assert names[FIRST] == names[SECOND] and {"receipt", "job", "overview", "help"} <= names[FIRST]
    assert [t for t in tables if t.startswith("hookonce_")] == ["hookonce_note"]
    deliver(first, "evt_1")
    deliver(first, "evt_1")
    deliver(second, "evt_1")
    deliver(second, "evt_2")
    assert [count(s, "receipt") for s in both] == [1, 2]
    assert first.value(f"SELECT duplicates FROM {FIRST}receipt") == 1
    second.process()
    assert [count(s, "job WHERE state = 'done'") for s in both] == [0, 2]
    first.process()
    assert sorted(first.effects()) == ["acme_ evt_1 hookonce_", f"{SECOND} evt_1 hookonce_", f"{SECOND} evt_2 hookonce_"]
    for s in both:  # from the shell, from a row, by a view
        prefix = s.settings["database"]["table_prefix"]
        listed = s.hookonce("list", "recent", "--json", check=True).stdout.decode().splitlines()
        assert len(listed) == count(s, "recent") == count(s, "receipt")
        s.sql(f"INSERT INTO {prefix}command (command, source) VALUES ('pause', 'stripe')")
        s.process()
        assert s.value(f"SELECT state FROM {prefix}command ORDER BY id LIMIT 1") == "done"
        assert count(s, "pause") == 1
        assert s.value(f"SELECT COUNT(*) FROM {prefix}overview") > 5
        helped = [r["view_name"] for r in s.sql(f"SELECT DISTINCT view_name FROM {prefix}help")]
        assert helped and all(name.startswith(prefix) for name in helped)
        said = s.hookonce("check", "--json").stdout.decode()
        assert "other installation" not in said and "hookonce_" not in said.replace("hookonce_note", ""), said


def test_commands_prune_and_keys_stay_in_their_installation(both):
    first, second = both
    for s in both:
        deliver(s, "evt_1")
        s.process()
        s.write("body.key", "11" * 32)
        s.settings.setdefault("hookonce", {})["body_key"] = "file:body.key"
        s.configure()
    first.hookonce("rekey", check=True)
    keys = [s.value(f"SELECT body_key FROM {s.settings['database']['table_prefix']}body") for s in both]
    assert keys[0] is not None and keys[1] is None
    for s in both:
        prefix = s.settings["database"]["table_prefix"]
        s.sql(f"UPDATE {prefix}receipt SET received_at = received_at - INTERVAL 90 DAY, "
              "recorded_at = recorded_at - INTERVAL 90 DAY")
        s.sql(f"UPDATE {prefix}job SET run_at = run_at - INTERVAL 90 DAY")
    second.settings["hookonce"]["keep_receipts"] = "30d"
    second.configure()
    second.hookonce("prune", check=True)
    assert [count(s, "body") for s in both][0] == 1
    first.hookonce("forget", "evt_1", "--yes")
    assert count(first, "receipt") == 1


def test_calls_views_and_the_printed_schema_carry_the_prefix(site, mariadb):
    database = mariadb.create_database()
    s = installation(site, database, FIRST)
    printed = s.hookonce("migrate", "--print", check=True).stdout.decode()
    assert "hookonce_" not in printed.replace("hookonce_tests", "") and f"CREATE TABLE IF NOT EXISTS {FIRST}job" in printed
    link = database.connect()
    with link.cursor() as cursor:  # as a console imports it
        lines = [x for x in printed.splitlines() if x.strip() and not x.startswith("--")]
        for statement in "\n".join(lines).split(";\n"):
            if statement.strip():
                cursor.execute(statement.strip().rstrip(";"))
    link.close()
    said = s.hookonce("migrate", "--calls", check=True).stdout.decode()
    assert "were up to date" in said and f"CALL {FIRST}retry(12)" in said
    deliver(s, "evt_1")
    database.sql(f"CALL {FIRST}hold(1)")
    assert s.value(f"SELECT command FROM {FIRST}command") == "hold"
    with pytest.raises(pymysql.err.MySQLError):
        database.sql("CALL hookonce_hold(1)")
    mariadb.drop(database)


def test_config_shows_what_it_says_and_what_it_could_say(site):
    s = site(sources=STRIPE, migrate=False)
    rows = [json.loads(x) for x in s.hookonce("config", "--json", check=True).stdout.decode().splitlines()]
    said = {(r["section"], r["name"], r["key"]): (r["value"], r["from"]) for r in rows}
    assert said["database", None, "name"][0] == s.db.name and said["database", None, "name"][1].startswith("line ")
    assert said["database", None, "table_prefix"] == ("hookonce_", "default")
    assert said["processor", None, "lease"] == ("60s", "default")
    assert said["source", "stripe", "secret"][0] == "file:stripe.secret0"
    whole = s.hookonce("config", check=True).stdout.decode()
    assert s.db.password not in whole and STRIPE["stripe"]["secret"] not in whole
    for word, lines in (("database.tls", 1), ("database", 10), ("tls", 1)):
        keys = s.hookonce("config", "--explain", word, "--json", check=True).stdout.decode().splitlines()
        assert len(keys) >= lines and all(json.loads(k)["section"] == "database" for k in keys), word
    every = s.hookonce("config", "--explain", env={"HOOKONCE_CONFIG": "/nonexistent"}, check=True).stdout.decode()
    assert "default" in every.lower() and "retry" in every
    done = s.hookonce("config", "--explain", "no-such-key")
    assert done.returncode == 2 and "no key or section no-such-key" in done.stderr.decode()
