-- Flows: one effect a business key, order and one job at a time per object, waiting that costs no
-- try, pauses, limits of handlers, and answers that are kept. `hookonce migrate` runs this file; it
-- may also be imported by hand, for example in phpMyAdmin: every statement ends with a semicolon at
-- the end of a line, and running the file again changes nothing. Needs CREATE, ALTER, INDEX and the
-- right to write rows. New columns come last and the new state at the end of its list, so MariaDB
-- changes the table at once; the two keys are built while the table stays in use.

ALTER TABLE hookonce_job
    MODIFY COLUMN state ENUM('ready', 'running', 'done', 'dead', 'waiting')
        CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'ready: due at run_at; running: leased; waiting: until it is woken; dead: for a person',
    MODIFY COLUMN run_at DATETIME(6) NOT NULL
        COMMENT 'ready: due; running: end of the lease; waiting: looks again (9999: never); else: its end',
    ADD COLUMN IF NOT EXISTS class TINYINT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Which share of the claims it is in: 0 fresh, 1 tried before, 2 low priority',
    ADD COLUMN IF NOT EXISTS lane BINARY(32) NULL
        COMMENT 'Of the object that it waits for or has, by digest; or the pause that it waits for',
    ADD COLUMN IF NOT EXISTS waits INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How often it was put off; that costs no try',
    ADD COLUMN IF NOT EXISTS need_waits INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How often of these because what it needs was not there',
    ADD COLUMN IF NOT EXISTS waiting_for VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'lane, need, owner, release, breaker, rate, slot, handler, fetch, body key, turn, pause, hold',
    ADD COLUMN IF NOT EXISTS waits_since DATETIME(6) NULL
        COMMENT 'When it was first put off since its last counted try, UTC; bounds begin there',
    ADD COLUMN IF NOT EXISTS waited_for VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'All that it was ever put off for, with commas; stays when it has ended',
    ADD COLUMN IF NOT EXISTS first_try_at DATETIME(6) NULL
        COMMENT 'When a command or URL was first asked, UTC; NULL: it certainly did not act',
    ADD COLUMN IF NOT EXISTS done_by CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Whose receipt has its business key, or, if stale, ran before it; its own: discarded as done',
    ADD COLUMN IF NOT EXISTS idempotency_key BINARY(32) NULL
        COMMENT 'What a command or URL is told: set with its first try, and never changed',
    ADD COLUMN IF NOT EXISTS key_mac BINARY(32) NULL
        COMMENT 'Proof that this installation wrote the idempotency key; without it nothing runs',
    ADD COLUMN IF NOT EXISTS reopened INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How often a person had it run again after its end',
    ADD COLUMN IF NOT EXISTS reopened_at DATETIME(6) NULL
        COMMENT 'When the last time, UTC',
    ADD COLUMN IF NOT EXISTS held_at DATETIME(6) NULL
        COMMENT 'Since when it waits for a pause to end or for its release, UTC';

ALTER TABLE hookonce_job
    ADD KEY IF NOT EXISTS claim_class (state, class, run_at, id),
    ADD KEY IF NOT EXISTS lane (lane, state, id);

CREATE TABLE IF NOT EXISTS hookonce_effect (
    flow VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Which flow: the route''s `flow`, or its name',
    effect_key BINARY(32) NOT NULL
        COMMENT 'SHA-256 of the business key',
    business_key VARBINARY(255) NOT NULL
        COMMENT 'The business key itself; a too long one as sha256:<hex>',
    state ENUM('reserved', 'done', 'unknown') CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'reserved: its owner is at it; unknown: nobody knows whether it acted: for a person',
    job_id BIGINT UNSIGNED NOT NULL
        COMMENT 'The owner: the job that does it',
    correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Receipt of the owner',
    reserved_at DATETIME(6) NOT NULL
        COMMENT 'When the owner took it, UTC',
    done_at DATETIME(6) NULL
        COMMENT 'When it was done, UTC',
    PRIMARY KEY (flow, effect_key),
    KEY owner (job_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='One row per flow and business key: the effect that happens once';

CREATE TABLE IF NOT EXISTS hookonce_object (
    flow VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Which flow',
    object_key BINARY(32) NOT NULL
        COMMENT 'SHA-256 of the key that orders or serializes',
    object_id VARBINARY(255) NOT NULL
        COMMENT 'That key itself; a too long one as sha256:<hex>',
    mark BIGINT NULL
        COMMENT 'Order of the newest event that ran: unix microseconds, or the number of order_at',
    marked_by CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Receipt of that event',
    held_by BIGINT UNSIGNED NULL
        COMMENT 'Job that has the lane; NULL: free',
    held_claim INT UNSIGNED NULL
        COMMENT 'Its claim',
    held_until DATETIME(6) NULL
        COMMENT 'End of its lease, UTC; then the lane is free whatever the row says',
    held_from DATETIME(6) NULL
        COMMENT 'When that lease began, UTC; one that ends twice its length ahead is over',
    held_mark BIGINT NULL
        COMMENT 'Mark of the event that has the lane; it counts if that may have acted',
    mark_of VARBINARY(255) NULL
        COMMENT 'What the mark is: time, or time or number and the order_at; others do not compare',
    held_of VARBINARY(255) NULL
        COMMENT 'The same of held_mark',
    changed_at DATETIME(6) NOT NULL
        COMMENT 'When the row was last changed, UTC',
    PRIMARY KEY (flow, object_key),
    KEY holder (held_by)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='One row per flow and object: its order mark, and who has its lane';

CREATE TABLE IF NOT EXISTS hookonce_handler (
    name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Name of the handler in the config',
    failures INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Tries in a row that failed',
    open_until DATETIME(6) NULL
        COMMENT 'Breaker: nothing is tried before, UTC; NULL: closed',
    probe_until DATETIME(6) NULL
        COMMENT 'Half open: one job tries it until then, UTC',
    probe_from DATETIME(6) NULL
        COMMENT 'Half open: since when that one tries it, UTC',
    probe_job BIGINT UNSIGNED NULL
        COMMENT 'Half open: that job; only its end closes the breaker, or opens it again',
    probe_claim INT UNSIGNED NULL
        COMMENT 'Half open: its claim',
    rate_from DATETIME(6) NULL
        COMMENT 'Start of the window of its rate limit, UTC',
    rate_count INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Tries started in that window',
    changed_at DATETIME(6) NOT NULL
        COMMENT 'When the row was last changed, UTC',
    PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Breaker and rate of each handler';

CREATE TABLE IF NOT EXISTS hookonce_slot (
    handler VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Handler with a limit on how many run at once',
    slot SMALLINT UNSIGNED NOT NULL
        COMMENT 'From 1 to that limit',
    job_id BIGINT UNSIGNED NULL
        COMMENT 'Who has it; NULL: free',
    claim_no INT UNSIGNED NULL
        COMMENT 'Its claim',
    held_until DATETIME(6) NULL
        COMMENT 'End of its lease, UTC; then the slot is free whatever the row says',
    held_from DATETIME(6) NULL
        COMMENT 'When that lease began, UTC',
    PRIMARY KEY (handler, slot)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Places for handlers that may run only so often at once';

CREATE TABLE IF NOT EXISTS hookonce_answer (
    correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Of the receipt',
    status SMALLINT UNSIGNED NOT NULL
        COMMENT 'HTTP status',
    content_type VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Of the body; NULL: none',
    body MEDIUMBLOB NOT NULL
        COMMENT 'What was answered, and is answered to every repeat',
    mac BINARY(32) NOT NULL
        COMMENT 'Proof that this installation wrote the answer; without it none is given',
    answered_at DATETIME(6) NOT NULL
        COMMENT 'When, UTC',
    PRIMARY KEY (correlation_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Answers of sources in reply mode';

CREATE TABLE IF NOT EXISTS hookonce_pause (
    kind ENUM('everything', 'source', 'route', 'handler')
        CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'What is paused: all jobs, or those of one source, route or handler',
    name VARCHAR(65) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
        COMMENT 'Its name in the config; empty for everything',
    who VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT ''
        COMMENT 'Who paused it',
    reason VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT ''
        COMMENT 'Why, in that person''s words',
    paused_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
        COMMENT 'Since when; shown in the time zone of whoever looks',
    PRIMARY KEY (kind, name),
    CONSTRAINT a_pause_of_everything_has_no_name CHECK ((kind = 'everything') = (name = '')),
    CONSTRAINT a_pause_is_of_everything_a_source_a_route_or_a_handler CHECK (kind <> ''),
    CONSTRAINT a_name_has_64_characters_at_most CHECK (CHAR_LENGTH(name) <= 64)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='What is paused now: its jobs wait, deliveries are received; deleting a row ends it';

INSERT IGNORE INTO hookonce_schema (version, name, applied_at)
VALUES (3, '003-flow', UTC_TIMESTAMP(6));
