"""What monitors and people ask: /health, /metrics, /status, their token, and what is made for them."""

import base64
import fcntl
import hashlib
import html.parser
import json
import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

from hooktest import events, sign, wait_until
from hooktest.paths import PROJECT, promtool
from hooktest.proc import run
from hooktest.web import SERVERS

TOKEN = "page token / with = odd & letters"
PAGES = ("health", "metrics", "status")
BEARER = {"Authorization": "Bearer " + TOKEN}
OPEN = {**BEARER, "Accept": "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"}
SETTINGS = {"hookonce": {"page_token": "file:page.token"}}


def basic(user, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def get(s, page, headers=BEARER, method="GET", query=""):
    return s.server.request(method, f"/hook/{page}{query}", None, headers)


def made(s, page, headers=BEARER, query=""):
    """The page; a busy machine may not make it in time at once, and says so."""
    def asked():
        answer = get(s, page, headers, query=query)
        return None if b"could not be made" in answer.body else answer
    return wait_until(asked, 5, f"{page} is made", 0.2)


def state(s, query="", ask=made):
    """-> (HTTP status, the word, the reasons)"""
    answer = ask(s, "health", query=query)
    told = json.loads(answer.body)
    return answer.status, told["status"], told["reasons"]


def samples(s, headers=BEARER):
    """The metrics by name and labels -> number; checked by a parser of the format they are in."""
    answer = made(s, "metrics", headers)
    assert answer.status == 200
    parse = openmetrics if answer.header("Content-Type").startswith("application/openmetrics-text") else prometheus
    return {(sample.name, *sorted(sample.labels.items())): sample.value
            for family in parse(answer.body.decode()) for sample in family.samples}


@pytest.fixture
def paged(site):
    """A function that makes a site with pages behind a server."""
    def make(server="lighttpd", **more):
        more.setdefault("files", {"page.token": TOKEN + "\n"})
        more.setdefault("settings", SETTINGS)
        return site(server=server, **more)
    return make


# -- who may ask -------------------------------------------------------------------------------------

def test_without_a_token_in_the_config_there_are_no_pages(site):
    s = site(server="lighttpd")
    unknown = get(s, "nosuch", {})
    for page in PAGES:
        answer = get(s, page, BEARER)
        assert (answer.status, answer.body) == (404, unknown.body)


@pytest.mark.parametrize("server", sorted(SERVERS))
def test_the_token_comes_as_bearer_password_or_query_behind_every_server(paged, server):
    s = paged(server)
    quoted = TOKEN.replace("%", "%25").replace("&", "%26").replace("=", "%3D").replace(" ", "+")
    for headers, query in ((BEARER, ""), (basic("anyone", TOKEN), ""), ({}, "?token=" + quoted)):
        answer = get(s, "health", headers, query=query)
        assert answer.status == 200, (server, headers, query)
        assert answer.header("Cache-Control") == "no-store"


def test_a_wrong_token_is_refused_in_few_bytes_counted_and_not_shown(paged):
    s = paged()
    wrong = [{}, {"Authorization": "Bearer " + TOKEN + "x"}, {"Authorization": "Bearer " + TOKEN[:-1]},
             {"Authorization": "Bearer"}, {"Authorization": "Bearer "}, {"Authorization": "Basic !!"},
             basic(TOKEN, ""), basic("", TOKEN + " "), {"Authorization": "Token " + TOKEN},
             {"Authorization": TOKEN}]
    for page in PAGES:
        for headers in wrong:
            answer = get(s, page, headers)
            assert answer.status == 401, (page, headers)
            assert len(answer.body) < 40 and answer.header("WWW-Authenticate").startswith("Basic ")
    for query in ("?token=", "?token=x&token=" + TOKEN.replace(" ", "+"), "?Token=" + TOKEN.replace(" ", "+")):
        assert get(s, "health", {}, query=query).status == 401, query
    assert samples(s)["hookonce_deliveries_total", ("source", "-"), ("verdict", "rejected")] == 3 * len(wrong) + 3
    assert {line["reason"] for line in s.log_lines(event="rejected")} == {"wrong page token"}
    assert TOKEN not in s.log_text() and "odd" not in s.log_text()


def test_a_token_in_a_mistyped_address_is_not_logged(paged):
    s = paged()
    for ending in (";token=SECRET", "&token=SECRET", "=SECRET", "%3Ftoken=SECRET", ":SECRET"):
        assert get(s, "health", {}, query=ending).status == 404
    assert "SECRET" not in s.log_text()
    assert [line["source"] for line in s.log_lines(event="rejected")] == ["health"] * 5


def test_only_get_and_head_ask_for_a_page(paged):
    s = paged()
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        answer = s.server.request(method, "/hook/status", b"", BEARER)
        assert (answer.status, answer.header("Allow")) == (405, "GET, HEAD")
    made(s, "status")
    head = get(s, "status", method="HEAD")
    assert head.status == 200 and head.body == b"" and int(head.header("Content-Length")) > 1000
    assert s.written() == {}


@pytest.mark.parametrize("token, mode", [("", 0o600), ("fifteen bytes..", 0o600), (TOKEN, 0o644)])
def test_a_token_that_is_no_secret_opens_nothing(paged, token, mode):
    s = paged()
    s.write("page.token", token, mode)
    for page in PAGES:
        assert get(s, page, {"Authorization": "Bearer " + token}).status == 503
    assert b"FAIL  pages" in s.hookonce("check").stdout
    s.write("page.token", TOKEN + "\n")
    assert get(s, "health").status == 200 and b"page token" not in s.hookonce("check").stdout
    assert b"FAIL  pages" not in s.hookonce("check").stdout


# -- health ------------------------------------------------------------------------------------------

def test_health_is_ready_until_something_waits_for_a_person(paged):
    s = paged(handlers={"no": {"command": "/bin/false"}}, routes={
        "no": {"provider": "github", "on": "*", "handler": "no", "retry": "1 tries"}})
    assert state(s) == (200, "ready", [])
    assert s.deliver("github", events.github()).status == 200
    assert state(s)[:2] == (200, "degraded")  # nobody has ever processed anything
    s.hookonce("process", "--once")
    assert state(s) == (200, "degraded", ["1 dead letter"])
    shell = s.hookonce("page", "health")
    assert (shell.returncode, json.loads(shell.stdout)["reasons"]) == (1, ["1 dead letter"])
    s.sql("DELETE FROM hookonce_job")
    assert state(s) == (200, "ready", [])
    assert s.hookonce("page", "health").returncode == 0
    s.sql("UPDATE hookonce_worker SET seen_at = UTC_TIMESTAMP(6) - INTERVAL 20 MINUTE")
    s.sql("UPDATE hookonce_host SET seen_at = UTC_TIMESTAMP(6) - INTERVAL 20 MINUTE")
    s.sql("INSERT INTO hookonce_host (host, version, seen_at) VALUES"
          " ('gone', '0', UTC_TIMESTAMP(6) - INTERVAL 20 MINUTE)")
    assert state(s)[1] == "degraded" and "no processor was seen for 20m" in state(s)[2][0]


def test_health_names_each_thing_that_waits(paged):
    s = paged(sources={"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}})
    assert s.deliver("stripe", events.stripe("evt_1")).status == 200
    s.hookonce("process", "--once")
    assert state(s) == (200, "ready", [])
    assert s.deliver("stripe", events.stripe("evt_1", kind="another")).status == 200
    wait_until(lambda: s.count("conflict") == 1, 5, "it is written, behind the answer")
    assert state(s) == (200, "degraded", ["1 conflict"])
    s.sql("DELETE FROM hookonce_conflict")
    s.sql("UPDATE hookonce_job SET state = 'ready', outcome = NULL, run_at = UTC_TIMESTAMP(6) - INTERVAL 30 MINUTE")
    assert state(s)[1:] == ("degraded", ["the oldest due job waits for 30m"])
    s.sql("DELETE FROM hookonce_job")
    s.folder("state/spool")
    s.folder("state/spool/quarantine")
    s.write("state/spool/01M8QA12GYHZKNS9XE4QQ09XEE.10.spool", "0123456789")
    assert state(s)[1] == "degraded" and "the spool waits to be imported: 1 file, the oldest for " in state(s)[2][0]
    os.rename(s.path("state/spool/01M8QA12GYHZKNS9XE4QQ09XEE.10.spool"),
              s.path("state/spool/quarantine/01M8QA12GYHZKNS9XE4QQ09XEE.10.spool"))
    assert state(s)[1:] == ("degraded", ["1 file in the spool's quarantine"])
    os.unlink(s.path("state/spool/quarantine/01M8QA12GYHZKNS9XE4QQ09XEE.10.spool"))
    assert state(s) == (200, "ready", [])
    os.rename(s.path("hookonce.key"), s.path("away.key"))
    code, word, reasons = state(s)
    assert (code, word) == (503, "down") and "the installation's key file can't be read" in reasons


def test_health_says_whether_deliveries_are_taken_without_a_database(paged, own_mariadb):
    server = own_mariadb()
    s = paged(database=server.create_database())
    server.stop()
    code, word, reasons = state(s)
    assert (code, word) == (200, "degraded") and "the database is away; deliveries go to the spool" in reasons
    s.settings = {"hookonce": {"page_token": "file:page.token", "spool": "off"}}
    s.configure()
    time.sleep(1.1)  # it is looked at once a second
    assert state(s)[:2] == (503, "down")
    assert state(s, "?live") == (200, "live", [])
    assert samples(s)["hookonce_database_up", ] == 0
    status = made(s, "status")
    assert status.status == 200 and b"<b>down</b>" in status.body


def test_a_database_that_hangs_holds_a_page_up_for_some_seconds_and_live_not_at_all(paged, own_mariadb):
    server = own_mariadb()
    s = paged(database=server.create_database())
    os.kill(server.proc.pid, signal.SIGSTOP)
    try:
        assert state(s) == (200, "degraded", ["the database is away; deliveries go to the spool"])
        took = []
        for _ in range(5):
            start = time.monotonic()
            assert state(s, "?live") == (200, "live", [])
            took.append(time.monotonic() - start)
        assert min(took) < 1, "it waits for no database"
    finally:
        os.kill(server.proc.pid, signal.SIGCONT)


def test_a_page_that_can_not_be_made_says_so(paged):
    s = paged()
    os.rename(s.program, s.program + ".away")
    assert get(s, "status").status == 503 and get(s, "metrics").header("Retry-After") == "30"
    assert state(s, ask=get)[:2] == (200, "degraded")
    assert state(s, "?live")[1] == "live"
    assert {line["page"] for line in s.log_lines(event="page")} == set(PAGES)


@pytest.mark.parametrize("table, said", [
    ("alert", "<h2>Alerts</h2>\n<p class=\"dim\">This could not be read in time.</p>"),
    ("stat", "The numbers could not be read in time.")])
def test_a_part_of_the_status_that_can_not_be_read_says_so_and_the_rest_is_there(site, table, said):
    s = site()
    assert said not in s.hookonce("page", "status").stdout.decode()
    s.sql(f"RENAME TABLE hookonce_{table} TO away")
    page = s.hookonce("page", "status").stdout.decode()
    assert said in page
    assert "<h2>Sources</h2>" in page and page.rstrip().endswith("</html>")


def test_one_page_is_made_at_a_time_and_others_get_the_last(paged):
    s = paged()
    with open(s.write("state/page.lock", ""), "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert get(s, "status").status == 503
        assert state(s, ask=get)[:2] == (200, "degraded") and state(s, "?live")[1] == "live"
        fcntl.flock(held, fcntl.LOCK_UN)
        first = {page: made(s, page) for page in PAGES}
        opened = made(s, "metrics", OPEN)
        assert {answer.status for answer in (*first.values(), opened)} == {200}
        fcntl.flock(held, fcntl.LOCK_EX)
        assert {page: get(s, page).body for page in PAGES} == {page: first[page].body for page in PAGES}
        again = get(s, "metrics", OPEN)
        assert (again.body, again.header("Content-Type")) == (opened.body, opened.header("Content-Type"))
        for name in os.listdir(s.path("state")):
            if name.endswith(".kept"):
                assert os.stat(s.path("state/" + name)).st_mode & 0o777 == 0o600
                os.utime(s.path("state/" + name), (time.time() - 61,) * 2)
        assert get(s, "status").status == 503 and get(s, "metrics", OPEN).status == 503


SLOW_PAGE = """#!/bin/sh
echo "began $(cut -d' ' -f1 /proc/uptime)" >>"$(dirname "$0")/pages"
sleep 1.6
echo "ended $(cut -d' ' -f1 /proc/uptime)" >>"$(dirname "$0")/pages"
echo "a page"
"""


def test_of_two_receivers_one_is_there_for_deliveries_however_many_ask_for_pages(paged):
    s = paged(("lighttpd", {"procs": 2}))
    s.write("hookonce", SLOW_PAGE, mode=0o755)
    end = time.monotonic() + 9

    def ask():
        while time.monotonic() < end:
            get(s, "metrics")
            time.sleep(0.02)

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        took = []
        while time.monotonic() < end - 0.5:
            start = time.monotonic()
            assert s.deliver("github", events.github()).status == 200
            took.append((start, time.monotonic()))
            time.sleep(0.01)
        for one in asking:
            one.result()
    with open(s.path("pages"), encoding="ascii") as f:
        pages = [line.split() for line in f]
    ended = [float(at) for what, at in pages if what == "ended"]
    assert len(ended) >= 2
    # Whatever the machine does meanwhile: a delivery may have waited for one page, never for two.
    assert [t for t in took if sum(t[0] < at < t[1] for at in ended) > 1] == []


def test_behind_a_slow_page_none_is_made_for_as_long_as_it_took(paged):
    s = paged(("lighttpd", {"procs": 1}))
    s.write("hookonce", SLOW_PAGE.replace("1.6", "2.5"), mode=0o755)
    assert get(s, "metrics").status == 503, "it was not through in time"
    assert get(s, "metrics").status == get(s, "status").status == 503 and state(s, ask=get)[:2] == (200, "degraded")
    with open(s.path("pages"), encoding="ascii") as f:
        assert len(f.readlines()) == 1, "no other one has begun"
    s.write("hookonce", SLOW_PAGE.replace("1.6", "0"), mode=0o755)
    wait_until(lambda: get(s, "metrics").status == 200, 5, "the next is made")


# -- metrics -----------------------------------------------------------------------------------------

def fill(s):
    """Deliveries of every kind, a dead letter, numbers of the hour, a pause, an alert, an open breaker."""
    body = events.github()
    headers = s.signed("github", body)
    assert [s.post("github", body, headers).status for _ in range(3)] == [200] * 3
    assert s.post("github", body, sign.github("wrong", body)).status == 401
    assert s.deliver("shopify", events.shopify()).status == 200
    s.hookonce("process", "--once")
    s.sql("INSERT INTO hookonce_pause (kind, name, reason) VALUES ('handler', 'crm', 'moves')")
    s.sql("INSERT INTO hookonce_alert (kind, subject, state, text, advice, began_at, grew_at, seen_at) VALUES"
          " ('silence', 'stripe', 'firing', 'nothing came from stripe', 'look', UTC_TIMESTAMP(6),"
          " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6)), ('silence', 'slack', 'firing', 'nor from slack', 'look',"
          " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6)), ('disk', '', 'over', 'was full', 'look',"
          " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))")
    s.sql("INSERT INTO hookonce_handler (name, failures, open_until, changed_at) VALUES"
          " ('crm', 10, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, UTC_TIMESTAMP(6))"
          " ON DUPLICATE KEY UPDATE open_until = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR")
    s.sql("DELETE FROM hookonce_stat")
    s.sql("INSERT INTO hookonce_stat (hour, source, event_type, events, jobs, wait_us, tries, run_us, retried,"
          " failed, last_at, counted_at) VALUES (DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-01'), 'git\"hub\\\\n',"
          " 'push', 7, 5, 1500000, 6, 2250000, 1, 1, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6)),"
          " (DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-01') - INTERVAL 1 HOUR, 'old', 'push', 9, 9, 9, 9, 9, 9, 9,"
          " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))")


BROKEN = {"handlers": {"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"},
                       "crm": {"command": "/bin/false"}},
          "routes": {"good": {"provider": "github", "on": "*", "handler": "fx"},
                     "bad": {"provider": "shopify", "on": "*", "handler": "crm", "retry": "1 tries"}}}


def test_metrics_say_what_came_and_how_it_fared(paged):
    s = paged(**BROKEN)
    fill(s)
    wait_until(lambda: samples(s)["hookonce_ack_seconds_count", ] == 4, 5, "the last answer's time is noted, behind it")
    text, opened = samples(s), samples(s, OPEN)
    assert {k: v for k, v in text.items() if "seconds" not in k[0] and "disk" not in k[0]} == \
        {k: v for k, v in opened.items() if "seconds" not in k[0] and "disk" not in k[0]}

    def delivered(source, verdict):
        return text["hookonce_deliveries_total", ("source", source), ("verdict", verdict)]

    assert [delivered("github", v) for v in ("new", "duplicate", "unsigned", "busy")] == [1, 2, 1, 0]
    assert delivered("shopify", "new") == 1
    assert text["hookonce_ack_seconds_count", ] == 4 == text["hookonce_ack_seconds_bucket", ("le", "+Inf")]
    buckets = [v for k, v in text.items() if k[0] == "hookonce_ack_seconds_bucket"]
    assert buckets == sorted(buckets) and 0 < text["hookonce_ack_seconds_sum", ] < 60
    assert text["hookonce_dead_letters", ] == 1 and text["hookonce_jobs", ("state", "due")] == 0
    source = ("source", 'git"hub\\n')
    assert text["hookonce_events_total", source] == 7 and text["hookonce_retries_total", source] == 1
    assert text["hookonce_handler_seconds_sum", source] == 2.25 and text["hookonce_wait_seconds_count", source] == 5
    assert ("hookonce_events_total", ("source", "old")) not in text  # of the month before
    assert text["hookonce_paused", ("kind", "handler"), ("name", "crm")] == 1
    assert text["hookonce_breaker_open", ("handler", "crm")] == 1
    assert {k: v for k, v in text.items() if k[0] == "hookonce_alerts_firing"} == {
        ("hookonce_alerts_firing", ("kind", "silence")): 2}
    assert text["hookonce_database_up", ] == 1 and text["hookonce_spool_files", ] == 0
    assert text["hookonce_processor_seen_seconds", ] < 60


def test_promtool_finds_nothing_wrong_with_the_metrics(paged):
    s = paged(**BROKEN)
    fill(s)
    checked = run([promtool(), "check", "metrics"], 60, input=made(s, "metrics").body)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")
    opened = made(s, "metrics", OPEN)
    assert opened.header("Content-Type").startswith("application/openmetrics-text; version=1.0.0")
    assert opened.body.endswith(b"# EOF\n")


def test_dashboard_and_rules_name_metrics_that_there_are(paged):
    s = paged(**BROKEN)
    fill(s)
    there = {k[0] for k in samples(s)}
    for name in ("grafana.json", "alerts.yml"):
        with open(os.path.join(PROJECT, "schema", name), encoding="utf-8") as f:
            text = f.read()
        named = set(re.findall(r"\bhookonce_[a-z_]+\b", text)) - {"hookonce_alert"}  # that one is a table
        assert named and named <= there, named - there
    with open(os.path.join(PROJECT, "schema/grafana.json"), encoding="utf-8") as f:
        panels = json.load(f)["panels"]
    assert all(target["expr"] for panel in panels for target in panel["targets"])
    for a in panels:  # none lies on another
        for b in panels:
            p, q = a["gridPos"], b["gridPos"]
            assert a is b or p["x"] + p["w"] <= q["x"] or q["x"] + q["w"] <= p["x"] \
                or p["y"] + p["h"] <= q["y"] or q["y"] + q["h"] <= p["y"], (a["title"], b["title"])
    checked = run([promtool(), "check", "rules", os.path.join(PROJECT, "schema/alerts.yml")], 60)
    assert checked.returncode == 0, checked.stdout + checked.stderr


# -- status ------------------------------------------------------------------------------------------

VOID = {"meta", "line", "rect", "circle", "path"}


class Page(html.parser.HTMLParser):
    """Notes tags, attributes and text; elements must be closed in order."""

    def __init__(self, body):
        super().__init__()
        self.open, self.attributes, self.text, self.tags, self.styles = [], [], "", set(), []
        self.feed(body.decode("utf-8"))
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.styles.append(data)
        else:
            self.text += data


def test_status_shows_everything_escaped_in_one_page_without_a_script(paged):
    s = paged(**BROKEN)
    fill(s)
    evil = '<script>alert("1")</script>\' onload=x &amp;\u202e\U0001f600  '
    s.sql("UPDATE hookonce_receipt SET event_type = %s, event_id = CONCAT(%s, provider)", evil, evil)
    s.sql("UPDATE hookonce_job SET last_error = %s WHERE state = 'dead'", evil)
    s.sql("UPDATE hookonce_alert SET text = %s", evil)
    s.sql("INSERT INTO hookonce_stat (hour, source, event_type, events, last_at, counted_at) VALUES"
          " (DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:00:00'), UNHEX('FF3C62'), 'x', 41, UTC_TIMESTAMP(6),"
          " UTC_TIMESTAMP(6))")
    answer = made(s, "status")
    page = Page(answer.body)
    assert "script" not in page.tags and not any(name.startswith("on") for name, _ in page.attributes)
    assert not any(name in ("src", "href", "style", "action") for name, _ in page.attributes)
    assert page.text.count(evil.replace("\u202e", "\ufffd").rstrip()) >= 4  # type, id, error, alert
    assert "\ufffd<b" in page.text and "41" in page.text  # a source whose name is no UTF-8
    policy = next(v for n, v in page.attributes if n == "content" and "default-src" in v)
    digest = base64.b64encode(hashlib.sha256(page.styles[0].encode()).digest()).decode()
    assert len(page.styles) == 1 and policy == f"default-src 'none'; style-src 'sha256-{digest}'; " \
        "base-uri 'none'; form-action 'none'"
    assert "default-src 'none'" in answer.header("Content-Security-Policy")
    assert answer.header("Referrer-Policy") == "no-referrer" and answer.header("Cache-Control") == "no-store"
    for said in ("Deliveries", "Latency of their answers", "Queue age", "Failures of handlers", "Dead letters",
                 "Alerts", "Paused", "moves", "Sources", "24 h", "7 d"):
        assert said in page.text, said
    assert b"http://" not in answer.body and b"https://" not in answer.body


def test_status_draws_what_the_tables_hold(paged):
    s = paged(**BROKEN)
    s.sql("INSERT INTO hookonce_sample (at, host, taken_at, ready, ready_oldest_s, later, running, dead, accepted,"
          " duplicates, refused, busy, ack_n, ack_us, ack_p50_us, ack_p95_us, ack_p99_us, spool_files)"
          " SELECT FROM_UNIXTIME(UNIX_TIMESTAMP() DIV 300 * 300 - 300 * seq), h.host, UTC_TIMESTAMP(6), 0,"
          " IF(seq = 100, 4000, 0), 0, 0, 0, 10, 0, 1, IF(seq = 0, 5, 0), 10, 50000, 3000, 9000, 20000, 0"
          " FROM seq_0_to_2015, (SELECT 'a' AS host UNION ALL SELECT 'b') AS h")
    body = made(s, "status").body.decode()
    figures = {(t, p): svg for t, p, svg in
               re.findall(r"<figcaption>(.*?) <small>(.*?)</small>(.*?)</figure>", body, re.S)}
    accepted = re.search(r"accepted: (\d+)", figures["Deliveries", "24 h"])
    assert 2 * 10 * 285 <= int(accepted.group(1)) <= 2 * 10 * 289  # both hosts' are added
    busy = re.findall(r'<rect class="s2" x="([^"]+)"', figures["Deliveries not taken", "24 h"])
    assert len(busy) == 1 and float(busy[0]) > 450  # what is newest stands at the right
    assert "accepted: 40k" in figures["Deliveries", "7 d"]
    assert "oldest due job: at most 66m" in figures["Queue age", "24 h"]
    assert "p50: at most 3.0 ms" in figures["Latency of their answers", "7 d"]
    assert figures["Deliveries", "24 h"].count("<rect") in (95, 96)
    assert figures["Latency of their answers", "24 h"].count("<path") == 3
    assert "no numbers yet" not in body
    for numbers in re.findall(r'[ (]([xy]|cx|cy|width|height)="([^"]*)"', body):
        assert 0 <= float(numbers[1]) <= 480


def test_status_is_printed_from_a_shell_too(paged):
    s = paged()
    printed = s.hookonce("page", "status", check=True)
    Page(printed.stdout)
    assert b"no numbers yet" in printed.stdout and printed.stderr == b""
    assert s.hookonce("page", "weather").returncode == 2 and s.hookonce("page").returncode == 2
