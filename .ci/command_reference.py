"""The reference of the command line as Markdown: each command with its help, arguments and options."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from api_reference import sentences

# A member of a request, or how much there is of something, as the templates declare it: kind, name, how records
# match, and all else.
DECLARED = re.compile(r"SCANTUNE_(MEMBER|EXTENT)\(\s*\w+, (\w+)(?:, (\w+))?(.*?)(?=SCANTUNE_|\};)", re.DOTALL)
WHERE = re.compile(r'\.where\("(\w+)"')  # the member that says which requests have an extent
STORED_AS = re.compile(r'\.stored_as\("(\w+)"\)')
SENTENCE = re.compile(r'(?:\.means\(|^,)\s*"(.*?)"', re.DOTALL)


def command_reference(root: Path) -> str:
    """Return the page of all commands of the tuner in the folder `root`."""
    sys.path.insert(0, str(root / "tuner"))  # not what is installed
    from typer.main import get_command

    from scantune.cli.app import app

    parts = ["# Command line", "Without a command `scantune` is `scantune tune`."]
    program: Any = get_command(app)
    for path, command, context in commands(program):
        parts += ["## " + path if command is not program else "## scantune", *_about(command, context)]
    parts += ["## Members of requests", "Commands with `--algorithm` also take the members of its requests:"]
    for algorithm, options in member_options(root).items():
        parts.append(f"### {algorithm}")
        parts.append("\n".join(f"- `{option}`: {sentences(meaning)}" for option, meaning in options.items()))
    return "\n\n".join(parts) + "\n"


def commands(command: Any, path: str = "scantune", parent: Any = None) -> Iterator[tuple[str, Any, Any]]:
    """Yield a command and those in it: what calls it, the command, and a context to ask it in."""
    context = command.context_class(command, info_name=path.split()[-1], parent=parent)
    yield path, command, context
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from commands(command.get_command(context, name), f"{path} {name}", context)


def member_options(root: Path) -> dict[str, dict[str, str]]:
    """Return what each option for requests means, by algorithm."""
    found: dict[str, dict[str, str]] = {}
    for header in sorted((root / "templates").glob("*/config/*.h")):
        declared = DECLARED.findall(header.read_text())
        of_calls = {name for _, name, match, _ in declared if match == "per_call"}  # records name none of these
        for kind, name, match, rest in declared:
            meaning, where, stored_as = SENTENCE.search(rest), WHERE.search(rest), STORED_AS.search(rest)
            if where and where[1] in of_calls:
                continue
            if meaning and (kind == "EXTENT" or match in ("exact", "nearest", "at_most")):
                options = found.setdefault(header.parts[-3].replace("_", " "), {})
                options["--" + (stored_as[1] if stored_as else name).replace("_", "-")] = meaning[1]
    return found


def _about(command: Any, context: Any) -> Iterator[str]:
    for paragraph in (command.help or "").split("\n\n"):
        yield sentences(paragraph)
    yield f"```\n{command.get_usage(context).removeprefix('Usage: ')}\n```"
    records = [record for one in command.params if (record := one.get_help_record(context))]
    if records:
        yield "\n".join(f"- `{_plain(names)}`: {sentences(meaning)}" for names, meaning in records)


def _plain(names: str) -> str:
    """Return the names of an option with a word for the type of its value."""
    return re.sub(r"<(?:list\[)?(\w+)[^|]*?>$", lambda kind: f"<{kind[1].lower()}>", names)
