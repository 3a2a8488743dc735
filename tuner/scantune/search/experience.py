"""What changing one parameter did elsewhere in this run, so that the most promising change is tried first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from scantune.model.config import Config, Value

Change = tuple[str, str, Value]  # family, parameter, new value


class Experience:
    def __init__(self) -> None:
        self._ratios: dict[Change, list[float]] = defaultdict(list)

    def note(self, before: Config, after: Config, ratio: float) -> None:
        """Take in how many times as long a config takes after one parameter was changed."""
        for change in _changes(before, after):
            self._ratios[change].append(ratio)

    def ordered(self, centre: Config, neighbours: Iterable[Config]) -> list[Config]:
        """Return configs that differ from the centre in one parameter: what has gained most elsewhere comes first."""
        return sorted(neighbours, key=lambda config: min(map(self._mean, _changes(centre, config)), default=1.0))

    def _mean(self, change: Change) -> float:
        """Return the mean ratio of a change; one that was never tried neither gains nor loses."""
        ratios = self._ratios.get(change)
        return sum(ratios) / len(ratios) if ratios else 1.0


def _changes(before: Config, after: Config) -> list[Change]:
    if before.family != after.family:
        return []
    old = dict(before.values)
    return [(after.family, name, value) for name, value in after.values if old.get(name) != value]
