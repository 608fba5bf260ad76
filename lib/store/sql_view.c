/* Read queries. Correlation ids sort by time, so the newest receipts are the end of that index; an
 * open state is few rows of the claim index. No query reads a whole table. */
#include "store/sql_view.h"

#include "store/answers.h"

#define RECEIPT_COLUMNS                                                                            \
    "r.recorded_at, r.provider, r.source, r.event_id, r.event_type, r.status, r.outcome,"          \
    " r.duplicates, r.correlation_id"

/* ?: provider or NULL, the same again, source likewise, status likewise, limit */
const char SQL_VIEW_RECEIPTS[] =
    "SELECT " RECEIPT_COLUMNS " FROM hookonce_receipt r FORCE INDEX (correlation)"
    " WHERE (? IS NULL OR r.provider = ?) AND (? IS NULL OR r.source = ?)"
    " AND (? IS NULL OR r.status = ?)"
    " ORDER BY r.correlation_id DESC LIMIT ?";

/* ?: the one or two states of the jobs that make the status, provider or NULL, the same again, source
 * likewise, status, limit */
const char SQL_VIEW_RECEIPTS_OPEN[] =
    "SELECT DISTINCT " RECEIPT_COLUMNS " FROM hookonce_job j FORCE INDEX (claim)"
    " JOIN hookonce_receipt r FORCE INDEX (correlation) ON r.correlation_id = j.correlation_id"
    " WHERE j.state IN (?, ?) AND (? IS NULL OR r.provider = ?) AND (? IS NULL OR r.source = ?)"
    " AND r.status = ?"
    " ORDER BY r.correlation_id DESC LIMIT ?";

const char SQL_VIEW_BY_CID[] =
    "SELECT " RECEIPT_COLUMNS " FROM hookonce_receipt r WHERE r.correlation_id = ?";

/* An id without its provider: the few providers first, then the key. */
const char SQL_VIEW_BY_EVENT[] =
    "SELECT " RECEIPT_COLUMNS " FROM (SELECT DISTINCT provider FROM hookonce_receipt) p"
    " STRAIGHT_JOIN hookonce_receipt r ON r.provider = p.provider AND r.event_id = ?"
    " ORDER BY r.correlation_id DESC";

/* Jobs that are discarded, with the command that did it. */
#define DISCARDED(key)                                                                             \
    "hookonce_command AS c FORCE INDEX (" key ")"                                                  \
    " STRAIGHT_JOIN hookonce_job AS j FORCE INDEX (command)"                                       \
    " ON j.command_id = c.id AND j.outcome = 'discarded'"                                          \
    " WHERE c.command IN ('discard', 'forget')"

const char SQL_VIEW_DISCARDED[] =
    "SELECT d.run_at AS discarded_at, d.job, d.correlation_id, r.provider, r.event_id, r.event_type,"
    " d.route, d.acted, d.asked_by AS who, d.reason, (SELECT e.state FROM hookonce_effect e"
    " WHERE e.job_id = d.job ORDER BY e.state DESC LIMIT 1) AS business_key"
    " FROM (SELECT j.run_at, j.id AS job, j.correlation_id, j.route, c.acted, c.asked_by, c.reason"
    " FROM " DISCARDED("PRIMARY") " ORDER BY c.id DESC LIMIT ?) AS d"
    " LEFT JOIN hookonce_receipt r FORCE INDEX (correlation) ON r.correlation_id = d.correlation_id"
    " ORDER BY d.run_at DESC, d.job DESC";

const char SQL_VIEW_BREAKERS[] =
    "SELECT name, failures, GREATEST(0, TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), open_until))"
    " FROM hookonce_handler WHERE open_until IS NOT NULL ORDER BY name";

#define FIRST_OF(state)                                                                            \
    "(SELECT route, outcome FROM hookonce_job FORCE INDEX (claim) WHERE state = '" state "'"       \
    " ORDER BY run_at, id LIMIT ?) AS j"

const char SQL_VIEW_FAILING[] =
    "SELECT DISTINCT route, 0 FROM " FIRST_OF("ready") " WHERE outcome = 'failed'"
    " UNION ALL SELECT DISTINCT route, 1 FROM " FIRST_OF("dead") " WHERE outcome = 'bad handler'";

/* ?: how many jobs are looked at, the newest first */
const char SQL_VIEW_UNANSWERED[] =
    "SELECT COALESCE(r.source, ''), COUNT(*),"
    " GREATEST(0, TIMESTAMPDIFF(SECOND, MAX(j.run_at), UTC_TIMESTAMP(6)))"
    " FROM (SELECT correlation_id, run_at FROM hookonce_job FORCE INDEX (claim)"
    " WHERE state = 'dead' AND run_at >= UTC_TIMESTAMP(6) - INTERVAL 1 DAY"
    " AND route = '" REPLY_ROUTE "' AND outcome <> 'deferred'"
    " ORDER BY run_at DESC, id DESC LIMIT ?) AS j"
    " LEFT JOIN hookonce_receipt r FORCE INDEX (correlation)"
    " ON r.correlation_id = j.correlation_id GROUP BY r.source ORDER BY r.source";

#define UP_TO(what) "(SELECT COUNT(*) FROM (SELECT 1 FROM " what " LIMIT 1001) AS n)"
#define JOBS(where) UP_TO("hookonce_job FORCE INDEX (claim) WHERE " where)

const char SQL_VIEW_QUEUE[] =
    "SELECT " JOBS("state = 'ready' AND run_at <= UTC_TIMESTAMP(6)") ", "
    JOBS("state = 'ready' AND run_at > UTC_TIMESTAMP(6)") ", "
    JOBS("state = 'running'") ", "
    JOBS("state = 'running' AND run_at <= UTC_TIMESTAMP(6)") ", "
    JOBS("state = 'dead' AND route <> '" REPLY_ROUTE "'") ", "
    UP_TO("hookonce_conflict WHERE released_at IS NULL") ", "
    JOBS("state = 'waiting'") ", "
    UP_TO(DISCARDED("created") " AND c.created_at > UTC_TIMESTAMP(6) - INTERVAL 1 DAY") ", "
    "(SELECT COUNT(DISTINCT e.job_id) FROM (SELECT j.id FROM " DISCARDED("PRIMARY")
    " ORDER BY c.id DESC LIMIT 400) AS d JOIN hookonce_effect e FORCE INDEX (owner)"
    " ON e.job_id = d.id WHERE e.state = 'unknown'),"
    " COALESCE((SELECT GREATEST(0, TIMESTAMPDIFF(SECOND, MIN(run_at), UTC_TIMESTAMP(6)))"
    " FROM hookonce_job WHERE state = 'ready'), 0),"
    " COALESCE((SELECT TIMESTAMPDIFF(SECOND, MAX(seen_at), UTC_TIMESTAMP(6))"
    " FROM hookonce_worker), -1),"
    " EXISTS(SELECT 1 FROM hookonce_attempt)";

/* GROUP BY leaps from one flow to the next in the primary key. */
const char SQL_VIEW_FLOWS[] =
    "SELECT flow FROM (SELECT flow FROM hookonce_effect GROUP BY flow"
    " UNION SELECT flow FROM hookonce_object GROUP BY flow) AS f ORDER BY flow LIMIT ?";

/* ?: the flow, twice */
const char SQL_VIEW_FLOW[] = "SELECT " UP_TO("hookonce_effect WHERE flow = ?") ", "
    UP_TO("hookonce_object WHERE flow = ?");

const char SQL_VIEW_WITHOUT_KEY[] =
    "SELECT " JOBS("state = 'ready' AND waiting_for = 'body key'");

/* The oldest and the newest of a table, each once. */
#define ENDS(columns, table, by, newest)                                                           \
    "SELECT body_key FROM ((SELECT " columns " FROM " table " ORDER BY " by " LIMIT ?) UNION"      \
    " (SELECT " columns " FROM " table " ORDER BY " newest " LIMIT ?)) AS "

const char SQL_VIEW_BODY_KEYS[] =
    "SELECT body_key, COUNT(*) FROM ("
    ENDS("body_key, correlation_id, part", "hookonce_body", "correlation_id, part",
         "correlation_id DESC, part DESC") "b UNION ALL "
    ENDS("body_key, id", "hookonce_conflict", "id", "id DESC") "c UNION ALL "
    ENDS("body_key, correlation_id", "hookonce_answer", "correlation_id", "correlation_id DESC")
    "a) AS kept GROUP BY body_key";

const char SQL_VIEW_CONFLICT_BODY[] =
    "SELECT correlation_id, body, body_key FROM hookonce_conflict WHERE id = ?";

const char SQL_VIEW_NOW[] = "SELECT UTC_TIMESTAMP(6)";

#define WAITING                                                                                    \
    "hookonce_job FORCE INDEX (claim) WHERE state = 'ready' AND run_at > UTC_TIMESTAMP(6)"         \
    " AND outcome = 'failed' AND waiting_for IS NULL"
#define DEAD_SINCE "hookonce_job FORCE INDEX (claim) WHERE state = 'dead' AND run_at >= ?"

/* ?: the moment, three times */
const char SQL_VIEW_SINCE[] =
    "SELECT " JOBS("state = 'done' AND run_at >= ?") ", " UP_TO(DEAD_SINCE) ", "
    UP_TO(WAITING) ", "
    JOBS("state = 'ready' AND run_at > UTC_TIMESTAMP(6) AND waiting_for IS NOT NULL") " + "
    JOBS("state = 'waiting'") ", "
    "(SELECT run_at FROM " WAITING " ORDER BY run_at, id LIMIT 1), "
    "COALESCE((SELECT last_error FROM " DEAD_SINCE " ORDER BY run_at DESC, id DESC LIMIT 1),"
    " (SELECT last_error FROM " WAITING " ORDER BY run_at, id LIMIT 1))";
