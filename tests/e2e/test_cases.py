"""The table of cases and the tests agree."""

import glob
import os
import re

from hooktest import PROJECT

TESTS = os.path.join(PROJECT, "tests")


def test_every_case_of_the_table_has_its_tests_and_every_tagged_test_its_case():
    with open(os.path.join(TESTS, "CASES.md"), encoding="utf-8") as f:
        table = re.findall(r"^\| (O-[A-Z]+-\d+) \| \S.* \| ((?:`\S+`(?:, )?)+) \|$", f.read(), re.M)
    rows = [(case, file) for case, files in table for file in re.findall(r"`(\S+)`", files)]
    tagged = set()
    for path in glob.glob(os.path.join(TESTS, "e2e", "test_*.py")):
        with open(path, encoding="utf-8") as f:
            for case in re.findall(r"^def test_\w+__(O_[A-Z]+_\d+)\(", f.read(), re.M):
                tagged.add((case.replace("_", "-"), "e2e/" + os.path.basename(path)))
    for path in glob.glob(os.path.join(TESTS, "browser", "*.test.mjs")):
        with open(path, encoding="utf-8") as f:
            for case in re.findall(r"^test\('[^']*\((O-[A-Z]+-\d+)\)'", f.read(), re.M):
                tagged.add((case, "browser/" + os.path.basename(path)))
    assert len(rows) == len(set(rows)) > 30
    assert set(rows) == tagged
