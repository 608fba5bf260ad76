"""What holds handlers back: the breaker, places, a rate; and failures that do not come back together."""

import collections
import json
import re
import threading
import time

import pytest

from hooktest import events, wait_until
from hooktest.flow import arrive, attempts, join, make_due
from hooktest.senders import Delivery, Senders

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}


def limited_site(site, there, handler=(), route=(), **more):
    """One route to one URL of the server."""
    return site(sources=STRIPE, handlers={"h": {"url": there.url(), **dict(handler)}},
                routes={"r": {"provider": "stripe", "handler": "h", "retry": "10 tries, 1h", **dict(route)}}, **more)


def some(n, start=0):
    """Bodies of n events."""
    return [events.stripe(f"evt_{i:04d}") for i in range(start, start + n)]


def breaker(s):
    """The handler's row."""
    row, = s.sql("SELECT failures, open_until IS NOT NULL AS open, probe_until IS NOT NULL AS probed "
                 "FROM hookonce_handler")
    return row["failures"], bool(row["open"]), bool(row["probed"])


def let_breaker_end(s):
    """Its time is over: half open."""
    s.sql("UPDATE hookonce_handler SET open_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND")


# ---- breaker ---------------------------------------------------------------------------------------

def test_a_breaker_opens_half_opens_and_closes_and_eats_no_tries(site, downstream):
    there = downstream(500)
    s = limited_site(site, there, {"breaker": "3 failures, 1h"})
    arrive(s, *some(8))
    s.process()
    assert len(there.requests) == 3 and breaker(s) == (3, True, False)
    jobs = s.jobs()
    assert [j["tries"] for j in jobs] == [1] * 3 + [0] * 5
    assert [j["waiting_for"] for j in jobs[3:]] == ["breaker"] * 5
    assert s.log_lines(event="alarm", alarm="breaker")[0]["why"] == "h"

    said = s.hookonce("check").stdout.decode()
    assert "warn  handler h: failed 3 times in a row" in said and "tried in 59m" in said and "alarm breaker" not in said

    make_due(s)
    s.process()  # still open: nobody is asked
    assert len(there.requests) == 3 and sum(j["tries"] for j in s.jobs()) == 3

    until = s.value("SELECT DATE_FORMAT(open_until, '%Y-%m-%dT%H:%i') FROM hookonce_handler")
    said = s.hookonce("retry", str(jobs[7]["id"]), check=True).stderr.decode()
    assert "handler h " in said and f"rests until {until}" in said, said

    let_breaker_end(s)
    said = s.hookonce("retry", str(jobs[7]["id"])).stderr.decode()
    assert "rests" not in said, "one may try"
    make_due(s)
    s.process()  # half open: one try, and it fails
    assert len(there.requests) == 4 and breaker(s) == (4, True, False)
    assert sum(j["tries"] for j in s.jobs()) == 4

    there.answer = 200
    let_breaker_end(s)
    make_due(s)
    s.process()
    assert breaker(s) == (0, False, False)
    for _ in range(3):  # those that came while the one was at it
        make_due(s)
        s.process()
    assert [j["state"] for j in s.jobs()] == ["done"] * 8
    assert len(there.requests) == 4 + 8 == len(attempts(s))
    assert sum(j["tries"] for j in s.jobs()) == 12
    said = s.hookonce("check").stdout.decode()
    assert re.search(r"note  alarm breaker: .*\(over\)", said) and "warn  handler" not in said


def test_a_person_closes_a_breaker_by_its_settings(site, downstream):
    there = downstream(500)
    s = limited_site(site, there, {"breaker": "2 failures, 1h"})
    arrive(s, *some(3))
    s.process()
    assert breaker(s) == (2, True, False)
    there.answer = 200
    s.configure(s.config_text().replace("2 failures, 1h", "2 failures, 40m"))
    assert "the next one is tried now" in s.hookonce("check").stdout.decode()
    said = s.hookonce("retry", str(s.jobs()[2]["id"]), check=True).stderr.decode()
    assert "rests" not in said, said
    s.process()
    assert s.jobs()[2]["state"] == "done" and breaker(s) == (0, False, False)
    # Switched off, nothing rests, and what it had counted goes with the first success.
    there.answer = 500
    s.configure(s.config_text().replace("2 failures, 40m", "2 failures, 1h"))
    make_due(s)
    s.process()
    assert breaker(s) == (2, True, False)
    there.answer = 200
    s.configure(s.config_text().replace("2 failures, 1h", "off"))
    make_due(s)
    s.process()
    assert [j["state"] for j in s.jobs()] == ["done"] * 3 and breaker(s) == (0, False, False)


def test_one_job_tries_a_half_open_breaker_whatever_workers_there_are(site, downstream):
    there = downstream(500)
    first = limited_site(site, there, {"breaker": "2 failures, 1h"})
    arrive(first, *some(12))
    first.process()
    second = join(site, first)
    seen = len(there.requests)
    may_end = threading.Event()
    there.answer = lambda _: 200 if may_end.wait(100) else 500
    let_breaker_end(first)
    make_due(first)
    looks = {j["id"]: j["waits"] for j in first.jobs()}
    workers = [first.start_processor("--once", "--workers", "3"), second.start_processor("--once", "--workers", "3")]
    there.wait(seen + 1)
    wait_until(lambda: sum(j["waits"] > looks[j["id"]] for j in first.jobs()) == 11, 20, "the others have looked")
    assert len(there.requests) == seen + 1 and breaker(first) == (2, True, True)
    there.answer = 200
    may_end.set()
    for worker in workers:
        worker.wait(60)
    assert breaker(first) == (0, False, False)


def test_a_refusal_and_a_wait_are_no_failures_of_the_handler(site, downstream):
    there = downstream(422, script=[500, 422, 500, (503, b"", {"Retry-After": "1"}), 500])
    s = limited_site(site, there, {"breaker": "3 failures, 1h"}, {"retry": "2 tries, 1h"})
    arrive(s, *some(5))
    s.hookonce("process", "--once")
    # 422 shows that it is there, so the count began anew; 503 with Retry-After says nothing.
    assert len(there.requests) == 5 and breaker(s) == (2, False, False)


def test_sql_has_no_breaker_unless_told(site):
    s = site(sources=STRIPE, handlers={"h": {"sql": "INSERT INTO nowhere VALUES (1)"}},
             routes={"r": {"provider": "stripe", "handler": "h", "retry": "2 tries, 1h"}})
    arrive(s, *some(12))
    s.process()
    assert [j["tries"] for j in s.jobs()] == [1] * 12 and s.count("handler") == 0
    s.handlers["h"]["breaker"] = "2 failures, 1h"
    s.configure()
    make_due(s)
    s.hookonce("process", "--once")
    assert sorted(j["tries"] for j in s.jobs()) == [1] * 10 + [2] * 2
    assert breaker(s) == (2, True, False)


# ---- places and rates ------------------------------------------------------------------------------

class Crowd:
    """An answer that takes a while and knows how many are at it."""

    def __init__(self, seconds):
        self.seconds, self.now, self.most, self.lock = seconds, 0, 0, threading.Lock()

    def __call__(self, _):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(self.seconds)
        with self.lock:
            self.now -= 1
        return 200


def test_so_many_run_at_once_on_all_hosts_together(site, downstream):
    crowd = Crowd(0.2)
    there = downstream(crowd)
    first = limited_site(site, there, {"concurrency": "2"})
    arrive(first, *some(14))
    second = join(site, first)
    workers = [s.start_processor("--for", "250s", "--workers", "3") for s in (first, second)]
    wait_until(lambda: all(j["state"] == "done" for j in first.jobs()), 200, "all are done")
    for worker in workers:
        worker.stop()
    assert crowd.most == 2 and len(there.requests) == 14
    assert [j["tries"] for j in first.jobs()] == [1] * 14
    assert first.value("SELECT COUNT(*) FROM hookonce_slot WHERE job_id IS NOT NULL") == 0
    assert sum(j["waits"] for j in first.jobs()) > 0


def test_the_place_of_a_worker_that_vanished_is_free_when_its_lease_is_over(site, downstream):
    there = downstream(200)
    there.script.append(there.late(100))
    s = limited_site(site, there, {"concurrency": "1", "timeout": "10s"}, settings={"processor": {"lease": "20s"}})
    arrive(s, *some(1))
    worker = s.start_processor()
    there.wait(1)
    worker.kill9()
    arrive(s, *some(1, start=1))
    s.process()
    assert [j["waiting_for"] for j in s.jobs()][1] == "slot" and len(there.requests) == 1
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE state = 'running'")
    make_due(s)
    s.process()
    make_due(s)
    s.process()
    assert [j["state"] for j in s.jobs()] == ["done", "done"]


def test_a_rate_holds_over_time(site, downstream):
    there = downstream(200)
    s = limited_site(site, there, {"rate": "4 per 2s"})
    arrive(s, *some(10))
    worker = s.start_processor("--for", "250s", "--workers", "2")
    wait_until(lambda: all(j["state"] == "done" for j in s.jobs()), 200, "all are done")
    worker.stop()
    tries = s.sql("SELECT a.started_at AS at, j.waits FROM hookonce_attempt a JOIN hookonce_job j ON j.id = a.job_id "
                  "ORDER BY a.started_at")
    assert len(tries) == 10 == len(there.requests) and [t["waits"] for t in tries[:4]] == [0] * 4
    begins, inside = tries[0]["at"], 0
    for t in tries:  # windows begin with their first try
        if (t["at"] - begins).total_seconds() > 1.8:
            begins, inside = t["at"], 0
        inside += 1
        assert inside <= 4, tries
    assert [j["tries"] for j in s.jobs()] == [1] * 10


# ---- many failures at once (O-WRK-05) --------------------------------------------------------------

def deliver_many(s, n):
    """n events, some at a time."""
    s.serve("lighttpd", procs=2)
    senders = Senders(s, [Delivery("stripe", body, []) for body in some(n)], threads=4).start()
    assert senders.join(150) and not senders.broken, senders.broken
    s.server.stop()


def by_second(s):
    """How many jobs come due in each second."""
    rows = s.sql("SELECT UNIX_TIMESTAMP(run_at) DIV 1 AS t, COUNT(*) AS n FROM hookonce_job WHERE state = 'ready' "
                 "GROUP BY t")
    return {int(r["t"]): r["n"] for r in rows}


@pytest.mark.parametrize("n, switch", [(1000, "off"), (300, "10 failures, 2m")])
def test_many_failures_do_not_come_back_in_the_same_second__O_WRK_05(site, downstream, n, switch):
    there = downstream(500)
    s = limited_site(site, there, {"breaker": switch}, {"retry": "4 tries, 4m to 1h"})
    deliver_many(s, n)
    s.hookonce("process", "--once", "--for", "200s", "--workers", "2", limit_s=250)
    assert s.count("job") == n
    tries = sum(j["tries"] for j in s.jobs())
    assert tries == len(there.requests) and (tries == n if switch == "off" else 10 <= tries <= 12)
    seconds = by_second(s)
    assert sum(seconds.values()) == n
    assert max(seconds.values()) <= n / 20, f"{max(seconds.values())} of {n} in one second"

    def but_one(request):
        return 500 if json.loads(request.body)["id"] == "evt_0150" else 200

    there.answer = but_one
    s.sql("UPDATE hookonce_handler SET open_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND")
    for _ in range(8):
        make_due(s)
        s.hookonce("process", "--once", "--for", "200s", limit_s=250)
        if not [j for j in s.jobs() if j["state"] in ("ready", "running")]:
            break
    outcomes = collections.Counter((j["state"], j["outcome"], j["tries"] > 1) for j in s.jobs())
    assert sum(k for (state, _, _), k in outcomes.items() if state == "done") == n - 1, outcomes
    odd, = (j for j in s.jobs() if j["state"] == "dead")
    assert (odd["outcome"], odd["tries"]) == ("gave up", 4)
    assert max(j["tries"] for j in s.jobs() if j["state"] == "done") <= 2
