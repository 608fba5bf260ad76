"""`hookonce watch` where the tables are of no use: what is told from the host's own state."""

import json
import os
import time

from hooktest.alerts import mail_section, mails, set_word, subject
from hooktest.flow import script
from hooktest.proc import wait_until
from test_watch import quietly, watch, watched


def away_for(site, seconds=300):
    set_word(site, "WORD_AWAY_SINCE", int(time.time()) - seconds)


def shown_kinds(mail):
    return [line[5:].split(",")[0] for line in mail.splitlines() if line.startswith("NOW: ")]


def test_a_database_that_takes_no_writes_or_lost_a_table_is_told_as_away(site, own_mariadb):
    server = own_mariadb()
    s = watched(site, database=server.create_database())
    quietly(s)
    for broken, mended, word in (
            ("SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0", "read-only"),
            (f"RENAME TABLE {s.db.name}.hookonce_alert TO {s.db.name}.away",
             f"RENAME TABLE {s.db.name}.away TO {s.db.name}.hookonce_alert", "hookonce_alert"),
            (f"RENAME TABLE {s.db.name}.hookonce_job TO {s.db.name}.away",
             f"RENAME TABLE {s.db.name}.away TO {s.db.name}.hookonce_job", "hookonce_job")):
        before = len(mails(s))
        server.execute(broken)
        assert watch(s).returncode == 69 and len(mails(s)) == before
        away_for(s)
        for _ in range(3):
            done = watch(s)
            assert done.returncode == 69 and done.stdout == b"" and done.stderr == b""
        mail, = mails(s)[before:]
        assert subject(mail) == "[hookonce] database away" and "for 5 minutes" in mail and word in mail
        assert word == "hookonce_alert" or word.encode() in watch(s, "--show").stdout  # which reads it not
        server.execute(mended)
        quietly(s)
        quietly(s)
        mail, = mails(s)[before + 1:]
        assert subject(mail) == "[hookonce] over: database away"


def test_what_else_is_wrong_here_is_told_while_the_database_is_away(site, own_mariadb):
    server = own_mariadb()
    s = watched(site, database=server.create_database(), files={"other.secret": "a secret"},
                sources={"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="},
                         "github": {"provider": "github", "secret": "file:other.secret"}})
    server.stop()
    watch(s)
    away_for(s)
    watch(s)
    assert [subject(m) for m in mails(s)] == ["[hookonce] database away"]
    os.unlink(s.path("other.secret"))
    for _ in range(3):
        watch(s)
    assert shown_kinds(mails(s)[1]) == ["database away", "no usable secret"] and len(mails(s)) == 2
    s.write("other.secret", "a secret")
    server.start()
    for _ in range(2):
        watch(s)
    assert subject(mails(s)[2]) == "[hookonce] over: database away, no usable secret" and len(mails(s)) == 3


def test_who_is_killed_while_telling_loses_nothing_and_a_failed_end_is_told_later(site, own_mariadb):
    server = own_mariadb()
    s = watched(site, database=server.create_database())
    sendmail = open(s.path("sendmail"), encoding="utf-8").read().split("\n", 1)[1]
    server.stop()
    watch(s)
    away_for(s)
    script(s, "sendmail", 'touch "$HERE/sending"; exec sleep 30\n')
    going = s.start_program("watch")
    wait_until(lambda: os.path.exists(s.path("sending")), 20, "the message is on its way")
    going.kill9()
    script(s, "sendmail", sendmail)
    watch(s)
    assert [subject(m) for m in mails(s)] == ["[hookonce] database away"]
    server.start()
    s.write("mail.broken", "")
    watch(s)
    os.unlink(s.path("mail.broken"))
    for _ in range(2):
        watch(s)
    assert [subject(m) for m in mails(s)][1:] == ["[hookonce] over: database away"]


def test_of_two_channels_one_that_fails_is_tried_again(site, own_mariadb):
    server = own_mariadb()
    s = watched(site, database=server.create_database(),
                extra=mail_section() + "\n[alert two]\ncommand = two\n")
    script(s, "two", 'cat >> "$HERE/two.said"\n')
    s.write("mail.broken", "")
    server.stop()
    now = int(time.time())
    for seconds in (0, 120):
        watch(s, now=now + seconds)
    assert mails(s) == [] and os.path.exists(s.path("two.said"))
    os.unlink(s.path("mail.broken"))
    watch(s, now=now + 200)
    assert mails(s) == []
    for seconds in (430, 500):
        watch(s, now=now + seconds)
    assert [subject(m) for m in mails(s)] == ["[hookonce] database away"]
    with open(s.path("two.said"), encoding="ascii") as f:
        assert f.read().count("[hookonce] database away") == 1


def test_without_a_state_file_it_is_printed_at_each_look(site, own_mariadb):
    server = own_mariadb()
    s = watched(site, database=server.create_database())
    server.stop()
    if os.path.exists(s.path("state/hookonce.state")):
        os.unlink(s.path("state/hookonce.state"))
    os.mkdir(s.path("state/hookonce.state"))
    for _ in range(2):
        done = watch(s)
        assert done.returncode == 69 and b"nobody is told of this" in done.stderr, done


def test_a_refused_config_is_printed_at_each_look(site):
    s = watched(site)
    s.configure(s.config_text().replace("[alert mail]", "[alert mail]\nwindw = 1h"))
    for _ in range(2):
        done = watch(s)
        assert done.returncode == 2 and b"windw" in done.stderr and b"hookonce.conf:" in done.stderr


def test_health_says_that_nothing_can_be_recorded(site, own_mariadb):
    server = own_mariadb()
    s = watched(site, database=server.create_database())
    assert json.loads(s.hookonce("page", "health").stdout)["status"] == "ready"
    server.execute("SET GLOBAL read_only = 1")
    health = json.loads(s.hookonce("page", "health").stdout)
    assert health["status"] == "degraded" and "nothing can be recorded" in health["reasons"][0], health


def test_health_names_what_is_wrong_in_a_refused_config(site):
    s = watched(site)
    s.configure(s.config_text().replace("[alert mail]", "[alert mail]\nwindw = 1h"))
    done = s.hookonce("page", "health")
    health = json.loads(done.stdout)
    assert done.returncode == 1 and health["status"] == "degraded"
    assert "hookonce.conf:" in health["reasons"][0] and "windw" in health["reasons"][0]
