"""From delivery to outcome without a web server: events arrive, hosts share a database, handlers run."""

from .proc import wait_until

# In a command: its parent is its guard, and the worker is the guard's.
KILL_WORKER = "kill -9 $(grep ^PPid: /proc/$PPID/status | tr -dc 0-9)"


def arrive(site, *bodies, source="stripe", **more):
    """Signed deliveries through the receiver as a CGI program, into the tables; `more` goes to the signature."""
    for body in bodies:
        answer = site.cgi(source, body, site.signed(source, body, **more))
        assert answer.status == 200, (answer, site.log_text()[-500:])
    site.import_spooled()


def join(make, first):
    """A further host of the same installation: its own state folder, and the first one's key and database.

    `make` is the fixture `site`.
    """
    host = make(database=first.db, migrate=False, sources=first.sources, handlers=first.handlers,
                routes=first.routes, settings=first.settings, extra=first.extra)
    with open(first.path("hookonce.key"), "rb") as f:
        host.write("hookonce.key", f.read())
    return host


def sleeping(site):
    """Connection ids of handlers that are inside a SLEEP() right now."""
    rows = site.db.server.execute("SELECT id FROM information_schema.processlist WHERE state = 'User sleep' "
                                  f"AND user = '{site.db.user}'")
    return [row["id"] for row in rows]


def wait_sleeping(site, limit_s=10):
    """Waits until a handler is inside a SLEEP(); returns its connection id."""
    return wait_until(lambda: sleeping(site), limit_s, "a handler sleeps")[0]


class Gate:
    """Where handlers stand until it is opened: PASS is a statement of theirs.

    It is a lock of the site's database server; who waits for it gives up after a minute.
    """

    PASS = "SELECT GET_LOCK(DATABASE(), 60), RELEASE_LOCK(DATABASE())"

    def __init__(self, site):
        self.site, self.link = site, site.db.server.connect(site.db.name)
        with self.link.cursor() as cursor:
            cursor.execute("SELECT GET_LOCK(DATABASE(), 0) AS got")
            assert cursor.fetchone() == {"got": 1}

    def waiting(self):
        """Connection ids of the handlers that stand before it."""
        rows = self.site.db.server.execute("SELECT id FROM information_schema.processlist WHERE state = 'User lock' "
                                           f"AND user = '{self.site.db.user}'")
        return [row["id"] for row in rows]

    def wait(self, n=1):
        """Waits until n handlers stand before it; returns their connection ids."""
        return wait_until(lambda: len(self.waiting()) == n and self.waiting(), 10, f"{n} handlers wait")

    def open(self):
        """Lets all pass, one after the other, from now on."""
        self.link.close()


def attempts(site):
    """[(try number, outcome)] of all attempts, in the order of their jobs and claims."""
    rows = site.sql("SELECT try_no, outcome FROM hookonce_attempt ORDER BY job_id, claim_no")
    return [(row["try_no"], row["outcome"]) for row in rows]


def script(site, name, text):
    """A shell script of the site's account beside its config, for `command = NAME`; $HERE is its folder."""
    return site.write(name, f"#!/bin/sh\nHERE='{site.dir}'\n{text}", mode=0o755)


def lines(site, name):
    """Lines that scripts have written to a file of the site's folder; none when it is not there."""
    try:
        with open(site.path(name), encoding="utf-8") as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []


def jobs(site):
    """[(route, state, outcome, waiting_for)] of all jobs in order of their ids."""
    return [(r["route"], r["state"], r["outcome"], r["waiting_for"]) for r in site.jobs()]


def hurry(site):
    """What waits for its time is due now."""
    site.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) WHERE state IN ('ready', 'waiting')")


def expire(site):
    """The leases of all jobs that run are over now: whoever had them is taken for lost."""
    site.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE state = 'running'")


def make_due(site):
    """All jobs that wait for a time are due now."""
    site.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE state = 'ready'")
