"""What schedules of the host device have shown of a kernel with a race in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RaceExhibit:
    name: str  # of the kernel
    family: str  # which does the same without a race
    flaw: str  # what is missing in the kernel
    n: int
    schedules: int
    wrong: int  # of these, under which the kernel's result was wrong
    wrong_of_family: int
    seed: int | None  # of the first one; None if no schedule was wrong
    schedule: str
    fault: str  # what was wrong under that

    @classmethod
    def from_message(cls, message: Any) -> RaceExhibit:
        """Read the protocol's `race`; raise ValueError if it is invalid."""
        if not isinstance(message, Mapping):
            raise ValueError(f"a race is {message!r}"[:300])
        first = message.get("first")
        told = first if isinstance(first, Mapping) else {}
        seed = told.get("seed")
        texts = [message.get(name) for name in ("name", "family", "flaw")]
        counts = [message.get(name) for name in ("n", "schedules", "wrong", "wrong_of_family")]
        shown = [told.get(name, "") for name in ("schedule", "fault")]
        are_good = all(isinstance(one, str) for one in (*texts, *shown)) and all(map(_is_count, counts))
        if not are_good or bool(message["wrong"]) != _is_count(seed):
            raise ValueError(f"a race is {message!r}"[:300])
        (name, family, flaw), (n, schedules, wrong, wrong_of_family) = texts, counts
        return cls(name, family, flaw, n, schedules, wrong, wrong_of_family, seed, *shown)  # type: ignore[arg-type]

    def message(self) -> dict[str, Any]:
        return vars(self)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
