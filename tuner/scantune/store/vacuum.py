"""Removal of rows that nothing refers to, and of the space that they took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scantune.store.connection import side_files
from scantune.store.database import Database

_TABLES = ("runs", "problems", "devices")


@dataclass(frozen=True)
class Vacuumed:
    dropped: Mapping[str, int]  # runs, problems and devices that nothing refers to
    bytes_before: int  # size of the file and its log
    bytes_after: int


def vacuum(database: Database) -> Vacuumed:
    """Delete rows that nothing refers to, and rewrite the file without gaps. Readers are not disturbed."""
    before = _bytes_of(database)
    with database.transaction():
        dropped = unreferred(database)
        for table in _TABLES:
            database.run(f"drop_unreferred_{table}", {})
    database.vacuum()
    return Vacuumed(dropped, before, _bytes_of(database))


def vacuum_planned(database: Database) -> Vacuumed:
    """Return what vacuum() would do; it counts only the bytes that are free in the file now."""
    before = _bytes_of(database)
    return Vacuumed(unreferred(database), before, before - database.free_bytes())


def unreferred(database: Database) -> Mapping[str, int]:
    """Return how many rows nothing refers to, by table."""
    (row,) = database.rows("count_unreferred")
    return row


def _bytes_of(database: Database) -> int:
    _, log, _ = side_files(database.path)
    return sum(file.stat().st_size for file in (database.path, log) if file.exists())
