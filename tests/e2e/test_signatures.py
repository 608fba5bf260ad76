"""What counts as a signature: several of them, several secrets, spellings, and attempts to choose a weaker one."""

import base64
import hashlib
import hmac
import itertools
import time

import pytest

from hooktest import events, sign

A, B, C = "whsec_c2VjcmV0LWE=", "whsec_c2VjcmV0LWI=", "whsec_c2VjcmV0LWM="
OWN_SECRET = "a site's own secret"
OWN_RECIPES = """
[recipe acme]
title = Acme, as its own site describes it
sig = header:X-Acme-Signature ; strip sha256=
alg = hmac-sha256
enc = hex-any
signed = {body}
id = {header:X-Acme-Id}
type = {header:X-Acme-Event}
needs = X-Acme-Id

[recipe acme64]
like = acme
enc = base64

[recipe acme-strict]
like = acme
enc = hex
"""


@pytest.fixture(scope="module")
def served(module_site):
    """A site with two secrets at its stripe source, and recipes of its own."""
    return module_site(
        server="lighttpd", files={"own-recipes.conf": OWN_RECIPES}, routes={},
        settings={"hookonce": {"recipes": "own-recipes.conf"}},
        sources={
            "stripe": {"provider": "stripe", "secret": [A, B]},
            "github": {"provider": "github", "secret": "github test secret"},
            **{name: {"provider": name, "secret": OWN_SECRET} for name in ("acme", "acme64", "acme-strict")},
        })


def v1(body, t, secret=A):
    return sign.stripe_v1(secret, body, t)


def test_any_good_v1_among_several_is_enough__O_SIG_01(served):
    body, t = events.stripe("evt_sig01"), int(time.time())
    good = v1(body, t)
    entries = ["v1=zz", "v1=" + "0" * 64, "v1=" + good]
    for order in itertools.permutations(entries):
        header = ",".join([f"t={t}", *order, "v0=" + good])
        assert served.post("stripe", body, [("Stripe-Signature", header)]).status == 200, header
    assert served.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = 'evt_sig01'") == 1


def test_other_schemes_never_count__O_SIG_01(served):
    body, t = events.stripe("evt_sig01b"), int(time.time())
    before = served.written()
    header = f"t={t},v1=zz,v1={'0' * 64},v0={v1(body, t)},v2={v1(body, t)}"
    assert served.post("stripe", body, [("Stripe-Signature", header)]).status == 401
    assert served.written() == before


def test_two_secrets_behind_one_url_and_no_third__O_SIG_02(served):
    for secret, status in ((A, 200), (B, 200), (C, 401)):
        assert served.deliver("stripe", events.stripe("evt_by_" + secret[-6:]), secret=secret).status == status
    rows = served.sql("SELECT event_id, secret_no FROM hookonce_receipt WHERE event_id LIKE 'evt_by_%' ORDER BY 2")
    assert [r["secret_no"] for r in rows] == [1, 2]
    log = served.log_text()
    assert not any(secret in log for secret in (A, B, C))


def acme(served, source, value, event_id):
    """Posts to one of the own recipes with a given signature header -> status."""
    headers = [("X-Acme-Signature", value), ("X-Acme-Id", event_id), ("X-Acme-Event", "made"),
               ("Content-Type", "application/json")]
    return served.post(source, b'{"n":1}', headers).status


def test_spellings_of_one_digest__O_SIG_03(served):
    digest = hmac.new(OWN_SECRET.encode(), b'{"n":1}', hashlib.sha256)
    hexa, b64 = digest.hexdigest(), base64.b64encode(digest.digest()).decode()
    cases = [
        ("acme", "sha256=" + hexa, 200), ("acme", "sha256=" + hexa.upper(), 200),
        ("acme", "sha256= " + hexa, 200), ("acme64", "sha256=" + b64, 200),
        ("acme", "sha256=" + hexa[:-1], 401), ("acme", "sha256=" + hexa + "00", 401),
        ("acme", "sha256=" + b64, 401), ("acme64", "sha256=" + hexa, 401),
        ("acme64", "sha256=" + b64.rstrip("="), 401), ("acme-strict", "sha256=" + hexa, 200),
        ("acme-strict", "sha256=" + hexa.upper(), 401), ("acme", hexa, 401),
    ]
    got = [(source, value, acme(served, source, value, f"acme-{n}"))
           for n, (source, value, _) in enumerate(cases)]
    assert got == cases


def test_the_source_fixes_header_and_algorithm__O_SIG_04(served):
    body = events.github()
    key, t = "github test secret", int(time.time())
    sha1 = "sha1=" + hmac.new(key.encode(), body, hashlib.sha1).hexdigest()
    event = [("X-GitHub-Event", "push"), ("X-GitHub-Delivery", "d-sig04"), ("Content-Type", "application/json")]
    stripe_body = events.stripe("evt_sig04")
    only_v0 = f"t={t},v0={v1(stripe_body, t)}"
    before = served.written()
    requests = [
        ("github", body, event + [("X-Hub-Signature", sha1)], {"header missing"}),
        ("github", body, event + [("X-Hub-Signature-256", sha1)], {"no acceptable signature", "header malformed"}),
        ("github", body, event + [("X-Hub-Signature-256", "")], {"header missing"}),
        ("github", body, event, {"header missing"}),
        ("stripe", stripe_body, [("Stripe-Signature", only_v0)], {"no acceptable signature"}),
    ]
    for source, content, headers, reasons in requests:
        assert served.post(source, content, headers).status == 401, headers
        assert served.log_lines(event="rejected")[-1]["reason"] in reasons, headers
    assert served.post("github", body, served.signed("github", body, secret="another one")).status == 401
    assert served.log_lines(event="rejected")[-1]["reason"] == "signature mismatch"
    assert served.written() == before
