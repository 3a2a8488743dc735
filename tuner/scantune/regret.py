"""How much faster the best config known for a size is than the one that runtime::scan() would run, where nothing was
tuned.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from scantune.config import Config
from scantune.errors import ScantuneError
from scantune.evaluation import Evaluator
from scantune.measurement import Measurement
from scantune.policy import Policy
from scantune.problem import Problem
from scantune.quantity import counted, format_size
from scantune.selection import Selection, select
from scantune.worker import Worker

_CLEARLY_SLOWER = 1.25
_ROWS = 10


def sampled_sizes(least: int, most: int, count: int, seed: int) -> list[int]:
    """Return so many different sizes between, fewer if there are no more, as likely in one octave as in another."""
    draw = random.Random(seed)
    sizes: set[int] = set()
    wanted = min(count, max(0, most - least - 1))
    while len(sizes) < wanted:
        n = round(math.exp(draw.uniform(math.log(least), math.log(most))))
        if least < n < most:
            sizes.add(n)
    return sorted(sizes)


@dataclass(frozen=True)
class Compared:
    problem: Problem
    n: int
    selection: Selection
    best: Config  # perhaps the selected one
    selected_us: float
    best_us: float  # in the same round

    @property
    def ratio(self) -> float:
        return self.selected_us / self.best_us

    def message(self) -> dict[str, Any]:
        """Return what a JSON file says of it."""
        return {
            "problem": vars(self.problem), "n": self.n, "ratio": self.ratio, "origin": self.selection.origin,
            "reason": self.selection.reason, "selected": self.selection.config.message(),
            "selected_us": self.selected_us, "best": self.best.message(), "best_us": self.best_us,
        }  # fmt: skip


class Comparison:
    def __init__(
        self, worker: Worker, evaluator: Evaluator, policy: Policy, databases: Sequence[Path] | None, seed: int
    ) -> None:
        """By the records in `databases`, or those that runtime::scan() reads in this environment."""
        self._worker = worker
        self._evaluator = evaluator
        self._policy = policy
        self._databases = databases
        self._seed = seed
        self._verified: dict[tuple[Problem, int, Config], bool] = {}  # by the size of the verification

    def compare(self, problem: Problem, n: int, found: Config | None) -> Compared:
        """Measure what is selected for a size beside what else may be the best there.

        That is what is selected for the powers of two around it, every family's default, and what a search `found`.
        Raises ScantuneError when the selected config cannot be timed.
        """
        selection = select(self._worker, problem, n, self._databases)
        selected = selection.config
        times = self._times(problem, n, [selected, *self._rivals(problem, n, selected, found)], _CLEARLY_SLOWER)
        if selected not in times:
            raise ScantuneError(f"{problem} {format_size(n)}: {selected}, which is selected, cannot be timed")
        best = min(times, key=times.__getitem__)
        if best == selected:
            return Compared(problem, n, selection, best, times[best], times[best])
        # The fastest of many was also lucky: what counts is a round of the two alone.
        duel = self._times(problem, n, [selected, best])
        return Compared(problem, n, selection, best, duel[selected], duel.get(best, duel[selected]))

    def _rivals(self, problem: Problem, n: int, selected: Config, found: Config | None) -> list[Config]:
        space = self._evaluator.space(problem, n)
        around = [select(self._worker, problem, size, self._databases).config for size in _powers_around(n)]
        candidates = dict.fromkeys([*around, *space.defaults, *([found] if found else [])])
        return [
            config
            for config in candidates
            if config != selected
            and (config in space.searched or self._evaluator.is_valid(problem, n, config))
            and self._is_right(problem, n, config)
        ]

    def _is_right(self, problem: Problem, n: int, config: Config) -> bool:
        key = problem, min(n, self._policy.verify_items), config
        if key not in self._verified:
            self._verified[key] = self._evaluator.verify(*key, self._seed) is None
        return self._verified[key]

    def _times(
        self, problem: Problem, n: int, configs: Sequence[Config], slower_than: float | None = None
    ) -> dict[Config, float]:
        rounds = replace(self._policy.final, ceiling=False, slower_than=slower_than)
        outcomes = self._evaluator.measure(problem, n, configs, rounds).outcomes
        return {
            config: outcome.median_us
            for config, outcome in zip(configs, outcomes, strict=True)
            if isinstance(outcome, Measurement)
        }


def _powers_around(n: int) -> list[int]:
    """Return the two powers of two on either side."""
    exponent = n.bit_length() - 1
    return [2**power for power in range(max(0, exponent - 1), exponent + 3)]


def summary(compared: Sequence[Compared], within: float) -> str:
    """Return one line; `within` is a share of the best time, 0.05 for 5 %."""
    worst = max(compared, key=lambda one: one.ratio)
    close = sum(one.ratio <= 1 + within for one in compared)
    return (
        f"{counted(len(compared), 'size')}: worst ratio {worst.ratio:.3f} at {worst.problem} {format_size(worst.n)}, "
        f"median {median(one.ratio for one in compared):.3f}; {close} within {within:.0%}"
    )


def regret_table(compared: Sequence[Compared]) -> Table:
    """Return the worst ones."""
    table = Table(
        title=Text("What is selected, against the best known", style="table.title"), title_justify="left",
        box=SIMPLE_HEAD, pad_edge=False,
    )  # fmt: skip
    for header in ("problem", "N", "ratio", "µs", "best µs", "origin"):
        table.add_column(header, justify="left" if header in ("problem", "origin") else "right", no_wrap=True)
    table.add_column("selected, best")
    for one in sorted(compared, key=lambda one: -one.ratio)[:_ROWS]:
        table.add_row(
            str(one.problem), format_size(one.n), f"{one.ratio:.3f}", f"{one.selected_us:.2f}", f"{one.best_us:.2f}",
            one.selection.origin, Text(f"{one.selection.config}\n{one.best}"),
        )  # fmt: skip
    return table
