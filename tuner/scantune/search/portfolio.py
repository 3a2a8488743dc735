"""Portfolios of the records of a run: the winners, and the breakpoints where one takes over from the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol

from scantune.compare.crossover import find_breakpoint, pairs_to_probe, prober, probes_between
from scantune.model.breakpoint import Breakpoint
from scantune.model.policy import Policy
from scantune.model.quantity import format_size
from scantune.model.record import Record
from scantune.search.time_model import TimeModel
from scantune.store.archive import Archive, Session
from scantune.worker.environment import EnvironmentFault
from scantune.worker.evaluation import Evaluator

Pair = tuple[Record, Record]


class Watcher(Protocol):
    """What is told of every breakpoint that is found."""

    def switches(self, found: Breakpoint) -> None: ...


class Portfolio:
    """What is known of the breakpoints between records of one device, and what is still to be measured."""

    def __init__(
        self, archive: Archive, session: Session, evaluator: Evaluator, policy: Policy, model: TimeModel,
        watcher: Watcher, clock: Callable[[], float],
    ) -> None:  # fmt: skip
        self._session = session
        self._evaluator = evaluator
        self._policy = policy
        self._model = model
        self._watcher = watcher
        self._clock = clock
        self._known = [known for known in archive.breakpoints() if known.device == session.device]
        self._faults: dict[Pair, str] = {}
        self.out_of_time = 0  # pairs that the last complete() did not reach

    @property
    def faults(self) -> list[str]:
        """Why there is no breakpoint between two records, though there was time to measure one."""
        return [
            f"{low.problem} between {format_size(low.n)} and {format_size(high.n)}: {reason}"
            for (low, high), reason in self._faults.items()
        ]

    def probing_s(self, records: Sequence[Record]) -> float:
        """Return the seconds that it will take to find those breakpoints between records that are not known yet."""
        return sum(
            probes_between(low, high, self._policy) * self._model.probe_s(high.problem, high.n)
            for low, high in self._to_probe(records)
        )

    def complete(self, records: Sequence[Record], deadline: float) -> None:
        """Find the breakpoints between records that are not known yet, saving each, until the deadline.

        Pairs of small N come first, whatever their problem, because neighbours differ most there.
        """
        pairs = sorted(self._to_probe(records), key=lambda pair: pair[0].n)
        self.out_of_time = 0
        for pair in pairs:
            if self._clock() >= deadline:
                self.out_of_time += 1
            else:
                self._find(pair)

    def breakpoints(self, records: Sequence[Record]) -> list[Breakpoint]:
        """Return the known breakpoints between neighbours among `records` whose configs are still the same."""
        ends = {
            (low.problem, low.n, high.n, low.config, high.config)
            for of_problem in _by_problem(records)
            for low, high in pairwise(of_problem)
        }
        found = [one for one in self._known if (one.problem, one.n_low, one.n_high, one.low, one.high) in ends]
        problems = list(dict.fromkeys(record.problem for record in records))
        return sorted(found, key=lambda one: (problems.index(one.problem), one.n_low))

    def _to_probe(self, records: Sequence[Record]) -> list[Pair]:
        return [
            pair
            for of_problem in _by_problem(records)
            for pair in pairs_to_probe(of_problem, self._known, self._session.run_of)
            if pair not in self._faults
        ]

    def _find(self, pair: Pair) -> None:
        low, high = pair
        run = self._session.run_of(high.problem, high.n, low.config, high.config)
        measure = prober(self._evaluator, low.problem, low.config, high.config, self._policy)
        try:
            found = find_breakpoint(low, high, measure, probes_between(low, high, self._policy), run)
        except EnvironmentFault as error:
            self._faults[pair] = str(error)
            return
        self._session.save_breakpoint(found)
        place = (found.problem, found.n_low)
        self._known = [*(known for known in self._known if (known.problem, known.n_low) != place), found]
        self._watcher.switches(found)


def _by_problem(records: Sequence[Record]) -> list[list[Record]]:
    """Return the records of each problem, ordered by N."""
    ordered = sorted(records, key=lambda record: record.n)
    return [
        [record for record in ordered if record.problem == problem]
        for problem in dict.fromkeys(record.problem for record in records)
    ]
