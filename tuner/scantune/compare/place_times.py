"""The times of configs at one place: so many items, behind a boundary or at it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scantune.compare.pairs import Pairs
from scantune.model.config import Config
from scantune.model.draws import Place
from scantune.model.measurement import Measurement
from scantune.model.probe import Probe


@dataclass(eq=False)
class PlaceTimes:
    place: Place
    untuned: Config  # what runs there without the user's own records
    default: Config  # the default config of this N
    passes: list[dict[Config, Measurement]] = field(default_factory=list)  # each timed in turn what it holds

    def learn(self, measured: Mapping[Config, Measurement]) -> None:
        """Take in what was timed in turn."""
        if measured:
            self.passes.append(dict(measured))

    def forget(self, config: Config) -> None:
        for one in self.passes:
            one.pop(config, None)

    @property
    def times(self) -> dict[Config, Measurement]:
        """The times of all passes, joined."""
        joined: dict[Config, Measurement] = {}
        for one in self.passes:
            for config, found in one.items():
                joined[config] = _joined(joined[config], found) if config in joined else found
        return joined

    def has(self, config: Config) -> bool:
        return any(config in one for one in self.passes)

    def pairs(self, one: Config, other: Config) -> Pairs | None:
        """Return the rounds in which both were timed in turn; None without such rounds."""
        both = [Pairs.of(timed[one], timed[other]) for timed in self.passes if one in timed and other in timed]
        return Pairs.joined(both) if both else None

    def probe(self, config: Config) -> Probe | None:
        """Return the config's time beside that of what runs untuned; None where one has no time."""
        if not self.has(config) or not self.has(self.untuned):
            return None
        times = self.times
        return Probe(*self.place, times[config].median_us, times[self.untuned].median_us)


def _joined(one: Measurement, other: Measurement) -> Measurement:
    samples = one.samples_us + other.samples_us
    if not one.samples_us or not other.samples_us:
        return other
    middle = statistics.median(samples)
    low, _, high = statistics.quantiles(samples, n=4, method="inclusive")
    return replace(other, median_us=middle, spread=(high - low) / middle, samples=len(samples), samples_us=samples)
