"""An HTTP proxy before a web server, as a firewall, a CDN or a careless host is one: it alters what it is told to."""

import socket
import socketserver
import threading

from .proc import free_port
from .wire import Answer


class Request:
    """What a client sent: method, target, headers (list of pairs, as they came), body, chunked (bool)."""

    def __init__(self, method, target, headers, body, chunked):
        self.method, self.target, self.headers, self.body, self.chunked = method, target, headers, body, chunked

    def drop(self, name):
        """Takes all headers of that name away."""
        self.headers = [(k, v) for k, v in self.headers if k.lower() != name.lower()]


class Middle:
    """Listens on host:port and passes everything on to 127.0.0.1:`target`, one request a connection.

    on_request(request) -> None, or an Answer that is given in place of the server's; may alter the request
    on_answer(request, answer): may alter the answer
    Both are exchanged by set(). `count` is how many requests came. context: TLS.
    """

    def __init__(self, target, host="127.0.0.1", port=None, context=None):
        self.target, self.host, self.port, self.context = target, host, port or free_port(), context
        self.count = 0
        self.set()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        kind = type("Server", (socketserver.ThreadingTCPServer,), {
            "address_family": family, "allow_reuse_address": True, "daemon_threads": True, "request_queue_size": 64})
        self._server = kind((host, self.port), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def set(self, on_request=None, on_answer=None):
        """From now on alters so; nothing at all without arguments."""
        self.on_request, self.on_answer = on_request or (lambda r: None), on_answer or (lambda r, a: None)

    def url(self, path=""):
        """http://host:port + path."""
        return f"http://{self.host}:{self.port}{path}"

    def close(self):
        """Ends the listener."""
        self._server.shutdown()
        self._server.server_close()

    def _handler(self):
        owner = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                link = self.request
                try:
                    link = owner.context.wrap_socket(link, server_side=True) if owner.context else link
                    owner.serve(link)
                    link.close()
                except OSError:
                    pass  # the client went away, or does not trust us

        return Handler

    def serve(self, link):
        """One request and its answer."""
        request = _read(link.makefile("rb"))
        if request is None:
            return
        self.count += 1
        answer = self.on_request(request) or _pass_on(self.target, request)
        self.on_answer(request, answer)
        head = [f"HTTP/1.1 {answer.status} Told", *(f"{k}: {v}" for k, v in answer.headers
                if k.lower() not in ("content-length", "transfer-encoding", "connection")),
                f"Content-Length: {len(answer.body)}", "Connection: close"]
        link.sendall("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + answer.body)


def _read(stream):
    line = stream.readline().decode("latin-1").split()
    if len(line) != 3:
        return None
    headers = []
    while (text := stream.readline().decode("latin-1").rstrip("\r\n")):
        name, _, value = text.partition(":")
        headers.append((name, value.strip()))
    by_name = {k.lower(): v for k, v in headers}
    chunked = "chunked" in by_name.get("transfer-encoding", "")
    body = stream.read(int(by_name.get("content-length", 0)))
    while chunked and (size := int(stream.readline(), 16)):
        body += stream.read(size)
        stream.readline()
    return Request(line[0], line[1], headers, body, chunked)


def _pass_on(port, request):
    skip = ("content-length", "transfer-encoding", "connection", "host")
    head = [f"{request.method} {request.target} HTTP/1.1", f"Host: localhost:{port}",
            *(f"{k}: {v}" for k, v in request.headers if k.lower() not in skip), "Connection: close"]
    if request.method == "POST":
        head.append(f"Content-Length: {len(request.body)}")
    with socket.create_connection(("127.0.0.1", port), timeout=60) as server:
        try:
            server.sendall("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + request.body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it answered before it had read all: the answer is there
        return _answer(server.makefile("rb"))


def _answer(stream):
    status = int(stream.readline().split()[1])
    headers = []
    while (text := stream.readline().decode("latin-1").rstrip("\r\n")):
        name, _, value = text.partition(":")
        headers.append((name, value.strip()))
    by_name = {k.lower(): v for k, v in headers}
    if "chunked" in by_name.get("transfer-encoding", ""):
        body = b""
        while (size := int(stream.readline(), 16)):
            body += stream.read(size)
            stream.readline()
    else:
        body = stream.read(int(by_name["content-length"])) if "content-length" in by_name else stream.read()
    return Answer(status, headers, body)
