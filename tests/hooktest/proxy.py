"""A stand-in for the database's socket that passes everything on and breaks links when told to."""

import os
import socket
import threading


class DatabaseProxy:
    """Listens on the unix socket `path` and forwards to `target`.

    cut = None             pass everything on
    cut = "before commit"  drop the link instead of passing a COMMIT on
    cut = "after commit"   pass the COMMIT on, wait for the server's answer, and drop the link
    cut = "hole before commit", "hole after commit"   the same, but the link stays open and silent
    cut = "host lost"      drop the client's side instead of passing a COMMIT on, and never tell the server
    `refuse`: drop new links at once. `cuts` counts the links that were dropped at a COMMIT.
    `cut` goes back to None with the first cut; with refuse_after_cut=True the proxy then refuses.
    """

    def __init__(self, path, target):
        self.path, self.target = path, target
        self.cut, self.refuse, self.refuse_after_cut, self.cuts = None, False, False, 0
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        os.chmod(path, 0o777)
        self._listener.listen(64)
        self._open = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        """Ends the listener and all links."""
        self._listener.close()
        os.unlink(self.path)
        self.drop_links()

    def drop_links(self):
        """Drops all links that are open now."""
        for s in self._open:
            _shut(s)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.refuse:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                server.connect(self.target)
            except OSError:
                client.close()
                continue
            self._open += [client, server]
            link = _Link(self, client, server)
            threading.Thread(target=link.upwards, daemon=True).start()
            threading.Thread(target=link.downwards, daemon=True).start()


class _Link:
    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.swallow = self.silent = False

    def upwards(self):
        """Client to server. A COMMIT is small and sent alone, so it is found in one piece."""
        while True:
            data = _receive(self.client)
            cut = self.proxy.cut if b"COMMIT" in data[:64] else None
            if cut:
                self.proxy.cut = None
                self.proxy.cuts += 1
                self.proxy.refuse = self.proxy.refuse_after_cut
                self.silent = cut.startswith("hole")
                self.swallow = True
            if cut == "host lost":
                _shut(self.client)
                return  # the server's side stays as it is
            if not data or cut == "before commit":
                break
            if self.silent and cut != "hole after commit":
                continue
            try:
                self.server.sendall(data)
            except OSError:
                break
        _shut(self.server)
        _shut(self.client)

    def downwards(self):
        """Server to client."""
        while True:
            data = _receive(self.server)
            if self.silent and data:
                continue
            if not data or self.swallow:
                break
            try:
                self.client.sendall(data)
            except OSError:
                break
        _shut(self.client)
        _shut(self.server)


def _receive(s):
    try:
        return s.recv(262144)
    except OSError:
        return b""


def _shut(s):
    try:
        s.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
