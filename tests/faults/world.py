"""What faults happen to: a database, a web server with two receivers, and a processor with two workers.

The programs can be stopped at a place of their code, lack room for their files and have a false clock
(halt.c), and reach the database through a proxy that can cut them off.
"""

import os
import signal
import time

import pymysql

from hooktest import Database, MariaDB, Site, grid, wait_until
from hooktest.halt import Halt
from hooktest.proc import pids_of
from hooktest.proxy import DatabaseProxy

SOURCES = {
    "stripe": {"provider": "stripe", "secret": "whsec_of-faults"},
    "github": {"provider": "github", "secret": "a secret of the hub"},
    "grid": {"provider": "grid", "secret": "a secret of the grid", "spool": "off"},  # busy, and sent again
}
RETRY = "100 tries, 1s to 2s"
ROUTES = {"sql": {"provider": "stripe", "on": "fx.*", "handler": "fx", "retry": RETRY},
          "run": {"provider": "stripe", "on": "run.*", "handler": "act", "retry": RETRY},
          "push": {"provider": "github", "handler": "fx", "retry": RETRY},
          "grid": {"provider": "grid", "handler": "fx", "retry": RETRY}}
HANDLERS = {"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})", "timeout": "2s"},
            "act": {"command": "act", "timeout": "2s"}}
# Waits while there is a gate; one line when it begins, one when it has done its work.
ACT = """#!/bin/sh
cd '{folder}' || exit 75
echo "$HOOKONCE_ID" >>began
n=0
while [ -e gate ] && [ $n -lt 400 ]; do sleep 0.05; n=$((n + 1)); done
echo "$HOOKONCE_ID $HOOKONCE_IDEMPOTENCY_KEY" >>acts
"""
PARTIES = ("receiver", "processor", "mariadbd", "web server")


class World:
    """All of it, in its own folder.

    plain: neither halt.c nor proxy, for what is measured; procs: receivers, and workers; menu: what Site gets
    """

    def __init__(self, place, plain=False, procs=2, **menu):
        os.makedirs(place)
        os.chmod(place, 0o711)
        self.place, self.halt = place, Halt(os.path.join(place, "halt"))
        self.disk = Halt(os.path.join(place, "disk"))  # the database's
        self.env, self.procs = {} if plain else self.halt.env, procs
        self.server = MariaDB(os.path.join(place, "db"), env={} if plain else self.disk.env).start()
        self.database: Database = self.server.create_database()
        self.proxy = None if plain else DatabaseProxy(os.path.join(place, "proxy.sock"), self.server.socket)
        self.processor = None
        self.site = Site(
            os.path.join(place, "site"), self.database,
            **{"sources": SOURCES, "routes": ROUTES, "handlers": HANDLERS, "files": {"grid.conf": grid.RECIPE}, **menu},
            settings={"database": {} if plain else {"socket": self.proxy.path},
                      "processor": {"lease": "3s", "poll": "1s"},
                      "hookonce": {"recipes": "grid.conf", **({} if plain else {"keep_receipts": "1d"})}})
        self.site.write("act", ACT.format(folder=self.site.dir), 0o755)
        self.site.migrate()
        self.start_web()
        self.keep()

    # ---- programs -------------------------------------------------------------------------------------

    def start_web(self):
        """The web server, which starts the receivers."""
        self.site.serve("lighttpd", procs=self.procs, env=self.env)

    def stop_web(self):
        """It ends, and receivers that it has left behind as well."""
        self.site.server.stop()
        self.signal("receiver", signal.SIGKILL)

    def drop_links(self):
        """Links to the database are new from now on."""
        if self.proxy:
            self.proxy.drop_links()

    def away(self, on):
        """Nothing listens at the database's socket."""
        self.proxy.refuse = on
        if on:
            self.proxy.drop_links()

    def keep(self):
        """Starts the processor, as cron would, when it does not run; and a database that ended itself."""
        if not self.server.proc.alive():
            self.server.start()
        if self.processor is None or not self.processor.alive():
            self.processor = self.site.start_processor("--for", "600s", "--workers", str(self.procs), env=self.env)

    def pids(self, who):
        """Pids of all processes of a party."""
        if who in ("receiver", "processor"):
            return pids_of(self.site.receiver if who == "receiver" else self.site.program)
        return [self.server.proc.pid if who == "mariadbd" else self.site.server.proc.pid]

    def signal(self, who, number):
        """A signal to each of them."""
        for pid in self.pids(who):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def gone(self, who, pids, limit_s=40):
        """Waits until none of these pids runs."""
        left = [pid for pid in pids if who in ("receiver", "processor")]
        wait_until(lambda: not set(left) & set(self.pids(who)), limit_s, f"the {who} has ended")

    # ---- what is there --------------------------------------------------------------------------------

    def path(self, name):
        """A path in the site's folder."""
        return self.site.path(name)

    def lines(self, name):
        """Lines of a file that the command writes."""
        try:
            with open(self.path(name), encoding="utf-8") as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []

    def gate(self, on):
        """Whether commands wait."""
        if on:
            self.site.write("gate", "")
        elif os.path.exists(self.path("gate")):
            os.unlink(self.path("gate"))

    def spooled(self, folder="state/spool"):
        """Names of complete files in the spool; those that a killed writer left behind go after an hour."""
        names = os.listdir(self.path(folder)) if os.path.isdir(self.path(folder)) else []
        return sorted(n for n in names if n.endswith(".spool"))

    def open_jobs(self):
        """How many jobs have not ended."""
        return self.site.value("SELECT COUNT(*) FROM hookonce_job WHERE state IN ('ready', 'running', 'waiting')")

    def rest(self, limit_s):
        """Waits until the spool is empty and no job is open -> whether it came to that."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            self.keep()
            try:
                if not self.spooled() and not self.open_jobs():
                    return True
            except pymysql.err.MySQLError:
                pass  # it is on its way back
            time.sleep(0.05)
        return False

    def report(self):
        """Ends of the logs."""
        return self.site.report() + "\n--- mariadbd\n" + self.server.proc.output()[-1500:]

    def stop(self):
        """Ends all of it."""
        self.halt.disarm()
        self.halt.fill(False)
        self.disk.fill(False)
        for who in PARTIES:
            self.signal(who, signal.SIGCONT)
        self.processor.stop()
        self.stop_web()
        self.site.close()
        if self.proxy:
            self.proxy.close()
        self.database.close()
        self.server.stop()
