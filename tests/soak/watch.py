"""Whether processes grow: memory and open files of every process of ours, sampled all the while."""

import collections
import os
import statistics

PAGE = os.sysconf("SC_PAGE_SIZE")
GROWTH = 1024 * 1024  # bytes of resident memory that nobody minds
LIVED_S = 20          # who lived less tells nothing


class Watch:
    """Samples of the processes of some parties of a world."""

    def __init__(self, world, parties=("receiver", "processor")):
        self.world, self.parties = world, parties
        self.samples = collections.defaultdict(list)  # (party, pid): [(time, bytes, open files)]

    def look(self, now):
        """One sample of each."""
        for party in self.parties:
            for pid in self.world.pids(party):
                try:
                    with open(f"/proc/{pid}/statm", encoding="utf-8") as f:
                        pages = int(f.read().split()[1])
                    self.samples[(party, pid)].append((now, pages * PAGE, len(os.listdir(f"/proc/{pid}/fd"))))
                except OSError:
                    continue

    def complaints(self):
        """Yields who has grown: the last quarter of its life against the second."""
        for (party, pid), all_ in self.samples.items():
            quarter = len(all_) // 4
            if all_[-1][0] - all_[0][0] < LIVED_S or quarter < 2:
                continue
            early, late = all_[quarter:2 * quarter], all_[-quarter:]
            for index, name, room in ((1, "bytes", GROWTH), (2, "open files", 2)):
                before, after = (statistics.median(s[index] for s in part) for part in (early, late))
                if after > before + room:
                    span = late[-1][0] - early[0][0]
                    yield f"{party} {pid} grew from {before:.0f} to {after:.0f} {name} in {span:.0f} s"

    def largest(self):
        """{party: (bytes, open files)} at most."""
        got = {}
        for (party, _), all_ in self.samples.items():
            most = (max(s[1] for s in all_), max(s[2] for s in all_))
            got[party] = tuple(max(a, b) for a, b in zip(got.get(party, (0, 0)), most))
        return got
