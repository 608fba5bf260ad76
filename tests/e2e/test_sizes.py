"""GitHub's largest payloads through each way a site can be served, and what the receivers hold afterwards."""

import glob
import hashlib
import os

import pytest

from hooktest import SERVERS, events, sign, wait_until

MB = 1024 * 1024
CAP = 25 * MB
GROWTH_KB = 8 * 1024


# The two that are left out differ from others in here only in what they configure.
@pytest.fixture(scope="module", params=[s for s in SERVERS if s not in ("lighttpd-socket", "htaccess-proxy")])
def served(request, module_site):
    """One site behind each of the servers, with a single receiver where the server takes that."""
    pooled = request.param in ("nginx", "apache-proxy")
    more = {"procs": 1} if pooled or request.param == "lighttpd" else {}
    got = module_site(server=(request.param, more), routes={})
    got.persistent = pooled or request.param in ("lighttpd", "apache-fcgid", "htaccess-fcgid")
    yield got
    got.close()


def memory_kb(s):
    """Of the site's receivers that run."""
    total = 0
    for exe in glob.glob("/proc/[0-9]*/exe"):
        try:
            if os.readlink(exe) in (s.receiver, s.path("www/hook/hookonce.fcgi")):
                with open(os.path.dirname(exe) + "/status", encoding="ascii") as f:
                    total += next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))
        except (OSError, StopIteration):
            continue  # it has ended meanwhile
    return total


def memory_at_rest(s):
    """The same once it is clear whether a receiver stays, or ends behind its answer."""
    return wait_until(lambda: (memory_kb(s) > 0) == s.persistent and (memory_kb(s),), 10, "it stays, or ends")[0]


def deliver(s, size):
    """A genuine push of that many bytes -> (status, body, delivery id)."""
    body = events.github(padding="")
    body = events.github(padding="x" * (size - len(body)))
    assert len(body) == size
    delivery = f"size-{size}-{os.urandom(4).hex()}"
    status = s.post("github", body, sign.github(s.secrets["github"][0], body, delivery=delivery), limit_s=90).status
    s.import_spooled()
    return status, body, delivery


def test_every_size_that_github_sends_is_taken_whole__O_GH_03(served):
    assert deliver(served, 1000)[0] == 200
    before = memory_at_rest(served)
    for size in (457_522, 5 * MB, CAP):
        status, body, delivery = deliver(served, size)
        assert status == 200, size
        row = served.sql("SELECT * FROM hookonce_receipt WHERE event_id = %s", delivery)[0]
        assert (row["body_len"], row["body_sha256"]) == (size, hashlib.sha256(body).digest())
        digest = hashlib.sha256()
        for part in served.sql("SELECT bytes FROM hookonce_body WHERE correlation_id = %s ORDER BY part", row["correlation_id"]):
            digest.update(part["bytes"])
        assert digest.digest() == row["body_sha256"]
    written = served.written()
    assert deliver(served, CAP + 1)[0] == 413
    assert deliver(served, 26 * MB)[0] == 413
    assert served.written() == written
    assert deliver(served, 1000)[0] == 200
    assert memory_at_rest(served) <= before + GROWTH_KB
