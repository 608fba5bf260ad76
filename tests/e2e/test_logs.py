"""What answers, logs and tables give away, and what a log line bears."""

import json
import os
import re
import socket

import pytest

from hooktest import events, sign, wait_until

# No four characters of these stand anywhere by chance.
STRIPE, GITHUB, CLERK = "whsec_Zq7Xw0Kj5Vb2", "Qj8#Wz4~Yx6^", "whsec_" + "WlJxN0p3OUt5Vng0VWI2"
LINE_FIELDS = {"time", "level", "cid", "event"}


def parts(secret, mac=""):
    """All that must not show: every run of four characters of the secret's own part, and a MAC."""
    own = secret[6:] if secret.startswith("whsec_") else secret
    return [own[i:i + 4] for i in range(len(own) - 3)] + ([mac, mac[:16]] if mac else [])


def dump(s):
    """Every value of every table, as one bytes string."""
    seen = b""
    for row in s.sql("SHOW TABLES"):
        for values in s.sql(f"SELECT * FROM `{next(iter(row.values()))}`"):
            for value in values.values():
                seen += (value if isinstance(value, bytes) else str(value).encode()) + b"\n"
    return seen


def test_no_secret_and_no_expected_mac_shows_anywhere__O_OPS_01(site):
    s = site(server=("lighttpd", {"procs": 1}), sources={
        "stripe": {"provider": "stripe", "secret": STRIPE}, "github": {"provider": "github", "secret": GITHUB},
        "clerk": {"provider": "clerk", "secret": CLERK}, "bad": {"provider": "clerk", "secret": CLERK + "!"}},
        settings={"hookonce": {"log_level": "debug"}})
    body = events.stripe("evt_ops01")
    secrets = {"stripe": STRIPE, "github": GITHUB, "clerk": CLERK}
    genuine = {name: s.signed(name, body, secret=secret) for name, secret in secrets.items()}
    replies = []

    def post(source, headers, query=""):
        answer = s.server.request("POST", f"/hookonce.fcgi/{source}{query}", body, headers)
        replies.append(repr(answer.headers).encode() + answer.body)
        return answer.status

    for name in secrets:
        spoilt = [(k, v[:-6] + "AAAAAA" if "ignature" in k else v) for k, v in genuine[name]]
        assert post(name, spoilt, "?token=" + GITHUB.replace("#", "%23")) == 401
        assert post(name, []) == 401
        assert post(name, genuine[name]) == 200
    assert post("bad", genuine["clerk"]) == 503
    good = s.config_text()
    s.configure(good + f"\n[source {GITHUB}]\nsecret = {STRIPE}\n")
    outputs = [s.hookonce("check"), s.hookonce("list")]
    s.configure(good.replace("password = file:db.password", f"password = {s.db.password}"))
    outputs += [s.hookonce("check"), s.hookonce("list")]
    s.configure(good)
    outputs += [s.hookonce(*c) for c in (["check"], ["process", "--once"], ["list"], ["list", "--json"],
                                         ["providers"])]
    s.write("db.password", "not the password")
    outputs += [s.hookonce("check"), s.hookonce("list")]
    s.write("db.password", s.db.password)

    shown = {"answers": b"\n".join(replies), "log": s.log_text().encode(),
             "web server's log": s.server.logs().encode(), "tables": dump(s), "output": b"\n".join(o.stdout + o.stderr for o in outputs)}
    macs = [re.findall(r"[A-Za-z0-9+/=]{40,}", dict(genuine[n])[h])[-1] for n, h in (
        ("stripe", "Stripe-Signature"), ("github", "X-Hub-Signature-256"), ("clerk", "svix-signature"))]
    assert len(set(macs)) == 3
    for place, text in shown.items():
        for secret, mac in zip((STRIPE, GITHUB, CLERK), macs):
            for part in parts(secret, mac):
                assert part.encode() not in text, f"{part!r} of {secret!r} in the {place}"
        assert s.db.password.encode() not in text, place
    with open(s.path("hookonce.key"), encoding="ascii") as f:
        key = f.read().strip()
    assert all(key[:16].encode() not in text for text in shown.values())


def test_refusals_do_not_tell_which_part_was_wrong__O_OPS_01(site):
    s = site(server=("lighttpd", {"procs": 1}))
    body = events.stripe("evt_ops01b")
    for headers in (s.signed("stripe", body, secret="whsec_x"), s.signed("stripe", body, t=1), []):
        answer = s.post("stripe", body, headers)
        assert answer.status == 401 and len(answer.body) < 100
        assert not re.search(rb"[0-9a-f]{16}|[A-Za-z0-9+/]{40}", answer.body)


AWKWARD = {
    "tab": "a\tb", "escaped-newline": "a%0ab", "long": "x" * 7000, "equals": "a=b c=d",
    "quotes": 'say "hi" \\ there', "not-ascii": "prüfung 😀", "latin-1": "pr\udcfcfung", "escape": "red \x1b[31m", "newline": "a\nb event=accepted",
    "carriage-return": "a\rb", "line-separator": "a\u2028b\u0085c", "bidi": "a\u202eb", "empty-looking": "\u200b",
}


@pytest.fixture(scope="module")
def logged(module_site):
    """A site whose log is looked at."""
    return module_site(sources={"github": {"provider": "github", "secret": "github test secret", "guard": "no"}},
                       routes={})


@pytest.mark.parametrize("name", AWKWARD)
def test_a_log_line_is_one_line_whatever_stands_in_it__O_OPS_02(logged, name):
    value, s = AWKWARD[name], logged
    def lines():
        """One line for each request; alarms come on top."""
        return [line for line in s.log_lines() if line["event"] != "alarm"]

    before = len(lines())
    body = events.github()
    headers = sign.github("github test secret", body, event=value, delivery=value + "!")
    assert s.cgi("github", body, headers).status in (200, 400)
    assert s.cgi("github", body, sign.github("another", body, event=value, delivery=value)).status in (400, 401)
    new = lines()[before:]  # fails on any line that cannot be parsed
    assert len(new) == 2
    for line in new:
        assert LINE_FIELDS <= set(line)
        assert all(len(v.encode()) < 900 for v in line.values())
        assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202e]", "".join(line.values()))


@pytest.mark.parametrize("path", ["/hook/a%0d%0aX: 1", "/hook/a%0aevent=accepted", "/hook/" + "p" * 8000,
                                  "/hook/%1b[31m", "/hook/😀", "/hook/%ff%fe", '/hook/"a"', "/hook/a?x=%0d%0a&token=Zq7Xw0"])
def test_paths_and_queries_cannot_break_the_log__O_OPS_02(logged, path):
    before = len(logged.log_lines())
    assert logged.cgi(path, b"{}").status in (400, 404)
    lines = logged.log_lines()[before:]
    assert len(lines) == 1 and lines[0]["event"] == "rejected"
    assert "Zq7Xw0" not in logged.log_text()
    assert all(len(v.encode()) < 900 for v in lines[0].values())


def test_the_config_says_how_much_is_logged(site):
    s = site(settings={"hookonce": {"log_level": "warn"}})
    body = events.stripe("evt_1")
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    assert s.cgi("stripe", body, []).status == 401
    s.process()
    assert {line["level"] for line in s.log_lines()} == {"warn"}
    s.settings["hookonce"]["log_level"] = "debug"
    s.configure()
    s.process()
    assert [line["event"] for line in s.log_lines(level="debug")] == ["stopped"]


def syslog_socket(path):
    """A syslog that only listens."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(path)
    os.chmod(path, 0o666)
    sock.settimeout(40)
    return sock


def test_json_lines_are_objects_whatever_stands_in_them(site):
    s = site(sources={"github": {"provider": "github", "secret": "github test secret", "guard": "no"}}, routes={},
             settings={"hookonce": {"log_format": "json"}})
    body = events.github()
    for name, value in AWKWARD.items():
        headers = sign.github("github test secret", body, event=value, delivery=name)
        assert s.cgi("github", body, headers).status in (200, 400)
    assert s.cgi("github", body, []).status == 401
    s.process()
    text = s.log_text()
    lines = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
    assert {"accepted", "rejected", "ignored"} <= {line["event"] for line in lines}
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]", text)
    for line in lines:
        assert {"time", "level", "cid", "event"} <= set(line)
        assert line["event"] != "accepted" or (len(line["cid"]) == 26 and isinstance(line["ms"], int))
        assert line["event"] != "rejected" or line["cid"] is None


def test_a_request_leaves_one_line_and_says_what_became_of_it(site):
    s = site(settings={"hookonce": {"log_level": "debug"}})
    body = events.stripe("evt_1")
    signed = s.signed("stripe", body)
    before = 0
    for method, path, content, headers, event in (
            ("POST", "stripe", body, signed, "accepted"), ("POST", "stripe", body, signed, "duplicate"),
            ("POST", "stripe", body, [], "rejected"), ("POST", "stripe", body + b" ", signed, "rejected"),
            ("PUT", "stripe", body, signed, "rejected"), ("POST", "nobody", body, signed, "rejected"),
            ("GET", "stripe", b"", [], "probe"), ("HEAD", "stripe", b"", [], "probe")):
        s.cgi(path, content, headers, method=method)
        lines = [line for line in s.log_lines() if line["event"] != "alarm"]
        assert [line["event"] for line in lines[before:]] == [event], (method, path)
        assert (lines[-1]["cid"] == "-") == (event in ("rejected", "probe"))
        assert event == "probe" or lines[-1]["ms"].isdigit()
        assert (event == "rejected") == ("reason" in lines[-1])
        before = len(lines)
    s.write("receiver.password", "not the password")
    assert s.cgi("stripe", body, signed).status in (200, 503)
    lines = [line for line in s.log_lines() if line["event"] != "alarm"]
    assert len(lines) == before + 1 and len(lines[-1]["cid"]) == 26 and lines[-1]["event"] in ("busy", "spooled")


def test_syslog_gets_the_lines(site):
    s = site()
    path = s.path("syslog")
    s.settings = {"hookonce": {"log": "syslog:" + path}}
    s.configure()

    def deliver(name, headers=None):
        body = events.stripe(name)
        return s.cgi("stripe", body, s.signed("stripe", body) if headers is None else headers).status

    with syslog_socket(path) as sock:
        assert deliver("evt_1") == 200
        assert re.fullmatch(r"<30>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d hookonce\[\d+\]: \S+Z info cid=\w{26} "
                            r"event=accepted source=stripe .*", sock.recv(70000).decode())
        assert deliver("evt_1", []) == 401
        assert sock.recv(70000).startswith(b"<28>")
        assert s.hookonce("check").stdout.decode().count(f"ok    log: goes to syslog at {path}\n") == 1
    assert s.log_text() == "" == s.cgi_stderr
    # It is gone: requests are answered as before, and check says so.
    assert deliver("evt_2") == 200
    assert " event=accepted " in s.cgi_stderr
    found = s.hookonce("check").stdout.decode()
    assert f"warn  log: syslog does not listen at {path}: Connection refused; lines go to stderr\n" in found
    assert "warn  alarm log: 1 time, last at " in found


def test_a_log_that_cannot_be_written_stops_nothing(site):
    s = site()
    log = os.path.join(s.folder("logs"), "log")
    s.settings = {"hookonce": {"log": "file:logs/log"}}
    s.configure()
    s.serve("lighttpd", procs=1)

    def deliver(name, lines):
        body = events.stripe(name)
        assert s.post("stripe", body, s.signed("stripe", body)).status == 200
        if lines is not None:
            with open(log, encoding="utf-8") as f:
                assert f.read().count(" event=accepted ") == lines

    def found():
        return [line for line in s.hookonce("check").stdout.decode().splitlines() if re.match(r"\w+ +(alarm )?log: ", line)]

    deliver("evt_1", 1)
    os.rename(log, log + ".old")  # as logrotate does
    deliver("evt_2", 1)
    os.truncate(log, 0)  # as it does with copytruncate
    deliver("evt_3", 1)
    assert found() == [f"ok    log: {log} can be written"]
    os.remove(log)
    os.mkdir(log)  # nobody can write to it
    deliver("evt_4", None)
    assert s.count("receipt") == 4
    assert found()[0] == f"warn  log: {log} can't be written: lines go to stderr"
    s.cgi("nobody")
    assert " event=rejected " in s.cgi_stderr
    assert re.match("warn  alarm log: [12] times?, last at", found()[1])
    os.rmdir(log)
    deliver("evt_5", 1)
    assert found()[0] == f"ok    log: {log} can be written"
    wait_until(lambda: found()[1].startswith("note  alarm log: ") and found()[1].endswith("(over)"), 10,
               "the alarm is over; the receiver notes it behind its answer")


def test_the_default_logs_folder_is_made_again_and_check_says_where_it_stands(site):
    s = site()

    def check():
        said = [json.loads(line) for line in s.hookonce("check", "--json").stdout.splitlines()]
        return [(f["level"], f["text"]) for f in said if f["subject"] == "log"]

    body = events.stripe("evt_1")
    s.settings["hookonce"] = {"state": "moved", "log": "file:lost/hookonce.log"}
    s.configure()
    (level, text), = check()
    assert level == "note" and "not there yet" in text
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    assert os.stat(s.path("lost")).st_mode & 0o777 == 0o700
    with open(s.path("lost/hookonce.log"), encoding="utf-8") as f:
        assert "event=accepted" in f.read()
    assert check()[0][0] == "ok"
    s.settings["hookonce"]["log"] = "file:no/such/hookonce.log"
    s.configure()
    (level, text), = check()
    assert level == "warn" and "lines go to stderr" in text
