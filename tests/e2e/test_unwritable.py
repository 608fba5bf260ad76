"""A receiver whose folders can't be written, or whose descriptors are used up: nothing is lost, all is said."""

import hashlib
import hmac
import json
import os

from hooktest import events, run, sign
from hooktest.site import parse_cgi

SECRET = "of a source that is looked at"
RECIPES = """
[recipe hook]
title = Hands its secret over in a header
sig = header:X-Hook-Signature
alg = hmac-sha256
enc = hex
signed = {body}
id = {json:/id}
hello = unsigned POST header:X-Hook-Secret => 200 ; save header:X-Hook-Secret
empty-body = yes

[recipe visits]
title = Wants its subscription confirmed
sig = header:X-Sig
alg = hmac-sha256
enc = hex
signed = {body}
hello = POST json:/type==confirm => 200 ; visit json:/url from https://localhost:1/confirm/*
id = {json:/id}

[recipe jwks]
title = Keys from a set
sig = header:X-Sig
alg = ed25519
enc = base64
keys = jwks https://localhost:1/jwks ; kid header:X-Kid
signed = {body}
id = {json:/id}
"""


def shut(s, name, mode=0o500):
    """Takes the right to write into a folder from the site's account."""
    os.chmod(s.path(name), mode)


def make(site, **more):
    s = site(files={"own.conf": RECIPES}, routes={}, settings={"hookonce": {"recipes": "own.conf"}},
             sources={"hook": {"provider": "hook", "secret": "file:secrets/hook.secret"},
                      "visits": {"provider": "visits", "secret": SECRET}, "jwks": {"provider": "jwks"},
                      "stripe": {"provider": "stripe", "secret": "whsec_u"}}, **more)
    s.folder("secrets")
    s.cgi("stripe", method="HEAD")  # makes what the state folder needs
    return s


def confirm(s):
    content = json.dumps({"type": "confirm", "url": "https://localhost:1/confirm/abc"}).encode()
    mac = hmac.new(SECRET.encode(), content, hashlib.sha256).hexdigest()
    return s.cgi("visits", content, [("X-Sig", mac), ("Content-Type", "application/json")])


def test_a_secret_that_cannot_be_saved_is_asked_for_again_and_the_door_stays_open(site):
    s = make(site)
    s.hookonce("pair", "hook", check=True)
    shut(s, "secrets")
    answer = s.cgi("hook", b"", [("X-Hook-Secret", "a" * 40)])
    assert answer.status == 503 and answer.header("Retry-After")
    assert "Permission denied" in s.log_lines(event="busy")[-1]["reason"]
    assert os.listdir(s.path("secrets")) == []
    shut(s, "secrets", 0o700)
    assert s.cgi("hook", b"", [("X-Hook-Secret", "a" * 40)]).status == 200
    with open(s.path("secrets/hook.secret"), encoding="ascii") as f:
        assert f.read() == "a" * 40


def test_a_visit_that_cannot_be_noted_down_is_asked_for_again(site):
    s = make(site)
    shut(s, "state")
    answer = confirm(s)
    assert answer.status == 503 and answer.header("Retry-After")
    shut(s, "state", 0o700)
    assert confirm(s).status == 200
    assert [line["event"] for line in s.log_lines() if line["source"] == "visits"][-1] == "handshake"


def test_a_key_that_cannot_be_wished_for_is_said_and_the_sender_comes_again(site):
    s = make(site)
    body = b'{"id":"e1"}'
    headers = [("X-Sig", "A" * 86 + "=="), ("X-Kid", "k1"), ("Content-Type", "application/json")]
    shut(s, "state")
    assert s.cgi("jwks", body, headers).status == 503
    shut(s, "state", 0o700)
    assert s.cgi("jwks", body, headers).status == 503
    assert s.written() == {}


def test_a_refused_request_that_cannot_be_kept_is_answered_all_the_same(site):
    s = make(site)
    s.hookonce("capture", "stripe", check=True)
    for folder, _, _ in os.walk(s.path("state")):
        if os.path.basename(folder) not in ("state", "spool"):
            os.chmod(folder, 0o500)
    body = events.stripe("evt_1")
    assert s.cgi("stripe", body, []).status == 401
    line = s.log_lines(event="captured")[-1]
    assert line["level"] == "warn" and "ermission denied" in line["why"]


def limited(s, n, source, body, headers):
    """The status of a plain CGI receiver with n descriptors; None when it could not even begin."""
    env = s.cgi_environment(source, len(body), headers)
    done = run(["/bin/sh", "-c", f"ulimit -n {n}; exec {s.receiver}"], 30, s.user, env=env, cwd=s.dir, input=body)
    return parse_cgi(done.stdout).status if done.stdout else None


def test_descriptors_that_are_used_up_lose_no_event(site):
    """With a few of them config, database, spool or log are out of reach."""
    s = make(site)
    body, taken = events.stripe("evt_1"), set()
    for n in range(4, 24):
        status = limited(s, n, "stripe", body, s.signed("stripe", body, secret="whsec_u"))
        assert status in (200, 503, None), n
        if status == 200:
            taken.add(n)
    assert taken == set(range(min(taken), 24)), "more of them never make it worse"
    s.process()
    assert s.value("SELECT COUNT(*) FROM hookonce_receipt") == 1


def test_descriptors_that_are_used_up_leave_no_question_without_an_answer(site):
    s = site(sources={"ask": {"provider": "slack", "secret": "8f742231b10e", "mode": "reply", "handler": "say",
                              "reply_timeout": "20s"}}, routes={},
             handlers={"say": {"command": "/bin/echo hello"}})
    said = []
    for n in range(6, 30):
        body = b"token=x&command=%2Fdeploys&trigger_id=t" + str(n).encode()
        headers = sign.slack("8f742231b10e", body, content_type="application/x-www-form-urlencoded")
        said.append(limited(s, n, "ask", body, headers))
    assert set(said) <= {200, 503, None}
    assert said[-1] == 200 and any(line["how"] not in ("failed", "busy") for line in s.log_lines(event="answered"))
