-- Rights of hookonce's two database users, so that whoever gets hold of the receiver's can add
-- deliveries, and nothing else. `hookonce grants` prints this file filled in. By hand: replace
-- {database} by the database's name, {receiver} and {processor} by the accounts, for example
-- 'acme_receiver'@'localhost', and run it as an account that may grant, once `hookonce migrate` has
-- made the tables. A statement ends with a semicolon at the end of a line. Running it again changes
-- nothing; it takes no right away.

-- @receiver: what the receivers do with a delivery, which is answered before it is worked on.
GRANT SELECT (version, key_print) ON {database}.hookonce_schema TO {receiver};
GRANT INSERT, SELECT (provider, token, event_id, correlation_id)
    ON {database}.hookonce_guard TO {receiver};
GRANT INSERT, SELECT (provider, event_id, correlation_id, same_digest, duplicates),
    UPDATE (duplicates, last_duplicate_at)
    ON {database}.hookonce_receipt TO {receiver};
GRANT INSERT ON {database}.hookonce_body TO {receiver};
GRANT INSERT (correlation_id, state, run_at, created_at)
    ON {database}.hookonce_job TO {receiver};
GRANT INSERT, SELECT (id, provider, event_id, kind, same_digest, first_correlation_id, seen,
        released_at),
    UPDATE (seen, last_seen_at)
    ON {database}.hookonce_conflict TO {receiver};

-- @reply: only where a source has mode = reply. The receivers then claim the job that answers.
GRANT INSERT (route, claim_no, claim_token, worker),
    SELECT (id, correlation_id, route, replay_no, state, run_at, tries, claim_no, claim_token,
        worker, outcome, done_by),
    UPDATE (state, run_at, claim_no, claim_token, worker, outcome)
    ON {database}.hookonce_job TO {receiver};
GRANT INSERT, SELECT (job_id, claim_no), UPDATE (ended_at, outcome)
    ON {database}.hookonce_attempt TO {receiver};
GRANT SELECT (status), UPDATE (status, outcome)
    ON {database}.hookonce_receipt TO {receiver};
GRANT SELECT ON {database}.hookonce_answer TO {receiver};

-- @processor: the processor and the operator's commands. Handlers with `sql` need rights on your own
-- tables too: GRANT SELECT, UPDATE ON {database}.orders TO {processor}, and so on.
GRANT SELECT ON {database}.hookonce_schema TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_receipt TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_guard TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_conflict TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_body TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_job TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_attempt TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_worker TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_effect TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_object TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_handler TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_slot TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_answer TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_pause TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_command TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_stat TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_tally TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_expect TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_seen TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_sample TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_host TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_round TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_alert TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_telling TO {processor};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.hookonce_setting TO {processor};
GRANT SELECT ON {database}.hookonce_meaning TO {processor};

-- @views: for a console in which somebody logs in as the processor's user.
GRANT SELECT ON {database}.hookonce_recent TO {processor};
GRANT SELECT ON {database}.hookonce_find TO {processor};
GRANT SELECT ON {database}.hookonce_queue TO {processor};
GRANT SELECT ON {database}.hookonce_dead_letters TO {processor};
GRANT SELECT ON {database}.hookonce_attempts TO {processor};
GRANT SELECT ON {database}.hookonce_duplicates TO {processor};
GRANT SELECT ON {database}.hookonce_conflicts TO {processor};
GRANT SELECT ON {database}.hookonce_workers TO {processor};
GRANT SELECT ON {database}.hookonce_commands TO {processor};
GRANT SELECT, INSERT ON {database}.hookonce_new_command TO {processor};
GRANT SELECT ON {database}.hookonce_paused TO {processor};
GRANT SELECT ON {database}.hookonce_settings TO {processor};
GRANT SELECT ON {database}.hookonce_timeline TO {processor};
GRANT SELECT ON {database}.hookonce_alerts TO {processor};
GRANT SELECT ON {database}.hookonce_spool TO {processor};
GRANT SELECT ON {database}.hookonce_hourly TO {processor};
GRANT SELECT ON {database}.hookonce_daily TO {processor};
GRANT SELECT ON {database}.hookonce_latency TO {processor};
GRANT SELECT ON {database}.hookonce_quiet_sources TO {processor};
GRANT SELECT ON {database}.hookonce_overview TO {processor};
GRANT SELECT ON {database}.hookonce_help TO {processor};
