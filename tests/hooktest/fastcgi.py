"""FastCGI by hand: what no proper web server would send, sent to a receiver on a socket of its own."""

import os
import socket
import struct
import subprocess

from .proc import account

BEGIN, ABORT, END, PARAMS, STDIN, STDOUT, STDERR = 1, 2, 3, 4, 5, 6, 7


def record(kind, content=b"", request_id=1):
    """One FastCGI record."""
    return struct.pack(">BBHHBB", 1, kind, request_id, len(content), 0, 0) + content


def begin():
    """The record that begins a request (role responder, connection closed after it)."""
    return record(BEGIN, struct.pack(">HB5x", 1, 0))


def params(pairs):
    """The variables of a request, in as many records as it takes, ended by the empty one."""
    data = b""
    for name, value in pairs.items():
        name, value = name.encode(), value.encode()
        for size in (len(name), len(value)):
            data += struct.pack(">B", size) if size < 128 else struct.pack(">I", size | 0x80000000)
        data += name + value
    return b"".join(record(PARAMS, data[i:i + 32768]) for i in range(0, len(data), 32768)) + record(PARAMS)


def stdin(body):
    """A body in records, without the empty one that ends it."""
    return b"".join(record(STDIN, body[i:i + 32768]) for i in range(0, len(body), 32768))


def variables(source, length, headers=()):
    """What a web server tells about a POST to a source."""
    got = {"GATEWAY_INTERFACE": "CGI/1.1", "SERVER_PROTOCOL": "HTTP/1.1", "REQUEST_METHOD": "POST",
           "REQUEST_URI": f"/hookonce.fcgi/{source}", "SCRIPT_NAME": "/hookonce.fcgi",
           "PATH_INFO": f"/{source}", "QUERY_STRING": "", "CONTENT_LENGTH": str(length)}
    for name, value in headers:
        key = name.upper().replace("-", "_")
        got[key if key == "CONTENT_TYPE" else "HTTP_" + key] = value
    return got


class Receiver:
    """One receiver of a site, started as a web server starts it: the listening socket is its fd 0."""

    def __init__(self, site):
        self.path = site.path("state/by-hand.socket")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self.path)
        os.chmod(self.path, 0o777)
        listener.listen(16)
        self.child = subprocess.Popen([site.receiver], stdin=listener, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, cwd=site.dir, env=site.environment(),
                                      **account(site.user))
        listener.close()

    def connect(self, limit_s=40):
        """A new connection to it."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(limit_s)
        link.connect(self.path)
        return link

    def stop(self):
        """SIGTERM, and SIGKILL if that is not enough."""
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait(10)
        os.unlink(self.path)


def answer(link):
    """Reads records to the end of the connection and closes it -> (status or None, all of stdout)."""
    data = b""
    while True:
        try:
            part = link.recv(65536)
        except ConnectionResetError:
            part = b""
        if not part:
            break
        data += part
    link.close()  # libfcgi waits for it
    out = b""
    while len(data) >= 8:
        _, kind, _, size, padding, _ = struct.unpack(">BBHHBB", data[:8])
        if kind == STDOUT:
            out += data[8:8 + size]
        data = data[8 + size + padding:]
    status = None
    if out:
        status = 200
        for line in out.split(b"\r\n\r\n")[0].split(b"\r\n"):
            if line.lower().startswith(b"status:"):
                status = int(line.split()[1])
    return status, out
