"""Command line options for members and extents of requests, which the worker declares."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import typer
from typer.core import TyperCommand

from scantune.cli.called import FROM
from scantune.cli.terminal import reported_errors
from scantune.cli.workers import described_worker
from scantune.errors import ScantuneError
from scantune.model.algorithm import DEFAULT_ALGORITHM, Extent, Member, option_of
from scantune.model.algorithms import Algorithms
from scantune.model.stated_problem import types_text
from scantune.worker.built_in import NO_DEVICE

_HERE = "scantune.problem_options"
_NAMED = "scantune.problem_options.algorithm"


class CommandOnProblems(TyperCommand):
    """A command that accepts members and extents of requests. given_options() returns the given ones."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {name for parameter in self.get_params(ctx) for name in (*parameter.opts, *parameter.secondary_opts)}
        own |= set(self.get_help_option_names(ctx))
        ctx.meta[_NAMED] = _algorithm_in(args)  # for the help, which is printed before --algorithm is read
        with reported_errors():
            rest = _without_options(ctx, _each_named(args), own)
        return super().parse_args(ctx, rest)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        algorithms = Algorithms()
        with contextlib.suppress(ScantuneError):
            algorithms = _declared()
        self.epilog = "\n\n".join(_help_of(algorithms, ctx.meta[_NAMED]))
        super().format_help(ctx, formatter)


def given_options(ctx: typer.Context) -> tuple[tuple[str, str], ...]:
    """Return the given members and extents, and their values."""
    given: dict[str, str] = ctx.meta.get(_HERE, {})
    return tuple(given.items())


def problem_options(
    ctx: typer.Context, algorithm: str, types: Sequence[str] | None, ops: Sequence[str] | None
) -> dict[str, object]:
    """Return the options that name a problem, and something true for each that was given."""
    members = {option_of(name): True for name, _ in given_options(ctx)}
    return {"--algorithm": algorithm != DEFAULT_ALGORITHM, "--type": types, "--op": ops, **members}


def _each_named(args: Sequence[str]) -> list[str]:
    """Return the arguments with the option before each of its files: a shell puts several in the place of a pattern."""
    found: list[str] = []
    follows = False
    for arg in args:
        if follows and not arg.startswith("-") and found[-1] != FROM:
            found.append(FROM)
        follows = arg == FROM or (follows and not arg.startswith("-"))
        found.append(arg)
    return found


def _without_options(ctx: Any, args: list[str], own: set[str]) -> list[str]:
    """Take the options of algorithms out of the arguments. An option of no algorithm stays and is refused."""
    rest: list[str] = []
    given: dict[str, str] = {}
    while args and args[0] != "--":
        arg = args.pop(0)
        option, equals, value = arg.partition("=")
        if not option.startswith("--") or option in own:
            rest.append(arg)
            continue
        name = _name_of(option)
        if name is None:
            rest.append(arg)
        elif not equals and not args:
            ctx.fail(f"Option '{option}' requires an argument.")
        else:
            given[name] = value if equals else args.pop(0)
    ctx.meta[_HERE] = given
    return rest + args


def _name_of(option: str) -> str | None:
    """Return the member or extent that an option names in any algorithm; --algorithm may come later."""
    options = (one for algorithm in _declared().values() for one in algorithm.options)
    return next((one.option_name for one in options if one.option == option), None)


@cache
def _declared() -> Algorithms:
    """Return the worker's declarations, which need no device. Raises ScantuneError if there is no worker."""
    with contextlib.ExitStack() as stack:
        return described_worker(stack, NO_DEVICE).hello().algorithms


def _algorithm_in(args: Sequence[str]) -> str:
    """Return the last algorithm named in the arguments, or else the default."""
    named = DEFAULT_ALGORITHM
    for index, arg in enumerate(args):
        option, equals, value = arg.partition("=")
        if option == "--algorithm":
            named = value if equals else next(iter(args[index + 1 :]), named)
    return named


def _help_of(algorithms: Algorithms, named: str) -> Iterator[str]:
    """Yield paragraphs about the options of one algorithm, and the names of the others."""
    if algorithm := algorithms.get(named):
        operators = f", --op one of {', '.join(algorithm.operator.values)}" if algorithm.operator else ""
        yield f"With --algorithm {named}, as the worker declares it: --type {types_text(algorithm)}{operators}"
        yield from map(_help_of_option, algorithm.options)
    if others := [name for name in algorithms if name != named]:
        yield f"--algorithm NAME --help shows the options of another algorithm: {', '.join(others)}"


def _help_of_option(option: Member | Extent) -> str:
    if isinstance(option, Extent):
        return f"{option.option} SIZE: required. {option.meaning}"
    return f"{option.option} {'|'.join(option.values)}: {option.default} unless given. {option.meaning}"
