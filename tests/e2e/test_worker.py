"""Workers that vanish, sleep through their lease or come too often, and what is left of their jobs."""

import datetime
import signal
import time

import pytest

from hooktest import events, wait_until
from hooktest.flow import Gate, arrive, attempts, expire, join, sleeping, wait_sleeping
from hooktest.proc import Proc, pids_of

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
# Writes its effect, then sleeps as long as the table `pause` says, then needs nothing more.
SLOW = ["INSERT INTO fx (event_id) VALUES ({event:id})", "SELECT SLEEP(seconds) FROM pause"]


@pytest.fixture
def slow(site):
    """A function that makes a site whose handler sleeps: slow(seconds, lease, timeout, **Site's)."""
    def make(seconds, lease, timeout, sql=None, **processor):
        s = site(sources=STRIPE, handlers={"fx": {"sql": sql or SLOW, "timeout": timeout}},
                 settings={"processor": {"lease": lease, "poll": "1s", **processor}})
        s.sql("CREATE TABLE pause (seconds DECIMAL(4, 2) NOT NULL) ENGINE=InnoDB")
        s.sql("INSERT INTO pause VALUES (%s)", seconds)
        return s
    return make


def job(s):
    """The only job."""
    jobs = s.jobs()
    assert len(jobs) == 1
    return jobs[0]


def done_once(s, event_id, claims):
    """The only event has had its effect once, with these (try, outcome) claims."""
    assert s.effects() == [event_id]
    assert attempts(s) == claims
    assert (job(s)["state"], job(s)["outcome"]) == ("done", "done")
    assert (s.receipts()[0]["status"], s.receipts()[0]["outcome"]) == ("processed", "done")


# ---- kill -9 --------------------------------------------------------------------------------------


def kill(s, worker):
    """kill -9 while its handler sleeps; the server notices a dead client only at the statement's end, or now."""
    link = wait_sleeping(s)
    worker.kill9()
    s.db.server.execute(f"KILL CONNECTION {link}")
    wait_until(lambda: not sleeping(s) and not pids_of(s.program), 5, "its link is gone, its workers end with it")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_job_of_a_killed_worker_is_done_after_its_lease__O_WRK_01(slow, workers):
    s = slow(50, lease="70s", timeout="60s")
    arrive(s, events.stripe("evt_killed"))
    kill(s, s.start_processor("--for", "300s", "--workers", workers))
    assert job(s)["state"] == "running" and s.receipts()[0]["status"] == "processing"
    assert s.effects() == []
    s.sql("UPDATE pause SET seconds = 0")
    assert 0 < s.value("SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), run_at) FROM hookonce_job") < 70
    s.process()
    assert job(s)["state"] == "running", "its lease is not over"
    expire(s)
    assert b"a worker that vanished" in s.hookonce("check").stdout
    second = s.start_processor("--for", "300s")
    wait_until(lambda: job(s)["state"] == "done", 10, "the job is done")
    assert second.stop() == 0
    done_once(s, "evt_killed", [(1, "lease lost"), (1, "done")])
    assert [line["outcome"] for line in s.log_lines(event="lease_lost")] == ["lease lost"]


def test_a_job_that_kills_every_worker_is_given_up__O_WRK_01(slow):
    s = slow(50, lease="70s", timeout="60s")
    s.routes["all-stripe"]["retry"] = "2 tries, 1s"
    s.configure()
    arrive(s, events.stripe("evt_deadly"))
    for _ in range(3):  # the first claim may have been an accident; two more count
        kill(s, s.start_processor("--for", "300s"))
        expire(s)
    assert s.hookonce("process", "--once").returncode == 1, "it is given up"
    assert (job(s)["state"], job(s)["outcome"], job(s)["tries"]) == ("dead", "worker lost", 2)
    assert s.effects() == [] and s.receipts()[0]["status"] == "failed"
    assert [outcome for _, outcome in attempts(s)] == ["lease lost"] * 3
    assert s.log_lines(event="dead")[0]["outcome"] == "worker lost"


# ---- the lease ends while the work goes on ----------------------------------------------------------


def test_a_worker_that_sleeps_through_its_lease_still_holds_the_job_it_runs__O_WRK_02(site, slow):
    s = slow(0, lease="9s", timeout="8s", sql=[*SLOW, Gate.PASS])
    gate = Gate(s)
    arrive(s, events.stripe("evt_late"))
    first = s.start_processor("--for", "300s")
    gate.wait()
    first.pause()
    gate.open()
    other = join(site, s)
    second = other.start_processor("--for", "300s")
    wait_until(lambda: s.value("SELECT run_at <= UTC_TIMESTAMP(6) - INTERVAL 2 SECOND FROM hookonce_job"), 12,
               "the lease is over for long")
    assert job(s)["state"] == "running" and s.effects() == [] and attempts(s) == []
    first.resume()
    wait_until(lambda: job(s)["state"] == "done", 5, "the first one ends its work")
    assert first.stop() == 0 and second.stop() == 0
    done_once(s, "evt_late", [(1, "done")])


def test_a_worker_that_wakes_after_a_takeover_changes_nothing__O_WRK_02(site, slow):
    s = slow(0, lease="70s", timeout="60s", sql=[*SLOW, Gate.PASS])
    gate = Gate(s)
    arrive(s, events.stripe("evt_a"), events.stripe("evt_b"))
    first = s.start_processor("--for", "300s")
    gate.wait()  # evt_a runs; evt_b is claimed by the same worker and not yet begun
    first.pause()
    gate.open()
    evt_a, evt_b = s.jobs()
    assert [evt_a["state"], evt_b["state"]] == ["running", "running"]
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE id = %s", evt_b["id"])
    second = join(site, s).start_processor("--for", "300s")
    wait_until(lambda: s.jobs()[1]["state"] == "done", 12, "the second one takes evt_b over")
    assert s.jobs()[0]["state"] == "running"
    assert s.effects() == ["evt_b"]
    first.resume()
    wait_until(lambda: s.jobs()[0]["state"] == "done", 5, "the first one ends evt_a")
    wait_until(lambda: any(line.get("outcome") == "lease lost" and line["job"] == str(evt_b["id"])
                           for line in s.log_lines(event="lease_lost")), 5, "the first one learns of evt_b")
    assert first.stop() == 0 and second.stop() == 0
    assert sorted(s.effects()) == ["evt_a", "evt_b"]
    assert attempts(s) == [(1, "done"), (1, "lease lost"), (1, "done")]
    assert {r["status"] for r in s.receipts()} == {"processed"}


def test_a_handler_whose_link_breaks_does_its_work_once__O_WRK_02(slow):
    s = slow(0, lease="70s", timeout="60s", sql=[*SLOW, Gate.PASS])
    gate = Gate(s)
    arrive(s, events.stripe("evt_cut"))
    worker = s.start_processor("--for", "300s")
    link, = gate.wait()
    s.db.server.execute(f"KILL CONNECTION {link}")
    gate.open()
    wait_until(lambda: job(s)["state"] == "done", 10, "the job is done on another link")
    assert worker.stop() == 0
    done_once(s, "evt_cut", [(1, "done")])


def test_a_handler_is_stopped_before_its_lease_ends__O_WRK_02(site, slow):
    s = slow(90, lease="22s", timeout="2s")
    s.routes["all-stripe"]["retry"] = "2 tries, 1s"
    s.configure()
    arrive(s, events.stripe("evt_long"))
    second = join(site, s).start_processor("--for", "300s")
    first = s.start_processor("--for", "300s")
    wait_until(lambda: job(s)["state"] == "dead", 15, "it is given up")
    assert sorted([first.stop(), second.stop()]) in ([0, 1], [1, 1])
    assert s.effects() == [] and attempts(s) == [(1, "failed"), (2, "failed")]
    assert job(s)["outcome"] == "gave up" and "not through in its time (timeout 2s)" in job(s)["last_error"]
    rows = s.sql("SELECT TIMESTAMPDIFF(MICROSECOND, started_at, ended_at) AS us FROM hookonce_attempt")
    assert all(1.9e6 < row["us"] < 22e6 for row in rows)


# ---- many starts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_starts_that_overlap_leave_at_once_and_silently__O_WRK_04(slow, workers):
    s = slow(99, lease="110s", timeout="100s")
    arrive(s, events.stripe("evt_hangs"))
    first = s.start_processor("--for", "300s", "--workers", str(workers))
    wait_sleeping(s)

    def only_they_work():
        # a program that one of them starts counts too until it has ended
        wait_until(lambda: len(pids_of(s.program)) == (1 if workers == 1 else 1 + workers), 5, "nobody else is there")

    only_they_work()
    for number in range(30):
        done = s.hookonce("process", "--for", "300s")  # within the usual limit
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), number
        only_they_work()
    orphan = wait_sleeping(s)  # still hanging, and after the kill it holds its locks on
    first.kill9()
    s.sql("UPDATE pause SET seconds = 0")
    arrive(s, events.stripe("evt_next"))
    done = s.process()
    assert done.stdout == done.stderr == b""
    assert s.effects() == ["evt_next"]
    assert orphan in sleeping(s), "nobody has waited for it"
    s.db.server.execute(f"KILL CONNECTION {orphan}")


def test_a_lock_file_that_was_left_behind_stops_nobody__O_WRK_04(slow):
    s = slow(0, lease="30s", timeout="20s")
    s.write("state/process.lock", "4711\n")
    arrive(s, events.stripe("evt_one"))
    s.process()
    assert s.effects() == ["evt_one"]


def test_sigterm_finishes_the_job_in_hand_and_gives_the_others_back(slow):
    s = slow(0, lease="70s", timeout="60s", sql=[*SLOW, Gate.PASS])
    gate = Gate(s)
    arrive(s, events.stripe("evt_1"), events.stripe("evt_2"), events.stripe("evt_3"))
    worker = s.start_processor("--for", "300s")
    gate.wait()
    worker.signal(signal.SIGTERM)
    time.sleep(0.5)
    assert worker.alive(), "it waits for the job in hand"
    gate.open()
    assert worker.wait(30) == 0
    assert s.effects() == ["evt_1"]
    assert [j["state"] for j in s.jobs()] == ["done", "ready", "ready"]
    assert [r["status"] for r in s.receipts()] == ["processed", "received", "received"]
    assert [j["tries"] for j in s.jobs()] == [1, 0, 0] and attempts(s) == [(1, "done")]
    s.process()
    assert s.effects() == ["evt_1", "evt_2", "evt_3"]
    assert s.count("worker") == 0


def test_a_run_ends_in_its_time_and_begins_nothing_after_it(slow):
    s = slow(1, lease="30s", timeout="20s")
    arrive(s, *(events.stripe(f"evt_{n}") for n in range(8)))
    start = time.monotonic()
    done = s.hookonce("process", "--for", "3s", check=True)
    assert done.stdout == done.stderr == b"" and time.monotonic() - start > 2.5
    begun = [row["started_at"] for row in s.sql("SELECT started_at FROM hookonce_attempt ORDER BY started_at")]
    assert begun[-1] - begun[0] < datetime.timedelta(seconds=3)
    assert 1 <= len(s.effects()) <= 4
    states = [j["state"] for j in s.jobs()]
    assert states.count("done") == len(s.effects()) and set(states) == {"done", "ready"}


def test_an_idle_run_stays_until_its_time_and_an_idle_once_does_not(slow):
    s = slow(0, lease="30s", timeout="20s")
    start = time.monotonic()
    s.hookonce("process", "--for", "2s", check=True)
    assert time.monotonic() - start > 1.8
    s.hookonce("process", "--once", "--for", "300s", check=True)  # within the usual limit


def test_all_runs_share_one_lock_whatever_their_options(slow):
    s = slow(0, lease="30s", timeout="20s")
    first = Proc([s.program, "process", "--for", "300s"], s.path("first.log"), env=s.environment(), user=s.user,
                 cwd=s.dir)
    try:
        wait_until(lambda: s.count("worker") == 1, 10, "it has said hello")
        arrive(s, events.stripe("evt_x"))
        assert s.hookonce("process", "--once", "--workers", "4").returncode == 0
        wait_until(lambda: s.effects() == ["evt_x"], 5, "the first run does it")
    finally:
        assert first.stop() == 0
