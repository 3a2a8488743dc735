"""Records measured again on this device: each is verified, then raced with the default and what is in use now."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from scantune import __version__
from scantune.compare.noise import beats
from scantune.compare.suspicion import Suspicion, suspicions, urgency
from scantune.model.config import Config
from scantune.model.measurement import Measurement
from scantune.model.policy import Policy
from scantune.model.quantity import format_size
from scantune.model.record import Record, Run, now, policy_text
from scantune.model.trial import Failure
from scantune.worker.client import Worker, WorkerDied, WorkerError
from scantune.worker.compile_pool import CompilePool
from scantune.worker.environment import EnvironmentFault
from scantune.worker.evaluation import Evaluator
from scantune.worker.selection import select

_AHEAD = 6  # records whose kernels compile while another is measured

_OF_THE_MACHINE = (EnvironmentFault, WorkerError, WorkerDied)  # errors that say nothing about a record

DEFAULT = "the default"
IN_USE = "what is in use now"


class Verdict(str, Enum):
    verified = "verified"
    slower = "slower"  # it is slower than the default, or than what is in use now
    wrong = "wrong"  # its results are wrong, or it does not run
    not_applicable = "not_applicable"  # it cannot be tried here
    not_reached = "not_reached"  # the budget ended before it, or the machine failed


@dataclass(frozen=True)
class Checked:
    """The result for one record."""

    record: Record
    verdict: Verdict
    reason: str = ""
    suspicions: Sequence[Suspicion] = ()
    measured: Measurement | None = None
    rivals: Mapping[str, tuple[Config, float]] = field(default_factory=dict)  # configs it was raced with, and their µs
    failure: Failure | None = None  # why it is wrong
    renewed: Record | None = None  # the record with its new times, if it was verified

    def message(self) -> dict[str, Any]:
        """Return the result for --json."""
        return {
            "device": vars(self.record.device), "problem": self.record.problem.message(), "n": self.record.n,
            "config": self.record.config.message(), "verdict": self.verdict.value, "reason": self.reason,
            "suspicions": [one.value for one in self.suspicions], "recorded_us": self.record.median_us,
            "measured_us": self.measured.median_us if self.measured else None,
            "rivals": [
                {"role": role, "config": config.message(), "median_us": median_us}
                for role, (config, median_us) in self.rivals.items()
            ],
        }  # fmt: skip

    def __str__(self) -> str:
        place = f"{self.record.problem} {format_size(self.record.n)}"
        return f"{place}: {self.verdict.value.replace('_', ' ')}{f': {self.reason}' if self.reason else ''}"


class Verification:
    def __init__(
        self, worker: Worker, evaluator: Evaluator, pool: CompilePool, databases: Sequence[Path] | None, policy: Policy,
        seed: int,
    ) -> None:  # fmt: skip
        """Race against what is in use by the records in `databases`, or by those that runtime::scan() reads here."""
        self._worker = worker
        self._evaluator = evaluator
        self._pool = pool
        self._databases = databases
        self._policy = policy
        self._seed = seed
        self._started_at = now()
        self._rivals: dict[Record, dict[str, Config]] = {}

    def run(self, records: Sequence[Record], budget_s: float) -> Iterator[Checked]:
        """Yield the result for each record: first those that cannot be tried here, then the most doubtful ones."""
        deadline = time.monotonic() + budget_s
        doubts: dict[Record, list[Suspicion]] = {}
        for record in records:
            try:
                if reason := self._inapplicable(record):
                    yield Checked(record, Verdict.not_applicable, reason)
                else:
                    doubts[record] = suspicions(record, self._evaluator)
            except _OF_THE_MACHINE as error:
                yield Checked(record, Verdict.not_reached, str(error))
        ordered = sorted(doubts, key=lambda record: urgency(record, doubts[record]))
        for index, record in enumerate(ordered):
            if time.monotonic() >= deadline:
                yield Checked(record, Verdict.not_reached, "the budget ended before", doubts[record])
                continue
            try:
                self._compile(record)
                for later in ordered[index + 1 : index + _AHEAD]:
                    with contextlib.suppress(*_OF_THE_MACHINE):  # that record's own result will say why
                        self._compile(later)
                yield replace(self._check(record), suspicions=doubts[record])
            except _OF_THE_MACHINE as error:
                yield Checked(record, Verdict.not_reached, str(error), doubts[record])

    def _inapplicable(self, record: Record) -> str:
        """Return why a record cannot be tried here; an empty text if it can."""
        device = self._worker.hello().device
        if record.device != device:
            return f"it is of {record.device}"
        if record.problem.declared is None:
            return f"the worker does not know the algorithm {record.problem.algorithm}"
        if record.run.source_digest or record.problem.is_of_users_own:
            return "it is of a custom operator, whose source is not stored"
        refusal = self._evaluator.refusal(record.problem, record.n, record.config)
        return f"the worker refuses its config: {refusal}" if refusal else ""

    def _compile(self, record: Record) -> None:
        """Begin to compile the kernels that verify and measure a record, unless that is done already."""
        if record not in self._rivals:
            self._rivals[record] = self._rivals_of(record)
        request = self._evaluator.request(record.problem, record.n)
        self._pool.submit(request, record.config, all_kinds=True)
        for config in self._rivals[record].values():
            self._pool.submit(request, config, measured_only=True)

    def _rivals_of(self, record: Record) -> dict[str, Config]:
        in_use = select(self._worker, record.problem, record.n, self._databases).config
        default = self._evaluator.space(record.problem, record.n, configs=False).default
        roles = {in_use: IN_USE, default: DEFAULT}  # a config that is both is called the default
        return {role: config for config, role in roles.items() if config != record.config}

    def _check(self, record: Record) -> Checked:
        place = record.problem, record.n
        request = self._evaluator.request(*place)
        # Failures are left to the measuring worker, so it only matters that the kernels are in the cache.
        self._evaluator.compiled(self._pool.submit(request, record.config, all_kinds=True))
        if failure := self._failure(record):
            return _wrong(record, failure)
        rivals = self._rivals[record]
        for config in rivals.values():
            self._evaluator.compiled(self._pool.submit(request, config, measured_only=True))
        raced = self._evaluator.measure(*place, [record.config, *rivals.values()], self._policy.final)
        own, *others = raced.outcomes
        if isinstance(own, Failure):
            return _wrong(record, own)
        times = {role: one for role, one in zip(rivals, others, strict=True) if isinstance(one, Measurement)}
        told = {role: (rivals[role], one.median_us) for role, one in times.items()}
        for role, rival in sorted(times.items(), key=lambda one: one[1].median_us):
            if beats(rival, own) and self._is_right(record, rivals[role]):
                reason = f"it takes {own.median_us:.2f} µs, {role} {rival.median_us:.2f} µs"
                return Checked(record, Verdict.slower, reason, measured=own, rivals=told)
        reason = f"it takes {own.median_us:.2f} µs"
        renewed = self._renewed(record, own, times, raced.ceiling_us)
        return Checked(record, Verdict.verified, reason, measured=own, rivals=told, renewed=renewed)

    def _failure(self, record: Record) -> Failure | None:
        """Return why a record's results cannot be trusted; a failure that may be chance has to happen twice."""
        place = record.problem, record.n, record.config
        failure = self._evaluator.verify(*place, self._seed, all_kinds=True)
        if failure and failure.deserves_retry:
            failure = self._evaluator.verify(*place, self._seed, all_kinds=True)
        return failure

    def _is_right(self, record: Record, rival: Config) -> bool:
        place = record.problem, record.n, self._policy.verify_items
        return self._evaluator.verify_at_most(*place, rival, self._seed) is None

    def _renewed(
        self, record: Record, own: Measurement, times: Mapping[str, Measurement], ceiling_us: float | None
    ) -> Record:
        """Return the record with its new times. Its origin is then this database, whoever measured it before."""
        hello, before = self._worker.hello(), record.run
        template_hash = self._evaluator.template_hash(record.problem, record.n, record.config.family)
        run = Run(
            self._started_at, __version__, template_hash, hello.compiler_version, hello.driver_version, before.effort,
            self._seed, policy_text(self._policy, None),
        )  # fmt: skip
        is_current = before.template_hash == template_hash
        if is_current and before.may_gain is not None:
            run = run.may_gain_more(before.may_gain)
        # With other templates than before, no search has covered the cell.
        run = run if is_current and not before.is_cut_short else run.cut_short()
        run = run.restricted_to(before.restriction)
        is_default = record.config == self._evaluator.space(record.problem, record.n, configs=False).default
        default = own if is_default else times.get(DEFAULT)
        return replace(
            record, median_us=own.median_us, spread=own.spread, default_us=default.median_us if default else None,
            ceiling_us=ceiling_us, finished_at=now(), run=run,
        )  # fmt: skip


def _wrong(record: Record, failure: Failure) -> Checked:
    return Checked(record, Verdict.wrong, f"{failure.status}: {failure.reason}", failure=failure)
