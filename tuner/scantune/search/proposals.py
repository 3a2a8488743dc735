"""Proposes configs of one problem and N: the family first, by what it promises, then a config of that family."""

from __future__ import annotations

from scantune.model.config import Config
from scantune.model.space import Space
from scantune.search.family_search import FamilySearch
from scantune.search.family_shares import FamilyShares

_GUIDED_TRIALS = 600  # the sampler's time grows with each; who asks for more means to try everything anyway


class Search:
    """Every config comes out at most once; scores are times, smaller is better."""

    def __init__(self, space: Space, seed: int, patience: int) -> None:
        """`patience`: after so many trials without a gain, a family has nothing more to offer."""
        self._families = {name: FamilySearch(family, seed) for name, family in space.families.items()}
        self._shares = FamilyShares(space.families, patience)
        self._seen: set[Config] = set()

    def take(self, config: Config) -> bool:
        """Mark a config as tried or about to be; return whether it was new."""
        if config in self._seen:
            return False
        self._seen.add(config)
        if config.family in self._families:
            self._families[config.family].take(config)
            self._shares.hand_out(config.family)
        return True

    def seen(self, config: Config) -> bool:
        return config in self._seen

    @property
    def is_settled(self) -> bool:
        """Whether more proposals are not worth while."""
        return all(map(self._shares.is_settled, self._families))

    @property
    def contenders(self) -> list[str]:
        """The families that may yet win, the fastest first."""
        return self._shares.contenders

    def renew_patience(self) -> None:
        """Let trials without a gain be counted from now on."""
        self._shares.renew_patience()

    def suggest(self) -> Config | None:
        """Return an unseen valid config and take it; None when there is none left."""
        left = [name for name, family in self._families.items() if not family.is_exhausted]
        if not left:
            return None
        config = self._families[self._shares.next(left)].suggest(guided=len(self._seen) < _GUIDED_TRIALS)
        self.take(config)
        return config

    def tell(self, config: Config, score: float | None) -> None:
        """Learn from a trial; None is a failure, which counts as worse than any time."""
        self.take(config)
        if config.family not in self._families:
            return
        self._shares.tell(config.family, score)
        if len(self._seen) <= 2 * _GUIDED_TRIALS:
            self._families[config.family].tell(config, score)
