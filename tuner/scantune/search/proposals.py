"""Proposals for one problem and N: the configs that are expected to gain most, among all families that may win."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable

from scantune.model.config import Config
from scantune.model.space import Space
from scantune.search.effects import Effects
from scantune.search.family_search import FamilySearch

# A family whose best takes so much longer than the best of all has lost: in no recorded space did one gain as much over
# its default and a few changes of it.
_FAR = math.log(1.4)
_FAILURES_TO_DROP = 4  # a family that failed so often, and of which nothing has worked, is dropped
_EXCHANGE_AFTER = 4  # trials without a gain, after which every other suggestion is an exchange
_GAIN = 0.003  # log time that counts as a gain: less hardly shows above the noise of a racing round

# What may be left to gain is estimated from the sum of the largest expected gains. The figures were fitted to searches
# of the spaces of scans in db/spaces after 40, 60, 80 and 96 trials. In 80 % of them the estimate was no less than what
# was left. Its median was 2.3 times what was left: half of the searches had no more than 0.3 % left.
_EXPECTED = 10
_LEFT, _LEFT_OF_EXPECTED = 0.005, 0.25


class Search:
    """The search across families. Every config is suggested at most once; scores are times, so smaller is better."""

    def __init__(
        self, space: Space, seed: int, patience: int, is_legal: Callable[[Config], bool] | None = None,
        effects: Effects | None = None,
    ) -> None:  # fmt: skip
        """Begin a search of `space`.

        After `patience` trials without a gain, exchanges not counted, nothing more is expected. Listed configs are
        legal; of others `is_legal` decides. `effects` are what other problems tell of the parameters.
        """
        self._space = space
        self._random = random.Random(seed)
        self._patience = patience
        self._is_legal = is_legal or space.lists
        self._families = {
            name: FamilySearch(family, seed, effects or Effects()) for name, family in space.families.items()
        }
        self._seen: set[Config] = set()
        self._in_vain = 0  # trials since the last gain, exchanges not counted
        self._suggested = 0
        self._exchanges: set[Config] = set()
        self._undrawn: dict[str, list[Config]] | None = None  # listed configs that were not drawn, in a random order

    def take(self, config: Config) -> bool:
        """Mark a config as tried or about to be; return whether it was new."""
        if config in self._seen:
            return False
        self._seen.add(config)
        if config.family in self._families:
            self._families[config.family].ask(config)
        return True

    @property
    def is_settled(self) -> bool:
        """Whether nothing more is expected of further trials."""
        return self._in_vain >= self._patience

    def renew_patience(self) -> None:
        """Let trials without a gain be counted from now on."""
        self._in_vain = 0

    @property
    def may_gain(self) -> float:
        """The share of the best time that may be left to gain: an estimate, which may be too low (see _LEFT)."""
        best = self._best
        families = (search for name, search in self._families.items() if self.may_win(name))
        gains = sorted((gain for one in families for gain, _ in one.proposals(best)), reverse=True)
        return _LEFT + _LEFT_OF_EXPECTED * sum(gains[:_EXPECTED])

    def suggest(self) -> Config | None:
        """Return an unseen legal config and take it; None when there is none left."""
        self._suggested += 1
        config = self._exchanged() or self._expected() or self._drawn()
        if config:
            self.take(config)
        return config

    def tell(self, config: Config, score: float | None) -> None:
        """Learn from a trial; None is a failure."""
        self.take(config)
        if config.family not in self._families:
            return
        is_time = score is not None and 0 < score < math.inf
        log_time = math.log(score) if is_time and score else None
        gains = log_time is not None and log_time < self._best - _GAIN
        self._in_vain = 0 if gains else self._in_vain + (config not in self._exchanges)
        self._families[config.family].tell(config, log_time)

    @property
    def _best(self) -> float:
        """The least log time; one of a config that failed later does not count."""
        known = (search.best for search in self._families.values())
        return min((best for best in known if best is not None), default=math.inf)

    def may_win(self, family: str) -> bool:
        """Return whether a family has not lost yet."""
        best, failures = self._families[family].best, self._families[family].failures
        return failures < _FAILURES_TO_DROP if best is None else best <= self._best + _FAR

    def _exchanged(self) -> Config | None:
        """Return a legal and new exchange of the best config, where its turn has come."""
        if self._in_vain < _EXCHANGE_AFTER or self._suggested % 2:
            return None
        best = self._best
        found = (config for search in self._families.values() if search.best == best for config in search.exchanges())
        config = self._first_legal(found)
        if config:
            self._exchanges.add(config)
        return config

    def _expected(self) -> Config | None:
        """Return the legal and new config that is expected to gain most."""
        best = self._best
        families = [search for name, search in self._families.items() if self.may_win(name)]
        while proposals := [one for search in families for one in search.proposals(best)]:
            if config := self._first_legal(one for _, one in sorted(proposals, key=lambda one: -one[0])):
                return config
        return None

    def _first_legal(self, configs: Iterable[Config]) -> Config | None:
        """Return the first config that is new and legal; those before it are never proposed again."""
        for config in configs:
            if config not in self._seen and (self._space.lists(config) or self._is_legal(config)):
                return config
            self._families[config.family].refuse(config)
        return None

    def _drawn(self) -> Config | None:
        """Return a new listed config at random; families that may win come before the others."""
        if self._undrawn is None:
            self._undrawn = {name: [] for name in self._families}
            for config in self._space.searched:
                self._undrawn[config.family].append(config)
            for configs in self._undrawn.values():
                self._random.shuffle(configs)
        while left := {name: configs for name, configs in self._undrawn.items() if configs}:
            names = [name for name in left if self.may_win(name)] or list(left)
            (name,) = self._random.choices(names, [len(left[name]) for name in names])
            config = left[name].pop()
            if config not in self._seen and (self._space.lists(config) or self._is_legal(config)):
                return config
        return None
