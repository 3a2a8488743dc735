"""Trials of candidates on the measuring worker, and the search for the one to blame when a worker dies of several."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.family_table import Standing
from scantune.model.least_time import impossibility
from scantune.model.measurement import Measurement
from scantune.model.operator_source import OperatorSource
from scantune.model.policy import Rounds
from scantune.model.problem import Problem
from scantune.model.restriction import Restriction
from scantune.model.space import Space
from scantune.model.stated_problem import StatedProblem
from scantune.model.trial import Failure
from scantune.model.work import Work
from scantune.worker.client import Worker, WorkerDied, WorkerError
from scantune.worker.environment import check_environment
from scantune.worker.selection import select
from scantune.worker.stopwatch import Stopwatch

# The status of a trial that the worker refused. Where the environment is to blame there is no trial.
_STATUS = {"compile_error": "compile_error", "wrong_result": "wrong_result", "internal": "crash"}

# Nothing moves its bytes faster than a copy, so what is much faster did not do its work. Below this size the time is
# mostly that of launches.
_PLAUSIBLE_FROM_BYTES = 4 * 2**20
_IMPLAUSIBLE_SPEEDUP = 2.0
_MOST_REASON = 300


@dataclass(frozen=True)
class Timeouts:
    """Seconds for one request: a fixed part, and a part for each item and sample, both with room to spare."""

    compile_s: float = 120.0
    base_s: float = 30.0
    item_s: float = 1e-9

    @classmethod
    def of(cls, device: Device) -> Timeouts:
        return cls(item_s=400e-9) if device.is_host else cls()

    def verify_s(self, n: int) -> float:
        return self.base_s + 250 * n * self.item_s  # for several scans, and a reference on the CPU for each

    def measure_s(self, n: int, configs: int, rounds: Rounds) -> float:
        samples = configs * (rounds.rounds + 3)
        return self.base_s + samples * (n * self.item_s + 10e-3 * rounds.min_round_ms)


@dataclass(frozen=True)
class Measured:
    outcomes: list[Measurement | Failure]  # in the order of the configs
    ceiling_us: float | None


class Evaluator:
    def __init__(
        self, worker: Worker, timeouts: Timeouts, source: OperatorSource | None = None,
        stopwatch: Stopwatch | None = None, has_built_in: bool = True,
    ) -> None:  # fmt: skip
        """Evaluate on `worker`.

        `source` is that of the operator of every problem; without it the worker takes stand-ins for custom ones.
        Without `has_built_in` the defaults run untuned, and never a record of the library.
        """
        self._worker = worker
        self._has_built_in = has_built_in
        self.stopwatch = stopwatch or Stopwatch()
        self._timeouts = timeouts
        self._source = source
        self._template_hashes: dict[tuple[Problem, str], str] = {}

    def request(self, problem: Problem, n: int) -> dict[str, Any]:
        """Return the protocol's `request`."""
        return problem.request(n, self._source)

    def resolve(self, stated: StatedProblem, n: int) -> Problem:
        """Return the problem, completed by the worker. Raises WorkerError as space() does."""
        params = {"request": stated.request(n, self._source), "configs": False}
        result = self._worker.call("space", params, self._timeouts.base_s)
        try:
            return stated.problem(result)
        except (KeyError, ValueError) as error:
            reason = f"{stated}: the worker took it for {result.get('problem')!r}: {error}"
            raise WorkerError("internal", reason[:300]) from None

    def supports(self, stated: StatedProblem, n: int) -> bool:
        """Return whether the worker understands a problem and some family solves it. Raises WorkerError if it fails."""
        try:
            self.resolve(stated, n)
        except WorkerError as error:
            if error.kind not in ("unsupported", "bad_request"):
                raise
            return False
        return True

    def space(self, problem: Problem, n: int, configs: bool = True, named: Iterable[str] = ()) -> Space:
        """Return the valid configs, or the families alone. Raises WorkerError when no family supports the problem.

        Families of the gallery are left out unless named.
        """
        tables, named = self._worker.hello().algorithms.tables(problem), frozenset(named)
        params: dict[str, Any] = {"request": self.request(problem, n), **({} if configs else {"configs": False})}
        if tables.has_gallery(named):
            params["gallery"] = True
        result = self._worker.call("space", params, self._timeouts.base_s)
        try:
            space = Space.from_message(result, tables).with_gallery(named)
        except ValueError as error:
            raise WorkerError("internal", f"{problem}: {error}") from None
        self._template_hashes |= {(problem, family.name): family.template_hash for family in space.families.values()}
        return space

    def size_step(self, problem: Problem, n: int) -> int:
        """Return what every size that programs name near n is a multiple of: rows have as many items each."""
        return self.space(problem, n, configs=False).n_step

    def supports_size(self, problem: Problem, n: int) -> bool:
        """Return whether some family takes so many items. Raises WorkerError if the worker fails."""
        try:
            self.space(problem, n, configs=False)
        except WorkerError as error:
            if error.kind not in ("unsupported", "bad_request"):
                raise
            return False
        return True

    def gallery(self, problem: Problem) -> list[str]:
        """Return the families of the problem's algorithm that are in the gallery."""
        tables = self._worker.hello().algorithms.tables(problem)
        return [name for name, table in tables.items() if table.standing is Standing.gallery]

    def template_hash(self, problem: Problem, n: int, family: str) -> str:
        """Return the hash of the sources of the family's kernels for the problem; "" without kernels."""
        if (problem, family) not in self._template_hashes:
            with contextlib.suppress(WorkerError):
                self.space(problem, n, configs=False, named=[family])
        return self._template_hashes.get((problem, family), "")

    def is_valid(self, problem: Problem, n: int, config: Config) -> bool:
        """Return whether the worker accepts a config that it did not list."""
        return self.refusal(problem, n, config) is None

    def work(self, problem: Problem, n: int, config: Config) -> Work | None:
        """Return what a run of a config costs on any machine; None where its family declares nothing, or refuses it."""
        params = {"request": self.request(problem, n), "config": config.message()}
        try:
            return Work.from_message(self._worker.call("validate", params, self._timeouts.base_s).get("work"))
        except ValueError as error:
            raise WorkerError("internal", f"{config}: {error}") from None

    def refusal(self, problem: Problem, n: int, config: Config) -> str | None:
        """Return why the worker refuses a config; None if it does not."""
        params = {"request": self.request(problem, n), "config": config.message()}
        try:
            result = self._worker.call("validate", params, self._timeouts.base_s)
        except (WorkerError, WorkerDied) as error:
            return str(error)
        return None if result.get("valid") is True else str(result.get("reason"))[:_MOST_REASON]

    def legal(self, problem: Problem, n: int, space: Space, configs: Iterable[Config]) -> list[Config]:
        """Return the configs that may be tried: listed ones, and others that the worker accepts. None comes twice."""
        known = dict.fromkeys(filter(None, map(space.known, configs)))
        return [config for config in known if space.lists(config) or self.is_valid(problem, n, config)]

    def restricted(self, problem: Problem, n: int, space: Space, restriction: Restriction) -> Space:
        """Return the families of a space that have a legal config of these, each with such a default."""
        return restriction.of(space, lambda config: self.is_valid(problem, n, config)) if restriction else space

    def misfit(self, problem: Problem, n: int, space: Space, restriction: Restriction) -> str:
        """Return why a space has no legal config of these."""
        return restriction.misfit(space, lambda config: self.refusal(problem, n, config))

    def untuned(self, problem: Problem, n: int) -> Config | None:
        """Return the config that runs where the user has no records; None when the worker cannot tell."""
        try:
            if not self._has_built_in:
                return self.space(problem, n, configs=False).default
            return select(self._worker, problem, n, databases=[], source=self._source).config
        except (WorkerError, WorkerDied):
            return None

    def compiled(self, future: Future[float | Failure]) -> float | Failure:
        """Wait for a compilation: return its milliseconds, or why it failed. Raises as the pool's futures do."""
        with self.stopwatch.on("waiting for compilers"):
            return future.result()

    def verify(self, problem: Problem, n: int, config: Config, seed: int, all_kinds: bool = False) -> Failure | None:
        """Return why the config's results at n items cannot be trusted, or None. Raises EnvironmentFault.

        With all_kinds, exclusive scans and initial values are checked too: a record serves them all.
        """
        params = {"request": self.request(problem, n), "config": config.message(), "seed": seed, "all_kinds": all_kinds}
        try:
            with self.stopwatch.on("verifying"):
                result = self._worker.call("verify", params, self._timeouts.verify_s(n))
        except (WorkerError, WorkerDied) as error:
            return _failure("verify", error)
        checks = result.get("checks")
        if not isinstance(checks, int) or checks < 1:
            return Failure("wrong_result", f"verify: the worker reported {checks!r} checks")
        return None

    def verify_at_most(self, problem: Problem, n: int, most: int, config: Config, seed: int) -> Failure | None:
        """Verify as verify() does, but with at most `most` items where the config is legal for so few."""
        failure = self.verify(problem, min(n, most), config, seed)
        if failure and most < n and "unsupported" in failure.reason:
            return self.verify(problem, n, config, seed)
        return failure

    def measure(
        self, problem: Problem, n: int, configs: Sequence[Config], rounds: Rounds, offset: int = 0,
        what: str = "measuring",
    ) -> Measured:  # fmt: skip
        """Return the time of each config, measured interleaved; one by one if the worker dies of all together.

        Every array begins `offset` items past a boundary. The stopwatch counts the time as `what`.

        Raises EnvironmentFault when the machine cannot measure even one alone, such as for lack of memory.
        """
        try:
            measured = self._measure_together(problem, n, configs, rounds, offset, what)
        except (WorkerError, WorkerDied) as error:
            if len(configs) == 1:
                return Measured([_failure("measure", error)], None)
            alone = [self.measure(problem, n, [config], rounds, offset, what) for config in configs]
            ceilings = [one.ceiling_us for one in alone if one.ceiling_us]
            outcomes = [one.outcomes[0] for one in alone]
            # They were not timed in turn, so that no round of one is one of another.
            measured = Measured([_without_samples(one) for one in outcomes], min(ceilings, default=None))
        return Measured(
            [_plausible(problem, n, outcome, measured.ceiling_us) for outcome in measured.outcomes], measured.ceiling_us
        )

    def _measure_together(
        self, problem: Problem, n: int, configs: Sequence[Config], rounds: Rounds, offset: int, what: str
    ) -> Measured:
        params = {
            "request": self.request(problem, n),
            "configs": [config.message() for config in configs],
            "policy": rounds.message(),
            **({"samples": True} if rounds.samples else {}),
            **({"offset": offset} if offset else {}),
        }
        with self.stopwatch.on(what):
            result = self._worker.call("measure", params, self._timeouts.measure_s(n, len(configs), rounds))
        device = self._worker.hello().device
        messages, ceiling = result.get("measurements"), result.get("ceiling_us")
        if not isinstance(messages, list) or len(messages) != len(configs):
            raise self._lied(f"{len(configs)} configs were to be measured, the answer is {messages!r}"[:300])
        if any(_is_fatal(message) for message in messages):
            # One of them has destroyed the context, so those after it may have failed for that reason alone.
            self._worker.kill()
            if len(configs) > 1:
                raise WorkerDied("the device failed while several configs were measured")
        if ceiling is not None and not (isinstance(ceiling, (int, float)) and ceiling > 0):
            raise self._lied(f"the ceiling is {ceiling!r} µs")
        return Measured([self._outcome(message, device, problem, n) for message in messages], ceiling)

    def _outcome(self, message: Any, device: Device, problem: Problem, n: int) -> Measurement | Failure:
        if not isinstance(message, dict):
            raise self._lied(f"a measurement is {message!r}"[:300])
        error = message.get("error")
        if isinstance(error, dict):
            return _failure("measure", WorkerError(str(error.get("kind")), str(error.get("message"))))
        try:
            measurement = Measurement.from_message(message)
        except ValueError as fault:
            raise self._lied(str(fault)) from None
        reason = impossibility(device, problem, n, measurement.median_us)
        return Failure("wrong_result", f"measure: {reason}") if reason else measurement

    def _lied(self, what: str) -> WorkerDied:
        self._worker.kill()
        return WorkerDied(f"the worker's answer cannot be true: {what}")


def _without_samples(outcome: Measurement | Failure) -> Measurement | Failure:
    return outcome if isinstance(outcome, Failure) else replace(outcome, samples_us=())


def _failure(step: str, error: WorkerError | WorkerDied) -> Failure:
    check_environment(step, error)
    if isinstance(error, WorkerDied):
        return Failure(error.status, f"{step}: {error}")
    kind = "" if error.kind in ("wrong_result", "launch_error", "compile_error") else f"{error.kind}: "
    return Failure(_STATUS.get(error.kind, "launch_error"), f"{step}: {kind}{error}")


def _is_fatal(message: Any) -> bool:
    error = message.get("error") if isinstance(message, dict) else None
    return isinstance(error, dict) and error.get("fatal") is True


def is_implausible(problem: Problem, n: int, median_us: float, ceiling_us: float | None) -> bool:
    """Return whether a time is so short, beside that of a copy, that the work cannot have been done."""
    is_comparable = ceiling_us is not None and problem.bytes_moved(n) >= _PLAUSIBLE_FROM_BYTES
    return is_comparable and median_us * _IMPLAUSIBLE_SPEEDUP < (ceiling_us or 0.0)


def _plausible(
    problem: Problem, n: int, outcome: Measurement | Failure, ceiling_us: float | None
) -> Measurement | Failure:
    if isinstance(outcome, Failure) or not is_implausible(problem, n, outcome.median_us, ceiling_us):
        return outcome
    return Failure(
        "wrong_result",
        f"measure: {outcome.median_us:.2f} µs is implausible: a copy of as many bytes takes {ceiling_us:.2f} µs",
    )
