/* The SQL of the queue. FORCE INDEX is not for speed: an UPDATE that comes through the claim index
 * locks in the other order than a claim, and deadlocks with it. */
#include "store/sql_jobs.h"

#include "store/pause.h"

#define IDS "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)" /* SQL_CHUNK of them */

/* Rows whose numbers can't be counted on, or whose id does not fit: nothing that we write. One of
 * them would undo every claim that it is part of, so it is passed over. */
#define SOUND                                                                                     \
    " AND claim_no < 4294967295 AND tries < 4294967295 AND id < 9223372036854775808"              \
    " AND class < 3"

#define ROW "id, correlation_id, route, tries, claim_no, suspect, replay_no, class"

const struct db_skip sql_jobs_due = {
    DB_SKIP(ROW ", run_at", "hookonce_job", "claim_class",
            "state = 'ready' AND class = ? AND run_at <= UTC_TIMESTAMP(6) AND run_at >= ?" SOUND,
            "run_at, id"),
    .n_where = 2};

const char sql_jobs_take[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
    " SET state = 'running', run_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND,"
    " claim_no = claim_no + 1, claim_token = ?, worker = ?, tries = tries + ?"
    " WHERE id IN " IDS " AND state = 'ready'";

const char sql_jobs_taken[] =
    "SELECT id FROM hookonce_job FORCE INDEX (PRIMARY)"
    " WHERE claim_token = ? AND state = 'running' AND id IN " IDS " FOR UPDATE";

const char sql_receipts_taken[] =
    "UPDATE hookonce_receipt FORCE INDEX (correlation) SET status = 'processing'"
    " WHERE correlation_id IN " IDS " AND status = 'received'";

const char sql_jobs_renew[] = "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
                              " SET run_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND"
                              " WHERE claim_token = ? AND state = 'running' AND id IN " IDS;

const char sql_job_release[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
    " SET state = 'ready', run_at = UTC_TIMESTAMP(6), claim_token = NULL,"
    " tries = IF(suspect AND tries > 0, tries - 1, tries)"
    " WHERE id = ? AND state = 'running' AND claim_no = ? AND claim_token = ?";

const struct db_skip sql_jobs_expired = {
    DB_SKIP(ROW ", claim_token, COALESCE(worker, ''), run_at - INTERVAL ? MICROSECOND,"
            " lane, first_try_at IS NOT NULL",
            "hookonce_job", "claim", "state = 'running' AND run_at <= UTC_TIMESTAMP(6)" SOUND,
            "run_at, id"),
    .n_head = 1};

const struct db_skip sql_jobs_asleep = {
    DB_SKIP("id", "hookonce_job", "claim", "state = 'waiting' AND run_at <= UTC_TIMESTAMP(6)",
            "run_at, id")};

const char sql_jobs_awake[] = "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
                              " SET state = 'ready', run_at = UTC_TIMESTAMP(6)"
                              " WHERE id IN " IDS " AND state = 'waiting'";

#define DUE(of) "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), run_at) FROM hookonce_job"          \
                " FORCE INDEX (claim) WHERE state = '" of "'"
#define FIRST " ORDER BY run_at, id LIMIT 1)"

const char sql_jobs_next[] = "(SELECT " DUE("ready") SOUND FIRST " UNION ALL (SELECT "
                             DUE("running") SOUND FIRST " UNION ALL (SELECT " DUE("waiting") FIRST;

/* As pause_lane makes them. */
#define PAUSED_LANES                                                                              \
    "(SELECT LEFT(CONCAT('" PAUSE_LANES "', UNHEX(SHA2(CONCAT(kind, ' ', name), 256))), 32)"      \
    " FROM hookonce_pause)"

/* One question that tells whether there is anything to do. A parked job of a pause that is over is,
 * whatever else is paused. Whatever is looked for has an index that begins with it; of parked jobs, be
 * they ever so many, the lanes are read and no more. */
const char sql_jobs_look[] =
    "SELECT MAX(version), MAX(key_print),"
    " (SELECT " DUE("ready") SOUND FIRST ","
    " (SELECT " DUE("running") SOUND FIRST ","
    " (SELECT " DUE("waiting") FIRST ","
    " EXISTS (SELECT 1 FROM hookonce_command FORCE INDEX (state) WHERE state IN ('new', 'running')),"
    " EXISTS (SELECT 1 FROM (SELECT lane FROM hookonce_job FORCE INDEX (lane) WHERE lane > ?"
    " AND lane < ? AND state = 'waiting' GROUP BY lane) AS parked WHERE lane NOT IN " PAUSED_LANES ")"
    " FROM hookonce_schema";

const char sql_job_fence[] =
    "SELECT route, tries, UTC_TIMESTAMP(6),"
    " TIMESTAMPDIFF(MICROSECOND, first_try_at, UTC_TIMESTAMP(6)), waiting_for,"
    " TIMESTAMPDIFF(MICROSECOND, waits_since, UTC_TIMESTAMP(6)), need_waits, lane,"
    " LOWER(HEX(idempotency_key)), key_mac"
    " FROM hookonce_job FORCE INDEX (PRIMARY)"
    " WHERE id = ? AND state = 'running' AND claim_no = ? AND claim_token = ? FOR UPDATE";

const char sql_job_settle[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
    " SET state = ?, run_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, tries = ?, suspect = ?,"
    " class = ?, outcome = ?, last_error = ?, route = ?, done_by = ?, claim_token = NULL,"
    " lane = NULL, waiting_for = NULL, waits_since = IF(?, waits_since, NULL),"
    " first_try_at = IF(?, NULL, first_try_at)"
    " WHERE id = ? AND state = 'running' AND claim_no = ? AND claim_token <=> ?";

const char sql_job_start[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
    " SET route = ?, tries = ?, first_try_at = IF(?, COALESCE(first_try_at, UTC_TIMESTAMP(6)),"
    " first_try_at), key_mac = IF(idempotency_key IS NULL, ?, key_mac),"
    " idempotency_key = COALESCE(idempotency_key, UNHEX(?)),"
    " lane = ?"
    " WHERE id = ? AND state = 'running' AND claim_no = ? AND claim_token = ?";

/* In this order: each assignment sees those before it. The clock of its waits goes on whatever it
 * waits for now. It does not begin with its turn, which has no bound, nor with a pause, during which
 * it stands still: see sql_pause.c. */
const char sql_job_put_off[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
    " SET waits_since = IF(?, waits_since, COALESCE(waits_since, UTC_TIMESTAMP(6))),"
    " waiting_for = ?, waited_for = IF(FIND_IN_SET(waiting_for, COALESCE(waited_for, '')) > 0,"
    " waited_for, CONCAT_WS(',', waited_for, waiting_for)),"
    " waits = LEAST(waits, 4294967294) + 1, need_waits = LEAST(need_waits, 4294967294) + ?,"
    " state = ?, run_at = IF(waiting_for = 'pause', TIMESTAMP'9999-12-31 00:00:00',"
    " UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND),"
    " held_at = IF(waiting_for = 'pause', UTC_TIMESTAMP(6), NULL), tries = ?, class = ?,"
    " last_error = COALESCE(?, last_error), route = ?, done_by = ?, lane = ?, claim_token = NULL,"
    " first_try_at = IF(?, NULL, first_try_at)"
    " WHERE id = ? AND state = 'running' AND claim_no = ? AND claim_token = ?";

const char sql_job_was_put_off[] =
    "SELECT 1 FROM hookonce_job FORCE INDEX (PRIMARY) WHERE id = ? AND claim_no = ?"
    " AND state IN ('ready', 'waiting') AND waiting_for IS NOT NULL";

const char sql_job_route[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY) SET route = ?"
    " WHERE id = ? AND state = 'running' AND claim_no = ? AND claim_token = ?";

/* A job of that name that is there already is left as it is. */
const char sql_job_spread[] =
    "INSERT INTO hookonce_job (correlation_id, route, replay_no, class, state, run_at, created_at)"
    " VALUES (?, ?, ?, ?, 'ready', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))"
    " ON DUPLICATE KEY UPDATE route = VALUES(route)";

const char sql_attempt_start[] =
    "INSERT INTO hookonce_attempt (job_id, claim_no, correlation_id, try_no, worker, started_at)"
    " VALUES (?, ?, ?, ?, ?, UTC_TIMESTAMP(6))"
    " ON DUPLICATE KEY UPDATE job_id = VALUES(job_id)";

const char sql_attempt_write[] =
    "INSERT INTO hookonce_attempt (job_id, claim_no, correlation_id, try_no, worker, started_at,"
    " ended_at, outcome, rows_changed, error)"
    " VALUES (?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(6), ?, ?, ?)"
    " ON DUPLICATE KEY UPDATE ended_at = VALUES(ended_at), outcome = VALUES(outcome),"
    " rows_changed = VALUES(rows_changed), error = VALUES(error)";

const char sql_attempt_lost[] =
    "INSERT INTO hookonce_attempt (job_id, claim_no, correlation_id, try_no, worker, started_at,"
    " ended_at, outcome) VALUES (?, ?, ?, ?, ?, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), ?)"
    " ON DUPLICATE KEY UPDATE job_id = VALUES(job_id)";

const char sql_attempt_read[] =
    "SELECT outcome FROM hookonce_attempt WHERE job_id = ? AND claim_no = ?";

const char sql_attempt_open[] =
    "SELECT 1 FROM hookonce_attempt WHERE job_id = ? AND claim_no = ? AND ended_at IS NULL";

const char sql_receipt_lock[] = "SELECT status FROM hookonce_receipt FORCE INDEX (correlation)"
                                " WHERE correlation_id = ? FOR UPDATE";

const char sql_receipt_jobs[] =
    "SELECT SUM(state IN ('ready', 'waiting')), SUM(state = 'running'), SUM(state = 'dead'),"
    " COALESCE(MAX(IF(state = 'dead' AND outcome = ?, outcome, NULL)),"
    " MAX(IF(state = 'dead', outcome, NULL)))"
    " FROM hookonce_job FORCE INDEX (once) WHERE correlation_id = ?";

const char sql_receipt_status[] =
    "UPDATE hookonce_receipt FORCE INDEX (correlation) SET status = ?, outcome = ?"
    " WHERE correlation_id = ?";

const char sql_stored_receipt[] =
    "SELECT provider, event_id, source, event_type, object_key, occurred_at, same_digest,"
    " document, secret_no, mac, COALESCE(body_id, correlation_id), received_at"
    " FROM hookonce_receipt FORCE INDEX (correlation) WHERE correlation_id = ? LIMIT 2";

const char sql_stored_body[] =
    "SELECT headers, bytes, body_key FROM hookonce_body WHERE correlation_id = ? ORDER BY part";

#define DEAD \
    "SELECT j.id, j.correlation_id, j.route, r.provider, r.event_id, r.event_type, j.state," \
    " j.outcome FROM hookonce_job AS j"
#define DEAD_RECEIPT \
    " LEFT JOIN hookonce_receipt AS r FORCE INDEX (correlation)" \
    " ON r.correlation_id = j.correlation_id"
#define DEAD_ONLY " FORCE INDEX (claim)" DEAD_RECEIPT " WHERE j.state = 'dead'"
#define DEAD_ORDER " ORDER BY j.run_at, j.id LIMIT ?"

const char sql_dead_by_job[] = DEAD DEAD_RECEIPT " WHERE j.id = ?";
const char sql_dead_by_cid[] = DEAD DEAD_RECEIPT " WHERE j.correlation_id = ? ORDER BY j.id";
const char sql_dead_by_route[] = DEAD DEAD_ONLY " AND j.route = ?" DEAD_ORDER;
const char sql_dead_all[] = DEAD DEAD_ONLY DEAD_ORDER;

const char sql_job_state[] = "SELECT state, outcome, route, first_try_at IS NOT NULL, lane,"
                             " done_by IS NOT NULL, held_at IS NOT NULL"
                             " FROM hookonce_job FORCE INDEX (PRIMARY)"
                             " WHERE id = ? FOR UPDATE";

const char sql_job_body[] =
    "SELECT 1 FROM hookonce_receipt AS r FORCE INDEX (correlation) JOIN hookonce_body AS b"
    " ON b.correlation_id = COALESCE(r.body_id, r.correlation_id) AND b.part = 0"
    " WHERE r.correlation_id = ? LIMIT 1 FOR UPDATE";

/* Nothing ever ran for an ignored one, so there is nothing that could be done twice. */
const char sql_job_reopen[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
    " SET state = 'ready', run_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, tries = 0,"
    " suspect = 0, class = ?, outcome = NULL, waits = 0, need_waits = 0, waiting_for = NULL,"
    " waits_since = NULL, waited_for = NULL,"
    " lane = NULL, done_by = NULL, first_try_at = IF(?, NULL, first_try_at),"
    " reopened = reopened + 1, reopened_at = UTC_TIMESTAMP(6),"
    " command_id = COALESCE(?, command_id)"
    " WHERE id = ? AND (state = 'dead' OR (state = 'done' AND outcome = 'discarded')"
    " OR (state = 'done' AND outcome = 'ignored' AND route = ''))";

/* One that waits for its lane looks at it, and waits again if it is held. */
const char sql_job_hasten[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY) SET state = 'ready', run_at = UTC_TIMESTAMP(6),"
    " command_id = COALESCE(?, command_id)"
    " WHERE id = ? AND held_at IS NULL"
    " AND (state = 'waiting' OR (state = 'ready' AND run_at > UTC_TIMESTAMP(6)))";

const char sql_jobs_waiting[] =
    "SELECT id FROM hookonce_job FORCE INDEX (claim)"
    " WHERE state = 'ready' AND waiting_for = 'release' AND done_by = ? LIMIT ?";

/* A claim of it is over. */
const char sql_job_discard[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
    " SET state = 'done', run_at = UTC_TIMESTAMP(6), outcome = 'discarded',"
    " claim_no = claim_no + 1, claim_token = NULL, suspect = 0, waiting_for = NULL,"
    " waits_since = NULL, held_at = NULL, lane = NULL, done_by = IF(?, correlation_id, NULL),"
    " first_try_at = IF(?, NULL, first_try_at), command_id = COALESCE(?, command_id)"
    " WHERE id = ? AND state <> 'running'";

const char sql_worker_hello[] = "INSERT INTO hookonce_worker (id, host, pid, started_at, seen_at)"
                                " VALUES (?, ?, ?, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))"
                                " ON DUPLICATE KEY UPDATE seen_at = VALUES(seen_at)";

const char sql_worker_bye[] = "DELETE FROM hookonce_worker WHERE id = ?";

const char sql_workers_forget[] =
    "DELETE FROM hookonce_worker WHERE seen_at < UTC_TIMESTAMP(6) - INTERVAL 1 DAY";
