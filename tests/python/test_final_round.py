"""The choice of a winner: it must be faster beyond the noise."""

from __future__ import annotations

import pytest

from scantune.compare.final_round import pick_winner
from scantune.model.config import Config
from scantune.model.measurement import Measurement

OLD = Config("old", ())
NEW = Config("new", ())


def measured(old: tuple[float, float], new: tuple[float, float]) -> dict[Config, Measurement]:
    return {OLD: Measurement(*old, samples=15), NEW: Measurement(*new, samples=15)}


@pytest.mark.parametrize(
    ("old", "new", "winner"),
    [
        ((10.0, 0.001), (9.0, 0.001), NEW),  # 10 % faster, quiet
        ((10.0, 0.001), (9.97, 0.001), OLD),  # faster by less than clocks move
        ((10.0, 0.20), (9.5, 0.20), OLD),  # faster by less than the noise
        ((10.0, 0.20), (5.0, 0.20), NEW),  # noisy, but twice as fast
        ((10.0, 0.001), (11.0, 0.001), OLD),  # slower
        ((10.0, 0.001), (10.0, 0.001), OLD),  # a tie
    ],
)
def test_holder_is_replaced_only_beyond_the_noise(
    old: tuple[float, float], new: tuple[float, float], winner: Config
) -> None:
    assert pick_winner(measured(old, new), holder=OLD) == winner


def test_fastest_wins_where_there_is_no_holder() -> None:
    times = measured((10.0, 0.5), (9.99, 0.5))
    assert pick_winner(times, holder=None) == NEW
    assert pick_winner({NEW: times[NEW]}, holder=OLD) == NEW
    assert pick_winner({}, holder=OLD) is None
