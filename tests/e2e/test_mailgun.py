"""Mailgun: one hook in three encodings, a token that is used once, and the only two answers that end retries."""

import json
import time
import urllib.parse

import pytest

from hooktest import sign

KEY = "mg-signing-key-0000000000000001"
BOUNDARY = "a boundary: with (what) needs=quotes?"


@pytest.fixture(scope="module")
def served(module_site):
    """A site with the guard on, as the recipe says."""
    return module_site(sources={"mailgun": {"provider": "mailgun", "secret": KEY}})


def event(number, kind="delivered"):
    """Event data as in the Events API."""
    return {"id": f"event-{number}", "event": kind, "timestamp": 1789999998.375624, "recipient": "alice@example.com",
            "message": {"headers": {"message-id": f"{number}@mg.example.com"}}}


def flat(number, kind="bounced", **more):
    """The fields of the older hooks, which stand beside the signature."""
    return {"event": kind, "recipient": "alice@example.com", "Message-Id": f"<{number}@mg.example.com>", "code": "550",
            **sign.mailgun_fields(KEY, **more)}


def urlencoded(fields):
    return [("Content-Type", "application/x-www-form-urlencoded")], urllib.parse.urlencode(fields).encode()


def multipart(fields, attachment=b""):
    """multipart/form-data with a boundary that needs quotes, and a file of these bytes."""
    mark = b"--" + BOUNDARY.encode()
    parts = [mark + f'\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
             for name, value in fields.items()]
    parts.append(mark + b'\r\nContent-Disposition: form-data; name="attachment-1"; filename="a.bin"\r\n'
                 b"Content-Type: application/octet-stream\r\n\r\n" + attachment + b"\r\n" + mark + b"--\r\n")
    return [("Content-Type", f'multipart/form-data; boundary="{BOUNDARY}"')], b"".join(parts)


def test_json_urlencoded_and_multipart_are_one_hook__O_MG_01(served):
    before = served.written()
    fields = flat("form"), flat("multi")
    for headers, body in (sign.mailgun(KEY, event("json", "bounced")), urlencoded(fields[0]),
                          multipart(fields[1], bytes(range(256)) * 800)):
        assert served.cgi("mailgun", body, headers).status == 200
    assert served.written(before) == {"receipt": 3, "body": 3, "job": 3, "guard": 3}
    rows = served.receipts()[-3:]
    assert [r["event_type"] for r in rows] == [b"bounced"] * 3
    assert [r["event_id"].decode() for r in rows] == ["event-json"] + [f"bounced.{f['token']}" for f in fields]
    assert [r["object_key"] for r in rows] == [b"json@mg.example.com", b"<form@mg.example.com>",
                                               b"<multi@mg.example.com>"]
    assert all(r["occurred_at"] for r in rows)


@pytest.mark.parametrize("make", [urlencoded, multipart])
def test_each_of_the_three_fields_counts_in_every_encoding__O_MG_01(served, make):
    before = served.written()
    for name in ("timestamp", "token", "signature"):
        fields = flat("bad")
        for value in (fields[name][:-1] + ("0" if fields[name][-1] != "0" else "1"), "", None):
            headers, body = make({k: v for k, v in {**fields, name: value}.items() if v is not None})
            assert served.cgi("mailgun", body, headers).status == 401
    assert served.written() == before


def test_a_field_that_stands_twice_or_as_a_file_is_no_signature__O_MG_01(served):
    before = served.written()
    headers, body = urlencoded(flat("twice"))
    assert served.cgi("mailgun", body + b"&token=another", headers).status == 401
    headers, body = multipart(flat("file"))
    assert served.cgi("mailgun", body.replace(b'name="token"', b'name="token"; filename="t"'), headers).status == 401
    assert served.written() == before


def test_success_is_exactly_200_and_a_bad_signature_is_asked_again__O_MG_02(served):
    before = served.written()
    headers, body = sign.mailgun(KEY, event("mg02"))
    assert served.cgi("mailgun", body, headers).status == 200
    assert served.cgi("mailgun", body, headers).status == 200
    assert served.written(before) == {"receipt": 1, "body": 1, "job": 1, "guard": 1}
    headers, body = sign.mailgun("another key", event("mg02-bad"))
    assert served.cgi("mailgun", body, headers).status == 401
    assert served.written(before) == {"receipt": 1, "body": 1, "job": 1, "guard": 1}


def test_what_is_genuine_and_can_never_be_taken_ends_the_retries__O_MG_02(site):
    own = "[recipe strict]\nlike = mailgun\nid = {json:/event-data/no-such-field}\n"
    s = site(sources={"mailgun": {"provider": "strict", "secret": KEY}}, files={"own.conf": own},
             settings={"hookonce": {"recipes": "own.conf"}})
    headers, body = sign.mailgun(KEY, event("never"))
    assert s.cgi("mailgun", body, headers).status == 406
    assert s.written() == {}


def test_a_retry_brings_its_first_signature_hours_later__O_MG_02(served):
    t = int(time.time()) - 8 * 3600
    before = served.written()
    headers, body = sign.mailgun(KEY, event("late"), t=t)
    assert served.cgi("mailgun", body, headers).status == 200
    assert served.written(before) == {"receipt": 1, "body": 1, "job": 1, "guard": 1}
    headers, body = sign.mailgun(KEY, event("too late"), t=t - 5 * 3600)
    assert served.cgi("mailgun", body, headers).status == 401


def test_a_token_opens_the_door_once_whatever_event_stands_behind_it__O_MG_02(served):
    headers, body = sign.mailgun(KEY, event("once"))
    assert served.cgi("mailgun", body, headers).status == 200
    before = served.written()
    forged = body.replace(b"event-once", b"event-forged").replace(b"delivered", b"complained")
    assert json.loads(forged)["event-data"]["id"] == "event-forged"
    assert served.cgi("mailgun", forged, headers).status == 200
    assert served.written(before) == {"conflict": 1}
    row = served.sql("SELECT * FROM hookonce_conflict ORDER BY id DESC LIMIT 1")[0]
    assert (row["kind"], row["event_id"]) == ("repeat", b"event-forged")
    served.process()
    assert "event-forged" not in served.effects()
