"""kill -9 of everything, at random, under load: every 2xx has its receipt, every receipt one effect."""

import itertools
import os
import random
import signal
import time

from hooktest import events
from hooktest.proc import pids_of, wait_until
from hooktest.senders import Delivery, Senders

EVENTS, REPEATS, SENDERS = 10_000, 2_000, 6
LIMIT_S = 240


class Killer:
    """Kills one of the parties every second and brings back what nobody else brings back."""

    def __init__(self, site, server, seed):
        self.site, self.server, self.random = site, server, random.Random(seed)
        self.kills = {"receiver": 0, "processor": 0, "mariadbd": 0}
        self.processor = None

    def keep_processor(self):
        if self.processor is None or not self.processor.alive():
            self.processor = self.site.start_processor("--for", "300s", "--workers", "2")

    def kill(self, what):
        if what == "mariadbd":
            self.server.kill9()
            self.kills[what] += 1
            self.server.start()
            return
        pids = pids_of(self.site.receiver if what == "receiver" else self.site.program)
        if what == "receiver":
            pids = self.random.sample(pids, min(1, len(pids)))
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
                self.kills[what] += 1
            except ProcessLookupError:
                pass
        if what == "processor":
            self.processor.wait(10)

    def run(self, going_on):
        for what in itertools.chain.from_iterable(iter(self.round, None)):
            if not going_on():
                return
            self.keep_processor()
            time.sleep(1)
            self.kill(what)
            self.keep_processor()

    def round(self):
        """Each of the three once, in random order."""
        names = list(self.kills)
        self.random.shuffle(names)
        return names


def test_kill_9_of_receiver_processor_and_database_loses_and_doubles_nothing(site, own_mariadb):
    seed = int(os.environ.get("HOOKONCE_SEED", "0")) or random.randrange(1, 2**31)
    print("HOOKONCE_SEED =", seed)
    server = own_mariadb()
    s = site(("lighttpd", {"procs": 4}), database=server.create_database(),
             handlers={"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})", "timeout": "3s"}},
             routes={"all": {"provider": "stripe", "handler": "fx", "retry": "50 tries, 1s to 2s"}},
             settings={"processor": {"lease": "4s", "poll": "1s"}})
    ids = [f"evt_{n:05d}" for n in range(EVENTS)]
    order = ids + random.Random(seed).sample(ids, REPEATS)
    random.Random(seed).shuffle(order)
    deliveries = [Delivery("stripe", events.stripe(e, object_id="cs_" + e), [e]) for e in order]
    senders, killer = Senders(s, deliveries, SENDERS), Killer(s, server, seed)
    senders.start()
    end = time.monotonic() + LIMIT_S
    try:
        killer.run(lambda: senders.running() and time.monotonic() < end)
    finally:
        senders.stop = senders.running()
    assert not senders.stop, f"not all was acknowledged in {LIMIT_S} s: {senders.answers}, {killer.kills}"
    assert not senders.broken, senders.broken
    killer.keep_processor()
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_job WHERE state IN ('ready', 'running')") == 0,
               120, "every job has ended", 0.5)
    print("answers:", senders.answers, "kills:", killer.kills)

    assert min(killer.kills.values()) >= 1, killer.kills
    assert sorted(e for d in senders.acknowledged for e in d.events) == sorted(order)
    stored = [r["event_id"].decode() for r in s.sql("SELECT event_id FROM hookonce_receipt")]
    assert sorted(stored) == ids, "a 2xx without its receipt"
    assert sorted(s.effects()) == ids, "lost or doubled effects"
    assert s.value("SELECT COUNT(*) FROM hookonce_job") == EVENTS
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE state <> 'done'") == 0
    assert s.value("SELECT COUNT(*) FROM hookonce_receipt WHERE status <> 'processed'") == 0
    assert s.count("conflict") == 0
    assert s.count("body") == EVENTS
