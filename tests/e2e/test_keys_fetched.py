"""Public keys that the processor fetches for the receivers, and URLs that it visits for a handshake."""

import base64
import hashlib
import hmac
import json
import os
import time

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

from hooktest import wait_until
from hooktest.keyserver import KeyServer, jwk, pem, sign

ED = [ed25519.Ed25519PrivateKey.generate() for _ in range(3)]
RSA = [rsa.generate_private_key(65537, 2048) for _ in range(2)]
SECRET = "the secret of the one that asks for a visit"

RECIPES = """
[recipe jwks]
title = Keys from a set
sig = header:X-Sig
alg = ed25519
enc = base64
keys = jwks https://localhost:{port}/jwks ; kid header:X-Kid
signed = {{header:X-Time}}.{{body}}
id = {{json:/id}}

[recipe certs]
title = Keys from an address in the request
sig = header:X-Sig
alg = rsa-sha256
enc = base64
keys = pem header:X-Cert-Url ; from https://localhost:{port}/certs/*.pem
signed = {{header:X-Time}}.{{body}}
id = {{json:/id}}

[recipe member]
title = One key in a document
like = certs
keys = json https://localhost:{port}/key.json ; at /key/pem

[recipe visits]
title = Wants its subscription confirmed
sig = header:X-Sig
alg = hmac-sha256
enc = hex
signed = {{body}}
hello = POST json:/type==confirm => 200 ; visit json:/url from https://localhost:{port}/confirm/*
  https://localhost:{port}/confirm/?Token=*
id = {{json:/id}}
"""


@pytest.fixture
def keys(base):
    """A key server that is up."""
    server = KeyServer(os.path.join(base, f"keys{time.monotonic_ns()}")).start()
    yield server
    server.stop()


def make(site, keys, server=None, ca=True, **more):
    trust = {"ca_file": keys.ca} if ca else {}
    return site(server=server, files={"own.conf": RECIPES.format(port=keys.port)},
                settings={"hookonce": {"recipes": "own.conf", **trust}, **more.pop("settings", {})},
                sources=more.pop("sources", {"jwks": {"provider": "jwks"}, "certs": {"provider": "certs"},
                                             "member": {"provider": "member"},
                                             "visits": {"provider": "visits", "secret": SECRET}}), **more)


def body(number, **more):
    return json.dumps({"id": f"e{number}", **more}).encode()


def signed(key, content, **headers):
    pairs = [("Content-Type", "application/json"), ("X-Time", "1"),
             ("X-Sig", base64.b64encode(sign(key, b"1." + content)).decode())]
    return pairs + [(name.replace("_", "-"), value) for name, value in headers.items()]


def deliver(s, source, key, number, **headers):
    content = body(number)
    return s.cgi(source, content, signed(key, content, **headers)).status


def publish(keys, **more):
    """The set with these keys: kid=private key."""
    keys.pages["/jwks"] = (200, json.dumps({"keys": [jwk(k, kid) for kid, k in more.items()]}).encode())


def files(s, folder):
    place = s.path("state/" + folder)
    return sorted(os.path.join(place, n) for n in os.listdir(place)) if os.path.isdir(place) else []


def grow_old(s, folder, seconds):
    for path in files(s, folder):
        os.utime(path, (time.time() - seconds,) * 2)


def test_a_key_that_is_missing_makes_the_sender_wait_and_the_processor_fetch_it(site, keys):
    s = make(site, keys, sources={"certs": {"provider": "certs"}})
    keys.pages["/certs/a.pem"] = (200, pem(RSA[0]))
    content = body(1)
    headers = signed(RSA[0], content, X_Cert_Url=keys.url("/certs/a.pem"))
    for _ in range(3):
        answer = s.cgi("certs", content, headers)
        assert answer.status == 503 and answer.header("Retry-After")
    assert s.written() == {} and keys.requests == []
    assert len(files(s, "wishes")) == 1, "the same wish is one wish"
    s.process()
    assert keys.requests == ["/certs/a.pem"] and files(s, "wishes") == []
    assert [line["url"] for line in s.log_lines(event="fetched")] == [keys.url("/certs/a.pem")]
    keys.stop()
    assert s.cgi("certs", content, headers).status == 200
    assert deliver(s, "certs", RSA[0], 2, X_Cert_Url=keys.url("/certs/a.pem")) == 200
    assert deliver(s, "certs", RSA[1], 3, X_Cert_Url=keys.url("/certs/a.pem")) == 401
    assert s.cgi("certs", body(4), headers).status == 401
    assert s.count("receipt") == 2


def test_check_tells_what_is_missing_and_why(site, keys):
    s = make(site, keys)
    keys.pages["/jwks"] = (503, b"")
    keys.pages["/key.json"] = (200, json.dumps({"key": {"pem": pem(RSA[0]).decode()}}).encode())
    said = s.hookonce("check").stdout.decode()
    assert f"not here yet, and deliveries are answered busy until hookonce process has fetched {keys.url('/jwks')}" in said
    s.process()
    said = s.hookonce("check").stdout.decode()
    assert "member, its public keys were fetched" in said and "the server answers 503" in said
    assert f"is to fetch a key for jwks, asked for" in said and "warn  alarm fetch" not in said
    keys.pages["/jwks"] = (404, b"")
    s.process()
    said = s.hookonce("check").stdout.decode()
    assert "warn  alarm fetch" in said and "event=wish" in said and "404" in said
    publish(keys, one=ED[0])
    s.process()
    said = s.hookonce("check").stdout.decode()
    assert "jwks, its public keys were fetched" in said and "wishes" not in said and "(over)" in said


def test_keys_with_a_fixed_address_are_there_before_the_first_delivery(site, keys):
    s = make(site, keys)
    publish(keys, one=ED[0])
    keys.pages["/key.json"] = (200, json.dumps({"key": {"pem": pem(RSA[0]).decode()}}).encode())
    s.process()
    assert sorted(keys.requests) == ["/jwks", "/key.json"]
    assert deliver(s, "jwks", ED[0], 1, X_Kid="one") == 200
    assert deliver(s, "member", RSA[0], 2) == 200
    assert deliver(s, "jwks", ED[1], 3, X_Kid="one") == 401
    assert deliver(s, "member", RSA[1], 4) == 401
    s.process()
    assert len(keys.requests) == 2, "what is there is not fetched again"


def test_a_new_key_in_the_set_is_found_and_an_old_one_ends(site, keys):
    s = make(site, keys)
    publish(keys, one=ED[0])
    s.process()
    publish(keys, one=ED[0], two=ED[1])
    assert deliver(s, "jwks", ED[1], 1, X_Kid="two") == 401, "the set was fetched a moment ago"
    grow_old(s, "keys", 120)
    assert deliver(s, "jwks", ED[1], 2, X_Kid="two") == 503
    s.process()
    assert deliver(s, "jwks", ED[1], 2, X_Kid="two") == 200
    assert deliver(s, "jwks", ED[0], 3, X_Kid="one") == 200
    publish(keys, two=ED[1])
    grow_old(s, "keys", 120)
    assert deliver(s, "jwks", ED[2], 4, X_Kid="three") == 503
    s.process()
    assert deliver(s, "jwks", ED[0], 5, X_Kid="one") == 401
    assert deliver(s, "jwks", ED[1], 6, X_Kid="two") == 200


def test_a_key_that_is_used_is_fetched_again_after_a_day(site, keys):
    s = make(site, keys, sources={"certs": {"provider": "certs"}})
    keys.pages["/certs/a.pem"] = (200, pem(RSA[0]))
    where = keys.url("/certs/a.pem")
    assert deliver(s, "certs", RSA[0], 1, X_Cert_Url=where) == 503
    s.process()
    grow_old(s, "keys", 23 * 3600)
    assert deliver(s, "certs", RSA[0], 1, X_Cert_Url=where) == 200
    s.process()
    assert len(keys.requests) == 1
    grow_old(s, "keys", 25 * 3600)
    assert deliver(s, "certs", RSA[0], 2, X_Cert_Url=where) == 200, "until then it is used"
    s.process()
    assert len(keys.requests) == 2


def test_a_fixed_key_is_fetched_again_after_a_day_without_a_delivery(site, keys):
    s = make(site, keys, sources={"jwks": {"provider": "jwks"}})
    publish(keys, one=ED[0])
    s.process()
    grow_old(s, "keys", 25 * 3600)
    publish(keys, two=ED[1])
    s.process()
    assert deliver(s, "jwks", ED[1], 1, X_Kid="two") == 200


def test_a_running_processor_is_woken_by_a_wish(site, keys):
    s = make(site, keys, settings={"processor": {"poll": "60s"}}, sources={"certs": {"provider": "certs"}})
    keys.pages["/certs/a.pem"] = (200, pem(RSA[0]))
    s.start_processor("--for", "100s", "--workers", "2")
    wait_until(lambda: s.count("worker") == 2, 10, "the processors are there")
    time.sleep(0.5)
    assert deliver(s, "certs", RSA[0], 1, X_Cert_Url=keys.url("/certs/a.pem")) == 503
    wait_until(lambda: deliver(s, "certs", RSA[0], 1, X_Cert_Url=keys.url("/certs/a.pem")) == 200, 10, "the key")
    assert keys.requests == ["/certs/a.pem"]


def test_no_job_waits_for_a_slow_key_server(site, keys):
    s = make(site, keys)
    keys.delay_s = 60  # longer than it is waited for
    s.start_processor("--for", "100s")
    wait_until(lambda: keys.requests, 10, "the key is asked for")
    content = body(1)
    mac = hmac.new(SECRET.encode(), content, hashlib.sha256).hexdigest()
    assert s.cgi("visits", content, [("X-Sig", mac), ("Content-Type", "application/json")]).status == 200
    wait_until(s.effects, 20, "the effect")
    done = wait_until(lambda: s.value("SELECT ended_at FROM hookonce_attempt"), 10, "the end of its try")
    given_up = [line["time"] for line in s.log_lines(event="wish")]
    assert all(at > done.isoformat(timespec="milliseconds") for at in given_up) and files(s, "keys") == []


def test_only_what_the_recipe_names_is_fetched(site, keys):
    s = make(site, keys, sources={"certs": {"provider": "certs"}})
    keys.pages["/other/a.pem"] = keys.pages["/certs/a/b.pem"] = (200, pem(RSA[0]))
    for where in (keys.url("/other/a.pem"), keys.url("/certs/a/b.pem"), keys.url("/certs/../other/a.pem"),
                  "http://localhost:1/certs/a.pem", f"https://localhost:{keys.port}@evil.example/certs/a.pem",
                  "https://evil.example/certs/a.pem", "file:///etc/passwd"):
        assert deliver(s, "certs", RSA[0], 1, X_Cert_Url=where) == 401, where
    assert files(s, "wishes") == []
    for where in (keys.url("/other/a.pem"), "file:///etc/passwd"):
        line = f"key certs {where}"
        s.folder("state/wishes")
        s.write("state/wishes/" + hashlib.sha256(line.encode()).hexdigest(), line)
    s.process()
    assert keys.requests == [] and files(s, "wishes") == [] and files(s, "keys") == []
    assert len(s.log_lines(event="wish")) == 2


def test_a_server_whose_certificate_is_not_trusted_gives_no_key(site, keys):
    s = make(site, keys, ca=False)
    publish(keys, one=ED[0])
    s.process()
    assert keys.requests == [] and files(s, "keys") == []
    assert any("certificate" in line["reason"] for line in s.log_lines(event="wish"))
    assert deliver(s, "jwks", ED[0], 1, X_Kid="one") == 503


@pytest.mark.parametrize("name, answer, stays", [
    ("moved", (302, b"", {"Location": "/elsewhere"}), False),
    ("not found", (404, b"no"), False),
    ("too long", (200, b"x" * (256 * 1024 + 1)), False),
    ("broken", (500, b""), True),
    ("busy", (503, b""), True),
])
def test_what_is_no_key_is_not_kept(site, keys, name, answer, stays):
    s = make(site, keys, sources={"jwks": {"provider": "jwks"}})
    keys.pages["/jwks"] = answer
    keys.pages["/elsewhere"] = (200, json.dumps({"keys": [jwk(ED[0], "one")]}).encode())
    s.process()
    assert keys.requests == ["/jwks"] and files(s, "keys") == []
    assert bool(files(s, "wishes")) == stays
    assert s.log_lines(event="wish")
    assert deliver(s, "jwks", ED[0], 1, X_Kid="one") == 503
    publish(keys, one=ED[0])
    s.process()
    assert deliver(s, "jwks", ED[0], 1, X_Kid="one") == 200


def test_a_key_file_that_is_none_refuses_and_is_fetched_again(site, keys):
    s = make(site, keys, sources={"jwks": {"provider": "jwks"}})
    keys.pages["/jwks"] = (200, b"<html>down for maintenance</html>")
    s.process()
    assert deliver(s, "jwks", ED[0], 1, X_Kid="one") == 401
    grow_old(s, "keys", 120)
    publish(keys, one=ED[0])
    assert deliver(s, "jwks", ED[0], 1, X_Kid="one") == 503
    s.process()
    assert deliver(s, "jwks", ED[0], 1, X_Kid="one") == 200


def test_a_wish_that_can_not_be_served_ends_with_an_alarm(site, keys):
    s = make(site, keys, sources={"jwks": {"provider": "jwks"}})
    keys.pages["/jwks"] = (500, b"")
    s.process()
    assert s.log_lines(event="wish", level="alarm") == [] and len(files(s, "wishes")) == 1
    grow_old(s, "wishes", 3700)
    s.process()
    assert len(s.log_lines(event="wish", level="alarm")) == 1 and files(s, "wishes") == []
    assert b"fetch" in s.hookonce("check").stdout


def test_what_fails_is_asked_for_less_and_less_often(site, keys):
    s = make(site, keys, sources={"jwks": {"provider": "jwks"}}, settings={"processor": {"poll": "1s"}})
    keys.pages["/jwks"] = (500, b"")
    s.start_processor("--for", "100s")
    wait_until(lambda: len(keys.requests) >= 2, 10, "a second try")
    grow_old(s, "wishes", 600)
    before = len(keys.requests)
    time.sleep(4.5)  # what was asked for just now was asked again within two seconds
    assert len(keys.requests) <= before + 1


def test_a_source_that_pins_its_key_fetches_none(site, keys):
    s = make(site, keys, sources={"jwks": {"provider": "jwks", "secret": pem(ED[0]).decode()}})
    publish(keys, one=ED[1])
    s.process()
    assert keys.requests == []
    assert deliver(s, "jwks", ED[0], 1, X_Kid="one") == 200
    assert deliver(s, "jwks", ED[1], 2, X_Kid="one") == 401


def confirm(s, url, secret=SECRET):
    content = json.dumps({"type": "confirm", "url": url}).encode()
    mac = hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()
    return s.cgi("visits", content, [("X-Sig", mac), ("Content-Type", "application/json")]).status


def test_a_signed_handshake_has_its_url_visited_once(site, keys):
    s = make(site, keys, sources={"visits": {"provider": "visits", "secret": SECRET}})
    keys.pages["/confirm/abc"] = (200, b"thank you")
    assert confirm(s, keys.url("/confirm/abc")) == 200
    assert s.written() == {} and keys.requests == []
    s.process()
    s.process()
    assert keys.requests == ["/confirm/abc"] and files(s, "keys") == [] and files(s, "wishes") == []
    assert [line["url"] for line in s.log_lines(event="visited")] == [keys.url("/confirm/abc")]


def test_the_log_does_not_show_a_token_in_a_url(site, keys):
    s = make(site, keys, sources={"visits": {"provider": "visits", "secret": SECRET}})
    keys.pages["/confirm/?Token=abc123"] = (200, b"")
    for token in ("abc123", "def456"):
        assert confirm(s, keys.url("/confirm/?Token=" + token)) == 200
    s.process()
    assert sorted(keys.requests) == ["/confirm/?Token=abc123", "/confirm/?Token=def456"]
    assert [line["url"] for line in s.log_lines(event="visited")] == [keys.url("/confirm/")]
    assert [line["url"] for line in s.log_lines(event="wish")] == [keys.url("/confirm/")]
    assert "abc123" not in s.log_text() and "def456" not in s.log_text()


def test_no_url_is_visited_that_nobody_signed_or_the_recipe_does_not_name(site, keys):
    s = make(site, keys, sources={"visits": {"provider": "visits", "secret": SECRET}})
    assert confirm(s, keys.url("/confirm/abc"), secret="another") == 401
    for url in (keys.url("/other/abc"), "http://localhost:1/confirm/abc", "https://evil.example/confirm/a"):
        confirm(s, url)
    assert files(s, "wishes") == []
    s.process()
    assert keys.requests == []


def test_a_visit_that_fails_is_tried_again_and_a_refused_one_is_an_alarm(site, keys):
    s = make(site, keys, sources={"visits": {"provider": "visits", "secret": SECRET}})
    keys.pages["/confirm/abc"] = (503, b"")
    assert confirm(s, keys.url("/confirm/abc")) == 200
    s.process()
    assert len(files(s, "wishes")) == 1
    keys.pages["/confirm/abc"] = (403, b"")
    s.process()
    assert files(s, "wishes") == [] and len(s.log_lines(event="wish", level="alarm")) == 1
