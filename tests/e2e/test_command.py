"""Commands that a person gives by inserting a row into hookonce_command."""

import pytest

from hooktest import events
from hooktest.flow import arrive, jobs

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}
ROUTE = {"provider": "stripe", "handler": "h", "retry": "1 try"}
BAD = "INSERT INTO not_there VALUES (1)"
GOOD = "INSERT INTO fx (event_id) VALUES ({event:id})"


def ask(s, command, **words):
    """Inserts a command, lets a run do it -> its row."""
    number = insert(s, command, **words)
    s.hookonce("process", "--once")
    return row(s, number)


def insert(s, command, **words):
    names, values = ["command", *words], [command, *words.values()]
    s.sql(f"INSERT INTO hookonce_command ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})", *values)
    return s.value("SELECT MAX(id) FROM hookonce_command")


def row(s, number):
    got, = s.sql("SELECT * FROM hookonce_command WHERE id = %s", number)
    return got


def mended(s):
    s.configure(s.config_text().replace(BAD, GOOD))


@pytest.fixture
def dead(site):
    """A site with a dead letter for each id; its handler works from mended() on."""
    def make(*ids, settings=None):
        s = site(sources=STRIPE, handlers={"h": {"sql": BAD}}, routes={"r": ROUTE}, settings=settings)
        arrive(s, *[events.stripe(i) for i in ids])
        s.hookonce("process", "--once")
        assert [j[1] for j in jobs(s)] == ["dead"] * len(ids)
        return s
    return make


def test_the_shortest_insert_retries_a_job(dead):
    s = dead("evt_1", "evt_2")
    mended(s)
    got = ask(s, "retry", job=1)
    assert (got["state"], got["found"], got["did"]) == ("done", 1, 1), got
    assert got["answer"] == "1 of 1 job: 1 opened again"
    assert "@" in got["asked_by"] and got["ended_at"] is not None and got["claim_token"] is None
    assert s.effects() == ["evt_1"]
    assert s.value("SELECT command_id FROM hookonce_job WHERE id = 1") == got["id"]
    line, = s.log_lines(event="command")
    assert (line["command"], line["state"], line["from"]) == ("retry", "done", "sql")
