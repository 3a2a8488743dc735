"""Decides the final round: who replaces whom."""

from __future__ import annotations

import math
from collections.abc import Mapping

from scantune.config import Config
from scantune.measurement import Measurement

_LEAST_MARGIN = 0.005  # of the holder's time: clocks move by this much within a round


def pick_winner(measured: Mapping[Config, Measurement], holder: Config | None) -> Config | None:
    """Return the fastest config if it beats the holder beyond the noise, else the holder.

    The holder is the record of an earlier run, or the default. None when nothing was measured.
    """
    if not measured:
        return None
    best = min(measured, key=lambda config: measured[config].median_us)
    if holder is None or holder not in measured:
        return best
    return best if beats(measured[best], measured[holder]) else holder


def beats(challenger: Measurement, holder: Measurement) -> bool:
    """Return whether the challenger is faster by more than two standard errors of the difference, and by 0.5 %."""
    noise_us = 2 * math.hypot(challenger.standard_error_us, holder.standard_error_us)
    return holder.median_us - challenger.median_us > max(noise_us, _LEAST_MARGIN * holder.median_us)
