"""Fixtures: one MariaDB for the session, a fresh database and site for each test that asks."""

import itertools
import os
import shutil
import sys
import tempfile

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from hooktest import MariaDB, Site  # noqa: E402
from hooktest.downstream import Downstream  # noqa: E402
from hooktest.home import Home  # noqa: E402
from hooktest.proc import end_all_below  # noqa: E402


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Lets a fixture see at its end whether its test failed."""
    outcome = yield
    setattr(item, "result_" + call.when, outcome.get_result())


@pytest.fixture(scope="session")
def base():
    """A temporary folder with a short path (sockets) that other accounts may pass through."""
    place = tempfile.mkdtemp(prefix="hookonce-")
    os.chmod(place, 0o711)
    yield place
    end_all_below(place)
    if not os.environ.get("HOOKONCE_KEEP"):
        shutil.rmtree(place, ignore_errors=True)


_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def mariadb(base):
    """The server that tests share. A test that stops, kills or changes one takes own_mariadb."""
    server = MariaDB(os.path.join(base, "db"))
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture
def own_mariadb(base):
    """A function (networking=False, options=()) -> a started MariaDB that this test may break."""
    servers = []

    def make(**more):
        servers.append(MariaDB(os.path.join(base, f"db{next(_numbers)}"), **more))
        return servers[-1].start()

    yield make
    for server in servers:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)


@pytest.fixture
def downstream():
    """A function that makes a Downstream (see hooktest/downstream.py); all are stopped at the end."""
    made = []

    def make(*arguments, **more):
        made.append(Downstream(*arguments, **more))
        return made[-1]

    yield make
    for server in made:
        server.stop()


class _Sites:
    """Makes sites below `base`, and ends them all."""

    def __init__(self, request, base):
        self.request, self.base, self.made = request, base, []

    def make(self, server=None, database=None, migrate=True, **more):
        fresh = None
        if database is None:
            fresh = database = self.request.getfixturevalue("mariadb").create_database()
        got = Site(os.path.join(self.base, f"s{next(_numbers)}"), database, **more)
        self.made.append((got, fresh))
        if migrate:
            got.migrate()
        if server:
            name, arguments = server if isinstance(server, tuple) else (server, {})
            got.serve(name, **arguments)
        return got

    def end(self, failed):
        for got, fresh in self.made:
            got.close()
            if failed:
                print(got.report())
            if fresh:
                fresh.server.drop(fresh)
            if not os.environ.get("HOOKONCE_KEEP"):
                shutil.rmtree(got.dir, ignore_errors=True)


@pytest.fixture
def site(request, base):
    """A function that sets up a Site with a fresh database and the schema applied.

    site(server=None, database=None, migrate=True, **Site's own): `server` is a key of web.SERVERS, or
    (key, {arguments}); `database` a Database of another server. All is stopped when the test ends.
    """
    sites = _Sites(request, base)
    yield sites.make
    sites.end(getattr(getattr(request.node, "result_call", None), "failed", True))


@pytest.fixture(scope="module")
def module_site(request, base):
    """The same for a site that the tests of one module share; it ends with the module."""
    sites = _Sites(request, base)
    yield sites.make
    sites.end(request.session.testsfailed > 0)


@pytest.fixture
def home(base, mariadb):
    """A Home: a reader's account, who installs as the README says (see hooktest/home.py)."""
    folder = os.path.join(base, "home")
    os.makedirs(folder)
    database = mariadb.create_database()
    place = Home(folder, database)
    yield place
    place.close()
    mariadb.drop(database)
    shutil.rmtree(folder, ignore_errors=True)
