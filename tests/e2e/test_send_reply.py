"""`hookonce send` to a source in reply mode: it asks as the provider does, and shows what is answered."""

import json

import pytest

from hooktest import supabase
from hooktest.reply import reply_site, script

SLACK = {"provider": "slack", "secret": "s", "mode": "reply", "handler": "h", "reply_timeout": "20s"}
TWILIO = {"provider": "twilio", "secret": "t", "mode": "reply", "handler": "h", "reply_timeout": "20s"}


def url(s, source="hook"):
    return s.server.url("/hook/" + source)


def send(s, *arguments, source="hook"):
    """-> (status, what was sent, the answers): the lines of --json."""
    done = s.hookonce("send", source, "--url", url(s, source), "--json", *arguments)
    sent, *answers = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, sent, answers


def shapes(value):
    """Keys and kinds of a JSON value, without the values."""
    if isinstance(value, dict):
        return {key: shapes(inner) for key, inner in value.items()}
    return type(value).__name__


@pytest.mark.parametrize("hook", supabase.INPUTS)
def test_each_supabase_hook_is_asked_in_its_own_shape(site, hook):
    s = reply_site(site, 'cat >got\necho "{}"', server="lighttpd")
    status, sent, (answer,) = send(s, "--type", hook)
    assert (status, answer["status"], answer["answer"]) == (0, 200, "{}")
    assert sent["event_type"] == hook and sent["last_id"] == s.receipts()[0]["event_id"].decode()
    with open(s.path("got"), encoding="utf-8") as f:
        asked = json.load(f)
    assert asked["metadata"]["name"] == hook
    theirs = supabase.INPUTS[hook]
    for key, value in theirs.items():
        if isinstance(value, dict) and key != "user":
            assert set(shapes(value)) <= set(shapes(asked[key])), key
        elif key != "user":
            assert shapes(asked[key]) == shapes(value)
    assert "id" in asked.get("user", {"id": 1})
    if hook == "customize-access-token":
        claims = supabase.judge(hook, json.dumps({"claims": asked["claims"]}).encode())
        assert claims["sub"] == asked["user_id"]


def test_the_answer_is_shown_whole_and_safe(site):
    s = reply_site(site, "printf '{\"a\": 1,\\n \"b\": \"\\033[31m%0100d\"}\\n' 7", server="lighttpd")
    done = s.hookonce("send", "hook", "--url", url(s), check=True)
    text = done.stdout.decode()
    assert text.endswith('\nthe answer, application/json:\n{"a": 1,\n "b": "\\x1b[31m' + "0" * 99 + '7"}\n'), text
    done = s.hookonce("send", "hook", "--url", url(s), "--count", "2", check=True)
    assert b"the answer" not in done.stdout


def test_what_a_handler_refuses_is_no_refusal_of_the_receiver(site):
    s = reply_site(site, "printf 'Status: 404\\nContent-Type: text/plain\\n\\nno such user\\n'", server="lighttpd",
                   keys={"prints": "headers"})
    done = s.hookonce("send", "hook", "--url", url(s))
    assert done.returncode == 1 and b"no such user" in done.stdout and b"the handler's own answer" in done.stdout
    assert b"web server answered, not hookonce" not in done.stdout
    script(s, "exit 69")
    done = s.hookonce("send", "hook", "--url", url(s))
    assert done.returncode == 1 and b"not now: the handler said so" in done.stdout
    assert b"could not store it" not in done.stdout


def test_it_is_said_where_to_look_when_the_handler_fails(site):
    s = reply_site(site, "exit 1", server="lighttpd")
    done = s.hookonce("send", "hook", "--url", url(s), check=True)  # to the provider it is an answer
    assert b"so it is answered when the handler fails: hookonce list ID" in done.stdout
    assert b"when the handler fails" not in s.hookonce("send", "hook", "--url", url(s), "--json").stdout
    script(s, "echo '{}'")
    assert b"fails" not in s.hookonce("send", "hook", "--url", url(s), check=True).stdout
    s = site(server="lighttpd", sources={"call": TWILIO}, routes={}, handlers={"h": {"sql": "SELECT 1 FROM nowhere"}})
    assert b"and when it fails, too" in s.hookonce("send", "call", "--url", url(s, "call"), check=True).stdout


def test_a_source_in_reply_mode_is_asked_what_it_is_for(site):
    s = site(server="lighttpd", sources={"slack": SLACK, "call": TWILIO}, routes={},
             handlers={"h": {"sql": "SELECT CONCAT({event:type}, ' ', COALESCE({/text}, {/From}))"}})
    _, sent, (answer,) = send(s, source="slack")
    assert (sent["event_type"], answer["answer"]) == ("/hello", "/hello hello")
    assert sent["last_id"] == s.receipts()[0]["event_id"].decode()
    _, sent, (answer,) = send(s, "--type", "/deploys", source="slack")
    assert answer["answer"] == "/deploys hello"
    _, sent, (answer,) = send(s, source="call")
    assert (sent["event_type"], answer["answer"]) == ("ringing", "ringing +15005550006")
    assert s.value("SELECT source FROM hookonce_receipt WHERE event_id = %s", sent["last_id"]) == b"call"


def test_a_body_that_is_given_is_told_by_its_own_type(site):
    s = site(server="lighttpd", sources={"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}})
    body = s.write("own.json", json.dumps({"id": "evt_own", "type": "charge.refunded", "created": 1790000000}))
    _, sent, _ = send(s, "--body", body, source="stripe")
    assert (sent["event_type"], sent["last_id"]) == ("charge.refunded", "evt_own")
    said = s.hookonce("send", "stripe", "--url", url(s, "stripe"), "--body", body, check=True).stdout
    assert b"evt_own (charge.refunded)" in said
    strange = s.write("strange.json", "{}")
    _, sent, _ = send(s, "--body", strange, source="stripe")
    assert sent["event_type"] is None
