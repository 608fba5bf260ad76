"""The views of a SQL console, what they say, and that `hookonce list` says the same."""

import json
import os
import re

import pytest

from hooktest import PROJECT, events, sign
from hooktest.proc import clear_of_the_turn

with open(os.path.join(PROJECT, "schema", "views.sql"), encoding="ascii") as f:
    VIEWS = re.findall(r"^CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_(\w+) AS$", f.read(), re.M)
ODD = ["evt_😀", "evt_'quoted\"", "evt_trailing  ", "evt_trailing"]
WEB = "https://example.com/shop?token=hidden"


@pytest.fixture
def shop(site):
    return site(sources={"shop": {"provider": "shopify", "secret": "k"}},
                handlers={"good": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"},
                          "wrong": {"sql": "UPDATE nowhere SET x = 1"}, "web": {"url": WEB, "header": "X: file:hidden"}},
                routes={"a": {"provider": "shop", "on": "a/*", "handler": "good"},
                        "b": {"provider": "shop", "on": "b/*", "handler": "wrong", "retry": "1 try"}})


def deliver(s, event_id, topic="a/b"):
    body = events.shopify(note=event_id)
    answer = s.cgi("shop", body, sign.shopify("k", body, webhook_id=event_id, topic=topic))
    assert answer.status == 200, answer


def listed(s, name, *more):
    done = s.hookonce("list", name, "--json", *more, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_view_is_there_and_can_be_read(shop):
    for name in VIEWS:
        shop.sql(f"SELECT * FROM hookonce_{name} LIMIT 1")
    meant = {row["view_name"] for row in shop.sql("SELECT view_name FROM hookonce_help WHERE column_name = ''")}
    assert meant == {"hookonce_" + name for name in VIEWS}
    assert shop.sql("SELECT view_name, column_name FROM hookonce_help WHERE meaning = ''") == []


def test_what_every_view_costs_is_written_down():
    with open(os.path.join(PROJECT, "schema", "CONSOLE.md"), encoding="utf-8") as page:
        text = page.read()
    assert [name for name in VIEWS if f"`hookonce_{name}`" not in text] == []


def test_the_overview_says_whether_all_is_well(shop):
    def facts():
        return {row["name"]: row for row in shop.sql("SELECT * FROM hookonce_overview")}

    assert facts()["all"]["value"] == "look at: processor, last delivery"
    deliver(shop, "one")
    assert shop.hookonce("process", "--once").returncode == 0
    first = shop.sql("SELECT * FROM hookonce_overview")[0]
    assert (first["name"], first["value"], first["state"]) == ("all", "all is well", "well")
    deliver(shop, "two", "b/c")
    assert shop.hookonce("process", "--once").returncode == 1
    said = facts()
    assert said["all"]["state"] == "look" and "dead letters" in said["all"]["value"]
    assert said["dead letters"]["value"] == "1" and "hookonce_dead_letters" in said["dead letters"]["what_to_do"]
    route = shop.value("SELECT route FROM hookonce_job WHERE state = 'dead'")
    shop.sql("UPDATE hookonce_job SET route = '(reply)' WHERE state = 'dead'")  # whoever asked is gone
    assert facts()["dead letters"]["value"] == "0"
    shop.sql(f"UPDATE hookonce_job SET route = '{route}' WHERE state = 'dead'")
    deliver(shop, "three")
    shop.sql("UPDATE hookonce_job SET run_at = run_at - INTERVAL 1 HOUR WHERE state = 'ready'")
    shop.sql("DELETE FROM hookonce_worker")
    assert facts()["processor"]["state"] == "well"  # it ran just now, and ended
    shop.sql("UPDATE hookonce_host SET seen_at = seen_at - INTERVAL 4 MINUTE")
    said = facts()
    assert said["all"]["value"].startswith("wrong: processor; look at: ") and "last seen" in said["processor"]["value"]
    shop.sql("UPDATE hookonce_job SET state = 'dead' WHERE state = 'ready'")
    assert facts()["processor"]["state"] == "well"  # nothing is due, and cron may be slower
    shop.sql("UPDATE hookonce_host SET seen_at = seen_at - INTERVAL 17 MINUTE")
    assert facts()["processor"]["state"] == "wrong"


def test_ids_are_shown_as_they_are_and_found_by_their_bytes__O_PAY_02(shop):
    for event in ODD:
        shop.sql("INSERT INTO hookonce_receipt (provider, event_id, correlation_id, source, event_type, received_at,"
                 " recorded_at, status, body_len, body_sha256, same_digest, document, secret_no, mac) VALUES"
                 " ('shop', %s, %s, 'shop', 't', NOW(6), NOW(6), 'processed', 0, '', '', 'none', 1, '')",
                 event.encode(), f"01ARZ3NDEKTSV4RRFFQ69G5FA{ODD.index(event)}")
    assert {row["event_id"] for row in shop.sql("SELECT event_id FROM hookonce_recent")} == set(ODD)
    for event in ODD:
        found, = shop.sql("SELECT event_id FROM hookonce_find WHERE event_id_raw = %s", event)
        assert found["event_id"] == event
        assert len(shop.sql("SELECT 1 FROM hookonce_recent WHERE event_id = %s", event)) == 1
    assert {row["event_id"] for row in listed(shop, "recent")} == set(ODD)


@pytest.mark.parametrize("name", [n for n in VIEWS if n not in ("find", "timeline", "help", "new_command")])
def test_a_list_has_the_columns_and_rows_of_its_view(shop, name):
    clear_of_the_turn(3600, 20)  # some have a row for each hour
    deliver(shop, "one")
    deliver(shop, "two", "b/c")
    deliver(shop, "two", "b/c")
    assert shop.hookonce("process", "--once").returncode == 1
    shop.sql("INSERT INTO hookonce_command (command, job) VALUES ('retry', 77)")
    rows = shop.sql(f"SELECT * FROM hookonce_{name} LIMIT 20")
    shown = listed(shop, name)
    assert len(shown) == len(rows)
    for row, line in zip(rows, shown):
        assert [c for c in line if c != "kind"] == [c for c in row if not c.endswith("_raw")]
        same = [c for c in row if isinstance(row[c], (str, int)) and c != "seconds_ago" and name != "overview"]
        assert [str(line[c]) for c in same] == [str(row[c]) for c in same]


def test_the_timeline_tells_all_of_one_event(shop):
    deliver(shop, "two", "b/c")
    deliver(shop, "two", "b/c")
    assert shop.hookonce("process", "--once").returncode == 1
    job, cid = [shop.value(f"SELECT {c} FROM hookonce_job") for c in ("id", "correlation_id")]
    shop.hookonce("retry", str(job), check=True)
    shop.hookonce("process", "--once")
    told = shop.sql("SELECT what, detail FROM hookonce_timeline WHERE correlation_id = %s ORDER BY at, step", cid)
    assert {"received", "duplicate", "job", "started", "failed", "retry", "dead"} <= {row["what"] for row in told}
    assert [(r["what"], r["detail"]) for r in listed(shop, cid)[1:]] == [(r["what"], r["detail"]) for r in told]


def test_settings_show_where_a_secret_is_and_never_what(shop):
    shop.configure(shop.config_text().replace("secret = file:", f"secret = file:{shop.dir}/"))
    deliver(shop, "one")
    shop.hookonce("process", "--once", check=True)
    rows = {(r["section"], r["name"]): r for r in shop.sql("SELECT * FROM hookonce_settings")}
    secret = rows["source shop", "secret"]
    assert re.fullmatch(r"file:[\w.-]+", secret["value"]) and re.search(r"hookonce\.conf:\d+$", secret["place"])
    assert rows["handler web", "url"]["value"] == "https://example.com/shop?..."
    assert rows["hookonce", "log_level"]["is_default"] == "yes" and rows["hookonce", "log_level"]["place"] is None
    assert rows["handler web", "header"]["value"] == "file:hidden"
    assert "hidden" not in rows["handler web", "url"]["value"]
    before = shop.value("SELECT MAX(changed_at) FROM hookonce_settings")
    shop.hookonce("process", "--once", check=True)
    assert shop.value("SELECT MAX(changed_at) FROM hookonce_settings") == before
    shop.settings = {"processor": {"batch": 7}}
    shop.configure()
    shop.hookonce("process", "--once", check=True)
    assert shop.value("SELECT value FROM hookonce_settings WHERE name = 'batch'") == "7"


def test_without_the_right_to_make_views_all_else_works(site):
    s = site(sources={"shop": {"provider": "shopify", "secret": "k"}})
    for name in VIEWS:
        s.sql(f"DROP VIEW hookonce_{name}")
    s.db.server.execute(f"CREATE USER {s.db.user}_few@'%' IDENTIFIED BY 'few'",
                        f"GRANT CREATE, ALTER, INDEX, SELECT, INSERT, UPDATE, DELETE ON {s.db.name}.* TO {s.db.user}_few@'%'")
    s.write("few.password", "few\n")
    try:
        done = s.hookonce("migrate", "--user", s.db.user + "_few", "--password-file", s.path("few.password"), check=True)
    finally:
        s.db.server.execute(f"DROP USER {s.db.user}_few@'%'")
    said = done.stderr.decode()
    assert "views were not made" in said and "CREATE VIEW" in said and said.count("\n") == 1
    assert "all" in [row["name"] for row in listed(s, "overview")]


def test_tries_are_the_newest_first_and_say_of_what(shop):
    for name in ("one", "two"):
        deliver(shop, name)
    assert shop.hookonce("process", "--once").returncode == 0
    shop.sql("UPDATE hookonce_job SET state = 'ready', run_at = UTC_TIMESTAMP(6) WHERE id = 1")
    assert shop.hookonce("process", "--once").returncode == 0
    tries = shop.sql("SELECT job, route, event_id FROM hookonce_attempts")
    assert [(r["job"], r["route"], r["event_id"]) for r in tries] == [(1, "a", "one"), (2, "a", "two"), (1, "a", "one")]


def test_a_source_is_called_silent_as_its_alert_is(shop):
    deliver(shop, "one")
    shop.configure(shop.config_text() + "\n[expect paid]\nsource = shop\ntype = paid\nevery = 1h\n")
    shop.process()
    row, = shop.sql("SELECT * FROM hookonce_quiet_sources")
    assert (row["state"], row["expected_minutes"]) == ("well", 60)
    shop.sql("UPDATE hookonce_expect SET state = 'silent'")
    row, = shop.sql("SELECT * FROM hookonce_quiet_sources")
    assert (row["source"], row["state"]) == ("shop", "silent")
    shop.sql("DELETE FROM hookonce_stat")  # a source that never had an event
    shop.sql("UPDATE hookonce_expect SET last_at = NULL, expected_since = UTC_TIMESTAMP(6) - INTERVAL 90 MINUTE")
    row, = shop.sql("SELECT * FROM hookonce_quiet_sources")
    assert (row["state"], row["silent_minutes"], row["last_at"]) == ("silent", 90, None)


def test_the_overview_counts_all_that_waits_and_a_forgotten_hold(shop):
    def fact(name):
        row, = shop.sql("SELECT value, state FROM hookonce_overview WHERE name = %s", name)
        return row["value"], row["state"]

    for name in ("one", "two", "three"):
        deliver(shop, name)
    assert shop.hookonce("process", "--once").returncode == 0
    assert fact("events in 24 hours") == ("3, counted every 5 minutes", "well")
    shop.sql("UPDATE hookonce_job SET state = 'ready', run_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR WHERE id <> 3")
    shop.sql("UPDATE hookonce_job SET waiting_for = 'need' WHERE id = 1")
    shop.hookonce("hold", "2", check=True)
    assert (fact("due later"), fact("waiting")) == (("0", "well"), ("2", "well"))
    shop.sql("UPDATE hookonce_job SET held_at = held_at - INTERVAL 25 HOUR WHERE id = 2")
    assert fact("waiting") == ("2, held by a person for over a day: 1", "look")
