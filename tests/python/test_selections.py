"""Selections from arrays: what NumPy keeps, and the three ways to take results whose number depends on the items."""

from __future__ import annotations

from collections.abc import Callable

import array_api_strict as strict
import ml_dtypes
import numpy as np
import pytest

import scantune
from array_cases import EDGES, FLOATS, INTEGERS, LAYOUTS, SHAPES, Array, Lent, expect, made, read_only

pytestmark = pytest.mark.usefixtures("kept_kernels")

IS_POSITIVE = "__device__ bool keep(Value item) { return item > 0; }"


def runs_of(x: Array) -> tuple[Array, Array]:
    """Return where each run of equal neighbours begins, and how many items it has."""
    starts = np.flatnonzero(np.concatenate([np.ones(min(1, x.size), bool), x[1:] != x[:-1]]))
    return starts, np.diff(np.append(starts, x.size))


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_selections_of_every_type_are_those_of_numpy(dtype: str) -> None:
    for x in (made(dtype, (300,)), made(dtype, (300,))[::-3]):
        mask = np.arange(x.size) % 3 == 0
        expect(scantune.compress(mask, x), np.compress(mask, x))
        (found,) = scantune.nonzero(x)
        expect(found, np.nonzero(x)[0])
        starts, counts = runs_of(x)
        values, indices, lengths = scantune.unique_consecutive(x, return_indices=True, return_counts=True)
        expect(values, x[starts])
        expect(indices, starts)
        expect(lengths, counts)


@pytest.mark.parametrize("n", EDGES)
def test_selections_of_edge_sizes_are_those_of_numpy(n: int) -> None:
    x = made("int32", (n,))
    expect(scantune.compress(x > 1, x), x[x > 1])
    expect(scantune.filter(x, IS_POSITIVE), x[x > 0])
    expect(scantune.nonzero(x)[0], np.nonzero(x)[0])
    starts, counts = runs_of(x)
    expect(scantune.unique_consecutive(x), x[starts])
    values, lengths = scantune.unique_consecutive(x, return_counts=True)
    expect(values, x[starts])
    expect(lengths, counts)
    expect(scantune.unique_consecutive(x, return_indices=True)[1], starts)


@pytest.mark.parametrize("dtype", ["int16", "float32", "uint64"])
def test_flags_may_be_numbers(dtype: str) -> None:
    mask, x = made(dtype, (200,)), made("float64", (200,))
    expect(scantune.compress(mask, x), x[mask != 0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "float16", ml_dtypes.bfloat16])
def test_a_predicate_is_the_callers_own(dtype: str) -> None:
    x = made(dtype, (500,))
    expect(scantune.filter(x, "__device__ bool keep(Value x) { return x * 2 > 2; }"), x[x > 1])
    with pytest.raises(RuntimeError, match=r"keep\.cu"):
        scantune.filter(x, "__device__ bool keep(Value x) { return y; }")


def test_nans_differ_from_all_and_zeros_of_both_signs_are_one() -> None:
    x = np.asarray([np.nan, np.nan, 0.0, -0.0, 0.0, 2])
    expect(scantune.unique_consecutive(x), np.asarray([np.nan, np.nan, 0, 2]))
    expect(scantune.unique_consecutive(x, return_counts=True)[1], np.asarray([1, 1, 3, 1]))
    expect(scantune.nonzero(x)[0], np.nonzero(x)[0])


@pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "float64"])
def test_both_parts_of_a_split_keep_their_order(dtype: str) -> None:
    x = made(dtype, (500,))[::-2]
    is_selected = np.arange(x.size) % 7 < 3
    for found, expected in zip(scantune.split_by(x, is_selected), (x[is_selected], x[~is_selected]), strict=True):
        expect(found, expected)
    for found, expected in zip(scantune.split_by(x, IS_POSITIVE), (x[x > 0], x[x <= 0]), strict=True):
        expect(found, expected)
    for by in (np.zeros(x.size, bool), np.ones(x.size, bool)):
        for found, expected in zip(scantune.split_by(x, by), (x[by], x[~by]), strict=True):
            expect(found, expected)
    for found in scantune.split_by(x[:0], is_selected[:0]):
        expect(found, x[:0])


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32"])
def test_each_value_is_counted(dtype: str) -> None:
    for x in (made(dtype, (300,)), made(dtype, (6, 50)).T, made(dtype, ()), made(dtype, (0, 3))):
        found = scantune.unique_counts(x)
        values, counts = np.unique(x, return_counts=True)
        expect(found.values, values)
        expect(found.counts, counts)
    x = np.asarray([np.nan, 0.0, -0.0, np.nan, 2])
    expect(scantune.unique_counts(x).values, np.asarray([0, 2, np.nan, np.nan]))
    expect(scantune.unique_counts(x).counts, np.asarray([2, 1, 1, 1]))


@pytest.mark.parametrize("shape", [*SHAPES, (0, 3)])
def test_indices_of_more_dimensions_are_those_of_numpy(shape: tuple[int, ...]) -> None:
    for layout in LAYOUTS.values():
        x = layout(made("int32", shape)) if 0 not in shape else made("int32", shape)
        for found, expected in zip(scantune.nonzero(x), np.nonzero(x), strict=True):
            expect(found, expected, shape)


def test_a_size_gives_a_length_of_its_own() -> None:
    x = made("int32", (60,))
    kept = x[x > 1]
    for size in (0, kept.size - 2, kept.size, kept.size + 5, 100):
        padded = np.concatenate([kept, np.full(100, -7, "int32")])[:size]
        expect(scantune.compress(x > 1, x, size=size, fill_value=-7), padded, size)
    expect(scantune.nonzero(x, size=80)[0], np.concatenate([np.nonzero(x)[0], np.zeros(80, "int64")])[:80])
    starts, counts = runs_of(x)
    found = scantune.unique_consecutive(x, return_indices=True, return_counts=True, size=70, fill_value=9)
    for one, expected, fill in zip(found, (x[starts], starts, counts), (9, 0, 0), strict=True):
        expect(one, np.concatenate([expected, np.full(70, fill, expected.dtype)])[:70])
    values, counts = scantune.unique_counts(x, size=6, fill_value=9)
    expect(values, np.asarray([0, 1, 2, 3, 9, 9], "int32"))
    expect(counts, np.append(np.bincount(x), [0, 0]))
    flags = made("bool", (20,))
    padded = np.concatenate([flags[flags], np.ones(20, bool)])[:20]
    expect(scantune.compress(flags, flags, size=20, fill_value=True), padded)


@pytest.mark.parametrize("count_type", ["int32", "uint64"])
def test_out_and_count_take_what_there_is_room_for(count_type: str) -> None:
    x = made("int32", (60,))
    kept = x[x > 1]
    memory, count = np.full(64, -1, "int32"), np.zeros(1, count_type)
    assert scantune.compress(x > 1, x, out=memory[2:62], count=count).base is memory
    assert count[0] == kept.size
    expect(memory[2 : 2 + kept.size], kept)
    assert (memory[2 + kept.size :] == -1).all()
    small = np.full(8, -1, "int32")
    scantune.filter(x, IS_POSITIVE, out=small[:5], count=count)
    assert count[0] == (x > 0).sum()
    expect(small, np.append(x[x > 0][:5], np.asarray([-1] * 3, "int32")))
    whole = np.zeros(60, "int32")
    assert scantune.split_by(x, x > 1, out=whole, count=count) is whole
    assert count[0] == kept.size
    expect(whole, np.concatenate([kept, x[x <= 1]]))
    distinct = np.full(3, -1, "int32"), np.full(3, -1)
    assert scantune.unique_counts(x, out=distinct, count=count).counts is distinct[1]
    assert count[0] == 4
    expect(distinct[1], np.bincount(x)[:3])
    values, indices = np.zeros(60, "int32"), np.zeros(60, "int64")
    found = scantune.unique_consecutive(x, return_indices=True, out=(values, indices), count=count)
    assert found[0] is values
    assert found[1] is indices
    starts, _ = runs_of(x)
    assert count[0] == starts.size
    expect(indices[: starts.size], starts)


ITEMS = np.zeros(8, "int64")
MASK = np.zeros(8, bool)
COUNT = np.zeros((), "int64")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: scantune.compress(MASK, [1]), TypeError, "compress: x is an object of type list, which is not an ar"),
        (lambda: scantune.compress([1], ITEMS), TypeError, "compress: mask is an object of type list"),
        (lambda: scantune.compress(MASK[1:], ITEMS), ValueError, "compress: mask has 7 items, and x has 8"),
        (
            lambda: scantune.compress(MASK, np.zeros((2, 4))),
            ValueError,
            r"x has 2 dimensions; it must have one: pass x\.",
        ),
        (lambda: scantune.filter(ITEMS, "int f();"), RuntimeError, "keep"),
        (lambda: scantune.split_by(ITEMS, MASK[1:]), ValueError, "split_by: by has 7 items, and x has 8"),
        (lambda: scantune.split_by(ITEMS, MASK, out=np.zeros(8, "i8")), TypeError, "split_by: out is given without co"),
        (
            lambda: scantune.split_by(ITEMS, MASK, out=np.zeros(9, "i8"), count=COUNT),
            ValueError,
            "split_by: out has 9 items, and x has 8",
        ),
        (lambda: scantune.split_by(ITEMS, MASK, out=ITEMS, count=COUNT), ValueError, "split_by: out overlaps x in mem"),
        (lambda: scantune.unique_counts([1]), TypeError, "unique_counts: x is an object of type list"),
        (lambda: scantune.unique_counts(ITEMS, size=1.5), ValueError, "unique_counts: size is 1.5; it must be an inte"),
        (lambda: scantune.nonzero(np.zeros(())), ValueError, "nonzero: x has no dimensions"),
        (
            lambda: scantune.nonzero(np.zeros((2, 2)), size=3),
            ValueError,
            "nonzero: x has 2 dimensions, and size and out",
        ),
        (
            lambda: scantune.nonzero(ITEMS, size=3, fill_value=1.5),
            TypeError,
            "fill_value is 1.5; it must be an integer",
        ),
        (
            lambda: scantune.unique_consecutive(ITEMS > 1, size=9, fill_value=2),
            ValueError,
            "fill_value is 2; it must be a bool",
        ),
        (lambda: scantune.nonzero(ITEMS, size=-1), ValueError, "nonzero: size is -1; it must be an integer, not less"),
        (lambda: scantune.nonzero(ITEMS, fill_value=1), TypeError, "nonzero: fill_value is given without size"),
        (lambda: scantune.nonzero(ITEMS, stream=1), ValueError, "nonzero: stream is given, and x is in the CPU's mem"),
        (lambda: scantune.nonzero(ITEMS, out=np.zeros(8, "i8")), TypeError, "nonzero: out is given without count"),
        (lambda: scantune.nonzero(ITEMS, count=COUNT), TypeError, "nonzero: count is given without out"),
        (
            lambda: scantune.nonzero(ITEMS, size=2, out=np.zeros(8, "i8"), count=COUNT),
            TypeError,
            "nonzero: size and out are both given",
        ),
        (
            lambda: scantune.nonzero(ITEMS, out=np.zeros(8), count=COUNT),
            TypeError,
            "nonzero: out has items of float64, and results are int64",
        ),
        (
            lambda: scantune.compress(MASK, ITEMS, out=read_only(np.zeros(8, "i8")), count=COUNT),
            ValueError,
            "compress: out is read-only",
        ),
        (lambda: scantune.compress(MASK, ITEMS, out=ITEMS, count=COUNT), ValueError, "compress: out overlaps x in mem"),
        (
            lambda: scantune.compress(MASK, ITEMS, out=np.zeros(16, "i8")[::2], count=COUNT),
            ValueError,
            "compress: out is not contiguous",
        ),
        (
            lambda: scantune.compress(MASK, ITEMS, out=np.zeros(8, "i8"), count=np.zeros((), "i2")),
            TypeError,
            "compress: count has items of int16; they must be integers of 32 or 64 bits",
        ),
        (
            lambda: scantune.compress(MASK, ITEMS, out=np.zeros(8, "i8"), count=np.zeros(2, "i8")),
            ValueError,
            "compress: count must be an array of one integer",
        ),
        (
            lambda: scantune.compress(MASK, ITEMS, out=np.zeros(8, "i8"), count=ITEMS[3:4]),
            ValueError,
            "compress: count overlaps x in memory",
        ),
        (
            lambda: scantune.unique_consecutive(ITEMS, return_counts=True, out=np.zeros(8, "i8"), count=COUNT),
            TypeError,
            "unique_consecutive: out must be a tuple of 2 arrays",
        ),
        (
            lambda: scantune.unique_consecutive(ITEMS, return_counts=True, out=(COUNT[None],) * 2, count=COUNT),
            ValueError,
            r"unique_consecutive: out\[1\] overlaps out\[0\] in memory",
        ),
    ],
)
def test_what_cannot_be_selected_is_refused_by_the_name_of_the_argument(
    call: Callable[[], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("function", ["nonzero", "unique_counts"])
def test_drawn_arrays_give_what_the_array_api_standard_says(function: str) -> None:
    random = np.random.default_rng(45)
    for _ in range(16):
        shape = tuple(int(size) for size in random.integers(0, 7, random.integers(1, 4)))
        x = strict.asarray(random.integers(0, 2, shape).astype(random.choice(["int8", "float64", "bool"])))
        found, expected = getattr(scantune, function)(x), getattr(strict, function)(x)
        assert len(found) == len(expected)
        assert getattr(found, "_fields", None) == getattr(expected, "_fields", None)
        for one, other in zip(found, expected, strict=True):
            assert (type(one), one.dtype, one.shape) == (type(other), other.dtype, other.shape)
            np.testing.assert_array_equal(np.asarray(one), np.asarray(other), err_msg=str(x))


def test_an_array_that_only_exports_its_items_needs_a_size_or_out() -> None:
    x = made("int32", (40,))
    for function in (scantune.nonzero, scantune.unique_counts, lambda x: scantune.run_length_decode(x, x)):
        with pytest.raises(TypeError, match="x is of type Lent, of which scantune makes no arrays whose length"):
            function(Lent(x))
    expect(np.from_dlpack(scantune.nonzero(Lent(x), size=40, fill_value=-5)[0])[-1:], np.asarray([-5]))
    counts = scantune.unique_counts(Lent(x), size=50).counts
    expect(np.from_dlpack(counts).sum(), np.asarray(40))
    out, count = np.zeros(40, "int64"), np.zeros((), "int64")
    scantune.nonzero(Lent(x), out=Lent(out), count=Lent(count))
    expect(out[:count], np.nonzero(x)[0])
