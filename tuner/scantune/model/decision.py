"""What a final round decides of a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scantune.model.config import Config
from scantune.model.measurement import Measurement
from scantune.model.octave import Range
from scantune.model.probe import Probe


@dataclass(frozen=True)
class Decision:
    winner: Config
    times: Mapping[Config, Measurement]  # at the cell's own N, of all that could be measured there
    ceiling_us: float | None
    serves: Range
    probes: tuple[Probe, ...]  # the winner beside what runs without it, by N
    ratios: Mapping[Config, float]  # how many times as long as the winner a config takes over the octave
    gain: float  # how many times as long as the winner what runs without it takes over the octave
    is_news: bool  # whether the winner beats what served before
