"""A sampler for Optuna: it proposes what is a change or two from the fastest trials and is expected to gain most.

All that it knows is in the trials of the study. It reads them before each proposal, and several processes may sample
for one study: trials that are running are taken to come out as expected.
"""

from __future__ import annotations

import math
import re
import statistics
import threading
import zlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from scantune.model.space import Indices, Parameter
from scantune.search.family_search import FamilySearch
from scantune.search.proposals import Kind, Point, Search
from scantune.search.surrogate import Prior

# A trial that this sampler proposed has this system attribute: why, and how many trials had ended by then.
PROPOSED = "scantune:proposed"
EARLIER = "earlier_run"  # the user attribute of a trial that ended before this search began
# A user attribute of the study says of a trial why its value does not count any more. Optuna lets nobody change a trial
# that has ended.
REJECTED = "rejected trial {}"
IGNORED = "ignored trial {}"  # likewise, of a trial that says nothing at all: the same may be proposed once more

_STARTUP_TRIALS = 8  # are drawn where nobody says what to begin with
_MOST_VALUES = 64  # of a longer range of integers so many are searched
_WEIGHT = 0.1  # of a step in a parameter of which nothing is known
_SPREAD = 0.2  # by how much scaled values of the first trials deviate, if they are not times

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Branch:
    """Trials that have the same parameters, and in which those that tell it from other branches have one value."""

    distributions: Mapping[str, BaseDistribution]
    told_by: Params

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that have several values in it, or may have."""
        found = {name: one for name, one in self.distributions.items() if name not in self.told_by}
        return tuple(Parameter(name, True, values_of(one)) for name, one in found.items())

    def indices(self, params: Params) -> Indices | None:
        """Return the indices of parameters, or of the nearest values; None if they are of another branch."""
        if params.keys() != self.distributions.keys() or any(params[name] != one for name, one in self.told_by.items()):
            return None
        found = [parameter.nearest_index(params[parameter.name]) for parameter in self.parameters]
        return None if None in found else tuple(index for index in found if index is not None)

    def params(self, indices: Indices) -> dict[str, Any]:
        named = zip(self.parameters, indices, strict=True)
        return {**self.told_by, **{parameter.name: parameter.values[index] for parameter, index in named}}


Branches = Mapping[str, Branch]


@dataclass(frozen=True)
class Knowledge:
    """What is known of a study before it has trials. Nothing of it is needed."""

    branches: Branches = field(default_factory=dict)  # without them they are read from the first trials
    priors: Mapping[str, Prior] = field(default_factory=dict)  # by parameter
    are_times: bool = False  # whether values are times, of which logarithms are learned
    is_legal: Callable[[Point], bool] | None = None  # without it all are
    # Returns, by branch, what is drawn from where nothing is expected any more; without it nothing is.
    listed: Callable[[], Mapping[str, Sequence[Indices]]] = dict

    def search(self, branches: Branches, seed: int) -> Search:
        """Return a search that was told nothing."""
        families = {
            name: FamilySearch(branch.parameters, list(map(self._prior, branch.parameters)), seed)
            for name, branch in branches.items()
        }
        return Search(families, seed, self.is_legal or (lambda point: True), self.listed)

    def _prior(self, parameter: Parameter) -> Prior:
        return self.priors.get(parameter.name) or Prior(parameter.is_ordered, _WEIGHT, [0.0] * len(parameter.values))


class _Event(NamedTuple):
    """What a search is told. The same events in the same order make the same search."""

    what: str
    point: Point
    detail: Kind | float | None = None
    is_earlier: bool = False  # whether what is told came of an earlier search

    def tell(self, search: Search) -> None:
        if self.what == "asked":
            search.take(self.point)
        elif self.what == "proposed":
            search.suggest()  # leaves the search as it was when the trial was proposed, down to its draws
            search.take(self.point, Kind(self.detail))
        elif self.what == "dropped":
            search.drop(self.point, again=self.detail is None)
        else:
            search.tell(self.point, None if self.detail is None else float(self.detail), self.is_earlier)


@dataclass
class _Reading:
    """A search, and what it was told. It is kept for speed alone."""

    of: Hashable
    branches: Branches
    search: Search
    events: list[_Event] = field(default_factory=list)
    ended: int = 0  # how many trials had
    begun: dict[int, _Event] = field(default_factory=dict)  # by a trial's number, once it has all its parameters


class NeighbourSampler(BaseSampler):
    """Samples categorical and integer parameters for one objective. Others are drawn at random."""

    def __init__(self, seed: int = 0, knowledge: Knowledge | None = None) -> None:
        self._seed = seed
        self._knowledge = knowledge or Knowledge()
        self._lock = threading.Lock()
        self._reading: _Reading | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_reading": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def reseed_rng(self) -> None:
        """Do nothing: what is drawn depends on the trials, of which no two are alike."""

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        if len(study.directions) != 1:
            raise ValueError("NeighbourSampler samples for one objective, and the study has several")
        branches = self._branches(_others(study, trial))
        return {name: one for branch in branches.values() for name, one in branch.distributions.items()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        with self._lock:
            reading = self._read(study, _others(study, trial))
            if (suggested := reading.search.suggest()) is None:
                return {}
            point, kind = suggested
            reading.search.take(point, kind)
            reading.events.append(_Event("proposed", point, kind))
            study._storage.set_trial_system_attr(trial._trial_id, PROPOSED, [kind.value, reading.ended])
            return reading.branches[point[0]].params(point[1])

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Draw a value, which depends on the seed, the trial and the parameter alone."""
        seed = zlib.crc32(f"{self._seed} {trial.number} {param_name}".encode())
        return RandomSampler(seed).sample_independent(study, trial, param_name, param_distribution)

    def has_proposals(self, study: Study) -> bool:
        """Return whether anything is left to propose."""
        with self._lock:
            return self._read(study, study.get_trials(deepcopy=False)).search.has_suggestions

    def may_gain(self, study: Study) -> float:
        """Return the share of the best time that may be left to gain, an estimate."""
        with self._lock:
            return self._read(study, study.get_trials(deepcopy=False)).search.may_gain

    def _branches(self, trials: Sequence[FrozenTrial]) -> Branches:
        """Return the branches that are known; none as long as trials are to be drawn."""
        if self._knowledge.branches:
            return self._knowledge.branches
        timed = [one for one in trials if one.value is not None]
        return branches_of(timed) if len(timed) >= _STARTUP_TRIALS else {}

    def _read(self, study: Study, trials: Sequence[FrozenTrial]) -> _Reading:
        """Return a search that was told what the trials tell."""
        if ignored := ignored_of(study):
            trials = [one for one in trials if one.number not in ignored]
        reading, of = self._reading, (study._study_id, id(study._storage))
        branches = self._branches(trials)
        if reading is None or reading.of != of or reading.branches != branches:
            reading = self._begun(of, branches)
        last = ended(trials)
        score = self._scores(study, last)
        events = list(_events(trials, last, reading, score))
        if events[: len(reading.events)] != reading.events:
            reading = self._begun(of, branches)
            events = list(_events(trials, last, reading, score))
        for event in events[len(reading.events) :]:
            event.tell(reading.search)
        reading.events, reading.ended = events, len(last)
        self._reading = reading
        return reading

    def _begun(self, of: Hashable, branches: Branches) -> _Reading:
        return _Reading(of, branches, self._knowledge.search(branches, self._seed))

    def _scores(self, study: Study, last: Sequence[FrozenTrial]) -> Callable[[FrozenTrial], float | None]:
        """Return what tells the score of a trial that has ended; none is a failure."""
        rejected = rejected_of(study)
        if self._knowledge.are_times:
            return lambda trial: _log(trial.value) if trial.number not in rejected else None
        values = [one.value for one in last if one.value is not None][:_STARTUP_TRIALS]
        sign = -1 if study.direction is StudyDirection.MAXIMIZE else 1
        centre, spread = (statistics.fmean(values), statistics.pstdev(values)) if values else (0.0, 1.0)

        def score(trial: FrozenTrial) -> float | None:
            value = trial.value
            if value is None or not math.isfinite(value) or trial.number in rejected:
                return None
            return sign * _SPREAD * (value - centre) / (spread or 1.0)

        return score


def _log(value: float | None) -> float | None:
    return math.log(value) if value is not None and 0 < value < math.inf else None


def rejected_of(study: Study) -> frozenset[int]:
    """Return the numbers of the trials whose values do not count any more."""
    return _marked(study, REJECTED)


def ignored_of(study: Study) -> frozenset[int]:
    return _marked(study, IGNORED)


def _marked(study: Study, mark: str) -> frozenset[int]:
    """Return the numbers of the trials of which a user attribute of the study says this."""
    attributes = study._storage.get_study_user_attrs(study._study_id)
    found = (re.fullmatch(mark.format(r"(\d+)"), name) for name in attributes)
    return frozenset(int(one[1]) for one in found if one)


def values_of(distribution: BaseDistribution) -> tuple[Any, ...]:
    """Return the values that are searched, in order."""
    if isinstance(distribution, CategoricalDistribution):
        return tuple(distribution.choices)
    assert isinstance(distribution, IntDistribution)
    low, high, step = distribution.low, distribution.high, distribution.step
    count = (high - low) // step
    if count < _MOST_VALUES:
        return tuple(range(low, high + 1, step))
    shares = [place / (_MOST_VALUES - 1) for place in range(_MOST_VALUES)]
    if distribution.log:
        return tuple(sorted({round(low * (high / low) ** share) for share in shares}))
    return tuple(low + step * round(count * share) for share in shares)


def branches_of(trials: Iterable[FrozenTrial]) -> Branches:
    """Return the branches of a study whose later parameters depend on earlier ones, by what its trials had.

    A categorical parameter decides about others if trials with different parameters never have the same value of it.
    """
    alike: dict[frozenset[str], list[FrozenTrial]] = defaultdict(list)
    for trial in trials:
        alike[frozenset(_searched(trial))].append(trial)
    deciding = [
        name
        for name in dict.fromkeys(name for names in alike for name in sorted(names))
        if _decides(name, [group for names, group in alike.items() if name in names])
    ]
    branches: dict[str, Branch] = {}
    for group in alike.values():
        for trial in group:
            told_by = {name: trial.params[name] for name in deciding if name in trial.params}
            key = f"{sorted(_searched(trial))} {told_by}"
            branches[key] = Branch(_searched(trial), told_by)  # a range may have become another one
    return branches


def _decides(name: str, groups: Sequence[Sequence[FrozenTrial]]) -> bool:
    if not all(isinstance(one.distributions[name], CategoricalDistribution) for group in groups for one in group):
        return False
    values = [{one.params[name] for one in group} for group in groups]
    return len(groups) > 1 and sum(map(len, values)) == len(set().union(*values))


def _searched(trial: FrozenTrial) -> dict[str, BaseDistribution]:
    kinds = (CategoricalDistribution, IntDistribution)
    return {name: one for name, one in trial.distributions.items() if isinstance(one, kinds)}


def _events(
    trials: Sequence[FrozenTrial], last: Sequence[FrozenTrial], reading: _Reading,
    score: Callable[[FrozenTrial], float | None],
) -> Iterator[_Event]:  # fmt: skip
    """Yield what trials tell, in the order in which it came about; `last` are those that ended, in that order."""
    told = 0
    for trial in trials:
        if (event := _begun(trial, reading)) is None:
            continue
        if event.what == "proposed":
            known = trial.system_attrs[PROPOSED][1]
            yield from _told(last[told:known], reading, score)
            told = max(told, known)
        yield event
    yield from _told(last[told:], reading, score)


def _told(
    trials: Iterable[FrozenTrial], reading: _Reading, score: Callable[[FrozenTrial], float | None]
) -> Iterator[_Event]:
    for trial in trials:
        if (begun := _begun(trial, reading)) is not None:
            if trial.state is TrialState.FAIL:
                yield _Event("dropped", begun.point, begun.detail)  # what was proposed in vain is not proposed again
            else:
                yield _Event("told", begun.point, score(trial), is_earlier=EARLIER in trial.user_attrs)


def _begun(trial: FrozenTrial, reading: _Reading) -> _Event | None:
    """Return how a trial began; None where it has not all its parameters yet, or others."""
    if (known := reading.begun.get(trial.number)) is not None:
        return known
    params = trial.params if trial.state is not TrialState.WAITING else trial.system_attrs.get("fixed_params", {})
    for name, branch in reading.branches.items():
        own = {key: value for key, value in params.items() if key in branch.distributions}
        if (indices := branch.indices(own)) is None:
            continue
        proposed = trial.system_attrs.get(PROPOSED)
        point = name, indices
        event = _Event("asked", point) if proposed is None else _Event("proposed", point, Kind(proposed[0]))
        return reading.begun.setdefault(trial.number, event)
    return None


def _others(study: Study, trial: FrozenTrial) -> list[FrozenTrial]:
    return [one for one in study.get_trials(deepcopy=False) if one.number != trial.number]


def ended(trials: Iterable[FrozenTrial]) -> list[FrozenTrial]:
    """Return the trials that have ended, in the order in which they did."""
    found = [trial for trial in trials if trial.state.is_finished()]
    return sorted(found, key=lambda one: (one.datetime_complete or datetime.min, one.number))
