/* The SQL of handlers' limits. Times are the database's own, UTC. */
#include "store/sql_limits.h"

#include "store/sql_lease.h"

#define LOOK \
    "SELECT failures, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), open_until)," \
    " " LEASE_LASTS("probe_from", "probe_until") ", probe_job, probe_claim," \
    " TIMESTAMPDIFF(MICROSECOND, rate_from, UTC_TIMESTAMP(6)), rate_count" \
    " FROM hookonce_handler WHERE name = ?"
#define LATER "UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND"
#define NO_PROBE "probe_until = NULL, probe_from = NULL, probe_job = NULL, probe_claim = NULL"
#define MY_PROBE "probe_job = ? AND probe_claim = ?"

const char sql_limit_look[] = LOOK;
const char sql_limit_lock[] = LOOK " FOR UPDATE";

const char sql_limit_make[] =
    "INSERT INTO hookonce_handler (name, changed_at) VALUES (?, UTC_TIMESTAMP(6))"
    " ON DUPLICATE KEY UPDATE name = VALUES(name)";

const char sql_limit_probe[] =
    "UPDATE hookonce_handler SET probe_until = " LATER ", probe_from = UTC_TIMESTAMP(6),"
    " probe_job = ?, probe_claim = ?, changed_at = UTC_TIMESTAMP(6) WHERE name = ?";

const char sql_limit_window[] =
    "UPDATE hookonce_handler SET rate_from = UTC_TIMESTAMP(6), rate_count = 1,"
    " changed_at = UTC_TIMESTAMP(6) WHERE name = ?";

const char sql_limit_count[] = "UPDATE hookonce_handler SET rate_count = rate_count + 1,"
                               " changed_at = UTC_TIMESTAMP(6) WHERE name = ?";

const char sql_limit_well[] =
    "UPDATE hookonce_handler SET failures = 0, open_until = NULL, " NO_PROBE ","
    " changed_at = UTC_TIMESTAMP(6) WHERE name = ?"
    " AND ((open_until IS NULL AND failures > 0) OR (" MY_PROBE "))";

const char sql_limit_again[] =
    "UPDATE hookonce_handler SET open_until = " LATER ", " NO_PROBE ","
    " failures = LEAST(failures, 4294967294) + 1, changed_at = UTC_TIMESTAMP(6)"
    " WHERE name = ? AND " MY_PROBE;

/* In this order: each assignment sees those before it. What began before it opened does not make it
 * stay open longer. */
const char sql_limit_failed[] =
    "INSERT INTO hookonce_handler (name, failures, open_until, changed_at)"
    " VALUES (?, 1, IF(? <= 1, " LATER ", NULL), UTC_TIMESTAMP(6))"
    " ON DUPLICATE KEY UPDATE"
    " failures = IF(open_until IS NULL, LEAST(failures, 4294967294) + 1, failures),"
    " open_until = IF(open_until IS NULL AND failures >= ?, " LATER ", open_until),"
    " changed_at = UTC_TIMESTAMP(6)";

const char sql_limit_clear[] =
    "UPDATE hookonce_handler SET failures = 0, open_until = NULL, " NO_PROBE ","
    " changed_at = UTC_TIMESTAMP(6) WHERE name = ? AND (open_until IS NOT NULL OR failures > 0)";

const char sql_limit_neither[] =
    "UPDATE hookonce_handler SET " NO_PROBE " WHERE name = ? AND " MY_PROBE;

const char sql_slot_lock[] = "SELECT slot, job_id, claim_no FROM hookonce_slot WHERE handler = ?"
                             " ORDER BY slot FOR UPDATE";

/* Not locked: who settles a job has its row, and wants the handler's. A claim that this read does
 * not see yet is a running one. */
const char sql_slot_live[] =
    "SELECT s.slot FROM hookonce_slot AS s JOIN hookonce_job AS j ON j.id = s.job_id"
    " WHERE s.handler = ? AND " LEASE_LASTS("s.held_from", "s.held_until")
    " AND (j.claim_no < s.claim_no OR (j.claim_no = s.claim_no AND j.state = 'running'))"
    " ORDER BY s.slot";

const char sql_slot_take[] =
    "INSERT INTO hookonce_slot (handler, slot, job_id, claim_no, held_until, held_from)"
    " VALUES (?, ?, ?, ?, " LATER ", UTC_TIMESTAMP(6))"
    " ON DUPLICATE KEY UPDATE job_id = VALUES(job_id), claim_no = VALUES(claim_no),"
    " held_until = VALUES(held_until), held_from = VALUES(held_from)";

const char sql_slot_leave[] =
    "UPDATE hookonce_slot SET job_id = NULL, claim_no = NULL, held_until = NULL,"
    " held_from = NULL"
    " WHERE handler = ? AND job_id = ? AND claim_no = ?";
