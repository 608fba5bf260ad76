"""The other side of HTTP handlers: remembers every request, and does what its script says.

The script stands in the event, words with commas between, one a request: `ok`, `fail` (500, nothing
done), `mute` (it acts, and hangs up), `busy` (503), `refuse` (410), `slow`. Behind the last word: ok.
It also has the objects that `fetch` asks for: the newest version that an event was sent about.
"""

import json
import random
import threading
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ACTS = ("ok", "mute", "slow")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # noqa: N802
        sink = self.server.sink
        with sink.lock:
            version = sink.versions.get(self.path.rpartition("/")[2])
            busy = sink.chance.random() < 0.1
        body = json.dumps({"version": version}).encode()
        self.send_response(503 if busy else 200)
        if busy:
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):  # noqa: N802
        began = time.time()
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        route, event = self.path.strip("/"), self.headers["X-Hookonce-Id"]
        sink = self.server.sink
        with sink.lock:
            past = sink.requests[(route, event)]
            script = [w for w in body["data"]["object"].get("script", "").split(",") if w]
            word = script[len(past)] if len(past) < len(script) else "ok"
            mine = {"event": event, "key": self.headers["Idempotency-Key"], "word": word, "began": began,
                    "attempt": int(self.headers["X-Hookonce-Attempt"]), "acted": word in ACTS,
                    "mark": body["data"]["object"].get("mark"), "n": next(sink.numbers)}
            past.append(mine)
        if word == "slow":
            time.sleep(0.05)
        mine["ended"] = time.time()
        if word == "mute":
            self.close_connection = True
            return
        self.send_response({"fail": 500, "busy": 503, "refuse": 410}.get(word, 200))
        if word == "busy":
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that was killed is nothing to speak of."""


class Sink:
    """A server on a port of its own."""

    def __init__(self):
        self.lock, self.requests = threading.Lock(), defaultdict(list)
        self.numbers, self.versions, self.chance = iter(range(1 << 60)), {}, random.Random(1)
        self.server = _Server(("127.0.0.1", 0), _Handler)
        self.server.sink = self
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def acts(self):
        """{(route, event id): [request]} so far."""
        with self.lock:
            return {key: list(rows) for key, rows in self.requests.items()}

    def changed(self, key, version):
        """An event is about to tell of this version of an object."""
        with self.lock:
            self.versions[key] = max(version, self.versions.get(key, 0))

    def clear(self):
        """Forgets them."""
        with self.lock:
            self.requests.clear()

    def stop(self):
        """Ends it."""
        self.server.shutdown()
        self.server.server_close()
