"""Sealed bodies: nothing readable in the tables and the spool, the same work, keys that change."""

import base64
import concurrent.futures
import json
import os
import signal

import pytest

from hooktest import events, wait_until
from hooktest.flow import arrive
from hooktest.halt import Halt
from hooktest.reply import ask, reply_site
from hooktest.spool import away, files, send

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
PROBE = "probe-4711-of-the-customer"


def sealed_site(site, keys=("one",), make=None, **more):
    """A site whose config names these body keys ("off" among them as it is)."""
    files = {f"{k}.bodykey": os.urandom(32).hex() + "\n" for k in keys if k != "off"}
    files["b64.bodykey"] = base64.b64encode(os.urandom(32)).decode()
    named = [k if k == "off" else f"file:{k}.bodykey" for k in keys]
    return site(sources=STRIPE, settings={"hookonce": {"body_key": named}}, files=files, **more)


def use_keys(s, *keys):
    s.settings["hookonce"]["body_key"] = [k if k == "off" else f"file:{k}.bodykey" for k in keys]
    for k in keys:
        if k != "off" and not os.path.exists(s.path(f"{k}.bodykey")):
            s.write(f"{k}.bodykey", os.urandom(32).hex())
    s.configure()


def dump(s):
    """Every byte of our tables."""
    got = b""
    for row in s.sql("SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() "
                     "AND table_name LIKE 'hookonce\\_%'"):
        for r in s.sql(f"SELECT * FROM {row['name']}"):
            got += b"|".join(v if isinstance(v, bytes) else str(v).encode() for v in r.values())
    return got


def prints(s, table="body"):
    return {r["body_key"] for r in s.sql(f"SELECT body_key FROM hookonce_{table}")}


def body(n=1, **more):
    return events.stripe(f"evt_{n}", note=PROBE, **more)


def check(s):
    return {f["subject"]: (f["level"], f["text"])
            for f in map(json.loads, s.hookonce("check", "--json").stdout.decode().splitlines())}


@pytest.mark.parametrize("key", ["one", "b64"])
def test_nothing_readable_is_stored_and_the_work_is_the_same(site, key):
    s = sealed_site(site, ("one",))
    s.sources = {**STRIPE, "hub": {"provider": "github", "secret": "s"}}
    s.routes = {**s.routes, "hub": {"provider": "hub", "handler": "fx"}}
    use_keys(s, key)
    headers = s.signed("stripe", body())
    assert s.cgi("stripe", body(), [*headers, ("X-Probe", PROBE)]).status == 200
    arrive(s, body(), body(type="other.kind"))  # a duplicate, and a conflict
    arrive(s, events.github(pad="x" * 9_000_000), source="hub", delivery="d-2")  # in several parts
    assert s.written() == {"receipt": 2, "body": 4, "job": 2, "guard": 1, "conflict": 1}
    assert PROBE.encode() not in dump(s) and b"x" * 100 not in dump(s)
    assert len(prints(s)) == len(prints(s, "conflict")) == 1 and None not in prints(s)
    s.process()
    assert s.effects() == ["evt_1", "d-2"]
    assert all(r["duplicates"] == (r["event_id"] == b"evt_1") for r in s.receipts())
    assert check(s)["body key"][0] == "ok"


def test_digests_of_sealed_content_cannot_be_guessed(site):
    s = sealed_site(site)
    arrive(s, body())
    import hashlib
    assert hashlib.sha256(body()).digest() not in dump(s)


def test_what_came_plain_and_comes_again_sealed_is_a_duplicate_and_the_other_way(site):
    s = sealed_site(site, ("off", "one"))
    arrive(s, body(1))
    use_keys(s, "one")
    arrive(s, body(1), body(2))
    use_keys(s, "off", "one")
    arrive(s, body(2))
    assert [r["duplicates"] for r in s.receipts()] == [1, 1] and s.count("conflict") == 0
    s.process()
    assert s.effects() == ["evt_1", "evt_2"]


def test_a_guard_finds_a_replay_whatever_was_sealed_meanwhile(site):
    github = {"hub": {"provider": "github", "secret": "s"}}
    s = site(sources=github, settings={"hookonce": {"body_key": ["off", "file:one.bodykey"]}},
             files={"one.bodykey": os.urandom(32).hex()})
    text = events.github()

    def deliver(delivery):
        return s.cgi("hub", text, s.signed("hub", text, delivery=delivery)).status

    assert deliver("11111111-1111-4111-8111-111111111111") == 200
    use_keys(s, "one")
    assert deliver("22222222-2222-4222-8222-222222222222") == 200
    assert s.count("receipt") == 1 and s.count("conflict") == 1


def test_a_key_that_is_away_makes_jobs_wait_and_receivers_busy_and_loses_nothing(site):
    s = sealed_site(site)
    arrive(s, body(1))
    os.rename(s.path("one.bodykey"), s.path("away"))
    done = s.hookonce("process", "--once")
    job, = s.jobs()
    assert (job["state"], job["waiting_for"], job["tries"]) == ("ready", "body key", 0), done
    assert s.cgi("stripe", body(2), s.signed("stripe", body(2))).status == 503
    level, text = check(s)["body key"]
    assert level == "FAIL" and "one.bodykey" in text
    assert os.listdir(s.folder("state/spool")) == []
    os.rename(s.path("away"), s.path("one.bodykey"))
    arrive(s, body(2))
    s.hookonce("retry", "evt_1", check=True)
    s.process()
    assert sorted(s.effects()) == ["evt_1", "evt_2"]


def test_rekey_turns_every_row_to_the_newest_key_and_to_plain_and_may_be_broken_off(site):
    s = sealed_site(site)
    arrive(s, *(body(n) for n in range(1, 70)), body(1, type="other.kind"))
    old, = prints(s)
    use_keys(s, "two", "one")
    arrive(s, body(70))
    assert len(prints(s)) == 2
    done = s.hookonce("rekey", check=True).stdout
    assert b"71 rows looked at, 70 changed" in done
    new, = prints(s) | prints(s, "conflict")
    assert new != old
    assert b"71 rows looked at, 0 changed" in s.hookonce("rekey", check=True).stdout
    use_keys(s, "two")
    s.process()
    assert len(s.effects()) == 70
    assert s.hookonce("rekey", "--off").returncode == 2
    use_keys(s, "off", "two")
    assert b"71 changed" in s.hookonce("rekey", "--off", check=True).stdout
    assert prints(s) | prints(s, "conflict") == {None} and PROBE.encode() in dump(s)
    use_keys(s, "three")
    s.hookonce("rekey", check=True)
    assert PROBE.encode() not in dump(s)


def test_rekey_turns_what_comes_under_the_older_key_while_it_runs(site):
    s = sealed_site(site)
    arrive(s, body(1))
    late, = s.sql("SELECT headers, bytes, body_key FROM hookonce_body")
    use_keys(s, "two", "one")
    halt = Halt(s.path("halt"))
    halt.arm("hookonce", "behind", "UPDATE hookonce_body")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        running = pool.submit(s.hookonce, "rekey", check=True, env=halt.env)
        pid = wait_until(halt.halted, 20, "the first pass has turned it")
        halt.disarm()
        writing = pool.submit(s.sql, "UPDATE hookonce_body SET headers = %s, bytes = %s, body_key = %s", *late.values())
        concurrent.futures.wait([writing], 0.5)  # it may wait for the first pass' commit
        os.kill(pid, signal.SIGCONT)
        writing.result(60)
        assert b"1 row looked at, 2 changed" in running.result(60).stdout
    use_keys(s, "two")
    s.process()
    assert s.effects() == ["evt_1"]


def test_rekey_says_which_rows_it_cannot_open(site):
    s = sealed_site(site)
    arrive(s, body(1), body(2))
    old, = prints(s)
    use_keys(s, "two")
    done = s.hookonce("rekey")
    assert done.returncode == 1 and old in done.stderr.decode()
    use_keys(s, "two", "one")
    s.sql("UPDATE hookonce_body SET bytes = CONCAT(bytes, 'x') LIMIT 1")
    done = s.hookonce("rekey")
    assert done.returncode == 1 and b"1 rows stay as they are: they do not open" in done.stderr


def test_a_sealed_body_opens_only_in_its_own_row(site):
    s = sealed_site(site)
    arrive(s, body(1), body(2))
    first, second = s.sql("SELECT * FROM hookonce_body ORDER BY correlation_id")
    s.sql("UPDATE hookonce_body SET bytes = %s WHERE correlation_id = %s", first["bytes"], second["correlation_id"])
    s.hookonce("process", "--once")
    assert s.effects() == ["evt_1"]
    assert [j["outcome"] for j in s.jobs()] == ["done", "forged row"]
    use_keys(s, "two", "one")
    done = s.hookonce("rekey")
    assert done.returncode == 1 and b"1 rows stay as they are: they do not open" in done.stderr


def test_stored_answers_are_sealed_too_and_given_again(site):
    s = reply_site(site, f"echo '{{\"note\":\"{PROBE}\"}}'")
    s.settings.setdefault("hookonce", {})
    use_keys(s, "one")
    first, _ = ask(s)
    again, _ = ask(s)
    assert first.body == again.body and PROBE.encode() in first.body
    assert PROBE.encode() not in dump(s) and None not in prints(s, "answer")
    use_keys(s, "two", "one")
    s.hookonce("rekey", check=True)
    use_keys(s, "two")
    assert ask(s)[0].body == first.body


def test_the_spool_is_sealed_too(site, own_mariadb):
    server = own_mariadb()
    s = sealed_site(site, database=server.create_database())
    server.stop()
    arrive(s, body(1))
    name, = [n for n in os.listdir(s.path("state/spool")) if n.endswith(".spool")]
    with open(s.path("state/spool/" + name), "rb") as f:
        assert PROBE.encode() not in f.read()
    server.start()
    os.rename(s.path("one.bodykey"), s.path("away"))
    s.hookonce("process", "--once")
    assert os.path.exists(s.path("state/spool/" + name))
    os.rename(s.path("away"), s.path("one.bodykey"))
    s.process()
    assert s.effects() == ["evt_1"]


def test_a_key_file_that_is_none_is_told(site):
    s = sealed_site(site)
    s.write("one.bodykey", "too short")
    assert "32 bytes" in check(s)["body key"][1]
    os.chmod(s.path("one.bodykey"), 0o644)
    assert check(s)["body key"][0] == "FAIL"


def test_no_key_may_be_dropped_while_spooled_files_are_sealed_under_it(site):
    s = sealed_site(site)
    with away(s):
        assert [send(s, f"evt_{n}").status for n in range(2)] == [200, 200]
    waits, refused = files(s)
    s.folder("state/spool/quarantine")
    os.rename(s.path(f"state/spool/{refused}"), s.path(f"state/spool/quarantine/{refused}"))
    assert "sealed spool" not in check(s) and "older key" not in check(s)
    use_keys(s, "two", "one")
    assert ": 0 or more rows and 2 files of the spool are under it" in check(s)["older key"][1]
    done = s.hookonce("rekey")
    assert done.returncode == 1 and b"hookonce import" in done.stderr
    assert f"/{waits}:" in done.stderr.decode() and f"/quarantine/{refused}:" in done.stderr.decode()
    use_keys(s, "off", "two", "one")
    assert s.hookonce("rekey", "--off").returncode == 1
    use_keys(s, "two")  # dropped all the same
    level, text = check(s)["sealed spool"]
    assert level == "FAIL" and "2 files" in text and waits in text
    use_keys(s, "two", "one")
    os.rename(s.path(f"state/spool/quarantine/{refused}"), s.path(f"state/spool/{refused}"))
    s.hookonce("import", check=True)
    s.hookonce("rekey", check=True)
    use_keys(s, "two")
    assert "sealed spool" not in check(s)
    s.process()
    assert s.effects() == ["evt_0", "evt_1"]


def test_check_sees_rows_whose_key_was_dropped_too_early(site):
    s = sealed_site(site, ("one",))
    assert "sealed rows" not in check(s)
    arrive(s, body(1), body(2))
    s.process()
    use_keys(s, "two", "one")
    arrive(s, body(3))
    level, text = check(s)["sealed rows"]
    assert level == "note" and text.startswith("2 ") and "rekey" in text
    assert ": 2 or more rows and 0 files of the spool are under it" in check(s)["older key"][1]
    use_keys(s, "two")
    level, text = check(s)["sealed rows"]
    old = (prints(s) - {r["body_key"] for r in s.sql("SELECT body_key FROM hookonce_body ORDER BY correlation_id "
                                                     "DESC LIMIT 1")}).pop()
    assert level == "FAIL" and text.startswith("2 ") and (old.decode() if isinstance(old, bytes) else old) in text
    use_keys(s, "two", "one")
    s.hookonce("rekey", check=True)
    use_keys(s, "two")
    assert "sealed rows" not in check(s)
    s.settings["hookonce"] = {}
    s.configure()
    assert check(s)["sealed rows"][0] == "FAIL"


@pytest.mark.parametrize("keys", [(), ("one",)])
def test_a_body_is_written_as_it_was_delivered_opened(site, keys):
    s = sealed_site(site, keys)
    first, other = body(1), body(1, type="other.kind")
    arrive(s, first, other)
    job, cid = s.db.value("SELECT id FROM hookonce_job"), s.db.value("SELECT correlation_id FROM hookonce_receipt")
    for name in ("evt_1", str(job), cid.decode() if isinstance(cid, bytes) else cid):
        assert s.hookonce("body", name, check=True).stdout == first
    conflict = s.db.value("SELECT id FROM hookonce_conflict")
    assert s.hookonce("body", "--conflict", str(conflict), check=True).stdout == other
    for wrong in (("evt_9",), ("--conflict", "999")):
        done = s.hookonce("body", *wrong)
        assert (done.returncode, done.stdout) == (1, b"") and b"no " in done.stderr
    assert s.hookonce("body").returncode == s.hookonce("body", "evt_1", "--conflict", "1").returncode == 2
    if keys:
        use_keys(s, "two")
        for what in (("evt_1",), ("--conflict", str(conflict))):
            done = s.hookonce("body", *what)
            assert (done.returncode, done.stdout) == (1, b"") and b"is not here" in done.stderr
    s.sql("UPDATE hookonce_body SET bytes = 'x'")
    done = s.hookonce("body", "evt_1")
    assert done.returncode == 1 and (b"is not here" if keys else b"do not trust it") in done.stderr
