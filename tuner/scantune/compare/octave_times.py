"""The times of configs over an octave: where each may serve, and how much faster programs are with it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Set
from dataclasses import dataclass

from scantune.compare.pairs import Pairs, Verdict, mean_ratio, verdict
from scantune.compare.place_times import PlaceTimes
from scantune.model.config import Config
from scantune.model.octave import Range, octave_of
from scantune.model.probe import Probe

_NEAR = 1.1  # what takes longer than the fastest by this factor at n does not win over the octave
_SLOWER_THERE = 0.01  # the share by which a config must be slower at one place not to serve there


@dataclass(frozen=True)
class OctaveScore:
    """How programs do over an octave with a config, against what runs without it."""

    serves: Range
    score: float  # their time over that without it: a place where it is not to serve counts as 1
    ratio: float  # the same, if it ran everywhere
    is_fit: bool  # whether it is slower neither at the N that was searched nor behind a boundary


class OctaveTimes:
    def __init__(self, own: PlaceTimes, others: Iterable[PlaceTimes]) -> None:
        """Hold the times at the N that was searched, and at other places in its octave."""
        self.own = own
        self.places = [own, *others]

    @property
    def n(self) -> int:
        return self.own.place.n

    def run_by(self, config: Config, times: PlaceTimes) -> Config:
        """Return what runs at a place where a config has won: a default that won gives each N its own default."""
        return times.default if config == self.own.default else config

    def settle_baseline(self, configs: Iterable[Config], failed: Container[Config]) -> None:
        """Compare all with the first one that has a time, if the untuned config has no time."""
        untuned = self.own.untuned
        first = next((config for config in (untuned, *configs) if self.own.has(config)), untuned)
        for times in self.places:
            if first != untuned or times.untuned in failed:
                times.untuned = first

    def unseen(self, configs: Iterable[Config]) -> list[Config]:
        """Return the configs that may win by their times at n, and were not timed where else in the octave: none if it
        is what runs untuned alone.
        """
        times = self.own.times
        medians = {config: times[config].median_us for config in configs if config in times}
        least = min(medians.values(), default=0.0)
        near = [config for config, median_us in medians.items() if median_us <= _NEAR * least]
        if not set(near) - {self.own.untuned}:
            return []
        return [one for one in near if not any(other.has(self.run_by(one, other)) for other in self.places[1:])]

    def score(self, config: Config) -> OctaveScore:
        slower = [times for times in self.places if self._is_slower(config, times)]
        serves = self._range_without({times.place.n for times in slower})
        served = [times for times in self.places if times not in slower and times.place.n in serves]
        is_fit = not any(times.passes and (times is self.own or times.place.offset) for times in slower)
        return OctaveScore(serves, self._mean(config, served), self._mean(config, self.places), is_fit)

    def against(self, config: Config, holder: Config, held: Range | None) -> tuple[list[Pairs], int]:
        """Return the rounds of what runs with a config and of what runs now, and at how many places that is the same.

        The holder runs in the range that its record has; without one, where it runs untuned, or in all the octave.
        """
        pairs, alike = [], 0
        serves = self.score(config).serves
        for times in self.places:
            is_served = times.place.n in serves and not self._is_slower(config, times)
            one = self.run_by(config, times) if is_served else times.untuned
            is_held = times.place.n in held if held else holder != self.own.untuned
            other = self.run_by(holder, times) if is_held else times.untuned
            if one == other:
                alike += 1
            elif found := times.pairs(one, other):
                pairs.append(found)
        return pairs, alike

    def ratio(self, config: Config, winner: Config) -> float:
        """Return how many times as long as with the winner programs would take over the octave with a config; where it
        is worst, if it is not fit to serve.
        """
        score = self.score(config)
        if score.is_fit:
            return score.score / self.score(winner).score
        found = (times.pairs(self.run_by(config, times), self.run_by(winner, times)) for times in self.places)
        return max([1.0, *(pairs.ratio for pairs in found if pairs)])

    def probes(self, winner: Config) -> list[Probe]:
        """Return the winner's times beside those of what runs without it."""
        found = (times.probe(self.run_by(winner, times)) for times in self.places)
        return [probe for probe in found if probe]

    def forget(self, config: Config) -> None:
        for times in self.places:
            times.forget(config)

    def _is_slower(self, config: Config, times: PlaceTimes) -> bool:
        """Return whether a config is not to serve at a place: it is slower there, or nobody knows."""
        ran = self.run_by(config, times)
        if ran == times.untuned or (times.passes and not times.has(times.untuned)):
            return False  # what runs untuned failed there, so nothing is lost
        pairs = times.pairs(ran, times.untuned)
        return pairs is None or verdict([pairs], margin=_SLOWER_THERE) is Verdict.slower

    def _range_without(self, slower: Set[int]) -> Range:
        """Return the octave, or its part between places where a config is not slower: nothing is known between a place
        where it is slower and the next. If the octave's end could not be timed, it ends at n.
        """
        octave, sizes = octave_of(self.n), sorted({times.place.n for times in self.places})
        below = [n for n in sizes if n < self.n and n in slower]
        beyond = [n for n in sizes if n > self.n and n in slower]
        return Range(
            min(n for n in sizes if n > max(below)) - 1 if below else octave.above,
            max(n for n in sizes if n < min(beyond)) if beyond else max(sizes),
        )

    def _mean(self, config: Config, where: Iterable[PlaceTimes]) -> float:
        """Return the mean ratio over all places, of which those elsewhere count as 1."""
        pairs = [found for times in where if (found := times.pairs(self.run_by(config, times), times.untuned))]
        return mean_ratio(pairs, len(self.places) - len(pairs))
