"""The schema of tuning databases: its text, and which version of it a file has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from scantune import paths
from scantune.errors import ScantuneError
from scantune.store.connection import Connection, DatabaseError, statements

APPLICATION_ID = 0x73636E74  # "scnt"
SCHEMA_VERSION = 4
TABLES = ("device", "problem", "run", "trial", "record")  # tables that every version has
_SINCE_VERSION_2 = ("breakpoint",)
LAST_WITH_MEMBERS = 2  # the last version in which a problem has a column for each member of its request


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


def is_empty(connection: Connection) -> bool:
    """Return whether a file holds nothing, of no program."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    application_id = connection.execute("PRAGMA application_id").fetchone()[0]
    return bool(tables == 0 and application_id == 0)


def create(connection: Connection) -> None:
    """Create the schema in an empty file."""
    for statement in statements(sql("schema")):
        connection.execute(statement)


def known_version(path: Path, connection: Connection) -> int:
    """Return the version of a file's schema; raise unless this is a database of this project, of a known version."""
    application_id = connection.execute("PRAGMA application_id").fetchone()[0]
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    refused = connection.execute(sql("refused_schema")).fetchone()
    found = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if application_id != APPLICATION_ID:
        raise DatabaseError(f"{path}: this is another program's database; choose another file with --db")
    if version > SCHEMA_VERSION:
        raise DatabaseError(
            f"{path}: its schema is version {version}, and this scantune knows versions up to "
            f"{SCHEMA_VERSION}; update scantune, or choose another file with --db"
        )
    if refused:
        kind, name = map(str, refused)
        raise DatabaseError(
            f"{path}: its schema has a {kind} that no tuner creates, {name[:60]!r}, which could run "
            "anything; use another file"
        )
    wanted = TABLES if version == 1 else TABLES + _SINCE_VERSION_2
    missing = [table for table in wanted if table not in found]
    if missing:
        raise DatabaseError(f"{path}: it has no table {', '.join(missing)}: not a tuning database, or a damaged one")
    return version


def as_now(version: int) -> str:
    """Return what precedes a query of a file of a known version, and makes its tables those of the current schema."""
    if version >= SCHEMA_VERSION:
        return ""
    return sql("version_1_as_now" if version == 1 else "version_3_as_now")


def upgrade(connection: Connection, version: int, problems: Iterable[Mapping[str, Any]]) -> None:
    """Bring a file of an older version to the current schema. `problems` are its rows as they are now."""
    if version == 1:
        _make(connection, _SINCE_VERSION_2)
    if version <= LAST_WITH_MEMBERS:
        connection.execute(sql("version_2_aside"))
        _make(connection, ("problem",))
        connection.executemany(sql("version_2_taken_over"), problems)
        connection.execute(sql("version_2_dropped"))
    connection.execute(sql("version_3_aside"))
    _make(connection, ("record",))
    connection.execute(sql("version_3_taken_over"))
    connection.execute(sql("version_3_dropped"))
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _make(connection: Connection, tables: Iterable[str]) -> None:
    """Execute the statements of the schema that create these tables."""
    by_table = {
        found[1]: statement
        for statement in statements(sql("schema"))
        if (found := re.search(r"^CREATE TABLE (\w+)", statement, re.MULTILINE))
    }
    for table in tables:
        if table not in by_table:
            raise ScantuneError(
                f"schema.sql creates no table {table}; the installation is incomplete, install scantune again"
            )
        connection.execute(by_table[table])
