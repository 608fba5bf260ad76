"""Kinds of histories about flows: one effect a business key, order, lanes, needs. See kinds.py."""

from kinds import DAY, FAILS, FX, PLENTY, Kind, tries_end


class Once(Kind):
    """once_per with SQL: one effect a business key, whoever brings it, however often its handler fails."""

    keys = 2
    tries = 3
    route = {"once_per": "{/data/object/key}", "retry": "3 tries, 1s"}

    def handlers(self, world):
        return {"once": {"sql": [FX % "once", FAILS, "SELECT SLEEP({/data/object/slow})"]}}

    def object(self, chance):
        slow = 4 if chance.random() < 0.01 else 0  # longer than anybody waits for its lock
        return {"mark": 1, "fails": chance.choice((0, 0, 0, 1, 2, 3)), "slow": slow, **_keyless(chance)}

    def judge(self, seen):
        yield from _without_key(self, seen)
        for key, group in seen.by_key().items():
            done = [e for e in group for row in seen.effects(e)]
            may_die = [e for e in group if seen.object(e)["fails"] >= self.tries or seen.lost(e)]
            if len(done) > 1 or (not done and len(may_die) < len(group)):
                yield f"key k{key} had its effect {len(done)} times: {done}"
            for e in group:
                yield from tries_end(self, seen, e)
                yield from already(seen, e, done)


def _keyless(chance):
    """Now and then an event without the key that its route needs."""
    return {"keyless": True} if chance.random() < 0.08 else {}


def _without_key(kind, seen):
    for e in seen.events:
        if seen.object(e).get("keyless"):
            yield from kind.no_effect(seen, e, "no key", "dead")


def already(seen, e, done):
    """The one that did it is done; the others say by whom it was done, unless they were given up."""
    for job in seen.jobs(e):
        if job["state"] == "dead":
            continue
        if job["outcome"] != ("done" if e in done else "already done"):
            yield f"{e} is {job['outcome']}, and {done} did it"
        if job["outcome"] == "already done":
            by = [r["correlation_id"] for d in done for r in seen.receipts(d)]
            if job["done_by"] not in by:
                yield f"{e} is done by {job['done_by']}, and {by} did it"


class Order(Kind):
    """order_by with the event's own time: never an older one after a newer one; equally old ones run."""

    keys = 2
    route = {"order_by": "{/data/object/key}", "retry": PLENTY}

    def object(self, chance):
        return {"mark": 4 * DAY * 1000 if chance.random() < 0.05 else chance.randint(1, 4), **_keyless(chance)}

    def ran(self, seen, group):
        """[(event, mark)] of those that had their effect, in the order in which they had it."""
        rows = sorted((row for e in group for row in seen.effects(e)), key=lambda row: row["n"])
        return [(seen.short(row["event_id"]), seen.object(seen.short(row["event_id"]))["mark"]) for row in rows]

    def judge(self, seen):
        yield from _without_key(self, seen)
        for key, group in seen.by_key().items():
            ran = self.ran(seen, group)
            told = f"key k{key}, where ran {ran}"
            if len(ran) != len({e for e, _ in ran}):
                yield f"twice: {told}"
            marks = [mark for _, mark in ran if mark < DAY]
            if marks != sorted(marks):
                yield f"an older one ran behind a newer one: {told}"
            for e in group:
                yield from self.one(seen, e, group, [x for x, _ in ran], told)

    def one(self, seen, e, group, ran, told):
        """One event of a key: has run, or is stale by a newer one that ran before."""
        mark, phase = seen.object(e)["mark"], seen.first_phase(e)
        older = [seen.object(x)["mark"] for x in group if seen.first_phase(x) < phase and seen.object(x)["mark"] < DAY]
        before = [seen.object(x)["mark"] for x in group
                  if seen.first_phase(x) <= phase and x != e and seen.object(x)["mark"] < DAY]
        must = self.runs(mark, before)
        must_not = mark < DAY and not self.runs(mark, older)
        if e in ran and must_not:
            yield f"{e} ran long behind a newer one: {told}"
        elif e not in ran and must:
            yield f"{e} is the newest and did not run: {told}"
        elif e in ran:
            yield from self.effect_once(seen, e)
        else:
            yield from self.no_effect(seen, e, "stale")

    def runs(self, mark, others):
        """Whether an event with this mark runs, whichever of the others ran before it."""
        return mark > DAY or all(mark >= m for m in others)


class Tie(Order):
    """The same with a version of the object, of which each runs once."""

    route = {"order_by": "{/data/object/key}", "order_at": "{/data/object/mark}", "tie": "skip", "retry": PLENTY}

    def object(self, chance):
        return {"mark": chance.randint(1, 3), **_keyless(chance)}

    def runs(self, mark, others):
        return all(mark > m for m in others)

    def judge(self, seen):
        yield from super().judge(seen)
        for key, group in seen.by_key().items():
            marks = [mark for _, mark in self.ran(seen, group)]
            if len(marks) != len(set(marks)):
                yield f"key k{key}: two of one version ran: {marks}"
            if group and (not marks or marks[-1] != max(seen.object(e)["mark"] for e in group)):
                yield f"key k{key}: the newest did not run, but {marks}"


class Fetch(Order):
    """fetch: what is stored is the object as it is, never an older state of it behind a newer one."""

    def handlers(self, world):
        return {"fetch": {"sql": [(FX % "fetch").replace("{/data/object/mark}", "{fetched:/version}")]}}

    def routes(self, world):
        url = f"http://127.0.0.1:{world.sink.port}/objects/{{/data/object/key}}"
        return {name: {**keys, "fetch": url} for name, keys in super().routes(world).items()}

    def object(self, chance):
        return {"mark": chance.randint(1, 4)}

    def judge(self, seen):
        yield from super().judge(seen)
        for key, group in seen.by_key().items():
            rows = sorted((row for e in group for row in seen.effects(e)), key=lambda row: row["n"])
            versions = [row["mark"] for row in rows]
            newest = max(seen.object(e)["mark"] for e in group)
            if versions != sorted(versions) or versions[-1:] != [newest]:
                yield f"key k{key}: stored were the versions {versions}, and the newest is {newest}"
            for row in rows:
                if row["mark"] < seen.object(seen.short(row["event_id"]))["mark"]:
                    yield f"{seen.short(row['event_id'])} stored version {row['mark']}, which is older than itself"


class Serial(Kind):
    """serialize_by: every event runs, one at a time."""

    keys = 1
    route = {"serialize_by": "{/data/object/key}", "retry": PLENTY}

    def handlers(self, world):
        ended = "UPDATE fx SET ended = SYSDATE(6) WHERE route = 'serial' AND event_id = {event:id}"
        return {"serial": {"sql": [FX % "serial", "SELECT SLEEP(0.02)", ended]}}

    def judge(self, seen):
        yield from super().judge(seen)
        for key, group in seen.by_key().items():
            spans = sorted((row["began"], row["ended"], e) for e in group for row in seen.effects(e))
            for (_, end, a), (begin, _, b) in zip(spans, spans[1:]):
                if begin < end:
                    yield f"key k{key}: {b} began while {a} ran"


class Needs(Kind):
    """needs: waits until another event has made what it needs, and is given up if that never comes."""

    keys = 2
    route = {"retry": PLENTY}

    def handlers(self, world):
        return {"needs": {"sql": [FX % "needs"]},
                "needs-make": {"sql": [FX % "make", "INSERT IGNORE INTO made (name) VALUES ({/data/object/key})"]}}

    def routes(self, world):
        got = {}
        for source in self.sources:
            got[f"needs-make-{source}"] = {"provider": source, "on": "needs.make", "handler": "needs-make",
                                           **self.route}
            got[f"needs-{source}"] = {"provider": source, "on": "needs.x", "handler": "needs", **self.route,
                                      "needs": "SELECT 1 FROM made WHERE name = {/data/object/key}",
                                      "needs_wait": "6 tries, 1h"}
        return got

    def object(self, chance):
        return {"type": chance.choice(("make", "x", "x")), "mark": 1}

    def wants(self, event):
        return [f"needs-{'make-' if event['type'] == 'needs.make' else ''}{event['source']}"]

    def judge(self, seen):
        for group in seen.by_key().values():
            made = [row["n"] for e in group if seen.event(e)["type"] == "needs.make" for row in seen.effects(e)]
            for e in group:
                if seen.event(e)["type"] == "needs.make" or made:
                    yield from self.effect_once(seen, e)
                else:
                    yield from self.no_effect(seen, e, "need not met", "dead")
                for row in seen.effects(e):
                    if row["route"] == "needs" and row["n"] < min(made, default=1 << 60):
                        yield f"{e} ran before what it needs"


class Skip(Needs):
    """skip_if: nothing runs where it is so already."""

    def handlers(self, world):
        return {"skip": {"sql": [FX % "skip"]},
                "skip-make": {"sql": ["INSERT IGNORE INTO made (name) VALUES ({/data/object/key})", FX % "make"]}}

    def routes(self, world):
        got = {}
        for source in self.sources:
            got[f"skip-make-{source}"] = {"provider": source, "on": "skip.make", "handler": "skip-make", **self.route}
            got[f"skip-{source}"] = {"provider": source, "on": "skip.x", "handler": "skip", **self.route,
                                     "skip_if": "SELECT 1 FROM made WHERE name = {/data/object/key}"}
        return got

    def wants(self, event):
        return [f"skip-{'make-' if event['type'] == 'skip.make' else ''}{event['source']}"]

    def judge(self, seen):
        for group in seen.by_key().values():
            makers = [seen.first_phase(e) for e in group if seen.event(e)["type"] == "skip.make"]
            for e in group:
                sure_so = any(p < seen.first_phase(e) for p in makers)
                sure_not = not any(p <= seen.first_phase(e) for p in makers)
                if seen.event(e)["type"] == "skip.make" or sure_not or (seen.effects(e) and not sure_so):
                    yield from self.effect_once(seen, e)
                else:
                    yield from self.no_effect(seen, e, "already so")
