"""Regret at sizes that were not tuned: how much faster the best config known is than what runtime::scan() would run."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from scantune.model.config import Config
from scantune.model.measurement import Measurement
from scantune.model.policy import CLEARLY_SLOWER, Policy
from scantune.model.problem import Problem
from scantune.model.quantity import counted, format_size
from scantune.model.restriction import Restriction
from scantune.model.trial import Failure
from scantune.report.listing import Column, Listing, Row
from scantune.report.messages import selection_message
from scantune.worker.client import Worker, WorkerDied, WorkerError
from scantune.worker.defaults import Defaults
from scantune.worker.environment import EnvironmentFault
from scantune.worker.evaluation import Evaluator
from scantune.worker.selection import Selection, select

_ROWS = 10


def sampled_sizes(least: int, most: int, count: int, seed: int) -> list[int]:
    """Return `count` different sizes between the two, in ascending order, each octave as likely as another.

    There are fewer where there are not so many sizes.
    """
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
    best: Config  # the fastest known, which may be the selected one
    selected_us: float
    best_us: float  # measured in the same round as selected_us

    @property
    def ratio(self) -> float:
        return self.selected_us / self.best_us

    def message(self, defaults: Defaults) -> dict[str, Any]:
        """Return the result for --json."""
        return {
            **selection_message(self.problem, self.n, self.selection, defaults), "ratio": self.ratio,
            "selected_us": self.selected_us, "best": self.best.message(), "best_us": self.best_us, "error": None,
        }  # fmt: skip


@dataclass(frozen=True)
class Uncompared:
    """A size that gave no ratio, and why."""

    problem: Problem
    n: int
    reason: str

    def message(self, _: Defaults) -> dict[str, Any]:
        """Return the result for --json."""
        return {"problem": self.problem.message(), "n": self.n, "ratio": None, "error": self.reason}


Comparable = Compared | Uncompared


class Comparison:
    def __init__(
        self, worker: Worker, evaluator: Evaluator, policy: Policy, databases: Sequence[Path] | None, seed: int,
        restriction: Restriction | None = None,
    ) -> None:  # fmt: skip
        """Select by the records in `databases`, or by those that runtime::scan() reads in this environment.

        With a restriction the best is one of its configs, whatever is selected.
        """
        self._restriction = restriction or Restriction()
        self._worker = worker
        self._evaluator = evaluator
        self._policy = policy
        self._databases = databases
        self._seed = seed
        self._verified: dict[tuple[Problem, int, Config], bool] = {}  # n is the size of the verification

    def compare(self, problem: Problem, n: int, found: Config | None) -> Comparable:
        """Measure what is selected for a size beside what else may be the best there.

        The others are what is selected for the powers of two around it, every family's default, and what a search
        `found`.
        """
        try:
            return self._compared(problem, n, found)
        except (EnvironmentFault, WorkerError, WorkerDied) as error:
            return Uncompared(problem, n, str(error))

    def _compared(self, problem: Problem, n: int, found: Config | None) -> Comparable:
        selection = select(self._worker, problem, n, self._databases)
        selected = selection.config
        rivals = self._rivals(problem, n, selected, found)
        among = [selected, *rivals] if self._restriction.admits(selected) else rivals
        if not among:
            return Uncompared(problem, n, f"no config of {self._restriction} works")
        outcomes = self._measure(problem, n, list(dict.fromkeys([selected, *among])), CLEARLY_SLOWER)
        times = {config: time_us for config, time_us in _times(outcomes).items() if config in among}
        best = min(times, key=times.__getitem__, default=among[0])
        if best != selected:
            # The fastest of many is partly so by chance: what counts is a round of the two alone.
            outcomes = self._measure(problem, n, [selected, best])
        for config in (selected, best):
            if isinstance(outcome := outcomes[config], Failure):
                role = "selected" if config == selected else "the fastest"
                return Uncompared(problem, n, f"{config}, which is {role}, cannot be timed: {outcome.reason}")
        times = _times(outcomes)
        return Compared(problem, n, selection, best, times[selected], times[best])

    def _rivals(self, problem: Problem, n: int, selected: Config, found: Config | None) -> list[Config]:
        whole = self._evaluator.space(problem, n, named=self._restriction.families)
        space = self._evaluator.restricted(problem, n, whole, self._restriction)
        selections = [select(self._worker, problem, size, self._databases).config for size in _powers_around(n)]
        around = filter(None, map(self._restriction.applied, filter(None, map(whole.known, selections))))
        candidates = dict.fromkeys([*around, *space.defaults, *([found] if found else [])])
        return [
            config
            for config in candidates
            if config != selected
            and (space.lists(config) or self._evaluator.is_valid(problem, n, config))
            and self._is_right(problem, n, config)
        ]

    def _is_right(self, problem: Problem, n: int, config: Config) -> bool:
        key = problem, min(n, self._policy.verify_items), config
        if key not in self._verified:
            failure = self._evaluator.verify_at_most(problem, n, self._policy.verify_items, config, self._seed)
            self._verified[key] = failure is None
        return self._verified[key]

    def _measure(
        self, problem: Problem, n: int, configs: Sequence[Config], slower_than: float | None = None
    ) -> dict[Config, Measurement | Failure]:
        rounds = replace(self._policy.final, ceiling=False, slower_than=slower_than)
        outcomes = self._evaluator.measure(problem, n, configs, rounds).outcomes
        return dict(zip(configs, outcomes, strict=True))


def _times(outcomes: Mapping[Config, Measurement | Failure]) -> dict[Config, float]:
    return {config: one.median_us for config, one in outcomes.items() if isinstance(one, Measurement)}


def _powers_around(n: int) -> list[int]:
    """Return the two powers of two below n and the two above it; n itself counts as below."""
    exponent = n.bit_length() - 1
    return [2**power for power in range(max(0, exponent - 1), exponent + 3)]


def described(one: Comparable) -> str:
    """Return one line that shows progress."""
    place = f"{one.problem} {format_size(one.n)}"
    if isinstance(one, Uncompared):
        return f"{place}: {one.reason}"
    return f"{place}: {one.selected_us:.2f} µs, {one.ratio:.3f} of the best known"


def summary(results: Sequence[Comparable], within: float) -> str:
    """Return all results in one line; `within` is a share of the best time, 0.05 for 5 %."""
    compared = [one for one in results if isinstance(one, Compared)]
    text = counted(len(compared), "size")
    if compared:
        worst = max(compared, key=lambda one: one.ratio)
        close = sum(one.ratio <= 1 + within for one in compared)
        text += (
            f": worst ratio {worst.ratio:.3f} at {worst.problem} {format_size(worst.n)}, "
            f"median {median(one.ratio for one in compared):.3f}; {close} within {within:.0%}"
        )
    missing = len(results) - len(compared)
    return f"{text}; {missing} could not be compared" if missing else text


def regret_table(results: Sequence[Comparable], defaults: Defaults) -> Listing:
    """Return a table of the worst ratios, and of all sizes that could not be compared."""
    compared = [one for one in results if isinstance(one, Compared)]
    rows = [_row(one, defaults) for one in sorted(compared, key=lambda one: -one.ratio)[:_ROWS]]
    rows += [
        Row([str(missing.problem), format_size(missing.n), "–", "–", "–", "–"], missing.reason)
        for missing in results
        if isinstance(missing, Uncompared)
    ]
    numbers = map(Column, ("N", "ratio", "µs", "best µs"))
    columns = [Column("problem", is_text=True), *numbers, Column("origin", is_text=True)]
    caption = "config: what departs from the family's default."
    return Listing("What is selected, against the best known", columns, rows, "selected, best", caption)


def _row(one: Compared, defaults: Defaults) -> Row:
    configs = dict.fromkeys((one.selection.config, one.best))
    return Row(
        [
            str(one.problem), format_size(one.n), f"{one.ratio:.3f}", f"{one.selected_us:.2f}", f"{one.best_us:.2f}",
            one.selection.origin,
        ],
        "\n".join(defaults.told(one.problem, one.n, config) for config in configs),
    )  # fmt: skip
