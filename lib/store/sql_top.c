/* The queue just now: pieces of the claim index, none longer than its limit. */
#include "store/sql_top.h"

const char sql_top_rates[] =
    "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_receipt FORCE INDEX (correlation)"
    " WHERE correlation_id >= ? LIMIT ?) AS n),"
    " (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim) WHERE state = 'done'"
    " AND run_at >= UTC_TIMESTAMP(6) - INTERVAL ? SECOND LIMIT ?) AS n),"
    " (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim) WHERE state = 'dead'"
    " AND run_at >= UTC_TIMESTAMP(6) - INTERVAL ? SECOND LIMIT ?) AS n)";

#define OF(state)                                                                                  \
    "(SELECT id, claim_no, route, state, run_at FROM hookonce_job FORCE INDEX (claim)"             \
    " WHERE state = '" state "' ORDER BY run_at, id LIMIT ?)"

const char sql_top_routes[] =
    "SELECT j.route, SUM(j.state = 'ready' AND j.run_at <= UTC_TIMESTAMP(6)),"
    " SUM(j.state = 'ready' AND j.run_at > UTC_TIMESTAMP(6)), SUM(j.state = 'waiting'),"
    " SUM(j.state = 'running'), SUM(j.state = 'dead'),"
    " COALESCE(MAX(IF(j.state = 'ready' AND j.run_at <= UTC_TIMESTAMP(6),"
    " TIMESTAMPDIFF(SECOND, j.run_at, UTC_TIMESTAMP(6)), 0)), 0),"
    " SUM(j.state = 'done'),"
    " CAST(AVG(IF(j.state = 'done', TIMESTAMPDIFF(MICROSECOND, a.started_at, a.ended_at) DIV 1000,"
    " NULL)) AS SIGNED)"
    " FROM (" OF("ready") " UNION ALL " OF("running") " UNION ALL " OF("waiting") " UNION ALL "
    OF("dead") " UNION ALL (SELECT id, claim_no, route, state, run_at FROM hookonce_job"
    " FORCE INDEX (claim) WHERE state = 'done' AND run_at >= UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE"
    " ORDER BY run_at DESC, id DESC LIMIT ?)) AS j"
    " LEFT JOIN hookonce_attempt AS a ON j.state = 'done' AND a.job_id = j.id"
    " AND a.claim_no = j.claim_no"
    " GROUP BY j.route ORDER BY j.route";

/* A try that is begun has its row; of an SQL handler there is none before its end. */
const char sql_top_running[] =
    "SELECT j.id, j.route, r.provider, r.event_id,"
    " TIMESTAMPDIFF(SECOND, a.started_at, UTC_TIMESTAMP(6)),"
    " TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), j.run_at), j.worker"
    " FROM (SELECT id, claim_no, route, run_at, worker, correlation_id FROM hookonce_job"
    " FORCE INDEX (claim) WHERE state = 'running' ORDER BY run_at, id LIMIT ?) AS j"
    " LEFT JOIN hookonce_attempt AS a ON a.job_id = j.id AND a.claim_no = j.claim_no"
    " LEFT JOIN hookonce_receipt AS r FORCE INDEX (correlation)"
    " ON r.correlation_id = j.correlation_id ORDER BY a.started_at IS NULL, a.started_at, j.id";

#define PARKED(what)                                                                               \
    "(SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim)"                        \
    " WHERE state = 'waiting' AND run_at >= '9999-12-31' AND waiting_for = '" what "' LIMIT ?)"    \
    " AS n)"

const char sql_top_parked[] = "SELECT " PARKED("hold") ", " PARKED("pause");
