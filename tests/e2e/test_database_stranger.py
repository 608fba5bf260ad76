"""Somebody else's program in the database's place, as other accounts of a host may put one there: it learns no password."""

import ctypes
import socket
import struct
import threading

import pytest

CLIENT = 0x1 | 0x2 | 0x4 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x80000 | 0x200000  # what a server of today can do


def library():
    """The client library's version, in its own numbers or the server's; a portable program has its own, which knows what is asked here."""
    try:
        lib = ctypes.CDLL("libmariadb.so.3")
    except OSError:
        return (99,)
    lib.mysql_get_client_info.restype = ctypes.c_char_p
    return tuple(int(n) for n in lib.mysql_get_client_info().decode().split("-")[0].split("."))


class Stranger:
    """Greets like MariaDB, and then wants the password said in a way of its own choice."""

    def __init__(self, way):
        self.way, self.heard = way, b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        """Until the listener is closed."""
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            with link:
                link.settimeout(10)
                try:
                    self.ask(link)
                except OSError:
                    pass

    def ask(self, link):
        """One client: everything it says is kept."""
        link.sendall(packet(0, b"\x0a5.5.5-10.11.6-MariaDB\0" + struct.pack("<I", 7) + b"A" * 8 + b"\0"
                            + struct.pack("<HBHH", CLIENT & 0xffff, 45, 2, CLIENT >> 16) + bytes([21]) + bytes(10)
                            + b"B" * 12 + b"\0mysql_native_password\0"))
        self.heard += link.recv(4096)
        link.sendall(packet(2, b"\xfe" + self.way + b"\0" + b"C" * 20 + b"\0"))
        for n in (4, 6):
            said = link.recv(4096)
            if not said:
                break
            self.heard += said
            link.sendall(packet(n, b"\x02Password: "))


def packet(number, body):
    """As the protocol has it."""
    return struct.pack("<I", len(body))[:3] + bytes([number]) + body


@pytest.mark.parametrize("way", [b"mysql_clear_password", b"dialog"])
def test_a_password_is_not_said_in_the_clear_to_who_asks_for_it(site, way):
    if library() < (3, 3) or (10,) <= library() < (10, 8):
        pytest.skip("this client library can't be told which ways are allowed")
    stranger = Stranger(way)
    s = site(sources={"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}, migrate=False)
    lines = [x for x in s.config_text().splitlines(True) if not x.startswith("socket")]
    s.configure("".join(lines).replace("[database]\n", f"[database]\nhost = 127.0.0.1\nport = {stranger.port}\n"))
    assert s.hookonce("migrate", "--status").returncode != 0
    stranger.listener.close()
    assert b"mysql_native_password" in stranger.heard
    assert s.db.password and s.db.password.encode() not in stranger.heard
