"""Which search comes next, and how much of a run's time it may take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from scantune.model.cell import Cell
from scantune.model.policy import Policy
from scantune.search.time_model import TimeModel

# They suffice for the families' defaults, winners of similar searches and a step or two from them: with fewer, a search
# tells hardly more than the records around it do.
_LEAST_TRIALS = 12


@dataclass(frozen=True)
class Turn:
    cell: Cell
    trials_s: float  # time for its trials; what comes after them has been taken off


class Agenda:
    """Searches in the order of what they may gain, so that a budget which ends too soon leaves out what gains least.

    Of two that may gain as much the cheaper one comes first.
    """

    def __init__(
        self, cells: Iterable[Cell], promise: Callable[[Cell], float], model: TimeModel, policy: Policy
    ) -> None:
        """Order `cells` by `promise`: what a search of a cell may gain, as a share of its time or of its weight.

        It is asked again before each search, because results may change it.
        """
        self._waiting = list(cells)
        self._promise = promise
        self._promises: dict[Cell, float] = {}
        self._model = model
        self._policy = policy
        self._has_begun = False
        self.left_out: list[Cell] = []  # the time left could not pay for them

    def next(self, left_s: float) -> Turn | None:
        """Return the next search that the time left can pay for, with its share of that time; None if there is no such
        search.

        The first one always gets its turn.
        """
        self._order()
        while self._waiting:
            trials_s = self._share_s(left_s)
            cell = self._waiting.pop(0)
            if trials_s >= self._least_trials_s(cell) or not self._has_begun:
                self._has_begun = True
                return Turn(cell, trials_s)
            self.left_out.append(cell)
        return None

    def add(self, cells: Iterable[Cell] = ()) -> None:
        """Let more cells wait, and again those that were left out, because there is more time than it seemed."""
        self._waiting += [*self.left_out, *cells]
        self.left_out = []

    def _order(self) -> None:
        self._promises = {cell: self._promise(cell) for cell in self._waiting}
        promising = (cell for cell in self._waiting if self._promises[cell] > 0)
        self._waiting = sorted(promising, key=lambda cell: (-self._promises[cell], cell.bytes_moved, cell.n))

    def _share_s(self, left_s: float) -> float:
        """Return what the next search may spend on trials: its least, and its share of what all have beyond theirs.

        What a quick search leaves over, the later ones share. Those that can no longer have even the least get nothing.
        """
        spare_s, wanted_s = left_s, 0.0
        for position, cell in enumerate(self._waiting):
            needed_s = self._model.ending_s(*cell) + self._least_trials_s(cell)
            if position > 0 and needed_s > spare_s:
                break
            spare_s -= needed_s
            wanted_s += self._wanted_s(cell)
        first = self._waiting[0]
        return self._least_trials_s(first) + spare_s * (self._wanted_s(first) / wanted_s if wanted_s else 1.0)

    def _least_trials_s(self, cell: Cell) -> float:
        return self._model.trials_s(*cell, min(_LEAST_TRIALS, self._policy.trials))

    def _wanted_s(self, cell: Cell) -> float:
        """Return the time of its trials beyond the least number of them, weighted by what they may gain."""
        beyond_s = self._model.trials_s(*cell, self._policy.trials) - self._least_trials_s(cell)
        return self._promises[cell] * beyond_s
