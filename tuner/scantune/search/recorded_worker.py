"""A worker, compilers and a session that answer from a recorded space, so that a search runs on nothing else."""

from __future__ import annotations

import contextlib
import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, cast

from scantune.model.algorithm import Algorithm, Member, Spelling
from scantune.model.algorithms import Algorithms
from scantune.model.config import Config
from scantune.model.device import Device, Hello
from scantune.model.policy import Effort, Policy
from scantune.model.problem import Problem
from scantune.model.record import Record, Run, policy_text
from scantune.model.recorded_space import RecordedConfig, RecordedSpace
from scantune.model.trial import Failure, Trial
from scantune.store.archive import Session
from scantune.worker.client import Worker, WorkerDied, WorkerError, WorkerTimeout
from scantune.worker.compile_pool import CompilePool

_OF_ALGORITHM = "type"  # the one member that a recorded algorithm is said to have; none is asked for by name


class RecordedWorker:
    """A worker that answers `space`, `validate`, `select`, `verify` and `measure` as the recording has it.

    A config that was not recorded is illegal. A measurement draws its samples from the recorded ones, so its noise is
    theirs. The same seed draws the same samples.
    """

    device = "recorded"

    def __init__(self, recorded: RecordedSpace, seed: int) -> None:
        self._recorded = recorded
        self._random = random.Random(seed)

    @classmethod
    def of(cls, recorded: RecordedSpace, seed: int) -> Worker:
        """Return a recorded worker under the type that an evaluator and a run take."""
        return cast(Worker, cls(recorded, seed))

    def hello(self) -> Hello:
        recorded, provenance = self._recorded, self._recorded.provenance
        algorithm = Algorithm(
            recorded.problem.algorithm, (Member(_OF_ALGORITHM, ("any",), None, Spelling.value_type),),
            families=recorded.tables,
        )  # fmt: skip
        return Hello(
            recorded.device, provenance.tool_version, provenance.template_hash, provenance.compiler_version,
            provenance.driver_version, Algorithms({algorithm.name: algorithm}),
        )  # fmt: skip

    def kill(self) -> None:
        """Do nothing: there is no process."""

    def call(self, method: str, params: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Return the result of one request. Raises WorkerError and WorkerDied where that is what was recorded."""
        answers: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "space": lambda params: self._recorded.space_message,
            "select": lambda params: {"config": self._recorded.default.message(), "origin": "default", "reason": ""},
            "validate": lambda params: {"valid": self._find(params["config"]) is not None},
            "verify": self._verify,
            "measure": self._measure,
        }
        if method not in answers:
            raise WorkerError("bad_request", f"a recorded space does not answer {method}")
        return answers[method](params)

    def _find(self, message: Mapping[str, Any]) -> RecordedConfig | None:
        table = self._recorded.tables[message["family"]]
        return self._recorded.by_config.get(table.config(message["parameters"]))

    def _verify(self, params: Mapping[str, Any]) -> dict[str, Any]:
        self._working(params["config"])
        return {"checks": 1}

    def _measure(self, params: Mapping[str, Any]) -> dict[str, Any]:
        policy = params["policy"]
        contenders = [self._contender(config) for config in params["configs"]]
        probes = [self._random.choice(one) if isinstance(one, tuple) else math.inf for one in contenders]
        slowest_us = policy.get("slower_than", math.inf) * min(probes)
        return {
            "measurements": [
                one if isinstance(one, dict) else self._measurement(one, probe_us, policy, probe_us > slowest_us)
                for one, probe_us in zip(contenders, probes, strict=True)
            ],
            "ceiling_us": self._recorded.ceiling_us if policy["ceiling"] else None,
        }

    def _contender(self, config: Mapping[str, Any]) -> tuple[float, ...] | dict[str, Any]:
        """Return the recorded samples, or the error that takes the place of a measurement."""
        try:
            return self._working(config).all_us
        except WorkerError as error:
            return {"error": {"kind": error.kind, "message": str(error)}}

    def _measurement(
        self, recorded_us: Sequence[float], probe_us: float, policy: Mapping[str, Any], is_slow: bool
    ) -> dict[str, Any]:
        samples = [probe_us] if is_slow else self._random.choices(recorded_us, k=policy["rounds"])
        median_us = statistics.median(samples)
        return {
            "median_us": median_us, "spread": _spread(samples, median_us), "samples": len(samples),
            "sm_clock_mhz": None, "probe_only": is_slow, "samples_us": samples,
        }  # fmt: skip

    def _working(self, message: Mapping[str, Any]) -> RecordedConfig:
        found = self._find(message)
        if found is None:
            raise WorkerError("unsupported", "it was not recorded")
        if found.failure is None:
            return found
        status, reason = found.failure.status, found.failure.reason
        if status == WorkerTimeout.status:
            raise WorkerTimeout(reason)
        if status == WorkerDied.status:
            raise WorkerDied(reason)
        raise WorkerError(status, reason)


class RecordedCompilers:
    """Compilers that take no time. What failed to compile fails again."""

    def __init__(self, recorded: RecordedSpace) -> None:
        self._recorded = recorded

    @classmethod
    def of(cls, recorded: RecordedSpace) -> CompilePool:
        return cast(CompilePool, cls(recorded))

    def __enter__(self) -> RecordedCompilers:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, request: Mapping[str, Any], config: Config, **kinds: int) -> Future[float | Failure]:
        found = self._recorded.by_config.get(config)
        failure = found.failure if found else Failure("compile_error", "it was not recorded")
        future: Future[float | Failure] = Future()
        future.set_result(failure if failure and failure.status == "compile_error" else 0.0)
        return future


class RecordedSession:
    """A session that remembers nothing, so that each search starts from the beginning."""

    def __init__(self, recorded: RecordedSpace, policy: Policy, seed: int) -> None:
        provenance = recorded.provenance
        self.device: Device = recorded.device
        self._run = Run(
            provenance.date, provenance.tool_version, provenance.template_hash, provenance.compiler_version,
            provenance.driver_version, Effort.normal, seed, policy_text(policy, None),
        )  # fmt: skip

    @classmethod
    def of(cls, recorded: RecordedSpace, policy: Policy, seed: int) -> Session:
        return cast(Session, cls(recorded, policy, seed))

    def run_of(self, problem: Problem, n: int, *configs: Config) -> Run:
        return self._run

    def trials(self, problem: Problem, n: int) -> list[Trial]:
        return []

    def together(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def save_trial(self, problem: Problem, n: int, trial: Trial, is_default: bool) -> None:
        pass

    def save_failure(self, problem: Problem, n: int, config: Config, failure: Failure) -> None:
        pass

    def kept(self, failure: Failure) -> Failure:
        return failure

    def save_record(self, record: Record) -> None:
        pass


def _spread(samples: Sequence[float], median_us: float) -> float:
    """Return the interquartile range over the median, by quantiles that interpolate between samples."""
    if len(samples) < 2:
        return 0.0
    low, _, high = statistics.quantiles(samples, n=4, method="inclusive")
    return (high - low) / median_us
