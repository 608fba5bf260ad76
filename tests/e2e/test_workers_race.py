"""Several hosts and many workers on one queue: each job once, whoever comes first, whoever is killed."""

import contextlib
import random
import time

import pytest

from hooktest import TimedOut, events, wait_until
from hooktest.flow import Gate, arrive, attempts, expire, join

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
GITHUB = {"github": {"provider": "github", "secret": "github test secret"}}
FX = "INSERT INTO fx (event_id) VALUES ({event:id})"


def busy_site(site, **more):
    """A site with two routes for every event, one of them slow enough for others to come in between."""
    return site(sources=STRIPE,
                handlers={"fx": {"sql": [FX, "SELECT SLEEP(0.01)"], "timeout": "2s"},
                          "sum": {"sql": "UPDATE total SET n = n + 1", "timeout": "2s"}},
                routes={"one": {"provider": "stripe", "handler": "fx"},
                        "two": {"provider": "stripe", "handler": "sum", "retry": "50 tries, 1s"}}, **more)


def fill(s, n):
    """n waiting events."""
    s.sql("CREATE TABLE total (n INT NOT NULL) ENGINE=InnoDB")
    s.sql("INSERT INTO total VALUES (0)")
    s.serve("lighttpd", procs=2)
    for number in range(n):
        assert s.deliver("stripe", events.stripe(f"evt_{number:04}")).status == 200


def all_done(s):
    return s.value("SELECT COUNT(*) FROM hookonce_receipt WHERE status <> 'processed'") == 0


def hold_once(s, n):
    """Every event has had both effects once, and its rows say so."""
    assert sorted(s.effects()) == [f"evt_{number:04}" for number in range(n)]
    assert s.value("SELECT n FROM total") == n
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE state = 'done' AND outcome = 'done'") == 2 * n
    assert s.count("job") == 2 * n
    done = s.sql("SELECT job_id FROM hookonce_attempt WHERE outcome = 'done'")
    assert len(done) == len({row["job_id"] for row in done}) == 2 * n


@pytest.mark.parametrize("version", ["", "10.5.99-MariaDB"], ids=["skip locked", "without"])
def test_many_workers_on_two_hosts_do_each_job_once__O_WRK_02(site, own_mariadb, version):
    more = {"database": own_mariadb(options=[f"--version={version}"]).create_database()} if version else {}
    s, n = busy_site(site, settings={"processor": {"batch": "5"}}, **more), 150
    fill(s, n)
    hosts = [s, join(site, s)]
    runs = [h.start_processor("--for", "300s", "--workers", "3") for h in hosts]
    wait_until(lambda: all_done(s), 40, "all are processed", 0.1)
    assert [r.stop() for r in runs] == [0, 0]
    hold_once(s, n)
    assert {outcome for _, outcome in attempts(s)} <= {"done", "failed"}
    workers = {row["worker"] for row in s.sql("SELECT DISTINCT worker FROM hookonce_attempt")}
    assert len(workers) >= 3
    assert s.value("SELECT MAX(claim_no) FROM hookonce_job") <= 60


@pytest.mark.parametrize("seed, version", [(1, ""), (2, ""), (3, "10.5.99-MariaDB")])
def test_workers_that_are_killed_and_stopped_at_random_lose_and_double_nothing__O_WRK_01(site, own_mariadb, seed, version):
    more = {"database": own_mariadb(options=[f"--version={version}"]).create_database()} if version else {}
    s, n = busy_site(site, settings={"processor": {"batch": "4", "lease": "3s", "poll": "1s"}}, **more), 80
    fill(s, n)
    chance, hosts = random.Random(seed), [s, join(site, s)]
    end = time.monotonic() + 200
    for host in hosts:
        host.run = None
    while not all_done(s):
        assert time.monotonic() < end, "not done in its time"
        for host in hosts:
            if host.run is None or not host.run.alive():
                host.run = host.start_processor("--for", "300s", "--workers", "2")
        tried = s.count("attempt")
        time.sleep(chance.uniform(0.1, 0.6))
        if chance.random() < 0.5:  # on a busy machine nobody would ever get to work otherwise
            with contextlib.suppress(TimedOut):
                wait_until(lambda: s.count("attempt") > tried or all_done(s), 1, "somebody has worked", 0.05)  # noqa: B023
        victim = chance.choice(hosts)
        if chance.random() < 0.7:
            victim.run.kill9()
        else:
            victim.run.stop()
    for host in hosts:
        host.run.stop()
    hold_once(s, n)


def test_a_whole_batch_of_a_killed_worker_is_taken_up_and_charged_to_nobody__O_WRK_01(site):
    s = site(sources=GITHUB, handlers={"h": {"sql": [FX, Gate.PASS], "timeout": "60s"}},
             routes={"r": {"provider": "github", "handler": "h"}},
             settings={"processor": {"lease": "70s", "poll": "1s"}})
    gate = Gate(s)
    ids = [f"delivery-{n}" for n in range(6)]
    for delivery in ids:
        arrive(s, events.github(), source="github", delivery=delivery)
    worker = s.start_processor("--for", "300s")
    link, = gate.wait()
    wait_until(lambda: [j["state"] for j in s.jobs()] == ["running"] * 6, 10, "all are claimed")
    worker.kill9()
    s.db.server.execute(f"KILL {link}")
    gate.open()
    wait_until(lambda: s.effects() == [] and expire(s) is None, 5, "its work is undone, its leases end")
    second = s.start_processor("--for", "300s")
    wait_until(lambda: all_done(s), 12, "all are done")
    assert second.stop() == 0
    assert sorted(s.effects()) == ids
    assert attempts(s) == [(1, "lease lost"), (1, "done")] * 6
