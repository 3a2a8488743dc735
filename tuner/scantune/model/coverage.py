"""The coverage of a cell by a run: what was compared there, and by how much it differed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.decision import Decision
from scantune.model.measurement import Measurement


class Way(str, Enum):
    """How far a run came with a cell."""

    finished = "finished"  # an earlier run finished it
    confirmed = "confirmed"  # configs that are known to be good were raced, and no search can gain much
    searched = "searched"
    cut_short = "cut_short"  # it was searched until its time was up
    raced = "raced"  # configs that are known to be good were raced; time did not suffice for a search
    restricted = "restricted"  # it was searched among the configs alone that were asked for
    unfit = "unfit"  # none of the configs that were asked for is legal there
    failed = "failed"
    left = "left"  # time did not suffice to begin it


@dataclass
class Coverage:
    cell: Cell
    way: Way = Way.left
    reason: str = ""  # why no search can gain much, why there is no winner, or why no more was tried
    default: Config | None = None  # what the library's rules choose without any record
    untuned: Config | None = None  # what runs without a record of the user's own: the default, or the library's record
    winner: Config | None = None
    ratios: dict[Config, float] = field(default_factory=dict)  # time over the winner's in the same round
    gain: float | None = None  # how many times as long as the winner what runs untuned takes, over the octave
    may_gain: float | None = (
        None  # the share of the winner's time that a longer search may take off; None: nobody knows
    )
    unbeaten: Config | None = None  # what serves on, where the winner of a restricted search does not beat it
    failed: set[Config] = field(default_factory=set)  # configs that failed in this run, which races none of them again

    @property
    def is_searched(self) -> bool:
        return self.way in (Way.searched, Way.cut_short)

    @property
    def next_best(self) -> float | None:
        """How many times as long as the winner the next config takes."""
        others = [ratio for config, ratio in self.ratios.items() if config != self.winner]
        return min(others, default=None)

    def learn(self, decision: Decision, raced: Mapping[Config, Measurement] | None = None) -> None:
        """Take in a final round, and the times of a race before it. Earlier ratios stay comparable as long as the
        earlier winner was in it.
        """
        winner, ratios = decision.winner, decision.ratios
        before = ratios.get(self.winner, 1.0) if self.winner else 1.0
        # An earlier winner that is not in this round has failed since.
        kept = {config: ratio for config, ratio in self.ratios.items() if config != self.winner}
        self.ratios = {config: ratio * before for config, ratio in kept.items()}
        winner_us = decision.times[winner].median_us
        # What was raced and did not come into the round was slower than what did.
        self.ratios |= {config: max(1.0, time.median_us / winner_us) for config, time in (raced or {}).items()}
        self.ratios |= ratios
        self.winner, self.gain = winner, decision.gain

    def give_up(self, reason: str) -> None:
        """Note why no more is tried here. A winner that was found before stays."""
        self.reason = reason
        if self.winner is None:
            self.way = Way.failed

    def message(self) -> dict[str, Any]:
        """Return the coverage for a JSON file."""
        by_time = sorted(self.ratios.items(), key=lambda item: item[1])
        return {
            "problem": self.cell.problem.message(), "n": self.cell.n, "way": self.way.value, "reason": self.reason,
            "gain": self.gain, "untuned": self.untuned.message() if self.untuned else None,
            "unbeaten": self.unbeaten.message() if self.unbeaten else None,
            "compared": [{"config": config.message(), "ratio": round(ratio, 4)} for config, ratio in by_time],
        }  # fmt: skip
