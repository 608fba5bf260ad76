"""The archive of `make dist`: what is in it, what it needs, and that anybody gets the same one.

HOOKONCE_ARCHIVE names it, HOOKONCE_SECOND the one of another folder; tests/compat/run makes both.
"""

import hashlib
import json
import os
import re
import stat
import subprocess
import tarfile

import pytest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ARCHIVE, SECOND = os.environ["HOOKONCE_ARCHIVE"], os.environ.get("HOOKONCE_SECOND")
PROGRAMS = ("hookonce", "hookonce.fcgi")
LICENCES = {"curl": "curl", "mariadb-connector-c": "mariadb-connector-c", "openssl": "libssl-dev", "json-c": "libjson-c-dev",
            "libfcgi": "libfcgi-dev", "zlib": "zlib1g-dev", "nghttp2": "libnghttp2-dev"}
# What a glibc of 2.17 brings itself.
LIBRARIES = {"libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6", "librt.so.1", "ld-linux-x86-64.so.2"}


def said(*argv):
    """A command's standard output."""
    return subprocess.run(argv, stdout=subprocess.PIPE, check=True, timeout=120).stdout.decode("utf-8", "replace")


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


@pytest.fixture(scope="module", name="place")
def _place(tmp_path_factory):
    """The unpacked archive: its only top folder."""
    folder = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["tar", "-C", folder, "-xzf", ARCHIVE], check=True, timeout=120)
    name, = os.listdir(folder)
    assert os.path.basename(ARCHIVE) == name + ".tar.gz"
    return os.path.join(folder, name)


def names_in(folder):
    return sorted(os.path.relpath(os.path.join(at, n), folder) for at, _, names in os.walk(folder) for n in names)


def test_another_folder_umask_locale_and_hour_give_the_same_bytes():
    assert digest(ARCHIVE) == digest(SECOND)
    assert os.path.abspath(ARCHIVE) != os.path.abspath(SECOND)


def test_it_holds_all_that_belongs_to_it(place):
    names = names_in(place)
    for folder, ending in (("apache", ""), ("lighttpd", ""), ("schema", ""), ("lib/providers", ".conf"),
                           ("lib/dist/handlers", "")):
        for name in os.listdir(os.path.join(PROJECT, folder)):
            if name.endswith(ending):
                packed = os.path.join(place, os.path.basename(folder), name)
                assert digest(packed) == digest(os.path.join(PROJECT, folder, name)), packed
    for name in (*PROGRAMS, "README.md", "LICENSE", "SHA256SUMS", "bill-of-materials.spdx.json", "man/hookonce.1",
                 "man/hookonce.conf.5", "man/hookonce-recipe.5", "schema/RUNBOOK.md"):
        assert name in names
    assert not [n for n in names if n.endswith((".md~", ".orig", ".o", ".part", ".swp"))]


def test_nobody_but_its_owner_may_write_into_it_and_only_programs_run(place):
    with tarfile.open(ARCHIVE) as tar:
        for member in tar.getmembers():
            may_run = (*PROGRAMS, "handler.sh", "handler.py", "handler.php")
            runs = member.isdir() or os.path.basename(member.name) in may_run
            assert member.mode == (0o755 if runs else 0o644), member.name
            assert (member.uid, member.gid, member.uname, member.gname) == (0, 0, "", ""), member.name
            assert member.isdir() or member.isreg(), member.name
    assert stat.S_IMODE(os.stat(os.path.join(place, "hookonce")).st_mode) & 0o022 == 0


def test_the_checksums_are_those_of_all_files(place):
    with open(os.path.join(place, "SHA256SUMS"), encoding="ascii") as f:
        sums = dict(reversed(line.rstrip("\n").split("  ./", 1)) for line in f)
    assert sorted([*sums, "SHA256SUMS"]) == names_in(place)
    for name, expected in sums.items():
        assert digest(os.path.join(place, name)) == expected, name
    checked = subprocess.run(["sha256sum", "--check", "--quiet", os.path.basename(ARCHIVE) + ".sha256"],
                             cwd=os.path.dirname(ARCHIVE), check=False, timeout=120)
    assert checked.returncode == 0


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_needs_nothing_but_glibc_2_17(place, program):
    path = os.path.join(place, program)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-d", path)))
    assert needed and needed <= LIBRARIES
    assert "RPATH" not in said("readelf", "-d", path) and "RUNPATH" not in said("readelf", "-d", path)
    symbols = said("objdump", "-T", path)
    versions = {tuple(int(n) for n in v.split(".")) for v in re.findall(r"GLIBC_([0-9.]+)", symbols)}
    assert versions and max(versions) <= (2, 17), max(versions)
    foreign = re.findall(r"\*UND\*.*\((?!GLIBC_2)([A-Za-z_]+[0-9.]*)\)", symbols)
    assert not foreign, foreign
    listed = said("ldd", path)
    assert "not found" not in listed
    assert {line.split()[0].split("/")[-1] for line in listed.splitlines()} <= LIBRARIES | {"linux-vdso.so.1"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_is_hardened_as_the_others_are(place, program):
    path = os.path.join(place, program)
    header, dynamic = said("readelf", "-hl", path), said("readelf", "-d", path)
    assert re.search(r"Type: +DYN", header) and "GNU_RELRO" in header and "BIND_NOW" in dynamic
    assert not re.search(r"GNU_STACK.*\n.*RWE", header)
    assert "__stack_chk_fail" in said("objdump", "-T", path)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_names_no_folder_of_the_machine_that_built_it(place, program):
    text = said("strings", "-a", os.path.join(place, program))
    build = os.path.dirname(os.path.abspath(ARCHIVE))
    for folder in {build, PROJECT, os.path.realpath(PROJECT), os.path.dirname(os.path.abspath(SECOND)),
                   os.path.expanduser("~") if os.path.expanduser("~") != "/" else build}:
        if folder != "/root":  # a word of libraries, too
            assert folder not in text, [line for line in text.splitlines() if folder in line][:5]
    assert not re.search(r"(?<![.\w])/(home|tmp|work|builds?(?!/reproducible-path)|mnt)/[A-Za-z0-9_.-]+/", text), \
        re.findall(r"(?<![.\w])/(?:home|tmp|work|builds?(?!/reproducible-path)|mnt)/[A-Za-z0-9_.-]+/.*", text)[:5]


def test_the_bill_of_materials_is_valid_and_true(place):
    with open(os.path.join(place, "bill-of-materials.spdx.json"), encoding="utf-8") as f:
        bill = json.load(f)
    assert (bill["spdxVersion"], bill["dataLicense"], bill["SPDXID"]) == ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT")
    assert re.fullmatch(r"https://\S+", bill["documentNamespace"]) and bill["name"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"])
    assert all(re.match(r"(Tool|Person|Organization): \S", c) for c in bill["creationInfo"]["creators"])
    elements = {"SPDXRef-DOCUMENT"}
    for element in (*bill["packages"], *bill["files"]):
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", element["SPDXID"]) and element["SPDXID"] not in elements
        elements.add(element["SPDXID"])
        for checksum in element.get("checksums", ()):
            length = {"SHA1": 40, "SHA256": 64}[checksum["algorithm"]]
            assert re.fullmatch(r"[0-9a-f]{%d}" % length, checksum["checksumValue"])
    for relation in bill["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= elements
        assert relation["relationshipType"] in ("DESCRIBES", "CONTAINS", "STATIC_LINK")
    linked = {r["relatedSpdxElement"] for r in bill["relationships"] if r["relationshipType"] == "STATIC_LINK"}
    assert linked == {f"SPDXRef-{n}" for n in ("curl", "mariadb-connector-c", "openssl", "json-c", "libfcgi", "zlib",
                                               "nghttp2")}
    for package in bill["packages"]:
        assert package["name"] and package["versionInfo"] and package["downloadLocation"]
        assert re.fullmatch(r"MIT|curl|LGPL-2.1-or-later|Apache-2.0|OML|Zlib", package["licenseDeclared"])
        if package["name"] != "hookonce":
            assert os.path.getsize(os.path.join(place, "licences", LICENCES[package["name"]])) > 500
    assert [f["fileName"] for f in bill["files"]] == ["./hookonce", "./hookonce.fcgi"]
    for file in bill["files"]:
        sums = {c["algorithm"]: c["checksumValue"] for c in file["checksums"]}
        assert sums["SHA256"] == digest(os.path.join(place, file["fileName"]))


def test_the_bill_names_what_the_pins_name(place):
    with open(os.path.join(place, "bill-of-materials.spdx.json"), encoding="utf-8") as f:
        packages = {p["name"]: p for p in json.load(f)["packages"]}
    with open(os.path.join(PROJECT, "lib/dist/pins"), encoding="utf-8") as f:
        pins = [line.split() for line in f if line.startswith("source") and ".orig." in line]
    assert len(pins) == 2
    for _, _, package, version, _, sum_ in pins:
        billed = packages[{"curl": "curl", "mariadb": "mariadb-connector-c"}[package]]
        assert (billed["versionInfo"], billed["checksums"][0]["checksumValue"]) == (version, sum_)


@pytest.mark.parametrize("refused, said_then", [
    ("update", r"http://mirror\.example does not serve bullseye and bookworm .*DEBIAN_MIRROR"),
    ("download", r"http://mirror\.example does not have libc6 \S+ of bullseye any more: .*lib/dist/pins"),
    ("source", r"http://mirror\.example does not have curl \S+ of bookworm any more: .*lib/dist/pins"),
    ("nothing", r"libc6_\S+\.deb is not what lib/dist/pins says; remove ")])
def test_what_the_mirror_has_no_more_is_said(tmp_path, refused, said_then):
    """The mirror is a fake that has empty files; what is pinned for Debian 11 comes first."""
    apt = tmp_path / "apt-get"
    with open(os.path.join(PROJECT, "lib/dist/pins"), encoding="utf-8") as f:
        pins = [line.split() for line in f if not line.startswith("#")]
    files = " ".join(pin[4] for pin in pins)
    there = f'for f in {files}; do : >"$f"; done' if refused == "nothing" else ":"
    apt.write_text(f'#!/bin/sh\ncase " $* " in *" {refused} "*) exit 100 ;; *" download "*) {there} ;; esac\n')
    apt.chmod(0o755)
    if refused == "source":  # all of the older C library is there
        real = os.path.join(os.path.dirname(ARCHIVE), "third", "files")
        os.makedirs(tmp_path / "third" / "files")
        for pin in pins:
            if pin[0] == "binary":
                os.symlink(os.path.join(real, pin[4]), tmp_path / "third" / "files" / pin[4])
    done = subprocess.run([os.path.join(PROJECT, "lib/dist/third.sh"), tmp_path / "third"], stderr=subprocess.PIPE,
                          check=False, timeout=120, env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}",
                                                         "DEBIAN_MIRROR": "http://mirror.example"})
    assert done.returncode == 1 and re.search(said_then, done.stderr.decode()), done.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_other_library_is_linked_in_than_the_bill_says(place, program):
    """By words that only these libraries have in them."""
    text = said("strings", "-a", os.path.join(place, program))
    marks = {"curl": "CURLOPT_", "openssl": "OpenSSL 3.", "krb5": "krb5_", "gnutls": "gnutls_", "nghttp2": "nghttp2_",
             "idn2": "idn2_", "zstd": "ZSTD_", "brotli": "Brotli", "ldap": "ldap_"}
    there = {name for name, mark in marks.items() if mark in text}
    assert there == {"openssl"} | ({"curl", "nghttp2"} if program == "hookonce" else set()), there


def test_each_program_starts(place):
    version = said(os.path.join(place, "hookonce"), "--version")
    assert version.strip() == "hookonce " + re.search(r"hookonce-([0-9.]+)-", ARCHIVE).group(1)
    asked = {"GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "REQUEST_URI": "/hookonce.fcgi/x",
             "SCRIPT_NAME": "/hookonce.fcgi"}
    answer = subprocess.run([os.path.join(place, "hookonce.fcgi")], stdout=subprocess.PIPE, timeout=60, check=False,
                            stdin=subprocess.DEVNULL, env=asked)
    assert re.match(rb"Status: [45]\d\d ", answer.stdout), answer.stdout
