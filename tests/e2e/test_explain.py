"""Why a request was refused, told from what was kept of it; and test keys for providers that sign with one."""

import glob
import json
import os
import re
import time

import pytest

from hooktest import sign

SECRET = "whsec_the_right_secret_of_this_endpoint"
WRONG = "whsec_quite_another_secret_of_some_one"
BODY = b'{"id":"evt_1","type":"charge.succeeded","created":1790000000,\n "data":{"object":{"id":"ch_1"}}}'


def make(site, **more):
    return site(sources={"stripe": {"provider": "stripe", "secret": SECRET}}, **more)


def refused(s, body, headers, **more):
    """Arms, posts what is refused -> the kept file."""
    s.hookonce("capture", "stripe", check=True)
    before = set(glob.glob(s.path("state/capture/*.request")))
    assert s.cgi("stripe", body, headers, **more).status == 401
    kept, = set(glob.glob(s.path("state/capture/*.request"))) - before
    return kept


def explain(s, *arguments, code=1):
    done = s.hookonce("explain", *arguments)
    assert done.returncode == code, done.stdout.decode() + done.stderr.decode()
    return done.stdout.decode()


def test_a_wrong_secret_is_told_and_its_repair_too(site):
    s = make(site)
    refused(s, BODY, sign.stripe(WRONG, BODY))
    said = explain(s, "--last", "stripe")
    assert "secret 1" in said and "does not fit" in said and "signature mismatch" in said
    s.write("stripe.secret0", WRONG)
    said = explain(s, "--last", "stripe", code=0)
    assert "accepted" in said and "evt_1" in said and "charge.succeeded" in said
    assert s.count("receipt") == 0, "explaining records nothing"


@pytest.mark.parametrize("change,hint", [
    (lambda b: b + b"\n", "line end"),
    (lambda b: b.replace(b"\n", b"\r\n"), "LF"),
])
def test_a_body_changed_on_the_way_is_named(site, change, hint):
    s = make(site)
    refused(s, change(BODY), sign.stripe(SECRET, BODY))
    said = explain(s, "--last", "stripe")
    assert "would fit" in said and hint in said, said


def test_an_old_time_is_told_with_its_age(site):
    s = make(site)
    refused(s, BODY, sign.stripe(SECRET, BODY, t=time.time() - 4000))
    said = explain(s, "--last", "stripe")
    assert "timestamp too old" in said and re.search(r"\b(3999|40[0-5]\d)\b", said), said


def test_a_missing_header_is_named(site):
    s = make(site)
    kept = refused(s, BODY, [("Content-Type", "application/json")])
    said = explain(s, kept)
    assert "stripe-signature" in said and "header missing" in said


@pytest.mark.parametrize("source, headers, which", [
    ("slack", [("X-Slack-Signature", "v0=" + "0" * 64)], "x-slack-request-timestamp"),
    ("slack", [("X-Slack-Signature", "v0=" + "0" * 64), ("X-Slack-Request-Timestamp", "soon")],
     "x-slack-request-timestamp"),
    ("stripe", [("Stripe-Signature", "v1=" + "0" * 64)], "sig.t"),
    ("paypal", [("Paypal-Transmission-Sig", "AAAA"), ("Paypal-Auth-Algo", "SHA256withRSA"),
                ("Paypal-Transmission-Id", "1")], "paypal-transmission-time"),
])
def test_the_header_that_is_missing_or_malformed_is_named(site, source, headers, which):
    s = site(routes={}, sources={"stripe": {"provider": "stripe", "secret": SECRET},
                                 "slack": {"provider": "slack", "secret": "k"},
                                 "paypal": {"provider": "paypal", "param": "webhook-id 5GP028458E2496506"}})
    s.hookonce("capture", source, check=True)
    assert s.cgi(source, BODY, headers).status == 401
    line, = s.log_lines(event="rejected")
    assert line["which"] == which and line["present"] == "yes"
    assert f"  {which}: header m" in explain(s, "--last", source)


def test_no_secret_and_no_signature_is_shown(site):
    s = make(site)
    headers = sign.stripe(WRONG, BODY)
    refused(s, BODY, headers)
    good = sign.stripe_v1(SECRET, BODY, dict(p.split("=") for p in headers[1][1].split(","))["t"])
    for arguments in (("--last", "stripe"), ("--json", "--last", "stripe")):
        done = s.hookonce("explain", *arguments)
        text = (done.stdout + done.stderr).decode()
        assert SECRET not in text and SECRET[6:] not in text and good not in text
        assert good[:16] not in text and headers[1][1][-64:] not in text


def test_json_has_a_line_for_each_step_and_the_verdict(site):
    s = make(site)
    refused(s, BODY, sign.stripe(WRONG, BODY))
    lines = [json.loads(line) for line in explain(s, "--json", "--last", "stripe").splitlines()]
    assert {line["kind"] for line in lines} == {"step", "verdict"}
    assert lines[-1]["now"] == "signature mismatch"


def test_what_is_no_kept_request_is_refused(site):
    s = make(site)
    s.write("other", "hello\n")
    assert s.hookonce("explain", s.path("other")).returncode == 2
    open_file = s.write("open.request", "hookonce-request 1\n", mode=0o644)
    done = s.hookonce("explain", open_file)
    assert done.returncode == 2 and b"chmod 600" in done.stderr
    assert s.hookonce("explain", "--last", "strip").returncode == 2
    done = s.hookonce("explain", "--last", "stripe")
    assert done.returncode == 1 and b"hookonce capture" in done.stderr


def test_the_kept_files_are_listed_and_private(site):
    s = make(site)
    kept = refused(s, BODY, sign.stripe(WRONG, BODY))
    assert s.hookonce("capture", "stripe", "--list").stdout.decode().splitlines() == [kept]
    assert os.stat(kept).st_mode & 0o777 == 0o600
    s.hookonce("capture", "stripe", "--off", check=True)
    s.cgi("stripe", BODY, sign.stripe(WRONG, BODY))
    assert s.hookonce("capture", "stripe", "--list").stdout.decode().splitlines() == [kept]


@pytest.mark.parametrize("arguments", [
    ("capture",), ("capture", "stripe", "--max", "0"), ("capture", "stripe", "--max", "101"),
    ("capture", "stripe", "--for", "2d"), ("capture", "stripe", "--for", "soon"), ("capture", "strip"),
    ("pair", "stripe"), ("pair",), ("explain",), ("send", "stripe", "--key", "x"),
])
def test_wrong_arguments_are_refused(site, arguments):
    s = make(site)
    done = s.hookonce(*arguments)
    assert done.returncode == 2 and done.stderr


@pytest.mark.parametrize("provider", ["standard-webhooks-ed25519", "wise", "telnyx", "sendgrid"])
def test_a_test_key_plays_a_provider_that_signs_with_one(site, provider):
    first = {"signed": {"provider": provider, "secret": "file:test.key.pub"}}
    s = site(sources=first, server="lighttpd")
    s.hookonce("send", "signed", "--new-key", s.path("test.key"), check=True)
    assert os.stat(s.path("test.key")).st_mode & 0o777 == 0o600
    url = s.server.url("/hookonce.fcgi")
    assert s.hookonce("send", "signed", "--url", url).returncode == 2, "without the key it can't be signed"
    s.hookonce("send", "signed", "--key", s.path("test.key"), "--url", url, "--repeat", "2", check=True)
    assert s.count("receipt") == 1
    s.hookonce("send", "signed", "--new-key", s.path("other.key"), check=True)
    assert s.hookonce("send", "signed", "--key", s.path("other.key"), "--url", url).returncode == 1
    assert s.hookonce("send", "signed", "--new-key", s.path("other.key")).returncode == 2, "never overwritten"
