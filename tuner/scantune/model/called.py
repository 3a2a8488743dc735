"""Problems that programs have called, as the library counts them for SCANTUNE_RECORD."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scantune.model.algorithms import Algorithms
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.least_time import about_us
from scantune.model.problem import Problem
from scantune.model.quantity import MAX_N

_MOST_CALLS = 2**63
_MOST_TEXT = 2000
_MOST_US = 1e12
_ALIGNMENTS = [2**bit for bit in range(9)]


@dataclass(frozen=True)
class Called:
    """A cell on one device: how often it was called, and what served it last."""

    cell: Cell  # of the problem whose records serve the calls, with the extents of the calls
    device: Device
    calls: int
    alignment: int  # the least of their arrays, in bytes
    config: Config
    origin: str
    reason: str
    record: tuple[int, float] | None  # n and microseconds of the record that served; None without one

    @classmethod
    def from_line(cls, line: object, algorithms: Algorithms) -> Called:
        """Read a line of recorded calls; raise ValueError if the library wrote no such line."""
        if not isinstance(line, Mapping):
            raise ValueError(f"it is {line!r}, not an object"[:300])
        try:
            return cls(
                Cell(_problem(line, algorithms), _integer(line, "n", MAX_N)),
                Device(line["arch"], line["device_name"], line["sm_count"]), _integer(line, "calls", _MOST_CALLS),
                _alignment(line["alignment"]), Config.from_parameters(line["family"], line["config"]),
                _text(line, "origin"), _text(line, "reason"), _record(line["record"]),
            )  # fmt: skip
        except KeyError as error:
            raise ValueError(f"it has no {error.args[0]}") from None

    def with_later(self, later: Called) -> Called:
        """Add later calls of the same cell on the same device."""
        return replace(later, calls=self.calls + later.calls, alignment=min(self.alignment, later.alignment))

    @property
    def key(self) -> tuple[Device, Cell]:
        return self.device, self.cell

    @property
    def call_us(self) -> float:
        """About how long a call takes: by the record that served it, else by the launch and the bytes that it moves.

        Small calls take hardly less than a launch, so a record's time is not in proportion to n.
        """
        problem, n = self.cell
        if self.record is None:
            return about_us(self.device, problem, n)
        its_n, its_us = self.record
        return its_us * about_us(self.device, problem, n) / about_us(self.device, problem, its_n)

    @property
    def total_us(self) -> float:
        """About how long all calls take."""
        return self.calls * self.call_us


def _problem(line: Mapping[str, Any], algorithms: Algorithms) -> Problem:
    name, shape, extents = line["algorithm"], line["shape"], line["extents"]
    algorithm = algorithms.get(name) if isinstance(name, str) else None
    if algorithm is None:
        raise ValueError(f"the worker does not know the algorithm {name!r}"[:300])
    texts = {"request": _dumped(line["request"]), "shape": _dumped(shape) if shape else ""}
    problem = Problem.from_row({"algorithm": name, **texts}).declared_by(algorithm)
    names = [name for name, _ in problem.extents]
    if not isinstance(extents, Mapping) or list(extents) != names:
        raise ValueError(f"its extents are {extents!r}, not one for each of {names}"[:300])
    return replace(problem, extents=tuple((name, _integer(extents, name, MAX_N)) for name in names)).tuned_form


def _dumped(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _integer(line: Mapping[str, Any], name: str, most: int) -> int:
    value = line[name]
    if type(value) is not int or not 0 < value <= most:
        raise ValueError(f"{name} is {value!r}"[:300])
    return value


def _alignment(value: object) -> int:
    if value not in _ALIGNMENTS:
        raise ValueError(f"alignment is {value!r}"[:300])
    return int(value)  # type: ignore[call-overload, no-any-return]


def _text(line: Mapping[str, Any], name: str) -> str:
    value = line[name]
    if not isinstance(value, str) or len(value) > _MOST_TEXT or not value.isprintable():
        raise ValueError(f"{name} is {value!r}"[:300])
    return value


def _record(value: object) -> tuple[int, float] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not isinstance(value["median_us"], (int, float)):
        raise ValueError(f"record is {value!r}"[:300])
    n, median_us = _integer(value, "n", MAX_N), value["median_us"]
    if not 0 < median_us < _MOST_US:
        raise ValueError(f"median_us is {median_us!r}")
    return n, float(median_us)
