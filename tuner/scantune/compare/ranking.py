"""The rank of several records of one cell, which does not depend on their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, total_ordering

from scantune.compare.precedence import Precedence
from scantune.model.breakpoint import Breakpoint
from scantune.model.device import Device
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.store.text_form import line_of

Key = tuple[Device, Problem, int]

# The first difference decides. Texts at the end see to it that the same record is chosen everywhere.
_REASONS = (
    "the worker here refuses the other config", "it was measured with the templates here",
    "it was measured at more sizes", "its search was finished", "its search took more effort", "it is newer",
    "they differ in their text only",
)  # fmt: skip


@total_ordering
@dataclass(frozen=True)
class Ranked:
    """A record among others of its cell, of which the greatest counts."""

    record: Record
    precedence: Precedence

    @cached_property
    def _rank(self) -> tuple[object, ...]:
        record = self.record
        return *self.precedence.standing(record), *record.quality, line_of(record)

    def __lt__(self, other: Ranked) -> bool:
        return self._rank < other._rank

    def why_before(self, other: Ranked) -> str:
        """Return why this record, which counts, precedes another."""
        pairs = zip(self._rank, other._rank, _REASONS, strict=True)
        return next((reason for own, theirs, reason in pairs if own != theirs), _REASONS[-1])


def ranked_by_key(records: Iterable[Record], precedence: Precedence) -> dict[Key, list[Ranked]]:
    """Return the records of each cell, the one that counts first. A measurement that is there twice counts once."""
    by_key: dict[Key, list[Record]] = {}
    for record in records:
        by_key.setdefault(record.key, []).append(record)
    return {key: _ranked(found, precedence) for key, found in by_key.items()}


def best_of_each(records: Iterable[Record], precedence: Precedence) -> list[Record]:
    """Return the one record of each cell that counts."""
    return [found[0].record for found in ranked_by_key(records, precedence).values()]


def best_first(breakpoints: Iterable[Breakpoint]) -> list[Breakpoint]:
    """Return breakpoints sorted so that the newest comes first among those of one place."""
    return sorted(breakpoints, key=lambda found: (found.finished_at, found.probes_text, str(found)), reverse=True)


def _ranked(records: list[Record], precedence: Precedence) -> list[Ranked]:
    if len(records) == 1:
        return [Ranked(records[0], precedence)]
    distinct: list[Ranked] = []
    for ranked in sorted((Ranked(record, precedence) for record in records), reverse=True):
        if not any(ranked.record.is_measured_as(other.record) for other in distinct):
            distinct.append(ranked)
    return distinct
