"""Searches one problem at one N: proposes, compiles ahead, verifies, races, polishes, and decides in a final round."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

from scantune.archive import Session
from scantune.compile_pool import CompilePool
from scantune.config import Config
from scantune.evaluation import Evaluator, Measured
from scantune.final_round import pick_winner
from scantune.measurement import Measurement
from scantune.policy import Policy
from scantune.problem import Problem
from scantune.record import Record, now
from scantune.search import Search
from scantune.space import Space
from scantune.trial import Failure, Trial


class Watcher(Protocol):
    """Is told how a search goes on."""

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
    verified: set[tuple[Problem, int, Config]] = field(default_factory=set)  # at which size; not asked twice


@dataclass(frozen=True)
class Compiling:
    config: Config
    outcome: Future[float | Failure]


class ProblemSearch:
    """One use: run() returns the record, which is saved by then."""

    def __init__(self, tools: Tools, problem: Problem, n: int, space: Space, deadline: float) -> None:
        self._tools = tools
        self._problem = problem
        self._n = n
        self._space = space
        self._deadline = deadline  # by the clock; the final round comes after it
        self._search = Search(space, tools.seed, tools.policy.patience)
        self._times: dict[Config, float] = {}  # scores: microseconds, corrected for drift from batch to batch
        self._racers: dict[Config, Measurement] = {}  # those measured to the end
        self._failures: dict[Config, Failure] = {}
        self._compiling: deque[Compiling] = deque()
        self._pending: deque[Config] = deque()  # to be tried before anything is suggested
        self._retried: set[Config] = set()  # failed in an earlier run, perhaps by chance
        self._owed: set[Config] = set()  # to be tried even when there is neither time nor a trial left
        self.cut_short = False  # by the deadline

    @property
    def failures(self) -> dict[Config, Failure]:
        return self._failures

    def run(self, starts: Iterable[Config], holder: Config | None) -> Record | None:
        """Return the winner's record, or None when no config could be verified and timed.

        `starts` are tried first, after the defaults. `holder` is the winner of an earlier run; it stays unless beaten.
        Raises EnvironmentFault when the machine cannot go on; what was tried is saved by then.
        """
        try:
            return self._run(starts, holder)
        finally:
            self._drop_compiling()

    def _run(self, starts: Iterable[Config], holder: Config | None) -> Record | None:
        self._learn_from_stored_trials()
        holder = self._legal(holder)
        hopeful = [self._legal(config) for config in starts]
        # Default and holder come first: however short the time is, nothing may win without meeting them.
        self._queue([self._space.default, *([holder] if holder else [])])
        self._owed = set(self._pending)
        self._queue([*self._space.defaults, *(config for config in hopeful if config)])
        self._explore(self._tools.policy.trials - self._tools.policy.polish)
        self._polish()
        return self._decide(holder)

    def _learn_from_stored_trials(self) -> None:
        for trial in self._tools.session.trials(self._problem, self._n):
            config = self._space.known(trial.config)
            if config is None:
                continue
            if trial.failure and (trial.failure.deserves_retry or config == self._space.default):
                self._retried.add(config)
            elif self._search.take(config):
                self._learn(Trial(config, trial.measurement, trial.failure), score=None)
        self._search.renew_patience()

    def _legal(self, config: Config | None) -> Config | None:
        """Return the config if it may be tried here: one of the listed, or one that the worker accepts."""
        known = self._space.known(config) if config else None
        if known is None or known in self._space.searched or known in self._times:
            return known
        return known if self._tools.evaluator.is_valid(self._problem, self._n, known) else None

    def _queue(self, configs: Iterable[Config]) -> None:
        """Let configs be tried next, unless they have been."""
        self._pending.extend(config for config in configs if self._search.take(config))

    def _explore(self, limit: int) -> None:
        while self._owed or (self._tried < limit and not self._is_settled and not self._is_out_of_time()):
            # While one batch is measured the next one compiles.
            depth = max(len(self._owed), min(self._tools.policy.ahead, limit - self._tried))
            self._compile_ahead(depth, suggest=not self._is_out_of_time())
            if not self._compiling:
                break
            self._race_batch()
        self._drop_compiling()

    def _polish(self) -> None:
        """Spend what exploring was not to use on the families that may yet win, the fastest first."""
        limit = min(self._tried + self._tools.policy.polish, self._tools.policy.trials)
        for family in self._search.contenders:
            self._walk_from_fastest(family, limit)

    def _walk_from_fastest(self, family: str, limit: int) -> None:
        """Change one parameter at a time, as long as that makes the family's fastest faster."""
        centre = None
        while (best := self._best_of(family)) and best != centre and self._tried < limit and not self._is_out_of_time():
            centre = best
            steps = [config for config in self._neighbours(centre) if not self._search.seen(config)]
            # Steps from an earlier centre may still wait.
            room = limit - self._tried - len(self._pending) - len(self._compiling)
            self._queue(steps[: max(0, room)])
            while (self._pending or self._compiling) and self._best_of(family) == centre:
                if self._is_out_of_time():
                    break
                self._compile_ahead(self._tools.policy.ahead, suggest=False)
                self._race_batch()
        self._drop_compiling()

    def _neighbours(self, centre: Config) -> Iterable[Config]:
        family = self._space.families[centre.family]
        for config in family.neighbours(centre):
            if config in self._space.searched or self._tools.evaluator.is_valid(self._problem, self._n, config):
                yield config

    def _compile_ahead(self, depth: int, suggest: bool) -> None:
        while len(self._compiling) < depth:
            if self._pending:
                config: Config | None = self._pending.popleft()
            else:
                config = self._search.suggest() if suggest else None
            if config is None:
                return
            future = self._tools.pool.submit(self._tools.evaluator.request(self._problem, self._n), config)
            self._compiling.append(Compiling(config, future))

    def _drop_compiling(self) -> None:
        for compiling in self._compiling:
            compiling.outcome.cancel()
        self._compiling.clear()
        self._pending.clear()

    def _race_batch(self) -> None:
        """Verify the candidates that compiled and measure them together with the best so far."""
        batch: dict[Config, float] = {}
        while self._compiling and len(batch) < self._tools.policy.batch:
            compiling = self._compiling.popleft()
            outcome = compiling.outcome.result()
            failure = outcome if isinstance(outcome, Failure) else self._verify_candidate(compiling.config)
            if failure:
                self._save(Trial(compiling.config, failure=failure), score=None)
            elif not isinstance(outcome, Failure):
                batch[compiling.config] = outcome
        if batch:
            self._measure_batch(batch)

    def _verify_candidate(self, config: Config) -> Failure | None:
        """Verify at a size that is quick to check; only the winner is verified at its real N too."""
        n = min(self._n, self._tools.policy.verify_items)
        key = (self._problem, n, config)
        if key in self._tools.verified:
            return None
        failure = self._tools.evaluator.verify(self._problem, n, config, self._tools.seed)
        if failure and n < self._n and "unsupported" in failure.reason:
            failure = self._tools.evaluator.verify(self._problem, self._n, config, self._tools.seed)
        if failure is None:
            self._tools.verified.add(key)
        return failure

    def _measure_batch(self, batch: dict[Config, float]) -> None:
        best = self._best
        configs = ([best] if best else []) + list(batch)
        measured = self._tools.evaluator.measure(self._problem, self._n, configs, self._tools.policy.racing)
        drift = self._drift(best, measured)
        for config, outcome in zip(configs, measured.outcomes, strict=True):
            if config == best:
                if isinstance(outcome, Failure):
                    self._reject(config, outcome)
            elif isinstance(outcome, Failure):
                self._save(Trial(config, failure=outcome, compile_ms=batch[config]), score=None)
            else:
                trial = Trial(config, outcome, compile_ms=batch[config])
                self._save(trial, score=outcome.median_us * drift)

    def _drift(self, best: Config | None, measured: Measured) -> float:
        """Return the factor that makes this batch comparable with the earlier ones: clocks drift, ratios hardly do."""
        again = measured.outcomes[0]
        if best is None or isinstance(again, Failure):
            return 1.0
        return self._times[best] / again.median_us

    def _save(self, trial: Trial, score: float | None) -> None:
        if trial.failure:
            trial = trial.failed(self._counted(trial.config, trial.failure))
        self._tools.session.save_trial(self._problem, self._n, trial, trial.config == self._space.default)
        self._learn(trial, score)
        best = self._best
        limit = min(self._tools.policy.trials, len(self._space))
        self._tools.watcher.tried(self._tried, limit, best, self._times[best] if best else None)

    def _learn(self, trial: Trial, score: float | None) -> None:
        self._owed.discard(trial.config)
        if trial.failure:
            self._failures[trial.config] = trial.failure
            self._search.tell(trial.config, None)
            return
        assert trial.measurement
        self._times[trial.config] = score if score is not None else trial.measurement.median_us
        if not trial.measurement.probe_only:
            self._racers[trial.config] = trial.measurement
        self._search.tell(trial.config, self._times[trial.config])

    def _decide(self, holder: Config | None) -> Record | None:
        """Return the record of the final round; of another one among the next fastest if all finalists failed."""
        while finalists := self._finalists(holder):
            record = self._final_round(finalists, holder)
            if record:
                return record
        return None

    def _final_round(self, finalists: Sequence[Config], holder: Config | None) -> Record | None:
        """Measure the fastest again with more rounds, beside the default and the holder; verify the winner at N.

        Returns None when every finalist failed, and is rejected by then.
        """
        policy = self._tools.policy
        measured = self._tools.evaluator.measure(self._problem, self._n, finalists, policy.final)
        times: dict[Config, Measurement] = {}
        for config, outcome in zip(finalists, measured.outcomes, strict=True):
            if isinstance(outcome, Failure):
                self._reject(config, outcome)
            else:
                times[config] = outcome
        default_us = times[self._space.default].median_us if self._space.default in times else None
        while (winner := pick_winner(times, holder if holder in times else self._space.default)) is not None:
            failure = self._tools.evaluator.verify(self._problem, self._n, winner, self._tools.seed + 1, all_kinds=True)
            if failure is None:
                return self._record(winner, times[winner], default_us, measured.ceiling_us)
            self._reject(winner, failure)
            del times[winner]
        return None

    def _finalists(self, holder: Config | None) -> list[Config]:
        by_time = sorted(self._times, key=lambda config: (config not in self._racers, self._times[config]))
        always = [config for config in (self._space.default, holder) if config in self._times]
        return list(dict.fromkeys([*always, *by_time[: self._tools.policy.finalists]]))

    def _counted(self, config: Config, failure: Failure) -> Failure:
        return failure.again() if config in self._retried else failure

    def _reject(self, config: Config, failure: Failure) -> None:
        failure = self._counted(config, failure)
        self._times.pop(config, None)
        self._failures[config] = failure
        self._tools.session.save_failure(self._problem, self._n, config, failure)

    def _record(
        self, winner: Config, measurement: Measurement, default_us: float | None, ceiling_us: float | None
    ) -> Record:
        session = self._tools.session
        run = session.run.cut_short() if self.cut_short else session.run
        record = Record(
            session.device, self._problem, self._n, winner, measurement.median_us, measurement.spread, default_us,
            ceiling_us, now(), run,
        )  # fmt: skip
        session.save_record(record)
        return record

    @property
    def _tried(self) -> int:
        return len(self._times) + len(self._failures)

    @property
    def _best(self) -> Config | None:
        return min(self._times, key=self._times.__getitem__, default=None)

    def _best_of(self, family: str) -> Config | None:
        of_family = (config for config in self._times if config.family == family)
        return min(of_family, key=self._times.__getitem__, default=None)

    @property
    def _is_settled(self) -> bool:
        return self._search.is_settled and not self._pending

    def _is_out_of_time(self) -> bool:
        """Look at the clock, and remember if the search had to end for it."""
        self.cut_short = self.cut_short or self._tools.clock() >= self._deadline
        return self.cut_short


def first_reasons(failures: dict[Config, Failure], count: int = 3) -> Sequence[str]:
    """Return some failures as text, for a message."""
    return [f"{config}: {failure.status}: {failure.reason}" for config, failure in list(failures.items())[:count]]
