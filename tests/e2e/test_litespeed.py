"""LiteSpeed's way of plain CGI: one connected socket is the program's input and its output, the words of
the query are its arguments, and what it writes to stderr goes to the server's log. A double plays the server."""

import socket
import subprocess
import threading

import pytest

from hooktest import Apache, events, sign, wait_until
from hooktest.proc import account
from hooktest.site import DEFAULT_SOURCES, parse_cgi

SOURCES = {name: DEFAULT_SOURCES[name] for name in ("stripe", "github")}
MB = 1024 * 1024


class Server:
    """Starts a site's receiver for each request as LiteSpeed's CGI daemon does."""

    def __init__(self, site):
        self.site, self.stderr = site, ""

    def request(self, path, body=b"", headers=(), method="POST", env=None, limit_s=60):
        """One request -> Answer. The server sends the body, ends its side, and reads to the end."""
        environment = self.site.cgi_environment(path, len(body), headers, method, env={
            "SERVER_SOFTWARE": "LiteSpeed", "LSWS_EDITION": "Openlitespeed 1.9.1", **(env or {})})
        query = path.partition("?")[2]
        words = [] if "=" in query or not query else query.split("+")
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with ours, open(self.site.path("state/stderr"), "w+b") as log:
            ours.settimeout(limit_s)
            child = subprocess.Popen([self.site.receiver, *words], stdin=its, stdout=its, stderr=log,
                                     cwd=self.site.dir, env=environment, **account(self.site.user))
            its.close()
            sender = threading.Thread(target=self._send, args=(ours, body))
            sender.start()
            answer = b"".join(iter(lambda: ours.recv(65536), b""))
            sender.join()
            assert child.wait(limit_s) == 0
            log.seek(0)
            self.stderr = log.read().decode("utf-8", "replace")
        return parse_cgi(answer)

    @staticmethod
    def _send(link, body):
        try:
            link.sendall(body)
            link.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it was answered before all of it was read

    def deliver(self, source, body, query="", **more):
        """Signs a body and sends it."""
        return self.request(f"/hook/{source}{query}", body, self.site.signed(source, body, **more))


@pytest.fixture(scope="module")
def litespeed(module_site):
    """A site under that server."""
    return Server(module_site(sources=SOURCES))


def test_a_genuine_event_is_taken_once_and_a_false_one_not(litespeed):
    body = events.stripe("evt_1")
    for _ in range(2):
        assert litespeed.deliver("stripe", body).status == 200
        assert litespeed.stderr == ""
    assert litespeed.deliver("stripe", body, secret="whsec_not_ours").status == 401
    wait_until(lambda: litespeed.site.value("SELECT SUM(duplicates) FROM hookonce_receipt") == 1, 10, "it is counted")
    assert litespeed.site.count("receipt") == 1


@pytest.mark.parametrize("query", ["?--config+/etc/passwd", "?--help", "?-", "?replay+all+--json"])
def test_the_words_of_the_query_are_no_arguments(litespeed, query):
    event_id = f"evt_query_{query}"
    assert litespeed.deliver("stripe", events.stripe(event_id), query).status == 200
    litespeed.site.import_spooled()
    assert litespeed.site.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = %s", event_id.encode()) == 1


@pytest.mark.parametrize("size", [200_000, 2 * MB, 25 * MB])
def test_a_large_body_comes_whole(litespeed, size):
    body = events.github(padding="x" * (size - len(events.github(padding=""))))
    assert litespeed.deliver("github", body, delivery=f"d-{size}").status == 200
    litespeed.site.import_spooled()
    stored = litespeed.site.sql("SELECT bytes FROM hookonce_body b JOIN hookonce_receipt r USING (correlation_id) "
                                "WHERE event_id = %s ORDER BY part", f"d-{size}".encode())
    assert b"".join(row["bytes"] for row in stored) == body


def test_what_is_refused_unread_is_answered_all_the_same(litespeed):
    before = litespeed.site.written()
    body = b"x" * (26 * MB)
    assert litespeed.request("/hook/github", body, sign.github("x", body)).status == 413
    assert litespeed.request("/hook/nobody", body[:3 * MB]).status == 404
    assert litespeed.request("/hook/github", body[:300_000]).status == 401
    assert litespeed.site.written() == before


@pytest.mark.parametrize("path, method, status", [
    ("/hook/stripe", "HEAD", 200), ("/hook/stripe", "GET", 200), ("/hook/stripe", "PUT", 405),
    ("/hook/nobody", "GET", 404)])
def test_methods_and_head(litespeed, path, method, status):
    answer = litespeed.request(path, method=method)
    assert answer.status == status
    assert method != "HEAD" or answer.body == b""


def test_without_a_config_it_says_so_where_the_server_logs_it(litespeed):
    answer = litespeed.request("/hook/stripe", env={"HOOKONCE_CONFIG": "/nonexistent/hookonce.conf"})
    assert answer.status == 503
    assert "/nonexistent/hookonce.conf" in litespeed.stderr


def test_the_file_for_it_is_understood_by_apache_too(site):
    s = site(sources=SOURCES)
    s.server = Apache(s, "htaccess-litespeed")
    s.server.start()
    body = events.stripe("evt_1")
    assert s.server.request("POST", "/hook/stripe", body, s.signed("stripe", body)).status == 200
    for name in ("hookonce.conf", "db.password", "stripe.secret0"):
        s.write("www/hook/" + name, "a secret", mode=0o644)
        assert s.server.request("GET", "/hook/" + name).status in (403, 404), name
    assert s.server.request("GET", "/hook/.htaccess").status in (403, 404)
