"""A reader of the README and the runbook: an account with an unpacked project and a database."""

import json
import os
import re
import shutil

from . import web
from .paths import PROJECT, program, site_user
from .proc import Proc, end_all_below, run, wait_until

EVENT = json.dumps({"id": "evt_1", "type": "checkout.session.completed", "created": 1, "data": {"object": {
    "payment_status": "paid", "client_reference_id": "order-1"}}})


class Home:
    """A reader's account: a home folder with an unpacked project in it, and a database."""

    def __init__(self, folder, database):
        self.user, self.home, self.db = site_user(), folder, database
        self.dir, self.project = os.path.join(folder, "hookonce"), os.path.join(folder, "src")
        os.makedirs(os.path.join(self.project, "build"))
        for name in ("hookonce", "hookonce.fcgi"):
            shutil.copy(program(name), os.path.join(self.project, "build", name))
        for name in ("apache", "lighttpd", "schema", "README.md"):
            copy = shutil.copytree if os.path.isdir(os.path.join(PROJECT, name)) else shutil.copy
            copy(os.path.join(PROJECT, name), os.path.join(self.project, name))
        for place, folders, files in os.walk(folder):
            for name in (".", *folders, *files):
                self.own(os.path.join(place, name), 0o755)
        database.sql("CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY, status VARCHAR(10) NOT NULL) ENGINE=InnoDB")
        database.sql("INSERT INTO orders VALUES ('order-1', 'open')")
        self.server, self.procs = None, []

    # what web.Lighttpd asks of a site
    def own(self, path, mode):
        if self.user:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
        os.chmod(path, mode)
        return path

    def folder(self, name):
        path = os.path.join(self.home, name)
        os.makedirs(path, exist_ok=True)
        return self.own(path, 0o700)

    def write(self, name, content):
        path = os.path.join(self.home, name)
        with open(path + ".new", "w", encoding="utf-8") as f:
            f.write(content)
        os.rename(self.own(path + ".new", 0o600), path)  # whole at any time, for a program that reads it now
        return path

    def read(self, name="hookonce/hookonce.conf"):
        with open(os.path.join(self.home, name), encoding="utf-8") as f:
            return f.read()

    # what a reader does
    def environment(self):
        return {"HOME": self.home, "PATH": f"{self.dir}:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def sh(self, text, folder=None, codes=(0,)):
        """Runs a block with sh -e; -> its standard output as text."""
        done = run(["sh", "-e", "-u", "-c", text], 60, self.user, env=self.environment(), cwd=folder or self.dir)
        assert done.returncode in codes, f"{text}\nended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done.stdout.decode()

    def send(self, words, url=None):
        """`hookonce send WORDS`, taken -> what it printed. Its events are in the tables then, also those that a
        database which was slow for a moment has left in the spool."""
        said = self.sh(f"hookonce send {words} --url {url or self.server.url('/hook')}")
        wait_until(self._import, 20, "the spool is imported")
        return said

    def _import(self):
        spool = os.path.join(self.dir, "state/spool")

        def left():
            return os.path.isdir(spool) and any(name.endswith(".spool") for name in os.listdir(spool))
        if left():
            self.sh("hookonce import", codes=(0, 1, 69))
        return not left()

    def start(self, text):
        """Starts one command as cron would -> Proc."""
        proc = Proc(["sh", "-c", "exec " + text], os.path.join(self.home, "cron.log"), env=self.environment(),
                    user=self.user, cwd=self.home)
        self.procs.append(proc)
        return proc

    def serve(self):
        self.server = web.Lighttpd(self).start()
        return self.server.url("/hook")

    def close(self):
        if self.server:
            self.server.stop()
        for proc in self.procs:
            proc.stop()
        end_all_below(self.home)


def values(home):
    """What the README's reader writes in place of its examples."""
    return [("socket = /run/mysqld/mysqld.sock", f"socket = {home.db.server.socket}"),
            ("name = acme", f"name = {home.db.name}"), ("user = acme", f"user = {home.db.user}")]


def install(home, readme):
    """Steps 1 to 6 of the installation; -> (address of the receiver, the processor that cron started)."""
    home.sh(readme.take("make\nmkdir", [("make\n", "")]), folder=home.project)
    home.sh(readme.take("umask 077", [("the database password", home.db.password)]))
    home.write("hookonce/hookonce.conf", readme.take("[database]", values(home)) + "\n" + readme.take("[handler fulfil]"))
    said = home.sh(readme.take("./hookonce migrate"))
    assert "hookonce.key" in said and "\n0 FAIL, 0 warn, " in said, said
    line, watch = readme.take("* * * * *").splitlines()
    assert home.sh(re.sub(r"^\*/5 \* \* \* \* ", "", watch)) == ""
    assert re.fullmatch(r"\* \* \* \* \* \$HOME/\S+ process --for 55s", line)
    return home.serve(), home.start(line[len("* * * * * "):].replace("55s", "600s"))  # cron would start it anew


def dead_letter(home):
    """Makes one -> the event's id."""
    text = home.read()
    if "retry = 1 try" not in text:
        home.write("hookonce/hookonce.conf", text.replace("[route paid]", "[route paid]\nretry = 1 try"))
    home.db.sql("RENAME TABLE orders TO orders_away")
    sent = json.loads(home.send("stripe --json").splitlines()[0])
    home.sh("hookonce process --once", codes=(1,))
    home.db.sql("RENAME TABLE orders_away TO orders")
    return sent["last_id"]


def add_asana(home):
    """A source whose provider hands its secret over -> the config as it was."""
    text = home.read()
    home.write("hookonce/hookonce.conf", text + "\n[source asana]\nprovider = asana\nsecret = file:asana.secret\n")
    return text


def filled(command):
    """The command with names of sources for SOURCE, and of an event for FILE."""
    name = "asana" if " pair " in f" {command} " else "stripe"
    command = command.replace("--route NAME", "--route paid").replace("sb-token", name)
    return command.replace("FILE", "event.json --source stripe").replace("SOURCE", name)
