"""A Supabase source in reply mode, asked as the auth server does; see the tests test_reply*.py."""

import os
import threading
import time

from . import supabase
from .proc import pids_of

SECRET = "v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDE="
FAILED = b'{"error":{"http_code":500,"message":"The hook was not answered"}}'
TRACE = 'echo "$HOOKONCE_IDEMPOTENCY_KEY $HOOKONCE_ATTEMPT" >>ran\n'


def script(site, text, name="handler.sh"):
    """A command for this site's handlers; its folder is where it runs."""
    return site.write(name, "#!/bin/sh\n" + text, mode=0o700)


def sources(**more):
    return {"hook": {"provider": "supabase", "secret": SECRET, "mode": "reply", "handler": "h", **more}}


def reply_site(site, handler, server=None, keys=None, database=None, **more):
    """A site with one Supabase source in reply mode; a text as handler is a shell script.

    keys: further ones of the handler; more: of the source. Unless said otherwise its handler has all the time
    that a busy machine takes; reply_timeout=None leaves it the recipe's.
    """
    more = {name: value for name, value in {"reply_timeout": "20s", **more}.items() if value}
    command = isinstance(handler, str)
    section = {"command": "handler.sh", "breaker": "off"} if command else handler
    s = site(server=server, database=database, sources=sources(**more), handlers={"h": {**section, **(keys or {})}},
             routes={}, files={"handler.sh": ""} if command else {})
    if command:
        script(s, handler)
    return s


def ask(s, event="8e6d3c2b-1111-4222-8333-aabbccddeeff", hook="before-user-created", post=None, **more):
    """One attempt of a hook -> (answer, seconds)."""
    body = supabase.body_of(hook, event, **more)
    start = time.monotonic()
    answer = (post or s.cgi)("hook", body, supabase.headers_of(SECRET, body))
    return answer, time.monotonic() - start


class Asking(threading.Thread):
    """The same in the background."""

    def __init__(self, s, **more):
        super().__init__()
        self.args, self.got = (s, more), None
        self.start()

    def run(self):
        self.got = ask(self.args[0], **self.args[1])

    def answer(self, limit_s=20):
        """(answer, seconds)"""
        self.join(limit_s)
        assert self.got, "no answer"
        return self.got


def ran(s):
    """[[idempotency key, attempt]] of each run of a handler with TRACE."""
    path = s.path("ran")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [line.split() for line in f]


def job(s):
    """The only job of the site."""
    rows = s.jobs()
    assert len(rows) == 1
    return rows[0]


def parent_of(pid):
    """The pid of a process's parent, 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return int(f.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def replies(s):
    """Pids of `hookonce reply` of this site; not of what it forks to guard its command, nor of
    `hookonce serve`."""
    pool = s.server.pool.pid if s.server and s.server.pool else None
    pids = [pid for pid in pids_of(s.program) if pid != pool]
    return [pid for pid in pids if parent_of(pid) not in pids]


def gone(pids):
    """Whether no such process is there any more, not even as a zombie."""
    return not any(os.path.exists(f"/proc/{pid}") for pid in pids)
