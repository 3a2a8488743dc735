"""What people see of drawn cases: a line of each that differs, a table by algorithm and type, and a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import geometric_mean

from scantune.compare.pairs import Verdict
from scantune.compare.proof import SLOWER, Proven, Result, Unproven
from scantune.model.quantity import counted, format_size
from scantune.report.listing import Column, Listing, Row

_MARGIN = f"{100 * SLOWER:g} %"


def described(one: Result) -> str:
    """Return one line of a case; nothing of one where what runs has not changed."""
    problem, place = one.case
    where = f"{problem} {format_size(place.n)}{', an item off' if place.offset else ''}"
    if isinstance(one, Unproven):
        return f"{where}: {one.reason}"
    if one.first is None:
        return ""
    told = f"{where}: {one.first.before_us:.2f} µs before, {one.first.now_us:.2f} now: {one.ratio:.3f} times as fast"
    again = f", measured again {one.again.ratio:.3f}" if one.again else ""
    record = one.now.record
    by = f"by the {record['layer']} record at {format_size(record['n'])}" if record else "by no record"
    return f"{told}{again}; {one.verdict.value}, {by} ({one.now.origin})"


def mean_ratio(results: Iterable[Result]) -> float | None:
    """Return how many times as fast as before the cases are, as a geometric mean; None where none was compared."""
    ratios = [one.ratio for one in results if isinstance(one, Proven)]
    return geometric_mean(ratios) if ratios else None


def count(results: Iterable[Result], verdict: Verdict) -> int:
    return sum(isinstance(one, Proven) and one.verdict is verdict for one in results)


def summary(results: Sequence[Result], left: int) -> str:
    """Return all results in one line, and how many cases there was no time for."""
    proven = [one for one in results if isinstance(one, Proven)]
    text = f"{counted(len(proven), 'drawn case')}"
    if (mean := mean_ratio(proven)) is not None:
        slower, perhaps = count(proven, Verdict.slower), sum(one.is_perhaps_slower for one in proven)
        text = f"what your programs run: {mean:.3f} times as fast over {text} (geometric mean), "
        text += f"{f'{slower} of them' if slower else 'none'} slower by over {_MARGIN}"
        text += f", {perhaps} perhaps" if perhaps else ""
        # The library goes on without a database that it cannot read, and runs no record then.
        text += "" if any(one.now.record for one in proven) else "; no record runs in any: 'scantune explain' says why"
    missing = len(results) - len(proven)
    text += f"; {missing} could not be compared" if missing else ""
    return text + (f"; {left} left by the budget" if left else "")


def proof_table(results: Sequence[Result], title: str) -> Listing:
    """Return a row for each algorithm, then one for each type of the input."""
    proven = [one for one in results if isinstance(one, Proven)]
    rows: list[Row] = []
    for key in (_algorithm, _type):
        names = sorted({key(one) for one in proven})
        of_name = [(name, [one for one in proven if key(one) == name]) for name in names]
        rows += [_row(name, ones, begins_section=bool(rows) and name == names[0]) for name, ones in of_name]
    columns = [Column("cases of", is_text=True), *map(Column, ("cases", "changed", "times as fast"))]
    columns += [Column(name) for name in ("faster", "slower", "undecided")]
    caption = (
        "changed: another config runs than before. times as fast: geometric mean over all cases. "
        f"faster, slower: by over {_MARGIN}, and more often than by chance."
    )
    return Listing(title, columns, rows, caption=caption)


def _algorithm(one: Proven) -> str:
    return one.case.problem.algorithm


def _type(one: Proven) -> str:
    return next(iter(one.case.problem.types.values()), "no type")


def _row(name: str, results: Sequence[Proven], begins_section: bool) -> Row:
    changed = sum(one.first is not None for one in results)
    counts = [str(count(results, verdict)) for verdict in (Verdict.faster, Verdict.slower, Verdict.undecided)]
    mean = mean_ratio(results) or 1.0
    return Row([name, str(len(results)), str(changed), f"{mean:.3f}", *counts], begins_section=begins_section)
