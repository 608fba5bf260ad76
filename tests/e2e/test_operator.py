"""The operator's commands: what they say, what they find, how they end."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios

import pytest

from hooktest import events, sign, wait_until
from hooktest.paths import SCHEMA_VERSION
from hooktest.proc import account

COMMANDS = ["check", "migrate", "process", "list", "retry", "send", "providers"]
STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}


def lines(done):
    """Standard output as JSON, one object a line."""
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def url(site):
    return site.server.url("/hookonce.fcgi")


# ---- help, arguments, manual ----------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_and_refuses_what_it_does_not_know(module_plain, command):
    text = module_plain.hookonce(command, "--help", check=True).stdout.decode()
    assert text.startswith(f"usage: hookonce {command}")
    assert module_plain.hookonce("help", command, check=True).stdout.decode() == text
    for short in ("-verbose", "--v", "-x"):
        assert module_plain.hookonce(command, short).returncode == 2
    refused = module_plain.hookonce(command, "--no-such-option")
    assert refused.returncode == 2 and b"--no-such-option" in refused.stderr and not refused.stdout


def test_help_helps_with_itself_too(module_plain):
    text = module_plain.hookonce("--help", check=True).stdout
    assert module_plain.hookonce("help", "--help", check=True).stdout == text
    assert module_plain.hookonce("help", check=True).stdout == text


def test_what_was_typed_is_echoed_safely(module_plain):
    odd = "odd\x1b[31m"
    for arguments in ([odd], ["list", odd], ["list", "--" + odd], ["list", "--limit", odd], ["list", "--status", odd],
                      ["retry", odd], ["send", odd], ["providers", odd], ["process", "--for", odd]):
        done = module_plain.hookonce(*arguments)
        assert done.returncode in (1, 2) and b"\x1b" not in done.stderr, arguments
        assert b"limit" in done.stderr or b"odd\\x1b[31m" in done.stderr, arguments


def test_no_command_runs_under_a_web_server(module_plain):
    for name in ("GATEWAY_INTERFACE", "REQUEST_METHOD"):
        done = module_plain.hookonce("list", env={name: "x"})
        assert done.returncode == 2 and b"web server" in done.stderr and not done.stdout


@pytest.mark.parametrize("page, known", [
    ("--man", ["HOOKONCE_CONFIG", "HOOKONCE_URL", ".SH ENVIRONMENT", "hookonce retry", "--parallel N", "--insecure-http"]),
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

    def examples(page):
        text = s.hookonce("help", page, check=True).stdout.decode().split(".SH EXAMPLE\n")[1]
        blocks = re.findall(r"(?s)\n\.nf\n(.*?)\n?\.fi\n", "\n" + text)
        return [b.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\") for b in blocks]

    recipes, (config,) = examples("--man-recipe"), examples("--man-conf")
    s.write("own.conf", "\n".join(recipes))
    s.configure(config + "\n[hookonce]\nrecipes = own.conf\n")
    assert len(recipes) == 3
    for recipe in recipes:
        done = s.hookonce("providers", re.match(r"\[recipe (.*)\]", recipe).group(1), check=True)
        assert b"Acme" in done.stdout and done.stderr == b""


def test_the_manual_of_recipes_has_every_word_that_recipes_may_hold(module_plain):
    text = module_plain.hookonce("help", "--man-recipe", check=True).stdout.decode().replace("\\-", "-")
    for word in ("arrival ", "jose:NAME ", "json:./POINTER ", "header:*NAME ", "[[", "foreign", "bare-comma", "hdrs:kv ",
                 "withform ", "crc32 ", "as:TEXT ", "WHICH KEY TAKES WHAT"):
        assert word in text, word


@pytest.fixture(scope="module")
def module_plain(module_site):
    """A site that tests only read."""
    return module_site(sources=STRIPE)


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
    assert lines(s.hookonce("migrate", "--status", "--json", check=True))[0]["version"] == SCHEMA_VERSION
    os.rename(s.path("hookonce.key"), s.path("elsewhere"))
    done = s.hookonce("migrate")
    assert done.returncode == 1 and b"copy the key file" in done.stderr
    assert not os.path.exists(s.path("hookonce.key"))
    os.rename(s.path("elsewhere"), s.path("hookonce.key"))
    s.sql("INSERT INTO hookonce_schema (version, name, applied_at) VALUES (199, 'later', UTC_TIMESTAMP(6))")
    assert s.hookonce("migrate").returncode == 1
    assert s.hookonce("migrate", "--status").returncode == 1
    assert s.hookonce("check").returncode == 1


def test_errors_of_the_database_name_the_key_to_look_at(site):
    s = site(sources=STRIPE)
    good = s.config_text()
    for key, value, says in (("socket", "/nowhere/db.sock", "socket in [database]"), ("name", "nowhere", "[database]"),
                             ("user", "nobody_here", "user and")):
        s.configure(re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", good, count=1))
        for command in (["list"], ["process", "--once", "--for", "1s"], ["check"], ["migrate"]):
            done = s.hookonce(*command)
            assert done.returncode != 0 and says.encode() in done.stdout + done.stderr, (key, command)
    fresh = site(sources=STRIPE, migrate=False)
    assert b"run: hookonce migrate" in fresh.hookonce("process", "--once").stderr
    os.remove(fresh.path("hookonce.key"))
    assert b"run: hookonce migrate" in fresh.hookonce("process", "--once").stderr


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
    assert b"signs no time" in noted.stderr and b"times in the sample" in noted.stderr


def test_send_tells_the_id_under_which_an_event_is_stored(site):
    s = site(server="lighttpd", routes={}, sources={
        "asana": {"provider": "asana", "secret": "k"}, "meta": {"provider": "meta", "secret": "k",
                                                                 "param": "verify-token x"},
        "supa": {"provider": "supabase", "secret": "v1,whsec_c3VwYWJhc2UtdGVzdC1zZWNyZXQ="},
        "tw": {"provider": "twilio", "secret": "k"}, "mc": {"provider": "mollie-classic", "secret": "k"},
        "sg": {"provider": "sendgrid", "secret": "file:sg.key.pub"}})
    s.hookonce("send", "sg", "--new-key", s.path("sg.key"), check=True)
    s.hookonce("send", "sg", "--new-key", s.path("other.key"), check=True)
    for source, more in (("asana", []), ("meta", []), ("supa", []), ("tw", []), ("sg", ["--key", s.path("sg.key")])):
        sent, _ = lines(s.hookonce("send", source, "--url", url(s), "--json", *more, check=True))
        assert s.value("SELECT event_id FROM hookonce_receipt WHERE source = %s", source).decode() == sent["last_id"]
    said = s.hookonce("send", "mc", "--url", url(s), check=True).stdout.decode()
    assert "its id is made when it arrives" in said
    done = s.hookonce("send", "sg", "--url", url(s), "--key", s.path("other.key"))
    assert done.returncode == 1 and b"not known here" in done.stdout
    own = s.write("own.json", json.dumps({"event": 1}))
    done = s.hookonce("send", "asana", "--url", url(s), "--body", own)
    assert b"finds no event in this body" in done.stdout and b"stored" not in done.stdout


def test_send_warns_when_tampering_shows_nothing(site):
    s = site(server="lighttpd", routes={}, sources={"tg": {"provider": "telegram", "secret": "k"},
                                                    "mg": {"provider": "mailgun", "secret": "k"}})
    done = s.hookonce("send", "tg", "--url", url(s), "--tamper")
    assert b"only shows a token" in done.stderr
    assert b"of the body Mailgun" in s.hookonce("send", "mg", "--url", url(s), "--tamper").stderr
    body = s.write("b.json", '{"hello": 1}')
    done = s.hookonce("send", "tg", "--url", url(s), "--body", body)
    assert done.returncode == 1 and b"finds no event in this body" in done.stdout, done.stdout


def test_send_repeats_counts_and_goes_in_parallel(served):
    again = "SELECT COALESCE(SUM(duplicates), 0) FROM hookonce_receipt"
    receipts, duplicates = served.count("receipt"), served.value(again)
    done = served.hookonce("send", "shopify", "--url", url(served), "--count", "20", "--repeat", "3", "--parallel",
                           "8", "--json", check=True)
    sent, answer = lines(done)
    assert (sent["events"], sent["posts"], answer["times"]) == (20, 60, 60)
    assert 0 <= answer["ms_min"] <= answer["ms_median"] <= answer["ms_max"] < 60000
    assert served.count("receipt") == receipts + 20
    wait_until(lambda: served.value(again) == duplicates + 40, 10, "repeats are counted, behind their answers")


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


def test_send_says_in_a_line_what_to_look_at(served):
    def text(*arguments):
        done = served.hookonce("send", *arguments)
        assert done.returncode == 1
        return done.stdout.decode()

    assert "nothing listens there" in text("stripe", "--url", "http://127.0.0.1:1/hook")
    assert "web server answered" in text("stripe", "--url", served.server.url("/elsewhere"))
    assert "clocks" not in text("stripe", "--url", url(served), "--tamper"), "it was asked for"
    secret = served.write("other", "whsec_b3RoZXI=")
    config = served.config_text()
    served.write("other.conf", config.replace("stripe.secret0", secret))
    done = served.hookonce("--config", served.path("other.conf"), "send", "stripe", "--url", url(served))
    assert done.returncode == 1 and b"signature" in done.stdout and b"clocks" in done.stdout


def test_send_without_a_sample_says_what_to_give(site):
    s = site(sources={"acme": {"provider": "acme", "secret": "k"}}, routes={}, migrate=False,
             files={"own.conf": "[recipe acme]\ntitle = Acme\nsig = header:X-Acme-Signature\nalg = hmac-sha256\n"
                    "enc = hex\nsigned = {body}\nid = {body|sha256|hex}\ntype = {header:X-Acme-Type}\n"},
             settings={"hookonce": {"recipes": "own.conf"}})
    done = s.hookonce("send", "acme", "--url", "http://127.0.0.1:1/")
    assert done.returncode == 2 and b"--body FILE" in done.stderr and b"sample =" in done.stderr


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


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
@pytest.mark.parametrize("what", ["receipts", "jobs", "dead", "conflicts", "attempts", "workers"])
def test_a_list_fits_its_terminal(told, what, columns):
    def shown(*more):
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("4H", 25, columns, 0, 0))
        child = subprocess.Popen([told.program, "list", what, *more], env=told.environment(), stdout=follower,
                                 **account(told.user))
        os.close(follower)
        text = b""
        while select.select([leader], [], [], 30)[0]:
            try:
                text += os.read(leader, 65536)
            except OSError:
                break
        os.close(leader)
        assert child.wait(30) == 0
        return text.decode().replace("\r", "").splitlines()

    assert max(map(len, shown())) <= columns
    wide = [line for line in shown("--wide") if not line.startswith("(")]
    assert wide == told.hookonce("list", what, check=True).stdout.decode().splitlines()


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


def test_list_says_so_when_a_filter_finds_nothing(told):
    done = told.hookonce("list", "--provider", "stripe", "--status", "failed", check=True)
    assert done.stdout == b"No such events.\n" and done.stderr == b""
    done = told.hookonce("list", "--provider", "strip", check=True)
    assert done.stdout == b"No such events.\n" and b"no provider 'strip'; did you mean 'stripe'?" in done.stderr
    assert b"did you mean 'shop'?" in told.hookonce("list", "--source", "shp", check=True).stderr
    assert b"the lists are receipts, jobs, dead, " in told.hookonce("list", "jbos").stderr
    refused = told.hookonce("list", "--status", "bad")
    assert refused.returncode == 2 and b"received, processing, processed or failed" in refused.stderr


# ---- providers ------------------------------------------------------------------------------------


def test_a_resend_is_promised_only_where_the_provider_has_one(module_plain):
    assert b"sent again for 3d" in module_plain.hookonce("providers", "github", check=True).stdout
    for provider in ("supabase", "openai"):  # like Standard Webhooks, which says nothing of it
        assert b"sent again for" not in module_plain.hookonce("providers", provider, check=True).stdout


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


def test_providers_cuts_long_cells_unless_they_are_wanted(module_plain):
    text = module_plain.hookonce("providers", check=True).stdout.decode()
    wide = module_plain.hookonce("providers", "--wide", check=True).stdout.decode()
    assert max(map(len, text.splitlines())) < 200 < max(map(len, wide.splitlines()))
    assert "…" in text and "…" not in wide
    assert text.split("\n")[0].split() == wide.split("\n")[0].split(), "no column is left out"


@pytest.mark.parametrize("provider, says", [
    ("paypal", ["only a checksum, which can be forged", "param = webhook-id VALUE", "in place of the fetched keys"]),
    ("mailgun", ["covers nothing"]), ("adyen", ["covers only some fields"]),
    ("discord", ["The secret is the provider's public key, as hex.",
                 "Handshake: POST with a signature, if json:/type is 1: answered with 200."]),
    ("sendgrid", ["public key, as base64", "that the whole body is"]),
    ("wise", ["public key, as PEM"]), ("stripe", ["The key is the secret's text, as it is."]),
    ("supabase", ["cut at | into several, each: a leading v1, off, then a leading whsec_ off, then base64 decoded"]),
    ("surveymonkey", ["put together with the source's settings"]),
    ("asana", ["the items of the array /events", "{/pointer} looks into its item", "Handshake: POST without a signature",
               "while hookonce pair waits for it the source's secret is taken from x-hook-secret"]),
    ("meta", ["query:hub.mode is subscribe, query:hub.verify_token is the source's param:verify-token and "
              "query:hub.challenge is there"]),
    ("aws-sns", ["hookonce process gets the URL in json:/SubscribeURL"]), ("mandrill", ["under one that is not ours"]),
    ("dropbox", ["its id is made on arrival", "makes another event each time"])])
def test_providers_tells_one_in_words(module_plain, provider, says):
    text = module_plain.hookonce("providers", provider, check=True).stdout.decode()
    for words in says:
        assert words in text, text


def test_a_word_that_names_two_things_is_refused_by_every_command(site):
    """The id of an event is also the number of another's job."""
    hub = {"hub": {"provider": "github", "secret": "s3cret of the hub"}}
    s = site(sources=hub, handlers={"fx": {"sql": "INSERT INTO nowhere VALUES ({event:id})"}},
             routes={"r": {"provider": "hub", "handler": "fx", "retry": "1 tries, 1s"}})
    for name in ("x", "1"):  # job 1 is that of x
        body = events.github(pad="of-" + name)
        assert s.cgi("hub", body, s.signed("hub", body, delivery=name)).status == 200
    for words in (("list",), ("body",), ("forget",), ("retry",), ("discard", "--reason", "r"), ("hold",), ("release",),
                  ("replay",), ("retry", "--dry-run")):
        done = s.hookonce(*words, "1")
        assert done.returncode == 2 and b"say --event 1 or --job 1" in done.stderr, (words, done)
    assert b"of-x" in s.hookonce("body", "--job", "1", check=True).stdout
    assert b"of-1" in s.hookonce("body", "--event", "1", check=True).stdout
    assert b"of-1" in s.hookonce("body", "2", check=True).stdout
    s.hookonce("hold", "--event", "1", check=True)
    s.hookonce("process", "--once")  # ends with 1: dead letters
    assert [j["state"] for j in s.jobs()] == ["dead", "waiting"]
    s.hookonce("release", "--job", "2", check=True)
    s.hookonce("process", "--once")  # ends with 1: dead letters
    s.hookonce("retry", "--event", "1", check=True)
    s.hookonce("discard", "--job", "1", "--reason", "r", check=True)
    assert [j["outcome"] for j in s.jobs()] == ["discarded", None]
    s.hookonce("forget", "--event", "1", "--unfinished", check=True)
    assert s.hookonce("body", "--job", "1", check=True).stdout and s.hookonce("body", "--event", "1").returncode == 1
    for wrong in (("body", "--job", "9"), ("hold", "--job", "9"), ("list", "--event", "2"), ("retry", "--event", "2")):
        done = s.hookonce(*wrong)
        assert done.returncode == 1 and b" '" + wrong[2].encode() + b"'" in done.stderr, done
