"""Opens tuning databases, and says what is wrong with those it cannot open. The only file that imports sqlite3."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scantune import paths
from scantune.errors import ScantuneError

APPLICATION_ID = 0x73636E74  # "scnt"
SCHEMA_VERSION = 2
TABLES = ("device", "problem", "run", "trial", "record")  # since version 1
_SINCE_VERSION_2 = ("breakpoint",)
BUSY_TIMEOUT_S = 30.0

# A file of a stranger may take so many steps to read: one of ours takes a few for each byte.
_FREE_STEPS = 10_000_000
_STEPS_PER_BYTE = 100
_STEPS_PER_TICK = 10_000
_MAX_VALUE_BYTES = 2**20

Row = Mapping[str, Any]
Parameters = Mapping[str, object]

# SQLite's words, and what they mean to the reader. Python 3.10 has no error codes, so the words must do.
_ADVICE = {
    "locked": "another process has held it for too long; end that process, or run again later",
    "readonly": "it cannot be written; check its permissions and its directory's, or choose another with --db",
    "read-only": "it cannot be written; check its permissions and its directory's, or choose another with --db",
    "full": "the disk is full; what was saved before is safe. Free some space and run again to resume",
    "disk i/o error": "the disk failed to read or write; what was saved before is safe. Check space and permissions",
    "not a database": "it is not an SQLite database; move it away, or choose another with --db",
    "malformed": "it is damaged; move it away and tune again, or import an earlier export into a new one",
    "interrupted": "reading it takes longer than its size explains, so no tuner wrote it; use another file",
    "too big": "it holds a value longer than any that a tuner writes; use another file",
    "unable to open": "it cannot be opened; check that its directory is there and writable, or choose another file",
}


class DatabaseError(ScantuneError):
    """The text names the file, what is wrong with it and what to do."""


class Database:
    """One connection to one file. Every failure is a DatabaseError."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._version = SCHEMA_VERSION
        connection.row_factory = sqlite3.Row

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def rows(self, query: str, parameters: Parameters | None = None) -> list[Row]:
        """Return the rows of a query of db/queries, named without .sql."""
        as_of_now = sql("version_1_as_now") if self._version == 1 else ""
        with self.failures():
            return [dict(row) for row in self._connection.execute(as_of_now + sql(query), dict(parameters or {}))]

    def run(self, query: str, parameters: Parameters) -> int:
        """Execute a statement of db/queries; return the number of rows it changed."""
        with self.failures():
            # Not the cursor's rowcount: Python 3.10 has none for a statement that begins with a comment.
            before = self._connection.total_changes
            self._connection.execute(sql(query), dict(parameters))
            return self._connection.total_changes - before

    def insert(self, query: str, parameters: Parameters) -> int:
        """Execute an INSERT of db/queries that always adds a row; return the row's id."""
        with self.failures():
            return int(self._connection.execute(sql(query), dict(parameters)).lastrowid or 0)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything within is written, or nothing."""
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
        """Find out before hours of work, not after, that nothing can be saved."""
        with self.transaction(), self.failures():
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def check_pages(self) -> None:
        """Read the whole file; raise if it is damaged."""
        with self.failures():
            findings = [str(row[0]) for row in self._connection.execute("PRAGMA quick_check(3)")]
        if findings != ["ok"]:
            raise DatabaseError(f"{self.path}: it is damaged: {'; '.join(findings)[:300]}")

    def check_schema(self) -> None:
        """Raise unless this is a database of ours, of a version that we know."""
        with self.failures():
            application_id = self._connection.execute("PRAGMA application_id").fetchone()[0]
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            # Neither a view nor a virtual table has a root page; reading one would run a stranger's query or a module.
            tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
            found = {row[0] for row in self._connection.execute(tables)}
        if application_id != APPLICATION_ID:
            raise DatabaseError(f"{self.path}: this is another program's database; choose another file with --db")
        if version > SCHEMA_VERSION:
            raise DatabaseError(
                f"{self.path}: its schema is version {version}, this scantune knows up to {SCHEMA_VERSION}; "
                "update scantune, or choose another file with --db"
            )
        self._version = version
        wanted = TABLES if version == 1 else TABLES + _SINCE_VERSION_2
        missing = [table for table in wanted if table not in found]
        if missing:
            raise DatabaseError(
                f"{self.path}: it has no table {', '.join(missing)}: not a tuning database, or a damaged one"
            )

    def vacuum_into(self, path: Path) -> None:
        """Write a compact copy of the database, as one file."""
        with self.failures():
            self._connection.execute("VACUUM INTO ?", (str(path),))

    @contextlib.contextmanager
    def failures(self) -> Iterator[None]:
        """Turn SQLite's errors into DatabaseError."""
        with _translated(self.path):
            yield

    def _limit(self, steps: int) -> None:
        """Interrupt what takes more steps of SQLite's machine, all together, or meets a value longer than ours."""
        ticks = iter(range(steps // _STEPS_PER_TICK))
        self._connection.set_progress_handler(lambda: next(ticks, None) is None, _STEPS_PER_TICK)
        if sys.version_info >= (3, 11):
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)

    def _create(self) -> None:
        """Lay the schema into an empty file; a second creator finds it done."""
        with self.transaction(), self.failures():
            if self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
                for statement in statements(sql("schema")):
                    self._connection.execute(statement)

    def _upgrade(self) -> None:
        """Bring a file of version 1 to the current schema, whole or not at all."""
        with self.failures():
            # A table that is renamed takes the references to it along, unless told to leave them to its successor.
            self._connection.execute("PRAGMA legacy_alter_table = ON")
        with self.transaction(), self.failures():
            # Another process may have been first.
            if self._connection.execute("PRAGMA user_version").fetchone()[0] == 1:
                self._connection.execute(sql("version_1_aside"))
                for statement in _making({"problem", *_SINCE_VERSION_2}):
                    self._connection.execute(statement)
                self._connection.execute(sql("version_1_taken_over"))
                self._connection.execute(sql("version_1_dropped"))
                self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        with self.failures():
            self._connection.execute("PRAGMA legacy_alter_table = OFF")

    def _switch_to_wal(self) -> None:
        """Keep a write-ahead log. SQLite refuses at once while a second creator holds the file, so wait here."""
        deadline = time.monotonic() + BUSY_TIMEOUT_S
        with self.failures():
            while True:
                try:
                    self._connection.execute("PRAGMA journal_mode = WAL")
                    return
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() > deadline:
                        raise
                    time.sleep(0.01)

    def _is_empty(self) -> bool:
        with self.failures():
            tables = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            application_id = self._connection.execute("PRAGMA application_id").fetchone()[0]
        return bool(tables == 0 and application_id == 0)


def open_database(path: Path) -> Database:
    """Open a database for reading and writing; create it, and its directory, if it is not there.

    One of an older schema is brought to the current one, with all that it holds.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseError(
            f"{path}: its directory cannot be made: {error.strerror}; choose another with --db"
        ) from None
    database = Database(path, _connect(path, "rwc"))
    try:
        if database._is_empty():
            database._switch_to_wal()
            database._create()
        database.check_schema()
        if database._version < SCHEMA_VERSION:
            database._upgrade()
            database.check_schema()
        with database.failures():
            database._connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        database.close()
        raise
    return database


def open_readonly(path: Path, foreign: bool = False) -> Database:
    """Open an existing database for reading; nothing beside it is written if its directory forbids it.

    With foreign, a file made to take for ever or to fill the memory ends in a DatabaseError too.
    """
    if not path.is_file():
        raise DatabaseError(f"{path}: there is no such database; 'scantune' makes one by tuning")
    last: DatabaseError | None = None
    # A WAL database in a read-only directory can be read only when declared immutable: nobody can write it there.
    for mode in ("ro", "ro&immutable=1"):
        database = Database(path, _connect(path, mode))
        try:
            with database.failures():
                database._connection.execute("PRAGMA trusted_schema = OFF")
            if foreign:
                database._limit(_FREE_STEPS + _STEPS_PER_BYTE * path.stat().st_size)
            database.check_schema()
            return database
        except DatabaseError as error:
            database.close()
            last = last or error
            wal = path.with_name(path.name + "-wal")
            if "cannot be" not in str(error) or (wal.exists() and wal.stat().st_size > 0):
                break
    assert last
    raise last


@cache
def sql(name: str) -> str:
    """Return the text of db/<name>.sql or db/queries/<name>.sql."""
    directory = paths.sql_directory()
    path = directory / f"{name}.sql" if name == "schema" else directory / "queries" / f"{name}.sql"
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScantuneError(
            f"{path}: {error.strerror}; the installation is incomplete, install scantune again"
        ) from None


def statements(script: str) -> Sequence[str]:
    """Split a script, which sqlite3.executescript would commit piece by piece."""
    parts, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            parts.append(current)
            current = ""
    return parts


def _making(tables: set[str]) -> list[str]:
    """Return the statements of the schema that make just these tables."""
    by_table = {
        found[1]: statement
        for statement in statements(sql("schema"))
        if (found := re.search(r"^CREATE TABLE (\w+)", statement, re.MULTILINE))
    }
    if missing := tables - by_table.keys():
        raise ScantuneError(
            f"schema.sql makes no table {', '.join(sorted(missing))}; the installation is incomplete, install scantune "
            "again"
        )
    return [by_table[table] for table in sorted(tables)]


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    with _translated(path):
        return sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        text = str(error).lower()
        advice = next((advice for word, advice in _ADVICE.items() if word in text), None)
        raise DatabaseError(f"{path}: {advice} ({error})" if advice else f"{path}: {error}") from None
