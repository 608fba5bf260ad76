"""Stripe: live and test mode, shapes that vary, two endpoints, and one id with two meanings."""

import json

import pytest

from hooktest import events

FIRST, SECOND = "whsec_Zmlyc3QgZW5kcG9pbnQ=", "whsec_c2Vjb25kIGVuZHBvaW50"


def test_live_routes_leave_test_events_alone__O_ST_01(site):
    s = site(sources={"stripe": {"provider": "stripe", "secret": FIRST}},
             routes={"live": {"provider": "stripe", "on": "*", "livemode": "true", "handler": "fx"}})
    tree = json.loads(events.stripe("evt_absent"))
    del tree["livemode"]
    bodies = {"evt_live": events.stripe("evt_live", livemode=True), "evt_test": events.stripe("evt_test"),
              "evt_absent": json.dumps(tree).encode(), "evt_text": events.stripe("evt_text", livemode="true")}
    for body in bodies.values():
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    s.process()
    assert s.effects() == ["evt_live"]
    got = {r["event_id"].decode(): (r["status"], r["outcome"]) for r in s.receipts()}
    assert got == {"evt_live": ("processed", "done"), "evt_test": ("processed", "ignored"),
                   "evt_absent": ("processed", "ignored"), "evt_text": ("processed", "ignored")}
    noted = {line["cid"] for line in s.log_lines(event="ignored", livemode="another")}
    assert noted == {r["correlation_id"] for r in s.receipts() if r["event_id"] != b"evt_live"}


def test_test_routes_leave_live_events_alone__O_ST_01(site):
    s = site(sources={"stripe": {"provider": "stripe", "secret": FIRST}},
             routes={"test": {"provider": "stripe", "on": "*", "livemode": "false", "handler": "fx"},
                     "any": {"provider": "stripe", "on": "*", "livemode": "any", "handler": "fx"}})
    for body in (events.stripe("evt_live", livemode=True), events.stripe("evt_test")):
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    s.process()
    assert sorted(s.effects()) == ["evt_live", "evt_test", "evt_test"]


def shapes():
    """Bodies whose less important fields are missing or of other kinds."""
    tree = json.loads(events.stripe())
    for name, change in {
            "null": {"request": None}, "text": {"request": "req_1"}, "object": {"request": {"id": "req_1"}},
            "nodata": {"data": ...}, "datatext": {"data": "x"}, "noobject": {"data": {}},
            "account": {"account": "acct_x"}, "accountobject": {"account": {"id": "acct_y"}},
            "v2": {"object": "v2.core.event", "created": "2026-09-21T12:00:00.000Z", "data": ...,
                   "related_object": {"id": "mtr_1", "type": "billing.meter"}},
            "notime": {"created": ...}, "oddtime": {"created": {"at": 1}}, "hugetime": {"created": 10 ** 30},
            "notype": {"type": ...},
    }.items():
        got = dict(tree, id="evt_" + name, **change)
        yield name, json.dumps({k: v for k, v in got.items() if v is not ...}).encode()


def test_only_the_id_needs_its_usual_shape__O_ST_03(site):
    s = site(sources={"stripe": {"provider": "stripe", "secret": FIRST}},
             handlers={"keep": {"sql": "INSERT INTO kept (id, account) VALUES ({event:id}, {/account})"}})
    s.sql("CREATE TABLE kept (id VARBINARY(255), account VARBINARY(255) NULL)")
    names = []
    for name, body in shapes():
        names.append(name)
        assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200, name
    assert len(s.receipts()) == len(names)
    s.process()
    assert {r["status"] for r in s.receipts()} == {"processed"}
    accounts = {r["id"].decode(): r["account"] for r in s.sql("SELECT * FROM kept")}
    assert set(accounts) == {"evt_" + n for n in names}
    assert accounts.pop("evt_account") == b"acct_x"
    assert json.loads(accounts.pop("evt_accountobject")) == {"id": "acct_y"}
    assert set(accounts.values()) == {None}
    v2 = s.sql("SELECT * FROM hookonce_receipt WHERE event_id = 'evt_v2'")[0]
    assert (v2["object_key"], str(v2["occurred_at"])) == (b"mtr_1", "2026-09-21 12:00:00")


@pytest.fixture(scope="module")
def two_endpoints(module_site):
    """A site at which two of one account's endpoints arrive."""
    return module_site(sources={"first": {"provider": "stripe", "secret": FIRST},
                                "second": {"provider": "stripe", "secret": SECOND}})


def both(s, first, second):
    for source, body in (("first", first), ("second", second)):
        assert s.cgi(source, body, s.signed(source, body)).status == 200


def test_one_event_by_two_endpoints_and_api_versions_is_one_receipt(two_endpoints):
    s, before = two_endpoints, two_endpoints.written()
    first = events.stripe("evt_both", pending_webhooks=2, api_version="2020-08-27")
    tree = json.loads(events.stripe("evt_both", pending_webhooks=1, api_version="2026-08-27"))
    tree["data"]["object"]["a_new_field"] = {"in": "the newer version"}
    second = json.dumps(tree, indent=2).encode()
    assert first != second
    both(s, first, second)
    assert s.written(before) == {"receipt": 1, "body": 1, "job": 1}
    row = s.sql("SELECT * FROM hookonce_receipt JOIN hookonce_body USING (correlation_id) "
                "WHERE event_id = 'evt_both'")[0]
    assert (row["provider"], row["source"], row["duplicates"]) == (b"stripe", b"first", 1)
    assert row["bytes"] == first
    s.process()
    assert s.effects().count("evt_both") == 1


@pytest.mark.parametrize("change", [{"object_id": "cs_other"}, {"kind": "checkout.session.expired"},
                                    {"created": 1790000001}, {"livemode": True}, {"account": "acct_other"}],
                         ids=lambda c: next(iter(c)))
def test_one_id_with_another_meaning_is_a_conflict(two_endpoints, change):
    s, before, name = two_endpoints, two_endpoints.written(), "evt_x_" + next(iter(change))
    first, other = events.stripe(name), events.stripe(name, **change)
    both(s, first, other)
    assert s.written(before) == {"receipt": 1, "body": 1, "job": 1, "conflict": 1}
    row = s.sql("SELECT * FROM hookonce_conflict WHERE event_id = %s", name)[0]
    assert (row["kind"], row["source"], row["body"]) == ("meaning", b"second", other)
    receipt = s.sql("SELECT * FROM hookonce_receipt WHERE event_id = %s", name)[0]
    assert (row["first_correlation_id"], receipt["duplicates"]) == (receipt["correlation_id"], 0)
    assert [line["level"] for line in s.log_lines(event="conflict", id=name)] == ["alarm"]
    assert name.encode() in s.hookonce("list", "conflicts", check=True).stdout
    s.process()
    assert s.effects().count(name) == 1
