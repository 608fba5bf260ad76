"""apache/HOSTING.md: what it names is shipped and says what it claims, and its commands work as written."""

import os
import re

from hooktest import PROJECT, wait_until
from hooktest.documents import Document
from hooktest.proc import pids_of

GUIDE = "apache/HOSTING.md"


def shipped(name):
    """The text of a shipped file."""
    with open(os.path.join(PROJECT, name), encoding="utf-8") as f:
        return f.read()


def test_every_file_that_it_names_is_there_and_every_file_is_named():
    guide = Document(GUIDE)
    named = set(re.findall(r"\b(?:apache|lighttpd)/[a-z.-]*[a-z]\b(?!-?\*)", guide.text))
    for name in named:
        assert os.path.exists(os.path.join(PROJECT, name)), name
    for folder in ("apache", "lighttpd"):
        for name in os.listdir(os.path.join(PROJECT, folder)):
            assert name == "HOSTING.md" or f"{folder}/{name}" in guide.text or f"`{name}`" in guide.text, name


def test_what_goes_into_a_server_stands_so_in_the_shipped_files():
    """Each line of a configuration is one of the comment at the top of a file, or of the file itself."""
    files = {"var.hookonce_dir": "lighttpd/hookonce.conf", "set $hookonce_socket": "lighttpd/hookonce-nginx.conf"}
    guide = Document(GUIDE)
    for begins, name in files.items():
        for line in guide.take(begins).splitlines():
            assert line in shipped(name), line
    for key in ("fastcgi_request_buffering on", "fastcgi_keep_conn off", "client_max_body_size 32m"):
        assert key + ";" in shipped("lighttpd/hookonce-nginx.conf") and f"`{key}`" in guide.text
    for unit, name in (("socket", "ListenStream=/run/hookonce/receiver.sock"), ("socket", "SocketGroup=www-data"),
                       ("service", "StateDirectory=hookonce")):
        assert name in shipped(f"lighttpd/hookonce-receiver.{unit}")
    limits = {
        "FcgidMaxRequestLen 33554432": ("apache/hookonce-fcgid.conf", "apache/hookonce-suexec.conf"),
        "LimitRequestBody 33554432": ("apache/hookonce-cgid.conf", "apache/hookonce-proxy.conf",
                                      "apache/hookonce-suexec.conf"),
        "server.max-request-size = 32768": ("lighttpd/hookonce.conf", "lighttpd/hookonce-cgi.conf",
                                            "lighttpd/hookonce-socket.conf"),
    }
    for line, names in limits.items():
        for name in names:
            assert line in shipped(name), name


def test_the_line_of_cron_starts_the_receivers_and_keeps_them_up(home):
    readme, guide = Document("README.md"), Document(GUIDE)
    home.sh(readme.take("make\nmkdir", [("make\n", "")]), folder=home.project)
    home.write("hookonce/hookonce.conf", f"[database]\nsocket = {home.db.server.socket}\nname = {home.db.name}\n"
               f"user = {home.db.user}\n")
    line = guide.take("* * * * * ")
    assert line.startswith("* * * * * $HOME/hookonce/hookonce serve ")
    first = home.start(line[len("* * * * * "):].strip())
    receiver = os.path.join(home.dir, "hookonce.fcgi")
    wait_until(lambda: len(pids_of(receiver)) == 4, 20, "four receivers are up")
    second = home.start(line[len("* * * * * "):].strip())
    assert second.wait(60) == 0 and first.alive()
    assert first.stop(60) == 0 and first.output() == "" and pids_of(receiver) == []


def test_a_folder_of_another_group_gives_that_to_the_socket(home):
    """The two commands for a web server with an account of its own, without another account."""
    readme, guide = Document("README.md"), Document(GUIDE)
    home.sh(readme.take("make\nmkdir", [("make\n", "")]), folder=home.project)
    home.write("hookonce/hookonce.conf", f"[database]\nsocket = {home.db.server.socket}\nname = {home.db.name}\n"
               f"user = {home.db.user}\n")
    make, serve = guide.take("install -d").splitlines()
    folder = os.path.join(home.home, "run")
    assert "-m 2750 /run/hookonce" in make and serve.startswith("hookonce serve --socket /run/hookonce/receiver.sock ")
    home.sh(re.sub(r"-o \S+ -g \S+ ", "", make).replace("/run/hookonce", folder))
    proc = home.start(serve.replace("/run/hookonce", folder))
    wait_until(lambda: os.path.exists(os.path.join(folder, "receiver.sock")), 20, "it listens")
    assert os.stat(os.path.join(folder, "receiver.sock")).st_mode & 0o777 == 0o660
    assert os.stat(os.path.join(folder, "receiver.sock")).st_gid == os.stat(folder).st_gid
    assert proc.stop(60) == 0


def test_what_is_installed_by_hand_for_systemd_is_what_is_shipped():
    block = Document(GUIDE).take("install -m 644 lighttpd/hookonce.sysusers")
    assert re.findall(r"lighttpd/\S+", block) == [
        "lighttpd/hookonce.sysusers", "lighttpd/hookonce-*.service", "lighttpd/hookonce-*.socket",
        "lighttpd/hookonce-*.timer"]
    enabled = block.splitlines()[-1].split()[3:]
    assert [name for name in enabled if not os.path.exists(os.path.join(PROJECT, "lighttpd", name))] == []
    for name in enabled:
        assert "[Install]" in shipped(f"lighttpd/{name}")
