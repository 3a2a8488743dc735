"""Makes a portfolio of the records of one problem: beside the winners, where one takes over from the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from scantune.archive import Archive, Session
from scantune.breakpoint import Breakpoint
from scantune.crossover import find_breakpoint, pairs_to_probe, prober
from scantune.environment import EnvironmentFault
from scantune.evaluation import Evaluator
from scantune.policy import Policy
from scantune.record import Record


class Watcher(Protocol):
    """Is told of every breakpoint that is found."""

    def switches(self, found: Breakpoint) -> None: ...


@dataclass(frozen=True)
class Portfolio:
    archive: Archive
    session: Session
    evaluator: Evaluator
    policy: Policy
    watcher: Watcher
    clock: Callable[[], float]

    def complete(self, records: Sequence[Record], deadline: float) -> int:
        """Find the breakpoints between records of one problem that are not known yet, saving each.

        Return between how many it did not, for want of time or, say, memory.
        """
        left_out = 0
        for low, high in pairs_to_probe(records, self._known(records), self.session.run):
            if self.clock() >= deadline or not self._find(low, high):
                left_out += 1
        return left_out

    def breakpoints(self, records: Sequence[Record]) -> list[Breakpoint]:
        """Return what is known between records of one problem that are neighbours."""
        ordered = sorted(records, key=lambda record: record.n)
        ends = {(low.n, high.n) for low, high in pairwise(ordered)}
        return [known for known in self._known(records) if (known.n_low, known.n_high) in ends]

    def _find(self, low: Record, high: Record) -> bool:
        measure = prober(self.evaluator, low.problem, low.config, high.config, self.policy)
        try:
            found = find_breakpoint(low, high, measure, self.policy.probes, self.session.run)
        except EnvironmentFault:
            return False
        self.session.save_breakpoint(found)
        self.watcher.switches(found)
        return True

    def _known(self, records: Sequence[Record]) -> list[Breakpoint]:
        of_these = {(record.device, record.problem) for record in records}
        return [known for known in self.archive.breakpoints() if (known.device, known.problem) in of_these]
