"""The commands that pages show are commands that scantune takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from scantune.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]

pytestmark = pytest.mark.usefixtures("fake_worker_command")


def shown_commands(text: str) -> list[list[str]]:
    """Return the arguments of each command of a page. What two blanks or # set apart is a remark."""
    lines = re.findall(r"^ {4}(?:make tune ARGS=\"(.*?)\"|scantune (.*))$", text, re.MULTILINE)
    commands = [through_make or re.split(r" {2,}| #", line)[0] for through_make, line in lines]
    return [shlex.split(command) for command in commands]


def parse(arguments: list[str]) -> None:
    """Read the arguments as the program does, down to the command that takes them, and run nothing."""
    command: Any = get_command(app)
    context = command.make_context("scantune", list(arguments))
    while hasattr(context.command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = context.command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


def commands_of_pages() -> list[tuple[str, list[str]]]:
    return [(page, arguments) for page in PAGES for arguments in shown_commands((ROOT / page).read_text())]


@pytest.mark.parametrize(("page", "arguments"), commands_of_pages(), ids=str)
def test_a_page_shows_commands_that_are_taken(page: str, arguments: list[str]) -> None:
    parse(arguments)


def test_a_command_that_is_not_taken_is_noticed() -> None:
    page = '    scantune --tyqe f32\n    scantune db shew  shows it\n    make tune ARGS="--effort huge"\n'
    assert len(shown_commands(page)) == 3
    for arguments in shown_commands(page):
        with pytest.raises(Exception, match=r"tyqe|shew|huge"):
            parse(arguments)
