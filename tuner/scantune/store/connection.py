"""Connections to SQLite files that may come from anyone: how SQLite is restricted before it reads one.

All of it works in Python 3.10: pragmas, functions of the connection in place of SQLite's own, and text_factory.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from scantune.errors import ScantuneError
from scantune.input_files import opened

Connection = sqlite3.Connection

BUSY_TIMEOUT_S = 30.0
_HEAP_BYTES = 64 * 2**20  # limit to what SQLite holds in this process: a longer value is an error, not a full memory
_HARDENING = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", f"hard_heap_limit = {_HEAP_BYTES}")
# Loading a schema of ours takes some hundred steps of SQLite's machine. Pages that refer to each other would make it
# endless.
_SCHEMA_STEPS = 5000
_LOG_PLACE = 18  # offset in the header of a byte that is 2 where readers must know of a log
_SIDE_FILES = ("-journal", "-wal", "-shm")
# What a journal ends with that names a super-journal: SQLite deletes the file of that name once it has rolled back.
# Tuners change one file at a time, so none of theirs has a name.
_NAMES_A_FILE = bytes.fromhex("d9d505f920a163d7")

TOO_LONG = "it holds a value longer than any that a tuner writes; use another file"

# Messages of SQLite, and what they mean to the reader. Python 3.10 has no error codes, so messages have to serve.
_ADVICE = {
    "locked": "another process has held it for too long; end that process, or run again later",
    "readonly": "it cannot be written; check its permissions and its directory's, or choose another with --db",
    "read-only": "it cannot be written; check its permissions and its directory's, or choose another with --db",
    "locking protocol": "its file system does not lock it as SQLite needs; keep it on a local disk",
    "full": "the disk is full; what was saved before is safe. Free some space and run again to resume",
    "disk i/o error": "the disk failed to read or write; what was saved before is safe. Check space and permissions",
    "not a database": "it is not an SQLite database; move it away, or choose another with --db",
    "malformed database schema": "its schema is damaged, or runs functions as no tuner's does; use another file",
    "malformed": "it is damaged; move it away and tune again, or import an earlier export into a new one",
    "interrupted": "reading it takes longer than its size explains, so no tuner wrote it; use another file",
    "too big": TOO_LONG,
    "unable to open": "it cannot be opened; check that its directory is there and writable, or choose another file",
}


class DatabaseError(ScantuneError):
    """The text names the file, what is wrong with it and what to do."""


@contextlib.contextmanager
def connected(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Yield a connection that runs nothing of what the file holds while its schema is loaded.

    The schema has to be checked within. The connection stays open unless that raises.
    """
    check_kind(path)
    with translated(path), contextlib.closing(_connection(path, mode)) as scout:
        _let_no_function_run(scout)
        scout.set_progress_handler(lambda: True, _SCHEMA_STEPS)
        scout.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        connection = _connection(path, mode)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise


def check_kind(path: Path) -> os.stat_result | None:
    """Return the file's status, None if there is no file.

    Raises DatabaseError if it or a side file is not a regular file, or if SQLite would roll back a journal of somebody
    else's, or one that makes it delete another file.
    """
    status = _status(path)
    if status and not stat.S_ISREG(status.st_mode):
        raise DatabaseError(f"{path}: not a regular file; choose another with --db")
    for side in side_files(path):
        # Links are not followed here: SQLite makes these files itself, and none of them is a link.
        found = _status(side, follow=False)
        if found and not stat.S_ISREG(found.st_mode):
            raise DatabaseError(
                f"{path}: {side.name} beside it is not a regular file, and SQLite would open it; remove it"
            )
        if found and found.st_size > 0 and status and side.name.endswith(_SIDE_FILES[0]):
            _check_journal(path, status, side, found.st_uid)
    return status


def _check_journal(path: Path, database: os.stat_result, journal: Path, owner: int) -> None:
    is_shared = database.st_mode & (stat.S_IWGRP | stat.S_IWOTH) != 0  # whoever writes it needs no journal for that
    if not is_shared and owner not in (os.geteuid(), 0, database.st_uid):
        raise DatabaseError(
            f"{path}: {journal.name} beside it belongs to user {owner}, who may not write the database, and "
            "SQLite would apply it; use another file"
        )
    try:
        with opened(journal) as file:
            file.seek(max(file.seek(0, os.SEEK_END) - len(_NAMES_A_FILE), 0))
            names_a_file = file.read() == _NAMES_A_FILE
    except FileNotFoundError:
        return  # its transaction has ended
    except OSError as error:
        raise DatabaseError(f"{path}: {journal.name} beside it cannot be read: {error.strerror}") from None
    if names_a_file:
        raise DatabaseError(
            f"{path}: {journal.name} beside it names another file, which SQLite would delete, so no tuner wrote it; "
            "remove both, or use another file"
        )


def side_files(path: Path) -> Sequence[Path]:
    """Return the paths of the journal, the log and the index of the log that SQLite keeps beside a file."""
    real = path.resolve()
    return [real.with_name(real.name + suffix) for suffix in _SIDE_FILES]


def content_beside(path: Path) -> list[str]:
    """Return which of "-journal" and "-wal" are not empty: they hold changes that the file itself may lack."""
    sizes = {side.name.removeprefix(path.resolve().name): _status(side) for side in side_files(path)}
    return [suffix for suffix in _SIDE_FILES[:2] if (found := sizes[suffix]) and found.st_size > 0]


def is_kept_with_log(path: Path) -> bool:
    """Return whether a database is written by way of a log, as its header says."""
    try:
        with opened(path) as file:
            return file.read(_LOG_PLACE + 1)[_LOG_PLACE:] == b"\2"
    except OSError:
        return False


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into DatabaseError."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error).lower()
        advice = next((advice for word, advice in _ADVICE.items() if word in text), None)
        raise DatabaseError(f"{path}: {advice} ({error})" if advice else f"{path}: {error}") from None
    except UnicodeDecodeError:
        # SQLite's message quotes what the file holds, which is not UTF-8, so Python cannot decode it.
        raise DatabaseError(f"{path}: it is damaged, or was forged; use another file") from None
    except MemoryError:
        raise DatabaseError(f"{path}: {TOO_LONG}") from None


def statements(script: str) -> Sequence[str]:
    """Return the statements of a script: sqlite3.executescript would commit it piece by piece."""
    parts, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            parts.append(current)
            current = ""
    return parts


def _connection(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    for setting in _HARDENING:
        connection.execute(f"PRAGMA {setting}")
    connection.text_factory = _text
    return connection


def _let_no_function_run(connection: sqlite3.Connection) -> None:
    """Put a refusal in place of every function, so that a schema with a function in it does not load.

    One in a generated column of sqlite_stat1 would run while SQLite loads the schema, before anything can be checked,
    and could not be interrupted.
    """
    for name, *_, arguments, _ in connection.execute("PRAGMA function_list").fetchall():
        connection.create_function(name, arguments, _refuse)


def _refuse(*_: object) -> NoReturn:
    raise ValueError("no function may run while a schema is loaded")


def _text(value: bytes) -> str | bytes:
    """Return text, or bytes where it is not UTF-8. No column takes bytes, so only the row is lost and not the file."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _status(path: Path, follow: bool = True) -> os.stat_result | None:
    try:
        return path.stat() if follow else path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DatabaseError(f"{path}: it cannot be reached: {error.strerror}; choose another file") from None
