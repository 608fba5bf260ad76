"""One cell: a fault at a place while deliveries come, then recovery, then the judgement."""

import collections
import time

from faults import FAULTS
from hooktest import events, grid
from hooktest.senders import Delivery, Senders
from places import PLACES

SENT_S, REST_S, NEXT_S = 240, 180, 20

# number in the list; who; what; when; why it is there
Line = collections.namedtuple("Line", "number who what when why")


def read(path):
    """The list -> [Line]; a line that names nothing known is an error."""
    got = []
    with open(path, encoding="utf-8") as f:
        for text in f:
            if text.strip() and not text.startswith("#"):
                line = Line(len(got) + 1, *(part.strip() for part in text.split("|")))
                assert (line.who, line.what) in FAULTS and line.when in PLACES and line.why, text
                got.append(line)
    assert len({line[1:4] for line in got}) == len(got), "a cell stands there twice"
    return got


def stripe(name, kind="fx", **more):
    """A Stripe delivery of one event."""
    return Delivery("stripe", events.stripe(name, kind=kind + ".made", **more), [name])


def github(name, again=True):
    """A GitHub delivery: the id is not signed, so a guard stands before it."""
    return Delivery("github", events.github(after=name), [name], again, {"delivery": name})


class Cell:
    """One line of the list in one world."""

    def __init__(self, world, line, stop_s):
        self.world, self.line, self.stop_s, self.senders = world, line, stop_s, ()
        self.prefix = f"c{line.number}-{int(time.time() * 1000) % 10**7}-"

    def deliveries(self, name):
        """What comes beside the subject: most is sent until it is taken, some only once."""
        p = self.prefix + name
        many = [stripe(p + f"s{n}") for n in range(3)] + [stripe(p + f"r{n}", "run") for n in range(2)]
        many += [github(p + f"h{n}") for n in range(2)]
        many += [many[0], many[5]]  # repeats
        many.append(Delivery("grid", grid.batch(*(p + f"b{n}" for n in range(3))), [p + f"b{n}" for n in range(3)]))
        many.append(stripe(p + "large", note="x" * 1_500_000))
        once = [stripe(p + f"o{n}")._replace(again=False) for n in range(2)] + [github(p + "oh", again=False)]
        return once + many

    def subject(self, place):
        """The delivery that comes to the place."""
        name = self.prefix + "subject"
        return github(name) if place.kind == "fx" and self.line.number % 2 else stripe(name, place.kind)

    def run(self):
        """-> complaints."""
        w, line = self.world, self.line
        place = PLACES[line.when](w, None)
        place.subject = Senders(w.site, [self.subject(place)], threads=1, limit_s=4)
        fault = FAULTS[line.who, line.what](w, line.who, self.stop_s)
        before, meanwhile = (Senders(w.site, self.deliveries(name), limit_s=4) for name in ("a", "b"))
        self.senders = (place.subject, before, meanwhile)
        try:
            place.reach()
            before.start()
            time.sleep(0.02)
            fault.begin()
            try:
                meanwhile.start()
                if not fault.stands(place.owner):
                    place.leave()
                time.sleep(fault.hold_s)
            finally:
                fault.end()
        finally:
            place.leave()
        end = time.monotonic() + SENT_S
        while any(s.running() for s in self.senders) and time.monotonic() < end:
            w.keep()
            time.sleep(0.05)
        sent = [s for s in self.senders if not s.join(0)]
        complaints = [f"not all was taken in {SENT_S} s: {s.answers}" for s in sent]
        complaints += [f"a sender broke: {b}" for s in self.senders for b in s.broken]
        if not complaints:
            fault.mend()
        return complaints or list(self.judge()) + place.after()

    def answers(self):
        """{status: how many} of what came meanwhile."""
        return dict(sum((s.answers for s in self.senders), collections.Counter()))

    # ---- judgement --------------------------------------------------------------------------------------

    def judge(self):
        """Yields complaints: about each delivery, about all the tables, and about the next request."""
        w = self.world
        w.keep()
        if not w.rest(REST_S):
            jobs = w.site.sql("SELECT state, waiting_for, tries, last_error, COUNT(*) AS n FROM hookonce_job "
                              "WHERE state <> 'done' GROUP BY state, waiting_for, tries, last_error")
            yield f"not at rest after {REST_S} s: spool {w.spooled()}, jobs {jobs}"
            return
        taken = {e for s in self.senders for d in s.acknowledged for e in d.events}
        self.read()
        for event in sorted(taken):
            yield from self.once_only(event)
        # Stored, and the answer was lost: a receiver that was stopped may do so only now.
        unheard = sorted({e for s in self.senders for d in s.given_up for e in d.events} - taken)
        if any(True for e in unheard if self.receipts[e] for _ in self.once_only(e)) and w.rest(REST_S):
            self.read()
        for event in unheard:
            if self.receipts[event]:
                yield from self.once_only(event)
        busy = [s for sender in self.senders for s, status in sender.by_source if status == 503 and s != "grid"]
        if self.line.who == "mariadbd" and busy:
            yield f"the database alone was troubled, and the spool did not take all: {self.answers()}"
        yield from self.whole()
        yield from self.next_request()

    def read(self):
        """The rows of this cell, by event."""
        sql, like = self.world.site.sql, self.prefix.replace("_", "\\_") + "%"
        self.receipts, self.jobs = collections.defaultdict(list), collections.defaultdict(list)
        for row in sql("SELECT r.*, b.correlation_id AS has_body FROM hookonce_receipt r LEFT JOIN hookonce_body b "
                       "ON b.correlation_id = COALESCE(r.body_id, r.correlation_id) WHERE event_id LIKE %s", like):
            self.receipts[row["event_id"].decode()].append(row)
        for row in sql("SELECT r.event_id, j.* FROM hookonce_job j JOIN hookonce_receipt r USING (correlation_id) "
                       "WHERE event_id LIKE %s", like):
            self.jobs[row["event_id"].decode()].append(row)
        rows = sql("SELECT event_id FROM fx WHERE event_id LIKE %s", like)
        self.effects = collections.Counter(row["event_id"].decode() for row in rows)
        self.keys = collections.defaultdict(set)
        for line in self.world.lines("acts"):
            event, key = line.split(" ")
            self.keys[event].add(key)

    def once_only(self, event):
        """An event that was taken: one receipt with its body, one job that is done, one effect."""
        receipts, jobs = self.receipts[event], self.jobs[event]
        if len(receipts) != 1 or not receipts[0]["has_body"] or receipts[0]["status"] != "processed":
            yield f"{event}: {len(receipts)} receipts, {[(r['status'], bool(r['has_body'])) for r in receipts]}"
        if [j["state"] for j in jobs] != ["done"]:
            yield f"{event}: jobs {[(j['route'], j['state'], j['outcome'], j['last_error']) for j in jobs]}"
        if any(job["route"] in (b"run", "run") for job in jobs):
            if len(self.keys[event]) != 1:
                yield f"{event}: its command ran under {len(self.keys[event])} idempotency keys"
        elif self.effects[event] != 1:
            yield f"{event}: {self.effects[event]} effects"

    def whole(self):
        """Nothing half written anywhere."""
        value = self.world.site.value
        for what, statement in HALVES.items():
            n = value(statement)
            if n:
                yield f"{n} {what}"
        for folder in ("state/spool", "state/spool/quarantine"):
            if left := self.world.spooled(folder):
                yield f"{folder} has {left}"

    def next_request(self):
        """Deliveries after it are taken at once, and have their effect."""
        names = [self.prefix + f"next{n}" for n in range(3)]
        once = [stripe(name)._replace(again=False) for name in names]
        sender = Senders(self.world.site, once, threads=1, limit_s=NEXT_S)
        sender.start()
        if not sender.join(NEXT_S * 2) or len(sender.acknowledged) != len(names):
            yield f"the next requests were answered {sender.answers}"
        elif not self.world.rest(REST_S):
            yield "the next jobs do not end"
        else:
            self.read()
            for name in names:
                yield from self.once_only(name)


HALVES = {
    "receipts without a job": "SELECT COUNT(*) FROM hookonce_receipt r WHERE NOT EXISTS (SELECT 1 FROM hookonce_job j "
                              "WHERE j.correlation_id = r.correlation_id)",
    "jobs without a receipt": "SELECT COUNT(*) FROM hookonce_job j WHERE NOT EXISTS (SELECT 1 FROM hookonce_receipt r "
                              "WHERE j.correlation_id = r.correlation_id)",
    "bodies of nobody": "SELECT COUNT(*) FROM hookonce_body b WHERE NOT EXISTS (SELECT 1 FROM hookonce_receipt r "
                        "WHERE COALESCE(r.body_id, r.correlation_id) = b.correlation_id)",
    "guards of nobody": "SELECT COUNT(*) FROM hookonce_guard g WHERE NOT EXISTS (SELECT 1 FROM hookonce_receipt r "
                        "WHERE r.correlation_id = g.correlation_id)",
    "conflicts": "SELECT COUNT(*) FROM hookonce_conflict",
    "receipts of GitHub without a guard": "SELECT COUNT(*) FROM hookonce_receipt r WHERE r.source = 'github' AND "
                                          "NOT EXISTS (SELECT 1 FROM hookonce_guard g "
                                          "WHERE g.correlation_id = r.correlation_id)",
}
