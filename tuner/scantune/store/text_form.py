"""Records as text for people and version control: one JSON object a line, sorted. docs/sharing.md lists the keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from scantune.model.breakpoint import Breakpoint
from scantune.model.config import Config
from scantune.model.record import Record, Run

SUFFIX = ".jsonl"
ABOVE = "breakpoint"  # the key of the breakpoint between a record and that of the next larger n
RUN_KEYS = (
    "effort", "tool_version", "template_hash", "compiler_version", "driver_version", "started_at", "seed", "policy",
)  # fmt: skip
_OF_TUNERS = {"started_at", "seed", "policy", "probes"}  # keys that a library does not need
_OF_LIBRARIES = ("n_high", "n_switch", "regret", "template_hash")  # keys of a breakpoint in the library's file

Line = Mapping[str, Any]


def is_text_name(path: Path) -> bool:
    """Return whether a file of this name is to hold text."""
    return path.suffix == SUFFIX


def text_of(records: Iterable[Record], breakpoints: Iterable[Breakpoint]) -> str:
    """Return the whole file, which does not depend on the order of the records."""
    return _lines(records, breakpoints, lambda line: line)


def built_in_text(records: Iterable[Record], breakpoints: Iterable[Breakpoint]) -> str:
    """Return the lines of db/builtin/records.jsonl: those of text_of() with fewer keys, and times in five digits."""
    return _lines(records, breakpoints, _of_library)


def line_of(record: Record, above: Breakpoint | None = None) -> str:
    """Return the line of a record with the breakpoint above it, if there is one."""
    return dumped(_line(record, above))


def place_of(record: Record) -> tuple[Any, ...]:
    """Return the key that sorts lines, so that a new measurement changes its own line and at most the one before."""
    return *vars(record.device).values(), *record.problem.columns.values(), record.n


def _lines(records: Iterable[Record], breakpoints: Iterable[Breakpoint], part: Callable[[Line], Line]) -> str:
    # Text may hold several records of a key, and a breakpoint is between the configs that it was measured with.
    records = sorted(records, key=place_of)
    ends = {(record.key, record.config) for record in records}
    newest_last = sorted(breakpoints, key=lambda found: (found.finished_at, found.probes_text, str(found)))
    above = {
        (found.key, found.low): found
        for found in newest_last
        if ((found.device, found.problem, found.n_high), found.high) in ends
    }
    lines = (_line(record, above.get((record.key, record.config))) for record in records)
    return "".join(dumped(part(line)) + "\n" for line in lines)


def _line(record: Record, above: Breakpoint | None) -> Line:
    device, problem = record.device, record.problem
    return {
        "arch": device.arch, "device_name": device.name, "sm_count": device.sm_count,
        "algorithm": problem.algorithm, "request": json.loads(problem.text),
        **({"shape": json.loads(problem.shape)} if problem.shape else {}), "n": record.n,
        "serves": record.serves.message(), **_config(record.config), "median_us": record.median_us,
        "spread": record.spread, "default_us": record.default_us, "ceiling_us": record.ceiling_us,
        **({"probes": json.loads(record.probes_text)} if record.probes else {}), "finished_at": record.finished_at,
        **_run(record.run), **({ABOVE: _above(above, record.run)} if above else {}),
    }  # fmt: skip


def _above(found: Breakpoint, run: Run) -> Line:
    """Return a breakpoint without the columns of its run that are the same in the record's run."""
    of_record, probes = _run(run), json.loads(found.probes_text)
    own = {key: value for key, value in _run(found.run).items() if key == "template_hash" or value != of_record[key]}
    return {
        "n_high": found.n_high, "n_switch": found.n_switch, "regret": found.regret, **_config(found.high),
        "probes": probes, "finished_at": found.finished_at, **own,
    }  # fmt: skip


def _config(config: Config) -> Line:
    return {"family": config.family, "config": json.loads(config.text)}


def _run(run: Run) -> Line:
    columns = run.parameters()
    return {key: columns[key] for key in RUN_KEYS} | {"policy": _policy(run.policy)}


def _policy(text: str) -> Any:
    """Return the object of a policy that is spelled as the tuner spells it, and the text of any other."""
    try:
        policy = json.loads(text)
        return policy if isinstance(policy, dict) and dumped(policy) == text else text
    except (ValueError, RecursionError):
        return text


def _of_library(line: Line) -> Line:
    kept = {key: _digits(value) for key, value in line.items() if key not in _OF_TUNERS}
    if above := line.get(ABOVE):
        kept[ABOVE] = {key: _digits(above[key]) for key in _OF_LIBRARIES}
    return kept


def _digits(value: Any) -> Any:
    """Return a time in five digits, which is more than any clock resolves."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


def dumped(value: object) -> str:
    """Return the JSON of a value; raise ValueError for a number that JSON lacks, such as infinity."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
