"""kill -9 of everything, at random, under load: every 2xx has its receipt, every receipt one effect."""

import os
import random
import signal
import time

from hooktest import events
from hooktest.proc import pids_of, wait_until
from hooktest.senders import Delivery, Senders

KILLS, SENDERS = 12, 6  # of each of the three, at least
MORE = 20  # deliveries, twenty times a second
LIMIT_S = 240


class Killer:
    """Kills one of the parties every half second and brings back what nobody else brings back."""

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
            self.processor.wait(60)

    def run(self, meanwhile):
        """Until each was killed so often; meanwhile() is called again and again."""
        end = time.monotonic() + LIMIT_S
        while min(self.kills.values()) < KILLS:
            assert time.monotonic() < end, f"in {LIMIT_S} s only {self.kills}"
            for what in self.round():
                self.keep_processor()
                for _ in range(10):
                    meanwhile()
                    time.sleep(0.05)
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
    ids, order, chance = [], [], random.Random(seed)
    senders, killer = Senders(s, threads=SENDERS, more=True), Killer(s, server, seed)

    def feed():
        """Now and then an event that was there before."""
        for _ in range(MORE):
            if not ids or chance.random() < 5 / 6:
                ids.append(f"evt_{len(ids):06d}")
                order.append(ids[-1])
            else:
                order.append(chance.choice(ids))
            event = order[-1]
            senders.todo.put(Delivery("stripe", events.stripe(event, object_id="cs_" + event), [event]))

    senders.start()
    killer.run(feed)
    senders.more = False
    assert senders.join(LIMIT_S), f"not all was acknowledged: {senders.answers}, {killer.kills}"
    assert not senders.broken, senders.broken
    killer.keep_processor()
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_job WHERE state IN ('ready', 'running')") == 0,
               200, "every job has ended", 0.5)
    print("answers:", senders.answers, "kills:", killer.kills)

    assert sorted(e for d in senders.acknowledged for e in d.events) == sorted(order)
    stored = [r["event_id"].decode() for r in s.sql("SELECT event_id FROM hookonce_receipt")]
    assert sorted(stored) == ids, "a 2xx without its receipt"
    assert sorted(s.effects()) == ids, "lost or doubled effects"
    assert s.value("SELECT COUNT(*) FROM hookonce_job") == len(ids)
    assert s.value("SELECT COUNT(*) FROM hookonce_job WHERE state <> 'done'") == 0
    assert s.value("SELECT COUNT(*) FROM hookonce_receipt WHERE status <> 'processed'") == 0
    assert s.count("conflict") == 0
    assert s.count("body") == len(ids)
