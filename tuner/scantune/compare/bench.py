"""Measurements of what runtime::scan() would run on this machine, beside a copy of as many bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from scantune.compare.noise import noise_us
from scantune.model.config import Config
from scantune.model.device import Hello
from scantune.model.measurement import Measurement
from scantune.model.policy import Effort, Policy, Rounds, policy_of
from scantune.model.problem import Problem
from scantune.model.quantity import format_size, three_digits
from scantune.model.trial import Failure
from scantune.report.listing import Column, Listing, Row
from scantune.report.messages import selection_message
from scantune.worker.client import Worker
from scantune.worker.defaults import Defaults
from scantune.worker.evaluation import Evaluator, Measured, Timeouts
from scantune.worker.selection import Selection, select

_SEED = 1


class Verdict(str, Enum):
    """What a race of two configs says of the second."""

    faster = "faster"
    slower = "slower"
    same = "same"  # the two differ by no more than the noise


@dataclass(frozen=True)
class Difference:
    """How the time of a config differs from that of the first in the same round."""

    ratio: float  # time over the first's
    noise: float  # share of the first's time by which the two may differ by chance

    @classmethod
    def between(cls, first: Measurement, other: Measurement) -> Difference:
        return cls(other.median_us / first.median_us, noise_us(first, other) / first.median_us)

    @property
    def verdict(self) -> Verdict:
        if abs(self.ratio - 1) <= self.noise:
            return Verdict.same
        return Verdict.faster if self.ratio < 1 else Verdict.slower

    def message(self) -> dict[str, Any]:
        return {"ratio": self.ratio, "noise": self.noise, "verdict": self.verdict.value}


@dataclass(frozen=True)
class Benched:
    """One problem at one size: the selected config, and its time or why there is no time."""

    problem: Problem
    n: int
    selection: Selection
    outcome: Measurement | Failure
    ceiling_us: float | None  # time of the fastest copy of as many bytes
    against_first: Difference | None = None  # of several that were raced, to the first of them

    @property
    def gigabytes_per_second(self) -> float | None:
        if isinstance(self.outcome, Failure):
            return None
        return self.problem.gigabytes_per_second(self.n, self.outcome.median_us)

    @property
    def share_of_ceiling(self) -> float | None:
        if isinstance(self.outcome, Failure) or not self.ceiling_us:
            return None
        return self.ceiling_us / self.outcome.median_us

    def message(self, defaults: Defaults) -> dict[str, Any]:
        """Return the result for --json."""
        message = {
            **selection_message(self.problem, self.n, self.selection, defaults),
            "median_us": None, "spread": None, "ceiling_us": self.ceiling_us,
            "gigabytes_per_second": self.gigabytes_per_second, "share_of_ceiling": self.share_of_ceiling,
            "against_first": self.against_first.message() if self.against_first else None, "failure": None,
        }  # fmt: skip
        if isinstance(self.outcome, Failure):
            return {**message, "failure": {"status": self.outcome.status, "reason": self.outcome.reason}}
        return {**message, "median_us": self.outcome.median_us, "spread": self.outcome.spread}


Candidates = Callable[[Problem, int], Sequence[Selection]]  # returns what is to be timed together, if anything


def bench(
    worker: Worker,
    problems: Sequence[Problem],
    sizes: Sequence[int],
    databases: Sequence[Path] | None = None,
    measured: Callable[[Benched], None] = lambda benched: None,
    candidates: Candidates | None = None,
) -> list[Benched]:
    """Return the result of each problem at each size; `measured` is called with each as soon as it is there.

    Configs are the `candidates`, raced where they are several; without these, what the records in `databases` select,
    or those that runtime::scan() reads in this environment.
    A config's results are checked before it is timed; those of large scans at 2^20 items, or 2^14 on the host device.
    Raises WorkerError when the worker cannot select, EnvironmentFault when memory or the like is missing.
    """
    candidates = candidates or (lambda problem, n: [select(worker, problem, n, databases)])
    device = worker.hello().device
    evaluator, policy = Evaluator(worker, Timeouts.of(device)), policy_of(device, Effort.normal)
    results = []
    for problem in problems:
        for n in sizes:
            for benched in _timed(evaluator, policy, problem, n, candidates(problem, n)):
                measured(benched)
                results.append(benched)
    return results


def _timed(
    evaluator: Evaluator, policy: Policy, problem: Problem, n: int, selections: Sequence[Selection]
) -> Iterator[Benched]:
    """Yield what came of each: all times that there are come from one round."""
    failures = {
        place: failure
        for place, one in enumerate(selections)
        if (failure := evaluator.verify_at_most(problem, n, policy.verify_items, one.config, _SEED))
    }
    found = raced(evaluator, policy.final, problem, n, [one.config for one in selections], failures)
    times = {place: one for place, one in enumerate(found.outcomes) if isinstance(one, Measurement)}
    first = min(times, default=0)  # that could be timed
    for place, (selection, outcome) in enumerate(zip(selections, found.outcomes, strict=True)):
        if isinstance(outcome, Failure):
            yield Benched(problem, n, selection, outcome, None)
            continue
        against = Difference.between(times[first], outcome) if place > first else None
        yield Benched(problem, n, selection, outcome, found.ceiling_us, against)


def raced(
    evaluator: Evaluator, rounds: Rounds, problem: Problem, n: int, configs: Sequence[Config],
    failures: Mapping[int, Failure],
) -> Measured:  # fmt: skip
    """Return what came of each config: all times that there are come from one round.

    `failures` are those of configs that are not to be timed, by their places. Raises EnvironmentFault.
    """
    failures, times, ceiling_us = dict(failures), dict[int, Measurement](), None
    while len(times) + len(failures) < len(configs):
        ready = [place for place in range(len(configs)) if place not in failures]
        found = evaluator.measure(problem, n, [configs[place] for place in ready], rounds)
        outcomes = dict(zip(ready, found.outcomes, strict=True))
        failed = {place: outcome for place, outcome in outcomes.items() if isinstance(outcome, Failure)}
        failures |= failed
        # The others may have been timed one by one, and are raced once more.
        if not failed or len(ready) == 1:
            times = {place: outcome for place, outcome in outcomes.items() if isinstance(outcome, Measurement)}
            ceiling_us = found.ceiling_us
    return Measured([failures.get(place) or times[place] for place in range(len(configs))], ceiling_us)


def bench_table(results: Sequence[Benched], hello: Hello, defaults: Defaults) -> Listing:
    """Return the table that people see."""
    about = (
        "config: what departs from the family's default. of copy: share of the bandwidth of a copy of as many bytes. "
        "spread: interquartile range over the median."
    )
    if hello.device.is_host:
        about += " These times describe the CPU of the host device, never a GPU."
    is_race = any(one.against_first for one in results)
    if is_race:
        about += (
            " to the first: by how much it takes longer than the first config of its problem and N that ran, raced in "
            "turns. "
            "noise: by how much two times of the round may differ by chance."
        )
    numbers = [*map(Column, ("N", "µs", "GB/s", "of copy", "spread")), Column("origin", is_text=True)]
    compared = [Column("to the first"), Column("noise"), Column("verdict", is_text=True)] if is_race else []
    columns = [Column("problem", is_text=True), *numbers, *compared]
    rows = [_row(benched, defaults, is_race) for benched in results]
    return Listing(f"scantune on {hello.device}", columns, rows, "family and config", about)


def _row(benched: Benched, defaults: Defaults, is_race: bool) -> Row:
    start = [str(benched.problem), format_size(benched.n)]
    origin = benched.selection.origin
    config = defaults.told(benched.problem, benched.n, benched.selection.config)
    compared = _compared_cells(benched.against_first) if is_race else []
    if isinstance(benched.outcome, Failure):
        reason = benched.outcome.reason.splitlines()[0] if benched.outcome.reason else benched.outcome.status
        return Row([*start, "–", "–", "–", "–", origin, *compared], f"{config}\n{reason}")
    bandwidth = benched.gigabytes_per_second
    cells = [
        *start,
        f"{benched.outcome.median_us:.2f}",
        "–" if bandwidth is None else three_digits(bandwidth),
        f"{benched.share_of_ceiling:.0%}" if benched.share_of_ceiling else "–",
        f"{benched.outcome.spread:.1%}",
        origin,
        *compared,
    ]
    return Row(cells, config)


def _compared_cells(difference: Difference | None) -> list[str]:
    if difference is None:
        return ["–", "–", "–"]
    return [f"{difference.ratio - 1:+.1%}", f"±{difference.noise:.1%}", difference.verdict.value]
