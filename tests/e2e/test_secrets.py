"""Secrets as people paste them, as they break, and as they must not be used."""

import os

import pytest

from hooktest import events, sign, wait_until

WHSEC = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def one(provider, *secrets, **more):
    return {"provider": provider, "secret": list(secrets), **more}


def test_the_line_end_of_a_secret_file_is_not_part_of_the_secret__O_SEC_01(site):
    ends = {"lf": "\n", "crlf": "\r\n", "none": ""}
    s = site(sources={**{name: one("github", "s3cret" + end) for name, end in ends.items()},
                      "blanks": one("github", " s3 cret \n")})
    body = events.github()
    for name, end in ends.items():
        assert s.cgi(name, body, sign.github("s3cret" + (end or "\n"), body)).status == 401, name
        assert s.cgi(name, body, sign.github("s3cret", body)).status == 200, name
    assert s.cgi("blanks", body, sign.github("s3 cret", body)).status == 401
    assert s.cgi("blanks", body, sign.github(" s3 cret ", body)).status == 200
    s.hookonce("check", check=True)


def test_whsec_is_text_for_stripe_and_base64_for_svix__O_SEC_02(site):
    s = site(sources={"stripe": one("stripe", WHSEC), "clerk": one("clerk", WHSEC),
                      "bare": one("clerk", WHSEC[6:])}, routes={})
    body = events.stripe("evt_sec02")
    as_text = sign.stripe(WHSEC, body)
    as_key = sign.stripe(sign.svix_key(WHSEC), body)
    assert s.cgi("stripe", body, as_text).status == 200
    assert s.cgi("stripe", body, as_key).status == 401
    for source, message in (("clerk", "msg_1"), ("bare", "msg_2")):
        body = events.standard()
        assert s.cgi(source, body, sign.svix(WHSEC, body, message)).status == 200
        raw = sign.base64.b64encode(WHSEC.encode()).decode()  # signs with the text itself
        assert s.cgi(source, body, sign.svix(raw, body, message)).status == 401


UNUSABLE = {"empty": "", "newline": "\n", "prefix": "whsec_", "undecodable": "whsec_!!!!", "missing": None}


@pytest.fixture(scope="module")
def broken(module_site):
    """A site whose sources have no usable secret, beside one that has."""
    sources = {"good": one("github", "a good secret"), "open": one("github", "file:open.secret"),
               "text-empty": one("stripe", ""), "text-missing": one("stripe", "file:nowhere.secret")}
    for name, secret in UNUSABLE.items():
        sources[name] = one("clerk", "file:nowhere.secret" if secret is None else secret)
    s = module_site(sources=sources, routes={}, files={"open.secret": "readable by all"})
    os.chmod(s.path("open.secret"), 0o644)
    s.checked = s.hookonce("check")
    return s


@pytest.mark.parametrize("source", [*UNUSABLE, "text-empty", "text-missing", "open"])
def test_an_unusable_secret_never_verifies_anything__O_SEC_03(broken, source):
    body = events.standard()
    provider = broken.sources[source]["provider"]
    headers = {"clerk": lambda: sign.svix("", body), "stripe": lambda: sign.stripe("", body),
               "github": lambda: sign.github("readable by all", body)}[provider]()
    before = broken.written()
    answer = broken.cgi(source, body, headers)
    assert answer.status == 503
    assert answer.header("Retry-After")
    assert broken.written() == before
    assert broken.checked.returncode == 1
    assert f"FAIL  source {source}: secret 1: " in broken.checked.stdout.decode()
    assert "source good: github, 1 usable secret" in broken.checked.stdout.decode()
    assert broken.cgi("good", body, sign.github("a good secret", body)).status == 200


def test_a_secret_can_end_and_a_new_one_can_come_while_it_runs(site):
    s = site(server=("lighttpd", {"procs": 1}), routes={}, sources={
        "github": one("github", "the old one until 2001-01-01", "the new one")})
    body = events.github()
    assert s.deliver("github", body, secret="the old one").status == 401
    assert s.deliver("github", body, secret="the new one").status == 200
    s.write("github.secret1", "the newest")
    wait_until(lambda: s.deliver("github", events.github(), secret="the newest").status == 200, 5,
               "the receiver uses the changed secret file")
    assert s.deliver("github", body, secret="the new one").status == 401


def test_a_file_that_is_taken_away_revokes_nothing_and_an_end_does(site):
    s = site(server=("lighttpd", {"procs": 1}), sources={"hub": one("github", "leaked"), "two": one("github", "a", "b")},
             routes={})
    body = events.github()

    def status(source, secret):
        return s.post(source, body, sign.github(secret, body)).status

    assert status("hub", "leaked") == 200 and status("two", "a") == 200
    os.rename(s.path("hub.secret0"), s.path("away"))
    wait_until(lambda: status("hub", "leaked") == 200 and s.log_lines(event="config"), 10, "the receiver has looked")
    assert status("hub", "leaked") == 200, "what runs goes on with what it read"
    assert s.cgi("hub", body, sign.github("leaked", body)).status == 503, "what starts has none"
    done = s.hookonce("check")
    assert done.returncode == 1 and b"receivers that run" in done.stdout
    os.rename(s.path("away"), s.path("hub.secret0"))
    s.sources["hub"] = one("github", "leaked until 2001-01-01")
    s.configure()
    wait_until(lambda: status("hub", "leaked") == 503, 10, "it has ended")
    s.sources["two"] = one("github", "b")
    s.configure()
    wait_until(lambda: status("two", "a") == 401, 10, "its line is gone")
    assert status("two", "b") == 200


def test_a_broken_new_config_leaves_the_old_one_in_use(site):
    s = site(server=("lighttpd", {"procs": 1}), routes={},
             sources={"github": one("github", "the one")})
    assert s.deliver("github", events.github()).status == 200
    good = s.config_text()
    s.configure(good + "\n[source github]\nprovider = no such thing\n")
    wait_until(lambda: s.deliver("github", events.github()).status == 200 and s.log_lines(event="config"), 5,
               "the alarm about the broken config")
    assert s.log_lines(event="config")[-1]["level"] == "alarm"
    check = s.hookonce("check")
    assert check.returncode == 1 and b"hookonce.conf:" in check.stdout
    assert s.hookonce("list").returncode == 2
    s.configure(good.replace("[source github]", "[source renamed]"))
    body = events.github()
    wait_until(lambda: s.post("renamed", body, sign.github("the one", body)).status == 200, 5,
               "the repaired config is in use")


def test_two_hundred_signatures_by_another_secret__O_SEC_04(site):
    s = site(server=("lighttpd", {"procs": 2}), routes={})
    body = events.stripe("evt_sec04")
    headers = s.signed("stripe", body, secret="whsec_of_the_test_environment")
    statuses = {s.post("stripe", body, headers).status for _ in range(200)}
    assert statuses == {401}
    assert s.written() == {}
    refused = s.log_lines(event="rejected")
    assert len(refused) == 200
    line = refused[-1]
    assert line["source"] == "stripe" and line["reason"] == "signature mismatch"
    assert line["present"] == "yes" and abs(int(line["age_s"])) < 60 and line["secrets"] == "1"
    assert int(line["length"]) == len(body)
    assert sign.hashlib.sha256(body).hexdigest().startswith(line["body"]) and len(line["body"]) >= 8
    assert 1 <= len(s.log_lines(level="alarm")) <= 3
    text = s.log_text()
    expected = sign.stripe(s.secrets["stripe"][0], body)[1][1].partition("v1=")[2]
    assert expected not in text and s.secrets["stripe"][0][6:] not in text
