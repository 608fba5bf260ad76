"""URLs as handlers: what is posted, which answers count for what, and the same key whatever happens."""

import base64
import hashlib
import hmac
import json
import os
import time

import pytest

from hooktest import events, wait_until
from hooktest.downstream import HANG_UP
from hooktest.flow import arrive, attempts, expire, join, make_due
from hooktest.halt import stands
from hooktest.keyserver import KeyServer

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
GITHUB = {"github": {"provider": "github", "secret": "github test secret"}}
SIGN_KEY = b"a key of thirty-two bytes, or so"
RETRY = {"retry": "4 tries, 1h"}


def url_site(site, server, handler=(), route=(), sources=None, **more):
    """One source, one route to one URL of the server."""
    sources = sources or STRIPE
    url = server if isinstance(server, str) else server.url("/in?tenant=7")
    return site(sources=sources, handlers={"h": {"url": url, **dict(handler)}},
                routes={"r": {"provider": next(iter(sources)), "handler": "h", **RETRY, **dict(route)}}, **more)


def only_job(s):
    """The only job's row."""
    job, = s.jobs()
    return job


# ---- what is posted --------------------------------------------------------------------------------

def test_a_url_gets_the_body_the_contract_and_a_signature(site, downstream):
    there = downstream()
    s = url_site(site, there, {"sign_with": "file:sign.key", "header": ["X-Tenant: acme", "X-Token: file:token"],
                               "auth": "bearer file:bearer"},
                 files={"sign.key": "whsec_" + base64.b64encode(SIGN_KEY).decode() + "\n", "token": "t0ken\n",
                        "bearer": "b3arer\n"})
    body = events.stripe("evt_1", object_id="cs_1", created=1790000000)
    arrive(s, body)
    s.process()
    assert only_job(s)["outcome"] == "done"
    got, = there.requests
    assert (got.method, got.path, got.body) == ("POST", "/in?tenant=7", body)
    key = got.headers["idempotency-key"]
    assert len(key) == 64 and set(key) <= set("0123456789abcdef")
    mine = {n: v for n, v in got.headers.items() if n.startswith("x-") or n in ("authorization", "content-type")}
    assert mine == {
        "content-type": "application/json; charset=utf-8", "authorization": "Bearer b3arer", "x-tenant": "acme",
        "x-token": "t0ken", "x-hookonce-provider": "stripe", "x-hookonce-source": "stripe",
        "x-hookonce-id": "evt_1", "x-hookonce-type": "checkout.session.completed", "x-hookonce-object": "cs_1",
        "x-hookonce-occurred-at": "2026-09-21T14:13:20.000000Z", "x-hookonce-idempotency-key": key,
        "x-hookonce-correlation-id": only_job(s)["correlation_id"], "x-hookonce-attempt": "1",
    }
    stamp = got.headers["webhook-timestamp"]
    assert abs(int(stamp) - time.time()) < 30 and got.headers["webhook-id"] == key
    mac = hmac.new(SIGN_KEY, f"{key}.{stamp}.".encode() + body, hashlib.sha256).digest()
    assert got.headers["webhook-signature"] == "v1," + base64.b64encode(mac).decode()


def test_no_value_begins_a_header_of_its_own(site, downstream):
    there = downstream()
    s = url_site(site, there)
    arrive(s, events.stripe("evt_1", kind="a\r\nX-Evil: 1 é %41"))
    s.process()
    got, = there.requests
    assert got.headers["x-hookonce-type"] == "a%0D%0AX-Evil: 1 %C3%A9 %2541"
    assert "x-evil" not in got.headers


@pytest.mark.parametrize("size", [131_072, 5_000_000])
def test_a_body_of_any_size_is_posted(site, downstream, size):
    there = downstream()
    s = url_site(site, there, sources=GITHUB)
    body = events.github(pad="x" * size)
    arrive(s, body, source="github")
    s.process()
    assert hashlib.sha256(there.requests[0].body).digest() == hashlib.sha256(body).digest()


# ---- answers ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("answer, state, outcome, tries, error", [
    (200, "done", "done", 1, None),
    (204, "done", "done", 1, None),
    ((400, b"\nno such field\nmore"), "ready", "failed", 1, "the server answers with status 400: no such field"),
    (500, "ready", "failed", 1, "the server answers with status 500"),
    ((302, b"", {"Location": "http://127.0.0.1:9/"}), "ready", "failed", 1,
     "the server answers with status 302 (redirects are not followed)"),
    (429, "ready", "failed", 1, "the server cannot now: status 429"),
    (410, "dead", "handler gave up", 1, "the server refuses the event for good: status 410"),
    ((422, b"bad"), "dead", "handler gave up", 1, "the server refuses the event for good: status 422: bad"),
])
def test_answers_mean_what_the_manual_says(site, downstream, answer, state, outcome, tries, error):
    there = downstream(answer)
    s = url_site(site, there)
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    job = only_job(s)
    assert (job["state"], job["outcome"], job["tries"], job["last_error"]) == (state, outcome, tries, error)
    assert len(there.requests) == 1
    assert "no such field" not in s.log_text()  # what others answer is not for the log


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_honoured_and_uses_no_try(site, downstream, status):
    there = downstream(200, script=[(status, b"", {"Retry-After": "2"})] * 2)
    s = url_site(site, there, route={"retry": "1 try"})
    arrive(s, events.stripe("evt_1"))
    worker = s.start_processor("--for", "200s")
    wait_until(lambda: only_job(s)["state"] == "done", 20, "it is done")
    worker.stop()
    first, second, third = s.sql("SELECT started_at, ended_at FROM hookonce_attempt ORDER BY claim_no")
    for one, other in ((first, second), (second, third)):  # by one clock
        assert (other["started_at"] - one["started_at"]).total_seconds() > 1.9
    assert only_job(s)["tries"] == 1
    assert [o for _, o in attempts(s)] == ["deferred", "deferred", "done"]
    assert len(set(there.headers("Idempotency-Key"))) == 1
    assert there.headers("X-Hookonce-Attempt") == ["1", "1", "1"]


def test_a_long_retry_after_is_a_try_and_the_next_is_not_before(site, downstream):
    there = downstream((503, b"", {"Retry-After": "7200"}))
    s = url_site(site, there)
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert (only_job(s)["state"], only_job(s)["tries"]) == ("ready", 1)
    left = s.value("SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), run_at) FROM hookonce_job")
    assert 7150 < left <= 7200


def test_a_timeout_is_in_doubt_and_the_next_try_has_the_same_key(site, downstream):
    there = downstream(200)
    there.script.append(there.late(60))
    s = url_site(site, there, {"timeout": "1s"})
    arrive(s, events.stripe("evt_1"))
    s.process()
    there.wait(1)  # it may come to read it behind the timeout
    job = only_job(s)
    assert (job["state"], job["tries"]) == ("ready", 1) and job["last_error"].startswith("no answer in its time (timeout ")
    make_due(s)
    s.process()
    assert only_job(s)["outcome"] == "done"
    assert attempts(s) == [(1, "outcome unknown"), (2, "done")]
    first, second = there.headers("Idempotency-Key")
    assert first == second and there.headers("X-Hookonce-Attempt") == ["1", "2"]


def test_a_sibling_of_one_that_timed_out_is_not_asked_for_and_all_is_under_one_key(site, downstream):
    there = downstream(200)
    there.script.append(there.late(60))
    s = url_site(site, there, {"timeout": "1s"}, {"once_per": "{/data/object/id}"})
    arrive(s, events.stripe("evt_1", object_id="cs_1"))
    s.process()
    there.wait(1)
    arrive(s, events.stripe("evt_2", object_id="cs_1"))
    s.process()
    assert [(j["state"], j["waiting_for"]) for j in s.jobs()] == [("ready", None), ("ready", "owner")]
    assert len(there.requests) == 1, "the key is its owner's, who may have acted"
    for _ in range(2):
        make_due(s)
        s.process()
    assert [j["outcome"] for j in s.jobs()] == ["done", "already done"]
    first, second = there.headers("Idempotency-Key")
    assert first == second and there.headers("X-Hookonce-Id") == ["evt_1", "evt_1"]


def test_who_hangs_up_or_does_not_listen_fails_a_try(site, downstream):
    there = downstream(200, script=[HANG_UP])
    s = url_site(site, there, route={"retry": "3 tries, 1h"})
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert only_job(s)["last_error"].startswith("no answer: ")
    there.stop()
    make_due(s)
    s.process()
    assert "Failed to connect" in only_job(s)["last_error"]
    assert [o for _, o in attempts(s)] == ["outcome unknown", "failed"]


# ---- workers that vanish ---------------------------------------------------------------------------

def test_a_worker_that_dies_between_the_effect_and_its_mark_repeats_it_under_the_same_key(site, downstream):
    there = downstream(200)
    s = url_site(site, there)
    arrive(s, events.stripe("evt_1"))
    worker = []
    there.script.append(lambda _: (wait_until(lambda: worker, 5), worker[0].kill9(), HANG_UP)[-1])
    worker.append(s.start_processor())
    there.wait(1)
    wait_until(lambda: not worker[0].alive(), 10, "the worker is dead")
    assert (only_job(s)["state"], only_job(s)["tries"]) == ("running", 1)
    expire(s)
    s.process()
    assert only_job(s)["outcome"] == "done"
    first, second = there.headers("Idempotency-Key")
    assert first == second and there.headers("X-Hookonce-Attempt") == ["1", "2"]
    assert there.requests[0].body == there.requests[1].body


def test_a_frozen_worker_whose_job_was_taken_over_changes_nothing_when_it_wakes(site, downstream):
    there = downstream(200)
    s = url_site(site, there)
    arrive(s, events.stripe("evt_1"))
    worker = []
    there.script.append(lambda _: (wait_until(lambda: worker, 5), worker[0].pause(), 200)[-1])
    worker.append(s.start_processor())
    wait_until(lambda: worker and stands(worker[0].pid), 10, "the worker stands still")
    expire(s)
    join(site, s).process()  # another host
    assert only_job(s)["outcome"] == "done"
    worker[0].resume()
    wait_until(lambda: s.log_lines(event="lease_lost"), 10, "it sees that its lease is lost")
    worker[0].stop()
    assert (only_job(s)["outcome"], only_job(s)["tries"]) == ("done", 2)
    assert len(set(there.headers("Idempotency-Key"))) == 1 and len(there.requests) == 2


# ---- TLS and secrets -------------------------------------------------------------------------------

def test_a_certificate_must_be_known(site, downstream, base):
    keys = KeyServer(os.path.join(base, "tls"))
    there = downstream(200, context=keys.context)
    s = url_site(site, there)
    arrive(s, events.stripe("evt_1"))
    s.process()
    assert "certificate" in only_job(s)["last_error"] and not there.requests
    assert attempts(s) == [(1, "failed")]
    s.settings = {"hookonce": {"ca_file": keys.ca}}
    s.configure()
    make_due(s)
    s.process()
    assert only_job(s)["outcome"] == "done" and len(there.requests) == 1
    s.handlers["h"]["url"] = there.url("/").replace("localhost", "127.0.0.1")  # another name than it certifies
    s.configure()
    arrive(s, events.stripe("evt_2"))
    s.process()
    assert "certificate" in s.jobs()[1]["last_error"] or "host name" in s.jobs()[1]["last_error"]
    assert len(there.requests) == 1


def test_secrets_stay_in_their_files_and_a_new_one_counts_at_once(site, downstream):
    there = downstream(500)
    s = url_site(site, there, {"auth": "basic file:login", "header": "X-Token: file:token",
                               "sign_with": "file:sign.key"},
                 files={"login": "me:secret-one", "token": "secret-two",
                        "sign.key": "whsec_" + base64.b64encode(b"secret-three-secret-three").decode()})
    arrive(s, events.stripe("evt_1"))
    s.process()
    s.write("token", "secret-four")
    os.remove(s.path("login"))
    make_due(s)
    s.process()
    assert s.path("login") in only_job(s)["last_error"] and len(there.requests) == 1  # nothing was sent without it
    s.write("login", "me:secret-five")
    make_due(s)
    s.process()
    assert there.headers("X-Token") == ["secret-two", "secret-four"]
    assert base64.b64decode(there.headers("Authorization")[1].split()[1]) == b"me:secret-five"
    everything = s.log_text() + json.dumps(s.jobs() + s.sql("SELECT * FROM hookonce_attempt"), default=str)
    assert "secret-" not in everything and base64.b64encode(b"me:secret-one").decode() not in everything


def test_a_handler_without_network_does_not_stop_its_neighbours(site, downstream):
    there = downstream(200)
    s = site(sources=STRIPE, handlers={"off": {"url": "http://127.0.0.1:1/"}, "on": {"url": there.url()}},
             routes={"a": {"provider": "stripe", "on": "a", "handler": "off", **RETRY},
                     "b": {"provider": "stripe", "on": "b", "handler": "on"}})
    arrive(s, *(events.stripe(f"evt_{n}", kind="ab"[n % 2]) for n in range(10)))
    s.process()
    assert [j["state"] for j in s.jobs()] == ["ready", "done"] * 5
