/* The SQL of what is counted. */
#include "store/sql_stat.h"

#include "store/answers.h"

#define TIME_OF "TIMESTAMP('1970-01-01') + INTERVAL ? MICROSECOND"
#define HOUR_OF "TIMESTAMP('1970-01-01') + INTERVAL ? SECOND"
#define US_OF(time) "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', " time ")"
#define AGE(from, to) "GREATEST(0, COALESCE(TIMESTAMPDIFF(MICROSECOND, " from ", " to "), 0))"

/* ---- rounds ----
 * Due in more than two days is due now: the clock was set back. */

#define DUE                                                                                       \
    "(due_at <= UTC_TIMESTAMP(6) OR due_at > UTC_TIMESTAMP(6) + INTERVAL 2 DAY)"

const char sql_round_look[] = "SELECT " DUE ", " US_OF("UTC_TIMESTAMP(6)") ", " US_OF("upto")
    " FROM hookonce_round WHERE name = ?";

const char sql_round_make[] = "INSERT IGNORE INTO hookonce_round (name, due_at)"
                              " VALUES (?, UTC_TIMESTAMP(6))";

const char sql_round_claim[] =
    "UPDATE hookonce_round SET due_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, worker = ?"
    " WHERE name = ? AND " DUE;

const char sql_round_leave[] =
    "UPDATE hookonce_round SET upto = " TIME_OF ","
    " due_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND,"
    " done_at = IF(?, UTC_TIMESTAMP(6), done_at)"
    " WHERE name = ? AND worker = ? AND COALESCE(" US_OF("upto") ", 0) = ?";

const char sql_round_back[] =
    "UPDATE hookonce_round SET upto = " TIME_OF ", due_at = UTC_TIMESTAMP(6)"
    " WHERE upto > " TIME_OF " AND name = ?";

/* ---- stat ----
 * Correlation ids begin with the time, so an hour is a range of their index. */

const char sql_stat_events[] =
    "SELECT source, event_type, COUNT(*), SUM(duplicates), SUM(status = 'processed'),"
    " SUM(status = 'processed' AND COALESCE(outcome, '') IN ('ignored', 'informational')),"
    " SUM(status = 'failed'), " US_OF("MAX(received_at)")
    " FROM hookonce_receipt FORCE INDEX (correlation)"
    " WHERE correlation_id >= ? AND correlation_id < ? GROUP BY source, event_type";

/* A try that ended so ran no handler. */
#define HANDLED                                                                                   \
    "COALESCE(a.outcome, '') NOT IN ('ignored', 'informational', 'forged row', 'no route',"       \
    " 'already done', 'already so', 'stale', 'need not met', 'gone', 'key over', 'no key',"       \
    " 'waited too long', 'body gone', 'discarded')"

const char sql_stat_jobs[] =
    "SELECT source, event_type, COUNT(*), SUM(tries), SUM(run), MAX(longest), SUM(wait), MAX(wait)"
    " FROM (SELECT r.source, r.event_type, COUNT(*) AS tries,"
    " SUM(" AGE("a.started_at", "a.ended_at") ") AS run,"
    " MAX(" AGE("a.started_at", "a.ended_at") ") AS longest,"
    " " AGE("r.received_at", "MIN(a.started_at)") " AS wait"
    " FROM hookonce_receipt AS r FORCE INDEX (correlation)"
    " STRAIGHT_JOIN hookonce_job AS j FORCE INDEX (once) ON j.correlation_id = r.correlation_id"
    " STRAIGHT_JOIN hookonce_attempt AS a ON a.job_id = j.id AND " HANDLED
    " WHERE r.correlation_id >= ? AND r.correlation_id < ?"
    " GROUP BY r.source, r.event_type, r.received_at, j.id) AS tried GROUP BY source, event_type";

/* The number of events comes last: what stands before it goes by the old one. */
#define TAKE(column)                                                                              \
    column " = IF(VALUES(events) >= events, VALUES(" column "), " column ")"

const char sql_stat_put[] =
    "INSERT INTO hookonce_stat (hour, source, event_type, events, duplicates, processed, ignored,"
    " failed, last_at, counted_at) VALUES (" HOUR_OF ", ?, ?, ?, ?, ?, ?, ?, " TIME_OF ","
    " UTC_TIMESTAMP(6)) ON DUPLICATE KEY UPDATE " TAKE("duplicates") ", " TAKE("processed") ", "
    TAKE("ignored") ", " TAKE("failed") ", " TAKE("last_at") ", " TAKE("counted_at")
    ", events = GREATEST(events, VALUES(events))";

const char sql_stat_put_jobs[] =
    "UPDATE hookonce_stat SET jobs = ?, tries = ?, retried = tries - jobs, run_us = ?,"
    " run_max_us = ?, wait_us = ?, wait_max_us = ?"
    " WHERE hour = " HOUR_OF " AND source = ? AND event_type = ? AND tries <= ?";

const char sql_stat_changed[] =
    "SELECT DISTINCT LEFT(correlation_id, 6) FROM hookonce_job FORCE INDEX (claim)"
    " WHERE state = ? AND run_at >= " TIME_OF " AND run_at <= " TIME_OF;

const char sql_stat_oldest[] = "SELECT MIN(correlation_id) FROM hookonce_receipt";

#define OLD(table, time, days)                                                                    \
    "DELETE FROM " table " WHERE " time " < UTC_TIMESTAMP() - INTERVAL " days " DAY"              \
    " ORDER BY " time " LIMIT 1000"

const char *const sql_stat_old[] = {
    OLD("hookonce_stat", "hour", "400"),
    OLD("hookonce_tally", "hour", "400"),
    OLD("hookonce_sample", "at", "35"),
    "DELETE FROM hookonce_host WHERE seen_at < UTC_TIMESTAMP() - INTERVAL 35 DAY"
    " AND spool_files = 0",
    "DELETE s FROM hookonce_seen AS s LEFT JOIN hookonce_host AS h ON h.host = s.host"
    " WHERE h.host IS NULL",
    "DELETE s FROM hookonce_seen AS s JOIN hookonce_seen AS f ON f.host = s.host"
    " AND f.state_file = s.state_file AND f.source = '' AND f.counter = 'sampled'"
    " WHERE f.n < UNIX_TIMESTAMP() - 35 * 86400",
};
const size_t sql_stat_old_n = sizeof sql_stat_old / sizeof sql_stat_old[0];

/* ---- samples ---- */

#define JOBS(where)                                                                               \
    "(SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim) WHERE " where          \
    " LIMIT 100000) AS found)"

const char sql_queue_facts[] =
    "SELECT " JOBS("state = 'ready' AND run_at <= UTC_TIMESTAMP(6)") ","
    " (SELECT COALESCE(GREATEST(0, TIMESTAMPDIFF(SECOND, MIN(run_at), UTC_TIMESTAMP(6))), 0)"
    " FROM hookonce_job FORCE INDEX (claim) WHERE state = 'ready'), "
    JOBS("state = 'ready' AND run_at > UTC_TIMESTAMP(6)") " + " JOBS("state = 'waiting'") ", "
    JOBS("state = 'running'") ", " JOBS("state = 'dead' AND route <> '" REPLY_ROUTE "'");

const char sql_host_put[] =
    "INSERT INTO hookonce_host (host, version, seen_at, received_at, spool_files, spool_bytes,"
    " spool_oldest_at, spool_quarantined, gate, disk_free, disk_size, clock_ahead_ms)"
    " VALUES (?, ?, UTC_TIMESTAMP(6), " TIME_OF ", ?, ?, " TIME_OF ", ?, ?, ?, ?, ?)"
    " ON DUPLICATE KEY UPDATE version = VALUES(version), seen_at = VALUES(seen_at),"
    " received_at = COALESCE(VALUES(received_at), received_at), spool_files = VALUES(spool_files),"
    " spool_bytes = VALUES(spool_bytes), spool_oldest_at = VALUES(spool_oldest_at),"
    " spool_quarantined = VALUES(spool_quarantined), gate = VALUES(gate),"
    " disk_free = VALUES(disk_free), disk_size = VALUES(disk_size),"
    " clock_ahead_ms = VALUES(clock_ahead_ms)";

const char sql_tally_busiest[] =
    "SELECT CAST(COALESCE(MAX(n), 0) AS UNSIGNED) FROM (SELECT SUM(n) AS n FROM hookonce_tally"
    " WHERE hour >= UTC_TIMESTAMP() - INTERVAL 7 DAY"
    " AND verdict IN ('new', 'duplicate', 'conflict', 'repeat', 'spooled') GROUP BY hour) AS hours";

const char sql_host_seen[] =
    "UPDATE hookonce_host SET seen_at = UTC_TIMESTAMP(6) WHERE host = ?";

const char sql_host_lock[] =
    "SELECT FLOOR(TIMESTAMPDIFF(SECOND, '1970-01-01', UTC_TIMESTAMP()) / 300) * 300"
    " FROM hookonce_host WHERE host = ? FOR UPDATE";

const char sql_sample_there[] =
    "SELECT 1 FROM hookonce_sample WHERE at = " HOUR_OF " AND host = ?";

/* Of two state folders under one name: the worse. */
#define MORE_OF(column)                                                                           \
    " " column " = COALESCE(GREATEST(" column ", VALUES(" column ")), " column ", VALUES(" column  \
    "))"

const char sql_sample_put[] =
    "INSERT INTO hookonce_sample (at, host, taken_at, ready, ready_oldest_s, later, running, dead,"
    " accepted, duplicates, refused, busy, ack_n, ack_us, ack_p50_us, ack_p95_us, ack_p99_us,"
    " spool_files) VALUES (" HOUR_OF ", ?, UTC_TIMESTAMP(6), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
    " ?, ?) ON DUPLICATE KEY UPDATE accepted = accepted + VALUES(accepted),"
    " duplicates = duplicates + VALUES(duplicates), refused = refused + VALUES(refused),"
    " busy = busy + VALUES(busy), ack_n = ack_n + VALUES(ack_n),"
    " ack_us = ack_us + VALUES(ack_us)," MORE_OF("ack_p50_us") "," MORE_OF("ack_p95_us") ","
    MORE_OF("ack_p99_us") ", spool_files = GREATEST(spool_files, VALUES(spool_files))";

const char sql_seen_read[] =
    "SELECT source, counter, n FROM hookonce_seen WHERE host = ? AND state_file = ?";

const char sql_seen_put[] =
    "INSERT INTO hookonce_seen (host, state_file, source, counter, n)"
    " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE n = VALUES(n)";

/* Another file that was sampled after this one was made: both are in use. */
const char sql_seen_twin[] =
    "SELECT COUNT(*) FROM hookonce_seen WHERE host = ? AND state_file <> ? AND source = ''"
    " AND counter = 'sampled' AND n > ? AND n > UNIX_TIMESTAMP() - 3600";

const char sql_tally_add[] =
    "INSERT INTO hookonce_tally (hour, host, source, verdict, n) VALUES (" HOUR_OF ", ?, ?, ?, ?)"
    " ON DUPLICATE KEY UPDATE n = n + VALUES(n)";

/* ---- silence ---- */

const char sql_expect_make[] =
    "INSERT INTO hookonce_expect (source, name, event_type, every_s, state, expected_since,"
    " looked_at) VALUES (?, ?, ?, ?, 'well', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))"
    " ON DUPLICATE KEY UPDATE"
    " expected_since = IF(event_type = VALUES(event_type), expected_since, UTC_TIMESTAMP(6)),"
    " last_at = IF(event_type = VALUES(event_type), last_at, NULL),"
    " event_type = VALUES(event_type), every_s = VALUES(every_s)";

#define LIKE_IT "source = ? AND event_type LIKE ? ESCAPE '|'"

const char sql_expect_look[] =
    "SELECT " US_OF("UTC_TIMESTAMP(6)") ", " US_OF("expected_since") ", " US_OF("last_at") ","
    " (SELECT " US_OF("MAX(last_at)") " FROM hookonce_stat FORCE INDEX (source) WHERE " LIKE_IT
    " AND hour >= (SELECT hour FROM hookonce_stat FORCE INDEX (source) WHERE " LIKE_IT
    " ORDER BY hour DESC LIMIT 1)), state,"
    " EXISTS (SELECT 1 FROM hookonce_host WHERE spool_files > 0"
    " AND seen_at > UTC_TIMESTAMP(6) - INTERVAL 1 HOUR"
    " AND seen_at < UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE"
    " AND COALESCE(spool_oldest_at, seen_at) > UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)"
    " FROM hookonce_expect WHERE source = ? AND name = ?";

const char sql_expect_hours[] =
    "SELECT DISTINCT TIMESTAMPDIFF(HOUR, '1970-01-01', hour)"
    " FROM hookonce_stat FORCE INDEX (source) WHERE " LIKE_IT
    " AND hour >= " HOUR_OF " AND hour <= " HOUR_OF;

const char sql_expect_put[] =
    "UPDATE hookonce_expect SET state = ?, last_at = " TIME_OF ", silent_s = ?, odds = ?,"
    " silent_since = IF(? = 'silent', COALESCE(silent_since, UTC_TIMESTAMP(6)), NULL),"
    " looked_at = UTC_TIMESTAMP(6) WHERE source = ? AND name = ?";

/* What is no longer in the config, on any host. */
const char sql_expect_drop[] =
    "DELETE FROM hookonce_expect WHERE looked_at < UTC_TIMESTAMP(6) - INTERVAL 1 HOUR";
