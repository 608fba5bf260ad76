"""Bodies that are no proper text, and ids that are no proper ids."""

import hashlib
import json

import pytest

from hooktest import MariaDB, events, sign

SECRET = "github test secret"
GITHUB = {"github": {"provider": "github", "secret": SECRET, "guard": "no"}}
STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}


def test_nul_and_broken_surrogates_are_stored_as_they_came__O_PAY_01(site):
    s = site(sources=GITHUB)
    bodies = {"d-nul": (b'{"m":"a\\u0000b"}', b"json"), "d-surrogate": (b'{"s":"\\ud800"}', b"json"),
              "d-raw-nul": (b'{"m":1}\x00 ', b"none"), "d-bytes": (b'\xff\xfe{"m"', b"none"),
              "d-deep": (b"[" * 5000 + b"]" * 5000, b"none")}
    for delivery, (body, _) in bodies.items():
        assert s.cgi("github", body, sign.github(SECRET, body, delivery=delivery)).status == 200, delivery
    rows = {r["event_id"].decode(): r for r in s.receipts()}
    for delivery, (body, document) in bodies.items():
        assert rows[delivery]["body_sha256"] == hashlib.sha256(body).digest()
        assert s.value("SELECT bytes FROM hookonce_body WHERE correlation_id = %s",
                       rows[delivery]["correlation_id"]) == body
        if delivery != "d-surrogate":  # whether half a pair is JSON, readers disagree; it is kept either way
            assert rows[delivery]["document"] == document, delivery
    s.process()
    assert sorted(s.effects()) == sorted(bodies)


@pytest.fixture(scope="module")
def odd_server(base):
    """A server whose own charset is not UTF-8."""
    server = MariaDB(base + "/db-latin1", options=["--character-set-server=latin1"]).start()
    yield server
    server.stop()


@pytest.mark.parametrize("charset", ["latin1", "utf8mb3"])
def test_four_byte_characters_survive_any_default_charset__O_PAY_02(site, odd_server, charset):
    s = site(database=odd_server.create_database(options=f"CHARACTER SET {charset}"), sources=GITHUB,
             handlers={"keep": {"sql": "INSERT INTO kept (id, type, m, h) VALUES "
                                       "({event:id}, {event:type}, {/m}, {header:X-Note})"}})
    s.sql("CREATE TABLE kept (id VARBINARY(255), type VARCHAR(255), m VARCHAR(255), h VARCHAR(255)) "
          "CHARACTER SET utf8mb4")
    kind, note, text = "push.😀\u200b", "note 😀", "a😀\u200bb"
    body = json.dumps({"m": text}, ensure_ascii=False).encode()
    headers = sign.github(SECRET, body, event=kind, delivery="d-😀") + [("X-Note", note)]
    assert s.cgi("github", body, headers).status == 200
    row = s.sql("SELECT *, CONVERT(event_type USING utf8mb4) AS shown FROM hookonce_receipt")[0]
    assert row["body_sha256"] == hashlib.sha256(body).digest()
    assert (row["event_id"], row["event_type"], row["shown"]) == ("d-😀".encode(), kind.encode(), kind)
    assert s.value("SELECT bytes FROM hookonce_body") == body
    assert f"x-note: {note}\n".encode() in s.value("SELECT headers FROM hookonce_body")
    s.process()
    assert s.sql("SELECT * FROM kept") == [{"id": "d-😀".encode(), "type": kind, "m": text, "h": note}]
    assert "d-😀".encode() in s.hookonce("list", "--json", check=True).stdout


def send(s, **change):
    """A Stripe event with its id replaced (... leaves it out) -> (status, its stored id or None)."""
    tree = json.loads(events.stripe())
    tree["data"]["object"]["id"] = "cs_1"
    tree.update(change)
    body = json.dumps({k: v for k, v in tree.items() if v is not ...}).encode()
    before = {r["event_id"] for r in s.receipts()}
    answer = s.cgi("stripe", body, s.signed("stripe", body))
    new = [r["event_id"] for r in s.receipts() if r["event_id"] not in before]
    return answer.status, new[0] if new else None


UNUSABLE = [..., None, "", {}, [], True, False, 1.5, {"id": "x"}]


def test_events_without_a_usable_id_never_share_a_key__O_PAY_03(site):
    s = site(sources=STRIPE)
    stored = []
    for value in UNUSABLE:
        for created in (1, 2):
            status, key = send(s, id=value, created=created)
            assert status in (200, 422), value
            assert (key is not None) == (status == 200), value
            if key is not None:
                stored.append(key)
    assert len(stored) == len(set(stored))
    assert len(s.receipts()) == len(stored)
    assert "conflict" not in s.written()


def test_a_number_and_the_same_digits_as_text_are_one_id__O_PAY_03(site):
    s = site(sources=STRIPE)
    assert send(s, id=12) == (200, b"12")
    assert send(s, id="12") == (200, None)
    assert send(s, id=13) == (200, b"13")
    assert send(s, id="012") == (200, b"012")
    assert s.written() == {"receipt": 3, "body": 3, "job": 3}


def test_ids_with_broken_surrogates_never_share_a_key__O_PAY_03(site):
    """A JSON parser folds every half of a pair into one replacement character."""
    s = site("lighttpd")
    odd = [b'"evt_\\ud800"', b'"evt_\\udbff"', b'"evt_\\udc00"', b'"evt_\\ufffd"']
    for name in odd + odd:
        body = b'{"id":' + name + b',"object":"event","type":"a.b","created":1790000000,"data":{"object":{}}}'
        assert s.deliver("stripe", body).status == 200
    ids = [r["event_id"] for r in s.receipts()]
    assert len(set(ids)) == len(odd) and all(i.startswith(b"sha256:") for i in ids)


def test_json_of_too_many_values_is_no_document_and_costs_little(site):
    s = site("lighttpd")
    body = b'{"ref":"x","a":[' + b"{}," * 1_300_000 + b"{}]}"
    assert s.deliver("github", body).status == 200
    s.import_spooled()
    row, = s.receipts()
    assert row["document"] == b"none" and row["body_len"] == len(body)
    assert s.deliver("github", events.github(ref="y")).status == 200
