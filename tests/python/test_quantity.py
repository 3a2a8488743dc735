"""Sizes and durations as people write them."""

from __future__ import annotations

import pytest

from scantune.errors import UsageError
from scantune.quantity import format_duration, format_size, parse_duration, parse_sizes


@pytest.mark.parametrize(
    ("texts", "sizes"),
    [
        (["256"], [256]),
        (["2^20"], [2**20]),
        (["1M", "1K"], [2**10, 2**20]),
        (["1g"], [2**30]),
        (["2^8..2^14"], [2**8, 2**10, 2**12, 2**14]),
        (["2^8..2^11:2"], [2**8, 2**9, 2**10, 2**11]),
        (["2^8..1000"], [256]),
        (["100,10, 100"], [10, 100]),
        (["2^33"], [2**33]),
    ],
)
def test_sizes_are_read_as_people_write_them(texts: list[str], sizes: list[int]) -> None:
    assert parse_sizes(texts) == sizes


@pytest.mark.parametrize(
    "text", ["", "abc", "0", "-1", "2^41", "1.5", "2^99", "8..4", "1..8:1", "2**8", "9" * 16, "9999999999999g"]
)
def test_other_sizes_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match=r"write|outside"):
        parse_sizes([text])


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("10m", 600), ("1h30m", 5400), ("1h", 3600), ("0.5s", 0.5)]
)
def test_durations_are_read_as_people_write_them(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "10x", "-5m", "m", "1m1h"])
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a duration"):
        parse_duration(text)


def test_sizes_and_durations_are_written_short() -> None:
    assert [format_size(n) for n in (1, 256, 1000, 2**30, 2**30 + 1)] == ["1", "2^8", "1,000", "2^30", "1,073,741,825"]
    assert [format_duration(s) for s in (-1, 45.2, 570, 3900)] == ["0s", "45s", "9m30s", "1h05m"]
