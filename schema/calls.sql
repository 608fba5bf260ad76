-- Commands as calls, for consoles where that is handier than a form: CALL hookonce_retry(12); each does
-- what one row in hookonce_command does, and the next run of the processor answers in that row. Optional:
-- import it by hand, for example in phpMyAdmin, or run `hookonce migrate --calls`. Needs CREATE ROUTINE
-- and ALTER ROUTINE, which many hosts do not give: nothing else of hookonce needs it. Each procedure is
-- one statement, so there is no DELIMITER; it runs with the rights of whoever calls it.

CREATE OR REPLACE PROCEDURE hookonce_retry(IN job_number BIGINT UNSIGNED)
    SQL SECURITY INVOKER COMMENT 'Opens a dead letter again'
    INSERT INTO hookonce_command (command, job) VALUES ('retry', job_number);

CREATE OR REPLACE PROCEDURE hookonce_replay(IN id_of_event VARCHAR(256) CHARACTER SET utf8mb4)
    SQL SECURITY INVOKER COMMENT 'Has an event done as far as it is not'
    INSERT INTO hookonce_command (command, event_id) VALUES ('replay', id_of_event);

CREATE OR REPLACE PROCEDURE hookonce_replay_again(IN id_of_event VARCHAR(256) CHARACTER SET utf8mb4,
    IN why VARCHAR(1001) CHARACTER SET utf8mb4)
    SQL SECURITY INVOKER COMMENT 'Has an event done once more'
    INSERT INTO hookonce_command (command, event_id, again, reason)
    VALUES ('replay', id_of_event, 'yes', why);

CREATE OR REPLACE PROCEDURE hookonce_discard(IN job_number BIGINT UNSIGNED,
    IN why VARCHAR(1001) CHARACTER SET utf8mb4)
    SQL SECURITY INVOKER COMMENT 'Ends a dead letter for good'
    INSERT INTO hookonce_command (command, job, reason) VALUES ('discard', job_number, why);

CREATE OR REPLACE PROCEDURE hookonce_hold(IN job_number BIGINT UNSIGNED)
    SQL SECURITY INVOKER COMMENT 'Keeps a job from running until it is released'
    INSERT INTO hookonce_command (command, job) VALUES ('hold', job_number);

CREATE OR REPLACE PROCEDURE hookonce_release(IN job_number BIGINT UNSIGNED)
    SQL SECURITY INVOKER COMMENT 'Lets go a job that is held, or waits for a person''s word'
    INSERT INTO hookonce_command (command, job) VALUES ('release', job_number);

CREATE OR REPLACE PROCEDURE hookonce_pause(IN source_name VARCHAR(65) CHARACTER SET utf8mb4)
    SQL SECURITY INVOKER COMMENT 'Lets the jobs of a source wait; NULL: everything'
    INSERT INTO hookonce_command (command, source) VALUES ('pause', source_name);

CREATE OR REPLACE PROCEDURE hookonce_resume(IN source_name VARCHAR(65) CHARACTER SET utf8mb4)
    SQL SECURITY INVOKER COMMENT 'Ends that pause; NULL: that of everything'
    INSERT INTO hookonce_command (command, source) VALUES ('resume', source_name);

CREATE OR REPLACE PROCEDURE hookonce_forget(IN id_of_event VARCHAR(256) CHARACTER SET utf8mb4)
    SQL SECURITY INVOKER COMMENT 'Erases the content of an event; its id stays'
    INSERT INTO hookonce_command (command, event_id) VALUES ('forget', id_of_event);

CREATE OR REPLACE PROCEDURE hookonce_test_alert()
    SQL SECURITY INVOKER COMMENT 'Sends a trial to whoever is told of trouble'
    INSERT INTO hookonce_command (command) VALUES ('test-alert');
