/* The health check's SQL: what every account may read. */
#include "store/sql_health.h"

const char SQL_HEALTH_VARIABLES[] =
    "SHOW VARIABLES WHERE Variable_name IN ('version', 'innodb_flush_log_at_trx_commit',"
    " 'log_bin', 'sync_binlog', 'binlog_format', 'sql_mode', 'time_zone', 'tx_isolation',"
    " 'transaction_isolation', 'max_allowed_packet', 'max_user_connections', 'max_connections',"
    " 'wait_timeout', 'read_only', 'innodb_read_only', 'wsrep_on')";

const char SQL_HEALTH_GRANTS[] = "SHOW GRANTS";

const char SQL_HEALTH_CLOCK[] =
    "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

const char SQL_HEALTH_CLUSTER[] =
    "SHOW STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_cluster_status')";

/* When a processor last reported, on any host. */
const char SQL_HEALTH_REPORTS[] =
    "SELECT COALESCE(TIMESTAMPDIFF(SECOND, MAX(seen_at), UTC_TIMESTAMP(6)), -1)"
    " FROM (SELECT seen_at FROM hookonce_worker UNION ALL SELECT seen_at FROM hookonce_host) AS s";

/* By a socket the host of a link has no port. */
const char SQL_HEALTH_LINK[] =
    "SELECT @@wait_timeout, @@default_storage_engine, (SELECT host"
    " FROM information_schema.processlist WHERE id = CONNECTION_ID())";

const char SQL_HEALTH_CIPHER[] = "SHOW STATUS WHERE Variable_name = 'Ssl_cipher'";

/* The columns are named, since MySQL gives those of information_schema in capitals. */
const char SQL_HEALTH_TABLES[] =
    "SELECT table_name, engine, row_format FROM information_schema.tables"
    " WHERE table_schema = DATABASE() AND LEFT(table_name, CHAR_LENGTH('hookonce_')) = 'hookonce_'";

const char SQL_HEALTH_COLUMNS[] =
    "SELECT table_name, column_name, column_type, COALESCE(collation_name, '')"
    " FROM information_schema.columns"
    " WHERE table_schema = DATABASE() AND LEFT(table_name, CHAR_LENGTH('hookonce_')) = 'hookonce_'";

const char SQL_HEALTH_KEYS[] =
    "SELECT table_name, index_name, MAX(non_unique),"
    " GROUP_CONCAT(CONCAT(column_name, IF(sub_part IS NULL, '', CONCAT('(', sub_part, ')')))"
    " ORDER BY seq_in_index SEPARATOR ',')"
    " FROM information_schema.statistics"
    " WHERE table_schema = DATABASE() AND LEFT(table_name, CHAR_LENGTH('hookonce_')) = 'hookonce_'"
    " GROUP BY table_name, index_name";

const char SQL_HEALTH_FOREIGN[] =
    "SELECT table_name, engine FROM information_schema.tables"
    " WHERE table_schema = DATABASE() AND NOT LEFT(table_name, CHAR_LENGTH('hookonce_')) = 'hookonce_'"
    " AND table_type = 'BASE TABLE' AND engine <> 'InnoDB' ORDER BY table_name LIMIT 6";

const char SQL_HEALTH_TRIAL_LEFT[] =
    "SELECT COUNT(*) FROM hookonce_guard WHERE provider = ? AND token = ?";

const char SQL_HEALTH_TRIAL_CLEAN[] = "DELETE FROM hookonce_guard WHERE provider = ?";

/* What the account of receivers may reach besides our tables: only what it has a right on is
 * shown. */
const char SQL_HEALTH_REACH[] =
    "SELECT (SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
    " AND NOT LEFT(table_name, CHAR_LENGTH('hookonce_')) = 'hookonce_'),"
    " (SELECT COUNT(*) FROM information_schema.schema_privileges"
    " WHERE privilege_type IN ('CREATE', 'ALTER', 'DROP', 'INDEX', 'TRIGGER'))"
    " + (SELECT COUNT(*) FROM information_schema.table_privileges"
    " WHERE privilege_type IN ('CREATE', 'ALTER', 'DROP', 'INDEX', 'TRIGGER')),"
    " (SELECT COUNT(*) FROM information_schema.user_privileges WHERE privilege_type <> 'USAGE')";

#define REMOVE(table) {"delete from " #table, "DELETE FROM " #table " WHERE FALSE", false}

/* What a receiver never does; prepared, and not run. */
const struct health_beyond health_beyond[] = {
    {"read bodies", "SELECT bytes FROM hookonce_body WHERE FALSE", false},
    {"read answers", "SELECT body FROM hookonce_answer WHERE FALSE", true},
    {"change receipts", "UPDATE hookonce_receipt SET mac = NULL WHERE FALSE", false},
    {"change bodies", "UPDATE hookonce_body SET bytes = NULL WHERE FALSE", false},
    {"change jobs", "UPDATE hookonce_job SET state = NULL WHERE FALSE", true},
    {"change jobs' routes", "UPDATE hookonce_job SET route = NULL WHERE FALSE", false},
    {"change tries", "UPDATE hookonce_attempt SET error = NULL WHERE FALSE", false},
    {"change conflicts", "UPDATE hookonce_conflict SET body = NULL WHERE FALSE", false},
    {"change answers", "UPDATE hookonce_answer SET body = NULL WHERE FALSE", false},
    {"change guards", "UPDATE hookonce_guard SET event_id = NULL WHERE FALSE", false},
    {"change effects", "UPDATE hookonce_effect SET state = NULL WHERE FALSE", false},
    {"add effects", "INSERT INTO hookonce_effect (flow) SELECT 1 FROM DUAL WHERE FALSE", false},
    {"change objects", "UPDATE hookonce_object SET mark = NULL WHERE FALSE", false},
    {"change handlers", "UPDATE hookonce_handler SET failures = NULL WHERE FALSE", false},
    {"change the version", "UPDATE hookonce_schema SET version = NULL WHERE FALSE", false},
    REMOVE(hookonce_receipt),
    REMOVE(hookonce_guard),
    REMOVE(hookonce_body),
    REMOVE(hookonce_job),
    REMOVE(hookonce_conflict),
    REMOVE(hookonce_attempt),
    REMOVE(hookonce_answer),
    REMOVE(hookonce_effect),
    REMOVE(hookonce_object),
    {"give commands", "INSERT INTO hookonce_command (command, job) SELECT 'retry', 1 FROM DUAL WHERE FALSE",
     false},
    REMOVE(hookonce_command),
};
const size_t health_beyond_n = sizeof health_beyond / sizeof health_beyond[0];

const char SQL_HEALTH_WRITABLE[] = "UPDATE hookonce_receipt SET status = status WHERE FALSE";
