"""Signatures as the providers make them, each a function (secret, body, …) -> list of header pairs.

Written from the providers' documentation, and independent of the code under test.
"""

import base64
import hashlib
import hmac
import json
import time
import urllib.parse
import uuid


def _mac(key, data, algorithm=hashlib.sha256):
    return hmac.new(key, data, algorithm)


def _key(secret):
    return secret.encode() if isinstance(secret, str) else secret


def stripe_v1(secret, body, t):
    """The hex value behind v1= for a time t."""
    return _mac(_key(secret), str(t).encode() + b"." + body).hexdigest()


def stripe(secret, body, t=None):
    """Stripe-Signature. `secret` may be a list: one v1 for each, as during a rotation."""
    t = int(time.time()) if t is None else int(t)
    secrets = secret if isinstance(secret, (list, tuple)) else [secret]
    value = ",".join([f"t={t}"] + [f"v1={stripe_v1(s, body, t)}" for s in secrets])
    return [("Content-Type", "application/json; charset=utf-8"), ("Stripe-Signature", value)]


def github(secret, body, event="push", delivery=None, sha1=False, content_type="application/json"):
    """X-Hub-Signature-256 with the event's name and delivery id; sha1=True adds the legacy header."""
    pairs = [("Content-Type", content_type), ("User-Agent", "GitHub-Hookshot/abc123"),
             ("X-GitHub-Event", event), ("X-GitHub-Delivery", delivery or str(uuid.uuid4()))]
    if sha1:
        pairs.append(("X-Hub-Signature", "sha1=" + _mac(_key(secret), body, hashlib.sha1).hexdigest()))
    pairs.append(("X-Hub-Signature-256", "sha256=" + _mac(_key(secret), body).hexdigest()))
    return pairs


def shopify(secret, body, topic="orders/create", webhook_id=None, shop="acme.myshopify.com",
            triggered_at="2026-09-21T12:00:00.000000000Z", prefix="X-Shopify-"):
    """X-Shopify-Hmac-Sha256 and its companions; prefix="Shopify-" for the form without X-."""
    mac = base64.b64encode(_mac(_key(secret), body).digest()).decode()
    return [("Content-Type", "application/json"), (prefix + "Topic", topic),
            (prefix + "Shop-Domain", shop), (prefix + "Webhook-Id", webhook_id or str(uuid.uuid4())),
            (prefix + "Triggered-At", triggered_at), (prefix + "Hmac-Sha256", mac)]


def slack(secret, body, t=None, content_type="application/json"):
    """X-Slack-Signature over v0:time:body."""
    t = int(time.time()) if t is None else int(t)
    mac = _mac(_key(secret), f"v0:{t}:".encode() + body).hexdigest()
    return [("Content-Type", content_type), ("X-Slack-Request-Timestamp", str(t)),
            ("X-Slack-Signature", "v0=" + mac)]


def svix_key(secret):
    """The key bytes of a whsec_ secret: base64 behind the prefix, which may be missing."""
    return base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret)


def standard_webhooks(secret, body, message_id=None, t=None, prefix="webhook-"):
    """webhook-id, -timestamp and -signature; `secret` may be a list: one v1 for each."""
    t = int(time.time()) if t is None else int(t)
    message_id = message_id or "msg_" + uuid.uuid4().hex
    secrets = secret if isinstance(secret, (list, tuple)) else [secret]
    signed = f"{message_id}.{t}.".encode() + body
    value = " ".join("v1," + base64.b64encode(_mac(svix_key(s), signed).digest()).decode() for s in secrets)
    return [("Content-Type", "application/json"), (prefix + "id", message_id),
            (prefix + "timestamp", str(t)), (prefix + "signature", value)]


def svix(secret, body, message_id=None, t=None):
    """The same under the names that Svix and Clerk send."""
    return standard_webhooks(secret, body, message_id, t, prefix="svix-")


def razorpay(secret, body, event_id=None):
    """X-Razorpay-Signature, with the event's id in a header of its own."""
    return [("Content-Type", "application/json"), ("X-Razorpay-Event-Id", event_id or uuid.uuid4().hex[:14]),
            ("X-Razorpay-Signature", _mac(_key(secret), body).hexdigest())]


def paddle(secret, body, t=None, form="ts={t};h1={h1}"):
    """Paddle-Signature; `form` is how its parts are put together."""
    t = int(time.time()) if t is None else int(t)
    h1 = _mac(_key(secret), f"{t}:".encode() + body).hexdigest()
    return [("Content-Type", "application/json"), ("Paddle-Signature", form.format(t=t, h1=h1))]


def twilio(secret, body, url, token=None, algorithm=hashlib.sha1):
    """X-Twilio-Signature over URL and form; `token` is the idempotency token, None leaves it out."""
    fields = {}
    for name, value in urllib.parse.parse_qsl(body.decode(), keep_blank_values=True):
        fields.setdefault(name, set()).add(value)
    text = url + "".join(name + value for name in sorted(fields, key=str.encode)
                         for value in sorted(fields[name], key=str.encode))
    mac = base64.b64encode(_mac(_key(secret), text.encode(), algorithm).digest()).decode()
    pairs = [("Content-Type", "application/x-www-form-urlencoded"), ("X-Twilio-Signature", mac)]
    return pairs + ([("I-Twilio-Idempotency-Token", token)] if token else [])


def mailgun_fields(secret, t=None, token=None):
    """timestamp, token and signature, as they stand in the body."""
    t = str(int(time.time()) if t is None else int(t))
    token = token or (uuid.uuid4().hex * 2)[:50]
    return {"timestamp": t, "token": token, "signature": _mac(_key(secret), (t + token).encode()).hexdigest()}


def mailgun(secret, event, **more):
    """A whole JSON body for event data (text or dict); `more` goes to mailgun_fields -> (headers, body)."""
    data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
    body = '{"signature": %s,\n "event-data": %s}' % (json.dumps(mailgun_fields(secret, **more)), data)
    return [("Content-Type", "application/json")], body.encode()


def grid(secret, body):
    """X-Grid-Signature, of the provider in grid.py."""
    return [("Content-Type", "application/json"), ("X-Grid-Signature", _mac(_key(secret), body).hexdigest())]


BY_PROVIDER = {
    "stripe": stripe, "github": github, "shopify": shopify, "slack": slack,
    "standard-webhooks": standard_webhooks, "clerk": svix, "svix": svix, "razorpay": razorpay,
    "paddle": paddle, "grid": grid,
}
