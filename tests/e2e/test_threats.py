"""The table of threats and the tests agree."""

import os
import re

import pytest

from hooktest import PROJECT

TESTS = os.path.join(PROJECT, "tests")


def rows():
    """(line, [(file, function)]) of every row of the tables."""
    with open(os.path.join(PROJECT, "schema", "THREATS.md"), encoding="utf-8") as f:
        lines = [row.strip("| ").split(" | ") for row in f.read().splitlines() if re.match(r"\| [^|]*[a-z]", row)]
    return [(line, re.findall(r"`(\S+\.(?:py|c))` `(\w+)`", tests)) for line, tests in lines if line != "line"]


def test_there_are_lines_and_each_names_a_test():
    assert len(rows()) >= 18 and all(tests for _, tests in rows())


@pytest.mark.parametrize("line, tests", rows())
def test_the_tests_of_a_line_are_there(line, tests):
    for file, function in tests:
        with open(os.path.join(TESTS, file), encoding="utf-8") as f:
            assert re.search(rf"^(def|static void) {function}\(", f.read(), re.M), (line, function)
