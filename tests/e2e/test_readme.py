"""The README's installation, run as it is written."""

import json
import os
import re
import shutil

import pytest

from hooktest import PROJECT, wait_until
from hooktest.documents import Document
from hooktest.home import EVENT, add_asana, dead_letter, filled, install
from hooktest.paths import promtool
from hooktest.proc import run

# Blocks that are not run, by their beginnings.
README_NOT_RUN = {
    "tar -xzf": "test_setup.py runs it, and the config for hosts without a shell",
    "[hookonce]\nurl": "the same",
    "git clone": "needs a network and a package manager; `make run` has tests of its own",
    "provider ──HTTP──>": "a picture",
    "stripe listen": "another company's program, and an account there",
    "make            both": "`make` and `make test` are what runs this",
    "[source sb-token]": "test_reply_providers.py runs it, and the two after it",
    "[handler deploys]": "the same",
    "[handler hours]": "the same",
    "sha256sum -c hookonce-": "test_install.py runs it",
    "[alert mail]": "test_watch.py runs it",
    "[expect payouts]": "test_numbers.py runs it",
    "[handler paid-by-card]": "test_copy.py runs it, and the five after it",
    "[handler set-state]": "the same",
    "[handler keep-customer]": "the same",
    "[handler count-sale]": "the same",
    "[handler thank]": "the same",
    "[handler pay-back]": "the same",
}
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
    from_outside(home, readme)
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
    home.procs.append(home.start("$HOME/hookonce/hookonce process --for 600s"))


def refused(home, block, url):
    """The section on what to do when a delivery is refused."""
    capture, explain = block.splitlines()
    assert "explain --last stripe" in home.sh(capture)
    home.sh(f"hookonce send stripe --tamper --url {url}", codes=(1,))
    said = home.sh(explain, codes=(1,))
    assert "signature mismatch" in said and "does not fit" in said


def from_outside(home, readme):
    """The section on the pages: token and setting, the three addresses, Prometheus' own config."""
    home.sh(readme.take("(umask 077; openssl"))
    before = home.read()
    home.write("hookonce/hookonce.conf", before + "\n" + readme.take("[hookonce]\npage_token"))
    assert "FAIL" not in home.sh("hookonce check --quiet", codes=(0, 1))
    with open(os.path.join(home.dir, "page.token"), encoding="ascii") as f:
        token = f.read().strip()

    def told(page):
        return home.server.request("GET", f"/hook/{page}", None, {"Authorization": "Bearer " + token})

    addresses = re.findall(r"^\| `/hook/(\w+)` \|", readme.text, re.M)
    assert addresses == ["health", "metrics", "status"]
    wait_until(lambda: told("health").status == 200, 5, "the new config is read")
    assert [told(page).status for page in addresses] == [200, 200, 200]
    assert home.server.request("GET", f"/hook/metrics?token={token}").status == 200
    config = readme.take("scrape_configs:")
    home.write("hookonce/prometheus.yml", config)
    home.write("hookonce/hookonce.token", token)
    shutil.copy(os.path.join(PROJECT, "schema", "alerts.yml"), os.path.join(home.home, "hookonce", "alerts.yml"))
    said = run([promtool(), "check", "config", os.path.join(home.home, "hookonce", "prometheus.yml")])
    # Prometheus knows `authorization` from 2.26 on, and Debian 11 has an older one.
    old = b" 2.24." in run(["sh", "-c", f"{promtool()} --version 2>&1"]).stdout
    assert said.returncode == 0 or old and b"field authorization not found" in said.stdout + said.stderr, said
    home.write("hookonce/hookonce.conf", before)


def own_recipe(home, recipe, url):
    """The section on recipes of one's own."""
    home.write("hookonce/my.conf", recipe)
    home.write("hookonce/x.secret", "a secret of the provider acme")
    text = home.read()
    home.write("hookonce/hookonce.conf", text + "\n[hookonce]\nrecipes = my.conf\n\n[source x]\nprovider = acme\n"
                                                "secret = file:x.secret\n")
    assert "Acme" in home.sh("hookonce providers acme")
    home.sh("hookonce check")
    home.server.stop()
    home.sh("echo '{\"event\": \"order\"}' | hookonce send x --body - --url " + home.serve())
    assert home.db.value("SELECT COUNT(*) FROM hookonce_receipt WHERE source = 'x'") == 1


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
        home.write("hookonce/received.json", EVENT)  # what `body ID > received.json` would leave
        words = filled(command).replace("COMMAND", "check").replace("NAME", "stripe").replace("ID", "evt_none").split()
        if len(words) < 2:
            words.append("--help")
        if words[0] == "send":
            words += ["--url", "http://127.0.0.1:1/hook"] if "--url" not in words else []
        words = [w.replace("https://your.site", "http://127.0.0.1:1") for w in words]
        home.sh("hookonce " + " ".join(words), codes=(0, 1))
