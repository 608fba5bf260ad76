"""The spool: what the database can't take is answered as accepted, and is in the tables later, once."""

import os
import time

import pytest

from hooktest import events

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE="}}


def spooled(s):
    """Names of the complete files in the spool, oldest first."""
    folder = s.path("state/spool")
    return sorted(n for n in os.listdir(folder) if n.endswith(".spool")) if os.path.isdir(folder) else []


def send(s, event_id, source="stripe", **more):
    """Delivers over CGI -> Answer."""
    body = events.stripe(event_id, **more)
    return s.cgi(source, body, s.signed(source, body))


@pytest.fixture
def away(site, own_mariadb):
    """(site, server) with a database server of its own."""
    server = own_mariadb()
    return site(database=server.create_database(), sources=STRIPE), server


def test_what_comes_while_the_database_is_away_is_imported_once_and_in_order(away):
    s, server = away
    server.stop()
    for n in range(5):
        assert send(s, f"evt_{n}").status == 200
    assert len(spooled(s)) == 5
    server.start()
    s.process()
    assert spooled(s) == []
    assert s.effects() == [f"evt_{n}" for n in range(5)]
    assert s.written() == {"receipt": 5, "body": 5, "job": 5, "attempt": 5}
    for row in s.receipts():
        assert row["received_at"] < row["recorded_at"]
