"""Shares the trials of a search out among the kernel families: the more a family promises, the more it gets."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

# In every search recorded on an H200 the best config was at most 1.3 times faster than its family's default. Taken for
# more, and for less with every trial: a family that was hardly tried must not lose to one that was tuned.
_FIRST_HOPE = 0.5
_HOPE_HALVES_AFTER = 10  # trials
_GAIN = 0.99  # of a family's best time so far: less hardly shows above the noise of a racing round
_SHARPNESS = 8  # a family that promises times 10 % longer gets half the trials, one with 30 % longer an eighth
_FAILURES_TO_DROP = 4  # of a family of which nothing has worked yet


@dataclass
class _Standing:
    tried: int = 0  # handed out, whether or not the result is known
    failed: int = 0
    best_us: float = math.inf
    in_vain: int = 0  # trials since the last gain

    @property
    def is_measured(self) -> bool:
        return self.best_us < math.inf

    @property
    def promised_us(self) -> float:
        """What the family may yet come to."""
        return self.best_us / (1 + _FIRST_HOPE / (1 + self.tried / _HOPE_HALVES_AFTER))


class FamilyShares:
    def __init__(self, families: Iterable[str], patience: int) -> None:
        self._standings = {family: _Standing() for family in families}
        self._patience = patience

    def hand_out(self, family: str) -> None:
        """Count a trial that is about to be made."""
        self._standings[family].tried += 1

    def tell(self, family: str, score: float | None) -> None:
        """Learn from a trial; None is a failure."""
        standing = self._standings[family]
        standing.failed += score is None
        standing.in_vain = 0 if score is not None and score < _GAIN * standing.best_us else standing.in_vain + 1
        standing.best_us = min(standing.best_us, math.inf if score is None else score)

    @property
    def contenders(self) -> list[str]:
        """The families that may yet win, the fastest first."""
        kept = (family for family in self._standings if not self.is_dropped(family))
        return sorted(kept, key=lambda family: self._standings[family].best_us)

    def renew_patience(self) -> None:
        for standing in self._standings.values():
            standing.in_vain = 0

    def next(self, families: Collection[str]) -> str:
        """Return which of the families gets the next trial; a settled one only where all of them are."""
        kept = [family for family in families if not self.is_settled(family)] or families
        # The apportionment of d'Hondt: however many trials there will be, the shares are right for those made so far.
        return max(kept, key=lambda family: self._weight(family) / (self._standings[family].tried + 1))

    def is_settled(self, family: str) -> bool:
        """Return whether more trials of the family are not worth while: it has lost, or has not gained for long."""
        return self.is_dropped(family) or self._standings[family].in_vain >= self._patience

    def is_dropped(self, family: str) -> bool:
        """Return whether the family has lost: not even what it promises is the fastest, or nothing of it works."""
        standing = self._standings[family]
        if not standing.is_measured:
            return standing.failed >= _FAILURES_TO_DROP
        return standing.promised_us > min(one.best_us for one in self._standings.values())

    def _weight(self, family: str) -> float:
        standing = self._standings[family]
        if not standing.is_measured:
            return 1.0
        most_promising_us = min(one.promised_us for one in self._standings.values())
        return float((most_promising_us / standing.promised_us) ** _SHARPNESS)
