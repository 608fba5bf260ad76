"""A small HTTPS server with a certificate of its own authority, that hands out public keys."""

import base64
import datetime
import http.server
import os
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.x509.oid import NameOID

from .proc import free_port


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(subject, key, issuer, issuer_key, is_authority):
    now = datetime.datetime.utcnow()
    made = (x509.CertificateBuilder().subject_name(_name(subject)).issuer_name(_name(issuer))
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=2)).not_valid_after(now + datetime.timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True))
    if not is_authority:
        made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    return made.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        owner = self.server.owner
        owner.requests.append(self.path)
        answer = owner.pages.get(self.path, (404, b""))
        status, content, headers = (*answer, {}) if len(answer) == 2 else answer
        owner.pause.wait(owner.delay_s)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            pass  # who asked has had enough

    def log_message(self, *_):
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class KeyServer:
    """https://localhost:port/. pages: {path: (status, content) or (status, content, headers)}.

    `ca` is the file with its authority's certificate, `requests` the paths that were asked for;
    delay_s makes every answer late. `context` serves other servers on localhost as well.
    """

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o755)
        self.port, self.pages, self.requests = free_port(), {}, []
        self.delay_s, self.pause = 0, threading.Event()
        self.ca, chain = os.path.join(folder, "ca.pem"), os.path.join(folder, "server.pem")
        authority, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        with open(self.ca, "wb") as f:
            f.write(_certificate("Test Authority", authority, "Test Authority", authority, True))
        os.chmod(self.ca, 0o644)
        with open(chain, "wb") as f:
            f.write(_certificate("localhost", own, "Test Authority", authority, False))
            f.write(own.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                      serialization.NoEncryption()))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(chain)
        self._server = None

    def url(self, path):
        """The full URL of a path."""
        return f"https://localhost:{self.port}{path}"

    def start(self):
        """Listens, in threads of this process; returns self."""
        self._server = _Server(("127.0.0.1", self.port), _Handler)
        self._server.owner = self
        self._server.socket = self.context.wrap_socket(self._server.socket, server_side=True,
                                                        do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self):
        """Nobody listens any more."""
        self.pause.set()
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


# ---- keys ----

def b64url(data):
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _number(n):
    return b64url(n.to_bytes((n.bit_length() + 7) // 8, "big"))


def pem(key):
    """The public half of a private key as PEM."""
    return key.public_key().public_bytes(serialization.Encoding.PEM,
                                         serialization.PublicFormat.SubjectPublicKeyInfo)


def jwk(key, kid):
    """The public half of an RSA or Ed25519 key as a JWK."""
    public = key.public_key()
    if hasattr(public, "public_numbers"):
        numbers = public.public_numbers()
        return {"kty": "RSA", "use": "sig", "kid": kid, "n": _number(numbers.n), "e": _number(numbers.e)}
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return {"kty": "OKP", "crv": "Ed25519", "use": "sig", "kid": kid, "x": b64url(raw)}


def sign(key, data):
    """A signature: RSA PKCS#1 v1.5 with SHA-256, or Ed25519."""
    if hasattr(key, "private_numbers"):
        return key.sign(data, padding.PKCS1v15(), hashes.SHA256())
    return key.sign(data)
