"""Commands as handlers: what they are given, how they end, and that nothing of theirs is left or lost."""

import hashlib
import os
import signal
import time

import pytest

from hooktest import events, wait_until
from hooktest.flow import KILL_WORKER, arrive, attempts, expire, join, make_due
from hooktest.reply import parent_of

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
GITHUB = {"github": {"provider": "github", "secret": "github test secret"}}
THREE_TRIES = {"retry": "3 tries, 1h"}


def command_site(site, script, handler=(), route=(), sources=None, command="./do", **more):
    """One source, one route to one command: a shell script in the site's folder, or as `command` says."""
    sources = sources or STRIPE
    s = site(sources=sources, handlers={"h": {"command": command, **dict(handler)}},
             routes={"r": {"provider": next(iter(sources)), "handler": "h", **THREE_TRIES, **dict(route)}}, **more)
    s.write("do", f"#!/bin/sh\n{script}\n", 0o700)
    return s


def read(s, name):
    """What a script wrote into a file of the site's folder; '' if it is not there."""
    try:
        with open(s.path(name), encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def running(pid):
    """Whether a process lives; one that only waits to be collected does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children_of(pid):
    """Pids of its children, zombies among them."""
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and parent_of(entry) == pid]


def only_job(s):
    """The only job's row."""
    job, = s.jobs()
    return job


# ---- what it is given ------------------------------------------------------------------------------

def test_a_command_gets_the_event_and_nothing_of_ours(site):
    s = command_site(site, 'env | sort > env; cat > body; printf "%s|" "$@" > args; ls /proc/self/fd > fds; pwd > here',
                     command='./do --fast "a b" ""')
    body = events.stripe("evt_1", object_id="cs_1", created=1790000000)
    arrive(s, body)
    s.hookonce("process", "--once", check=True, env={"AWS_SECRET": "x", "LC_ALL": "de_DE"})
    job = only_job(s)
    assert (job["state"], job["outcome"], job["tries"]) == ("done", "done", 1)
    got = dict(line.split("=", 1) for line in read(s, "env").splitlines())
    for name in ("PWD", "OLDPWD", "_", "SHLVL"):  # the shell's own
        got.pop(name, None)
    key = got.pop("HOOKONCE_IDEMPOTENCY_KEY")
    assert len(key) == 64 and got.pop("HOME").startswith("/")
    assert got == {
        "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOOKONCE_PROVIDER": "stripe",
        "HOOKONCE_SOURCE": "stripe", "HOOKONCE_ID": "evt_1", "HOOKONCE_TYPE": "checkout.session.completed",
        "HOOKONCE_OBJECT": "cs_1", "HOOKONCE_OCCURRED_AT": "2026-09-21T14:13:20.000000Z",
        "HOOKONCE_CORRELATION_ID": job["correlation_id"].decode() if isinstance(job["correlation_id"], bytes)
        else job["correlation_id"], "HOOKONCE_ATTEMPT": "1",
    }
    with open(s.path("body"), "rb") as f:
        assert f.read() == body
    assert read(s, "args") == "--fast|a b||"
    assert read(s, "fds").split() == ["0", "1", "2", "3"]  # 3 is the folder that ls reads
    assert read(s, "here").strip() == os.path.realpath(s.dir)


@pytest.mark.parametrize("size", [131_072, 5_000_000])
def test_a_body_of_any_size_reaches_the_command__O_HND_02(site, size):
    s = command_site(site, "sha256sum > sum", sources=GITHUB)
    body = events.github(note="$(touch /tmp/x) `touch hit` \" ' \\n", pad="x" * size)
    arrive(s, body, source="github")
    s.process()
    assert read(s, "sum").split()[0] == hashlib.sha256(body).hexdigest()
    assert only_job(s)["outcome"] == "done"


def test_no_value_is_run__O_HND_02(site):
    s = command_site(site, 'cat > body; printf %s "$HOOKONCE_TYPE" > type')
    evil = "$(touch hit); `touch hit`\n& touch hit \"'"
    body = events.stripe("evt_x", kind=evil)
    arrive(s, body)
    s.process()
    assert read(s, "type") == evil and not os.path.exists(s.path("hit"))


def test_a_command_that_is_not_there_is_a_failed_try_that_says_so__O_HND_02(site):
    s = command_site(site, "exit 0", command="/no/such/program --x", route={"retry": "2 tries, 1h"})
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert only_job(s)["state"] == "ready"
    make_due(s)
    assert s.hookonce("process", "--once").returncode == 1
    job = only_job(s)
    assert (job["state"], job["tries"]) == ("dead", 2)
    assert job["last_error"] == "/no/such/program cannot be started: No such file or directory"
    assert attempts(s) == [(1, "failed"), (2, "failed")]


# ---- how it ends -----------------------------------------------------------------------------------

@pytest.mark.parametrize("script, state, outcome, tries, error", [
    ("exit 0", "done", "done", 1, None),
    ("echo no luck >&2; exit 1", "ready", "failed", 1, "the command failed with exit code 1: no luck"),
    ("exit 75", "ready", "failed", 1, "the command failed with exit code 75"),
    ("kill -SEGV $$", "ready", "failed", 1, "the command was killed by signal 11"),
    ("echo bad >&2; exit 65", "dead", "handler gave up", 1, "the command refuses it for good (exit code 65): bad"),
    ("exit 78", "dead", "handler gave up", 1, "the command refuses it for good (exit code 78)"),
])
def test_exit_codes_mean_what_the_manual_says(site, script, state, outcome, tries, error):
    s = command_site(site, script)
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    job = only_job(s)
    assert (job["state"], job["outcome"], job["tries"], job["last_error"]) == (state, outcome, tries, error)


def test_a_command_that_says_not_now_uses_no_try(site):
    s = command_site(site, "echo x >> runs; [ $(wc -l < runs) -gt 2 ] && exit 0; echo retry-after: 60; exit 69",
                     route={"retry": "1 try"})
    arrive(s, events.stripe("evt_1"))
    for run in (1, 2):
        s.process()
        job = only_job(s)
        assert (job["state"], job["tries"], job["waits"], job["waiting_for"]) == ("ready", 0, run, "handler")
        left = s.value("SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), run_at) / 1e6 FROM hookonce_job")
        assert 20 < left <= 60, left
        make_due(s)
    s.process()
    assert (only_job(s)["outcome"], read(s, "runs")) == ("done", "x\nx\nx\n")
    assert attempts(s) == [(1, "deferred"), (1, "deferred"), (1, "done")]


def test_what_a_command_prints_is_kept_with_the_error_and_not_logged(site):
    s = command_site(site, "yes a lot of text | head -c 500000; yes err | head -c 500000 >&2; "
                           "printf 'line\\nlast: p\\303\\244ss\\tword\\n\\n' >&2; exit 3")
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert only_job(s)["last_error"] == "the command failed with exit code 3: last: päss\\x09word"
    assert "word" not in s.log_text()
    assert s.log_lines(event="failed")[0]["why"] == "the command failed with exit code 3"


def test_a_child_that_keeps_the_pipes_is_not_waited_for__O_HND_01(site):
    s = command_site(site, "", command='/bin/sh -c "sleep 300 & echo $! > left; echo x >> runs; echo ok"',
                     handler={"timeout": "45s"})
    arrive(s, events.stripe("evt_1"))
    start = time.monotonic()
    s.process()
    assert time.monotonic() - start < 30
    left = int(read(s, "left"))
    try:
        assert only_job(s)["outcome"] == "done" and read(s, "runs") == "x\n"
        s.process()
        assert read(s, "runs") == "x\n"
        assert running(left)  # what is left behind after a 0 is the command's own business
    finally:
        os.kill(left, signal.SIGKILL)


def test_a_command_that_does_not_end_is_ended_with_all_it_started__O_HND_01(site):
    s = command_site(site, "trap '' TERM; echo $$ > outer; (trap '' TERM; sleep 300) & echo $! > inner; "
                           "while :; do sleep 1; done", handler={"timeout": "2s"})
    arrive(s, events.stripe("evt_1"))
    start = time.monotonic()
    s.process()
    assert 2.5 < time.monotonic() - start < 60
    job = only_job(s)
    assert (job["state"], job["tries"]) == ("ready", 1)
    assert job["last_error"].startswith("the command was not through in its time (timeout 2s) and was killed")
    for name in ("outer", "inner"):
        wait_until(lambda n=name: not running(int(read(s, n))), 2, name + " is gone")
    assert attempts(s) == [(1, "outcome unknown")]


def test_a_worker_has_no_zombies__O_HND_01(site):
    s = command_site(site, "sleep 0 & exit 0")
    arrive(s, *(events.stripe(f"evt_{n}") for n in range(10)))
    worker = s.start_processor()
    wait_until(lambda: all(j["state"] == "done" for j in s.jobs()) and len(s.jobs()) == 10, 20, "all are done")
    wait_until(lambda: not children_of(worker.pid), 10, "none is left, not even as a zombie")


# ---- workers that vanish ---------------------------------------------------------------------------

def test_a_killed_worker_takes_its_command_with_it_and_the_next_try_has_the_same_key(site):
    s = command_site(site, 'echo "$HOOKONCE_ATTEMPT $HOOKONCE_IDEMPOTENCY_KEY" >> keys; '
                           '[ $HOOKONCE_ATTEMPT = 2 ] && exit 0; sleep 300 & echo $! > inner; echo $$ > outer; wait')
    arrive(s, events.stripe("evt_1"))
    worker = s.start_processor()
    wait_until(lambda: read(s, "outer").strip(), 10, "the command runs")
    worker.kill9()
    for name in ("outer", "inner"):
        wait_until(lambda n=name: not running(int(read(s, n))), 2, name + " is gone")
    assert only_job(s)["state"] == "running" and only_job(s)["tries"] == 1
    expire(s)
    s.process()
    assert only_job(s)["outcome"] == "done"
    first, second = (line.split() for line in read(s, "keys").splitlines())
    assert (first[0], second[0]) == ("1", "2") and first[1] == second[1] and len(first[1]) == 64


def test_a_command_does_not_outlive_the_claim_of_a_worker_that_stands_still(site):
    s = command_site(site, "(setsid sh -c 'echo $$ > daemon; sleep 300' &); until [ -s daemon ]; do sleep 0.01; done\n"
                           "echo $$ > outer; sleep 300", handler={"timeout": "2s"})
    other = join(site, s)
    other.write("do", "#!/bin/sh\nexit 0\n", 0o700)
    arrive(s, events.stripe("evt_1"))
    worker = s.start_processor()
    wait_until(lambda: read(s, "outer").strip(), 10, "the command runs")
    os.kill(worker.pid, signal.SIGSTOP)
    try:
        for name in ("outer", "daemon"):
            wait_until(lambda n=name: not running(int(read(s, n))), 8, name + " is gone")
        expire(s)
        other.process()
        assert only_job(s)["outcome"] == "done" and only_job(s)["tries"] == 2
    finally:
        os.kill(worker.pid, signal.SIGCONT)
    assert worker.stop() == 0
    assert only_job(s)["outcome"] == "done" and attempts(s) == [(1, "lease lost"), (2, "done")]


# A guard ends a command. Of these three the first is slow to end, and the others have lost their guard.

def test_a_try_ends_before_its_lease_however_short_the_config_says_it_is(site):
    s = command_site(site, "trap '' TERM; for i in $(seq 60); do echo $HOOKONCE_ATTEMPT >>ran; sleep 0.1; done",
                     handler={"timeout": "1900ms", "breaker": "off"},
                     route={"serialize_by": "{/data/object/id}", "retry": "3 tries, 1s"},
                     settings={"processor": {"lease": "2s", "poll": "1s"}})
    arrive(s, events.stripe("evt_1"))
    worker = s.start_processor("--for", "60s", "--workers", "2")
    wait_until(lambda: only_job(s)["state"] == "dead", 30, "three tries")
    worker.stop()
    ran = read(s, "ran").split()
    assert ran == sorted(ran) and set(ran) == {"1", "2", "3"}
    assert attempts(s) == [(1, "outcome unknown"), (2, "outcome unknown"), (3, "outcome unknown")]


def test_a_command_that_kills_its_guard_leaves_nothing_that_acts_beside_the_next_try(site):
    s = command_site(site, "[ $HOOKONCE_ATTEMPT = 2 ] && exit 0\n"
                           "setsid sh -c 'echo $$ > daemon; sleep 300' & until [ -s daemon ]; do sleep 0.01; done\n"
                           "kill -9 $PPID; sleep 300")
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert not running(int(read(s, "daemon")))
    assert attempts(s) == [(1, "failed")] and "killed by signal 9" in only_job(s)["last_error"]
    make_due(s)
    s.process()
    assert only_job(s)["outcome"] == "done"


def test_a_command_whose_guard_stands_still_is_ended_before_its_lease(site):
    s = command_site(site, "setsid sh -c 'echo $$ > daemon; sleep 300' & until [ -s daemon ]; do sleep 0.01; done\n"
                           "kill -STOP $PPID; sleep 300", handler={"timeout": "1s"},
                     settings={"processor": {"lease": "2s", "poll": "1s"}})
    arrive(s, events.stripe("evt_1"))
    worker = s.start_processor("--once")
    wait_until(lambda: only_job(s)["state"] == "ready" and attempts(s), 20, "the try has ended")
    assert attempts(s) == [(1, "outcome unknown")] and not running(int(read(s, "daemon")))
    worker.wait(120)


def test_a_command_that_kills_its_worker_ends_as_a_dead_letter__O_WRK_03(site):
    """The try is counted before the command starts, so it cannot go on for ever; its neighbours are done."""
    s = site(sources=STRIPE, handlers={"poison": {"command": "./kill"}, "good": {"command": "./good"}},
             routes={"p": {"provider": "stripe", "on": "poison", "handler": "poison", "retry": "5 tries, 1s"},
                     "g": {"provider": "stripe", "on": "good", "handler": "good"}})
    s.write("kill", f"#!/bin/sh\necho x >> kills; {KILL_WORKER}; sleep 10\n", 0o700)
    s.write("good", "#!/bin/sh\nexit 0\n", 0o700)
    arrive(s, events.stripe("evt_poison", kind="poison"))
    arrive(s, *(events.stripe(f"evt_{n}", kind="good") for n in range(10)))
    for _ in range(12):
        s.hookonce("process", "--once")
        expire(s)
        make_due(s)
        if all(j["state"] in ("done", "dead") for j in s.jobs()):
            break
    poison, *good = s.jobs()
    assert (poison["state"], poison["outcome"], poison["tries"]) == ("dead", "worker lost", 5)
    assert read(s, "kills") == "x\n" * 5
    assert [j["outcome"] for j in good] == ["done"] * 10 and [j["tries"] for j in good] == [1] * 10


def test_a_command_that_may_run_once_is_not_run_again_when_its_worker_vanishes(site):
    s = command_site(site, f"echo x >> runs; {KILL_WORKER}; sleep 10", handler={"at_most_once": "yes"})
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    expire(s)
    assert s.hookonce("process", "--once").returncode == 1
    assert (only_job(s)["state"], only_job(s)["outcome"]) == ("dead", "outcome unknown")
    assert read(s, "runs") == "x\n"
