"""Secrets that a provider hands over in a handshake that nobody signs: only while a person waits for it."""

import hashlib
import hmac
import json
import os
import threading
import time

import pytest

from hooktest import wait_until

RECIPES = """
[recipe hook]
title = Hands its secret over in a header
sig = header:X-Hook-Signature
alg = hmac-sha256
enc = hex
signed = {body}
id = {json:/id}
hello = unsigned POST header:X-Hook-Secret => 200 ; header X-Hook-Secret {header:X-Hook-Secret} ;
  save header:X-Hook-Secret
empty-body = yes

[recipe note]
like = hook
title = Hands its secret over in the body
hello = unsigned POST json:/verification_token => 200 ; save json:/verification_token
"""
SECRET = "b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81"


def make(site, server=None, **more):
    """A site whose sources have no secret yet: the file that the config names is not there."""
    s = site(server=server, files={"own.conf": RECIPES}, settings={"hookonce": {"recipes": "own.conf"}},
             sources={"hook": {"provider": "hook", "secret": "file:hook.secret"},
                      "note": {"provider": "note", "secret": "file:note.secret"}}, **more)
    return s


def shake(s, secret=SECRET, **more):
    return s.cgi("hook", b"", [("X-Hook-Secret", secret), ("Content-Type", "application/json")], **more)


def deliver(s, number, secret=SECRET):
    content = json.dumps({"id": f"e{number}"}).encode()
    mac = hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()
    return s.cgi("hook", content, [("X-Hook-Signature", mac), ("Content-Type", "application/json")])


def saved(s, name="hook.secret"):
    if not os.path.exists(s.path(name)):
        return None
    with open(s.path(name), encoding="utf-8") as f:
        return f.read()


def test_nobody_waits_for_a_secret(site):
    s = make(site)
    answer = shake(s)
    assert answer.status == 401 and answer.header("X-Hook-Secret") is None
    assert saved(s) is None
    line, = s.log_lines(event="rejected")
    assert "run hookonce pair hook first" in line["reason"] and SECRET not in s.log_text()
    assert deliver(s, 1).status == 503, "without a secret every delivery is to come again"


def test_the_first_one_that_fits_is_taken_and_works_at_once(site):
    s = make(site)
    s.hookonce("pair", "hook", check=True)
    answer = shake(s)
    assert answer.status == 200 and answer.header("X-Hook-Secret") == SECRET
    assert saved(s) == SECRET
    assert os.stat(s.path("hook.secret")).st_mode & 0o777 == 0o600
    assert deliver(s, 1).status == 200
    other = shake(s, "0" * 64)
    assert other.status == 401 and other.header("X-Hook-Secret") is None
    assert saved(s) == SECRET and not os.path.exists(s.path("state/pair/hook"))
    assert SECRET not in s.log_text() and len(s.log_lines(event="paired")) == 1
    assert s.count("receipt") == 1
    assert [n for n in os.listdir(s.dir) if n.startswith("hook.secret")] == ["hook.secret"]


def test_a_token_in_the_body(site):
    s = make(site)
    token = b'{"verification_token":"secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl"}'
    assert s.cgi("note", token, [("Content-Type", "application/json")]).status == 401
    s.hookonce("pair", "note", check=True)
    assert s.cgi("note", token, [("Content-Type", "application/json")]).status == 200
    assert saved(s, "note.secret") == "secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl"


@pytest.mark.parametrize("secret", ["x" * 513, "two words", "\u00fc" * 3, "tab\there"])
def test_what_is_no_secret_is_not_taken_and_the_door_stays_open(site, secret):
    s = make(site)
    s.hookonce("pair", "note", check=True)
    bad = json.dumps({"verification_token": secret}).encode()
    assert s.cgi("note", bad, [("Content-Type", "application/json")]).status == 401
    assert saved(s, "note.secret") is None
    good = json.dumps({"verification_token": "x" * 512}).encode()
    assert s.cgi("note", good, [("Content-Type", "application/json")]).status == 200
    assert saved(s, "note.secret") == "x" * 512


def test_a_door_closes_by_itself_and_on_demand(site):
    s = make(site)
    s.hookonce("pair", "hook", "--for", "5m", check=True)
    assert shake(s, now=time.time() + 400).status == 401
    s.hookonce("pair", "hook", "--off", check=True)
    assert shake(s).status == 401 and saved(s) is None


def test_a_signed_delivery_with_such_a_header_is_a_delivery(site):
    s = make(site)
    s.write("hook.secret", SECRET)
    s.hookonce("pair", "hook", "--replace", check=True)
    content = b'{"id":"e1"}'
    mac = hmac.new(SECRET.encode(), content, hashlib.sha256).hexdigest()
    answer = s.cgi("hook", content, [("X-Hook-Signature", mac), ("X-Hook-Secret", "other")])
    assert answer.status == 200 and answer.header("X-Hook-Secret") is None
    answer = s.cgi("hook", content, [("X-Hook-Signature", "0" * 64), ("X-Hook-Secret", "other")])
    assert answer.status == 401
    assert saved(s) == SECRET and os.path.exists(s.path("state/pair/hook"))


def at_once(s, round_number, many=16):
    """Handshakes that arrive at the same moment -> the secrets of those that were told yes."""
    statuses, barrier = [None] * many, threading.Barrier(many)

    def one(number):
        barrier.wait()
        statuses[number] = s.post("hook", b"", [("X-Hook-Secret", f"secret-{round_number}-{number}")]).status

    threads = [threading.Thread(target=one, args=(n,)) for n in range(many)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert set(statuses) <= {200, 401}, statuses
    return [f"secret-{round_number}-{n}" for n, status in enumerate(statuses) if status == 200]


def test_one_of_many_at_once_gets_in(site):
    s = make(site, server=("lighttpd", {"procs": 8}))
    for number in range(5):
        s.hookonce("pair", "hook", "--replace", check=True)
        winners = at_once(s, number)
        assert [saved(s)] == winners
    content = b'{"id":"e1"}'
    mac = hmac.new(saved(s).encode(), content, hashlib.sha256).hexdigest()
    wait_until(lambda: s.post("hook", content, [("X-Hook-Signature", mac)]).status == 200, 10,
               "the receivers have read the secret")


def test_the_process_that_paired_takes_the_delivery_right_behind(site):
    s = make(site, server=("lighttpd", {"procs": 1}))
    content = b'{"id":"e1"}'
    mac = hmac.new(SECRET.encode(), content, hashlib.sha256).hexdigest()
    assert s.post("hook", content, [("X-Hook-Signature", mac)]).status == 503, "it has looked a moment ago"
    s.hookonce("pair", "hook", check=True)
    assert s.post("hook", b"", [("X-Hook-Secret", SECRET)]).status == 200
    assert s.post("hook", content, [("X-Hook-Signature", mac)]).status == 200


def test_a_secret_that_is_there_is_not_put_at_risk_unasked(site):
    s = make(site)
    s.write("hook.secret", SECRET)
    done = s.hookonce("pair", "hook")
    assert done.returncode == 2 and b"--replace" in done.stderr and b"hook.secret" in done.stderr
    assert shake(s, "0" * 64).status == 401 and saved(s) == SECRET
    said = s.hookonce("pair", "hook", "--replace", check=True).stdout.decode()
    assert "/hook." in said and "hook.secret" in said
    assert shake(s, "0" * 64).status == 200 and saved(s) == "0" * 64
    s.write("note.secret", "")
    s.hookonce("pair", "note", check=True)


def test_check_tells_what_waits_for_a_handshake(site):
    s = make(site)
    done = s.hookonce("check")
    assert done.returncode == 1 and b"hookonce pair hook, then create the webhook" in done.stdout
    s.hookonce("pair", "hook", check=True)
    s.hookonce("capture", "hook", check=True)
    said = s.hookonce("check").stdout.decode()
    assert "hookonce pair hook --off ends that" in said and "hookonce capture hook --off ends that" in said
    assert shake(s).status == 200
    said = s.hookonce("check").stdout.decode()
    assert "hook, 1 usable secret" in said and "pair hook" not in said


def test_a_folder_that_cannot_be_written_makes_the_sender_come_again(site):
    s = make(site)
    s.sources = dict(s.sources, hook={"provider": "hook", "secret": "file:locked/hook.secret"})
    s.configure()
    s.folder("locked", 0o500)
    s.hookonce("pair", "hook", check=True)
    answer = shake(s)
    assert answer.status == 503 and answer.header("Retry-After") and answer.header("X-Hook-Secret") is None
    s.folder("locked", 0o700)
    assert shake(s).status == 200, "the door is still open"
    assert saved(s, "locked/hook.secret") == SECRET
