"""Trials: what came of trying one config."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scantune.model.config import Config
from scantune.model.measurement import Measurement

STATUSES = ("ok", "compile_error", "wrong_result", "launch_error", "timeout", "crash")

# A busy machine can cause these, so a later run tries once more; the mark says that one did.
_PERHAPS_CHANCE = ("timeout", "crash")
_AGAIN = "again: "


@dataclass(frozen=True)
class Failure:
    status: str  # one of STATUSES, but never ok
    reason: str

    def __post_init__(self) -> None:
        if self.status not in STATUSES[1:]:
            raise ValueError(f"{self.status!r} is not a failure")

    @property
    def deserves_retry(self) -> bool:
        """Return whether a later run should try the config once more."""
        return self.status in _PERHAPS_CHANCE and not self.reason.startswith(_AGAIN)

    def again(self) -> Failure:
        """Return the failure of a retry, which deserves no further retry."""
        return replace(self, reason=_AGAIN + self.reason) if self.deserves_retry else self


@dataclass(frozen=True)
class Trial:
    """A config with its measurement or its failure; exactly one of these is not None."""

    config: Config
    measurement: Measurement | None = None
    failure: Failure | None = None
    compile_ms: float | None = None

    def __post_init__(self) -> None:
        if (self.measurement is None) == (self.failure is None):
            raise ValueError("a trial has either a measurement or a failure")

    def failed(self, failure: Failure) -> Trial:
        return replace(self, measurement=None, failure=failure)
