"""The tables as a test of histories uses them: read whole, and told that time has gone by."""

from collections import defaultdict

import pymysql

BUSY = (1205, 1213)  # lock wait, deadlock
FX = (
    "CREATE TABLE fx (n BIGINT AUTO_INCREMENT PRIMARY KEY, route VARBINARY(64) NOT NULL, "
    "event_id VARBINARY(255) NOT NULL, key_ VARBINARY(255) NULL, mark BIGINT NULL, attempt INT NULL, "
    "began DATETIME(6) NOT NULL DEFAULT (SYSDATE(6)), ended DATETIME(6) NULL) ENGINE=InnoDB",
    "CREATE TABLE made (name VARBINARY(255) PRIMARY KEY) ENGINE=InnoDB",
)
OURS = ("receipt", "body", "job", "attempt", "conflict", "guard", "effect", "object", "handler", "slot",
        "answer", "command", "pause")


def _text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


class Tables:
    """One database; what was read stays until the next read()."""

    def __init__(self, database):
        self.sql = database.sql
        rows = self.sql("SELECT table_name AS name, column_name AS col FROM information_schema.columns "
                        "WHERE table_schema = DATABASE()")
        self.columns = {(row["name"], row["col"]) for row in rows}
        self.flows = ("hookonce_job", "waiting_for") in self.columns
        self.ours = [t for t in OURS if any(name == "hookonce_" + t for name, _ in self.columns)]

    def read(self):
        """Reads all rows into dicts."""
        def by(table, name, order):
            got = defaultdict(list)
            for row in self.sql(f"SELECT * FROM {table} ORDER BY {order}"):
                got[_text(row[name])].append(row)
            return got

        self.receipts = by("hookonce_receipt", "event_id", "correlation_id")
        self.jobs = by("hookonce_job", "correlation_id", "id")
        self.attempts = by("hookonce_attempt", "job_id", "job_id, claim_no")
        self.conflicts = by("hookonce_conflict", "event_id", "id")
        self.effects = by("fx", "event_id", "n")
        for rows in self.effects.values():
            for row in rows:
                row["route"], row["key_"] = _text(row["route"]), _text(row["key_"])

    def clear(self):
        """Empties them for the next batch."""
        for table in self.ours:
            self.sql(f"DELETE FROM hookonce_{table}")
        self.sql("DELETE FROM fx")
        self.sql("DELETE FROM made")

    def open_jobs(self):
        """{(state, what it waits for): how many} of jobs that have not ended."""
        why = "COALESCE(waiting_for, '')" if self.flows else "''"
        rows = self.sql(f"SELECT state, {why} AS why, COUNT(*) AS n FROM hookonce_job "
                        "WHERE state IN ('ready', 'running', 'waiting') GROUP BY state, why")
        return {(row["state"], row["why"] if row["state"] != "running" else ""): row["n"] for row in rows}

    def asleep_for(self, seconds):
        """Whether a job has waited that long for its lane."""
        return self.sql("SELECT 1 FROM hookonce_job WHERE state = 'waiting' AND waits_since < "
                        f"UTC_TIMESTAMP(6) - INTERVAL {seconds} SECOND LIMIT 1")

    def hasten(self, needs=False):
        """What is due later is due now; what waits for a need only if told. -> how many jobs."""
        kept = "'release'" if needs else "'need', 'release'"
        unless = f" AND COALESCE(waiting_for, '') NOT IN ({kept})" if self.flows else ""
        return self._now("state = 'ready'" + unless)

    def expire_dead(self, pids):
        """The leases of workers that are gone have ended."""
        alive = "".join(f" AND worker NOT LIKE '%-{pid}-%'" for pid in pids)
        self._now("state = 'running' AND route <> '(reply)'" + alive)

    def expire_all(self):
        """All leases have ended, also of workers that live and have slept."""
        self._now("state = 'running'")

    def expire_lanes(self):
        """The leases of all lanes have ended."""
        if self.flows:
            self._unlocked("hookonce_object", "flow, object_key", "held_by IS NOT NULL", "held_until")

    def pause(self, kind, name):
        """As a person does."""
        self.sql("INSERT IGNORE INTO hookonce_pause (kind, name) VALUES (%s, %s)", kind, name)

    def resume(self):
        """No pause is left."""
        self.sql("DELETE FROM hookonce_pause")

    def _now(self, which):
        return self._unlocked("hookonce_job", "id", which + " AND run_at > UTC_TIMESTAMP(6)", "run_at")

    def _unlocked(self, table, key, which, column):
        """Says "now" in rows that nobody has locked: who has them may be one that we have stopped."""
        n = 0
        try:
            self.sql("SET SESSION innodb_lock_wait_timeout = 1, SESSION tx_isolation = 'READ-COMMITTED'")
            self.sql("START TRANSACTION")
            for row in self.sql(f"SELECT {key} FROM {table} WHERE {which} FOR UPDATE SKIP LOCKED"):
                where = " AND ".join(f"{name} = %s" for name in row)
                self.sql(f"UPDATE {table} FORCE INDEX (PRIMARY) SET {column} = UTC_TIMESTAMP(6) WHERE {where}",
                         *row.values())
                n += 1
            self.sql("COMMIT")
        except pymysql.err.OperationalError as e:
            if e.args[0] not in BUSY:
                raise  # else the next turn comes soon
        return n
