"""One invocation of the tuner: every problem at every N, within the budget, starting where an earlier run stopped."""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from scantune.errors import ScantuneError
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.coverage import Coverage, Way
from scantune.model.device import Device
from scantune.model.operator_source import OperatorSource
from scantune.model.outcome import Outcome
from scantune.model.policy import Policy
from scantune.model.problem import Problem
from scantune.model.record import Record, Run
from scantune.model.restriction import Restriction
from scantune.model.space import Space
from scantune.model.trial import Failure
from scantune.model.value import split_operator
from scantune.search.agenda import Agenda, Turn
from scantune.search.effects import Effects, shipped_effects
from scantune.search.portfolio import Portfolio
from scantune.search.portfolio import Watcher as PortfolioWatcher
from scantune.search.problem_search import ProblemSearch, Tools, Watcher, first_reasons
from scantune.search.sampler_names import Sampler
from scantune.search.standings import Standings
from scantune.search.survey import Survey
from scantune.search.survey import Watcher as SurveyWatcher
from scantune.search.time_model import time_model_of
from scantune.search.turns import Steps, in_turns
from scantune.store.archive import Archive, Session
from scantune.worker.built_in import built_in_records
from scantune.worker.client import Worker, WorkerDied, WorkerError
from scantune.worker.compile_pool import CompilePool, Waits
from scantune.worker.environment import EnvironmentFault
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.stopwatch import OwnTime, Stopwatch

if TYPE_CHECKING:
    from scantune.search.study_storage import StudyStorage

_MAX_STARTS = 6

# Share of a portfolio's budget that probes may take: breakpoints between few records are worth less than more records.
_MOST_FOR_PROBES = 0.25

# A race that takes longer than this, most of it for verifying the winner, comes after the searches of smaller N: there
# is less to gain.
_CHEAP_RACE_S = 1.5
_MOST_FOR_DEAR_RACES = 0.4  # share of the budget that is kept back for them at most


class RunWatcher(Watcher, SurveyWatcher, PortfolioWatcher, Protocol):
    """What is told of the progress of a run."""

    def started(self, tasks: int, finished: int, budget_s: float) -> None: ...

    def searching(self, cell: Cell) -> None: ...

    def found(self, covered: Coverage, record: Record, space: Space) -> None: ...

    def gave_up(self, covered: Coverage) -> None: ...


# Decides, step by step, whether a search that is about to begin is worth its time.
IsWorthIt = Callable[[Cell], Generator[Waits, None, bool]]

# Searches that take turns. One alone would wait: it proposes little ahead of what it knows, and a compilation takes as
# long as some thirty measurements.
_ABREAST = 10


@dataclass
class _Active:
    """A search under way."""

    turn: Turn
    time: OwnTime
    ending_s: float  # time that it takes after its trials

    @property
    def left_s(self) -> float:
        return max(0.0, self.turn.trials_s - self.time()) + self.ending_s


class TuningRun:
    def __init__(
        self, archive: Archive, worker: Worker, pool: CompilePool, run: Run, policy: Policy, watcher: RunWatcher,
        timeouts: Timeouts | None = None, source: OperatorSource | None = None,
        clock: Callable[[], float] = time.monotonic, is_portfolio: bool = False, has_built_in: bool = True,
        restriction: Restriction | None = None, sampler: Sampler = Sampler.default,
        storage: StudyStorage | None = None,
    ) -> None:  # fmt: skip
        """Prepare a run; run() closes the pool.

        `source` is that of the one operator of all problems, if it is the user's own. With `is_portfolio` the
        breakpoints between neighbouring sizes are found too. Without `has_built_in` the records that come with the
        library are passed over. With a restriction every cell is searched, among its configs alone; a winner that does
        not beat what serves is among the outcome's records all the same. The studies of its searches are written to
        `storage`, if there is one.
        """
        self._archive = archive
        self._restriction = restriction or Restriction()
        self._device = worker.hello().device
        shipped = built_in_records(worker) if has_built_in else []
        self._built_in = [record for record in shipped if record.device.arch == self._device.arch]
        self._sampler = sampler
        self._storage = storage
        self._run = run
        self._policy = replace(policy, surveys=False) if self._restriction else policy
        self._watcher = watcher
        self._stopwatch = Stopwatch(clock)
        timeouts = timeouts or Timeouts.of(self._device)
        self._evaluator = Evaluator(worker, timeouts, source, self._stopwatch, has_built_in)
        # The shipped effects were learned on GPUs; the host device has other costs.
        self._effects = Effects() if self._device.is_host else shipped_effects()
        self._source = source
        self._pool = pool
        self._clock = clock
        self._is_portfolio = is_portfolio
        self._model = time_model_of(self._device)
        self._standings = Standings(self._device, [])
        records = archive.records()
        self._records = [record for record in records if record.problem.declared]
        self._unknown = Counter(record.problem.algorithm for record in records if not record.problem.declared)
        self._weights: Mapping[Cell, float] = {}  # of cells that are not all worth the same
        self._found: dict[Cell, Record] = {}  # winners of searches in this run, saved or not
        self._has_compiled = False  # whether anything has, in this run
        self._verified: set[tuple[Cell, Config]] = set()
        self._verified_winners: set[tuple[Cell, Config]] = set()

    def run(self, problems: Sequence[Problem], sizes: Sequence[int]) -> Outcome:
        """Cover the cells that no earlier run has covered. Whatever ends the run, all that was tried is saved.

        Raises ScantuneError when nothing works or compiles.
        """
        return self.cover([Cell(problem, n) for problem in problems for n in sizes])

    def cover(self, all_cells: Sequence[Cell], weights: Mapping[Cell, float] | None = None) -> Outcome:
        """Cover cells as run() does; with weights those first that may gain most in all, as a share of their weight."""
        self._weights = weights or {}
        started = self._clock()
        session, cells, todo = self._begin(all_cells)
        outcome = Outcome(unknown=dict(self._unknown))
        with self._pool:
            self._watcher.started(len(cells), len(cells) - len(todo), self._policy.budget_s)
            deadline = started + self._policy.budget_s
            if self._is_portfolio:
                self._make_portfolio(session, self._agenda(todo), cells, deadline, outcome)
            elif self._policy.surveys:
                self._survey_and_search(session, todo, deadline, outcome)
            else:
                self._search_all(session, self._agenda(todo), lambda: deadline - self._clock(), outcome)
        self._report(outcome, cells)
        outcome.seconds = self._clock() - started
        outcome.spent_s = {**self._stopwatch.seconds, "other": outcome.seconds - sum(self._stopwatch.seconds.values())}
        return outcome

    def foresee(self, all_cells: Sequence[Cell]) -> Outcome:
        """Return the outcome of a run without time: what is known of the cells, and what is left to do."""
        _, cells, _ = self._begin(all_cells)
        outcome = Outcome(unknown=dict(self._unknown))
        self._report(outcome, cells)
        return outcome

    def _begin(self, cells: Sequence[Cell]) -> tuple[Session, Sequence[Cell], list[Cell]]:
        """Return all cells and those that are not finished."""
        self._standings = Standings(self._device, cells, self._records, self._built_in)
        session = self._archive.start(self._run, self._device, self._evaluator.template_hash)
        return session, cells, self._unfinished(session, cells)

    def _report(self, outcome: Outcome, cells: Sequence[Cell]) -> None:
        outcome.coverage = [self._standings.coverage[cell] for cell in cells]
        known = self._found.get if self._restriction else self._standings.record
        outcome.records = [record for cell in cells if (record := known(cell))]
        outcome.rest_s = sum(self._rest_s(covered) for covered in outcome.covered(Way.cut_short, Way.raced, Way.left))

    def _rest_s(self, covered: Coverage) -> float:
        """Return about how many seconds finishing a cell takes: its race, and a search if its problem is the one that
        is searched for all alike.
        """
        cell = covered.cell
        race_s = self._model.ending_s(*cell) if self._policy.surveys else 0.0
        if self._policy.surveys and not self._standings.leads(cell):
            return race_s
        return race_s + self._model.ending_s(*cell) + self._model.trials_s(*cell, self._policy.trials)

    def _unfinished(self, session: Session, cells: Iterable[Cell]) -> list[Cell]:
        """Return the cells that no earlier run covered with these kernels, with as much effort or more, and to the end.

        A run that races goes on from the races of earlier ones. What a restricted search found says nothing of other
        configs, and what others found nothing of all that a restricted search may try.
        """
        if self._restriction:
            return list(cells)
        todo = []
        for cell in cells:
            covered, record = self._standings.coverage[cell], self._standings.record(cell)
            own = session.run_of(*cell, record.config) if record else self._run
            if record and record.probes and record.run.covers(own):
                covered.way, covered.winner = Way.finished, record.config
                continue
            is_raced = record and record.run.has_kernels_of(own) and not record.run.restriction
            if record and is_raced and self._policy.surveys:
                covered.way, covered.winner = Way.raced, record.config
                covered.may_gain = record.run.may_gain
            todo.append(cell)
        return todo

    def _agenda(self, cells: Iterable[Cell]) -> Agenda:
        """Return searches in the order of what they may gain; without races that is unknown, and taken to be alike."""

        def promise(cell: Cell) -> float:
            share = self._standings.promise(cell) if self._policy.surveys else 1.0
            return share * self._weights.get(cell, 1.0)

        return Agenda(cells, promise, self._model, self._policy)

    def _survey_and_search(self, session: Session, todo: Sequence[Cell], deadline: float, outcome: Outcome) -> None:
        """Reach every cell by a race, and search where most is to be gained.

        Races at large N take long and gain little, so what may be gained at smaller N comes before them.
        """
        survey = Survey(self._tools(session), self._standings, self._watcher)

        def is_news(cell: Cell) -> bool:
            """Return whether neither this run nor an earlier one has raced a cell with these kernels."""
            return self._standings.coverage[cell].winner is None

        ordered = sorted(todo, key=lambda cell: (-self._weights.get(cell, 1.0), cell.bytes_moved))
        cheap = [cell for cell in ordered if self._model.ending_s(*cell) <= _CHEAP_RACE_S]
        dear = [cell for cell in ordered if self._model.ending_s(*cell) > _CHEAP_RACE_S]
        agenda = self._agenda(cheap)

        for cell in (cheap or dear)[:1]:
            with contextlib.suppress(WorkerError, WorkerDied):  # the race of the cell meets the same error and tells it
                self._check_that_something_compiles(cell, self._evaluator.space(*cell))

        def left_s() -> float:
            return deadline - self._clock()

        def is_time_for(cell: Cell, races: int = 1) -> bool:
            """Return whether there is time for `races` races as long as this cell's."""
            return left_s() >= races * self._model.ending_s(*cell)

        def race_again() -> None:
            survey.race_all([cell for cell in todo if survey.has_news(cell)], is_time_for)
            survey.settle(todo)

        def is_worth_a_search(cell: Cell) -> Generator[Waits, None, bool]:
            if survey.has_news(cell):
                yield from survey.race(cell, is_time_for)
            survey.settle([cell])
            return self._standings.promise(cell) > 0

        began_s = left_s()
        survey.race_all(filter(is_news, cheap), is_time_for)
        # The races afterwards, of what was found around each cell, take half as long: half of it is compiled by then.
        again_s = (began_s - left_s()) / 2
        dear_s = min(sum(self._model.ending_s(*cell) for cell in dear), _MOST_FOR_DEAR_RACES * self._policy.budget_s)
        self._search_all(session, agenda, lambda: left_s() - again_s - dear_s, outcome, is_worth_a_search)
        race_again()
        survey.race_all(filter(is_news, dear), is_time_for)
        agenda.add(dear)
        self._search_all(session, agenda, left_s, outcome, is_worth_a_search)
        race_again()

    def _make_portfolio(
        self, session: Session, agenda: Agenda, cells: Sequence[Cell], deadline: float, outcome: Outcome
    ) -> None:
        """Search and probe in turns, until there is neither a search nor a probe that the time left can pay for."""
        portfolio = Portfolio(
            self._archive, session, self._evaluator, self._policy, self._model, self._watcher, self._clock
        )
        most_s = _MOST_FOR_PROBES * self._policy.budget_s

        def left_s() -> float:
            # Time is kept back for the pairs found so far; those that are alike or not reached take none.
            return deadline - self._clock() - min(most_s, portfolio.probing_s(self._records_within(cells)))

        while self._search_all(session, agenda, left_s, outcome):
            portfolio.complete(self._records_within(cells), deadline)
            agenda.add()
        records = self._records_within(cells)
        portfolio.complete(records, deadline)
        outcome.unprobed = portfolio.out_of_time
        outcome.without_breakpoint = portfolio.faults
        outcome.breakpoints = portfolio.breakpoints(records)

    def _records_within(self, cells: Sequence[Cell]) -> list[Record]:
        """Return the records from the least to the largest size of the cells, those of other sizes between included.

        A record keeps only the classes of its extents, so each gets the problem that was asked for.
        """
        sizes = sorted({cell.n for cell in cells})
        return [
            replace(record, problem=problem)
            for problem in dict.fromkeys(cell.problem for cell in cells)
            for record in self._standings.records
            if record.problem == problem and sizes[0] <= record.n <= sizes[-1]
        ]

    def _tools(self, session: Session) -> Tools:
        return Tools(
            self._evaluator, self._pool, session, self._policy, self._run.seed, self._watcher, self._clock,
            self._effects, self._sampler, self._storage, self._verified, self._verified_winners,
            self._standings.gaps, self._standings.record,
        )  # fmt: skip

    def _search_all(
        self, session: Session, agenda: Agenda, left_s: Callable[[], float], outcome: Outcome,
        is_worth_it: IsWorthIt | None = None,
    ) -> int:  # fmt: skip
        """Search while time is left; return how many searches that were."""
        active: list[_Active] = []
        searches = 0

        def search(one: _Active) -> Steps:
            nonlocal searches
            try:
                if is_worth_it is None or (yield from is_worth_it(one.turn.cell)):
                    searches += 1
                    tools = replace(self._tools(session), clock=one.time)
                    yield from one.time.of(self._search_one(tools, one.turn, outcome, lambda: len(active) > 1))
            finally:
                active.remove(one)
                agenda.add()  # the time that it left over may suffice for a search that was left out

        def begin() -> Steps | None:
            if (turn := agenda.next(left_s() - sum(one.left_s for one in active))) is None:
                return None
            active.append(_Active(turn, OwnTime(self._clock), self._model.ending_s(*turn.cell)))
            return search(active[-1])

        def waited(seconds: float) -> None:
            for one in active:
                one.time.add(seconds / len(active))

        in_turns(begin, _ABREAST, self._pool, self._stopwatch, waited)
        return searches

    def _search_one(self, tools: Tools, turn: Turn, outcome: Outcome, others_go_on: Callable[[], bool]) -> Steps:
        cell = turn.cell
        self._watcher.searching(cell)
        covered = self._standings.coverage[cell]
        try:
            space = self._evaluator.space(*cell, named=self._restriction.families)
        except (WorkerError, WorkerDied) as error:
            self._give_up(covered, str(error))
            return
        if not self._has_compiled:
            self._check_that_something_compiles(cell, space)
        outcome.spaces[cell] = space
        if covered.default is None:
            covered.default, covered.untuned = space.default, self._evaluator.untuned(*cell)
        old = self._standings.record(cell)
        holders = [config for config in (old.config if old else None, covered.untuned) if config]
        search = ProblemSearch(tools, *cell, space, turn.trials_s, self._restriction)
        if not search.among.families:
            covered.give_up(self._evaluator.misfit(*cell, space, self._restriction))
            covered.way = Way.unfit
            self._watcher.gave_up(covered)
            return
        try:
            record = yield from search.steps(self._starts(cell), holders)
        except (EnvironmentFault, WorkerError, WorkerDied) as error:
            self._give_up(covered, f"given up, to be tried again by the next run: {error}")
            return
        covered.failed.update(search.failures)
        if record and search.decision:
            to_the_end = Way.restricted if self._restriction else Way.searched
            covered.way, covered.reason = Way.cut_short if search.cut_short else to_the_end, ""
            covered.learn(search.decision)
            covered.may_gain = record.run.may_gain
            covered.unbeaten = search.unbeaten
            self._found[cell] = record
            if covered.unbeaten is None:
                self._standings.learn(record)
            self._watcher.found(covered, record, space)
            return
        if search.cut_short and not search.failures:
            return  # the time ended before anything was measured, which the next run may do
        reasons = "\n  ".join(first_reasons(search.failures))
        if not self._standings.has_measured and not others_go_on():
            raise ScantuneError(f"no config of {cell}, works on {self._device}:\n  {reasons}")
        self._give_up(covered, reasons)

    def _give_up(self, covered: Coverage, reason: str) -> None:
        covered.give_up(reason)
        self._watcher.gave_up(covered)

    def _check_that_something_compiles(self, cell: Cell, space: Space) -> None:
        """Tell a compiler that is missing from a config that is wrong; only the latter is remembered as a trial."""
        failures: list[str] = []
        faults: list[str] = []
        for config in space.defaults:
            try:
                future = self._pool.submit(self._evaluator.request(*cell), config, measured_only=True)
                outcome = self._evaluator.compiled(future)
            except EnvironmentFault as error:
                faults.append(f"{config}: {error}")
                continue
            if not isinstance(outcome, Failure):
                self._has_compiled = True
                return
            failures.append(f"{config}: {outcome.reason}")
        if self._source and not faults:
            # One log suffices: the mistake is the same in each of them.
            raise ScantuneError(
                f"{self._source.path} does not compile as an operator of {cell.problem}, so nothing was tried; the log "
                f"calls it operator.cu:\n  {failures[0]}"
            )
        raise ScantuneError(
            "not even the default configs compile, so nothing was tried:\n  " + "\n  ".join(failures + faults)
            + "\n'scantune doctor' tells what is missing"
        )  # fmt: skip

    def _starts(self, cell: Cell) -> list[Config]:
        """Return winners of similar searches, the most similar first; of a restricted search with its values."""
        similar = sorted(
            (
                record
                for record in [*self._standings.records, *self._found.values(), *self._records, *self._built_in]
                if record.key != (self._device, *cell)
                and record.problem.algorithm == cell.problem.algorithm
                and self._restriction.applied(record.config)
            ),
            key=lambda record: _unlikeness(record, self._device, *cell),
        )
        near = [*self._standings.promising(cell), *(record.config for record in similar[: 4 * _MAX_STARTS])]
        applied = filter(None, map(self._restriction.applied, near))
        return list(dict.fromkeys(applied))[:_MAX_STARTS]


def _unlikeness(record: Record, device: Device, problem: Problem, n: int) -> float:
    """Return how little a record says about a search: N counts by its exponent, and another architecture the most."""
    other = record.problem
    extents, its_extents = dict(problem.extents), dict(other.extents)
    operands = {operand.type for operand in problem.declared.operands} if problem.declared else set()
    return (
        abs(math.log2(record.n / n))
        + sum(abs(math.log2(its_extents[name] / size)) for name, size in extents.items() if name in its_extents)
        + 0.5 * (other.operator != problem.operator)
        + 1.0 * (_operator_token(other) != _operator_token(problem))
        + sum((0.5 if name in operands else 2.0) * (other.types[name] != own) for name, own in problem.types.items())
        + 2.5 * (record.device != device)
        + 20.0 * (record.device.arch != device.arch)
    )


def _operator_token(problem: Problem) -> str:
    return split_operator(problem.operator)[0] if problem.operator else ""
