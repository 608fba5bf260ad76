"""Processes that are started, watched and stopped by their own pid, and waits that end."""

import collections
import ctypes
import os
import random
import signal
import socket
import subprocess
import time

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


class TimedOut(AssertionError):
    """A bounded wait ran out."""


PATIENCE = 4  # a machine may be that much slower than the one whose time a limit was thought for


def wait_until(check, limit_s=10.0, what="the condition", step_s=0.02, promised=False):
    """Calls check() until it returns something true, and returns that; fails when it is sure not to come.

    limit_s: how long an idle machine may take; a busy one gets PATIENCE times as long. promised=True: the limit
    itself is what is tested, and counts as it is.
    """
    limit_s *= 1 if promised else PATIENCE
    end = time.monotonic() + limit_s
    while True:
        got = check()
        if got:
            return got
        if time.monotonic() > end:
            raise TimedOut(f"{what}: not within {limit_s} s (last value {got!r})")
        time.sleep(step_s)


def clear_of_the_turn(period_s, margin_s):
    """Waits, if need be, until no hour, minute… of the wall clock (every period_s seconds) ends within margin_s."""
    left_s = period_s - time.time() % period_s
    if left_s < margin_s:
        time.sleep(left_s + 0.1)


def least(measure, limit_s, rounds=5):
    """Calls measure(), which returns seconds, until it once returns less than limit_s -> the least; fails after so
    many rounds. A busy machine makes one call take longer, and a program that waits too long makes all of them."""
    took = []
    while not took or took[-1] >= limit_s:
        assert len(took) < rounds, f"never less than {limit_s} s: {took}"
        took.append(measure())
    return took[-1]


def _port_usable(port):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


# Below the ports that the kernel gives to whoever connects somewhere, so that no connection takes one.
_PORTS, CLAIMS = "20000-29999", 30
_claims = collections.deque()  # open sockets, the newest last; the oldest are let go of


def _claimed(port):
    """Whether no other process that asks here has this port: each binds a name for its own, which ends with it."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0hookonce-test-port-{port}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    if len(_claims) > CLAIMS:
        _claims.popleft().close()
    return True


def free_port():
    """A TCP port on 127.0.0.1 that nobody listens on and nobody else is given; HOOKONCE_PORTS=21000-21999 narrows
    the choice."""
    low, high = (int(n) for n in os.environ.get("HOOKONCE_PORTS", _PORTS).split("-"))
    first = random.randint(low, high)
    for n in range(high - low + 1):
        port = low + (first - low + n) % (high - low + 1)
        if _claimed(port):
            if _port_usable(port):
                return port
            _claims.pop().close()
    raise AssertionError(f"no free port in {low}-{high}")


def account(user):
    """Arguments of subprocess that change to an account (a pwd entry) and nothing else of it."""
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def run(argv, limit_s=60, user=None, **more):
    """Runs a program to its end and returns the CompletedProcess with output as bytes; never hangs."""
    more.setdefault("stdin", subprocess.DEVNULL if "input" not in more else None)
    if more["stdin"] is None:
        del more["stdin"]
    try:
        return subprocess.run(argv, timeout=limit_s, capture_output=True, check=False,
                              **account(user), **more)
    except subprocess.TimeoutExpired as e:
        raise TimedOut(f"{argv[0]} did not end within {limit_s} s; stderr: {e.stderr!r}") from e


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


class Proc:
    """A long-running child in a process group of its own, its output in the file `log`.

    Start it from the main thread: it is told to end when the thread that started it ends.
    """

    def __init__(self, argv, log, env=None, user=None, cwd=None):
        self.argv, self.log = argv, log
        with open(log, "ab") as out:
            self._child = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env, cwd=cwd,
                start_new_session=True, preexec_fn=_die_with_parent, **account(user))
        self.pid = self._child.pid

    def alive(self):
        """True while the process runs (stopped by SIGSTOP counts as running)."""
        return self._child.poll() is None

    def signal(self, number):
        """Sends a signal to this process alone, if it still runs."""
        if self.alive():
            os.kill(self.pid, number)

    def kill9(self, limit_s=40):
        """kill -9, then waits until the kernel has removed it."""
        self.signal(signal.SIGKILL)
        return self.wait(limit_s)

    def pause(self):
        """SIGSTOP: the process hangs, its sockets stay open."""
        self.signal(signal.SIGSTOP)

    def resume(self):
        """SIGCONT."""
        self.signal(signal.SIGCONT)

    def wait(self, limit_s=60):
        """Waits for the end and returns the exit code (negative: the signal that ended it)."""
        try:
            return self._child.wait(limit_s)
        except subprocess.TimeoutExpired as e:
            raise TimedOut(f"{self.argv[0]} (pid {self.pid}) did not end within {limit_s} s") from e

    def stop(self, limit_s=40):
        """SIGTERM, after limit_s SIGKILL, for what is left of its group as well; returns the exit code."""
        self.resume()
        self.signal(signal.SIGTERM)
        try:
            code = self.wait(limit_s)
        except TimedOut:
            self.signal(signal.SIGKILL)
            code = self.wait(limit_s)
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        return code

    def output(self):
        """What it has written so far, as text."""
        with open(self.log, "rb") as f:
            return f.read().decode("utf-8", "replace")


def pids_of(program):
    """Pids of all processes whose executable is exactly this file; also of what such a process has forked for
    another program and which has not begun that yet: wait for a number, do not look once."""
    real, found = os.path.realpath(program), []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                exe = os.readlink(f"/proc/{entry}/exe")
            except OSError:
                continue
            if exe in (real, real + " (deleted)"):
                found.append(int(entry))
    return sorted(found)


def cpu_s(pid):
    """Seconds of CPU that a process has had; unlike its time these are not longer where others are at work."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end_all_below(folder):
    """kill -9 for every process whose executable lies below `folder` (a test's own temporary one)."""
    prefix = os.path.realpath(folder) + os.sep
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if os.readlink(f"/proc/{entry}/exe").startswith(prefix):
                    os.kill(int(entry), signal.SIGKILL)
            except OSError:
                continue
