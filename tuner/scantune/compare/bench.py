"""Measures what runtime::scan() would run on this machine, beside a copy of as many bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scantune.model.device import Hello
from scantune.model.measurement import Measurement
from scantune.model.policy import Effort, policy_of
from scantune.model.problem import Problem
from scantune.model.quantity import format_size, three_digits
from scantune.model.trial import Failure
from scantune.report.listing import Column, Listing, Row
from scantune.report.messages import selection_message
from scantune.worker.client import Worker
from scantune.worker.defaults import Defaults
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import Selection, select

_SEED = 1


@dataclass(frozen=True)
class Benched:
    """One problem at one size: what was chosen for it, and how fast that is or why it cannot be said."""

    problem: Problem
    n: int
    selection: Selection
    outcome: Measurement | Failure
    ceiling_us: float | None  # of the fastest copy of as many bytes

    @property
    def gigabytes_per_second(self) -> float | None:
        if isinstance(self.outcome, Failure):
            return None
        return self.outcome.gigabytes_per_second(self.problem.bytes_moved(self.n))

    @property
    def share_of_ceiling(self) -> float | None:
        if isinstance(self.outcome, Failure) or not self.ceiling_us:
            return None
        return self.ceiling_us / self.outcome.median_us

    def message(self, defaults: Defaults) -> dict[str, Any]:
        """Return what --json says of it."""
        message = {
            **selection_message(self.problem, self.n, self.selection, defaults),
            "median_us": None, "spread": None, "ceiling_us": self.ceiling_us,
            "gigabytes_per_second": self.gigabytes_per_second, "share_of_ceiling": self.share_of_ceiling,
            "failure": None,
        }  # fmt: skip
        if isinstance(self.outcome, Failure):
            return {**message, "failure": {"status": self.outcome.status, "reason": self.outcome.reason}}
        return {**message, "median_us": self.outcome.median_us, "spread": self.outcome.spread}


def bench(
    worker: Worker,
    problems: Sequence[Problem],
    sizes: Sequence[int],
    databases: Sequence[Path] | None = None,
    measured: Callable[[Benched], None] = lambda benched: None,
) -> list[Benched]:
    """Return each problem at each size, after calling `measured` with it.

    What runs is what the records in `databases` say, or those that runtime::scan() reads in this environment. Its
    results are checked before it is timed; those of large scans at 2^20 items, or 2^14 on the host device. Raises
    WorkerError when the worker cannot select, EnvironmentFault when memory or the like is missing.
    """
    results = []
    for benched in _each(worker, problems, sizes, databases):
        measured(benched)
        results.append(benched)
    return results


def _each(
    worker: Worker, problems: Sequence[Problem], sizes: Sequence[int], databases: Sequence[Path] | None
) -> Iterator[Benched]:
    device = worker.hello().device
    policy = policy_of(device, Effort.normal)
    evaluator = Evaluator(worker, Timeouts.of(device))
    for problem in problems:
        for n in sizes:
            selection = select(worker, problem, n, databases)
            failure = evaluator.verify_at_most(problem, n, policy.verify_items, selection.config, _SEED)
            if failure:
                yield Benched(problem, n, selection, failure, None)
                continue
            found = evaluator.measure(problem, n, [selection.config], policy.final)
            yield Benched(problem, n, selection, found.outcomes[0], found.ceiling_us)


def bench_table(results: Sequence[Benched], hello: Hello, defaults: Defaults) -> Listing:
    """Return the table that people see."""
    about = (
        "config: what departs from the family's default. of copy: share of the bandwidth of a copy of as many bytes. "
        "spread: interquartile range over the median."
    )
    if hello.device.is_host:
        about += " These times describe the CPU of the host device, never a GPU."
    numbers = map(Column, ("N", "µs", "GB/s", "of copy", "spread"))
    columns = [Column("problem", is_text=True), *numbers, Column("origin", is_text=True)]
    rows = [_row(benched, defaults) for benched in results]
    return Listing(f"scantune on {hello.device}", columns, rows, "family and config", about)


def _row(benched: Benched, defaults: Defaults) -> Row:
    start = [str(benched.problem), format_size(benched.n)]
    origin = benched.selection.origin
    config = defaults.told(benched.problem, benched.n, benched.selection.config)
    if isinstance(benched.outcome, Failure):
        reason = benched.outcome.reason.splitlines()[0] if benched.outcome.reason else benched.outcome.status
        return Row([*start, "–", "–", "–", "–", origin], f"{config}\n{reason}")
    cells = [
        *start,
        f"{benched.outcome.median_us:.2f}",
        three_digits(benched.gigabytes_per_second or 0),
        f"{benched.share_of_ceiling:.0%}" if benched.share_of_ceiling else "–",
        f"{benched.outcome.spread:.1%}",
        origin,
    ]
    return Row(cells, config)
