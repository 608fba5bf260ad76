"""The runbook's statements for a console, run as they are written, and the shell's commands beside them."""

import ast
import contextlib
import os
import re

import pytest

from hooktest import wait_until
from hooktest.documents import Document
from hooktest.home import dead_letter, install

# The sections that are held here; test_runbook.py has the others.
SECTIONS = ("From a console", "Replay: have it done again", "Redelivery: have the provider send it again",
            "Safe recovery: a handler did wrong", "Duplicates rose", "Silence", "A provider has disabled us",
            "Upgrading", "Backup and restore")
NOT_RUN = ("mariadb-dump",)  # test_restore.py runs it
IN_A_LOOP = ("Redelivery", "Duplicates", "Silence", "A provider")
MORE = """
[hookonce]
keep_bodies = 3650d
sql_commands = retry, replay, hold, release, pause, resume, test-alert, replay-done, discard, forget, prune
[source github]
provider = github
secret = file:github.secret
[alert somebody]
command = /bin/true
"""


class Console:
    """A console on the database, with the rights of the processor's user."""

    def __init__(self, home):
        self.home = home

    def run(self, text):
        """Runs statements -> the rows of the last."""
        link = self.home.db.connect()
        try:
            with link.cursor() as cursor:
                for statement in re.split(r";[ \t]*(?:--.*)?(?:\n|$)", text):
                    if statement.strip():
                        cursor.execute(statement)
                return list(cursor.fetchall())
        finally:
            link.close()

    def process(self):
        self.home.sh("hookonce process --once", codes=(0, 1))

    def last(self):
        """The last command's row, once the processor has had a look."""
        row, = self.home.db.sql("SELECT * FROM hookonce_command ORDER BY id DESC LIMIT 1")
        return row


@pytest.fixture
def desk(home):
    """-> (home, Console, address of the receiver), installed as the README says; cron is stopped."""
    url, processor = install(home, Document("README.md"))
    processor.stop()
    home.write("hookonce/github.secret", "a secret of the hook")
    home.write("hookonce/receiver.password", home.db.receiver_password)
    users = f"[database]\nreceiver_user = {home.db.receiver_user}\nreceiver_password = file:receiver.password"
    home.write("hookonce/hookonce.conf", home.read().replace("[database]", users, 1) + MORE)
    home.db.restrict(home.sh("./hookonce grants --host %"))
    return home, Console(home), url


def send(home, url, *ids, run=True):
    for name in ids:
        home.send(f"stripe --id {name}", url)
    if run:
        home.sh("hookonce process --once")


def job_of(home, event_id):
    return home.db.value("SELECT MAX(j.id) FROM hookonce_job AS j JOIN hookonce_receipt AS r "
                         "ON r.correlation_id = j.correlation_id WHERE r.event_id = %s", event_id)


def repeat(home, url):
    """A conflict of kind `repeat` -> its number."""
    home.write("hookonce/push.json", '{"ref": "refs/heads/main", "n": "%s"}' % os.urandom(4).hex())
    for _ in range(2):
        home.send("github --type push --body push.json", url)
    return home.db.value("SELECT MAX(id) FROM hookonce_conflict WHERE kind = 'repeat'")


def table(book, head):
    """The rows of the table whose first line begins so, as lists of cells."""
    lines = book.text[book.text.index("| " + head):].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


# -- looking -------------------------------------------------------------------------------------

def test_every_statement_of_the_runbook_that_only_looks_runs_as_written(desk):
    home, console, url = desk
    send(home, url, "evt_1")
    dead_letter(home)
    book, seen = Document("schema/RUNBOOK.md"), 0
    texts = re.findall(r"`(SELECT [^`]+)`", book.text)
    texts += [s for b in book.blocks if b.language == "sql" for s in re.split(r";\n|;$", b.text)]
    for text in texts:
        if text.strip().startswith("SELECT "):
            console.run(text.replace("…", ""))
            seen += 1
    assert seen > 30


def test_the_views_say_what_the_runbook_says_they_say(desk):
    home, console, url = desk
    send(home, url, "evt_1")
    event = dead_letter(home)
    cid = home.db.value("SELECT correlation_id FROM hookonce_receipt WHERE event_id = %s", event)

    def look(begins):
        text = next(t for t in re.findall(r"`(SELECT [^`]+)`", Document("schema/RUNBOOK.md").text)
                    if t.startswith("SELECT * FROM " + begins))
        return console.run(text.replace("evt_1", event).replace("01J…", cid))

    assert look("hookonce_overview")[0]["state"] in ("look", "wrong")
    assert look("hookonce_recent")[0]["event_id"] == event
    assert look("hookonce_find")[0]["event_id"] == event
    assert len(look("hookonce_timeline")) >= 3
    assert [row["event_id"] for row in look("hookonce_dead_letters")] == [event]
    assert any("fulfil" in str(row) for row in look("hookonce_settings"))
    assert look("hookonce_help") and not look("hookonce_queue")


# -- asking --------------------------------------------------------------------------------------

def prepared(home, url, row):
    """Makes what a row of the table is about -> what stands in place of its examples."""
    words, ids = row[1], {}
    if "'retry'" in words or "'discard'" in words or "'replay'" in words:
        ids["evt_1"] = dead_letter(home)
        ids["12"] = str(job_of(home, ids["evt_1"]))
    elif "'hold'" in words:
        name = f"evt_{os.urandom(4).hex()}"
        send(home, url, name, run=False)
        ids["12"] = str(job_of(home, name))
    elif "'release'" in words and "conflict" in words:
        ids["1)"] = f"{repeat(home, url)})"
        ids["--conflict 1"] = f"--conflict {ids['1)'][:-1]}"
    elif "'release'" in words:
        ids["12"] = str(home.db.value("SELECT MAX(id) FROM hookonce_job WHERE waiting_for = 'hold'"))
    elif "'forget'" in words:
        ids["evt_1"] = f"evt_{os.urandom(4).hex()}"
        send(home, url, ids["evt_1"])
    return ids


def put(text, ids):
    """All at once: an id that was put in may have another one's example in it."""
    return re.sub("|".join(map(re.escape, ids)) or "$^", lambda found: ids[found[0]], text)


def test_every_command_of_the_table_works_in_the_console_and_in_the_shell(desk):
    home, console, url = desk
    book = Document("schema/RUNBOOK.md")
    rows = table(book, "to | insert into")
    assert len(rows) >= 13
    for form in ("sql", "shell"):
        for row in rows:
            ids = prepared(home, url, row)
            if form == "sql":
                console.run("INSERT INTO hookonce_command " + put(row[1].strip("`"), ids))
                console.process()
            else:
                home.sh(put(row[2].strip("`"), ids))
            got = console.last()
            if form == "sql" or not re.search("prune|watch", row[2]):
                assert re.search(r"'([\w-]+)'", row[1]).group(1) == got["command"], row
                assert got["state"] == "done", (row, got["answer"])
                assert got["asked_from"] == form
    wanted = re.findall(r"'([\w-]+)'", home.db.value("SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE "
                        "TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'hookonce_command' AND COLUMN_NAME = 'command'"))
    assert set(wanted) == {re.search(r"VALUES \('([\w-]+)'", row[1]).group(1) for row in rows}


def test_a_command_that_the_config_does_not_list_is_refused_with_the_words_to_add(desk):
    home, console, url = desk
    home.write("hookonce/hookonce.conf", home.read().replace(MORE.splitlines()[3] + "\n", ""))
    event = dead_letter(home)
    book = Document("schema/RUNBOOK.md")
    text = put(book.take("INSERT INTO hookonce_command (command, job) VALUES ('retry', 12);\nSELECT"),
               {"12": str(job_of(home, event))})
    assert console.run(text)[0]["state"] == "new"
    console.process()
    assert home.db.value("SELECT status FROM hookonce_receipt WHERE event_id = %s", event) == "processed"
    event = dead_letter(home)
    console.run(f"INSERT INTO hookonce_new_command (command, job) VALUES ('retry', {job_of(home, event)})")
    console.process()
    assert console.last()["state"] == "done"
    event = dead_letter(home)
    console.run(f"INSERT INTO hookonce_command (command, event_id, reason) VALUES ('discard', '{event}', 'x')")
    console.process()
    assert console.last()["state"] == "refused" and "sql_commands" in console.last()["answer"]
    with contextlib.suppress(Exception):
        console.run(f"INSERT INTO hookonce_command (command, event_id) VALUES ('discard', '{event}')")
        raise AssertionError("a rule of the table refuses it")
    words = re.findall(r"\| `(\w+)` \|", book.text[book.text.index("| state | means"):].split("\n\n")[0])
    assert words == re.findall(r"'(\w+)'", home.db.value(
        "SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND "
        "TABLE_NAME = 'hookonce_command' AND COLUMN_NAME = 'state'"))


def hours(text):
    """The example's times, so that they hold for what was received just now."""
    return text.replace("2026-11-30 12:00", "2026-01-01 00:00").replace("2026-11-30 18:00", "2099-01-01 00:00")


def test_replay_as_the_runbook_says(desk):
    home, console, url = desk
    book = Document("schema/RUNBOOK.md")
    for form in ("sql", "shell"):
        events = [dead_letter(home), dead_letter(home)]
        dry = hours(book.take("INSERT INTO hookonce_command (command, route, from_time, to_time, dry_run)")
                    if form == "sql" else book.take("./hookonce replay --route paid --from-time"))
        real = hours(book.take("INSERT INTO hookonce_command (command, route, from_time, to_time, per_minute")
                     if form == "sql" else book.take("./hookonce replay --route paid --from-time"))
        run = console.run if form == "sql" else home.sh
        run(dry)
        console.process()
        got = console.last()
        assert got["dry_run"] == "yes" and got["found"] >= 2 and all(e in got["answer"] for e in events)
        assert home.db.value("SELECT COUNT(*) FROM hookonce_job WHERE state = 'dead'") == 2
        run(real)
        console.process()
        console.process()
        assert console.last()["did"] == 2 and "CRM" in console.last()["reason"]
        home.sh(f"hookonce retry {events[1]}", codes=(0, 1))  # due in a second, otherwise
        console.process()
        assert home.db.value("SELECT COUNT(*) FROM hookonce_job WHERE state = 'dead'") == 0
        again = (book.take("INSERT INTO hookonce_command (command, event_id, again") if form == "sql"
                 else book.take("./hookonce replay evt_1 --again"))
        run(again.replace("evt_1", events[0]))
        console.process()
        assert console.last()["state"] == "done" and console.last()["did"] == 1
        assert home.db.value("SELECT COUNT(*) FROM hookonce_job AS j JOIN hookonce_receipt AS r USING (correlation_id) "
                             "WHERE r.event_id = %s", events[0]) == 2
        console.process()


def test_redelivery_duplicates_silence_and_a_provider_that_has_stopped(desk):
    home, console, url = desk
    home.send("stripe --id evt_1 --repeat 2", url)  # sent anew it has another time in it, and is a conflict
    home.sh("hookonce process --once")
    wait_until(lambda: home.db.value("SELECT SUM(duplicates) FROM hookonce_receipt"), 5, "it is counted, behind the answer")
    book = Document("schema/RUNBOOK.md")
    row, = console.run(book.take("SELECT status, outcome, duplicates"))
    assert (row["status"], row["outcome"], row["duplicates"]) == ("processed", "done", 1)
    for block in book.blocks:
        if block.heading.startswith(IN_A_LOOP):
            if block.language == "sql":
                console.run(block.text)
            else:
                home.sh(block.text, codes=(0, 1))
    assert "evt_1" in str(console.run("SELECT * FROM hookonce_duplicates LIMIT 50"))


def test_safe_recovery_as_the_runbook_says(desk):
    home, console, url = desk
    for form in ("sql", "shell"):
        book = Document("schema/RUNBOOK.md")
        run = console.run if form == "sql" else home.sh
        run(book.take("INSERT INTO hookonce_command (command, handler, reason) VALUES ('pause'" if form == "sql"
                      else "./hookonce pause --handler"))
        console.process()
        send(home, url, f"evt_{form}")
        assert home.db.value("SELECT waiting_for FROM hookonce_job ORDER BY id DESC LIMIT 1") == "pause"
        run(book.take("SELECT started_at" if form == "sql" else "./hookonce list attempts"))
        run(book.take("INSERT INTO hookonce_command (command, handler) VALUES ('resume'" if form == "sql"
                      else "./hookonce resume --handler"))
        console.process()
        console.process()
        assert home.db.value("SELECT status FROM hookonce_receipt WHERE event_id = %s", f"evt_{form}") == "processed"


# -- the whole of it -----------------------------------------------------------------------------

def test_after_a_restore_nothing_runs_until_a_person_says_so(desk):
    home, console, url = desk
    event = dead_letter(home)
    book = Document("schema/RUNBOOK.md")
    home.db.sql("INSERT INTO hookonce_command (command, event_id) VALUES ('retry', %s)", event)
    send(home, url, "evt_open", run=False)
    console.run(book.take("INSERT INTO hookonce_pause"))
    console.process()
    assert home.db.value("SELECT state FROM hookonce_command") == "refused"
    assert home.db.value("SELECT waiting_for FROM hookonce_job WHERE id = %s", job_of(home, "evt_open")) in (
        None, "pause")
    assert home.db.value("SELECT status FROM hookonce_receipt WHERE event_id = 'evt_open'") == "received"
    for form in ("sql", "shell"):
        text = book.take("SELECT job, route" if form == "sql" else "./hookonce discard 12 --acted")
        job = job_of(home, event if form == "sql" else "evt_open")
        (console.run if form == "sql" else home.sh)(text.replace("12", str(job)))
        console.process()
        assert home.db.value("SELECT outcome FROM hookonce_job WHERE id = %s", job) == "discarded"
    send(home, url, "evt_later", run=False)
    console.run(book.take("INSERT INTO hookonce_command (command) VALUES ('resume')"))
    console.process()
    console.process()
    assert home.db.value("SELECT outcome FROM hookonce_receipt WHERE event_id = 'evt_later'") == "done"
    assert "resume" in book.take("./hookonce resume\n")


def test_upgrading_as_the_runbook_says(desk):
    home, console, url = desk
    book = Document("schema/RUNBOOK.md")
    home.sh(book.take("cp build/hookonce "), folder=home.project)
    home.sh("./hookonce migrate --status", codes=(0, 1))
    send(home, url, "evt_new")
    console.run(book.take("SELECT MAX(version)"))
    home.sh(book.take("./hookonce check\n"), codes=(0, 1))
    assert home.db.value("SELECT outcome FROM hookonce_receipt WHERE event_id = 'evt_new'") == "done"


def test_which_secret_signs_is_shown(desk):
    home, console, url = desk
    send(home, url, "evt_1")
    row, = console.run(Document("schema/RUNBOOK.md").take("SELECT secret_no"))
    assert row["secret_no"] == 1


def test_no_block_of_these_sections_is_left_out():
    with open(__file__, encoding="utf-8") as f:
        begins = tuple(n.value for n in ast.walk(ast.parse(f.read()))
                       if isinstance(n, ast.Constant) and isinstance(n.value, str) and len(n.value) > 14)
    blocks = [b for b in Document("schema/RUNBOOK.md").blocks if b.heading in SECTIONS]
    assert {b.heading for b in blocks} == set(SECTIONS)
    assert [b for b in blocks if not b.heading.startswith(IN_A_LOOP) and not b.text.startswith(NOT_RUN)
            and not b.text.startswith("SELECT ") and not b.text.startswith(begins)] == []
