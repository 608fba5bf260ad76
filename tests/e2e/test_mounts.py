"""What happens around receivers that stay up: they die, they are restarted, senders are slow, and two
installations share a web server."""

import contextlib
import os
import shutil
import signal
import socket

import pytest

from hooktest import Apache, PROJECT, events, free_port, request, wait_until
from hooktest.hosting import SharedHost
from hooktest.paths import program
from hooktest.proc import pids_of
from hooktest.site import DEFAULT_SOURCES

STRIPE = {"stripe": DEFAULT_SOURCES["stripe"]}
SPAWNED = ("lighttpd", "apache-fcgid")
POOLED = ("lighttpd-socket", "nginx", "apache-proxy", "htaccess-proxy")


@pytest.fixture(scope="module", params=[*SPAWNED, *POOLED])
def mounted(request, module_site):
    """One site behind each of the servers that keep receivers up."""
    got = module_site(server=request.param, sources=STRIPE, routes={})
    got.pooled = request.param in POOLED
    yield got
    got.close()


def receivers(s):
    """Pids of the receivers, wherever their program lies."""
    return pids_of(s.receiver) + pids_of(s.path("www/hook/hookonce.fcgi"))


def taken(s, event_id):
    """How many receipts there are of an event."""
    s.import_spooled()
    return s.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id = %s", event_id.encode())


def deliver_until_taken(s, event_id):
    """As a provider does, once more after each refusal -> the statuses, of which the last is 200."""
    statuses = []

    def once_more():
        statuses.append(s.deliver("stripe", events.stripe(event_id)).status)
        return statuses[-1] == 200
    wait_until(once_more, 25, "it is taken")
    return statuses


def test_after_the_death_of_all_receivers_events_are_taken_again(mounted):
    assert mounted.deliver("stripe", events.stripe("evt_before")).status == 200
    for pid in receivers(mounted):
        with contextlib.suppress(ProcessLookupError):  # it was about to start another program
            os.kill(pid, signal.SIGKILL)
    statuses = deliver_until_taken(mounted, "evt_after_death")
    assert set(statuses[:-1]) <= {500, 502, 503}
    assert taken(mounted, "evt_after_death") == 1


def test_a_receiver_that_dies_over_a_request_answers_nothing_good(mounted):
    """It is stopped, so that the request lies with it, and then killed."""
    assert mounted.deliver("stripe", events.stripe("evt_wakes_one")).status == 200
    pids = receivers(mounted)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    body = events.stripe("evt_dies")
    head = "".join(f"{k}: {v}\r\n" for k, v in [
        ("Host", "localhost"), ("Content-Length", str(len(body))), ("Connection", "close"),
        *mounted.signed("stripe", body)])
    with socket.create_connection(("127.0.0.1", mounted.server.port), timeout=90) as link:
        link.sendall(f"POST /hook/stripe HTTP/1.1\r\n{head}\r\n".encode() + body)
        wait_until(lambda: asked(pids) or len(receivers(mounted)) > len(pids), 25, "the request lies with one")
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        answer = link.recv(65536)
    status = int(answer.split()[1]) if answer else None
    assert taken(mounted, "evt_dies") == (1 if status == 200 else 0)
    assert deliver_until_taken(mounted, "evt_dies") and taken(mounted, "evt_dies") == 1


def asked(pids):
    """Whether a connection waits in the backlog of a socket that these processes listen on."""
    sockets = set()
    for pid in pids:
        try:
            sockets.add(os.readlink(f"/proc/{pid}/fd/0")[len("socket:["):-1])
        except OSError:
            pass
    with open("/proc/net/unix", encoding="ascii", errors="replace") as f:
        rows = [line.split() for line in f.readlines()[1:]]
    names = {row[7] for row in rows if row[6] in sockets and len(row) > 7}
    return any(len(row) > 7 and row[7] in names and row[6] not in sockets for row in rows)


def test_a_new_start_of_the_receivers_needs_none_of_the_web_server(mounted):
    if not mounted.pooled:
        assert mounted.server.pool is None
        return
    assert mounted.server.pool.stop(60) == 0
    body = events.stripe("evt_meanwhile")
    answer = mounted.deliver("stripe", body)
    assert answer.status in (500, 502, 503) and taken(mounted, "evt_meanwhile") == 0
    mounted.server.start_pool()
    deliver_until_taken(mounted, "evt_meanwhile")
    assert taken(mounted, "evt_meanwhile") == 1


def test_apache_asks_again_at_once_where_a_receiver_was_not_there(site):
    """mod_proxy may put a worker that failed aside for a minute."""
    s = site(server="apache-proxy", sources=STRIPE, routes={})
    s.server.pool.kill9(60)
    wait_until(lambda: not receivers(s), 25, "they end too")
    for n in range(3):
        assert s.deliver("stripe", events.stripe(f"evt_{n}")).status == 503
    s.server.start_pool()
    assert s.deliver("stripe", events.stripe("evt_3")).status == 200


@pytest.mark.parametrize("server", ["nginx", "lighttpd-socket", "lighttpd"])
def test_a_slow_sender_costs_no_receiver(site, server):
    """The only receiver gets a request when it is there as a whole."""
    s = site(server=(server, {"procs": 1}), sources=STRIPE, routes={})
    body = events.stripe("evt_slow")
    head = "".join(f"{k}: {v}\r\n" for k, v in [
        ("Host", "localhost"), ("Content-Length", str(len(body))), ("Connection", "close"), *s.signed("stripe", body)])
    with socket.create_connection(("127.0.0.1", s.server.port), timeout=90) as link:
        link.sendall(f"POST /hook/stripe HTTP/1.1\r\n{head}\r\n".encode() + body[:-1])
        for n in range(3):
            assert s.deliver("stripe", events.stripe(f"evt_{n}")).status == 200
        assert taken(s, "evt_slow") == 0
        link.sendall(body[-1:])
        assert link.recv(65536).split()[1] == b"200"
    assert taken(s, "evt_slow") == 1


def test_two_installations_behind_one_apache_do_not_mix(site):
    """Each in a virtual host of its own."""
    first, second = site(sources=STRIPE, routes={}), site(sources=STRIPE, routes={})
    server, pool = Apache(first, "htaccess-proxy"), Apache(second, "proxy")
    first.server, second.server = server, pool
    ports = {first: free_port(), second: free_port()}
    for s, sock in ((first, first.path("run/receiver.sock")), (second, pool.start_pool())):
        server.further += [
            f"Listen 127.0.0.1:{ports[s]}", f"<VirtualHost 127.0.0.1:{ports[s]}>", f'Define HOOKONCE_SOCKET "{sock}"',
            f'Include "{PROJECT}/apache/hookonce-proxy.conf"', "</VirtualHost>"]
    server.start()
    for n in range(3):
        for s, port in ports.items():
            body = events.stripe(f"evt_{n}_{port}")
            assert request(port, "POST", "/hook/stripe", body, s.signed("stripe", body)).status == 200
    for s, port in ports.items():
        s.import_spooled()
        assert sorted(r["event_id"].decode() for r in s.receipts()) == [f"evt_{n}_{port}" for n in range(3)]


@pytest.mark.parametrize("gateway", ["fcgid", "cgid"])
def test_what_a_host_with_suexec_gives_a_site_is_enough_for_its_htaccess(base, gateway):
    """The program runs as the account, and gets what is larger than mod_fcgid lets through by itself."""
    account, web = "nobody", os.path.join(base, f"suexec-{gateway}", "home", "public_html")
    host = SharedHost(os.path.join(base, f"suexec-{gateway}"), modules=(gateway,), lines=[
        f"Define HOOKONCE_USER {account}", "Define HOOKONCE_GROUP nogroup", f"Define HOOKONCE_PUBLIC {web}",
        f"Include {PROJECT}/apache/hookonce-suexec.conf"])
    try:
        folder = os.path.join(web, "hook")
        os.mkdir(folder)
        shutil.copy(os.path.join(PROJECT, "apache", f"htaccess-{gateway}"), os.path.join(folder, ".htaccess"))
        shutil.copy(program("hookonce.fcgi"), folder)
        for name, mode in ((".htaccess", 0o644), ("hookonce.fcgi", 0o755), ("", 0o755)):
            host.own(os.path.join(folder, name), mode)
        answer = host.server.request("POST", "/hook/stripe", b"x" * 200_000)
        assert (answer.status, answer.body.strip()) == (503, b"not configured"), host.report()
        if gateway == "fcgid":  # else it has ended by now
            pids = pids_of(os.path.join(folder, "hookonce.fcgi"))
            assert {os.stat(f"/proc/{pid}").st_uid for pid in pids} == {host.user.pw_uid}
    finally:
        host.close()
