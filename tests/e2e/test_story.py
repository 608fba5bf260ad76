"""`hookonce list ID`: what happened to one event, in order, and nothing that did not."""

import json

import pytest

from hooktest import events
from hooktest.flow import arrive, expire, hurry, script

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}


def told_site(site, handler, **route):
    return site(sources=STRIPE, handlers={"h": handler},
                routes={"r": {"provider": "stripe", "handler": "h", "retry": "1 tries, 1s", **route}})


def story(s, event):
    """[(what, detail)] of an event, without its delivery and its job's making."""
    done = s.hookonce("list", event, "--json", check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()][1:]
    return [(line["what"], line["detail"]) for line in lines if line["what"] not in ("received", "job")]


def test_a_retry_by_a_person_is_part_of_it(site):
    s = told_site(site, {"command": "h.sh"})
    script(s, "h.sh", "exit 1\n")
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    for _ in range(2):
        s.hookonce("retry", "evt_1", check=True)
        s.hookonce("process", "--once")
    script(s, "h.sh", "exit 0\n")
    s.hookonce("retry", "evt_1", check=True)
    s.hookonce("process", "--once", check=True)
    told = story(s, "evt_1")
    assert [what for what, _ in told] == ["started", "failed", "retry"] * 3 + ["started", "done", "done"]
    assert all(", done, by " in detail for what, detail in told if what == "retry")


def test_what_it_waited_for_is_told_when_it_is_done(site):
    s = told_site(site, {"command": "h.sh"}, needs="SELECT 1 FROM fx WHERE event_id = 'go'")
    script(s, "h.sh", "[ -e ready ] || exit 69\n")
    arrive(s, events.stripe("evt_1"))
    for _ in range(2):
        s.process()
        hurry(s)
    s.sql("INSERT INTO fx (event_id) VALUES ('go')")
    s.process()
    assert story(s, "evt_1")[-1][0] == "ready" and "was put off" not in str(story(s, "evt_1"))
    s.write("ready", "")
    hurry(s)
    s.process()
    assert story(s, "evt_1")[-1] == ("done", "job 1, done, was put off 3 times: need, handler")


def test_what_never_began_is_no_try(site):
    s = told_site(site, {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}, once_per="{/data/object/id}")
    arrive(s, events.stripe("evt_1", object_id="cs_1"), events.stripe("evt_2", object_id="cs_1"))
    s.process()
    assert [what for what, _ in story(s, "evt_1")] == ["started", "effect", "done", "done"]
    assert [detail for _, detail in story(s, "evt_1")][1:] == ["job 1, done: cs_1 of r", "job 1, try 1, rows changed: 1",
                                                               "job 1, done"]
    told = story(s, "evt_2")
    assert "started" not in [what for what, _ in told]
    assert all("try" not in detail for _, detail in told) and ("already done", "job 2") in told


@pytest.mark.parametrize("end, words", [
    ("exit 1", "it may have acted, and its handler runs at most once: the command failed with exit code 1"),
    ("kill -9 $$", "it may have acted, and its handler runs at most once: the command was killed by signal 9"),
])
def test_at_most_once_says_why_a_failure_is_for_a_person(site, end, words):
    s = told_site(site, {"command": "h.sh", "at_most_once": "yes"}, retry="5 tries, 1s")
    script(s, "h.sh", f'echo x >>"$HERE/runs"\n{end}\n')
    arrive(s, events.stripe("evt_1"))
    s.hookonce("process", "--once")
    expire(s)
    s.hookonce("process", "--once")
    job, = s.jobs()
    assert (job["state"], job["outcome"], job["tries"], job["last_error"]) == ("dead", "outcome unknown", 1, words)
    with open(s.path("runs"), encoding="utf-8") as f:
        assert f.read() == "x\n"
