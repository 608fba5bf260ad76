-- The tables of hookonce. `hookonce migrate` runs this file; it may also be imported by hand, for
-- example in phpMyAdmin: every statement ends with a semicolon at the end of a line, and running
-- the file again changes nothing. Needs CREATE, INDEX and the right to write rows, nothing more.
--
-- Ids are VARBINARY: byte for byte, nothing folded, padded or cut. Times are UTC, by the
-- database's clock only. Children name their receipt by its correlation id.

CREATE TABLE IF NOT EXISTS hookonce_schema (
    version INT UNSIGNED NOT NULL
        COMMENT 'Number of the schema file that was applied',
    name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Name of that file',
    applied_at DATETIME(6) NOT NULL
        COMMENT 'When it was applied, UTC',
    key_print CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Fingerprint of this installation''s key file; set by hookonce migrate',
    PRIMARY KEY (version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Which schema files have been applied';

CREATE TABLE IF NOT EXISTS hookonce_receipt (
    provider VARBINARY(64) NOT NULL
        COMMENT 'Dedupe scope: the provider, or the source''s own name',
    event_id VARBINARY(255) NOT NULL
        COMMENT 'The event''s id, byte for byte; a too long one as sha256:<hex>',
    correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Names this receipt in the other tables and in the log; sorts by time',
    source VARBINARY(64) NOT NULL
        COMMENT 'Which source delivered it first (last part of the URL)',
    event_type VARBINARY(255) NOT NULL
        COMMENT 'The provider''s name for what happened',
    object_key VARBINARY(255) NULL
        COMMENT 'Id of the object that the event is about',
    occurred_at DATETIME(6) NULL
        COMMENT 'When it happened, by the provider''s own word, UTC',
    received_at DATETIME(6) NOT NULL
        COMMENT 'When the delivery arrived, UTC',
    recorded_at DATETIME(6) NOT NULL
        COMMENT 'When this row was written, UTC',
    status ENUM('received', 'processing', 'processed', 'failed')
        CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'failed if a job is dead, else processing if one runs, else received if one waits',
    outcome VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'How its last job ended',
    body_len INT UNSIGNED NOT NULL
        COMMENT 'Bytes of the body as delivered',
    body_sha256 BINARY(32) NOT NULL
        COMMENT 'SHA-256 of the body',
    same_digest BINARY(32) NOT NULL
        COMMENT 'Digest of the meaning: another one under this id is a conflict',
    document VARBINARY(64) NOT NULL
        COMMENT 'Where the JSON of the body is: json, form, form:FIELD or none',
    secret_no TINYINT UNSIGNED NOT NULL
        COMMENT 'Which secret of the source signed it, from 1',
    duplicates INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How often the same event came again (counted after the answer)',
    last_duplicate_at DATETIME(6) NULL
        COMMENT 'When it last came again, UTC',
    mac BINARY(32) NOT NULL
        COMMENT 'Proof that this installation wrote the row; without it no job of it runs',
    PRIMARY KEY (provider, event_id),
    KEY correlation (correlation_id),
    CHECK (provider <> '' AND event_id <> ''),
    CHECK (correlation_id <> '')
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='One row per event, however often it was delivered';

CREATE TABLE IF NOT EXISTS hookonce_guard (
    provider VARBINARY(64) NOT NULL
        COMMENT 'Dedupe scope',
    token BINARY(32) NOT NULL
        COMMENT 'Digest of what the provider signed',
    event_id VARBINARY(255) NOT NULL
        COMMENT 'The id under which it came first',
    correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Of the receipt of that id',
    created_at DATETIME(6) NOT NULL
        COMMENT 'When it came first, UTC',
    PRIMARY KEY (provider, token)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Finds a replay of signed content under a fresh, unsigned id';

CREATE TABLE IF NOT EXISTS hookonce_conflict (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT
        COMMENT 'Number of the conflict',
    kind ENUM('meaning', 'repeat') CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'meaning: known id, other content; repeat: known content, other id',
    provider VARBINARY(64) NOT NULL
        COMMENT 'Dedupe scope',
    event_id VARBINARY(255) NOT NULL
        COMMENT 'The id that the refused delivery bore',
    source VARBINARY(64) NOT NULL
        COMMENT 'Which source delivered it',
    event_type VARBINARY(255) NOT NULL
        COMMENT 'The type that the refused delivery bore',
    correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Of the refused delivery, as in the log',
    first_correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Of the receipt that it collides with',
    same_digest BINARY(32) NOT NULL
        COMMENT 'Digest of the refused delivery''s meaning',
    first_same_digest BINARY(32) NULL
        COMMENT 'Digest of the meaning that was there first',
    headers MEDIUMBLOB NOT NULL
        COMMENT 'Headers of the refused delivery, without credentials',
    body LONGBLOB NOT NULL
        COMMENT 'Body of the refused delivery, at most its first 1 MiB',
    body_len INT UNSIGNED NOT NULL
        COMMENT 'Bytes of the whole body as delivered',
    body_sha256 BINARY(32) NOT NULL
        COMMENT 'SHA-256 of the whole body',
    seen INT UNSIGNED NOT NULL DEFAULT 1
        COMMENT 'How often it came; over 20 rows a receipt only the newest row counts on',
    first_seen_at DATETIME(6) NOT NULL
        COMMENT 'When it first came, UTC',
    last_seen_at DATETIME(6) NOT NULL
        COMMENT 'When it last came, UTC',
    PRIMARY KEY (id),
    UNIQUE KEY same_again (provider, event_id, kind, same_digest),
    KEY first_receipt (first_correlation_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Genuine deliveries that were refused because they contradict a receipt: for a person';

CREATE TABLE IF NOT EXISTS hookonce_body (
    correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Of the receipt',
    part SMALLINT UNSIGNED NOT NULL
        COMMENT 'From 0; a large body has several parts',
    headers MEDIUMBLOB NULL
        COMMENT 'In part 0: headers as delivered, without credentials',
    bytes LONGBLOB NOT NULL
        COMMENT 'The body''s bytes as delivered',
    PRIMARY KEY (correlation_id, part)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='What was delivered, byte for byte';

CREATE TABLE IF NOT EXISTS hookonce_job (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT
        COMMENT 'Number of the job',
    correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Of the receipt',
    route VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
        COMMENT 'Name of the route in the config; empty until dispatched',
    replay_no INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT '0, or the number of the replay that a person asked for',
    state ENUM('ready', 'running', 'done', 'dead')
        CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'ready: waits for run_at; running: under a lease; dead: waits for a person',
    run_at DATETIME(6) NOT NULL
        COMMENT 'ready: due; running: end of the lease; done and dead: when it ended, UTC',
    tries INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Tries so far that count',
    claim_no INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Rises with every claim; part of the fence',
    claim_token BINARY(16) NULL
        COMMENT 'Random, one a claim; part of the fence',
    suspect TINYINT UNSIGNED NOT NULL DEFAULT 0
        COMMENT '1: a worker vanished while it held this job; it is claimed alone',
    worker VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Who claimed it last',
    outcome VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'How its last claim ended',
    last_error VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'What went wrong the last time',
    created_at DATETIME(6) NOT NULL
        COMMENT 'When the job was made, UTC',
    PRIMARY KEY (id),
    UNIQUE KEY once (correlation_id, route, replay_no),
    KEY claim (state, run_at, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Work to do: one row per receipt and route';

CREATE TABLE IF NOT EXISTS hookonce_attempt (
    job_id BIGINT UNSIGNED NOT NULL
        COMMENT 'Of the job',
    claim_no INT UNSIGNED NOT NULL
        COMMENT 'Number of the claim',
    correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Of the receipt',
    try_no INT UNSIGNED NOT NULL
        COMMENT 'Which try of the job it was, from 1',
    worker VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Who tried',
    started_at DATETIME(6) NOT NULL
        COMMENT 'When the handler started, UTC',
    ended_at DATETIME(6) NULL
        COMMENT 'When it ended, UTC; NULL: it runs, or its worker vanished',
    outcome VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'How it ended',
    rows_changed BIGINT UNSIGNED NULL
        COMMENT 'Rows that the handler''s statements changed, for a try that is done',
    error VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'What went wrong',
    PRIMARY KEY (job_id, claim_no)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Every try of every job';

CREATE TABLE IF NOT EXISTS hookonce_worker (
    id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Name of the worker: host, process, random part',
    host VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Where it runs',
    pid INT UNSIGNED NOT NULL
        COMMENT 'Its process there',
    started_at DATETIME(6) NOT NULL
        COMMENT 'When it started, UTC',
    seen_at DATETIME(6) NOT NULL
        COMMENT 'When it last gave a sign of life, UTC',
    PRIMARY KEY (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Processors, as they last reported';

INSERT IGNORE INTO hookonce_schema (version, name, applied_at)
VALUES (1, '001-inbox', UTC_TIMESTAMP(6));
