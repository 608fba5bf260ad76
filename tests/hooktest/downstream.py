"""Somebody else's server, which handlers post to and objects are fetched from: answers as told, and remembers."""

import collections
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .proc import wait_until

Request = collections.namedtuple("Request", "method path headers body at")
HANG_UP = object()  # an answer: the connection is closed without one


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _serve(self):
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body, time.time())
        with owner.lock:
            owner.requests.append(request)
            answer = owner.script.popleft() if owner.script else owner.answer
        if callable(answer):
            answer = answer(request)
        self.close_connection = True
        if answer is HANG_UP:
            return
        status, content, more = (*answer, {})[:3] if isinstance(answer, tuple) else (answer, b"", {})
        try:
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(content)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            pass  # who asked has had enough

    do_GET = do_POST = _serve  # noqa: N815

    def log_message(self, *_):
        """Says nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # five, the default, are soon too few, and who finds no room comes again after a second


class Downstream:
    """http://127.0.0.1:port/, in threads of this process; https://localhost:port/ with an ssl context.

    requests   all that came, as Request, in their order
    script     answers for the next requests, one each; behind the last `answer` counts
    An answer is a status, (status, content) or (status, content, {header: value}), HANG_UP, or a function
    of the request that returns one of these (and may take its time).
    """

    def __init__(self, answer=200, script=(), context=None):
        self.answer, self.script, self.requests = answer, collections.deque(script), []
        self.lock, self.gone = threading.Lock(), threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self.port, self.scheme = self._server.server_address[1], "http"
        if context:
            self.scheme = "https"
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True,
                                                      do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, path="/"):
        """The full URL of a path."""
        return f"{self.scheme}://{'localhost' if self.scheme == 'https' else '127.0.0.1'}:{self.port}{path}"

    def late(self, seconds, then=200):
        """An answer that comes after so long, or never when the server is stopped before."""
        return lambda _: HANG_UP if self.gone.wait(seconds) else then

    def wait(self, n=1, limit_s=15):
        """Waits until n requests have come -> the list."""
        wait_until(lambda: len(self.requests) >= n, limit_s, f"{n} requests")
        return self.requests

    def headers(self, name):
        """The values of one header over all requests."""
        return [r.headers.get(name.lower()) for r in self.requests]

    def stop(self):
        """Nobody listens any more."""
        self.gone.set()
        self._server.shutdown()
        self._server.server_close()
