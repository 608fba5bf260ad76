#include "store/sql_glance.h"

#include "store/answers.h"
#include "store/glance.h"

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)

/* Counted along an index, and not to the end: a backlog of millions is "at least so many". */
#define UP_TO(what)                                                                                \
    "(SELECT COUNT(*) FROM (SELECT 1 FROM " what " LIMIT " TEXT_OF(GLANCE_COUNT_MAX) ") AS n)"
#define JOBS(where) UP_TO("hookonce_job FORCE INDEX (claim) WHERE " where)

const char SQL_GLANCE_QUEUE[] =
    "SELECT " JOBS("state = 'ready' AND run_at <= UTC_TIMESTAMP(6)") ", "
    JOBS("state = 'ready' AND run_at > UTC_TIMESTAMP(6)") ", "
    JOBS("state = 'waiting'") ", "
    JOBS("state = 'running'") ", "
    JOBS("state = 'running' AND run_at <= UTC_TIMESTAMP(6)") ", "
    JOBS("state = 'dead' AND route <> '" REPLY_ROUTE "'") ", "
    UP_TO("hookonce_conflict WHERE released_at IS NULL") ", "
    "COALESCE((SELECT GREATEST(0, TIMESTAMPDIFF(SECOND, MIN(run_at), UTC_TIMESTAMP(6)))"
    " FROM hookonce_job WHERE state = 'ready'), 0), "
    "COALESCE((SELECT GREATEST(0, TIMESTAMPDIFF(SECOND, MAX(seen_at), UTC_TIMESTAMP(6)))"
    " FROM (SELECT seen_at FROM hookonce_worker UNION ALL SELECT seen_at FROM hookonce_host"
    " UNION ALL SELECT MAX(run_at) FROM hookonce_job WHERE state = 'done'"
    " UNION ALL SELECT MAX(run_at) FROM hookonce_job WHERE state = 'dead') AS s), -1), "
    "(SELECT TIMESTAMPDIFF(SECOND, MAX(at), UTC_TIMESTAMP(6)) FROM hookonce_sample)";

/* By the primary key from the start of the month on. */
const char SQL_GLANCE_WORK[] =
    "SELECT source, SUM(events), SUM(jobs), SUM(wait_us), SUM(tries), SUM(run_us), SUM(retried)"
    " FROM hookonce_stat WHERE hour >= DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-01')"
    " GROUP BY source ORDER BY source LIMIT 300";

/* By the primary key: a week. */
const char SQL_GLANCE_SOURCES[] =
    "SELECT source, SUM(IF(today, events, 0)), SUM(IF(today, duplicates, 0)),"
    " SUM(IF(today, processed, 0)), SUM(IF(today, failed, 0)), SUM(events),"
    " LEFT(MAX(last_at), 19) FROM (SELECT source, events, duplicates, processed, failed, last_at,"
    " hour > UTC_TIMESTAMP() - INTERVAL 25 HOUR AS today FROM hookonce_stat"
    " WHERE hour > UTC_TIMESTAMP() - INTERVAL 7 DAY) AS s"
    " GROUP BY source ORDER BY source LIMIT 300";

/* By the primary key. ?: seconds of a slot, seconds in all. Slot 0 is the newest. */
const char SQL_GLANCE_SAMPLES[] =
    "SELECT TIMESTAMPDIFF(SECOND, at, UTC_TIMESTAMP()) DIV ? AS slot, SUM(accepted), SUM(refused),"
    " SUM(busy), MAX(ready_oldest_s), MAX(ack_p50_us), MAX(ack_p95_us), MAX(ack_p99_us), MAX(dead)"
    " FROM hookonce_sample WHERE at > UTC_TIMESTAMP() - INTERVAL ? SECOND"
    " AND at <= UTC_TIMESTAMP() GROUP BY slot ORDER BY slot LIMIT 1000";
const char SQL_GLANCE_HOURS[] =
    "SELECT TIMESTAMPDIFF(SECOND, hour, UTC_TIMESTAMP()) DIV ? AS slot, SUM(failed), SUM(retried)"
    " FROM hookonce_stat WHERE hour > UTC_TIMESTAMP() - INTERVAL ? SECOND"
    " AND hour <= UTC_TIMESTAMP() GROUP BY slot ORDER BY slot LIMIT 1000";

const char SQL_GLANCE_ALERTS[] =
    "SELECT kind, host, subject, n, text, advice, LEFT(began_at, 19) FROM hookonce_alert"
    " WHERE state = 'firing' ORDER BY began_at DESC LIMIT 100";

const char SQL_GLANCE_HOSTS[] =
    "SELECT host, version, LEFT(seen_at, 19), LEFT(received_at, 19), spool_files,"
    " spool_quarantined, gate, disk_free DIV 1048576, clock_ahead_ms FROM hookonce_host"
    " ORDER BY host LIMIT 100";

const char SQL_GLANCE_PAUSES[] =
    "SELECT kind, name, who, reason, LEFT(paused_at, 19) FROM hookonce_pause"
    " ORDER BY paused_at LIMIT 100";
