"""From built programs to a system's folders and to an archive, without building anything."""

import hashlib
import os
import re
import shutil
import stat
import tarfile

import pytest

from hooktest.documents import Document
from hooktest.paths import PROJECT, program, tool
from hooktest.proc import run

PROGRAMS = ("hookonce", "hookonce.fcgi")


@pytest.fixture(name="build")
def _build(tmp_path):
    """A build folder of its own, with the programs under test."""
    folder = tmp_path / "build"
    folder.mkdir()
    for name in PROGRAMS:
        shutil.copy(program(name), folder / name)
    return str(folder)


def make(build, *arguments):
    """make, for which the programs are new enough."""
    old = [word for name in PROGRAMS for word in ("-o", f"{build}/{name}")]
    done = run([tool("make"), "-s", "-C", PROJECT, f"BUILD={build}", *old, *arguments], 120)
    assert done.returncode == 0, done
    return done


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def test_make_install_puts_everything_below_destdir_and_prefix(build, tmp_path):
    make(build, "install", f"DESTDIR={tmp_path}/stage", "PREFIX=/opt/hook once")
    assert os.listdir(tmp_path / "stage") == ["opt"]
    place = os.path.join(tmp_path, "stage", "opt", "hook once")
    there = files_below(place)
    expected = ["bin/hookonce", "lib/hookonce/hookonce", "lib/hookonce/hookonce.fcgi", "share/man/man1/hookonce.1",
                "share/man/man5/hookonce.conf.5", "share/man/man5/hookonce-recipe.5", "share/doc/hookonce/README.md",
                "share/doc/hookonce/LICENSE"]
    for folder, to in (("apache", "share/hookonce/apache"), ("lighttpd", "share/hookonce/lighttpd"),
                       ("schema", "share/hookonce/schema"), ("lib/providers", "share/hookonce/providers"),
                       ("lib/dist/handlers", "share/doc/hookonce/examples/handlers")):
        expected += [f"{to}/{name}" for name in os.listdir(os.path.join(PROJECT, folder))]
    assert there == sorted(expected)
    said = run([os.path.join(place, "bin", "hookonce"), "--version"])
    assert said.returncode == 0 and said.stdout.startswith(b"hookonce ")
    runs = {n for n in there if os.stat(os.path.join(place, n)).st_mode & 0o111}
    assert runs == {n for n in there if n.startswith(("bin/", "lib/")) or re.search(r"/handler\.(sh|py|php)$", n)}
    # Again, over what is there: the same, and moved as a whole it still works.
    make(build, "install", f"DESTDIR={tmp_path}/stage", "PREFIX=/opt/hook once")
    assert files_below(place) == there
    os.rename(place, tmp_path / "moved")
    assert run([str(tmp_path / "moved" / "bin" / "hookonce"), "--version"]).stdout == said.stdout


def test_make_install_wants_a_whole_path(build):
    done = run([os.path.join(PROJECT, "lib", "dist", "install.sh"), build, "", "usr"])
    assert done.returncode == 1 and b"PREFIX" in done.stderr


def packed(build, umask, zone):
    """pack.sh over a build folder -> the archive's bytes."""
    version = re.search(r"^VERSION := (.*)$", open(os.path.join(PROJECT, "Makefile"), encoding="utf-8").read(), re.M)
    done = run(["sh", "-c", f'umask {umask}; exec "$0" "$@"', os.path.join(PROJECT, "lib", "dist", "pack.sh"), build,
                version.group(1)], 120, env={**os.environ, "TZ": zone, "SOURCE_DATE_EPOCH": "1790000000"})
    assert done.returncode == 0, done
    with open(done.stdout.decode().strip(), "rb") as f:
        return f.read()


def test_an_archive_is_the_same_whoever_packs_it_and_its_checksums_hold(build, tmp_path):
    make(build, "man")
    os.makedirs(os.path.join(build, "third", "licences"))
    for name in ("curl", "mariadb-connector-c"):
        shutil.copy(os.path.join(PROJECT, "LICENSE"), os.path.join(build, "third", "licences", name))
    first = packed(build, "022", "UTC")
    assert first == packed(build, "077", "Asia/Tokyo")
    archive, = (n for n in os.listdir(build) if n.endswith(".tar.gz"))
    with tarfile.open(os.path.join(build, archive)) as tar:
        members = tar.getmembers()
        assert {m.mtime for m in members} == {1790000000}
        assert all((m.uid, m.gid, m.uname, m.gname) == (0, 0, "", "") for m in members)
        assert {stat.S_IMODE(m.mode) for m in members} == {0o755, 0o644}
        top, order = members[0].name, {}
        for m in members:
            order.setdefault(os.path.dirname(m.name), []).append(m.name)
        assert all(names == sorted(names) for names in order.values())  # not as the file system has them
        read = {m.name[len(top) + 1:]: tar.extractfile(m).read() for m in members if m.isreg()}
    assert archive == top + ".tar.gz"
    sums = read.pop("SHA256SUMS").decode().splitlines()
    assert sorted(sums) == sorted(f"{hashlib.sha256(data).hexdigest()}  ./{name}" for name, data in read.items())
    for name in ("hookonce", "hookonce.fcgi", "handlers/handler.py", "licences/curl", "schema/RUNBOOK.md",
                 "providers/stripe.conf", "bill-of-materials.spdx.json", "man/hookonce.1", "apache/htaccess-cgid"):
        assert name in read
    # As the README says: checked, and unpacked.
    home = tmp_path / "home"
    home.mkdir()
    for name in (archive, archive + ".sha256"):
        shutil.copy(os.path.join(build, name), home)
    block = Document("README.md").take("sha256sum -c hookonce-") + "\ntar xzf hookonce-*.tar.gz\ncd hookonce-*/\n" \
        "sha256sum --quiet -c SHA256SUMS\n./hookonce --version\n"
    done = run(["sh", "-e", "-c", block], 120, env={"PATH": "/usr/bin:/bin", "HOME": str(home)}, cwd=str(home))
    assert done.returncode == 0 and re.fullmatch(rb"\S+\.tar\.gz: OK\nhookonce [0-9.]+\n", done.stdout), done
    # One byte that is another one is found.
    with open(home / archive, "r+b") as f:
        f.seek(-9, os.SEEK_END)
        byte = f.read(1)
        f.seek(-9, os.SEEK_END)
        f.write(bytes([byte[0] ^ 1]))
    spoilt = run(["sh", "-e", "-c", block], 120, env={"PATH": "/usr/bin:/bin", "HOME": str(home / "b")}, cwd=str(home))
    assert spoilt.returncode != 0 and b"FAILED" in spoilt.stdout
