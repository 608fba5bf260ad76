"""HTTP over plain sockets: proper requests through http.client, improper ones byte by byte."""

import http.client
import socket


class Answer:
    """What came back: status (int), headers (list of pairs), body (bytes)."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, list(headers), body

    def header(self, name):
        """The first value of a header, None if it is absent."""
        for key, value in self.headers:
            if key.lower() == name.lower():
                return value
        return None

    def __repr__(self):
        return f"<Answer {self.status} {self.body[:120]!r}>"


def request(port, method, path, body=None, headers=(), limit_s=30, content_length=True):
    """One request to 127.0.0.1:port. `headers`: pairs (repeats allowed) or a dict. Returns an Answer.

    The path goes out exactly as given. A body gets its Content-Length unless told otherwise.
    """
    pairs = list(headers.items() if hasattr(headers, "items") else headers)
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=limit_s)
    link._validate_path = lambda url: None  # bad paths are what some tests are about
    try:
        link.putrequest(method, path, skip_accept_encoding=True,
                        skip_host=any(k.lower() == "host" for k, _ in pairs))
        if body is not None and content_length and not any(k.lower() == "content-length" for k, _ in pairs):
            link.putheader("Content-Length", str(len(body)))
        for key, value in pairs:
            link.putheader(key, value)
        link.putheader("Connection", "close")
        try:
            link.endheaders(body)
        except (BrokenPipeError, ConnectionResetError):
            if link.sock is None:
                raise  # it was never connected
            # Else the server answered before it had read all of the body: its answer is still there.
        got = link.getresponse()
        return Answer(got.status, got.getheaders(), got.read())
    finally:
        link.close()


def raw(port, data, limit_s=40, half_close=False, read=True):
    """Sends bytes as they are to 127.0.0.1:port and returns all that comes back until the end.

    half_close: shut down our sending side after the data. read=False: close at once, return b"".
    """
    with socket.create_connection(("127.0.0.1", port), timeout=limit_s) as s:
        s.sendall(data)
        if not read:
            return b""
        if half_close:
            s.shutdown(socket.SHUT_WR)
        parts = []
        while True:
            try:
                part = s.recv(65536)
            except ConnectionResetError:
                break
            if not part:
                break
            parts.append(part)
        return b"".join(parts)


def status_of(reply):
    """The status code of raw reply bytes; None if they are no HTTP answer."""
    words = reply.split(b"\r\n", 1)[0].split(b" ")
    return int(words[1]) if len(words) >= 2 and words[1].isdigit() else None
