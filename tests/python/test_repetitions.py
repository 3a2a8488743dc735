"""Items, each as often as a number says: what NumPy's repeat() gives."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

import scantune
from array_cases import EDGES, LAYOUTS, expect, made, read_only

pytestmark = pytest.mark.usefixtures("kept_kernels")


@pytest.mark.parametrize("dtype", ["bool", "int16", "uint64", "float16", ml_dtypes.bfloat16, "float64"])
def test_items_of_every_width_are_repeated(dtype: str) -> None:
    x, lengths = made(dtype, (90,))[::-3], np.random.default_rng(2).integers(0, 5, 30)
    expect(scantune.run_length_decode(x, lengths), np.repeat(x, lengths))
    expect(scantune.repeat_interleave(x, lengths), np.repeat(x, lengths))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64"])
def test_lengths_are_integers_of_any_width(dtype: str) -> None:
    x, lengths = made("int32", (40,)), made(dtype, (40,))
    expect(scantune.run_length_decode(x, lengths), np.repeat(x, lengths.astype("int64")))


@pytest.mark.parametrize("n", EDGES)
def test_edge_sizes_come_back_from_their_runs(n: int) -> None:
    x = made("int32", (n,))
    expect(scantune.run_length_decode(*scantune.run_length_encode(x)), x)


def test_lengths_below_0_count_as_0() -> None:
    x, lengths = np.arange(5), np.asarray([-3, 2, -1, 1, -7])
    expect(scantune.run_length_decode(x, lengths), np.asarray([1, 1, 3]))
    expect(scantune.repeat_interleave(x, lengths), np.asarray([1, 1, 3]))


def test_a_size_drops_what_is_beyond_and_repeats_the_last_item() -> None:
    x, lengths = np.arange(4), np.asarray([2, 0, 3, 1])
    whole = np.append(np.repeat(x, lengths), [3] * 10)
    for size in (0, 1, 4, 6, 9):
        expect(scantune.run_length_decode(x, lengths, size=size), whole[:size], size)
        expect(scantune.repeat_interleave(x, lengths, output_size=size), whole[:size], size)
        memory = np.full(12, -1)
        out = memory[1 : 1 + size]
        assert scantune.run_length_decode(x, lengths, out=out) is out
        assert memory.tolist() == [-1, *whole[:size], *[-1] * (11 - size)]


def test_arrays_of_more_dimensions_are_taken_in_c_order() -> None:
    x = made("int32", (5, 7))
    for layout in LAYOUTS.values():
        expect(scantune.repeat_interleave(layout(x), 3), np.repeat(layout(x), 3))
    expect(scantune.repeat_interleave(x[0, 0], 4), np.repeat(x[0, 0], 4))
    expect(scantune.repeat_interleave(x, np.int8(2)), np.repeat(x, 2))
    expect(scantune.repeat_interleave(x, np.asarray(2)), np.repeat(x, 2))
    expect(scantune.repeat_interleave(x, 0), np.zeros(0, "int32"))
    expect(scantune.repeat_interleave(x[:0], 3), np.zeros(0, "int32"))


ITEMS = np.zeros(8, "int64")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: scantune.run_length_decode(ITEMS, ITEMS[1:]), ValueError, "lengths has 7 items, and x has 8"),
        (lambda: scantune.run_length_decode(ITEMS, np.zeros(8)), TypeError, "lengths has items of float64; they must"),
        (lambda: scantune.run_length_decode(ITEMS, ITEMS, size=-1), ValueError, "size is -1; it must be an integer"),
        (
            lambda: scantune.run_length_decode(ITEMS, ITEMS, size=2, out=np.zeros(2, "i8")),
            TypeError,
            "size and out are",
        ),
        (lambda: scantune.run_length_decode(ITEMS[:0], ITEMS[:0], size=2), ValueError, "run_length_decode: x is empty"),
        (lambda: scantune.run_length_decode(ITEMS.copy(), ITEMS, out=ITEMS), ValueError, "out overlaps lengths in mem"),
        (lambda: scantune.run_length_decode(ITEMS, ITEMS, out=np.zeros(8)), TypeError, "out has items of float64, and"),
        (
            lambda: scantune.run_length_decode(ITEMS, ITEMS, out=read_only(np.zeros(8, "i8"))),
            ValueError,
            "run_length_decode: out is read-only",
        ),
        (
            lambda: scantune.repeat_interleave(ITEMS, -2),
            ValueError,
            "repeat_interleave: repeats is -2; it must be an in",
        ),
        (lambda: scantune.repeat_interleave(ITEMS, 2**62), ValueError, "which gives more results than can be counted"),
        (lambda: scantune.repeat_interleave(ITEMS, np.asarray(2.5)), TypeError, "repeats is 2.5; it must be an integ"),
        (lambda: scantune.repeat_interleave(ITEMS, 2.5), TypeError, "repeats is an object of type float, which is not"),
        (
            lambda: scantune.repeat_interleave(ITEMS, [1] * 8),
            TypeError,
            "repeats is an object of type list, which is n",
        ),
    ],
)
def test_what_cannot_be_repeated_is_refused_by_the_name_of_the_argument(
    call: Callable[[], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call()
