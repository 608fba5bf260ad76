"""`hookonce watch`: what is wrong is told once, with how many there are, and once when it is over."""

import base64
import hashlib
import hmac
import json
import os
import re
import time

from hooktest import events
from hooktest.alerts import hours_pass, kill_jobs, mail_section, mailing, mails, set_word, subject
from hooktest.documents import Document
from hooktest.flow import arrive, join, lines, script
from hooktest.proc import wait_until

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
WORKS = {"h": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}}
ROUTE = {"paid": {"provider": "stripe", "handler": "h"}}


def watched(site, extra=None, **more):
    """A site that mails, and is well."""
    more = {"sources": STRIPE, "handlers": WORKS, "routes": ROUTE, **more}
    return mailing(site(extra=mail_section() if extra is None else extra, **more))


def watch(site, *arguments, **more):
    return site.hookonce("watch", *arguments, **more)


def quietly(site, **more):
    done = watch(site, check=True, **more)
    assert done.stdout == b"" and done.stderr == b"", done


def test_nothing_is_said_while_all_is_well(site):
    s = watched(site)
    quietly(s)
    assert mails(s) == [] and s.sql("SELECT * FROM hookonce_alert") == []
    assert watch(s, "--show", check=True).stdout == b"all is well\n"


def test_a_failure_is_told_once_with_its_growth_and_its_end(site):
    s = watched(site)
    kill_jobs(s, 3)
    for _ in range(3):
        quietly(s)
    mail, = mails(s)
    assert subject(mail) == "[hookonce] dead letters (3)" and "To: you@example.com\n" in mail
    assert "paid: 3 jobs were given up (gave up), the newest at 20" in mail and "hookonce retry" in mail
    hours_pass(s)
    quietly(s)
    assert len(mails(s)) == 1  # nothing new
    kill_jobs(s, 1)
    quietly(s)
    mail = mails(s)[1]
    assert subject(mail) == "[hookonce] dead letters (4)" and "dead letters, 4, 1 more than told at" in mail
    s.sql("UPDATE hookonce_job SET state = 'done'")
    for _ in range(2):
        quietly(s)
    mail = mails(s)[2]
    assert subject(mail) == "[hookonce] over: dead letters" and len(mails(s)) == 3
    row, = s.sql("SELECT kind, subject, state, n, peak, times FROM hookonce_alert")
    assert (row["kind"], row["subject"], row["state"], row["peak"], row["times"]) == (
        "dead-letters", b"paid", "over", 4, 1)
    kill_jobs(s, 1)  # again, within the window: held back, then told
    quietly(s)
    assert len(mails(s)) == 3 and s.value("SELECT times FROM hookonce_alert") == 2
    hours_pass(s)
    quietly(s)
    assert subject(mails(s)[3]) == "[hookonce] dead letters"


def test_a_storm_of_dead_letters_is_few_messages_with_right_totals__O_OPS_03(site):
    s = watched(site)
    for _ in range(10):  # minutes
        kill_jobs(s, 250)
        quietly(s)
    assert [subject(m) for m in mails(s)] == ["[hookonce] dead letters (250)"]
    hours_pass(s)
    s.sql("UPDATE hookonce_alert SET grew_at = UTC_TIMESTAMP(6)")  # it grew within that hour
    quietly(s)
    assert subject(mails(s)[1]) == "[hookonce] dead letters (2500)"
    assert "paid: 2500 jobs" in mails(s)[1] and "2250 more than told" in mails(s)[1]
    hours_pass(s)
    kill_jobs(s, 1, route="ship")  # a different failure an hour later
    quietly(s)
    assert "ship: 1 job was given up" in mails(s)[2]
    s.sql("UPDATE hookonce_job SET state = 'done'")
    quietly(s)
    assert subject(mails(s)[3]) == "[hookonce] over: dead letters" and len(mails(s)) <= 5


def test_several_looks_and_hosts_at_once_tell_it_once(site):
    s = watched(site)
    script(s, "sendmail", "sleep 1; echo told >> \"$HERE/mails\"; cat > /dev/null\n")
    other = join(site, s)
    script(other, "sendmail", "sleep 1; echo told >> \"$HERE/mails\"; cat > /dev/null\n")
    kill_jobs(s, 2)
    procs = [h.start_program("watch") for h in (s, other) * 3]
    for p in procs:
        assert p.wait(60) == 0
    quietly(other)
    assert len(lines(s, "mails") + lines(other, "mails")) == 1


def test_a_row_that_somebody_else_wrote_can_neither_forge_lines_nor_steer_a_terminal(site):
    s = watched(site)
    s.sql("INSERT INTO hookonce_alert (kind, host, subject, state, n, text, advice, began_at, grew_at, seen_at) VALUES "
          "('disk', 'web2', %s, 'firing', 1, %s, '', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))",
          b"x\nBcc: y\x1b[2J", "\u00fc\r\n\nALL IS WELL \x1b]0;t\x07")
    watch(s)
    text = mails(s)[0]
    assert "x?Bcc: y?[2J" in text and "\nALL IS WELL" not in text and "\nBcc" not in text, text
    assert all(" " <= c <= "~" or c == "\n" for c in text), text


def test_several_kinds_stand_in_one_message(site):
    s = watched(site)
    kill_jobs(s, 2)
    s.sql("INSERT INTO hookonce_handler (name, failures, open_until, changed_at) "
          "VALUES ('h', 10, UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE, UTC_TIMESTAMP(6)), "
          "('gone', 10, UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE, UTC_TIMESTAMP(6))")
    s.configure(s.config_text().replace("[handler h]", "[handler h]\nbreaker = 5 failures, 1m"))
    s.sql("INSERT INTO hookonce_job (correlation_id, state, run_at, created_at) VALUES "
          "('01ARYZ6S410000000000000001', 'ready', UTC_TIMESTAMP(6) - INTERVAL 2 HOUR, UTC_TIMESTAMP(6))")
    quietly(s)
    mail, = mails(s)
    assert subject(mail) == "[hookonce] a breaker is open, dead letters (2), no processor, old jobs"
    assert "h: it failed 10 times in a row" in mail and "gone" not in mail
    assert "none has run yet" in mail and "due for 2 hours" in mail


def test_a_channel_hears_of_its_kinds_only_and_what_it_is(site, downstream):
    down = downstream()
    secret = base64.b64encode(b"s" * 24).decode()
    s = watched(site, files={"hook.secret": "whsec_" + secret, "hook.token": "tok"}, extra=mail_section(
        kinds="silence, breaker") + f"[alert hook]\nurl = http://127.0.0.1:{down.port}/a\nsign_with = "
        "file:hook.secret\nauth = bearer file:hook.token\n[alert prog]\ncommand = prog 'a b'\n")
    script(s, "prog", "echo \"$1\" > \"$HERE/arg\"; cat > \"$HERE/text\"; env > \"$HERE/env\"\n")
    kill_jobs(s, 7)
    quietly(s, env={"SECRET_OF_OURS": "1"})
    assert mails(s) == [] and lines(s, "arg") == ["a b"]
    assert lines(s, "text")[0] == "[hookonce] dead letters (7)" and lines(s, "text")[1] == ""
    env = lines(s, "env")
    assert "HOOKONCE_STATE=firing" in env and "HOOKONCE_KINDS=dead-letters" in env
    assert not [e for e in env if "SECRET_OF_OURS" in e or "CONFIG" in e]
    request, = down.requests
    head = request.headers
    signed = f"{head['webhook-id']}.{head['webhook-timestamp']}.".encode() + request.body
    mac = hmac.new(b"s" * 24, signed, hashlib.sha256).digest()
    assert head["webhook-signature"] == "v1," + base64.b64encode(mac).decode()
    assert head["authorization"] == "Bearer tok" and head["content-type"] == "application/json"
    got = json.loads(request.body)
    assert (got["type"], got["data"]["state"], got["data"]["subject"]) == (
        "alert", "firing", "[hookonce] dead letters (7)")
    alert, = got["data"]["alerts"]
    assert (alert["kind"], alert["subject"], alert["n"], alert["state"]) == ("dead-letters", "paid", 7, "firing")


def test_a_sending_that_fails_is_repeated_less_and_less_and_shown(site):
    s = watched(site)
    s.write("mail.broken", "")
    kill_jobs(s, 1)
    done = watch(s)
    assert done.returncode == 1 and b"[alert mail] was not told" in done.stdout
    assert b"no route to host" in done.stdout
    for _ in range(3):
        quietly(s)  # not before its time
    assert s.value("SELECT failures FROM hookonce_telling WHERE kind = ''") == 1
    said = s.hookonce("check").stdout.decode()
    assert "warn  alert mail: its last message was not taken" in said and "no route to host" in said
    s.sql("UPDATE hookonce_telling SET next_at = UTC_TIMESTAMP(6)")
    assert watch(s).returncode == 1
    wait = s.value("SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), next_at) FROM hookonce_telling WHERE kind = ''")
    assert 30 < wait <= 120
    os.unlink(s.path("mail.broken"))
    s.sql("UPDATE hookonce_telling SET next_at = UTC_TIMESTAMP(6)")
    quietly(s)
    assert len(mails(s)) == 1
    assert "ok    alerts: 1 told" in s.hookonce("check").stdout.decode()


def test_who_is_killed_while_sending_loses_no_message(site):
    s = watched(site)
    script(s, "sendmail", "touch \"$HERE/begun\"; sleep 30\n")
    kill_jobs(s, 1)
    p = s.start_program("watch")
    wait_until(lambda: os.path.exists(s.path("begun")), 20, "the message is on its way")
    p.kill9()
    mailing(s)
    quietly(s)
    assert mails(s) == []  # the claim holds for a while
    assert s.value("SELECT failures FROM hookonce_telling WHERE kind = ''") == 1  # cut off is failed
    s.sql("UPDATE hookonce_telling SET claimed_until = UTC_TIMESTAMP(6)")
    quietly(s)
    assert len(mails(s)) == 1


def test_without_anybody_to_tell_it_is_printed_for_cron(site):
    s = site(sources=STRIPE, handlers=WORKS, routes=ROUTE)
    kill_jobs(s, 2)
    said = watch(s, check=True).stdout.decode()
    assert said.startswith("[hookonce] dead letters (2)\n\n") and "What to do:" in said
    quietly(s)
    s.sql("DELETE FROM hookonce_job")
    assert watch(s, check=True).stdout.startswith(b"[hookonce] over: dead letters\n")
    quietly(s)
    done = watch(s, "--test")
    assert done.returncode == 1 and b"no [alert NAME]" in done.stderr


def test_a_database_that_is_away_is_told_from_here(site, own_mariadb):
    server = own_mariadb()
    s = watched(site, database=server.create_database())
    server.stop()
    now = int(time.time())
    for seconds in (0, 20):
        assert watch(s, now=now + seconds).returncode == 69 and mails(s) == []  # perhaps it is only started anew
    for seconds in (120, 180, 600):
        done = watch(s, now=now + seconds)
        assert done.returncode == 69 and done.stdout == b""
    mail, = mails(s)
    assert subject(mail).startswith("[hookonce] database away") and "for 2 minutes" in mail
    assert watch(s, now=now + 4000).returncode == 69 and len(mails(s)) == 2  # a window later
    server.start()
    quietly(s)
    quietly(s)
    assert subject(mails(s)[2]).startswith("[hookonce] over: database away") and len(mails(s)) == 3


def test_what_a_host_shows_by_itself(site):
    sources = {**STRIPE, "github": {"provider": "github", "secret": "file:github.secret"},
               "slack": {"provider": "slack", "secret": ["8f742231b10e8888abcd99yyyzzz85a5", "file:not.there"]}}
    s = watched(site, sources=sources, files={"github.secret": "a secret"})
    os.unlink(s.path("github.secret"))
    assert s.cgi("github", b"{}", {"x-github-event": "push"}).status == 503
    for _ in range(3):
        assert s.cgi("stripe", b"{}", s.signed("stripe", b"{}", secret="whsec_bm90IG91cnM=")).status == 401
    s.folder("state/spool")
    s.folder("state/spool/quarantine")
    s.write("state/spool/quarantine/01ARYZ6S410000000000000001.10.spool", "x" * 10)
    s.write("state/spool/01ARYZ6S410000000000000002.10.spool", "x" * 10)
    shown = [json.loads(line) for line in watch(s, "--show", "--json").stdout.splitlines()]
    by = {(a["kind"], a["subject"]): a for a in shown}
    assert set(by) == {("no-secret", "github"), ("retry-window", "github"), ("config", "slack"),
                       ("rejected", "stripe"), ("quarantine", None), ("spool", None)}
    assert "does not send them again by itself" in by["retry-window", "github"]["text"]
    assert by["rejected", "stripe"]["text"].startswith("3 deliveries")
    s.configure(s.config_text().replace("[source stripe]", "[watch]\ndisk_free = 1000g\n[source stripe]"))
    kinds = [a["kind"] for a in map(json.loads, watch(s, "--show", "--json").stdout.splitlines())]
    assert "disk" in kinds
    s.configure(s.config_text())
    quietly(s)
    host = s.value("SELECT host FROM hookonce_alert WHERE kind = 'rejected'")
    assert host and s.value("SELECT COUNT(*) FROM hookonce_alert WHERE host = %s", host) == 6


def test_deliveries_turned_away_are_told_before_the_sender_stops(site):
    s = watched(site, settings={"hookonce": {"spool": "off"}})
    now = int(time.time())
    s.sql("RENAME TABLE hookonce_guard TO away, hookonce_body TO away2")
    assert s.cgi("stripe", events.stripe("evt_1"), s.signed("stripe", events.stripe("evt_1"))).status >= 401
    s.sql("RENAME TABLE away TO hookonce_guard, away2 TO hookonce_body")
    kinds = lambda **more: [json.loads(line)["kind"] for line in watch(s, "--show", "--json", **more).stdout.splitlines()]  # noqa: E731
    assert "retry-window" not in kinds()
    assert "retry-window" not in kinds(now=now + 69 * 3600)  # Stripe tries for three days
    assert "retry-window" in kinds(now=now + 70 * 3600 + 60)
    arrive(s, events.stripe("evt_1"))
    assert "retry-window" not in kinds(now=now + 70 * 3600 + 60)


def test_a_silence_is_told_once_and_its_end_once(site):
    s = watched(site)
    s.sql("INSERT INTO hookonce_expect (source, name, event_type, every_s, state, expected_since, last_at, silent_s,"
          " silent_since, looked_at) SELECT 'stripe', '', '*', NULL, 'silent', NOW(), '2026-11-30 12:00:00', 10800,"
          " NOW(), NOW() UNION SELECT 'stripe', 'payouts', 'payout.*', 21600, 'well', NOW(), NOW(), 0, NULL, NOW()"
          " UNION SELECT 'stripe', 'pings', 'ping', 60, 'well', NOW(), NOW(), 0, NULL, NOW()")
    for _ in range(3):
        quietly(s)
        hours_pass(s)
    mail, = mails(s)
    assert subject(mail) == "[hookonce] silence"
    assert "stripe: no event for 3 hours, far longer than usual; the last one at 2026-11-30 12:00" in mail
    s.sql("UPDATE hookonce_expect SET state = 'silent', silent_s = 30000 WHERE name = 'payouts'")
    s.sql("UPDATE hookonce_expect SET state = 'silent', silent_s = 90 WHERE name = 'pings'")
    quietly(s)
    assert "stripe payouts: no event payout.* for 8 hours; one is expected every 6 hours" in mails(s)[1]
    assert "no event ping for 1 minute; one is expected every 1 minute" in mails(s)[1]
    assert "1 minutes" not in mails(s)[1]
    s.sql("UPDATE hookonce_expect SET state = 'well'")
    for _ in range(3):
        quietly(s)
    assert [subject(m) for m in mails(s)[2:]] == ["[hookonce] over: silence"]


def test_a_source_quiet_beyond_its_learnt_cadence_alarms_once_and_clears_once(site):
    s = watched(site, sources={"stripe": {**STRIPE["stripe"], "expect_every": "learn"}})
    s.sql("INSERT INTO hookonce_stat (hour, source, event_type, events, last_at, counted_at) SELECT h, 'stripe', 'x', 5, h,"
          " h FROM (SELECT DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL seq HOUR, '%Y-%m-%d %H:00:00') AS h"
          " FROM seq_9_to_1000) AS hours")  # nine hours without one of the five an hour

    def process():
        s.sql("UPDATE hookonce_round SET due_at = UTC_TIMESTAMP(6)")
        s.process()
        set_word(s, "WORD_WATCHED", 1)
    process()
    assert s.value("SELECT state FROM hookonce_expect") == "silent"
    for _ in range(3):
        process()
        quietly(s)
        hours_pass(s)
    mail, = mails(s)
    assert subject(mail) == "[hookonce] silence" and "stripe: no event for " in mail
    arrive(s, events.stripe("evt_1"))
    for _ in range(3):
        process()
        quietly(s)
    assert s.value("SELECT state FROM hookonce_expect") == "well"
    assert [subject(m) for m in mails(s)[1:]] == ["[hookonce] over: silence"]


def test_spikes_are_told_and_usual_numbers_are_not(site):
    s = watched(site)
    hour = "DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL {} HOUR, '%Y-%m-%d %H:00:00')"
    tally = "INSERT INTO hookonce_tally (hour, host, source, verdict, n) VALUES (" + hour + ", 'h', {}, {}, {})"
    for source, usual in (("'stripe'", 0), ("'github'", 60)):  # github's always come twice
        for ago in range(0, 160):
            n = 60 if ago < 2 else usual
            if n:
                s.sql(tally.format(ago, source, "'duplicate'", n))
        s.sql(tally.format(0, source, "'new'", 100))
    shown = {(a["kind"], a["subject"]): a for a in map(json.loads, watch(s, "--show", "--json").stdout.splitlines())}
    assert set(shown) == {("duplicates", "stripe")} and shown["duplicates", "stripe"]["n"] in (60, 120)
    s.sql("UPDATE hookonce_tally SET n = 5 WHERE verdict = 'duplicate' AND source = 'stripe'")
    assert watch(s, "--show", check=True).stdout == b"all is well\n"
    s.sql("INSERT INTO hookonce_job (correlation_id, route, class, state, run_at, outcome, created_at) "
          "SELECT CONCAT('01', LPAD(seq, 24, '0')), 'paid', 1, 'ready', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, 'failed',"
          " UTC_TIMESTAMP(6) FROM seq_1_to_40")
    assert b"40 jobs failed and wait for another try" in watch(s, "--show").stdout
    s.sql("INSERT INTO hookonce_stat (hour, source, event_type, retried, last_at, counted_at) SELECT "
          "UTC_TIMESTAMP() - INTERVAL seq HOUR, 'stripe', 'x', 20, NOW(), NOW() FROM seq_1_to_160")
    assert watch(s, "--show", check=True).stdout == b"all is well\n"


def test_a_host_whose_spool_nobody_imports_and_a_long_pause(site):
    s = watched(site)
    s.sql("INSERT INTO hookonce_host (host, seen_at, spool_files) VALUES ('web2', UTC_TIMESTAMP(6) - INTERVAL 1 HOUR, 7),"
          " ('web3', UTC_TIMESTAMP(6), 7)")
    s.sql("INSERT INTO hookonce_pause (kind, name, who, reason, paused_at) VALUES ('source', 'stripe', 'me', 'x',"
          " NOW() - INTERVAL 2 DAY), ('route', 'paid', 'me', 'x', NOW())")
    quietly(s)
    mail, = mails(s)
    assert "web2: 7 deliveries lie in its spool" in mail and "web3" not in mail
    assert "source stripe: paused since" in mail and "route paid" not in mail


def test_clocks_that_differ_are_told(site):
    s = watched(site)
    shown = watch(s, "--show", now=int(time.time()) - 300).stdout.decode()
    assert "clock" in shown and "seconds behind" in shown


def test_the_processor_watches_by_itself(site):
    s = watched(site)
    kill_jobs(s, 1)
    s.process()
    assert len(mails(s)) == 1
    kill_jobs(s, 1)
    hours_pass(s)
    s.process()
    assert len(mails(s)) == 1  # once a minute
    set_word(s, "WORD_WATCHED", 1)
    s.process()
    assert len(mails(s)) == 2


def test_a_processor_that_comes_no_more_is_missed_even_with_nothing_to_do(site):
    s = watched(site)
    s.process()
    assert watch(s, "--show", check=True).stdout == b"all is well\n"
    s.sql("UPDATE hookonce_host SET seen_at = seen_at - INTERVAL 16 MINUTE")
    quietly(s)
    assert "the last one was seen at" in mails(s)[0] and subject(mails(s)[0]) == "[hookonce] no processor"
    set_word(s, "WORD_WATCHED", 1)
    s.process()
    quietly(s)
    assert [subject(m) for m in mails(s)[1:]] == ["[hookonce] over: no processor"]


def test_a_processor_does_not_wait_for_a_message(site):
    s = watched(site)
    script(s, "sendmail", "touch \"$HERE/begun\"; until test -e \"$HERE/go\"; do sleep 0.2; done\n")
    kill_jobs(s, 1)
    worker = s.start_processor("--for", "300s")
    wait_until(lambda: os.path.exists(s.path("begun")), 20, "the message is on its way")
    arrive(s, events.stripe("evt_1"))
    wait_until(lambda: s.effects() == ["evt_1"], 10, "the job has run, while the message is on its way")
    s.write("go", "")
    assert worker.stop(60) == 0


def test_a_receiver_starts_the_watch_when_no_processor_is_there(site):
    s = watched(site)
    kill_jobs(s, 1)
    arrive(s, events.stripe("evt_1"))
    time.sleep(1)
    assert mails(s) == []  # nobody is missed yet
    set_word(s, "WORD_PROCESSED", 1)  # since this machine was started
    arrive(s, events.stripe("evt_2"))
    wait_until(lambda: len(mails(s)) == 1, 20, "the receiver's watch has told")
    set_word(s, "WORD_PROCESSED", 1)
    arrive(s, events.stripe("evt_3"))
    s.sql("UPDATE hookonce_telling SET told_at = NULL, state = NULL")
    time.sleep(1)
    assert len(mails(s)) == 1  # not again within a quarter of an hour


def test_a_test_reaches_everybody_or_says_why(site):
    s = watched(site, extra=mail_section(**{"from": "hook@example.com"}) + "[alert prog]\ncommand = prog\n")
    done = watch(s, "--test")
    assert done.returncode == 1 and b"mail: sent\n" in done.stdout and b"prog: " in done.stdout
    mail, = mails(s)
    assert subject(mail) == "[hookonce] test: messages reach you" and "From: hook@example.com\n" in mail
    assert lines(s, "mail.args") == ["-i -t"]
    script(s, "prog", "test \"$HOOKONCE_STATE\" = test && cat > /dev/null\n")
    assert watch(s, "--test", check=True).stdout == b"mail: sent\nprog: sent\n"


def test_the_readmes_ways_to_tell_work_as_written(site, downstream):
    down = downstream()
    block = Document("README.md").take("[alert mail]", [
        ("https://chat.example.com/hooks/1", f"http://127.0.0.1:{down.port}/hooks/1"),
        ("mail = you@example.com", "mail = you@example.com\nsendmail = sendmail")])
    s = watched(site, extra="\n" + block, files={"chat.secret": "whsec_" + base64.b64encode(b"k" * 24).decode()})
    s.folder("bin")
    script(s, "bin/page", "echo $1 > \"$HERE/paged\"; cat > /dev/null\n")
    assert watch(s, "--test", check=True).stdout == b"mail: sent\nchat: sent\npager: sent\n"
    kill_jobs(s, 12)
    os.unlink(s.path("paged"))
    quietly(s)
    assert len(mails(s)) == 2 and len(down.requests) == 2 and lines(s, "paged") == []
    got = json.loads(down.requests[1].body)
    assert got["type"] == "alert" and set(got["data"]) >= {"state", "subject", "alerts"} and "12" in got["text"]
    assert set(got["data"]["alerts"][0]) >= {"kind", "subject", "n", "text", "advice"}


def test_every_kind_is_listed_with_what_to_do(site):
    s = watched(site)
    kinds = [json.loads(line) for line in watch(s, "--kinds", "--json", check=True).stdout.splitlines()]
    assert len(kinds) >= 20 and all(k["means"] and k["advice"] for k in kinds)
    runbook = Document("schema/RUNBOOK.md").text
    for title in re.findall(r'"([^"]+)" in the runbook', "".join(k["advice"] for k in kinds)):
        assert f"\n## {title}\n" in runbook, title
