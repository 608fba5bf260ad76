"""The processor without cron: an address that starts it, and passes behind the answer."""

import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hooktest import events
from hooktest.paths import BUILD
from hooktest.proc import wait_until

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE="}}
URL = "https://example.org/hookonce.fcgi"


def make(site, server=None, processor=None, **more):
    return site(sources=STRIPE, server=server, settings={"hookonce": {"url": URL}, "processor": processor or {}},
                **more)


def ticket_of(s, *arguments, **more):
    """A ticket as `hookonce tick-url` prints it."""
    said = s.hookonce("tick-url", *arguments, check=True, **more).stdout.decode()
    got = re.fullmatch(re.escape(URL) + r"/tick\?ticket=(tick\.\d+\.[0-9a-f]+\.[0-9a-f]{64})\n", said)
    assert got, said
    return got.group(1)


def deliver(s):
    body = events.stripe()
    got = s.deliver("stripe", body) if s.server else s.cgi("stripe", body, s.signed("stripe", body))
    assert got.status == 200


def started(s):
    """Whether a processor was ever started: it makes its lock first."""
    return os.path.exists(s.path("state/process.lock")) or os.path.exists(s.path("state/pass.lock"))


def ask(s, method="GET", ticket=None, headers=()):
    path = "/hookonce.fcgi/tick" + (f"?ticket={ticket}" if ticket else "")
    if s.server:
        return s.server.request(method, path, b"", headers)
    return s.cgi(path, b"", headers, method)


@pytest.mark.parametrize("server, method", [("apache-fcgid", "HEAD"), ("apache-cgid", "POST"), (None, "GET")])
def test_a_tick_processes_what_is_due(site, server, method):
    s = make(site, server)
    deliver(s)
    got = ask(s, method, ticket_of(s))
    assert got.status == 200 and got.header("Cache-Control") == "no-store"
    assert method == "HEAD" or got.body == b"started\n"
    wait_until(s.effects, 30, "the event is processed")


def test_the_ticket_may_stand_in_a_header(site):
    s = make(site)
    for name, form in (("Authorization", "Bearer {}"), ("X-Hookonce-Ticket", "{}")):
        assert ask(s, headers={name: form.format(ticket_of(s))}).status == 200
    lines = s.hookonce("tick-url", "--header", check=True).stdout.decode().splitlines()
    assert lines[0] == URL + "/tick" and lines[1].startswith("Authorization: Bearer tick.") and len(lines) == 2


def test_without_a_ticket_that_holds_nothing_is_started(site):
    s = make(site)
    good, old = ticket_of(s), ticket_of(s, "--for", "1m", now=time.time() - 3600)
    assert [ask(s, ticket=t).status for t in (None, "x", good[:-1] + "x", good.replace("tick", "echo"))] == [401] * 4
    assert ask(s, ticket=old).status == 403
    got = ask(s, "PUT", good)
    assert got.status == 405 and got.header("Allow") == "GET, HEAD, POST"
    assert s.cgi(f"/hookonce.fcgi/tick?ticket={good}&ticket={good}", method="GET").status == 401
    refused = [line["reason"] for line in s.log_lines(event="rejected")]
    assert refused == ["wrong ticket"] * 4 + ["expired ticket", "method not allowed", "wrong ticket"]
    assert good not in s.log_text(), "a ticket does not get into the log"
    assert not started(s)


def test_another_key_ends_every_ticket(site):
    s = make(site)
    ticket = ticket_of(s)
    s.write("hookonce.key", os.urandom(32).hex() + "\n")
    assert ask(s, ticket=ticket).status == 401
    os.unlink(s.path("hookonce.key"))
    assert ask(s, ticket=ticket).status == 503


def test_where_it_is_off_there_is_none(site):
    s = make(site)
    ticket = ticket_of(s)
    s.settings["processor"] = {"tick": "no"}
    s.configure()
    assert ask(s, ticket=ticket).status == 404 and not started(s)
    assert s.hookonce("tick-url").returncode == 2


def test_many_ticks_at_once_are_one_pass(site):
    s = make(site, "apache-cgid")
    deliver(s)
    ticket = ticket_of(s)
    with ThreadPoolExecutor(12) as pool:
        assert {got.status for got in pool.map(lambda _: ask(s, ticket=ticket), range(24))} == {200}
    wait_until(s.effects, 30, "the event is processed")
    assert s.count("worker") == 1


# -- behind the answer -------------------------------------------------------------------------------

@pytest.mark.parametrize("server", ["lighttpd", "apache-cgid"])
def test_behind_the_answer_events_are_processed(site, server):
    s = make(site, server, {"after_answer": "1s"})
    for n in range(1, 4):
        deliver(s)
        wait_until(lambda n=n: len(s.effects()) == n, 30, "the event is processed")
        time.sleep(0.1 if n == 1 else 1.2)  # within the pass of before, and after it


def test_a_pass_outlives_the_web_server(site):
    s = site(sources=STRIPE, server="apache-fcgid", settings={"processor": {"after_answer": "1s"}},
             handlers={"slow": {"command": "/bin/sh -c \"sleep 2; echo done > after\""}})
    deliver(s)
    s.server.stop()
    wait_until(lambda: s.value("SELECT COUNT(*) FROM hookonce_job WHERE state = 'done'"), 30, "the job is done")


def test_no_pass_where_it_is_off_or_a_processor_is_at_work(site):
    s = make(site)
    deliver(s)
    time.sleep(0.3)
    assert not started(s)
    s.settings["processor"] = {"after_answer": "auto"}
    s.configure()
    s.start_processor("--for", "200s")
    wait_until(s.effects, 30, "the processor works")
    for n in range(2, 5):
        deliver(s)
        wait_until(lambda n=n: len(s.effects()) == n, 30, "the event is processed")
    assert not os.path.exists(s.path("state/pass.lock"))


def test_a_pass_keeps_no_run_of_cron_away(site):
    s = make(site, processor={"after_answer": "20s"})
    deliver(s)
    wait_until(s.effects, 30, "the pass works")
    s.start_processor("--for", "20s")
    wait_until(lambda: s.count("worker") == 2, 30, "both are at work")


def test_on_a_disk_of_another_machine_no_stranger_starts_a_pass(site):
    """There no state file tells when one was at work last."""
    s = make(site)
    shutil.copy(os.path.join(BUILD, "test", "host.so"), s.path("host.so"))
    s.own(s.path("host.so"), 0o755)
    s.write("starts.sh", f"#!/bin/sh\necho x >> {s.path('starts')}\n", 0o755)
    s.settings["hookonce"]["program"] = s.path("starts.sh")
    s.settings["processor"] = {"after_answer": "1s"}
    s.configure()
    env = {"LD_PRELOAD": s.path("host.so"), "HOOKONCE_HOST_NFS": "yes"}
    for path in ("/hookonce.fcgi/stripe", "/hookonce.fcgi/nobody", "/hookonce.fcgi/tick", "/hookonce.fcgi/setup/echo"):
        assert s.cgi(path, b"{}", method="POST", env=env).status >= 400
    body = events.stripe()
    assert s.cgi("stripe", body, s.signed("stripe", body), env=env).status == 200
    wait_until(lambda: os.path.exists(s.path("starts")) and os.path.getsize(s.path("starts")), 15,
               "behind a delivery one is started")
    with open(s.path("starts"), encoding="ascii") as f:
        assert f.read() == "x\n"
