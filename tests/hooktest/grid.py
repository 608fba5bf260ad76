"""A provider that sends events in batches, which there is not: its recipe and its bodies."""

import json

RECIPE = """[recipe grid]
title = Events in batches
sig = header:X-Grid-Signature
alg = hmac-sha256
enc = hex
signed = {body}
batch = /events
id = {json:./id}
type = {json:./type}
object = {json:./data/object/id}
at = json:./created ; s
same = {json:./type} {json:./data/object/id}
"""


def batch(*ids, kind="grid.changed"):
    """The body of one request with an event for each id."""
    return json.dumps({"events": [{"id": i, "type": kind, "created": 1790000000,
                                   "data": {"object": {"id": "o-" + i}}} for i in ids]}).encode()
