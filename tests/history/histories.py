"""Random histories: what is delivered when, made from a seed, made smaller, and shown."""

import copy
import json
import random

from kinds import BASE


def make(kind, seed):
    """One history of a kind: a dict of plain data.

    events  their source, type, time, and the members of data.object; key None or a number
    phases  lists of deliveries that race each other; between two phases everything comes to rest.
            A delivery has events (several: one request), whether it is `other` (a known id with
            another meaning) and whether it is `forged`.
    """
    chance = random.Random(f"{kind.name} {seed}")
    events = [event(kind, chance) for _ in range(chance.randint(1, kind.most))]
    phases = [[] for _ in range(chance.choice((1, 1, 2, 3)))]
    for number, e in enumerate(events):
        first = chance.randrange(len(phases))
        forged = e["object"].get("forged")
        if forged:
            phases[first].append({"events": [number], "forged": True})
        if forged == "only":
            continue
        phases[first].append({"events": [number]})
        while chance.random() < 0.45:
            phases[chance.randrange(first, len(phases))].append({"events": [number]})
        if kind.others and chance.random() < 0.25:
            phases[chance.randrange(first, len(phases))].append({"events": [number], "other": True})
    for phase in phases:
        group(events, phase, chance)
        chance.shuffle(phase)
    return {"kind": kind.name, "seed": seed, "events": events, "phases": phases}


def event(kind, chance):
    """One random event."""
    o = kind.object(chance)
    word = o.pop("type", "x")
    created = BASE + o.get("mark", 0) if isinstance(o.get("mark", 0), int) else BASE
    return {"source": chance.choice(kind.sources), "type": f"{kind.name}.{word}", "created": created,
            "live": o.pop("live", False),
            "key": chance.randrange(kind.keys) if kind.keys else None, "object": {"type": word, **o}}


def group(events, phase, chance):
    """Puts some deliveries of the source that knows batches into one request."""
    fit = [d for d in phase if events[d["events"][0]]["source"] == "grid" and d.keys() == {"events"}]
    while len(fit) >= 2 and chance.random() < 0.5:
        a, b = chance.sample(fit, 2)
        if len(a["events"]) + len(b["events"]) > 4:
            break
        a["events"] += b["events"]
        phase[:] = [d for d in phase if d is not b]
        fit = [d for d in fit if d is not b]


# ---- made smaller --------------------------------------------------------------------------------------


def smaller(history):
    """Yields histories that have less in them, the greatest steps first."""
    for n in reversed(range(len(history["phases"]))):
        if len(history["phases"]) > 1:
            yield _changed(history, lambda h, n=n: h["phases"].pop(n))
    for n in reversed(range(len(history["events"]))):
        yield _changed(history, lambda h, n=n: _drop_event(h, n))
    for p, phase in enumerate(history["phases"]):
        for d, delivery in enumerate(phase):
            if len(phase) > 1 or len(history["phases"]) > 1:
                yield _changed(history, lambda h, p=p, d=d: h["phases"][p].pop(d))
            if len(delivery["events"]) > 1:
                yield _changed(history, lambda h, p=p, d=d: _take_apart(h, p, d))
    for p in range(len(history["phases"]) - 1):
        yield _changed(history, lambda h, p=p: h["phases"][p].extend(h["phases"].pop(p + 1)))
    for n, e in enumerate(history["events"]):
        for name, simple in (("fails", 0), ("script", ""), ("slow", 0)):
            if e["object"].get(name, simple) != simple:
                yield _changed(history, lambda h, n=n, name=name, simple=simple:
                               h["events"][n]["object"].update({name: simple}))
        if e["source"] == "grid":
            yield _changed(history, lambda h, n=n: h["events"][n].update(source="stripe"))


def _changed(history, change):
    got = copy.deepcopy(history)
    change(got)
    got["phases"] = [[d for d in phase if d["events"]] for phase in got["phases"]]
    got["phases"] = [phase for phase in got["phases"] if phase]
    return got if got["phases"] and got["events"] else None


def _drop_event(history, number):
    del history["events"][number]
    for phase in history["phases"]:
        for d in phase:
            d["events"] = [n - (n > number) for n in d["events"] if n != number]


def _take_apart(history, p, d):
    delivery = history["phases"][p][d]
    history["phases"][p][d:d + 1] = [{**delivery, "events": [n]} for n in delivery["events"]]


# ---- shown ---------------------------------------------------------------------------------------------


def show(history):
    """A history in a few lines."""
    lines = [f"history {history['kind']} {history['seed']}"]
    for n, e in enumerate(history["events"]):
        more = {k: v for k, v in e["object"].items() if k != "type"}
        key = "" if e["key"] is None else f" key k{e['key']}"
        lines.append(f"  e{n}: {e['type']} from {e['source']}, at +{e['created'] - BASE} s{key}"
                     f"{' live' if e['live'] else ''} {json.dumps(more)}")
    for n, phase in enumerate(history["phases"]):
        told = [("forged " if d.get("forged") else "") + "+".join(f"e{i}" for i in d["events"])
                + (" with another meaning" if d.get("other") else "") for d in phase]
        lines.append(f"  {'at once' if n == 0 else 'then, all being quiet'}: {', '.join(told)}")
    return "\n".join(lines)
