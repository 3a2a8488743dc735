"""The outcome of a run of the tuner."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from scantune.model.breakpoint import Breakpoint
from scantune.model.cell import Cell
from scantune.model.coverage import Coverage, Way
from scantune.model.record import Record
from scantune.model.space import Space


@dataclass
class Outcome:
    records: list[Record] = field(default_factory=list)  # winners of all cells asked for, found now or before
    spaces: dict[Cell, Space] = field(default_factory=dict)
    coverage: list[Coverage] = field(default_factory=list)  # one for each cell asked for
    breakpoints: list[Breakpoint] = field(default_factory=list)  # those of a portfolio, found now or before
    unprobed: int = 0  # pairs of neighbouring records of a portfolio that time did not suffice for
    without_breakpoint: list[str] = field(default_factory=list)  # other pairs without one, and why
    unknown: dict[str, int] = field(default_factory=dict)  # numbers of records left out, by algorithms not known here
    seconds: float = 0.0
    spent_s: dict[str, float] = field(default_factory=dict)  # the same seconds, by what they were spent on
    rest_s: float = 0.0  # about how many it takes to cover the cells that are left

    @property
    def is_complete(self) -> bool:
        """Whether time sufficed for all that was asked for."""
        return not (self.covered(Way.cut_short, Way.raced, Way.left) or self.unprobed)

    def add(self, later: Outcome) -> None:
        """Take in what came of a later part of the run."""
        self.records += later.records
        self.spaces |= later.spaces
        self.coverage += later.coverage
        self.breakpoints += later.breakpoints
        self.unprobed += later.unprobed
        self.without_breakpoint += later.without_breakpoint
        self.unknown = later.unknown
        self.seconds += later.seconds
        for what, seconds in later.spent_s.items():
            self.spent_s[what] = self.spent_s.get(what, 0.0) + seconds
        self.rest_s += later.rest_s

    def withdraw(self, records: Collection[Record]) -> None:
        """Leave out records that were withdrawn."""
        gone = {record.key for record in records}
        self.records = [record for record in self.records if record.key not in gone]

    @property
    def saved(self) -> list[Record]:
        """The records that serve from now on: of a restricted run those alone that beat what served."""
        unbeaten = {covered.cell for covered in self.coverage if covered.unbeaten}
        return [record for record in self.records if Cell(record.problem, record.n) not in unbeaten]

    def covered(self, *ways: Way) -> list[Coverage]:
        """Return the cells that were covered in one of these ways."""
        return [covered for covered in self.coverage if covered.way in ways]

    @property
    def without_winner(self) -> list[str]:
        """The cells where nothing works or could be tried, and why."""
        return [f"{covered.cell}: {covered.reason}" for covered in self.covered(Way.failed)]
