"""What one history left behind, as its judge sees it: rows by event, acts of the other side."""

from collections import defaultdict


class Seen:
    """The events of one history, by their short names e0, e1, …

    history  as delivered          prefix  of its ids and keys
    world    after it ran: what its tables read, {(handler, event id): [request or run of the other side]},
             {event id: [answer]} of sources in reply mode
    """

    def __init__(self, history, kind, prefix, world):
        self.history, self.kind, self.prefix = history, kind, prefix
        self.tables, self.acts, self.replies = world.tables, world.acts, world.replies
        genuine, forged = set(), set()
        for phase in history["phases"]:
            for d in phase:
                (forged if d.get("forged") else genuine).update(d["events"])
        self.events = [f"e{n}" for n in sorted(genuine)]
        self.only_forged = [f"e{n}" for n in sorted(forged - genuine)]

    def event(self, e):
        """The event's data."""
        return self.history["events"][int(e[1:])]

    def object(self, e):
        """Its data.object."""
        return self.event(e)["object"]

    def ids(self, e):
        """The ids under which it may be stored: one, or those of the guard's repeats."""
        ids = [self.prefix + e]
        return ids + [ids[0] + "x"] if self.event(e)["source"] == "github" else ids

    def short(self, event_id):
        """The short name of a stored id."""
        text = event_id.decode() if isinstance(event_id, bytes) else event_id
        return text[len(self.prefix):].rstrip("x")

    def wants(self, e):
        """Routes that want it."""
        return self.kind.wants(self.event(e)) or []

    def receipts(self, e):
        """Its receipts: one, if all is well."""
        return [r for i in self.ids(e) for r in self.tables.receipts.get(i, ())]

    def jobs(self, e):
        """Its jobs."""
        return [j for r in self.receipts(e) for j in self.tables.jobs.get(r["correlation_id"], ())]

    def attempts(self, job):
        """Attempts of a job by their claims."""
        return self.tables.attempts.get(job["id"], [])

    def conflicts(self, e):
        """Conflicts of its ids."""
        return [c for i in self.ids(e) for c in self.tables.conflicts.get(i, ())]

    def effects(self, e):
        """Rows that SQL handlers wrote for it, in the order of their writing."""
        return [row for i in self.ids(e) for row in self.tables.effects.get(i, ())]

    def requests(self, e, route):
        """What the other side was asked for it: requests of a URL, runs of a command."""
        return self.acts.get((route, self.prefix + e), [])

    def answers(self, e):
        """What those who asked were answered."""
        return self.replies.get(self.prefix + e, [])

    def first_phase(self, e):
        """Number of the phase in which it was delivered first."""
        n = int(e[1:])
        return min(p for p, phase in enumerate(self.history["phases"]) for d in phase
                   if n in d["events"] and not d.get("forged"))

    def lost(self, e):
        """Whether a claim of its jobs was lost."""
        return any(a["outcome"] == "lease lost" for job in self.jobs(e) for a in self.attempts(job))

    def by_key(self):
        """{key: events} of those that have one."""
        groups = defaultdict(list)
        for e in self.events:
            if self.event(e)["key"] is not None and not self.object(e).get("keyless"):
                groups[self.event(e)["key"]].append(e)
        return groups

    def complaints(self):
        """All that is not as promised, as lines."""
        return list(self._common()) + list(self.kind.judge(self))

    def restless(self):
        """Jobs that have not ended, where not all came to rest."""
        for e in self.events:
            for job in self.jobs(e):
                if job["state"] not in ("done", "dead") and job.get("waiting_for") not in self.kind.at_rest:
                    yield f"{e} is {job['state']}, waiting for {job.get('waiting_for')}; {job['outcome']}"

    def _common(self):
        """What holds whatever the kind."""
        for e in self.only_forged:
            if self.receipts(e) or self.effects(e):
                yield f"{e} was never signed, and is there"
        for e in self.events:
            receipts = self.receipts(e)
            if len(receipts) != 1:
                yield f"{e} was answered 2xx, and has {len(receipts)} receipts"
                continue
            jobs = self.jobs(e)
            wanted = sorted(self.wants(e)) or [""]
            if sorted(j["route"] for j in jobs) != wanted:
                yield f"{e} has jobs for {[j['route'] for j in jobs]}, wanted are {wanted}"
            states = {j["state"] for j in jobs}
            status = "failed" if "dead" in states else "processed" if states <= {"done"} else "received"
            if receipts[0]["status"] != status:
                yield f"{e} is {receipts[0]['status']}, and its jobs say {status}"
            for job in jobs:
                yield from self._job(e, job)
            yield from self._conflict(e)
        yield from self.restless()

    def _job(self, e, job):
        done = [a for a in self.attempts(job) if a["outcome"] == "done"]
        if len(done) != (job["outcome"] == "done"):
            yield f"{e} is {job['outcome']} and has {len(done)} attempts that are done"
        tries = [a["try_no"] for a in self.attempts(job)]
        if tries != sorted(tries) or (tries and tries[-1] > job["tries"] + 1):
            yield f"{e} has tries {tries} in its attempts and {job['tries']} in its job"

    def _conflict(self, e):
        n = int(e[1:])
        meanings = {bool(d.get("other")) for phase in self.history["phases"] for d in phase
                    if n in d["events"] and not d.get("forged")}
        if (len(meanings) > 1) != bool(self.conflicts(e)):
            yield f"{e} came with {len(meanings)} meanings and has {len(self.conflicts(e))} conflicts"
