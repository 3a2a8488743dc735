"""One invocation of the tuner: every problem at every N, within the budget, starting where an earlier run stopped."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from scantune.agenda import Agenda, Task
from scantune.archive import Archive, Session
from scantune.breakpoint import Breakpoint
from scantune.compile_pool import CompilePool
from scantune.config import Config
from scantune.device import Device
from scantune.environment import EnvironmentFault
from scantune.errors import ScantuneError
from scantune.evaluation import Evaluator, Timeouts
from scantune.operator_source import OperatorSource
from scantune.policy import Policy
from scantune.portfolio import Portfolio
from scantune.portfolio import Watcher as PortfolioWatcher
from scantune.problem import Problem, split_operator
from scantune.problem_search import ProblemSearch, Tools, Watcher, first_reasons
from scantune.quantity import format_size
from scantune.record import Record, Run
from scantune.space import Space
from scantune.time_model import time_model_of
from scantune.trial import Failure
from scantune.worker import Worker, WorkerError

_MAX_STARTS = 6

# Of a portfolio's budget: breakpoints between few records are worth less than more records.
_MOST_FOR_PROBES = 0.25


class RunWatcher(Watcher, PortfolioWatcher, Protocol):
    """Is told how a run goes on."""

    def started(self, tasks: int, finished: int, budget_s: float) -> None: ...

    def searching(self, problem: Problem, n: int) -> None: ...

    def found(self, record: Record, space: Space) -> None: ...

    def gave_up(self, problem: Problem, n: int, reason: str) -> None: ...


@dataclass
class Outcome:
    records: list[Record] = field(default_factory=list)  # of all that was asked for, found now or before
    spaces: dict[Task, Space] = field(default_factory=dict)
    without_winner: list[str] = field(default_factory=list)
    out_of_budget: list[Task] = field(default_factory=list)
    cut_short: list[Task] = field(default_factory=list)  # searches that would have gone on with more time
    breakpoints: list[Breakpoint] = field(default_factory=list)  # of a portfolio, found now or before
    unprobed: int = 0  # pairs of neighbouring records of a portfolio that time did not suffice for
    without_breakpoint: list[str] = field(default_factory=list)  # other such pairs, and why
    seconds: float = 0.0


@dataclass(frozen=True)
class _Scope:
    problems: Sequence[Problem]
    sizes: Sequence[int]


class TuningRun:
    def __init__(
        self, archive: Archive, worker: Worker, pool: CompilePool, run: Run, policy: Policy, watcher: RunWatcher,
        timeouts: Timeouts | None = None, source: OperatorSource | None = None,
        clock: Callable[[], float] = time.monotonic, is_portfolio: bool = False,
    ) -> None:  # fmt: skip
        """`source` is of the one operator of all problems, if that is the user's own. The pool is closed by run().

        Of a portfolio the breakpoints between neighbouring sizes are found too.
        """
        self._archive = archive
        self._device = worker.hello().device
        self._run = run
        self._policy = policy
        self._watcher = watcher
        self._evaluator = Evaluator(worker, timeouts or Timeouts.of(self._device), source)
        self._source = source
        self._pool = pool
        self._clock = clock
        self._is_portfolio = is_portfolio
        self._model = time_model_of(self._device)
        self._records = {record.key: record for record in archive.records()}
        self._has_winner = False  # found by this run

    def run(self, problems: Sequence[Problem], sizes: Sequence[int]) -> Outcome:
        """Search what is not yet known. Whatever ends the run, all that was tried is saved."""
        started = self._clock()
        outcome = Outcome()
        with self._pool:
            tasks = [(problem, n) for problem in problems for n in sizes]
            todo = [task for task in tasks if not self._is_finished(task)]
            self._watcher.started(len(tasks), len(tasks) - len(todo), self._policy.budget_s)
            session = self._archive.start(self._run, self._device)
            deadline = started + self._policy.budget_s
            agenda = Agenda(todo, self._model, self._policy)
            if self._is_portfolio:
                self._make_portfolio(session, agenda, _Scope(problems, sizes), deadline, outcome)
            else:
                self._search_all(session, agenda, lambda: deadline - self._clock(), outcome)
            outcome.out_of_budget = agenda.left_out
        outcome.records = [self._records[key] for task in tasks if (key := (self._device, *task)) in self._records]
        outcome.seconds = self._clock() - started
        return outcome

    def _is_finished(self, task: Task) -> bool:
        """Return whether these kernels were searched on this device with as much effort or more, and to the end."""
        record = self._records.get((self._device, *task))
        return record is not None and record.run.covers(self._run)

    def _make_portfolio(
        self, session: Session, agenda: Agenda, scope: _Scope, deadline: float, outcome: Outcome
    ) -> None:
        """Search and probe in turns, until there is neither a search nor a probe that the time left can pay for."""
        portfolio = Portfolio(
            self._archive, session, self._evaluator, self._policy, self._model, self._watcher, self._clock
        )
        most_s = _MOST_FOR_PROBES * self._policy.budget_s

        def left_s() -> float:
            # What the pairs found so far will take; those that are alike or not reached take nothing.
            return deadline - self._clock() - min(most_s, portfolio.probing_s(self._records_within(scope)))

        while self._search_all(session, agenda, left_s, outcome):
            portfolio.complete(self._records_within(scope), deadline)
            agenda.take_up_what_was_left_out()
        records = self._records_within(scope)
        portfolio.complete(records, deadline)
        outcome.unprobed = portfolio.out_of_time
        outcome.without_breakpoint = portfolio.faults
        outcome.breakpoints = portfolio.breakpoints(records)

    def _records_within(self, scope: _Scope) -> list[Record]:
        """Return what is recorded between the ends, sizes that were not asked for included."""
        return [
            record
            for problem in scope.problems
            for (device, of_problem, n), record in self._records.items()
            if (device, of_problem) == (self._device, problem) and min(scope.sizes) <= n <= max(scope.sizes)
        ]

    def _search_all(self, session: Session, agenda: Agenda, left_s: Callable[[], float], outcome: Outcome) -> int:
        """Search while time is left; return how many searches that were."""
        tools = Tools(self._evaluator, self._pool, session, self._policy, self._run.seed, self._watcher, self._clock)
        searches = 0
        while turn := agenda.next(left_s()):
            self._search_one(tools, turn.problem, turn.n, self._clock() + turn.trials_s, outcome)
            searches += 1
        return searches

    def _search_one(self, tools: Tools, problem: Problem, n: int, deadline: float, outcome: Outcome) -> None:
        self._watcher.searching(problem, n)
        try:
            space = self._evaluator.space(problem, n)
        except WorkerError as error:
            self._give_up(problem, n, str(error), outcome)
            return
        if not outcome.spaces:
            self._check_that_something_compiles(problem, n, space)
        outcome.spaces[problem, n] = space
        old = self._records.get((self._device, problem, n))
        search = ProblemSearch(tools, problem, n, space, deadline)
        try:
            record = search.run(self._starts(problem, n), old.config if old else None)
        except EnvironmentFault as error:
            self._give_up(problem, n, f"given up, to be tried again by the next run: {error}", outcome)
            return
        if search.cut_short:
            outcome.cut_short.append((problem, n))
        if record:
            self._records[record.key] = record
            self._has_winner = True
            self._watcher.found(record, space)
            return
        reasons = "\n  ".join(first_reasons(search.failures))
        if not self._has_winner:
            raise ScantuneError(f"no config of {problem}, N = {format_size(n)}, works on {self._device}:\n  {reasons}")
        self._give_up(problem, n, reasons, outcome)

    def _give_up(self, problem: Problem, n: int, reason: str, outcome: Outcome) -> None:
        outcome.without_winner.append(f"{problem}, N = {format_size(n)}: {reason}")
        self._watcher.gave_up(problem, n, reason)

    def _check_that_something_compiles(self, problem: Problem, n: int, space: Space) -> None:
        """Tell a compiler that is missing from a config that is wrong; only the latter is remembered as a trial."""
        failures: list[str] = []
        faults: list[str] = []
        for config in space.defaults:
            try:
                outcome = self._pool.submit(self._evaluator.request(problem, n), config).result()
            except EnvironmentFault as error:
                faults.append(f"{config}: {error}")
                continue
            if not isinstance(outcome, Failure):
                return
            failures.append(f"{config}: {outcome.reason}")
        if self._source and not faults:
            # One log will do: in each of them the mistake is the same.
            raise ScantuneError(
                f"{self._source.path} does not compile as an operator of {problem}, so nothing was tried; the log "
                f"calls it operator.cu:\n  {failures[0]}"
            )
        raise ScantuneError(
            "not even the default configs compile, so nothing was tried:\n  " + "\n  ".join(failures + faults)
            + "\n'scantune doctor' tells what is missing"
        )  # fmt: skip

    def _starts(self, problem: Problem, n: int) -> list[Config]:
        """Return winners of similar searches, the most similar first."""
        similar = sorted(
            (record for record in self._records.values() if record.key != (self._device, problem, n)),
            key=lambda record: _unlikeness(record, self._device, problem, n),
        )
        return list(dict.fromkeys(record.config for record in similar[: 4 * _MAX_STARTS]))[:_MAX_STARTS]


def _unlikeness(record: Record, device: Device, problem: Problem, n: int) -> float:
    """Return how little a record says about a search: N's exponent counts most finely, another arch most."""
    return (
        abs(math.log2(record.n / n))
        + 0.5 * (record.problem.op != problem.op)
        + 1.0 * (split_operator(record.problem.op)[0] != split_operator(problem.op)[0])
        + 2.0 * (record.problem.accumulator_type != problem.accumulator_type)
        + 0.5 * (record.problem.input_type != problem.input_type)
        + 0.5 * (record.problem.output_type != problem.output_type)
        + 2.5 * (record.device != device)
        + 20.0 * (record.device.arch != device.arch)
    )
