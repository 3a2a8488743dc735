"""What came of trying one config."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scantune.config import Config
from scantune.measurement import Measurement

STATUSES = ("ok", "compile_error", "wrong_result", "launch_error", "timeout", "crash")


@dataclass(frozen=True)
class Failure:
    status: str  # one of STATUSES but ok
    reason: str

    def __post_init__(self) -> None:
        if self.status not in STATUSES[1:]:
            raise ValueError(f"{self.status!r} is not a failure")


@dataclass(frozen=True)
class Trial:
    """Exactly one of measurement and failure is there."""

    config: Config
    measurement: Measurement | None = None
    failure: Failure | None = None
    compile_ms: float | None = None

    def __post_init__(self) -> None:
        if (self.measurement is None) == (self.failure is None):
            raise ValueError("a trial has either a measurement or a failure")

    def failed(self, failure: Failure) -> Trial:
        return replace(self, measurement=None, failure=failure)
