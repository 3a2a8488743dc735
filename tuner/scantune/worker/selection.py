"""The selection of what runtime::scan() would run for a problem, as the worker tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    origin: str  # how the config was found: exact_n, between_n, ..., default
    reason: str
    rejected: tuple[tuple[str, str], ...]  # rows that are not valid, and why
    record: Mapping[str, Any] | None = None  # problem, N, times and source of the record; None where none serves
    runner_up: Selection | None = None  # the one that would be selected next; None where nobody asked or none is left


def select(
    worker: Worker, problem: Problem, n: int, databases: Sequence[Path] | None, source: OperatorSource | None = None,
    runner_up: bool = False,
) -> Selection:  # fmt: skip
    """Select by the records in `databases`, or by those that runtime::scan() reads in this environment.

    With `runner_up` the worker also says what it would take next.
    Raises WorkerError when the worker cannot select.
    """
    named = {} if databases is None else {"databases": [str(path.absolute()) for path in databases]}
    asked = {**named, **({"runner_up": True} if runner_up else {})}
    result = worker.call("select", {"request": problem.request(n, source), **asked}, _TIMEOUT_S)
    try:
        next_one = _selection(result["runner_up"]) if result.get("runner_up") else None
        selected = _selection(result)
    except ValueError as error:
        raise WorkerError("internal", f"{problem} {format_size(n)}: {error}") from None
    rejected = tuple((str(row.get("row")), str(row.get("reason"))) for row in result.get("rejected") or [])
    return replace(selected, rejected=rejected, runner_up=next_one)


def _selection(message: Mapping[str, Any]) -> Selection:
    """Read a selection without its runner-up; raise ValueError if it names no config."""
    config = Config.from_message(message.get("config"))
    return Selection(config, str(message.get("origin")), str(message.get("reason")), (), message.get("record"))
