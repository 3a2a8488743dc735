"""The winner of a search, with the key it is found by and the run it comes from."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from scantune.model.carried_hashes import carried_hash
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.least_time import possible
from scantune.model.octave import Range, octave_up_to
from scantune.model.operator_source import OperatorSource
from scantune.model.origin import Origin, fitting
from scantune.model.policy import Effort, Policy
from scantune.model.probe import Probe, probes_of, probes_text
from scantune.model.problem import Problem
from scantune.model.quantity import MAX_N
from scantune.model.restriction import Restriction

_SOURCE_DIGEST = "operator_source"
_SAMPLER = "sampler"
_DEFAULT_SAMPLER = "default"
_CUT_SHORT = "cut_short"
_MAY_GAIN = "may_gain"
_RESTRICTION = "restriction"
_ORIGIN = "origin"
_MOST_POLICY = 4096  # characters
_JOINT = "+"
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
_trusts_times: ContextVar[bool] = ContextVar("trusts_times", default=False)
_RUN_COLUMNS = (
    "started_at", "tool_version", "template_hash", "compiler_version", "driver_version", "effort", "seed", "policy",
)  # fmt: skip


def now() -> str:
    """Return the time as rows keep it: UTC, ISO 8601."""
    return time_text(datetime.now(timezone.utc))


def time_text(moment: datetime) -> str:
    """Return a time, in UTC, as rows keep it. The texts of two times compare as the times do."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class Run:
    """One invocation of the tuner with certain kernels: where the numbers come from that name it."""

    started_at: str
    tool_version: str
    template_hash: str  # hash of the family's templates; for a breakpoint between two families, joint_hash() of both
    compiler_version: str
    driver_version: str
    effort: Effort
    seed: int
    # JSON, which may hold `operator_source`, the digest of the user's own operator, `sampler`, `cut_short`, `may_gain`,
    # `restriction`, `origin`.
    policy: str

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Run:
        """Raise ValueError if a column is not what it should be."""
        for name in ("tool_version", "template_hash", "compiler_version", "driver_version"):
            if not isinstance(row[name], str) or len(row[name]) > 200 or not row[name].isprintable():
                raise ValueError(f"{name} is {row[name]!r}")
        if not isinstance(row["policy"], str) or len(row["policy"]) > _MOST_POLICY:
            raise ValueError("policy is not a short text")
        if not isinstance(row["seed"], int):
            raise ValueError(f"seed is {row['seed']!r}")
        values = {**{name: row[name] for name in _RUN_COLUMNS}, "template_hash": carried_hash(row["template_hash"])}
        return cls(**{**values, "started_at": timestamp(row["started_at"]), "effort": Effort(row["effort"])})

    @property
    def source_digest(self) -> str | None:
        """The digest of the source of the operator that was measured; None where the worker knows the operator."""
        digest = self._of_policy(_SOURCE_DIGEST)
        return digest if isinstance(digest, str) else None

    @property
    def sampler(self) -> str:
        """The name of what proposed the configs that were tried."""
        sampler = self._of_policy(_SAMPLER)
        return sampler if isinstance(sampler, str) else _DEFAULT_SAMPLER

    @property
    def is_cut_short(self) -> bool:
        """Whether the budget ended the searches whose records name this run before they were finished."""
        return self._of_policy(_CUT_SHORT) is True

    def cut_short(self) -> Run:
        """Return the run for records of searches that its budget ended."""
        return replace(self, policy=_policy_json({**json.loads(self.policy), _CUT_SHORT: True}))

    @property
    def restriction(self) -> Restriction:
        """To which configs the searches were restricted whose records name this run."""
        with contextlib.suppress(ValueError):
            return Restriction.from_message(self._of_policy(_RESTRICTION))
        return Restriction()

    def restricted_to(self, restriction: Restriction) -> Run:
        """Return the same invocation, as a record names it that was the best of these: no search is finished by it."""
        if not restriction:
            return self
        policy = {**json.loads(self.policy), _CUT_SHORT: True, _RESTRICTION: restriction.message()}
        return replace(self, policy=_policy_json(policy))

    @property
    def may_gain(self) -> float | None:
        """The share of its time that a longer search may take off a record that names this run; None: nobody knows."""
        share = self._of_policy(_MAY_GAIN)
        is_share = isinstance(share, (int, float)) and not isinstance(share, bool) and 0 <= share <= 1
        return float(share) if is_share else None  # type: ignore[arg-type]

    def may_gain_more(self, share: float) -> Run:
        """Return the run for the record of a search that may have left this share of its time to gain."""
        # Shares are rounded up to steps of 0.005, so that few rows serve many records.
        rounded = min(1.0, math.ceil(share * 200) / 200)
        return replace(self, policy=_policy_json({**json.loads(self.policy), _MAY_GAIN: rounded}))

    @property
    def origin(self) -> Origin | None:
        """The origin of what names this run; None where it was measured with this database, or nobody said."""
        with contextlib.suppress(ValueError):
            return Origin.from_message(self._of_policy(_ORIGIN))
        return None

    def with_origin(self, origin: Origin | None) -> Run:
        """Return the run for records of that origin.

        Raises ValueError if the policy, which a stranger may have written, is not an object or has no room.
        """
        policy = {name: value for name, value in self._known_policy().items() if name != _ORIGIN}
        text = _policy_json({**policy, _ORIGIN: origin.message()} if origin else policy)
        if len(text) > _MOST_POLICY:
            raise ValueError("policy has no room for an origin")
        return replace(self, policy=text)

    def exported(self, by: str, file: str, host: str = "") -> Run:
        """Return the run for exports: with its first origin, else with one from `by`, the database `file` and `host`.

        A run whose policy takes no origin stays without.
        """
        if self.origin:
            return self
        with contextlib.suppress(ValueError):
            return self.with_origin(
                Origin(fitting(by, "by"), fitting(file, "file"), self.digest, fitting(host, "host"))
            )
        return self

    def received(self, file: str = "", signer: str = "") -> Run:
        """Return the run for imports.

        `file` is where a run without an origin came from. `signer` is who was verified, whatever the origin says.
        Raises ValueError if the policy takes no origin.
        """
        named = self.exported("", file).origin
        return self.with_origin(replace(named, signer=signer) if named else None)

    def without_signer(self) -> Run:
        """Return the run without its signer, for what comes from databases that may not have verified one."""
        return self.with_origin(replace(self.origin, signer="")) if self.origin and self.origin.signer else self

    def is_measured_as(self, other: Run) -> bool:
        """Return whether both are one run, whatever their origins say."""
        with contextlib.suppress(ValueError):
            return self.with_origin(None) == other.with_origin(None)
        return self == other

    @property
    def digest(self) -> str:
        """12 hex digits of the invocation, which neither the templates of its records nor exports change."""
        invocation = {**self.of_templates("").parameters(), "policy": self._invocation_policy()}
        return hashlib.sha256(json.dumps(invocation, sort_keys=True).encode()).hexdigest()[:12]

    def of_templates(self, template_hash: str) -> Run:
        """Return the run for what was measured with kernels of these templates."""
        return replace(self, template_hash=template_hash)

    @property
    def kernel_hash(self) -> str:
        """A hash of templates and operator source: kernels that differ in it have times that are not comparable."""
        return f"{self.template_hash}{_JOINT}{self.source_digest}" if self.source_digest else self.template_hash

    def covers(self, other: Run) -> bool:
        """Return whether the other run need not search what this one finished: same kernels, no less effort.

        What another sampler than the default one found covers no run but those of the same sampler.
        """
        if self.is_cut_short or self.sampler not in (_DEFAULT_SAMPLER, other.sampler):
            return False
        return self.has_kernels_of(other) and self.effort.rank >= other.effort.rank

    def has_kernels_of(self, other: Run) -> bool:
        return bool(self.template_hash) and self.kernel_hash == other.kernel_hash

    def parameters(self) -> dict[str, object]:
        """Return the columns of a row."""
        return {**vars(self), "effort": self.effort.value}

    def _of_policy(self, name: str) -> object:
        """Return the policy's value of a name; None if it has no such name, or is not JSON."""
        with contextlib.suppress(ValueError):
            return self._known_policy().get(name)
        return None

    def _known_policy(self) -> dict[str, Any]:
        """Return the policy; raise ValueError if it is not an object, as a stranger's may be."""
        try:
            policy = json.loads(self.policy)
        except RecursionError:
            raise ValueError("policy is nested too deeply") from None
        if not isinstance(policy, dict):
            raise ValueError("policy is not an object")
        return policy

    def _invocation_policy(self) -> object:
        """Return the policy without what differs between records of one invocation."""
        with contextlib.suppress(ValueError):
            policy = self._known_policy()
            own = (_CUT_SHORT, _MAY_GAIN, _RESTRICTION, _ORIGIN)
            return {name: value for name, value in policy.items() if name not in own}
        return self.policy


@dataclass(frozen=True)
class Record:
    device: Device
    problem: Problem
    n: int
    config: Config
    median_us: float
    spread: float
    default_us: float | None
    ceiling_us: float | None
    finished_at: str
    run: Run
    serves: Range = field(default=None)  # type: ignore[assignment]  # without one: its octave up to its own n
    probes: tuple[Probe, ...] = ()

    def __post_init__(self) -> None:
        if vars(self)["serves"] is None:
            object.__setattr__(self, "serves", octave_up_to(self.n))
        if self.n not in self.serves:
            raise ValueError(f"the range {self.serves} does not hold the record's own n, {self.n}")

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Record:
        """Check every column of all_records.sql; raise ValueError naming the first that is not what it should be.

        A row of text has its range as a message in `serves`, which may be None, and a row without `probes` has no
        probes.
        """
        key = key_of(row)
        return cls(
            *key,
            config=Config.from_row(row["family"], row["config"]),
            median_us=possible(*key, "median_us", _time(row, "median_us")),
            spread=_number(row, "spread"),
            default_us=None if row["default_us"] is None else possible(*key, "default_us", _time(row, "default_us")),
            ceiling_us=_time(row, "ceiling_us") if row["ceiling_us"] is not None else None,
            finished_at=timestamp(row["finished_at"]),
            run=Run.from_row(row),
            serves=_range(row, key[2]),
            probes=probes_of(row.get("probes", "[]"), *key[:2]),
        )

    @property
    def probes_text(self) -> str:
        """The probes as rows keep them."""
        return probes_text(self.probes)

    @property
    def key(self) -> tuple[Device, Problem, int]:
        return self.device, self.problem, self.n

    def is_measured_as(self, other: Record) -> bool:
        """Return whether both are one measurement, whatever their origins say."""
        return self == replace(other, run=self.run) and self.run.is_measured_as(other.run)

    def better_than(self, other: Record) -> bool:
        """Return whether this record is measured better than another of its key: more sizes, finished, more effort,
        newer.
        """
        return self.quality > other.quality

    @property
    def quality(self) -> tuple[int, bool, int, str]:
        """How well it was measured: tuples compare by the first difference, and the greater is the better measured.

        A time to come says that a clock was wrong, and counts as older than any that has passed.
        """
        finished_at = self.finished_at if self.finished_at <= now() else ""
        return len(self.probes), not self.run.is_cut_short, self.run.effort.rank, finished_at


def policy_text(policy: Policy, source: OperatorSource | None, sampler: str = _DEFAULT_SAMPLER) -> str:
    """Return the policy, the digest of the operator's source, and another sampler's name, as a run keeps them."""
    operator = {_SOURCE_DIGEST: source.digest} if source else {}
    proposed = {_SAMPLER: sampler} if sampler != _DEFAULT_SAMPLER else {}
    return _policy_json({**policy.message(), **operator, **proposed})


def _policy_json(policy: Mapping[str, Any]) -> str:
    return json.dumps(policy, separators=(",", ":"))


def templates_of(kernel_hash: str) -> str:
    """Return the template hash within a kernel hash."""
    return kernel_hash.partition(_JOINT)[0]


def carried_kernel_hash(kernel_hash: str) -> str:
    """Return the kernel hash of now for one of before; any other as it is."""
    templates, joint, source = kernel_hash.partition(_JOINT)
    return carried_hash(templates) + joint + source


def key_of(row: Mapping[str, Any]) -> tuple[Device, Problem, int]:
    """Return device, problem and N of a row that holds its problem; raise ValueError if they are not valid."""
    n = row["n"]
    if not isinstance(n, int) or not 1 <= n <= MAX_N:
        raise ValueError(f"n is {n!r}")
    return Device(row["arch"], row["name"], row["sm_count"]), row["problem"], n


@contextlib.contextmanager
def every_time_has_passed() -> Iterator[None]:
    """Accept times in the future within.

    The clock may have been corrected since a database was written, or be slower than that of the library's records.
    """
    before = _trusts_times.set(True)
    try:
        yield
    finally:
        _trusts_times.reset(before)


def timestamp(text: object) -> str:
    """Return the text if it is a time that has passed, because a time to come would win over every newer record.

    Raises ValueError.
    """
    if not isinstance(text, str) or not _TIMESTAMP.fullmatch(text):
        raise ValueError(f"{text!r} is not a time in UTC such as 2026-01-31T12:00:00Z")
    if moment_of(text) > datetime.now(timezone.utc) + timedelta(days=1) and not _trusts_times.get():
        raise ValueError(f"{text} is in the future")
    return text


def moment_of(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)


def _range(row: Mapping[str, Any], n: int) -> Range:
    """Return the range of a row, or of a line of text, which tells none where an older version wrote it."""
    if "served_above" in row:
        return Range(row["served_above"], row["served_up_to"])
    return octave_up_to(n) if row.get("serves") is None else Range.from_message(row["serves"])


def _number(row: Mapping[str, Any], name: str) -> float:
    value = row[name]
    if not isinstance(value, (int, float)) or not 0 <= value < 1e15:
        raise ValueError(f"{name} is {value!r}")
    return float(value)


def _time(row: Mapping[str, Any], name: str) -> float:
    value = _number(row, name)
    if value <= 0:
        raise ValueError(f"{name} is {value!r}")
    return value
