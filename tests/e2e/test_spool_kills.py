"""kill -9 between every two steps of the spool: what was answered is there once, and nothing is half there."""

import os
import signal
import subprocess
import threading
import time

import pytest

from hooktest import events, wait_until
from hooktest.halt import Halt
from hooktest.proc import account
from hooktest.spool import STRIPE, away, files, quarantined, send

ONE = {"receipt": 1, "body": 1, "job": 1, "attempt": 1}


def parts(s):
    """Names of the files that are not complete."""
    return [n for n in os.listdir(s.path("state/spool")) if n.endswith(".tmp")]


@pytest.fixture
def spot(site):
    """(site, halt)"""
    s = site(sources=STRIPE)
    return s, Halt(s.path("halt"))


def kill_receiver(s, halt, when, call, event_id, then=None):
    """A delivery over CGI whose receiver is killed at that call, or at the call `then` behind it."""
    body = events.stripe(event_id)
    halt.arm("hookonce.fcgi", when, call)
    environment = s.cgi_environment("stripe", len(body), s.signed("stripe", body), env=halt.env)
    with subprocess.Popen([s.receiver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                          cwd=s.dir, **account(s.user)) as child:
        threading.Thread(target=lambda: child.stdin.write(body) and child.stdin.close(), daemon=True).start()
        try:
            assert wait_until(halt.halted, 20, f"{when} {call}") == child.pid
            if then:
                halt.arm("hookonce.fcgi", "before", then, child.pid)
                os.kill(child.pid, signal.SIGCONT)
                assert wait_until(halt.halted, 20, f"before {then}, behind {call}") == child.pid
        finally:
            child.kill()
        assert child.stdout.read() == b"", "nothing is answered yet"


def kill_import(s, halt, when, call):
    halt.arm("hookonce", when, call)
    with subprocess.Popen([s.program, "import"], stdout=subprocess.PIPE, env=s.environment(env=halt.env),
                          cwd=s.dir, **account(s.user)) as child:
        try:
            assert wait_until(halt.halted, 20, f"{when} {call}") == child.pid
        finally:
            os.kill(child.pid, signal.SIGKILL)


@pytest.mark.parametrize("when,call,then,complete", [
    ("before", "fsync", None, 0), ("behind", "fsync", None, 0), ("before", "rename", None, 0),
    ("behind", "rename", None, 1), ("behind", "rename", "fsync", 1)])
def test_a_receiver_that_is_killed_while_it_spools_has_promised_nothing(spot, when, call, then, complete):
    s, halt = spot
    with away(s):
        assert send(s, "evt_first").status == 200  # makes the folder: its fsync is another one
        kill_receiver(s, halt, when, call, "evt_1", then)
        assert (len(files(s)), len(parts(s))) == (1 + complete, 1 - complete)
        assert send(s, "evt_1").status == 200, "the sender comes again"
    s.process()
    assert sorted(s.effects()) == ["evt_1", "evt_first"] and files(s) == []
    assert s.written() == {name: 2 * n for name, n in ONE.items()}
    for name in parts(s):
        old = time.time() - 3700
        os.utime(s.path(f"state/spool/{name}"), (old, old))
    s.process()
    assert parts(s) == [] and len(s.receipts()) == 2


@pytest.mark.parametrize("when,call,left", [
    ("before", "INSERT IGNORE INTO hookonce_receipt", 2), ("before", "COMMIT", 2), ("behind", "COMMIT", 2),
    ("before", "unlink", 2), ("behind", "unlink", 1)])
def test_an_import_that_is_killed_goes_on_where_it_was(spot, when, call, left):
    s, halt = spot
    with away(s):
        assert [send(s, f"evt_{n}").status for n in range(2)] == [200, 200]
    kill_import(s, halt, when, call)
    assert len(files(s)) == left
    s.process()
    assert files(s) == [] and quarantined(s) == []
    assert s.effects() == ["evt_0", "evt_1"] and s.written() == {name: 2 * n for name, n in ONE.items()}
    assert sum(r["duplicates"] for r in s.receipts()) == 0


@pytest.mark.parametrize("when", ["before", "behind"])
def test_a_file_on_its_way_to_quarantine_is_never_lost(spot, when):
    s, halt = spot
    with away(s):
        assert send(s, "evt_1").status == 200
    name, = files(s)
    os.truncate(s.path(f"state/spool/{name}"), 50)
    kill_import(s, halt, when, "rename")
    assert files(s) + quarantined(s) == [name]
    s.process()
    assert (files(s), quarantined(s), s.written()) == ([], [name], {})


def test_a_disk_that_is_full_leaves_nothing_behind(spot):
    s, halt = spot
    body = events.stripe("evt_1")
    with away(s):
        assert send(s, "evt_0").status == 200
        halt.fill(True)
        answer = s.cgi("stripe", body, s.signed("stripe", body), env=halt.env)
        assert answer.status == 503 and int(answer.header("Retry-After")) > 0
        assert len(files(s)) == 1 and parts(s) == []
        halt.fill(False)
        assert s.cgi("stripe", body, s.signed("stripe", body), env=halt.env).status == 200
    s.process()
    assert s.effects() == ["evt_0", "evt_1"]
