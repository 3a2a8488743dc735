"""What people see: the progress of a run and its table of winners."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from scantune.breakpoint import Breakpoint, worst_of
from scantune.cell import Cell
from scantune.config import Config, Value
from scantune.coverage import Coverage, Way
from scantune.listing import Column, Listing, Row
from scantune.problem import Problem
from scantune.quantity import counted, format_duration, format_size
from scantune.record import Record
from scantune.space import Space


class ProgressReport:
    """Bars on a terminal, and a line for each race and each search."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[best]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._all: TaskID | None = None
        self._one: TaskID | None = None
        self._budget_s = 0.0
        self._known = 0  # cells that an earlier run finished
        self._covered: set[Cell] = set()

    def __enter__(self) -> ProgressReport:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def started(self, cells: int, finished: int, budget_s: float) -> None:
        self._budget_s = budget_s
        self._known = finished
        if finished:
            self._console.print(f"{finished} of {cells} were finished by an earlier run")
        if finished < cells:
            self._all = self._progress.add_task("covered", total=cells, completed=finished, left="", best="")
            self._one = self._progress.add_task("", total=None, left="", best="")

    def raced(self, covered: Coverage, record: Record, space: Space) -> None:
        self._tell(record, space, f"{covered.way.value}, {_compared_text(covered)}")
        self._cover(covered.cell)

    def searching(self, cell: Cell) -> None:
        if self._one is not None:
            text = f"{cell.problem} {format_size(cell.n)}"
            self._progress.reset(self._one, total=None, description=text, left="", best="")

    def tried(self, trials: int, limit: int, best: Config | None, best_us: float | None) -> None:
        if self._one is None or self._all is None:
            return
        text = f"best {best_us:.2f} µs {best.family}" if best and best_us else "nothing works yet"
        self._progress.update(self._one, completed=trials, total=limit, best=text)
        self._progress.update(self._all, left=f"at most {format_duration(self._left_s())} left")

    def found(self, covered: Coverage, record: Record, space: Space) -> None:
        self._tell(record, space, f"{covered.way.value.replace('_', ' ')}, {_compared_text(covered)}")
        self._cover(covered.cell)

    def switches(self, found: Breakpoint) -> None:
        ends = f"{format_size(found.n_low)} and {format_size(found.n_high)}"
        text = f"{found.problem} between {ends}: from {format_size(found.n_switch)} on {found.high.family}"
        self._console.print(f"{text}, regret {found.regret:.1%}", markup=False, highlight=False, soft_wrap=True)

    def gave_up(self, covered: Coverage) -> None:
        what = "" if covered.winner else "no winner: "
        reason = covered.reason.splitlines()[0] if covered.reason else ""
        text = f"{covered.cell.problem} {format_size(covered.cell.n)}: {what}{reason}"
        self._console.print(text, style="red", markup=False, highlight=False)
        self._cover(covered.cell)

    def _tell(self, record: Record, space: Space, how: str) -> None:
        place = f"{record.problem} {format_size(record.n)}"
        text = f"{place}: {record.median_us:.2f} µs, {how}  {config_text(record.config, space)}"
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _cover(self, cell: Cell) -> None:
        self._covered.add(cell)
        if self._all is not None:
            self._progress.update(self._all, completed=self._known + len(self._covered))

    def _left_s(self) -> float:
        """Return the rest of the budget, or of the time that the pace so far asks for if that is less."""
        task = next(task for task in self._progress.tasks if task.id == self._all)
        rest_s = self._budget_s - (task.elapsed or 0.0)
        return min(rest_s, task.time_remaining) if task.time_remaining else rest_s


def standard_output() -> Console:
    """Return the console of results; a file or pipe, which has no width, gets room for whole rows."""
    has_width = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if has_width else 160, emoji=False)


def winners_table(records: Sequence[Record], spaces: Mapping[tuple[Problem, int], Space | None], title: str) -> Listing:
    """Return the final table. With a space, a config is told by what departs from its family's default."""
    columns = [Column("problem", is_text=True), *map(Column, ("N", "µs", "GB/s", "of copy", "gain"))]
    rows, previous = [], None
    for record in records:
        row = _row(record, spaces.get((record.problem, record.n)))
        rows.append(replace(row, begins_section=previous not in (None, record.problem)))
        previous = record.problem
    return Listing(title, columns, rows, "family and config", _caption(spaces))


def coverage_table(
    coverage: Sequence[Coverage], records: Sequence[Record], spaces: Mapping[tuple[Problem, int], Space | None],
    title: str,
) -> Listing:  # fmt: skip
    """Return the table of a run: winners as in winners_table, with what each was compared with."""
    listing = winners_table(records, spaces, title)
    by_cell = {covered.cell: covered for covered in coverage}
    rows = []
    for record, row in zip(records, listing.rows, strict=True):
        covered = by_cell[Cell(record.problem, record.n)]
        gain = f"{covered.gain:.3f}×" if covered.gain else _gain_text(record) or "–"
        next_best = f"{covered.next_best - 1:+.1%}" if covered.next_best else "–"
        told = [*row.cells[:-1], gain, covered.way.value.replace("_", " "), str(len(covered.ratios) or "–"), next_best]
        rows.append(replace(row, cells=told))
    columns = [*listing.columns, Column("covered", is_text=True), Column("compared"), Column("next")]
    caption = (
        f"{_DEPARTURES} {_OF_COPY} gain: over what runs untuned; of a cell that was finished before, over the default "
        "of then. compared: configs in the last rounds with the winner. "
        "next: by how much the next of them takes longer; where that is less than the noise, what served before stays."
    )
    return replace(listing, columns=columns, rows=rows, caption=caption)


def coverage_text(coverage: Sequence[Coverage]) -> str:
    """Return one line: how many cells were covered in which way."""
    counts = {way: sum(covered.way is way for covered in coverage) for way in Way}
    parts = [f"{count} {way.value.replace('_', ' ')}" for way, count in counts.items() if count]
    return f"{counted(len(coverage), 'cell')}: {', '.join(parts)}"


def _compared_text(covered: Coverage) -> str:
    """Return what a race or a search says of a cell, for people."""
    parts = [f"{counted(len(covered.ratios), 'config')} compared"]
    parts += [f"gain {covered.gain:.3f}×"] if covered.gain else []
    parts += [f"next {covered.next_best - 1:+.1%}"] if covered.next_best else []
    return ", ".join([*parts, *([covered.reason] if covered.reason else [])])


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


def _caption(spaces: Mapping[tuple[Problem, int], Space | None]) -> str:
    about = f"{_OF_COPY} gain: over the untuned default config."
    return f"{_DEPARTURES} {about}" if spaces else about


def _row(record: Record, space: Space | None) -> Row:
    bytes_moved = record.problem.bytes_moved(record.n)
    cells = [
        str(record.problem),
        format_size(record.n),
        f"{record.median_us:.2f}",
        three_digits(bytes_moved / record.median_us * 1e-3),
        f"{record.ceiling_us / record.median_us:.0%}" if record.ceiling_us else "–",
        _gain_text(record) or "–",
    ]
    return Row(cells, config_text(record.config, space))


def departures(config: Config, space: Space | None) -> dict[str, Value]:
    """Return what departs from the family's default, or without a space every value."""
    return dict(config.values) if space is None else space.departures(config)


def config_text(config: Config, space: Space | None) -> str:
    """Return the family and its departures, for people."""
    values = " ".join(f"{name}={value}" for name, value in departures(config, space).items())
    return f"{config.family} {values or 'default'}"


def three_digits(value: float) -> str:
    """Return about three digits: bandwidths go from a CPU's 0.012 to a GPU's 4190 GB/s."""
    return f"{value:.{max(0, min(3, 2 - math.floor(math.log10(value))))}f}"


def _gain_text(record: Record) -> str:
    """Return the gain over the default that was measured with the winner; nothing if none was."""
    return f"{record.default_us / record.median_us:.2f}×" if record.default_us else ""
