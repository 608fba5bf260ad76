"""What goes with time and what stays: keep_bodies, keep_receipts, prune; and what is forgotten on request."""

import json
import os
import signal
import subprocess
import time
import urllib.parse

import pytest
from hooktest import events, grid, wait_until
from hooktest.flow import arrive
from hooktest.halt import Halt
from hooktest.proc import account
from hooktest.reply import ask, reply_site

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
DAY_MS = 24 * 3600 * 1000
TABLES = ("attempt", "command", "answer", "body", "guard", "conflict", "job", "effect")


def keeping(site, bodies=None, receipts=None, **more):
    keys = {k: v for k, v in (("keep_bodies", bodies), ("keep_receipts", receipts)) if v}
    return site(sources=more.pop("sources", STRIPE), settings={"hookonce": keys}, **more)


def older(cid, days):
    """The same correlation id, so many days before."""
    ms = 0
    for c in cid[:10]:
        ms = ms * 32 + ALPHABET.index(c)
    ms, text = ms - days * DAY_MS, ""
    for _ in range(10):
        ms, text = ms // 32, ALPHABET[ms % 32] + text
    return text + cid[10:]


def age(s, event_id, days):
    """Moves a receipt, and all that is its, into the past. It must be finished: its MAC does not hold then."""
    old = s.value("SELECT correlation_id FROM hookonce_receipt WHERE event_id = %s", event_id)
    new = older(old, days)
    for table in (*TABLES, "receipt"):
        s.sql(f"UPDATE hookonce_{table} SET correlation_id = %s WHERE correlation_id = %s", new, old)
    s.sql("UPDATE hookonce_receipt SET body_id = %s WHERE body_id = %s", new, old)
    s.sql("UPDATE hookonce_conflict SET first_correlation_id = %s WHERE first_correlation_id = %s", new, old)
    s.sql("UPDATE hookonce_receipt SET recorded_at = recorded_at - INTERVAL %s DAY, "
          "received_at = received_at - INTERVAL %s DAY WHERE correlation_id = %s", days, days, new)
    return new


def ids(s):
    return [r["event_id"].decode() for r in s.sql("SELECT event_id FROM hookonce_receipt ORDER BY event_id")]


def left(s, table="body"):
    """The event ids of receipts that have rows there."""
    return [r["event_id"].decode() for r in s.sql(
        f"SELECT DISTINCT r.event_id FROM hookonce_receipt r JOIN hookonce_{table} t "
        "ON t.correlation_id = r.correlation_id ORDER BY r.event_id")]


def discarded(s):
    return s.value("SELECT COUNT(*) FROM hookonce_job WHERE outcome = 'discarded'")


def orphans(s):
    """Rows of children without a receipt."""
    return {t: n for t in TABLES if t not in ("effect", "conflict") for n in [s.value(
        f"SELECT COUNT(*) FROM hookonce_{t} t LEFT JOIN hookonce_receipt r ON r.correlation_id = t.correlation_id "
        "OR r.body_id = t.correlation_id WHERE r.event_id IS NULL AND t.correlation_id IS NOT NULL")] if n}


def test_nothing_goes_by_default(site):
    s = keeping(site)
    arrive(s, events.stripe("evt_1"))
    s.process()
    age(s, "evt_1", 4000)
    s.process()
    done = s.hookonce("prune", check=True)
    assert b"for ever" in done.stderr and ids(s) == left(s) == ["evt_1"]


def test_bodies_go_and_keys_stay__O_TIM_03(site):
    s = keeping(site, bodies="3d")
    arrive(s, events.stripe("evt_1"), events.stripe("evt_2"))
    s.process()
    age(s, "evt_1", 4)
    age(s, "evt_2", 2)
    s.process()
    assert ids(s) == ["evt_1", "evt_2"] and left(s) == ["evt_2"]
    assert s.log_lines(event="pruned")[0]["bodies"] == "1"
    arrive(s, events.stripe("evt_1"))  # the sender repeats it: known, and not run again
    s.process()
    assert s.effects() == ["evt_1", "evt_2"]
    done = s.hookonce("list", "evt_1", check=True)
    assert b"duplicate" in done.stdout


def test_receipts_go_with_all_that_is_theirs_and_what_is_open_stays(site):
    s = keeping(site, receipts="30d", handlers={"fx": {"sql": [
        "INSERT INTO fx (event_id) VALUES ({event:id})",
        "INSERT INTO fx (event_id) SELECT NULL FROM DUAL WHERE {/fail} = 1"]}},
        routes={"all": {"provider": "stripe", "handler": "fx", "retry": "1 tries, 1s", "once_per": "{event:id}"}})
    old, young = ("done", "dead", "conflict", "discarded"), ("young", "waiting")
    arrive(s, *(events.stripe(f"evt_{n}", fail=int(n in ("dead", "discarded"))) for n in (*old, *young[:1])))
    s.hookonce("process", "--once")
    s.hookonce("discard", "evt_discarded", "--reason", "why not", check=True)
    arrive(s, events.stripe("evt_conflict", kind="other"), events.stripe("evt_waiting"))
    for n in (*old, "waiting"):
        age(s, f"evt_{n}", 31)
    # A command that nobody has done yet gets its answer, though its event is gone.
    s.sql("INSERT INTO hookonce_command (command, correlation_id) SELECT 'retry', correlation_id FROM hookonce_receipt "
          "WHERE event_id = 'evt_done'")
    before = s.value("SELECT COUNT(*) FROM hookonce_effect")
    done = json.loads(s.hookonce("prune", "--dry-run", "--json", check=True).stdout)
    assert done == {"receipts": 2, "bodies": 0} and len(ids(s)) == 6
    s.hookonce("prune", check=True)
    assert ids(s) == ["evt_conflict", "evt_dead", "evt_waiting", "evt_young"]
    assert orphans(s) == {"command": 1} and left(s, "attempt") == ["evt_conflict", "evt_dead", "evt_young"]
    assert s.value("SELECT COUNT(*) FROM hookonce_effect") == before
    waits = s.sql("SELECT command, state FROM hookonce_command WHERE command <> 'prune'")
    assert waits == [{"command": "retry", "state": "new"}] and s.count("conflict") == 1


def test_a_dry_run_of_prune_forecasts_what_goes_and_counts_each_once(site):
    s = keeping(site, bodies="3d", receipts="30d")
    days = {"old": 40, "older": 50, "middle": 10, "young": 1}
    arrive(s, *(events.stripe(f"evt_{n}") for n in days))
    s.process()
    for name, n in days.items():
        age(s, f"evt_{name}", n)
    runs = [json.loads(s.hookonce("prune", "--json", *dry, check=True).stdout) for dry in (("--dry-run",), ())]
    assert runs == [{"receipts": 2, "bodies": 1}] * 2
    assert ids(s) == ["evt_middle", "evt_young"] and left(s) == ["evt_young"]


def test_a_request_goes_whole_or_not_at_all(site):
    s = keeping(site, receipts="30d", bodies="30d")
    arrive(s, *(events.stripe(f"evt_{n}") for n in range(3)))
    s.process()
    first = age(s, "evt_0", 40)
    for n in (1, 2):  # as events of one request: ids of one millisecond, one body
        cid = age(s, f"evt_{n}", 40)
        same = first[:10] + cid[10:]
        for table in ("job", "receipt", "attempt"):
            s.sql(f"UPDATE hookonce_{table} SET correlation_id = %s WHERE correlation_id = %s", same, cid)
        s.sql("DELETE FROM hookonce_body WHERE correlation_id = %s", cid)
        s.sql("UPDATE hookonce_receipt SET body_id = %s WHERE correlation_id = %s", first, same)
    s.sql("UPDATE hookonce_receipt SET status = 'failed' WHERE event_id = 'evt_2'")
    s.hookonce("prune", check=True)
    assert len(ids(s)) == 3 and s.count("body") == 1
    s.sql("UPDATE hookonce_receipt SET status = 'processed' WHERE event_id = 'evt_2'")
    s.hookonce("prune", check=True)
    assert ids(s) == [] and s.count("body") == 0 and orphans(s) == {}


def test_guards_go_with_their_receipt_and_answers_with_the_body(site):
    s = keeping(site, receipts="30d", sources={"hub": {"provider": "github", "secret": "s"}})
    arrive(s, events.github(), source="hub", delivery="d-1")
    s.process()
    age(s, "d-1", 31)
    s.hookonce("prune", check=True)
    assert s.count("guard") == 0 and ids(s) == []
    r = reply_site(site, "echo '{}'")
    r.settings = {"hookonce": {"keep_bodies": "1d"}}
    r.configure()
    ask(r)
    age(r, r.receipts()[0]["event_id"], 2)
    r.hookonce("prune", check=True)
    assert r.count("answer") == r.count("body") == 0 and r.count("receipt") == 1


def test_check_refuses_to_keep_receipts_shorter_than_senders_repeat__O_TIM_03(site):
    s = keeping(site, receipts="1d")
    done = s.hookonce("check", "--json")
    found = {f["subject"]: f for f in map(json.loads, done.stdout.decode().splitlines())}
    assert done.returncode == 1 and found["source stripe keeps"]["level"] == "FAIL"
    assert "30d" in found["source stripe keeps"]["text"] or "days" in found["source stripe keeps"]["text"]
    s.settings["hookonce"]["keep_receipts"] = "3650d"
    s.configure()
    found = [json.loads(line) for line in s.hookonce("check", "--json", check=True).stdout.decode().splitlines()]
    assert not [f for f in found if f["subject"] == "source stripe keeps" and f["level"] == "FAIL"]


def test_forgotten_content_is_nowhere_and_its_keys_stay(site):
    s = keeping(site, handlers={"fx": {"sql": [
        "INSERT INTO fx (event_id) VALUES ({event:id})",
        "INSERT INTO fx (event_id) SELECT NULL FROM DUAL WHERE {/data/object/customer} = 'cus_dead'"]}},
        routes={"all": {"provider": "stripe", "handler": "fx", "retry": "1 tries, 1s"}})

    def body(n, customer, **more):
        return events.stripe(f"evt_{n}", data={"object": {"id": "x", "customer": customer}}, note="secret-" + customer,
                             **more)

    arrive(s, body(1, "cus_1"), body(2, "cus_2"), body(3, "cus_1"), body(4, "cus_dead"))
    s.hookonce("process", "--once")
    arrive(s, body(2, "cus_1", kind="other"))  # a conflict with another's receipt holds it, too
    pick = ("--pointer", "/data/object/customer", "--value", "cus_1")
    done = s.hookonce("forget", *pick, "--dry-run", check=True).stdout
    assert b"2 events would be forgotten, 0 left" in done and b"1 conflict would be erased" in done
    assert s.count("body") == 4
    done = s.hookonce("forget", *pick, check=True).stdout
    assert b"2 events forgotten, 0 left" in done and b"1 conflict erased" in done
    assert left(s) == ["evt_2", "evt_4"] and ids(s) == ["evt_1", "evt_2", "evt_3", "evt_4"]
    assert [b"its body is gone" in s.hookonce("list", f"evt_{n}", check=True).stdout for n in (1, 2)] == [True, False]
    assert s.value("SELECT COUNT(*) FROM hookonce_conflict WHERE body LIKE '%cus_1%'") == 0
    arrive(s, body(1, "cus_1"))  # still a duplicate
    s.process()
    assert s.effects().count("evt_1") == 1
    done = s.hookonce("forget", "evt_4")
    assert done.returncode == 1 and b"left: it waits, runs or is dead" in done.stdout
    s.sql("UPDATE hookonce_attempt SET error = 'cus_dead is broken' WHERE error IS NOT NULL")
    done = s.hookonce("forget", "evt_4", "--unfinished", check=True)
    assert b"1 event forgotten" in done.stdout
    assert [j["outcome"] for j in s.jobs()][3] == "discarded" and left(s) == ["evt_2"]
    assert s.value("SELECT COUNT(*) FROM hookonce_attempt WHERE error IS NOT NULL") == 0
    assert all(j["last_error"] is None for j in s.jobs())
    assert s.hookonce("forget", "evt_nobody").returncode == 1


def grid_site(site, *names, days=0, **more):
    """A site that has got one request with these events, so many days ago by the receiver's clock."""
    s = site(files={"grid.conf": grid.RECIPE}, sources={"grid": {"provider": "grid", "secret": "grid secret"}},
             settings={"hookonce": {"recipes": "grid.conf", **more.pop("hookonce", {})}}, **more)
    body = grid.batch(*names)
    assert s.cgi("grid", body, s.signed("grid", body), now=time.time() - days * 86400).status == 200
    return s


def test_what_forget_leaves_it_has_not_changed(site):
    s = grid_site(site, "e1", "e2")
    before = s.jobs()
    for dry, words in ((("--dry-run",), b"would be left: "), ((), b"left: ")):
        done = s.hookonce("forget", *dry, "--unfinished", "e1")
        assert done.returncode == 1 and words + b"its body has other events" in done.stdout
        done = s.hookonce("forget", *dry, "e1", "e2")
        assert done.returncode == 1 and done.stdout.count(words + b"it waits, runs or is dead") == 2
    done = s.hookonce("forget", "--dry-run", "--unfinished", "e1", "e2", check=True)
    assert b"2 events would be forgotten, 0 left" in done.stdout
    assert s.jobs() == before and discarded(s) == 0
    s.sql("UPDATE hookonce_job AS j JOIN hookonce_receipt AS r ON r.correlation_id = j.correlation_id "
          "SET j.state = 'running', r.status = 'processing' WHERE r.event_id = 'e2'")
    before = s.jobs()
    done = s.hookonce("forget", "--unfinished", "e1", "e2")
    assert done.returncode == 1 and b"0 events forgotten, 2 left" in done.stdout
    assert s.jobs() == before and discarded(s) == 0 and s.count("body") == 1
    s.sql("UPDATE hookonce_job SET state = 'ready'")
    done = s.hookonce("forget", "--unfinished", "e1", "e2", check=True)
    assert b"2 events forgotten, 0 left" in done.stdout and discarded(s) == 2 and s.count("body") == 0


def test_forget_wants_ids_or_a_pointer_and_an_empty_spool(site):
    s = keeping(site)
    for words in ((), ("evt_1", "--pointer", "/a", "--value", "b"), ("--pointer", "/a"), ("--pointer", "a", "--value", "b")):
        assert s.hookonce("forget", *words).returncode == 2, words
    s.folder("state/spool")
    s.write("state/spool/01M8QA12GYHZKNS9XE4QQ09XEE.10.spool", "0123456789")
    done = s.hookonce("forget", "evt_1")
    assert done.returncode == 1 and b"hookonce import" in done.stderr
    s.folder("state/spool/quarantine")
    os.rename(s.path("state/spool/01M8QA12GYHZKNS9XE4QQ09XEE.10.spool"),
              s.path("state/spool/quarantine/01M8QA12GYHZKNS9XE4QQ09XEE.10.spool"))
    done = s.hookonce("forget", "evt_1")
    assert done.returncode == 1 and b"quarantine" in done.stderr
    os.remove(s.path("state/spool/quarantine/01M8QA12GYHZKNS9XE4QQ09XEE.10.spool"))


def test_forget_names_and_leaves_what_it_cannot_look_into(site):
    s = keeping(site)
    s.write("one.bodykey", "11" * 32)
    s.write("two.bodykey", "22" * 32)
    s.settings["hookonce"]["body_key"] = "file:one.bodykey"
    s.configure()
    arrive(s, events.stripe("evt_1", customer="other"))
    arrive(s, events.stripe("evt_1", kind="other", customer="cus_1"))
    s.process()
    s.hookonce("forget", "evt_1", check=True)  # no receipt has a body any more, a conflict is as it came
    arrive(s, events.stripe("evt_1", kind="third", customer="cus_1"))
    pick = ("--pointer", "/customer", "--value", "cus_1")
    s.settings["hookonce"]["body_key"] = "file:two.bodykey"
    s.configure()
    for more in ((), ("--dry-run",)):
        done = s.hookonce("forget", *pick, *more)
        assert done.returncode == 1 and b"left: conflict 2 cannot be looked into" in done.stderr, done
        assert b", 1 left" in done.stdout
    s.settings["hookonce"]["body_key"] = ["file:two.bodykey", "file:one.bodykey"]
    s.configure()
    assert b"1 conflict erased" in s.hookonce("forget", *pick, check=True).stdout
    arrive(s, events.stripe("evt_2"), events.stripe("evt_2", kind="large", customer="cus_1", pad="y" * 1_300_000))
    s.process()
    done = s.hookonce("forget", *pick)  # only its first part is kept, which is no document
    assert done.returncode == 1 and b"only a part of its body is kept" in done.stderr and b", 1 left" in done.stdout
    assert b"1 conflict erased" in s.hookonce("forget", "evt_2", check=True).stdout
    assert b", 0 left" in s.hookonce("forget", *pick, check=True).stdout
    arrive(s, events.stripe("evt_3", customer="cus_1"))
    s.process()
    s.settings["hookonce"]["body_key"] = "file:one.bodykey"
    s.configure()
    done = s.hookonce("forget", *pick)
    assert done.returncode == 1 and b"sealed under the body_key" in done.stderr and b", 1 left" in done.stdout


def test_conflicts_are_read_as_their_source_reads_bodies(site):
    s = keeping(site, sources={"hub": {"provider": "github", "secret": "s"}})
    form = {"content_type": "application/x-www-form-urlencoded"}
    for ref in ("refs/heads/a", "refs/heads/cus_1"):
        body = urllib.parse.urlencode({"payload": events.github(ref=ref).decode()}).encode()
        s.cgi("hub", body, s.signed("hub", body, delivery="d-1", **form))
    assert s.count("conflict") == 1
    done = s.hookonce("forget", "--pointer", "/ref", "--value", "refs/heads/cus_1", check=True)
    assert b"1 conflict erased" in done.stdout
    assert s.value("SELECT COUNT(*) FROM hookonce_conflict WHERE body LIKE '%cus_1%'") == 0


def test_an_ignored_event_without_its_body_is_not_opened_again(site):
    s = keeping(site, routes={})
    arrive(s, events.stripe("evt_1"))
    s.process()
    s.hookonce("forget", "evt_1", check=True)
    done = s.hookonce("retry", "evt_1")
    assert done.returncode == 1 and b"body" in done.stderr, done
    assert [j["outcome"] for j in s.jobs()] == ["ignored"]


def fill(s, n, prefix, days, end="0"):
    """n finished receipts of so many days ago, with body, job and try; their ids begin with the prefix, of 5."""
    cid, at = f"CONCAT('{prefix}', LPAD(seq, 5, '0'), REPEAT('{end}', 16))", f"UTC_TIMESTAMP(6) - INTERVAL {days} DAY"
    s.sql("INSERT INTO hookonce_receipt (provider, event_id, correlation_id, source, event_type, received_at, "
          "recorded_at, status, outcome, body_len, body_sha256, same_digest, document, secret_no, mac) "
          f"SELECT 'stripe', {cid}, {cid}, 'stripe', 't', {at}, {at}, 'processed', 'done', 1, '', '', 'json', 1, '' "
          f"FROM seq_1_to_{n}")
    s.sql(f"INSERT INTO hookonce_body (correlation_id, part, headers, bytes) SELECT {cid}, 0, '', '' FROM seq_1_to_{n}")
    s.sql("INSERT INTO hookonce_job (correlation_id, route, state, run_at, created_at, outcome) "
          f"SELECT {cid}, 'all', 'done', {at}, {at}, 'done' FROM seq_1_to_{n}")
    s.sql("INSERT INTO hookonce_attempt (job_id, claim_no, correlation_id, try_no, worker, started_at) "
          f"SELECT id, 1, correlation_id, 1, 'w', created_at FROM hookonce_job WHERE correlation_id LIKE '{prefix}%'")


def rows_read(s):
    return sum(int(r["Value"]) for r in s.sql("SHOW GLOBAL STATUS LIKE 'Handler_read%'"))


def test_a_batch_reads_what_it_removes_and_not_the_table(site, own_mariadb):
    server = own_mariadb()
    s = keeping(site, receipts="30d", bodies="10d", database=server.create_database())
    fill(s, 30000, "01M8Q", 1)
    s.hookonce("prune", check=True)
    assert s.count("receipt") == 30000
    fill(s, 1200, "01A00", 40)
    fill(s, 700, "01B00", 20)
    s.sql("ANALYZE TABLE hookonce_receipt, hookonce_body, hookonce_job, hookonce_attempt")
    before = rows_read(s)
    done = json.loads(s.hookonce("prune", "--json", check=True).stdout)
    assert done == {"receipts": 1200, "bodies": 700}
    assert rows_read(s) - before < 30 * 1900, "each row is looked at some times, the 30,000 others are not"
    assert s.count("receipt") == 30700 and s.count("body") == 30000 and s.count("attempt") == 30700


FAILS_ONCE = ["INSERT INTO fx (event_id) VALUES ({event:id})",
              "INSERT INTO fx (event_id) SELECT NULL FROM DUAL WHERE {event:id} = 'e2' "
              "AND NOT EXISTS (SELECT 1 FROM fx WHERE event_id = 'mended')"]


def halted_at(s, halt, text, *words):
    """Starts the command; it stands before the first statement with that text. Its end: resume()."""
    halt.arm("hookonce", "before", text)
    child = subprocess.Popen([s.program, *words], stdout=subprocess.PIPE, env=s.environment(env=halt.env), cwd=s.dir,
                             **account(s.user))
    return child, wait_until(halt.halted, 20, "halted")


def resume(halt, child, pid):
    halt.disarm()
    os.kill(pid, signal.SIGCONT)
    out = child.communicate(timeout=60)[0]
    assert child.returncode == 0
    return out


@pytest.mark.parametrize("key", ("keep_bodies", "keep_receipts"))
def test_what_is_opened_again_while_it_is_pruned_stays(site, key):
    s = grid_site(site, "e1", "e2", days=5, hookonce={key: "1d"}, handlers={"fx": {"sql": FAILS_ONCE}},
                  routes={"all": {"provider": "grid", "handler": "fx", "retry": "1 tries, 1s"}})
    s.hookonce("process", "--once")
    s.hookonce("discard", "e2", "--reason", "why not", check=True)
    s.sql("INSERT INTO fx (event_id) VALUES ('mended')")
    s.sql("UPDATE hookonce_receipt SET recorded_at = recorded_at - INTERVAL 5 DAY")
    halt = Halt(s.path("halt"))
    child, pid = halted_at(s, halt, "FOR UPDATE", "prune")
    s.hookonce("retry", "e2", check=True)
    resume(halt, child, pid)
    assert ids(s) == ["e1", "e2"] and s.count("body") == 1
    s.process()
    assert sorted(s.effects()) == ["e1", "e2", "mended"]
    s.hookonce("prune", check=True)
    assert s.count("body") == 0 and ids(s) == ([] if key == "keep_receipts" else ["e1", "e2"])


def test_what_a_conflict_comes_for_while_it_is_pruned_stays(site):
    s = keeping(site, receipts="30d")
    arrive(s, events.stripe("evt_1"))
    s.process()
    age(s, "evt_1", 31)
    halt = Halt(s.path("halt"))
    child, pid = halted_at(s, halt, "FOR UPDATE", "prune")
    arrive(s, events.stripe("evt_1", kind="other"))
    assert s.count("conflict") == 1
    resume(halt, child, pid)
    assert ids(s) == left(s) == ["evt_1"]


def test_an_event_whose_body_is_gone_is_no_forged_one(site):
    s = keeping(site)
    arrive(s, events.stripe("evt_1"))
    s.sql("DELETE FROM hookonce_body")
    s.hookonce("process", "--once")
    assert [(j["state"], j["outcome"]) for j in s.jobs()] == [("dead", "body gone")]


def test_unfinished_requests_at_the_beginning_do_not_stop_pruning(site):
    s = keeping(site, receipts="30d")
    fill(s, 110, "01A00", 40)
    twin = "CONCAT(LEFT(correlation_id, 10), REPEAT('1', 16))"
    s.sql("INSERT INTO hookonce_receipt (provider, event_id, correlation_id, body_id, source, event_type, received_at, "
          "recorded_at, status, outcome, body_len, body_sha256, same_digest, document, secret_no, mac) "
          f"SELECT provider, {twin}, {twin}, correlation_id, source, 't', received_at, recorded_at, 'failed', 'gave up', "
          "1, '', '', 'json', 1, '' FROM hookonce_receipt")
    fill(s, 3, "01B00", 40)
    halt = Halt(s.path("halt"))
    for expected in (223, 220):  # each run has time for one batch
        child, pid = halted_at(s, halt, "r.status <> 'processed'", "process", "--once")
        time.sleep(2.2)
        resume(halt, child, pid)
        assert s.count("receipt") == expected


def test_ids_of_a_clock_that_was_ahead_are_pruned_by_the_time_they_were_recorded(site):
    s = grid_site(site, "e1", days=-3, hookonce={"keep_receipts": "1d"})
    s.process()
    s.hookonce("prune", check=True)
    assert ids(s) == ["e1"]
    s.sql("UPDATE hookonce_receipt SET recorded_at = recorded_at - INTERVAL 2 DAY")
    s.hookonce("prune", check=True)
    assert ids(s) == [] and orphans(s) == {}


def test_a_dry_run_of_prune_by_a_row_ends(site):
    """It is done in pieces of half a second: what is through is not begun again, though nothing has gone."""
    s = keeping(site, bodies="1d", receipts="30d")
    s.settings["hookonce"]["sql_commands"] = "prune"
    s.configure()
    fill(s, 9000, "01A00", 40, end="1")
    fill(s, 4000, "01B00", 5, end="1")
    s.sql("INSERT INTO hookonce_command (command, dry_run) VALUES ('prune', 'yes')")
    s.start_processor("--for", "250s")
    row = wait_until(lambda: s.sql("SELECT found FROM hookonce_command WHERE state = 'done'"), 200, "the dry run's end")[0]
    assert row["found"] == 13000
