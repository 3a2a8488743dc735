"""Proposals for one problem and N: the configs that are expected to gain most, among all families that may win."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum

from scantune.model.space import Indices
from scantune.search.family_search import FamilySearch

Point = tuple[str, Indices]  # a config: its family, and the indices of its values

# A family whose best takes so much longer than the best of all has lost: in no recorded space did one gain as much over
# its default and a few changes of it.
_FAR = math.log(1.4)
_FAILURES_TO_DROP = 4  # a family that failed so often, and of which nothing has worked, is dropped
_EXCHANGE_AFTER = 4  # trials without a gain, after which every other suggestion is an exchange
GAIN = 0.003  # log time that counts as a gain: less hardly shows above the noise of a racing round

# What may be left to gain is estimated from the sum of the largest expected gains. The figures were fitted to searches
# of the spaces of scans in db/spaces after 40, 60, 80 and 96 trials. In 80 % of them the estimate was no less than what
# was left. Its median was 2.3 times what was left: half of the searches had no more than 0.3 % left.
_EXPECTED = 10
_LEFT, _LEFT_OF_EXPECTED = 0.005, 0.25


class Kind(str, Enum):
    """Why a config is proposed."""

    expected = "expected"  # the largest gain is expected from it
    exchange = "exchange"
    drawn = "drawn"  # nothing is expected of anything


class Search:
    """The search across families. Every config is suggested at most once; scores are log times."""

    def __init__(
        self, families: Mapping[str, FamilySearch], seed: int, is_legal: Callable[[Point], bool] = lambda point: True,
        listed: Callable[[], Mapping[str, Sequence[Indices]]] = dict,
    ) -> None:  # fmt: skip
        """Begin a search; where nothing is expected of any other config, it draws from those that `listed` returns."""
        self._families = families
        self._random = random.Random(seed)
        self._is_legal = is_legal
        self._listed = listed
        self._seen: set[Point] = set()
        self._in_vain = 0  # trials since the last gain, exchanges not counted
        self._suggested = 0
        self._exchanges: set[Point] = set()
        self._undrawn: dict[str, list[Indices]] | None = None  # listed configs that were not drawn, in a random order

    def take(self, point: Point, kind: Kind | None = None) -> None:
        """Mark a config as about to be tried; `kind` is why, if a search suggested it."""
        self._seen.add(point)
        family, config = point
        self._families[family].ask(config)
        if kind is Kind.exchange:
            self._exchanges.add(point)

    def drop(self, point: Point, again: bool) -> None:
        """Forget that a config is about to be tried; it is suggested only with `again`."""
        family, config = point
        self._families[family].drop(config)
        if again:
            self._seen.discard(point)

    @property
    def may_gain(self) -> float:
        """The share of the best time that may be left to gain: an estimate, which may be too low (see _LEFT)."""
        best = self._best
        families = (search for name, search in self._families.items() if self.may_win(name))
        gains = sorted((gain for one in families for gain, _ in one.proposals(best)), reverse=True)
        return _LEFT + _LEFT_OF_EXPECTED * sum(gains[:_EXPECTED])

    def suggest(self) -> tuple[Point, Kind] | None:
        """Return an unseen legal config and why it is suggested; None if no config is left. Call take() next."""
        self._suggested += 1
        is_exchange = self._in_vain >= _EXCHANGE_AFTER and self._suggested % 2 == 0
        if is_exchange and (point := self._exchanged()):
            return point, Kind.exchange
        ways = {Kind.expected: self._expected, Kind.drawn: self._drawn, Kind.exchange: self._exchanged}
        return next(((point, kind) for kind, way in ways.items() if (point := way())), None)

    @property
    def has_suggestions(self) -> bool:
        """Whether suggest() has something to return."""
        return bool(self._expected() or self._left() or self._exchanged())

    def tell(self, point: Point, score: float | None, is_earlier: bool = False) -> None:
        """Learn from a trial; None is a failure. Trials of an earlier search do not count as unsuccessful ones of this
        search."""
        family, config = point
        self._seen.add(point)
        gains = score is not None and score < self._best - GAIN
        self._in_vain = 0 if gains or is_earlier else self._in_vain + (point not in self._exchanges)
        self._families[family].tell(config, score)

    @property
    def _best(self) -> float:
        """The least log time; one of a config that failed later does not count."""
        known = (search.best for search in self._families.values())
        return min((best for best in known if best is not None), default=math.inf)

    def may_win(self, family: str) -> bool:
        """Return whether a family has not lost yet."""
        best, failures = self._families[family].best, self._families[family].failures
        return failures < _FAILURES_TO_DROP if best is None else best <= self._best + _FAR

    def _exchanged(self) -> Point | None:
        """Return a legal and new exchange of the best config."""
        best = self._best
        return self._first_legal(
            (name, config)
            for name, search in self._families.items()
            if search.best == best
            for config in search.exchanges()
        )

    def _expected(self) -> Point | None:
        """Return the legal and new config that is expected to gain most."""
        best = self._best
        families = {name: search for name, search in self._families.items() if self.may_win(name)}
        while proposals := [
            (gain, (name, config)) for name, search in families.items() for gain, config in search.proposals(best)
        ]:
            if point := self._first_legal(point for _, point in sorted(proposals, key=lambda one: -one[0])):
                return point
        return None

    def _first_legal(self, points: Iterable[Point]) -> Point | None:
        """Return the first config that is new and legal; those before it are never proposed again."""
        for point in points:
            if self._is_new(point):
                return point
            family, config = point
            self._families[family].refuse(config)
        return None

    def _drawn(self) -> Point | None:
        """Return a new listed config at random; families that may win come before the others."""
        left = self._left()
        names = [name for name in left if self.may_win(name)] or list(left)
        if not names:
            return None
        (name,) = self._random.choices(names, [len(left[name]) for name in names])
        return name, left[name][-1]

    def _left(self) -> dict[str, list[Indices]]:
        """Return the new listed configs by family, the next one last."""
        if self._undrawn is None:
            self._undrawn = {name: list(configs) for name, configs in self._listed().items()}
            for configs in self._undrawn.values():
                self._random.shuffle(configs)
        for name, configs in self._undrawn.items():
            while configs and not self._is_new((name, configs[-1])):
                configs.pop()
        return {name: configs for name, configs in self._undrawn.items() if configs}

    def _is_new(self, point: Point) -> bool:
        return point not in self._seen and self._is_legal(point)
