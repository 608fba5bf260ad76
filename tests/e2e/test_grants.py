"""Two database users: what `hookonce grants` prints is enough, and the receivers' may do nothing else."""

import json
import re

import pymysql
import pytest

from hooktest import events
from hooktest.flow import arrive
from hooktest.paths import SCHEMA_VERSION
from hooktest.reply import ask, reply_site

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}

# What whoever has the receivers' account must not be able to do. NOW stands for a time.
REFUSED = [
    "SELECT bytes FROM hookonce_body", "SELECT headers FROM hookonce_body", "SELECT * FROM hookonce_receipt",
    "SELECT body FROM hookonce_conflict", "SELECT * FROM hookonce_job", "SELECT * FROM hookonce_answer",
    "SELECT * FROM hookonce_effect", "SELECT * FROM fx", "SELECT * FROM mysql.user",
    "UPDATE hookonce_receipt SET status = 'processed'", "UPDATE hookonce_receipt SET mac = ''",
    "UPDATE hookonce_receipt SET same_digest = ''", "UPDATE hookonce_body SET bytes = ''",
    "UPDATE hookonce_job SET state = 'ready'", "UPDATE hookonce_job SET run_at = NOW()",
    "UPDATE hookonce_guard SET event_id = ''", "UPDATE hookonce_conflict SET body = ''",
    "UPDATE hookonce_schema SET key_print = NULL", "UPDATE fx SET n = 0",
    "INSERT INTO hookonce_job (correlation_id, route, state, run_at, created_at) VALUES ('', 'all', 'ready', NOW(), NOW())",
    "INSERT INTO hookonce_effect (flow) VALUES ('all')", "INSERT INTO hookonce_answer (status) VALUES (200)",
    "INSERT INTO hookonce_schema (version) VALUES (99)", "INSERT INTO hookonce_attempt (job_id) VALUES (1)",
    "INSERT INTO fx (event_id) VALUES ('x')",
    *(f"DELETE FROM hookonce_{t}" for t in ("receipt", "guard", "body", "job", "conflict", "attempt", "effect", "object",
                                            "answer", "worker", "schema", "handler", "slot")),
    "TRUNCATE hookonce_receipt", "DROP TABLE hookonce_receipt", "CREATE TABLE mine (a INT)",
    "ALTER TABLE hookonce_receipt ADD COLUMN a INT", "CREATE TRIGGER t BEFORE INSERT ON hookonce_job FOR EACH ROW SET @a = 1",
    "SELECT * INTO OUTFILE '/tmp/x' FROM hookonce_schema", "LOCK TABLES hookonce_receipt WRITE",
]
IN_REPLY_MODE = ("hookonce_answer", "SET state", "SET run_at", "SET status", "INSERT INTO hookonce_attempt",
                 "INSERT INTO hookonce_job")  # what it also may where a source answers by its handler
DENIED = {1044, 1045, 1142, 1143, 1227, 1370}


def as_receiver(s):
    return s.db.server.connect(s.db.name, s.db.receiver_user, s.db.receiver_password)


def check(s):
    """{subject: text} and {subject: level} of `check --json`."""
    found = [json.loads(line) for line in s.hookonce("check", "--json").stdout.decode().splitlines()]
    return {f["subject"]: f["text"] for f in found}, {f["subject"]: f["level"] for f in found}


def allowed(s, statements):
    """Which of these the receivers' account may run. Nothing that runs is kept."""
    link, may = as_receiver(s), []
    link.autocommit(False)
    try:
        for statement in statements:
            with link.cursor() as cursor:
                try:
                    cursor.execute(statement)
                    may.append(statement)
                except pymysql.err.MySQLError as e:
                    if e.args[0] not in DENIED:
                        may.append(statement)
            link.rollback()
    finally:
        link.close()
    return may


def test_the_receivers_user_may_add_deliveries_and_nothing_else(site):
    s = site(sources=STRIPE)
    arrive(s, events.stripe("evt_1"), events.stripe("evt_1"))
    assert allowed(s, REFUSED) == []
    assert s.value("SELECT duplicates FROM hookonce_receipt") == 1
    s.process()
    assert s.effects() == ["evt_1"]


def test_the_receivers_user_of_a_reply_source_may_claim_its_job_too(site):
    s = reply_site(site, "echo '{}'")
    answer, _ = ask(s)
    assert answer.status == 200
    refused = [r for r in REFUSED if not any(word in r for word in IN_REPLY_MODE)]
    assert allowed(s, refused) == []
    assert allowed(s, ["UPDATE hookonce_job SET route = 'x'", "UPDATE hookonce_job SET tries = 0",
                       "UPDATE hookonce_answer SET body = ''", "INSERT INTO hookonce_answer (status) VALUES (200)",
                       "DELETE FROM hookonce_answer"]) == []


def test_check_tells_two_users_from_one_and_names_what_is_too_much(site):
    s = site(sources=STRIPE)
    text, level = check(s)
    assert text["database users"] == f"two: {s.db.receiver_user} for receivers, {s.db.user} for the processor"
    assert (text["database receiver's limits"], level["database receiver's limits"]) == \
        ("it may do nothing else", "ok")
    s.db.server.execute(f"GRANT DELETE ON {s.db.name}.hookonce_guard TO {s.db.receiver_user}@'%'",
                        f"GRANT SELECT ON {s.db.name}.fx TO {s.db.receiver_user}@'%'")
    text, level = check(s)
    assert level["database receiver's limits"] == "warn"
    assert text["database receiver's limits"].startswith(
        "may also reach tables of the site, delete from hookonce_guard;")
    s.db.server.execute(f"REVOKE INSERT ON {s.db.name}.hookonce_body FROM {s.db.receiver_user}@'%'")
    text, level = check(s)
    assert level["database receiver's rights"] == "FAIL"
    assert "must not: add to hookonce_body" in text["database receiver's rights"]
    config = s.config_text()
    s.configure("".join(line for line in config.splitlines(True) if not line.startswith("receiver_")))
    text, _ = check(s)
    assert text["database users"] == f"one, {s.db.user}, for receivers and processor"


def test_a_receiver_that_cannot_log_in_is_told_by_check(site):
    s = site(sources=STRIPE)
    s.write("receiver.password", "another")
    text, level = check(s)
    assert level["database users"] == "FAIL" and s.db.receiver_user in text["database users"]
    assert "another" not in json.dumps(text)


@pytest.mark.parametrize("wrong, words", [
    ("receiver_user = {user}", "another one than `user`"),
    ("receiver_password = file:x", "needs `receiver_user`"),
])
def test_a_receiver_user_that_cannot_be_meant_is_refused(site, wrong, words):
    s = site(sources=STRIPE)
    text = "".join(line for line in s.config_text().splitlines(True) if not line.startswith("receiver_"))
    s.configure(text.replace("[database]\n", "[database]\n" + wrong.format(user=s.db.user) + "\n"))
    done = s.hookonce("grants")
    assert done.returncode == 2 and words in done.stderr.decode()


def test_grants_puts_names_in_quotes_and_leaves_reply_mode_out(site):
    s = site(sources=STRIPE)
    done = s.hookonce("grants", check=True).stdout.decode()
    assert f"`{s.db.name}`.hookonce_receipt TO '{s.db.receiver_user}'@'localhost';" in done
    assert "hookonce_answer" not in done.split("-- @processor")[0] and "{" not in done
    odd = s.config_text().replace(f"receiver_user = {s.db.receiver_user}", "receiver_user = o'b\\rien")
    s.configure(odd.replace(f"name = {s.db.name}", "name = a`b"))
    done = s.hookonce("grants", "--host", "%", check=True).stdout.decode()
    assert "`a``b`.hookonce_receipt TO 'o''b\\\\rien'@'%';" in done


def test_migrate_may_run_as_a_user_that_owns_the_tables(site):
    s = site(sources=STRIPE)
    tables = [row["t"] for row in s.sql("SELECT table_name AS t FROM information_schema.tables WHERE table_schema = "
                                        "DATABASE() AND table_name LIKE 'hookonce%%' AND table_type <> 'VIEW'")]
    s.sql("DROP TABLE " + ", ".join(tables))
    done = s.hookonce("migrate")  # the processor's may not change them
    assert done.returncode == 1 and "--user NAME --password-file FILE" in done.stderr.decode()
    said = s.hookonce("migrate", "--help", check=True).stdout.decode()
    rights = re.search(r"needs ([A-Z, \n]+ and [A-Z]+) for this", said).group(1).replace(" and", ",")
    s.db.server.execute(f"CREATE USER {s.db.user}_own@'%' IDENTIFIED BY 'own-password'",
                        f"GRANT {rights} ON {s.db.name}.* TO {s.db.user}_own@'%'")
    s.write("own.password", "own-password\n")
    try:
        s.hookonce("migrate", "--user", s.db.user + "_own", "--password-file", s.path("own.password"), check=True)
    finally:
        s.db.server.execute(f"DROP USER {s.db.user}_own@'%'")
    assert s.value("SELECT MAX(version) FROM hookonce_schema") == SCHEMA_VERSION
    # a key that was lost: tying the new one needs the same rights
    s.sql("UPDATE hookonce_schema SET key_print = NULL")
    done = s.hookonce("migrate")
    assert done.returncode == 1 and "--user NAME" in done.stderr.decode()
    assert s.hookonce("migrate", "--password-file", "x").returncode == 2
