"""The winners in a file of others, for commands that compare several files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from scantune.compare.exchange import ForeignTrial, ImportReport, Reception
from scantune.compare.precedence import Precedence
from scantune.compare.ranking import Key, best_first
from scantune.model.breakpoint import Breakpoint
from scantune.model.config import Config
from scantune.model.record import Record
from scantune.store.foreign import foreign_contents


@dataclass(frozen=True)
class Holdings:
    path: Path
    records: list[Record]  # each has an origin; text may have several of a cell
    breakpoints: list[Breakpoint]
    report: ImportReport = field(repr=False)  # what was left out

    def holds(self, record: Record) -> bool:
        """Return whether the measurement is in the file."""
        return any(map(record.is_measured_as, self._by_key.get(record.key, [])))

    def breakpoint_above(self, record: Record) -> Breakpoint | None:
        """Return the newest breakpoint that begins at the record and was measured with its config."""
        return self._above.get((record.key, record.config))

    @cached_property
    def _by_key(self) -> dict[Key, list[Record]]:
        by_key: dict[Key, list[Record]] = {}
        for record in self.records:
            by_key.setdefault(record.key, []).append(record)
        return by_key

    @cached_property
    def _above(self) -> dict[tuple[Key, Config], Breakpoint]:
        return {(found.key, found.low): found for found in reversed(best_first(self.breakpoints))}


def holdings_of(
    path: Path, precedence: Precedence, take_trials: Callable[[Iterator[ForeignTrial]], None] | None = None
) -> Holdings:
    """Read a file, a database or text, at one moment.

    Its trials may be more than the memory holds, so they are passed on one by one. Raises DatabaseError as
    foreign_contents() does.
    """
    path = path.expanduser()
    report, algorithms = ImportReport(), precedence.algorithms()
    with foreign_contents(path, report.reject, algorithms) as contents:
        reception = Reception(report, path.name)
        records = list(reception.of("records", contents.records()))
        breakpoints = list(reception.of("breakpoints", contents.breakpoints()))
        report.unknown_keys = sorted(contents.unknown_keys)
        if take_trials:
            take_trials(reception.of("trials", contents.trials(lambda row: ForeignTrial.from_row(row, algorithms))))
    return Holdings(path, records, breakpoints, report)
