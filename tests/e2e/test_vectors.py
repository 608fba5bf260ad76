"""Requests signed by the providers' official libraries, through the real program as plain CGI.

Each vector has a source of its own, whose scope is the source: nothing that one of them writes can
answer for another.
"""

import base64
import datetime
import hashlib
import json
import os

import pytest

from hooktest import PROJECT

RECIPES = {"standardwebhooks": "standard-webhooks"}
FILES = ("stripe", "github", "shopify", "slack", "clerk", "standardwebhooks", "mailgun", "paddle", "razorpay",
         "supabase", "twilio")

# What the log says, by the vectors' reason. Where a header is broken and wrong as well, one word may
# stand for the other.
_BROKEN = {"header malformed", "signature mismatch", "no acceptable signature", "header duplicate"}
WORDS = {
    "bad-signature": _BROKEN, "malformed-header": _BROKEN, "no-supported-scheme": _BROKEN,
    "duplicate-header": _BROKEN, "stale-timestamp": {"timestamp too old"},
    "future-timestamp": {"timestamp in the future"}, "missing-header": {"header missing"},
    "empty-body": {"empty body"}, "missing-signature-field": {"header missing"},
    "body-hash-mismatch": {"check failed"},
}

# What an event is called whose request names no id, where that is not the body's digest.
_TOKEN = b"c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee0012"
OWN_IDS = {
    "no-idempotency-token-header": b"SMtest00000000000000000000000000001-received",
    "route-raw-mime-form-with-8-bit-bytes": _TOKEN,
}


def _load():
    found = []
    for name in FILES:
        with open(os.path.join(PROJECT, "tests", "vectors", name + ".json"), encoding="utf-8") as f:
            found += [(f"{name}-{number:02}", vector) for number, vector in enumerate(json.load(f))]
    return found


VECTORS = _load()


def _section(vector):
    """The keys of a vector's source."""
    provider = RECIPES.get(vector["provider"], vector["provider"])
    if vector["name"].startswith("ed25519-"):
        provider += "-ed25519"
    keys = {"provider": provider, "scope": "source", "secret": vector["secrets"]}
    return {**keys, "url": vector["url"]} if vector.get("url") else keys


@pytest.fixture(scope="module")
def served(module_site):
    """One site with a source for each vector."""
    return module_site(sources={source: _section(v) for source, v in VECTORS}, routes={})


def test_every_vector_is_here():
    assert len(VECTORS) == 304


def the_request(source, vector):
    """Path and query for the receiver; only the source's name differs from what was signed."""
    query = vector["request"]["query"]
    return f"/hookonce.fcgi/{source}?{query}" if query else source


@pytest.mark.parametrize("source,vector", VECTORS, ids=[f"{s}-{v['name']}" for s, v in VECTORS])
def test_vector(served, source, vector):
    request, expect = vector["request"], vector["expect"]
    body = base64.b64decode(request["body_b64"])
    before = served.written()
    answer = served.cgi(the_request(source, vector), body, request["headers"], method=request["method"],
                        now=vector["now"])
    rows = served.sql("SELECT * FROM hookonce_receipt WHERE provider = %s", source)

    if expect["verdict"] == "reject":
        assert 400 <= answer.status < 500
        assert served.written() == before
        assert served.log_lines(source=source)[-1]["reason"] in WORDS[expect["reason"]]
        return
    assert answer.status == 200
    if expect["verdict"] == "handshake" and expect["reason"] != "ping":
        assert served.written() == before
        assert served.log_lines(source=source)[-1]["event"] == "handshake"
        return
    assert len(rows) == 1
    row = rows[0]
    if expect["event_id"] is not None:
        assert row["event_id"] == expect["event_id"].encode()
    else:
        assert row["event_id"] == OWN_IDS.get(vector["name"], hashlib.sha256(body).hexdigest().encode())
    assert row["event_type"] == (expect["event_type"] or "").encode()
    if expect["occurred_at"] is None:
        assert row["occurred_at"] is None
    else:
        when = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=expect["occurred_at"])
        assert row["occurred_at"].replace(microsecond=0) == when
    assert (row["body_len"], row["body_sha256"]) == (len(body), hashlib.sha256(body).digest())
    stored = b"".join(r["bytes"] for r in served.sql(
        "SELECT bytes FROM hookonce_body WHERE correlation_id = %s ORDER BY part", row["correlation_id"]))
    assert stored == body
    assert served.value("SELECT COUNT(*) FROM hookonce_job WHERE correlation_id = %s",
                        row["correlation_id"]) == 1
