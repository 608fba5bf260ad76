/* The SQL of sources in reply mode. Their jobs have a route of their own, which no config can name,
 * and are never ready: the receiver claims them itself. */
#include "store/sql_answers.h"

#include "store/answers.h"

#define OF_RECEIPT " WHERE j.correlation_id = ? AND j.route = '" REPLY_ROUTE "' AND j.replay_no = 0"

/* Discarded, and nobody said that it has acted all the same (done_by: then itself). */
#define ASKS_AGAIN "COALESCE(j.outcome, '') = 'discarded' AND j.done_by IS NULL"

const char sql_reply_job[] =
    "INSERT INTO hookonce_job (correlation_id, route, state, run_at, created_at, claim_no,"
    " claim_token, worker)"
    " VALUES (?, '" REPLY_ROUTE "', 'running', UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND,"
    " UTC_TIMESTAMP(6), 1, ?, ?)";

const char sql_reply_look[] =
    "SELECT j.id, IF(" ASKS_AGAIN ", 'dead', j.state),"
    " TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), j.run_at),"
    " a.status, a.content_type, a.body, a.mac, a.body_key"
    " FROM hookonce_job AS j FORCE INDEX (once)"
    " LEFT JOIN hookonce_answer AS a ON a.correlation_id = j.correlation_id" OF_RECEIPT;

const char sql_reply_let_go[] =
    "UPDATE hookonce_job AS j FORCE INDEX (once) SET j.run_at = UTC_TIMESTAMP(6)" OF_RECEIPT
    " AND j.state = 'running' AND j.claim_token = ?";

const char sql_reply_held[] =
    "SELECT j.id, j.claim_no, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), j.run_at),"
    " UTC_TIMESTAMP(6), j.first_try_at IS NOT NULL"
    " FROM hookonce_job AS j FORCE INDEX (once)" OF_RECEIPT
    " AND j.state = 'running' AND j.claim_token = ?";

const char sql_reply_lock[] =
    "SELECT j.claim_no, j.tries, COALESCE(j.worker, ''), j.state = 'running',"
    " j.state = 'running' AND j.run_at > UTC_TIMESTAMP(6)"
    " OR (j.state = 'done' AND NOT (" ASKS_AGAIN ")),"
    " UTC_TIMESTAMP(6), j.claim_token"
    " FROM hookonce_job AS j FORCE INDEX (PRIMARY)"
    " WHERE j.id = ? AND j.correlation_id = ? AND j.route = '" REPLY_ROUTE "' FOR UPDATE";

const char sql_reply_claim[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY)"
    " SET state = 'running', run_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND,"
    " claim_no = claim_no + 1, claim_token = ?, worker = ?, outcome = NULL"
    " WHERE id = ? AND claim_no = ?";

/* Two statements, since one that does both (ON DUPLICATE KEY UPDATE) needs more rights than the
 * receivers' account is to have. */
const char sql_reply_ended[] =
    "UPDATE hookonce_attempt SET ended_at = UTC_TIMESTAMP(6), outcome = ?"
    " WHERE job_id = ? AND claim_no = ?";

const char sql_reply_lost[] =
    "INSERT INTO hookonce_attempt (job_id, claim_no, correlation_id, try_no, worker, started_at,"
    " ended_at, outcome) VALUES (?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(6), ?)";

const char sql_answer_put[] =
    "INSERT INTO hookonce_answer (correlation_id, status, content_type, body, mac, body_key,"
    " answered_at) VALUES (?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(6))"
    " ON DUPLICATE KEY UPDATE status = VALUES(status), content_type = VALUES(content_type),"
    " body = VALUES(body), mac = VALUES(mac), body_key = VALUES(body_key), answered_at = VALUES(answered_at)";
