"""`hookonce serve` keeps receivers up on a unix socket, as long as it lives itself and no longer."""

import contextlib
import os
import shutil
import signal
import socket
import stat
import threading
import time

import pytest

from hooktest import events, fastcgi, free_port, wait_until
from hooktest.proc import Proc, pids_of, run
from hooktest.site import DEFAULT_SOURCES

STRIPE = {"stripe": DEFAULT_SOURCES["stripe"]}


class Served:
    """A site with a `hookonce serve`, spoken to in FastCGI."""

    def __init__(self, site, *options, folder="run"):
        self.site, self.options = site, options
        self.socket = os.path.join(site.path(folder), "receiver.sock")
        self.lines, self.receipts = len(site.log_lines()), site.count("receipt")
        self.start()

    def start(self):
        """Starts it once more; it has begun when the socket is there and all receivers run."""
        self.proc = self.begin("--receivers", "2", *self.options)
        wait_until(self.listens, 20, "it listens")
        wait_until(lambda: len(self.receivers()) == 2, 20, "both receivers run")

    def begin(self, *options, log="serve.log"):
        """`hookonce serve` on this socket -> Proc."""
        proc = Proc([self.site.program, "serve", "--socket", self.socket, *options], self.site.path(log),
                    env=self.site.environment(), user=self.site.user, cwd=self.site.dir)
        self.site._procs.append(proc)
        return proc

    def taken(self):
        """Receipts since then."""
        self.site.import_spooled()
        return self.site.count("receipt") - self.receipts

    def listens(self):
        """Whether somebody takes a connection."""
        try:
            self.connect().close()
        except OSError:
            return False
        return True

    def connect(self, limit_s=60):
        """A new connection."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(limit_s)
        link.connect(self.socket)
        return link

    def receivers(self):
        """Pids of those that run the receiver's program now, under its name or one that it had."""
        return pids_of(self.site.receiver)

    def ask(self, event_id, link=None):
        """A genuine event in FastCGI -> its status."""
        body = events.stripe(event_id)
        link = link or self.connect()
        link.sendall(fastcgi.begin() + fastcgi.params(fastcgi.variables(
            "stripe", len(body), self.site.signed("stripe", body)))
            + fastcgi.stdin(body) + fastcgi.record(fastcgi.STDIN))
        return fastcgi.answer(link)[0]

    def begin_request(self, event_id):
        """A request of which the last byte is still to come -> (link, what is missing)."""
        body = events.stripe(event_id)
        link = self.connect()
        link.sendall(fastcgi.begin() + fastcgi.params(fastcgi.variables(
            "stripe", len(body), self.site.signed("stripe", body))) + fastcgi.stdin(body[:-1]))
        return link, fastcgi.stdin(body[-1:]) + fastcgi.record(fastcgi.STDIN)

    def told(self, what):
        """The log's lines since then about receivers that say this."""
        return [line for line in self.site.log_lines()[self.lines:]
                if line["event"] == "receiver" and line["what"] == what]


@pytest.fixture(scope="module")
def place(module_site):
    """The site of most tests; their events have ids of their own."""
    got = module_site(sources=STRIPE)
    got.folder("run")
    return got


@pytest.fixture
def served(place):
    """The site with a `hookonce serve` that has two receivers."""
    got = Served(place, "--mode", "0660")
    yield got
    got.proc.stop(60)
    wait_until(lambda: not got.receivers(), 30, "all have ended")


class Senders:
    """Threads that send one event after the other until they are stopped; every status is kept."""

    def __init__(self, served, n=3):
        self.served, self.statuses, self.going = served, [], True
        self.threads = [threading.Thread(target=self.send, args=(i,)) for i in range(n)]
        for thread in self.threads:
            thread.start()

    def send(self, number):
        count = 0
        while self.going:
            count += 1
            try:
                self.statuses.append(self.served.ask(f"evt_{self.served.proc.pid}_{number}_{count}"))
            except OSError as e:
                self.statuses.append(e)

    def stop(self):
        """Ends them -> the different statuses that came."""
        self.going = False
        for thread in self.threads:
            thread.join()
        return {str(s) for s in self.statuses}


def parent_of(pid):
    """Its parent's pid."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return int(f.read().rsplit(")", 1)[1].split()[1])


# ---- as it should be ---------------------------------------------------------------------------------------

def test_it_serves_says_nothing_and_ends_with_all_its_receivers(served):
    assert stat.S_IMODE(os.stat(served.socket).st_mode) == 0o660
    assert [served.ask(f"evt_serves_{i}") for i in range(5)] == [200] * 5
    assert served.taken() == 5
    for pid in served.receivers():
        assert parent_of(pid) == served.proc.pid
    assert served.proc.stop(60) == 0
    assert served.receivers() == []
    assert not os.path.exists(served.socket)
    assert served.proc.output() == ""


def test_a_receiver_gets_its_config_and_nothing_of_ours(served):
    assert served.ask("evt_world") == 200
    for pid in served.receivers():
        with open(f"/proc/{pid}/environ", "rb") as f:
            names = sorted(v.split(b"=")[0] for v in f.read().split(b"\0") if v)
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            assert f.read() == served.site.receiver.encode() + b"\0"
        assert names == [b"HOME", b"HOOKONCE_CONFIG", b"PATH"]
        assert not [name for name in map(os.readlink, _descriptors(pid)) if name.endswith(".lock")]


def _descriptors(pid):
    return [f"/proc/{pid}/fd/{n}" for n in os.listdir(f"/proc/{pid}/fd") if os.path.lexists(f"/proc/{pid}/fd/{n}")]


def test_a_second_one_ends_at_once_and_silently(served):
    second = served.begin("--receivers", "1", log="second.log")
    assert second.wait(60) == 0 and second.output() == ""
    assert served.ask("evt_second") == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_in_hand_is_finished(served, number):
    link, rest = served.begin_request(f"evt_slow_{number}")
    wait_until(lambda: _accepted(served), 30, "a receiver has taken it")
    served.proc.signal(number)
    wait_until(lambda: len(served.receivers()) == 1, 30, "the idle one has ended")
    link.sendall(rest)
    assert fastcgi.answer(link)[0] == 200
    assert served.proc.wait(60) == 0 and served.receivers() == []
    assert served.taken() == 1


def _accepted(served):
    """Whether a receiver holds a connection beside the socket it listens on."""
    for pid in served.receivers():
        fds = [os.readlink(fd) for fd in _descriptors(pid)]
        if len({fd for fd in fds if fd.startswith("socket:")}) > 1:
            return True
    return False


# ---- deaths ------------------------------------------------------------------------------------------------

def test_a_receiver_that_dies_is_replaced_and_the_log_says_so(served):
    killed = served.receivers()[0]
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: len(set(served.receivers()) - {killed}) == 2, 30, "another one is up")
    line = wait_until(lambda: served.told("ended"), 10, "the log's line")[0]
    assert (line["level"], int(line["pid"]), line["why"]) == ("warn", killed, "signal 9")
    assert served.ask("evt_1") == 200
    assert served.proc.output() == ""


def test_receivers_that_die_again_and_again_are_waited_with(served):
    """The pause doubles from 250 ms on; from the fourth in a row the lines are alarms."""
    for n in range(1, 6):
        wait_until(served.receivers, 60, "one is up")
        for pid in served.receivers():
            with contextlib.suppress(ProcessLookupError):  # dead already, and not yet waited for when it was listed
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: len(served.told("ended")) > n, 60, "the log's lines")
    lines = served.told("ended")
    pauses = [int(line["pause_ms"]) for line in lines]
    assert pauses == sorted(pauses) and pauses[0] == 250 and pauses[-1] >= 1000
    assert max(pauses) <= 5000
    assert lines[-1]["level"] == "alarm"


def test_after_kill_9_of_it_the_receivers_end_and_another_one_takes_over(served):
    link, rest = served.begin_request("evt_in_hand")
    wait_until(lambda: _accepted(served), 30, "a receiver has taken it")
    before = served.receivers()
    served.proc.kill9()
    wait_until(lambda: len(served.receivers()) == 1, 30, "the idle one ends")
    link.sendall(rest)
    assert fastcgi.answer(link)[0] == 200
    wait_until(lambda: not served.receivers(), 30, "the other one ends")
    assert os.path.exists(served.socket)
    served.start()
    assert served.ask("evt_after") == 200
    assert not set(before) & set(served.receivers())


# ---- one after the other -----------------------------------------------------------------------------------

def _is_its(served, pid):
    """Whether it is there still, and no program that a receiver is about to start."""
    try:
        return parent_of(pid) == served.proc.pid
    except OSError:
        return False


def test_sighup_replaces_them_one_after_the_other_and_refuses_nobody(served):
    before, most, least = set(served.receivers()), 0, 2
    senders = Senders(served)
    served.proc.signal(signal.SIGHUP)
    end = time.monotonic() + 120
    while before & set(served.receivers()) and time.monotonic() < end:
        now = served.receivers()
        most, least = max(most, sum(_is_its(served, pid) for pid in now)), min(least, len(now))
        time.sleep(0.01)
    assert not before & set(served.receivers())
    assert senders.stop() == {"200"}
    assert least >= 2 and most <= 3
    assert served.taken() == len(senders.statuses)


def test_a_new_receiver_under_the_old_name_takes_over(served):
    before = set(served.receivers())
    senders = Senders(served)
    shutil.copy(served.site.receiver, served.site.path("fresh"))
    os.rename(served.site.own(served.site.path("fresh"), 0o755), served.site.receiver)
    wait_until(lambda: _running(served) == 2, 60, "two of the new file run")
    wait_until(lambda: not before & set(_all(served)), 60, "the old ones have ended")
    assert senders.stop() == {"200"}


def _exe(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def _running(served):
    return sum(_exe(pid) == served.site.receiver for pid in _all(served))


def _all(served):
    """Its children, whatever they run."""
    with open(f"/proc/{served.proc.pid}/task/{served.proc.pid}/children", encoding="ascii") as f:
        return [int(pid) for pid in f.read().split()]


def test_a_new_receiver_that_does_not_run_leaves_the_old_ones_in_place(served):
    before = set(served.receivers())
    good = served.site.path("good")
    os.rename(served.site.receiver, good)
    served.site.write("hookonce.fcgi", "#!/nonexistent\n", mode=0o755)
    wait_until(lambda: len(served.told("ended")) >= 2, 60, "it was tried")
    assert {line["why"] for line in served.told("ended")} == {"can't be started"}
    assert before <= set(_all(served))
    assert served.ask("evt_1") == 200
    os.rename(good, served.site.receiver)
    wait_until(lambda: not before & set(_all(served)) and _running(served) == 2, 60, "the good one took over")
    assert served.ask("evt_2") == 200


# ---- the socket --------------------------------------------------------------------------------------------

def refused(site, *options, **more):
    """What `hookonce serve` says when it does not begin."""
    done = run([site.program, "serve", *options], 120, site.user, env=site.environment(), cwd=site.dir, **more)
    assert done.returncode == 2, done
    assert done.stdout == b""
    return done.stderr.decode()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_write_to_is_refused(site, mode):
    s = site(sources=STRIPE, migrate=False)
    s.folder("run", mode)
    assert "others may put a socket of their own there" in refused(s, "--socket", "run/receiver.sock")
    assert os.listdir(s.path("run")) == []


def test_a_folder_that_is_not_there_is_made_private(site):
    s = site(sources=STRIPE)
    served = Served(s, folder="made")
    assert stat.S_IMODE(os.stat(s.path("made")).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(served.socket).st_mode) == 0o600
    assert served.ask("evt_1") == 200


def test_no_other_file_is_replaced(site):
    s = site(sources=STRIPE, migrate=False)
    s.folder("run")
    s.write("run/receiver.sock", "precious")
    assert "it is no socket" in refused(s, "--socket", s.path("run/receiver.sock"))
    with open(s.path("run/receiver.sock"), encoding="ascii") as f:
        assert f.read() == "precious"


def test_a_socket_that_is_listened_on_is_left_alone_and_a_dead_one_replaced(site):
    s = site(sources=STRIPE)
    path = os.path.join(s.folder("run"), "receiver.sock")
    other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    other.bind(path)
    os.chmod(path, 0o777)
    other.listen(4)
    inode = os.stat(path).st_ino
    assert "another program listens there" in refused(s, "--socket", path)
    assert os.stat(path).st_ino == inode
    other.close()
    assert Served(s).ask("evt_1") == 200


@pytest.mark.parametrize("options, said", [
    ([], "--socket is missing"),
    (["--socket", "x" * 120], "a socket's path has at most"),
    (["--socket", "run/s", "--receivers", "0"], "a number from 1 to 64"),
    (["--socket", "run/s", "--receivers", "65"], "a number from 1 to 64"),
    (["--socket", "run/s", "--mode", "0060"], "0600, 0660 or 0666"),
    (["--socket", "run/s", "--mode", "0770"], "0600, 0660 or 0666"),
    (["--socket", "run/s", "--mode", "rw"], "0600, 0660 or 0666"),
    (["--socket", "run/s", "--receiver", "/nonexistent"], "No such file"),
    (["--socket", "-"], "standard input is no unix socket"),
    (["run/s"], "does not know what to do"),
])
def test_what_makes_no_sense_is_said(site, options, said):
    assert said in refused(site(sources=STRIPE, migrate=False), *options)


def test_no_tcp_socket_is_served(site):
    s = site(sources=STRIPE, migrate=False)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", free_port()))
        listener.listen(1)
        assert "no unix socket" in refused(s, "--socket", "-", stdin=listener)
