"""The blocks of commands in a Markdown file, so that a test can run what the documentation says."""

import os
import re
import textwrap

from .paths import PROJECT


class Block:
    """One block of code: its language ("" for an indented one), its text, the heading above it."""

    def __init__(self, language, text, heading):
        self.language, self.text, self.heading, self.used = language, text, heading, False

    def __repr__(self):
        return f"<{self.language or 'indented'} block under {self.heading!r}: {self.text[:60]!r}>"


class Document:
    """A Markdown file of the project and the blocks in it that are not used yet."""

    def __init__(self, name):
        with open(os.path.join(PROJECT, name), encoding="utf-8") as f:
            self.text = f.read()
        self.blocks = list(_blocks(self.text))
        assert self.blocks, f"{name} has no blocks"

    def take(self, begins, values=()):
        """The text of the first unused block that begins so, with each pair of `values` replaced."""
        for block in self.blocks:
            if not block.used and block.text.startswith(begins):
                block.used = True
                text = block.text
                for old, new in values:
                    assert old in text, f"{block} does not say {old!r}"
                    text = text.replace(old, new)
                return text
        raise AssertionError(f"no unused block begins with {begins!r}")

    def left(self):
        """The blocks that nobody took."""
        return [block for block in self.blocks if not block.used]

    def inline(self, program):
        """All `program …` in single backticks outside blocks, without the program's name."""
        outside = "\n".join(line for line in _outside(self.text))
        return sorted(set(re.findall(r"`" + re.escape(program) + r"((?: [^`]+)?)`", outside)))


def _outside(text):
    inside = False
    for line in text.splitlines():
        if line.strip().startswith("```"):
            inside = not inside
        elif not inside:
            yield line


def _blocks(text):
    heading, language, lines = "", None, []
    for line in text.splitlines() + [""]:
        if language is not None and language != "":  # inside a fence
            if line.strip() == "```":
                yield Block(language, textwrap.dedent("\n".join(lines)) + "\n", heading)
                language, lines = None, []
            else:
                lines.append(line)
            continue
        if language == "" and not line.startswith("    "):  # behind an indented block
            yield Block("", textwrap.dedent("\n".join(lines)) + "\n", heading)
            language, lines = None, []
        if line.strip().startswith("```"):
            language = line.strip()[3:] or "text"
        elif line.startswith("#"):
            heading = line.strip("# ")
        elif language == "":
            lines.append(line)
        elif line.startswith("    ") and not line.lstrip().startswith(("-", "|")):
            language, lines = "", [line]
