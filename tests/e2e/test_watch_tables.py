"""What the watch makes of the tables: hosts that are gone, clocks that were put back, slow crons."""

import json

from hooktest import events
from hooktest.alerts import kill_jobs, mail_section, mails, subject
from hooktest.flow import arrive
from test_watch import quietly, watch, watched


def seen(s, kind):
    done = watch(s, "--show", "--json")
    return {a["subject"]: a["text"] for a in map(json.loads, done.stdout.splitlines()) if a["kind"] == kind}


def host_row(s, name, ago_min, spool_files=0):
    s.sql("REPLACE INTO hookonce_host (host, version, seen_at, spool_files) VALUES "
          "(%s, '1', UTC_TIMESTAMP(6) - INTERVAL %s MINUTE, %s)", name, ago_min, spool_files)


def test_what_a_host_that_is_gone_saw_is_not_called_over(site):
    s = watched(site)
    s.sql("INSERT INTO hookonce_alert (kind, host, subject, state, n, peak, text, advice, began_at, grew_at, seen_at) "
          "VALUES ('spool', 'web2', '', 'firing', 3, 3, '3 wait', 'x', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), "
          "UTC_TIMESTAMP(6))")
    quietly(s)
    s.sql("UPDATE hookonce_alert SET seen_at = seen_at - INTERVAL 25 HOUR")
    quietly(s)
    mail = mails(s)[1]
    assert subject(mail) == "[hookonce] not looked at any more: spool not empty"
    assert "on web2: not looked at any more since" in mail and "over since" not in mail


def test_a_clock_that_was_put_back_hides_no_end_and_no_missing_processor(site):
    s = watched(site)
    s.process()
    kill_jobs(s, 1)
    quietly(s)
    s.sql("UPDATE hookonce_job SET state = 'done'")
    s.sql("UPDATE hookonce_alert SET seen_at = seen_at + INTERVAL 3 HOUR")
    s.sql("UPDATE hookonce_host SET seen_at = seen_at + INTERVAL 3 HOUR")
    s.sql("UPDATE hookonce_worker SET seen_at = seen_at + INTERVAL 3 HOUR")
    quietly(s)
    assert s.value("SELECT state FROM hookonce_alert WHERE kind = 'dead-letters'") == "over"
    assert "clock was put back" in seen(s, "processor")[None]


def test_a_slow_cron_is_no_missing_processor(site):
    s = watched(site)
    s.sql("DELETE FROM hookonce_worker")
    host_row(s, "web1", 40)
    assert seen(s, "processor")
    s.configure("[watch]\nprocessor_every = 30m\n" + s.config_text())
    assert seen(s, "processor") == {}
    assert not any("no processor" in r for r in json.loads(s.hookonce("page", "health").stdout)["reasons"])
    host_row(s, "web1", 100)
    assert seen(s, "processor")


def test_no_kind_is_left_out_for_many_of_another(site):
    s = watched(site)
    s.sql("INSERT INTO hookonce_job (correlation_id, route, state, run_at, outcome, created_at) SELECT "
          "CONCAT('01', LPAD(seq, 24, '0')), CONCAT('r', seq), 'dead', UTC_TIMESTAMP(6), 'gave up', "
          "UTC_TIMESTAMP(6) FROM seq_1_to_520")
    host_row(s, "web1", 100)
    quietly(s)
    assert subject(mails(s)[0]) == "[hookonce] dead letters (520), no processor"
    assert s.value("SELECT text FROM hookonce_alert WHERE subject = '(more)'") == "and 480 more like these"


def test_sql_that_is_invalid_is_told_at_its_first_try(site):
    for wrong in ("UPDAET orders SET paid = 1", "INSERT INTO not_there (id) VALUES ({event:id})",
                  "INSERT INTO fx (not_there) VALUES ({event:id})"):
        s = watched(site, handlers={"h": {"sql": wrong}})
        arrive(s, events.stripe("evt_1"))
        s.process()
        assert s.value("SELECT state FROM hookonce_job") == "ready"
        assert "unable to work" in seen(s, "handler")["paid"], s.sql("SELECT * FROM hookonce_job")


def test_a_stuck_spool_hides_a_silence_for_an_hour_only(site):
    s = watched(site, extra=mail_section(), sources={
        "stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q=", "expect_every": "1h"}})
    s.process()
    s.sql("UPDATE hookonce_expect SET expected_since = expected_since - INTERVAL 3 DAY, state = 'well'")

    def state(stuck_min):
        host_row(s, "web2", 1, spool_files=3)
        s.sql("UPDATE hookonce_host SET spool_oldest_at = UTC_TIMESTAMP(6) - INTERVAL %s MINUTE WHERE host = 'web2'",
              stuck_min)
        s.sql("UPDATE hookonce_round SET due_at = UTC_TIMESTAMP(6)")
        s.process()
        return s.value("SELECT state FROM hookonce_expect")

    assert state(20) == "well"
    assert state(90) == "silent"
