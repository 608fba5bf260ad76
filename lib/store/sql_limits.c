/* The SQL of handlers' limits. Times are the database's own, UTC. */
#include "store/sql_limits.h"

#define LOOK \
    "SELECT failures, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), open_until)," \
    " TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), probe_until)," \
    " TIMESTAMPDIFF(MICROSECOND, rate_from, UTC_TIMESTAMP(6)), rate_count" \
    " FROM hookonce_handler WHERE name = ?"
#define LATER "UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND"

const char sql_limit_look[] = LOOK;
const char sql_limit_lock[] = LOOK " FOR UPDATE";

const char sql_limit_make[] =
    "INSERT INTO hookonce_handler (name, changed_at) VALUES (?, UTC_TIMESTAMP(6))"
    " ON DUPLICATE KEY UPDATE name = VALUES(name)";

const char sql_limit_probe[] = "UPDATE hookonce_handler SET probe_until = " LATER ","
                               " changed_at = UTC_TIMESTAMP(6) WHERE name = ?";

const char sql_limit_window[] =
    "UPDATE hookonce_handler SET rate_from = UTC_TIMESTAMP(6), rate_count = 1,"
    " changed_at = UTC_TIMESTAMP(6) WHERE name = ?";

const char sql_limit_count[] = "UPDATE hookonce_handler SET rate_count = rate_count + 1,"
                               " changed_at = UTC_TIMESTAMP(6) WHERE name = ?";

const char sql_limit_well[] =
    "UPDATE hookonce_handler SET failures = 0, open_until = NULL, probe_until = NULL,"
    " changed_at = UTC_TIMESTAMP(6) WHERE name = ?"
    " AND (failures > 0 OR open_until IS NOT NULL OR probe_until IS NOT NULL)";

/* failures comes last, so that the conditions see it as it was. What ends late, while nothing is
 * tried any more, does not make that last longer. */
const char sql_limit_failed[] =
    "INSERT INTO hookonce_handler (name, failures, open_until, changed_at)"
    " VALUES (?, 1, IF(? <= 1, " LATER ", NULL), UTC_TIMESTAMP(6))"
    " ON DUPLICATE KEY UPDATE"
    " open_until = IF(failures + 1 >= ? AND COALESCE(open_until <= UTC_TIMESTAMP(6), TRUE), " LATER
    ", open_until), probe_until = NULL, changed_at = UTC_TIMESTAMP(6),"
    " failures = LEAST(failures + 1, 4294967294)";

const char sql_limit_neither[] = "UPDATE hookonce_handler SET probe_until = NULL"
                                 " WHERE name = ? AND probe_until IS NOT NULL";

const char sql_slot_lock[] = "SELECT slot, job_id, claim_no FROM hookonce_slot WHERE handler = ?"
                             " ORDER BY slot FOR UPDATE";

/* Not locked: who settles a job has its row, and wants the handler's. A claim that this read does
 * not see yet is a running one. */
const char sql_slot_live[] =
    "SELECT s.slot FROM hookonce_slot AS s JOIN hookonce_job AS j ON j.id = s.job_id"
    " WHERE s.handler = ? AND s.held_until > UTC_TIMESTAMP(6)"
    " AND (j.claim_no < s.claim_no OR (j.claim_no = s.claim_no AND j.state = 'running'))"
    " ORDER BY s.slot";

const char sql_slot_take[] =
    "INSERT INTO hookonce_slot (handler, slot, job_id, claim_no, held_until)"
    " VALUES (?, ?, ?, ?, " LATER ")"
    " ON DUPLICATE KEY UPDATE job_id = VALUES(job_id), claim_no = VALUES(claim_no),"
    " held_until = VALUES(held_until)";

const char sql_slot_leave[] =
    "UPDATE hookonce_slot SET job_id = NULL, claim_no = NULL, held_until = NULL"
    " WHERE handler = ? AND job_id = ? AND claim_no = ?";
