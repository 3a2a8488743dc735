"""Members of the request as options of the command line: the worker declares which there are."""

from __future__ import annotations

import contextlib
from functools import cache
from typing import Any

import typer
from typer.core import TyperCommand

from scantune.cli.terminal import reported_errors
from scantune.cli.workers import described_worker
from scantune.errors import ScantuneError
from scantune.model.member import Member
from scantune.worker.built_in import NO_DEVICE

_HERE = "scantune.members"


class CommandOnProblems(TyperCommand):
    """A command that takes members of the request. members_of() returns those that were given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {name for parameter in self.get_params(ctx) for name in (*parameter.opts, *parameter.secondary_opts)}
        own |= set(self.get_help_option_names(ctx))
        with reported_errors():
            rest = _without_members(ctx, list(args), own)
        return super().parse_args(ctx, rest)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        members: tuple[Member, ...] = ()
        with contextlib.suppress(ScantuneError):
            members = _declared()
        self.epilog = "\n\n".join(
            ["Also, as the worker knows them:" if members else "", *map(_help_of, members)]
        )  # paragraphs
        super().format_help(ctx, formatter)


def members_of(ctx: typer.Context) -> tuple[tuple[str, str], ...]:
    """Return the members that were given, and their values."""
    given: dict[str, str] = ctx.meta.get(_HERE, {})
    return tuple(given.items())


def _without_members(ctx: Any, args: list[str], own: set[str]) -> list[str]:
    """Take the options of members out of the arguments; one that no worker declares is left, and refused as unknown."""
    rest: list[str] = []
    given: dict[str, str] = {}
    while args and args[0] != "--":
        arg = args.pop(0)
        option, equals, value = arg.partition("=")
        if not option.startswith("--") or option in own:
            rest.append(arg)
            continue
        member = _member_of(option)
        if member is None:
            rest.append(arg)
        elif not equals and not args:
            ctx.fail(f"Option '{option}' requires an argument.")
        else:
            given[member] = value if equals else args.pop(0)
    ctx.meta[_HERE] = given
    return rest + args


def _member_of(option: str) -> str | None:
    return next((member.name for member in _declared() if member.option == option), None)


@cache
def _declared() -> tuple[Member, ...]:
    """Ask a worker that needs no device. Raises ScantuneError if there is none."""
    with contextlib.ExitStack() as stack:
        return tuple(member for member in described_worker(stack, NO_DEVICE).hello().members if member.is_option)


def _help_of(member: Member) -> str:
    return f"{member.option} {'|'.join(member.values)}: {member.default} unless given. {member.meaning}"
