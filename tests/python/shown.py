"""The commands that pages show, as a reader copies them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *("README.md", "CONTRIBUTING.md", "SECURITY.md", "tuner/README.md"),
    *sorted(str(one.relative_to(ROOT)) for one in (ROOT / "docs").rglob("*.md")),
]
WEEK = ("docs/sharing.md", "## A team's week")

_PROGRAM = (
    r"(?:scantune|make|app|python|git|echo|ctest|g\+\+|compute-sanitizer|\.venv/bin/\w+|\.ci/\w+|build/tests/[\w/]+)"
)
_LINE = re.compile(rf"^ {{4}}((?:\w+=\S+ )*{_PROGRAM}(?: .*)?)$", re.MULTILINE)
_INLINE = re.compile(r"`(scantune\s[^`\[|]+)`")


@dataclass(frozen=True)
class Shown:
    page: str
    line: str

    @property
    def words(self) -> list[str]:
        """The program and its arguments, without variables before and redirections behind them."""
        words = shlex.split(self.line, comments=True)
        while re.match(r"\w+=", words[0]):
            words.pop(0)
        return words[: words.index(">")] if ">" in words else words

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)}"


def commands_in(page: str, text: str) -> list[Shown]:
    """Return the lines of a page that are commands, without remarks."""
    return [Shown(page, line.partition(" #")[0].rstrip()) for line in _LINE.findall(text)]


def commands_named_in(page: str, text: str) -> list[Shown]:
    """Return the commands of scantune that a sentence or a table names. A name in capitals stands for a file, and what
    is left open (...) may be anything.
    """
    return [Shown(page, command) for command in _INLINE.findall(text) if "..." not in command]


def lines_with_options(text: str) -> list[str]:
    """Return the lines that look like a command, whatever program they begin with."""
    return re.findall(r"^ {4}(\S.* --[a-z].*)$", text, re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def without_the_week(page: str, text: str) -> str:
    """Return a page without the week of two teams, whose commands are run in order by a test of its own."""
    if page != WEEK[0]:
        return text
    before, heading, week = text.partition(WEEK[1])
    assert heading
    return before + week[week.index("\n## ") :]
