"""`hookonce check`: what it finds, where, and what it leaves alone."""

import json
import os
import re
import shutil

import pytest

from hooktest import BUILD, events

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


def test_check_says_that_the_disk_of_the_state_is_full(site):
    s = site()
    shutil.copy(os.path.join(BUILD, "test", "host.so"), s.path("host.so"))
    os.chmod(s.path("host.so"), 0o755)
    done = s.hookonce("check", env={"LD_PRELOAD": s.path("host.so"), "HOOKONCE_HOST_FULL": s.path("state")})
    assert done.returncode == 1
    assert f"the disk of {s.path('state')} is full" in done.stdout.decode()


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


def test_check_warns_where_only_some_routes_of_a_flow_wait_for_their_need(site):
    route = {"provider": "stripe", "handler": "fx", "flow": "pay", "once_per": "{/id}"}
    s = site(sources=STRIPE, handlers={"fx": {"sql": "DO {/id}"}, "sh": {"command": "/bin/true"}},
             routes={"card": {**route, "needs": "SELECT 1"}, "invoice": route, "told": {**route, "handler": "sh"},
                     "other": {**route, "flow": "other"}})
    warned = findings(s, "warn")
    assert "has no needs, and route card of the same flow has" in warned["route invoice"]
    assert not {"route card", "route told", "route other"} & set(warned)
    s.configure(s.config_text().replace("[route invoice]", "[route invoice]\nneeds = SELECT 1"))
    assert "route invoice" not in findings(s, "warn")


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
    assert "line end" not in findings(s, "note", "warn")["source line"]  # `echo` and `openssl rand` write one
    assert "blank" in findings(s, "warn")["source blank"]


def test_check_counts_only_secrets_that_have_not_ended(site):
    s = site(sources={"two": {"provider": "github", "secret": ["x", "y until 2001-01-01"]}}, routes={})
    assert "1 usable secret\n" in findings(s, "ok")["source two"]
    assert "secret 2 has ended" in findings(s, "note")["source two"]


def test_check_warns_of_quotes_around_a_secret(site):
    s = site(sources={"one": {"provider": "github", "secret": '"x"\n'}, "two": {"provider": "github", "secret": '"x'}},
             routes={})
    warned = findings(s, "warn")
    assert "quotes" in warned["source one"] and "source two" not in warned


def test_check_says_how_far_a_signature_reaches_and_which_key_is_wanted(site):
    s = site(routes={}, sources={"pp": {"provider": "paypal", "param": "webhook-id 5GP028458E2496506"},
                                 "mg": {"provider": "mailgun", "secret": "x"},
                                 "dc": {"provider": "discord", "secret": "bm90IGhleA=="},
                                 "sg": {"provider": "sendgrid", "secret": "!"},
                                 "ws": {"provider": "wise", "secret": "MFkw"}})
    noted, failed = findings(s, "note"), findings(s, "FAIL")
    assert "only a checksum, which can be forged" in noted["source pp"] and "signs nothing" in noted["source mg"]
    assert "wanted is the provider's public key as hex" in failed["source dc"]
    assert "public key as base64" in failed["source sg"] and "public key as PEM" in failed["source ws"]
    s.sources = {"dc": {"provider": "discord"}}
    s.configure()
    assert "needs `secret = file:NAME`, the provider's public key as hex" in findings(s, "FAIL")["config"]
    s.sources = {"shop": {"provider": "woocommerce", "secret": "k"}, "sw": {"provider": "clerk", "secret": "whsec_YWJj"}}
    s.configure()
    warned = findings(s, "warn")
    assert "24 to 64" in warned["source sw"] and "source shop" not in warned


def test_ids_that_nobody_signs_are_told_where_no_guard_is_on(site):
    key = {"secret": "0123456789abcdef0123456789abcdef"}
    s = site(routes={}, sources={"shop": {"provider": "shopify", **key}, "hub": {"provider": "github", **key},
                                 "shop2": {"provider": "shopify", "guard": "yes", **key},
                                 "hub2": {"provider": "github", "guard": "no", **key},
                                 "stripe": {"provider": "stripe", **key}})
    noted = findings(s, "note")
    assert {n for n in s.sources if "nobody signs the id" in noted.get("source " + n, "")} == {"shop", "hub2"}
    for provider, unsigned in (("shopify", True), ("github", True), ("stripe", False)):
        said = s.hookonce("providers", provider, check=True).stdout.decode()
        assert ("Nobody signs that id" in said) == unsigned and "The guard, which" in said


def test_check_calls_no_config_sound_that_cannot_be_loaded(site):
    s = site(sources=STRIPE)
    assert "is sound" in findings(s, "ok")["config"]
    s.sources = {"stripe": {"provider": "strippe", "secret": "x"}}
    s.configure()
    assert "config" not in findings(s, "ok") and "strippe" in findings(s, "FAIL")["config"]
    s.sources, s.settings = STRIPE, {"hookonce": {"recipes": "own.conf"}}
    s.write("own.conf", "[recipe own]\ntitle = Own\n")
    s.configure()
    assert "config" not in findings(s, "ok") and "own.conf" in findings(s, "FAIL")["config"]


def test_the_alarm_of_a_missing_secret_is_over_when_all_have_one(site):
    s = site(sources={"stripe": {"provider": "stripe", "secret": "file:late.secret"}}, routes={})
    body = events.stripe("evt_1")
    assert s.cgi("stripe", body, s.signed("stripe", body, secret="x")).status == 503
    assert "usable secret" in findings(s, "warn")["alarm no-secret"]
    s.write("late.secret", "whsec_late")
    assert findings(s, "note")["alarm no-secret"].endswith("(over)\n")


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


def test_the_alarm_of_a_conflict_is_over_when_none_is_left(site):
    s = site(sources=STRIPE)
    for body in (events.stripe("evt_1"), events.stripe("evt_1", type="charge.failed")):
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    assert "alarm conflict" in findings(s, "warn")
    s.sql("DELETE FROM hookonce_conflict")
    assert findings(s, "note")["alarm conflict"].endswith("(over)\n") and "alarm conflict" not in findings(s, "warn")


def test_one_forged_request_is_no_alarm_where_others_hold_and_a_wrong_secret_is(site):
    s = site(sources={**STRIPE, "other": {"provider": "stripe", "secret": "whsec_b3RoZXI="}})

    def deliver(event_id, status, source="stripe", **more):
        body = events.stripe(event_id)
        assert s.cgi(source, body, s.signed(source, body, **more)).status == status
    deliver("evt_1", 401, secret="whsec_wrong")
    assert "most of late at stripe:" in findings(s, "warn")["alarm signatures"], "none has ever held"
    deliver("evt_2", 200)
    assert "others" not in findings(s, "warn").get("alarm signatures", "")
    deliver("evt_3", 401, secret="whsec_wrong")
    assert "alarm signatures" not in findings(s, "warn") and "somebody tries" in findings(s, "note")["alarm signatures"]
    deliver("evt_4", 401, secret="whsec_wrong")
    deliver("evt_5", 401, secret="whsec_wrong")
    assert "most of late at stripe:" in findings(s, "warn")["alarm signatures"]
    deliver("evt_3", 200)
    assert "alarm signatures" not in findings(s, "warn")
    deliver("evt_6", 401, source="other", secret="whsec_wrong")
    assert "most of late at other:" in findings(s, "warn")["alarm signatures"]


def test_check_says_that_a_source_in_reply_mode_has_nothing_for_routes(site):
    hook = {"provider": "supabase", "secret": "v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDE=", "mode": "reply",
            "handler": "fx"}
    for provider in ("hook", "supabase"):
        s = site(sources={"hook": hook}, handlers={"fx": {"sql": "SELECT '{}'"}},
                 routes={"r": {"provider": provider, "handler": "fx"}})
        said = findings(s, "warn")["route r"]
        assert "source hook has mode = reply" in said and "a source of their own" in said
        assert "write provider" not in said


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

    s.handlers = {"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}}
    s.configure()
    assert "alarm handler" in findings(s, "warn")  # the database takes it now, but it has not worked yet
    s.hookonce("retry", "evt_1", check=True)
    s.process()
    assert findings(s, "note")["alarm handler"].endswith("(over)\n")


@pytest.mark.parametrize("end", ["retry", "discard"])
def test_the_alarm_of_a_handler_that_commits_is_over_with_its_dead_letters(site, end):
    s = site(sources=STRIPE, handlers={"fx": {"sql": "COMMIT"}}, routes={"one": {"provider": "stripe", "handler": "fx"}})
    body = events.stripe("evt_1")
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    assert s.hookonce("process", "--once").returncode == 1
    s.handlers = {"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}}
    s.configure()
    assert "alarm handler" in findings(s, "warn")
    s.hookonce(*(("retry", "evt_1") if end == "retry" else ("discard", "evt_1", "--reason", "x")), check=True)
    s.process()
    assert findings(s, "note")["alarm handler"].endswith("(over)\n")
    assert findings(s, "note")["alarm dead"].endswith("(over)\n")


def test_check_calls_an_alarm_over_when_its_cause_is(site, own_mariadb):
    server = own_mariadb()
    s = site(database=server.create_database(), sources={"stripe": {"provider": "stripe", "secret": "sk_live_1"}},
             settings={"hookonce": {"spool": "off"}})
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
    assert done.returncode == 1 and b"FAIL  database: " in done.stdout and b"database: database: " not in done.stdout
    assert s.hookonce("list").returncode == 69
    assert s.hookonce("migrate").returncode == 69
