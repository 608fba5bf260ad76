"""What is asked of the database, counted: hosts bound how many statements an hour an account may send."""

import re
import struct

from hooktest import events, wait_until

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE="}}

# As the manual and `hookonce check` say (lib/store/need.h).
DELIVERY, DELIVERY_LINKED, DELIVERY_WRITES, EVENT, EVENT_WRITES, IDLE = 8, 6, 3, 80, 12, 100

# Words of the state file (enum state_word) that hold times of the boot clock, in ms.
TIMES = [1, 4, 5, 7, 51, 52, 54, 56]
STEP_MS = 60_000


class Counted:
    """What the general log shows of a site's two accounts."""

    def __init__(self, s):
        self.server = s.db.server

    def __enter__(self):
        self.server.log_statements(True)
        return self

    def __exit__(self, *_):
        self.server.log_statements(False)
        own, self.texts, self.links = set(), [], 0
        for line in self.server.logged_statements().splitlines():
            got = re.search(r"\t\s*(\d+) (Connect|Query|Execute)\t(.*)", line)
            if got and got[2] == "Connect" and got[3].startswith("hooks"):
                own.add(got[1])
                self.links += 1
            elif got and got[1] in own:
                self.texts.append(got[3])

    @property
    def n(self):
        return len(self.texts)


def make(site, own_mariadb, **more):
    """On a server of its own: others' statements are not ours to count."""
    s = site(database=own_mariadb().create_database(), sources=STRIPE, **more)
    s.configure(s.config_text().replace("poll = 5s\n", ""))
    return s


def deliver(s, event_id=None):
    body = events.stripe(event_id)
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200


def later(s, ms):
    """Lets so much time go by for all that is done now and then."""
    with open(s.path("state/hookonce.state"), "r+b") as f:
        for word in TIMES:
            f.seek(8 + 8 * word)
            (at,) = struct.unpack("<Q", f.read(8))
            assert at == 0 or at < 1 << 50, "no time of the boot clock"
            if at > ms:
                f.seek(8 + 8 * word)
                f.write(struct.pack("<Q", at - ms))


def work(s, until):
    """A processor, for as long as that takes."""
    proc = s.start_processor("--for", "200s")
    wait_until(until, 20, "it is done")
    proc.stop()


def test_a_delivery_and_its_processing_cost_what_is_said(site, own_mariadb):
    s = make(site, own_mariadb)
    with Counted(s) as got:
        deliver(s, "evt_1")
    assert (got.n, got.links) == (DELIVERY, 1), got.texts
    assert sum(text.startswith("INSERT") for text in got.texts) == DELIVERY_WRITES, got.texts
    with Counted(s) as got:
        deliver(s, "evt_1")
    assert got.n <= DELIVERY and got.links == 1, got.texts
    s.process()  # writes what is written once: the settings
    deliver(s, "evt_2")
    with Counted(s) as got:
        work(s, lambda: s.effects() == ["evt_1", "evt_2"])
    assert s.count("receipt") == 2
    assert got.n <= EVENT, got.texts


def test_a_delivery_on_a_link_that_is_there_costs_less(site, own_mariadb):
    s = make(site, own_mariadb, server=("lighttpd", {}), settings={"database": {"idle_close": "1h"}})
    counts = []
    for n in range(6):  # until each of the receivers has a link
        body = events.stripe(f"evt_{n}")
        with Counted(s) as got:
            assert s.post("stripe", body, s.signed("stripe", body)).status == 200
        counts.append(got.n)
    # Of those whose link is older than the log nothing is told apart: only who connects is counted.
    assert set(counts) <= {0, DELIVERY}, counts
    assert counts.count(DELIVERY) <= 4, "a link is kept"


def test_an_idle_hour_stays_under_its_bound(site, own_mariadb):
    """Cron starts a processor every minute and a watch every five. Eight minutes of that are played, then what is
    done every half hour, then what is done once an hour."""
    s = make(site, own_mariadb)
    deliver(s)
    s.process()
    run = ("process", "--for", "1s")
    s.hookonce(*run, check=True)
    s.hookonce("watch", check=True)
    with Counted(s) as got:
        s.hookonce(*run, check=True)
        s.hookonce("watch", check=True)
    assert (got.n, got.links) == (0, 0), got.texts
    parts = []
    for minutes, times in ((1, 8), (30, 1), (60, 1)):
        texts = []
        for _ in range(times):
            later(s, minutes * STEP_MS)
            with Counted(s) as got:
                s.hookonce("watch", check=True)
                s.hookonce(*run, check=True)
            texts += got.texts
        parts.append(texts)
    usual, half, hour = (len(texts) for texts in parts)
    # What is done every minute is in each of them, and what is done every half hour in the last.
    assert usual >= 8 and 60 / 8 * usual + 2 * (half - 1) + (hour - half) < IDLE, parts
    assert any("hookonce_alert" in text for text in parts[1]), "it is watched"
    assert any("hookonce_host" in text for text in parts[0]), "it is told that the host lives"


def test_what_is_expected_is_looked_for_sooner(site, own_mariadb):
    """An event every two hours is expected: ten minutes are enough to look again."""
    s = make(site, own_mariadb)
    s.configure(s.config_text().replace("poll = 5s\n", "") + "\n[expect often]\nsource = stripe\nevery = 2h\n")
    s.process()
    s.hookonce("watch", check=True)
    for minutes, looks in ((9, False), (2, True)):
        later(s, minutes * STEP_MS)
        with Counted(s) as got:
            s.hookonce("watch", check=True)
        assert (got.n > 0) == looks, (minutes, got.texts)


def test_trouble_is_looked_at_by_every_watch(site, own_mariadb):
    s = make(site, own_mariadb, handlers={"bad": {"sql": "INSERT INTO nowhere VALUES (1)"}})
    s.routes["all-stripe"]["retry"] = "1 try"
    s.configure(s.config_text().replace("poll = 5s\n", ""))
    deliver(s)
    assert s.hookonce("process", "--once").returncode == 1
    s.hookonce("watch")
    with Counted(s) as got:
        s.hookonce("watch")
    assert got.n > 0, "something is wrong, so it looks"


def test_what_is_asked_for_ends_the_rest_at_once(site, own_mariadb):
    s = make(site, own_mariadb)
    s.process()
    s.hookonce("process", "--for", "1s", check=True)
    deliver(s)  # while no processor listens
    work(s, lambda: len(s.effects()) == 1)
    s.hookonce("process", "--for", "1s", check=True)  # leaves word that nothing is due
    s.sql("INSERT INTO hookonce_command (command, event_id) VALUES ('replay', 'evt_none')")
    s.hookonce("process", "--for", "1s", check=True)
    assert s.value("SELECT state FROM hookonce_command") == "new", "nobody was woken"
    later(s, STEP_MS)
    work(s, lambda: s.value("SELECT state FROM hookonce_command") != "new")


def test_check_says_what_is_needed(site, own_mariadb):
    s = make(site, own_mariadb)
    for n in range(3):
        deliver(s, f"evt_{n}")
    s.process()
    said = s.hookonce("check").stdout.decode()
    got = re.search(r"at most about (\d+) an hour, and (\d+) writes \(busiest hour of the week: ([123]) ", said)
    assert got, said
    questions, writes, n = (int(text) for text in got.groups())
    assert questions == IDLE + n * (DELIVERY + EVENT)
    assert writes == IDLE // 4 + n * (DELIVERY_WRITES + EVENT_WRITES)
