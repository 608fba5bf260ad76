-- The views of the console, for phpMyAdmin, Adminer and the like; `hookonce list` shows the same.
-- `hookonce migrate` makes them where the account may (CREATE VIEW and DROP); by hand, import this
-- file after the numbered ones. Every statement ends with a semicolon at the end of a line, and
-- running the file again changes nothing.
--
-- Each is fast on millions of receipts, whatever is asked of it at once: it walks the end of an
-- index, or reads a bounded number of rows. Ids stand there to be read; beside them, as *_raw, the
-- stored bytes, by which an index finds a row: WHERE event_id_raw = 'evt_1'. Counts end at "over 1000".
-- SELECT * FROM hookonce_help says what each column means.

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_recent AS
SELECT r.recorded_at AS recorded_at,
    CONVERT(r.provider USING utf8mb4) COLLATE utf8mb4_nopad_bin AS provider,
    CONVERT(r.source USING utf8mb4) COLLATE utf8mb4_nopad_bin AS source,
    CONVERT(r.event_id USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_id,
    CONVERT(r.event_type USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_type,
    r.status AS status, r.outcome AS outcome, r.duplicates AS duplicates,
    r.correlation_id AS correlation_id,
    CONVERT(r.object_key USING utf8mb4) COLLATE utf8mb4_nopad_bin AS object_key,
    r.occurred_at AS occurred_at, r.received_at AS received_at, r.body_len AS body_len,
    r.event_id AS event_id_raw
FROM (SELECT correlation_id FROM hookonce_receipt ORDER BY correlation_id DESC LIMIT 5000) AS newest
STRAIGHT_JOIN hookonce_receipt AS r FORCE INDEX (correlation)
    ON r.correlation_id = newest.correlation_id
ORDER BY newest.correlation_id DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_find AS
SELECT r.recorded_at AS recorded_at,
    CONVERT(r.provider USING utf8mb4) COLLATE utf8mb4_nopad_bin AS provider,
    CONVERT(r.source USING utf8mb4) COLLATE utf8mb4_nopad_bin AS source,
    CONVERT(r.event_id USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_id,
    CONVERT(r.event_type USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_type,
    r.status AS status, r.outcome AS outcome, r.duplicates AS duplicates,
    r.correlation_id AS correlation_id,
    r.provider AS provider_raw, r.event_id AS event_id_raw
FROM (SELECT DISTINCT provider FROM hookonce_receipt) AS p
STRAIGHT_JOIN hookonce_receipt AS r ON r.provider = p.provider;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_queue AS
SELECT IF(j.run_at >= TIMESTAMP'9999-01-01 00:00:00', j.held_at, j.run_at) AS run_at,
    j.id AS job, j.state AS state, j.route AS route, j.tries AS tries,
    j.outcome AS outcome,
    IF(j.state = 'running', NULL, j.waiting_for) AS waiting_for, j.waits AS waits,
    IF(j.state = 'running', NULL, COALESCE(j.held_at, j.waits_since)) AS waits_since, j.worker AS worker,
    CONVERT(r.source USING utf8mb4) COLLATE utf8mb4_nopad_bin AS source,
    CONVERT(r.event_id USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_id,
    CONVERT(r.event_type USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_type,
    j.correlation_id AS correlation_id, j.last_error AS last_error, r.event_id AS event_id_raw
FROM ((SELECT id FROM hookonce_job FORCE INDEX (claim) WHERE state = 'running'
        ORDER BY run_at, id LIMIT 1000)
    UNION ALL (SELECT id FROM hookonce_job FORCE INDEX (claim) WHERE state = 'ready'
        ORDER BY run_at, id LIMIT 1000)
    UNION ALL (SELECT id FROM hookonce_job FORCE INDEX (claim) WHERE state = 'waiting'
        ORDER BY run_at, id LIMIT 1000)) AS open
STRAIGHT_JOIN hookonce_job AS j ON j.id = open.id
LEFT JOIN hookonce_receipt AS r FORCE INDEX (correlation) ON r.correlation_id = j.correlation_id
ORDER BY run_at, job;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_dead_letters AS
SELECT j.run_at AS ended_at, j.id AS job,
    CONVERT(r.provider USING utf8mb4) COLLATE utf8mb4_nopad_bin AS provider,
    CONVERT(r.event_id USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_id,
    CONVERT(r.event_type USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_type,
    j.route AS route, j.tries AS tries, j.outcome AS outcome, j.last_error AS last_error,
    CONVERT(r.source USING utf8mb4) COLLATE utf8mb4_nopad_bin AS source,
    j.correlation_id AS correlation_id, r.event_id AS event_id_raw
FROM hookonce_job AS j FORCE INDEX (claim)
LEFT JOIN hookonce_receipt AS r FORCE INDEX (correlation) ON r.correlation_id = j.correlation_id
WHERE j.state = 'dead'
ORDER BY j.run_at DESC, j.id DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_attempts AS
SELECT a.started_at AS started_at, a.ended_at AS ended_at, a.job_id AS job, a.try_no AS try,
    j.route AS route, a.outcome AS outcome, a.rows_changed AS rows_changed,
    CONVERT(r.event_id USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_id,
    a.correlation_id AS correlation_id, a.worker AS worker, a.error AS error,
    r.event_id AS event_id_raw
FROM hookonce_attempt AS a FORCE INDEX FOR ORDER BY (started)
LEFT JOIN hookonce_job AS j ON j.id = a.job_id
LEFT JOIN hookonce_receipt AS r FORCE INDEX (correlation) ON r.correlation_id = a.correlation_id
ORDER BY a.started_at DESC, a.job_id DESC, a.claim_no DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_duplicates AS
SELECT r.last_duplicate_at AS last_duplicate_at, r.duplicates AS duplicates,
    CONVERT(r.provider USING utf8mb4) COLLATE utf8mb4_nopad_bin AS provider,
    CONVERT(r.source USING utf8mb4) COLLATE utf8mb4_nopad_bin AS source,
    CONVERT(r.event_id USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_id,
    CONVERT(r.event_type USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_type,
    r.recorded_at AS recorded_at, r.status AS status, r.correlation_id AS correlation_id,
    r.event_id AS event_id_raw
FROM (SELECT correlation_id FROM hookonce_receipt ORDER BY correlation_id DESC LIMIT 10000) AS newest
STRAIGHT_JOIN hookonce_receipt AS r FORCE INDEX (correlation)
    ON r.correlation_id = newest.correlation_id
WHERE r.duplicates > 0
ORDER BY r.last_duplicate_at DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_conflicts AS
SELECT c.last_seen_at AS last_seen_at, c.id AS conflict, c.kind AS what,
    CONVERT(c.provider USING utf8mb4) COLLATE utf8mb4_nopad_bin AS provider,
    CONVERT(c.source USING utf8mb4) COLLATE utf8mb4_nopad_bin AS source,
    CONVERT(c.event_id USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_id,
    CONVERT(c.event_type USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_type,
    c.seen AS seen, c.body_len AS body_len, c.correlation_id AS correlation_id,
    c.first_correlation_id AS first_correlation_id, c.first_seen_at AS first_seen_at,
    c.released_at AS released_at,
    c.event_id AS event_id_raw
FROM hookonce_conflict AS c
ORDER BY c.id DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_workers AS
SELECT w.seen_at AS seen_at,
    GREATEST(0, TIMESTAMPDIFF(SECOND, w.seen_at, UTC_TIMESTAMP(6))) AS seconds_ago,
    w.started_at AS started_at, w.host AS host, w.pid AS pid, w.id AS worker
FROM hookonce_worker AS w
WHERE w.seen_at > UTC_TIMESTAMP(6) - INTERVAL 1 DAY
ORDER BY w.seen_at DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_commands AS
SELECT m.id AS id, TIMESTAMP'1970-01-01 00:00:00.000000'
        + INTERVAL UNIX_TIMESTAMP(m.created_at) * 1000000 MICROSECOND AS created_at,
    m.command AS command, m.state AS state, m.answer AS answer, m.found AS found, m.did AS did,
    m.asked_by AS asked_by, m.asked_from AS asked_from, m.reason AS reason, m.job AS job,
    m.event_id AS event_id, m.correlation_id AS correlation_id,
    NULLIF(CONCAT_WS(', ', CONCAT('provider ', m.provider), CONCAT('source ', m.source),
        CONCAT('route ', m.route), CONCAT('handler ', m.handler), CONCAT('type ', m.event_type),
        CONCAT('status ', m.status), CONCAT('outcome ', m.outcome), CONCAT('from ', m.from_time),
        CONCAT('to ', m.to_time), CONCAT('conflict ', m.conflict),
        IF(m.at_most = 100, NULL, CONCAT('at most ', m.at_most)), CONCAT(m.per_minute, ' a minute'),
        IF(m.again = 'yes', 'again', NULL), IF(m.dry_run = 'yes', 'dry run', NULL)), '') AS filter,
    m.acted AS acted, m.started_at AS started_at, m.ended_at AS ended_at
FROM hookonce_command AS m
ORDER BY m.id DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_new_command AS
SELECT command, job, event_id, correlation_id, conflict, source, handler, route, reason, dry_run, again,
    acted, provider, event_type, status, outcome, from_time, to_time, at_most, per_minute
FROM hookonce_command
WHERE state = 'new';

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_paused AS
SELECT p.kind AS what, p.name AS name, p.who AS who, p.reason AS reason,
    TIMESTAMP'1970-01-01 00:00:00' + INTERVAL UNIX_TIMESTAMP(p.paused_at) SECOND AS paused_at
FROM hookonce_pause AS p
ORDER BY p.paused_at;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_settings AS
SELECT s.host AS host, s.section AS section, s.name AS name, s.value AS value,
    s.is_default AS is_default, s.place AS place, s.changed_at AS changed_at
FROM hookonce_setting AS s
ORDER BY s.host, s.no;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_timeline AS
SELECT r.correlation_id AS correlation_id,
    CASE s.step WHEN 1 THEN r.received_at WHEN 2 THEN r.last_duplicate_at WHEN 3 THEN c.last_seen_at
        WHEN 4 THEN j.created_at WHEN 5 THEN j.reopened_at WHEN 6 THEN a.started_at
        WHEN 7 THEN COALESCE(j.held_at, j.waits_since) WHEN 8 THEN COALESCE(e.done_at, e.reserved_at)
        WHEN 9 THEN a.ended_at WHEN 10 THEN m.started_at
        WHEN 11 THEN IF(j.outcome = 'discarded', j.run_at, n.started_at)
        ELSE IF(j.state IN ('done', 'dead'), GREATEST(j.run_at, COALESCE((SELECT MAX(t.ended_at)
            FROM hookonce_attempt AS t WHERE t.job_id = j.id
            AND t.ended_at < j.run_at + INTERVAL 1 SECOND), j.run_at)),
            IF(j.run_at >= TIMESTAMP'9999-01-01 00:00:00', COALESCE(j.held_at, j.created_at), j.run_at)) END AS at,
    CASE s.step WHEN 1 THEN 'received' WHEN 2 THEN 'duplicate' WHEN 3 THEN c.kind WHEN 4 THEN 'job'
        WHEN 5 THEN 'retry' WHEN 6 THEN 'started' WHEN 7 THEN 'waits' WHEN 8 THEN 'effect'
        WHEN 9 THEN COALESCE(a.outcome, 'ended') WHEN 10 THEN m.command
        WHEN 11 THEN IF(j.outcome = 'discarded', j.outcome, n.command) ELSE j.state END AS what,
    CASE s.step
        WHEN 1 THEN CONCAT('by ', CONVERT(r.source USING utf8mb4) COLLATE utf8mb4_nopad_bin, ', ',
            CONVERT(r.event_type USING utf8mb4) COLLATE utf8mb4_nopad_bin, ', ', r.body_len, ' bytes',
            COALESCE(CONCAT(' shared with ', r.body_id), ''), ', secret ', r.secret_no,
            IF(EXISTS(SELECT 1 FROM hookonce_body AS b
                WHERE b.correlation_id = COALESCE(r.body_id, r.correlation_id)), '',
                '; its body is gone: forgotten or pruned'))
        WHEN 2 THEN CONCAT('the last of ', r.duplicates, '; the same event came again')
        WHEN 3 THEN CONCAT('conflict ', c.id, ', seen ', IF(c.seen = 1, 'once', CONCAT(c.seen, ' times')),
            ', refused delivery ', c.correlation_id)
        WHEN 4 THEN CONCAT('job ', j.id, ', ', CASE WHEN j.route <> '' THEN CONCAT('route ', j.route)
            WHEN j.outcome = 'ignored' THEN 'no route wants it'
            WHEN j.outcome = 'informational' THEN 'only to be recorded' ELSE 'not dispatched yet' END)
        WHEN 5 THEN CONCAT('job ', j.id, ', opened again by a person',
            IF(j.reopened > 1, CONCAT(', for the ', j.reopened, '. time'), ''))
        WHEN 6 THEN CONCAT('job ', j.id, ', try ', a.try_no, ', ', a.worker)
        WHEN 7 THEN CONCAT('job ', j.id, ', for ', j.waiting_for, COALESCE(CONCAT(', ', j.done_by), ''),
            ', put off ', IF(j.waits = 1, 'once', CONCAT(j.waits, ' times')),
            COALESCE(CONCAT(': ', j.last_error), ''))
        WHEN 8 THEN CONCAT('job ', j.id, ', ', e.state, ': ', CONVERT(e.business_key USING utf8mb4) COLLATE utf8mb4_nopad_bin,
            ' of ', e.flow)
        WHEN 9 THEN CONCAT('job ', j.id, IF(COALESCE(a.outcome, '') IN ('ignored', 'informational',
            'already done', 'already so', 'stale', 'gone', 'need not met', 'waited too long', 'no key',
            'no route', 'forged row', 'body gone', 'key over'), '', CONCAT(', try ', a.try_no)),
            COALESCE(CONCAT(', rows changed: ', a.rows_changed), ''), COALESCE(CONCAT(': ', a.error), ''))
        WHEN 10 THEN CONCAT('command ', m.id, ', ', m.state, ', by ', COALESCE(m.asked_by, 'somebody'),
            COALESCE(CONCAT(', acted: ', m.acted), ''), COALESCE(CONCAT(': ', m.reason), ''))
        WHEN 11 THEN CONCAT('job ', j.id, IF(j.outcome = 'discarded', '', CONCAT(', command ', n.id)),
            ', by ', COALESCE(n.asked_by, 'somebody'), COALESCE(CONCAT(', acted: ', n.acted), ''),
            COALESCE(CONCAT(': ', n.reason), ''))
        ELSE CONCAT('job ', j.id, CASE j.state WHEN 'ready' THEN ', due at this time'
            WHEN 'running' THEN ', lease ends at this time'
            WHEN 'waiting' THEN IF(j.run_at >= TIMESTAMP'9999-01-01 00:00:00',
                CONCAT(', held since this time: ', j.waiting_for),
                ', asleep until its lane is free, or this time')
            ELSE CONCAT(', ', COALESCE(j.outcome, 'ended'), COALESCE(CONCAT(' by ', j.done_by), ''),
                IF(j.waits > 0, CONCAT(', was put off ', IF(j.waits = 1, 'once',
                CONCAT(j.waits, ' times')), COALESCE(CONCAT(': ', REPLACE(j.waited_for, ',', ', ')), '')),
                '')) END)
    END AS detail,
    j.id AS job, s.step AS step,
    CONVERT(r.event_id USING utf8mb4) COLLATE utf8mb4_nopad_bin AS event_id, r.event_id AS event_id_raw
FROM hookonce_receipt AS r FORCE INDEX (correlation)
STRAIGHT_JOIN (SELECT 1 AS one, 1 AS step UNION ALL SELECT 1, 2 UNION ALL SELECT 1, 3
    UNION ALL SELECT 1, 4 UNION ALL SELECT 1, 5 UNION ALL SELECT 1, 6 UNION ALL SELECT 1, 7
    UNION ALL SELECT 1, 8 UNION ALL SELECT 1, 9 UNION ALL SELECT 1, 10 UNION ALL SELECT 1, 11
    UNION ALL SELECT 1, 12) AS s
    ON s.one = (r.secret_no >= 0)
LEFT JOIN hookonce_conflict AS c FORCE INDEX (first_receipt)
    ON s.step = 3 AND c.first_correlation_id = r.correlation_id
LEFT JOIN hookonce_job AS j FORCE INDEX (once) ON s.step >= 4 AND s.step <> 10
    AND j.correlation_id = r.correlation_id
LEFT JOIN hookonce_attempt AS a ON s.step IN (6, 9) AND a.job_id = j.id
LEFT JOIN hookonce_effect AS e FORCE INDEX (owner) ON s.step = 8 AND e.job_id = j.id
LEFT JOIN hookonce_command AS m FORCE INDEX (correlation)
    ON s.step = 10 AND m.correlation_id = r.correlation_id
LEFT JOIN hookonce_command AS n
    ON s.step = 11 AND n.id = j.command_id
    AND (j.outcome = 'discarded' OR COALESCE(n.correlation_id, '') <> r.correlation_id)
WHERE CASE s.step WHEN 1 THEN 1 WHEN 2 THEN r.duplicates > 0 WHEN 3 THEN c.id IS NOT NULL
    WHEN 5 THEN j.reopened > 0 AND j.command_id IS NULL
    WHEN 6 THEN a.job_id IS NOT NULL AND COALESCE(a.outcome, '') NOT IN ('ignored', 'informational',
        'already done', 'already so', 'stale', 'gone', 'need not met', 'waited too long', 'no key',
        'no route', 'forged row', 'body gone', 'key over')
    WHEN 7 THEN j.waiting_for IS NOT NULL AND j.state IN ('ready', 'waiting')
    WHEN 8 THEN e.job_id IS NOT NULL WHEN 9 THEN a.ended_at IS NOT NULL
    WHEN 10 THEN m.started_at IS NOT NULL
    WHEN 11 THEN n.id IS NOT NULL AND (j.outcome = 'discarded' OR n.started_at IS NOT NULL)
    ELSE j.id IS NOT NULL END
ORDER BY r.correlation_id DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_alerts AS
SELECT a.began_at AS began_at, a.state AS state, a.kind AS what,
    CONVERT(a.subject USING utf8mb4) COLLATE utf8mb4_nopad_bin AS subject, a.host AS host, a.n AS n,
    a.peak AS peak, a.text AS text, a.advice AS advice, a.times AS times, a.over_at AS over_at
FROM hookonce_alert AS a
ORDER BY a.state, a.began_at DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_spool AS
SELECT h.host AS host, h.spool_files AS spool_files, h.spool_bytes AS spool_bytes,
    h.spool_oldest_at AS spool_oldest_at, h.spool_quarantined AS spool_quarantined, h.gate AS gate,
    h.disk_free AS disk_free, h.received_at AS received_at, h.seen_at AS seen_at,
    h.clock_ahead_ms AS clock_ahead_ms, h.version AS version,
    CASE WHEN h.spool_quarantined > 0 OR (h.spool_files > 0
            AND h.spool_oldest_at < UTC_TIMESTAMP(6) - INTERVAL 15 MINUTE) THEN 'wrong'
        WHEN h.spool_files > 0 OR h.gate = 'open' THEN 'look' ELSE 'well' END AS state
FROM hookonce_host AS h
ORDER BY h.host;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_hourly AS
WITH RECURSIVE hours AS (
    SELECT TIMESTAMP(DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:00:00')) AS hour, 1 AS no
    UNION ALL SELECT hour - INTERVAL 1 HOUR, no + 1 FROM hours WHERE no < 72
), counted AS (
    SELECT s.hour AS hour, SUM(s.events) AS events, SUM(s.duplicates) AS duplicates,
        SUM(s.processed) AS processed, SUM(s.failed) AS failed
    FROM hookonce_stat AS s WHERE s.hour > UTC_TIMESTAMP() - INTERVAL 73 HOUR GROUP BY s.hour
)
SELECT h.hour AS hour, COALESCE(c.events, 0) AS events, COALESCE(c.processed, 0) AS processed,
    COALESCE(c.failed, 0) AS failed, COALESCE(c.duplicates, 0) AS duplicates,
    REPEAT(CONVERT(UNHEX('E29688') USING utf8mb4),
        CEIL(40 * COALESCE(c.events, 0) / GREATEST(1, COALESCE(MAX(c.events) OVER (), 1)))) AS bar
FROM hours AS h LEFT JOIN counted AS c ON c.hour = h.hour
ORDER BY hour DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_daily AS
WITH RECURSIVE days AS (
    SELECT UTC_DATE() AS day, 1 AS no
    UNION ALL SELECT day - INTERVAL 1 DAY, no + 1 FROM days WHERE no < 35
), counted AS (
    SELECT DATE(s.hour) AS day, SUM(s.events) AS events, SUM(s.duplicates) AS duplicates,
        SUM(s.processed) AS processed, SUM(s.failed) AS failed
    FROM hookonce_stat AS s WHERE s.hour >= UTC_DATE() - INTERVAL 34 DAY GROUP BY DATE(s.hour)
)
SELECT d.day AS day, COALESCE(c.events, 0) AS events, COALESCE(c.processed, 0) AS processed,
    COALESCE(c.failed, 0) AS failed, COALESCE(c.duplicates, 0) AS duplicates,
    REPEAT(CONVERT(UNHEX('E29688') USING utf8mb4),
        CEIL(40 * COALESCE(c.events, 0) / GREATEST(1, COALESCE(MAX(c.events) OVER (), 1)))) AS bar
FROM days AS d LEFT JOIN counted AS c ON c.day = d.day
ORDER BY day DESC;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_latency AS
SELECT 'answer' AS what, s.host AS who, SUM(s.ack_n) AS n,
    ROUND(SUM(s.ack_us) / NULLIF(SUM(s.ack_n), 0) / 1000, 1) AS average_ms,
    ROUND(MAX(s.ack_p50_us) / 1000, 1) AS p50_ms, ROUND(MAX(s.ack_p95_us) / 1000, 1) AS p95_ms,
    ROUND(MAX(s.ack_p99_us) / 1000, 1) AS p99_ms, NULL AS longest_ms
FROM hookonce_sample AS s WHERE s.at > UTC_TIMESTAMP() - INTERVAL 1 DAY GROUP BY s.host
UNION ALL SELECT 'first start', CONVERT(t.source USING utf8mb4) COLLATE utf8mb4_nopad_bin, SUM(t.jobs),
    ROUND(SUM(t.wait_us) / NULLIF(SUM(t.jobs), 0) / 1000, 1), NULL, NULL, NULL,
    ROUND(MAX(t.wait_max_us) / 1000, 1)
FROM hookonce_stat AS t WHERE t.hour > UTC_TIMESTAMP() - INTERVAL 25 HOUR GROUP BY t.source
UNION ALL SELECT 'handler', CONVERT(t.source USING utf8mb4) COLLATE utf8mb4_nopad_bin, SUM(t.tries),
    ROUND(SUM(t.run_us) / NULLIF(SUM(t.tries), 0) / 1000, 1), NULL, NULL, NULL,
    ROUND(MAX(t.run_max_us) / 1000, 1)
FROM hookonce_stat AS t WHERE t.hour > UTC_TIMESTAMP() - INTERVAL 25 HOUR GROUP BY t.source;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_quiet_sources AS
SELECT CONVERT(n.source USING utf8mb4) COLLATE utf8mb4_nopad_bin AS source, q.last_at AS last_at,
    ROUND(COALESCE(q.silent_s, e.silent_s) / 60) AS silent_minutes, ROUND(q.events / q.days, 1) AS usual_a_day,
    ROUND(q.events / q.days * q.silent_s / 86400, 1) AS missed,
    ROUND(e.every_s / 60) AS expected_minutes,
    CASE WHEN e.silent > 0 THEN 'silent' WHEN q.events / q.days * q.silent_s / 86400 >= 7 THEN 'quiet'
        ELSE 'well' END AS state
FROM (SELECT source FROM hookonce_stat WHERE hour > UTC_TIMESTAMP() - INTERVAL 28 DAY GROUP BY source
    UNION SELECT BINARY source FROM hookonce_expect) AS n
LEFT JOIN (SELECT BINARY x.source AS source, MIN(x.every_s) AS every_s, SUM(x.state = 'silent') AS silent,
        GREATEST(0, TIMESTAMPDIFF(SECOND, MIN(COALESCE(x.last_at, x.expected_since)), UTC_TIMESTAMP(6)))
            AS silent_s
    FROM hookonce_expect AS x GROUP BY x.source) AS e ON e.source = n.source
LEFT JOIN (SELECT s.source AS source, MAX(s.last_at) AS last_at, SUM(s.events) AS events,
        GREATEST(1, TIMESTAMPDIFF(HOUR, MIN(s.hour), MAX(s.last_at)) / 24) AS days,
        GREATEST(0, TIMESTAMPDIFF(SECOND, MAX(s.last_at), UTC_TIMESTAMP(6))) AS silent_s
    FROM hookonce_stat AS s WHERE s.hour > UTC_TIMESTAMP() - INTERVAL 28 DAY GROUP BY s.source) AS q
    ON q.source = n.source
ORDER BY state = 'silent' DESC, missed DESC, source;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_overview AS
WITH counted AS (
    SELECT
        (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim)
            WHERE state = 'ready' AND run_at <= UTC_TIMESTAMP(6) LIMIT 1001) AS n) AS due,
        (SELECT GREATEST(0, TIMESTAMPDIFF(SECOND, MIN(run_at), UTC_TIMESTAMP(6)))
            FROM hookonce_job WHERE state = 'ready') AS oldest_s,
        (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim)
            WHERE state = 'ready' AND run_at > UTC_TIMESTAMP(6) LIMIT 1001) AS n) AS later,
        (SELECT COALESCE(SUM(n.waiting_for IS NOT NULL), 0) FROM (SELECT waiting_for
            FROM hookonce_job FORCE INDEX (claim)
            WHERE state = 'ready' AND run_at > UTC_TIMESTAMP(6) LIMIT 1001) AS n) AS put_off,
        (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim)
            WHERE state = 'waiting' LIMIT 1001) AS n) AS asleep,
        (SELECT COALESCE(SUM(n.waiting_for = 'hold' AND n.held_at < UTC_TIMESTAMP(6) - INTERVAL 1 DAY), 0)
            FROM (SELECT waiting_for, held_at FROM hookonce_job FORCE INDEX (claim)
            WHERE state = 'waiting' AND run_at >= TIMESTAMP'9999-01-01 00:00:00' LIMIT 1001) AS n) AS forgotten,
        (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim)
            WHERE state = 'running' LIMIT 1001) AS n) AS running,
        (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_job FORCE INDEX (claim)
            WHERE state = 'dead' AND route <> '(reply)' LIMIT 1001) AS n) AS dead,
        (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_conflict
            WHERE released_at IS NULL LIMIT 1001) AS n) AS conflicts,
        (SELECT COUNT(*) FROM hookonce_pause) AS paused,
        (SELECT COUNT(*) FROM (SELECT 1 FROM hookonce_command
            WHERE state IN ('new', 'running') LIMIT 1001) AS n)
            AS asked,
        (SELECT GREATEST(0, TIMESTAMPDIFF(SECOND, MAX(seen_at), UTC_TIMESTAMP(6)))
            FROM (SELECT seen_at FROM hookonce_worker UNION ALL SELECT seen_at FROM hookonce_host) AS seen)
            AS worker_s,
        (SELECT GREATEST(0, TIMESTAMPDIFF(SECOND, recorded_at, UTC_TIMESTAMP(6)))
            FROM hookonce_receipt FORCE INDEX (correlation) ORDER BY correlation_id DESC LIMIT 1)
            AS receipt_s,
        (SELECT COUNT(*) FROM hookonce_handler WHERE open_until IS NOT NULL) AS breakers,
        (SELECT COUNT(*) FROM hookonce_alert WHERE state = 'firing') AS alerts,
        (SELECT COALESCE(SUM(spool_files), 0) FROM hookonce_host) AS spooled,
        (SELECT COALESCE(SUM(spool_quarantined), 0) FROM hookonce_host) AS quarantined,
        (SELECT COALESCE(SUM(events), 0) FROM hookonce_stat
            WHERE hour > UTC_TIMESTAMP() - INTERVAL 24 HOUR) AS events,
        (SELECT MAX(version) FROM hookonce_schema) AS version
), facts AS (
    SELECT l.no AS no, l.name AS name,
        CASE l.no
            WHEN 1 THEN CONCAT(COALESCE(CONCAT('last seen ', worker_s, ' s ago'), 'never seen'),
                IF(due > 0, CONCAT(', the oldest due job waits for ', oldest_s, ' s'), ''))
            WHEN 2 THEN COALESCE(CONCAT(receipt_s, ' s ago'), 'none yet')
            WHEN 3 THEN IF(due > 1000, 'over 1000', due)
            WHEN 4 THEN IF(later > 1000, 'over 1000', later - put_off)
            WHEN 5 THEN CONCAT(IF(asleep > 1000, 'over 1000', asleep + put_off),
                IF(forgotten > 0, CONCAT(', held by a person for over a day: ', forgotten), ''))
            WHEN 6 THEN IF(running > 1000, 'over 1000', running)
            WHEN 7 THEN IF(dead > 1000, 'over 1000', dead)
            WHEN 8 THEN IF(conflicts > 1000, 'over 1000', conflicts)
            WHEN 9 THEN paused
            WHEN 10 THEN breakers
            WHEN 11 THEN IF(asked > 1000, 'over 1000', asked)
            WHEN 12 THEN alerts
            WHEN 13 THEN spooled
            WHEN 14 THEN quarantined
            WHEN 15 THEN CONCAT(events, ', counted every 5 minutes')
            WHEN 16 THEN version
        END AS value,
        CASE l.no
            WHEN 1 THEN IF(COALESCE(worker_s, 1201) > IF(due > 0 AND oldest_s > 180, 180, 1200),
                IF(worker_s IS NULL AND due = 0, 'look', 'wrong'), 'well')
            WHEN 2 THEN IF(receipt_s IS NULL, 'look', 'well')
            WHEN 3 THEN IF(due > 0 AND oldest_s > 900, 'look', 'well')
            WHEN 5 THEN IF(forgotten > 0, 'look', 'well')
            WHEN 7 THEN IF(dead > 0, 'look', 'well')
            WHEN 8 THEN IF(conflicts > 0, 'look', 'well')
            WHEN 9 THEN IF(paused > 0, 'look', 'well')
            WHEN 10 THEN IF(breakers > 0, 'look', 'well')
            WHEN 12 THEN IF(alerts > 0, 'wrong', 'well')
            WHEN 13 THEN IF(spooled > 0, 'look', 'well')
            WHEN 14 THEN IF(quarantined > 0, 'wrong', 'well')
            ELSE 'well' END AS state,
        l.what_to_do AS what_to_do
    FROM counted CROSS JOIN (
        SELECT 1 AS no, 'processor' AS name, 'does cron start `hookonce process` every minute?' AS what_to_do
        UNION ALL SELECT 2, 'last delivery', 'set a provider up, or: hookonce send'
        UNION ALL SELECT 3, 'due now', 'SELECT * FROM hookonce_queue'
        UNION ALL SELECT 4, 'due later', 'SELECT * FROM hookonce_queue'
        UNION ALL SELECT 5, 'waiting', 'SELECT * FROM hookonce_queue'
        UNION ALL SELECT 6, 'running', 'SELECT * FROM hookonce_queue'
        UNION ALL SELECT 7, 'dead letters', 'see hookonce_dead_letters; retry or discard each'
        UNION ALL SELECT 8, 'conflicts', 'SELECT * FROM hookonce_conflicts'
        UNION ALL SELECT 9, 'paused', 'SELECT * FROM hookonce_paused'
        UNION ALL SELECT 10, 'handlers at rest', 'they failed too often: SELECT * FROM hookonce_handler'
        UNION ALL SELECT 11, 'commands to do', 'SELECT * FROM hookonce_commands'
        UNION ALL SELECT 12, 'alerts', 'SELECT * FROM hookonce_alerts'
        UNION ALL SELECT 13, 'in the spool', 'SELECT * FROM hookonce_spool'
        UNION ALL SELECT 14, 'in quarantine', 'SELECT * FROM hookonce_spool; hookonce check says why'
        UNION ALL SELECT 15, 'events in 24 hours', ''
        UNION ALL SELECT 16, 'version of the tables', ''
    ) AS l
)
SELECT name, value, state, what_to_do FROM (
    SELECT 0 AS no, 'all' AS name,
        COALESCE(NULLIF(CONCAT_WS('; ',
            CONCAT('wrong: ', GROUP_CONCAT(IF(state = 'wrong', name, NULL) ORDER BY no SEPARATOR ', ')),
            CONCAT('look at: ', GROUP_CONCAT(IF(state = 'look', name, NULL) ORDER BY no SEPARATOR ', '))),
            ''), 'all is well') AS value,
        CASE WHEN SUM(state = 'wrong') > 0 THEN 'wrong' WHEN SUM(state = 'look') > 0 THEN 'look'
            ELSE 'well' END AS state,
        NULL AS what_to_do FROM facts
    UNION ALL SELECT no, name, value, state, IF(state = 'well', NULL, what_to_do) FROM facts) AS shown
ORDER BY no;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW hookonce_help AS
SELECT c.TABLE_NAME AS view_name, c.COLUMN_NAME AS column_name,
    COALESCE(own.meaning, shared.meaning, c.COLUMN_COMMENT) AS meaning, own.served_by AS served_by
FROM (SELECT TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, COLUMN_COMMENT FROM information_schema.COLUMNS
        WHERE TABLE_SCHEMA = DATABASE()
    UNION ALL SELECT TABLE_NAME, '', 0, '' FROM information_schema.VIEWS
        WHERE TABLE_SCHEMA = DATABASE()) AS c
JOIN information_schema.VIEWS AS v
    ON v.TABLE_SCHEMA = DATABASE() AND v.TABLE_NAME = c.TABLE_NAME AND LEFT(v.TABLE_NAME, CHAR_LENGTH('hookonce_')) = 'hookonce_'
LEFT JOIN hookonce_meaning AS own
    ON own.view_name = c.TABLE_NAME AND own.column_name = c.COLUMN_NAME
LEFT JOIN hookonce_meaning AS shared
    ON shared.view_name = '' AND shared.column_name = c.COLUMN_NAME AND c.ORDINAL_POSITION > 0
ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION;

REPLACE INTO hookonce_meaning (view_name, column_name, meaning, served_by) VALUES
    ('hookonce_overview', '', 'Whether all is well, one fact a row', 'job: claim; receipt: correlation; command: state; alert: state'),
    ('hookonce_overview', 'name', 'What it is about; the first row is all of them together', NULL),
    ('hookonce_overview', 'value', 'How it stands; counts end at over 1000', NULL),
    ('hookonce_overview', 'state', 'well; look: somebody should look at it; wrong: something does not work', NULL),
    ('hookonce_overview', 'what_to_do', 'Where to look further, or what to do', NULL),
    ('hookonce_recent', '', 'The newest 5000 events', 'receipt: correlation'),
    ('hookonce_find', '', 'All events, to be searched: WHERE event_id_raw = ...', 'receipt: PRIMARY'),
    ('hookonce_timeline', '', 'All that happened to an event: WHERE correlation_id = ... ORDER BY at, step', 'receipt: correlation; job: once; attempt: PRIMARY; effect: owner; command: correlation'),
    ('hookonce_timeline', 'at', 'When, UTC', NULL),
    ('hookonce_timeline', 'what', 'What happened', NULL),
    ('hookonce_timeline', 'detail', 'More of it in words', NULL),
    ('hookonce_timeline', 'step', 'Order of what happened at one moment', NULL),
    ('hookonce_queue', '', 'Jobs that are not done: of each state the 1000 that are due first', 'job: claim; receipt: correlation'),
    ('hookonce_queue', 'waiting_for', 'What it waits for; NULL: for its time only', NULL),
    ('hookonce_queue', 'waits_since', 'Since when it waits for that, UTC', NULL),
    ('hookonce_dead_letters', '', 'Jobs that were given up and wait for a person, the newest first', 'job: claim; receipt: correlation'),
    ('hookonce_attempts', '', 'Every try, the newest first', 'attempt: started; job: PRIMARY; receipt: correlation'),
    ('hookonce_duplicates', '', 'Events that came again, among the newest 10000', 'receipt: correlation'),
    ('hookonce_conflicts', '', 'Genuine deliveries that were refused because they contradict a receipt, the newest first', 'conflict: PRIMARY'),
    ('hookonce_new_command', '', 'To give a command: insert a row here, with what you fill in of hookonce_command; it shows those that are still to do', 'command: state'),
    ('hookonce_commands', '', 'What persons asked for, and what came of it, the newest first', 'command: PRIMARY'),
    ('hookonce_commands', 'created_at', 'When it was asked, UTC', NULL),
    ('hookonce_commands', 'filter', 'Which events or jobs it was about, if not one by name', NULL),
    ('hookonce_queue', 'run_at', 'When it is due, or its lease ends; of what is held or paused, since when, UTC', NULL),
    ('hookonce_paused', '', 'What is paused now', 'pause: PRIMARY'),
    ('hookonce_paused', 'paused_at', 'Since when, UTC', NULL),
    ('hookonce_alerts', '', 'What somebody should look at, and below it what no longer is so', 'alert: PRIMARY'),
    ('hookonce_alerts', 'subject', 'What it is about: a source, route, handler or file', NULL),
    ('hookonce_workers', '', 'Processors that reported within a day', 'worker: PRIMARY'),
    ('hookonce_workers', 'seconds_ago', 'How long ago it reported, seconds', NULL),
    ('hookonce_settings', '', 'The config that runs on each host; secrets only by the name of their file', 'setting: PRIMARY'),
    ('hookonce_spool', '', 'What each host keeps that is not in the database yet', 'host: PRIMARY'),
    ('hookonce_spool', 'state', 'well; look: something waits there; wrong: for more than 15 minutes, or in quarantine', NULL),
    ('hookonce_hourly', '', 'Events by hour, the last 72 hours; counted every 5 minutes', 'stat: PRIMARY'),
    ('hookonce_hourly', 'hour', 'Start of the hour in which they came, UTC', NULL),
    ('hookonce_daily', '', 'Events by day, the last 35 days; counted every 5 minutes', 'stat: PRIMARY'),
    ('hookonce_daily', 'day', 'The day on which they came, UTC', NULL),
    ('hookonce_latency', '', 'How long things took in the last 24 hours; counted every 5 minutes', 'sample: PRIMARY; stat: PRIMARY'),
    ('hookonce_latency', 'what', 'answer: from a delivery to its answer; first start: from the delivery to its handler; handler: a run of it', NULL),
    ('hookonce_latency', 'who', 'answer: the host; else the source', NULL),
    ('hookonce_latency', 'n', 'How many there were', NULL),
    ('hookonce_latency', 'average_ms', 'Their average, milliseconds', NULL),
    ('hookonce_latency', 'p50_ms', 'Half of them took at most so long, in the worst five minutes', NULL),
    ('hookonce_latency', 'p95_ms', '95 of 100 of them took at most so long, in the worst five minutes', NULL),
    ('hookonce_latency', 'p99_ms', '99 of 100 of them took at most so long, in the worst five minutes', NULL),
    ('hookonce_latency', 'longest_ms', 'The longest of them', NULL),
    ('hookonce_quiet_sources', '', 'Sources by how much they are silent, against what is expected, or usual for 28 days', 'stat: PRIMARY; expect: PRIMARY'),
    ('hookonce_quiet_sources', 'silent_minutes', 'Minutes since its last event', NULL),
    ('hookonce_quiet_sources', 'usual_a_day', 'Events that it brings on a day', NULL),
    ('hookonce_quiet_sources', 'missed', 'Events that would have come meanwhile, if they came evenly', NULL),
    ('hookonce_quiet_sources', 'expected_minutes', 'How long it may be silent, as the config says; NULL: it does not, or that is learnt', NULL),
    ('hookonce_quiet_sources', 'state', 'silent: too long for what the config expects; quiet: seven or more would have come; well: fewer', NULL),
    ('hookonce_help', '', 'What the views and their columns mean', 'meaning: PRIMARY'),
    ('hookonce_help', 'view_name', 'The view', NULL),
    ('hookonce_help', 'column_name', 'The column; empty: the view itself', NULL),
    ('hookonce_help', 'meaning', 'What it says', NULL),
    ('', 'provider', 'Dedupe scope: the provider, or the source''s own name', NULL),
    ('', 'source', 'Which source delivered it first (last part of the URL)', NULL),
    ('', 'event_id', 'The event''s id, to be read; search by event_id_raw', NULL),
    ('', 'event_type', 'The provider''s name for what happened', NULL),
    ('', 'object_key', 'Id of the object that the event is about', NULL),
    ('', 'events', 'How many events came', NULL),
    ('', 'processed', 'How many of these are processed', NULL),
    ('', 'failed', 'How many of these have a dead job', NULL),
    ('', 'duplicates', 'How often these came again', NULL),
    ('', 'bar', 'The events as a bar', NULL);
