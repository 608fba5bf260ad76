"""What histories are about: the routes and handlers of each kind, its random events, and its promises.

A kind's judge says in words what the end must be like, from the README and nothing else: it looks at
the effects (rows of handlers, acts of the other side) and at what the tables tell a person.
"""

BASE = 1_790_000_000  # a second in the past, of which all events are
DAY = 86400
PLENTY = "60 tries, 1s"  # more tries than faults can use up
FX = ("INSERT INTO fx (route, event_id, key_, mark, attempt) VALUES "
      "('%s', {event:id}, {/data/object/key}, {/data/object/mark}, {event:attempt})")
FAILS = ("SELECT IF(CAST({event:attempt} AS UNSIGNED) <= CAST({/data/object/fails} AS UNSIGNED), "
         "(SELECT 1 UNION SELECT 2), 0)")
SUBQUERY = "1242"  # how FAILS fails


class Kind:
    """One kind. Its events have the type NAME.x and go to the routes NAME-SOURCE."""

    sources = ("stripe", "grid")
    keys = 0        # how many objects or business keys the events of a history share
    others = False  # whether an id may come with another meaning
    route = {"retry": PLENTY}

    def __init__(self):
        self.name = type(self).__name__.lower()

    def handlers(self, world):
        """{name: keys} of the config."""
        return {self.name: {"sql": [FX % self.name]}}

    def routes(self):
        """{name: keys} of the config."""
        flow = {"flow": self.name} if self.keys else {}
        return {f"{self.name}-{source}": {"provider": source, "on": self.name + ".*", "handler": self.name,
                                          **flow, **self.route} for source in self.sources}

    def object(self, chance):
        """Random members of data.object, beside key."""
        return {"mark": chance.randint(1, 5)}

    def wants(self, event):
        """Names of the routes that want it; None: it is only informational."""
        return [f"{self.name}-{event['source']}"]

    def judge(self, seen):
        """Yields complaints. Here: every event has its effect once."""
        for e in seen.events:
            yield from self.effect_once(seen, e)

    def effect_once(self, seen, e):
        """The job of an event that must be done, with one effect."""
        for job in seen.jobs(e):
            if (job["state"], job["outcome"]) != ("done", "done"):
                yield f"{e} is {job['state']}, {job['outcome']}: {job['last_error']}"
        if len(seen.effects(e)) != 1:
            yield f"{e} had its effect {len(seen.effects(e))} times"

    def no_effect(self, seen, e, outcome, state="done"):
        """The job of an event that must have ended so, without an effect."""
        for job in seen.jobs(e):
            if (job["state"], job["outcome"]) != (state, outcome):
                yield f"{e} is {job['state']}, {job['outcome']}, and should be {state}, {outcome}"
        if seen.effects(e):
            yield f"{e} had an effect, and should be {state}, {outcome}"


class Plain(Kind):
    """One route, one effect; conflicts."""

    others = True


class Two(Kind):
    """Two routes, an effect for each."""

    others = True

    def handlers(self, world):
        return {"two-a": {"sql": [FX % "two-a"]}, "two-b": {"sql": [FX % "two-b", FAILS]}}

    def routes(self):
        return {f"two-{x}-{source}": {"provider": source, "on": "two.*", "handler": f"two-{x}", **self.route}
                for source in self.sources for x in "ab"}

    def object(self, chance):
        return {"mark": 1, "fails": chance.choice((0, 0, 1, 2))}

    def wants(self, event):
        return [f"two-{x}-{event['source']}" for x in "ab"]

    def judge(self, seen):
        for e in seen.events:
            for job in seen.jobs(e):
                if (job["state"], job["outcome"]) != ("done", "done"):
                    yield f"{e} is {job['state']}, {job['outcome']} for {job['route']}"
            for handler in ("two-a", "two-b"):
                n = len([row for row in seen.effects(e) if row["route"] == handler])
                if n != 1:
                    yield f"{e} had the effect of {handler} {n} times"


class Choice(Kind):
    """Which events a route wants: by livemode, by a condition, only to be shown, or not at all."""

    def routes(self):
        return {f"choice-{what}-{source}": {
            "provider": source, "handler": "choice", "on": f"choice.{what}", **keys, **self.route}
                for source in self.sources
                for what, keys in (("live", {"livemode": "true"}), ("when", {"when": "{/data/object/n} == 3"}),
                                   ("info", {"on": "choice.x", "informational": "choice.info"}))}

    def object(self, chance):
        return {"type": chance.choice(("live", "when", "info", "none")), "live": chance.choice((True, False)),
                "n": chance.choice((3, 3, 3.0, 4, "3", None))}

    def wants(self, event):
        o = event["object"]
        if o["type"] == "info":
            return None
        wanted = {"live": o["live"], "when": isinstance(o["n"], (int, float)) and o["n"] == 3, "none": False}
        return [f"choice-{o['type']}-{event['source']}"] if wanted[o["type"]] else []

    def judge(self, seen):
        for e in seen.events:
            if seen.wants(e):
                yield from self.effect_once(seen, e)
            elif seen.effects(e):
                yield f"{e} had an effect that no route wanted"


class Fail(Kind):
    """A handler that fails a few times; tries are bounded, and their work is undone."""

    route = {"retry": "4 tries, 1s"}

    def handlers(self, world):
        return {"fail": {"sql": [FX % "fail", FAILS]}}

    def object(self, chance):
        return {"mark": 1, "fails": chance.choice((0, 1, 1, 2, 3, 4, 5))}

    def judge(self, seen):
        for e in seen.events:
            yield from tries_end(self, seen, e, 4)


def tries_end(kind, seen, e, tries):
    """An event whose handler fails as long as it says so, on a route with so many tries."""
    fails = seen.object(e)["fails"]
    for job in seen.jobs(e):
        for a in seen.attempts(job):
            if a["outcome"] == "failed" and SUBQUERY in (a["error"] or "") and a["try_no"] > fails:
                yield f"{e} failed in try {a['try_no']}, and fails only {fails} times"
        if job["state"] == "dead":
            if job["outcome"] not in ("gave up", "worker lost") or job["tries"] != tries:
                yield f"{e} is dead after {job['tries']} tries of {tries}: {job['outcome']}"
            if seen.effects(e):
                yield f"{e} is dead, and had its effect"
        elif fails >= tries:
            yield f"{e} fails {fails} times, and is {job['state']}, {job['outcome']}"
        elif job["outcome"] == "done" or kind.name == "fail":
            yield from kind.effect_once(seen, e)
    for row in seen.effects(e):
        if row["attempt"] <= fails:
            yield f"{e} had its effect in try {row['attempt']}, which fails"


class Guard(Kind):
    """GitHub: the id is not signed, so the same content under a second id is held for a person."""

    sources = ("github",)
    others = True

    def judge(self, seen):
        for e in seen.events:
            yield from self.effect_once(seen, e)


class Forged(Kind):
    """Deliveries that nobody signed, of ids that perhaps come genuinely later."""

    def object(self, chance):
        return {"mark": 1, "forged": chance.choice(("only", "too"))}


class Once(Kind):
    """once_per with SQL: one effect a business key, whoever brings it, however often its handler fails."""

    keys = 2
    tries = 3
    route = {"once_per": "{/data/object/key}", "retry": "3 tries, 1s"}

    def handlers(self, world):
        return {"once": {"sql": [FX % "once", FAILS]}}

    def object(self, chance):
        return {"mark": 1, "fails": chance.choice((0, 0, 0, 1, 2, 3)), **_keyless(chance)}

    def judge(self, seen):
        yield from _without_key(self, seen)
        for key, group in seen.by_key().items():
            done = [e for e in group for row in seen.effects(e)]
            may_die = [e for e in group if seen.object(e)["fails"] >= self.tries or seen.lost(e)]
            if len(done) > 1 or (not done and len(may_die) < len(group)):
                yield f"key k{key} had its effect {len(done)} times: {done}"
            for e in group:
                yield from tries_end(self, seen, e, self.tries)
                yield from _already(seen, e, done)


def _keyless(chance):
    """Now and then an event without the key that its route needs."""
    return {"keyless": True} if chance.random() < 0.08 else {}


def _without_key(kind, seen):
    for e in seen.events:
        if seen.object(e).get("keyless"):
            yield from kind.no_effect(seen, e, "no key", "dead")


def _already(seen, e, done):
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


class Serial(Kind):
    """serialize_by: every event runs, one at a time."""

    keys = 1
    route = {"serialize_by": "{/data/object/key}", "retry": PLENTY}

    def handlers(self, world):
        return {"serial": {"sql": [FX % "serial", "SELECT SLEEP(0.02)",
                                   "UPDATE fx SET ended = SYSDATE(6) WHERE route = 'serial' AND event_id = {event:id}"]}}

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

    def routes(self):
        got = {}
        for source in self.sources:
            got[f"needs-make-{source}"] = {"provider": source, "on": "needs.make", "handler": "needs-make", **self.route}
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

    def routes(self):
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


# ---- handlers outside the database ---------------------------------------------------------------------


class Http(Kind):
    """A URL: asked at least once, always with the same key, so that it acts once; each request is a try."""

    words = ("ok", "fail", "mute", "busy", "slow")
    deadly = 0.1  # how often an event is refused in the end
    extra = {}

    def handlers(self, world):
        return {self.name: {"url": f"http://127.0.0.1:{world.sink.port}/{self.name}", "breaker": "off", **self.extra}}

    def object(self, chance):
        script = [chance.choice(self.words) for _ in range(chance.choice((0, 0, 1, 2, 3)))]
        if chance.random() < self.deadly:
            script.append("refuse")
        return {"mark": chance.randint(1, 4), "script": ",".join(script)}

    def judge(self, seen):
        for e in seen.events:
            yield from self.asked(seen, e)
            refused = any(r["word"] == "refuse" for r in seen.requests(e, self.name))
            for job in seen.jobs(e):
                wanted = ("dead", "handler gave up") if refused else ("done", "done")
                if (job["state"], job["outcome"]) != wanted and not (refused and job["state"] == "dead"):
                    yield f"{e} is {job['state']}, {job['outcome']}, and should be {wanted[1]}: {job['last_error']}"

    def asked(self, seen, e):
        """What holds for the requests of every event."""
        requests = seen.requests(e, self.name)
        keys = {r["key"] for r in requests}
        if len(keys) > 1 or "" in keys or None in keys:
            yield f"{e} was asked for with keys {keys}"
        for job in seen.jobs(e):
            if job["outcome"] == "done" and not any(r["acted"] for r in requests):
                yield f"{e} is done, and the other side never acted"
            if len(requests) > len(seen.attempts(job)):
                yield f"{e} was asked for {len(requests)} times in {len(seen.attempts(job))} tries"


class HttpMost(Http):
    """at_most_once: what may have acted is not asked again, but given up for a person to look at."""

    extra = {"at_most_once": "yes"}

    def judge(self, seen):
        for e in seen.events:
            yield from self.asked(seen, e)
            requests = seen.requests(e, self.name)
            if len([r for r in requests if r["word"] != "busy"]) > 1:
                yield f"{e} was asked for {[r['word'] for r in requests]}"
            good = any(r["word"] in ("ok", "slow") for r in requests)
            for job in seen.jobs(e):
                if job["state"] != "dead" and not good:
                    yield f"{e} is {job['state']}, {job['outcome']}, after {[r['word'] for r in requests]}"
                if job["state"] == "dead" and good and not seen.lost(e):
                    yield f"{e} is {job['outcome']}, and the other side said ok"


class HttpOnce(Http):
    """once_per with a URL: one event of a business key acts, under a key that its others share."""

    keys = 2
    words = ("ok", "fail", "mute", "busy", "slow")
    deadly = 0
    route = {"once_per": "{/data/object/key}", "retry": PLENTY}

    def judge(self, seen):
        for key, group in seen.by_key().items():
            for e in group:
                yield from self.asked(seen, e)
            requests = [r for e in group for r in seen.requests(e, self.name)]
            acted = sorted({seen.short(r["event"]) for r in requests if r["acted"]})
            if len(acted) != 1 or len({r["key"] for r in requests}) != 1:
                yield f"key k{key}: {acted} acted, with {len({r['key'] for r in requests})} keys"
            for e in group:
                yield from _already(seen, e, acted)


class HttpOrder(Http):
    """order_by with a URL: no older event acts behind a newer one that has acted."""

    keys = 1
    words = ("ok", "fail", "slow")
    deadly = 0
    route = {"order_by": "{/data/object/key}", "retry": PLENTY}

    def judge(self, seen):
        for key, group in seen.by_key().items():
            for e in group:
                yield from self.asked(seen, e)
            if any(seen.lost(e) for e in group):
                continue  # a lease that ends lets the next one in, while the other side may still act
            first = {}
            for r in sorted((r for e in group for r in seen.requests(e, self.name) if r["acted"]), key=lambda r: r["n"]):
                first.setdefault(r["event"], r)
            marks = [r["mark"] for r in first.values()]
            if marks != sorted(marks):
                yield f"key k{key}: acted in the order {marks}"
            newest = max(seen.object(e)["mark"] for e in group)
            if not marks or marks[-1] != newest:
                yield f"key k{key}: the newest is {newest}, and acted have {marks}"


class Command(Http):
    """A program: as a URL; and one that kills its worker is bounded."""

    words = ("ok", "fail", "later", "mute", "kill")
    route = {"retry": PLENTY}

    def handlers(self, world):
        return {self.name: {"command": f"{world.act} {self.name}", **self.extra}}


class CommandOnce(HttpOnce):
    """once_per with a program."""

    words = ("ok", "fail", "later", "mute", "kill")

    def handlers(self, world):
        return {self.name: {"command": f"{world.act} {self.name}"}}


ALL = [Plain(), Two(), Fail(), Guard(), Forged()]
FLOWS = [Choice(), Once(), Order(), Tie(), Serial(), Needs(), Skip(),
         Http(), HttpMost(), HttpOnce(), HttpOrder(), Command(), CommandOnce()]
