"""Problems as people write them, with what they leave to the worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scantune.errors import UsageError
from scantune.model.operator_source import OperatorSource
from scantune.model.problem import Problem, request_of


@dataclass(frozen=True)
class Types:
    """Written i8, i8:i32 (input:output) or i8:i64:i32 (input:accumulator:output), in the order in which data flows."""

    input_type: str
    accumulator_type: str | None  # None: the worker's default for the other two
    output_type: str

    @classmethod
    def parse(cls, text: str) -> Types:
        """Raise UsageError for more than three; which names are types is the worker's to say."""
        parts = text.split(":")
        if len(parts) > 3:
            raise UsageError(f"--type {text}: three types at most, input:accumulator:output, such as i8:i64:i32")
        return cls(parts[0], parts[1] if len(parts) == 3 else None, parts[-1])

    @property
    def names(self) -> list[str]:
        return [name for name in (self.input_type, self.accumulator_type, self.output_type) if name is not None]

    def cover(self, problem: Problem) -> bool:
        """Return whether the problem has these types, with any accumulator if none is named."""
        ends = (problem.input_type, problem.output_type)
        return ends == (self.input_type, self.output_type) and self.accumulator_type in (None, problem.accumulator_type)

    def __str__(self) -> str:
        return ":".join(dict.fromkeys(self.names) if len(self.names) == 2 else self.names)


@dataclass(frozen=True)
class Wish:
    """A problem whose accumulator, and whatever else nobody named, is left to the worker."""

    types: Types
    op: str
    others: tuple[tuple[str, str], ...] = ()  # members and their values

    def request(self, n: int, source: OperatorSource | None) -> dict[str, Any]:
        """Return the protocol's `request`."""
        types = {name: value for name, value in vars(self.types).items() if value}
        return request_of({**types, "op": self.op, **dict(self.others)}, n, source)

    def __str__(self) -> str:
        return f"{self.types} {self.op}"
