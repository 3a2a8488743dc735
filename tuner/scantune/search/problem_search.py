"""The search of one problem at one N: it proposes, compiles ahead, races, verifies what may win, and decides."""

from __future__ import annotations

import itertools
import os
import platform
import zlib
from collections import deque
from collections.abc import Callable, Collection, Container, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from scantune.compare.final_round import FinalRound, record_of
from scantune.errors import UsageError
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.decision import Decision
from scantune.model.family_table import Standing
from scantune.model.least_time import impossibility
from scantune.model.measurement import Measurement
from scantune.model.octave import Range
from scantune.model.policy import Policy
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.model.restriction import Restriction
from scantune.model.space import Space
from scantune.model.trial import Failure, Trial
from scantune.search.effects import Effects
from scantune.search.sampler_names import Sampler
from scantune.store.archive import Session
from scantune.worker.compile_pool import CompilePool, Waits
from scantune.worker.evaluation import Evaluator, Measured

if TYPE_CHECKING:
    from scantune.search.study import SearchStudy
    from scantune.search.study_storage import StudyStorage

# Verifying costs several times what a measurement does. A config slower than the best so far by this factor is verified
# only if it reaches the final round after all.
_MAY_WIN = 1.03

Steps = Generator[Waits, None, Record | None]


class Watcher(Protocol):
    """What is told of the progress of a search."""

    def tried(self, trials: int, limit: int, best: Config | None, best_us: float | None) -> None: ...


@dataclass(frozen=True)
class Tools:
    """What every search of a run shares."""

    evaluator: Evaluator
    pool: CompilePool
    session: Session
    policy: Policy
    seed: int
    watcher: Watcher
    clock: Callable[[], float]  # seconds, from any start
    effects: Effects = field(default_factory=Effects)  # what other problems tell of the parameters
    sampler: Sampler = Sampler.default
    storage: StudyStorage | None = None  # what the studies are written to
    # Nothing is verified twice: neither candidates at the size of quick checks nor winners at their own for all kinds.
    verified: set[tuple[Cell, Config]] = field(default_factory=set)
    verified_winners: set[tuple[Cell, Config]] = field(default_factory=set)
    gaps: Callable[[Cell], Sequence[Range]] = lambda cell: ()  # the octaves beside a cell's that its winner may serve
    held: Callable[[Cell], Record | None] = lambda cell: None  # the record that a cell has

    def final_round(self, cell: Cell, failed: Container[Config]) -> FinalRound:
        return FinalRound(
            self.evaluator, self.pool, cell, self.policy, self.seed + 1, self.verified_winners, failed,
            self.gaps(cell), self.held(cell),
        )  # fmt: skip


@dataclass(frozen=True)
class Compiling:
    config: Config
    outcome: Future[float | Failure]


class ProblemSearch:
    """One search; each object serves for one. run() returns the record, which is saved by then.

    With a restriction nothing else is searched, and nothing else may win. What serves now is measured beside it all the
    same, and where that is not beaten the record is not saved.
    """

    def __init__(
        self, tools: Tools, problem: Problem, n: int, space: Space, deadline: float,
        restriction: Restriction | None = None,
    ) -> None:  # fmt: skip
        self._tools = tools
        self._problem = problem
        self._n = n
        self._space = space
        self._deadline = deadline  # by the clock; the final round comes after it
        self._restriction = restriction or Restriction()
        self.among = tools.evaluator.restricted(problem, n, space, self._restriction)  # the configs that may win
        self._times: dict[Config, float] = {}  # microseconds, corrected for drift from batch to batch
        self._racers: dict[Config, Measurement] = {}  # configs measured to the end, not by a probe alone
        self._failures: dict[Config, Failure] = {}
        self._compiling: deque[Compiling] = deque()
        self._pending: deque[Config] = deque()  # configs that are tried before anything is suggested
        self._retried: set[Config] = set()  # configs that failed in an earlier run, perhaps by chance
        self._owed: set[Config] = set()  # configs that are tried even when there is neither time nor a trial left
        self.cut_short = False  # whether the deadline ended the search
        self.decision: Decision | None = None  # what the final round decided
        self.unbeaten: Config | None = None  # the config that serves on, so that a restricted winner is not saved

    @cached_property
    def _study(self) -> SearchStudy:
        from scantune.search.study import SearchStudy, study_name  # Optuna takes long to import

        tools = self._tools
        families = self.among.families.values()
        defaults = [family.default for family in families if family.default]
        hashes = [tools.session.run_of(self._problem, self._n, one).kernel_hash for one in defaults]
        cell = Cell(self._problem, self._n)
        name = study_name(tools.session.device, cell, hashes, tools.sampler, self._restriction)

        def study_in(storage: StudyStorage | None) -> SearchStudy:
            seed = _own_seed(tools.seed) if storage else tools.seed
            return SearchStudy(
                name, self.among, tools.sampler, seed, tools.effects, self._is_legal, storage, self._is_possible
            )  # fmt: skip

        try:
            return study_in(tools.storage)
        except UsageError as error:
            if tools.storage is None:
                raise
            tools.storage.give_up(str(error))  # what was measured before is worth more than the storage
            return study_in(None)

    @property
    def failures(self) -> dict[Config, Failure]:
        return self._failures

    def run(self, starts: Iterable[Config], holders: Iterable[Config]) -> Record | None:
        """Return the winner's record, or None when no config could be verified and timed.

        `holders` are the configs that serve now: the winner of an earlier run, then what runs untuned. The first of
        them stays unless it is beaten. `starts` are tried after holders and defaults, before anything is proposed.
        Raises EnvironmentFault when the machine cannot go on; what was tried is saved by then.
        """
        steps = self.steps(starts, holders)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                record: Record | None = end.value
                return record

    def steps(self, starts: Iterable[Config], holders: Iterable[Config]) -> Steps:
        """Do what run() does step by step: yield the compilations that the next step waits for; return the record."""
        study = self._study  # is made here, and not while an error ends the search
        try:
            always = list(dict.fromkeys([*self._all_legal(holders, self._space), self._space.default]))
            self._learn_from_stored_trials(always)
            # These come first: however short the time is, nothing may win without meeting them.
            self._queue(always)
            self._owed = set(self._pending)
            self._queue([*self.among.defaults, *self._all_legal(starts, self.among)])
            yield from self._explore(limit=0)
            yield from self._explore(self._tools.policy.trials)
            for _ in range(self._tools.policy.finalists):
                if (elsewhere := study.best_elsewhere()) is None:
                    break
                self._queue([elsewhere])  # where it does not hold what it promised, the next one may
                yield from self._explore(limit=0)
            if best := self._best:
                # The kernels that verify the likely winner compile now, because in the final round nothing else would.
                yield [self._compile(best, all_kinds=True)]
            return (yield from self._decide(always))
        finally:
            self._drop_compiling()

    def _learn_from_stored_trials(self, always: Collection[Config]) -> None:
        for trial in self._tools.session.trials(self._problem, self._n):
            config = self._space.known(trial.config)
            if config is None or not (self._may_win(config) or config in always):
                continue
            if trial.failure and (trial.failure.deserves_retry or config == self._space.default):
                self._retried.add(config)
                self._study.retry(config)
            elif self._study.take(config):
                self._study.add(Trial(config, trial.measurement, trial.failure))
                self._keep(Trial(config, trial.measurement, trial.failure), score=None)

    def _all_legal(self, configs: Iterable[Config], space: Space) -> list[Config]:
        return self._tools.evaluator.legal(self._problem, self._n, space, configs)

    def _may_win(self, config: Config) -> bool:
        return self._restriction.admits(config)

    def _is_legal(self, config: Config) -> bool:
        return self._tools.evaluator.is_valid(self._problem, self._n, config)

    def _is_possible(self, time_us: float) -> bool:
        return impossibility(self._tools.session.device, self._problem, self._n, time_us) is None

    def _queue(self, configs: Iterable[Config]) -> None:
        """Let configs be tried next, unless they were tried before."""
        self._pending.extend(config for config in configs if self._study.take(config))

    def _explore(self, limit: int) -> Iterator[Waits]:
        """Try what waits, and suggest more up to a limit of trials."""
        while self._owed or (self._has_room(limit) and not self._is_settled and not self._is_out_of_time()):
            # While one batch is measured the next one compiles.
            depth = max(len(self._owed), len(self._pending), min(self._tools.policy.ahead, limit - self._tried))
            self._compile_ahead(depth, suggest=self._tried < limit and not self._is_out_of_time())
            if not self._compiling:
                break
            yield [one.outcome for one in itertools.islice(self._compiling, self._tools.policy.batch)]
            yield from self._race_batch()
        self._drop_compiling()

    def _has_room(self, limit: int) -> bool:
        return bool(self._tried < limit or self._pending or self._compiling)

    def _compile_ahead(self, depth: int, suggest: bool) -> None:
        while len(self._compiling) < depth:
            with self._tools.evaluator.stopwatch.on("proposing"):
                config = self._next(suggest)
            if config is None:
                return
            # Most configs are slow: kernels that only verification runs would be compiled in vain.
            self._compiling.append(Compiling(config, self._compile(config, measured_only=True)))

    def _next(self, suggest: bool) -> Config | None:
        """Begin the trial of what waits, or else of what is proposed."""
        if not self._pending:
            return self._study.ask() if suggest else None
        config = self._pending.popleft()
        self._study.begin(config)
        return config

    def _compile(self, config: Config, **what: bool) -> Future[float | Failure]:
        return self._tools.pool.submit(self._tools.evaluator.request(self._problem, self._n), config, **what)

    def _drop_compiling(self) -> None:
        for compiling in self._compiling:
            compiling.outcome.cancel()
        self._study.end_trials()
        self._compiling.clear()
        self._pending.clear()

    def _race_batch(self) -> Iterator[Waits]:
        """Measure the candidates that compiled together with the best so far."""
        batch: dict[Config, float] = {}
        while self._compiling and len(batch) < self._tools.policy.batch:
            compiling = self._compiling.popleft()
            outcome = self._tools.evaluator.compiled(compiling.outcome)
            if isinstance(outcome, Failure):
                self._learn_new(self._saved(Trial(compiling.config, failure=outcome)), score=None)
            else:
                batch[compiling.config] = outcome
        if batch:
            yield from self._measure_batch(batch)

    def _verify_candidate(self, config: Config, compiling: Future[float | Failure] | None) -> Failure | None:
        """Verify at a size that is quick to check; only the winner is verified at its real N too."""
        if self._is_verified(config):
            return None
        if compiling and isinstance(failure := self._tools.evaluator.compiled(compiling), Failure):
            return failure
        failed = self._tools.evaluator.verify_at_most(
            self._problem, self._n, self._tools.policy.verify_items, config, self._tools.seed
        )
        if failed is None:
            self._tools.verified.add(self._verified_as(config))
        return failed

    def _is_verified(self, config: Config) -> bool:
        return self._verified_as(config) in self._tools.verified

    def _verified_as(self, config: Config) -> tuple[Cell, Config]:
        return Cell(self._problem, min(self._n, self._tools.policy.verify_items)), config

    def _measure_batch(self, batch: dict[Config, float]) -> Iterator[Waits]:
        best = self._best
        configs = ([best] if best else []) + list(batch)
        measured = self._tools.evaluator.measure(self._problem, self._n, configs, self._tools.policy.racing)
        outcomes = dict(zip(configs, measured.outcomes, strict=True))
        drift = self._drift(best, measured)
        if best and isinstance(failure := outcomes.pop(best), Failure):
            self._reject(best, failure)
        trials = {config: _trial(config, outcome, batch[config]) for config, outcome in outcomes.items()}
        with self._tools.session.together():
            # They are saved before they are verified: the run may be ended while that waits for compilers.
            trials = {config: self._saved(trial) for config, trial in trials.items()}
        for trial in trials.values():
            if trial.failure:
                self._learn_new(trial, score=None)
        scores = {one: trial.measurement.median_us * drift for one, trial in trials.items() if trial.measurement}
        yield from self._learn_verified(trials, scores)

    def _learn_verified(self, trials: Mapping[Config, Trial], scores: Mapping[Config, float]) -> Iterator[Waits]:
        """Learn times; a config that may win is verified first, so that what is held for the best is always right."""
        left = dict(scores)
        while near := self._near_best(left):
            compiling = {config: self._compile(config) for config in near if not self._is_verified(config)}
            if compiling:
                yield list(compiling.values())
            for config in near:
                if failure := self._verify_candidate(config, compiling.get(config)):
                    self._reject(config, failure)
                    self._tell_watcher()
                else:
                    self._learn_new(trials[config], scores[config])
                del left[config]
        for config in left:
            self._learn_new(trials[config], scores[config])

    def _near_best(self, scores: Mapping[Config, float]) -> list[Config]:
        """Return the configs that may win by their scores, and those that they must beat, the fastest first."""
        best = [self._times[self._best]] if self._best else []
        least = min([*best, *(score for one, score in scores.items() if self._may_win(one))], default=0.0)
        near = (one for one, score in scores.items() if score < _MAY_WIN * least or not self._may_win(one))
        return sorted(near, key=scores.__getitem__)

    def _drift(self, best: Config | None, measured: Measured) -> float:
        """Return the factor that makes this batch comparable with earlier ones: clocks drift, but ratios hardly do."""
        again = measured.outcomes[0]
        if best is None or isinstance(again, Failure):
            return 1.0
        return self._times[best] / again.median_us

    def _saved(self, trial: Trial) -> Trial:
        """Save a trial and return it as it was saved, with repeated failures counted."""
        if trial.failure:
            trial = trial.failed(self._counted(trial.config, trial.failure))
        self._tools.session.save_trial(self._problem, self._n, trial, trial.config == self._space.default)
        return trial

    def _keep(self, trial: Trial, score: float | None) -> None:
        self._owed.discard(trial.config)
        if trial.failure:
            self._failures[trial.config] = trial.failure
        elif trial.measurement:
            self._times[trial.config] = score if score is not None else trial.measurement.median_us
            if not trial.measurement.probe_only:
                self._racers[trial.config] = trial.measurement

    def _learn_new(self, trial: Trial, score: float | None) -> None:
        self._keep(trial, score)
        if trial.failure:
            self._study.fail(trial.config, self._tools.session.kept(trial.failure))
        else:
            self._study.tell(trial.config, self._times[trial.config])
        self._tell_watcher()

    def _tell_watcher(self) -> None:
        best = self._best
        limit = min(self._tools.policy.trials, len(self.among))
        self._tools.watcher.tried(self._tried, limit, best, self._times[best] if best else None)

    def _decide(self, always: Sequence[Config]) -> Steps:
        """Return the record of the final round; of another one among the next fastest if all finalists failed."""
        tools, cell = self._tools, Cell(self._problem, self._n)
        while finalists := self._finalists(always):
            self.decision = yield from tools.final_round(cell, self._failures).decide(
                finalists, always, self._reject, self._may_win
            )
            if self.decision:
                return self._record(self.decision, always)
            if not any(config in self._failures for config in finalists):
                return None  # none failed, and none may be run
        return None

    def _finalists(self, always: Sequence[Config]) -> list[Config]:
        """Return what meets in the final round; nothing if nothing is left that may win."""
        by_time = sorted(
            filter(self._may_win, self._times), key=lambda config: (config not in self._racers, self._times[config])
        )
        kept = [config for config in always if config in self._times]
        return list(dict.fromkeys([*kept, *by_time[: self._tools.policy.finalists]])) if by_time else []

    def _counted(self, config: Config, failure: Failure) -> Failure:
        return failure.again() if config in self._retried else failure

    def _reject(self, config: Config, failure: Failure) -> None:
        failure = self._counted(config, failure)
        self._owed.discard(config)
        self._times.pop(config, None)
        self._failures[config] = failure
        self._study.fail(config, self._tools.session.kept(failure))
        self._tools.session.save_failure(self._problem, self._n, config, failure)

    def _record(self, decision: Decision, always: Sequence[Config]) -> Record:
        session = self._tools.session
        run = session.run_of(self._problem, self._n, decision.winner)
        if self._restriction:
            run, self.unbeaten = run.restricted_to(self._restriction), self._serving_on(decision, always)
        else:
            run, may_gain = run.cut_short() if self.cut_short else run, self._study.may_gain
            run = run if may_gain is None else run.may_gain_more(may_gain)
        default = self._space.default if self._space.default not in self._failures else None
        record = record_of(decision, session.device, Cell(self._problem, self._n), default, run)
        if self.unbeaten is None:
            session.save_record(record)
        return record

    def _serving_on(self, decision: Decision, always: Sequence[Config]) -> Config | None:
        """Return what serves on after a restricted search; None if its winner serves from now on.

        A family of the gallery is there to be compared, so that none takes the place of what programs run.
        """
        if self.among.families[decision.winner.family].table.standing is Standing.gallery:
            return next(iter(always), self._space.default)
        return None if decision.is_news else next(iter(always), None)

    @property
    def _tried(self) -> int:
        return len(self._times) + len(self._failures)

    @property
    def _best(self) -> Config | None:
        return min(filter(self._may_win, self._times), key=self._times.__getitem__, default=None)

    @property
    def _is_settled(self) -> bool:
        return self._study.in_vain >= self._tools.policy.patience and not self._pending

    def _is_out_of_time(self) -> bool:
        """Return whether the deadline is over, and remember that it cut the search short."""
        self.cut_short = self.cut_short or self._tools.clock() >= self._deadline
        return self.cut_short


def _own_seed(seed: int) -> int:
    """Return a seed that no other tuner has: from one seed, most of Optuna's samplers propose the same to all."""
    return zlib.crc32(f"{seed} {platform.node()} {os.getpid()}".encode()) % 2**31


def _trial(config: Config, outcome: Measurement | Failure, compile_ms: float) -> Trial:
    if isinstance(outcome, Failure):
        return Trial(config, failure=outcome, compile_ms=compile_ms)
    return Trial(config, outcome, compile_ms=compile_ms)


def first_reasons(failures: dict[Config, Failure], count: int = 3) -> Sequence[str]:
    """Return some failures as text, for a message."""
    return [f"{config}: {failure.status}: {failure.reason}" for config, failure in list(failures.items())[:count]]
