"""Measured times, and how far they can be trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LEAST_MARGIN = 0.005  # share of the slower one's time by which clocks move within a round


@dataclass(frozen=True)
class Measurement:
    median_us: float
    spread: float  # interquartile range over the median
    samples: int
    sm_clock_mhz: int | None = None  # None if it cannot be read
    probe_only: bool = False  # whether only a probe was taken, which was clearly slower than others
    samples_us: tuple[float, ...] = ()  # every sample in the order taken, where they were asked for

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Measurement:
        """Read the protocol's `measurement`; raise ValueError for anything that no clock can have shown."""
        median_us = _number(message, "median_us")
        spread = _number(message, "spread")
        samples = message.get("samples")
        clock = message.get("sm_clock_mhz")
        if median_us <= 0 or spread < 0:
            raise ValueError(f"a median of {median_us} µs with a spread of {spread} is impossible")
        if not isinstance(samples, int) or isinstance(samples, bool) or samples < 1:
            raise ValueError(f"samples is {samples!r}")
        if clock is not None and (not isinstance(clock, int) or clock <= 0):
            raise ValueError(f"sm_clock_mhz is {clock!r}")
        each = message.get("samples_us", [])
        if not isinstance(each, list) or len(each) not in (0, samples):
            raise ValueError(f"samples_us is {each!r}, of {samples} samples"[:300])
        samples_us = tuple(_finite("samples_us", one) for one in each)
        return cls(median_us, spread, samples, clock, message.get("probe_only") is True, samples_us)

    @property
    def standard_error_us(self) -> float:
        """The standard error of the median: 1.25 sigma / sqrt(samples), with sigma = IQR / 1.35 as in a normal
        distribution.
        """
        return 0.93 * self.spread * self.median_us / math.sqrt(self.samples)


def noise_of(one_us: float, one_error_us: float, other_us: float, other_error_us: float) -> float:
    """Return what two medians of one round, with their standard errors, may differ by for no reason."""
    return max(2 * math.hypot(one_error_us, other_error_us), _LEAST_MARGIN * max(one_us, other_us))


def _number(message: Mapping[str, Any], name: str) -> float:
    return _finite(name, message.get(name))


def _finite(name: str, value: object) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{name} is {value!r}, not a number")
    return float(value)
