"""Methods, paths, bodies that do not come, header names, and requests that nobody meant well."""

import socket
import subprocess
import threading
import time

import pytest

from hooktest import events, fastcgi, sign, wait_until
from hooktest.proc import account
from hooktest.site import parse_cgi
from hooktest.wire import status_of

SECRET = "github test secret"
CAP = 64 * 1024
RECIPES = f"""
[recipe small]
like = github
cap = {CAP // 1024}k

[recipe polite]
like = github
ok = 202 application/json {{"ok":true}}
bad = 403 text/plain no
busy = 429
"""
SITE = {
    "files": {"own.conf": RECIPES},
    "settings": {"hookonce": {"recipes": "own.conf"}}, "routes": {},
    "sources": {"github": {"provider": "github", "secret": SECRET},
                "small": {"provider": "small", "secret": SECRET},
                "polite": {"provider": "polite", "secret": SECRET}},
}


@pytest.fixture(scope="module")
def served(module_site):
    """A site behind lighttpd with a single receiver, so that whatever blocks it shows."""
    return module_site(server=("lighttpd", {"procs": 1}), **SITE)


@pytest.fixture(scope="module")
def by_apache(module_site):
    """The same behind Apache with mod_fcgid."""
    return module_site(server="apache-fcgid", **SITE)


class Stalled:
    """Two requests whose bodies stop coming: to a FastCGI receiver by hand and to a plain CGI one."""

    def __init__(self, site):
        self.site, self.results = site, {}
        self.receiver = fastcgi.Receiver(site)
        self.start = time.monotonic()
        link = self.receiver.connect(30)
        headers = sign.github(SECRET, b"x" * 100)
        link.sendall(fastcgi.begin() + fastcgi.params(fastcgi.variables("github", 100, headers))
                     + fastcgi.stdin(b"x" * 60))
        env = site.cgi_environment("github", 100, headers)
        self.cgi = subprocess.Popen([site.receiver], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, cwd=site.dir, env=env, **account(site.user))
        self.cgi.stdin.write(b"x" * 60)
        self.cgi.stdin.flush()
        self.threads = [threading.Thread(target=self._note, args=("fastcgi", lambda: fastcgi.answer(link)[0])),
                        threading.Thread(target=self._note, args=("cgi", self._cgi_status))]
        for t in self.threads:
            t.start()

    def _note(self, name, wait):
        self.results[name] = (wait(), time.monotonic() - self.start)

    def _cgi_status(self):
        return parse_cgi(self.cgi.stdout.read()).status

    def end(self):
        self.receiver.stop()
        self.cgi.kill()
        self.cgi.wait()


@pytest.fixture(scope="module", autouse=True)
def stalled(module_site):
    """Started before all other tests of this module and looked at by its last one, to save the wait."""
    got = Stalled(module_site(**SITE))
    yield got
    got.end()


@pytest.fixture(scope="module")
def by_hand(module_site):
    """A site with one receiver that is spoken to without a web server."""
    s = module_site(**SITE)
    s.receiver_by_hand = fastcgi.Receiver(s)
    yield s
    s.receiver_by_hand.stop()


def raw_request(method, path, headers=(), body=b"", version="1.1"):
    """A request as bytes, exactly as given and closed afterwards."""
    lines = [method.encode() + b" " + path + f" HTTP/{version}".encode(), b"Host: localhost", b"Connection: close"]
    lines += [name.encode() + b": " + value.encode() for name, value in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def with_length(headers, body):
    return list(headers) + [("Content-Length", str(len(body)))]


# -- methods -------------------------------------------------------------------------------------

@pytest.mark.parametrize("source,status", [("github", 200), ("nobody", 404)])
def test_get_and_head_probes_need_no_signature_and_write_nothing__O_HTTP_01(served, source, status):
    before = served.written()
    for method in ("GET", "HEAD"):
        reply = served.server.raw(raw_request(method, f"/hook/{source}".encode()))
        assert status_of(reply) == status, method
        head, _, body = reply.partition(b"\r\n\r\n")
        assert method == "GET" or body == b""
        assert SECRET.encode() not in reply and b"Location" not in head
        answer = served.cgi(source, b"", method=method, env={"CONTENT_LENGTH": None})
        assert (answer.status, answer.body if method == "HEAD" else b"") == (status, b"")
    assert served.written() == before


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "post", "NONSENSE"])
def test_other_methods_are_405_and_say_what_is_allowed__O_HTTP_01(served, method):
    body = events.github()
    before = served.written()
    answer = served.cgi("github", body, sign.github(SECRET, body), method=method)
    assert answer.status == 405
    assert {"POST", "GET", "HEAD"} <= {m.strip() for m in answer.header("Allow").split(",")}
    if method in ("PUT", "DELETE", "PATCH"):
        assert served.server.request(method, "/hook/github", b"{}").status == 405
        assert served.server.request(method, "/hook/nobody", b"{}").status == 404
    else:
        assert 400 <= status_of(served.server.raw(raw_request(method, b"/hook/github"))) <= 501
    assert served.written() == before


# -- answers -------------------------------------------------------------------------------------

def test_answers_are_the_recipes_and_a_repeat_gets_the_same(served):
    body = events.github()
    headers = sign.github(SECRET, body)
    for _ in range(2):
        answer = served.post("polite", body, headers)
        assert (answer.status, answer.body) == (202, b'{"ok":true}')
        assert answer.header("Content-Type") == "application/json"
    answer = served.post("polite", body, sign.github("another", body))
    assert (answer.status, answer.body, answer.header("Content-Type")) == (403, b"no", "text/plain")
    away = served.config_text().replace(served.db.server.socket, "/nonexistent/db.sock").replace(
        "[hookonce]\n", "[hookonce]\nspool = off\n")
    env = {"HOOKONCE_CONFIG": served.write("away.conf", away)}
    answer = served.cgi("polite", body, headers, env=env)
    assert answer.status == 429 and answer.header("Retry-After")
    assert served.cgi("polite", body, sign.github("another", body), env=env).status == 403


# -- paths ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("path", ["//hook/github", "/hook/github/", "/hook/github?x=1", "/hookonce.fcgi//github",
                                  "/hook/git%68ub", "/hookonce.fcgi/any/thing/github//"])
def test_a_post_is_never_redirected__O_HTTP_02(served, path):
    body = events.github()
    answer = served.server.request("POST", path, body, sign.github(SECRET, body))
    assert answer.status == 200, path
    answer = served.cgi(path, body, sign.github(SECRET, body))
    assert answer.status == 200, path


# -- bodies that do not come ---------------------------------------------------------------------

@pytest.mark.parametrize("length,sent", [("100", 60), ("10", 60), ("0", 0), ("-5", 60), ("5x", 60), ("5, 5", 5),
                                         ("+60", 60), ("99999999999999999999", 60), ("", 0), (" ", 60)])
def test_a_body_of_another_length_than_announced_is_refused__O_HTTP_03(served, by_hand, length, sent):
    body = b"x" * sent
    before = served.written()
    headers = sign.github(SECRET, body)
    answer = served.cgi("github", body, headers, env={"CONTENT_LENGTH": length})
    # A CGI program reads no further than announced, and what it has then is not what was signed.
    assert answer.status in (400, 413) or (length == "10" and answer.status == 401)
    assert served.written() == before
    before = by_hand.written()
    link = by_hand.receiver_by_hand.connect()
    link.sendall(fastcgi.begin() + fastcgi.params(fastcgi.variables("github", length, headers))
                 + fastcgi.stdin(body) + fastcgi.record(fastcgi.STDIN))
    assert fastcgi.answer(link)[0] in (400, 413)
    assert by_hand.written() == before
    assert genuine_by_hand(by_hand) == 200


def genuine_by_hand(s):
    """A genuine delivery over a connection of its own -> status."""
    body = events.github()
    link = s.receiver_by_hand.connect()
    variables = fastcgi.variables("github", len(body), sign.github(SECRET, body))
    link.sendall(fastcgi.begin() + fastcgi.params(variables) + fastcgi.stdin(body) + fastcgi.record(fastcgi.STDIN))
    return fastcgi.answer(link)[0]


def test_a_request_that_breaks_off_anywhere_is_nothing__O_HTTP_03(by_hand):
    body, before = events.github(), by_hand.written()
    head = fastcgi.begin() + fastcgi.params(fastcgi.variables("github", len(body), sign.github(SECRET, body)))
    whole = head + fastcgi.stdin(body) + fastcgi.record(fastcgi.STDIN)
    for end in (4, 8, 16, 40, len(head) - 8, len(head), len(head) + 8, len(head) + 60, len(whole) - 8):
        link = by_hand.receiver_by_hand.connect()
        link.sendall(whole[:end])
        link.close()
    link = by_hand.receiver_by_hand.connect()
    link.sendall(head + fastcgi.stdin(body[:40]) + fastcgi.record(fastcgi.ABORT))
    fastcgi.answer(link)
    assert genuine_by_hand(by_hand) == 200
    assert by_hand.written(before) == {"receipt": 1, "body": 1, "job": 1, "guard": 1}
    assert by_hand.receiver_by_hand.child.poll() is None, "the same process goes on"


@pytest.mark.parametrize("ending", ["half close", "close", "silence"])
def test_a_short_body_does_not_keep_others_waiting__O_HTTP_03(served, ending):
    before = served.written()
    head = raw_request("POST", b"/hook/github", [("Content-Length", "100")], b"x" * 60)
    with socket.create_connection(("127.0.0.1", served.server.port), timeout=15) as s:
        s.sendall(head)
        if ending == "half close":
            s.shutdown(socket.SHUT_WR)
        if ending == "close":
            s.close()
        start = time.monotonic()
        body = events.github()
        assert served.deliver("github", body).status == 200
        assert time.monotonic() - start < 9, "it did not wait for the ten seconds that a body may take"
        if ending == "half close":
            assert status_of(s.recv(4096) or b"") in (None, 400, 408)
    assert served.written()["receipt"] == before.get("receipt", 0) + 1


# -- header names --------------------------------------------------------------------------------

def renamed(headers, change):
    return [(change(name), value) for name, value in headers]


@pytest.mark.parametrize("change", [str.lower, str.upper, str.swapcase], ids=["lower", "upper", "swapped"])
def test_header_names_have_no_case__O_HTTP_04(served, by_apache, change):
    for s in (served, by_apache):
        body = events.github()
        headers = renamed(sign.github(SECRET, body), change)
        assert s.server.request("POST", "/hook/github", body, headers).status == 200


@pytest.mark.parametrize("gone", ["X-Hub-Signature-256", "X-GitHub-Delivery", "X-GitHub-Event"])
def test_a_missing_header_is_called_missing__O_HTTP_04(served, gone):
    body = events.github()
    before = served.written()
    headers = [h for h in sign.github(SECRET, body) if h[0] != gone]
    assert 400 <= served.post("github", body, headers).status <= 401
    line = served.log_lines(event="rejected")[-1]
    assert line["reason"] == "header missing"
    if gone == "X-Hub-Signature-256":
        assert (line["header"], line["present"]) == (gone.lower(), "no")
    assert served.written() == before


# -- requests that nobody meant well -------------------------------------------------------------

JUNK = [(f"X-Junk-{n}", "v" * 20) for n in range(200)]
# name: (method, path, headers, body or None, status of the program itself)
BAD = {
    "header-of-8-kb": ("POST", b"/hook/github", [("X-Junk", "a" * 8192)], b"{}", 401),
    "200-headers": ("POST", b"/hook/github", JUNK, b"{}", 401),
    "no-headers": ("POST", b"/hook/github", [], b"", 401),
    "nul-escaped": ("POST", b"/hook/git%00hub", [], b"{}", 400),
    "nul-behind": ("POST", b"/hook/github%00", [], b"{}", 400),
    "nul-raw": ("POST", b"/hook/git\x00hub", [], b"{}", None),
    "dot-dot-behind": ("POST", b"/hook/github/..", [], b"{}", (400, 404)),
    "dot-dot-out": ("POST", b"/hook/../../../../etc/passwd", [], b"{}", (400, 404)),
    "dot-dot-escaped": ("POST", b"/hook/%2e%2e%2fhookonce.conf", [], b"{}", (400, 404)),
    "unknown-source": ("POST", b"/hook/nobody", [], b"{}", 404),
    "no-source": ("POST", b"/hookonce.fcgi", [], b"{}", 404),
    "bad-escape": ("POST", b"/hook/%zz", [], b"{}", (400, 404)),
    "no-ascii": ("POST", b"/hook/g\xc3\xbcthub", [], b"{}", (400, 404)),
    "line-end-escaped": ("POST", b"/hook/github%0d%0aX-Injected:%201", [], b"{}", (400, 404)),
    "long-path": ("POST", b"/hook/" + b"g" * 3000, [], b"{}", 404),
}


def clear(status):
    return status is not None and 400 <= status <= 501 and status not in (408, 500)


def then_served(s, before):
    """Nothing was written, and the next genuine delivery is taken."""
    assert s.written() == before
    body = events.github()
    assert s.cgi("github", body, sign.github(SECRET, body)).status == 200
    if s.server:
        body = events.github()
        assert s.deliver("github", body).status == 200


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("via", ["served", "by_apache"])
def test_bad_requests_get_a_clear_status_and_write_nothing(request, via, name):
    s = request.getfixturevalue(via)
    method, path, headers, body, _ = BAD[name]
    before = s.written()
    reply = s.server.raw(raw_request(method, path, with_length(headers, body), body))
    assert clear(status_of(reply)), reply[:200]
    assert b"X-Injected" not in reply.partition(b"\r\n\r\n")[0]
    then_served(s, before)


@pytest.mark.parametrize("name", [n for n, case in BAD.items() if case[4]])
def test_bad_requests_get_a_clear_status_as_plain_cgi(served, name):
    method, path, headers, body, status = BAD[name]
    before = served.written()
    got = served.cgi(path.decode(), body, headers, method=method).status
    assert got == status or (isinstance(status, tuple) and got in status)
    then_served(served, before)


@pytest.mark.parametrize("junk", [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"POST\r\n\r\n",
                                  b"POST /hook/github HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n\r\n"],
                         ids=["tls", "no-path", "version", "blank"])
def test_what_is_not_http_disturbs_nobody(served, junk):
    before = served.written()
    reply = served.server.raw(junk, half_close=True)
    assert reply == b"" or clear(status_of(reply)) or status_of(reply) == 505
    then_served(served, before)


@pytest.mark.parametrize("via", ["served", "by_apache"])
def test_one_byte_over_the_cap_is_413_and_the_cap_itself_is_taken(request, via):
    s = request.getfixturevalue(via)
    fits = events.github(pad="")
    fits = events.github(pad="x" * (CAP - len(fits)))
    assert len(fits) == CAP
    over = fits.replace(b"x", b"xx", 1)
    for send in (lambda body: s.post("small", body, sign.github(SECRET, body)),
                 lambda body: s.cgi("small", body, sign.github(SECRET, body))):
        before = s.written()
        assert send(over).status == 413
        assert s.written() == before
        assert send(fits).status == 200
        s.sql("DELETE FROM hookonce_guard")
    then_served(s, s.written())


@pytest.mark.parametrize("n", [256, 257, 5000])
def test_very_many_headers_are_refused_and_not_forgotten(by_hand, n):
    """A header behind the limit must not count as missing: the signature header comes last."""
    body, before = events.github(), by_hand.written()
    variables = fastcgi.variables("github", len(body))
    variables.update({f"HTTP_X_JUNK_{i}": "v" for i in range(n)})
    variables.update(fastcgi.variables("github", len(body), sign.github(SECRET, body)))
    link = by_hand.receiver_by_hand.connect()
    link.sendall(fastcgi.begin() + fastcgi.params(variables) + fastcgi.stdin(body) + fastcgi.record(fastcgi.STDIN))
    assert fastcgi.answer(link)[0] == 400
    assert by_hand.written() == before
    assert genuine_by_hand(by_hand) == 200


# Last in this module, since it looks at what was started first.
def test_a_stalled_body_gives_its_worker_back_in_time__O_HTTP_03(stalled):
    wait_until(lambda: len(stalled.results) == 2, 60, "both receivers answered")
    for name, (status, seconds) in stalled.results.items():
        assert status == 400, name
        assert seconds < 60, name
    assert stalled.site.written() == {}
    stalled.site.receiver_by_hand = stalled.receiver
    assert genuine_by_hand(stalled.site) == 200
