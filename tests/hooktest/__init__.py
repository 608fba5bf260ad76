"""Helpers of the end-to-end tests: a private MariaDB, real web servers, and a hookonce site.

    def test_x(site):
        s = site(server="lighttpd")                  # config, secrets, database, schema, web server
        answer = s.deliver("stripe", events.stripe("evt_1"))     # signed, over HTTP
        assert answer.status == 200
        s.process()                                  # hookonce process --once
        assert s.effects() == ["evt_1"]

What each part offers stands in its own module:
    site.py      Site, the world of one test         web.py    lighttpd and Apache, from the shipped files
    mariadb.py   MariaDB, Database                   wire.py   HTTP requests, well and badly formed
    sign.py      signatures of the providers         events.py small genuine-looking bodies
    loglines.py  hookonce's log, line by line        proxy.py   a database link that breaks when told
    fastcgi.py   FastCGI spoken by hand                  flow.py    events, hosts and handlers without a web server
    keyserver.py HTTPS with keys on it               downstream.py  the server of handlers and of fetch
    supabase.py  the auth server's side of a hook      reply.py  a source that a handler answers
    documents.py commands in the documentation           senders.py providers that send until it is taken
    grid.py      a provider that sends batches              asked.py  a site for tests that are written for node
    consoles.py  Adminer and phpMyAdmin
    proc.py      processes, ports, bounded waits     paths.py  where the programs are
    hosting.py   an account of shared hosting, Apache with suEXEC
    gate.py      what tests/run counts by            home.py   a reader of README and runbook
    middle.py    an HTTP proxy that alters what it is told to

A test has to hold where four others and a compiler run beside it:
  - Look with wait_until, not once: a FastCGI receiver counts repeats, imports and notes its log behind its answer,
    and pids_of sees what a program has forked for another one.
  - Hold a handler with flow.Gate or a file it waits for and let it go, instead of racing a sleep of two seconds.
  - Runs that must not try again by themselves have "3 tries, 1h" and flow.make_due: to a slow `process --once` what
    comes due within a second is due. It ends after 55 s, and a processor when its --for is over: give it 200s.
  - No upper bound on time that others' work can reach. What must be quick is the least of several (proc.least) or
    CPU (proc.cpu_s); what must come first is read from the rows' own times; a wait that is the promise itself says so.
  - Lower bounds go by one clock, the database's; none by when a thread of the test came to look.
  - Nothing hangs on the second, minute or day that passes meanwhile (proc.clear_of_the_turn), nor on a port, a
    file's time or an order that was not asked for.
"""

from . import events, sign
from .mariadb import Database, MariaDB
from .paths import BUILD, PROJECT
from .proc import Proc, TimedOut, free_port, run, wait_until
from .site import Site
from .web import SERVERS, Apache, Lighttpd, Nginx
from .wire import Answer, raw, request

__all__ = [
    "Answer", "Apache", "BUILD", "Database", "Lighttpd", "MariaDB", "Nginx", "PROJECT", "Proc", "SERVERS",
    "Site", "TimedOut", "events", "free_port", "raw", "request", "run", "sign", "wait_until",
]
