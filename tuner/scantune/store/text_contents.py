"""Records read from text. A stranger may have written it, so every line passes the checks of database rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from scantune.input_files import content_of
from scantune.model.algorithms import Algorithms
from scantune.model.breakpoint import Breakpoint
from scantune.model.record import Record
from scantune.store.budget import Budget
from scantune.store.connection import DatabaseError
from scantune.store.text_form import ABOVE, RUN_KEYS, Line, dumped

_MOST_BYTES = 64 * 2**20
_MOST_UNKNOWN, _MOST_KEY = 20, 60  # unknown keys that are kept, and characters of each
CONFLICT_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_PROBLEM = ("algorithm", "request", "shape")
_RECORD_KEYS = {
    "arch", "device_name", "sm_count", "algorithm", "request", "shape", "n", "serves", "family", "config", "median_us",
    "spread", "default_us", "ceiling_us", "probes", "finished_at", ABOVE, *RUN_KEYS,
}  # fmt: skip
_ABOVE_KEYS = {"n_high", "n_switch", "regret", "family", "config", "probes", "finished_at", *RUN_KEYS}


class TextContents:
    """What a file holds, read once. Two lines may have the same key, as in a union of two versions of a file."""

    def __init__(
        self,
        path: Path,
        reject: Callable[[str], None] = lambda reason: None,
        algorithms: Algorithms | None = None,
    ) -> None:
        """Read `path`; `reject` is called with the reason for every line, or breakpoint in one, that is left out.

        Raises DatabaseError if the file cannot be read, or has a line that is not a JSON object.
        """
        self._reject = reject
        self._algorithms = algorithms or Algorithms()
        self._records: list[Record] = []
        self._breakpoints: list[Breakpoint] = []
        self.unknown_keys: set[str] = set()  # keys that a later version may write
        # Thousands of lines share a problem.
        self._problem = cache(lambda *columns: self._algorithms.problem(dict(zip(_PROBLEM, columns, strict=True))))
        self.content = _content_of(path)  # what the lines were read from
        for number, line in _lines_of(path, self.content):
            self._take(number, line)

    def records(self) -> list[Record]:
        return self._records

    def breakpoints(self) -> list[Breakpoint]:
        return self._breakpoints

    def trials(self, parse: object) -> Iterator[Any]:
        """Yield nothing: text holds what won."""
        return iter(())

    def _take(self, number: int, line: Line) -> None:
        self._tell_unknown(line.keys() - _RECORD_KEYS)
        try:
            row = self._row(line)
            record = Record.from_row(row)
        except (ValueError, TypeError, RecursionError) as error:
            self._reject(f"line {number}: {error}"[:300])
            return
        self._records.append(replace(record, config=self._algorithms.complete(record.problem, record.config)))
        if (above := line.get(ABOVE)) is not None:
            self._take_breakpoint(number, row, above)

    def _take_breakpoint(self, number: int, low: Line, above: object) -> None:
        try:
            if not isinstance(above, Mapping):
                raise ValueError(f"it is {above!r}")
            self._tell_unknown({f"{ABOVE}.{key}" for key in above.keys() - _ABOVE_KEYS})
            found = Breakpoint.from_row(_above_row(low, above))
        except (ValueError, TypeError, RecursionError) as error:
            self._reject(f"line {number}: its breakpoint: {error}"[:300])
            return
        low_end, high_end = (self._algorithms.complete(found.problem, end) for end in (found.low, found.high))
        self._breakpoints.append(replace(found, low=low_end, high=high_end))

    def _tell_unknown(self, keys: set[str]) -> None:
        """Keep some keys, which suffices for a note: a hostile file may have any number of them."""
        for key in sorted(keys):
            if len(self.unknown_keys) < _MOST_UNKNOWN:
                self.unknown_keys.add(key[:_MOST_KEY])

    def _row(self, line: Line) -> dict[str, Any]:
        """Return the columns as a database has them; raise ValueError for what none has."""
        row = {key: line.get(key) for key in _RECORD_KEYS}
        _refuse_booleans(row)
        shape = _object_text(row, "shape") if row["shape"] is not None else ""
        problem = self._problem(row["algorithm"], _object_text(row, "request"), shape)
        return {
            **row, "name": row["device_name"], "problem": problem,
            "config": _object_text(row, "config"), "probes": dumped([] if row["probes"] is None else row["probes"]),
            **_run_columns(row, row["finished_at"]),
        }  # fmt: skip


def _content_of(path: Path) -> bytes:
    try:
        content = content_of(path, _MOST_BYTES)
    except OSError as error:
        raise DatabaseError(f"{path}: it cannot be read: {error.strerror}") from None
    if content is None:
        raise DatabaseError(f"{path}: larger than {_MOST_BYTES >> 20} MiB; use another file")
    return content


def _lines_of(path: Path, content: bytes) -> Iterator[tuple[int, Line]]:
    budget = Budget()
    for number, text in enumerate(content.split(b"\n"), start=1):
        if not text.strip():
            continue
        if excess := budget.excess_after([text]):
            raise DatabaseError(f"{path}, line {number}: {excess}")
        try:
            yield number, _object(text.decode())
        except (ValueError, RecursionError) as error:
            raise DatabaseError(f"{path}, line {number}: {_complaint(text, error)}") from None


def _object(text: str) -> Line:
    line = json.loads(text, parse_constant=_refuse_constant)
    if not isinstance(line, dict):
        raise ValueError("not an object")
    return line


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _complaint(text: bytes, error: Exception) -> str:
    if text.decode(errors="replace").startswith(CONFLICT_MARKS):
        return (
            "it marks a conflict that git left: remove the marks, and both sides may stay, since import settles which "
            "of two lines counts. A line '*.jsonl merge=union' in .gitattributes keeps git from leaving more"
        )
    return f"not a record: {error}; a record is one line that begins with {{ and ends with }}"


def _refuse_booleans(row: Line) -> None:
    for key, value in row.items():
        if isinstance(value, bool):
            raise ValueError(f"{key} is {value!r}")


def _object_text(row: Line, key: str) -> str:
    if not isinstance(row[key], Mapping):
        raise ValueError(f"{key} is {row[key]!r}, which is not an object"[:300])
    return dumped(row[key])


def _run_columns(row: Line, finished_at: object) -> Line:
    """Return the columns of a run; lines of a library's records lack some, which get values that stand for them."""
    policy = row["policy"] if row["policy"] is not None else {}
    columns = {
        **{key: row[key] for key in RUN_KEYS}, "started_at": row["started_at"] or finished_at,
        "seed": row["seed"] if row["seed"] is not None else 0,
        "policy": dumped(policy) if isinstance(policy, Mapping) else policy,
    }  # fmt: skip
    if isinstance(columns["policy"], str):
        columns["policy"].encode()  # half a surrogate pair raises ValueError
    if isinstance(columns["seed"], int) and not -(2**63) <= columns["seed"] < 2**63:
        raise ValueError(f"seed has {columns['seed'].bit_length()} bits")
    return columns


def _above_row(low: Line, above: Line) -> Line:
    """Return the columns of the breakpoint above a record; those of its run that it lacks are the record's."""
    own = {key: above[key] for key in RUN_KEYS if key in above}
    _refuse_booleans({**above, **own})
    if above.get("probes") is None:
        raise ValueError("it has no probes, like the breakpoints that come with the library")
    return {
        **low, **_run_columns({**{key: low[key] for key in RUN_KEYS}, **own}, low["started_at"]),
        "n_high": above.get("n_high"), "n_switch": above.get("n_switch"), "probes": dumped(above["probes"]),
        "low_family": low["family"], "low_config": low["config"], "high_family": above.get("family", ""),
        "high_config": _object_text({"config": above.get("config")}, "config"),
        "finished_at": above.get("finished_at"),
    }  # fmt: skip
