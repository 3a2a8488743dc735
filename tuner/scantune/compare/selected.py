"""The records that selections come from, with details that a worker does not report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from scantune.errors import ScantuneError
from scantune.model.device import Device
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.database import open_readonly
from scantune.worker.selection import Selection

Key = tuple[object, ...]
Held = Mapping[Key, Record]


def selected_records(selections: Sequence[Selection]) -> list[Record | None]:
    """Return the record of each selection as its database holds it.

    None where no record serves, where it comes with the library, or where its database cannot be read.
    """
    held = cache(_held)  # most selections share a database
    return [_record(selection.record, held) if selection.record else None for selection in selections]


def _record(told: Mapping[str, Any], held: Callable[[Path, bool], Held]) -> Record | None:
    path = Path(told["database"])
    if not path.is_file():
        return None
    try:
        return held(path, told["layer"] != "user").get(_key(told))
    except (ScantuneError, ValueError):
        return None


def _key(told: Mapping[str, Any]) -> Key:
    return Device(**told["device"]), *Problem.from_row(told).columns.values(), told["n"], told["finished_at"]


def _held(path: Path, foreign: bool) -> Held:
    with open_readonly(path, foreign=foreign) as database:
        return {
            (record.device, *record.problem.columns.values(), record.n, record.finished_at): record
            for record in Archive(database).records()
        }
