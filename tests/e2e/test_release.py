"""Refused deliveries that a person released: what comes after them, and what becomes of their rows."""

from hooktest import events
from test_keep import age

HUB = {"hub": {"provider": "github", "secret": "s3cret of the hub", "guard": "yes"}}


def hub(site, **hookonce):
    return site(sources=HUB, routes={"r": {"provider": "hub", "handler": "fx"}}, settings={"hookonce": hookonce})


def deliver(s, body, *ids):
    for name in ids:
        assert s.cgi("hub", body, s.signed("hub", body, delivery=name)).status == 200


def still_open(s):
    return [(r["kind"], r["event_id"].decode()) for r in s.sql(
        "SELECT kind, event_id FROM hookonce_conflict WHERE released_at IS NULL ORDER BY id")]


def ids(s):
    return [r["event_id"].decode() for r in s.sql("SELECT event_id FROM hookonce_receipt ORDER BY event_id")]


def asked(s, columns, values):
    s.sql(f"INSERT INTO hookonce_command ({columns}) VALUES ({values})")
    s.process()
    return s.sql("SELECT state, did, answer FROM hookonce_command ORDER BY id DESC LIMIT 1")[0]


def test_released_rows_do_not_count_towards_the_most_that_are_kept(site):
    s, body = hub(site), events.github()
    deliver(s, body, "d00")
    for n in range(1, 23):
        deliver(s, body, f"d{n:02}")
        s.hookonce("release", "--conflict", str(n), check=True)
    deliver(s, events.github(pad="another meaning"), "d00")
    assert len(ids(s)) == 23 and still_open(s) == [("meaning", "d00")]
    assert s.value("SELECT MAX(seen) FROM hookonce_conflict") == 1


def test_a_released_event_that_comes_again_is_its_own_duplicate(site):
    s, body = hub(site), events.github()
    deliver(s, body, "a", "b")
    s.hookonce("release", "--conflict", "1", check=True)
    deliver(s, body, "b")
    assert s.value("SELECT duplicates FROM hookonce_receipt WHERE event_id = 'b'") == 1
    assert still_open(s) == [] and s.count("conflict") == 1
    s.sql("DELETE FROM hookonce_conflict")  # as a person may when it is done
    deliver(s, body, "b")
    assert s.count("conflict") == 0


def test_one_whose_receipt_has_gone_is_for_a_person_again(site):
    s, body = hub(site), events.github()
    deliver(s, body, "a", "b")
    s.hookonce("release", "--conflict", "1", check=True)
    s.process()
    s.sql("DELETE FROM hookonce_receipt WHERE event_id = 'b'")
    again = s.hookonce("release", "--conflict", "1")
    assert again.returncode == 1 and b"has been pruned since" in again.stderr
    deliver(s, body, "b")
    assert still_open(s) == [("repeat", "b")]


def test_a_dry_run_of_release_says_what_the_run_says(site):
    s, body = hub(site, sql_commands="release"), events.github()
    deliver(s, body, "a", "b", "c")
    deliver(s, events.github(pad="another meaning"), "a")
    s.sql("UPDATE hookonce_conflict SET mac = REPEAT('x', 32) WHERE event_id = 'c'")
    for number, says in ((1, "it would become an event"), (2, "did not write the row"), (3, "another event's"),
                         (99, "no such conflict")):
        done = s.hookonce("release", "--conflict", str(number), "--dry-run")
        assert done.returncode == (number != 1) and says.encode() in done.stdout + done.stderr
        row = asked(s, "command, conflict, dry_run", f"'release', {number}, 'yes'")
        assert row["state"] == ("done" if number == 1 else "refused") and says in row["answer"] and row["did"] == 0
    assert len(still_open(s)) == 3 and ids(s) == ["a"]
    s.hookonce("release", "--conflict", "1", check=True)
    row = asked(s, "command, conflict", "'release', 1")
    assert row["state"] == "done" and row["did"] == 0 and "released before" in row["answer"]


def test_a_released_row_goes_with_its_event(site):
    s, body = hub(site, keep_bodies="1d", keep_receipts="3d"), events.github(pad="PERSON")
    deliver(s, body, "a", "b")
    s.hookonce("release", "--conflict", "1", check=True)
    s.process()
    for days, left in ((2, (2, 0, 1)), (4, (0, 0, 0))):
        for name in ids(s):
            age(s, name, 2)
        s.hookonce("prune", check=True)
        assert (s.count("receipt"), s.count("body"), s.count("conflict")) == left, days
        assert s.value("SELECT COUNT(*) FROM hookonce_conflict WHERE body LIKE '%%PERSON%%'") == 0


def test_forgetting_a_released_event_empties_its_row(site):
    s, body = hub(site, sql_commands="forget"), events.github(pad="PERSON")
    deliver(s, body, "a", "b", "c")
    for n in (1, 2):
        s.hookonce("release", "--conflict", str(n), check=True)
    s.process()
    for dry in (("--dry-run",), ()):
        done = s.hookonce("forget", "b", *dry, check=True)
        assert b"1 conflict would be erased" in done.stdout if dry else b"1 conflict erased" in done.stdout
    assert "conflicts erased with it: 1" in asked(s, "command, event_id", "'forget', 'c'")["answer"]
    assert s.value("SELECT COUNT(*) FROM hookonce_conflict WHERE body <> '' OR headers <> ''") == 0
    assert s.hookonce("body", "a", check=True).stdout == body


def test_the_body_of_a_changed_conflict_is_not_passed_for_what_came(site):
    s = hub(site)
    deliver(s, events.github(), "a", "b")
    deliver(s, events.github(pad="another meaning"), "a")
    assert s.hookonce("body", "--conflict", "1", check=True).stderr == b""
    assert b"nothing proves" in s.hookonce("body", "--conflict", "2", check=True).stderr
    s.hookonce("release", "--conflict", "1", check=True)
    assert s.hookonce("body", "--conflict", "1", check=True).stderr == b""
    s.sql("UPDATE hookonce_conflict SET body = CONCAT(body, ' ') WHERE id = 1")
    done = s.hookonce("body", "--conflict", "1")
    assert done.returncode == 1 and done.stdout.endswith(b" ") and b"do not trust it" in done.stderr
