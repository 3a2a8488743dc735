"""What runtime::scan() would run for a problem, as the worker says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scantune.model.config import Config
from scantune.model.operator_source import OperatorSource
from scantune.model.problem import Problem
from scantune.model.quantity import format_size
from scantune.worker.client import Worker, WorkerError

_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Selection:
    config: Config
    origin: str  # how the record was found: exact_n, between_n, ..., default
    reason: str
    rejected: tuple[tuple[str, str], ...]  # rows that are not valid, and why
    record: Mapping[str, Any] | None = None  # layer, database and origin of the record; None where none serves


def select(
    worker: Worker, problem: Problem, n: int, databases: Sequence[Path] | None, source: OperatorSource | None = None
) -> Selection:
    """Ask by the records in `databases`, or by those that runtime::scan() reads in this environment.

    Raises WorkerError when the worker cannot select.
    """
    named = {} if databases is None else {"databases": [str(path.absolute()) for path in databases]}
    result = worker.call("select", {"request": problem.request(n, source), **named}, _TIMEOUT_S)
    try:
        config = Config.from_message(result.get("config"))
    except ValueError as error:
        raise WorkerError("internal", f"{problem} {format_size(n)}: {error}") from None
    rejected = tuple((str(row.get("row")), str(row.get("reason"))) for row in result.get("rejected") or [])
    return Selection(config, str(result.get("origin")), str(result.get("reason")), rejected, result.get("record"))
