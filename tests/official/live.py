#!/usr/bin/python3 -B
"""A live site for the tests that are written for node: private MariaDB, lighttpd, receiver.

Reads one JSON line first: {name: keys of a source}, or null for those below. Prints one JSON line
{"port": …, "secrets": {source: …}} and then answers each JSON line that it is given with one:
{"run": [arguments of hookonce], "input": base64 or absent} -> {"code", "out", "err"};
{"written": true} -> rows in each table; {"sql": statement} -> its rows, bytes as {"hex": digits}. It ends with
its standard input.
"""

import base64
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hooktest import MariaDB, Site  # noqa: E402

SOURCES = {
    "stripe": {"provider": "stripe", "secret": "whsec_b2ZmaWNpYWwtc3RyaXBlLXNlY3JldA=="},
    "github": {"provider": "github", "secret": "It's a Secret to Everybody — 😀", "guard": "no"},
    "shopify": {"provider": "shopify", "secret": "hush-this-is-the-client-secret"},
    "slack": {"provider": "slack", "secret": "8f742231b10e8888abcd99yyyzzz85a5"},
    "standard": {"provider": "standard-webhooks", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
    "razorpay": {"provider": "razorpay", "secret": "a webhook secret, with blanks", "guard": "no"},
    "paddle": {"provider": "paddle", "secret": "pdl_ntfset_01officialofficialofficial_aaaaAAAA0000+/bbbb"},
    "twilio": {"provider": "twilio", "secret": "0123456789abcdef0123456789abcdef",
               "url": "https://hooks.example.com/hook/twilio?b=2&a=1%2B1"},
    "openai": {"provider": "openai", "secret": "whsec_b3BlbmFpLXdlYmhvb2stc2VjcmV0LTAx"},
    "svix": {"provider": "svix", "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"},
}


def plain(value):
    """What JSON has no word for."""
    return {"hex": value.hex()} if isinstance(value, bytes) else repr(value)


def answer(site, asked):
    """What one line asks for."""
    if "run" in asked:
        more = {"input": base64.b64decode(asked["input"])} if "input" in asked else {}
        done = site.hookonce(*asked["run"], **more)
        return {"code": done.returncode, "out": done.stdout.decode(), "err": done.stderr.decode()}
    if "sql" in asked:
        return site.sql(asked["sql"])
    return site.written()


def main():
    sources = json.loads(sys.stdin.readline()) or SOURCES
    place = tempfile.mkdtemp(prefix="hookonce-")
    os.chmod(place, 0o711)
    server = MariaDB(os.path.join(place, "db"))
    site = None
    try:
        site = Site(os.path.join(place, "site"), server.start().create_database(), sources=sources, routes={})
        site.migrate()
        site.serve("lighttpd", procs=2)
        secrets = {name: keys.get("secret") for name, keys in sources.items()}
        print(json.dumps({"port": site.server.port, "secrets": secrets}), flush=True)
        for line in sys.stdin:
            print(json.dumps(answer(site, json.loads(line)), default=plain), flush=True)
    finally:
        if site:
            site.close()
        server.stop()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
