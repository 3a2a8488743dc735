"""The checked rows of a database: one that is not valid is left out, as the runtime leaves it out."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any, TypeVar

from scantune.model.algorithms import Algorithms
from scantune.model.breakpoint import Breakpoint
from scantune.model.problem import Problem
from scantune.model.record import Record, every_time_has_passed
from scantune.store.budget import Budget
from scantune.store.database import Database, Row

_MOST_TRIALS = 5_000_000

Parsed = TypeVar("Parsed")


class Contents:
    """The rows of one database.

    They are joined here and not by SQLite: a text that many rows refer to is read once, and a file whose tables lack
    their keys does not make SQLite try every pair of rows.
    """

    unknown_keys: Set[str] = frozenset()  # always empty: the schema of a database fixes its columns

    def __init__(
        self,
        database: Database,
        reject: Callable[[str], None] = lambda reason: None,
        algorithms: Algorithms | None = None,
        trusts_times: bool = False,
    ) -> None:
        """Read from `database`; `reject` is called with the reason for every row that is left out.

        Problems and configs are checked and completed by the declarations of their algorithms. With `trusts_times` no
        time is in the future: the clock may have been corrected since.
        """
        self._times = every_time_has_passed if trusts_times else contextlib.nullcontext
        self._database = database
        self._reject = reject
        self._algorithms = algorithms or Algorithms()
        self._budget = Budget()
        self._problems: dict[object, Problem | ValueError] = {}  # those that rows referred to so far, by their ids
        referred = {
            "device": self._rows("all_devices"), "problem": database.problems(self._budget),
            "run": self._rows("all_runs"),
        }  # fmt: skip
        self._referred = {name: {row["id"]: row for row in rows} for name, rows in referred.items()}

    def records(self) -> list[Record]:
        found = self._valid("records", self._rows("all_records"), Record.from_row)
        return [replace(one, config=self._algorithms.complete(one.problem, one.config)) for one in found]

    def breakpoints(self) -> list[Breakpoint]:
        found = self._valid("breakpoints", self._with_ends(), Breakpoint.from_row)
        complete = self._algorithms.complete
        return [replace(one, low=complete(one.problem, one.low), high=complete(one.problem, one.high)) for one in found]

    def trials(self, parse: Callable[[Row], Parsed]) -> Iterator[Parsed]:
        """Yield the trials one by one, since there may be more than the memory holds."""
        budget = Budget(rows=_MOST_TRIALS, text=math.inf)
        return self._valid("trials", self._database.each("all_trials", {}, budget), parse)

    def trial_groups(self, parse: Callable[[Row], Parsed]) -> Iterator[Parsed]:
        """Yield groups of trials, the rows of trial_groups.sql."""
        budget = Budget(rows=_MOST_TRIALS, text=math.inf)
        return self._valid("trials", self._database.each("trial_groups", {}, budget), parse)

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
                with self._times():
                    found = parse(self._joined(row))
            except (ValueError, TypeError) as error:
                self._reject(f"{name}: {error}"[:300])
            else:
                yield found

    def _joined(self, row: Row) -> Row:
        """Return the row with its problem and the columns of the rows that it refers to; its own take precedence."""
        joined: dict[str, Any] = {}
        for name, by_id in self._referred.items():
            if (found := by_id.get(row[f"{name}_id"])) is None:
                raise ValueError(f"there is no {name} {row[f'{name}_id']!r}")
            joined |= found
        return {**joined, **row, "problem": self._problem(row["problem_id"])}

    def _problem(self, problem_id: object) -> Problem:
        """Return the problem of an id; raise ValueError if no tuner may have written it.

        Each problem has one spelling, so that none is there twice.
        """
        if problem_id not in self._problems:
            try:
                self._problems[problem_id] = self._algorithms.problem(self._referred["problem"][problem_id])
            except (ValueError, TypeError) as error:
                self._problems[problem_id] = ValueError(str(error))
        found = self._problems[problem_id]
        if isinstance(found, ValueError):
            raise found
        return found


def _end(row: Row, n: str) -> tuple[object, ...]:
    """Return the key of the record at the end of a breakpoint whose N is in the column `n`."""
    return row["device_id"], row["problem_id"], row[n]


def _config(end: str, record: Row | None) -> Mapping[str, object]:
    return {f"{end}_{column}": record[column] if record else None for column in ("family", "config")}
