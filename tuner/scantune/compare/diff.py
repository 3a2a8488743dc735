"""Differences between the winners of two files, cell by cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum

from scantune.compare.holdings import Holdings
from scantune.compare.precedence import Precedence
from scantune.compare.ranking import best_of_each
from scantune.model.breakpoint import Breakpoint
from scantune.model.record import Record
from scantune.store.text_form import place_of


class Kind(str, Enum):
    only_a = "only_a"
    only_b = "only_b"
    other_winner = "other_winner"
    other_time = "other_time"  # the same config was measured with another time
    other_breakpoint = "other_breakpoint"  # the same measurement has another breakpoint above it
    same = "same"


@dataclass(frozen=True)
class Side:
    record: Record
    above: Breakpoint | None

    def switches_as(self, other: Side) -> bool:
        return (self.above and self.above.n_switch) == (other.above and other.above.n_switch)


@dataclass(frozen=True)
class Difference:
    """One cell with the records of both sides, at least one of which is there."""

    a: Side | None
    b: Side | None

    @property
    def record(self) -> Record:
        """A record of the cell, from either side."""
        side = self.a or self.b
        assert side
        return side.record

    @property
    def kind(self) -> Kind:
        if not self.a or not self.b:
            return Kind.only_a if self.a else Kind.only_b
        a, b = self.a.record, self.b.record
        if a.config != b.config:
            return Kind.other_winner
        if not a.is_measured_as(b):
            return Kind.other_time
        return Kind.same if self.a.switches_as(self.b) else Kind.other_breakpoint

    @property
    def ratio(self) -> float | None:
        """The time of B over that of A."""
        return self.b.record.median_us / self.a.record.median_us if self.a and self.b else None


def differences(a: Holdings, b: Holdings, precedence: Precedence) -> list[Difference]:
    """Return every cell that one of them has, in the order of lines in text.

    If a file has two lines for one cell, the one that import would take counts.
    """
    of_a, of_b = (
        {record.key: Side(record, held.breakpoint_above(record)) for record in best_of_each(held.records, precedence)}
        for held in (a, b)
    )
    found = [Difference(of_a.get(key), of_b.get(key)) for key in {**of_a, **of_b}]
    return sorted(found, key=lambda one: place_of(one.record))


def counts(found: list[Difference]) -> dict[Kind, int]:
    """Return how many cells there are of each kind, which may be 0."""
    counted = Counter(one.kind for one in found)
    return {kind: counted[kind] for kind in Kind}
