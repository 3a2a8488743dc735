"""The accounting of a run's time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scantune.worker.stopwatch import OwnTime, Stopwatch


def test_each_second_counts_once_for_the_innermost() -> None:
    now = iter([0.0, 1.0, 3.0, 4.0, 6.0, 10.0])
    stopwatch = Stopwatch(lambda: next(now))
    with stopwatch.on("outer"):
        with stopwatch.on("inner"):
            pass
        with stopwatch.on("inner"):
            pass
    assert stopwatch.seconds == {"outer": 6.0, "inner": 4.0}


def test_seconds_count_that_end_in_an_error() -> None:
    now = iter([0.0, 2.0])
    stopwatch = Stopwatch(lambda: next(now))
    with pytest.raises(ValueError, match="lost"), stopwatch.on("measuring"):
        raise ValueError("lost")
    assert stopwatch.seconds == {"measuring": 2.0}


def test_own_time_stands_still_while_others_have_their_turn() -> None:
    now = 0.0
    own = OwnTime(lambda: now)

    def steps() -> Iterator[str]:
        nonlocal now
        now = 2.0
        assert own() == 2.0
        yield "first"
        now = 11.0
        yield "second"

    turns = own.of(steps())
    assert next(turns) == "first"
    now = 10.0
    assert own() == 2.0
    assert list(turns) == ["second"]
    assert own() == 3.0
