"""Refused requests that are kept for a person to look at: only on demand, few, private, and soon gone."""

import os
import stat
import time

import pytest

from hooktest import events

BODY = events.stripe("evt_kept", note="ü \x00 \n\n end")


def kept(s, source="stripe"):
    folder = s.path("state/capture")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, n) for n in names if n.startswith(source + "-") and n.endswith(".request")]


def read(path):
    """A kept request -> (fields, headers, body)."""
    with open(path, "rb") as f:
        head, _, body = f.read().partition(b"\n\n")
    first, *lines = head.decode("latin-1").split("\n")
    assert first == "hookonce-request 1"
    fields, headers = {}, []
    for line in lines:
        name, _, value = line.partition(": ")
        if name.startswith("header "):
            headers.append((name[len("header "):], value))
        else:
            fields[name] = value
    return fields, dict(headers), body


def forged(s, body=BODY, **more):
    return s.cgi("stripe", body, s.signed("stripe", body, secret="another"), **more)


def test_nothing_is_kept_unless_it_was_asked_for(site):
    s = site()
    assert forged(s).status == 401
    assert not os.path.exists(s.path("state/capture"))


def test_a_refused_request_is_kept_as_it_came(site):
    s = site()
    s.hookonce("capture", "stripe", check=True)
    before = int(time.time() * 1e6)
    headers = s.signed("stripe", BODY, secret="another") + [("X-Other", "a: b"), ("Authorization", "Basic eDp5")]
    assert s.cgi("/hook/stripe?a=1&b=%2F", BODY, headers, env={"HTTPS": "on"}).status == 401
    path, = kept(s)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    fields, got, body = read(path)
    assert before <= int(fields["now"]) <= int(time.time() * 1e6)
    assert (fields["source"], fields["reason"], fields["method"]) == ("stripe", "signature mismatch", "POST")
    assert (fields["target"], fields["https"], fields["body"]) == ("/hook/stripe?a=1&b=%2F", "on", "whole")
    assert body == BODY
    assert got["stripe-signature"] == dict(headers)["Stripe-Signature"]
    assert got["x-other"] == "a: b" and got["authorization"] == "Basic eDp5"
    assert [line["source"] for line in s.log_lines(event="captured")] == ["stripe"]
    assert dict(headers)["Stripe-Signature"] not in s.log_text()
    assert s.written() == {}


def test_what_is_taken_is_not_kept(site):
    s = site()
    s.hookonce("capture", "stripe", check=True)
    assert s.cgi("stripe", BODY, s.signed("stripe", BODY)).status == 200
    assert s.cgi("stripe", method="GET").status == 200
    assert s.cgi("github", b"{}", [("X-GitHub-Event", "push")]).status == 401
    assert s.cgi("nobody", b"{}").status == 404
    assert kept(s) == [] and kept(s, "github") == []


@pytest.mark.parametrize("reason, headers, method", [
    ("header missing", lambda s: [("Content-Type", "application/json")], "POST"),
    ("timestamp too old", lambda s: s.signed("stripe", BODY, t=1700000000), "POST"),
    ("header malformed", lambda s: [("Stripe-Signature", "t=x,v1=y")], "POST"),
    ("method not allowed", lambda s: s.signed("stripe", BODY), "DELETE"),
])
def test_the_body_of_what_was_refused_by_its_head_is_kept_too(site, reason, headers, method):
    s = site()
    s.hookonce("capture", "stripe", check=True)
    assert s.cgi("stripe", BODY, headers(s), method=method).status in (401, 405)
    path, = kept(s)
    fields, _, body = read(path)
    assert (fields["reason"], fields["method"], body) == (reason, method, BODY)


def test_a_body_that_is_too_long_is_missing(site):
    s = site()
    s.hookonce("capture", "stripe", check=True)
    long = events.stripe("evt_long", note="x" * (1024 * 1024))
    assert s.cgi("stripe", long, [("Stripe-Signature", "t=x")]).status == 401
    fields, headers, body = read(kept(s)[0])
    assert fields["body"] == "missing" and body == b"" and headers["content-length"] == str(len(long))


def test_the_newest_are_kept_until_the_door_closes(site):
    s = site()
    s.hookonce("capture", "stripe", "--max", "3", "--for", "5m", check=True)
    for n in range(5):
        assert forged(s, events.stripe(f"evt_{n}")).status == 401
    bodies = [read(p)[2] for p in kept(s)]
    assert [b'"evt_%d"' % n in b for n, b in zip((2, 3, 4), bodies)] == [True] * 3
    assert forged(s, events.stripe("evt_late"), now=time.time() + 400).status == 401
    assert len(kept(s)) == 3 and all(b"evt_late" not in read(p)[2] for p in kept(s))
    s.hookonce("capture", "stripe", "--off", check=True)
    assert forged(s, events.stripe("evt_off")).status == 401
    assert all(b"evt_off" not in read(p)[2] for p in kept(s))


def test_through_a_web_server_as_well(site):
    s = site("lighttpd")
    s.hookonce("capture", "stripe", check=True)
    assert s.post("stripe", BODY, [("Content-Type", "application/json")]).status == 401
    assert s.post("stripe", BODY, s.signed("stripe", BODY, secret="another")).status == 401
    got = [read(p) for p in kept(s)]
    assert [g[0]["reason"] for g in got] == ["header missing", "signature mismatch"]
    assert [g[2] for g in got] == [BODY, BODY]
    assert s.post("stripe", BODY, s.signed("stripe", BODY)).status == 200


def test_a_kept_request_can_be_explained(site):
    s = site()
    s.hookonce("capture", "stripe", check=True)
    assert forged(s).status == 401
    done = s.hookonce("explain", kept(s)[0])
    assert done.returncode == 1 and b"signature" in done.stdout
    s.write("stripe.secret0", "another")
    done = s.hookonce("explain", "--last", "stripe")
    assert done.returncode == 0, done.stdout
    assert s.written() == {}, "nothing is recorded by looking"
    assert b"another" not in done.stdout + done.stderr


def test_what_was_kept_is_gone_after_a_day(site):
    s = site()
    s.hookonce("capture", "stripe", check=True)
    assert forged(s).status == 401
    s.process()
    assert len(kept(s)) == 1
    for path in kept(s) + [s.path("state/capture/stripe.arm")]:
        os.utime(path, (time.time() - 25 * 3600,) * 2)
    s.process()
    assert os.listdir(s.path("state/capture")) == []


def test_a_folder_that_cannot_be_written_changes_no_answer(site):
    s = site()
    s.hookonce("capture", "stripe", check=True)
    os.chmod(s.path("state/capture"), 0o500)
    assert forged(s).status == 401
    assert kept(s) == [] and s.log_lines(event="captured")[0]["level"] == "warn"


def test_no_secret_of_ours_is_in_a_kept_request(site):
    s = site()
    s.hookonce("capture", "stripe", check=True)
    assert forged(s).status == 401
    with open(kept(s)[0], "rb") as f:
        assert s.secrets["stripe"][0].encode() not in f.read()
