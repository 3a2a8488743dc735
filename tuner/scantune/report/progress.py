"""The progress of a run, for people."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from scantune.model.breakpoint import Breakpoint
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.coverage import Coverage
from scantune.model.quantity import counted, format_duration, format_size
from scantune.model.record import Record
from scantune.model.space import Space, config_text
from scantune.report.listing import print_lines


class ProgressReport:
    """A report by bars on a terminal, and a line for each race and each search."""

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
        print_lines(self._console, f"{text}, regret {found.regret:.1%}")

    def gave_up(self, covered: Coverage) -> None:
        what = "" if covered.winner else "no winner: "
        reason = covered.reason.splitlines()[0] if covered.reason else ""
        text = f"{covered.cell.problem} {format_size(covered.cell.n)}: {what}{reason}"
        print_lines(self._console, text, "red")
        self._cover(covered.cell)

    def _tell(self, record: Record, space: Space, how: str) -> None:
        place = f"{record.problem} {format_size(record.n)}"
        text = f"{place}: {record.median_us:.2f} µs, {how}  {config_text(record.config, space)}"
        print_lines(self._console, text)

    def _cover(self, cell: Cell) -> None:
        self._covered.add(cell)
        if self._all is not None:
            self._progress.update(self._all, completed=self._known + len(self._covered))

    def _left_s(self) -> float:
        """Return the seconds left of the budget, or those that the rest takes at this pace if these are fewer."""
        task = next(task for task in self._progress.tasks if task.id == self._all)
        rest_s = self._budget_s - (task.elapsed or 0.0)
        return min(rest_s, task.time_remaining) if task.time_remaining else rest_s


def _compared_text(covered: Coverage) -> str:
    """Return by how much the winner of a cell was faster than what it was compared with, for people."""
    parts = [f"{counted(len(covered.ratios), 'config')} compared"]
    parts += [f"gain {covered.gain:.3f}×"] if covered.gain else []
    parts += [f"next {covered.next_best - 1:+.1%}"] if covered.next_best else []
    parts += ["not saved"] if covered.unbeaten else []
    return ", ".join([*parts, *([covered.reason] if covered.reason else [])])
