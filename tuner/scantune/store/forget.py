"""Removal of chosen rows from a database: records with their breakpoints, and trials."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scantune.model.algorithms import Algorithms
from scantune.model.breakpoint import Breakpoint
from scantune.model.device import Device
from scantune.model.problem import Problem
from scantune.model.record import Record, Run, key_of, timestamp
from scantune.store.archive import Archive
from scantune.store.contents import Contents
from scantune.store.database import Database

_GROUP = ("device_id", "problem_id", "run_id", "n", "family", "finished_at", "trials")


@dataclass(frozen=True)
class Entry:
    """The properties by which a record or a group of trials is chosen."""

    device: Device
    problem: Problem
    n: int
    family: str
    finished_at: str
    run: Run

    @classmethod
    def of_record(cls, record: Record) -> Entry:
        return cls(*record.key, record.config.family, record.finished_at, record.run)

    @classmethod
    def of_trials(cls, row: Mapping[str, Any]) -> Entry:
        """Read a row of trial_groups.sql; raise ValueError if a column that counts here is not valid."""
        return cls(*key_of(row), str(row["family"]), timestamp(row["finished_at"]), Run.from_row(row))


@dataclass(frozen=True)
class Chosen:
    records: Sequence[Record]
    breakpoints: Sequence[Breakpoint]  # those with one of the records at an end
    groups: Sequence[Mapping[str, Any]]  # rows of trial_groups.sql
    unread: int  # rows that are not valid, so that it cannot be told whether they are meant

    @property
    def trials(self) -> int:
        return sum(group["trials"] for group in self.groups)


def chosen(database: Database, admits: Callable[[Entry], bool], algorithms: Algorithms) -> Chosen:
    """Return the rows that are admitted."""
    unread: list[str] = []
    with database.snapshot():
        contents = Contents(database, unread.append, algorithms, trusts_times=True)
        records = [record for record in contents.records() if admits(Entry.of_record(record))]
        keys = {record.key for record in records}
        breakpoints = [
            found
            for found in contents.breakpoints()
            if not keys.isdisjoint((found.device, found.problem, n) for n in (found.n_low, found.n_high))
        ]
        groups = contents.trial_groups(lambda row: (Entry.of_trials(row), row))
        admitted = [{name: row[name] for name in _GROUP} for entry, row in groups if admits(entry)]
    return Chosen(records, breakpoints, admitted, len(unread))


def forget(database: Database, admits: Callable[[Entry], bool], algorithms: Algorithms) -> Chosen:
    """Drop the rows that are admitted, in one transaction, and return them."""
    archive = Archive(database, algorithms)
    with database.transaction():
        found = chosen(database, admits, algorithms)
        for record in found.records:
            archive.drop_record(record)
        for group in found.groups:
            database.run("drop_trials", group)
    return found


def forget_everything(database: Database) -> Mapping[str, int]:
    """Drop every record, breakpoint and trial, valid or not; return how many there were of each."""
    with database.transaction():
        counts = count_rows(database)
        for table in ("breakpoints", "records", "trials"):
            database.run(f"drop_all_{table}", {})
    return counts


def count_rows(database: Database) -> Mapping[str, int]:
    """Return how many records, breakpoints and trials there are, valid or not."""
    (row,) = database.rows("count_rows")
    return row
