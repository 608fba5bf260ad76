"""From the archive to the first processed event, on shared hosting: suEXEC or plain CGI, a database user who may little."""

import io
import os
import re
import shutil
import tarfile

import pytest

from hooktest import PROJECT, events, sign, wait_until
from hooktest.hosting import SharedHost
from hooktest.paths import program

NAME = "hookonce-0.1.0-linux-x86_64"
SECRET = "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE="
FEW_RIGHTS = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP"


def archive():
    """The release as lib/dist/pack.sh lays it out, of the programs under test."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name in ("hookonce", "hookonce.fcgi"):
            tar.add(program(name), f"{NAME}/{name}")
        for name in ("apache", "lighttpd", "schema", "README.md"):
            tar.add(os.path.join(PROJECT, name), f"{NAME}/{name}")
    return out.getvalue()


@pytest.fixture(scope="module")
def packed():
    return archive()


@pytest.fixture
def database(mariadb):
    """One of a panel: 15 connections, no triggers, routines, events or views, old defaults."""
    made = mariadb.create_database(FEW_RIGHTS, "CHARACTER SET utf8mb3")
    before = mariadb.execute("SELECT @@default_storage_engine AS engine")[0]["engine"]
    mariadb.execute(f"ALTER USER {made.user}@'%' WITH MAX_USER_CONNECTIONS 15",
                    "SET GLOBAL default_storage_engine = MyISAM")
    yield made
    mariadb.execute(f"SET GLOBAL default_storage_engine = {before}")
    mariadb.drop(made)


@pytest.fixture
def hosted(base, packed, database):
    """A function that makes an account on a host, with the archive in its home."""
    hosts = []

    def make(**more):
        host = SharedHost(os.path.join(base, f"host{len(hosts)}"), **more)
        host.db = database
        hosts.append(host)
        host.write(f"{NAME}.tar.gz", packed, 0o644)
        return host

    yield make
    for host in hosts:
        host.close()
        shutil.rmtree(host.root, ignore_errors=True)


def flags(host, **more):
    said = {"database": host.db.name, "user": host.db.user, "password-file": "../pw", "host": host.db.server.socket,
            "url": host.url(), "source": "stripe", "secret-file": "../whsec", **more}
    return "./hookonce setup --yes " + " ".join(f"--{name} '{value}'" for name, value in said.items() if value)


def unpack(host):
    host.write("pw", host.db.password + "\n")
    host.write("whsec", SECRET + "\n")
    host.sh(f"tar -xzf {NAME}.tar.gz && mv {NAME} hookonce", folder=".")


def test_flags_alone_set_it_up(hosted):
    host = hosted()
    unpack(host)
    said = host.sh(flags(host))
    print(said)
    assert "recorded under" in said
