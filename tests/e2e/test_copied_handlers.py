"""The handlers that are there to be copied, each of them run: by the processor, and again for what was done."""

import base64
import hashlib
import hmac
import os
import shutil
import sqlite3
import time

import pytest

from hooktest import events, wait_until, wire
from hooktest.flow import make_due
from hooktest.paths import PROJECT, tool
from hooktest.proc import Proc, free_port

HANDLERS = os.path.join(PROJECT, "lib", "dist", "handlers")
STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
KEY = "whsec_" + base64.b64encode(b"a key of thirty-two bytes, or so").decode()


def copied(site, handler):
    """A site whose only handler is this file, copied beside the config as a reader would."""
    s = site(sources=STRIPE, handlers={"h": {"command": f"handlers/{handler}"}},
             routes={"r": {"provider": "stripe", "handler": "h", "retry": "4 tries, 1h"}})
    s.folder("handlers")
    with open(os.path.join(HANDLERS, handler), encoding="utf-8") as f:
        s.write(f"handlers/{handler}", f.read(), mode=0o700)
    return s


def paid(s, **more):
    """An event arrives that pays the order 1001 -> its body."""
    body = events.stripe("evt_1", **more)
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    s.import_spooled()
    return body


def outcome(s):
    job, = s.jobs()
    return job["outcome"], job["last_error"]


def again(s):
    """Has what is done run once more, as after a restored backup: under the same key."""
    s.hookonce("replay", "--route", "r", "--again", "--reason", "a test", check=True)
    s.process()


def test_the_one_in_sh_keeps_each_event_as_a_file(site):
    s = copied(site, "handler.sh")
    body = paid(s)
    for turn in (s.process, lambda: again(s)):
        turn()
        assert all(job["outcome"] == "done" for job in s.jobs()), s.jobs()
        kept = sorted(os.listdir(s.path("handlers/kept")))
        assert [name[64:] for name in kept] == [".about", ".json"]
    with open(s.path("handlers/kept/" + kept[1]), "rb") as f:
        assert f.read() == body
    assert os.stat(s.path("handlers/kept/" + kept[1])).st_mode & 0o777 == 0o600


def test_the_one_in_python_pays_an_order_once(site):
    s = copied(site, "handler.py")
    paid(s)
    s.process()
    assert outcome(s)[0] == "done", outcome(s)
    again(s)
    with sqlite3.connect(s.path("handlers/orders.db")) as link:
        assert link.execute("SELECT order_id FROM paid").fetchall() == [("1001",)]


def test_the_one_in_python_undoes_what_it_cannot_do_whole(site):
    s = copied(site, "handler.py")
    paid(s, data={"object": {"id": "cs_1"}})  # it names no order
    s.process()
    job, = s.jobs()
    assert job["state"] == "ready" and "client_reference_id" in job["last_error"], job
    with sqlite3.connect(s.path("handlers/orders.db")) as link:
        assert link.execute("SELECT name FROM sqlite_master").fetchall() == []


def php_site(site):
    s = copied(site, "handler.php")
    s.db.sql("CREATE TABLE done (idempotency_key CHAR(64) PRIMARY KEY) ENGINE=InnoDB")
    s.db.sql("CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY, status VARCHAR(20) NOT NULL, n INT DEFAULT 0)"
             " ENGINE=InnoDB")
    s.db.sql("INSERT INTO orders (id, status) VALUES ('1001', 'open')")
    where = f"mysql:unix_socket={s.db.server.socket};dbname={s.db.name};charset=utf8mb4"
    s.write("handlers/handler.ini", f'dsn = "{where}"\nuser = "{s.db.user}"\npassword = "{s.db.password}"\n')
    return s


def test_the_one_in_php_pays_an_order_once(site):
    s = php_site(site)
    paid(s)
    s.process()
    assert outcome(s)[0] == "done", outcome(s)
    assert s.db.value("SELECT status FROM orders") == "paid" and s.db.value("SELECT COUNT(*) FROM done") == 1
    s.db.sql("UPDATE orders SET status = 'cancelled'")
    again(s)
    assert s.db.value("SELECT status FROM orders") == "cancelled"


def test_the_one_in_php_waits_for_its_database_and_counts_no_try(site):
    s = php_site(site)
    text = open(s.path("handlers/handler.ini"), encoding="utf-8").read()
    s.write("handlers/handler.ini", text.replace(s.db.server.socket, s.db.server.socket + ".not"))
    paid(s)
    s.process()
    job, = s.jobs()
    assert job["state"] == "ready" and job["tries"] == 0, job
    s.write("handlers/handler.ini", text)
    make_due(s)
    s.process()
    assert outcome(s)[0] == "done"


# ---- the receiver of a URL handler -------------------------------------------------------------------

@pytest.fixture
def webspace(base):
    """A PHP web server with receiver.php and its secret -> (its folder, its address)."""
    place = os.path.join(base, "webspace")
    os.makedirs(os.path.join(place, "htdocs"))
    shutil.copy(os.path.join(HANDLERS, "receiver.php"), os.path.join(place, "htdocs"))
    with open(os.path.join(place, "receiver.secret"), "w", encoding="ascii") as f:
        f.write(KEY + "\n")
    port = free_port()
    server = Proc([tool("php"), "-S", f"127.0.0.1:{port}", "-t", os.path.join(place, "htdocs")],
                  os.path.join(place, "php.log"))
    wait_until(lambda: "started" in server.output(), 20, "php listens")
    yield place, f"http://127.0.0.1:{port}/receiver.php"
    server.stop()
    shutil.rmtree(place, ignore_errors=True)


def url_site(site, url, secret=KEY):
    return site(sources=STRIPE, handlers={"h": {"url": url, "sign_with": "file:receiver.secret"}},
                routes={"r": {"provider": "stripe", "handler": "h", "retry": "4 tries, 1h"}},
                files={"receiver.secret": secret + "\n"})


def seen(place):
    log = os.path.join(place, "events.log")
    return open(log, encoding="utf-8").read().splitlines() if os.path.exists(log) else []


def test_the_receiver_takes_what_is_signed_and_works_once(site, webspace):
    place, url = webspace
    s = url_site(site, url)
    paid(s)
    s.process()
    assert outcome(s)[0] == "done", outcome(s)
    again(s)
    assert all(job["outcome"] == "done" for job in s.jobs())
    assert seen(place) == ["evt_1 checkout.session.completed"]
    key, = os.listdir(os.path.join(place, "kept"))
    assert len(key) == 64


def test_the_receiver_refuses_what_is_signed_with_another_secret(site, webspace):
    place, url = webspace
    s = url_site(site, url, "whsec_" + base64.b64encode(b"quite another key, of 32 bytes !").decode())
    paid(s)
    s.process()
    job, = s.jobs()
    assert job["state"] == "ready" and "401" in job["last_error"], job
    assert not seen(place) and not os.path.exists(os.path.join(place, "kept"))


@pytest.mark.parametrize("altered", ["body", "id", "time", "stale", "signature", "none"])
def test_the_receiver_refuses_what_was_altered(webspace, altered):
    place, url = webspace
    port = int(url.split(":")[2].split("/")[0])
    for kind, status in ((altered, 401), ("nothing", 200)):
        at, body, key = int(time.time()) - (301 if kind == "stale" else 0), b'{"id":"evt_1","type":"t"}', "a" * 64
        mac = hmac.new(base64.b64decode(KEY[6:]), f"{key}.{at}.".encode() + body, hashlib.sha256).digest()
        head = {"webhook-id": "b" * 64 if kind == "id" else key, "webhook-timestamp": str(at + (kind == "time")),
                "webhook-signature": "v1," + base64.b64encode(mac[::-1] if kind == "signature" else mac).decode()}
        if kind == "none":
            del head["webhook-signature"]
        body += b" " if kind == "body" else b""
        assert wire.request(port, "POST", "/receiver.php", body, head).status == status, kind
    assert seen(place) == ["evt_1 t"]
