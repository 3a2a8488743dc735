"""Files that are given for a storage of studies: Optuna appends to any file, and adds its tables to any database."""

from __future__ import annotations

import json
import re
from pathlib import Path

from scantune.errors import UsageError
from scantune.input_files import opened
from scantune.store.connection import DatabaseError, connected
from scantune.store.schema import APPLICATION_ID

_SQLITE = re.compile(r"sqlite(?:\+\w+)?:///(?:file:)?(?P<path>[^?]+)")
_SQLITE_MAGIC = b"SQLite format 3\0"
_MOST_LINE = 2**16  # bytes; the first line of a journal names a study


def check_file_of(url: str) -> None:
    """Raise UsageError if a storage would be written into a file that is something else.

    Of databases tuning databases alone are refused: whoever names another one by its URL may want all in one.
    """
    if found := _SQLITE.match(url):
        if _is_tuning_database(Path(found["path"])):
            raise UsageError(f"--storage {url} is a tuning database, which cannot hold studies: name another file")
    elif "://" not in url:
        try:
            other = _other_than_journal(Path(url))
        except OSError as error:
            raise UsageError(f"--storage {url} cannot be opened: {error.strerror}") from None
        if other:
            raise UsageError(f"--storage {url} is not a journal of Optuna, but {other}")


def _other_than_journal(path: Path) -> str | None:
    """Return what a file is that Optuna should append nothing to; None if it may, or makes the file. Raises OSError."""
    try:
        with opened(path) as file:
            line = file.readline(_MOST_LINE)
    except FileNotFoundError:
        return None
    if line.startswith(_SQLITE_MAGIC):
        if _is_tuning_database(path):
            return "a tuning database: name another file"
        return f"an SQLite database, whose URL is sqlite:///{path}"
    try:
        is_journal = not line or "op_code" in dict(json.loads(line))
    except (ValueError, TypeError, RecursionError):
        is_journal = False
    return None if is_journal else "a file of something else: name another one"


def _is_tuning_database(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with connected(path, "ro") as connection:
            found = connection.execute("PRAGMA application_id").fetchone()[0]
            connection.close()
            return bool(found == APPLICATION_ID)
    except DatabaseError:
        return False  # Optuna says what is wrong with it
