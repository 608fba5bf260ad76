"""What tests/setup.sh would have installed, by the package manager that it finds; the managers are fakes."""

import os
import shutil

import pytest

from hooktest.paths import PROJECT
from hooktest.proc import run

SETUP = os.path.join(PROJECT, "tests", "setup.sh")
USED = ("bash", "env", "dirname", "awk", "sed", "sort", "tr", "uname", "cmp", "cut", "mkdir", "rm")
BUILD = {
    "dnf": {"gcc", "glibc-devel", "make", "pkgconf-pkg-config", "fcgi-devel", "openssl-devel",
            "mariadb-connector-c-devel", "json-c-devel", "libcurl-devel"},
    "apk": {"gcc", "musl-dev", "make", "pkgconf", "fcgi-dev", "openssl-dev", "mariadb-connector-c-dev", "json-c-dev",
            "curl-dev"},
    "apt-get": {"gcc", "libc6-dev", "make", "pkg-config", "libfcgi-dev", "libssl-dev", "libmariadb-dev",
                "libjson-c-dev", "libcurl4-openssl-dev"},
}
RUN = {"dnf": {"mariadb-server", "mariadb", "lighttpd-fastcgi"}, "apk": {"mariadb", "mariadb-client", "lighttpd"}}
# What each of them brings: commands, and headers below usr/include.
COMMANDS = {"build": ("cc", "make", "pkg-config"), "run": ("mariadbd", "mariadb-install-db", "mariadb", "lighttpd")}
HEADERS = ("stdio.h", "fcgiapp.h", "openssl/evp.h", "mysql/mysql.h", "json-c/json.h", "curl/curl.h")


@pytest.fixture(name="bare")
def _bare(tmp_path):
    """A machine with nothing on it -> (its root, a function that runs setup.sh there)."""
    tools, root = tmp_path / "bin", tmp_path / "root"
    tools.mkdir()
    root.mkdir()
    for name in USED:
        os.symlink(shutil.which(name), tools / name)

    (tools / "id").write_text("#!/bin/bash\necho 0\n")  # only root may install
    (tools / "id").chmod(0o755)

    def manager(name, works=True):
        brings = [f'mkdir -p "{root}/usr/include/{os.path.dirname(h)}"; : >"{root}/usr/include/{h}"' for h in HEADERS]
        brings.append(f'mkdir -p "{root}/usr/sbin"')
        for command in COMMANDS["build"] + COMMANDS["run"]:
            brings.append(f': >"{root}/usr/sbin/{command}"; chmod 755 "{root}/usr/sbin/{command}"')
        os.symlink(shutil.which("chmod"), tools / "chmod")
        (tools / name).write_text(f'#!/bin/bash\necho "{name} $*" >>"{tmp_path}/asked"\n'
                                  + ("\n".join(brings) if works else "") + "\n")
        (tools / name).chmod(0o755)

    def setup(level):
        env = {"PATH": str(tools), "SETUP_ROOT": str(root), "HOOKONCE_BUILD": str(tmp_path / "build"), "CI": "true"}
        done = run([shutil.which("bash"), SETUP, level], 60, env=env)
        asked = (tmp_path / "asked").read_text().splitlines() if (tmp_path / "asked").exists() else []
        return done, asked

    return manager, setup


def names(line):
    """The packages of a manager's command line."""
    words = line.split()
    at = max(i for i, word in enumerate(words) if word in ("install", "add"))
    return set(words[at + 1:])


@pytest.mark.parametrize("manager", ["dnf", "apk"])
@pytest.mark.parametrize("level", ["build", "run"])
def test_it_asks_for_the_names_of_that_distribution(bare, manager, level):
    make, setup = bare
    make(manager)
    done, asked = setup(level)
    assert done.returncode == 0, done
    line, = asked
    assert names(line) == BUILD[manager] | (RUN[manager] if level == "run" else set())
    assert all(word in done.stdout.decode() for word in names(line))
    done, asked = setup(level)  # nothing is missing any more, so nobody is asked and nothing said
    assert (done.returncode, done.stdout, asked) == (0, b"", [line])


def test_apt_brings_its_lists_up_to_date_first(bare):
    make, setup = bare
    make("apt-get")
    done, asked = setup("build")
    assert done.returncode == 0, done
    assert asked[0].split()[-1] == "update" and names(asked[1]) == BUILD["apt-get"]


def test_a_manager_that_brings_nothing_is_found_out(bare):
    make, setup = bare
    make("apk", works=False)
    done, _ = setup("build")
    assert done.returncode == 1 and b"Still missing" in done.stderr + done.stdout


def test_without_a_known_manager_it_names_what_is_missing(bare):
    _, setup = bare
    done, asked = setup("run")
    assert done.returncode == 1 and not asked
    assert b"libfcgi-dev" in done.stderr and b"own package manager" in done.stderr


def test_what_nobody_has_named_for_a_manager_is_said_and_nothing_installed(bare):
    make, setup = bare
    make("dnf")
    done, asked = setup("dist")
    assert done.returncode == 1 and not asked
    assert b"no name for" in done.stderr and b"dnf" in done.stderr
