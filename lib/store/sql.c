/* The store's SQL. Times are the database's own, UTC. */
#include "store/sql.h"

/* ---- inbox ----
 * IGNORE turns many mistakes into "0 rows" or into changed values, so nothing is concluded from it:
 * the row is read back. The read back shares the lock that IGNORE took on a row that was there; it
 * also sees that row under REPEATABLE READ, where a plain read would not. */

const char SQL_GUARD_INSERT[] =
    "INSERT IGNORE INTO hookonce_guard (provider, token, event_id, correlation_id, created_at)"
    " VALUES (?, ?, ?, ?, UTC_TIMESTAMP(6))";

const char SQL_GUARD_BACK[] =
    "SELECT event_id, correlation_id FROM hookonce_guard WHERE provider = ? AND token = ?"
    " LOCK IN SHARE MODE";

const char SQL_RECEIPT_INSERT[] =
    "INSERT IGNORE INTO hookonce_receipt (provider, event_id, correlation_id, source, event_type,"
    " object_key, occurred_at, received_at, recorded_at, status, body_len, body_sha256,"
    " same_digest, document, secret_no, mac, body_id)"
    " VALUES (?, ?, ?, ?, ?, ?, TIMESTAMP'1970-01-01 00:00:00' + INTERVAL ? MICROSECOND,"
    " COALESCE(LEAST(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL ? MICROSECOND, UTC_TIMESTAMP(6)),"
    " UTC_TIMESTAMP(6)), UTC_TIMESTAMP(6), ?, ?, ?, ?, ?, ?, ?, ?)";

const char SQL_RECEIPT_BACK[] =
    "SELECT correlation_id, same_digest FROM hookonce_receipt WHERE provider = ? AND event_id = ?"
    " LOCK IN SHARE MODE";

const char SQL_RECEIPT_SEEN[] = "SELECT correlation_id, same_digest FROM hookonce_receipt"
                                " WHERE provider = ? AND event_id = ?";

const char SQL_BODY_INSERT[] =
    "INSERT INTO hookonce_body (correlation_id, part, headers, bytes, body_key)"
    " VALUES (?, ?, ?, ?, ?)";

const char SQL_JOB_INSERT[] =
    "INSERT INTO hookonce_job (correlation_id, state, run_at, created_at)"
    " VALUES (?, 'ready', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))";

const char SQL_DUPLICATE_COUNT[] =
    "UPDATE hookonce_receipt SET duplicates = duplicates + 1, last_duplicate_at = UTC_TIMESTAMP(6)"
    " WHERE provider = ? AND event_id = ?";

/* Conflicts of one receipt are written one after another: each first locks the receipt. A row that
 * was released is done with: nothing is counted on it. */
const char SQL_CONFLICT_LOCK[] =
    "SELECT correlation_id, same_digest FROM hookonce_receipt WHERE provider = ? AND event_id = ?"
    " FOR UPDATE";

const char SQL_CONFLICT_AGAIN[] =
    "UPDATE hookonce_conflict SET seen = seen + 1, last_seen_at = UTC_TIMESTAMP(6)"
    " WHERE provider = ? AND event_id = ? AND kind = ? AND same_digest = ?"
    " AND released_at IS NULL";

const char SQL_CONFLICT_ROWS[] =
    "SELECT COUNT(*), MAX(id) FROM hookonce_conflict"
    " WHERE first_correlation_id = ? AND released_at IS NULL";

const char SQL_CONFLICT_NEWEST[] =
    "UPDATE hookonce_conflict SET seen = seen + 1, last_seen_at = UTC_TIMESTAMP(6) WHERE id = ?";

const char SQL_CONFLICT_INSERT[] =
    "INSERT INTO hookonce_conflict (kind, provider, event_id, source, event_type, correlation_id,"
    " first_correlation_id, same_digest, first_same_digest, headers, body, body_len, body_sha256,"
    " body_key, object_key, occurred_at, document, secret_no, mac, first_seen_at, last_seen_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
    " TIMESTAMP'1970-01-01 00:00:00' + INTERVAL ? MICROSECOND, ?, ?, ?, UTC_TIMESTAMP(6),"
    " UTC_TIMESTAMP(6))";

/* ---- import ----
 * When InnoDB writes to the disk (1, 3: at each COMMIT; else every so many seconds), and for how
 * long the server has been running. */

const char SQL_COMMIT_FLUSH[] =
    "SELECT @@innodb_flush_log_at_trx_commit, @@innodb_flush_log_at_timeout";

const char SQL_LOCK_WAIT[] = "SELECT @@innodb_lock_wait_timeout";
const char SQL_SET_LOCK_WAIT[] = "SET SESSION innodb_lock_wait_timeout = ?";

const char SQL_UPTIME[] = "SHOW GLOBAL STATUS LIKE 'Uptime'";

/* ---- migrate ----
 * The key's print is kept in the row of version 1. */

const char SQL_SCHEMA_STATE[] = "SELECT MAX(version), MAX(key_print) FROM hookonce_schema";

const char SQL_SCHEMA_PRINT[] =
    "UPDATE hookonce_schema SET key_print = ? WHERE version = 1 AND key_print IS NULL";
