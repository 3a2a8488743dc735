"""Ranges of sizes, and the octaves among them."""

from __future__ import annotations

import json

import pytest

from scantune.model.octave import Range, octave_of, octave_up_to
from scantune.model.quantity import MAX_N

OCTAVES = {
    1: (0, 1), 2: (1, 2), 3: (2, 4), 4: (2, 4), 5: (4, 8), 1023: (512, 1024), 1024: (512, 1024), 1025: (1024, 2048),
    2**20 + 1: (2**20, 2**21), MAX_N // 2: (MAX_N // 4, MAX_N // 2), MAX_N // 2 + 1: (MAX_N // 2, MAX_N),
    MAX_N: (MAX_N // 2, MAX_N),
}  # fmt: skip


@pytest.mark.parametrize(("n", "ends"), OCTAVES.items())
def test_octave_is_above_a_power_of_two_and_up_to_the_next(n: int, ends: tuple[int, int]) -> None:
    assert octave_of(n) == Range(*ends)
    assert n in octave_of(n)
    assert octave_up_to(n) == Range(ends[0], n)


def test_range_holds_its_upper_end_and_not_its_lower() -> None:
    found = Range(512, 1000)
    assert [n in found for n in (512, 513, 1000, 1001)] == [False, True, True, False]
    assert str(found) == "(2^9, 1,000]"


@pytest.mark.parametrize("range_", [Range(0, 1), Range(600, 1500), Range(0, MAX_N)], ids=str)
def test_range_survives_its_message(range_: Range) -> None:
    assert Range.from_message(json.loads(json.dumps(range_.message()))) == range_


@pytest.mark.parametrize(
    "message",
    [[], [1], [1, 2, 3], {"above": 1}, "12", None, [2, 1], [1, 1], [-1, 1], [0, MAX_N + 1], [0.0, 1], [0, True]],
    ids=str,
)
def test_message_that_is_no_range_is_refused(message: object) -> None:
    with pytest.raises(ValueError, match="range"):
        Range.from_message(message)
