"""The tables that people see: winners, coverage, portfolios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scantune.model.breakpoint import Breakpoint, worst_of
from scantune.model.cell import Cell
from scantune.model.coverage import Coverage, Way
from scantune.model.family_table import Standing
from scantune.model.problem import Problem
from scantune.model.quantity import counted, format_size, three_digits
from scantune.model.record import Record
from scantune.model.space import Space, config_text
from scantune.report.listing import Column, Listing, Row


def winners_table(records: Sequence[Record], spaces: Mapping[tuple[Problem, int], Space | None], title: str) -> Listing:
    """Return the table of winners. A config with a space is described by its departures from the family's default."""
    listing = _measured_table(records, spaces, title)
    columns = [*listing.columns, Column("serves")]
    rows = [
        replace(row, cells=[*row.cells, str(record.serves)]) for record, row in zip(records, listing.rows, strict=True)
    ]
    caption = f"{listing.caption} {_SERVES}"
    return replace(listing, columns=columns, rows=rows, caption=caption)


def coverage_table(
    coverage: Sequence[Coverage], records: Sequence[Record], spaces: Mapping[tuple[Problem, int], Space | None],
    title: str,
) -> Listing:  # fmt: skip
    """Return the table of a run: winners as in winners_table, with what each was compared with."""
    listing = _measured_table(records, spaces, title)
    by_cell = {covered.cell: covered for covered in coverage}
    rows = []
    for record, row in zip(records, listing.rows, strict=True):
        covered = by_cell[Cell(record.problem, record.n)]
        gain = f"{covered.gain:.3f}×" if covered.gain else _gain_text(record) or "–"
        next_best = f"{covered.next_best - 1:+.1%}" if covered.next_best else "–"
        left = record.run.may_gain
        told = [
            *row.cells[:-1], gain, covered.way.value.replace("_", " "), str(len(covered.ratios) or "–"), next_best,
            f"{left:.1%}" if left is not None else "–",
        ]  # fmt: skip
        rows.append(replace(row, cells=told, detail=row.detail + _unbeaten_text(covered, spaces)))
    columns = [*listing.columns, Column("covered", is_text=True), *map(Column, ("compared", "next", "left"))]
    caption = (
        f"{_DEPARTURES} {_OF_COPY} gain: over what runs untuned; of a cell that was finished before, over the default "
        "of then. compared: configs in the last rounds with the winner. "
        "next: by how much the next of them takes longer over the octave; where that may be chance, what served before "
        "stays. "
        "left: what a longer search may gain at most, by an estimate that is too low in one of five searches."
    )
    return replace(listing, columns=columns, rows=rows, caption=caption)


def _measured_table(
    records: Sequence[Record], spaces: Mapping[tuple[Problem, int], Space | None], title: str
) -> Listing:
    columns = [Column("problem", is_text=True), *map(Column, ("N", "µs", "GB/s", "of copy", "gain"))]
    rows, previous = [], None
    for record in records:
        row = _row(record, spaces.get((record.problem, record.n)))
        rows.append(replace(row, begins_section=previous not in (None, record.problem)))
        previous = record.problem
    return Listing(title, columns, rows, "family and config", _caption(spaces))


def _unbeaten_text(covered: Coverage, spaces: Mapping[tuple[Problem, int], Space | None]) -> str:
    """Return, in a line of its own, why the winner of a restricted search was not saved; nothing if it was."""
    if covered.unbeaten is None:
        return ""
    if covered.unbeaten == covered.winner:
        return "\nnot saved: it is the current winner"
    space = spaces.get((covered.cell.problem, covered.cell.n))
    family = space.families.get(covered.winner.family) if space and covered.winner else None
    if family is not None and family.table.standing is Standing.gallery:
        return "\nnot saved for programs: its family is in the gallery"
    holder = config_text(covered.unbeaten, space)
    return f"\nnot saved: beyond the noise it does not beat {holder}"


def coverage_text(coverage: Sequence[Coverage]) -> str:
    """Return one line that says how many cells were covered in which way."""
    counts = {way: sum(covered.way is way for covered in coverage) for way in Way}
    parts = [f"{count} {way.value.replace('_', ' ')}" for way, count in counts.items() if count]
    return f"{counted(len(coverage), 'cell')}: {', '.join(parts)}"


def portfolio_table(breakpoints: Sequence[Breakpoint], title: str) -> Listing:
    """Return one row for each problem: how many breakpoints there are, and the worst of them."""
    rows = []
    for problem in dict.fromkeys(found.problem for found in breakpoints):
        of_problem = [found for found in breakpoints if found.problem == problem]
        worst = worst_of(of_problem)
        between = f"{format_size(worst.n_low)} and {format_size(worst.n_high)}"
        count = str(len(of_problem))
        rows.append(Row([str(problem), count, f"{worst.regret:.1%}", format_size(worst.n_switch), between]))
    columns = [Column("problem", is_text=True), *map(Column, ("breakpoints", "worst-case regret", "at N", "between"))]
    caption = (
        "worst-case regret: by the probes, the most that a size between two records is slower than with the other of "
        "the two."
    )
    return Listing(title, columns, rows, caption=caption)


_DEPARTURES = "config: what departs from the family's default."
_OF_COPY = "of copy: share of the bandwidth of a copy of as many bytes."
_SERVES = "serves: more items than the first, and at most the second."


def _caption(spaces: Mapping[tuple[Problem, int], Space | None]) -> str:
    about = f"{_OF_COPY} gain: over the untuned default config, if that was timed."
    return f"{_DEPARTURES} {about}" if spaces else about


def _row(record: Record, space: Space | None) -> Row:
    bandwidth = record.problem.gigabytes_per_second(record.n, record.median_us)
    cells = [
        str(record.problem),
        format_size(record.n),
        f"{record.median_us:.2f}",
        "–" if bandwidth is None else three_digits(bandwidth),
        f"{record.ceiling_us / record.median_us:.0%}" if record.ceiling_us else "–",
        _gain_text(record) or "–",
    ]
    origin = f"\n{record.run.origin}" if record.run.origin else ""
    return Row(cells, config_text(record.config, space) + origin)


def _gain_text(record: Record) -> str:
    """Return the gain over the default that was measured with the winner; an empty text if none was."""
    return f"{record.default_us / record.median_us:.2f}×" if record.default_us else ""
