"""The comparison of two databases: which cells count, and when two winners agree."""

from __future__ import annotations

import agreement
import pytest

from conftest import SUM
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.measurement import Measurement

CELL = Cell(SUM, 1024)
CONFIGS = (Config("lookback", (("block_threads", 128),)), Config("lookback", (("block_threads", 256),)))


def pair(first_us: float, second_us: float, spread: float = 0.0) -> agreement.Pair:
    return agreement.Pair(CELL, CONFIGS, (Measurement(first_us, spread, 41), Measurement(second_us, spread, 41)))


@pytest.mark.parametrize(
    ("times", "spread", "agrees"),
    [
        ((1.0, 1.009), 0.0, True),
        ((1.009, 1.0), 0.0, True),
        ((1.0, 1.012), 0.0, False),
        ((1.0, 1.012), 0.07, True),  # within half the interval, which is 2 %
        ((1.0, 1.016), 0.07, False),  # only 1.5 % of the 2 % count
    ],
)
def test_winners_agree_within_one_percent_or_the_noise(times: tuple[float, float], spread: float, agrees: bool) -> None:
    assert pair(*times, spread).agrees is agrees


def test_same_config_agrees_untimed_and_counts() -> None:
    same = agreement.Pair(CELL, (CONFIGS[0], CONFIGS[0]), None)
    told = agreement.summary([same, pair(1.0, 1.05), same, same])
    assert told == {
        "cells": 4, "agreeing_share": 0.75, "same_config": 3, "worst_ratio": 1.05, "worst": str(CELL),
    }  # fmt: skip
