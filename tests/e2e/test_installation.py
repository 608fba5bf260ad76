"""Tables, key and program must belong together before anything is answered 2xx."""

import os

from hooktest import events, wait_until


def test_a_receiver_with_another_installations_key_takes_nothing_and_says_so(site):
    """What it recorded would later count as forged, and never run."""
    s = site("lighttpd")
    key = open(s.path("hookonce.key"), encoding="ascii").read()
    assert s.deliver("stripe", events.stripe("evt_1")).status == 200
    s.write("hookonce.key", os.urandom(32).hex() + "\n")
    s.configure()  # a changed config is read again, and the key with it
    other = s.cgi("stripe", *both(s, "evt_2"))
    assert other.status == 503 and other.header("Retry-After")
    assert s.count("receipt") == 1
    assert any("another installation" in line.get("reason", "") for line in s.log_lines(event="busy"))
    s.write("hookonce.key", key)
    assert s.cgi("stripe", *both(s, "evt_2")).status == 200
    s.process()
    assert s.effects() == ["evt_1", "evt_2"]


def test_a_running_receiver_follows_the_key_file(site):
    """One with the old key would answer 200 for rows that end as forged."""
    s = site("lighttpd", settings={"hookonce": {"spool": "off"}})
    s.write("right.key", open(s.path("hookonce.key"), encoding="ascii").read())
    assert s.deliver("stripe", events.stripe("evt_1")).status == 200
    s.write("hookonce.key", os.urandom(32).hex() + "\n")
    assert s.deliver("stripe", events.stripe("evt_2")).status == 503
    os.replace(s.path("right.key"), s.path("hookonce.key"))
    wait_until(lambda: s.deliver("stripe", events.stripe("evt_2")).status == 200, 10, "the right key is taken")
    s.process()
    os.unlink(s.path("hookonce.key"))
    assert s.deliver("stripe", events.stripe("evt_3")).status == 503
    s.sql("UPDATE hookonce_schema SET key_print = NULL")
    s.migrate()
    wait_until(lambda: s.deliver("stripe", events.stripe("evt_3")).status == 200, 10, "the new key is taken")
    s.process()
    assert "evt_3" in s.effects() and not s.log_lines(event="forged")


def test_a_receiver_does_not_write_into_tables_of_another_version(site):
    s = site(settings={"hookonce": {"spool": "off"}})
    s.sql("INSERT INTO hookonce_schema (version, name, applied_at) VALUES (999, 'x', UTC_TIMESTAMP(6))")
    assert s.cgi("stripe", *both(s, "evt_1")).status == 503
    assert s.count("receipt") == 0
    s.sql("DELETE FROM hookonce_schema WHERE version = 999")
    assert s.cgi("stripe", *both(s, "evt_1")).status == 200


def both(s, event):
    """Body and headers of a genuine Stripe delivery."""
    body = events.stripe(event)
    return body, s.signed("stripe", body)
