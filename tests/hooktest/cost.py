"""What a delivery costs in plain CGI, in processor time, against an empty program that is linked statically."""

import os
import re
import subprocess

from . import events
from .paths import PROJECT
from .proc import run


def _built(folder):
    """The measuring program, which is the empty one too."""
    place = os.path.join(folder, "cgi_cost")
    subprocess.run(["cc", "-O2", "-static", "-o", place, os.path.join(PROJECT, "tests/bench/cgi_cost.c")], check=True)
    os.chmod(place, 0o755)
    return place


def _cost_us(site, spawner, program, body):
    environment = site.cgi_environment("stripe", len(body), site.signed("stripe", body))
    done = run([spawner, program], 30, site.user, env=environment, cwd=site.dir, input=body)
    got = re.search(rb"^cost (\d+)$", done.stderr, re.MULTILINE)
    assert done.returncode == 0 and got and done.stdout.startswith(b"Status: 200"), done
    return int(got[1])


def cgi_cost(site, receiver=None, rounds=40):
    """How many times the processor time of the empty program a new delivery takes: the least of each, since
    whatever else runs can only add to it. In turns, so that both meet the same machine."""
    spawner = _built(site.dir)
    full, empty = [], []
    for _ in range(rounds):
        body = events.stripe()
        full.append(_cost_us(site, spawner, receiver or site.receiver, body))
        empty.append(_cost_us(site, spawner, spawner, body))
    print(f"a delivery in plain CGI: {min(full)} us, the empty program: {min(empty)} us")
    return min(full) / min(empty)
