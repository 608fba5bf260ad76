"""Whom the watch tells: a sendmail that keeps what it gets, and clocks of the tables that go faster."""

import os
import re
import struct

from .flow import script
from .paths import PROJECT

SENDMAIL = """test -e "$HERE/mail.broken" && { echo "no route to host" >&2; exit 75; }
echo "$@" > "$HERE/mail.args"
env > "$HERE/mail.env"
file=$(mktemp "$HERE/mail.XXXXXX")
cat > "$file.part" && mv "$file.part" "$file.txt" && rm -f "$file"
"""


def mail_section(**keys):
    """A config's [alert mail], whose mails lie in the site's folder."""
    more = "".join(f"{k} = {v}\n" for k, v in keys.items())
    return f"\n[alert mail]\nmail = you@example.com\nsendmail = sendmail\n{more}"


def mailing(site):
    """Gives the site a sendmail of its own."""
    script(site, "sendmail", SENDMAIL)
    return site


def mails(site):
    """The mails so far, oldest first."""
    names = [site.path(n) for n in os.listdir(site.dir) if n.startswith("mail.") and n.endswith(".txt")]
    got = []
    for name in sorted(names, key=lambda n: os.stat(n).st_mtime_ns):
        with open(name, encoding="ascii") as f:
            got.append(f.read())
    return got


def subject(mail):
    return re.search(r"^Subject: (.*)$", mail, re.M).group(1)


def hours_pass(site, hours=1):
    """What was told was told so much earlier, and what is to be tried again is due."""
    site.sql("UPDATE hookonce_telling SET told_at = told_at - INTERVAL %s HOUR, next_at = NULL", hours)
    site.sql("UPDATE hookonce_alert SET grew_at = grew_at - INTERVAL %s HOUR", hours)


def set_word(site, word, value):
    """Writes a word of the host's state file (lib/store/counters.h)."""
    with open(os.path.join(PROJECT, "lib/store/counters.h"), encoding="utf-8") as f:
        words = re.findall(r"^    (WORD_\w+)", re.search(r"enum state_word \{(.*?)\};", f.read(), re.S).group(1), re.M)
    with open(site.path("state/hookonce.state"), "r+b") as f:
        f.seek(8 + 8 * words.index(word))
        f.write(struct.pack("<Q", value))


def kill_jobs(site, n, route="paid"):
    """n jobs of a route are given up now."""
    site.sql("INSERT INTO hookonce_job (correlation_id, route, state, run_at, outcome, created_at) "
             "SELECT CONCAT('01', LPAD(HEX(FLOOR(RAND() * 1e15)), 14, '0'), LPAD(seq, 10, '0')), %s, 'dead', "
             "UTC_TIMESTAMP(6), 'gave up', UTC_TIMESTAMP(6) FROM seq_1_to_" + str(int(n)), route)
