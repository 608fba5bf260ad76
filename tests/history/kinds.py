"""What histories are about: the routes and handlers of each kind, its random events, and its promises.

A kind's judge says in words what the end must be like, from the README and nothing else: it looks at
the effects (rows of handlers, acts of the other side) and at what the tables tell a person.
"""

BASE = 1_790_000_000  # a second in the past, of which all events are
DAY = 86400
PLENTY = "60 tries, 1s"
FX = ("INSERT INTO fx (route, event_id, key_, mark, attempt) VALUES "
      "('%s', {event:id}, {/data/object/key}, {/data/object/mark}, {event:attempt})")
FAILS = ("SELECT IF(CAST({event:attempt} AS UNSIGNED) <= CAST({/data/object/fails} AS UNSIGNED), "
         "(SELECT 1 UNION SELECT 2), 0)")
SUBQUERY = "1242"  # how FAILS fails


class Kind:
    """One kind. Its events have the type NAME.x and go to the routes NAME-SOURCE."""

    sources = ("stripe", "grid")
    keys = 0        # how many objects or business keys the events of a history share
    most = 6        # events of a history
    others = False  # whether an id may come with another meaning
    tries = 60      # of the route: as a rule more than faults can use up
    at_rest = ()    # what jobs may wait for in the end
    route = {"retry": PLENTY}

    def __init__(self):
        self.name = type(self).__name__.lower()

    def handlers(self, world):
        """{name: keys} of the config."""
        return {self.name: {"sql": [FX % self.name]}}

    def routes(self, world):
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
            gone = job["outcome"] == "worker lost" and job["tries"] == self.tries
            if (job["state"], job["outcome"]) != (state, outcome) and not gone:
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

    def routes(self, world):
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

    def routes(self, world):
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
        wanted = {"live": event["live"], "when": isinstance(o["n"], (int, float)) and o["n"] == 3, "none": False}
        return [f"choice-{o['type']}-{event['source']}"] if wanted[o["type"]] else []

    def judge(self, seen):
        for e in seen.events:
            if seen.wants(e):
                yield from self.effect_once(seen, e)
            elif seen.effects(e):
                yield f"{e} had an effect that no route wanted"


class Fail(Kind):
    """A handler that fails a few times; tries are bounded, and their work is undone."""

    tries = 4
    route = {"retry": "4 tries, 1s"}

    def handlers(self, world):
        return {"fail": {"sql": [FX % "fail", FAILS]}}

    def object(self, chance):
        return {"mark": 1, "fails": chance.choice((0, 1, 1, 2, 3, 4, 5))}

    def judge(self, seen):
        for e in seen.events:
            yield from tries_end(self, seen, e)


def tries_end(kind, seen, e):
    """An event whose handler fails as long as it says so, on a route with few tries."""
    fails, tries = seen.object(e)["fails"], kind.tries
    for job in seen.jobs(e):
        for a in seen.attempts(job):
            if a["outcome"] == "failed" and SUBQUERY in (a["error"] or "") and a["try_no"] > fails:
                yield f"{e} failed in try {a['try_no']}, and fails only {fails} times"
        if job["state"] == "dead":
            if job["outcome"] not in ("gave up", "worker lost") or job["tries"] != tries:
                yield f"{e} is dead after {job['tries']} tries of {tries}: {job['outcome']}"
            if seen.effects(e):
                yield f"{e} is dead, and had its effect"
        elif job["outcome"] == "done" and fails >= tries:
            yield f"{e} fails {fails} times, and is done"
        elif job["outcome"] != "already done":
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
