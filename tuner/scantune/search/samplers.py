"""Searches of recorded spaces by other methods: Optuna's samplers, random order, and greedy steps."""

from __future__ import annotations

import random
import statistics
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import optuna
from optuna.samplers import BaseSampler
from optuna.trial import TrialState

from scantune.errors import ScantuneError
from scantune.model.config import Config
from scantune.model.recorded_space import RecordedConfig, RecordedSpace
from scantune.model.space import Family, Indices, Parameter
from scantune.search.sampler_names import Sampler

_ROUNDS = 5  # samples that one evaluation draws
_FAMILY = "family"
_PACKAGES = {Sampler.gp: "torch", Sampler.cmaes: "cmaes"}  # packages that Optuna needs for these and does not bring


class Evaluations:
    """The evaluations of a recorded space: each config is timed once, and the fastest after each is remembered."""

    def __init__(self, recorded: RecordedSpace, most: int, seed: int) -> None:
        self._recorded = recorded
        self._most = min(most, len(recorded.configs))
        self._random = random.Random(seed)
        self._times: dict[Config, float | None] = {}
        self._best_us = float("inf")
        self.held: list[Config | None] = []  # the fastest after each evaluation; None while nothing has worked

    def is_over(self) -> bool:
        return len(self.held) >= self._most

    def time_us(self, one: RecordedConfig) -> float | None:
        """Return the median of a few samples in microseconds; None for a config that fails."""
        if one.config not in self._times:
            samples = self._random.choices(one.all_us, k=_ROUNDS) if one.all_us else []
            time_us = self._times[one.config] = statistics.median(samples) if samples else None
            is_best = time_us is not None and time_us < self._best_us
            self._best_us = time_us if is_best and time_us is not None else self._best_us
            self.held.append(one.config if is_best else self.held[-1] if self.held else None)
        return self._times[one.config]


def sample(recorded: RecordedSpace, sampler: Sampler, most: int, seed: int) -> list[Config | None]:
    """Return which config is held for the best after each evaluation. Raises ScantuneError if a package is missing."""
    evaluations = Evaluations(recorded, most, seed)
    own = {Sampler.random: _at_random, Sampler.greedy: _greedily}
    if sampler in own:
        own[sampler](recorded, evaluations, seed)
    else:
        _OptunaSearch(recorded, sampler, seed).run(evaluations)
    return evaluations.held


def _at_random(recorded: RecordedSpace, evaluations: Evaluations, seed: int) -> None:
    """Evaluate listed configs in a random order.

    The unlisted ones were recorded because they are near the fastest: drawing them would flatter a random search.
    """
    listed = [one for one in recorded.configs if one.is_listed]
    for one in random.Random(seed).sample(listed, len(listed)):
        if evaluations.is_over():
            return
        evaluations.time_us(one)


def _greedily(recorded: RecordedSpace, evaluations: Evaluations, seed: int) -> None:
    """Walk by the best of all steps as long as it gains, from the default and then from listed configs at random."""
    draw = random.Random(seed)
    listed = [one for one in recorded.configs if one.is_listed]
    default = recorded.by_config.get(recorded.default)  # a sweep that ended early may lack it
    starts = [*([default] if default else []), *draw.sample(listed, len(listed))]
    for start in starts:
        if evaluations.is_over():
            return
        _walk(recorded, evaluations, start, draw)


def _walk(recorded: RecordedSpace, evaluations: Evaluations, start: RecordedConfig, draw: random.Random) -> None:
    centre, centre_us = start, evaluations.time_us(start)
    while centre_us is not None and not evaluations.is_over():
        near = recorded.space.families[centre.config.family].neighbours(centre.config)
        steps = [recorded.by_config[config] for config in near if config in recorded.by_config]
        draw.shuffle(steps)
        times: list[tuple[float, RecordedConfig]] = []
        for step in steps:
            if evaluations.is_over():
                return
            time_us = evaluations.time_us(step)
            times += [(time_us, step)] if time_us is not None else []
        best_us, best = min(times, key=lambda one: one[0], default=(centre_us, centre))
        if best_us >= centre_us:
            return
        centre, centre_us = best, best_us


class _OptunaSearch:
    """A search by an Optuna study.

    What the study proposes is moved to the nearest config that is recorded and was not evaluated. The study is told
    the time of that config, never one of the proposal that it was moved from.
    """

    def __init__(self, recorded: RecordedSpace, sampler: Sampler, seed: int) -> None:
        self._recorded = recorded
        self._study = _study(sampler, seed)
        self._names = [family.name for family in recorded.families]
        self._points = {family.name: _Points(family, recorded) for family in recorded.families}
        self._numbers = sampler is Sampler.cmaes  # CMA-ES knows no categories
        # Samplers other than TPE need one space for all trials, so they suggest the parameters of every family.
        self._by_family = sampler is Sampler.tpe

    def run(self, evaluations: Evaluations) -> None:
        default = self._recorded.by_config.get(self._recorded.default)
        if default is not None:
            self._study.enqueue_trial(self._parameters_of(default.config))
        while not evaluations.is_over():
            trial = self._study.ask()
            proposed = self._suggest(trial)
            chosen = self._points[proposed.family].nearest(proposed.indices[proposed.family])
            if chosen is None:
                self._study.tell(trial, state=TrialState.FAIL)
                continue
            indices = self._recorded.space.families[proposed.family].indices_of(chosen.config)
            if indices != proposed.indices[proposed.family]:
                self._study.tell(trial, state=TrialState.FAIL)
                moved = self._parameters(proposed.family, {**proposed.indices, proposed.family: indices or ()})
                self._study.enqueue_trial(moved)
                trial = self._study.ask()
                self._suggest(trial)
            time_us = evaluations.time_us(chosen)
            self._study.tell(trial, time_us, state=TrialState.PRUNED if time_us is None else TrialState.COMPLETE)

    def _suggest(self, trial: optuna.Trial) -> _Proposal:
        last = len(self._names) - 1
        choices = list(range(last + 1))
        place = trial.suggest_int(_FAMILY, 0, last) if self._numbers else trial.suggest_categorical(_FAMILY, choices)
        name = self._names[place]
        families = [self._recorded.space.families[name]] if self._by_family else self._recorded.families
        return _Proposal(
            name,
            {one.name: tuple(self._index(trial, one, parameter) for parameter in one.parameters) for one in families},
        )

    def _index(self, trial: optuna.Trial, family: Family, parameter: Parameter) -> int:
        name, last = f"{family.name}.{parameter.name}", len(parameter.values) - 1
        if self._numbers or parameter.is_ordered:
            return trial.suggest_int(name, 0, last)
        return int(trial.suggest_categorical(name, list(range(last + 1))))

    def _parameters_of(self, config: Config) -> dict[str, int]:
        """Return what a trial of the config would have suggested; other families are at their defaults."""
        chosen = {config.family: config}
        if not self._by_family:
            defaults = {one.name: one.default for one in self._recorded.families if one.default}
            chosen = {**defaults, **chosen}
        families = self._recorded.space.families
        return self._parameters(
            config.family, {name: families[name].nearest_indices(one) or () for name, one in chosen.items()}
        )

    def _parameters(self, chosen: str, indices: Mapping[str, Indices]) -> dict[str, int]:
        families = self._recorded.space.families
        return {_FAMILY: self._names.index(chosen)} | {
            f"{name}.{parameter.name}": index
            for name, row in indices.items()
            for parameter, index in zip(families[name].parameters, row, strict=True)
        }


@dataclass(frozen=True)
class _Proposal:
    family: str
    indices: Mapping[str, Indices]  # by family: that one, and where the sampler needs them all others


class _Points:
    """The recorded configs of one family. Each is given out once."""

    def __init__(self, family: Family, recorded: RecordedSpace) -> None:
        self._configs = [one for one in recorded.configs if one.config.family == family.name]
        self._all = family.with_rows([family.indices_of(one.config) or () for one in self._configs])
        self._taken = np.zeros(len(self._configs), dtype=bool)

    def nearest(self, proposed: Indices) -> RecordedConfig | None:
        """Return the nearest config that was not given out, and take it; None when there is none left."""
        if self._taken.all():
            return None
        place = int(np.where(self._taken, np.inf, self._all.distances(proposed)).argmin())
        self._taken[place] = True
        return self._configs[place]


def _study(sampler: Sampler, seed: int) -> optuna.Study:
    package = _PACKAGES.get(sampler)
    if package and not find_spec(package):
        raise ScantuneError(f"--sampler {sampler.value} needs the package {package}: 'pip install {package}'")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        makers: dict[Sampler, Callable[[], BaseSampler]] = {
            Sampler.tpe: lambda: optuna.samplers.TPESampler(multivariate=True, group=True, seed=seed),
            Sampler.gp: lambda: optuna.samplers.GPSampler(seed=seed, deterministic_objective=False),
            Sampler.cmaes: lambda: optuna.samplers.CmaEsSampler(seed=seed),
            Sampler.ga: lambda: optuna.samplers.NSGAIISampler(seed=seed, population_size=20),
        }
        made = makers[sampler]()
    return optuna.create_study(sampler=made, direction="minimize")
