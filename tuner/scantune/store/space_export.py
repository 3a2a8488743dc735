"""Recorded spaces in the formats of other tuners: caches of Kernel Tuner's simulation mode, and T4 results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from scantune.errors import UsageError
from scantune.model.config import Value
from scantune.model.recorded_space import RecordedConfig, RecordedSpace
from scantune.model.space import Family
from scantune.store.replacement import replacement

_FAMILY = "family"
_T4_VERSION = "1.0.0"
_MS = 1e-3  # milliseconds in a microsecond

# The other formats' names of failures. Kernel Tuner has no name for wrong results, since its runs end with the first.
_KERNEL_TUNER_ERRORS = {"compile_error": "CompilationFailedConfig"}
_T4_INVALIDITY = {"compile_error": "compile", "timeout": "timeout", "wrong_result": "correctness"}


class Format(str, Enum):
    kernel_tuner = "kernel_tuner"
    t4 = "t4"


def export_space(recorded: RecordedSpace, target: Path, kind: Format, family: str | None = None) -> None:
    """Write the whole space, or one family of it.

    Raises UsageError for a family that the space lacks, and ScantuneError if the file cannot be written.
    """
    message = message_of(recorded, kind, family)
    with replacement(target, overwrite=True) as written:
        written.write_text(json.dumps(message, indent=0) + "\n", encoding="utf-8")


def message_of(recorded: RecordedSpace, kind: Format, family: str | None = None) -> dict[str, Any]:
    """Return the content of a file, for JSON.

    Parameters of one family are listed by name, those of several families by family and name. Parameters of families
    other than a config's own have the values of those families' defaults.
    """
    if family is not None and family not in recorded.space.families:
        raise UsageError(f"--family {family}: the space has {', '.join(recorded.space.families)}")
    makers: dict[Format, Callable[[RecordedSpace, _Columns], dict[str, Any]]] = {
        Format.kernel_tuner: _kernel_tuner, Format.t4: _t4,
    }  # fmt: skip
    return makers[kind](recorded, _Columns(recorded, family))


class _Columns:
    """The columns that tell configs of one family, or of all, apart."""

    def __init__(self, recorded: RecordedSpace, family: str | None) -> None:
        self._recorded = recorded
        self._only = family
        self._families = [one for one in recorded.families if family in (None, one.name)]
        self._idle = {name: value for one in self._families for name, value in self._of(one, _resting(one)).items()}

    @property
    def values(self) -> dict[str, list[Value]]:
        """The values that each column may have."""
        names: dict[str, list[Value]] = {} if self._only else {_FAMILY: [one.name for one in self._families]}
        return names | {
            self._name(one, parameter.name): list(parameter.values)
            for one in self._families
            for parameter in one.parameters
        }

    def rows(self) -> Iterator[tuple[RecordedConfig, dict[str, Value]]]:
        for one in self._recorded.configs:
            if self._only in (None, one.config.family):
                family = self._recorded.space.families[one.config.family]
                first: dict[str, Value] = {} if self._only else {_FAMILY: family.name}
                yield one, first | self._idle | self._of(family, dict(one.config.values))

    def _of(self, family: Family, values: Mapping[str, Value]) -> dict[str, Value]:
        return {self._name(family, name): value for name, value in values.items()}

    def _name(self, family: Family, parameter: str) -> str:
        return parameter if self._only else f"{family.name}_{parameter}"


def _resting(family: Family) -> dict[str, Value]:
    if family.default is not None:
        return dict(family.default.values)
    return {parameter.name: parameter.values[0] for parameter in family.parameters}


def _kernel_tuner(recorded: RecordedSpace, columns: _Columns) -> dict[str, Any]:
    values = columns.values
    return {
        "device_name": recorded.device.name,
        "kernel_name": recorded.problem.algorithm,
        "problem_size": [recorded.n],
        "tune_params_keys": list(values),
        "tune_params": values,
        "objective": "time",
        "cache": {
            ",".join(map(str, row.values())): {**row, **_kernel_tuner_outcome(one)} for one, row in columns.rows()
        },
    }


def _kernel_tuner_outcome(one: RecordedConfig) -> dict[str, Any]:
    if one.failure:
        error = _KERNEL_TUNER_ERRORS.get(one.failure.status, "RuntimeFailedConfig")
        return {"time": error, "__error__": error}
    return {"time": _ms(one.true_us), "times": list(map(_ms, one.all_us))}


def _t4(recorded: RecordedSpace, columns: _Columns) -> dict[str, Any]:
    return {
        "schema_version": _T4_VERSION,
        "metadata": {"timeunit": "milliseconds"},
        "results": [_t4_result(one, row, recorded.provenance.date) for one, row in columns.rows()],
    }


def _t4_result(one: RecordedConfig, row: Mapping[str, Value], date: str) -> dict[str, Any]:
    invalidity = _T4_INVALIDITY.get(one.failure.status, "runtime") if one.failure else "correct"
    measurements = [] if one.failure else [{"name": "time", "value": _ms(one.true_us), "unit": "ms"}]
    return {
        "timestamp": date,
        "configuration": dict(row),
        "times": {"runtimes": list(map(_ms, one.all_us))},
        "invalidity": invalidity,
        "correctness": 0 if invalidity == "correctness" else 1,
        "measurements": measurements,
        "objectives": ["time"],
    }


def _ms(time_us: float) -> float:
    return float(f"{_MS * time_us:.5g}")
