"""Shares the trials of a search out among the kernel families: the more a family promises, the more it gets."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

# In every search recorded on an H200 the default of the winning family came within 1.3 of what its best config took. A
# family that is this much behind the fastest has nothing left to win by.
DROP_BEHIND = 1.5
_SHARPNESS = 8  # a family that is 10 % behind gets half the trials of the fastest, one that is 30 % behind an eighth
_FAILURES_TO_DROP = 4  # of a family of which nothing has worked yet


@dataclass
class _Standing:
    tried: int = 0  # handed out, whether or not the result is known
    failed: int = 0
    best_us: float | None = None


class FamilyShares:
    def __init__(self, families: Iterable[str]) -> None:
        self._standings = {family: _Standing() for family in families}

    def hand_out(self, family: str) -> None:
        """Count a trial that is about to be made."""
        self._standings[family].tried += 1

    def tell(self, family: str, score: float | None) -> None:
        """Learn from a trial; None is a failure."""
        standing = self._standings[family]
        if score is None:
            standing.failed += 1
        else:
            standing.best_us = min(score, standing.best_us or score)

    def next(self, families: Collection[str]) -> str:
        """Return which of the families gets the next trial; one that was dropped only where all of them were."""
        kept = [family for family in families if not self.is_dropped(family)]
        # The apportionment of d'Hondt: however many trials there will be, the shares are right for those made so far.
        return max(kept or families, key=lambda family: self._weight(family) / (self._standings[family].tried + 1))

    def is_dropped(self, family: str) -> bool:
        """Return whether the family has lost: far behind the fastest, or nothing of it works."""
        standing = self._standings[family]
        if standing.best_us is None:
            return standing.failed >= _FAILURES_TO_DROP
        return standing.best_us > DROP_BEHIND * self._fastest_us

    def _weight(self, family: str) -> float:
        best_us = self._standings[family].best_us
        return 1.0 if best_us is None else float((self._fastest_us / best_us) ** _SHARPNESS)

    @property
    def _fastest_us(self) -> float:
        return min(standing.best_us for standing in self._standings.values() if standing.best_us is not None)
