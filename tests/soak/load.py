"""The deliveries of a soak: seven providers, with repeats, forgeries and conflicts among them."""

import random
import socket
import threading
import time

from hooktest import events, grid
from hooktest.site import DEFAULT_SOURCES

SOURCES = {**DEFAULT_SOURCES, "grid": {"provider": "grid", "secret": "a secret of the grid"}}
REPEATS, FORGED, CONFLICTS = 0.10, 0.05, 0.01
WITH_CONFLICTS = ("stripe", "standard")  # whose ids are signed
BATCH = 3
BODY = 1500  # bytes, more or less
ANSWER_S, PAUSE_S = 5, 0.05


class Link:
    """A connection to the web server that is kept."""

    def __init__(self, port):
        self.port, self.socket, self.file = port, None, None

    def post(self, source, headers, body):
        """-> the status; None: no answer."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        head = f"POST /hookonce.fcgi/{source} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n{lines}\r\n"
        try:
            if self.socket is None:
                self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_S)
                self.file = self.socket.makefile("rb")
            self.socket.sendall(head.encode() + body)
            return self._answer()
        except (OSError, ValueError, IndexError):
            self.close()
            return None

    def _answer(self):
        status, length, close = int(self.file.readline().split()[1]), 0, False
        while (line := self.file.readline()) not in (b"\r\n", b""):
            name, _, value = line.lower().partition(b":")
            length = int(value) if name == b"content-length" else length
            close = close or (name == b"connection" and value.strip() == b"close")
        self.file.read(length)
        if close:
            self.close()
        return status

    def close(self):
        """The next request opens a new one."""
        if self.socket is not None:
            self.file.close()
            self.socket.close()
        self.socket = None


class Load:
    """`threads` senders until `seconds` are over or `most` deliveries are made; each until it is taken.

    taken   {source: how many events were answered 200 at least once}, numbered from 0
    planned {event id} that came with another meaning as well         wrong   answers that must not be
    wait    set it to hold back what is new
    """

    def __init__(self, site, seed, seconds, most, threads=8):
        self.site, self.chance, self.end, self.most = site, random.Random(seed), time.monotonic() + seconds, most
        self.lock, self.made, self.answers, self.wrong, self.stop, self.wait = threading.Lock(), 0, {}, [], False, False
        self.numbers = {source: 0 for source in SOURCES}
        self.taken, self.planned = {source: set() for source in SOURCES}, set()
        self.filler = "x" * BODY
        self.threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def running(self):
        """Whether something is still on its way."""
        return any(thread.is_alive() for thread in self.threads)

    # ---- what is sent ---------------------------------------------------------------------------------

    def next(self):
        """-> (source, number of the event or batch, what it is), or None at the end."""
        while self.wait and not self.stop and time.monotonic() < self.end:
            time.sleep(PAUSE_S)
        with self.lock:
            if self.stop or self.made >= self.most or time.monotonic() > self.end:
                return None
            self.made += 1
            what, source = self.chance.random(), self.chance.choice(list(SOURCES))
            if what < FORGED:
                return source, self.chance.randrange(10**9), "forged"
            if what < FORGED + CONFLICTS:
                source = self.chance.choice(WITH_CONFLICTS)
            known = self.numbers[source]
            if known and what < FORGED + CONFLICTS:
                return source, self.chance.randrange(known), "conflict"
            if known and what < FORGED + CONFLICTS + REPEATS:
                return source, self.chance.randrange(max(0, known - 2000), known), "repeat"
            self.numbers[source] += 1
            return source, known, "new"

    @staticmethod
    def ids(source, number):
        """Ids of the events of one delivery."""
        return [f"{source}-{number}-{n}" for n in range(BATCH)] if source == "grid" else [f"{source}-{number}"]

    def render(self, source, number, what):
        """-> (headers, body), signed now."""
        ids, more = self.ids(source, number), {}
        turn = "-other" if what == "conflict" else ""
        if source == "stripe":
            body = events.stripe(ids[0], object_id=f"cs_{number}{turn}", note=self.filler)
        elif source == "slack":
            body = events.slack(ids[0], note=self.filler)
        elif source == "grid":
            body = grid.batch(*ids)
        else:
            name = {"github": "delivery", "shopify": "webhook_id"}.get(source, "message_id")
            more = {name: ids[0]}
            make = {"github": lambda: events.github(after=ids[0], note=self.filler),
                    "shopify": lambda: events.shopify(number, note=self.filler)}
            body = make.get(source, lambda: events.standard(data={"id": f"in_{number}{turn}"}, note=self.filler))()
        secret = "d2hzZWNfb2Ytbm9ib2R5" if what == "forged" else None
        return self.site.signed(source, body, secret, **more), body

    def _run(self):
        link = Link(self.site.server.port)
        while (delivery := self.next()) is not None:
            source, number, what = delivery
            wanted = 401 if what == "forged" else 200
            if what == "conflict":
                with self.lock:
                    self.planned.add(self.ids(source, number)[0])
            while not self.stop:
                status = link.post(source, *self.render(source, number, what))
                with self.lock:
                    self.answers[status] = self.answers.get(status, 0) + 1
                    if status == wanted == 200:
                        self.taken[source].add(number)
                    elif status not in (wanted, None, 500, 503):
                        self.wrong.append(f"{source} {number} {what}: {status}")
                if status == wanted or status in (200, 401, 400, 413):
                    break
                time.sleep(PAUSE_S)
        link.close()
