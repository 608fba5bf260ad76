"""The signature is over the octets received, and those octets are what is stored and handed on."""

import hashlib

import pytest

from hooktest import events

RAW = b'{ "b" : 1.0,\n\t"a":"x\\/y","id":"evt_raw01" }  '


@pytest.fixture(scope="module")
def served(module_site):
    """A site whose handler keeps the body that it is given."""
    s = module_site(server="lighttpd", sources={
        "stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="},
        "github": {"provider": "github", "secret": "github test secret", "guard": "no"},
    }, handlers={"keep": {"sql": "INSERT INTO kept (id, body) VALUES ({event:id}, {event:body})"}})
    s.sql("CREATE TABLE kept (n BIGINT AUTO_INCREMENT PRIMARY KEY, id VARBINARY(255), body LONGBLOB)")
    return s


def stored(served, event_id):
    """(receipt, stored body) of an event."""
    rows = served.sql("SELECT * FROM hookonce_receipt WHERE event_id = %s", event_id)
    assert len(rows) == 1, rows
    parts = served.sql("SELECT bytes FROM hookonce_body WHERE correlation_id = %s ORDER BY part",
                       rows[0]["correlation_id"])
    return rows[0], b"".join(p["bytes"] for p in parts)


def test_a_body_is_hashed_and_stored_as_received__O_RAW_01(served):
    for source, event_id, more in (("stripe", b"evt_raw01", {}), ("github", b"d-raw01", {"delivery": "d-raw01"})):
        assert served.deliver(source, RAW, **more).status == 200
        row, body = stored(served, event_id)
        assert body == RAW
        assert row["body_sha256"] == hashlib.sha256(RAW).digest()


def test_one_blank_less_is_another_body__O_RAW_01(served):
    before = served.written()
    for source in ("stripe", "github"):
        assert served.post(source, RAW[:-1], served.signed(source, RAW)).status == 401
    assert served.written() == before


def test_emoji_accents_and_escapes_reach_the_handler_byte_for_byte__O_RAW_02(served):
    body = ('{"m":"Plaça 😀 ™","e":"' + r"\u001b[0m \u00e7" + '"}').encode()
    assert b"\\u001b" in body and "😀".encode() in body
    assert served.deliver("github", body, delivery="d-raw02").status == 200
    assert stored(served, b"d-raw02")[1] == body
    served.process()
    kept = served.sql("SELECT body FROM kept WHERE id = %s", b"d-raw02")
    assert [r["body"] for r in kept] == [body]


@pytest.mark.parametrize("kind", ["application/json; charset=UTF-8", "application/vnd.api+json", "text/plain",
                                  None])
def test_content_type_does_not_decide_whether_the_body_is_seen__O_RAW_03(served, kind):
    body = events.github(ref=f"refs/heads/{kind}")
    delivery = f"d-raw03-{abs(hash(kind))}"
    headers = served.signed("github", body, delivery=delivery, content_type=kind or "")
    if kind is None:
        headers = [h for h in headers if h[0] != "Content-Type"]
    assert served.post("github", body, headers).status == 200
    assert stored(served, delivery.encode())[1] == body
