#!/usr/bin/env python3
"""A handler in Python: marks an order as paid, in the SQLite file orders.db beside this script.

The work and the mark "this event is done" are one transaction: either both happen or neither, so a try that
was cut off can be repeated, and a repeat of what is done does nothing.
"""

import json
import os
import sqlite3
import sys

DONE, NOT_NOW, GIVE_UP = 0, 69, 65


def work(link, event):
    """What this event is to do; whatever it raises undoes all of it, and it is tried again."""
    # -------------------------------------------------------------------------------------------------
    order = event["data"]["object"]["client_reference_id"]
    link.execute("INSERT INTO paid (order_id) VALUES (?)", (order,))
    # -------------------------------------------------------------------------------------------------


def main():
    """Reads the event, does its work once -> the exit code."""
    try:
        event = json.load(sys.stdin.buffer)
    except ValueError as e:
        print(f"no JSON: {e}", file=sys.stderr)
        return GIVE_UP
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "orders.db")
    os.umask(0o077)
    link = sqlite3.connect(place, timeout=5, isolation_level=None)
    try:
        link.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        print("retry-after: 5")  # another handler holds the file
        return NOT_NOW
    link.execute("CREATE TABLE IF NOT EXISTS done (idempotency_key TEXT PRIMARY KEY)")
    link.execute("CREATE TABLE IF NOT EXISTS paid (n INTEGER PRIMARY KEY, order_id TEXT NOT NULL)")
    fresh = link.execute("INSERT OR IGNORE INTO done VALUES (?)", (os.environ["HOOKONCE_IDEMPOTENCY_KEY"],))
    if fresh.rowcount == 1:
        work(link, event)
    link.execute("COMMIT")
    return DONE


if __name__ == "__main__":
    sys.exit(main())
