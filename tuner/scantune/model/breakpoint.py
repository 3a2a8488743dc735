"""Breakpoints: where, between two recorded N, the record of the larger takes over from that of the smaller."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.least_time import possible
from scantune.model.probe import check_time, probe_rows
from scantune.model.problem import Problem
from scantune.model.quantity import MAX_N
from scantune.model.record import Run, key_of, timestamp


@dataclass(frozen=True)
class PairProbe:
    """The configs of two records, measured in turn at one size; None is the time of a config that failed."""

    n: int
    low_us: float | None
    high_us: float | None

    @property
    def low_is_faster(self) -> bool:
        return self.low_us is not None and (self.high_us is None or self.low_us < self.high_us)

    def fails(self, low_serves: bool) -> bool:
        """Return whether the one in use failed where the other did not."""
        used_us, other_us = (self.low_us, self.high_us) if low_serves else (self.high_us, self.low_us)
        return used_us is None and other_us is not None

    def excess(self, low_serves: bool) -> float:
        """Return the share of the other's time that the one in use takes more; 0 where one of them failed."""
        if self.low_us is None or self.high_us is None:
            return 0.0
        used_us, other_us = (self.low_us, self.high_us) if low_serves else (self.high_us, self.low_us)
        return max(0.0, used_us / other_us - 1)


@dataclass(frozen=True)
class Breakpoint:
    device: Device
    problem: Problem
    n_low: int
    n_high: int
    n_switch: int  # the first n that n_high's config scans
    probes: tuple[PairProbe, ...]
    low: Config
    high: Config
    finished_at: str
    run: Run

    def __post_init__(self) -> None:
        if not self.n_low < self.n_switch <= self.n_high <= MAX_N:
            raise ValueError(f"the breakpoint {self.n_switch} is not between {self.n_low} and {self.n_high}")
        sizes = [probe.n for probe in self.probes]
        if not sizes or sizes != sorted(set(sizes)) or not self.n_low < sizes[0] <= sizes[-1] <= self.n_high:
            raise ValueError(f"the probes are at {sizes}, not in order between {self.n_low} and {self.n_high}"[:200])
        if not math.isfinite(self.regret):
            raise ValueError("the probes make its regret infinite")

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Breakpoint:
        """Check every column of all_breakpoints.sql; raise ValueError naming the first that is wrong."""
        device, problem, n_low = key_of(row)
        for end, n in (("low", n_low), ("high", row["n_high"])):
            if row[f"{end}_family"] is None:
                raise ValueError(f"there is no record at its end n = {n}")
        if not isinstance(row["n_high"], int) or not isinstance(row["n_switch"], int):
            raise ValueError(f"n_high is {row['n_high']!r}, n_switch {row['n_switch']!r}")
        probes = probes_of(row["probes"])
        for probe in probes:
            for time_us in (probe.low_us, probe.high_us):
                if time_us is not None:
                    possible(device, problem, probe.n, "a probe", time_us)
        return cls(
            device, problem, n_low, row["n_high"], row["n_switch"], probes,
            Config.from_row(row["low_family"], row["low_config"]),
            Config.from_row(row["high_family"], row["high_config"]), timestamp(row["finished_at"]), Run.from_row(row),
        )  # fmt: skip

    @property
    def key(self) -> tuple[Device, Problem, int]:
        """The key of the record at the lower end."""
        return self.device, self.problem, self.n_low

    @property
    def regret(self) -> float:
        """The most time that a probed size loses by the choice: 0.02 is 2 % more than the other config takes.

        Sizes just below the breakpoint, where there are any that were not probed, are scanned by the config that lost
        at it.
        """
        found = [probe.excess(low_serves=probe.n < self.n_switch) for probe in self.probes]
        known_below = {self.n_low, *(probe.n for probe in self.probes)}
        is_sharp = self.n_switch - 1 in known_below
        below = [probe.excess(low_serves=True) for probe in self.probes if not is_sharp and probe.n == self.n_switch]
        return max(*found, *below, 0.0)

    @property
    def probes_text(self) -> str:
        """The probes as rows keep them."""
        return json.dumps([[probe.n, probe.low_us, probe.high_us] for probe in self.probes], separators=(",", ":"))


def probes_of(text: object) -> tuple[PairProbe, ...]:
    """Read a breakpoint's column `probes`; raise ValueError if it holds anything else."""
    return tuple(map(_probe, probe_rows(text)))


def _probe(row: object) -> PairProbe:
    if not isinstance(row, list) or len(row) != 3 or not isinstance(row[0], int) or not 1 <= row[0] <= MAX_N:
        raise ValueError(f"a probe is {row!r}"[:200])
    for time_us in row[1:]:
        if time_us is not None:
            check_time(time_us)
    return PairProbe(row[0], *row[1:])


def worst_of(breakpoints: Sequence[Breakpoint]) -> Breakpoint:
    """Return the breakpoint with the largest regret."""
    return max(breakpoints, key=lambda found: found.regret)
