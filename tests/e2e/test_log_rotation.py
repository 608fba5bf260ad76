"""A log that is rotated, removed or emptied from outside: every process goes on in the one of its name."""

import grp
import os
import signal

import pytest

from hooktest import PROJECT, events, wait_until
from hooktest.loglines import parse
from hooktest.paths import unpacked
from hooktest.proc import pids_of, run
from hooktest.site import DEFAULT_SOURCES


@pytest.fixture(scope="module")
def busy(module_site):
    """A site with two receivers, the program that serves them, and a processor, all of which stay."""
    s = module_site(server=("lighttpd-socket", {"procs": 2}), sources={"stripe": DEFAULT_SOURCES["stripe"]})
    s.log = s.path("state/hookonce.log")
    s.start_processor("--for", "30m")
    return s


def rotate(s):
    """logrotate with the file that is shipped, over this site's log."""
    with open(f"{PROJECT}/lighttpd/hookonce.logrotate", encoding="ascii") as f:
        text = f.read()
    assert "/var/lib/hookonce/hookonce.log {" in text and "su hookonce hookonce" in text
    text = text.replace("/var/lib/hookonce/hookonce.log", s.log)
    text = text.replace("su hookonce hookonce", f"su {s.user.pw_name} {grp.getgrgid(s.user.pw_gid).gr_name}"
                        if s.user else "")
    conf = os.path.join(s.dir, "logrotate.conf")
    with open(conf, "w", encoding="ascii") as f:
        f.write(text)
    os.chmod(conf, 0o644)
    done = run([unpacked("logrotate", "logrotate")[0], "-f", "-s", os.path.join(s.dir, "logrotate.state"), conf])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def receivers(s):
    """Pids of the two, once there are no more: one may be about to start another program."""
    def two():
        pids = pids_of(s.receiver)
        return pids if len(pids) == 2 else None
    return wait_until(two, 20, "both receivers are up")


def workers_write(s, mark):
    """Has each receiver and the processor write a line -> what to look for."""
    pids = receivers(s)
    wanted = []
    for pid, other in (pids, pids[::-1]):
        os.kill(other, signal.SIGSTOP)
        event_id = f"evt_{mark}_{pid}"
        assert s.deliver("stripe", events.stripe(event_id)).status == 200
        os.kill(other, signal.SIGCONT)
        wait_until(lambda: event_id in s.effects(), 25, "the processor has done it")
        cid = s.value("SELECT correlation_id FROM hookonce_receipt WHERE event_id = %s", event_id.encode())
        wanted += [{"event": ("accepted", "spooled"), "cid": cid}, {"event": "done", "cid": cid}]
    return wanted


def everyone_writes(s, mark):
    """The same, and the program that serves the receivers: one of them dies."""
    wanted = workers_write(s, mark)
    pid = receivers(s)[0]
    os.kill(pid, signal.SIGKILL)
    return [*wanted, {"event": "receiver", "pid": str(pid)}]


def has(path, wanted):
    """Whether the file has a line for each."""
    with open(path, "rb") as f:
        lines = parse(f.read().decode())
    return all(any(all(line.get(k) in (v if isinstance(v, tuple) else (v,)) for k, v in row.items()) for line in lines)
               for row in wanted)


@pytest.mark.parametrize("how", ["rotated", "renamed", "removed", "emptied"])
def test_all_processes_go_on_in_the_log_of_that_name(busy, how):
    before = workers_write(busy, f"before_{how}")
    wait_until(lambda: has(busy.log, before), 20, "all have written")
    if how == "rotated":
        rotate(busy)
    elif how == "renamed":
        os.rename(busy.log, busy.log + ".1")
    elif how == "removed":
        os.unlink(busy.log)
    else:
        os.truncate(busy.log, 0)
    behind = everyone_writes(busy, f"behind_{how}")
    wait_until(lambda: os.path.exists(busy.log) and has(busy.log, behind), 20, "all write to the new one")
    assert not any(has(busy.log, [row]) for row in before)
    if how in ("rotated", "renamed"):
        assert has(busy.log + ".1", before) and not any(has(busy.log + ".1", [row]) for row in behind)
    assert os.stat(busy.log).st_mode & 0o777 == 0o600


def test_older_ones_are_packed(busy):
    for n in range(2):
        rows = workers_write(busy, f"pack_{n}")
        wait_until(lambda: has(busy.log, rows), 20, "all have written")
        rotate(busy)
    assert os.path.exists(busy.log + ".2.gz")
