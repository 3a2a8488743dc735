"""What people see: the progress of a run and its table of winners."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from scantune.breakpoint import Breakpoint, worst_of
from scantune.config import Config
from scantune.problem import Problem
from scantune.quantity import format_duration, format_size
from scantune.record import Record
from scantune.space import Space


class ProgressReport:
    """A bar on a terminal; elsewhere one line per finished search."""

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
        self._problem = ""

    def __enter__(self) -> ProgressReport:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def started(self, tasks: int, finished: int, budget_s: float) -> None:
        self._budget_s = budget_s
        if finished:
            self._console.print(f"{finished} of {tasks} were finished by an earlier run")
        if finished < tasks:
            self._all = self._progress.add_task("searches", total=tasks, completed=finished, left="", best="")
            self._one = self._progress.add_task("", total=None, left="", best="")

    def searching(self, problem: Problem, n: int) -> None:
        self._problem = f"{problem} {format_size(n)}"
        if self._one is not None:
            self._progress.reset(self._one, total=None, description=self._problem, left="", best="")

    def tried(self, trials: int, limit: int, best: Config | None, best_us: float | None) -> None:
        if self._one is None or self._all is None:
            return
        text = f"best {best_us:.2f} µs {best.family}" if best and best_us else "nothing works yet"
        self._progress.update(self._one, completed=trials, total=limit, best=text)
        self._progress.update(self._all, left=f"at most {format_duration(self._left_s())} left")

    def found(self, record: Record, space: Space) -> None:
        departures = " ".join(f"{name}={value}" for name, value in space.departures(record.config).items())
        text = f"{record.problem} {format_size(record.n)}: {record.median_us:.2f} µs{_gain_text(record, ', gain {}')}"
        text += f"  {record.config.family} {departures or 'default'}"
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)
        self._advance()

    def switches(self, found: Breakpoint) -> None:
        ends = f"{format_size(found.n_low)} and {format_size(found.n_high)}"
        text = f"{found.problem} between {ends}: from {format_size(found.n_switch)} on {found.high.family}"
        self._console.print(f"{text}, regret {found.regret:.1%}", markup=False, highlight=False, soft_wrap=True)

    def gave_up(self, problem: Problem, n: int, reason: str) -> None:
        text = f"{problem} {format_size(n)}: no winner: {reason.splitlines()[0] if reason else ''}"
        self._console.print(text, style="red", markup=False, highlight=False)
        self._advance()

    def _advance(self) -> None:
        if self._all is not None:
            self._progress.advance(self._all)

    def _left_s(self) -> float:
        """Return the rest of the budget, or of the time that the pace so far asks for if that is less."""
        task = next(task for task in self._progress.tasks if task.id == self._all)
        rest_s = self._budget_s - (task.elapsed or 0.0)
        return min(rest_s, task.time_remaining) if task.time_remaining else rest_s


def standard_output() -> Console:
    """Return the console of results; a file or pipe, which has no width, gets room for whole rows."""
    has_width = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if has_width else 160)


def winners_table(records: Sequence[Record], spaces: Mapping[tuple[Problem, int], Space], title: str) -> Table:
    """Return the final table. With a space, a config is told by what departs from its family's default."""
    table = Table(
        title=Text(title, style="table.title"), title_justify="left", caption=_caption(spaces), caption_justify="left",
        box=SIMPLE_HEAD, pad_edge=False,
    )  # fmt: skip
    for header in ("problem", "N", "µs", "GB/s", "of copy", "gain"):
        table.add_column(header, justify="left" if header == "problem" else "right", no_wrap=True)
    table.add_column("family and config")
    previous = None
    for record in records:
        if previous and record.problem != previous.problem:
            table.add_section()
        table.add_row(*_row(record, spaces.get((record.problem, record.n))))
        previous = record
    return table


def portfolio_table(breakpoints: Sequence[Breakpoint], title: str) -> Table:
    """Return one row for each problem: how many breakpoints there are, and the worst of them."""
    table = Table(
        title=Text(title, style="table.title"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False,
        caption="worst-case regret: by the probes, the most that a size between two records is slower than with the "
        "other of the two.", caption_justify="left",
    )  # fmt: skip
    for header in ("problem", "breakpoints", "worst-case regret", "at N", "between"):
        table.add_column(header, justify="left" if header == "problem" else "right", no_wrap=True)
    for problem in dict.fromkeys(found.problem for found in breakpoints):
        of_problem = [found for found in breakpoints if found.problem == problem]
        worst = worst_of(of_problem)
        between = f"{format_size(worst.n_low)} and {format_size(worst.n_high)}"
        table.add_row(
            str(problem), str(len(of_problem)), f"{worst.regret:.1%}", format_size(worst.n_switch), between
        )  # fmt: skip
    return table


def _caption(spaces: Mapping[tuple[Problem, int], Space]) -> str:
    about = "of copy: share of the bandwidth of a copy of as many bytes. gain: over the untuned default config."
    return f"config: what departs from the family's default. {about}" if spaces else about


def _row(record: Record, space: Space | None) -> list[str]:
    values = space.departures(record.config) if space else dict(record.config.values)
    bytes_moved = record.problem.bytes_moved(record.n)
    share = f"{record.ceiling_us / record.median_us:.0%}" if record.ceiling_us else "–"
    return [
        str(record.problem),
        format_size(record.n),
        f"{record.median_us:.2f}",
        three_digits(bytes_moved / record.median_us * 1e-3),
        share,
        _gain_text(record, "{}") or "–",
        escape(" ".join([record.config.family, *(f"{name}={value}" for name, value in values.items())])),
    ]


def three_digits(value: float) -> str:
    """Return about three digits: bandwidths go from a CPU's 0.012 to a GPU's 4190 GB/s."""
    return f"{value:.{max(0, min(3, 2 - math.floor(math.log10(value))))}f}"


def _gain_text(record: Record, template: str) -> str:
    return template.format(f"{record.default_us / record.median_us:.2f}×") if record.default_us else ""
