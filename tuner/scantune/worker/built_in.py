"""The records that come with the library, as the worker lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scantune.model.algorithms import Algorithms
from scantune.model.device import Device
from scantune.model.record import Record
from scantune.worker.client import Worker, WorkerError

# For questions that concern no device.
NO_DEVICE = Device("host", "none", 1)

_TIMEOUT_S = 60.0
# What a run is told by and a library need not keep.
_UNTOLD = {"seed": 0, "policy": "{}"}


def built_in_records(worker: Worker) -> list[Record]:
    """Raises WorkerError when the worker cannot list them."""
    rows = worker.call("built_in", {}, _TIMEOUT_S).get("records")
    try:
        return [_record(row, worker.hello().algorithms) for row in rows] if isinstance(rows, list) else []
    except (KeyError, TypeError, ValueError) as error:
        raise WorkerError("internal", f"a record that comes with the library cannot be read: {error!r}") from None


def _record(row: Mapping[str, Any], algorithms: Algorithms) -> Record:
    named = {"name": row["device_name"], "problem": algorithms.problem(row), "started_at": row["finished_at"]}
    record = Record.from_row({**row, **named, **_UNTOLD})
    return replace(record, config=algorithms.complete(record.problem, record.config))
