"""Views and prune on many receipts, by the rows that the server reads: tests/scale/run measures the time."""

import os
import sys
from contextlib import closing

import pytest

from hooktest import PROJECT

sys.path.insert(0, os.path.join(PROJECT, "tests", "scale"))

import fill  # noqa: E402
import measure  # noqa: E402

ROWS = 100_000
# More than the newest 10,000 receipts by way of their index, each read up to five times, is too much.
READS_MAX = 60_000
FEW = {"find": 200, "timeline": 2_000, "timeline of one": 200, "find by id": 100, "dead_letters": 500, "attempts": 300,
       "conflicts": 200, "dead letters, all": 500, "queue": 10_000,
       # 28 days are half of these hours of hookonce_stat, which MariaDB 11.8 then reads whole, in both places.
       "quiet_sources": 100_000}


@pytest.fixture(scope="module")
def large(module_site):
    s = module_site(settings={"hookonce": {"keep_receipts": "59d"}})
    with closing(s.db.server.connect(s.db.name)) as link, link.cursor() as cursor:
        fill.Filler(cursor, ROWS).fill()
        cursor.execute("ANALYZE TABLE hookonce_receipt, hookonce_job, hookonce_attempt, hookonce_effect")
        cursor.fetchall()
        yield s, cursor


def test_no_view_reads_more_than_its_share(large):
    _, cursor = large
    costs = {name: measure.cost(cursor, statement)[0] for name, statement in measure.cases(cursor)}
    assert {name: reads for name, reads in costs.items() if reads > FEW.get(name, READS_MAX)} == {}


def test_views_find_what_there_is(large):
    s, cursor = large
    dead = s.sql("SELECT job, last_error FROM hookonce_dead_letters")
    assert [row["job"] - 1 for row in dead] == sorted(range(fill.DEAD_AT, ROWS, fill.DEAD_EVERY), reverse=True)
    assert {row["last_error"] for row in dead} == {"the shop said no"}
    assert s.value("SELECT COUNT(*) FROM hookonce_duplicates") == len(range(
        -(-(ROWS - 10_000) // fill.DUPLICATE_EVERY) * fill.DUPLICATE_EVERY, ROWS, fill.DUPLICATE_EVERY))
    assert s.value("SELECT COUNT(*) FROM hookonce_queue") == fill.READY + fill.WAITING + fill.RUNNING
    newest, = s.sql("SELECT MAX(correlation_id) AS cid FROM hookonce_receipt")
    assert s.sql("SELECT * FROM hookonce_recent LIMIT 1")[0]["correlation_id"] == newest["cid"]
    assert s.sql("SELECT * FROM hookonce_timeline LIMIT 1")[0]["correlation_id"] == newest["cid"]
    assert s.value("SELECT value FROM hookonce_overview WHERE name = 'conflicts'") == "over 1000"


def test_a_batch_of_prune_reads_what_it_removes(large):
    s, _ = large

    def reads():
        return int(s.value("SELECT SUM(variable_value) FROM information_schema.global_status"
                           " WHERE variable_name LIKE 'Handler_read%'"))

    before, had = reads(), s.value("SELECT COUNT(*) FROM hookonce_receipt")
    counted = reads() - before
    s.hookonce("prune", check=True)
    read = reads() - before - counted
    gone = had - s.value("SELECT COUNT(*) FROM hookonce_receipt")
    assert 1000 < gone < 2000
    assert read < 100 * gone
