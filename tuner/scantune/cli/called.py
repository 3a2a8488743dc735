"""The option --from: problems that programs have called, in files that SCANTUNE_RECORD names."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from scantune.cli.terminal import note
from scantune.errors import UsageError
from scantune.model.called import Called
from scantune.model.cell import Cell
from scantune.model.device import Hello
from scantune.model.octave import Range, octave_of
from scantune.model.problem import Problem
from scantune.model.quantity import counted
from scantune.store.call_files import CallFiles
from scantune.worker.evaluation import Evaluator

FROM = "--from"
FromOption = Annotated[
    list[Path] | None,
    typer.Option(
        FROM,
        metavar="FILE...",
        help="Problems that programs have called: files that SCANTUNE_RECORD named while they ran.",
    ),
]

_MOST_SHOWN = 5


def check_alone(files: Sequence[Path], reason: str, others: Mapping[str, object]) -> None:
    """Raise UsageError if one of the other options is given, since the files already say what it would."""
    for option, value in others.items():
        if files and value:
            raise UsageError(f"{_text(files)} {reason}: leave out {option}")


def read(files: Sequence[Path], hello: Hello) -> list[Called]:
    """Return what the files say, and note what cannot be read of them. Raises UsageError if that is all."""
    found = CallFiles.read(files, hello.algorithms)
    if found.unread:
        shown = "\n  ".join(found.unread[:_MOST_SHOWN])
        note(f"{counted(len(found.unread), 'line')} left out:\n  {shown}")
    if not found.called and found.unread:
        raise UsageError(f"{_text(files)}: no line there can be read; name what SCANTUNE_RECORD named")
    if not found.called:
        raise UsageError(f"{_text(files)}: no calls are recorded there; run a program with SCANTUNE_RECORD set")
    return found.called


def weights(files: Sequence[Path], hello: Hello, evaluator: Evaluator) -> dict[Cell, float]:
    """Return the cells to be tuned on this device, with the microseconds that programs spend there in all.

    A record serves its octave, so of each octave there is one cell, at the n of most time, with the time of all. What
    cannot be tuned here is noted. Raises UsageError if nothing can.
    """
    left_out: dict[str, list[Called]] = {}
    found: dict[Cell, float] = {}
    heaviest: dict[tuple[Problem, Range], Cell] = {}  # the first one, since read() returns them by their time
    for one in read(files, hello):
        if reason := _untunable_because(one, hello, evaluator):
            left_out.setdefault(reason, []).append(one)
        else:
            cell = heaviest.setdefault((one.cell.problem, octave_of(one.cell.n)), one.cell)
            found[cell] = found.get(cell, 0.0) + one.total_us
    for reason, those in left_out.items():
        names = ", ".join(dict.fromkeys(str(one.cell.problem) for one in those))
        note(f"left out, {reason}: {names}")
    if not found:
        raise UsageError(f"{_text(files)}: no problem there can be tuned on {hello.device}")
    return found


def _text(files: Sequence[Path]) -> str:
    return shlex.join([FROM, *map(str, files)])


def _untunable_because(one: Called, hello: Hello, evaluator: Evaluator) -> str:
    if one.device != hello.device:
        return f"called on {one.device}"
    if one.cell.problem.is_of_users_own:
        return "since only a digest of the operator's source is recorded (tune it with --operator FILE)"
    return "" if evaluator.supports_size(*one.cell) else "which no kernel of this version supports"
