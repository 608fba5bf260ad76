"""What happens, and to whom. A fault begins, holds for a while, and ends; then all is mended."""

import os
import signal
import threading

HOLD_S = 1.5
CLOCK_S = 7200


class Fault:
    """One fault in a world."""

    hold_s = HOLD_S

    def __init__(self, world, who, stop_s):
        self.world, self.who, self.stop_s = world, who, stop_s

    def begin(self):
        """It happens."""

    def end(self):
        """It is over."""

    def mend(self):
        """What the runbook has an operator do afterwards, when all deliveries are in."""

    def stands(self, _owner):
        """Whether who stands at the place goes on only at the end of it."""
        return False


class Kill(Fault):
    """kill -9; it is started again as soon as somebody notices."""

    hold_s, number = 0.2, signal.SIGKILL

    def begin(self):
        w = self.world
        self.pids = w.pids(self.who)
        if self.who == "mariadbd":
            w.server.kill9()
        else:
            w.signal(self.who, self.number)

    def end(self):
        restart(self.world, self.who, self.pids)


class Term(Kill):
    """SIGTERM, and it is away for a while."""

    hold_s, number = HOLD_S, signal.SIGTERM

    def begin(self):
        self.pids = self.world.pids(self.who)
        self.world.signal(self.who, self.number)


class Restart(Term):
    """As an update does it: told to end, and started as soon as it has ended."""

    hold_s = 0


def restart(world, who, pids):
    """Starts a party that was told to end, or killed, when it has ended."""
    if who == "mariadbd":
        world.server.proc.wait(60)
        world.server.start()
    elif who == "web server":
        world.site.server.proc.wait(30)
        world.signal("receiver", signal.SIGKILL)  # as its supervisor ends all that it has left behind
        world.site.server.start()
    else:
        world.gone(who, pids)
        if who == "processor":
            world.processor.wait(30)
            world.keep()


class Stop(Fault):
    """SIGSTOP for a while: connections stay open, and nothing answers."""

    @property
    def hold_s(self):
        return self.stop_s

    def begin(self):
        self.world.signal(self.who, signal.SIGSTOP)

    def end(self):
        self.world.signal(self.who, signal.SIGCONT)

    def stands(self, owner):
        return owner == self.who


# ---- the database's bad days ----------------------------------------------------------------------------


class Cut(Fault):
    """The next COMMIT that passes by is cut off: `what` of proxy.py."""

    def __init__(self, world, who, stop_s, what=""):
        super().__init__(world, who, stop_s)
        self.what = what

    def begin(self):
        self.world.proxy.cut = self.what

    def end(self):
        self.world.proxy.cut = None


class Said(Fault):
    """Statements of the server's root make it so, and others undo it; links are new then.

    They may have to wait for who stands at the place, so a thread says them. It lasts longer than the
    receiver's deadline.
    """

    hold_s = 2.5

    def __init__(self, world, who, stop_s, begin=(), end=()):
        super().__init__(world, who, stop_s)
        self.first, self.last = begin, end

    def say(self, statements):
        """Fills in names and runs them, on a link that is kept."""
        db = self.world.database
        for statement in statements:
            with self.link.cursor() as cursor:
                cursor.execute(statement.format(user=db.user, receiver=db.receiver_user))

    def begin(self):
        self.link = self.world.server.connect(self.world.database.name)
        self.saying = threading.Thread(target=self.say, args=[self.first], daemon=True)
        self.saying.start()
        self.saying.join(0.2)
        if not self.saying.is_alive():
            self.world.drop_links()

    def end(self):
        self.saying.join(30)
        self.say(self.last)
        self.link.close()
        self.world.drop_links()


LAST = "(SELECT MAX(version) FROM (SELECT version FROM hookonce_schema) AS s)"
SAID = {
    "read only": (["SET GLOBAL read_only = 1"], ["SET GLOBAL read_only = 0"]),
    "max_user_connections": ([f"ALTER USER {{{u}}}@'%' WITH MAX_USER_CONNECTIONS 1" for u in ("user", "receiver")],
                             [f"ALTER USER {{{u}}}@'%' WITH MAX_USER_CONNECTIONS 0" for u in ("user", "receiver")]),
    "table locked": (["LOCK TABLES hookonce_receipt WRITE"], ["UNLOCK TABLES"]),
    "all locked": (["FLUSH TABLES WITH READ LOCK"], ["UNLOCK TABLES"]),
    "receipts missing": (["RENAME TABLE hookonce_receipt TO away"], ["RENAME TABLE away TO hookonce_receipt"]),
    "bodies missing": (["RENAME TABLE hookonce_body TO away"], ["RENAME TABLE away TO hookonce_body"]),
    "schema newer": (["INSERT INTO hookonce_schema (version, name, applied_at) VALUES (999, 'newer', NOW())"],
                     ["DELETE FROM hookonce_schema WHERE version = 999"]),
    "schema older": (["CREATE TABLE kept SELECT * FROM hookonce_schema",
                      f"DELETE FROM hookonce_schema WHERE version = {LAST}"],
                     ["INSERT IGNORE INTO hookonce_schema SELECT * FROM kept", "DROP TABLE kept"]),
}


class Away(Fault):
    """Nothing listens at the database's socket."""

    def begin(self):
        self.world.proxy.refuse = True
        self.world.drop_links()

    def end(self):
        self.world.proxy.refuse = False


# ---- the host's ---------------------------------------------------------------------------------------------


class Full(Fault):
    """No file of the programs can grow: neither log nor counters nor spool."""

    def begin(self):
        self.world.halt.fill(True)

    def end(self):
        self.world.halt.fill(False)


class FullAndAway(Full):
    """And the database is away as well."""

    def begin(self):
        super().begin()
        self.away = Away(self.world, self.who, self.stop_s)
        self.away.begin()

    def end(self):
        self.away.end()
        super().end()


class DataFull(Fault):
    """No file of the database can grow."""

    def begin(self):
        self.world.disk.fill(True)

    def end(self):
        self.world.disk.fill(False)


class NoLog(Fault):
    """The log can't be written: there is a folder in its place."""

    def begin(self):
        log = self.world.path("state/hookonce.log")
        os.rename(log, log + ".1")
        os.mkdir(log)

    def end(self):
        log = self.world.path("state/hookonce.log")
        if os.path.isdir(log):
            os.rmdir(log)
            os.rename(log + ".1", log)


class Clock(Fault):
    """The clock of web server, receivers and processor jumps, and jumps back."""

    def __init__(self, world, who, stop_s, by=0):
        super().__init__(world, who, stop_s)
        self.by = by

    def begin(self):
        self.clock().set_clock(self.by)

    def end(self):
        self.clock().set_clock(0)

    def clock(self):
        """Whose clock it is."""
        return self.world.halt


class DataClock(Clock):
    """The clock of the database jumps, and jumps back. It may take that for a hang and abort: here it always does."""

    def end(self):
        super().end()
        self.world.server.kill9()
        self.world.server.start()

    def mend(self):
        """What came while the clock was ahead and had not run when it was set right is due hours ahead."""
        w = self.world
        for job in w.site.sql("SELECT id FROM hookonce_job WHERE state = 'ready' "
                              "AND run_at > UTC_TIMESTAMP(6) + INTERVAL 1 HOUR"):
            w.site.hookonce("retry", str(job["id"]), check=True)

    def clock(self):
        return self.world.disk


def _with(kind, **more):
    return lambda world, who, stop_s: kind(world, who, stop_s, **more)


FAULTS = {(who, what): kind for who in ("receiver", "processor", "mariadbd", "web server")
          for what, kind in (("kill", Kill), ("stop", Stop), ("term", Term), ("restart", Restart))}
FAULTS.update({("link", cut): _with(Cut, what=cut) for cut in (
    "before commit", "after commit", "hole before commit", "hole after commit", "host lost")})
FAULTS.update({("mariadbd", what): _with(Said, begin=first, end=last) for what, (first, last) in SAID.items()})
FAULTS.update({("mariadbd", "away"): Away, ("disk", "full"): Full, ("disk", "full, database away"): FullAndAway,
               ("disk", "full for data"): DataFull, ("log", "not writable"): NoLog,
               ("clock", "+2h"): _with(Clock, by=CLOCK_S), ("clock", "-2h"): _with(Clock, by=-CLOCK_S),
               ("mariadbd", "clock +2h"): _with(DataClock, by=CLOCK_S),
               ("mariadbd", "clock -2h"): _with(DataClock, by=-CLOCK_S)})

