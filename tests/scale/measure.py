"""What each view costs: rows read by the server's own counters, and milliseconds."""

import os
import re
import time

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "..", "..", "schema", "views.sql"), encoding="ascii") as f:
    VIEWS = re.findall(r"^CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_(\w+) AS$", f.read(), re.M)

_READS = ("SELECT CAST(SUM(variable_value) AS UNSIGNED) AS n FROM information_schema.session_status"
          " WHERE variable_name LIKE 'Handler_read%'")


def cases(cursor):
    """[(name, statement)]: each view as a console opens it, and what a person asks of some."""
    cursor.execute("SELECT correlation_id, provider, event_id FROM hookonce_receipt FORCE INDEX (correlation)"
                   " ORDER BY correlation_id DESC LIMIT 1 OFFSET 5000")
    one = cursor.fetchone()
    event = one["event_id"].decode()
    return [(view, f"SELECT * FROM hookonce_{view} LIMIT 50") for view in VIEWS] + [
        ("timeline of one", "SELECT * FROM hookonce_timeline WHERE correlation_id ="
                            f" '{one['correlation_id']}' ORDER BY at, step"),
        ("find by id", f"SELECT * FROM hookonce_find WHERE event_id_raw = '{event}'"),
        ("recent, failed ones", "SELECT * FROM hookonce_recent WHERE status = 'failed'"),
        ("recent, counted", "SELECT COUNT(*) FROM hookonce_recent"),
        ("dead letters, all", "SELECT * FROM hookonce_dead_letters"),
    ]


def cost(cursor, statement, times=1):
    """-> (rows read, milliseconds of the fastest)."""
    best = None
    for _ in range(times):
        cursor.execute(_READS)
        before = cursor.fetchone()["n"]
        start = time.monotonic()
        cursor.execute(statement)
        cursor.fetchall()
        took = (time.monotonic() - start) * 1000
        cursor.execute(_READS)
        reads = cursor.fetchone()["n"] - before
        best = took if best is None else min(best, took)
    return int(reads), best
