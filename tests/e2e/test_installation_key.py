"""The installation's key file: nothing is answered well under one that is not that of the tables."""

import os

from hooktest.spool import STRIPE, away, files, send


def swap(s, text=None):
    with open(s.path("hookonce.key"), encoding="ascii") as f:
        right = f.read()
    s.write("hookonce.key", os.urandom(32).hex() + "\n" if text is None else text)
    return right


def test_nothing_is_spooled_under_a_key_that_is_not_the_tables(site):
    s = site(sources=STRIPE)
    assert send(s, "evt_1").status == 200
    right = swap(s)
    assert send(s, "evt_2").status == 503
    with away(s):
        assert send(s, "evt_3").status == 503 and files(s) == []
        assert "not that of the tables" in s.log_text()
        s.write("hookonce.key", right)
        assert send(s, "evt_4").status == 200 and len(files(s)) == 1
    s.process()
    assert sorted(s.effects()) == ["evt_1", "evt_4"]


def test_nor_where_the_spool_takes_everything(site):
    s = site(sources=STRIPE, settings={"hookonce": {"spool": "always"}})
    assert send(s, "evt_1").status == 200
    s.process()
    right = swap(s)
    assert send(s, "evt_2").status == 503 and files(s) == []
    assert s.log_lines(event="alarm")
    s.write("hookonce.key", right)
    assert send(s, "evt_3").status == 200
    s.process()
    assert sorted(s.effects()) == ["evt_1", "evt_3"]


def test_a_key_file_that_was_cut_short_is_no_key(site):
    s = site(sources=STRIPE)
    assert send(s, "evt_1").status == 200
    right = swap(s)
    for text in (right[:63], right[:40] + "\n", right[:63] + "x\n", right.strip() * 2):
        s.write("hookonce.key", text)
        with away(s):
            assert send(s, "evt_2").status == 503 and files(s) == []
        done = s.hookonce("check")
        assert done.returncode == 1 and b"not 64 hex digits" in done.stdout, text
    assert b"not 64 hex digits" in s.hookonce("import", "--key", "hookonce.key").stderr
    s.write("hookonce.key", right)
    assert send(s, "evt_3").status == 200
