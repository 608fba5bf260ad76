/* What happens just now. Each query walks a piece of one index, however large the tables are. */
#include "store/sql_tail.h"

const char sql_tail_now[] =
    "SELECT UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) - INTERVAL 5 SECOND,"
    " TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)),"
    " (SELECT COALESCE(MAX(id), 0) FROM hookonce_job),"
    " (SELECT COALESCE(MAX(id), 0) FROM hookonce_conflict),"
    " (SELECT COALESCE(MAX(id), 0) FROM hookonce_command)";

#define RECEIVED                                                                                   \
    " r.recorded_at AS at, 'received' AS what, r.source, r.event_type, r.event_id, NULL AS job,"   \
    " NULL AS route, NULL AS outcome, NULL AS detail, r.correlation_id"

const char sql_tail_receipts[] =
    "SELECT r.correlation_id AS place, r.correlation_id AS ident," RECEIVED
    " FROM hookonce_receipt AS r FORCE INDEX (correlation) WHERE r.correlation_id >= ?"
    " ORDER BY r.correlation_id LIMIT ?";

/* What a spool brings bears an id of the time when it came: it is found by its job. */
const char sql_tail_imported[] =
    "SELECT j.id AS place, r.correlation_id AS ident," RECEIVED
    " FROM (SELECT id, correlation_id FROM hookonce_job WHERE id > ? ORDER BY id LIMIT ?) AS j"
    " JOIN hookonce_receipt AS r FORCE INDEX (correlation) ON r.correlation_id = j.correlation_id"
    " WHERE r.recorded_at > UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE ORDER BY j.id";

#define ENDED(of)                                                                                  \
    "SELECT j.run_at AS place, CONCAT(j.id, '.', j.claim_no, '.', j.reopened, '" of "') AS ident," \
    " j.run_at AS at, '" of "' AS what, r.source, r.event_type, r.event_id, j.id AS job, j.route," \
    " j.outcome, IF(j.state = 'dead', j.last_error, NULL) AS detail, j.correlation_id"             \
    " FROM (SELECT id, claim_no, reopened, run_at, route, state, outcome, last_error,"             \
    " correlation_id FROM hookonce_job FORCE INDEX (claim)"                                        \
    " WHERE state = '" of "' AND run_at >= ? ORDER BY run_at, id LIMIT ?) AS j"                    \
    " LEFT JOIN hookonce_receipt AS r FORCE INDEX (correlation)"                                   \
    " ON r.correlation_id = j.correlation_id ORDER BY j.run_at, j.id"

const char sql_tail_done[] = ENDED("done");
const char sql_tail_dead[] = ENDED("dead");

const char sql_tail_conflicts[] =
    "SELECT id AS place, CONCAT('conflict ', id) AS ident, first_seen_at AS at, 'conflict' AS what,"
    " source, event_type, event_id, NULL AS job, NULL AS route, kind AS outcome,"
    " CONCAT('refused: it contradicts event ', first_correlation_id) AS detail, correlation_id"
    " FROM hookonce_conflict WHERE id > ? ORDER BY id LIMIT ?";

const char sql_tail_commands[] =
    "SELECT id AS place, CONCAT('command ', id, state) AS ident,"
    " COALESCE(ended_at, started_at, created_at) AS at, 'command' AS what, source, event_type,"
    " event_id, job, route, state AS outcome, CONCAT(command, ' by ', COALESCE(asked_by, '?'),"
    " COALESCE(CONCAT(': ', answer), '')) AS detail, correlation_id"
    " FROM hookonce_command WHERE id > ? ORDER BY id LIMIT ?";
