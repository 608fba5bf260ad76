"""Standard Webhooks' two families of names, what Supabase is answered, Paddle's clock, Razorpay's id."""

import hashlib
import hmac
import json
import time

import pytest

from hooktest import events, sign

SOURCES = {
    "standard": {"provider": "standard-webhooks", "secret": "whsec_c3RhbmRhcmQtd2ViaG9va3MtdGVzdC0x"},
    "svix": {"provider": "svix", "secret": "whsec_c3RhbmRhcmQtd2ViaG9va3MtdGVzdC0x"},
    "paddle": {"provider": "paddle", "secret": "pdl_ntfset_01testtest_aaaaAAAA0000+/bbbb"},
    "razorpay": {"provider": "razorpay", "secret": "a webhook secret"},
}


@pytest.fixture(scope="module")
def served(module_site):
    """One source for each."""
    return module_site(sources=SOURCES, routes={"all-" + name: {"provider": name, "on": "*", "handler": "fx"}
                                                for name in SOURCES})


# ---- Standard Webhooks ------------------------------------------------------------------------------------

def headers_of(prefix, body, message_id, source="standard"):
    return sign.standard_webhooks(SOURCES[source]["secret"], body, message_id=message_id, prefix=prefix)


@pytest.mark.parametrize("source", ["standard", "svix"])
def test_either_family_of_names_is_taken_and_never_a_mixture__O_PV_01(served, source):
    body, before = events.standard(), served.written()
    families = {prefix: headers_of(prefix, body, "msg_" + prefix + source) for prefix in ("svix-", "webhook-")}
    for headers in families.values():
        assert served.cgi(source, body, headers).status == 200
    assert served.written(before) == {"receipt": 2, "body": 2, "job": 2}
    for name in ("id", "timestamp", "signature"):
        for prefix, other in (("svix-", "webhook-"), ("webhook-", "svix-")):
            mixed = [(other + name if key == prefix + name else key, value) for key, value in families[prefix]]
            assert served.cgi(source, body, mixed).status == 401
    assert served.written(before) == {"receipt": 2, "body": 2, "job": 2}


def test_id_and_time_are_part_of_what_is_signed__O_PV_01(served):
    body, before = events.standard(), served.written()
    good = headers_of("webhook-", body, "msg_signed")
    for name, value in (("webhook-id", "msg_other"), ("webhook-timestamp", str(int(dict(good)["webhook-timestamp"]) - 1))):
        assert served.cgi("standard", body, [(k, value if k == name else v) for k, v in good]).status == 401
    assert served.written() == before


def test_a_complete_second_family_changes_nothing__O_PV_01(served):
    body = events.standard()
    both = headers_of("webhook-", body, "msg_both") + headers_of("svix-", body, "msg_evil")[1:]
    wrong = [(k, "v1," + "A" * 43 + "=" if k == "svix-signature" else v) for k, v in both]
    assert served.cgi("standard", body, wrong).status == 200
    assert served.receipts()[-1]["event_id"] == b"msg_both"


# ---- Supabase ---------------------------------------------------------------------------------------------

HOOK = {"provider": "supabase", "secret": "v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDE="}


def sign_in(site, secret=None, uuid="8e6d3c2b-1111-4222-8333-aabbccddeeff"):
    """One attempt of a hook, as the auth server makes it -> (answer, seconds)."""
    body = json.dumps({"metadata": {"uuid": uuid, "name": "before-user-created", "time": "2026-09-21T14:13:19.98Z"},
                       "user": {"id": "8484b834"}}).encode()
    key = (secret or HOOK["secret"]).removeprefix("v1,")
    start = time.monotonic()
    answer = site.cgi("hook", body, sign.standard_webhooks(key, body))
    return answer, time.monotonic() - start


def test_the_answer_lets_a_sign_in_go_on_or_be_asked_again__O_PV_02(site, own_mariadb):
    server = own_mariadb()
    s = site(database=server.create_database(), sources={"hook": {**HOOK, "spool": "off"}})
    for _ in range(2):
        answer, took = sign_in(s)
        assert (answer.status, answer.header("Content-Type"), answer.body) == (200, "application/json", b"{}")
        assert took < 15
    assert s.written() == {"receipt": 1, "body": 1, "job": 1}
    assert s.receipts()[0]["duplicates"] == 1
    answer, took = sign_in(s, secret="whsec_" + "b" * 32)
    assert (answer.status, took < 15) == (401, True)
    assert s.written() == {"receipt": 1, "body": 1, "job": 1}
    server.stop()
    answer, took = sign_in(s, uuid="another")
    assert (answer.status, took < 15) == (503, True)
    assert int(answer.header("Retry-After")) > 0


# ---- Paddle -----------------------------------------------------------------------------------------------

def paddle_body(event_id, **more):
    return json.dumps({"event_id": event_id, "event_type": "transaction.completed", "notification_id": "ntf_1",
                       "occurred_at": "2026-09-21T12:00:00Z", "data": {"id": "txn_" + event_id}, **more}).encode()


def test_seconds_of_delay_lose_no_delivery_and_the_parts_have_no_order__O_PV_03(served):
    secret, before = SOURCES["paddle"]["secret"], served.written()
    late = int(time.time()) - 20
    for event_id, form in (("evt_1", "ts={t};h1={h1}"), ("evt_2", "h1={h1};ts={t}")):
        body = paddle_body(event_id)
        assert served.cgi("paddle", body, sign.paddle(secret, body, t=late, form=form)).status == 200
    assert served.written(before) == {"receipt": 2, "body": 2, "job": 2}
    body = paddle_body("evt_3")
    for form in ("h1={h1}", "ts=;h1={h1}", "ts={t}", "ts={t},h1={h1}", "ts={t};h1="):
        assert served.cgi("paddle", body, sign.paddle(secret, body, form=form)).status == 401
    assert served.written(before) == {"receipt": 2, "body": 2, "job": 2}


def test_a_source_may_be_as_strict_as_the_libraries__O_PV_03(site):
    secret = SOURCES["paddle"]["secret"]
    s = site(sources={"paddle": {"provider": "paddle", "secret": secret, "tolerance": "40s"}})
    for age, status in ((60, 401), (0, 200)):
        body = paddle_body(f"evt_strict_{age}")
        assert s.cgi("paddle", body, sign.paddle(secret, body, t=int(time.time()) - age)).status == status


def test_a_replay_has_another_notification_and_is_the_same_event__O_PV_03(served):
    secret, before = SOURCES["paddle"]["secret"], served.written()
    for notification in ("ntf_1", "ntf_2"):
        body = paddle_body("evt_replayed", notification_id=notification)
        assert served.cgi("paddle", body, sign.paddle(secret, body)).status == 200
    assert served.written(before) == {"receipt": 1, "body": 1, "job": 1}


# ---- Razorpay ---------------------------------------------------------------------------------------------

def captured(payment):
    return json.dumps({"entity": "event", "event": "payment.captured", "created_at": 1790000000,
                       "contains": ["payment"],
                       "payload": {"payment": {"entity": {"id": payment, "notes": []}}}}).encode()


def test_the_header_is_the_id_and_the_kind_of_event_is_not__O_PV_04(served):
    secret, before = SOURCES["razorpay"]["secret"], served.written()
    bodies = {"R8one": captured("pay_1"), "R8two": captured("pay_2")}
    for event_id in ("R8one", "R8two", "R8two"):
        body = bodies[event_id]
        assert served.cgi("razorpay", body, sign.razorpay(secret, body, event_id)).status == 200
    assert served.written(before) == {"receipt": 2, "body": 2, "job": 2, "guard": 2}
    rows = served.receipts()[-2:]
    assert [(r["event_id"], r["event_type"], r["object_key"], r["duplicates"]) for r in rows] == [
        (b"R8one", b"payment.captured", b"pay_1", 0), (b"R8two", b"payment.captured", b"pay_2", 1)]
    served.process()
    assert [served.effects().count(i) for i in bodies] == [1, 1]


def test_without_the_header_nothing_names_the_event__O_PV_04(served):
    secret, before, body = SOURCES["razorpay"]["secret"], served.written(), captured("pay_3")
    headers = [pair for pair in sign.razorpay(secret, body) if pair[0] != "X-Razorpay-Event-Id"]
    assert served.cgi("razorpay", body, headers).status == 401
    assert served.written() == before


def test_a_new_url_tried_with_a_key_that_all_know_is_greeted_and_nothing_else_is(site):
    s = site(sources={"mailersend": {"provider": "mailersend", "secret": "file:later.secret"}})
    trial = b'{"type":"webhook.test","data":{}}'
    event = b'{"type":"activity.sent","data":{"id":"1"}}'

    def signed(body, key):
        return [("Content-Type", "application/json"), ("Signature", hmac.new(key, body, hashlib.sha256).hexdigest())]

    assert s.cgi("mailersend", trial, signed(trial, b"known to all")).status == 200, "before the secret is known"
    assert s.cgi("mailersend", event, signed(event, b"known to all")).status == 503
    s.write("later.secret", "the secret of the webhook")
    assert s.cgi("mailersend", trial, signed(trial, b"known to all")).status == 200
    assert s.cgi("mailersend", event, signed(event, b"known to all")).status == 401
    assert s.count("receipt") == 0 and len(s.log_lines(event="handshake")) == 2
    assert s.cgi("mailersend", event, signed(event, b"the secret of the webhook")).status == 200
    assert s.count("receipt") == 1
