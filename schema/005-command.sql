-- Commands that a person gives by inserting one row, here or from the shell, and what is paused.
-- `hookonce migrate` runs this file; it may also be imported by hand, for example in phpMyAdmin:
-- every statement ends with a semicolon at the end of a line, and running the file again changes
-- nothing. Needs CREATE, ALTER, INDEX and the right to write rows. The new column comes last, so
-- MariaDB adds it at once; its key is built while the table stays in use.
--
-- A command needs only what it is about; everything else has a default:
--     INSERT INTO hookonce_command (command, job) VALUES ('retry', 12)
-- The next run of the processor does it, and writes into `state` and `answer` what came of it. The
-- names of the constraints are what the database says when a row makes no sense. They hold without
-- strict mode, too: there the database makes '' of a word that is none of the list, 0 of what is no
-- number or time, and cuts what is too long; so each text may be one character longer in its column
-- than a_text_is_too_long lets it be.

CREATE TABLE IF NOT EXISTS hookonce_command (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT
        COMMENT 'Number of the command; leave it empty',
    command ENUM('retry', 'replay', 'discard', 'hold', 'release', 'pause', 'resume', 'forget', 'prune',
        'test-alert') CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'What to do',
    job BIGINT UNSIGNED NULL
        COMMENT 'With which job; or give an event, or a filter',
    event_id VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'With which event, by the provider''s id of it; with `provider` if several have it',
    correlation_id VARCHAR(27) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'With which event, by its correlation id',
    conflict BIGINT UNSIGNED NULL
        COMMENT 'release: which conflict',
    provider VARCHAR(65) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'Filter: only events of this provider, or dedupe scope',
    source VARCHAR(65) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'Filter: only of this source; or the source to pause or resume',
    route VARCHAR(65) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'Filter: only jobs of this route; or the route to pause or resume',
    handler VARCHAR(65) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'Filter: only jobs of this handler; or the handler to pause or resume',
    event_type VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'Filter: only this type; a * stands for anything, as in customer.*',
    status ENUM('received', 'processing', 'processed', 'failed')
        CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Filter: only events of this status',
    outcome VARCHAR(33) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'Filter: only jobs that ended so, as in: gave up',
    from_time DATETIME(6) NULL
        COMMENT 'Filter: only what was received at this time or later, UTC',
    to_time DATETIME(6) NULL
        COMMENT 'Filter: only what was received before this time, UTC',
    dry_run ENUM('no', 'yes') CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'no'
        COMMENT 'yes: only answer what would be done',
    at_most INT UNSIGNED NOT NULL DEFAULT 100
        COMMENT 'With a filter: not more jobs than so many, those of the oldest events; up to 100000',
    per_minute INT UNSIGNED NULL
        COMMENT 'With a filter: so many of the jobs become due a minute; NULL: all at once',
    again ENUM('no', 'yes') CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'no'
        COMMENT 'replay: yes: also what is done is done once more; wants a reason',
    acted ENUM('yes', 'no') CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'discard: whether its work was done, as you found out; NULL: you do not know',
    reason VARCHAR(1001) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'Why, for whoever asks later',
    asked_by VARCHAR(201) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL DEFAULT (USER())
        COMMENT 'Who asks: your name; else the database''s account',
    asked_from ENUM('sql', 'shell') CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'sql'
        COMMENT 'Leave it: shell is for the program, which does its commands itself',
    created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
        COMMENT 'Leave it: when it was asked; shown in the time zone of whoever looks',
    state ENUM('new', 'running', 'done', 'refused', 'failed')
        CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'new'
        COMMENT 'Leave it, like all that follows. refused: nothing was done, see answer',
    answer VARCHAR(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'What was done, or what is wrong and how to write it right',
    found INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'What it is about so far: jobs, events or conflicts',
    did INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'For how many of these something was done',
    started_at DATETIME(6) NULL
        COMMENT 'When it was begun, UTC',
    ended_at DATETIME(6) NULL
        COMMENT 'When it ended, UTC',
    reached_at DATETIME(6) NULL
        COMMENT 'How far it has come: time of the event of the last job, UTC',
    reached_job BIGINT UNSIGNED NULL
        COMMENT 'How far it has come: the last job',
    claims TINYINT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'How often it was taken up since it last came further',
    worker VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Who does it',
    claim_token BINARY(16) NULL
        COMMENT 'Random, one a claim: the fence',
    lease_until DATETIME(6) NULL
        COMMENT 'running: until then nobody else takes it, UTC',
    PRIMARY KEY (id),
    KEY state (state, id),
    KEY what (command, id),
    KEY correlation (correlation_id),
    KEY created (created_at),
    CONSTRAINT command_must_be_one_of_the_list CHECK (command <> ''),
    CONSTRAINT give_a_job_or_an_event_or_a_conflict_not_two CHECK
        ((job IS NOT NULL) + (COALESCE(event_id, '') <> '') + (COALESCE(correlation_id, '') <> '')
         + (conflict IS NOT NULL) <= 1 OR asked_from = 'shell' OR state <> 'new'),
    CONSTRAINT retry_replay_discard_need_a_job_an_event_or_a_filter CHECK
        (command NOT IN ('retry', 'replay', 'discard') OR job IS NOT NULL
         OR CONCAT_WS('', event_id, correlation_id, provider, source, route, handler, event_type,
                      status, outcome, from_time, to_time) <> ''),
    CONSTRAINT give_an_id_or_a_filter_not_both CHECK
        ((job IS NULL AND conflict IS NULL AND CONCAT_WS('', event_id, correlation_id) = '')
         OR CONCAT_WS('', source, route, handler, event_type, status, outcome, from_time, to_time) = ''),
    CONSTRAINT hold_needs_a_job_or_an_event CHECK
        (command <> 'hold' OR job IS NOT NULL OR CONCAT_WS('', event_id, correlation_id) <> ''),
    CONSTRAINT release_needs_a_job_an_event_or_a_conflict CHECK
        (command <> 'release' OR job IS NOT NULL OR conflict IS NOT NULL
         OR CONCAT_WS('', event_id, correlation_id) <> ''),
    CONSTRAINT forget_needs_a_job_or_an_event CHECK
        (command <> 'forget' OR job IS NOT NULL OR CONCAT_WS('', event_id, correlation_id) <> ''
         OR asked_from = 'shell'),
    CONSTRAINT pause_and_resume_take_one_source_or_route_or_handler CHECK
        (command NOT IN ('pause', 'resume')
         OR (COALESCE(source, '') <> '') + (COALESCE(route, '') <> '')
            + (COALESCE(handler, '') <> '') <= 1),
    CONSTRAINT pause_resume_prune_and_test_alert_take_no_job_or_event CHECK
        (command NOT IN ('pause', 'resume', 'prune', 'test-alert')
         OR (job IS NULL AND CONCAT_WS('', event_id, correlation_id) = '')),
    CONSTRAINT a_filter_is_only_for_retry_replay_and_discard CHECK
        (command IN ('retry', 'replay', 'discard')
         OR (CONCAT_WS('', event_type, status, outcome, from_time, to_time) = ''
             AND (COALESCE(provider, '') = '' OR COALESCE(event_id, '') <> '')
             AND (CONCAT_WS('', source, route, handler) = '' OR command IN ('pause', 'resume')))),
    CONSTRAINT provider_goes_with_event_id_or_with_a_filter CHECK
        (COALESCE(provider, '') = '' OR COALESCE(event_id, '') <> ''
         OR (job IS NULL AND conflict IS NULL AND COALESCE(correlation_id, '') = '')),
    CONSTRAINT conflict_is_only_for_release CHECK (conflict IS NULL OR command = 'release'),
    CONSTRAINT discard_needs_a_reason CHECK (command <> 'discard' OR TRIM(COALESCE(reason, '')) <> ''),
    CONSTRAINT again_needs_a_reason CHECK (again = 'no' OR TRIM(COALESCE(reason, '')) <> ''),
    CONSTRAINT again_is_only_for_replay CHECK (again = 'no' OR command = 'replay'),
    CONSTRAINT acted_is_only_for_discard_of_a_job_or_an_event CHECK
        (acted IS NULL OR (command = 'discard' AND (job IS NOT NULL
         OR CONCAT_WS('', event_id, correlation_id) <> ''))),
    CONSTRAINT at_most_is_from_1_to_100000 CHECK (at_most BETWEEN 1 AND 100000),
    CONSTRAINT per_minute_is_from_1_to_100000 CHECK
        (per_minute IS NULL OR per_minute BETWEEN 1 AND 100000),
    CONSTRAINT from_time_is_before_to_time CHECK
        (from_time IS NULL OR to_time IS NULL OR from_time < to_time),
    CONSTRAINT write_yes_or_no CHECK (dry_run <> '' AND again <> '' AND COALESCE(acted, 'no') <> ''),
    CONSTRAINT status_is_received_processing_processed_or_failed CHECK (status <> ''),
    CONSTRAINT leave_state_and_asked_from_as_they_are CHECK (state <> '' AND asked_from <> ''),
    CONSTRAINT job_and_conflict_are_numbers CHECK (COALESCE(job, 1) > 0 AND COALESCE(conflict, 1) > 0),
    CONSTRAINT times_are_written_as_2026_12_31_23_59_59 CHECK
        (COALESCE(from_time, '9999-12-31') > '1000-01-01'
         AND COALESCE(to_time, '9999-12-31') > '1000-01-01'),
    CONSTRAINT a_text_is_too_long CHECK
        (CHAR_LENGTH(COALESCE(event_id, '')) <= 255 AND CHAR_LENGTH(COALESCE(correlation_id, '')) <= 26
         AND CHAR_LENGTH(COALESCE(provider, '')) <= 64 AND CHAR_LENGTH(COALESCE(source, '')) <= 64
         AND CHAR_LENGTH(COALESCE(route, '')) <= 64 AND CHAR_LENGTH(COALESCE(handler, '')) <= 64
         AND CHAR_LENGTH(COALESCE(event_type, '')) <= 255 AND CHAR_LENGTH(COALESCE(outcome, '')) <= 32
         AND CHAR_LENGTH(COALESCE(reason, '')) <= 1000 AND CHAR_LENGTH(COALESCE(asked_by, '')) <= 200)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='Commands of persons: one row does one thing, once, and keeps who asked, when and why';

ALTER TABLE hookonce_job
    ADD COLUMN IF NOT EXISTS command_id BIGINT UNSIGNED NULL
        COMMENT 'The last command that a person gave it: a row of hookonce_command';

ALTER TABLE hookonce_job
    ADD KEY IF NOT EXISTS command (command_id);

INSERT IGNORE INTO hookonce_schema (version, name, applied_at)
VALUES (5, '005-command', UTC_TIMESTAMP(6));
