-- Batches: one request may bring many events, and its body is stored once. `hookonce migrate` runs
-- this file; it may also be imported by hand, for example in phpMyAdmin: every statement ends with
-- a semicolon at the end of a line, and running the file again changes nothing. Needs ALTER and the
-- right to write rows. The new column comes last, so MariaDB adds it at once, whatever the table's
-- size.

ALTER TABLE hookonce_receipt
    ADD COLUMN IF NOT EXISTS body_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Correlation id under which its body is stored; NULL: its own';

ALTER TABLE hookonce_body
    MODIFY COLUMN correlation_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Of the receipt; others that came in the same request name it as their body_id';

ALTER TABLE hookonce_conflict
    MODIFY COLUMN body LONGBLOB NOT NULL
        COMMENT 'Body of the refused delivery (of a batch only its item), at most its first 1 MiB';

INSERT IGNORE INTO hookonce_schema (version, name, applied_at)
VALUES (2, '002-batch', UTC_TIMESTAMP(6));
