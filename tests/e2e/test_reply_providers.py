"""What Supabase, Slack and Twilio are answered in reply mode, by the handlers of the README."""

import json
import re
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hooktest import free_port, sign, supabase
from hooktest.documents import Document

SECRET = "v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDE="
HANDLER_OF = {"customize-access-token": "sb-token", "mfa-verification": "sb-mfa",
              "password-verification": "sb-password", "before-user-created": "sb-signup",
              "after-user-created": "sb-welcome", "send-sms": "sb-sms", "send-email": "sb-email"}
TABLES = ("CREATE TABLE customers (user_id VARCHAR(40) PRIMARY KEY, plan VARCHAR(20) NOT NULL) ENGINE=InnoDB",
          "CREATE TABLE failures (user_id VARCHAR(40), at DATETIME, KEY (user_id, at)) ENGINE=InnoDB",
          "CREATE TABLE deploys (at DATETIME) ENGINE=InnoDB")
FORM = "application/x-www-form-urlencoded"
PATIENT = {"reply_timeout": "20s"}  # on a busy machine a handler may take longer than providers wait
REPLY = {"mode": "reply", "handler": "h", **PATIENT}


class Service(ThreadingHTTPServer):
    """A service of the site's owner: keeps what it gets, and answers as it is told."""

    def __init__(self):
        super().__init__(("127.0.0.1", free_port()), Asked)
        self.got, self.answer = [], (200, "application/json", b"{}")
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}/send"


class Asked(BaseHTTPRequestHandler):
    """One request to it."""

    def do_POST(self):
        """Keeps and answers."""
        self.server.got.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
        status, kind, body = self.server.answer
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        """Nothing on stderr."""


@pytest.fixture(scope="module")
def service():
    """The one service of this module."""
    server = Service()
    yield server
    server.shutdown()
    server.server_close()


def handlers_of(text):
    """The [handler …] sections of a config, as text."""
    return "".join(re.findall(r"^\[handler [^\n]+\n(?:(?!\[).*\n)*", text, re.M))


@pytest.fixture(scope="module")
def s(module_site, service):
    """A site with the README's handlers, and a source for each hook."""
    readme = Document("README.md")
    block = readme.take("[source sb-token]")
    assert set(re.findall(r"^\[handler ([^\]]+)\]", block, re.M)) == set(HANDLER_OF.values())
    source = {"provider": "supabase", "secret": SECRET, "mode": "reply", **PATIENT}
    named = dict(line.split(" = ") for line in block.split("\n\n")[0].splitlines()[1:])
    assert named == {"provider": "supabase", "secret": "file:sb-token.secret", "mode": "reply", "handler": "sb-token"}
    text = handlers_of(block + readme.take("[handler deploys]") + readme.take("[handler hours]"))
    made = module_site(
        server="lighttpd", sources={**{name: {**source, "handler": name} for name in HANDLER_OF.values()},
                                    "slack": {"provider": "slack", "secret": "slack secret", "mode": "reply",
                                              "handler": "deploys", **PATIENT},
                                    "twilio": {"provider": "twilio", "secret": "twilio secret", "mode": "reply",
                                               "handler": "hours", "url": "https://example.com/hook/twilio", **PATIENT}},
        handlers={}, routes={}, files={"sms.token": "a token"},
        extra="\n" + text.replace("https://sms.example.com/send", service.url()))
    made.folder("bin")
    made.write("bin/send-email", "#!/bin/sh\ncat >>mails\necho '{}'\n", mode=0o700)
    for table in TABLES:
        made.sql(table)
    return made


def hook(s, name, post=None, **more):
    """Runs a hook as the auth server does -> what it makes of the answer."""
    def ask(body, headers):
        return s.post(HANDLER_OF[name], body, headers)
    got, attempts = supabase.call(post or ask, SECRET, name, supabase.body_of(name, **more))
    assert attempts == 1
    return got


# ---- Supabase ---------------------------------------------------------------------------------------------

def test_the_access_token_hook_returns_all_claims_and_one_more__O_PV_02(s):
    assert hook(s, "customize-access-token") == {**supabase.CLAIMS, "plan": "free"}
    s.sql("INSERT INTO customers VALUES (%s, 'gold')", supabase.USER["id"])
    assert hook(s, "customize-access-token")["plan"] == "gold"
    s.sql("DELETE FROM customers")


@pytest.mark.parametrize("name, status", [("mfa-verification", 403), ("password-verification", 400)])
def test_verification_hooks_reject_after_five_failures__O_PV_02(s, name, status):
    s.sql("DELETE FROM failures")
    hook(s, name, valid=True)
    for _ in range(4):
        hook(s, name, valid=False)
    hook(s, name, valid=True)
    with pytest.raises(supabase.HookError) as refused:
        hook(s, name, valid=False)
    assert (refused.value.status, refused.value.message) == (status, "Too many attempts. Try again later.")
    hook(s, name, valid=True, user_id="another")


def test_the_sign_up_hook_refuses_with_status_and_message__O_PV_02(s):
    hook(s, "before-user-created")
    with pytest.raises(supabase.HookError) as refused:
        hook(s, "before-user-created", user={**supabase.USER, "email": "user@elsewhere.com"})
    assert (refused.value.status, refused.value.message) == (403, "Only addresses of example.com may sign up.")


def test_the_welcome_hook_does_its_work_once__O_PV_02(s):
    body = supabase.body_of("after-user-created")
    for _ in range(3):
        supabase.call(lambda b, h: s.post("sb-welcome", b, h), SECRET, "after-user-created", body)
    assert s.value("SELECT COUNT(*) FROM customers") == 1
    s.sql("DELETE FROM customers")


def test_the_sms_hook_hands_on_to_a_service_and_its_answer_back__O_PV_02(s, service):
    hook(s, "send-sms")
    headers, body = service.got[-1]
    assert json.loads(body)["sms"] == {"otp": "561166"}
    assert headers["Authorization"] == "Bearer a token" and len(headers["Idempotency-Key"]) == 64
    try:
        service.answer = (200, "application/json", b'{"error":{"http_code":429,"message":"Too many messages"}}')
        with pytest.raises(supabase.HookError) as refused:
            hook(s, "send-sms")
        assert (refused.value.status, refused.value.message) == (429, "Too many messages")
        for answer in ((500, "text/html", b"<h1>oops"), (302, None, b""), (200, "application/json", b"x" * 204801)):
            service.answer = answer
            with pytest.raises(supabase.HookError) as refused:
                hook(s, "send-sms")
            assert (refused.value.status, refused.value.message) == (500, "The hook was not answered")
    finally:
        service.answer = (200, "application/json", b"{}")


def test_the_email_hook_runs_a_program__O_PV_02(s):
    hook(s, "send-email")
    with open(s.path("mails"), encoding="utf-8") as f:
        assert json.loads(f.read())["email_data"]["token"] == "305805"


@pytest.mark.parametrize("name", HANDLER_OF)
def test_every_hook_is_refused_in_its_own_way_when_its_handler_fails__O_PV_02(site, name):
    s = site(sources={HANDLER_OF[name]: {"provider": "supabase", "secret": SECRET, **REPLY}},
             handlers={"h": {"command": "/bin/false"}}, routes={})
    with pytest.raises(supabase.HookError) as refused:
        hook(s, name, post=lambda b, h: s.cgi(HANDLER_OF[name], b, h))
    assert (refused.value.status, refused.value.message) == (500, "The hook was not answered")


def test_every_plain_ok_lets_pass_but_for_claims_which_must_be_there__O_PV_02(site):
    s = site(sources={n: {"provider": "supabase", "secret": SECRET, **REPLY}
                      for n in HANDLER_OF.values()},
             handlers={"h": {"command": "/bin/true"}}, routes={})
    for name, source in HANDLER_OF.items():
        def post(body, headers, to=source):
            return s.cgi(to, body, headers)
        if name == "customize-access-token":
            with pytest.raises(supabase.HookError) as refused:
                hook(s, name, post=post)
            assert refused.value.message == "output claims field is missing"
        else:
            hook(s, name, post=post)


def test_two_secrets_of_one_hook_during_a_rotation(site):
    old, new = SECRET, "v1,whsec_" + "c2Vjb25kLXNlY3JldC1mb3ItdGVzdHMtMDAwMDAwMDE="
    s = site(sources={"sb-signup": {"provider": "supabase", "secret": new, **REPLY}},
             handlers={"h": {"command": "/bin/true"}}, routes={})
    supabase.call(lambda b, h: s.cgi("sb-signup", b, h), old + "|" + new, "before-user-created")


def test_a_busy_source_is_asked_three_times_in_five_seconds__O_PV_02(site):
    s = site(sources={"sb-signup": {"provider": "supabase", "secret": SECRET, **REPLY}},
             handlers={"h": {"command": "handler.sh"}}, routes={}, files={"handler.sh": ""})
    s.write("handler.sh", "#!/bin/sh\necho >>ran\n[ $(wc -l <ran) = 3 ] || exit 69\necho '{}'\n", mode=0o700)
    body = supabase.body_of("before-user-created")
    got, attempts = supabase.call(lambda b, h: s.cgi("sb-signup", b, h), SECRET, "before-user-created", body)
    assert (got, attempts) == (None, 3)


# ---- Slack ------------------------------------------------------------------------------------------------

def slack(s, body, source="slack", post=None):
    """A signed form -> (answer, seconds)"""
    headers = sign.slack("slack secret", body, content_type=FORM)
    start = time.monotonic()
    return (post or s.post)(source, body, headers), time.monotonic() - start


def test_a_slash_command_shows_what_its_handler_says(s):
    s.sql("INSERT INTO deploys VALUES (UTC_TIMESTAMP()), (UTC_TIMESTAMP())")
    answer, took = slack(s, b"command=%2Fdeploys&text=&trigger_id=1.2.3&team_id=T1")
    assert (answer.status, answer.body, took < 15) == (200, b"Deploys this week: 2", True)
    assert answer.header("Content-Type").startswith("text/plain")


@pytest.mark.parametrize("mode", ["queue", "reply"])
def test_a_slash_command_with_nothing_to_say_shows_nothing__O_SL_03(site, mode):
    keys = REPLY if mode == "reply" else {}
    s = site(sources={"slack": {"provider": "slack", "secret": "slack secret", **keys}}, routes={},
             handlers={"h": {"command": "/bin/true"}})
    for _ in range(2):
        answer, took = slack(s, b"command=%2Fx&text=&trigger_id=1.2.3&team_id=T1", post=s.cgi)
        assert (answer.status, answer.header("Content-Length"), answer.body) == (200, "0", b"")
        assert answer.header("Content-Type") is None and took < 15
    assert s.count("receipt") == 1


def test_a_failed_slash_command_says_so_to_the_user__O_SL_03(site):
    s = site(sources={"slack": {"provider": "slack", "secret": "slack secret", **REPLY,
                                "reply_timeout": "1s"}}, routes={}, handlers={"h": {"command": "/bin/sleep 60"}})
    answer, took = slack(s, b"command=%2Fx&text=&trigger_id=1.2.3", post=s.cgi)
    assert (answer.status, answer.body) == (200, b"Sorry, that did not work. Please try again.")
    assert answer.header("Content-Type") == "text/plain" and took < 20


def test_a_button_gets_json_and_every_menu_its_own_answer(site):
    s = site(sources={"slack": {"provider": "slack", "secret": "slack secret", **REPLY}},
             routes={}, handlers={"h": {"sql": "SELECT JSON_OBJECT('text', {/value}, 'n', UUID())"}})
    def payload(tree):
        return b"payload=" + urllib.parse.quote(json.dumps(tree)).encode()
    pressed = payload({"type": "block_actions", "trigger_id": "9.8.7", "value": "yes"})
    first, again = slack(s, pressed, post=s.cgi)[0], slack(s, pressed, post=s.cgi)[0]
    assert first.header("Content-Type") == "application/json" and json.loads(first.body)["text"] == "yes"
    assert again.body == first.body
    typed = payload({"type": "block_suggestion", "value": "a"})
    assert slack(s, typed, post=s.cgi)[0].body != slack(s, typed, post=s.cgi)[0].body
    assert s.count("receipt") == 3


def test_handshakes_need_no_handler(site):
    s = site(sources={"slack": {"provider": "slack", "secret": "slack secret", **REPLY}},
             routes={}, handlers={"h": {"command": "/bin/false"}})
    body = json.dumps({"type": "url_verification", "challenge": "c4"}).encode()
    answer = s.cgi("slack", body, sign.slack("slack secret", body))
    assert (answer.status, answer.body) == (200, b"c4")
    assert s.cgi("slack", b"ssl_check=1", [("Content-Type", FORM)]).status == 200
    assert s.written() == {}


# ---- Twilio -----------------------------------------------------------------------------------------------

URL = "https://example.com/hook/twilio"


def test_a_call_is_answered_with_twiml(s):
    body = b"CallSid=CA1&CallStatus=ringing&From=%2B15005550001"
    answer = s.post("twilio", body, sign.twilio("twilio secret", body, URL, token="t-1"))
    assert (answer.status, answer.header("Content-Type")) == (200, "text/xml")
    assert re.fullmatch(rb"<Response><(Dial|Say)>.*</Response>", answer.body)


def twilio_site(site, command, **keys):
    """A source of Twilio's with a command."""
    return site(sources={"twilio": {"provider": "twilio", "secret": "twilio secret", **REPLY,
                                    "url": URL, **keys}}, routes={}, handlers={"h": command})


def test_every_step_of_a_call_is_a_question_of_its_own(site):
    s = twilio_site(site, {"sql": "SELECT CONCAT('<Response><!-- ', UUID(), ' --></Response>')"})
    def step(digits, token):
        body = b"CallSid=CA1&CallStatus=in-progress" + digits
        answer = s.cgi("twilio", body, sign.twilio("twilio secret", body, URL, token=token))
        assert (answer.status, answer.header("Content-Type")) == (200, "text/xml")
        return answer.body
    first = step(b"&Digits=1", "t-1")
    assert step(b"&Digits=1", "t-1") == first
    assert step(b"&Digits=1", "t-2") != first
    assert step(b"&Digits=2", "t-3") != first
    # Without the token nothing tells a retry from the next step.
    assert step(b"&Digits=1", None) != step(b"&Digits=1", None)
    assert s.count("conflict") == 0


@pytest.mark.parametrize("command", ["/bin/false", "/bin/true", "/bin/sleep 20"])
def test_a_call_without_an_answer_gets_an_empty_response(site, command):
    s = twilio_site(site, {"command": command}, reply_timeout="1s")
    body = b"MessageSid=SM1&Body=hi"
    answer = s.cgi("twilio", body, sign.twilio("twilio secret", body, URL, token="t-1"))
    assert (answer.status, answer.header("Content-Type"), answer.body) == (200, "text/xml", b"<Response/>")


# ---- a recipe of one's own --------------------------------------------------------------------------------

RECIPE = """[recipe acme]
title = Acme
sig = header:x-sig
alg = hmac-sha256
signed = {body}
id = {body|sha256|hex}
reply-ok = 204
reply-fail = 500 application/json {"ok":false}
reply-busy = 429
reply-deadline = 4s
"""


def test_a_challenge_of_another_kind_is_a_handler_that_echoes(site):
    s = site(sources={"acme": {"provider": "acme", "secret": "k", "mode": "reply", "handler": "h"}}, routes={},
             handlers={"h": {"sql": "SELECT JSON_OBJECT('challenge', {/challenge})"}},
             settings={"hookonce": {"recipes": "acme.conf"}}, files={"acme.conf": RECIPE})
    body = json.dumps({"challenge": "x\"y"}).encode()
    headers = [("x-sig", sign._mac(b"k", body).hexdigest()), ("Content-Type", "application/json")]
    answer = s.cgi("acme", body, headers)
    assert (answer.status, answer.header("Content-Type")) == (200, "application/json")
    assert json.loads(answer.body) == {"challenge": "x\"y"}


@pytest.mark.parametrize("command, status, body, retry", [
    ("/bin/true", 204, b"", None), ("/bin/false", 500, b'{"ok":false}', None), ("/bin/sleep 99", 500, b'{"ok":false}', None),
    ("/bin/sh -c \"exit 69\"", 429, b"", "30"),
])
def test_a_recipe_says_what_reply_mode_answers(site, command, status, body, retry):
    s = site(sources={"acme": {"provider": "acme", "secret": "k", "mode": "reply", "handler": "h"}}, routes={},
             handlers={"h": {"command": command}}, settings={"hookonce": {"recipes": "acme.conf"}},
             files={"acme.conf": RECIPE})
    sent = b"{}"
    answer = s.cgi("acme", sent, [("x-sig", sign._mac(b"k", sent).hexdigest())])
    assert (answer.status, answer.body, answer.header("Retry-After")) == (status, body, retry)  # within the usual limit, which is less than the handler's minutes
