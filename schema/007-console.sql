-- The console: which config runs, and what the columns of the views mean. `hookonce migrate` runs this
-- file; it may also be imported by hand, for example in phpMyAdmin: every statement ends with a
-- semicolon at the end of a line, and running the file again changes nothing. Needs CREATE and the
-- right to write rows. The views themselves are in views.sql, which comes after this one.

CREATE TABLE IF NOT EXISTS hookonce_setting (
    host VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'Which host runs with it',
    no INT UNSIGNED NOT NULL
        COMMENT 'Order in the config',
    section VARCHAR(96) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL
        COMMENT 'Section of the config, with its name',
    name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'The key',
    value VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL
        COMMENT 'Its value; of a secret only where it is kept; at most 2000 characters',
    is_default ENUM('no', 'yes') CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'yes: the config does not have it',
    place VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
        COMMENT 'File and line of the config',
    changed_at DATETIME(6) NOT NULL
        COMMENT 'Since when it runs with this config, UTC',
    PRIMARY KEY (host, no)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='The config that runs, without secrets; written by the processor when it changes';

CREATE TABLE IF NOT EXISTS hookonce_meaning (
    view_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'The view; empty: the column means the same in all',
    column_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
        COMMENT 'The column; empty: the view itself',
    meaning VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL
        COMMENT 'What it says',
    served_by VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'Of a view: the indexes that make it fast on millions of receipts',
    PRIMARY KEY (view_name, column_name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4
  COMMENT='What the views and their columns mean, where no comment of a table says it';

INSERT IGNORE INTO hookonce_schema (version, name, applied_at)
VALUES (7, '007-console', UTC_TIMESTAMP(6));
