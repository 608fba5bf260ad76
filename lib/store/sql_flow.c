/* The SQL of effects and objects. ON DUPLICATE KEY UPDATE that changes nothing takes the row's own
 * lock at once; INSERT IGNORE would share it, and two that then want it for themselves deadlock. */
#include "store/sql_flow.h"

#include "store/sql_lease.h"

#define OTHER                                                                                     \
    "SELECT state, claim_no, outcome, first_try_at IS NOT NULL"                                   \
    " FROM hookonce_job FORCE INDEX (PRIMARY) WHERE id = ? FOR UPDATE "

/* Who holds the row's lock works at the job, so it is open; and we wait for nobody. */
const struct db_skip sql_other_job = {.text = OTHER "SKIP LOCKED", .lock = OTHER "NOWAIT"};

const char sql_other_there[] = "SELECT 1 FROM hookonce_job FORCE INDEX (PRIMARY) WHERE id = ?";

const char sql_effect_insert[] =
    "INSERT INTO hookonce_effect (flow, effect_key, business_key, state, job_id, correlation_id,"
    " reserved_at, done_at)"
    " VALUES (?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(6), IF(?, UTC_TIMESTAMP(6), NULL))"
    " ON DUPLICATE KEY UPDATE flow = VALUES(flow)";

const char sql_effect_read[] = "SELECT state, job_id, correlation_id FROM hookonce_effect"
                               " WHERE flow = ? AND effect_key = ? FOR UPDATE";

const char sql_effect_own[] =
    "UPDATE hookonce_effect SET state = ?, job_id = ?, correlation_id = ?,"
    " reserved_at = UTC_TIMESTAMP(6), done_at = IF(?, UTC_TIMESTAMP(6), NULL)"
    " WHERE flow = ? AND effect_key = ?";

const char sql_effect_doubt[] = "UPDATE hookonce_effect SET state = 'unknown'"
                                " WHERE flow = ? AND effect_key = ? AND state = 'reserved'";

const char sql_effect_done[] =
    "UPDATE hookonce_effect SET state = 'done', done_at = UTC_TIMESTAMP(6)"
    " WHERE flow = ? AND effect_key = ? AND job_id = ? AND state <> 'done'";

const char sql_effect_free[] = "DELETE FROM hookonce_effect WHERE flow = ? AND effect_key = ?"
                               " AND job_id = ? AND state = 'reserved'";

const char sql_effects_doubt[] =
    "UPDATE hookonce_effect SET state = 'unknown' WHERE job_id = ? AND state = 'reserved'";

const char sql_effects_free[] =
    "DELETE FROM hookonce_effect WHERE job_id = ? AND state = 'reserved'";

const char sql_effects_release[] =
    "UPDATE hookonce_effect SET state = 'reserved' WHERE job_id = ? AND state = 'unknown'";

/* What a person says of a job's effects, which nobody knew, or which it would have tried again. */
const char sql_effects_done[] =
    "UPDATE hookonce_effect SET state = 'done', done_at = UTC_TIMESTAMP(6)"
    " WHERE job_id = ? AND state <> 'done'";

const char sql_effects_drop[] =
    "DELETE FROM hookonce_effect WHERE job_id = ? AND state <> 'done'";

const char sql_effects_unknown[] =
    "SELECT 1 FROM hookonce_effect WHERE job_id = ? AND state = 'unknown' LIMIT 1";

const char sql_effects_state[] =
    "SELECT state FROM hookonce_effect WHERE job_id = ? ORDER BY state DESC LIMIT 1";

const char sql_object_insert[] =
    "INSERT INTO hookonce_object (flow, object_key, object_id, changed_at)"
    " VALUES (?, ?, ?, UTC_TIMESTAMP(6)) ON DUPLICATE KEY UPDATE flow = VALUES(flow)";

const char sql_object_read[] =
    "SELECT mark, marked_by, held_by, held_claim, " LEASE_LASTS("held_from", "held_until")
    ", mark_of FROM hookonce_object WHERE flow = ? AND object_key = ? FOR UPDATE";

const char sql_object_hold[] =
    "UPDATE hookonce_object SET held_by = ?, held_claim = ?, held_mark = ?,"
    " held_of = ?, held_from = UTC_TIMESTAMP(6), held_until = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND,"
    " changed_at = UTC_TIMESTAMP(6)"
    " WHERE flow = ? AND object_key = ?";

const char sql_object_mark[] =
    "UPDATE hookonce_object SET mark = ?, marked_by = ?, mark_of = ?, changed_at = UTC_TIMESTAMP(6)"
    " WHERE flow = ? AND object_key = ?"
    " AND (mark IS NULL OR mark < ? OR NOT mark_of <=> ?)";

const char sql_object_leave[] =
    "UPDATE hookonce_object SET held_by = NULL, held_claim = NULL, held_until = NULL,"
    " held_from = NULL, held_mark = NULL, held_of = NULL, changed_at = UTC_TIMESTAMP(6)"
    " WHERE flow = ? AND object_key = ? AND held_by = ? AND held_claim = ?";

const char sql_object_held[] = "SELECT object_key FROM hookonce_object FORCE INDEX (holder)"
                               " WHERE held_by = ? FOR UPDATE";

const char sql_object_acted[] =
    "UPDATE hookonce_object FORCE INDEX (holder) SET mark = held_mark, marked_by = ?,"
    " mark_of = held_of, changed_at = UTC_TIMESTAMP(6)"
    " WHERE held_by = ? AND held_claim = ? AND held_mark IS NOT NULL"
    " AND (mark IS NULL OR mark < held_mark OR NOT mark_of <=> held_of)";

const struct db_skip sql_lane_next = {
    DB_SKIP("id", "hookonce_job", "lane", "lane = ? AND state = 'waiting'", "id"), .n_where = 1};

const char sql_lane_wake[] = "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
                             " SET state = 'ready', run_at = UTC_TIMESTAMP(6)"
                             " WHERE id = ? AND state = 'waiting'";
