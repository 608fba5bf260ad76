#include "store/sql_command.h"

#define IDS "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)" /* SQL_CHUNK of them */
#define NOW "UTC_TIMESTAMP(6)"
#define LEASE NOW " + INTERVAL ? MICROSECOND"
/* One that lies further ahead than a lease is long is of a clock that was put back. */
#define OVER                                                                                       \
    "(lease_until IS NULL OR lease_until < " NOW " OR lease_until > " NOW                          \
    " + INTERVAL IF(asked_from = 'sql', 60, 3600) SECOND)"
#define MINE " WHERE id = ? AND claim_token = ? AND state = 'running'"

/* Who edits a row in a console keeps nobody from the others. */
const struct db_skip sql_command_new = {
    DB_SKIP("id", "hookonce_command", "state", "state = 'new'", "id")};

const struct db_skip sql_command_urgent = {
    DB_SKIP("id", "hookonce_command", "state",
            "state = 'new' AND command IN ('pause', 'resume', 'hold', 'release')", "id")};

const struct db_skip sql_command_over = {
    DB_SKIP("id", "hookonce_command", "state", "state = 'running' AND " OVER, "id")};

/* A form writes the default of asked_by as text, and may write what is not its own. */
const char sql_command_claim[] =
    "UPDATE hookonce_command FORCE INDEX (PRIMARY)"
    " SET claims = IF(claims < 200, claims + 1, claims), claim_token = ?, worker = ?,"
    " started_at = IF(state = 'new', " NOW ", COALESCE(started_at, " NOW ")),"
    " found = IF(state = 'new', 0, found), did = IF(state = 'new', 0, did),"
    " reached_at = IF(state = 'new', NULL, reached_at),"
    " reached_job = IF(state = 'new', NULL, reached_job),"
    " lease_until = " LEASE ", state = 'running',"
    " asked_by = IF(asked_by IN ('user()', 'USER()', 'current_user()', ''), NULL, asked_by)"
    " WHERE id = ? AND asked_from = 'sql' AND (state = 'new' OR (state = 'running' AND " OVER "))";

const char sql_command_stale[] =
    "UPDATE hookonce_command FORCE INDEX (PRIMARY)"
    " SET answer = IF(state = 'new', 'nothing was done: asked_from = shell is for the program"
    " itself; leave it out', CONCAT('the command in the shell ended, or was ended, before it was"
    " through; did says for how many something was done', COALESCE(CONCAT('. ', answer), ''))),"
    " ended_at = " NOW ", claim_token = NULL, lease_until = NULL,"
    " state = IF(state = 'new', 'refused', 'failed')"
    " WHERE id = ? AND asked_from <> 'sql' AND (state = 'new' OR (state = 'running' AND " OVER "))";

/* Of those before it, as far as they lie in reach of a look. */
const char sql_command_recent[] =
    "SELECT COUNT(*) FROM (SELECT command, state, started_at, dry_run FROM hookonce_command"
    " WHERE id < ? ORDER BY id DESC LIMIT 1000) AS earlier WHERE command = ? AND dry_run = 'no'"
    " AND state IN ('running', 'done', 'failed') AND started_at > " NOW " - INTERVAL ? SECOND";

const char sql_command_read[] =
    "SELECT command, job, conflict, NULLIF(event_id, ''), NULLIF(correlation_id, ''),"
    " NULLIF(provider, ''), NULLIF(source, ''), NULLIF(route, ''), NULLIF(handler, ''),"
    " NULLIF(event_type, ''), NULLIF(status, ''), NULLIF(outcome, ''), from_time, to_time,"
    " dry_run = 'yes', at_most, per_minute, again = 'yes', acted, NULLIF(TRIM(reason), ''),"
    " asked_by, asked_from, found, did, started_at,"
    " GREATEST(0, TIMESTAMPDIFF(MICROSECOND, started_at, " NOW ")), reached_at, reached_job, claims"
    " FROM hookonce_command" MINE;

const char sql_command_write[] =
    "INSERT INTO hookonce_command (command, job, conflict, event_id, correlation_id, provider,"
    " source, route, handler, event_type, status, outcome, from_time, to_time, dry_run, at_most,"
    " per_minute, again, acted, reason, asked_by, asked_from, state, claims, worker, claim_token,"
    " started_at, lease_until)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, IF(?, 'yes', 'no'), ?, ?,"
    " IF(?, 'yes', 'no'), ?, ?, ?, 'shell', 'running', 1, ?, ?, " NOW ", " LEASE ")";

const char sql_command_mine[] =
    "SELECT id, started_at FROM hookonce_command FORCE INDEX (state) WHERE state = 'running'"
    " AND claim_token = ? ORDER BY id DESC LIMIT 1";

const char sql_command_fence[] =
    "SELECT COALESCE(reached_job, 0) FROM hookonce_command FORCE INDEX (PRIMARY)" MINE
    " FOR UPDATE";

const char sql_command_progress[] =
    "UPDATE hookonce_command FORCE INDEX (PRIMARY) SET found = ?, did = ?, reached_at = ?,"
    " reached_job = ?, claims = 1, lease_until = " LEASE MINE;

const char sql_command_end[] =
    "UPDATE hookonce_command FORCE INDEX (PRIMARY) SET state = ?, answer = ?, found = ?, did = ?,"
    " correlation_id = COALESCE(NULLIF(correlation_id, ''), ?), ended_at = " NOW ","
    " claim_token = NULL, lease_until = NULL" MINE;

const char sql_command_give_back[] =
    "UPDATE hookonce_command FORCE INDEX (PRIMARY) SET lease_until = " NOW " - INTERVAL 1 SECOND,"
    " claims = claims - 1" MINE " AND claims > 0";

const char sql_command_mark[] =
    "UPDATE hookonce_job FORCE INDEX (PRIMARY) SET command_id = ? WHERE id = ?";

const char sql_command_clocks[] =
    "SELECT LEAST(COALESCE(MAX(ABS(clock_ahead_ms)), 0), 315360000000) FROM hookonce_host";

const char sql_command_jobs[] =
    "SELECT j.id, j.correlation_id, COALESCE(r.occurred_at, r.received_at, j.created_at) AS at,"
    " j.route, j.state, j.outcome, r.provider, r.event_id"
    " FROM hookonce_job AS j LEFT JOIN hookonce_receipt AS r ON r.correlation_id = j.correlation_id"
    " WHERE ";

const char sql_command_newest[] =
    " AND NOT EXISTS (SELECT 1 FROM hookonce_job AS k FORCE INDEX (once) WHERE"
    " k.correlation_id = j.correlation_id AND k.route = j.route AND k.replay_no > j.replay_no)";

#define OF_IDS "SELECT id FROM hookonce_job FORCE INDEX (PRIMARY) WHERE id IN " IDS

const struct db_skip sql_command_free = {
    .text = OF_IDS " FOR UPDATE SKIP LOCKED",
    .look = OF_IDS,
    .lock = "SELECT id FROM hookonce_job FORCE INDEX (PRIMARY) WHERE id = ? FOR UPDATE NOWAIT"};

const char sql_command_idle[] = "SELECT id FROM hookonce_job FORCE INDEX (PRIMARY)"
                                " WHERE state <> 'running' AND id IN " IDS;

const char sql_command_wait[] = "SELECT id FROM hookonce_job FORCE INDEX (PRIMARY) WHERE id IN " IDS
                                " FOR UPDATE";

const char sql_replay_look[] =
    "SELECT state, route, replay_no FROM hookonce_job FORCE INDEX (PRIMARY)"
    " WHERE id = ? FOR UPDATE";

const char sql_replay_newest[] = "SELECT MAX(replay_no) FROM hookonce_job FORCE INDEX (once)"
                                 " WHERE correlation_id = ? AND route = ?";

/* With what was tried before, so that fresh events have their turn between many of them. */
const char sql_replay_insert[] =
    "INSERT INTO hookonce_job (correlation_id, route, replay_no, class, state, run_at, created_at,"
    " command_id) VALUES (?, ?, ?, 1, 'ready', " NOW " + INTERVAL ? MICROSECOND, " NOW ", ?)";
