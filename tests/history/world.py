"""Everything that histories run in: one database, three hosts with clocks apart, and what goes wrong.

Each host has a processor, two of them receivers; all are started again when they die. The time that a
lease, a retry or a wait would take is not waited for: it is said in the table that it is over.
"""

import contextlib
import hashlib
import hmac
import json
import os
import queue
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections import Counter, defaultdict

from hooktest import MariaDB, Site, fastcgi, grid, sign
from hooktest.paths import BUILD
from hooktest.proc import Proc, account
from hooktest.reply import replies
from sink import Sink
from tables import FX, Tables

SECRETS = {"stripe": "whsec_of-histories", "grid": "a secret of the grid", "github": "a secret of the hub",
           "ask": "a secret of those who ask", "askprogram": "another secret of those who ask"}
REPLY = {"ask": {"provider": "ask", "mode": "reply", "handler": "reply"},
         "askprogram": {"provider": "ask", "mode": "reply", "handler": "replycommand"}}
RECIPE = grid.RECIPE + """
[recipe ask]
title = Questions
sig = header:X-Grid-Signature
alg = hmac-sha256
enc = hex
signed = {body}
id = {json:/id}
type = {json:/type}
"""
SKEWS_S = (0, 3 * 3600, -40 * 60)
SENDERS = 6
QUIET_LIMIT_S, ANSWER_LIMIT_S = 180, 180
LOCK_WAIT_S = 3  # of a processor


class Receiver:
    """A receiver of a host behind a listening socket that outlives it."""

    def __init__(self, host):
        self.host, self.path, self.child = host, host.site.path("state/receiver.socket"), None
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        os.chmod(self.path, 0o777)
        self.listener.listen(64)

    def keep(self):
        """Starts it, if it does not run."""
        if self.child is None or self.child.poll() is not None:
            with open(self.host.site.path("receiver.log"), "ab") as log:
                self.child = subprocess.Popen(
                    [self.host.site.receiver], stdin=self.listener, stdout=log, stderr=log,
                    cwd=self.host.site.dir, env=self.host.environment(4), **account(self.host.site.user))

    def send(self, source, body, headers):
        """One request -> (its status, all of the answer); None if there was no answer."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(10)
        try:
            link.connect(self.path)
            link.sendall(fastcgi.begin() + fastcgi.params(fastcgi.variables(source, len(body), headers))
                         + fastcgi.stdin(body) + fastcgi.record(fastcgi.STDIN))
            return fastcgi.answer(link)
        except OSError:
            link.close()
            return None, b""

    def stop(self):
        """Ends it."""
        if self.child is not None and self.child.poll() is None:
            self.child.kill()
            self.child.wait(10)
        self.listener.close()


class Host:
    """One machine: a site, its clock, its processor and perhaps a receiver."""

    def __init__(self, world, number):
        self.world, self.number, self.skew = world, number, SKEWS_S[number]
        self.starts, self.processor, self.paused_until = 0, None, 0
        self.site = Site(os.path.join(world.place, f"h{number}"), world.database, **world.menu())
        if number == 0:
            self.site.migrate()
            world.database.sql("DROP TABLE fx")
            for statement in FX:
                world.database.sql(statement)
        else:
            with open(world.hosts[0].site.path("hookonce.key"), "rb") as f:
                self.site.write("hookonce.key", f.read())
        self.receiver = Receiver(self) if number < 2 else None

    def environment(self, rarer=1):
        """Of a program: its skewed clock, and its next chance of faults."""
        env = self.site.environment()
        preload = []
        if self.skew and self.world.skewed:
            skewed = self.site.environment(now=0)
            env.update(FAKETIME=f"{self.skew:+d}s", FAKETIME_DONT_FAKE_MONOTONIC="1")
            preload.append(skewed["LD_PRELOAD"])
        self.starts += 1
        if self.world.every:
            seed = int.from_bytes(hashlib.sha256(f"{self.world.seed} {self.number} {self.starts}".encode())
                                  .digest()[:4], "big")
            env["HOOKONCE_FAULTS"] = f"{seed} {self.world.every * rarer}"
        if self.world.broken:
            env["HOOKONCE_BREAK"] = self.world.broken
        if self.world.every or self.world.broken:
            preload.append(self.world.fault_library)
        if preload:
            env["LD_PRELOAD"] = ":".join(preload)
        return env

    def keep(self):
        """Starts what has died, and wakes what was stopped long enough."""
        if self.receiver:
            self.receiver.keep()
        if self.processor is None or not self.processor.alive():
            self.processor = Proc([self.site.program, "process", "--for", "60s"], self.site.path("processor.log"),
                                  env=self.environment(), user=self.site.user, cwd=self.site.dir)
            self.paused_until = 0
        elif self.paused_until and time.monotonic() > self.paused_until:
            self.processor.resume()
            self.paused_until = 0

    def wake(self):
        """As a receiver wakes it: time has gone by."""
        with contextlib.suppress(OSError):
            fifo = os.open(self.site.path("state/wake"), os.O_WRONLY | os.O_NONBLOCK)
            os.write(fifo, b"!")
            os.close(fifo)

    def pause(self, seconds):
        """The processor is not scheduled for a while: SIGSTOP."""
        self.processor.pause()
        self.paused_until = time.monotonic() + seconds

    def kill(self):
        """kill -9 of the processor."""
        self.processor.kill9()

    def stop(self):
        """Ends all of it."""
        if self.processor:
            self.processor.stop()
        if self.receiver:
            self.receiver.stop()
        self.site.close()


class World:
    """All of it. every: one database call in so many is a fault, 0: none; chaos: kills, pauses, lost leases."""

    def __init__(self, place, kinds, seed, every=150, chaos=True, broken=None, hosts=3, skewed=True):
        self.place, self.kinds, self.seed = place, kinds, seed
        self.every, self.chaos, self.broken, self.skewed = every, chaos, broken, skewed
        self.fault_library = os.path.join(BUILD, "test", "fault.so")
        self.chance = random.Random(seed)
        self.server = MariaDB(os.path.join(place, "db"), options=["--innodb-flush-log-at-trx-commit=2"]).start()
        self.database = self.server.create_database()
        self.sink, self.act = Sink(), os.path.join(place, "act")
        shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "act"), self.act)
        with open(self.act + ".log", "wb"):
            os.chmod(self.act + ".log", 0o666)
        self.hosts = []
        for number in range(hosts):
            self.hosts.append(Host(self, number))
        self.tables = Tables(self.database)
        menu = self.menu()
        self.pausable = [("everything", ""), *[("source", name) for name in menu["sources"]],
                         *[("handler", name) for name in menu["handlers"]],
                         *[("route", name) for name in menu["routes"]]]
        self.jobs_paused_until = 0
        self.answers, self.troubles, self.replies, self.acts = {}, {}, {}, {}
        self.rested = True  # whether the last batch came to rest

    def menu(self):
        """What a Site needs to know: sources, handlers and routes of all kinds."""
        handlers, routes = {}, {}
        for kind in self.kinds:
            handlers.update(kind.handlers(self))
            routes.update(kind.routes(self))
        used = {source for kind in self.kinds for source in kind.sources}
        return {"sources": {name: {"provider": name, "secret": secret, **REPLY.get(name, {})}
                            for name, secret in SECRETS.items() if name in used},
                "handlers": handlers, "routes": routes, "files": {"grid.conf": RECIPE},
                "settings": {"hookonce": {"recipes": "grid.conf"},
                             "processor": {"lease": "60s", "poll": "1s", "batch": "8"}}}

    # ---- deliveries ----------------------------------------------------------------------------------

    def render(self, history, prefix, delivery, host):
        """-> (source, body, headers) of a delivery as it is sent to this host."""
        events = [history["events"][n] for n in delivery["events"]]
        other, source = bool(delivery.get("other")), events[0]["source"]
        items = []
        for n, e in zip(delivery["events"], events):
            key = {} if e["key"] is None or e["object"].get("keyless") else {"key": f"{prefix}k{e['key']}"}
            thing = f"{prefix}o{n}" + ("-other" if other and source != "github" else "")
            items.append({"id": f"{prefix}e{n}", "type": e["type"], "created": e["created"], "livemode": e["live"],
                          "data": {"object": {"id": thing, **key, **e["object"]}}})
        now = int(time.time()) + (host.skew if self.skewed else 0)
        secret = SECRETS[source] + ("-forged" if delivery.get("forged") else "")
        if source in ("grid", *REPLY):
            body = json.dumps(items[0] if source in REPLY else {"sent": now, "events": items}).encode()
            mac = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
            return source, body, [("Content-Type", "application/json"), ("X-Grid-Signature", mac)]
        body = json.dumps(items[0]).encode()
        if source == "github":
            delivery_id = items[0]["id"] + ("x" if other else "")
            return source, body, sign.github(secret, body, event=items[0]["type"], delivery=delivery_id)
        return source, body, sign.stripe(secret, body, t=now)

    def send(self, history, prefix, delivery, chance):
        """Sends it like a provider: again until it is answered as it must be in the end."""
        wanted = 401 if delivery.get("forged") else 200
        event = prefix + f"e{delivery['events'][0]}"
        for e in (history["events"][n] for n in delivery["events"]):
            if e["key"] is not None:
                self.sink.changed(f"{prefix}k{e['key']}", e["object"].get("mark", 0))
        end = time.monotonic() + ANSWER_LIMIT_S
        while time.monotonic() < end:
            host = self.hosts[chance.randrange(2)]
            source, *message = self.render(history, prefix, delivery, host)
            status, answer = host.receiver.send(source, *message)
            self.answers[status] = self.answers.get(status, 0) + 1
            if status == wanted:
                if source in REPLY:
                    self.replies[event].append(answer.partition(b"\r\n\r\n")[2])
                return
            assert status in (None, 503) or (source in REPLY and status == 500), \
                f"{event} {delivery}: answered {status} {answer[:300]}"
            time.sleep(0.02)
        raise AssertionError(f"{event} {delivery}: not answered in {ANSWER_LIMIT_S} s")

    def sender(self, todo, failures):
        """A thread: sends what is in the queue."""
        while True:
            try:
                history, prefix, delivery, seed = todo.get_nowait()
            except queue.Empty:
                return
            try:
                self.send(history, prefix, delivery, random.Random(seed))
            except Exception as e:  # noqa: BLE001  # shown by the main thread
                failures.append(repr(e))

    # ---- a batch ---------------------------------------------------------------------------------------

    def run(self, histories):
        """Runs [(history, prefix)] at once; then `tables`, `acts` and `replies` are what came of it."""
        self.replies, self.rested = defaultdict(list), True
        for phase in range(max(len(h["phases"]) for h, _ in histories)):
            deliveries = [(h, prefix, d, self.chance.random()) for h, prefix in histories
                          if phase < len(h["phases"]) for d in h["phases"][phase]]
            self.chance.shuffle(deliveries)
            self.rested = self.rested and self.phase(deliveries)
        self.rested = self.rested and self.settle(last=True)
        self.tables.read()
        self.acts = {**self.sink.acts(), **self.runs()}

    def runs(self):
        """{(handler, event id): [run]} of the program `act`, from its log."""
        got = defaultdict(list)
        with open(self.act + ".log", encoding="utf-8") as f:
            for line in f:
                handler, event, key, attempt, word, acted, _ = line.split(" ")
                got[(handler, event)].append({"event": event, "key": key, "attempt": attempt, "word": word,
                                              "acted": acted == "acted"})
        return got

    def clear(self):
        """Forgets a batch."""
        self.tables.clear()
        self.sink.clear()
        os.truncate(self.act + ".log", 0)

    def phase(self, deliveries):
        """Sends them while things go wrong, and waits until all is at rest -> whether it came to that."""
        todo, failures = queue.Queue(), []
        for d in deliveries:
            todo.put(d)
        threads = [threading.Thread(target=self.sender, args=(todo, failures), daemon=True)
                   for _ in range(SENDERS)]
        for host in self.hosts:
            host.keep()
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.turn()
        assert not failures, failures[:3]
        return self.settle()

    def settle(self, last=False):
        """Waits until no job can go on. Those that wait for a need get one more look, or at last all.

        -> whether it came to rest. What does not is left as it is, for the judges.
        """
        end, looks = time.monotonic() + QUIET_LIMIT_S, 0
        while open_jobs := self.tables.open_jobs():
            open_jobs.pop(("ready", "release"), 0)
            if not open_jobs or (set(open_jobs) == {("ready", "need")} and looks and not last):
                break
            if set(open_jobs) == {("ready", "need")}:
                looks += 1
                self.tables.hasten(needs=True)
            asleep = set(open_jobs) == {("waiting", "lane")} and self.tables.asleep_for(3)
            if asleep or time.monotonic() > end:
                print(f"  {'nobody is in a lane' if asleep else 'not at rest'}: {open_jobs}", flush=True)
                return False
            self.turn()
        return True

    def turn(self):
        """A moment of it: what has died comes back, time goes by, and something may go wrong."""
        for host in self.hosts:
            host.keep()
        if self.tables.hasten():
            for host in self.hosts:
                host.wake()
        self.tables.expire_dead(self.workers())
        if self.jobs_paused_until and time.monotonic() > self.jobs_paused_until:
            self.tables.resume()
            self.jobs_paused_until = 0
        if self.chaos:
            self.trouble()
        time.sleep(0.02)

    def workers(self):
        """Pids of the processors that run."""
        return [host.processor.pid for host in self.hosts]

    def trouble(self):
        """Now and then: a kill, a worker that is not scheduled, a lease that ends under it, a pause by a person."""
        what = self.chance.choices(("none", "kill", "pause", "expire", "lane", "reply", "pause jobs"),
                                   (90, 2, 2, 2, 2, 2, 1))[0]
        self.troubles[what] = self.troubles.get(what, 0) + 1
        host = self.chance.choice(self.hosts)
        if what == "kill":
            host.kill()
        elif what == "pause" and not host.paused_until:
            host.pause(self.chance.uniform(0.05, 0.5) if self.chance.random() < 0.9 else LOCK_WAIT_S + 1)
        elif what == "expire":
            self.tables.expire_all()
        elif what == "lane":
            self.tables.expire_lanes()
        elif what == "pause jobs":
            self.tables.pause(*self.chance.choice(self.pausable[:1] * 3 + self.pausable))
            self.jobs_paused_until = time.monotonic() + self.chance.uniform(0.2, 2)
        elif what == "reply":
            for pid in set(replies(host.site)) - {host.processor.pid}:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def faults(self):
        """Counter of {"killed before COMMIT": how often} of all programs so far."""
        got = Counter()
        for host in self.hosts:
            for name in ("processor.log", "receiver.log"):
                if os.path.exists(host.site.path(name)):
                    with open(host.site.path(name), encoding="utf-8", errors="replace") as f:
                        got.update(" ".join(line.split()[2:]) for line in f if line.startswith("fault: "))
        return got

    def stop(self):
        """Ends all of it."""
        for host in self.hosts:
            host.stop()
        self.sink.stop()
        self.database.close()
        self.server.stop()
