"""The options that restrict a command to some configs, checked against what the worker knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Annotated

import typer

from scantune.cli.options import listed
from scantune.errors import UsageError
from scantune.model.algorithm import Algorithm
from scantune.model.cell import Cell
from scantune.model.config import Value, is_integer, is_token
from scantune.model.device import Hello
from scantune.model.problem import Problem
from scantune.model.restriction import Restriction
from scantune.worker.evaluation import Evaluator

FamilyOption = Annotated[
    list[str] | None, typer.Option("--family", help="Only configs of this family; may be repeated: any of these.")
]
FixOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fix",
        metavar="NAME=VALUE",
        help="Only configs with this value of a parameter, a listed one or any other that is legal; repeated: with "
        "all of these.",
    ),
]


def given_restriction(families: list[str] | None, fixes: list[str] | None) -> Restriction:
    """Return the restriction. Raises UsageError for errors that need no worker to be found."""
    for name in listed(families):
        if not is_token(name):
            raise UsageError(f"--family '{name}': not a name of a family")
    return Restriction(tuple(listed(families)), values_of("--fix", listed(fixes)))


def values_of(option: str, assignments: Iterable[str]) -> tuple[tuple[str, Value], ...]:
    """Return names and values of NAME=VALUE. Raises UsageError for other texts and contradictions."""
    values: dict[str, Value] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        value = int(text) if re.fullmatch(r"-?[0-9]{1,10}", text) else text
        if not (equals and is_token(name) and (is_token(value) or is_integer(value))):
            raise UsageError(f"{option} {assignment}: write NAME=VALUE, such as block_threads=256 or layout=striped")
        if values.setdefault(name, value) != value:
            raise UsageError(f"{option} {assignment}: {name} is already {values[name]}; a parameter has one value")
    return tuple(values.items())


def check(
    restriction: Restriction, hello: Hello, algorithm: str, evaluator: Evaluator, problems: Sequence[Problem],
    sizes: Sequence[int],
) -> None:  # fmt: skip
    """Raise UsageError if a name is unknown, or if none of these configs is legal for any problem at any size."""
    if restriction:
        _check_names(restriction, hello.algorithms[algorithm])
        _check_fit(restriction, evaluator, problems, sizes)


def _check_names(restriction: Restriction, algorithm: Algorithm) -> None:
    """Raise UsageError if the algorithm has no such family, or if no named family has such a parameter."""
    for family in restriction.families:
        check_family("--family", family, algorithm)
    # Families of the gallery count only if named.
    tables = algorithm.families if restriction.families else algorithm.families.of_library
    named = [table for name, table in tables.items() if restriction.names(name)]
    for name, value in restriction.fixed:
        lacking = [table for table in named if name not in table.names]
        if lacking and (restriction.families or len(lacking) == len(named)):
            having = "; ".join(f"{table.family} has {', '.join(table.names)}" for table in lacking)
            who = lacking[0].family if restriction.families else f"a family of {algorithm.name}"
            known = [known for table in lacking for known in table.names]
            raise UsageError(f"--fix {name}={value}: {who} has no parameter {name}; {nearest(name, known)}{having}")
    if restriction.fixed and not any({name for name, _ in restriction.fixed} <= set(table.names) for table in named):
        owners = [(name, ", ".join(one.family for one in named if name in one.names)) for name, _ in restriction.fixed]
        told = "; ".join(f"{name} is of {families}" for name, families in owners)
        raise UsageError(f"{_options(restriction)}: no family has all of these parameters; {told}")


def check_family(option: str, family: str, algorithm: Algorithm) -> None:
    if family not in algorithm.families:
        known = ", ".join(algorithm.families)
        raise UsageError(
            f"{option} {family}: {algorithm.name} has no such family; {nearest(family, algorithm.families)}there are "
            f"{known}"
        )


def _check_fit(
    restriction: Restriction, evaluator: Evaluator, problems: Sequence[Problem], sizes: Sequence[int]
) -> None:
    reason = ""
    for cell in (Cell(problem, n) for problem in problems for n in sizes):
        space = evaluator.space(*cell, named=restriction.families)
        if evaluator.restricted(*cell, space, restriction).families:
            return
        reason = reason or f"{cell}: {evaluator.misfit(*cell, space, restriction)}"
    raise UsageError(f"{_options(restriction)}: no such config is legal; {reason}")


def _options(restriction: Restriction) -> str:
    families = [f"--family {name}" for name in restriction.families]
    return " ".join([*families, *(f"--fix {name}={value}" for name, value in restriction.fixed)])


def nearest(name: str, known: Iterable[str]) -> str:
    """Return "did you mean ...?" for a similar name, or nothing."""
    found = get_close_matches(name, list(known), n=1)
    return f"did you mean {found[0]}? " if found else ""
