"""The command that compares two files of records: scantune db diff."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from scantune.cli.exchange import note_what_is_left_out
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import JsonOption
from scantune.cli.terminal import console, reported_errors, say
from scantune.compare.diff import Difference, Kind, Side, counts, differences
from scantune.compare.holdings import holdings_of
from scantune.compare.precedence import Precedence
from scantune.model.quantity import counted
from scantune.report.differences import differences_table, measured_text
from scantune.report.messages import winner_message

_OF_CELL = ("device", "problem", "n", "departures")  # keys of a message that both sides share


def diff_command(
    a: Annotated[Path, typer.Argument(metavar="A", help="A database, or records as text.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    json_: JsonOption = None,
) -> None:
    """Show per cell how the winners of B differ from those of A, and when and with what each was measured."""
    with reported_errors(), Precedence() as precedence:
        output = JsonOutput.of(json_, "db diff")
        held = [holdings_of(path, precedence) for path in (a, b)]
        found = differences(held[0], held[1], precedence)
        apart = [one for one in found if one.kind is not Kind.same]
        _print(apart, precedence)
        of_kind = counts(found)
        say(
            f"{counted(of_kind[Kind.same], 'cell')} the same; {of_kind[Kind.other_winner]} with another winner, "
            f"{of_kind[Kind.other_time]} with another time, {of_kind[Kind.other_breakpoint]} with another breakpoint, "
            f"{of_kind[Kind.only_a]} only in A ({a}), {of_kind[Kind.only_b]} only in B ({b})"
        )
        for path, one in zip((a, b), held, strict=True):
            note_what_is_left_out(path, one.report)
        output.write(
            a=str(a), b=str(b), counts={kind.value: count for kind, count in of_kind.items()},
            cells=[_message(one) for one in apart], rejected=[one.report.rejected for one in held],
        )  # fmt: skip


def _print(apart: Sequence[Difference], precedence: Precedence) -> None:
    for device in dict.fromkeys(one.record.device for one in apart):
        cells = [_row(one, precedence) for one in apart if one.record.device == device]
        console.print(differences_table(cells, str(device)))


def _row(one: Difference, precedence: Precedence) -> tuple[Any, ...]:
    sides = {"A": one.a, "B": one.b}
    lines = [f"{name}: {_told(side, precedence)}" for name, side in sides.items() if side]
    times = [side.record.median_us if side else None for side in sides.values()]
    return one.record.problem, one.record.n, times, one.kind.value.replace("_", " "), lines


def _told(side: Side, precedence: Precedence) -> str:
    switch = f", up to {side.above.n_switch - 1} items" if side.above else ""
    return measured_text(side.record, precedence.space(side.record)) + switch


def _message(one: Difference) -> dict[str, Any]:
    record = one.record
    return {
        "device": vars(record.device), "problem": record.problem.message(), "n": record.n, "difference": one.kind.value,
        "b_over_a": one.ratio, "a": _side(one.a), "b": _side(one.b),
    }  # fmt: skip


def _side(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    message = winner_message(side.record, None)
    kept = {key: value for key, value in message.items() if key not in _OF_CELL}
    return {**kept, "n_switch": side.above.n_switch if side.above else None}
