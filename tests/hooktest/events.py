"""Small bodies in the shape of each provider's, as bytes, with the fields that tests turn."""

import json
import uuid


def _bytes(tree):
    return json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode()


def stripe(event_id=None, kind="checkout.session.completed", object_id=None, created=1790000000,
           **more):
    """A Stripe event; `more` replaces or adds top-level fields (pending_webhooks, account, …)."""
    event_id = event_id or "evt_" + uuid.uuid4().hex[:24]
    tree = {"id": event_id, "object": "event", "api_version": "2026-08-27", "created": created,
            "data": {"object": {"id": object_id or "cs_" + event_id, "object": "checkout.session",
                                "payment_status": "paid", "client_reference_id": "1001"}},
            "livemode": False, "pending_webhooks": 1, "type": kind}
    tree.update(more)
    return _bytes(tree)


def github(ref="refs/heads/main", **more):
    """A push; the delivery id and the event's name are headers (see sign.github)."""
    tree = {"ref": ref, "after": uuid.uuid4().hex, "repository": {"id": 4711, "full_name": "acme/shop"}}
    tree.update(more)
    return _bytes(tree)


def shopify(order_id=820982911946154508, **more):
    """An order."""
    tree = {"id": order_id, "email": "jon@example.com", "total_price": "254.98",
            "note": uuid.uuid4().hex}
    tree.update(more)
    return _bytes(tree)


def slack(event_id=None, kind="app_mention", **more):
    """An event callback."""
    tree = {"token": "x", "team_id": "T0001", "api_app_id": "A0001", "type": "event_callback",
            "event_id": event_id or "Ev" + uuid.uuid4().hex[:9].upper(), "event_time": 1790000000,
            "event": {"type": kind, "user": "U0001", "text": "hello", "ts": "1790000000.000100",
                      "channel": "C0001"}}
    tree.update(more)
    return _bytes(tree)


def standard(kind="invoice.paid", **more):
    """An event of the Standard Webhooks form; its id is a header."""
    tree = {"type": kind, "timestamp": "2026-09-21T12:00:00.000Z", "data": {"id": "in_1"}}
    tree.update(more)
    return _bytes(tree)
