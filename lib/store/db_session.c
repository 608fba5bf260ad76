/* Settings of a session. The server's defaults differ from host to host; ours are stated. */
#include "store/db_session.h"

#include <stdio.h>

const struct db_role_row *db_role_row(enum db_role role)
{
    static const struct db_role_row rows[] = {
        [DB_RECEIVER] = {2000, 2000, 1, 3, 10, false},
        [DB_PROCESSOR] = {10000, 30000, 3, 5, 20, true},
        [DB_OPERATOR] = {10000, 60000, 3, 5, 20, false},
    };

    return &rows[role];
}

/* READ COMMITTED, since under REPEATABLE READ one open claim blocks every enqueue; but with
 * STATEMENT binlogs READ COMMITTED can't write at all (1665), so there the server's level stays.
 * The variable of the level has another name on MySQL 8. */
void db_session_text(enum db_role role, bool mariadb, char out[DB_SESSION_TEXT])
{
    const struct db_role_row *row = db_role_row(role);
    const char *level = mariadb ? "tx_isolation" : "transaction_isolation";
    const char *track = row->track ? ", session_track_transaction_info = 'STATE'" : "";
    char idle[64] = "";

    if (mariadb) {
        (void)snprintf(idle, sizeof idle, ", idle_write_transaction_timeout = %u", row->idle_s);
    }
    int n = snprintf(out, DB_SESSION_TEXT,
                     "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION',"
                     " time_zone = '+00:00', innodb_lock_wait_timeout = %u, lock_wait_timeout = %u,"
                     " autocommit = 1, %s = IF(@@log_bin AND @@binlog_format = 'STATEMENT',"
                     " @@%s, 'READ-COMMITTED')%s%s",
                     row->lock_s, row->table_s, level, level, track, idle);
    if (n < 0 || n >= DB_SESSION_TEXT) {
        ho_die("the session's settings do not fit");
    }
}
