"""Stopping a program at a place of its code, see tests/faults/halt.c."""

import os
import shutil

import pytest

from .paths import BUILD

LINKED_IN = "the libraries are linked in: nothing can be put before them"


def before_libraries():
    """Skips a test that puts functions before those of a library, with programs that have it linked in."""
    if os.environ.get("HOOKONCE_PORTABLE"):  # tests/compat/run says so of the released programs
        pytest.skip(LINKED_IN)


class Halt:
    """A folder that halt.c looks into."""

    def __init__(self, folder):
        before_libraries()
        self.folder = folder
        os.makedirs(folder)
        os.chmod(folder, 0o777)
        # A copy: the account that the programs run as may have no way into the build's folder.
        library = shutil.copy(os.path.join(BUILD, "test", "halt.so"), os.path.join(folder, "halt.so"))
        os.chmod(library, 0o755)
        self.env = {"LD_PRELOAD": library, "HOOKONCE_HALT": folder}

    def arm(self, program, when, text, pid=0):
        """The first process of that program that comes to this call is stopped there."""
        self._say("arm", f"{program} {pid} {when} {text}\n")

    def disarm(self):
        """Nobody is stopped who was not yet."""
        self._say("arm", None)

    def halted(self):
        """Pid of the process that was stopped and really stands; None so far."""
        for name in os.listdir(self.folder):
            if name.startswith("halted."):
                pid = int(name.partition(".")[2])
                if stands(pid):
                    os.unlink(os.path.join(self.folder, name))
                    return pid
        return None

    def fill(self, on):
        """Whether files can't grow."""
        self._say("full", "yes" if on else None)

    def set_clock(self, ahead_s):
        """So far is the wall clock ahead."""
        self._say("clock", f"{ahead_s}\n" if ahead_s else None)

    def _say(self, name, text):
        """Puts a file into the folder in one piece, or takes it away."""
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path + ".new", "w", encoding="utf-8") as f:
                f.write(text)
            os.rename(path + ".new", path)
        elif os.path.exists(path):
            os.unlink(path)


def stands(pid):
    """Whether a process is stopped by a signal."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return f.read().rpartition(")")[2].split()[0] in "Tt"
    except OSError:
        return False
