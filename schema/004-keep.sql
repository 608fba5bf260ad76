-- Keeping: bodies and answers that are sealed under a key, refused deliveries that may be released,
-- and guards that go with their receipt. `hookonce migrate` runs this file; it may also be imported
-- by hand, for example in phpMyAdmin: every statement ends with a semicolon at the end of a line,
-- and running the file again changes nothing. Needs ALTER, INDEX and the right to write rows. The
-- new columns come last, so MariaDB adds them at once, whatever the tables' size; the key is built
-- while the table stays in use.

ALTER TABLE hookonce_body
    ADD COLUMN IF NOT EXISTS body_key CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Print of the key that headers and bytes are sealed under; NULL: they are plain';

ALTER TABLE hookonce_conflict
    ADD COLUMN IF NOT EXISTS body_key CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Print of the key that headers and body are sealed under; NULL: they are plain',
    ADD COLUMN IF NOT EXISTS object_key VARBINARY(255) NULL
        COMMENT 'Id of the object that the refused delivery is about',
    ADD COLUMN IF NOT EXISTS occurred_at DATETIME(6) NULL
        COMMENT 'When it happened, by the provider''s own word, UTC',
    ADD COLUMN IF NOT EXISTS document VARBINARY(64) NULL
        COMMENT 'Where the JSON of the kept body is',
    ADD COLUMN IF NOT EXISTS secret_no TINYINT UNSIGNED NULL
        COMMENT 'Which secret of the source signed it, from 1',
    ADD COLUMN IF NOT EXISTS mac BINARY(32) NULL
        COMMENT 'Proof that this installation wrote the row; NULL: it cannot be released',
    ADD COLUMN IF NOT EXISTS released_at DATETIME(6) NULL
        COMMENT 'When a person made it an event of its own, UTC',
    DROP INDEX IF EXISTS same_again,
    ADD KEY IF NOT EXISTS again (provider, event_id, kind, same_digest),
    ADD KEY IF NOT EXISTS correlation (correlation_id);

ALTER TABLE hookonce_answer
    ADD COLUMN IF NOT EXISTS body_key CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Print of the key that the body is sealed under; NULL: it is plain';

ALTER TABLE hookonce_guard
    ADD KEY IF NOT EXISTS correlation (correlation_id);

INSERT IGNORE INTO hookonce_schema (version, name, applied_at)
VALUES (4, '004-keep', UTC_TIMESTAMP(6));
