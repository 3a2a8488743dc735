"""The study of one search: an Optuna study of configs, which is asked what to try and told what came of it.

Parameters are named `family` and `FAMILY.PARAMETER`. Their values are those of the family's table, in its order, so
that a dashboard shows what was tried.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState, create_trial

from scantune.model.cell import Cell
from scantune.model.config import Config, Value
from scantune.model.device import Device
from scantune.model.restriction import Restriction
from scantune.model.space import Family, Indices, Parameter, Space
from scantune.model.trial import Failure, Trial
from scantune.search.effects import Effects
from scantune.search.exchanges import neighbours
from scantune.search.family_search import priors_of
from scantune.search.neighbour_sampler import (
    EARLIER,
    IGNORED,
    PROPOSED,
    REJECTED,
    Branch,
    Knowledge,
    NeighbourSampler,
    ended,
    ignored_of,
    rejected_of,
)
from scantune.search.proposals import GAIN, Kind, Point
from scantune.search.sampler_names import Sampler
from scantune.search.study_storage import StudyStorage

_FAMILY = "family"
_REASON = "reason"  # the user attribute that says why a trial was pruned
_MOST_NAME = 400  # characters of a study's name; Optuna's storages take 512
_MOST_REASON = 500


class SearchStudy:
    """The study of one problem at one N. No config is proposed twice."""

    def __init__(
        self, name: str, space: Space, sampler: Sampler, seed: int, effects: Effects,
        is_legal: Callable[[Config], bool], storage: StudyStorage | None = None,
        is_possible: Callable[[float], bool] = lambda time_us: True,
    ) -> None:  # fmt: skip
        """Begin a study of `space` in memory, which `storage` mirrors. Listed configs are legal; of others `is_legal`
        decides. Of the times of other processes, those that are not possible are passed over.

        Raises UsageError if a package of the sampler is missing, or the storage has another study of that name.
        """
        sampler.check()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._space = space
        self._accepts = cache(is_legal)  # a sampler asks for what it proposes, too
        self._is_possible = is_possible
        self._parameters = _Parameters(space, sampler)
        self._sampler = self._made(sampler, seed, effects)
        self._study = optuna.create_study(sampler=self._sampler, study_name=name)
        self._trials: dict[Config, int] = {}  # the number of a config's trial, under way or ended
        self._taken: set[Config] = set()  # what was tried here, or is about to be
        self._elsewhere: dict[Config, int] = {}  # what other processes try or tried, and the number of the trial
        self._is_exhausted = False  # whether the tuner's sampler has nothing to propose by what is known so far
        self._mirror = storage.mirror(self._study, self._parameters.distributions) if storage else None
        self._read_others()

    @property
    def trials(self) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=False)

    @property
    def may_gain(self) -> float | None:
        """The share of the best time that may be left to gain, an estimate; only this tuner's sampler has one."""
        sampler = self._sampler
        return sampler.may_gain(self._study) if isinstance(sampler, NeighbourSampler) else None

    @property
    def in_vain(self) -> int:
        """How many trials ended since the last gain of this search, exchanges not counted."""
        best, count = math.inf, 0
        rejected, ignored = rejected_of(self._study), ignored_of(self._study)
        for trial in ended(self.trials):
            if trial.state is TrialState.FAIL or trial.number in ignored:
                continue
            score = math.inf if trial.number in rejected else math.log(_time_us(trial))
            if EARLIER in trial.user_attrs:
                count = 0
            else:
                is_exchange = trial.system_attrs.get(PROPOSED, [None])[0] == Kind.exchange
                count = 0 if score < best - GAIN else count + (not is_exchange)
            best = min(best, score)
        return count

    def take(self, config: Config) -> bool:
        """Mark a config as about to be tried; return whether it was new here."""
        is_new = config not in self._taken
        self._taken.add(config)
        return is_new

    def begin(self, config: Config) -> None:
        """Begin the trial of a config that the sampler did not propose."""
        self._taken.add(config)
        if (params := self._parameters.of(config)) is not None:
            self._study.enqueue_trial(params)
            trial = self._study.ask(self._parameters.of_trial(config.family))
            self._began(config, trial)

    def ask(self) -> Config | None:
        """Begin the trial of what the sampler proposes; None when nothing is left.

        The trial of a config that is illegal or was tried fails, and that of the nearest other one begins.
        """
        self._read_others()
        if self._is_exhausted:
            return None  # each trial that is asked for in vain would stay in the study
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            trial = self._study.ask({_FAMILY: self._parameters.family})
            family = self._parameters.family_of(self.trials[trial.number].params)
            for name, distribution in self._parameters.of_trial(family).items():
                _suggest(trial, name, distribution)
        config = self._parameters.config(self.trials[trial.number].params)
        own_sampler = isinstance(self._sampler, NeighbourSampler)
        self._is_exhausted = own_sampler and PROPOSED not in self.trials[trial.number].system_attrs
        if not self._is_exhausted and self._may_try(config):
            self._taken.add(config)
            self._began(config, trial)
            return config
        self._study.tell(trial, state=TrialState.FAIL)
        self._changed(trial.number)
        if self._is_exhausted:
            return None  # what is in the trial was drawn at random
        if (nearest := self._nearest(config)) is not None:
            self.begin(nearest)
        return nearest

    def add(self, tried: Trial) -> None:
        """Take in what came of a config in an earlier run."""
        config = tried.config
        self._taken.add(config)
        params = self._parameters.of(config)
        number = self._elsewhere.get(config)
        if number is not None and self.trials[number].state.is_finished():
            self._trials[config] = number  # that run wrote it to the storage
            if tried.failure and self.trials[number].state is TrialState.COMPLETE:
                self.fail(config, tried.failure)  # that run was killed before it wrote this too
        elif params is not None:
            self._study.add_trial(
                create_trial(
                    state=TrialState.PRUNED if tried.failure else TrialState.COMPLETE,
                    value=tried.measurement.median_us if tried.measurement else None,
                    params=params,
                    distributions=self._parameters.of_trial(config.family),
                    user_attrs={EARLIER: True, **_reasons(tried.failure)},
                )
            )
            self._trials[config] = len(self.trials) - 1
            self._changed(self._trials[config])

    def retry(self, config: Config) -> None:
        """Let a config be tried once more, whatever became of it in other processes."""
        if (number := self._elsewhere.pop(config, None)) is not None:
            self._ignore(number)

    def tell(self, config: Config, time_us: float) -> None:
        """Tell the time of a config, which ends its trial."""
        if (number := self._trials.get(config)) is not None:
            self._study.tell(number, time_us)
            self._changed(number)
            self._look_again()

    def fail(self, config: Config, failure: Failure) -> None:
        """Tell that a config does not work, also of one whose time was told."""
        if (number := self._trials.get(config)) is None:
            return
        trial = self.trials[number]
        if trial.state.is_finished():
            self._study.set_user_attr(REJECTED.format(number), _reason(failure))
            if self._mirror:
                self._mirror.rejected(number, _reason(failure))
            self._look_again()
            return
        for name, reason in _reasons(failure).items():
            self._study._storage.set_trial_user_attr(trial._trial_id, name, reason)
        self._study.tell(number, state=TrialState.PRUNED)
        self._changed(number)
        self._look_again()

    def end_trials(self) -> None:
        """Give up the trials that are under way, before anything came of them."""
        for number in self._trials.values():
            if not self.trials[number].state.is_finished():
                self._study.tell(number, state=TrialState.FAIL)
                self._changed(number)

    def best_elsewhere(self) -> Config | None:
        """Return the fastest config of other processes, if it is faster than all that was tried here."""
        self._read_others()
        rejected = rejected_of(self._study)
        times = [math.inf if trial.number in rejected else _time_us(trial) for trial in self.trials]
        own = min((times[number] for number in self._trials.values()), default=math.inf)
        others = {one: times[number] for one, number in self._elsewhere.items() if one not in self._taken}
        faster = (one for one, time_us in sorted(others.items(), key=lambda other: other[1]) if time_us < own)
        return next(filter(self._is_legal, faster), None)

    def _look_again(self) -> None:
        """See whether what has become known leaves something to propose after all."""
        if self._is_exhausted and isinstance(self._sampler, NeighbourSampler):
            self._is_exhausted = not self._sampler.has_proposals(self._study)

    def _is_legal(self, config: Config) -> bool:
        return self._space.lists(config) or self._accepts(config)

    def _may_try(self, config: Config) -> bool:
        """Return whether a config is legal, and was tried neither here nor elsewhere."""
        return config not in self._taken and config not in self._elsewhere and self._is_legal(config)

    def _began(self, config: Config, trial: optuna.Trial) -> None:
        self._trials[config] = trial.number
        self._changed(trial.number)

    def _changed(self, number: int) -> None:
        if self._mirror:
            self._mirror.changed(number)

    def _read_others(self) -> None:
        changed = self._mirror.read() if self._mirror else []
        for number in changed:
            trial = self.trials[number]
            try:
                config = self._parameters.config(trial.params)
            except (KeyError, IndexError):
                self._ignore(number)  # whoever writes to a storage may write half a config
                continue
            if trial.state is TrialState.COMPLETE and not self._has_possible_time(trial):
                self._ignore(number)
                if self._elsewhere.get(config) == number:
                    del self._elsewhere[config]
            elif trial.state is not TrialState.FAIL:
                self._elsewhere.setdefault(config, number)
            elif self._elsewhere.get(config) == number:
                del self._elsewhere[config]  # it was given up there, and may be tried here
        if changed:
            self._look_again()

    def _has_possible_time(self, trial: FrozenTrial) -> bool:
        time_us = _time_us(trial)
        return time_us < math.inf and self._is_possible(time_us)

    def _ignore(self, number: int) -> None:
        """Let nothing be learned from a trial of another process."""
        self._study.set_user_attr(IGNORED.format(number), True)

    def _nearest(self, config: Config) -> Config | None:
        """Return the nearest legal config that was not tried: a listed one, or one that departs in one parameter."""
        family = self._space.families[config.family]
        indices = family.nearest_indices(config)
        assert indices is not None
        distances = family.distances(indices)
        order = (int(place) for place in distances.argsort(kind="stable"))
        listed = next((place for place in order if self._may_try(family.config(family.indices[place].tolist()))), None)
        most = math.inf if listed is None else distances[listed]
        changes = family.with_rows(neighbours(family.parameters, indices))
        for place, distance in sorted(enumerate(changes.distances(indices)), key=lambda one: one[1]):
            if distance >= most:
                break
            if self._may_try(near := family.config(changes.indices[place].tolist())):
                return near
        if listed is not None:
            return family.config(family.indices[listed].tolist())
        return next(filter(self._may_try, self._space.searched), None)

    def _made(self, sampler: Sampler, seed: int, effects: Effects) -> BaseSampler:
        makers: dict[Sampler, Callable[[], BaseSampler]] = {
            Sampler.default: lambda: NeighbourSampler(seed, self._knowledge(effects)),
            Sampler.tpe: lambda: optuna.samplers.TPESampler(
                multivariate=True, group=True, constant_liar=True, seed=seed
            ),
            Sampler.gp: lambda: optuna.samplers.GPSampler(seed=seed, deterministic_objective=False),
            Sampler.cmaes: lambda: optuna.samplers.CmaEsSampler(seed=seed),
            Sampler.ga: lambda: optuna.samplers.NSGAIISampler(seed=seed, population_size=20),
            Sampler.nsga3: lambda: optuna.samplers.NSGAIIISampler(seed=seed, population_size=20),
            Sampler.qmc: lambda: optuna.samplers.QMCSampler(seed=seed, scramble=True),
            Sampler.random: lambda: optuna.samplers.RandomSampler(seed=seed),
        }  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            return makers[sampler]()

    def _knowledge(self, effects: Effects) -> Knowledge:
        families = self._space.families

        def listed() -> dict[str, list[Indices]]:
            return {name: [tuple(row) for row in family.indices.tolist()] for name, family in families.items()}

        @cache  # listing them takes as long as several proposals, and most families are proposed rarely
        def legal(name: str) -> frozenset[Indices]:
            family = families[name]
            # One with fixed values lists rows that may be illegal.
            return frozenset() if family.fixed else frozenset(map(tuple, family.indices.tolist()))

        def is_legal(point: Point) -> bool:
            name, indices = point
            return indices in legal(name) or self._accepts(families[name].config(indices))

        priors = {
            _name(family, parameter): prior
            for family in families.values()
            for parameter, prior in zip(family.parameters, priors_of(family, effects), strict=True)
        }
        branches = {name: Branch(self._parameters.of_trial(name), {_FAMILY: name}) for name in families}
        return Knowledge(branches, priors, are_times=True, is_legal=is_legal, listed=listed)


class _Parameters:
    """How configs are spelled as parameters of trials."""

    def __init__(self, space: Space, sampler: Sampler) -> None:
        self._space = space
        self._sampler = sampler
        self._families = tuple(space.families)
        self._of_family = {
            name: {_name(family, one): self._distribution(one.values, one.is_ordered) for one in family.parameters}
            for name, family in space.families.items()
        }
        self.family = self._distribution(self._families, is_ordered=False)

    @property
    def distributions(self) -> dict[str, BaseDistribution]:
        """Those of all parameters."""
        return {_FAMILY: self.family} | {key: one for of in self._of_family.values() for key, one in of.items()}

    def of_trial(self, family: str) -> dict[str, BaseDistribution]:
        """Return the distributions of a trial of a config of the family."""
        if self._sampler.takes_all_parameters:
            return self.distributions
        return {_FAMILY: self.family, **self._of_family[family]}

    def of(self, config: Config) -> dict[str, Any] | None:
        """Return the parameters of the config's trial; None if no family has it.

        A value that no parameter lists is told as the nearest one. Parameters of other families, where the sampler
        needs these, are at their defaults.
        """
        if config.family not in self._space.families:
            return None
        params: dict[str, Any] = {_FAMILY: self._spelled(self._families, self._families.index(config.family))}
        for name, family in self._space.families.items():
            if name != config.family and not self._sampler.takes_all_parameters:
                continue
            chosen = config if name == config.family else family.default
            indices = family.nearest_indices(chosen) if chosen else (0,) * len(family.parameters)
            if indices is None:
                return None
            for parameter, index in zip(family.parameters, indices, strict=True):
                params[_name(family, parameter)] = self._spelled(parameter.values, index, parameter.is_ordered)
        return params

    def family_of(self, params: Mapping[str, Any]) -> str:
        return str(self._read(self._families, params[_FAMILY]))

    def config(self, params: Mapping[str, Any]) -> Config:
        """Return the config that a trial is of."""
        family = self._space.families[self.family_of(params)]
        return family.table.config(
            {
                one.name: self._read(one.values, params[_name(family, one)], one.is_ordered)
                for one in family.parameters
            }
        )  # fmt: skip

    def _has_places(self, is_ordered: bool) -> bool:
        return self._sampler.takes_numbers if not is_ordered else self._sampler.takes_places

    def _distribution(self, values: tuple[Value, ...], is_ordered: bool) -> BaseDistribution:
        places = self._has_places(is_ordered)
        return IntDistribution(0, len(values) - 1) if places else CategoricalDistribution(values)

    def _spelled(self, values: tuple[Value, ...], place: int, is_ordered: bool = False) -> Value:
        return place if self._has_places(is_ordered) else values[place]

    def _read(self, values: tuple[Value, ...], spelled: Value, is_ordered: bool = False) -> Value:
        return values[int(spelled)] if self._has_places(is_ordered) else spelled


def _time_us(trial: FrozenTrial) -> float:
    """Return the time of a trial; infinite without a valid time."""
    return trial.value if trial.value is not None and 0 < trial.value < math.inf else math.inf


def study_name(
    device: Device, cell: Cell, template_hashes: Iterable[str], sampler: Sampler, restriction: Restriction
) -> str:
    """Return the name of a study: those of one name have the same parameters, and times that may be compared."""
    problem, n = cell
    spelling = (sampler.takes_places, sampler.takes_numbers, sampler.takes_all_parameters)
    of = [str(device), problem.columns, problem.extents, n, *template_hashes, restriction.message(), spelling]
    digest = hashlib.sha256(repr(of).encode()).hexdigest()[:12]
    among = f", among {restriction}" if restriction else ""
    return f"{f'{cell} on {device}{among}'[:_MOST_NAME]}, {digest}"


def _name(family: Family, parameter: Parameter) -> str:
    return f"{family.name}.{parameter.name}"


def _suggest(trial: optuna.Trial, name: str, distribution: BaseDistribution) -> None:
    if isinstance(distribution, CategoricalDistribution):
        trial.suggest_categorical(name, distribution.choices)
    elif isinstance(distribution, IntDistribution):
        trial.suggest_int(name, distribution.low, distribution.high)


def _reasons(failure: Failure | None) -> dict[str, str]:
    return {} if failure is None else {_REASON: _reason(failure)}


def _reason(failure: Failure) -> str:
    return f"{failure.status}: {failure.reason}"[:_MOST_REASON]
