"""Which of two configs is faster, by rounds in which both were timed in turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import geometric_mean, median

from scantune.model.measurement import Measurement

MARGIN = 0.005  # a share of the time by which clocks move within a round
_MOST_BY_CHANCE = 0.025  # the probability that as many rounds agree although neither config is faster


class Verdict(Enum):
    faster = "faster"
    slower = "slower"
    same = "same"  # the two differ by no more than the margin
    undecided = "undecided"  # they differ by more, and it may be chance


@dataclass(frozen=True)
class Pairs:
    """The times of two configs at one place, round by round. What an outlier hits loses its round, and no more."""

    one_us: Sequence[float]
    other_us: Sequence[float]

    @classmethod
    def of(cls, one: Measurement, other: Measurement) -> Pairs:
        """Pair two measurements of one request. Without samples there is one round, that of their medians."""
        if one.samples_us and len(one.samples_us) == len(other.samples_us):
            return cls(one.samples_us, other.samples_us)
        return cls((one.median_us,), (other.median_us,))

    @classmethod
    def joined(cls, passes: Sequence[Pairs]) -> Pairs:
        return cls([us for one in passes for us in one.one_us], [us for one in passes for us in one.other_us])

    @property
    def ratio(self) -> float:
        """How many times as long as the other the one takes: the median over the rounds."""
        rounds = list(zip(self.one_us, self.other_us, strict=True))
        if all(one > 0 and other > 0 for one, other in rounds):
            return median(one / other for one, other in rounds)
        return median(self.one_us) / median(self.other_us)  # isolated times are differences, of which some are negative

    @property
    def wins(self) -> int:
        return sum(one < other for one, other in zip(self.one_us, self.other_us, strict=True))

    @property
    def losses(self) -> int:
        return sum(one > other for one, other in zip(self.one_us, self.other_us, strict=True))


def mean_ratio(places: Sequence[Pairs], alike: int = 0) -> float:
    """Return the geometric mean of the ratios at places, and of 1 at so many where both are one config."""
    return geometric_mean([*(pairs.ratio for pairs in places), *[1.0] * alike]) if places else 1.0


def verdict(places: Sequence[Pairs], alike: int = 0, margin: float = MARGIN) -> Verdict:
    """Return how the one does against the other: by mean_ratio(), and by a sign test over the rounds of all places."""
    ratio = mean_ratio(places, alike)
    wins, losses = (sum(getattr(pairs, name) for pairs in places) for name in ("wins", "losses"))
    if ratio < 1 - margin:
        return Verdict.faster if _is_beyond_chance(wins, wins + losses) else Verdict.undecided
    if ratio > 1 + margin:
        return Verdict.slower if _is_beyond_chance(losses, wins + losses) else Verdict.undecided
    return Verdict.same


def _is_beyond_chance(agreeing: int, rounds: int) -> bool:
    """Return whether so many rounds agree hardly ever where each is as likely to go either way."""
    ways = sum(math.comb(rounds, count) for count in range(agreeing, rounds + 1))
    return ways <= _MOST_BY_CHANCE * 2.0**rounds
