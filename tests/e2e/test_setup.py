"""From the archive to the first processed event, on shared hosting: suEXEC or plain CGI, a database user who may little."""

import glob
import io
import os
import re
import shutil
import tarfile
import time

import pytest

from hooktest import PROJECT, events, sign, wait_until
from hooktest.documents import Document
from hooktest.hosting import SharedHost
from hooktest.paths import program

NAME = "hookonce-0.1.0-linux-x86_64"
SECRET = "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE="
FEW_RIGHTS = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP"


def archive():
    """The release as lib/dist/pack.sh lays it out, of the programs under test."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as tar:
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


def flags(host, /, **more):
    said = {"database": host.db.name, "user": host.db.user, "password-file": "../pw", "host": host.db.server.socket,
            "url": host.url(), "source": "stripe", "secret-file": "../whsec", **more}
    return "./hookonce setup --yes " + " ".join(f"--{name} '{value}'" for name, value in said.items() if value)


def unpack(host, name="hookonce"):
    host.write("pw", host.db.password + "\n", 0o644)
    host.write("whsec", SECRET + "\n", 0o644)
    host.sh(f"tar -xzf {NAME}.tar.gz && mv {NAME} {name}", folder=".")


def answers(host):
    """What somebody types, by the begin of each question."""
    return [("Address of your site", host.url()), ("Folder of the web root", ""), ("Name of the database", host.db.name),
            ("Its user", host.db.user), ("Host of the database", host.db.server.socket),
            ("Password of that user", host.db.password), ("Provider of the first source", ""),
            ("Signing secret of stripe", SECRET)]


def states(host):
    return [row["status"] for row in host.db.sql(
        "SELECT status FROM hookonce_receipt ORDER BY correlation_id")]


def deliver(host, event):
    """Posted until it is taken: a web server that has just been started says 503 for a moment."""
    body = events.stripe(event)
    end = time.monotonic() + 30
    while True:
        answer = host.server.request("POST", "/hook/stripe", body, sign.stripe(SECRET, body))
        if answer.status != 503 or time.monotonic() > end:
            break
        time.sleep(0.2)
    assert answer.status == 200, (answer, host.report())


def kept(host, *names):
    """Files and what tells that one is another: content, place, mode."""
    got = {}
    for name in names:
        path = os.path.join(host.home, name)
        st = os.stat(path)
        with open(path, "rb") as f:
            got[name] = (f.read(), st.st_ino, st.st_mode & 0o7777, st.st_uid)
    return got


PRIVATE = ("hookonce/hookonce.conf", "hookonce/db.password", "hookonce/stripe.secret", "hookonce/hookonce.key")


# -- from the archive to the first processed event ----------------------------------------------------

@pytest.mark.parametrize("host_kind", [
    {"modules": ("fcgid", "cgid"), "lines": ("FcgidMaxRequestLen 33554432",)},
    {"modules": ("cgid",), "with_suexec": False},
], ids=["suexec", "cgid"])
def test_at_most_six_commands_of_the_readme_lead_to_a_processed_event(hosted, host_kind):
    host = hosted(**host_kind)
    commands = Document("README.md").take("tar -xzf").splitlines()
    assert len(commands) <= 6 and commands[-2:] == ["./hookonce setup", "./hookonce list"], commands
    assert not any(re.search(r"[;&|`$]|\beval\b", command) for command in commands), "one command a line"
    where = "."
    for command in commands[:-2]:
        if command.startswith("cd "):
            where = command.split()[1]
        else:
            host.sh(command, folder=where)
    code, shown = host.type_in(commands[-2], answers(host), maybe=[("Give them to crontab", "no")], folder=where)
    assert code == 0, shown
    gateway = "FastCGI" if host.suexec else "CGI"
    assert f"/hook goes through {gateway} from now on" in shown and "recorded under" in shown
    assert host.db.password not in shown and SECRET not in shown  # they are not shown while they are typed

    # with neither cron nor an address that is asked for
    wait_until(lambda: states(host) == ["processed"], 60, "work is done behind the answer")
    assert "processed" in host.sh(commands[-1], folder=where)

    # with an address that somebody's clock asks for
    config = host.read("hookonce/hookonce.conf")
    assert "after_answer = auto\n" in config
    host.write("hookonce/hookonce.conf", config.replace("after_answer = auto", "after_answer = off"))
    time.sleep(1.1)  # a receiver looks at its config once a second
    deliver(host, "evt_tick")
    url = re.search(r"http://\S+", host.sh("./hookonce tick-url")).group(0)
    assert host.server.request("GET", url[len(host.url()):]).status in (200, 202), url
    wait_until(lambda: states(host) == ["processed"] * 2, 60, "a tick has it done")

    # with cron, every 15 minutes: the line is run once
    wait_until(lambda: not running(host), 60, "what the tick has started has ended")
    deliver(host, "evt_cron")
    line = re.search(r"^\* \* \* \* \* (.* process --for 55s)$", shown, re.M)
    cron = host.cron("*/15 * * * * " + line.group(1))
    wait_until(lambda: states(host) == ["processed"] * 3, 60, "cron has it done")
    cron.stop()
    assert cron.output() == ""  # cron would mail it

    engines = {row["ENGINE"] for row in host.db.sql("SELECT ENGINE FROM information_schema.tables WHERE table_schema = "
                                                    "DATABASE() AND table_name LIKE 'hookonce%'")}
    assert engines == {"InnoDB"}


def running(host):
    """Programs of the account's hookonce that run."""
    found = []
    for exe in glob.glob("/proc/[0-9]*/exe"):
        try:
            if os.readlink(exe) == os.path.join(host.home, "hookonce", "hookonce"):
                found.append(exe)
        except OSError:
            continue
    return found


# -- what is put where ------------------------------------------------------------------------------

def test_flags_alone_do_it_and_a_second_run_leaves_all_as_it_is(hosted):
    """By default mod_fcgid takes 128 KiB a request: then it is CGI, which takes all."""
    host = hosted()
    unpack(host)
    said = host.sh(flags(host))
    assert "Trying FastCGI at" in said and "for small events only" in said and "goes through CGI" in said
    assert {name: mode for name, (_, _, mode, _) in kept(host, *PRIVATE).items()} == dict.fromkeys(PRIVATE, 0o600)
    place = os.path.join(host.web, "hook")
    assert sorted(os.listdir(place)) == [".htaccess", "hookonce.fcgi"]
    assert [os.stat(os.path.join(place, n)).st_mode & 0o7777 for n in (".", ".htaccess", "hookonce.fcgi")] == [
        0o755, 0o644, 0o755]
    for name in ("hookonce.conf", "hookonce", "hookonce.key", ".htaccess", "../hookonce/hookonce.conf"):
        assert host.server.request("GET", f"/hook/{name}").status in (400, 403, 404), name
    before = kept(host, *PRIVATE)
    again = host.sh("./hookonce setup --yes")
    assert "hookonce.conf is there already: it is kept" in again and "recorded under" in again
    assert kept(host, *PRIVATE) == before and "Trying what is in place at" in again and "it works" in again
    assert len(states(host)) == 2
    for text in (said, again, host.sh("cat state/hookonce.log; ls -R; cat hookonce.conf")):
        assert host.db.password not in text and SECRET not in text


def test_a_second_installation_of_one_account_is_another_in_all(hosted):
    host = hosted(modules=("cgid",), with_suexec=False)
    unpack(host)
    host.sh(flags(host))
    said = host.sh(flags(host) + " --table-prefix other_", codes=(2,))  # would do nothing: the config is kept
    assert "says table_prefix = hookonce_" in said and "change one of them" in said
    os.mkdir(os.path.join(host.home, "other"))
    host.own(os.path.join(host.home, "other"), 0o755)
    unpack(host, "other/shop")
    said = host.sh(flags(host, **{"password-file": "../../pw", "secret-file": "../../whsec", "path": "hook2"}), codes=(2,),
                   folder="other/shop")
    assert "would find" in said and "taken away again" in said
    assert not os.path.exists(os.path.join(host.home, "other/shop/hookonce.conf"))
    unpack(host, "shop")
    said = host.sh(flags(host), folder="shop", codes=(1,))
    assert "table_prefix" in said
    os.unlink(os.path.join(host.home, "shop/hookonce.conf"))
    said = host.sh(flags(host, **{"table-prefix": "shop_", "source": "shop", "provider": "stripe"}), folder="shop")
    assert f"{host.url('/shop')}/shop: recorded under" in said
    assert host.db.value("SELECT COUNT(*) FROM shop_receipt") == 1 and len(states(host)) == 1


def test_the_lines_come_into_the_crontab_once_and_leave_the_others(hosted):
    host = hosted(modules=("cgid",), with_suexec=False)
    unpack(host)
    os.mkdir(os.path.join(host.home, "bin"))
    host.own(os.path.join(host.home, "bin"), 0o755)
    host.write("bin/crontab", "#!/bin/sh\nif [ \"$1\" = -l ]; then cat $HOME/tab; else cat > $HOME/tab.new && "
                              "mv $HOME/tab.new $HOME/tab; fi\n", 0o755)
    host.write("tab", "5 4 * * * old")
    for _ in range(2):
        host.sh(f"PATH=$HOME/bin:$PATH {flags(host, every=15)} --cron")
        own = f"{host.home}/hookonce/hookonce"
        assert host.read("tab") == (f"5 4 * * * old\n*/15 * * * * {own} process --for 55s\n"
                                    f"*/15 * * * * {own} watch\n")
    host.write("bin/crontab", "#!/bin/sh\necho you may not >&2; exit 3\n", 0o755)
    said = host.sh(f"PATH=$HOME/bin:$PATH {flags(host)} --cron", codes=(1,))
    assert "you may not" in said and "panel" in said
    assert host.read("tab").count("\n") == 3


# -- what does not work -----------------------------------------------------------------------------

def test_what_does_not_work_is_taken_away_and_said_and_the_next_run_goes_on(hosted):
    host = hosted(modules=())  # .htaccess may ask for what it likes: the host runs no program
    unpack(host)
    said = host.sh(flags(host), codes=(1,))
    assert "Trying FastCGI" in said and "Trying CGI" in said and "what to do: " in said
    assert "is not answered by hookonce" in said and "run this again" in said
    assert not os.path.exists(os.path.join(host.web, "hook"))
    before = kept(host, *PRIVATE)
    host.serve(("cgid",))
    assert "recorded under" in host.sh("./hookonce setup --yes")
    assert kept(host, *PRIVATE) == before
    # what worked once is not taken away by a bad day of the host
    in_place = kept(host, "public_html/hook/.htaccess")["public_html/hook/.htaccess"][0]
    host.server.stop()
    assert "is as it was" in host.sh("./hookonce setup --yes", codes=(1,))
    assert kept(host, "public_html/hook/.htaccess")["public_html/hook/.htaccess"][0] == in_place
    host.serve(("cgid",))
    deliver(host, "evt_later")


def test_a_database_that_lets_nobody_in_leaves_nothing(hosted):
    host = hosted(modules=("cgid",), with_suexec=False)
    unpack(host)
    host.write("pw", "not the password")
    said = host.sh(flags(host), codes=(69,))
    assert "Access denied" in said and "not the password" not in said and "Nothing was written" in said
    assert not [n for n in os.listdir(os.path.join(host.home, "hookonce")) if n.startswith(("hookonce.conf", "db."))]
    host.write("pw", host.db.password)
    assert "recorded under" in host.sh(flags(host))


@pytest.fixture(scope="module")
def bare(base, packed):
    """An account without a web server: for what is refused before one is asked."""
    host = SharedHost(os.path.join(base, "bare"), modules=("cgid",), with_suexec=False)
    host.write(f"{NAME}.tar.gz", packed, 0o644)
    host.sh(f"tar -xzf {NAME}.tar.gz && mv {NAME} hookonce && cp -r hookonce public_html/ && cp -r hookonce {NAME}",
            folder=".")
    yield host
    host.close()


@pytest.mark.parametrize("folder, arguments, wants", [
    ("hookonce", "", "--url is missing"),
    ("hookonce", "--url ftp://x", "--url: "),
    ("hookonce", "--url http://example.com", "https"),
    ("hookonce", "--url https://x.example --web /nosuch", "/nosuch is no folder"),
    ("hookonce", "--url https://x.example", "--database is missing"),
    ("hookonce", "--url https://x.example --path a/b", "'a/b' is no name"),
    ("hookonce", "--url https://x.example/hook", "without /hook"),
    ("hookonce", "--gateway x", "auto, fastcgi or cgi"),
    ("hookonce", "--every 61", "from 1 to 60"),
    ("hookonce", "--database ''", "wants 1 to"),
    ("public_html/hookonce", "--url https://x.example", "lies in the web root"),
    (NAME, "--url https://x.example", "is to be called hookonce"),
])
def test_what_is_missing_or_wrong_is_said_and_nothing_is_written(bare, folder, arguments, wants):
    before = sorted(os.listdir(os.path.join(bare.home, folder)))
    said = bare.sh(f"./hookonce setup --yes {arguments}", codes=(2,), folder=folder)
    assert wants in said
    assert sorted(os.listdir(os.path.join(bare.home, folder))) == before
    assert "hook" not in os.listdir(bare.web)


def test_a_folder_of_somebody_else_in_the_web_root_is_left_alone(hosted):
    host = hosted(modules=("cgid",), with_suexec=False)
    unpack(host)
    os.mkdir(os.path.join(host.web, "hook"))
    host.own(os.path.join(host.web, "hook"), 0o755)
    host.write("public_html/hook/index.html", "mine", 0o644)
    said = host.sh(flags(host), codes=(1,))
    assert "holds index.html, which is not hookonce's" in said and "--path" in said
    assert os.listdir(os.path.join(host.web, "hook")) == ["index.html"]


# -- without a shell --------------------------------------------------------------------------------

TOKEN = "setup token 0123456789"


def upload(host, config, **more):
    """What FTP and a file manager leave: two files in the web root, the program and the rest beside it."""
    for folder in ("hookonce", "public_html/hook"):
        os.mkdir(os.path.join(host.home, folder))
        host.own(os.path.join(host.home, folder), 0o755)
    for name, target in (("hookonce.fcgi", "public_html/hook/hookonce.fcgi"), ("hookonce", "hookonce/hookonce")):
        with open(program(name), "rb") as f:
            host.write(target, f.read(), 0o755)
    with open(os.path.join(PROJECT, "apache/htaccess-cgid"), "rb") as f:
        host.write("public_html/hook/.htaccess", f.read(), 0o644)
    host.write("hookonce/db.password", host.db.password)
    host.write("hookonce/stripe.secret", SECRET)
    host.write("hookonce/setup.token", TOKEN + "\n")
    host.write("hookonce/hookonce.conf", config)


def page(host, token=TOKEN, method="GET"):
    return host.server.request(method, "/hook/setup" + (f"?token={token.replace(' ', '+')}" if token else ""))


def test_without_a_shell_a_page_makes_all_and_says_what_is_wrong(hosted):
    host = hosted(modules=("cgid",))
    config = Document("README.md").take("[hookonce]\nurl", [
        ("https://example.com/hook", host.url("/hook")), ("name = acme", f"name = {host.db.name}\nsocket = {host.db.server.socket}"),
        ("user = acme", f"user = {host.db.user}")])
    upload(host, config)
    nobody = host.server.request("GET", "/hook/nosuch")
    for wrong in ("", TOKEN + "x", TOKEN[:-1]):
        assert (page(host, wrong).status, page(host, wrong).body) == (404, nobody.body)
    assert page(host, method="POST").status == 405
    assert not os.path.exists(os.path.join(host.home, "hookonce/hookonce.key"))

    shown = page(host)
    text = shown.body.decode()
    assert shown.status == 200 and shown.header("Cache-Control") == "no-store"
    assert "<h2>All is well</h2>" in text and "remove the line setup_token" in text, text
    assert "recorded under" in text and "made (version" in text and "process --for 55s" in text
    tick = re.search(r"<code>(http\S+/tick\?ticket=\S+)</code>", text).group(1)
    assert host.server.request("GET", tick[len(host.url()):]).status in (200, 202), tick
    assert kept(host, "hookonce/hookonce.key")["hookonce/hookonce.key"][2] == 0o600
    with open(os.path.join(host.home, "hookonce/hookonce.key"), encoding="ascii") as f:
        secrets = [f.read().strip(), host.db.password, SECRET, TOKEN, "http-equiv=\"refresh"]
    assert not [secret for secret in secrets if secret in text]

    # what is wrong is said, and nothing of a config is taken for HTML
    host.write("hookonce/hookonce.conf", config.replace(f"name = {host.db.name}", "name = <b>nosuch</b>"))
    time.sleep(1.1)  # a receiver of plain CGI is a new one each time; the file is another in any case
    text = page(host).body.decode()
    assert "Not done yet" in text and "&lt;b&gt;nosuch&lt;/b&gt;" in text and "<b>nosuch" not in text

    # an hour after the token was written there is no such page; neither for one from the future
    host.write("hookonce/hookonce.conf", config)
    for age in (3700, -4000):
        os.utime(os.path.join(host.home, "hookonce/setup.token"), (time.time() - age,) * 2)
        assert (page(host).status, page(host).body) == (404, nobody.body)
    assert "more than an hour ago" in host.sh("cat state/hookonce.log")
    os.utime(os.path.join(host.home, "hookonce/setup.token"))
    assert page(host).status == 200
    host.write("hookonce/hookonce.conf", config.replace("setup_token", "#setup_token"))
    assert (page(host).status, page(host).body) == (404, nobody.body)
