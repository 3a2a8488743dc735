"""Drawn cases, each timed with what ran there before and with what runs there now."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scantune.compare.pairs import Pairs, Verdict, verdict
from scantune.errors import ScantuneError
from scantune.model.config import Config
from scantune.model.draws import Case
from scantune.model.policy import Policy
from scantune.model.problem import Problem
from scantune.model.trial import Failure
from scantune.worker.client import WorkerDied, WorkerError
from scantune.worker.compile_pool import Compiled, CompilePool
from scantune.worker.environment import EnvironmentFault
from scantune.worker.evaluation import Evaluator
from scantune.worker.selection import Selection

SLOWER = 0.02  # the share by which a case must be slower, in two measurements, to count as slower
_ROUNDS_AGAIN = 3  # times as many as in the first measurement
_AHEAD = 12  # cases whose kernels compile while another is measured

_OF_THE_MACHINE = (EnvironmentFault, WorkerError, WorkerDied)

Select = Callable[[Problem, int], Selection]  # returns what runs; raises WorkerError


class _Failed(ScantuneError):
    """A case that cannot be compared, for what one of its configs does."""


class _NowFailed(_Failed):
    """A case in which what runs now does not work."""


@dataclass(frozen=True)
class Times:
    before_us: float
    now_us: float
    pairs: Pairs  # of now and before

    @property
    def ratio(self) -> float:
        """How many times as fast as before."""
        return 1 / self.pairs.ratio


@dataclass(frozen=True)
class Proven:
    """A case that was compared."""

    case: Case
    before: Config
    now: Selection
    first: Times | None = None  # None: one config runs before and now, and there was nothing to measure
    again: Times | None = None  # None: the first measurement was not slower

    @property
    def ratio(self) -> float:
        """How many times as fast as before, by the first measurement: to measure what was slow alone again, and to
        count that, would flatter.
        """
        return self.first.ratio if self.first else 1.0

    @property
    def verdict(self) -> Verdict:
        """How what runs now does against what ran before, by the last measurement."""
        return verdict([self._last.pairs], margin=SLOWER) if self._last else Verdict.same

    @property
    def is_perhaps_slower(self) -> bool:
        """Whether it was slower both times, and the second time perhaps by chance."""
        return self._last is not None and self.verdict is Verdict.undecided and self._last.ratio < 1

    @property
    def _last(self) -> Times | None:
        return self.again or self.first

    def message(self) -> dict[str, Any]:
        """Return the result for --json."""
        first = self.first
        return {
            **_place(self.case), "before": self.before.message(), "now": self.now.config.message(),
            "before_us": first and first.before_us, "now_us": first and first.now_us, "ratio": self.ratio,
            "ratio_again": self.again and self.again.ratio, "verdict": self.verdict.value, "record": self.now.record,
            "error": None,
        }  # fmt: skip


@dataclass(frozen=True)
class Unproven:
    """A case that could not be compared, and why."""

    case: Case
    reason: str
    broken: Selection | None = None  # what runs now, if that does not work

    def message(self) -> dict[str, Any]:
        """Return the result for --json."""
        unknown = ("before", "now", "before_us", "now_us", "ratio", "ratio_again", "verdict", "record")
        return {**_place(self.case), **dict.fromkeys(unknown), "error": self.reason}


Result = Proven | Unproven


@dataclass(frozen=True)
class _Prepared:
    case: Case
    before: Config
    now: Selection
    compiling: Sequence[Compiled]  # what ran before and what runs now; none where one config runs before and now


class Proof:
    def __init__(
        self, evaluator: Evaluator, pool: CompilePool, policy: Policy, seed: int, before: Select, now: Select
    ) -> None:
        """Compare what runs by `before` and by `now`. What runs now in place of another config is verified, once for
        each problem.
        """
        self._evaluator = evaluator
        self._pool = pool
        self._rounds = replace(policy.probing, samples=True)
        self._verify_items = policy.verify_items
        self._seed = seed
        self._before = before
        self._now = now
        self._verified: dict[tuple[Problem, Config], Failure | None] = {}

    def run(self, cases: Sequence[Case], budget_s: float = math.inf) -> Iterator[Result]:
        """Yield the result of each case in turn, until the budget ends."""
        deadline = time.monotonic() + budget_s
        ahead: deque[_Prepared | Unproven] = deque()
        for index in range(len(cases)):
            if time.monotonic() >= deadline:
                return
            ahead.extend(map(self._prepare, cases[index + len(ahead) : index + _AHEAD]))
            prepared = ahead.popleft()
            yield prepared if isinstance(prepared, Unproven) else self._result(prepared)

    def _prepare(self, case: Case) -> _Prepared | Unproven:
        """Select what ran and what runs, and begin to compile it."""
        problem, (n, offset) = case
        try:
            before, now = self._before(problem, n).config, self._now(problem, n)
            compiling = [] if before == now.config else [
                self._pool.submit(self._evaluator.request(problem, n), config, measured_only=is_known, offset=offset)
                for config, is_known in ((before, True), (now.config, (problem, now.config) in self._verified))
            ]  # fmt: skip
        except _OF_THE_MACHINE as error:
            return Unproven(case, str(error))
        return _Prepared(case, before, now, compiling)

    def _result(self, prepared: _Prepared) -> Result:
        try:
            return self._compared(prepared)
        except (_Failed, *_OF_THE_MACHINE) as error:
            return Unproven(prepared.case, str(error), prepared.now if isinstance(error, _NowFailed) else None)

    def _compared(self, prepared: _Prepared) -> Proven:
        case, before, now = prepared.case, prepared.before, prepared.now
        if not prepared.compiling:
            return Proven(case, before, now)
        for config, future in zip((before, now.config), prepared.compiling, strict=True):
            if isinstance(outcome := self._evaluator.compiled(future), Failure):
                raise (_NowFailed if config == now.config else _Failed)(f"{config}: {outcome.reason}")
        if failure := self._failure(case, now.config):
            raise _NowFailed(f"{now.config}, which runs now: {failure.status}: {failure.reason}")
        first = self._timed(case, before, now.config)
        # Whatever is slower, also what so few rounds cannot tell from chance.
        is_slower = first.pairs.ratio > 1 + SLOWER
        again = self._timed(case, before, now.config, _ROUNDS_AGAIN) if is_slower else None
        return Proven(case, before, now, first, again)

    def _failure(self, case: Case, config: Config) -> Failure | None:
        """Return why a config's results cannot be trusted, or None."""
        key = case.problem, config
        if key not in self._verified:
            place = case.problem, case.place.n, self._verify_items
            self._verified[key] = self._evaluator.verify_at_most(*place, config, self._seed)
        return self._verified[key]

    def _timed(self, case: Case, before: Config, now: Config, times: int = 1) -> Times:
        """Time both in turn, in so many times the rounds. Raises _Failed if one has no time."""
        rounds = replace(self._rounds, rounds=times * self._rounds.rounds)
        measured = self._evaluator.measure(case.problem, case.place.n, [before, now], rounds, case.place.offset)
        ran, runs = measured.outcomes
        if isinstance(ran, Failure):
            raise _Failed(f"{before}, which ran before: {ran.reason}")
        if isinstance(runs, Failure):
            raise _NowFailed(f"{now}, which runs now: {runs.reason}")
        return Times(ran.median_us, runs.median_us, Pairs.of(runs, ran))


def _place(case: Case) -> dict[str, Any]:
    return {"problem": case.problem.message(), "n": case.place.n, "offset": case.place.offset}
