"""Kinds of histories about handlers outside the database, and about answers. See kinds.py."""

from kinds import FX, PLENTY, Kind
from kinds_flow import already


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
                if job["state"] != ("dead" if refused else "done") and not (refused and seen.lost(e)):
                    yield f"{e} is {job['state']}, {job['outcome']}, refused: {refused}; {job['last_error']}"

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
                yield from already(seen, e, acted)


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
            first, acted = {}, [r for e in group for r in seen.requests(e, self.name) if r["acted"]]
            for r in sorted(acted, key=lambda r: r["n"]):
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
        return {self.name: {"command": f"{world.act} {self.name}", "breaker": "off"}}


class CommandOnce(HttpOnce):
    """once_per with a program."""

    words = ("ok", "fail", "later", "mute", "kill")

    def handlers(self, world):
        return {self.name: {"command": f"{world.act} {self.name}", "breaker": "off", "concurrency": 1}}


class Poison(Command):
    """A program that kills its worker each time: given up after its tries, and others go on."""

    most, tries = 1, 3
    route = {"retry": "3 tries, 1s"}

    def object(self, chance):
        return {"mark": 1, "script": ",".join(["kill"] * 20)}

    def judge(self, seen):
        for e in seen.events:
            yield from self.asked(seen, e)
            for job in seen.jobs(e):
                if job["state"] != "dead" or job["tries"] != self.tries:
                    yield f"{e} is {job['state']} after {job['tries']} tries"
            if len(seen.requests(e, self.name)) > self.tries:
                yield f"{e} was run {len(seen.requests(e, self.name))} times"


class LaneDies(Command):
    """serialize_by with a program whose workers die, and that is given up soon: nobody is left asleep."""

    keys, tries = 1, 2
    words = ("ok", "kill", "fail", "kill")
    deadly = 0
    route = {"serialize_by": "{/data/object/key}", "retry": "2 tries, 1s"}

    def judge(self, seen):
        for e in seen.events:
            yield from self.asked(seen, e)
            for job in seen.jobs(e):
                if job["state"] == "dead" and job["tries"] != self.tries:
                    yield f"{e} is dead after {job['tries']} tries: {job['outcome']}"


class Doubt(HttpOnce):
    """once_per with few tries: who is given up in doubt keeps the key, who certainly did nothing frees it."""

    words = ("ok", "fail", "mute", "busy", "refuse", "refuse")
    at_rest, tries = ("release",), 2
    route = {"once_per": "{/data/object/key}", "retry": "2 tries, 1s"}

    def judge(self, seen):
        for key, group in seen.by_key().items():
            for e in group:
                yield from self.asked(seen, e)
            requests = [r for e in group for r in seen.requests(e, self.name)]
            acted = {seen.short(r["event"]) for r in requests if r["acted"]}
            if len(acted) > 1 or len({r["key"] for r in requests}) > 1:
                yield f"key k{key}: {acted} acted, with {len({r['key'] for r in requests})} keys"
            kept = [e for e in group for job in seen.jobs(e) if job["state"] == "dead" and self.doubt(seen, e)]
            for e in group:
                for job in seen.jobs(e):
                    if job["state"] == "ready" and not kept:
                        yield f"{e} waits for {job['waiting_for']}, and no other one is in doubt"
                    if job["outcome"] == "already done" and not acted:
                        yield f"{e} is already done, and nobody acted"

    def doubt(self, seen, e):
        """Whether a try of it may have acted."""
        return seen.lost(e) or any(r["word"] not in ("busy", "refuse") for r in seen.requests(e, self.name))


class Reply(Kind):
    """A source in reply mode: everybody who is answered is answered the same, and the work is done once."""

    sources = ("ask",)

    def handlers(self, world):
        return {"reply": {"sql": [FX % "reply", "SELECT CONCAT('{\"run\":\"', UUID(), '\"}')"], "timeout": "3s"}}

    def routes(self, world):
        return {}

    def wants(self, event):
        return ["(reply)"]

    def judge(self, seen):
        yield from super().judge(seen)
        yield from same_answers(seen)


class ReplyCommand(Reply):
    """The same with a program, which may run again under the same key."""

    sources = ("askprogram",)

    def handlers(self, world):
        return {"replycommand": {"command": f"{world.act} replycommand", "timeout": "3s", "breaker": "off"}}

    def object(self, chance):
        return {"mark": 1, "script": ",".join(chance.choice(("ok", "fail", "later")) for _ in range(2))}

    def judge(self, seen):
        for e in seen.events:
            keys = {r["key"] for r in seen.requests(e, "replycommand")}
            if len(keys) != 1:
                yield f"{e} was run under keys {keys}"
            if any(job["state"] != "done" for job in seen.jobs(e)):
                yield f"{e} was answered, and is {[job['state'] for job in seen.jobs(e)]}"
        yield from same_answers(seen)


def same_answers(seen):
    """All answers to an event are the same."""
    for e in seen.events:
        answers = set(seen.answers(e))
        if len(answers) != 1:
            yield f"{e} was answered {sorted(answers)}"
