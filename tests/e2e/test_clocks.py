"""Time: whatever zone or clock the hosts have, what is due is due by the database's UTC."""

import datetime
import math
import os
import time

import pytest

from hooktest import events, wait_until
from hooktest.paths import faketime_library

FAILS_ONCE = "#!/bin/sh\ncat >/dev/null\necho $HOOKONCE_EVENT_ID >>tried\n[ $(wc -l <tried) -gt 1 ] || exit 75\n"
SOURCES = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}


def failing(site, delay, **more):
    """A site whose handler fails the first time, and is to be tried again after `delay`."""
    return site(sources=SOURCES, handlers={"h": {"command": "handler.sh"}}, files={},
                routes={"r": {"provider": "stripe", "on": "*", "handler": "h", "retry": f"3 tries, {delay}"}}, **more)


def prepare(s):
    s.write("handler.sh", FAILS_ONCE, mode=0o700)
    return s


def tried(s):
    """How often the handler has run."""
    path = s.path("tried")
    return len(open(path, encoding="ascii").readlines()) if os.path.exists(path) else 0


def deliver(s, event_id, **more):
    body = events.stripe(event_id)
    assert s.cgi("stripe", body, s.signed("stripe", body), **more).status == 200


class ServerClock:
    """The clock of a database server, which may be set while it runs."""

    def __init__(self, folder, zone):
        self.file = os.path.join(folder, f"clock-{zone.replace('/', '-')}")
        self.env = {"TZ": zone, "LD_PRELOAD": faketime_library().replace("libfaketime.so", "libfaketimeMT.so"),
                    "FAKETIME_TIMESTAMP_FILE": self.file, "FAKETIME_CACHE_DURATION": "1",
                    "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def set(self, when, server=None):
        """when: unix seconds. Of a server that runs, it waits until it is at that time, or some seconds later."""
        began = time.time()
        with open(self.file + ".part", "w", encoding="ascii") as f:
            f.write(f"{math.ceil(when - began):+d}")
        os.replace(self.file + ".part", self.file)
        if server:
            wait_until(lambda: 0 <= self.shown(server) - when <= time.time() - began + 2, 30,
                       "the server's clock is set")

    @staticmethod
    def shown(server):
        """The server's time, unix seconds."""
        now = server.execute("SELECT UTC_TIMESTAMP(6) AS utc")[0]["utc"]
        return now.replace(tzinfo=datetime.timezone.utc).timestamp()


def test_what_is_due_in_ten_minutes_is_due_in_ten_also_in_the_hour_that_comes_twice__O_TIM_01(base, site, own_mariadb):
    clock = ServerClock(base, "Europe/Berlin")
    before = datetime.datetime(2026, 10, 25, 0, 55, tzinfo=datetime.timezone.utc).timestamp()  # 02:55, summer time
    clock.set(before)
    server = own_mariadb(env=clock.env)
    shown = server.execute("SELECT NOW() AS here, UTC_TIMESTAMP() AS utc, @@system_time_zone AS zone")[0]
    assert (shown["here"].hour, shown["utc"].hour, shown["zone"]) == (2, 0, "CEST")
    s = prepare(failing(site, "10m", database=server.create_database()))
    clock.set(before, server)
    deliver(s, "evt_autumn")
    s.process()
    assert tried(s) == 1
    due = s.sql("SELECT run_at, UTC_TIMESTAMP(6) AS now FROM hookonce_job")[0]
    assert 470 < (due["run_at"] - due["now"]).total_seconds() < 730
    at = due["run_at"].replace(tzinfo=datetime.timezone.utc).timestamp()
    clock.set(at - 60, server)  # 03:00 was 02:00 again
    shown = server.execute("SELECT NOW() AS here, UTC_TIMESTAMP() AS utc")[0]
    assert (shown["here"].hour, shown["utc"].hour) == (2, 1)
    s.process()
    assert tried(s) == 1
    clock.set(at + 1, server)
    s.process()
    assert tried(s) == 2
    assert s.value("SELECT state FROM hookonce_job") == "done"


@pytest.mark.parametrize("receiver,processor", [("Asia/Tokyo", "America/New_York"), ("America/New_York", "Asia/Tokyo")])
@pytest.mark.parametrize("fast_s", [0, 600, -600])
def test_zones_and_clocks_of_the_hosts_change_nothing__O_TIM_02(site, receiver, processor, fast_s):
    s = prepare(failing(site, "30s"))
    there = {"env": {"TZ": processor}, "now": time.time() + fast_s if fast_s else None}
    deliver(s, "evt_zone", env={"TZ": receiver})
    s.process(**there)
    assert tried(s) == 1, "it starts at once"
    s.process(**there)
    assert tried(s) == 1, "and is not due again at once"
    row = s.sql("SELECT j.run_at, a.ended_at FROM hookonce_job j JOIN hookonce_attempt a ON a.job_id = j.id")[0]
    assert 30 * 0.8 - 10 <= (row["run_at"] - row["ended_at"]).total_seconds() <= 30 * 1.2 + 10
    s.sql("UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6)")
    s.process(**there)
    assert tried(s) == 2 and s.value("SELECT state FROM hookonce_job") == "done"
    receipt = s.sql("SELECT received_at, recorded_at, UTC_TIMESTAMP(6) AS now FROM hookonce_receipt")[0]
    for at in ("received_at", "recorded_at"):
        assert 0 <= (receipt["now"] - receipt[at]).total_seconds() < 60
