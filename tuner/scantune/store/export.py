"""Writes a database into files: whole, for other machines, or the winners alone, to come with the library."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from scantune.model.breakpoint import Breakpoint
from scantune.model.record import Record
from scantune.store.database import Database, DatabaseError

_PREFIX = ".scantune-export-"
_WRITTEN = "export"
_DAY_S = 24 * 3600


def export_database(database: Database, target: Path, overwrite: bool = False) -> None:
    """Write a compact copy, whole or not at all. Raises DatabaseError."""
    target = target.expanduser()
    with _replacement(target, overwrite) as copy:
        if target.exists() and target.samefile(database.path):
            raise DatabaseError(f"{target}: a database cannot be exported onto itself")
        database.vacuum_into(copy, target)


def export_built_in(
    records: Iterable[Record], breakpoints: Iterable[Breakpoint], target: Path, overwrite: bool = False
) -> list[Record]:
    """Write winners as the lines of db/builtin/records.jsonl, and return those written. Raises DatabaseError.

    Left out is what a library cannot come with: records of the host, which is another everywhere, and of operators that
    are a user's own.
    """
    chosen = sorted((record for record in records if _is_for_all(record)), key=_place)
    above = {(found.device, found.problem, found.n_low): found for found in breakpoints}
    lines = [built_in_line(record, above.get(record.key)) + "\n" for record in chosen]
    with _replacement(target.expanduser(), overwrite) as file:
        file.write_text("".join(lines), encoding="utf-8")
    return chosen


def built_in_line(record: Record, above: Breakpoint | None = None) -> str:
    """Return one line: the columns of the library's queries, load_*.sql, those of the breakpoint above it if there is
    one, and with what they were measured.
    """
    device, run = record.device, record.run
    problem = {name: text for name, text in record.problem.columns.items() if text}
    columns: dict[str, Any] = {
        "arch": device.arch, "device_name": device.name, "sm_count": device.sm_count, **problem, "n": record.n,
        "family": record.config.family, "config": record.config.text,
        "template_hash": run.template_hash,
        "median_us": _digits(record.median_us), "default_us": _digits(record.default_us),
        "finished_at": record.finished_at, "spread": _digits(record.spread), "ceiling_us": _digits(record.ceiling_us),
        "effort": run.effort.value, "tool_version": run.tool_version, "compiler_version": run.compiler_version,
        "driver_version": run.driver_version,
    }  # fmt: skip
    if above:
        columns |= {
            "next_n": above.n_high, "switch_n": above.n_switch, "switch_regret": _digits(above.regret),
            "switch_template_hash": above.run.template_hash,
        }  # fmt: skip
    return json.dumps(columns, separators=(",", ":"))


def _digits(value: float | None) -> float | None:
    """Return five digits, which is more than any clock knows."""
    return None if value is None else float(f"{value:.5g}")


def _is_for_all(record: Record) -> bool:
    return not record.device.is_host and not record.problem.is_of_users_own and not record.run.source_digest


def _place(record: Record) -> tuple[Any, ...]:
    """Return what lines are sorted by, so that a new measurement changes its own line alone."""
    device = record.device
    return device.arch, device.name, device.sm_count, *record.problem.columns.values(), record.n


@contextlib.contextmanager
def _replacement(target: Path, overwrite: bool) -> Iterator[Path]:
    """Yield a file to write, which then takes the target's place: nobody ever reads half of it."""
    place = _place_of(target, overwrite)
    _remove_abandoned(place.parent)
    try:
        directory = tempfile.mkdtemp(prefix=_PREFIX, dir=place.parent)
    except OSError as error:
        raise DatabaseError(f"{target}: its directory cannot be written: {error.strerror}") from None
    written = Path(directory) / _WRITTEN
    try:
        yield written
        with written.open("rb") as file:
            os.fsync(file.fileno())
        written.replace(place)
    except OSError as error:
        raise DatabaseError(f"{target}: it cannot be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            _remove(Path(directory))


def _remove_abandoned(parent: Path) -> None:
    """Remove what exports of this user left that were killed a day ago or earlier."""
    for directory in parent.glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):
            found = directory.lstat()
            is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
            if is_ours and time.time() - found.st_mtime > _DAY_S:
                _remove(directory)


def _remove(directory: Path) -> None:
    """Remove a directory of an export, with what SQLite keeps beside a file that it writes."""
    for end in ("", "-journal", "-wal", "-shm"):
        (directory / f"{_WRITTEN}{end}").unlink(missing_ok=True)
    directory.rmdir()


def _place_of(target: Path, overwrite: bool) -> Path:
    """Return what is to be replaced or made, which is what a link leads to; raise if it is more than a file."""
    try:
        found = target.lstat()
    except FileNotFoundError:
        return target.absolute()
    except OSError as error:
        raise DatabaseError(f"{target}: it cannot be written: {error.strerror}; choose another name") from None
    if not target.is_file():
        raise DatabaseError(
            f"{target}: it is {_kind(found.st_mode)}, and only a regular file can be replaced; choose another name"
        )
    if not overwrite:
        raise DatabaseError(f"{target}: it exists already; choose another name, or pass --force to replace it")
    return target.resolve()


def _kind(mode: int) -> str:
    kinds = {
        stat.S_IFDIR: "a directory",
        stat.S_IFLNK: "a link to no regular file",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFSOCK: "a socket",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")
