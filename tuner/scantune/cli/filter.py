"""The options that choose the records to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scantune.errors import UsageError
from scantune.model.config import is_token
from scantune.model.device import Device, is_arch
from scantune.model.problem import Problem
from scantune.model.stated_problem import Types
from scantune.model.value import bytes_of, split_operator

ALL_TYPES = "all"


@dataclass(frozen=True)
class Filter:
    """A filter of records. Without an algorithm, type, operator or device, it admits all."""

    types: Sequence[str] = ()
    ops: Sequence[str] = ()  # custom_moderate means that cost class, custom_moderate:NAME that name
    arch: str | None = None
    device: str | None = None  # its name, or part of it
    algorithm: str | None = None

    def check(self) -> None:
        """Raise UsageError for a value that no record can have."""
        if self.arch is not None and not is_arch(self.arch):
            raise UsageError(f"--arch {self.arch}: not an architecture; write sm_90 or the like, or host")
        if self.algorithm is not None and not is_token(self.algorithm):
            raise UsageError(f"--algorithm {self.algorithm}: not a name of an algorithm")
        try:
            for name in (name for text in self.types if text != ALL_TYPES for name in Types.parse(text).names):
                bytes_of(name)
            for op in self.ops:
                split_operator(op)
        except ValueError as error:
            raise UsageError(f"{error}; write --type i32 or custom8, and --op sum or custom_moderate:NAME") from None

    def admits_device(self, device: Device) -> bool:
        return self.arch in (None, device.arch) and (self.device is None or device.is_called(self.device))

    def admits(self, problem: Problem) -> bool:
        """Return whether the problem is shown. For an undeclared algorithm only the members in its row are known."""
        named = [problem.operator] if problem.declared else [value for _, value in problem.others]
        operators = {spelling for op in named if op for spelling in (op, split_operator(op)[0])}
        return (
            self.algorithm in (None, problem.algorithm)
            and (not self.ops or not operators.isdisjoint(self.ops))
            and (
                not self.types
                or ALL_TYPES in self.types
                or any(Types.parse(text).cover(problem) for text in self.types)
            )
        )
