"""Sizes and durations as people write them."""

from __future__ import annotations

import pytest

from scantune.errors import UsageError
from scantune.model.quantity import format_bytes, format_duration, format_size, parse_bytes, parse_duration, parse_sizes


@pytest.mark.parametrize(
    ("texts", "sizes"),
    [
        (["256"], [256]),
        (["2^20"], [2**20]),
        (["1M", "1K"], [2**10, 2**20]),
        (["1g"], [2**30]),
        (["2^9..2^11"], [2**9, 2**10, 2**11]),
        (["2^8..2^9"], [2**8, 2**9]),
        (["2^8..2^14:4"], [2**8, 2**10, 2**12, 2**14]),
        (["2^8..2^9:4"], [2**8, 2**9]),
        (["2^8..1000"], [256, 512, 1000]),
        (["1..8:3"], [1, 3, 8]),
        (["8..8"], [8]),
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
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("10m", 600), ("1h30m", 5400), ("1h", 3600), ("0.5s", 0.5), ("30d", 30 * 86400)],
)
def test_durations_are_read_as_people_write_them(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "10x", "-5m", "m", "1m1h"])
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a duration"):
        parse_duration(text)


def test_sizes_and_durations_are_written_short() -> None:
    assert [format_size(n) for n in (1, 256, 1000, 2**30, 2**30 + 1)] == ["1", "2^8", "1,000", "2^30", "1,073,741,825"]
    assert [format_duration(s) for s in (-1, 45.2, 570, 3900, 10**6)] == ["0s", "45s", "9m30s", "1h05m", "11d13h"]


@pytest.mark.parametrize(
    ("text", "count"),
    [("0", 0), ("1000000", 10**6), ("500M", 500 * 2**20), ("2G", 2**31), ("2GiB", 2**31), ("1kb", 1024)],
)
def test_bytes_are_read_as_people_write_them(text: str, count: int) -> None:
    assert parse_bytes(text) == count


@pytest.mark.parametrize("text", ["", "-1", "1.5G", "many", "1GB/s"])
def test_other_bytes_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a number of bytes; write 500M"):
        parse_bytes(text)


def test_bytes_are_written_short() -> None:
    assert [format_bytes(count) for count in (0, 1023, 1536, 5 * 2**30, 3 * 2**40)] == [
        "0 bytes", "1023 bytes", "1.5 KiB", "5.0 GiB", "3.0 TiB",
    ]  # fmt: skip
