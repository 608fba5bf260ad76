"""The operator's commands: what they say, what they find, how they end."""

import json
import os
import pty
import re
import select
import subprocess

import pytest

from hooktest import events, sign
from hooktest.proc import account

COMMANDS = ["check", "migrate", "process", "list", "retry", "send", "providers"]
STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}


def lines(done):
    """Standard output as JSON, one object a line."""
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def findings(site, *levels):
    """{subject: its texts, a line each} of `check --json` at these levels."""
    got = {}
    for f in lines(site.hookonce("check", "--json")):
        if f["level"] in levels:
            got[f["subject"]] = got.get(f["subject"], "") + f["text"] + "\n"
    return got


def url(site):
    return site.server.url("/hookonce.fcgi")


# ---- help, arguments, manual ----------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_and_refuses_what_it_does_not_know(module_plain, command):
    text = module_plain.hookonce(command, "--help", check=True).stdout.decode()
    assert text.startswith(f"usage: hookonce {command}")
    assert module_plain.hookonce("help", command, check=True).stdout.decode() == text
    refused = module_plain.hookonce(command, "--no-such-option")
    assert refused.returncode == 2 and b"--no-such-option" in refused.stderr and not refused.stdout


def test_no_command_runs_under_a_web_server(module_plain):
    for name in ("GATEWAY_INTERFACE", "REQUEST_METHOD"):
        done = module_plain.hookonce("list", env={name: "x"})
        assert done.returncode == 2 and b"web server" in done.stderr and not done.stdout


@pytest.mark.parametrize("page, known", [
    ("--man", ["hookonce retry", "--parallel N", "--insecure-http"]),
    ("--man-conf", ["livemode", "lease", "informational"]),
    ("--man-recipe", ["form-json", "hmac-sha256"])])
def test_manual_pages_are_roff_with_the_words_of_their_tables(module_plain, page, known):
    text = module_plain.hookonce("help", page, check=True).stdout.decode()
    requests = {line.split()[0] for line in text.splitlines() if line[:1] in (".", "'")}
    assert requests <= {".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi"} and text.startswith(".TH ")
    shown = text.replace("\\-", "-")
    for word in known:
        assert word in shown.replace("\\fB", "").replace("\\fR", "")


def test_the_examples_of_the_manual_are_accepted(site):
    s = site(sources=STRIPE, migrate=False)

    def example(page):
        text = s.hookonce("help", page, check=True).stdout.decode().split(".SH EXAMPLE\n.PP\n.nf\n")[1]
        return text.split(".fi")[0].replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")

    recipe, config = example("--man-recipe"), example("--man-conf")
    s.write("own.conf", recipe)
    s.configure(config + "\n[hookonce]\nrecipes = own.conf\n")
    done = s.hookonce("providers", "acme", check=True)
    assert b"Acme" in done.stdout and done.stderr == b""


@pytest.fixture(scope="module")
def module_plain(module_site):
    """A site that tests only read."""
    return module_site(sources=STRIPE)


# ---- check ----------------------------------------------------------------------------------------


def test_check_is_content_with_a_sound_site(site):
    s = site()
    done = s.hookonce("check", check=True)
    assert b"FAIL " not in done.stdout.replace(b"0 FAIL", b"") and b"warn " not in done.stdout.replace(b"0 warn", b"")
    assert s.hookonce("check", "--quiet", check=True).stdout == b""


@pytest.mark.parametrize("file, mode", [("hookonce.key", 0o644), ("db.password", 0o640), ("stripe.secret0", 0o604)])
def test_check_names_a_private_file_that_others_may_read(site, file, mode):
    s = site(sources=STRIPE)
    os.chmod(s.path(file), mode)
    done = s.hookonce("check")
    assert done.returncode == 1
    assert any(file in text for text in findings(s, "FAIL").values())


def test_check_refuses_a_readable_config_and_one_with_a_mistake(site):
    s = site(sources=STRIPE)
    os.chmod(s.path("hookonce.conf"), 0o644)
    assert s.hookonce("check").returncode == 1
    assert s.hookonce("list").returncode == 2
    s.configure(s.config_text().replace("provider = stripe\nsecret", "providre = stripe\nsecret"))
    done = s.hookonce("check")
    assert done.returncode == 1
    assert re.search(rb"FAIL  config: .*hookonce\.conf:\d+: .*provider", done.stdout)


def test_check_finds_what_leads_nowhere(site):
    s = site(sources={**STRIPE, "hub": {"provider": "github", "secret": "a"}},
             handlers={"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"},
                       "idle": {"sql": "DO 1"}},
             routes={"wrong": {"provider": "github", "handler": "fx"}})
    warned = findings(s, "warn")
    assert "provider = hub" in warned["route wrong"]
    assert "no route" in warned["handler idle"]
    assert set(findings(s, "note")) >= {"source stripe", "source hub"}


def test_check_has_the_server_look_at_every_handlers_sql(site):
    s = site(sources=STRIPE, handlers={
        "good": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"},
        "typo": {"sql": ["DO 1", "INSRT INTO fx (event_id) VALUES ({event:id})"]},
        "table": {"sql": "UPDATE nowhere SET a = {/id}"}, "column": {"sql": "UPDATE fx SET nothing = {/id}"},
        "own": {"sql": ["CREATE TEMPORARY TABLE mine (a INT)", "INSERT INTO mine VALUES (1)"]}},
        routes={n: {"provider": "stripe", "handler": n} for n in ("good", "typo", "table", "column", "own")})
    before = s.written()
    assert s.hookonce("check").returncode == 1
    bad = findings(s, "FAIL")
    assert set(bad) == {"handler typo", "handler table", "handler column"}
    assert "statement 2 " in bad["handler typo"] and "INSRT" in bad["handler typo"]
    assert "statement 1 " in bad["handler table"] and "nowhere" in bad["handler table"]
    assert "nothing" in bad["handler column"]
    assert "handler good" in findings(s, "ok") and "mine" in findings(s, "note")["handler own"]
    assert s.written() == before and s.effects() == []


def test_check_judges_keys_and_their_ends(site):
    s = site(routes={}, sources={
        "short": {"provider": "standard-webhooks", "secret": "whsec_MTIzNDU2Nzg5MDEyMzQ1Ng=="},
        "ended": {"provider": "github", "secret": "x until 2001-01-01"},
        "line": {"provider": "github", "secret": "y\n"},
        "blank": {"provider": "github", "secret": "z \n"}})
    done = s.hookonce("check")
    assert done.returncode == 1
    assert "16 bytes" in findings(s, "warn")["source short"]
    assert "ended" in findings(s, "FAIL")["source ended"]
    assert "line end" in findings(s, "note")["source line"]
    assert "blank" in findings(s, "warn")["source blank"]


def test_check_tells_waiting_jobs_dead_letters_and_conflicts(site):
    s = site(sources=STRIPE, handlers={"fx": {"sql": "INSERT INTO nowhere VALUES ({event:id})"}},
             routes={"one": {"provider": "stripe", "handler": "fx", "retry": "1 try"}})
    for body in (events.stripe("evt_1"), events.stripe("evt_1", type="charge.failed"), events.stripe("evt_2")):
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    assert "step 6" in findings(s, "note")["processor"]
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) - INTERVAL 200 SECOND")
    assert "cron" in findings(s, "warn")["processor"]
    assert s.hookonce("process", "--once").returncode == 1
    warned = findings(s, "warn")
    assert warned["dead letters"].startswith("2;") and warned["conflicts"].startswith("1;")
    assert "processor" not in warned
    assert "2 new" in findings(s, "ok")["counted stripe"]
    assert "alarm conflict" in warned
    assert not any("alarm dead" in findings(s, level) for level in ("ok", "note", "warn"))
    s.sql("UPDATE hookonce_job SET state = 'done'")
    assert findings(s, "note")["alarm dead"].endswith("(over)\n")


def test_the_alarm_of_a_handler_says_where_its_job_is(site):
    s = site(sources=STRIPE, handlers={"fx": {"sql": "INSRT INTO fx VALUES ({event:id})"}},
             routes={"one": {"provider": "stripe", "handler": "fx"}})
    body = events.stripe("evt_1")
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    assert s.hookonce("process", "--once").returncode == 0
    warned = findings(s, "warn")
    assert "`hookonce list jobs`" in warned["alarm handler"] and "dead letters" not in warned
    waits, = lines(s.hookonce("list", "jobs", "--json", check=True))
    assert waits["state"] == "ready" and "INSRT" in waits["last_error"]


def test_check_calls_an_alarm_over_when_its_cause_is(site, own_mariadb):
    server = own_mariadb()
    s = site(database=server.create_database(), sources={"stripe": {"provider": "stripe", "secret": "sk_live_1"}})
    body = events.stripe("evt_1")
    assert "signing secret" in findings(s, "warn")["source stripe"]
    server.stop()
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 503
    assert "busy" in findings(s, "warn")["alarm database"]
    server.start()
    assert findings(s, "note")["alarm database"].endswith("(over)\n")
    assert "alarm database" not in findings(s, "warn")


def test_check_without_a_database_and_with_a_strange_key(site, own_mariadb):
    server = own_mariadb()
    s = site(database=server.create_database(), sources=STRIPE)
    s.write("hookonce.key", "0" * 64)
    assert "not the key of these tables" in findings(s, "FAIL")["key"]
    server.stop()
    done = s.hookonce("check")
    assert done.returncode == 1 and b"FAIL  database: " in done.stdout
    assert s.hookonce("list").returncode == 69
    assert s.hookonce("migrate").returncode == 69


# ---- migrate --------------------------------------------------------------------------------------


def test_migrate_tells_what_it_did_and_refuses_what_it_does_not_know(site):
    s = site(sources=STRIPE, migrate=False)
    os.remove(s.path("hookonce.key"))
    assert s.hookonce("migrate", "--status").returncode == 1
    assert s.hookonce("list").returncode == 1
    done = s.hookonce("migrate", check=True)
    assert done.stdout.count(b"\n") == 1 and b"hookonce.key" in done.stdout
    assert os.stat(s.path("hookonce.key")).st_mode & 0o777 == 0o600
    assert b"up to date" in s.hookonce("migrate", check=True).stdout
    assert lines(s.hookonce("migrate", "--status", "--json", check=True))[0]["version"] == 1
    os.rename(s.path("hookonce.key"), s.path("elsewhere"))
    done = s.hookonce("migrate")
    assert done.returncode == 1 and b"copy the key file" in done.stderr
    assert not os.path.exists(s.path("hookonce.key"))
    os.rename(s.path("elsewhere"), s.path("hookonce.key"))
    s.sql("INSERT INTO hookonce_schema (version, name, applied_at) VALUES (99, 'later', UTC_TIMESTAMP(6))")
    assert s.hookonce("migrate").returncode == 1
    assert s.hookonce("migrate", "--status").returncode == 1
    assert s.hookonce("check").returncode == 1


# ---- send -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(module_site):
    """All providers behind lighttpd."""
    return module_site(server="lighttpd")


def test_send_plays_every_provider(served):
    before = served.count("receipt")
    for source in served.sources:
        sent, answer = lines(served.hookonce("send", source, "--url", url(served), "--json", check=True))
        assert (sent["source"], sent["posts"], answer["status"], answer["times"]) == (source, 1, 200, 1)
        row = served.sql("SELECT source, event_type FROM hookonce_receipt WHERE event_id = %s", sent["last_id"])
        assert [(r["source"].decode(), r["event_type"].decode()) for r in row] == [(source, sent["event_type"])]
    assert served.count("receipt") == before + len(served.sources)


@pytest.mark.parametrize("source", ["stripe", "github", "shopify", "slack", "standard", "clerk"])
def test_what_send_tampers_with_is_refused(served, source):
    before = served.written()
    done = served.hookonce("send", source, "--url", url(served), "--tamper", "--json")
    assert done.returncode == 1 and lines(done)[1]["status"] == 401
    assert served.written() == before


def test_send_signs_with_an_old_or_a_coming_time(served):
    for age, status in (("4m", 200), ("10m", 401), ("-4m", 200), ("-10m", 401)):
        done = served.hookonce("send", "stripe", "--url", url(served), "--age=" + age, "--json")
        assert (done.returncode, lines(done)[1]["status"]) == (0 if status == 200 else 1, status)
    noted = served.hookonce("send", "github", "--url", url(served), "--age", "10m", check=True)
    assert b"signs no time" in noted.stderr


def test_send_repeats_counts_and_goes_in_parallel(served):
    receipts, duplicates = served.count("receipt"), served.value("SELECT SUM(duplicates) FROM hookonce_receipt")
    done = served.hookonce("send", "shopify", "--url", url(served), "--count", "20", "--repeat", "3", "--parallel",
                           "8", "--json", check=True)
    sent, answer = lines(done)
    assert (sent["events"], sent["posts"], answer["times"]) == (20, 60, 60)
    assert 0 <= answer["ms_min"] <= answer["ms_median"] <= answer["ms_max"] < 10000
    assert served.count("receipt") == receipts + 20
    assert served.value("SELECT SUM(duplicates) FROM hookonce_receipt") == duplicates + 40


def test_send_takes_a_body_an_id_and_a_type(served):
    body = served.write("push.json", b'{"ref": "refs/heads/x"}\n')
    served.hookonce("send", "github", "--url", url(served), "--body", body, "--id", "my-own-id", "--type", "push",
                    "--quiet", check=True)
    served.hookonce("send", "github", "--url", url(served), "--body", "-", "--id", "from-stdin", input=b"not json",
                    check=True)
    got = served.sql("SELECT r.event_type AS type, b.bytes AS body FROM hookonce_receipt r JOIN hookonce_body b "
                     "USING (correlation_id) WHERE r.event_id IN ('my-own-id', 'from-stdin') ORDER BY r.recorded_at")
    assert got == [{"type": b"push", "body": b'{"ref": "refs/heads/x"}\n'}, {"type": b"push", "body": b"not json"}]


def test_send_knows_the_url_from_environment_and_config(site):
    s = site(server="lighttpd", sources=STRIPE)
    assert s.hookonce("send", "stripe").returncode == 2
    s.hookonce("send", "stripe", env={"HOOKONCE_URL": url(s)}, check=True)
    s.settings = {"hookonce": {"url": url(s) + "/stripe"}}
    s.configure()
    s.hookonce("send", "stripe", check=True)
    assert s.count("receipt") == 2


@pytest.mark.parametrize("arguments, says", [
    ([], "which source"), (["strip"], "did you mean 'stripe'"), (["stripe", "github"], "too much"),
    (["stripe", "--url", "http://example.com/hook"], "https"), (["stripe", "--url", "ftp://127.0.0.1/"], "http"),
    (["stripe", "--count", "0"], "--count"), (["stripe", "--parallel", "257"], "256"),
    (["stripe", "--repeat", "1001", "--count", "1000"], "at most"), (["stripe", "--id", "a", "--count", "2"], "--repeat"),
    (["stripe", "--age", "soon"], "--age"), (["stripe", "--body", "/nowhere"], "/nowhere"),
])
def test_send_refuses_arguments_that_make_no_sense(served, arguments, says):
    more = [] if "--url" in arguments else ["--url", url(served)]
    done = served.hookonce("send", *arguments, *more)
    assert done.returncode == 2 and says.encode() in done.stderr and not done.stdout


def test_send_tells_when_nobody_answers(served):
    done = served.hookonce("send", "stripe", "--url", "http://127.0.0.1:1/hook", "--json")
    assert done.returncode == 1
    assert lines(done)[1]["status"] is None and "connect" in lines(done)[1]["answer"].lower()


def test_send_shows_progress_on_a_terminal_only(served):
    leader, follower = pty.openpty()
    child = subprocess.Popen([served.program, "send", "shopify", "--url", url(served), "--count", "150"],
                             env=served.environment(), stdout=subprocess.DEVNULL, stderr=follower,
                             **account(served.user))
    os.close(follower)
    seen = b""
    while select.select([leader], [], [], 30)[0]:
        try:
            more = os.read(leader, 4096)
        except OSError:
            break
        seen += more
    os.close(leader)
    assert child.wait(30) == 0
    assert re.search(rb"\rsent \d+ of 150", seen) and b"\n" not in seen
    quiet = served.hookonce("send", "shopify", "--url", url(served), "--count", "150", check=True)
    assert quiet.stderr == b""


# ---- list and retry -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def told(module_site):
    """Three events: one done, one dead, one in conflict with the first."""
    s = module_site(sources={**STRIPE, "shop": {"provider": "shopify", "secret": "k"}},
                    handlers={"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"},
                              "bad": {"sql": "INSERT INTO nowhere VALUES ({event:id})"}},
                    routes={"good": {"provider": "stripe", "handler": "fx"},
                            "wrong": {"provider": "shop", "handler": "bad", "retry": "1 try"}})
    for body in (events.stripe("evt_list"), events.stripe("evt_list", type="charge.failed")):
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    odd = "odd \x1b[31m \\ id"
    assert s.hookonce("process", "--once").returncode == 0
    body = events.shopify()
    assert s.cgi("shop", body, sign.shopify("k", body, webhook_id=odd)).status == 200
    assert s.hookonce("process", "--once").returncode == 1
    return s


def test_lists_show_what_there_is(told):
    text = told.hookonce("list", check=True).stdout.decode()
    assert "odd \\x1b[31m \\x5c id" in text and "\x1b" not in text
    rows = lines(told.hookonce("list", "--json", check=True))
    assert [(r["event_id"], r["status"], r["outcome"]) for r in rows] == [
        ("odd \x1b[31m \\ id", "failed", "gave up"), ("evt_list", "processed", "done")]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", rows[0]["recorded_at"])
    assert [r["event_id"] for r in lines(told.hookonce("list", "--source", "stripe", "--json"))] == ["evt_list"]
    assert [r["source"] for r in lines(told.hookonce("list", "--status", "failed", "--json"))] == ["shop"]
    assert len(lines(told.hookonce("list", "--limit", "1", "--json"))) == 1
    dead, = lines(told.hookonce("list", "dead", "--json"))
    assert (dead["route"], dead["tries"]) == ("wrong", 1) and "nowhere" in dead["last_error"]
    conflict, = lines(told.hookonce("list", "conflicts", "--json"))
    assert (conflict["what"], conflict["event_id"], conflict["event_type"]) == ("meaning", "evt_list", "charge.failed")
    assert [a["outcome"] for a in lines(told.hookonce("list", "attempts", "--json"))] == ["failed", "done"]
    assert told.hookonce("list", "jobs", check=True).stdout == b"No jobs are open.\n"


def test_one_id_tells_the_story_of_its_event(told):
    receipt, *story = lines(told.hookonce("list", "evt_list", "--json", check=True))
    assert receipt["event_id"] == "evt_list"
    assert [s["what"] for s in story][0] == "received" and {"meaning", "started", "done"} <= {s["what"] for s in story}
    by_cid = lines(told.hookonce("list", receipt["correlation_id"], "--json", check=True))
    job = told.value("SELECT id FROM hookonce_job WHERE correlation_id = %s", receipt["correlation_id"])
    by_job = lines(told.hookonce("list", str(job), "--json", check=True))
    assert by_cid == by_job == [receipt, *story]
    text = told.hookonce("list", "receipts", "evt_list", check=True).stdout.decode()
    assert "evt_list" in text and receipt["correlation_id"] in text
    missing = told.hookonce("list", "evt_nowhere")
    assert missing.returncode == 1 and b"evt_nowhere" in missing.stderr


@pytest.mark.parametrize("arguments", [["--limit", "0"], ["--limit", "1001"], ["dead", "--status", "failed"],
                                       ["a", "b"], ["--source", "x", "evt_list"]])
def test_list_refuses_arguments_that_make_no_sense(told, arguments):
    done = told.hookonce("list", *arguments)
    assert done.returncode == 2 and done.stderr and not done.stdout


# ---- providers ------------------------------------------------------------------------------------


def test_providers_lists_built_in_and_own_recipes(site):
    s = site(sources=STRIPE, migrate=False)
    s.write("own.conf", "[recipe acme]\ntitle = Acme\nlike = github\n")
    s.settings = {"hookonce": {"recipes": "own.conf"}}
    s.configure()
    rows = {r["provider"]: r for r in lines(s.hookonce("providers", "--json", check=True))}
    assert {"stripe", "github", "shopify", "slack", "standard-webhooks", "clerk", "svix", "acme"} <= set(rows)
    assert rows["stripe"]["tolerance_ms"] == 300000 and rows["github"]["tolerance_ms"] == 0
    assert b"Acme" in s.hookonce("providers", "acme", check=True).stdout
    assert b"did you mean 'stripe'" in s.hookonce("providers", "stirpe").stderr
    s.configure("[database\n")
    done = s.hookonce("providers", check=True)
    assert b"stripe" in done.stdout and b"built-in" in done.stderr
