"""Reply mode: who may say what, what the program sees, and what `hookonce check` says of it."""

import json
import os
import re
import signal

from hooktest import wait_until
from hooktest.reply import FAILED, SECRET, TRACE, Asking, ask, job, ran, reply_site, script

# ---- who may say what -------------------------------------------------------------------------------------

def test_an_answer_that_somebody_else_wrote_is_not_given(site):
    s = reply_site(site, TRACE + "echo '{}'")
    ask(s)
    for change in ("body = '{\"claims\":{\"role\":\"service_role\"}}'", "status = 204",
                   "content_type = 'text/html'", "mac = REPEAT('x', 32)"):
        s.sql("CREATE TABLE IF NOT EXISTS kept AS SELECT * FROM hookonce_answer")
        s.sql("UPDATE hookonce_answer SET " + change)
        answer, _ = ask(s)
        assert (answer.status, answer.body) == (200, FAILED)
        s.sql("UPDATE hookonce_answer AS a JOIN kept AS k ON k.correlation_id = a.correlation_id SET a.body = k.body,"
              " a.status = k.status, a.content_type = k.content_type, a.mac = k.mac")
    assert ask(s)[0].body == b"{}\n"
    assert len(ran(s)) == 1


def test_another_receipts_answer_is_not_given(site):
    s = reply_site(site, TRACE + 'echo "{\\"n\\": $$}"')
    ask(s, event="one")
    ask(s, event="two")
    s.sql("UPDATE hookonce_answer AS a JOIN (SELECT * FROM hookonce_answer ORDER BY correlation_id LIMIT 1) AS b"
          " SET a.body = b.body, a.mac = b.mac")
    assert ask(s, event="two")[0].body == FAILED


def test_a_forged_receipt_is_not_answered(site):
    s = reply_site(site, TRACE + "exit 1")
    ask(s)
    script(s, TRACE + "echo '{}'")
    s.sql("UPDATE hookonce_body SET bytes = REPLACE(bytes, 'before', 'beyond')")
    assert ask(s)[0].body == FAILED
    assert len(ran(s)) == 1
    assert job(s)["outcome"] == "forged row"


def test_the_program_sees_nothing_of_the_receivers(site):
    s = reply_site(site, "of() { grep ^PPid: /proc/$1/status | tr -dc 0-9; }\n"
                   "reply=$(of $PPID)\nreceiver=$(of $reply)\n"
                   "cat /proc/$reply/environ >env\ntr '\\0' ' ' </proc/$reply/cmdline >argv\n"
                   "cp /proc/$reply/status status\nls -l /proc/$reply/fd >fds\nls -l /proc/$receiver/fd >receiver\n"
                   "env >own\nls -l /proc/$$/fd >ownfds\necho '{}'", server=("lighttpd", {"procs": 1}))
    assert ask(s, post=s.post)[0].status == 200

    def text(name):
        with open(s.path(name), encoding="utf-8") as f:
            return f.read()

    env = dict(pair.split("=", 1) for pair in text("env").rstrip("\0").split("\0"))
    assert set(env) == {"HOOKONCE_CONFIG", "PATH", "HOME"}
    assert env["HOOKONCE_CONFIG"] == s.path("hookonce.conf")
    cid = s.receipts()[0]["correlation_id"]
    assert text("argv").split() == [s.program, "reply", cid]
    everything = text("env") + text("argv") + text("own")
    for secret in (SECRET, SECRET[9:], s.db.password, s.value("SELECT HEX(claim_token) FROM hookonce_job") or "-"):
        assert secret not in everything.replace("-", "") or secret == "-"
    theirs, ours = ({line.split(" -> ")[1] for line in text(name).splitlines() if " -> socket:" in line}
                    for name in ("receiver", "fds"))
    assert len(theirs) >= 3, "the listening socket, the web server's, the database's"
    assert ours and not theirs & ours
    assert text("ownfds").count("socket:") == 0
    signals = dict(re.findall(r"^(Sig\w+):\s*(\w+)$", text("status"), re.M))
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM):
        assert not (int(signals["SigBlk"], 16) | int(signals["SigIgn"], 16)) >> (number - 1) & 1


def test_by_hand_the_command_does_nothing(site):
    s = reply_site(site, TRACE + "exit 1")
    ask(s)
    cid = s.receipts()[0]["correlation_id"]
    for arguments, given in (((), b""), (("x",), b""), ((cid,), b""), ((cid,), b"zz\n"),
                             ((cid, "more"), b"0" * 32 + b"\n")):
        done = s.hookonce("reply", *arguments, input=given)
        assert (done.returncode, done.stdout) == (2, b"")
    assert s.hookonce("reply", cid, input=b"0" * 32 + b"\n").returncode == 1
    assert len(ran(s)) == 1


def test_a_program_that_is_not_there_is_an_alarm_and_may_stand_elsewhere(site):
    s = reply_site(site, TRACE + "echo '{}'")
    away = s.folder("away")
    os.rename(s.program, away + "/hookonce")
    assert ask(s)[0].body == FAILED
    assert [line for line in s.log_lines(event="config") if "program" in line["reason"]]
    s.settings = {"hookonce": {"program": "away/hookonce"}}
    s.configure()
    answer, took = ask(s)
    assert (answer.body, took < 2) == (b"{}\n", True)


def test_where_the_log_is_stderr_both_programs_write_there(site):
    s = reply_site(site, TRACE + "exit 1")
    s.settings = {"hookonce": {"log": "stderr"}}
    s.configure()
    assert ask(s)[0].body == FAILED
    assert "event=dead" in s.cgi_stderr and "event=answered" in s.cgi_stderr


def test_a_broken_config_is_said_in_the_log(site):
    s = reply_site(site, TRACE + "echo '{}'", server=("lighttpd", {"procs": 1}))
    ask(s, event="one", post=s.post)
    s.configure(s.config_text().replace("handler = h", "handler = g"))
    assert ask(s, event="two", post=s.post)[0].body == FAILED
    assert "[handler g]" in s.log_lines(event="answered")[-1]["why"]


def test_limits_of_the_handler_hold_here_too(site):
    s = reply_site(site, TRACE + "until test -e go; do sleep 0.1; done\necho '{}'", keys={"concurrency": "1"})
    first = Asking(s, event="one")
    wait_until(lambda: ran(s), 5, "the handler runs")
    answer, _ = ask(s, event="two")
    assert answer.status == 503 and int(answer.header("Retry-After")) > 0
    s.write("go", "")
    assert first.answer()[0].status == 200
    assert ask(s, event="two")[0].status == 200


def test_a_recipe_of_batches_has_no_reply_mode(site):
    s = site(sources={}, routes={}, handlers={"h": {"sql": "SELECT 1"}}, migrate=False)
    s.sources = {"x": {"provider": "sendgrid", "secret": "file:x", "mode": "reply", "handler": "h"}}
    s.configure()
    done = s.hookonce("check")
    assert done.returncode != 0
    assert b"several events" in done.stdout + done.stderr


# ---- hookonce check ---------------------------------------------------------------------------------------

def findings(s):
    """[(level, text)] of what the check says of the source."""
    done = s.hookonce("check", "--json")
    return [(f["level"], f["text"]) for f in map(json.loads, done.stdout.splitlines())
            if f["subject"] in ("source hook", "handler h", "route all")]


def test_the_check_knows_who_answers_and_where_from(site):
    s = reply_site(site, "exit 0", reply_timeout=None)
    assert ("ok", "reply mode: handler h answers within 4s") in findings(s)
    assert [f for f in findings(s) if f[0] in ("warn", "FAIL")] == []
    s.sources["hook"]["reply_timeout"] = "30s"
    s.settings = {"hookonce": {"program": "nowhere/hookonce"}}
    s.routes = {"all": {"provider": "hook", "on": "*", "handler": "h"}}
    s.configure()
    said = findings(s)
    assert [text for level, text in said if level == "FAIL" and "nowhere/hookonce" in text]
    assert [text for level, text in said if level == "warn" and "30s" in text and "4s" in text]
    assert [text for level, text in said if level == "warn" and "no route gets its events" in text]
