"""hookonce setup: where it finds the database, what it does without TLS, and that it may be killed anywhere."""

import os
import shutil
import socket

import pytest

from hooktest import BUILD, wait_until
from hooktest.proc import Proc, run

from test_database_tls import authority, certificate
from test_setup import SECRET, database, deliver, flags, hosted, kept, packed, states, unpack  # noqa: F401

CONFIG = "hookonce/hookonce.conf"
PASSWORD = "hookonce/db.password"


def there(host, name):
    return os.path.exists(os.path.join(host.home, name))


def database_keys(host):
    """[database] of the config that was written, without what every one has."""
    lines = host.read(CONFIG).split("[hookonce]")[0].splitlines()
    return [x for x in lines if " = " in x and not x.startswith(("name", "user", "password"))]


def forget(host):
    """Takes the database's part of the config away, so that it is asked for again; what else is there stays."""
    host.sh("rm -f hookonce.conf db.password")


# -- where the database is --------------------------------------------------------------------------

def test_the_place_where_the_database_let_us_in_is_what_the_config_names(hosted, own_mariadb):
    host = hosted(modules=(), with_suexec=False)  # no program is run here: setup ends in trouble once the config is written
    server = own_mariadb(networking=True)
    host.db = server.create_database()
    unpack(host)
    for said, wants in (({"host": f"/nosuch/db.sock, {server.socket}"}, [f"socket = {server.socket}"]),
                        ({"host": "localhost", "port": server.port}, ["host = 127.0.0.1", f"port = {server.port}"]),
                        ({"host": "127.0.0.1", "port": server.port}, ["host = 127.0.0.1", f"port = {server.port}"])):
        shown = host.sh(flags(host, **said), codes=(1,))
        assert "Made the tables" in shown or "The tables were" in shown, shown
        assert database_keys(host) == wants
        forget(host)


def test_one_that_is_found_at_the_usual_places_is_named_too(hosted, own_mariadb):
    """The library of tests/faults/host.c leads who asks there to the test's own server."""
    host = hosted(modules=(), with_suexec=False)
    server = own_mariadb()
    host.db = server.create_database()
    unpack(host)
    shutil.copy(os.path.join(BUILD, "test", "host.so"), host.home)
    os.chmod(os.path.join(host.home, "host.so"), 0o755)
    host.sh(f"export LD_PRELOAD={host.home}/host.so HOOKONCE_HOST_MYSQLD={server.socket}; {flags(host, host='localhost')}",
            codes=(1,))
    assert database_keys(host) == ["socket = /run/mysqld/mysqld.sock"]


# -- TLS to another host ----------------------------------------------------------------------------

ELSEWHERE = "0.0.0.0"  # leads to this machine, and is not told from another by its name


@pytest.fixture(scope="module")
def pki(base):
    folder = os.path.join(base, "setup-pki")
    os.makedirs(folder)
    authority(folder, "ca")
    certificate(folder, "elsewhere", ELSEWHERE)
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o644)
    os.chmod(folder, 0o755)
    return folder


def test_another_host_is_asked_over_tls_and_never_in_the_clear_unless_told(hosted, own_mariadb, pki):
    host = hosted(modules=(), with_suexec=False)
    good = own_mariadb(networking=True, options=[f"--ssl-cert={pki}/elsewhere.pem", f"--ssl-key={pki}/elsewhere.key"])
    plain = own_mariadb(networking=True, options=["--skip-ssl"])
    places = {server: server.create_database() for server in (good, plain)}
    host.db = places[good]
    unpack(host)
    known = f"export SSL_CERT_FILE={pki}/ca.pem; "
    for server, before, more, wants, words in (
            (good, "", {}, "on", "can't be checked"),
            (good, known, {}, "verify", "certificate is good"),
            (good, known, {"tls": "on"}, "on", ""),
            (good, "", {"tls": "verify"}, None, "(2026)"),
            (plain, known, {}, None, "give `--tls off`"),
            (plain, known, {"tls": "on"}, None, "(2026)"),
            (plain, known, {"tls": "off"}, "off", "")):
        host.db = places[server]
        host.write("pw", host.db.password)
        shown = host.sh(before + flags(host, host=ELSEWHERE, port=server.port, **more), codes=(1, 69))
        assert words in shown and host.db.password not in shown, shown
        if wants is None:
            assert not there(host, CONFIG) and not there(host, PASSWORD) and "Nothing was written" in shown
            assert not [n for n in os.listdir(f"{host.home}/hookonce") if "trial" in n]
        else:
            assert database_keys(host) == [f"host = {ELSEWHERE}", f"port = {server.port}", f"tls = {wants}"], shown
        forget(host)


# -- LiteSpeed's form -------------------------------------------------------------------------------

def test_where_only_the_form_of_litespeed_is_taken_that_is_chosen(hosted):
    """An Apache whose accounts may add a handler for a name's ending and rewrite, and nothing else of the kind."""
    host = hosted(modules=("cgid",), with_suexec=False)
    host.lines = (f'<Directory "{host.web}">', "AllowOverride Options AuthConfig",
                  "AllowOverrideList AddHandler RewriteEngine RewriteCond RewriteRule", "</Directory>")
    host.serve(("cgid",))
    unpack(host)
    shown = host.sh(flags(host))
    assert shown.index("Trying FastCGI") < shown.index("Trying CGI at") < shown.index("Trying CGI, as LiteSpeed has it")
    assert "goes through CGI, as LiteSpeed has it, from now on" in shown and "recorded under" in shown
    assert "AddHandler cgi-script .fcgi" in host.read("public_html/hook/.htaccess")
    assert "is trying this" not in host.read("public_html/hook/.htaccess")
    deliver(host, "evt_litespeed")


# -- killed -----------------------------------------------------------------------------------------

class Silent:
    """A server that takes connections and never says a word, at a path or a port."""

    def __init__(self, place):
        self.socket = socket.socket(socket.AF_UNIX if isinstance(place, str) else socket.AF_INET)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(place)
        self.socket.listen(16)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def start(host, command, before=""):
    """Starts a setup that something will hold."""
    proc = Proc(["sh", "-c", f"{before}exec {command}"], os.path.join(host.root, "setup.log"), env=host.environment(),
                user=host.user, cwd=os.path.join(host.home, "hookonce"))
    host.procs.append(proc)
    return proc


def kill_when(proc, condition, what):
    """Kills it with -9 once that holds, which must be before it ends."""
    wait_until(lambda: condition() or not proc.alive(), 60, what)
    assert proc.alive() and proc.kill9() == -9, (what, proc.output())


def test_setup_that_is_killed_at_any_step_goes_on_when_it_is_run_again(hosted):
    host = hosted(modules=("cgid",), with_suexec=False)
    unpack(host)

    # while the database is asked, with a password that is not the one
    host.write("pw", "not the password")
    silent = os.path.join(host.root, "silent.sock")
    with Silent(silent):
        os.chmod(silent, 0o777)
        proc = start(host, flags(host, host=silent))
        kill_when(proc, lambda: there(host, PASSWORD + ".trial"), "setup asks the database")
    assert not there(host, CONFIG) and not there(host, PASSWORD)
    host.write("pw", host.db.password)

    # when the database is known and the secret is not
    assert "--secret-file" in host.sh(flags(host, **{"secret-file": None}), codes=(2,))
    assert there(host, PASSWORD) and not there(host, CONFIG) and not there(host, PASSWORD + ".trial")

    # while the tables are made
    link = host.db.server.connect()
    with link.cursor() as cursor:
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        proc = start(host, flags(host))
        wait_until(lambda: not proc.alive() or host.db.server.execute(
            "SELECT 1 FROM information_schema.processlist WHERE state LIKE 'Waiting for%' AND "
            f"user = '{host.db.user}'"), 60, "setup waits for the lock")
        proc.kill9()  # it waits for some seconds only, and then ends by itself: both will do
    link.close()
    assert there(host, CONFIG) and not there(host, "public_html/hook")
    before = kept(host, CONFIG, PASSWORD, "hookonce/stripe.secret")

    # while the web server is tried
    port = host.server.port
    host.server.stop()
    with Silent(("127.0.0.1", port)):
        proc = start(host, "./hookonce setup --yes")
        kill_when(proc, lambda: there(host, "public_html/hook/.htaccess"), "setup tries the web server")
    assert "is trying this" in host.read("public_html/hook/.htaccess")
    host.serve(())  # what was only tried is not taken for what worked
    assert "taken away again" in host.sh("./hookonce setup --yes", codes=(1,))
    assert not there(host, "public_html/hook")

    # while it writes into the web root
    host.sh("mkdir -m 755 hook; echo half >hook/.htaccess.aB3dE6; echo half >hook/hookonce.fcgi.aB3dE6", folder="public_html")
    host.serve(("cgid",))

    # while crontab has the lines
    host.sh("mkdir bin; mkfifo fifo; echo '5 4 * * * old' >tab", folder=".")
    host.write("bin/crontab", "#!/bin/sh\nif [ \"$1\" = -l ]; then cat $HOME/tab; else cat >$HOME/tab.new; : >$HOME/begun; "
                              "read go <$HOME/fifo && mv $HOME/tab.new $HOME/tab; fi\n", 0o755)
    path = "PATH=$HOME/bin:$PATH; "
    proc = start(host, "./hookonce setup --yes --cron", path)
    kill_when(proc, lambda: there(host, "begun"), "setup gives crontab the lines")
    assert host.read("tab") == "5 4 * * * old\n" and not states(host)
    host.write("bin/crontab", host.read("bin/crontab").replace("read go <$HOME/fifo && ", ""), 0o755)

    shown = host.sh(path + "./hookonce setup --yes --cron")
    assert "what is in place" in shown and "recorded under" in shown
    assert host.read("tab").count("hookonce process") == 1 and len(states(host)) == 1
    assert kept(host, CONFIG, PASSWORD, "hookonce/stripe.secret") == before
    assert not [n for n in os.listdir(f"{host.home}/hookonce") if n.endswith(".trial")]


def test_of_two_at_once_the_second_is_sent_away_and_changes_nothing(hosted):
    host = hosted(modules=("cgid",), with_suexec=False)
    unpack(host)
    silent = os.path.join(host.root, "silent.sock")
    with Silent(silent):
        os.chmod(silent, 0o777)
        proc = start(host, flags(host, host=silent))
        wait_until(lambda: there(host, PASSWORD + ".trial"), 60, "setup asks the database")
        before = kept(host, PASSWORD + ".trial")
        assert "another `hookonce setup` is at work" in host.sh(flags(host), codes=(1,))
        assert proc.alive() and kept(host, PASSWORD + ".trial") == before and not there(host, CONFIG)
        proc.kill9()
    assert "recorded under" in host.sh(flags(host))  # the lock went with the one that was killed
    assert SECRET not in proc.output() and host.db.password not in proc.output()
