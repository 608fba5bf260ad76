"""What a handler's SQL is given, what becomes of it when it fails, and handlers that break the promise."""

import hashlib
import json
import time

import pytest

from hooktest import events, sign, wait_until
from hooktest.flow import arrive, attempts

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
GITHUB = {"github": {"provider": "github", "secret": "github test secret"}}
FX = "INSERT INTO fx (event_id) VALUES ({event:id})"
ONE_TRY = {"retry": "1 try"}
THREE_TRIES = {"retry": "3 tries, 1h"}


def stripe_site(site, sql, route=(), **more):
    """One source, one route to one handler with these statements."""
    return site(sources=STRIPE, handlers={"h": {"sql": sql}},
                routes={"r": {"provider": "stripe", "handler": "h", **dict(route)}}, **more)


def dead_job(s, outcome):
    """The only job, which must be dead with this outcome after a run that says so."""
    done = s.hookonce("process", "--once")
    assert done.returncode == 1, done
    job, = s.jobs()
    assert (job["state"], job["outcome"]) == ("dead", outcome), job
    assert (s.receipts()[0]["status"], s.receipts()[0]["outcome"]) == ("failed", outcome)
    return job


# ---- values ---------------------------------------------------------------------------------------

SEEN = "CREATE TABLE seen (name VARCHAR(64) PRIMARY KEY, v LONGBLOB) ENGINE=InnoDB"


def seen(site, source, body, headers, references):
    """Runs a handler that stores each reference's value -> {reference: bytes or None}."""
    s = site(sources={source: {**STRIPE, **GITHUB}[source]},
             handlers={"h": {"sql": [f"INSERT INTO seen VALUES ('{n}', {r})" for n, r in enumerate(references)]}},
             routes={"r": {"provider": source, "handler": "h"}})
    s.sql(SEEN)
    assert s.cgi(source, body, headers(s)).status == 200
    s.process()
    return s, {r: s.value("SELECT v FROM seen WHERE name = %s", str(n)) for n, r in enumerate(references)}


DATA = {"small": 7, "negative": -3, "big": 9223372036854775807, "least": -9223372036854775807,
        "unsigned": 18446744073709551614, "yes": True, "no": False, "nothing": None, "empty": "",
        "emoji": "Plaça 😀 ™", "quote": "O'Brien \"x\" \\ ; -- #", "nul": "a\u0000b",
        "list": [1, "two", None], "object": {"a": {"b": 1}}, "~/": "odd name", "number text": "0012"}


def test_values_of_every_kind_reach_the_sql_as_they_are(site):
    tree = json.dumps({"id": "evt_kinds", "type": "t", "created": 1790000000, "data": DATA}, ensure_ascii=False)
    body = tree.replace('"small": 7', '"small": 7, "decimal": 10.10, "tiny": 1e-7').encode()
    wanted = {
        "{/data/small}": b"7", "{/data/negative}": b"-3", "{/data/big}": b"9223372036854775807",
        "{/data/least}": b"-9223372036854775807", "{/data/unsigned}": b"18446744073709551614",
        "{/data/decimal}": b"10.10", "{/data/tiny}": b"1e-7", "{/data/yes}": b"1", "{/data/no}": b"0",
        "{/data/nothing}": None, "{/data/empty}": b"", "{/data/missing}": None, "{/data/small/deeper}": None,
        "{/data/list/1}": b"two", "{/data/list/2}": None, "{/data/list/9}": None,
        "{/data/emoji}": "Plaça 😀 ™".encode(), "{/data/quote}": b"O'Brien \"x\" \\ ; -- #",
        "{/data/nul}": b"a\x00b", "{/data/list}": b'[1,"two",null]', "{/data/object}": b'{"a":{"b":1}}',
        "{/data/~0~1}": b"odd name", "{/data/number text}": b"0012", "{/created}": b"1790000000",
    }
    _, got = seen(site, "stripe", body, lambda s: s.signed("stripe", body), list(wanted))
    assert got == wanted


def test_a_decimal_and_a_64_bit_number_fit_exact_columns(site):
    s = stripe_site(site, ["INSERT INTO sums VALUES ({/data/n}, {/data/d}, {/data/text}, {/data/yes})"])
    s.sql("CREATE TABLE sums (n BIGINT, d DECIMAL(20, 4), t VARCHAR(40) CHARACTER SET utf8mb4, y BOOLEAN) "
          "ENGINE=InnoDB")
    arrive(s, b'{"id":"evt_sums","data":{"n":9007199254740993,"d":1234567890123456.7891,"text":"\\ud83d\\ude00",'
              b'"yes":true}}')
    s.process()
    row, = s.sql("SELECT n, CAST(d AS CHAR) AS d, t, y FROM sums")
    assert row == {"n": 9007199254740993, "d": "1234567890123456.7891", "t": "😀", "y": 1}


def test_a_number_that_cannot_be_kept_exactly_fails_the_try(site):
    s = stripe_site(site, [FX, "SELECT {/data/n}"], ONE_TRY)
    arrive(s, b'{"id":"evt_big","data":{"n":18446744073709551616}}')
    assert "/data/n" in dead_job(s, "gave up")["last_error"] and s.effects() == []


def test_headers_reach_the_sql_whatever_their_case(site):
    body = events.github()
    headers = sign.github(GITHUB["github"]["secret"], body, event="push", delivery="d-1") + [
        ("X-Custom", "  two words  "), ("Authorization", "Bearer do-not-keep"), ("Cookie", "a=b")]
    references = ["{header:X-GitHub-Event}", "{header:x-github-delivery}", "{header:USER-AGENT}",
                  "{header:X-Custom}", "{header:Content-Type}", "{header:X-Missing}", "{header:Authorization}",
                  "{header:Cookie}"]
    s, got = seen(site, "github", body, lambda s: headers, references)
    assert [got[r] for r in references[:6]] == [b"push", b"d-1", b"GitHub-Hookshot/abc123", got["{header:X-Custom}"],
                                                b"application/json", None]
    assert got["{header:X-Custom}"].strip() == b"two words"
    assert got["{header:Authorization}"] is None and got["{header:Cookie}"] is None
    assert b"do-not-keep" not in s.value("SELECT headers FROM hookonce_body")


def test_every_name_of_the_event_reaches_the_sql(site):
    body = events.stripe("evt_names", object_id="cs_17")
    names = ("provider", "source", "id", "type", "occurred_at", "object", "correlation_id", "attempt",
             "body")
    s, got = seen(site, "stripe", body, lambda s: s.signed("stripe", body), ["{event:%s}" % n for n in names])
    row, = s.receipts()
    value = {n: got["{event:%s}" % n] for n in names}
    assert value == {
        "provider": b"stripe", "source": b"stripe", "id": b"evt_names", "type": b"checkout.session.completed",
        "occurred_at": b"2026-09-21 14:13:20.000000", "object": b"cs_17",
        "correlation_id": row["correlation_id"].encode(), "attempt": b"1", "body": body}


def test_what_the_provider_does_not_say_is_null(site):
    body = b'{"zen":"Keep it logically awesome."}'
    s, got = seen(site, "github", body, lambda s: s.signed("github", body, event="ping"),
                  ["{event:occurred_at}", "{event:object}", "{/zen}", "{/}"])
    assert list(got.values()) == [None, None, b"Keep it logically awesome.", None]


def test_a_body_that_is_no_json_can_be_had_whole(site):
    body = b"\x00\xff not json"
    _, got = seen(site, "github", body, lambda s: s.signed("github", body), ["{event:body}", "{event:type}"])
    assert got == {"{event:body}": body, "{event:type}": b"push"}


def test_a_pointer_into_a_body_that_is_no_json_is_a_failed_try(site):
    s = site(sources=GITHUB, handlers={"h": {"sql": [FX, "UPDATE fx SET event_id = {/ref}"]}},
             routes={"r": {"provider": "github", "handler": "h", **ONE_TRY}})
    body = b"\x00\xff not json"
    assert s.cgi("github", body, s.signed("github", body)).status == 200
    job = dead_job(s, "gave up")
    assert job["last_error"] == "handler h: the event has no JSON document, but statement 2 uses {/ref}"
    assert s.effects() == []


def large(size, **last):
    """A JSON body of about so many bytes that does not compress, its small fields at the end."""
    filler = "".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(size // 64))
    return json.dumps({"filler": filler, **last}, ensure_ascii=False).encode()


SHA = "INSERT INTO seen VALUES ('sha', UNHEX(SHA2({event:body}, 256)))"
LAST = "INSERT INTO seen VALUES ('last', {/last})"


def test_a_body_of_5_mb_reaches_the_handler_whole(site):
    s = site(sources=GITHUB, handlers={"h": {"sql": [SHA, LAST]}}, routes={"r": {"provider": "github", "handler": "h"}})
    s.sql(SEEN)
    body = large(5 << 20, last="end 😀")
    arrive(s, body, source="github")
    s.process()
    assert s.value("SELECT v FROM seen WHERE name = 'sha'") == hashlib.sha256(body).digest()
    assert s.value("SELECT v FROM seen WHERE name = 'last'").decode() == "end 😀"


def test_a_body_over_the_servers_packet_is_kept_in_parts_and_read_from_them(site, own_mariadb):
    server = own_mariadb(options=["--max-allowed-packet=1M"])
    s = site(database=server.create_database(), sources=GITHUB,
             handlers={"h": {"sql": LAST}, "whole": {"sql": SHA}},
             routes={"r": {"provider": "github", "handler": "h"},
                     "whole": {"provider": "github", "handler": "whole", "retry": "1 try"}})
    s.sql(SEEN)
    body = large(5 << 20, last="end 😀")
    arrive(s, body, source="github")
    assert s.count("body") >= 5
    assert s.hookonce("process", "--once").returncode == 1
    assert s.value("SELECT v FROM seen").decode() == "end 😀"
    dead, = s.sql("SELECT route, outcome, last_error FROM hookonce_job WHERE state = 'dead'")
    assert dead["route"] == "whole" and "max_allowed_packet" in dead["last_error"], dead


# ---- failing handlers -------------------------------------------------------------------------------


def test_a_failed_handlers_work_is_undone_and_its_tries_are_kept__O_HND_03(site):
    s = stripe_site(site, [FX, "SELECT 1/0 FROM nowhere"], {"retry": "3 tries, 1s"})
    arrive(s, events.stripe("evt_hnd03"))
    run = s.start_processor("--for", "200s")
    wait_until(lambda: s.jobs()[0]["state"] == "dead", 60, "three tries")
    assert run.stop() == 1 and run.output() == ""
    assert s.effects() == []
    assert attempts(s) == [(1, "failed"), (2, "failed"), (3, "failed")]
    job, = s.jobs()
    assert (job["state"], job["outcome"], job["tries"]) == ("dead", "gave up", 3)
    assert "handler h, statement 2" in job["last_error"] and "nowhere" in job["last_error"]
    errors = [r["error"] for r in s.sql("SELECT error FROM hookonce_attempt")]
    assert all("nowhere" in e for e in errors)
    assert s.receipts()[0]["status"] == "failed"
    letter = json.loads(s.hookonce("list", "dead", "--json").stdout)
    assert letter["event_id"] == "evt_hnd03" and "nowhere" in letter["last_error"]


def test_one_failing_job_holds_up_no_other(site):
    s = stripe_site(site, [FX, "INSERT INTO uniq VALUES ({/data/object/id})"], ONE_TRY)
    s.sql("CREATE TABLE uniq (id VARBINARY(64) PRIMARY KEY) ENGINE=InnoDB")
    s.sql("INSERT INTO uniq VALUES ('cs_bad')")
    arrive(s, *(events.stripe(f"evt_{n}", object_id="cs_bad" if n == 2 else f"cs_{n}") for n in range(6)))
    assert s.hookonce("process", "--once").returncode == 1
    assert s.effects() == [f"evt_{n}" for n in range(6) if n != 2]
    assert [j["state"] for j in s.jobs()] == ["done", "done", "dead", "done", "done", "done"]


def test_several_statements_see_each_other_and_commit_together(site):
    s = stripe_site(site, ["INSERT INTO account VALUES (7, 0)", "UPDATE account SET sum = sum + 5 WHERE id = 7",
                           "SET @twice = (SELECT sum * 2 FROM account WHERE id = 7)",
                           "INSERT INTO account VALUES (8, @twice)", FX])
    s.sql("CREATE TABLE account (id INT PRIMARY KEY, sum INT NOT NULL) ENGINE=InnoDB")
    arrive(s, events.stripe("evt_several"))
    s.process()
    assert s.sql("SELECT id, sum FROM account ORDER BY id") == [{"id": 7, "sum": 5}, {"id": 8, "sum": 10}]
    assert s.effects() == ["evt_several"]


def test_nothing_of_one_event_is_left_in_the_session_for_the_next(site):
    s = stripe_site(site, ["INSERT INTO fx (event_id) VALUES (CONCAT({event:id}, COALESCE(@left, '-none')))",
                           "SET @left = '-left'", "SET SESSION sql_mode = ''", "SET autocommit = 0",
                           "CREATE TEMPORARY TABLE aside (a INT)"])
    arrive(s, events.stripe("evt_a"), events.stripe("evt_b"))
    s.process()
    assert s.effects() == ["evt_a-none", "evt_b-none"]


def test_a_handler_that_waits_for_a_lock_is_tried_again(site):
    s = stripe_site(site, [FX, "UPDATE account SET sum = sum + 1 WHERE id = 7"], {"retry": "50 tries, 1s to 2s"})
    s.sql("CREATE TABLE account (id INT PRIMARY KEY, sum INT NOT NULL) ENGINE=InnoDB")
    s.sql("INSERT INTO account VALUES (7, 0)")
    rival = s.db.connect()
    try:
        rival.begin()
        with rival.cursor() as cursor:
            cursor.execute("UPDATE account SET sum = sum + 100 WHERE id = 7")
        arrive(s, events.stripe("evt_lock"))
        worker = s.start_processor("--for", "200s")
        wait_until(lambda: s.jobs()[0]["state"] == "running", 10, "it is claimed")
        rival.rollback()
    finally:
        rival.close()
    wait_until(lambda: s.jobs()[0]["state"] == "done", 15, "it is done when the lock is gone")
    assert worker.stop() == 0
    assert s.value("SELECT sum FROM account") == 1 and s.effects() == ["evt_lock"]


# ---- handlers that end the transaction or write outside it ---------------------------------------------

PROCEDURES = (
    "CREATE PROCEDURE commits() BEGIN INSERT INTO fx (event_id) VALUES ('inside'); COMMIT; START TRANSACTION; END",
    "CREATE PROCEDURE harmless() BEGIN SAVEPOINT a; INSERT INTO fx (event_id) VALUES ('inside'); "
    "ROLLBACK TO a; END",
)
BAD = {
    "create": "CREATE TABLE made (a INT) ENGINE=InnoDB", "drop-missing": "DROP TABLE IF EXISTS never_was",
    "truncate": "TRUNCATE TABLE other", "commit": "COMMIT", "commit-chain": "COMMIT AND CHAIN", "begin": "BEGIN",
    "rollback": "ROLLBACK", "start": "START TRANSACTION", "lock": "LOCK TABLES other WRITE", "call": "CALL commits()",
    "analyze": "ANALYZE TABLE other",
}


def guarded(site, sql):
    """A site whose handler is (FX, sql, an INSERT), with one event waiting."""
    s = stripe_site(site, [FX, sql, "INSERT INTO fx (event_id) VALUES ('after')"], THREE_TRIES)
    s.db.unrestrict()  # the database lets the handler do what it wants
    s.sql("CREATE TABLE other (a INT) ENGINE=InnoDB")
    for procedure in PROCEDURES:
        s.sql(procedure)
    arrive(s, events.stripe("evt_guard"))
    return s


def refused_whole(s, sql):
    """Whether this server prepares no such statement, so that it is known before it did anything."""
    version = s.db.value("SELECT VERSION()")
    return tuple(int(n) for n in version.split(".")[:2]) < (10, 6) and sql.split()[0] in ("BEGIN", "START", "LOCK", "UNLOCK")


def told_by_check(s, words):
    """`hookonce check` warns of a handler that cannot work, and of the dead letter."""
    found = [json.loads(line) for line in s.hookonce("check", "--json").stdout.decode().splitlines()]
    warned = {f["subject"]: f["text"] for f in found if f["level"] in ("warn", "FAIL")}
    assert "cannot work" in warned["alarm handler"] and warned["dead letters"].startswith("1;")
    alarm, = [line for line in s.log_lines(event="alarm") if line["alarm"] == "handler"]
    assert words in alarm["why"]


@pytest.mark.parametrize("kind", BAD)
def test_a_handler_that_ends_the_transaction_is_stopped_at_once(site, kind):
    s = guarded(site, BAD[kind])
    job = dead_job(s, "bad handler")
    why = "can't prepare such a statement" if refused_whole(s, BAD[kind]) else "the handler ended the transaction"
    assert why in job["last_error"]
    assert attempts(s) == [(1, "bad handler")]
    assert s.effects().count("evt_guard") <= 1
    told_by_check(s, why)
    s.hookonce("process", "--once", check=True)
    assert attempts(s) == [(1, "bad handler")]


def test_a_procedure_that_hides_a_deadlock_is_stopped_at_once(site):
    """The server has undone the transaction, and the procedure went on in one of its own: CALL says OK."""
    s = stripe_site(site, [FX, "CALL hides()", "INSERT INTO fx (event_id) VALUES ('after')"], THREE_TRIES)
    s.db.unrestrict()
    s.sql("CREATE TABLE pair (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB")
    s.sql("CREATE TABLE heavy (a INT) ENGINE=InnoDB")
    s.sql("INSERT INTO pair VALUES (1, 0), (2, 0)")
    s.sql("CREATE PROCEDURE hides() BEGIN DECLARE CONTINUE HANDLER FOR 1213 BEGIN END; "
          "UPDATE pair SET n = n + 1 WHERE id = 1; UPDATE pair SET n = n + 1 WHERE id = 2; "
          "INSERT INTO fx (event_id) VALUES ('inside'); END")
    arrive(s, events.stripe("evt_guard"))
    rival = s.db.connect()
    try:
        rival.begin()
        with rival.cursor() as cursor:  # with more to undo than the handler, so that this one is chosen
            cursor.execute("INSERT INTO heavy SELECT seq FROM seq_1_to_2000")
            cursor.execute("UPDATE pair SET n = n + 100 WHERE id = 2")
            worker = s.start_processor("--for", "200s")
            at = "SELECT 1 FROM information_schema.processlist WHERE info LIKE 'UPDATE pair%+ 1 WHERE id = 2%'"
            wait_until(lambda: s.db.server.execute(at), 10, "the handler is at the second row")
            cursor.execute("UPDATE pair SET n = n + 100 WHERE id = 1")
        rival.commit()
    finally:
        rival.close()
    wait_until(lambda: s.jobs()[0]["state"] not in ("ready", "running"), 15, "it has ended")
    worker.stop()
    job, = s.jobs()
    assert (job["state"], job["outcome"]) == ("dead", "bad handler") and "ended the transaction" in job["last_error"]
    assert attempts(s) == [(1, "bad handler")]
    assert "after" not in s.effects() and "evt_guard" not in s.effects()
    assert s.sql("SELECT n FROM pair ORDER BY id")[0] == {"n": 100}, "what came before the deadlock is undone"


def test_a_ddl_statement_that_fails_has_ended_the_transaction_too(site):
    s = guarded(site, "CREATE TABLE other (a INT) ENGINE=InnoDB")
    assert "the handler ended the transaction" in dead_job(s, "bad handler")["last_error"]
    assert attempts(s) == [(1, "bad handler")]


@pytest.mark.parametrize("sql", ["CALL harmless()", "SET autocommit = 1", "SET autocommit = 0", "UNLOCK TABLES",
                                 "CREATE TEMPORARY TABLE aside (a INT)", "DO GET_LOCK('x', 0)"])
def test_what_leaves_the_transaction_alone_is_no_harm(site, sql):
    s = guarded(site, sql)
    if refused_whole(s, sql):
        assert "can't prepare such a statement" in dead_job(s, "bad handler")["last_error"] and not s.effects()
        return
    s.process()
    assert s.effects() == ["evt_guard", "after"]


@pytest.mark.parametrize("engine", ["MyISAM", "Aria", "MEMORY"])
def test_a_handler_that_writes_to_a_table_without_transactions_is_stopped(site, engine):
    s = stripe_site(site, [FX, "INSERT INTO loose VALUES (1)"], THREE_TRIES)
    s.sql(f"CREATE TABLE loose (a INT) ENGINE={engine}")
    found = [json.loads(line) for line in s.hookonce("check", "--json").stdout.decode().splitlines()]
    other, = [f for f in found if f["subject"] == "database other tables"]
    assert other["level"] == "warn" and f"loose ({engine})" in other["text"]
    arrive(s, events.stripe("evt_loose"))
    assert "not InnoDB" in dead_job(s, "bad handler")["last_error"]
    assert attempts(s) == [(1, "bad handler")] and s.effects() == []
    told_by_check(s, "not InnoDB")


def test_a_handler_may_read_a_table_without_transactions(site):
    s = stripe_site(site, ["INSERT INTO fx (event_id) SELECT a FROM loose"])
    s.sql("CREATE TABLE loose (a VARCHAR(10)) ENGINE=MyISAM")
    s.sql("INSERT INTO loose VALUES ('read')")
    arrive(s, events.stripe("evt_reads"))
    s.process()
    assert s.effects() == ["read"]


def test_the_events_after_a_bad_handler_are_done_on_a_sound_link(site):
    s = site(sources=STRIPE, handlers={"bad": {"sql": ["SET SESSION sql_mode = ''", "LOCK TABLES fx WRITE"]},
                                       "good": {"sql": FX}},
             routes={"bad": {"provider": "stripe", "on": "bad.*", "handler": "bad"},
                     "good": {"provider": "stripe", "on": "good.*", "handler": "good"}})
    arrive(s, events.stripe("evt_1", "bad.one"), events.stripe("evt_2", "good.one"), events.stripe("evt_3", "bad.two"),
           events.stripe("evt_4", "good.two"))
    assert s.hookonce("process", "--once").returncode == 1
    assert s.effects() == ["evt_2", "evt_4"]
    assert [j["outcome"] for j in s.jobs()] == ["bad handler", "done", "bad handler", "done"]


@pytest.mark.parametrize("sql", ["INSERT INTO fx (event_id) VALUES ('a'); DROP TABLE fx", "USE mysql"])
def test_two_statements_in_one_and_use_are_refused_before_anything_runs(site, sql):
    s = stripe_site(site, [FX])
    s.handlers = {"h": {"sql": [FX, sql]}}
    s.configure()
    done = s.hookonce("process", "--once")
    assert done.returncode == 2 and b"hookonce.conf:" in done.stderr


def test_what_a_handler_sets_in_its_session_reaches_no_further(site):
    """Our own statements behind it run on the same link: status, times and the guard stay right."""
    s = site(sources=STRIPE, handlers={
        "bad": {"sql": "INSERT INTO nowhere VALUES (1)"},
        "odd": {"sql": ["INSERT INTO fx (event_id) VALUES ({event:id})",
                        "SET SESSION sql_select_limit = 0, timestamp = 1000, max_statement_time = 0.000001, "
                        "character_set_results = utf16, sql_big_selects = 0, max_join_size = 1"]}},
        routes={"a": {"provider": "stripe", "handler": "bad", "retry": "1 try"},
                "b": {"provider": "stripe", "handler": "odd", "retry": "1 try"}})
    body = events.stripe("evt_odd")
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    start = time.monotonic()
    s.hookonce("process", "--once")
    assert time.monotonic() - start < 50, "it does not go on until its lease ends"
    assert {j["route"]: j["state"] for j in s.jobs()} == {"a": "dead", "b": "done"}
    assert s.effects() == ["evt_odd"] and s.receipts()[0]["status"] == "failed"
    assert s.value("SELECT COUNT(*) FROM hookonce_attempt WHERE ended_at < started_at") == 0
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE run_at < created_at") == 0
