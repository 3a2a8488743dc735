"""Ranges of sizes that records serve, and the octaves that searches go by: (2^k, 2^(k+1)]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scantune.model.quantity import MAX_N, format_size


@dataclass(frozen=True)
class Range:
    """The sizes above one and up to another: n in Range(512, 1024) means 512 < n <= 1024."""

    above: int
    up_to: int

    def __post_init__(self) -> None:
        # Booleans are integers of Python, and none of JSON.
        if type(self.above) is not int or type(self.up_to) is not int or not 0 <= self.above < self.up_to <= MAX_N:
            raise ValueError(f"no size is in the range above {self.above!r} and up to {self.up_to!r}")

    @classmethod
    def from_message(cls, message: object) -> Range:
        """Read what message() returned; raise ValueError for anything else."""
        if not isinstance(message, list) or len(message) != 2:
            raise ValueError(f"a range is {message!r}, not [above, up to]")
        return cls(*message)

    def __contains__(self, n: int) -> bool:
        return self.above < n <= self.up_to

    def __str__(self) -> str:
        return f"({format_size(self.above)}, {format_size(self.up_to)}]"

    def touches(self, other: Range) -> bool:
        """Return whether one begins where the other ends."""
        return self.above == other.up_to or other.above == self.up_to

    def overlaps(self, other: Range) -> bool:
        """Return whether some size is in both."""
        return max(self.above, other.above) < min(self.up_to, other.up_to)

    def message(self) -> list[int]:
        return [self.above, self.up_to]


def octave_of(n: int) -> Range:
    """Return the octave that holds n, which ends in a power of two: (512, 1024] for 513 and 1024; (0, 1] for 1."""
    up_to: int = 1 << (n - 1).bit_length()
    return Range(up_to // 2, up_to)


def octave_up_to(n: int) -> Range:
    """Return the part of n's octave up to n, which a record at n serves of which nothing else is told."""
    return Range(octave_of(n).above, n)


def merged(ranges: Iterable[Range]) -> list[Range]:
    """Return ranges that hold the same sizes, in order, of which none touches or overlaps another."""
    found: list[Range] = []
    for one in sorted(ranges, key=lambda one: one.above):
        if found and one.above <= found[-1].up_to:
            found[-1] = Range(found[-1].above, max(found[-1].up_to, one.up_to))
        else:
            found.append(one)
    return found
