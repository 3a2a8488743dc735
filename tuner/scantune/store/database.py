"""Tuning databases: opened, checked to be ones of this project, and brought up to date where they are old."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scantune.store import schema
from scantune.store.budget import Budget
from scantune.store.carrying import carry
from scantune.store.connection import (
    BUSY_TIMEOUT_S,
    check_kind,
    connected,
    content_beside,
    is_kept_with_log,
    translated,
)
from scantune.store.connection import DatabaseError as DatabaseError  # callers import it from here
from scantune.store.file_system import broken_locks, network_file_system
from scantune.store.schema import LAST_WITH_MEMBERS, SCHEMA_VERSION, sql
from scantune.store.version_2 import problem_of_columns

# SQLite may take so long over a file in all: some seconds, and more by the file's size. The slowest disk is faster.
_FREE_S = 5.0
_BYTES_PER_S = 2**21
_STEPS_PER_LOOK = 10_000  # steps of SQLite's machine between looks at the clock
_ROWS_AT_ONCE = 1000
_READERS_MS = 1000  # how long the log of a rewritten file waits for readers
_FREE = ("freelist_count", "page_size")

Row = Mapping[str, Any]
Parameters = Mapping[str, object]


class Database:
    """One connection to one file. Every failure is a DatabaseError."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._version = SCHEMA_VERSION
        self._seconds_left = self._deadline = math.inf
        connection.row_factory = sqlite3.Row

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def version(self) -> int:
        """The version of the file's schema."""
        return self._version

    def close(self) -> None:
        self._connection.close()

    def rows(self, query: str, parameters: Parameters | None = None) -> list[Row]:
        """Return the rows of a query of db/queries, named without .sql."""
        return list(self.each(query, parameters, Budget()))

    def each(self, query: str, parameters: Parameters | None, budget: Budget) -> Iterator[Row]:
        """Yield the rows of a query, as long as the budget lasts; then raise."""
        with self.failures():
            cursor = self._connection.execute(schema.as_now(self._version) + sql(query), dict(parameters or {}))
        while batch := self._fetched(cursor):
            for row in batch:
                if excess := budget.excess_after(row):
                    raise DatabaseError(f"{self.path}: {excess}")
                yield dict(row)

    def problems(self, budget: Budget) -> Iterator[Row]:
        """Yield the rows of problems; those of older files are converted to the current columns."""
        if self._version > LAST_WITH_MEMBERS:
            return self.each("all_problems", {}, budget)
        return map(problem_of_columns, self.each("version_2_problems", {}, budget))

    def _fetched(self, cursor: sqlite3.Cursor) -> list[sqlite3.Row]:
        with self.failures():
            return cursor.fetchmany(_ROWS_AT_ONCE)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read everything within from the state of one moment."""
        if self._connection.in_transaction:
            yield
            return
        with self.failures():
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("COMMIT")

    def run(self, query: str, parameters: Parameters) -> int:
        """Execute a statement of db/queries; return the number of rows it changed."""
        with self.failures():
            # The cursor's rowcount is of no use: Python 3.10 does not set it for a statement that begins with a
            # comment.
            before = self._connection.total_changes
            self._connection.execute(sql(query), dict(parameters))
            return self._connection.total_changes - before

    def insert(self, query: str, parameters: Parameters) -> int:
        """Execute an INSERT of db/queries that always adds a row; return the row's id."""
        with self.failures():
            return int(self._connection.execute(sql(query), dict(parameters)).lastrowid or 0)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything within, or nothing. A transaction within another is part of it."""
        if self._connection.in_transaction:
            yield
            return
        with self.failures():
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            with self.failures():
                self._connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def check_writable(self) -> None:
        """Raise if nothing can be saved, so that this is known before hours of work and not after."""
        with self.transaction(), self.failures():
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def check_pages(self) -> None:
        """Read the whole file; raise if it is damaged."""
        with self.failures():
            findings = [str(row[0]) for row in self._connection.execute("PRAGMA quick_check(3)")]
        if findings != ["ok"]:
            raise DatabaseError(f"{self.path}: it is damaged: {'; '.join(findings)[:300]}")

    def check_schema(self) -> None:
        """Raise unless this is a database of this project, of a known version."""
        with self.failures():
            self._version = schema.known_version(self.path, self._connection)

    def vacuum_into(self, path: Path, target: Path) -> None:
        """Write a compact copy of the database to `path`, as one file, which errors call `target`."""
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")
        with self.failures():
            try:
                self._connection.execute("VACUUM INTO ?", (str(path),))
            except sqlite3.OperationalError as error:
                if "full" not in str(error):
                    raise
                raise DatabaseError(
                    f"{target}: the disk is full, and nothing was written; free some space, or choose another place"
                ) from None

    def vacuum(self) -> None:
        """Rewrite the file without gaps, and empty its log unless somebody reads it for longer than a second."""
        with self.failures():
            self._connection.execute("VACUUM")
            self._connection.execute(f"PRAGMA busy_timeout = {_READERS_MS}")
            try:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                self._connection.execute(f"PRAGMA busy_timeout = {1000 * BUSY_TIMEOUT_S:.0f}")

    def free_bytes(self) -> int:
        """Return how much of the file holds nothing."""
        with self.failures():
            pages, size = (self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _FREE)
        return int(pages * size)

    @contextlib.contextmanager
    def failures(self) -> Iterator[None]:
        """Turn SQLite's errors into DatabaseError, and take the time spent within off what is left for the file."""
        self._deadline = time.monotonic() + self._seconds_left
        try:
            with translated(self.path):
                yield
        finally:
            self._seconds_left = self._deadline - time.monotonic()

    def _limit(self, seconds: float) -> None:
        """Interrupt SQLite once it has taken so many seconds; what its callers do between rows does not count."""
        self._seconds_left = seconds
        self._connection.set_progress_handler(lambda: time.monotonic() > self._deadline, _STEPS_PER_LOOK)

    def _lift_limit(self) -> None:
        self._seconds_left = math.inf
        self._connection.set_progress_handler(None, 0)

    def _create(self) -> None:
        """Create the schema in an empty file, unless another process has done so."""
        with self.transaction(), self.failures():
            if schema.is_empty(self._connection):
                schema.create(self._connection)

    def _upgrade(self) -> None:
        """Bring an older file to the current schema in one transaction."""
        with self.failures():
            # Without this, references to a renamed table would follow it; they are to name its successor.
            self._connection.execute("PRAGMA legacy_alter_table = ON")
        with self.transaction(), self.failures():
            # Another process may have been first.
            self._version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if self._version < SCHEMA_VERSION:
                problems = list(self.problems(Budget()))
                schema.upgrade(self._connection, self._version, problems)
        with self.failures():
            self._connection.execute("PRAGMA legacy_alter_table = OFF")

    def _choose_journal(self) -> None:
        """Keep a write-ahead log, or a journal where machines share the file.

        The index of a log is memory of one machine. SQLite refuses at once while another process creates the file, so
        this waits.
        """
        kind = "DELETE" if network_file_system(self.path) else "WAL"
        deadline = time.monotonic() + BUSY_TIMEOUT_S
        with self.failures():
            while True:
                try:
                    self._connection.execute(f"PRAGMA journal_mode = {kind}")
                    return
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() > deadline:
                        raise
                    time.sleep(0.01)

    def _check(self, foreign: bool) -> None:
        """Raise unless the file is one of this project and, where others may have written it, undamaged.

        The time that this may take is limited.
        """
        status = check_kind(self.path)
        self._limit(_FREE_S + (status.st_size if status else 0) / _BYTES_PER_S)
        self.check_schema()
        if foreign or (status and _may_be_of_others(status)):
            self.check_pages()


def open_database(path: Path) -> Database:
    """Open a database for reading and writing; create it, and its directory, if it is not there.

    One of an older schema is brought to the current one, with all that it holds, and template hashes of before to those
    of now. A change of it that was interrupted is rolled back. Raises DatabaseError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseError(
            f"{path}: its directory cannot be created: {error.strerror}; choose another with --db"
        ) from None
    if fault := broken_locks(path.resolve().parent):
        raise DatabaseError(
            f"{path}: {fault}, so concurrent tuners would damage it; keep the database on a local disk "
            "(--db or SCANTUNE_DB) and export it to this place"
        )
    with connected(path, "rwc") as connection:
        database = Database(path, connection)
        with database.failures():
            is_empty = schema.is_empty(connection)
        if is_empty:
            database._choose_journal()
            database._create()
        database._check(foreign=False)
        database._lift_limit()
        if database._version < SCHEMA_VERSION:
            database._upgrade()
            database.check_schema()
        with database.failures():
            connection.execute("PRAGMA foreign_keys = ON")
        carry(database)
    try:
        database._choose_journal()  # a log can be given up only while nobody else has the file open
    except BaseException:
        database.close()
        raise
    return database


def open_readonly(path: Path, foreign: bool = False) -> Database:
    """Open an existing database for reading the state of one moment.

    With `foreign`, or where others may have written to it, all of its pages are checked first. A file that is made to
    take for ever or to fill the memory ends in a DatabaseError in any case. A file that nobody changes can be read also
    where it cannot be locked, or where nothing can be written beside it.
    """
    if check_kind(path) is None:
        raise DatabaseError(f"{path}: no such database; 'scantune' creates one by tuning")
    is_shared = network_file_system(path) is not None
    if is_shared:
        fault = broken_locks(path.resolve().parent)
        if fault and content_beside(path):
            raise DatabaseError(
                f"{path}: {fault}, and a tuner is changing it, or was interrupted; read it when no tuner "
                "runs, or keep it on a local disk"
            )
        # SQLite would make the files of a log to read one that is not there.
        if fault or (is_kept_with_log(path) and not content_beside(path)):
            return _opened(path, "ro&immutable=1", foreign=True)
    try:
        return _opened(path, "ro&readonly_shm=1" if is_shared else "ro", foreign)
    except DatabaseError as error:
        if "cannot be" not in str(error):
            raise
        beside = content_beside(path)
        if "-journal" in beside:
            raise DatabaseError(
                f"{path}: an interrupted write left it incomplete: 'scantune doctor --db "
                f"{shlex.quote(str(path))}' repairs it, if it and its directory are writable"
            ) from None
        if beside:
            raise
    # A WAL database in a read-only directory can be read only when declared immutable: nobody can write it there.
    return _opened(path, "ro&immutable=1", foreign)


def _opened(path: Path, mode: str, foreign: bool) -> Database:
    with connected(path, mode) as connection:
        database = Database(path, connection)
        with database.failures():
            connection.execute("BEGIN")
            # This fixes the moment. It also waits for a lock before the time begins to count.
            connection.execute("PRAGMA user_version").fetchone()
        database._check(foreign)
    return database


def _may_be_of_others(status: os.stat_result) -> bool:
    """Return whether another user may have written to the file, by the same rule as in the library."""
    return status.st_uid != os.geteuid() or bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
