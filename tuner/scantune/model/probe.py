"""Probes: times of a record's config wherever it was timed, also where it lost and so does not serve."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass

from scantune.model.device import Device
from scantune.model.least_time import possible
from scantune.model.problem import Problem
from scantune.model.quantity import MAX_N

MOST_PROBES = 64
_MOST_TEXT = 100 * MOST_PROBES  # characters
_MOST_OFFSET = 64  # items


@dataclass(frozen=True)
class Probe:
    """A record's config and what runs without the record, measured in turn in one case."""

    n: int
    offset: int  # by how many items each array is past a boundary
    time_us: float
    untuned_us: float

    def __post_init__(self) -> None:
        is_place = type(self.n) is int and type(self.offset) is int
        if not is_place or not 1 <= self.n <= MAX_N or not 0 <= self.offset <= _MOST_OFFSET:
            raise ValueError(f"a probe is at {self.n!r} items, off by {self.offset!r}")
        check_time(self.time_us)
        check_time(self.untuned_us)

    @property
    def ratio(self) -> float:
        """The share of the time without the record that the record's config takes: less than 1 is a gain."""
        return self.time_us / self.untuned_us


def probes_of(text: object, device: Device, problem: Problem) -> tuple[Probe, ...]:
    """Read a record's column `probes`; raise ValueError if it holds anything else, or a time that is impossible."""
    probes = tuple(map(_probe, probe_rows(text)))
    for probe in probes:
        for time_us in (probe.time_us, probe.untuned_us):
            possible(device, problem, probe.n, "a probe", time_us)
    return probes


def probes_text(probes: tuple[Probe, ...]) -> str:
    """Return the probes as rows keep them."""
    return json.dumps([astuple(probe) for probe in probes], separators=(",", ":"))


def probe_rows(text: object) -> list[object]:
    """Return the rows in a column `probes`, of a record or a breakpoint; raise ValueError if it is not a short list."""
    if not isinstance(text, str) or len(text) > _MOST_TEXT:
        raise ValueError("the probes are not a short text")
    try:
        rows = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"the probes are not JSON: {error}") from None
    if not isinstance(rows, list) or len(rows) > MOST_PROBES:
        raise ValueError(f"the probes are {rows!r}"[:200])
    return rows


def check_time(time_us: object) -> None:
    """Raise ValueError unless this is the time of a probe."""
    if isinstance(time_us, bool) or not isinstance(time_us, (int, float)) or not 0 < time_us < 1e15:
        raise ValueError(f"a probe took {time_us!r} µs"[:200])


def _probe(row: object) -> Probe:
    if not isinstance(row, list) or len(row) != 4:
        raise ValueError(f"a probe is {row!r}"[:200])
    return Probe(*row)
