"""What selections.py times: selections and partitions by a constant and by flags, and of runs.

Nothing here needs a GPU.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import problems

Row = Mapping[str, Any]  # of one case: "case", "us" by contender, ...

# "partition" writes two arrays, "into one" both parts to one array in order, "reversed" the second part backwards.
CRITERIA = ("less", "flagged", "unique", "partition", "into one", "reversed", "three way")
ITEM_BYTES = {"u8": 1, "i16": 2, "i32": 4, "i64": 8, "f32": 4, "f64": 8}
_DRAWN = -1.0  # a share that is drawn
_KEPT = (0.0, 0.5, 1.0, _DRAWN)
_KEPT_OF_RUNS = (1.0, 0.5, 0.125, 0.0078125)  # runs are of 1, 2, 8 and 128 items


@dataclass(frozen=True)
class Case:
    criterion: str
    n: int
    type: str = "i32"
    kept: float = 0.5  # the share of the items that is kept; of "three way", of the first part
    input_offset: int = 0  # in items from an aligned address
    output_offset: int = 0

    @property
    def item_bytes(self) -> int:
        return ITEM_BYTES[self.type]

    @property
    def run_length(self) -> int:
        return max(1, round(1 / max(self.kept, 1e-6))) if self.criterion == "unique" else 1

    @property
    def bound(self) -> int | float:
        """Return what that share of the items is less than: items are even from 0 to 1, or over all of the type."""
        if self.type.startswith("f"):
            return self.kept
        values = 1 << 8 * self.item_bytes
        least = 0 if self.type.startswith("u") else -(values >> 1)
        return least + ((values - 1) * round(self.kept * (1 << 20)) >> 20)

    def text(self) -> str:
        """Return what departs from the defaults, as `case_of` reads it."""
        return " ".join([self.criterion.replace(" ", "_"), *problems.parts_of(self, "criterion")])


def case_of(text: str) -> Case:
    """Return a problem as in "three_way n=2^24 type=u8 kept=0.3". Raises ValueError."""
    criterion, *parts = text.split()
    words = {"criterion": CRITERIA, "type": list(ITEM_BYTES)}
    return Case(**problems.members_of(Case, [f"criterion={criterion}", *parts], words))


def table() -> list[Case]:
    """Return the problems of the table."""
    shown = [("less", "i32", 0.5), ("less", "i32", 1.0), ("less", "i32", 0.0), ("flagged", "i32", 0.5),
             ("unique", "i32", 0.125), ("less", "i64", 0.5), ("less", "u8", 0.5), ("flagged", "u8", 0.5)]  # fmt: skip
    shown += [(criterion, kind, 0.5) for criterion in CRITERIA[3:6] for kind in ("i32", "u8")]
    shown.append(("three way", "i32", 0.5))
    return [Case(criterion, 1 << size, kind, kept) for criterion, kind, kept in shown for size in (12, 16, 20, 24, 28)]


def drawn(count: int, seed: int, most: float = 28) -> Iterator[Case]:
    """Yield a covering design over criteria, and of each over types and shares that are kept."""

    def choices_of(criterion: str) -> Sequence[tuple[str, float]]:
        return list(itertools.product(ITEM_BYTES, _KEPT_OF_RUNS if criterion == "unique" else _KEPT))

    for criterion, (kind, kept), n, source in problems.covering_design(count, seed, CRITERIA, choices_of, 8, most):
        share = round(source.random(), 3)
        yield Case(criterion, n, kind, share if kept == _DRAWN else kept, problems.drawn_offset(source),
                   problems.drawn_offset(source))  # fmt: skip


def slower_of(path: Path) -> list[Case]:
    """Return the problems that a file of results has as slower."""
    names = ("criterion", "n", "type", "kept", "input_offset", "output_offset")
    return [case_of(" ".join([one[0].partition("=")[2], *one[1:]])) for one in problems.slower_ones(path, names)]


def ratio(row: Row) -> float | None:
    """Return the faster CUB's time over the default's; None where one is missing."""
    times = [us for name, us in row["us"].items() if name.startswith("CUB")]
    return min(times) / row["us"]["scantune"] if times and "scantune" in row["us"] else None
