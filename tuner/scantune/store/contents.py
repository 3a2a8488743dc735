"""Reads the rows of a database and checks them: one that is not valid is left out, as the runtime does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from scantune.model.breakpoint import Breakpoint
from scantune.model.family_table import FamilyTables
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.store.budget import Budget
from scantune.store.database import Database, Row

_MOST_TRIALS = 5_000_000

Parsed = TypeVar("Parsed")


class Contents:
    """Rows are joined here and not by SQLite: a text that many rows refer to is read once, and a file whose tables lack
    their keys does not make SQLite try every pair of rows.
    """

    def __init__(
        self,
        database: Database,
        reject: Callable[[str], None] = lambda reason: None,
        tables: FamilyTables | None = None,
    ) -> None:
        """Call reject with the reason for every row that is left out. Configs are completed by the tables."""
        self._database = database
        self._reject = reject
        self._tables = tables or FamilyTables()
        self._budget = Budget()
        self._faults: dict[object, str] = {}  # of problems, by their ids
        referred = {
            "device": self._rows("all_devices"), "problem": database.problems(self._budget),
            "run": self._rows("all_runs"),
        }  # fmt: skip
        self._referred = {name: {row["id"]: row for row in rows} for name, rows in referred.items()}

    def records(self) -> list[Record]:
        found = self._valid("records", self._rows("all_records"), Record.from_row)
        return [replace(one, config=self._tables.complete(one.config)) for one in found]

    def breakpoints(self) -> list[Breakpoint]:
        found = self._valid("breakpoints", self._with_ends(), Breakpoint.from_row)
        complete = self._tables.complete
        return [replace(one, low=complete(one.low), high=complete(one.high)) for one in found]

    def trials(self, parse: Callable[[Row], Parsed]) -> Iterator[Parsed]:
        """Yield one by one, since there may be more than the memory holds."""
        budget = Budget(rows=_MOST_TRIALS, text=math.inf)
        return self._valid("trials", self._database.each("all_trials", {}, budget), parse)

    def _rows(self, query: str) -> Iterator[Row]:
        return self._database.each(query, {}, self._budget)

    def _with_ends(self) -> Iterator[Row]:
        """Yield the rows of breakpoints with the configs of the records at their ends."""
        ends = {_end(row, "n"): row for row in self._rows("all_records")}
        for row in self._rows("all_breakpoints"):
            low, high = ends.get(_end(row, "n")), ends.get(_end(row, "n_high"))
            yield {**row, **_config("low", low), **_config("high", high)}

    def _valid(self, name: str, rows: Iterable[Row], parse: Callable[[Row], Parsed]) -> Iterator[Parsed]:
        for row in rows:
            try:
                yield parse(self._joined(row))
            except (ValueError, TypeError) as error:
                self._reject(f"{name}: {error}"[:300])

    def _joined(self, row: Row) -> Row:
        """Return the row with the columns of those that it refers to, before which its own go."""
        joined: dict[str, Any] = {}
        for name, by_id in self._referred.items():
            if (found := by_id.get(row[f"{name}_id"])) is None:
                raise ValueError(f"there is no {name} {row[f'{name}_id']!r}")
            joined |= found
        if fault := self._fault_of(row["problem_id"], joined):
            raise ValueError(fault)
        return joined | dict(row)

    def _fault_of(self, problem_id: object, row: Row) -> str:
        """Return why no tuner writes such a problem, or nothing. Each has one spelling, so that none is there twice."""
        if problem_id not in self._faults:
            self._faults[problem_id] = ""
            try:
                problem = Problem.from_row(row)
                self._tables.check(problem)
                if problem.text != row["request"]:
                    raise ValueError(f"the request is not spelled as a tuner spells it: {row['request']}")
            except (ValueError, TypeError) as error:
                self._faults[problem_id] = str(error)
        return self._faults[problem_id]


def _end(row: Row, n: str) -> tuple[object, ...]:
    """Return the key of the record at an end of a breakpoint."""
    return row["device_id"], row["problem_id"], row[n]


def _config(end: str, record: Row | None) -> Mapping[str, object]:
    return {f"{end}_{column}": record[column] if record else None for column in ("family", "config")}
