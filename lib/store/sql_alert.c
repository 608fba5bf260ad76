/* What the tables tell of trouble. Every query reads few rows of an index, however large the tables
 * are, and counts to 100001 at most: 0.12 s for all of them with ten million receipts and 2,000 dead
 * letters (measured). */
#include "store/sql_alert.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "store/answers.h"

#define ALERT_LOOK_ROOM 16384
#define BY_SUBJECT " ORDER BY 1, 2"

#define NOW "UTC_TIMESTAMP(6)"
#define AHEAD "(" NOW " + INTERVAL 1 MINUTE)" /* beyond it a time is of a clock that was put back */
#define HOUR_BEFORE "DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL 1 HOUR, '%Y-%m-%d %H:00:00')"
#define COUNTED(n, one, many) "IF(" n " = 1, '1 " one "', CONCAT(" n ", ' " many "'))"
#define ROUTE "IF(route = '', '(no route)', route)"

static const char dead[] =
    "SELECT " ROUTE ", COUNT(*), MAX(run_at), CONCAT("
    COUNTED("COUNT(*)", "job was given up", "jobs were given up") ", ' (',"
    " GROUP_CONCAT(DISTINCT COALESCE(outcome, 'unknown') SEPARATOR ', '), '), the newest at ',"
    " DATE_FORMAT(MAX(run_at), '%Y-%m-%d %H:%i:%s'), '; one is of event ', MAX(correlation_id))"
    " FROM (SELECT route, run_at, outcome, correlation_id FROM hookonce_job FORCE INDEX (claim)"
    " WHERE state = 'dead' AND route <> '" REPLY_ROUTE "' ORDER BY run_at DESC, id DESC"
    " LIMIT 100001) AS d GROUP BY route ORDER BY route";

/* Seconds in words. */
#define LONG(s)                                                                                    \
    "IF(" s " < 7200, CONCAT(FLOOR(" s " / 60),"                                                   \
    " IF(FLOOR(" s " / 60) = 1, ' minute', ' minutes')), IF(" s " < 172800,"                       \
    " CONCAT(FLOOR(" s " / 3600), ' hours'), CONCAT(FLOOR(" s " / 86400), ' days')))"

static const char queue_age[] =
    "SELECT '', n, NULL, CONCAT('the oldest has been due for ', " LONG("age") ", '; ', n,"
    " IF(n = 1, ' is due', ' are due')) FROM (SELECT COUNT(*) AS n,"
    " TIMESTAMPDIFF(SECOND, MIN(run_at), " NOW ") AS age FROM (SELECT run_at FROM hookonce_job"
    " FORCE INDEX (claim) WHERE state = 'ready' AND run_at <= " NOW " ORDER BY run_at LIMIT 100001)"
    " AS d) AS q WHERE age > ?";

/* The week is only looked at when there is a crowd. */
static const char retries[] =
    "SELECT '', n, NULL, CONCAT(n, ' jobs failed and wait for another try')"
    " FROM (SELECT COUNT(*) AS n FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim_class)"
    " WHERE state = 'ready' AND class = 1 LIMIT 100001) AS r) AS q"
    " WHERE n >= 25 AND n > 4 * (SELECT COALESCE(SUM(retried), 0) / 168 FROM hookonce_stat"
    " WHERE hour >= UTC_TIMESTAMP() - INTERVAL 7 DAY)";

static const char duplicates[] =
    "SELECT q.source, q.n, NULL, CONCAT(q.n, ' of ', q.total, ' deliveries of the last hour came"
    " again, far more than usual')"
    " FROM (SELECT source, SUM(IF(verdict = 'duplicate', n, 0)) AS n,"
    " SUM(IF(verdict IN ('new', 'duplicate', 'spooled'), n, 0)) AS total FROM hookonce_tally"
    " WHERE hour >= " HOUR_BEFORE " GROUP BY source HAVING n >= 20 AND n * 5 >= total) AS q"
    " WHERE q.n > 4 * (SELECT COALESCE(SUM(t.n), 0) / 84 FROM hookonce_tally t"
    " WHERE t.hour >= UTC_TIMESTAMP() - INTERVAL 7 DAY AND t.hour < " HOUR_BEFORE
    " AND t.source = q.source AND t.verdict = 'duplicate') ORDER BY q.source";

static const char conflicts[] =
    "SELECT source, COUNT(*), MAX(first_seen_at), CONCAT("
    COUNTED("COUNT(*)", "delivery contradicts", "deliveries contradict")
    ", ' what is stored: ', GROUP_CONCAT(DISTINCT kind SEPARATOR ', '), '; the newest is number ',"
    " MAX(id)) FROM (SELECT id, source, kind, first_seen_at FROM hookonce_conflict"
    " WHERE released_at IS NULL ORDER BY id DESC LIMIT 10001) AS c GROUP BY source ORDER BY source";

static const char silence[] =
    "SELECT CONCAT(source, IF(name = '', '', ' '), name), 1, NULL, CONCAT('no event',"
    " IF(event_type = '*', '', CONCAT(' ', event_type)), ' for ', " LONG("silent_s") ","
    " IF(every_s IS NULL, ', far longer than usual', CONCAT('; one is expected every ', "
    LONG("every_s") ")), IF(last_at IS NULL, '; none has come yet', CONCAT('; the last one at ',"
    " DATE_FORMAT(last_at, '%Y-%m-%d %H:%i')))) FROM hookonce_expect WHERE state = 'silent'"
    " ORDER BY source, name";

static const char unanswered[] =
    "SELECT COALESCE(r.source, ''), COUNT(*), MAX(j.run_at), CONCAT("
    COUNTED("COUNT(*)", "question", "questions") ", ' failed within a day; one is event ',"
    " MAX(j.correlation_id)) FROM (SELECT correlation_id, run_at FROM hookonce_job"
    " FORCE INDEX (claim) WHERE state = 'dead' AND run_at >= " NOW " - INTERVAL 1 DAY"
    " AND route = '" REPLY_ROUTE "' AND outcome <> 'deferred' ORDER BY run_at DESC, id DESC"
    " LIMIT 10001) AS j LEFT JOIN hookonce_receipt r FORCE INDEX (correlation)"
    " ON r.correlation_id = j.correlation_id GROUP BY r.source ORDER BY r.source";

/* A time ahead of now is of a clock that was put back: nobody knows when it was. */
static const char processor[] =
    "SELECT '', 1, NULL, CASE WHEN known IS NOT NULL THEN CONCAT('the last one was seen at ',"
    " DATE_FORMAT(known, '%Y-%m-%d %H:%i:%s'), ' UTC') WHEN ever THEN 'none was seen since the"
    " clock was put back' ELSE 'none has run yet, and jobs wait for it' END"
    " FROM (SELECT MAX(IF(at > " AHEAD ", NULL, at)) AS known, COUNT(*) > 0 AS ever FROM"
    " (SELECT seen_at AS at FROM hookonce_host UNION ALL SELECT seen_at FROM hookonce_worker) AS s"
    ") AS q WHERE COALESCE(known, '1970-01-01') < " NOW " - INTERVAL ? SECOND AND (ever"
    " OR EXISTS (SELECT 1 FROM hookonce_job"
    " WHERE state = 'ready' AND run_at < " NOW " - INTERVAL 15 MINUTE))";

static const char spool_left[] =
    "SELECT host, spool_files, NULL, CONCAT("
    COUNTED("spool_files", "delivery lies", "deliveries lie") ", ' in its spool, and nobody there"
    " was seen since ', DATE_FORMAT(seen_at, '%Y-%m-%d %H:%i:%s'), ' UTC') FROM hookonce_host"
    " WHERE spool_files > 0 AND (seen_at < " NOW " - INTERVAL ? SECOND OR seen_at > " AHEAD ")"
    " ORDER BY host";

#define FIRST_OF(state, order)                                                                     \
    "(SELECT route, outcome, last_error FROM hookonce_job FORCE INDEX (claim)"                      \
    " WHERE state = '" state "' ORDER BY " order " LIMIT 10000)"

/* Errors that no later try can be without, though it is tried: store/db_error.c. */
#define CANNOT_WORK "[(](1044|1046|1054|1064|1136|1142|1143|1146|1227|1305|1370)[)]"

static const char handler[] =
    "SELECT " ROUTE ", COUNT(*), NULL, CONCAT(" COUNTED("COUNT(*)", "job", "jobs")
    ", ' found the handler of the route unable to work') FROM ("
    FIRST_OF("dead", "run_at DESC, id DESC") " UNION ALL " FIRST_OF("ready", "run_at, id")
    ") AS j WHERE outcome = 'bad handler' OR (outcome IN ('failed', 'gave up')"
    " AND last_error REGEXP 'database: .*" CANNOT_WORK "') GROUP BY route ORDER BY route";

static const char breaker[] =
    "SELECT name, 1, NULL, CONCAT('it failed ', failures, ' times in a row; its jobs wait')"
    " FROM hookonce_handler WHERE open_until IS NOT NULL ORDER BY name";

static const char paused[] =
    "SELECT CONCAT(kind, IF(name = '', '', ' '), name), 1, NULL, CONCAT('paused since ',"
    " DATE_FORMAT(paused_at, '%Y-%m-%d %H:%i'), ' UTC') FROM hookonce_pause"
    " WHERE paused_at < " NOW " - INTERVAL 1 DAY ORDER BY kind, name";

const struct alert_query alert_queries[] = {
    {ALERT_DEAD, dead, ALERT_TAKES_NOTHING},
    {ALERT_QUEUE_AGE, queue_age, ALERT_TAKES_QUEUE_AGE},
    {ALERT_RETRIES, retries, ALERT_TAKES_NOTHING},
    {ALERT_DUPLICATES, duplicates, ALERT_TAKES_NOTHING},
    {ALERT_CONFLICTS, conflicts, ALERT_TAKES_NOTHING},
    {ALERT_SILENCE, silence, ALERT_TAKES_NOTHING},
    {ALERT_UNANSWERED, unanswered, ALERT_TAKES_NOTHING},
    {ALERT_PROCESSOR, processor, ALERT_TAKES_PROCESSOR},
    {ALERT_SPOOL_LEFT, spool_left, ALERT_TAKES_PROCESSOR},
    {ALERT_HANDLER, handler, ALERT_TAKES_NOTHING},
    {ALERT_BREAKER, breaker, ALERT_TAKES_NOTHING},
    {ALERT_PAUSED, paused, ALERT_TAKES_NOTHING},
};
const size_t alert_queries_n = sizeof alert_queries / sizeof alert_queries[0];

/* One statement for all, since hosts count them. Each begins with SELECT, and gets its number as a
 * column in front. */
const char *sql_alert_look(void)
{
    static char text[ALERT_LOOK_ROOM]; /* longer than a literal may be; made once */
    size_t len = 0;

    if (text[0] != '\0') {
        return text;
    }
    for (size_t i = 0; i < alert_queries_n; i++) {
        int n = snprintf(text + len, sizeof text - len, "%s(SELECT %zu, %s)",
                         i > 0 ? " UNION ALL " : "", i, alert_queries[i].sql + sizeof "SELECT");
        len += n > 0 ? (size_t)n : 0;
        if (n <= 0 || len + sizeof BY_SUBJECT > sizeof text) {
            ho_die("bug: the looks at the tables do not fit");
        }
    }
    memcpy(text + len, BY_SUBJECT, sizeof BY_SUBJECT);
    return text;
}

/* ---- kept ---- */

/* From the left: each assignment sees those before it. */
const char SQL_ALERT_KEEP[] =
    "INSERT INTO hookonce_alert (kind, host, subject, state, n, peak, text, advice, began_at,"
    " grew_at, seen_at) VALUES (?, ?, ?, 'firing', ?, ?, ?, ?, " NOW ", " NOW ", " NOW ")"
    " ON DUPLICATE KEY UPDATE times = times + (state = 'over'),"
    " began_at = IF(state = 'over', " NOW ", began_at),"
    " grew_at = IF(state = 'over' OR VALUES(n) > n OR COALESCE(? > seen_at, FALSE), " NOW ","
    " grew_at),"
    " peak = IF(state = 'over', VALUES(n), GREATEST(peak, VALUES(n))), n = VALUES(n),"
    " text = VALUES(text), advice = VALUES(advice), state = 'firing', over_at = NULL,"
    " seen_at = " NOW;

const char SQL_ALERT_NOW[] = "SELECT " NOW;

#define GONE "(seen_at < " NOW " - INTERVAL 1 DAY OR seen_at > " AHEAD ")"
#define FORGOTTEN "state = 'over' AND over_at < " NOW " - INTERVAL 35 DAY"

const char SQL_ALERT_STATE[] =
    "SELECT kind, MAX(state = 'firing' AND host IN ('', ?)), MAX(state = 'firing' AND " GONE "),"
    " MAX(" FORGOTTEN ") FROM hookonce_alert GROUP BY kind";

const char SQL_ALERT_OVER[] =
    "UPDATE hookonce_alert SET state = 'over', over_at = " NOW ", seen_at = " NOW
    " WHERE kind = ? AND host = ? AND state = 'firing' AND (seen_at < ? OR seen_at > " AHEAD ")";

/* Of a host that is gone: seen_at stays, and tells that nobody saw the end. A time ahead is of a
 * clock that was put back: it begins anew. */
const char SQL_ALERT_SWEEP[] =
    "UPDATE hookonce_alert SET state = IF(seen_at > " NOW ", state, 'over'),"
    " over_at = IF(seen_at > " NOW ", over_at, " NOW "), seen_at = LEAST(seen_at, " NOW ")"
    " WHERE state = 'firing' AND " GONE;

const char SQL_ALERT_PRUNE[] = "DELETE FROM hookonce_alert WHERE " FORGOTTEN;

/* ---- told ---- */

const char SQL_ALERT_DUE[] =
    "SELECT a.kind, a.firing, a.n,"
    " (t.told_at IS NULL OR t.told_at <= " NOW " - INTERVAL ? SECOND"
    " OR t.told_at > " NOW " + INTERVAL 1 MINUTE),"
    " (t.told_at IS NULL OR a.grew_at > t.told_at),"
    " (t.told_at <= " NOW " - INTERVAL 1 DAY), t.state, COALESCE(t.told_n, 0), t.told_at, " NOW ","
    " a.began_at, a.over_at"
    " FROM (SELECT kind, SUM(state = 'firing') AS firing, SUM(IF(state = 'firing', n, 0)) AS n,"
    " MAX(IF(state = 'firing', grew_at, NULL)) AS grew_at,"
    " MIN(IF(state = 'firing', began_at, NULL)) AS began_at, MAX(over_at) AS over_at"
    " FROM hookonce_alert GROUP BY kind) AS a"
    " LEFT JOIN hookonce_telling t ON t.channel = ? AND t.kind = a.kind ORDER BY a.kind";

const char SQL_ALERT_ROWS[] =
    "SELECT kind, host, subject, state, n, text, advice, began_at, over_at, seen_at,"
    " over_at > seen_at + INTERVAL 1 HOUR FROM hookonce_alert"
    " ORDER BY state = 'over', IF(state = 'over', over_at, NULL) DESC, kind, n DESC, host, subject"
    " LIMIT ?";

const char SQL_TELLING_MAKE[] =
    "INSERT IGNORE INTO hookonce_telling (channel, kind) VALUES (?, '')";

/* It counts as failed until it is known to be through: who sends may be killed. A time that lies
 * further ahead than any is set is of a clock that was put back. */
const char SQL_TELLING_CLAIM[] =
    "UPDATE hookonce_telling SET claimed_until = " NOW " + INTERVAL ? SECOND, claim_token = ?,"
    " failures = failures + 1, error = 'cut off: who sent it ended before that was through'"
    " WHERE channel = ? AND kind = '' AND (claimed_until IS NULL OR claimed_until <= " NOW
    " OR claimed_until > " NOW " + INTERVAL ? SECOND)"
    " AND (next_at IS NULL OR next_at <= " NOW " OR next_at > " NOW " + INTERVAL 2 HOUR)";

const char SQL_TELLING_FREE[] =
    "UPDATE hookonce_telling SET claimed_until = NULL, claim_token = NULL, failures = 0,"
    " error = NULL, next_at = NULL WHERE channel = ? AND kind = '' AND claim_token = ?";

const char SQL_TELLING_FAILED[] =
    "UPDATE hookonce_telling SET claimed_until = NULL, claim_token = NULL, error = ?,"
    " next_at = " NOW " + INTERVAL LEAST(3600, 60 << LEAST(GREATEST(failures, 1) - 1, 6)) SECOND"
    " WHERE channel = ? AND kind = '' AND claim_token = ?";

const char SQL_TELLING_TOLD[] =
    "INSERT INTO hookonce_telling (channel, kind, state, told_at, told_n, messages)"
    " VALUES (?, ?, ?, ?, ?, 1) ON DUPLICATE KEY UPDATE state = VALUES(state),"
    " told_at = COALESCE(VALUES(told_at), told_at), told_n = VALUES(told_n),"
    " messages = messages + 1";

const char SQL_TELLING_TROUBLE[] =
    "SELECT channel, failures, error, next_at FROM hookonce_telling"
    " WHERE kind = '' AND failures > 0 AND (claimed_until IS NULL OR claimed_until <= " NOW ")"
    " ORDER BY channel";
