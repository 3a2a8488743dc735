"""Groups that import a command only when it is called, so that the program starts fast."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module
from inspect import cleandoc
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from scantune.cli.problem_options import CommandOnProblems


class LaterGroup(TyperGroup):
    """A group of commands, in order, each with its location: module:function, or module:app for a group."""

    places: ClassVar[Mapping[str, str]] = {}
    on_problems: ClassVar[Collection[str]] = ()  # commands that accept members and extents of requests

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.places:
            self.commands = {name: self.get_command(ctx, name) for name in self.places}  # for suggestions
            return None
        return _built(cmd_name, self.places[cmd_name], cmd_name in self.on_problems)


@cache
def _built(name: str, place: str, on_problems: bool) -> Any:
    """Build a command. This takes longer than most commands run."""
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        group = get_group(found)
        group.name = name
        return _with_whole_paragraphs(group)
    alone = typer.Typer(add_completion=False)
    alone.command(name, cls=CommandOnProblems if on_problems else None)(found)
    return _with_whole_paragraphs(get_command(alone))


def _with_whole_paragraphs(command: Any) -> Any:
    """Join the lines of each paragraph of the help. typer does so for the first one only."""
    for one in (command, *getattr(command, "commands", {}).values()):
        paragraphs = cleandoc(one.help or "").split("\n\n")
        one.help = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
    return command
