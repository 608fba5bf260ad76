"""hookonce's log as data: `TIME LEVEL key=value key="quoted value" …`, one line an event."""

import re

_HEAD = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (debug|info|warn|alarm)((?: .*)?)")
_PAIR = re.compile(r' ([a-z_]+)=(?:([A-Za-z0-9_.:/@+-]+)|"((?:[^"\\\x00-\x1f\x7f]'
                   r'|\\x[0-9A-Fa-f]{2})*)")')


def parse_line(line):
    """One line -> {"time": …, "level": …, key: value}; fails if it is not of the log's form.

    Values stay as written: escaped (\\xNN) and, where they were cut, with the mark at the end.
    """
    head = _HEAD.fullmatch(line)
    assert head, f"not a log line: {line!r}"
    got, rest = {"time": head.group(1), "level": head.group(2)}, head.group(3)
    while rest:
        pair = _PAIR.match(rest)
        assert pair, f"not key=value: {rest!r} in {line!r}"
        assert pair.group(1) not in got, f"{pair.group(1)} twice in {line!r}"
        got[pair.group(1)] = pair.group(2) if pair.group(2) is not None else pair.group(3)
        rest = rest[pair.end():]
    return got


def parse(text):
    """All lines of a log; fails on the first one that is malformed or unfinished."""
    assert text == "" or text.endswith("\n"), f"the last line is unfinished: {text[-200:]!r}"
    return [parse_line(line) for line in text.split("\n")[:-1]]
