"""A stand-in for MySQL 8's log-in, before a real MariaDB: it asks clients as MySQL does, by caching_sha2_password
(or by whatever plugin a test names), and relays all that comes after the log-in.

It knows one account. The protocol is that of MySQL's manual: a client proves the password by a scramble, which is
enough where the server has it in its cache (fast); else it sends the password itself, under TLS, or encrypted with
the server's RSA key (full).
"""

import hashlib
import socket
import ssl
import struct
import threading

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

SSL, CONNECT_WITH_DB, COMPRESS = 1 << 11, 1 << 3, 1 << 5
PLUGIN_AUTH, CONNECT_ATTRS, LENENC_AUTH = 1 << 19, 1 << 20, 1 << 21
NONCE = b"ABCDEFGHIJ0123456789"
SHA2, NATIVE = b"caching_sha2_password", b"mysql_native_password"


def _read(link, n):
    got = b""
    while len(got) < n:
        part = link.recv(n - len(got))
        if not part:
            raise ConnectionError("closed")
        got += part
    return got


def _packet(link):
    """-> (sequence number, payload)."""
    head = _read(link, 4)
    return head[3], _read(link, int.from_bytes(head[:3], "little"))


def _send(link, number, payload):
    link.sendall(len(payload).to_bytes(3, "little") + bytes([number & 255]) + payload)


def _xor(a, b):
    return bytes(x ^ b[i % len(b)] for i, x in enumerate(a))


def sha2_scramble(password, nonce):
    """What a client sends that knows the password."""
    once = hashlib.sha256(password).digest()
    return _xor(once, hashlib.sha256(hashlib.sha256(once).digest() + nonce).digest())


def _native_scramble(password, nonce):
    once = hashlib.sha1(password).digest()
    return _xor(once, hashlib.sha1(nonce + hashlib.sha1(once).digest()).digest())


class _Greeting:
    """The first packet of a server."""

    def __init__(self, payload):
        end = payload.index(b"\0", 1)
        at = end + 1
        self.version, self.thread = payload[1:end], payload[at:at + 4]
        first, at = payload[at + 4:at + 12], at + 13
        low, self.charset, self.status, high, room = struct.unpack_from("<HBHHB", payload, at)
        self.capabilities = low | high << 16
        self.filler = payload[at + 8:at + 18]
        self.nonce = first + payload[at + 18:at + 18 + max(12, room - 9)][:12]

    def packed(self, capabilities, nonce, plugin):
        """Another's, with these."""
        return (b"\x0a" + self.version + b"\0" + self.thread + nonce[:8] + b"\0"
                + struct.pack("<HBHHB", capabilities & 0xffff, self.charset, self.status, capabilities >> 16, 21)
                + self.filler + nonce[8:] + b"\0" + plugin + b"\0")


class _Response:
    """What a client answers to that."""

    def __init__(self, payload):
        self.capabilities, = struct.unpack_from("<I", payload)
        self.head = payload[4:32]  # packet size, character set, filler
        end = payload.index(b"\0", 32)
        self.user, at = payload[32:end], end + 1
        n = payload[at]
        self.proof, at = payload[at + 1:at + 1 + n], at + 1 + n
        self.database = b""
        if self.capabilities & CONNECT_WITH_DB:
            end = payload.index(b"\0", at)
            self.database, at = payload[at:end], end + 1
        self.plugin = payload[at:].split(b"\0")[0] if self.capabilities & PLUGIN_AUTH else NATIVE

    def packed(self, user, proof):
        """The same for the server behind, which asks for a native password."""
        wants = self.capabilities & ~(SSL | CONNECT_ATTRS | LENENC_AUTH | COMPRESS) | PLUGIN_AUTH
        return (struct.pack("<I", wants) + self.head + user + b"\0" + bytes([len(proof)]) + proof
                + (self.database + b"\0" if wants & CONNECT_WITH_DB else b"") + NATIVE + b"\0")


class MySQL8:
    """Listens on `port` of 127.0.0.1 until stop().

    upstream           the MariaDB behind               user, password   the account's, the same there
    cached             whether the scramble is enough    certificate      (certificate, key): TLS is offered
    plugin             which way to log in is asked for; of others than caching_sha2_password nothing is answered
    seen               list of what logins came to: "fast", "tls", "rsa", "denied"
    """

    def __init__(self, upstream, user, password, cached=False, certificate=None, plugin=SHA2):
        self.upstream, self.user, self.password = upstream, user.encode(), password.encode()
        self.cached, self.plugin, self.seen = cached, plugin, []
        self.tls = None
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(*certificate)
        self.key = rsa.generate_private_key(65537, 2048)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        """No further log-ins."""
        self.listening.close()

    def _accept(self):
        while True:
            try:
                link, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(link,), daemon=True).start()

    def _serve(self, link):
        behind = socket.socket(socket.AF_UNIX)
        try:
            behind.connect(self.upstream.socket)
            greeting = _Greeting(_packet(behind)[1])
            link, number, response = self._greet(link, greeting)
            number = self._log_in(link, number, response)
            if number:
                proof = _native_scramble(self.password, greeting.nonce)
                _send(behind, 1, response.packed(self.user, proof))
                _send(link, number, _packet(behind)[1])
                self._relay(link, behind)
        except (OSError, ValueError, IndexError):
            pass
        finally:
            behind.close()
            link.close()

    def _greet(self, link, greeting):
        offered = greeting.capabilities & ~(SSL | COMPRESS) | PLUGIN_AUTH | (SSL if self.tls else 0)
        _send(link, 0, greeting.packed(offered, NONCE, self.plugin))
        number, payload = _packet(link)
        if len(payload) == 32:  # asks for TLS
            link = self.tls.wrap_socket(link, server_side=True)
            number, payload = _packet(link)
        return link, number, _Response(payload)

    def _log_in(self, link, number, response):
        """-> the number of the packet that says OK, 0: denied."""
        proof = response.proof
        if response.plugin != self.plugin or not proof:
            _send(link, number + 1, b"\xfe" + self.plugin + b"\0" + NONCE + b"\0")
            number, proof = _packet(link)
        good = response.user == self.user
        if self.plugin != SHA2:
            good = False
        elif self.cached:
            good = good and proof == sha2_scramble(self.password, NONCE)
            if good:
                self.seen.append("fast")
                _send(link, number + 1, b"\x01\x03")
                return number + 2
        else:
            _send(link, number + 1, b"\x01\x04")
            number, proof = _packet(link)
            way = "tls"
            if isinstance(link, ssl.SSLSocket):
                good = good and proof == self.password + b"\0"
            else:
                way, number, proof = "rsa", *self._by_key(link, number, proof)
                good = good and proof == self.password + b"\0"
            if good:
                self.seen.append(way)
                return number + 1
        self.seen.append("denied")
        _send(link, number + 1, b"\xff\x15\x04#28000Access denied for user '" + response.user + b"'")
        return 0

    def _by_key(self, link, number, asked):
        assert asked == b"\x02", asked
        pem = self.key.public_key().public_bytes(serialization.Encoding.PEM,
                                                 serialization.PublicFormat.SubjectPublicKeyInfo)
        _send(link, number + 1, b"\x01" + pem)
        number, sealed = _packet(link)
        plain = self.key.decrypt(sealed, padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None))
        return number, _xor(plain, NONCE)

    def _relay(self, link, behind):
        """Until either side ends. A TLS link is read by one thread and written by the other."""
        def forth():
            try:
                while data := link.recv(65536):
                    behind.sendall(data)
            except OSError:
                pass
            finally:
                try:
                    behind.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        threading.Thread(target=forth, daemon=True).start()
        while data := behind.recv(65536):
            link.sendall(data)
