"""The records that come with the library, as the worker lists them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scantune.model.algorithms import Algorithms
from scantune.model.device import Device
from scantune.model.record import Record, every_time_has_passed
from scantune.worker.client import Worker, WorkerError

# A worker describes this device for questions that concern none.
NO_DEVICE = Device("host", "none", 1)

_TIMEOUT_S = 60.0
# Columns of a run that a library does not keep, with the values that stand for them.
_UNTOLD = {"seed": 0, "policy": "{}"}


def built_in_records(worker: Worker) -> list[Record]:
    """Return the records that come with the library. Raises WorkerError when the worker cannot list them."""
    rows = worker.call("built_in", {}, _TIMEOUT_S).get("records")
    try:
        with every_time_has_passed():
            return [_record(row, worker.hello().algorithms) for row in rows] if isinstance(rows, list) else []
    except (KeyError, TypeError, ValueError) as error:
        raise WorkerError("internal", f"a record of the library cannot be read: {error!r}") from None


def _dumped(value: object) -> str:
    """Return an object as databases keep it; an empty text stands for a shape that a line does not name."""
    return "" if value is None else json.dumps(value, separators=(",", ":"))


def _record(row: Mapping[str, Any], algorithms: Algorithms) -> Record:
    texts = {name: _dumped(row.get(name)) for name in ("request", "shape", "config")}
    named = {"name": row["device_name"], "problem": algorithms.problem({**row, **texts})}
    record = Record.from_row({**row, **texts, **named, "started_at": row["finished_at"], **_UNTOLD})
    return replace(record, config=algorithms.complete(record.problem, record.config))
