"""What programs have called, what serves it, and what tuning may gain: scantune explain --from."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scantune.cli.called import FROM, read
from scantune.cli.json_output import JsonOutput
from scantune.cli.terminal import console, note
from scantune.cli.workers import described_worker
from scantune.compare.selected import selected_records
from scantune.model.called import Called
from scantune.model.device import Device
from scantune.model.quantity import counted, format_size
from scantune.model.record import Record
from scantune.report.listing import Column, Listing, Row
from scantune.worker.built_in import NO_DEVICE, built_in_records
from scantune.worker.client import Worker, WorkerError
from scantune.worker.selection import Selection, select

_FAR = ("other_operator", "other_types", "other_device")


@dataclass(frozen=True)
class _Explained:
    called: Called
    now: Selection | None  # None where no kernel of this version serves it
    may_gain: float | None  # share of its time; None where nobody has measured it

    @property
    def origin(self) -> str:
        return self.now.origin if self.now else "unsupported"

    @property
    def is_served_from_afar(self) -> bool:
        """Whether the record that serves is of another problem or device."""
        record = self.now.record if self.now else None
        is_of_other_device = record is not None and record["device"] != vars(self.called.device)
        return self.origin in _FAR or (self.origin == "built_in" and is_of_other_device)

    @property
    def reason(self) -> str:
        return self.now.reason if self.now else "no kernel of this version supports it"


def explain_calls(files: Sequence[Path], databases: Sequence[Path] | None, output: JsonOutput) -> None:
    """Print a table for each device that programs ran on. Raises UsageError if no calls can be read."""
    with contextlib.ExitStack() as stack:
        called = read(files, described_worker(stack, NO_DEVICE).hello())
        devices = list(dict.fromkeys(one.device for one in called))
        explained = {device: _explained(stack, device, called, databases) for device in devices}
        for device, those in explained.items():
            console.print(_table(device, those))
            _tell_what_is_not_tuned(device, those, files, databases)
        output.write(results=[_message(one) for those in explained.values() for one in those])


def _explained(
    stack: contextlib.ExitStack, device: Device, called: Sequence[Called], databases: Sequence[Path] | None
) -> list[_Explained]:
    worker = described_worker(stack, device)
    those = [one for one in called if one.device == device]
    selections = [_selected(worker, one, databases) for one in those]
    shipped = {(one.device, *one.problem.columns.values(), one.n): one for one in built_in_records(worker)}
    records = iter(selected_records([one for one in selections if one]))
    explained = []
    for one, now in zip(those, selections, strict=True):
        record = (next(records) or _of_library(now, shipped)) if now else None
        is_its_own = record is not None and (record.device, record.problem) == (device, one.cell.problem)
        may_gain = _may_gain(record) if record and is_its_own else None
        explained.append(_Explained(one, now, may_gain))
    return explained


def _of_library(selection: Selection, shipped: Mapping[tuple[object, ...], Record]) -> Record | None:
    return shipped.get(_key(selection.record)) if selection.record else None


def _key(told: Mapping[str, Any]) -> tuple[object, ...]:
    return Device(**told["device"]), told["algorithm"], told["request"], told["shape"], told["n"]


def _selected(worker: Worker, one: Called, databases: Sequence[Path] | None) -> Selection | None:
    try:
        return select(worker, *one.cell, databases)
    except WorkerError as error:
        if error.kind not in ("unsupported", "bad_request"):
            raise
        return None


def _may_gain(record: Record) -> float | None:
    """Return the share of its time by which a copy of as many bytes is faster; nothing is known to beat a copy."""
    return None if record.ceiling_us is None else max(0.0, 1 - record.ceiling_us / record.median_us)


def _table(device: Device, those: Sequence[_Explained]) -> Listing:
    whole_us = sum(one.called.total_us for one in those)
    columns = [
        Column("problem", is_text=True), *map(Column, ("N", "calls", "of time")), Column("served by", is_text=True),
        Column("now by", is_text=True), Column("may gain"),
    ]  # fmt: skip
    rows = [
        Row(
            [
                str(one.called.cell.problem), format_size(one.called.cell.n), f"{one.called.calls:,}",
                f"{one.called.total_us / whole_us:.0%}", one.called.origin, one.origin,
                "–" if one.may_gain is None else f"{one.may_gain:.0%}",
            ],
            one.reason,
        )
        for one in those
    ]  # fmt: skip
    caption = (
        "of time: of all calls, by records, else by the bytes that are moved. may gain: at most, up "
        "to a copy's time; – where nobody has measured it."
    )
    return Listing(f"Calls on {device}", columns, rows, "why", caption)


def _tell_what_is_not_tuned(
    device: Device, those: Sequence[_Explained], files: Sequence[Path], databases: Sequence[Path] | None
) -> None:
    """Say how many problems of the device 'tune' would serve better, and the command that tunes them there."""
    tunable = [one for one in those if not one.called.cell.problem.is_of_users_own]
    defaults = [one for one in tunable if one.origin == "default"]
    far = [one for one in tunable if one.is_served_from_afar]
    if defaults or far:
        into = ["--db", *map(str, databases)] if databases else []
        command = shlex.join(["scantune", "tune", FROM, *map(str, files), *into])
        note(
            f"of {counted(len(those), 'problem')} {len(defaults)} run on defaults and {len(far)} on records of other "
            f"problems or devices; on {device} this tunes them:\n  {command}"
        )


def _message(one: _Explained) -> dict[str, Any]:
    called = one.called
    return {
        "device": vars(called.device), "problem": called.cell.problem.message(), "n": called.cell.n,
        "extents": dict(called.cell.problem.extents), "calls": called.calls, "alignment": called.alignment,
        "served_by": called.origin, "total_us": called.total_us, "origin": one.origin, "reason": one.reason,
        "may_gain": one.may_gain,
    }  # fmt: skip
