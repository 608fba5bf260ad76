"""`hookonce routes` with batches, and what it refuses to guess; commands that are called wrongly, or can't begin."""

import json
import os

import pytest

RECIPES = """
[recipe grid]
title = Events in batches
sig = header:X-Grid-Signature
alg = hmac-sha256
enc = hex
signed = {body}
batch = /events
id = {json:./id}
type = {json:./type}

[recipe row]
like = grid
title = A batch is the whole document
batch = /
"""
SOURCES = {"grid": {"provider": "grid", "secret": "x" * 20}, "row": {"provider": "row", "secret": "x" * 20},
           "typed": {"provider": "github", "secret": "x" * 20}}


@pytest.fixture(scope="module")
def s(module_site):
    """A site whose events come in batches; nothing is delivered."""
    got = module_site(sources=SOURCES, files={"own.conf": RECIPES}, settings={"hookonce": {"recipes": "own.conf"}},
                      routes={"all": {"provider": "grid", "on": "a.*", "handler": "fx"}},
                      handlers={"fx": {"sql": "SELECT 1"}}, migrate=False)
    return got


def tell(s, body, *arguments):
    done = s.hookonce("--json", "routes", "-", *arguments, input=json.dumps(body).encode() if not isinstance(body, bytes) else body)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def events_of(told):
    return [(t["event_id"], t["event_type"]) for t in told if t["kind"] == "event"]


def test_each_item_of_a_batch_is_told(s):
    code, told, said = tell(s, {"events": [{"id": "1", "type": "a.b"}, {"id": "2", "type": "c"}]}, "--source", "grid")
    assert code == 0, said
    assert events_of(told) == [("1", "a.b"), ("2", "c")]
    assert [t["verdict"] for t in told if t["kind"] == "route"] == ["run", "no"]


def test_a_type_that_is_given_counts_for_every_item(s):
    code, told, _ = tell(s, {"events": [{"id": "1", "type": "c"}, {"id": "2"}]}, "--provider", "grid", "--type", "a.x")
    assert code == 0 and events_of(told) == [("1", "a.x"), ("2", "a.x")]


@pytest.mark.parametrize("body", [{"events": {}}, {"events": "x"}, {"events": [{}] * 1001}, {}, [], b"a=b", b"{"],
                         ids=["object", "text", "too-many", "none", "array", "form", "broken"])
def test_what_is_no_batch_is_refused(s, body):
    code, told, said = tell(s, body, "--source", "grid")
    assert code == 1 and events_of(told) == []
    assert "would be refused" in said or "there is no event in it" in said or told


def test_a_batch_of_none_says_so(s):
    code, told, _ = tell(s, {"events": []}, "--source", "grid")
    assert code == 1 and events_of(told) == []


@pytest.mark.parametrize("arguments, says", [
    (["-"], "whose event is it?"), (["-", "--provider", "nobody"], "no source of provider 'nobody'"), ([], "which event?"),
    (["-", "--source", "grid", "--provider", "grid"], "one of them"), (["a", "b"], "one file at a time"),
    (["/nonexistent", "--source", "grid"], "No such file"), (["-", "--nonsense"], "nonsense"),
    (["-", "--source", "nobody"], "nobody")])
def test_routes_refuses_to_guess(s, arguments, says):
    done = s.hookonce("routes", *arguments, input=b"{}")
    assert done.returncode == 2 and says in done.stderr.decode(), done.stderr


@pytest.mark.parametrize("arguments, code, says", [
    ([], 2, "usage"), (["--version"], 0, "hookonce "), (["--help"], 0, "check"), (["--nonsense"], 2, "nonsense"),
    (["process", "--workers", "0"], 2, "--workers takes a number"), (["process", "--for", "1y"], 2, "--for takes a time"),
    (["process", "more"], 2, "more"), (["migrate", "more"], 2, "more"), (["import", "more"], 2, "more")])
def test_what_is_called_wrongly_says_how_it_is_meant(s, arguments, code, says):
    done = s.hookonce(*arguments)
    assert done.returncode == code, done.stderr
    assert says in (done.stdout + done.stderr).decode()


def test_a_run_that_cannot_have_its_lock_says_why(site):
    s = site(settings={"hookonce": {"state": "elsewhere/state"}})
    done = s.hookonce("process", "--once")
    assert done.returncode == 2 and "cannot be made" in done.stderr.decode()
    s.folder("elsewhere")
    s.write("elsewhere/state", b"a file")
    assert s.hookonce("process", "--once").returncode == 2
    os.remove(s.path("elsewhere/state"))
    s.folder("elsewhere/state", mode=0o500)
    done = s.hookonce("process", "--once")
    assert done.returncode == 2 and "cannot be opened" in done.stderr.decode()
    os.chmod(s.path("elsewhere/state"), 0o700)
    s.process()


def test_the_status_of_the_tables_is_told_in_each_of_their_states(site):
    s = site(migrate=False)

    def status():
        done = s.hookonce("migrate", "--status")
        return done.returncode, done.stdout.decode()

    code, text = status()
    assert code == 1 and "There are no tables yet" in text
    s.migrate()
    code, text = status()
    assert code == 0 and "as this program wants" in text
    newest = s.value("SELECT MAX(version) FROM hookonce_schema")
    prints = s.sql("SELECT version, key_print FROM hookonce_schema WHERE key_print IS NOT NULL")
    s.sql("UPDATE hookonce_schema SET key_print = NULL")
    code, text = status()
    assert code == 1 and "belong to no key yet" in text
    for row in prints:
        s.sql("UPDATE hookonce_schema SET key_print = %s WHERE version = %s", row["key_print"], row["version"])
    s.sql("UPDATE hookonce_schema SET version = version + 100 WHERE version = %s", newest)
    code, text = status()
    assert code == 1 and "install the newer program" in text
    s.sql("DELETE FROM hookonce_schema WHERE version > %s", newest)
    code, text = status()
    assert code == 1 and f"this program wants {newest}" in text

