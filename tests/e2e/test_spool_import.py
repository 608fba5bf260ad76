"""From the spool into the database: by whom, when it leaves the spool, and what is refused."""

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import closing

from hooktest import events, wait_until
from hooktest.spool import STRIPE, away, files, quarantined, send


def test_what_a_database_loses_that_writes_later_is_imported_again(site, own_mariadb):
    server = own_mariadb(options=["--innodb-flush-log-at-trx-commit=0"])
    s = site(database=server.create_database(), sources=STRIPE, settings={"hookonce": {"spool": "always"}})
    server.stop()
    before = server.datadir + ".before"
    shutil.copytree(server.datadir, before)
    server.start()
    assert "note  database innodb_flush" in s.hookonce("check").stdout.decode()
    assert [send(s, f"evt_{n}").status for n in range(3)] == [200] * 3
    s.process()
    assert s.effects() == ["evt_0", "evt_1", "evt_2"]
    assert files(s) == [] and len(files(s, ending=".done")) == 3
    server.kill9()
    shutil.rmtree(server.datadir)
    os.rename(before, server.datadir)  # nothing of it had come to the disk
    server.start()
    assert s.written() == {}
    s.process()
    assert s.effects() == ["evt_0", "evt_1", "evt_2"] and sum(r["duplicates"] for r in s.receipts()) == 0


def test_a_file_goes_when_the_database_must_have_it_on_its_disk(site, own_mariadb):
    server = own_mariadb(options=["--innodb-flush-log-at-trx-commit=2"])
    s = site(database=server.create_database(), sources=STRIPE, settings={"hookonce": {"spool": "always"}})
    processor = s.start_processor("--for", "300s")
    assert send(s, "evt_1").status == 200
    wait_until(lambda: files(s, ending=".done"), 10, "it is imported")
    # in the first second of this server it may be a complete file again for a moment
    wait_until(lambda: "1 file is imported" in s.hookonce("check").stdout.decode(), 10, "check says so")
    wait_until(lambda: not files(s, ending=".done"), 25, "it is removed")
    assert processor.stop() == 0 and files(s) == []
    assert s.effects() == ["evt_1"] and s.written() == {"receipt": 1, "body": 1, "job": 1, "attempt": 1}


# -- who imports ---------------------------------------------------------------------------------

def test_a_running_processor_imports_soon(site):
    s = site(sources=STRIPE)
    processor = s.start_processor("--for", "300s")
    with away(s):
        assert send(s, "evt_1").status == 200
    wait_until(s.effects, 20, "the event is imported and run")
    assert processor.stop() == 0


def test_without_a_processor_the_receiver_starts_the_import(site):
    s = site(sources=STRIPE, server=("lighttpd", {"procs": 1}))
    with away(s):
        wait_until(lambda: s.deliver("stripe", events.stripe()).status == 200 and files(s), 5, "something is spooled")
    waiting = len(files(s))
    wait_until(lambda: s.deliver("stripe", events.stripe()).status == 200 and not files(s), 20, "it is imported", 0.3)
    assert s.count("receipt") > waiting and s.log_lines(event="imported")


def test_two_importers_at_once_import_each_event_once(site):
    s = site(sources=STRIPE)
    with away(s):
        for n in range(40):
            assert send(s, f"evt_{n}").status == 200
    processors = [s.start_processor("--once", "--workers", "3"), s.start_processor("--once")]
    for _ in range(3):
        assert s.hookonce("import").returncode in (0, 1)  # 1: another is at work, and files are left
    assert [p.wait(60) for p in processors] == [0, 0]
    s.process()
    assert s.written() == {"receipt": 40, "body": 40, "job": 40, "attempt": 40}
    assert sum(r["duplicates"] for r in s.receipts()) == 0


def test_while_the_database_is_away_an_import_says_so_and_leaves_all(site):
    s = site(sources=STRIPE)
    with away(s):
        assert send(s, "evt_1").status == 200
        done = s.hookonce("import")
        assert done.returncode == 69 and done.stderr
    assert len(files(s)) == 1
    assert b'"files":1' in s.hookonce("import", "--json", check=True).stdout.replace(b" ", b"")


def test_check_says_what_is_with_the_spool(site):
    s = site(sources=STRIPE, settings={"hookonce": {"spool_files": "2"}})

    def said(**more):
        lines = s.hookonce("check", **more).stdout.decode().splitlines()
        return [" ".join(line.replace("spool:", "").split()) for line in lines if "  spool: " in line]

    assert [line.split()[0] for line in said()] == ["ok"] and "not there yet" in said()[0]
    with away(s):
        assert send(s, "evt_1").status == 200
    assert said()[0].startswith("note 1 file, ")
    late, = said(now=time.time() + 400)
    assert late.startswith("warn 1 file, ") and "hookonce import" in late
    with away(s):
        assert send(s, "evt_2").status == 200
    assert "full" in said()[0] and said()[0].startswith("warn 2 files, ")
    os.chmod(s.path("state/spool"), 0o755)
    assert "warn others may look" in said()[0]
    os.chmod(s.path("state/spool"), 0o500)
    assert "can't be written" in said()[0] and said()[0].startswith("FAIL")
    os.chmod(s.path("state/spool"), 0o700)
    s.process()
    assert said() == ["ok on, empty"]
    assert "(over)" in next(line for line in s.hookonce("check").stdout.decode().splitlines() if "alarm spool" in line)
    s.settings["hookonce"] = {"spool": "off", "spool_dir": "nowhere"}
    s.configure()
    assert said()[0].startswith("note off: ")


def test_why_a_file_stays_or_is_moved_is_said_by_import_the_log_and_check(site):
    s = site(sources=STRIPE)
    with away(s):
        for n in range(3):
            assert send(s, f"evt_{n}").status == 200  # raises the same alarm, whose line is one a minute
    first, second, _ = files(s)
    os.chmod(s.path(f"state/spool/{first}"), 0)
    os.truncate(s.path(f"state/spool/{second}"), 100)
    done = s.hookonce("import")
    assert done.returncode == 1 and b"1 request imported" in done.stdout and b"1 left" in done.stdout
    told = done.stderr.decode()
    assert f"{first}: can't be read: " in told and f"{second}: moved to quarantine: it is torn" in told
    logged = {line["file"]: line for line in s.log_lines(event="alarm") if "file" in line}
    assert set(logged) == {first, second} and "torn" in logged[second]["why"]
    assert logged[first]["reason"] == "can't be read" and first in logged[first]["why"]
    late = s.hookonce("check", now=time.time() + 400).stdout.decode()
    assert f"({first}: " in late and f"({second}: it is torn" in late
    processor = s.start_processor("--for", "12s")  # looks again after 5 s
    assert processor.wait(90) == 0
    assert len([line for line in s.log_lines(event="alarm") if line.get("file") == first]) == 2
    os.chmod(s.path(f"state/spool/{first}"), 0o600)
    s.process()
    assert sorted(s.effects()) == ["evt_0", "evt_2"]


def test_a_locked_row_keeps_its_file_and_no_other(site):
    s = site(sources=STRIPE)
    assert send(s, "evt_0").status == 200
    with away(s):
        for n in range(3):
            assert send(s, f"evt_{n}").status == 200
    first = files(s)[0]
    with closing(s.db.connect()) as other:
        other.cursor().execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")  # the row, no gap beside it
        other.begin()
        other.cursor().execute("SELECT 1 FROM hookonce_receipt WHERE event_id = 'evt_0' FOR UPDATE")
        took = []
        while not took or min(took) >= 9 and len(took) < 4:
            began = time.monotonic()
            done = s.hookonce("import")
            took.append(time.monotonic() - began)
        assert min(took) < 9, took  # of which 2 s for the file; one try alone was 12 s
        assert done.returncode == 1 and files(s) == [first]
        assert f"{first}: not imported: database: waited too long for a lock" in done.stderr.decode()
        assert s.count("receipt") == 3
        other.rollback()
    s.hookonce("import", check=True)
    s.process()
    assert s.effects() == ["evt_0", "evt_1", "evt_2"] and files(s) == []


def test_a_file_that_cannot_be_removed_stops_none_behind_it(site):
    s = site(sources=STRIPE)
    with away(s):
        for n in range(3):
            assert send(s, f"evt_{n}").status == 200
    names = files(s)
    s.write("state/spool/import.lock", "")
    os.chmod(s.path("state/spool"), 0o500)
    done = s.hookonce("import")
    os.chmod(s.path("state/spool"), 0o700)
    assert done.returncode == 1 and s.count("receipt") == 3 and files(s) == names
    assert [done.stderr.decode().count(f"{n}: imported, but it can't be removed: ") for n in names] == [1, 1, 1]
    s.hookonce("import", check=True)
    s.process()
    assert s.effects() == ["evt_0", "evt_1", "evt_2"] and files(s) == [] and s.count("receipt") == 3


def test_an_import_that_leaves_files_to_another_says_so(site):
    s = site(sources=STRIPE)
    with away(s):
        assert send(s, "evt_1").status == 200
    with open(s.write("state/spool/import.lock", ""), encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = s.hookonce("import")
    assert done.returncode == 1 and done.stdout == b"another import is at work, 1 left\n"
    s.hookonce("import", check=True)


# -- what can't be genuine -----------------------------------------------------------------------

def test_forged_and_torn_files_go_to_quarantine_and_stop_nobody(site):
    s = site(sources=STRIPE)
    with away(s):
        for n in range(3):
            assert send(s, f"evt_{n}").status == 200
    first, second, _ = files(s)
    with open(s.path(f"state/spool/{first}"), "r+b") as f:
        f.seek(40)
        f.write(b"forged")
    os.truncate(s.path(f"state/spool/{second}"), 100)
    done = s.hookonce("import")
    assert done.returncode == 1 and b"1 request imported" in done.stdout and b"2 moved to quarantine" in done.stdout
    assert quarantined(s) == [first, second] and files(s) == []
    s.process()
    assert s.effects() == ["evt_2"]
    told = s.hookonce("check").stdout.decode()
    assert "warn  spool: 2 files in" in told and "torn" in told
    assert len(s.log_lines(event="alarm")) >= 1


def test_what_was_written_under_another_key_can_still_be_imported_with_it(site):
    s = site(sources=STRIPE)
    os.remove(s.path("state/hookonce.state"))  # a host that has never seen the tables
    os.rename(s.path("hookonce.key"), s.path("right.key"))
    s.write("hookonce.key", os.urandom(32).hex() + "\n")
    with away(s):
        assert send(s, "evt_1").status == 200
    os.rename(s.path("hookonce.key"), s.path("wrong.key"))
    os.rename(s.path("right.key"), s.path("hookonce.key"))
    s.process()
    name, = quarantined(s)
    assert s.written() == {} and "key" in s.hookonce("check").stdout.decode()
    os.rename(s.path(f"state/spool/quarantine/{name}"), s.path(f"state/spool/{name}"))
    with away(s):
        assert send(s, "evt_2").status == 200  # under the right one: both are tried
    s.hookonce("import", "--key", "wrong.key", check=True)
    s.process()
    assert s.effects() == ["evt_1", "evt_2"] and s.hookonce("check").returncode == 0, s.hookonce("check").stdout.decode()


def move_back(s):
    """As schema/RUNBOOK.md has it."""
    subprocess.run("mv state/spool/quarantine/*.spool state/spool/", shell=True, cwd=s.dir, check=True)


def test_what_is_refused_twice_can_be_moved_back_both_times(site):
    s = site(sources=STRIPE)
    with away(s):
        assert send(s, "evt_1").status == 200
    name, = files(s)
    with open(s.path(f"state/spool/{name}"), "rb") as f:
        good = f.read()
    for content in (b"x" * len(good), good[:-1] + bytes([good[-1] ^ 1])):
        s.write(f"state/spool/{name}", content)
        assert s.hookonce("import").returncode == 1
    assert len(quarantined(s)) == 2 and name in quarantined(s)
    for refused in quarantined(s):
        s.write(f"state/spool/quarantine/{refused}", good)
    move_back(s)
    assert len(files(s)) == 2 and quarantined(s) == []
    s.hookonce("import", check=True)
    s.process()
    assert s.effects() == ["evt_1"] and files(s) == [] and s.count("receipt") == 1


def test_what_is_older_than_keep_receipts_is_not_run_without_a_person(site):
    s = site(sources=STRIPE, settings={"hookonce": {"keep_receipts": "40d"}})
    with away(s):
        assert send(s, "evt_1").status == 200
    name, = files(s)
    day = 86400
    done = s.hookonce("import", now=time.time() + 41 * day)
    assert done.returncode == 1 and b"longer ago than keep_receipts" in done.stderr
    assert quarantined(s) == [name] and s.written() == {}
    assert "longer ago than keep_receipts" in s.hookonce("check", now=time.time() + 41 * day).stdout.decode()
    move_back(s)
    s.settings["hookonce"]["keep_receipts"] = "50d"
    s.configure()
    s.hookonce("import", check=True, now=time.time() + 41 * day)
    assert s.count("receipt") == 1


def test_check_warns_of_a_spool_left_behind_and_of_one_in_memory(site):
    s = site(sources=STRIPE)
    with away(s):
        assert send(s, "evt_1").status == 200
    assert "spool left" not in s.hookonce("check").stdout.decode()
    s.settings["hookonce"] = {"spool_dir": "elsewhere"}
    s.configure()
    said = s.hookonce("check").stdout.decode()
    assert "warn  spool left: 1 file in " in said and "elsewhere" in said
    memory = subprocess.run(["stat", "-f", "-c", "%T", "/dev/shm"], capture_output=True, check=False).stdout
    if memory.strip() == b"tmpfs":
        with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
            s.settings["hookonce"] = {"spool_dir": s.own(place, 0o700)}
            s.configure()
            assert "is in memory (tmpfs)" in s.hookonce("check").stdout.decode()
    s.settings["hookonce"] = {}
    s.configure()
    s.process()
    assert s.effects() == ["evt_1"] and "spool left" not in s.hookonce("check").stdout.decode()
