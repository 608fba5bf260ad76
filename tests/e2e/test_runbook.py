"""The runbook's procedures, run as they are written."""

import os
import re
import shutil

from hooktest.documents import Document
from hooktest.home import dead_letter, install
from hooktest.paths import SCHEMA_VERSION
from hooktest.proc import run
from test_runbook_console import SECTIONS

RUNBOOK_NOT_RUN = {
    "mariadb-dump": "test_restore.py runs it",
}


def ignored_event(home, book, url):
    """A typo in a route, and its mending."""
    good = home.read()
    typo = good.replace("checkout.session.completed", "checkout.sesion.completed")
    assert typo != good
    home.write("hookonce/hookonce.conf", typo)
    home.send("stripe --id evt_typo", url)
    home.sh("hookonce process --once")
    outcome = "SELECT outcome FROM hookonce_receipt WHERE event_id = 'evt_typo'"
    assert home.db.value(outcome) == "ignored"
    home.write("hookonce/hookonce.conf", good)
    home.sh("./hookonce check")
    home.sh(book.take("./hookonce retry ID\n./hookonce process", [("ID", "evt_typo")]))
    assert home.db.value(outcome) == "done"
    # all of a time: by a row, and by the shell
    since = ("2026-11-30 12:00", home.db.value("SELECT DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL 1 HOUR, '%Y-%m-%d %H:%i')"))
    for number, ask in (("1", home.db.sql), ("2", home.sh)):
        home.write("hookonce/hookonce.conf", typo)
        home.send(f"stripe --id evt_typo{number}", url)
        home.sh("hookonce process --once")
        home.write("hookonce/hookonce.conf", good)
        begins = "INSERT INTO hookonce_command (command, outcome" if number == "1" else "./hookonce replay --outcome ignored"
        ask(book.take(begins, [since]).strip("; \n"))
        home.sh("hookonce process --once")
        assert home.db.value(f"SELECT outcome FROM hookonce_receipt WHERE event_id = 'evt_typo{number}'") == "done"


def in_doubt(home, book, url):
    """A command of which nobody knows whether it acted; a person looks, and says that it did."""
    good = home.read()
    home.write("hookonce/hookonce.conf", good + "\n[handler odd]\ncommand = /bin/false\n\n[route odd]\n"
                                                "provider = stripe\non = charge.*\nhandler = odd\nflow = odd\n"
                                                "once_per = {event:type}\nretry = 1 try\n")
    state = "SELECT CONCAT_WS(',', state, outcome, waiting_for) FROM hookonce_job WHERE route = 'odd' ORDER BY id "
    for name in ("evt_odd1", "evt_odd2"):
        home.send(f"stripe --type charge.succeeded --id {name}", url)
        home.sh("hookonce process --once", codes=(0, 1))
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
    good = home.read()
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
    home.send("stripe --id evt_before", url)  # the config of the receivers is as it was
    said = home.sh("./hookonce --config next.conf grants --host %")
    rights = [s for s in re.sub(r"^--.*\n", "", said, flags=re.M).split(";\n") if s.strip()]
    db.server.execute(*rights, f"GRANT SELECT, UPDATE ON {db.name}.orders TO {db.user}@'%'")
    assert "\n0 FAIL" in home.sh("./hookonce --config next.conf check")
    home.sh(re.search(r"`(mv next\.conf [^`]*)`", text).group(1))
    revoke = re.search(r"`(REVOKE ALL [^`]*)`", text).group(1)
    db.server.execute(revoke.replace("acme@localhost", f"{db.user}@'%'").replace("acme.*", f"{db.name}.*"))
    assert "two: " in home.sh("./hookonce check")
    home.server.stop()
    home.send("stripe --id evt_after", home.serve())
    home.sh("./hookonce process --once")
    assert [r["outcome"] for r in db.sql("SELECT outcome FROM hookonce_receipt ORDER BY event_id")] == ["done"] * 2


def test_moving_the_state_folder_by_the_runbook(home):
    url, processor = install(home, Document("README.md"))
    processor.stop()
    text = Document("schema/RUNBOOK.md").text
    state, log = re.search(r"`(state = /new/place)`.*?`(log = file:[^`]*)`", text, re.S).groups()
    place = os.path.join(home.home, "place")
    good = home.read()
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
    home.send("stripe --id evt_c", url)
    home.send("stripe --id evt_c --type b", url)
    said = home.sh(book.take("./hookonce check\n./hookonce list"))
    assert "conflicts" in said and "evt_c" in said
    line, = book.take("*/5 * * * *").splitlines()
    assert "conflicts" in home.sh(line.split("* * * * ")[1]) + home.sh(book.take("./hookonce watch --show"), codes=(1,))
    assert home.db.sql(book.take("SELECT kind, host").strip("; \n"))
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
    job = home.db.value("SELECT MAX(id) FROM hookonce_job WHERE state = 'dead'")
    both = book.take("INSERT INTO hookonce_command (command, job) VALUES ('retry', 12);\nINSERT", [("12", str(job))])
    for statement in both.strip("; \n").split(";\n"):
        home.db.sql(statement)
        home.sh("hookonce process --once")
        row, = home.db.sql("SELECT state, did, answer FROM hookonce_command ORDER BY id DESC LIMIT 1")
        assert (row["state"], row["did"]) == ("done", 1), (statement, row)
        event = dead_letter(home)
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
    home.db.sql(book.take("INSERT INTO hookonce_command (command, conflict)", [("1)", f"{first})")]).strip("; \n"))
    home.sh("hookonce process --once")
    assert "its id is another" in home.db.value("SELECT answer FROM hookonce_command ORDER BY id DESC LIMIT 1")
    delete = re.search(r"`(DELETE FROM hookonce_conflict WHERE id = )1`", book.text).group(1)
    home.db.sql(delete + str(first))
    # the database
    assert f"version {SCHEMA_VERSION}" in home.sh(book.take("./hookonce check            #"))
    spool(home, book)
    # a secret that leaked
    home.sh(re.search(r"`(umask 077; printf [^`]*stripe\.new[^`]*)`", book.text).group(1))
    assert home.sh("cat stripe.secret; stat -c %a stripe.secret") == "whsec_new600\n"
    text = home.read()
    end = re.search(r"`(secret = file:stripe\.secret until 2001-01-01)`", book.text).group(1)
    home.write("hookonce/hookonce.conf", text.replace("secret = file:stripe.secret", end))
    assert "every secret has ended" in home.sh("./hookonce check", codes=(1,))
    home.write("hookonce/hookonce.conf", text)
    # changing a secret
    home.sh(re.search(r"`(umask 077; printf [^`]*stripe\.secret2)`", book.text).group(1))
    text = home.read()
    source = book.take("[source stripe]")
    home.write("hookonce/hookonce.conf", re.sub(r"\[source stripe\]\n(\w.*\n)+", lambda m: source, text))
    home.sh("./hookonce check")
    home.server.stop()
    home.send("stripe", home.serve())
    assert home.db.value("SELECT MIN(secret_no) FROM hookonce_receipt WHERE event_id NOT LIKE 'evt%'") == 1
    new_password(home, book)
    # the key file
    copy = re.search(r"`(install -m 600 [^`]*)`", book.text).group(1)
    home.sh(copy.replace("/a/safe/place", home.home))
    home.sh("hookonce process --once")
    home.send("stripe --id evt_lost")
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
    home.send("stripe --id evt_lost", home.serve())
    home.sh("hookonce process --once")
    row, = home.db.sql(lost)
    assert (row["status"], row["outcome"]) == ("processed", "done")
    left = [b for b in book.left() if not b.text.startswith(tuple(RUNBOOK_NOT_RUN)) and b.heading not in SECTIONS
            and not (b.language == "sql" and b.text.startswith("SELECT "))]  # test_runbook_console.py has these
    assert left == [], "blocks of the runbook that no test runs"
