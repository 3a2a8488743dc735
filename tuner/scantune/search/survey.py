"""Races of configs that are known to be good, cell by cell: what runs untuned, defaults, winners of other cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Protocol

from scantune.compare.final_round import record_of
from scantune.compare.place_timer import Reject
from scantune.errors import ScantuneError
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.coverage import Coverage, Way
from scantune.model.measurement import Measurement
from scantune.model.policy import CLEARLY_SLOWER
from scantune.model.record import Record
from scantune.model.space import Space
from scantune.model.trial import Failure, Trial
from scantune.search.problem_search import Tools, first_reasons
from scantune.search.standings import Standings
from scantune.search.turns import Steps, in_turns
from scantune.worker.client import WorkerDied, WorkerError
from scantune.worker.environment import EnvironmentFault

_ABREAST = 13  # cells under way at once: while one is raced, kernels for the others compile
_HOPELESS = 3  # cells in which nothing works: if no other has a winner, the device or the compiler is to blame


class Watcher(Protocol):
    """What is told of every race."""

    def raced(self, covered: Coverage, record: Record, space: Space) -> None: ...

    def gave_up(self, covered: Coverage) -> None: ...


@dataclass(frozen=True)
class _Entry:
    """A cell that is to be raced."""

    cell: Cell
    space: Space
    configs: Sequence[Config]  # what is raced; the first stays unless it is beaten
    compiled: dict[Config, Future[float | Failure]]


@dataclass(frozen=True)
class _Earlier:
    """Configs that were tried in a cell before."""

    failed: set[Config]
    settled: set[Config]  # configs that are not raced: they failed, or an earlier run raced them with the winner
    retried: set[Config]  # configs that failed in an earlier run, perhaps by chance


class Survey:
    def __init__(self, tools: Tools, standings: Standings, watcher: Watcher) -> None:
        self._tools = tools
        self._standings = standings
        self._watcher = watcher
        self._earlier: dict[Cell, _Earlier] = {}
        self._spaces: dict[Cell, Space] = {}
        self._lost: list[Cell] = []  # cells in which nothing works

    def race_all(self, cells: Iterable[Cell], is_time_for: Callable[[Cell, int], bool]) -> None:
        """Race cells as race() does. `is_time_for` is asked of each, with the number of races under way."""
        waiting, under_way = iter(cells), 0

        def race(cell: Cell) -> Steps:
            nonlocal under_way
            under_way += 1
            try:
                yield from self.race(cell, lambda cell: is_time_for(cell, under_way))
            finally:
                under_way -= 1

        in_turns(lambda: next(map(race, waiting), None), _ABREAST, self._tools.pool, self._tools.evaluator.stopwatch)

    def race(self, cell: Cell, is_time_for: Callable[[Cell], bool]) -> Steps:
        """Race a cell, step by step, if there is something to be raced in it and time for it.

        The coverage of a cell that cannot be raced says why; the next run tries it again. Raises ScantuneError when
        nothing works in the first cells.
        """
        if not is_time_for(cell) or (entry := self._enter(cell)) is None:
            return
        yield list(entry.compiled.values())
        if not is_time_for(cell):
            for future in entry.compiled.values():
                future.cancel()
            return
        covered = self._standings.coverage[cell]
        try:
            yield from self._decide(entry, covered)
        except (EnvironmentFault, WorkerError, WorkerDied) as error:
            self._give_up(covered, f"given up, to be tried again by the next run: {error}")

    def has_news(self, cell: Cell) -> bool:
        """Return whether more may be gained in a cell, and some winner around it was not tried there."""
        covered = self._standings.coverage[cell]
        if covered.way not in (Way.raced, Way.searched, Way.cut_short):
            return False
        return bool(set(self._standings.promising(cell)) - self._compared(covered))

    def _enter(self, cell: Cell) -> _Entry | None:
        covered = self._standings.coverage[cell]
        try:
            space = self._space(cell)
            configs = self._configs(covered, space)
        except (EnvironmentFault, WorkerError, WorkerDied) as error:
            self._give_up(covered, str(error))
            return None
        if len(configs) < 2 and covered.winner:
            return None
        submit, request = self._tools.pool.submit, self._tools.evaluator.request(*cell)
        # The kernels that verify a config are compiled only once it has won.
        compiled = {config: submit(request, config, measured_only=True) for config in configs}
        return _Entry(cell, space, configs, compiled)

    def _space(self, cell: Cell) -> Space:
        if cell not in self._spaces:
            self._spaces[cell] = self._tools.evaluator.space(*cell)
        return self._spaces[cell]

    def _configs(self, covered: Coverage, space: Space) -> list[Config]:
        """Return the config that serves now, and those that were not compared with it yet."""
        cell, evaluator = covered.cell, self._tools.evaluator
        if covered.default is None:
            covered.default, covered.untuned = space.default, evaluator.untuned(*cell)
        record = self._standings.record(cell)
        serving = [config for config in (record.config if record else None, covered.untuned) if config]
        others = [*space.defaults, *self._standings.promising(cell)]
        legal = evaluator.legal(*cell, space, [*serving, *others])
        compared = self._compared(covered)
        new = [config for config in legal[1:] if config not in compared]
        return [*legal[:1], *new]

    def _compared(self, covered: Coverage) -> set[Config]:
        """Return the configs that need not be raced in a cell: the winner, and what was compared with it or failed."""
        winner = [covered.winner] if covered.winner else []
        return {*covered.ratios, *winner, *covered.failed, *self._known(covered).settled}

    def _known(self, covered: Coverage) -> _Earlier:
        if covered.cell not in self._earlier:
            trials = self._tools.session.trials(*covered.cell)
            retried = {one.config for one in trials if one.failure and one.failure.deserves_retry}
            is_resumed = covered.winner is not None and not covered.ratios
            failed = {one.config for one in trials if one.failure} - retried
            settled = {one.config for one in trials if one.failure or is_resumed} - retried
            self._earlier[covered.cell] = _Earlier(failed, settled, retried)
        return self._earlier[covered.cell]

    def _give_up(self, covered: Coverage, reason: str) -> None:
        covered.give_up(reason)
        self._watcher.gave_up(covered)

    def _lose(self, covered: Coverage, failures: dict[Config, Failure]) -> None:
        """Give up a cell in which nothing works, and the run if nothing has worked in any cell so far."""
        reasons = "\n  ".join(first_reasons(failures)) or "no config may be tried"
        self._give_up(covered, reasons)
        self._lost.append(covered.cell)
        if len(self._lost) >= _HOPELESS and not self._standings.has_measured:
            raise ScantuneError(f"no config of {covered.cell}, works on {self._tools.session.device}:\n  {reasons}")

    def _decide(self, entry: _Entry, covered: Coverage) -> Steps:
        tools, session = self._tools, self._tools.session
        failures: dict[Config, Failure] = {}

        def reject(config: Config, failure: Failure) -> None:
            failures[config] = self._rejected(entry.cell, config, failure)

        times = self._raced(entry, reject)
        fastest = sorted(times, key=lambda config: (times[config].probe_only, times[config].median_us))
        finalists, holders = fastest[: tools.policy.finalists], [one for one in entry.configs[:1] if one in times]
        failed = self._known(covered).failed
        decision = (
            (yield from tools.final_round(entry.cell, failed).decide(finalists, holders, reject)) if times else None
        )
        if decision is None:
            self._lose(covered, failures)
            return
        covered.learn(decision, times)
        run = session.run_of(*entry.cell, decision.winner)
        record = record_of(decision, session.device, entry.cell, entry.space.default, run)
        self._save(covered, record)
        self._watcher.raced(covered, record, entry.space)

    def _raced(self, entry: _Entry, reject: Reject) -> dict[Config, Measurement]:
        """Return the times of what compiled and works, which are saved by then."""
        tools, session = self._tools, self._tools.session
        compile_ms: dict[Config, float] = {}
        for config, future in entry.compiled.items():
            compiled = tools.evaluator.compiled(future)
            if isinstance(compiled, Failure):
                reject(config, compiled)
            else:
                compile_ms[config] = compiled
        if not compile_ms:
            return {}
        rounds = replace(tools.policy.final, slower_than=CLEARLY_SLOWER, ceiling=False)
        outcomes = tools.evaluator.measure(*entry.cell, list(compile_ms), rounds).outcomes
        times: dict[Config, Measurement] = {}
        with session.together():
            for config, outcome in zip(compile_ms, outcomes, strict=True):
                if isinstance(outcome, Failure):
                    reject(config, outcome)
                    continue
                times[config] = outcome
                trial = Trial(config, outcome, compile_ms=compile_ms[config])
                session.save_trial(*entry.cell, trial, config == entry.space.default)
        return times

    def settle(self, cells: Iterable[Cell]) -> None:
        """Save raced cells as settled where the winners found around them have made a search needless."""
        for cell in cells:
            covered, record = self._standings.coverage[cell], self._standings.record(cell)
            if covered.way == Way.raced and record and self._standings.settled_because(cell):
                self._save(covered, replace(record, run=self._tools.session.run_of(*cell, record.config)))

    def _save(self, covered: Coverage, record: Record) -> None:
        """Save a record, with what a search may still gain and whether a later run is to search the cell again."""
        self._standings.learn(record)
        if not covered.is_searched:
            covered.reason = self._standings.settled_because(covered.cell)
            covered.way = Way.confirmed if covered.reason else Way.raced
        run = record.run if covered.may_gain is None else record.run.may_gain_more(covered.may_gain)
        record = replace(record, run=run.cut_short() if covered.way in (Way.raced, Way.cut_short) else run)
        self._standings.learn(record)
        self._tools.session.save_record(record)

    def _rejected(self, cell: Cell, config: Config, failure: Failure) -> Failure:
        """Save that a config failed, also where an earlier trial succeeded; return the failure as it was saved."""
        earlier, session = self._known(self._standings.coverage[cell]), self._tools.session
        if config in earlier.retried:
            failure = failure.again()
        earlier.failed.add(config)
        earlier.settled.add(config)
        with session.together():
            session.save_trial(*cell, Trial(config, failure=failure), config == self._spaces[cell].default)
            session.save_failure(*cell, config, failure)
        return failure
