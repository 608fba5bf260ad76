"""When it happens: the places of the programs, and how they are come to."""

import os
import signal
import socket

from hooktest import events, fastcgi, wait_until
from hooktest.halt import stands
from hooktest.senders import Delivery, Senders

RECEIVER, PROCESSOR = "hookonce.fcgi", "hookonce"
REACH_S = 60


class Place:
    """A moment in the life of the delivery `subject`, which is sent by a Senders of one thread.

    reach() comes to it and leaves all standing there; leave() lets it go on, if it still can.
    """

    owner = None  # the party that stands there
    kind = "fx"   # type of the subject: fx or run

    def __init__(self, world, subject):
        self.world, self.subject, self.pid = world, subject, None

    def reach(self):
        """Here: nothing is going on."""

    def after(self):
        """Complaints about what is special there, when all is over."""
        return []

    def leave(self):
        """Lets who stands there go on."""
        self.world.halt.disarm()
        if self.pid and stands(self.pid):
            os.kill(self.pid, signal.SIGCONT)

    def halted(self):
        """Waits until somebody stands there."""
        self.pid = wait_until(self.world.halt.halted, REACH_S, f"{type(self).__name__} is reached")


class Idle(Place):
    """Nothing is going on."""

    def reach(self):
        self.subject.start()


class MidBody(Place):
    """Half of a body has come, to the web server and, on another link, to a receiver."""

    links, rest = (), ()

    def reach(self):
        delivery = self.subject.todo.queue[0]
        body, headers = delivery.body, self.world.site.signed(delivery.source, delivery.body, **delivery.more)
        half = len(body) // 2
        self.links = [socket.create_connection(("127.0.0.1", self.world.site.server.port), timeout=2),
                      wait_until(self.receiver, REACH_S, "a receiver listens")]
        lines = "".join(f"{k}: {v}\r\n" for k, v in [*headers, ("Content-Length", len(body))])
        self.links[0].sendall(f"POST /hookonce.fcgi/{delivery.source} HTTP/1.1\r\nHost: localhost\r\n"
                              "Connection: close\r\n"
                              f"{lines}\r\n".encode() + body[:half])
        variables = fastcgi.params(fastcgi.variables(delivery.source, len(body), headers))
        self.links[1].sendall(fastcgi.begin() + variables + fastcgi.stdin(body[:half]))
        self.rest = (body[half:], fastcgi.stdin(body[half:]) + fastcgi.record(fastcgi.STDIN))
        self.subject.start()  # the sender has lost patience, and tries on another link

    def receiver(self):
        """A link to a receiver; None: the web server has not started one yet."""
        for number in range(self.world.procs):
            link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            link.settimeout(2)
            try:
                link.connect(self.world.path(f"fastcgi.socket-{number}"))
                return link
            except OSError:
                link.close()
        return None

    def leave(self):
        for link, rest in zip(self.links, self.rest):
            try:
                link.sendall(rest)
                link.recv(4096)
            except OSError:
                pass
            link.close()
        self.links = ()


class _Halted(Place):
    program, when, text = None, "before", ""

    def reach(self):
        self.world.halt.arm(self.program, self.when, self.text)
        self.subject.start()
        self.halted()


class BeforeCommit(_Halted):
    """All rows are written, and not committed."""

    owner, program, text = "receiver", RECEIVER, "COMMIT"


class AfterCommit(_Halted):
    """It is committed, and not answered."""

    owner, program, when, text = "receiver", RECEIVER, "behind", "COMMIT"


class MidHandler(_Halted):
    """The handler's statement has run, and is not committed."""

    owner, program, when, text = "processor", PROCESSOR, "behind", "INSERT INTO fx"


class MidSettle(_Halted):
    """The job is settled in the open transaction."""

    owner, program, when, text = "processor", PROCESSOR, "behind", "SET state = ?, run_at"


class AfterSettle(MidSettle):
    """It is committed, and the worker has not noticed."""

    def reach(self):
        super().reach()
        self.world.halt.arm(self.program, "behind", "COMMIT", self.pid)
        os.kill(self.pid, signal.SIGCONT)
        self.halted()


class MidCommand(Place):
    """A command is at work, and waits."""

    owner, kind = "processor", "run"

    def reach(self):
        event = self.subject.todo.queue[0].events[0]
        self.world.gate(True)
        self.subject.start()
        wait_until(lambda: event in self.world.lines("began"), REACH_S, "the command has begun")

    def leave(self):
        self.world.gate(False)


class _Spooled(_Halted):
    """The database is away while the subject comes."""

    def reach(self):
        self.world.away(True)
        try:
            super().reach()
        finally:
            self.world.away(False)


class Spooling(_Spooled):
    """The file is written; it is not on the disk yet, and has no name."""

    owner, program, text = "receiver", RECEIVER, "state/spool/"


class Spooled(_Spooled):
    """The file has its name, and nothing is answered."""

    owner, program, when, text = "receiver", RECEIVER, "behind", ".spool"


class Importing(_Halted):
    """What was spooled is written into the tables, and not committed."""

    owner, program, when, text = "processor", PROCESSOR, "behind", "INTO hookonce_body"

    def reach(self):
        self.world.away(True)
        try:
            self.subject.start()
            wait_until(self.world.spooled, REACH_S, "the delivery is in the spool")
            self.world.halt.arm(self.program, self.when, self.text)
        finally:
            self.world.away(False)
        self.halted()

    def halted(self):
        def come():
            self.world.keep()
            return self.world.halt.halted()

        self.pid = wait_until(come, REACH_S, f"{type(self).__name__} is reached")


class Imported(Importing):
    """It is committed, and the file is still there."""

    when, text = "before", ".spool"


class Pruning(_Halted):
    """What is old is being deleted, and that is not committed."""

    owner, program, when, text = "processor", PROCESSOR, "behind", "DELETE FROM hookonce_receipt"

    def reach(self):
        w, old = self.world, self.subject.todo.queue[0]._replace(more={})
        name = old.events[0].replace("subject", "old")
        first = Senders(w.site, [Delivery("stripe", events.stripe(name, kind="fx.made"), [name])], 1).start()
        assert first.join(REACH_S) and w.rest(REACH_S), "the old event is done"
        age(w.site, name)
        w.halt.arm(self.program, self.when, self.text)
        self.prune = w.site.start_program("prune", env=w.env)
        self.subject.start()
        self.halted()

    def after(self):
        """What was begun is ended by the next who prunes."""
        done = self.world.site.hookonce("prune")
        left = self.world.site.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id LIKE '%-old'")
        return [f"prune ended with {done.returncode}, {left} are left: {done.stderr!r}"] * (done.returncode or left)


def age(site, event):
    """An event that came, and was done, three days ago: its id says so, and the time of its receipt."""
    cid = site.value("SELECT correlation_id FROM hookonce_receipt WHERE event_id = %s", event)
    for table in ("receipt", "body", "job", "attempt", "guard"):
        site.sql(f"UPDATE hookonce_{table} SET correlation_id = CONCAT('01M0000000', SUBSTR(correlation_id, 11)) "
                 "WHERE correlation_id = %s", cid)
    site.sql("UPDATE hookonce_receipt SET recorded_at = recorded_at - INTERVAL 3 DAY, "
             "received_at = received_at - INTERVAL 3 DAY WHERE event_id = %s", event)


PLACES = {"idle": Idle, "mid-body": MidBody, "before commit": BeforeCommit, "after commit": AfterCommit,
          "mid-handler": MidHandler, "mid-command": MidCommand, "mid-settle": MidSettle,
          "after settle": AfterSettle, "spooling": Spooling, "spooled": Spooled, "importing": Importing,
          "imported": Imported, "pruning": Pruning}
