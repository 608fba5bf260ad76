"""Providers at work: threads that deliver, and send again what was not answered 2xx."""

import collections
import http.client
import queue
import threading
import time

# source; body; the ids of its events; whether it is sent until it is answered 2xx, or only once;
# arguments of the signature (see sign.py).
Delivery = collections.namedtuple("Delivery", "source body events again more", defaults=(True, {}))
NO_ANSWER = "no answer"


class Senders:
    """`threads` senders for one site. Each thread signs anew whenever it sends, as providers do.

    acknowledged   deliveries that were answered 2xx, in that order     given_up   those that were not
    answers        {status: how many}                                   by_source  {(source, status): how many}
    broken         what ended a thread that should not have
    more           whether who finds nothing to send waits for what is put into `todo`
    """

    def __init__(self, site, deliveries=(), threads=6, limit_s=15, pause_s=0.05, more=False):
        self.site, self.limit_s, self.pause_s, self.more = site, limit_s, pause_s, more
        self.todo, self.lock = queue.Queue(), threading.Lock()
        self.acknowledged, self.given_up, self.broken, self.stop = [], [], [], False
        self.answers, self.by_source = collections.Counter(), collections.Counter()
        for delivery in deliveries:
            self.todo.put(delivery)
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]

    def start(self):
        """Begins with the deliveries that were given; returns self."""
        for thread in self.threads:
            thread.start()
        return self

    def running(self):
        """Whether one of them still has something to send."""
        return any(thread.is_alive() for thread in self.threads)

    def join(self, limit_s):
        """Waits until all is sent -> whether it is; what is not is not sent any more."""
        end = time.monotonic() + limit_s
        for thread in self.threads:
            thread.join(max(0.0, end - time.monotonic()))
        self.stop = self.running()
        return not self.stop

    def send(self, delivery):
        """Sends it once -> the status, or NO_ANSWER."""
        headers = self.site.signed(delivery.source, delivery.body, **delivery.more)
        try:
            return self.site.post(delivery.source, delivery.body, headers, limit_s=self.limit_s).status
        except (OSError, http.client.HTTPException):
            return NO_ANSWER

    def _work(self):
        try:
            self._run()
        except Exception as e:  # noqa: BLE001  # for the main thread
            self.broken.append(repr(e))

    def _run(self):
        while not self.stop:
            try:
                delivery = self.todo.get_nowait()
            except queue.Empty:
                if not self.more:
                    return
                time.sleep(self.pause_s)
                continue
            status = self._note(delivery, self.send(delivery))
            while status != 200 and delivery.again and not self.stop:
                time.sleep(self.pause_s)
                status = self._note(delivery, self.send(delivery))

    def _note(self, delivery, status):
        with self.lock:
            self.answers[status] += 1
            self.by_source[delivery.source, status] += 1
            if status == 200:
                self.acknowledged.append(delivery)
            elif not delivery.again:
                self.given_up.append(delivery)
        return status
