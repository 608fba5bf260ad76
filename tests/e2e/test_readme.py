"""The README's installation and the runbook's procedures, run as they are written."""

import json
import os
import re
import shutil

import pytest

from hooktest import PROJECT, wait_until, web
from hooktest.documents import Document
from hooktest.paths import SCHEMA_VERSION, program, site_user
from hooktest.proc import Proc, end_all_below, run

# Blocks that are not run, by their beginnings.
README_NOT_RUN = {
    "git clone": "needs a network and a package manager; `make run` has tests of its own",
    "provider ──HTTP──>": "a picture",
    "stripe listen": "another company's program, and an account there",
    "make            both": "`make` and `make test` are what runs this",
    "[source sb-token]": "test_reply_providers.py runs it, and the two after it",
    "[handler deploys]": "the same",
    "[handler hours]": "the same",
    "[handler paid-by-card]": "test_copy.py runs it, and the five after it",
    "[handler set-state]": "the same",
    "[handler keep-customer]": "the same",
    "[handler count-sale]": "the same",
    "[handler thank]": "the same",
    "[handler pay-back]": "the same",
}
RUNBOOK_NOT_RUN = {
    "mariadb-dump": "of a package that the tests do not need",
}

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

    # what a reader does
    def environment(self):
        return {"HOME": self.home, "PATH": f"{self.dir}:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def sh(self, text, folder=None, codes=(0,)):
        """Runs a block with sh -e; -> its standard output as text."""
        done = run(["sh", "-e", "-u", "-c", text], 60, self.user, env=self.environment(), cwd=folder or self.dir)
        assert done.returncode in codes, f"{text}\nended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done.stdout.decode()

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


@pytest.fixture
def home(base, mariadb):
    folder = os.path.join(base, "home")
    os.makedirs(folder)
    database = mariadb.create_database()
    place = Home(folder, database)
    yield place
    place.close()
    mariadb.drop(database)
    shutil.rmtree(folder, ignore_errors=True)


def values(home):
    """What the README's reader writes in place of its examples."""
    return [("socket = /run/mysqld/mysqld.sock", f"socket = {home.db.server.socket}"),
            ("name = acme", f"name = {home.db.name}"), ("user = acme", f"user = {home.db.user}")]


def install(home, readme):
    """Steps 1 to 6 of the installation; -> (address of the receiver, the processor that cron started)."""
    home.sh(readme.take("make\nmkdir", [("make\n", "")]), folder=home.project)
    home.sh(readme.take("umask 077", [("the database password", home.db.password)]))
    home.write("hookonce/hookonce.conf", readme.take("[database]", values(home)))
    said = home.sh(readme.take("./hookonce migrate"))
    assert "hookonce.key" in said and "\n0 FAIL, 0 warn, " in said, said
    line, check = readme.take("* * * * *").splitlines()
    assert home.sh(re.sub(r"^\d+ \* \* \* \* ", "", check)) == ""
    assert re.fullmatch(r"\* \* \* \* \* \$HOME/\S+ process --for 55s", line)
    return home.serve(), home.start(line[len("* * * * * "):])


def test_the_installation_of_the_readme_works_as_written(home):
    readme = Document("README.md")
    url, processor = install(home, readme)
    said = home.sh(readme.take("./hookonce send", [("https://example.com/hook", url)]))
    assert "200" in said and "checkout.session.completed" in said
    wait_until(lambda: home.db.value("SELECT status FROM orders") == "paid", 10, "the order is paid")
    assert home.db.value("SELECT outcome FROM hookonce_receipt") == "done"
    unpaid(home, url)
    everyday(home, readme.take("hookonce check "), url)
    refused(home, readme.take("hookonce capture stripe"), url)
    own_recipe(home, readme.take("[recipe acme]"), url)
    assert processor.stop() == 0 and processor.output() == ""
    left = [b for b in readme.left() if not b.text.startswith(tuple(README_NOT_RUN))]
    assert left == [], "blocks of the README that no test runs"


def unpaid(home, url):
    """A checkout without its money, an order that was cancelled, and one that is not there yet."""
    home.db.sql("INSERT INTO orders VALUES ('order-2', 'open'), ('order-3', 'gone')")

    def send(order, status, kind="checkout.session.completed"):
        home.write("hookonce/body.json", json.dumps({
            "id": f"evt_{order}_{status}", "type": kind, "created": 1790000000, "livemode": False,
            "data": {"object": {"id": f"cs_{order}", "client_reference_id": order, "payment_status": status}}}))
        home.sh(f"hookonce send stripe --body body.json --url {url}")
        rest()

    def rest():
        wait_until(lambda: home.db.value("SELECT COUNT(*) FROM hookonce_job WHERE state = 'running' OR "
                                         "(state = 'ready' AND waiting_for IS NULL)") == 0, 20, "nothing is due")
    send("order-2", "unpaid")
    send("order-3", "paid")
    send("order-4", "paid")
    assert home.db.value("SELECT COUNT(*) FROM orders WHERE status = 'paid'") == 1
    home.db.sql("INSERT INTO orders VALUES ('order-4', 'open')")
    send("order-2", "paid", "checkout.session.async_payment_succeeded")
    home.sh("hookonce retry evt_order-4_paid")
    wait_until(lambda: home.db.value("SELECT status FROM orders WHERE id = 'order-4'") == "paid", 20, "it is paid")
    rows = home.db.sql("SELECT status FROM orders ORDER BY id")
    assert [row["status"] for row in rows] == ["paid", "paid", "gone", "paid"]


def dead_letter(home):
    """Makes one -> the event's id."""
    conf = os.path.join(home.dir, "hookonce.conf")
    with open(conf, encoding="utf-8") as f:
        text = f.read()
    if "retry = 1 try" not in text:
        home.write("hookonce/hookonce.conf", text.replace("[route paid]", "[route paid]\nretry = 1 try"))
    home.db.sql("RENAME TABLE orders TO orders_away")
    sent = json.loads(home.sh(f"hookonce send stripe --json --url {home.server.url('/hook')}").splitlines()[0])
    home.sh("hookonce process --once", codes=(1,))
    home.db.sql("RENAME TABLE orders_away TO orders")
    return sent["last_id"]


def add_asana(home):
    """A source whose provider hands its secret over -> the config as it was."""
    conf = os.path.join(home.dir, "hookonce.conf")
    with open(conf, encoding="utf-8") as f:
        text = f.read()
    home.write("hookonce/hookonce.conf", text + "\n[source asana]\nprovider = asana\nsecret = file:asana.secret\n")
    return text


def filled(command):
    """The command with names of sources for SOURCE, and of an event for FILE."""
    name = "asana" if " pair " in f" {command} " else "stripe"
    return command.replace("FILE", "event.json --source stripe").replace("SOURCE", name).replace("sb-token", name)


def everyday(home, block, url):
    """Every line of the table of everyday commands: the command, two blanks or more, what it does."""
    commands = [re.split(r" {2,}", line)[0] for line in block.splitlines()]
    assert len(commands) >= 7 and all(c.startswith("hookonce ") for c in commands)
    home.procs[0].stop()
    for command in commands:
        command = filled(command)
        if command.startswith("hookonce routes"):
            home.write("hookonce/event.json", EVENT)
        before = add_asana(home) if command.startswith("hookonce pair") else None
        if "ID" in command.split():
            command = command.replace("ID", dead_letter(home))
        if command == "hookonce send stripe":
            command += f" --url {url}"
        if command.startswith("hookonce process"):
            home.sh(command)
            assert home.db.value("SELECT COUNT(*) FROM hookonce_job WHERE state = 'ready'") == 0
        else:
            assert home.sh(command) != "", command
        if before:
            home.write("hookonce/hookonce.conf", before)
    for more in ("jobs", "dead", "conflicts", "attempts"):
        assert home.sh(f"hookonce list {more}") != "" and home.sh(f"hookonce list {more} --json") is not None
    home.procs.append(home.start("$HOME/hookonce/hookonce process --for 55s"))


def refused(home, block, url):
    """The section on what to do when a delivery is refused."""
    capture, explain = block.splitlines()
    assert "explain --last stripe" in home.sh(capture)
    home.sh(f"hookonce send stripe --tamper --url {url}", codes=(1,))
    said = home.sh(explain, codes=(1,))
    assert "signature mismatch" in said and "does not fit" in said


def own_recipe(home, recipe, url):
    """The section on recipes of one's own."""
    home.write("hookonce/my.conf", recipe)
    home.write("hookonce/x.secret", "a secret of the provider acme")
    with open(os.path.join(home.dir, "hookonce.conf"), encoding="utf-8") as f:
        text = f.read()
    home.write("hookonce/hookonce.conf", text + "\n[hookonce]\nrecipes = my.conf\n\n[source x]\nprovider = acme\n"
                                                "secret = file:x.secret\n")
    assert "Acme" in home.sh("hookonce providers acme")
    home.sh("hookonce check")
    home.server.stop()
    home.sh("echo '{\"event\": \"order\"}' | hookonce send x --body - --url " + home.serve())
    assert home.db.value("SELECT COUNT(*) FROM hookonce_receipt WHERE source = 'x'") == 1


def ignored_event(home, book, url):
    """A typo in a route, and its mending."""
    with open(os.path.join(home.dir, "hookonce.conf"), encoding="utf-8") as f:
        good = f.read()
    typo = good.replace("checkout.session.completed", "checkout.sesion.completed")
    assert typo != good
    home.write("hookonce/hookonce.conf", typo)
    home.sh(f"hookonce send stripe --id evt_typo --url {url}; hookonce process --once")
    outcome = "SELECT outcome FROM hookonce_receipt WHERE event_id = 'evt_typo'"
    assert home.db.value(outcome) == "ignored"
    home.write("hookonce/hookonce.conf", good)
    home.sh("./hookonce check")
    home.sh(book.take("./hookonce retry ID\n./hookonce process", [("ID", "evt_typo")]))
    assert home.db.value(outcome) == "done"


def in_doubt(home, book, url):
    """A command of which nobody knows whether it acted; a person looks, and says that it did."""
    with open(os.path.join(home.dir, "hookonce.conf"), encoding="utf-8") as f:
        good = f.read()
    home.write("hookonce/hookonce.conf", good + "\n[handler odd]\ncommand = /bin/false\n\n[route odd]\n"
                                                "provider = stripe\non = charge.*\nhandler = odd\nflow = odd\n"
                                                "once_per = {event:type}\nretry = 1 try\n")
    send = f"hookonce send stripe --type charge.succeeded --url {url} --id"
    state = "SELECT CONCAT_WS(',', state, outcome, waiting_for) FROM hookonce_job WHERE route = 'odd' ORDER BY id "
    home.sh(f"{send} evt_odd1; hookonce process --once", codes=(0, 1))
    home.sh(f"{send} evt_odd2; hookonce process --once", codes=(0, 1))
    assert home.db.value(state + "LIMIT 1") == "dead,gave up"
    assert home.db.value(state + "LIMIT 1 OFFSET 1") == "ready,release"
    job = home.db.value("SELECT MIN(id) FROM hookonce_job WHERE route = 'odd'")
    home.sh("hookonce retry --all", codes=(0, 1))
    assert home.db.value(state + "LIMIT 1") == "dead,gave up"
    assert "1 job discarded" in home.sh(book.take("./hookonce discard ID --acted", [("ID", str(job))]))
    home.sh("hookonce process --once", codes=(0, 1))
    assert home.db.value(state + "LIMIT 1 OFFSET 1") == "done,already done"
    home.write("hookonce/hookonce.conf", good)
    # its route is gone now
    assert "flow odd: has 1 business key" in home.sh("hookonce check --quiet", codes=(0, 1))
    assert "odd" in home.sh(book.take("./hookonce list flows"))
    for statement in book.take("DELETE FROM hookonce_effect", [("'old'", "'odd'")]).splitlines():
        home.db.sql(statement)
    assert "flow odd" not in home.sh("hookonce check --quiet", codes=(0, 1))


def spool(home, book):
    """What the runbook says of the spool, with a file that waits and one that was spoilt for a while."""
    with open(os.path.join(home.dir, "hookonce.conf"), encoding="utf-8") as f:
        good = f.read()
    home.server.stop()
    home.write("hookonce/hookonce.conf", good.replace(home.db.server.socket, "/nonexistent/db.sock"))
    url = home.serve()
    for name in ("evt_spool1", "evt_spool2"):
        home.sh(f"hookonce send stripe --id {name} --url {url}")
    folder = os.path.join(home.dir, "state/spool")
    names = sorted(os.listdir(folder))
    assert len(names) == 2 and all(n.endswith(".spool") for n in names)
    home.server.stop()
    home.write("hookonce/hookonce.conf", good)
    home.serve()
    path = os.path.join(folder, names[0])
    shutil.copy(path, path + ".copy")
    os.truncate(path, 100)
    said = home.sh(book.take("ls state/spool\n./hookonce import"), codes=(1,))
    assert names[1] in said and "1 request imported" in said and "1 moved to quarantine" in said
    assert "torn" in home.sh("./hookonce check")
    shutil.copy(path + ".copy", home.own(os.path.join(folder, "quarantine", names[0]), 0o600))
    os.unlink(path + ".copy")
    assert "1 request imported" in home.sh(book.take("mv state/spool/quarantine"))
    assert home.db.value("SELECT COUNT(*) FROM hookonce_receipt WHERE event_id LIKE 'evt_spool%%'") == 2
    assert "spool: on, empty" in home.sh("./hookonce check")


def new_password(home, book):
    """Another password of the database's user; a connection that is made between the steps finds none."""
    home.sh(book.take("umask 077; printf '%s' 'the new password'"))
    link = home.db.connect()
    with link.cursor() as cursor:
        cursor.execute(book.take("SET PASSWORD").split(";")[0])
    link.close()
    home.sh("./hookonce list", codes=(69,))
    home.sh(book.take("mv db.new"))
    assert home.sh("stat -c %a db.password") == "600\n"


def test_two_database_users_in_the_order_of_the_runbook(home):
    url, processor = install(home, Document("README.md"))
    processor.stop()
    text = Document("schema/RUNBOOK.md").text
    db = home.db
    home.write("hookonce/receiver.password", db.receiver_password)
    home.sh(re.search(r"`(umask 077; cp [^`]*next\.conf)`", text).group(1))
    lines = re.search(r"`(receiver_user = \w+)` and `(receiver_password = [^`]*)`", text).groups()
    named = "\n".join(lines).replace("acme_receiver", db.receiver_user)
    with open(os.path.join(home.dir, "next.conf"), encoding="utf-8") as f:
        config = f.read()
    home.write("hookonce/next.conf", config.replace("[database]", "[database]\n" + named))
    said = home.sh("./hookonce --config next.conf check", codes=(1,))
    assert f"FAIL  database users: as {db.receiver_user}: " in said
    home.sh(f"./hookonce send stripe --id evt_before --url {url}")  # the config of the receivers is as it was
    said = home.sh("./hookonce --config next.conf grants --host %")
    rights = [s for s in re.sub(r"^--.*\n", "", said, flags=re.M).split(";\n") if s.strip()]
    db.server.execute(*rights, f"GRANT SELECT, UPDATE ON {db.name}.orders TO {db.user}@'%'")
    assert "\n0 FAIL" in home.sh("./hookonce --config next.conf check")
    home.sh(re.search(r"`(mv next\.conf [^`]*)`", text).group(1))
    revoke = re.search(r"`(REVOKE ALL [^`]*)`", text).group(1)
    db.server.execute(revoke.replace("acme@localhost", f"{db.user}@'%'").replace("acme.*", f"{db.name}.*"))
    assert "two: " in home.sh("./hookonce check")
    home.server.stop()
    home.sh(f"./hookonce send stripe --id evt_after --url {home.serve()}; ./hookonce process --once")
    assert [r["outcome"] for r in db.sql("SELECT outcome FROM hookonce_receipt ORDER BY event_id")] == ["done"] * 2


def test_moving_the_state_folder_by_the_runbook(home):
    url, processor = install(home, Document("README.md"))
    processor.stop()
    text = Document("schema/RUNBOOK.md").text
    state, log = re.search(r"`(state = /new/place)`.*?`(log = file:[^`]*)`", text, re.S).groups()
    place = os.path.join(home.home, "place")
    with open(os.path.join(home.dir, "hookonce.conf"), encoding="utf-8") as f:
        good = f.read()
    away = good.replace(home.db.server.socket, "/nonexistent/db.sock")
    home.write("hookonce/hookonce.conf", away)
    home.server.stop()
    home.sh(f"./hookonce send stripe --id evt_between --url {home.serve()}")  # what came in that moment
    began = run(["./hookonce", "process", "--once", "--verbose", "--for", "1s"], 30, home.user,
                env=home.environment(), cwd=home.dir)
    said = began.stderr.decode().splitlines()  # at once, and once more at the end
    assert began.returncode == 69 and said[0].endswith("; trying again for 1 s") and len(said) == 2, said
    names = os.listdir(os.path.join(home.dir, "state/spool"))
    assert len([n for n in names if n.endswith(".spool")]) == 1
    home.server.stop()
    home.write("hookonce/hookonce.conf", good + f"\n[hookonce]\n{state}\n{log}\n".replace("/new/place", place))
    home.sh(f"./hookonce send stripe --id evt_moved --url {home.serve()}")
    home.sh(f"mkdir -p -m 700 {place}/spool; mv state/spool/*.spool {place}/spool/; ./hookonce import")
    home.sh("./hookonce process --once")
    assert " event=imported " in home.sh(f"cat {place}/hookonce.log")
    assert [r["outcome"] for r in home.db.sql("SELECT outcome FROM hookonce_receipt ORDER BY event_id")] == ["done"] * 2


def test_the_procedures_of_the_runbook_work_as_written(home):
    url, processor = install(home, Document("README.md"))
    processor.stop()
    book = Document("schema/RUNBOOK.md")
    home.sh(f"hookonce send stripe --id evt_c --url {url}; hookonce send stripe --id evt_c --type b --url {url}")
    said = home.sh(book.take("./hookonce check\n./hookonce list"))
    assert "conflicts" in said and "evt_c" in said
    line, = book.take("17 * * * *").splitlines()
    quiet = home.sh(line.split("* * * * ")[1])
    assert "conflicts" in quiet and " ok " not in quiet
    assert " alarm " in home.sh(book.take("grep ' alarm '"))
    assert " event=accepted " in home.sh(book.take("grep cid=01"))
    # dead letters
    event = dead_letter(home)
    said = home.sh(book.take("./hookonce list dead\n", [("list ID", f"list {event}")]))
    assert event in said and "orders" in said
    lines = book.take("./hookonce retry ID", [("ID", event), ("NAME", "paid")]).splitlines()
    for command in lines:
        assert "opened again" in home.sh(command)
        home.sh("hookonce process --once")
        event = dead_letter(home)
        lines[lines.index(command)] = "done"
    said = home.sh(book.take("./hookonce discard ID", [("ID", event), ("NAME", "paid")]))
    assert "1 job discarded" in said and "0 jobs discarded" in said and event in said and "CRM" not in said
    ignored_event(home, book, url)
    in_doubt(home, book, url)
    # conflicts
    assert "evt_c" in home.sh(book.take("./hookonce list conflicts"))
    first = home.db.value("SELECT MIN(id) FROM hookonce_conflict")
    stored = home.db.value("SELECT first_correlation_id FROM hookonce_conflict WHERE id = %s", first)
    home.sh(book.take("./hookonce body 01J", [("01J…", stored), ("--conflict 1", f"--conflict {first}")]))
    bodies = [home.sh(f"cat {name}.json") for name in ("stored", "refused")]
    assert all("evt_c" in body for body in bodies) and bodies[0] != bodies[1]
    delete = re.search(r"`(DELETE FROM hookonce_conflict WHERE id = )1`", book.text).group(1)
    home.db.sql(delete + str(first))
    # the database
    assert f"version {SCHEMA_VERSION}" in home.sh(book.take("./hookonce check            #"))
    spool(home, book)
    # a secret that leaked
    home.sh(re.search(r"`(umask 077; printf [^`]*stripe\.new[^`]*)`", book.text).group(1))
    assert home.sh("cat stripe.secret; stat -c %a stripe.secret") == "whsec_new600\n"
    with open(os.path.join(home.dir, "hookonce.conf"), encoding="utf-8") as f:
        text = f.read()
    end = re.search(r"`(secret = file:stripe\.secret until 2001-01-01)`", book.text).group(1)
    home.write("hookonce/hookonce.conf", text.replace("secret = file:stripe.secret", end))
    assert "every secret has ended" in home.sh("./hookonce check", codes=(1,))
    home.write("hookonce/hookonce.conf", text)
    # changing a secret
    home.sh(re.search(r"`(umask 077; printf [^`]*stripe\.secret2)`", book.text).group(1))
    with open(os.path.join(home.dir, "hookonce.conf"), encoding="utf-8") as f:
        text = f.read()
    source = book.take("[source stripe]")
    home.write("hookonce/hookonce.conf", re.sub(r"\[source stripe\]\n(\w.*\n)+", lambda m: source, text))
    home.sh("./hookonce check")
    home.server.stop()
    home.sh(f"./hookonce send stripe --url {home.serve()}")
    assert home.db.value("SELECT MIN(secret_no) FROM hookonce_receipt WHERE event_id NOT LIKE 'evt%'") == 1
    new_password(home, book)
    # the key file
    copy = re.search(r"`(install -m 600 [^`]*)`", book.text).group(1)
    home.sh(copy.replace("/a/safe/place", home.home))
    home.sh(f"hookonce process --once; hookonce send stripe --id evt_lost --url {home.server.url('/hook')}")
    os.unlink(os.path.join(home.dir, "hookonce.key"))
    home.sh("./hookonce migrate", codes=(1,))
    home.db.sql(book.take("UPDATE hookonce_schema"))
    assert "hookonce.key" in home.sh(book.take("./hookonce migrate"))
    home.sh("hookonce process --once", codes=(1,))
    lost = "SELECT correlation_id, status, outcome FROM hookonce_receipt WHERE event_id = 'evt_lost'"
    row, = home.db.sql(lost)
    assert (row["status"], row["outcome"]) == ("failed", "forged row")
    for statement in book.take("SET @cid", [("01J…", row["correlation_id"])]).split(";"):
        if re.sub(r"--.*", "", statement).strip():
            home.db.sql(statement)
    home.server.stop()
    home.sh(f"hookonce send stripe --id evt_lost --url {home.serve()}; hookonce process --once")
    row, = home.db.sql(lost)
    assert (row["status"], row["outcome"]) == ("processed", "done")
    left = [b for b in book.left() if not b.text.startswith(tuple(RUNBOOK_NOT_RUN))]
    assert left == [], "blocks of the runbook that no test runs"


def test_the_settings_of_the_text_are_ones_that_the_recipe_has():
    text = Document("README.md").text
    found = re.findall(r"`param = (\S+) [^`]*` for (\w+)", text)
    assert found
    for param, provider in found:
        with open(os.path.join(PROJECT, f"lib/providers/{provider.lower()}.conf"), encoding="utf-8") as f:
            assert f"\nparam = {param} " in f.read(), f"{provider} has no param {param}"


@pytest.mark.parametrize("document, column, source, words", [
    ("README.md", r"^\| `%s` \|", "lib/core/outcome.c", r"\[OUTCOME_\w+\] = \"([^\"]+)\""),
    ("README.md", r"^\| `\{event:%s\}` \|", "lib/core/contract.c", r"\{FIELD_\w+, \"(\w+)\""),
    ("README.md", r"^\| .*`%s`", "lib/core/contract.c", r"\"(HOOKONCE_\w+)\""),
    ("README.md", r"^\| .*`%s`", "lib/core/contract.c", r"\"(X-Hookonce-[\w-]+)\""),
    ("schema/RUNBOOK.md", r"^\| .*`%s`", "lib/core/outcome.c", r"\[WAIT_\w+\] = \"([^\"]+)\""),
    ("schema/RUNBOOK.md", r"^\| `alarm %s` \|", "lib/store/counters.c", None),
])
def test_the_tables_of_the_text_are_complete(document, column, source, words):
    text = Document(document).text
    with open(os.path.join(PROJECT, source), encoding="utf-8") as f:
        code = f.read()
    if words is None:  # the words of alarms stand in one list
        code, words = re.search(r"alarm_words\[[^{]*\{([^}]*)\}", code).group(1), r"\"([^\"]+)\""
    found = re.findall(words, code)
    assert len(found) >= 9
    assert [w for w in found if not re.search(column % re.escape(w), text, re.M)] == []


@pytest.mark.parametrize("name, program_name", [("README.md", "hookonce"), ("schema/RUNBOOK.md", "./hookonce")])
def test_commands_in_the_text_are_ones_that_the_program_knows(home, name, program_name):
    install(home, Document("README.md"))[1].stop()
    commands = Document(name).inline(program_name)
    assert len(commands) >= 4
    add_asana(home)
    home.write("hookonce/event.json", EVENT)
    home.sh("install -m 600 hookonce.key old.key; umask 077; "
            "sed 's/^user = .*/&\\nreceiver_user = r/' hookonce.conf > next.conf")
    for command in commands:
        words = filled(command).replace("COMMAND", "check").replace("NAME", "stripe").replace("ID", "evt_none").split()
        if len(words) < 2:
            words.append("--help")
        if words[0] == "send":
            words += ["--url", "http://127.0.0.1:1/hook"] if "--url" not in words else []
            words = [w.replace("https://your.site", "http://127.0.0.1:1") for w in words]
        home.sh("hookonce " + " ".join(words), codes=(0, 1))
