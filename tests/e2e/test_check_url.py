"""`hookonce check --url`: a host that is well gets no line too many, and each fault is found."""

import json

import pytest

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}


def look(s, url, *more):
    """The lines of `check --url` as dicts."""
    done = s.hookonce("check", "--json", "--url", url, *more)
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert done.returncode == (1 if any(r["level"] == "FAIL" for r in rows) else 0), done
    return rows


@pytest.mark.parametrize("server", ["apache-fcgid", "apache-cgid", "lighttpd", "htaccess-cgid", "htaccess-fcgid", "lighttpd-cgi"])
def test_a_host_that_is_well_gets_no_line_too_many(site, server):
    s = site(server=server, sources=STRIPE)
    rows = look(s, s.server.url("/hookonce.fcgi"))
    print(json.dumps(rows[-6:], indent=1))
    assert [r for r in rows if r["level"] in ("warn", "FAIL")] == []
