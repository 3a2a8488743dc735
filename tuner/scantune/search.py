"""Proposes configs of one problem and N: Optuna's TPE over the worker's space, each proposal moved to a valid config.

The study is told of the config that was really tried, never of the proposal it was moved from.
"""

from __future__ import annotations

import random
import warnings

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import TrialState

from scantune.config import Config
from scantune.space import Family, Indices, Parameter, Space

_STARTUP_TRIALS = 10
_GUIDED_TRIALS = 600  # the sampler's time grows with each; who asks for more means to try everything anyway


class Search:
    """Every config comes out at most once; scores are times, smaller is better."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space = space
        self._random = random.Random(seed)
        self._seen: set[Config] = set()
        self._unseen = {family.name: np.ones(len(family), dtype=bool) for family in space.families.values()}
        self._asked: dict[Config, optuna.Trial] = {}
        self._study = _new_study(seed)

    def take(self, config: Config) -> bool:
        """Mark a config as tried or about to be; return whether it was new."""
        if config in self._seen:
            return False
        self._seen.add(config)
        if config in self._space.searched:
            family, index = self._space.searched[config]
            self._unseen[family][index] = False
        return True

    def seen(self, config: Config) -> bool:
        return config in self._seen

    def suggest(self) -> Config | None:
        """Return an unseen valid config and take it; None when there is none left."""
        if not any(rows.any() for rows in self._unseen.values()):
            return None
        if len(self._seen) >= _GUIDED_TRIALS:
            config, _ = self._random_unseen()
            self.take(config)
            return config
        trial = self._study.ask()
        family = self._space.families[trial.suggest_categorical("family", list(self._space.families))]
        wished = tuple(_suggest(trial, family, parameter) for parameter in family.parameters)
        config, indices = self._nearest_unseen(family, wished)
        if config.family != family.name or indices != wished:
            # Enqueued parameters are what the next ask() hands out: the sampler then knows this config as running.
            self._study.tell(trial, state=TrialState.FAIL)
            self._study.enqueue_trial(_parameters(self._space.families[config.family], indices))
            trial = self._study.ask()
            _pin(trial, self._space, config.family)
        self.take(config)
        self._asked[config] = trial
        return config

    def tell(self, config: Config, score: float | None) -> None:
        """Learn from a trial; None is a failure, which counts as worse than any time."""
        self.take(config)
        if len(self._seen) > 2 * _GUIDED_TRIALS:
            return
        state = TrialState.PRUNED if score is None else TrialState.COMPLETE
        trial = self._asked.pop(config, None)
        if trial is not None:
            self._study.tell(trial, score, state=state)
            return
        family = self._space.families.get(config.family)
        indices = family.nearest_indices(config) if family else None
        if family and indices:
            self._study.add_trial(
                optuna.trial.create_trial(
                    state=state,
                    value=score,
                    params=_parameters(family, indices),
                    distributions=_distributions(self._space, family),
                )
            )

    def _nearest_unseen(self, family: Family, wished: Indices) -> tuple[Config, Indices]:
        unseen = self._unseen[family.name]
        if not unseen.any():
            return self._random_unseen()
        distances = np.where(unseen, family.distances(wished), np.inf)
        return self._any_of(family, distances <= distances.min() + 1e-9)

    def _random_unseen(self) -> tuple[Config, Indices]:
        left = [name for name, rows in self._unseen.items() if rows.any()]
        name = self._random.choice(left)
        return self._any_of(self._space.families[name], self._unseen[name])

    def _any_of(self, family: Family, rows: npt.NDArray[np.bool_]) -> tuple[Config, Indices]:
        # At random, or the first rows of the table would always win a tie.
        row = self._random.choice(np.flatnonzero(rows).tolist())
        indices = tuple(int(index) for index in family.indices[row])
        return family.config(indices), indices


def _new_study(seed: int) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        # `group` is marked as experimental; it models each family's parameters jointly.
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(
            multivariate=True, group=True, constant_liar=True, n_startup_trials=_STARTUP_TRIALS, seed=seed
        )
    return optuna.create_study(sampler=sampler, direction="minimize")


def _key(family: Family, parameter: Parameter) -> str:
    return f"{family.name}.{parameter.name}"


def _distribution(parameter: Parameter) -> BaseDistribution:
    last = len(parameter.values) - 1
    return IntDistribution(0, last) if parameter.is_ordered else CategoricalDistribution(list(range(last + 1)))


def _distributions(space: Space, family: Family) -> dict[str, BaseDistribution]:
    of_parameters = {_key(family, parameter): _distribution(parameter) for parameter in family.parameters}
    return {"family": CategoricalDistribution(list(space.families)), **of_parameters}


def _parameters(family: Family, indices: Indices) -> dict[str, str | int]:
    keys = [_key(family, parameter) for parameter in family.parameters]
    return {"family": family.name, **dict(zip(keys, indices, strict=True))}


def _suggest(trial: optuna.Trial, family: Family, parameter: Parameter) -> int:
    last = len(parameter.values) - 1
    if parameter.is_ordered:
        return trial.suggest_int(_key(family, parameter), 0, last)
    return int(trial.suggest_categorical(_key(family, parameter), list(range(last + 1))))


def _pin(trial: optuna.Trial, space: Space, family_name: str) -> None:
    """Let an enqueued trial take its parameters."""
    trial.suggest_categorical("family", list(space.families))
    family = space.families[family_name]
    for parameter in family.parameters:
        _suggest(trial, family, parameter)
