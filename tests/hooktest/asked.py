"""A site that tests written for node reach: one JSON line asks, one answers.

{"run": [arguments of hookonce], "input": base64 or absent} -> {"code", "out", "err"};
{"deliver": source, "body": text, "more": what sign.py takes} -> the status; {"sql": statement} -> its
rows, bytes as {"hex": digits}; {"restrict": true}: see Site.restrict; {"written": true} -> rows in each table.
"""

import base64
import contextlib
import json
import os
import shutil
import sys
import tempfile

from .mariadb import MariaDB


def _plain(value):
    """What JSON has no word for."""
    return {"hex": value.hex()} if isinstance(value, bytes) else str(value)


def _answer(site, asked):
    if "run" in asked:
        more = {"input": base64.b64decode(asked["input"])} if "input" in asked else {}
        done = site.hookonce(*asked["run"], **more)
        return {"code": done.returncode, "out": done.stdout.decode(), "err": done.stderr.decode()}
    if "deliver" in asked:
        return site.deliver(asked["deliver"], asked["body"].encode(), **asked.get("more", {})).status
    if "sql" in asked:
        return site.sql(asked["sql"])
    if "restrict" in asked:
        return site.restrict()
    return site.written()


def opening():
    """The first line of standard input: what kind of site is wanted."""
    return json.loads(sys.stdin.readline())


def serve(site, hello):
    """Says hello, then answers one line after another until standard input ends."""
    print(json.dumps(hello), flush=True)
    for line in sys.stdin:
        print(json.dumps(_answer(site, json.loads(line)), default=_plain), flush=True)


@contextlib.contextmanager
def place():
    """-> (a new folder with a short path, a MariaDB that runs in it); both are gone afterwards."""
    folder = tempfile.mkdtemp(prefix="hookonce-")
    os.chmod(folder, 0o711)
    server = MariaDB(os.path.join(folder, "db"))
    try:
        yield folder, server.start()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
