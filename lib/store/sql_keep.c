/* The SQL of what is kept. */
#include "store/sql_keep.h"

const struct sealed_table sealed_tables[] = {
    {"body headers", "body bytes",
     "SELECT correlation_id, part, body_key FROM hookonce_body"
     " WHERE correlation_id >= ? AND (correlation_id > ? OR part > ?)"
     " ORDER BY correlation_id, part LIMIT ?",
     "SELECT correlation_id, headers, bytes, body_key FROM hookonce_body"
     " WHERE correlation_id = ? AND part = ? FOR UPDATE",
     "UPDATE hookonce_body SET headers = ?, bytes = ?, body_key = ?"
     " WHERE correlation_id = ? AND part = ?"},
    {"conflict headers", "conflict body",
     "SELECT '-', id, body_key FROM hookonce_conflict WHERE ? = ? AND id > ? ORDER BY id LIMIT ?",
     "SELECT correlation_id, headers, body, body_key FROM hookonce_conflict"
     " WHERE ? <> '' AND id = ? FOR UPDATE",
     "UPDATE hookonce_conflict SET headers = ?, body = ?, body_key = ? WHERE ? <> '' AND id = ?"},
    {"", "answer body",
     "SELECT correlation_id, 0, body_key FROM hookonce_answer"
     " WHERE correlation_id > ? AND correlation_id > ? AND ? >= 0 ORDER BY correlation_id LIMIT ?",
     "SELECT correlation_id, NULL, body, body_key FROM hookonce_answer"
     " WHERE correlation_id = ? AND ? = 0 FOR UPDATE",
     "UPDATE hookonce_answer SET status = IF(? IS NULL, status, status), body = ?, body_key = ?"
     " WHERE correlation_id = ? AND ? = 0"},
};
const size_t sealed_tables_n = sizeof sealed_tables / sizeof sealed_tables[0];

/* ---- pruned ----
 * Correlation ids sort by time, so old receipts are the beginning of that index. A receipt with a
 * conflict is left: the conflict is for a person, who deletes or releases its row. A row that was
 * released goes with the event that it has become. */

#define IDS "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)" /* KEEP_CHUNK of them */
#define OLD(r) r ".recorded_at < UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND"
#define IN_CONFLICT(r)                                                                            \
    "EXISTS (SELECT 1 FROM hookonce_conflict AS c WHERE c.first_correlation_id = " r               \
    ".correlation_id AND c.released_at IS NULL)"
#define IN_DOUBT(r)                                                                               \
    "EXISTS (SELECT 1 FROM hookonce_job AS j JOIN hookonce_effect AS e ON e.job_id = j.id"         \
    " WHERE j.correlation_id = " r ".correlation_id AND e.state <> 'done')"

const char sql_prune_receipts[] =
    "SELECT r.correlation_id, COALESCE(r.body_id, r.correlation_id)"
    " FROM hookonce_receipt AS r FORCE INDEX (correlation)"
    " WHERE r.correlation_id > ? AND r.correlation_id < ? AND r.status = 'processed' AND " OLD("r")
    " AND NOT " IN_CONFLICT("r") " ORDER BY r.correlation_id LIMIT ?";

const char sql_prune_bodies[] =
    "SELECT b.correlation_id, b.correlation_id FROM hookonce_body AS b"
    " STRAIGHT_JOIN hookonce_receipt AS r FORCE INDEX (correlation)"
    " ON r.correlation_id = b.correlation_id"
    " WHERE b.correlation_id > ? AND b.correlation_id < ? AND b.part = 0"
    " AND r.status = 'processed' AND " OLD("r") " AND NOT " IN_CONFLICT("r")
    " ORDER BY b.correlation_id LIMIT ?";

/* The events of one request have ids of one millisecond. */
const char sql_prune_against[] =
    "SELECT 1 FROM hookonce_receipt AS r FORCE INDEX (correlation)"
    " WHERE r.correlation_id BETWEEN ? AND ? AND (r.correlation_id = ? OR r.body_id = ?)"
    " AND (r.status <> 'processed' OR NOT " OLD("r") " OR " IN_CONFLICT("r") " OR " IN_DOUBT("r")
    ") LIMIT 1";

const char sql_prune_lock[] =
    "SELECT correlation_id FROM hookonce_receipt FORCE INDEX (correlation)"
    " WHERE correlation_id BETWEEN ? AND ? AND (correlation_id = ? OR body_id = ?) FOR UPDATE";

#define DELETE_OF(table) "DELETE FROM " table " WHERE correlation_id IN " IDS

static const char attempts[] = "DELETE a FROM hookonce_job AS j FORCE INDEX (once)"
                               " JOIN hookonce_attempt AS a ON a.job_id = j.id"
                               " WHERE j.correlation_id IN " IDS;
static const char body[] = DELETE_OF("hookonce_body");
static const char answer[] = DELETE_OF("hookonce_answer");
static const char job[] = DELETE_OF("hookonce_job");
static const char command[] =
    DELETE_OF("hookonce_command") " AND state NOT IN ('new', 'running')";
static const char guard[] = DELETE_OF("hookonce_guard");
static const char conflict[] = DELETE_OF("hookonce_conflict") " AND released_at IS NOT NULL";
static const char conflict_body[] =
    "UPDATE hookonce_conflict SET headers = '', body = '', body_key = NULL"
    " WHERE correlation_id IN " IDS " AND released_at IS NOT NULL";
static const char receipt[] = DELETE_OF("hookonce_receipt");

const char *const sql_prune_whole[] = {attempts, job,   command,  answer,
                                       body,     guard, conflict, receipt};
const size_t sql_prune_whole_n = sizeof sql_prune_whole / sizeof sql_prune_whole[0];
const char *const sql_prune_content[] = {answer, body, conflict_body};
const size_t sql_prune_content_n = sizeof sql_prune_content / sizeof sql_prune_content[0];

/* ---- forgotten ---- */

const char sql_forget_list[] =
    "SELECT correlation_id, COALESCE(body_id, correlation_id)"
    " FROM hookonce_receipt FORCE INDEX (correlation)"
    " WHERE correlation_id > ? AND (? IS NULL OR source = ?) ORDER BY correlation_id LIMIT ?";

const char sql_forget_request[] =
    "SELECT correlation_id, status FROM hookonce_receipt FORCE INDEX (correlation)"
    " WHERE correlation_id BETWEEN ? AND ? AND (correlation_id = ? OR body_id = ?) FOR UPDATE";

const char sql_forget_body[] =
    "SELECT COALESCE(body_id, correlation_id) FROM hookonce_receipt FORCE INDEX (correlation)"
    " WHERE correlation_id = ?";

const char sql_forget_jobs[] = "SELECT id, state FROM hookonce_job FORCE INDEX (once)"
                               " WHERE correlation_id = ? ORDER BY id FOR UPDATE";

/* The receipt stays, and with it what makes a repeat a duplicate. */
const char *const sql_forget[] = {
    "DELETE FROM hookonce_body WHERE correlation_id = ?",
    "DELETE FROM hookonce_answer WHERE correlation_id = ?",
    "UPDATE hookonce_job SET last_error = NULL WHERE correlation_id = ?",
    "UPDATE hookonce_job AS j JOIN hookonce_attempt AS a ON a.job_id = j.id SET a.error = NULL"
    " WHERE j.correlation_id = ?",
    "UPDATE hookonce_command SET reason = IF(reason IS NULL, NULL, 'forgotten'),"
    " answer = IF(answer IS NULL, NULL, 'forgotten') WHERE correlation_id = ?",
};
const size_t sql_forget_n = sizeof sql_forget / sizeof sql_forget[0];

/* Deliveries that contradict the event, and the row that it was before a person released it. */
#define EMPTY_CONFLICT "UPDATE hookonce_conflict SET headers = '', body = '', body_key = NULL"

const char *const sql_forget_own[] = {
    EMPTY_CONFLICT " WHERE first_correlation_id = ? AND (headers <> '' OR body <> '')",
    EMPTY_CONFLICT " WHERE correlation_id = ? AND (headers <> '' OR body <> '')",
};
const size_t sql_forget_own_n = sizeof sql_forget_own / sizeof sql_forget_own[0];

const char sql_forget_conflicts[] =
    "SELECT id, correlation_id, body, body_key, source, provider, first_correlation_id, body_len"
    " FROM hookonce_conflict WHERE id > ? AND body <> '' ORDER BY id LIMIT ?";

const char sql_forget_conflict[] = EMPTY_CONFLICT " WHERE id = ?";
