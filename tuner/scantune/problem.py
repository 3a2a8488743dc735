"""The problem: what is scanned, without its size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from scantune.config import is_token

_TYPE = re.compile(r"(?:i|u|f|bf)(8|16|32|64)")
MAX_N = 2**40


@dataclass(frozen=True)
class Problem:
    """Tokens are the worker's to judge; this only checks that they are tokens, and that the types have a size."""

    input_type: str
    accumulator_type: str
    output_type: str
    op: str = "sum"
    kind: str = "inclusive"
    determinism: str = "unconstrained"
    forward_progress: str = "in_order"

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not is_token(value):
                raise ValueError(f"{name} is {value!r}, which is not a token")
        for value_type in (self.input_type, self.accumulator_type, self.output_type):
            bytes_of(value_type)

    @classmethod
    def of(cls, value_type: str, op: str) -> Problem:
        """Return the inclusive scan of one type. A record of it serves exclusive scans too."""
        return cls(value_type, value_type, value_type, op)

    def request(self, n: int) -> dict[str, Any]:
        """Return the protocol's `request`."""
        return {**vars(self), "init": "value" if self.kind == "exclusive" else "none", "n": n}

    def bytes_moved(self, n: int) -> int:
        """Return the bytes that a scan of n items must read and write."""
        return n * (bytes_of(self.input_type) + bytes_of(self.output_type))

    def __str__(self) -> str:
        types = [self.input_type]
        if (self.accumulator_type, self.output_type) != (self.input_type, self.input_type):
            types += [self.accumulator_type, self.output_type]
        words = ["/".join(types), self.op]
        words += [self.kind] if self.kind != "inclusive" else []
        words += [self.determinism] if self.determinism != "unconstrained" else []
        words += [self.forward_progress] if self.forward_progress != "in_order" else []
        return " ".join(words)


def bytes_of(value_type: str) -> int:
    """Return the size of a value type, which its name tells; raise ValueError for other names."""
    match = _TYPE.fullmatch(value_type)
    if not match:
        raise ValueError(f"{value_type!r} is not a value type")
    return int(match[1]) // 8
