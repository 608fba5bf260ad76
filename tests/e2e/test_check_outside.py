"""What `hookonce check` says of commands, of URLs, and of what routes ask before they run."""

import json
import os

import pytest

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}


def found(s, subject):
    """(level, text) of the findings about a subject."""
    done = s.hookonce("check", "--json")
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert done.returncode == (1 if any(r["level"] == "FAIL" for r in rows) else 0)
    return [(r["level"], r["text"]) for r in rows if r["subject"] == subject]


def checked(site, handler, route=(), files=None):
    """A site with that handler; files as Site has them."""
    return site(sources=STRIPE, handlers={"h": handler}, files=files,
                routes={"r": {"provider": "stripe", "handler": "h", **dict(route)}})


@pytest.mark.parametrize("mode, level, text", [
    (0o700, "ok", "can be run"), (0o755, "ok", "can be run"),
    (0o600, "FAIL", "cannot be run by this account; chmod u+x it"),
    (0o720, "warn", "others may write to"), (0o702, "warn", "others may write to"),
    (None, "FAIL", "No such file or directory"),
])
def test_check_looks_at_the_program_of_a_command(site, mode, level, text):
    s = checked(site, {"command": "do x"})
    if mode is not None:
        s.write("do", "#!/bin/sh\n", mode)
    (got, words), = found(s, "handler h")
    assert got == level and text in words and s.path("do") in words


def test_check_does_not_take_a_folder_for_a_program(site):
    s = checked(site, {"command": "state"})
    assert found(s, "handler h") == [("FAIL", s.path("state") + " is no program")]


@pytest.mark.parametrize("keys, files, bad", [
    ({"auth": "bearer file:token"}, {"token": "t"}, None),
    ({"auth": "bearer file:token"}, {}, "token"),
    ({"auth": "basic file:token"}, {"token": "user-and-password"}, "token: user:password is wanted"),
    ({"header": "X-A: file:token"}, {"token": "two\nlines"}, "token: one line of printable ASCII is wanted"),
    ({"sign_with": "file:token"}, {"token": "whsec_c2hvcnQ="}, "token: a secret of Standard Webhooks is wanted"),
    ({"sign_with": "file:token"}, {"token": "whsec_bG9uZyBlbm91Z2ggZm9yIGEga2V5"}, None),
])
def test_check_looks_at_the_secrets_of_a_url(site, keys, files, bad):
    s = checked(site, {"url": "http://127.0.0.1:1/", **keys}, files=files)
    (level, text), = found(s, "handler h")
    assert level == ("FAIL" if bad else "ok") and (bad or "http://127.0.0.1:1/ can be asked; it was not") in text
    assert not any(secret in text for secret in ("user-and", "c2hvcnQ", "bG9uZy", "two"))


def test_check_looks_at_the_secret_of_a_fetch(site):
    route = {"fetch": "http://127.0.0.1:1/{/id}", "fetch_auth": "bearer file:token"}
    s = checked(site, {"sql": "SELECT 1"}, route, {"token": "t"})
    assert not found(s, "route r")
    os.chmod(s.path("token"), 0o644)
    (level, text), = found(s, "route r")
    assert level == "FAIL" and text.startswith("fetch: ") and s.path("token") in text


@pytest.mark.parametrize("word", ["needs", "skip_if"])
def test_check_lets_the_server_look_at_the_queries_of_a_route(site, word):
    s = checked(site, {"sql": "SELECT 1"}, {word: "SELECT 1 FROM fx WHERE event_id = {event:id}"})
    assert not found(s, "route r")
    s.routes["r"][word] = "SELECT 1 FROM no_such_table"
    s.configure()
    (level, text), = found(s, "route r")
    assert level == "FAIL" and text.startswith(word + " cannot run now: ") and "no_such_table" in text
