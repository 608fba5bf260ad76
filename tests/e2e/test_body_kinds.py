"""What a body is read as is said by its own bytes: whoever holds one genuine request may send those again under any
Content-Type, which no provider signs."""

import hashlib
import hmac
import json
import struct

import pytest

from hooktest import sign

KEY = "the-secret-that-nobody-else-has"
TYPES = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", None]

# Text that a stranger may bring a provider to put into an event: a name, a title, a message.
PLANTED = "x&id=evt_EVIL&event_id=evt_EVIL&type=payment_approved&event=payment_approved&data=order-1&payload=%5B%5D"
SIGNERS = {
    "checkout-com": lambda body: [("Cko-Signature", hmac.new(KEY.encode(), body, hashlib.sha256).hexdigest())],
    "intercom": lambda body: [("X-Hub-Signature", "sha1=" + hmac.new(KEY.encode(), body, hashlib.sha1).hexdigest())],
    "slack": lambda body: sign.slack(KEY, body)[1:],
    "stripe": lambda body: sign.stripe(KEY, body)[1:],
    "github": lambda body: sign.github(KEY, body, delivery="d-1")[1:],
    "standard": lambda body: sign.standard_webhooks(KEY_64, body, "msg_1")[1:],
}
KEY_64 = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def typed(headers, kind):
    return [(name, value) for name, value in headers if name != "Content-Type"] + \
        ([("Content-Type", kind)] if kind else [])


@pytest.fixture
def planted(site):
    """A site whose handler would take what stands in the planted text."""
    sources = {name: {"provider": "standard-webhooks" if name == "standard" else name, "guard": "no",
                      "secret": KEY_64 if name == "standard" else KEY} for name in SIGNERS}
    return site(sources=sources,
                handlers={"fx": {"sql": "INSERT INTO fx (event_id) VALUES (CONCAT({event:type}, '/', {/data}))"}},
                routes={name: {"provider": name, "handler": "fx"} for name in SIGNERS})


def test_planted_text_makes_no_event_of_its_own(planted):
    """The same bytes sent as a form once held fields; they are JSON however they are sent."""
    body = json.dumps({"id": "evt_1", "event_id": "evt_1", "type": "t", "topic": "t", "created_at": 1,
                       "event": {"type": "t"}, "data": "genuine", "customer": {"name": PLANTED}}).encode()
    signed = {name: signer(body) for name, signer in SIGNERS.items()}
    for name, headers in signed.items():
        assert planted.cgi(name, body, typed(headers, "application/json")).status == 200, name
    before = planted.written()
    assert before["receipt"] == len(SIGNERS)
    for name, headers in signed.items():
        for kind in TYPES:
            assert planted.cgi(name, body, typed(headers, kind)).status == 200, (name, kind)
    assert planted.written() == before
    assert {row["document"] for row in planted.receipts()} == {b"json"}
    planted.process()
    effects = planted.effects()
    assert len(effects) == len(SIGNERS) and all(effect.endswith("/genuine") for effect in effects)


# -- digests that anybody can go on with ---------------------------------------------------------------------------


def _turn(value, n):
    return (value >> n | value << (32 - n)) & 0xFFFFFFFF


def _root(n, prime):
    """32 bits of the fraction of the n-th root."""
    low, high = 0, prime << 40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle ** n <= prime << (32 * n) else (low, middle)
    return low & 0xFFFFFFFF


_K = [_root(3, p) for p in range(2, 312) if all(p % q for q in range(2, p))]


def _sha256_block(state, block):
    w = list(struct.unpack(">16I", block))
    for i in range(16, 64):
        low = _turn(w[i - 15], 7) ^ _turn(w[i - 15], 18) ^ w[i - 15] >> 3
        high = _turn(w[i - 2], 17) ^ _turn(w[i - 2], 19) ^ w[i - 2] >> 10
        w.append((w[i - 16] + low + w[i - 7] + high) & 0xFFFFFFFF)
    a, b, c, d, e, f, g, h = state
    for i in range(64):
        one = h + (_turn(e, 6) ^ _turn(e, 11) ^ _turn(e, 25)) + (e & f ^ ~e & g) + _K[i] + w[i]
        two = (_turn(a, 2) ^ _turn(a, 13) ^ _turn(a, 22)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (one + two) & 0xFFFFFFFF, a, b, c, (d + one) & 0xFFFFFFFF, e, f, g
    return [(x + y) & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d, e, f, g, h))]


def _padding(length):
    return b"\x80" + b"\0" * ((55 - length) % 64) + struct.pack(">Q", length * 8)


def go_on(digest, length, suffix):
    """SHA-256 of something unknown of that length, its padding and the suffix -> (padding, hex digest)."""
    state = list(struct.unpack(">8I", bytes.fromhex(digest)))
    glue = _padding(length)
    tail = suffix + _padding(length + len(glue) + len(suffix))
    for i in range(0, len(tail), 64):
        state = _sha256_block(state, tail[i:i + 64])
    return glue, "".join(f"{word:08x}" for word in state)


def test_the_digest_can_be_gone_on_with():
    glue, digest = go_on(hashlib.sha256(b"secret" + b"body").hexdigest(), 10, b"more")
    assert digest == hashlib.sha256(b"secret" + b"body" + glue + b"more").hexdigest()


@pytest.mark.parametrize("kind", ["application/json", *TYPES])
def test_what_is_put_behind_a_digested_body_is_never_read(site, kind):
    """HubSpot v1 is a plain digest with the secret in front: whoever has seen one can sign a longer body. That is no
    JSON, and must not become a form."""
    s = site(sources={"hubspot-v1": {"provider": "hubspot-v1", "secret": KEY}},
             handlers={"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({/objectId})"}},
             routes={"all": {"provider": "hubspot-v1", "handler": "fx"}})
    body = b'[{"eventId":1,"subscriptionType":"deal.creation","objectId":7,"occurredAt":1790000000000}]'
    digest = hashlib.sha256(KEY.encode() + body).hexdigest()
    suffix = b"&subscriptionType=deal.creation&objectId=EVIL&eventId=9&occurredAt=1790000000000"
    glue, forged = go_on(digest, len(KEY) + len(body), suffix)
    assert s.cgi("hubspot-v1", body, typed([("X-HubSpot-Signature", digest)], "application/json")).status == 200
    before = s.written()
    assert s.cgi("hubspot-v1", body + glue + suffix, typed([("X-HubSpot-Signature", forged)], kind)).status == 422
    assert s.written() == before
    s.process()
    assert s.effects() == ["7"]


def test_what_is_put_behind_a_body_that_needs_no_json_says_nothing(site):
    """Where the id is the body's digest there is a new event, which `weak = body` admits, but without type, object or
    fields."""
    s = site(sources={"hubspot-v2": {"provider": "hubspot-v2", "secret": KEY, "url": "https://x.example/hook"}},
             handlers={"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({/objectId})"}},
             routes={"all": {"provider": "hubspot-v2", "on": "*", "handler": "fx"}})
    body = b'{"objectType":"DEAL","objectId":7}'
    before = KEY.encode() + b"POSThttps://x.example/hook"
    digest = hashlib.sha256(before + body).hexdigest()
    glue, forged = go_on(digest, len(before) + len(body), b"&objectType=DEAL&objectId=EVIL")
    longer = body + glue + b"&objectType=DEAL&objectId=EVIL"
    assert s.cgi("/hook/hubspot-v2", body, [("X-HubSpot-Signature", digest)]).status == 200
    for kind in TYPES:
        assert s.cgi("/hook/hubspot-v2", longer, typed([("X-HubSpot-Signature", forged)], kind)).status == 200
    rows = sorted((row["event_type"], row["object_key"]) for row in s.receipts())
    assert rows == [(b"", None), (b"DEAL", b"7")]
    s.hookonce("process", "--once")
    assert s.effects() == ["7"]
