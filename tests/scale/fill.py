"""Fills the tables as a busy installation would have them, by INSERT … SELECT from MariaDB's numbers.

Receipt k of `rows` arrived k steps after the first, 60 days ago; its event id is at another place of
the primary key, as ids of providers are. Sources, types, outcomes, duplicates and dead letters follow
from k, so a test can tell what there must be.
"""

DAYS = 60
CHUNK = 250_000
SCRAMBLE = 7_368_787  # prime, so that n * SCRAMBLE % rows meets each k once
DEAD_EVERY, DEAD_AT = 5000, 17
DUPLICATE_EVERY, FAILED_TRY_EVERY = 97, 50
READY, WAITING, RUNNING = 300, 100, 10
CONFLICTS = 2000
SOURCES = ("crm", "github", "mailgun", "shopify", "stripe")
TYPES = ("charge.succeeded", "customer.updated", "invoice.paid", "order.created", "push")

# Base 32 as MariaDB writes it, in the letters that a ULID uses; from the end, so none meets another.
_LETTERS = tuple(zip("VUTSRQPONMLKJI", "ZYXWVTSRQPNMKJ"))


def _ulid(ms, k):
    """SQL of the correlation id of receipt k, which came at ms."""
    text = f"CONCAT(LPAD(CONV({ms}, 10, 32), 10, '0'), LPAD(CONV({k}, 10, 32), 16, '0'))"
    for digit, letter in _LETTERS:
        text = f"REPLACE({text}, '{digit}', '{letter}')"
    return text


class Filler:
    """One fill of one database through an open pymysql cursor; `tell` is called with a line a step."""

    def __init__(self, cursor, rows, tell=lambda line: None):
        self.cursor, self.rows, self.tell = cursor, rows, tell
        cursor.execute("SELECT CAST(UNIX_TIMESTAMP() * 1000 AS UNSIGNED) AS ms")
        self.step_ms = DAYS * 86_400_000 // rows
        row = cursor.fetchone()
        self.start_ms = int(row["ms"] if isinstance(row, dict) else row[0]) - rows * self.step_ms

    def ms(self, k):
        """SQL of the moment at which receipt k came, in ms since 1970."""
        return f"({self.start_ms} + {k} * {self.step_ms})"

    def at(self, k, plus_ms=0):
        """SQL of that moment and a little more as a DATETIME(6), UTC."""
        return (f"(TIMESTAMP'1970-01-01 00:00:00.000000' + INTERVAL ({self.ms(k)} + {plus_ms}) * 1000"
                " MICROSECOND)")

    def cid(self, k):
        """SQL of the correlation id of receipt k."""
        return _ulid(self.ms(k), k)

    def _insert(self, table, columns, of, count=None):
        """Rows of a table in chunks; `of` gives the SQL of the values for a chunk's number n."""
        count = self.rows if count is None else count
        for base in range(0, count, CHUNK):
            last = min(CHUNK, count - base) - 1
            self.cursor.execute(f"INSERT INTO hookonce_{table} ({columns}) SELECT {of}"
                                f" FROM (SELECT seq + {base} AS n FROM seq_0_to_{last}) AS s")
            self.cursor.execute("COMMIT")
            if base // CHUNK % 4 == 3:
                self.tell(f"{table}: {base + last + 1} of {count}")

    def fill(self):
        """Every table of the inbox; the ids rise in each, so that the server only appends."""
        self.cursor.execute("SET unique_checks = 0, foreign_key_checks = 0, time_zone = '+00:00'")
        self._receipts()
        self._jobs()
        self._insert("attempt", "job_id, claim_no, correlation_id, try_no, worker, started_at, ended_at,"
                     " outcome, error",
                     f"n + 1, 1, {self.cid('n')}, 1, 'scale-1', {self.at('n', 900)},"
                     f" {self.at('n', 1000)}, {self._by_job('failed', 'NULL', 'done')},"
                     " IF(n % 5000 = 17, 'the shop said no', NULL)", self.rows - READY - WAITING)
        self._insert("body", "correlation_id, part, headers, bytes",
                     f"{self.cid('n')}, 0, REPEAT('x-header: value\\n', 10), REPEAT('0123456789', 30)")
        self._insert("guard", "provider, token, event_id, correlation_id, created_at",
                     f"'shopify', UNHEX(SHA2(n, 256)), CONCAT('evt_', n), {self.cid('n * 50')},"
                     f" {self.at('n * 50')}", self.rows // 50)
        self._insert("effect", "flow, effect_key, business_key, state, job_id, correlation_id,"
                     " reserved_at, done_at",
                     f"'paid', UNHEX(SHA2(n, 256)), CONCAT('order-', n), 'done', n * 50 + 1,"
                     f" {self.cid('n * 50')}, {self.at('n * 50')}, {self.at('n * 50', 1000)}",
                     self.rows // 50)
        step = self.rows // CONFLICTS or 1
        self._insert("conflict", "kind, provider, event_id, source, event_type, correlation_id,"
                     " first_correlation_id, same_digest, headers, body, body_len, body_sha256,"
                     " first_seen_at, last_seen_at",
                     f"'meaning', 'stripe', CONCAT('evt_x', n), 'stripe', 'push', {self.cid(f'n * {step}')},"
                     f" {self.cid(f'n * {step}')}, UNHEX(SHA2(n, 256)), '', 'body', 4,"
                     f" UNHEX(SHA2(n, 256)), {self.at(f'n * {step}')}, {self.at(f'n * {step}')}",
                     min(CONFLICTS, self.rows))
        self._numbers()
        self.cursor.execute("SET unique_checks = 1, foreign_key_checks = 1")

    def _receipts(self):
        k = f"(n * {SCRAMBLE} % {self.rows})"
        part = f"LEAST(n * {len(SOURCES)} DIV {self.rows}, {len(SOURCES) - 1}) + 1"
        source = f"ELT({part}, {', '.join(repr(s) for s in SOURCES)})"
        kind = f"ELT({k} % {len(TYPES)} + 1, {', '.join(repr(t) for t in TYPES)})"
        status = (f"CASE WHEN {k} >= {self.rows - READY - WAITING} THEN 'received'"
                  f" WHEN {k} >= {self.rows - READY - WAITING - RUNNING} THEN 'processing'"
                  f" WHEN {k} % {DEAD_EVERY} = {DEAD_AT} THEN 'failed' ELSE 'processed' END")
        again = f"{k} % {DUPLICATE_EVERY} = 0"
        self._insert("receipt", "provider, event_id, correlation_id, source, event_type, occurred_at,"
                     " received_at, recorded_at, status, outcome, body_len, body_sha256, same_digest,"
                     " document, secret_no, duplicates, last_duplicate_at, mac",
                     f"{source}, CONCAT('evt_', LPAD(HEX(n), 10, '0')), {self.cid(k)}, {source}, {kind},"
                     f" {self.at(k)}, {self.at(k)}, {self.at(k, 5)}, {status}, 'done', 300,"
                     f" UNHEX(SHA2(n, 256)), UNHEX(SHA2(n, 256)), 'json', 1, IF({again}, 1, 0),"
                     f" IF({again}, {self.at(k, 60000)}, NULL), UNHEX(SHA2(n, 256))")

    def _numbers(self):
        """The numbers of each hour, source and type, and a sample every five minutes."""
        hour = f"(TIMESTAMP(DATE_FORMAT({self.at(self.rows)}, '%Y-%m-%d %H:00:00')) - INTERVAL"
        each = len(SOURCES) * len(TYPES)
        self._insert("stat", "hour, source, event_type, events, duplicates, processed, failed, jobs, tries,"
                     " wait_us, run_us, last_at, counted_at",
                     f"{hour} n DIV {each} HOUR), ELT(n % {len(SOURCES)} + 1, {', '.join(map(repr, SOURCES))}),"
                     f" ELT(n DIV {len(SOURCES)} % {len(TYPES)} + 1, {', '.join(map(repr, TYPES))}), 50 + n % 40, 1,"
                     f" 50, n % 2, 50, 51, 50000, 90000, {hour} n DIV {each} HOUR), NOW()",
                     DAYS * 24 * each)
        self._insert("sample", "at, host, taken_at, ready, ready_oldest_s, later, running, dead, accepted,"
                     " duplicates, refused, busy, ack_n, ack_us, ack_p50_us, ack_p95_us, ack_p99_us, spool_files",
                     f"{hour} n * 5 MINUTE), 'scale', {hour} n * 5 MINUTE), 3, 1, 1, 1, 2, 50, 1, 0, 0, 50, 100000,"
                     " 2000, 3000, 9000, 0", 35 * 288)

    def _by_job(self, dead, opened, done):
        """SQL of what a job n has: another value if it is dead, if it is open, or else."""
        return (f"CASE WHEN n >= {self.rows - READY - WAITING - RUNNING} THEN {opened}"
                f" WHEN n % {DEAD_EVERY} = {DEAD_AT} THEN '{dead}' ELSE '{done}' END")

    def _jobs(self):
        state = (f"CASE WHEN n >= {self.rows - READY} THEN 'ready'"
                 f" WHEN n >= {self.rows - READY - WAITING} THEN 'waiting'"
                 f" WHEN n >= {self.rows - READY - WAITING - RUNNING} THEN 'running'"
                 f" WHEN n % {DEAD_EVERY} = {DEAD_AT} THEN 'dead' ELSE 'done' END")
        self._insert("job", "id, correlation_id, route, state, run_at, tries, claim_no, worker, outcome,"
                     " last_error, created_at, waiting_for",
                     f"n + 1, {self.cid('n')}, 'paid', {state}, {self.at('n', 1000)}, 1, 1, 'scale-1',"
                     f" {self._by_job('failed', 'NULL', 'done')},"
                     f" IF(n % {DEAD_EVERY} = {DEAD_AT}, 'the shop said no', NULL), {self.at('n', 5)},"
                     f" IF({state} = 'waiting', 'lane', NULL)")
