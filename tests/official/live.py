#!/usr/bin/python3 -B
"""A live site for the tests that are written for node: private MariaDB, lighttpd, receiver.

Reads one JSON line first: {name: keys of a source}, or null for those below. Says {"port": …, "secrets":
{source: …}}, then answers as hooktest/asked.py says. It ends with its standard input.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hooktest import Site, asked  # noqa: E402

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


def main():
    sources = asked.opening() or SOURCES
    with asked.place() as (folder, server):
        site = Site(os.path.join(folder, "site"), server.create_database(), sources=sources, routes={})
        try:
            site.migrate()
            site.serve("lighttpd", procs=2)
            secrets = {name: keys.get("secret") for name, keys in sources.items()}
            asked.serve(site, {"port": site.server.port, "secrets": secrets})
        finally:
            site.close()


if __name__ == "__main__":
    main()
