"""The receiver's link to the database: closed while idle, a server that starts anew, rows held by others."""

import time

import pytest

from hooktest import events, sign, wait_until
from hooktest.proc import least, pids_of

SECRET = "github test secret"
SOURCES = {"github": {"provider": "github", "secret": SECRET},
           "patient": {"provider": "github", "secret": SECRET, "mode": "reply", "handler": "says"}}
HANDLERS = {"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}, "says": {"command": "/bin/echo yes"}}


def linked(site, spool="off", **more):
    return site(server=("lighttpd", {"procs": 1}), sources=SOURCES, handlers=HANDLERS,
                routes={"all": {"provider": "github", "on": "*", "handler": "fx"}},
                settings={"hookonce": {"spool": spool}}, **more)


def timed(s, name, source="github"):
    """-> (status, seconds). The same name is the same event."""
    start = time.monotonic()
    return s.deliver(source, events.github(after=name), delivery=name).status, time.monotonic() - start


def test_a_link_that_the_server_closed_while_idle_is_no_reason_to_be_busy__O_DB_04(site, own_mariadb):
    server = own_mariadb(options=["--wait-timeout=2"])
    s = linked(site, database=server.create_database())
    for n in range(3):
        assert timed(s, f"d-{n}")[0] == 200
        wait_until(lambda: not server.execute("SELECT 1 FROM information_schema.processlist "
                                              f"WHERE user IN ({s.db.accounts()})"), 10, "the server closes the link")
    assert [s.count("receipt"), s.log_lines(event="busy"), s.log_lines(event="breaker")] == [3, [], []]


def test_a_processor_whose_links_are_closed_while_it_waits_goes_on(site, own_mariadb):
    server = own_mariadb(options=["--wait-timeout=2"])
    s = linked(site, database=server.create_database())
    s.start_processor("--for", "200s")
    for n in range(2):
        assert timed(s, f"d-{n}")[0] == 200
        wait_until(lambda: len(s.effects()) == n + 1, 10, "it is done soon")
        time.sleep(3.2)
    assert s.log_lines(event="failed") == [] and s.sql("SELECT 1 FROM hookonce_attempt WHERE outcome <> 'done'") == []


@pytest.mark.parametrize("end", ["stop", "kill9"])
def test_a_server_that_started_anew_is_found_by_the_first_delivery(site, own_mariadb, end):
    server = own_mariadb()
    s = linked(site, database=server.create_database())
    for n in range(3):
        assert timed(s, f"d-{n}")[0] == 200
        getattr(server, end)()
        server.start()
    assert timed(s, "d-last")[0] == 200
    assert [s.count("receipt"), s.log_lines(event="busy")] == [4, []]


def test_an_event_that_others_hold_is_busy_and_holds_nobody_else_up(site, own_mariadb):
    """One row's lock is not trouble of the database: the breaker stays closed."""
    server = own_mariadb()
    s = linked(site, database=server.create_database())
    assert timed(s, "d-first")[0] == 200
    holder = server.connect(s.db.name)
    holder.cursor().execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")  # the row, no gap beside it
    holder.begin()
    holder.cursor().execute("SELECT * FROM hookonce_receipt FOR UPDATE")
    for _ in range(2):
        for _ in range(3):
            status, seconds = timed(s, "d-first")
            assert status == 503 and seconds < 8
        for name, source in (("d-other", "github"), ("d-asked", "patient")):
            def others():
                status, seconds = timed(s, f"{name}-{time.monotonic_ns()}", source)
                assert status == 200 and seconds < 8
                return seconds

            least(others, 1.5)
    holder.rollback()
    holder.close()
    assert timed(s, "d-first")[0] == 200
    assert s.log_lines(event="breaker") == []


@pytest.mark.parametrize("spool", ["on", "off"])
def test_twenty_deliveries_while_it_is_stopped__O_DB_03(site, own_mariadb, spool):
    server = own_mariadb()
    s = linked(site, spool, database=server.create_database())
    assert timed(s, "d-before")[0] == 200
    before = wait_until(lambda: len(pids_of(s.receiver)) == 1 and pids_of(s.receiver), 10, "one receiver, without a child")
    server.stop()
    names, took = [f"d-{n}" for n in range(20)], []
    for name in names:
        status, seconds = timed(s, name)
        assert status == (200 if spool == "on" else 503) and seconds < 8
        took.append(seconds)
    assert sorted(took)[10] < 2.8
    server.start()
    for name in names if spool == "off" else ():
        wait_until(lambda: timed(s, name)[0] == 200, 10, "it is taken when it comes again")
    s.process()
    assert sorted(s.effects()) == sorted(["d-before", *names])
    wait_until(lambda: pids_of(s.receiver) == before, 10, "the same one is there")


HASTY = "[recipe hasty]\nlike = github\ntitle = One that waits for half a second\ndeadline = 500ms\n"


@pytest.mark.parametrize("spool", ["on", "off"])
def test_a_sender_that_waits_for_half_a_second_is_answered_in_that(site, own_mariadb, spool):
    server = own_mariadb()
    s = site(server=("lighttpd", {"procs": 1}), database=server.create_database(), files={"own.conf": HASTY},
             settings={"hookonce": {"recipes": "own.conf", "spool": spool}},
             sources={"hasty": {"provider": "hasty", "secret": SECRET}})

    def took():
        body = events.github()
        start = time.monotonic()
        answer = s.post("hasty", body, sign.github(SECRET, body))
        return answer.status, time.monotonic() - start

    def longest():
        """Of the first two that come while it hangs; then nobody waits any more, for a while."""
        wait_until(lambda: took()[0] == 200 and s.log_lines()[-1]["event"] != "spooled", 10, "it is taken")
        server.pause()
        try:
            answers = [took() for _ in range(2)]
        finally:
            server.resume()
        assert [status for status, _ in answers] == [200 if spool == "on" else 503] * 2
        return max(seconds for _, seconds in answers)

    least(longest, 0.95)  # whole seconds are too long
