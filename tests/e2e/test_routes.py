"""What `hookonce routes` says would happen with an event is what happens with it."""

import glob
import json

from hooktest.flow import arrive

BODY = (b'{"id":"evt_1","type":"charge.succeeded","created":1790000000,"livemode":false,'
        b'"data":{"object":{"id":"ch_1","amount":500,"order":"A-7"}}}')
SOURCE = {"stripe": {"provider": "stripe", "secret": "whsec_test_of_routes"}}
ROUTES = {
    "ship": {"provider": "stripe", "on": "charge.*", "handler": "fx", "flow": "orders",
             "once_per": "order {/data/object/order}", "order_by": "charge {/data/object/id}"},
    "large": {"provider": "stripe", "on": "charge.succeeded", "when": "{/data/object/amount} == 1000", "handler": "fx"},
    "notes": {"provider": "stripe", "informational": "charge.succeeded"},
    "typo": {"provider": "stripe", "on": "charge.succeded", "handler": "fx"},
}


def tell(s, *arguments, code=0):
    done = s.hookonce("--json", "routes", *arguments)
    assert done.returncode == code, done.stdout.decode() + done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


def routes_of(told):
    return {t["route"]: t for t in told if t["kind"] == "route"}


def test_what_it_says_is_what_runs(site):
    s = site(sources=SOURCE, routes=ROUTES,
             handlers={"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:idempotency_key})"}})
    s.write("body", BODY)
    told = tell(s, "body")
    event, by = told[0], routes_of(told)
    assert (event["event_id"], event["event_type"], event["provider"]) == ("evt_1", "charge.succeeded", "stripe")
    assert {name: t["verdict"] for name, t in by.items()} == {
        "ship": "run", "large": "no", "notes": "informational", "typo": "no"}
    assert by["ship"]["business_key"] == "order A-7" and by["ship"]["object_key"] == "charge ch_1"
    assert by["ship"]["handler"] == "fx" and by["ship"]["handler_kind"] == "sql" and by["ship"]["flow"] == "orders"
    assert by["ship"]["order_mark"].startswith("2026-09-21T")
    assert "500" in by["large"]["why"] and "no: when" in by["large"]["why"]
    assert s.count("receipt") == 0, "nothing is recorded"
    arrive(s, BODY)
    s.process()
    assert [job["route"] for job in s.jobs()] == ["ship"]
    assert s.sql("SELECT CAST(event_id AS CHAR) AS k FROM fx") == [{"k": by["ship"]["idempotency_key"]}]


def test_people_read_it_line_by_line(site):
    s = site(sources=SOURCE, routes=ROUTES, migrate=False)
    done = s.hookonce("routes", "-", input=BODY)
    text = done.stdout.decode()
    assert done.returncode == 0, text + done.stderr.decode()
    assert "route ship: would run handler fx (sql)" in text and "once per (flow orders): order A-7" in text
    assert "route large: would not run" in text and "route notes: informational" in text


def test_a_near_miss_and_another_provider_are_named_when_nothing_wants_it(site):
    s = site(sources={**SOURCE, "shop": {"provider": "github", "secret": "x" * 20}}, migrate=False,
             routes={"typo": ROUTES["typo"], "other": {"provider": "shop", "on": "charge.*", "handler": "fx"},
                     "every": {"provider": "shop", "on": "*", "handler": "fx"}})
    s.write("body", BODY)
    told = tell(s, "body", "--provider", "stripe", code=1)
    notes = " ".join(t["text"] for t in told if t["kind"] == "note")
    assert "ignored" in notes and "on = charge.succeded" in notes and "route other" in notes, notes
    assert "route every" not in notes, "it takes anything, so it says nothing"


def test_a_key_that_cannot_be_made_is_told(site):
    s = site(sources=SOURCE, routes=ROUTES, migrate=False)
    s.write("body", BODY.replace(b'"order"', b'"nothing"'))
    ship = routes_of(tell(s, "body"))["ship"]
    assert "/data/object/order" in ship["error"] and ship["business_key"] is None


def test_a_type_that_stands_in_a_header_is_asked_for(site):
    s = site(sources={"github": {"provider": "github", "secret": "x" * 20}}, migrate=False,
             routes={"push": {"provider": "github", "on": "push", "handler": "fx"}})
    s.write("body", b'{"zen":"x"}')
    done = s.hookonce("routes", "body")
    assert done.returncode == 2 and b"--type" in done.stderr
    told = tell(s, "body", "--type", "push")
    assert told[0]["event_type"] == "push" and routes_of(told)["push"]["verdict"] == "run"


def test_a_kept_request_is_verified_first(site):
    s = site(sources=SOURCE, routes=ROUTES, migrate=False)
    s.hookonce("capture", "stripe", check=True)
    headers = s.signed("stripe", BODY)
    s.write("stripe.secret0", "whsec_another_one")
    assert s.cgi("stripe", BODY, headers).status == 401
    kept, = glob.glob(s.path("state/capture/*.request"))
    done = s.hookonce("routes", kept)
    assert done.returncode == 1 and b"signature mismatch" in done.stderr and done.stdout == b""
    s.write("stripe.secret0", SOURCE["stripe"]["secret"])
    told = tell(s, kept)
    assert told[0]["event_id"] == "evt_1" and routes_of(told)["ship"]["verdict"] == "run"
