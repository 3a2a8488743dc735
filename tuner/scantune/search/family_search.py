"""Proposes configs of one family: of those that are little unlike the fastest, what is expected to gain most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from scantune.model.config import Config
from scantune.model.space import Family, Indices, Parameter
from scantune.search.effects import Effects
from scantune.search.surrogate import Points, Prior, Surrogate, weight_of

_CENTRES = 4  # of the fastest, all whose neighbours are considered
_PROMISING = 6  # neighbours of the fastest, whose own neighbours are considered too
_PROPOSED = 32  # of the candidates, since some may be illegal
_MOST_LEARNED = 128  # times: the fastest half, and the latest

_FAILED = 0.7  # log time by which what failed is taken to be slower than the slowest

_WEIGHTS = {True: 0.15, False: 0.05}  # of a step in a primary parameter, in another one
_TRUST = 0.5  # in what other problems tell of a parameter; the rest is in no effect, and in the weight of its role
_LEAST_WEIGHT, _MOST_WEIGHT = 0.01, 0.5  # that other problems may tell


class FamilySearch:
    """Scores are log times. A config that is off the grid of values is learned from as the nearest on it."""

    def __init__(self, family: Family, seed: int, effects: Effects) -> None:
        self._family = family
        self._surrogate = Surrogate([_prior(family.name, one, effects) for one in family.parameters], seed)
        self._scores: dict[Indices, float | None] = {}  # None: it failed
        self._asked: dict[Indices, None] = {}  # proposed, and not told of yet
        self._illegal: set[Indices] = set()
        self._proposals: tuple[float, list[tuple[float, Config]]] | None = (
            None  # for a best log time, as long as it holds
        )
        self._is_told = False  # since the surrogate has learned
        self._supposed: set[Indices] = set()  # what is asked, and the surrogate takes for known

    @property
    def best(self) -> float | None:
        return min((score for score in self._scores.values() if score is not None), default=None)

    @property
    def failures(self) -> int:
        return sum(score is None for score in self._scores.values())

    def ask(self, config: Config) -> None:
        """Take a config for proposed, whoever proposed it."""
        if indices := self._family.nearest_indices(config):
            self._asked[indices] = None
            self._proposals = None

    def tell(self, config: Config, score: float | None) -> None:
        if indices := self._family.nearest_indices(config):
            self._asked.pop(indices, None)
            self._scores[indices] = score
            self._is_told = True
            self._proposals = None

    def refuse(self, config: Config) -> None:
        """Never propose a config again: it is illegal."""
        if indices := self._family.nearest_indices(config):
            self._illegal.add(indices)
            self._proposals = None

    def proposals(self, best: float) -> list[tuple[float, Config]]:
        """Return what is expected to lower the best log time of all families, and by how much; the most comes first.

        Nothing where nothing is known of the family, or nothing is left.
        """
        if self.best is None:
            return []
        if self._proposals is None or self._proposals[0] != best:
            self._proposals = best, self._proposed(best)
        return self._proposals[1]

    def _proposed(self, best: float) -> list[tuple[float, Config]]:
        if self._is_told:
            self._learn()
        self._suppose()
        candidates = list(self._candidates())
        if not candidates:
            return []
        gains = self._surrogate.expected_gain(_points(candidates), best)
        return [
            (float(gains[place]), self._family.config(candidates[place])) for place in np.argsort(-gains)[:_PROPOSED]
        ]

    def _learn(self) -> None:
        worst = max(score for score in self._scores.values() if score is not None)
        known = {indices: worst + _FAILED if score is None else score for indices, score in self._scores.items()}
        if len(known) > _MOST_LEARNED:
            half = _MOST_LEARNED // 2
            kept = {*sorted(known, key=known.__getitem__)[:half], *list(known)[-half:]}
            known = {indices: score for indices, score in known.items() if indices in kept}
        self._surrogate.learn(_points(known), np.array(list(known.values())))
        self._is_told, self._supposed = False, set(known)

    def _suppose(self) -> None:
        if asked := [indices for indices in self._asked if indices not in self._supposed]:
            self._surrogate.suppose(_points(asked))
            self._supposed.update(asked)

    def _candidates(self) -> Iterator[Indices]:
        """Yield neighbours of the fastest, and of the neighbours of the very fastest that promise most."""
        fastest = [indices for indices, score in self._scores.items() if score is not None]
        fastest = sorted(fastest, key=lambda indices: self._scores[indices] or 0.0)[:_CENTRES]
        nearest = list(self._neighbours(fastest[0]))
        if not nearest:
            return  # no parameter has a second value
        mean, deviation = self._surrogate.predict(_points(nearest))
        promising = [nearest[place] for place in np.argsort(mean - deviation)[:_PROMISING]]
        considered = {step for centre in [*fastest, *promising] for step in self._neighbours(centre)}
        yield from sorted(considered - self._scores.keys() - self._asked.keys() - self._illegal)

    def _neighbours(self, centre: Indices) -> Iterator[Indices]:
        """Yield what differs in one parameter, by any value."""
        for place, parameter in enumerate(self._family.parameters):
            for value in range(len(parameter.values)):
                if value != centre[place]:
                    yield (*centre[:place], value, *centre[place + 1 :])


def _prior(family: str, parameter: Parameter, effects: Effects) -> Prior:
    weight, known = _WEIGHTS[parameter.is_primary], effects.find(family, parameter.name)
    if known is None:
        return Prior(parameter.is_ordered, weight, [0.0] * len(parameter.values))
    told = min(_MOST_WEIGHT, max(_LEAST_WEIGHT, weight_of(known.deviation)))
    expected = [_TRUST * known.effects.get(value, 0.0) for value in parameter.values]
    return Prior(parameter.is_ordered, told**_TRUST * weight ** (1 - _TRUST), expected)


def _points(indices: Iterable[Indices]) -> Points:
    return np.array(list(indices), dtype=np.int64)
