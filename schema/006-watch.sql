-- Numbers and alerts: what came in each hour and how it fared, how the queue stood every five minutes,
-- how each host does, and what is wrong. `hookonce migrate` runs this file; it may also be imported by
-- hand, for example in phpMyAdmin: every statement ends with a semicolon at the end of a line, and
-- running the file again changes nothing. Needs CREATE, ALTER, INDEX and the right to write rows. Only the
-- processor writes these tables; nothing that is promised depends on them, and all of them may be
-- emptied at any time: hookonce_stat is then made again from the last days' receipts.

CREATE TABLE IF NOT EXISTS hookonce_stat (
    hour DATETIME NOT NULL
        COMMENT 'Start of the hour in which the events first came, UTC',
    source VARBINARY(64) NOT NULL
        COMMENT 'Which source they came to',
    event_type VARBINARY(255) NOT NULL
        COMMENT 'Their type',
    events INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How many events',
    duplicates INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How often these events came again, whenever that was',
    processed INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How many of these events are processed, those that nothing is done for among them',
    ignored INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How many of the processed ones no handler was for',
    failed INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How many of these events are failed: a job of theirs is dead',
    jobs INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How many jobs of these events were tried at all',
    tries INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How often their handlers were started',
    retried INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How often of these again, after a first start',
    wait_us BIGINT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Microseconds from the arrival to the first start, summed over the jobs',
    wait_max_us BIGINT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'The longest of these waits',
    run_us BIGINT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Microseconds that handlers ran, summed over the tries that ended',
    run_max_us BIGINT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'The longest of these runs',
    last_at DATETIME(6) NOT NULL
        COMMENT 'When the last of these events came, UTC',
    counted_at DATETIME(6) NOT NULL
        COMMENT 'When this row was last counted anew, UTC',
    PRIMARY KEY (hour, source, event_type),
    KEY source (source, hour)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Events by hour, source and type; counted from the receipts, and kept when those are pruned';

CREATE TABLE IF NOT EXISTS hookonce_tally (
    hour DATETIME NOT NULL
        COMMENT 'Start of the hour, UTC',
    host VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Which host answered',
    source VARBINARY(64) NOT NULL
        COMMENT 'Source of the deliveries; * for those of unknown ones',
    verdict VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'new, duplicate, conflict, repeat, handshake, probe, rejected, unsigned, busy, spooled',
    n BIGINT UNSIGNED NOT NULL
        COMMENT 'How many deliveries; added every five minutes, or as soon as a processor runs',
    PRIMARY KEY (hour, host, source, verdict)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Deliveries by hour, host, source and verdict, from the counters of each host';

CREATE TABLE IF NOT EXISTS hookonce_seen (
    host VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Whose counters',
    state_file BIGINT UNSIGNED NOT NULL
        COMMENT 'Of which state file: when that was made, microseconds since 1970',
    source VARBINARY(64) NOT NULL
        COMMENT 'Of which source; empty: of the host as a whole',
    counter VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Which of them; sampled: when they were last added, seconds since 1970',
    n BIGINT UNSIGNED NOT NULL
        COMMENT 'How far it had come when it was last added to the tables',
    PRIMARY KEY (host, state_file, source, counter)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='How much of each host''s counters is in hookonce_tally and hookonce_sample already';

CREATE TABLE IF NOT EXISTS hookonce_sample (
    at DATETIME NOT NULL
        COMMENT 'Start of the five minutes in which it was taken, UTC',
    host VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Which host took it',
    taken_at DATETIME(6) NOT NULL
        COMMENT 'When exactly, UTC',
    ready INT UNSIGNED NOT NULL
        COMMENT 'Jobs that were due and not running; counted to 100000',
    ready_oldest_s INT UNSIGNED NOT NULL
        COMMENT 'For how long the longest of them had been due, seconds',
    later INT UNSIGNED NOT NULL
        COMMENT 'Jobs that wait: for their next try, their lane or a person; counted to 100000',
    running INT UNSIGNED NOT NULL
        COMMENT 'Jobs that were running',
    dead INT UNSIGNED NOT NULL
        COMMENT 'Jobs that were given up and wait for a person; counted to 100000',
    accepted INT UNSIGNED NOT NULL
        COMMENT 'Deliveries that this host accepted since its sample before, duplicates among them',
    duplicates INT UNSIGNED NOT NULL
        COMMENT 'How many of these had come before',
    refused INT UNSIGNED NOT NULL
        COMMENT 'Deliveries that it refused meanwhile: rejected or unsigned',
    busy INT UNSIGNED NOT NULL
        COMMENT 'Deliveries that it asked to come again meanwhile',
    ack_n INT UNSIGNED NOT NULL
        COMMENT 'Answers to accepted deliveries meanwhile, as far as their time was taken',
    ack_us BIGINT UNSIGNED NOT NULL
        COMMENT 'Microseconds from the request to its answer, summed over these',
    ack_p50_us INT UNSIGNED NULL
        COMMENT 'Half of them took at most so many microseconds (upper edge of a bucket)',
    ack_p95_us INT UNSIGNED NULL
        COMMENT '95 of 100 of them took at most so many microseconds',
    ack_p99_us INT UNSIGNED NULL
        COMMENT '99 of 100 of them took at most so many microseconds',
    spool_files INT UNSIGNED NOT NULL
        COMMENT 'Deliveries in this host''s spool',
    PRIMARY KEY (at, host)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='How queue and receivers stood, every five minutes; kept for 35 days';

CREATE TABLE IF NOT EXISTS hookonce_host (
    host VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Name of the host',
    version VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
        COMMENT 'Version of the program that last reported',
    seen_at DATETIME(6) NOT NULL
        COMMENT 'When a processor there last reported, UTC',
    received_at DATETIME(6) NULL
        COMMENT 'When a receiver there last answered a delivery, UTC; NULL: not known',
    spool_files INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Deliveries in its spool; only a processor on that host can import them',
    spool_bytes BIGINT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How large these are together',
    spool_oldest_at DATETIME(6) NULL
        COMMENT 'When the oldest of them came, UTC; NULL: the spool is empty',
    spool_quarantined INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Spool files that could not be imported, and were put aside for a person',
    gate ENUM('closed', 'open') CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'closed'
        COMMENT 'open: its receivers leave the database alone for some seconds, since it failed',
    disk_free BIGINT UNSIGNED NULL
        COMMENT 'Bytes free where its spool lies; NULL: not known',
    disk_size BIGINT UNSIGNED NULL
        COMMENT 'Bytes that are there in all',
    clock_ahead_ms BIGINT NOT NULL DEFAULT 0
        COMMENT 'How far its clock is ahead of the database''s, milliseconds; below 0: behind',
    PRIMARY KEY (host)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Hosts with a receiver or a processor, as they last reported';

CREATE TABLE IF NOT EXISTS hookonce_round (
    name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'What is done now and then, by one processor of all',
    due_at DATETIME(6) NOT NULL
        COMMENT 'When it is to be done next, UTC',
    upto DATETIME(6) NULL
        COMMENT 'Up to when it has seen what changed, UTC; NULL: not done yet',
    done_at DATETIME(6) NULL
        COMMENT 'When it was last done to its end, UTC',
    worker VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Who did it last',
    PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Work that is done now and then, and when it was done last';

CREATE TABLE IF NOT EXISTS hookonce_expect (
    source VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Source whose events are expected',
    name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'NAME of [expect NAME] in the config; empty: expect_every of the source',
    event_type VARBINARY(255) NOT NULL
        COMMENT 'Which types; * stands for anything',
    every_s INT UNSIGNED NULL
        COMMENT 'How long it may be without one, seconds; NULL: learnt from what came so far',
    state ENUM('well', 'learning', 'silent') CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'learning: what came so far is too little to go by; silent: too long without one',
    expected_since DATETIME(6) NOT NULL
        COMMENT 'Since when this is expected, UTC; counts for a source that never had an event',
    last_at DATETIME(6) NULL
        COMMENT 'When the last such event came, UTC; NULL: none is known',
    silent_s INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How long it has been without one, quiet hours left out, seconds',
    odds INT UNSIGNED NULL
        COMMENT 'If learnt: so long without one has happened once in so many; over 1000 it is silent',
    silent_since DATETIME(6) NULL
        COMMENT 'When the silence became too long, UTC',
    looked_at DATETIME(6) NOT NULL
        COMMENT 'When this was last looked at, UTC',
    PRIMARY KEY (source, name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Events that are expected to come every so often, and whether they do';

CREATE TABLE IF NOT EXISTS hookonce_alert (
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'What is wrong, in a word of the runbook: dead-letters, queue-age, silence ...',
    host VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
        COMMENT 'Host that sees it; empty: it is in the database, and every host sees it',
    subject VARBINARY(128) NOT NULL DEFAULT ''
        COMMENT 'What it is about: a source, route, handler or file; empty: the installation',
    state ENUM('firing', 'over') CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'firing: it is so now; over: it was',
    n BIGINT UNSIGNED NOT NULL DEFAULT 1
        COMMENT 'How many there are now, of what the text counts',
    peak BIGINT UNSIGNED NOT NULL DEFAULT 1
        COMMENT 'The most there were since it began',
    text VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL
        COMMENT 'What is so, in words',
    advice VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL
        COMMENT 'What to do',
    times INT UNSIGNED NOT NULL DEFAULT 1
        COMMENT 'How often it has begun so far',
    began_at DATETIME(6) NOT NULL
        COMMENT 'When it began the last time, UTC',
    grew_at DATETIME(6) NOT NULL
        COMMENT 'When more of it last came, UTC',
    seen_at DATETIME(6) NOT NULL
        COMMENT 'When somebody last saw it so, UTC',
    over_at DATETIME(6) NULL
        COMMENT 'When it was over, UTC; NULL: it is not',
    PRIMARY KEY (kind, host, subject),
    KEY state (state, began_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='What somebody should look at, and what no longer is so';

CREATE TABLE IF NOT EXISTS hookonce_telling (
    channel VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Whom it is told: NAME of [alert NAME]',
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Which kind of alert; empty: the channel itself, and who is sending on it',
    state ENUM('firing', 'over') CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'What was told last; NULL: nothing yet',
    told_at DATETIME(6) NULL
        COMMENT 'When it was last told that it is so, UTC; the next time a window later',
    told_n BIGINT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How many were told then',
    messages INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How many messages it was in so far',
    failures INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Of the channel: sendings in a row that failed',
    error VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'Of the channel: why the last sending failed; NULL: it did not',
    next_at DATETIME(6) NULL
        COMMENT 'Of the channel: nothing is sent before, UTC',
    claimed_until DATETIME(6) NULL
        COMMENT 'Of the channel: somebody sends until then, UTC',
    claim_token BINARY(16) NULL
        COMMENT 'Of the channel: who; part of the fence',
    PRIMARY KEY (channel, kind)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='What was told whom, and when';

-- Tries are shown by when they started.
ALTER TABLE hookonce_attempt
    ADD KEY IF NOT EXISTS started (started_at);

INSERT IGNORE INTO hookonce_schema (version, name, applied_at)
VALUES (6, '006-watch', UTC_TIMESTAMP(6));
