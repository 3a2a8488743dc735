"""Proposals within one family: the configs near the fastest ones that are expected to gain most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial

import numpy as np

from scantune.model.space import Family, Indices, Parameter
from scantune.search.effects import Effects
from scantune.search.exchanges import exchanges, neighbours, single_changes
from scantune.search.surrogate import Points, Prior, Surrogate, weight_of

_CENTRES = 4  # fastest configs whose neighbours are all considered
_PROMISING = 6  # neighbours of the fastest config whose own neighbours are considered too
_PROPOSED = 32  # candidates that are proposed at once, since some may be illegal
_MOST_LEARNED = 128  # times that the surrogate learns from: half of them the fastest, half the latest

_FAILED = 0.7  # log time by which a config that failed is taken to be slower than the slowest

_WEIGHTS = {True: 0.15, False: 0.05}  # weight of a step in a parameter; the key is whether it is primary
_TRUST = 0.5  # share of the prior from other problems; the rest assumes no effect, with the weight of the role
_LEAST_WEIGHT, _MOST_WEIGHT = 0.01, 0.5  # limits of the weight from other problems


class FamilySearch:
    """The search within one family, whose configs are indices of the parameters' values. Scores are log times."""

    def __init__(self, parameters: Sequence[Parameter], priors: Sequence[Prior], seed: int) -> None:
        """Take one prior for each parameter."""
        self._parameters = parameters
        self._surrogate = Surrogate(priors, seed)
        self._scores: dict[Indices, float | None] = {}  # None: it failed
        self._asked: dict[Indices, None] = {}  # configs that were proposed, and whose score is not known yet
        self._illegal: set[Indices] = set()
        # The best log time that they were made for, and the proposals; None when something has changed since.
        self._proposals: tuple[float, list[tuple[float, Indices]]] | None = None
        self._is_told = False  # whether there are scores that the surrogate has not learned from
        self._supposed: set[Indices] = set()  # what the surrogate takes for known, proposals under way included
        self.best: float | None = None  # of the scores
        self._neighbours = cache(partial(neighbours, parameters))  # of few centres, again and again

    @property
    def failures(self) -> int:
        return sum(score is None for score in self._scores.values())

    def ask(self, config: Indices) -> None:
        """Take a config for proposed, also one that this search did not propose."""
        self._asked[config] = None
        self._proposals = None

    def drop(self, config: Indices) -> None:
        """Forget that a config was proposed: nothing will be told of it."""
        self._asked.pop(config, None)
        self._is_told, self._proposals = bool(self._scores), None

    def tell(self, config: Indices, score: float | None) -> None:
        self._asked.pop(config, None)
        self._scores[config] = score
        self.best = min((score for score in self._scores.values() if score is not None), default=None)
        self._is_told = True
        self._proposals = None

    def refuse(self, config: Indices) -> None:
        """Never propose a config again, because it is illegal."""
        self._illegal.add(config)
        self._proposals = None

    def proposals(self, best: float) -> list[tuple[float, Indices]]:
        """Return by how much each candidate is expected to lower `best`, the best log time of all families.

        The largest gain comes first. There are no candidates where nothing of the family was timed, or nothing is left.
        """
        if self.best is None:
            return []
        if self._proposals is None or self._proposals[0] != best:
            self._proposals = best, self._proposed(best)
        return self._proposals[1]

    def exchanges(self) -> list[Indices]:
        """Return new exchanges of the fastest config; what is expected to take the least time comes first.

        One of the two changes was tried alone or is illegal. Where neither was, the surrogate might blame a change
        that gains for what the exchange loses.
        """
        if self.best is None:
            return []
        self._update()
        (fastest,) = self._fastest(1)
        tried = self._scores.keys() | self._illegal
        taken = tried | self._asked.keys()
        found = [one for one in exchanges(self._parameters, fastest) if one not in taken]
        found = [one for one in found if not tried.isdisjoint(single_changes(fastest, one))]
        if not found:
            return []
        mean, _ = self._surrogate.predict(_points(found))
        return [found[place] for place in np.argsort(mean)]

    def _proposed(self, best: float) -> list[tuple[float, Indices]]:
        self._update()
        candidates = list(self._candidates())
        if not candidates:
            return []
        gains = self._surrogate.expected_gain(_points(candidates), best)
        return [(float(gains[place]), candidates[place]) for place in np.argsort(-gains)[:_PROPOSED]]

    def _update(self) -> None:
        """Let the surrogate know all that is told and asked."""
        if self._is_told:
            self._learn()
        self._suppose()

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
        """Yield neighbours of the fastest configs, and of the most promising neighbours of the very fastest."""
        fastest = self._fastest(_CENTRES)
        nearest = self._neighbours(fastest[0])
        if not nearest:
            return  # no parameter has a second value
        mean, deviation = self._surrogate.predict(_points(nearest))
        promising = [nearest[place] for place in np.argsort(mean - deviation)[:_PROMISING]]
        considered = set[Indices]().union(*map(self._neighbours, [*fastest, *promising]))
        yield from sorted(considered - self._scores.keys() - self._asked.keys() - self._illegal)

    def _fastest(self, count: int) -> list[Indices]:
        timed = [(score, indices) for indices, score in self._scores.items() if score is not None]
        return [indices for _, indices in sorted(timed, key=lambda one: one[0])[:count]]


def priors_of(family: Family, effects: Effects) -> list[Prior]:
    """Return what is known of each parameter: by its role, and by what other problems tell."""
    return [_prior(family.name, parameter, effects) for parameter in family.parameters]


def _prior(family: str, parameter: Parameter, effects: Effects) -> Prior:
    weight, known = _WEIGHTS[parameter.is_primary], effects.find(family, parameter.name)
    if known is None:
        return Prior(parameter.is_ordered, weight, [0.0] * len(parameter.values))
    told = min(_MOST_WEIGHT, max(_LEAST_WEIGHT, weight_of(known.deviation)))
    expected = [_TRUST * known.effects.get(value, 0.0) for value in parameter.values]
    return Prior(parameter.is_ordered, told**_TRUST * weight ** (1 - _TRUST), expected)


def _points(indices: Iterable[Indices]) -> Points:
    return np.array(list(indices), dtype=np.int64)
