"""The systemd units that are shipped: systemd's own checkers take them, and what they start does what it should."""

import glob
import os
import shlex
import shutil
import signal
import socket
import subprocess

import pytest

from hooktest import PROJECT, events, fastcgi, wait_until
from hooktest.paths import unpacked
from hooktest.proc import Proc, account, pids_of, run
from hooktest.site import DEFAULT_SOURCES

SHIPPED = os.path.join(PROJECT, "lighttpd")
NAMES = sorted(os.path.basename(path) for kind in ("service", "socket", "timer")
               for path in glob.glob(f"{SHIPPED}/hookonce-*.{kind}"))
PROGRAM, CONFIG = "/usr/bin/hookonce", "/etc/hookonce/hookonce.conf"  # where the units have them


def checker(*arguments, units="/nonexistent"):
    """Runs systemd-analyze over units in a folder -> (exit code, all that it says)."""
    path, root = unpacked("systemd", "systemd-analyze")
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent",
           "LD_LIBRARY_PATH": ":".join([*glob.glob(f"{root}/usr/lib/*/systemd"), f"{root}/lib/systemd"]),
           "SYSTEMD_UNIT_PATH": f"{units}:{root}/usr/lib/systemd/system:{root}/lib/systemd/system"}
    done = run([path, *arguments], 60, env=env)
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def setting(unit, key):
    """The values of a key in a shipped unit, in order."""
    with open(os.path.join(SHIPPED, unit), encoding="ascii") as f:
        return [line.strip().partition("=")[2] for line in f if line.startswith(key + "=")]


@pytest.fixture
def units(tmp_path):
    """A folder with the units, of which the program is one that is there, and the strict drop-in in place."""
    for name in NAMES:
        with open(os.path.join(SHIPPED, name), encoding="ascii") as f:
            (tmp_path / name).write_text(f.read().replace(PROGRAM, "/bin/true"))
    for name in ("hookonce-process.service", "hookonce-watch.service"):
        (tmp_path / f"{name}.d").mkdir()
        with open(os.path.join(SHIPPED, "hookonce-strict.conf"), encoding="ascii") as f:
            (tmp_path / f"{name}.d" / "strict.conf").write_text(f.read())
    return str(tmp_path)


def test_systemd_finds_nothing_to_say_about_them(units):
    assert NAMES == ["hookonce-process.service", "hookonce-process.timer", "hookonce-receiver.service",
                     "hookonce-receiver.socket", "hookonce-watch.service", "hookonce-watch.timer"]
    assert checker("verify", "--man=no", *(f"{units}/{name}" for name in NAMES), units=units) == (0, "")


def test_they_are_exposed_little(units):
    """systemd's own measure, from 0 to 100. The processor and the watch with the drop-in that closes them too."""
    if "--offline" not in checker("--help")[1]:
        return  # a systemd before 250
    for name in NAMES:
        if name.endswith(".service"):
            code, said = checker("security", "--offline=true", "--threshold=20", f"{units}/{name}", units=units)
            assert code == 0, said[-300:]


def command(site, unit):
    """(argv, environment) of a unit's ExecStart, with the site's program and config."""
    (line,) = setting(unit, "ExecStart")
    assert line.startswith(PROGRAM + " ") and setting(unit, "Environment") == [f"HOOKONCE_CONFIG={CONFIG}"]
    return [site.program, *shlex.split(line)[1:]], {"HOOKONCE_CONFIG": site.path("hookonce.conf")}


def ask(site, path, event_id):
    """A genuine event over the socket -> a function that waits for its status."""
    body = events.stripe(event_id)
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.settimeout(90)
    link.connect(path)
    link.sendall(fastcgi.begin() + fastcgi.params(fastcgi.variables("stripe", len(body), site.signed("stripe", body)))
                 + fastcgi.stdin(body) + fastcgi.record(fastcgi.STDIN))
    return lambda: fastcgi.answer(link)[0]


@pytest.fixture
def small(site):
    """A site of one source."""
    return site(sources={"stripe": DEFAULT_SOURCES["stripe"]})


def test_the_receivers_start_by_the_first_request_to_their_socket(small):
    """By the tool that does what systemd does: it listens, and starts the unit's command when somebody connects."""
    tool, root = unpacked("systemd", "systemd-socket-activate")
    own = small.folder("systemd")  # the account has no way into the build's folder
    for file in (tool, *glob.glob(f"{root}/usr/lib/*/systemd/lib*")):
        os.chmod(shutil.copy(file, own), 0o755)
    argv, env = command(small, "hookonce-receiver.service")
    assert setting("hookonce-receiver.service", "StandardInput") == ["socket"]
    path = os.path.join(small.folder("run"), "receiver.sock")
    proc = Proc([os.path.join(own, os.path.basename(tool)), "--inetd", f"--listen={path}", *(f"--setenv={k}={v}" for k, v in env.items()), *argv],
                small.path("processor.log"), user=small.user, cwd="/", env={
                    "PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": own})
    small._procs.append(proc)
    wait_until(lambda: os.path.exists(path), 20, "it listens")
    assert pids_of(small.receiver) == []
    assert ask(small, path, "evt_first")() == 200
    wait_until(lambda: len(pids_of(small.receiver)) == 4, 20, "all four run")
    proc.signal(signal.SIGHUP)  # ExecReload
    assert ask(small, path, "evt_second")() == 200
    assert proc.stop(60) == 0 and pids_of(small.receiver) == []
    small.import_spooled()
    assert sorted(r["event_id"] for r in small.receipts()) == [b"evt_first", b"evt_second"]


def test_what_comes_while_they_are_started_anew_waits_and_is_taken(small):
    """systemd keeps the socket, with what waits in it."""
    argv, env = command(small, "hookonce-receiver.service")
    path = os.path.join(small.folder("run"), "receiver.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen(int(setting("hookonce-receiver.socket", "Backlog")[0]))

        def start():
            return subprocess.Popen(argv, stdin=listener, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/",
                                    env=env, **account(small.user))
        for n in range(2):
            answers = [ask(small, path, f"evt_{n}_{i}") for i in range(3)]  # nobody is there
            child = start()
            assert [answer() for answer in answers] == [200] * 3
            child.send_signal(signal.SIGTERM)
            assert child.communicate(timeout=90)[1] == b"" and child.returncode == 0
            assert os.path.exists(path)
    small.import_spooled()
    assert small.count("receipt") == 6


def test_the_units_of_the_timers_process_and_watch(small):
    argv, env = command(small, "hookonce-process.service")
    assert argv[1:] == ["process", "--for", "55s"]
    body = events.stripe("evt_1")
    assert small.cgi("stripe", body, small.signed("stripe", body)).status == 200
    small.import_spooled()
    done = run([*argv, "--once"], 120, small.user, env=env, cwd="/")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert small.effects() == ["evt_1"]
    argv, env = command(small, "hookonce-watch.service")
    done = run(argv, 60, small.user, env=env, cwd="/")
    assert done.returncode == 0, done
