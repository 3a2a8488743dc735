"""What a run of a config costs on any machine, as its family declares it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeGuard


@dataclass(frozen=True)
class Work:
    operations: int  # how often the operator is applied
    steps: int  # how many of these wait for each other in a row
    bytes: int  # that go from and to global memory

    @classmethod
    def from_message(cls, message: object) -> Work | None:
        """Read the protocol's `work`, which may be left out; raise ValueError if it is invalid."""
        if message is None:
            return None
        found = message if isinstance(message, dict) else {}
        operations, steps, moved = (found.get(name) for name in ("operations", "steps", "bytes"))
        if not (_is_count(operations) and _is_count(steps) and _is_count(moved)):
            raise ValueError(f"the work is {message!r}"[:300])
        return cls(operations, steps, moved)

    def message(self) -> dict[str, Any]:
        return asdict(self)


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0
