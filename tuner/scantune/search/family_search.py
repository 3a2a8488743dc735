"""Proposes configs of one family: first its seeds, then Optuna's TPE, each proposal moved to a valid config.

The study is told of the config that was really tried, never of the proposal it was moved from.
"""

from __future__ import annotations

import random
import warnings
from collections import deque

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import TrialState

from scantune.model.config import Config
from scantune.model.space import Family, Indices, Parameter

_STARTUP_TRIALS = 8
_SEEDS = 3  # beside the default: what a family can do must not hang on one config


class FamilySearch:
    """Every config comes out at most once; scores are times, smaller is better."""

    def __init__(self, family: Family, seed: int) -> None:
        self._family = family
        self._random = random.Random(seed)
        self._unseen = np.ones(len(family), dtype=bool)
        self._rows = {tuple(row): index for index, row in enumerate(family.indices.tolist())}
        self._seeds = deque(family.spread(_SEEDS))
        self._asked: dict[Config, optuna.Trial] = {}
        self._study = _new_study(seed)

    @property
    def is_exhausted(self) -> bool:
        return not self._unseen.any()

    def take(self, config: Config) -> None:
        """Mark a config as seen, whether or not it is among the listed ones."""
        row = self._rows.get(self._family.indices_of(config) or ())
        if row is not None:
            self._unseen[row] = False

    def suggest(self, guided: bool) -> Config:
        """Return an unseen valid config and take it; there must be one. Without guidance it is drawn at random."""
        config = self._seed() or (self._guided() if guided else self._any_of(self._unseen)[0])
        self.take(config)
        return config

    def tell(self, config: Config, score: float | None) -> None:
        """Learn from a trial; None is a failure, which counts as worse than any time."""
        state = TrialState.PRUNED if score is None else TrialState.COMPLETE
        trial = self._asked.pop(config, None)
        if trial is not None:
            self._study.tell(trial, score, state=state)
            return
        indices = self._family.nearest_indices(config)
        if indices:
            self._study.add_trial(
                optuna.trial.create_trial(
                    state=state,
                    value=score,
                    params=_parameters(self._family, indices),
                    distributions={parameter.name: _distribution(parameter) for parameter in self._family.parameters},
                )
            )

    def _seed(self) -> Config | None:
        while self._seeds:
            indices = self._seeds.popleft()
            if self._unseen[self._rows[indices]]:
                return self._family.config(indices)
        return None

    def _guided(self) -> Config:
        trial = self._study.ask()
        wished = tuple(_suggest(trial, parameter) for parameter in self._family.parameters)
        config, indices = self._nearest_unseen(wished)
        if indices != wished:
            # Enqueued parameters are what the next ask() hands out: the sampler then knows this config as running.
            self._study.tell(trial, state=TrialState.FAIL)
            self._study.enqueue_trial(_parameters(self._family, indices))
            trial = self._study.ask()
            for parameter in self._family.parameters:
                _suggest(trial, parameter)
        self._asked[config] = trial
        return config

    def _nearest_unseen(self, wished: Indices) -> tuple[Config, Indices]:
        distances = np.where(self._unseen, self._family.distances(wished), np.inf)
        return self._any_of(distances <= distances.min() + 1e-9)

    def _any_of(self, rows: npt.NDArray[np.bool_]) -> tuple[Config, Indices]:
        # At random, or the first rows of the table would always win a tie.
        row = self._random.choice(np.flatnonzero(rows).tolist())
        indices = tuple(int(index) for index in self._family.indices[row])
        return self._family.config(indices), indices


def _new_study(seed: int) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        # `constant_liar`, which keeps the configs that are running apart, is marked as experimental.
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(
            multivariate=True, constant_liar=True, n_startup_trials=_STARTUP_TRIALS, seed=seed
        )
    return optuna.create_study(sampler=sampler, direction="minimize")


def _distribution(parameter: Parameter) -> BaseDistribution:
    last = len(parameter.values) - 1
    return IntDistribution(0, last) if parameter.is_ordered else CategoricalDistribution(list(range(last + 1)))


def _parameters(family: Family, indices: Indices) -> dict[str, int]:
    return {parameter.name: index for parameter, index in zip(family.parameters, indices, strict=True)}


def _suggest(trial: optuna.Trial, parameter: Parameter) -> int:
    last = len(parameter.values) - 1
    if parameter.is_ordered:
        return trial.suggest_int(parameter.name, 0, last)
    return int(trial.suggest_categorical(parameter.name, list(range(last + 1))))
