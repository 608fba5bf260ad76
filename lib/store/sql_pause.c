/* The SQL of pauses, held jobs and released conflicts. Jobs are changed through the primary key, as
 * everywhere; see sql_jobs.c. */
#include "store/sql_pause.h"

#define IDS "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)" /* SQL_CHUNK of them */

/* Never by itself. */
#define NEVER "TIMESTAMP'9999-12-31 00:00:00'"

/* In this order: each assignment sees those before it. */
#define NOTE_WAIT(what)                                                                            \
    " waiting_for = '" what "',"                                                                   \
    " waited_for = IF(FIND_IN_SET(waiting_for, COALESCE(waited_for, '')) > 0,"                     \
    " waited_for, CONCAT_WS(',', waited_for, waiting_for)),"                                       \
    " waits = LEAST(waits, 4294967294) + 1, state = 'waiting', run_at = " NEVER

/* The clock of its waits goes on where it stood. */
#define GO_ON                                                                                      \
    " state = 'ready', run_at = UTC_TIMESTAMP(6), waits_since = waits_since"                       \
    " + INTERVAL TIMESTAMPDIFF(MICROSECOND, held_at, UTC_TIMESTAMP(6)) MICROSECOND,"               \
    " held_at = NULL, lane = NULL"

const char sql_pauses[] = "SELECT kind, name FROM hookonce_pause ORDER BY kind, name LIMIT ?";

const char sql_pause_there[] = "SELECT kind, name FROM hookonce_pause"
                               " WHERE kind = ? AND name = ?";

const char sql_pause_set[] =
    "INSERT INTO hookonce_pause (kind, name, who, reason, paused_at)"
    " VALUES (?, ?, ?, ?, UTC_TIMESTAMP()) ON DUPLICATE KEY UPDATE name = VALUES(name)";

const char sql_pause_end[] = "DELETE FROM hookonce_pause WHERE kind = ? AND name = ?";

const char sql_pause_count[] =
    "SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (lane)"
    " WHERE lane = ? AND state = 'waiting' LIMIT ?) AS n";

const char sql_pause_lane[] = "SELECT lane FROM hookonce_job FORCE INDEX (lane)"
                              " WHERE lane > ? AND lane < ? AND state = 'waiting'"
                              " ORDER BY lane LIMIT 1";

const struct db_skip sql_pause_next = {
    DB_SKIP("id", "hookonce_job", "lane", "lane = ? AND state = 'waiting'", "id"), .n_where = 1};

const char sql_pause_wake[] = "UPDATE hookonce_job FORCE INDEX (PRIMARY) SET" GO_ON
                              " WHERE lane = ? AND state = 'waiting' AND id IN " IDS;

const struct db_skip sql_pause_due = {
    DB_SKIP("id, lane", "hookonce_job", "claim",
            "state = 'ready' AND run_at <= UTC_TIMESTAMP(6)", "run_at, id")};

const char sql_pause_park[] = "UPDATE hookonce_job FORCE INDEX (PRIMARY) SET" NOTE_WAIT("pause")
                              ", held_at = UTC_TIMESTAMP(6), lane = ?"
                              " WHERE state = 'ready' AND id IN " IDS;

const char sql_hold_look[] = "SELECT state, IF(held_at IS NULL, NULL, waiting_for), lane"
                             " FROM hookonce_job FORCE INDEX (PRIMARY) WHERE id = ? FOR UPDATE";

const char sql_hold_set[] = "UPDATE hookonce_job FORCE INDEX (PRIMARY) SET" NOTE_WAIT("hold")
                            ", held_at = COALESCE(held_at, UTC_TIMESTAMP(6)), lane = NULL"
                            " WHERE id = ? AND state IN ('ready', 'waiting')";

const char sql_hold_release[] = "UPDATE hookonce_job FORCE INDEX (PRIMARY) SET" GO_ON
                                " WHERE id = ? AND state = 'waiting' AND waiting_for = 'hold'";

#define US(column) "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', " column ")"

#define READ_CONFLICT                                                                              \
    "SELECT kind, provider, event_id, source, event_type, object_key, correlation_id, same_digest,"\
    " document, secret_no, " US("occurred_at") ", " US("first_seen_at") ", headers, body,"         \
    " body_len, body_key, mac, released_at FROM hookonce_conflict WHERE id = ?"

const char sql_conflict_read[] = READ_CONFLICT " FOR UPDATE";
const char sql_conflict_look[] = READ_CONFLICT;

const char sql_conflict_released[] =
    "UPDATE hookonce_conflict SET released_at = UTC_TIMESTAMP(6) WHERE id = ?";
