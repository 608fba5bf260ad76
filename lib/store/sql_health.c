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

/* The columns are named, since MySQL gives those of information_schema in capitals. */
const char SQL_HEALTH_TABLES[] =
    "SELECT table_name, engine, row_format FROM information_schema.tables"
    " WHERE table_schema = DATABASE() AND table_name LIKE 'hookonce\\_%'";

const char SQL_HEALTH_COLUMNS[] =
    "SELECT table_name, column_name, column_type, COALESCE(collation_name, '')"
    " FROM information_schema.columns"
    " WHERE table_schema = DATABASE() AND table_name LIKE 'hookonce\\_%'";

const char SQL_HEALTH_KEYS[] =
    "SELECT table_name, index_name, MAX(non_unique),"
    " GROUP_CONCAT(CONCAT(column_name, IF(sub_part IS NULL, '', CONCAT('(', sub_part, ')')))"
    " ORDER BY seq_in_index SEPARATOR ',')"
    " FROM information_schema.statistics"
    " WHERE table_schema = DATABASE() AND table_name LIKE 'hookonce\\_%'"
    " GROUP BY table_name, index_name";

const char SQL_HEALTH_FOREIGN[] =
    "SELECT table_name, engine FROM information_schema.tables"
    " WHERE table_schema = DATABASE() AND table_name NOT LIKE 'hookonce\\_%'"
    " AND table_type = 'BASE TABLE' AND engine <> 'InnoDB' ORDER BY table_name LIMIT 6";

const char SQL_HEALTH_TRIAL_LEFT[] =
    "SELECT COUNT(*) FROM hookonce_guard WHERE provider = ? AND token = ?";

const char SQL_HEALTH_TRIAL_CLEAN[] = "DELETE FROM hookonce_guard WHERE provider = ?";
