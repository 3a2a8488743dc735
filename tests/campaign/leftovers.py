"""Checks of a database and a folder after a kill: nothing is lost, changed or half written."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = tuple[Any, ...]

_BY_CHANCE = ("crash", "timeout")  # a later run tries these once more

# Queries of the columns that identify a row; for a trial also of the others, which never change.
_TRIALS = """
SELECT device.arch, device.name, device.sm_count, problem.algorithm, problem.request, problem.shape, trial.n,
       trial.family, trial.config, trial.template_hash, trial.status, trial.reason, trial.is_default, trial.median_us,
       trial.spread, trial.samples, trial.finished_at
FROM trial JOIN device ON device.id = trial.device_id JOIN problem ON problem.id = trial.problem_id
"""
_KEY_COLUMNS = 10
_STATUS_COLUMN = 10
_RECORDS = """
SELECT device.arch, device.name, device.sm_count, problem.algorithm, problem.request, problem.shape, record.n
FROM record JOIN device ON device.id = record.device_id JOIN problem ON problem.id = record.problem_id
"""


@dataclass(frozen=True)
class Contents:
    """The content of a database, by the columns that identify its rows."""

    trials: Mapping[Row, Row]
    records: frozenset[Row]

    @classmethod
    def of(cls, database: Path) -> Contents:
        """Read a file. An absent one holds nothing, nor does one whose tables were never made."""
        if not database.exists():
            return cls({}, frozenset())
        with closing(sqlite3.connect(database)) as connection:
            if not connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'record'").fetchone()[0]:
                return cls({}, frozenset())
            trials = {row[:_KEY_COLUMNS]: row for row in connection.execute(_TRIALS)}
            return cls(trials, frozenset(connection.execute(_RECORDS)))

    def lost_in(self, later: Contents) -> list[str]:
        """Return the rows that are missing in the later content, or changed."""
        wrong = [f"the record {row} is lost" for row in self.records - later.records]
        for key, row in self.trials.items():
            now = later.trials.get(key)
            if now == row or row[_STATUS_COLUMN] in _BY_CHANCE:
                continue
            if now is None:
                wrong.append(f"the trial {row} is lost")
            # A worker that is killed while it verifies a finalist leaves a crash in place of the time.
            elif now[_STATUS_COLUMN] not in _BY_CHANCE:
                wrong.append(f"the trial {row} has become {now}")
        return wrong


def damage_of(database: Path) -> list[str]:
    """Return what SQLite finds wrong with a file; nothing if it is absent."""
    if not database.exists():
        return []
    try:
        with closing(sqlite3.connect(database)) as connection:
            (integrity,) = connection.execute("PRAGMA integrity_check").fetchone()
            wrong = [] if integrity == "ok" else [f"{database.name}: {integrity}"]
            orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.Error as error:
        return [f"{database.name}: {error}"]
    return wrong + [f"{database.name}: {row} refers to no row" for row in orphans]


def strangers_in(folder: Path, expected: set[str]) -> list[str]:
    """Return the files of a folder that no command promised."""
    return [f"{path} was left over" for path in sorted(folder.iterdir()) if path.name not in expected]
