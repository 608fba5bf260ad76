"""What the gate counts by: programs that are run with a limit, and reports that are read."""

import os
import re
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree as ElementTree

from .paths import BUILD, PROJECT

LOGS = os.path.join(BUILD, "test")
_running, _running_lock, _ending = set(), threading.Lock(), threading.Event()


class Ending(Exception):
    """The gate was told to end."""


class Tally:
    """One suite: passed tests as a number, failed ones as lines to show, and what else it has to say."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.said = name, 0, [], []
        self.seconds = 0.0
        self._lock = threading.Lock()

    def check(self, good, line):
        with self._lock:
            if good:
                self.passed += 1
            else:
                self.failed.append(line)

    def say(self, text):
        self.said.append(text.rstrip("\n"))


def run(argv, limit_s, env=None):
    """Runs argv with both outputs in one; -> (exit code, text). Over the limit: SIGINT, then SIGKILL."""
    with _running_lock:
        if _ending.is_set():
            raise Ending
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=PROJECT,
                                 stderr=subprocess.STDOUT, env=dict(os.environ, **(env or {})),
                                 start_new_session=True)
        _running.add(child)
    timers = [threading.Timer(limit_s, os.killpg, (child.pid, signal.SIGINT)),
              threading.Timer(limit_s + 90, os.killpg, (child.pid, signal.SIGKILL))]
    for timer in timers:
        timer.start()
    start = time.monotonic()
    try:
        text = child.stdout.read().decode("utf-8", "replace")
        code = child.wait()
    finally:
        for timer in timers:
            timer.cancel()
        with _running_lock:
            _running.discard(child)
    if _ending.is_set():
        raise Ending
    if time.monotonic() - start >= limit_s:
        text += f"\nstopped: it ran for more than {limit_s} s\n"
        code = code or 1
    return code, text


def end_all():
    """Tells everything that run() has started to end, and lets it start nothing more."""
    with _running_lock:
        _ending.set()
        for child in _running:
            os.killpg(child.pid, signal.SIGINT)


def keep(name, text):
    """Writes a suite's output to <build>/test/NAME.log."""
    with open(os.path.join(LOGS, name + ".log"), "w", encoding="utf-8") as f:
        f.write(text)


def read_tap(tally, name, code, text):
    """Counts one cmocka program: what its plan promises and does not come is a failure too. -> all well?"""
    before = len(tally.failed)
    planned = sum(int(n) for n in re.findall(r"^1\.\.(\d+)", text, re.M))
    seen = 0
    for bad, rest in re.findall(r"^(not )?ok \d+(.*)$", text, re.M):
        seen += 1
        tally.check(not bad and "# SKIP" not in rest.upper(), f"{name}: {rest.lstrip(' -')}")
    for _ in range(planned - seen):
        tally.check(False, f"{name}: a test did not report")
    if seen == 0 and planned == 0:
        tally.check(False, f"{name}: ran no test")
    elif code != 0 and not re.search(r"^not ok", text, re.M) and seen >= planned:
        tally.check(False, f"{name}: ended with {code}")
    return len(tally.failed) == before


def read_junit(tally, name, path, code):
    """Counts a JUnit file, in which only a test without any remark has passed."""
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        tally.check(False, f"{name}: crashed or was stopped before it could report")
        return
    failed_before = len(tally.failed)
    for case in cases:
        remarks = [c.tag for c in case if c.tag in ("failure", "error", "skipped")]
        tally.check(not remarks, f"{case.get('classname')}::{case.get('name')}: {', '.join(remarks)}")
    if not cases:
        tally.check(False, f"{name}: ran no test")
    elif code != 0 and len(tally.failed) == failed_before:
        tally.check(False, f"{name}: ended with {code}")
