"""Shopify's compliance topics and its two ids."""

import base64
import hashlib
import hmac

import pytest

from hooktest import events, sign

SECRET = "shopify-client-secret-1"
BY_EVENT = """
[recipe shopify-by-event]
like = shopify
id = {header:X-Shopify-Event-Id}
"""


@pytest.fixture(scope="module")
def served(module_site):
    """A site with Shopify's recipe and one of its own that keys on the shop's event."""
    return module_site(files={"own.conf": BY_EVENT}, settings={"hookonce": {"recipes": "own.conf"}}, sources={
        "shopify": {"provider": "shopify", "secret": SECRET},
        "by-event": {"provider": "shopify-by-event", "secret": SECRET}})


TOPICS = ("customers/data_request", "customers/redact", "shop/redact")


def test_compliance_topics_are_taken_when_genuine_and_401_when_not__O_SH_01(served):
    before = served.written()
    for topic in TOPICS:
        body = events.shopify(topic=topic)
        assert served.cgi("shopify", body, sign.shopify("another", body, topic=topic)).status == 401
        assert served.cgi("shopify", body, sign.shopify(SECRET, body, topic=topic)).status == 200
    assert served.written(before) == {"receipt": 3, "body": 3, "job": 3}
    assert [r["event_type"].decode() for r in served.receipts()[-3:]] == list(TOPICS)


def test_a_digest_in_hex_is_no_signature__O_SH_01(served):
    body, before = events.shopify(), served.written()
    digest = hmac.new(SECRET.encode(), body, hashlib.sha256).digest()
    good = sign.shopify(SECRET, body)
    assert good[-1] == ("X-Shopify-Hmac-Sha256", base64.b64encode(digest).decode())
    assert served.cgi("shopify", body, good[:-1] + [("X-Shopify-Hmac-Sha256", digest.hex())]).status == 401
    assert served.written() == before


def deliveries(served, source):
    """W1/E1 twice, then the same shop's event to another subscription, W2/E1 -> {id: duplicates}."""
    body, before = events.shopify(), served.written()
    for webhook in ("W1", "W1", "W2"):
        headers = sign.shopify(SECRET, body, webhook_id=webhook) + [("X-Shopify-Event-Id", "E1")]
        assert served.cgi(source, body, headers).status == 200
    assert "conflict" not in served.written(before)
    served.process()
    return {r["event_id"].decode(): r["duplicates"] for r in served.receipts() if r["provider"] == source.encode()
            and r["event_id"].startswith((b"W", b"E"))}


def test_each_subscriptions_delivery_is_an_event__O_SH_02(served):
    assert deliveries(served, "shopify") == {"W1": 1, "W2": 0}
    assert [served.effects().count(i) for i in ("W1", "W2")] == [1, 1]


def test_a_sites_recipe_may_key_on_the_shops_event__O_SH_02(served):
    assert deliveries(served, "by-event") == {"E1": 2}
    assert served.effects().count("E1") == 1
