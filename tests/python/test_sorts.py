"""Sorts of arrays, and their first results: what NumPy's stable sorts give, along every axis, whatever the strides."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import array_api_strict as strict
import ml_dtypes
import numpy as np
import pytest

import scantune
from array_cases import EDGES, FLOATS, INTEGERS, LAYOUTS, SHAPES, Array, Lent, expect, made, read_only

pytestmark = pytest.mark.usefixtures("kept_kernels")


def sorted_by_numpy(x: Array, axis: int, descending: bool) -> tuple[Array, Array]:
    """Return the sorted items and their indices, of equal ones in their order."""
    if not descending:
        order = np.argsort(x, axis, kind="stable")
    else:
        order = np.flip(x.shape[axis] - 1 - np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    return np.take_along_axis(x, order, axis), order


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_sorts_along_every_axis_of_every_layout_are_those_of_numpy(dtype: str) -> None:
    shapes, layouts = (SHAPES[:2], list(LAYOUTS)) if dtype == "int32" else (SHAPES[:1], ["every third, reversed"])
    for shape, layout, descending in product(shapes, layouts, (False, True)):
        x = LAYOUTS[layout](made(dtype, shape))
        before = x.copy()
        for axis in range(-1, x.ndim):
            values, indices = sorted_by_numpy(x, axis, descending)
            asked: dict[str, Any] = {"axis": axis, "descending": descending}
            expect(scantune.sort(x, **asked), values, shape, layout, asked)
            expect(scantune.argsort(x, **asked), indices, shape, layout, asked)
        expect(x, before)


# Each type has one of the ways to ask, and int32 all.
WAYS = list(product((True, False), (True, False)))
TYPES_AND_WAYS = [
    *(("int32", *way) for way in WAYS),
    *((dtype, *WAYS[i % 4]) for i, dtype in enumerate(("bool", *INTEGERS, *FLOATS)) if dtype != "int32"),
]


@pytest.mark.parametrize(("dtype", "largest", "in_order"), TYPES_AND_WAYS)
def test_first_items_along_every_axis_of_every_layout_are_those_of_a_sort(
    dtype: str, largest: bool, in_order: bool
) -> None:
    shapes, layouts = (SHAPES[:2], list(LAYOUTS)) if dtype == "int32" else (SHAPES[:1], ["every third, reversed"])
    for shape, layout in product(shapes, layouts):
        x = LAYOUTS[layout](made(dtype, shape))
        values = np.arange(x.size, dtype="uint8").reshape(x.shape[::-1]).T
        before = x.copy()
        for axis, fewer in product(range(-1, x.ndim), (0, 1)):
            k = max(1, x.shape[axis] - fewer)
            places = np.take(sorted_by_numpy(x, axis, largest)[1], range(k), axis)
            if not in_order:
                places = np.sort(places, axis)
            asked: dict[str, Any] = {"axis": axis, "largest": largest, "sorted": in_order}
            items, indices = scantune.top_k(x, k, **asked)
            expect(items, np.take_along_axis(x, places, axis), shape, layout, k, asked)
            expect(indices, places, shape, layout, k, asked)
            expect(scantune.argtop_k(x, k, **asked), places, shape, layout, k, asked)
            if dtype == "int32":
                items, moved = scantune.top_k(x, k, **asked, values=values)
                expect(items, np.take_along_axis(x, places, axis), shape, layout, k, asked)
                expect(moved, np.take_along_axis(values, places, axis), shape, layout, k, asked)
        expect(x, before)


@pytest.mark.parametrize("n", EDGES)
def test_sorts_of_edge_sizes_are_those_of_numpy(n: int) -> None:
    x = np.random.default_rng(n).integers(-(2**31), 2**31, n).astype("int32")
    values, indices = sorted_by_numpy(x, 0, False)
    expect(scantune.sort(x), values)
    expect(scantune.argsort(x), indices)
    if n > 0:
        k = min(n, 2048)
        expect(scantune.top_k(x, k, largest=False)[0], values[:k])
        expect(scantune.argtop_k(x, k, largest=False), indices[:k])


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3), (1, 6, 1), (6, 1)])
def test_arrays_of_no_and_of_single_items_keep_their_shape(shape: tuple[int, ...]) -> None:
    x = made("int32", shape)
    for axis in range(max(1, x.ndim)):
        expect(scantune.sort(x, axis=axis), np.sort(x, axis) if shape else x, axis)
        expect(
            scantune.argsort(x, axis=axis), np.argsort(x, axis, kind="stable") if shape else np.zeros((), "int64"), axis
        )
        length = x.shape[axis] if shape else 1
        if length > 0:
            expect(scantune.top_k(x, length, axis=axis, largest=False)[0], scantune.sort(x, axis=axis), axis)
            expect(scantune.argtop_k(x, length, axis=axis, largest=False), scantune.argsort(x, axis=axis), axis)


def test_floats_have_a_total_order() -> None:
    x = np.asarray([np.inf, 0.0, np.nan, -1, -0.0, -np.inf, -np.nan], "float32")
    assert scantune.argsort(x).tolist() == [6, 5, 3, 4, 1, 0, 2]
    assert scantune.argsort(x, descending=True).tolist() == [2, 0, 1, 4, 3, 5, 6]
    assert scantune.argtop_k(x, 4).tolist() == [2, 0, 1, 4]
    assert scantune.argtop_k(x, 4, largest=False).tolist() == [6, 5, 3, 4]
    assert scantune.argtop_k(x, 4, sorted=False).tolist() == [0, 1, 2, 4]
    small = np.asarray([3, -2, 0.5], ml_dtypes.bfloat16)
    expect(scantune.sort(small), np.asarray([-2, 0.5, 3], ml_dtypes.bfloat16))
    expect(scantune.top_k(small, 2)[0], np.asarray([3, 0.5], ml_dtypes.bfloat16))


BY_SQUARE = "__device__ bool less(Value a, Value b) { return a * a < b * b; }"
NANS_LAST = "__device__ bool less(Value a, Value b) { return a < b || (b != b && a == a); }"


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float16", "float64"])
def test_sorts_by_a_comparison_keep_equal_items_in_order(dtype: str) -> None:
    for n in (0, 1, 33, 3000):
        x = np.random.default_rng(n).integers(-9, 9, (1, n, 1)).astype(dtype)[:, ::-1]
        squares = x.astype("float64") ** 2
        for descending in (False, True):
            places = sorted_by_numpy(squares, 1, descending)[1]
            asked: dict[str, Any] = {"axis": 1, "descending": descending, "less": BY_SQUARE}
            expect(scantune.sort(x, **asked), np.take_along_axis(x, places, 1), n, descending)
            expect(scantune.argsort(x, **asked), places, n, descending)
        out = np.zeros_like(x)
        scantune.sort(x, axis=1, less=BY_SQUARE, out=out)
        expect(out, np.take_along_axis(x, np.argsort(squares, 1, kind="stable"), 1), n)


def test_a_comparison_may_put_every_nan_last_as_numpy_does() -> None:
    x = np.asarray([np.nan, 0.0, -np.nan, np.inf, -0.0, -np.inf, np.nan, 2], "float32")
    expect(scantune.argsort(x, less=NANS_LAST), np.argsort(x, kind="stable"))
    expect(scantune.argsort(np.float16(x), less=NANS_LAST), np.argsort(x, kind="stable"))


def test_results_go_where_out_says() -> None:
    x = made("int32", (6, 8))
    memory = np.full((8, 6), -1, "int32")
    assert scantune.sort(x, axis=0, out=memory.T).base is memory
    expect(memory.T, np.sort(x, 0))
    indices = np.full((7, 8), -1)
    scantune.argsort(x, out=indices[:6])
    expect(indices[:6], np.argsort(x, 1, kind="stable"))
    assert (indices[6] == -1).all()


@pytest.mark.parametrize("index_type", ["int32", "uint32", "int64", "uint64"])
def test_first_items_go_where_out_says(index_type: str) -> None:
    x = made("int32", (6, 8))
    places = sorted_by_numpy(x, 0, True)[1][:3]
    items, indices = np.full((9, 3), -1, "int32"), np.full((8, 3), 99, index_type)
    found = scantune.top_k(x, 3, axis=0, out=(items[:8].T, indices.T))
    assert found[0].base is items
    assert found[1].base is indices
    expect(items[:8].T, np.take_along_axis(x, places, 0))
    expect(indices.T, places.astype(index_type))
    assert (items[8] == -1).all()
    expect(scantune.argtop_k(x, 3, axis=0, out=np.zeros_like(indices).T), places.astype(index_type))
    values = np.arange(48).reshape(6, 8)
    moved = np.zeros((8, 3), "int64")
    assert scantune.top_k(x, 3, axis=0, values=values, out=(items[:8].T, moved.T))[1].base is moved
    expect(moved.T, np.take_along_axis(values, places, 0))


ITEMS = np.zeros((4, 8), "int64")
FOUND, INDICES = np.zeros((4, 2), "int64"), np.zeros((4, 2), "int64")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: scantune.sort([1, 2]), TypeError, "sort: x is an object of type list, which is not an array"),
        (lambda: scantune.sort(np.zeros(2, complex)), TypeError, "sort: x has items of complex128"),
        (lambda: scantune.argsort(ITEMS, axis=-3), IndexError, "argsort: axis is -3, and x has 2 dimensions"),
        (lambda: scantune.sort(ITEMS, stream=1), ValueError, "stream is given, and x is in the CPU's memory"),
        (lambda: scantune.sort(ITEMS, out=ITEMS), ValueError, "sort: out overlaps x in memory: pass memory apart"),
        (lambda: scantune.sort(ITEMS, out=np.zeros((4, 8))), TypeError, "out has items of float64, and results are i"),
        (lambda: scantune.argsort(np.zeros(4), out=np.zeros(4)), TypeError, "out has items of float64, and results a"),
        (lambda: scantune.sort(ITEMS, out=np.zeros(4, "i8")), ValueError, "sort: out has another shape"),
        (lambda: scantune.sort(ITEMS, out=read_only(np.zeros((4, 8), "i8"))), ValueError, "sort: out is read-only"),
        (lambda: scantune.sort(ITEMS, axis=0, out=np.zeros((4, 8), "i8")), ValueError, "out is not contiguous with th"),
        (lambda: scantune.sort(Lent(ITEMS), axis=0), ValueError, "axis is not the last one of x: pass arrays that ha"),
        (
            lambda: scantune.sort(ITEMS, less=BY_SQUARE),
            ValueError,
            "less is given, and x has 4 rows along the axis; it",
        ),
        (lambda: scantune.argsort(ITEMS, less=max), TypeError, "argsort: less is an object of type builtin_function_o"),  # type: ignore[arg-type]
        (lambda: scantune.sort(ITEMS[0], less=""), ValueError, "empty; it must define bool less"),
        (lambda: scantune.sort(ITEMS[0], less="int fewer;"), RuntimeError, "no less: define __device__ bool less"),
        (lambda: scantune.top_k([1, 2], 1), TypeError, "top_k: x is an object of type list, which is not an array"),
        (lambda: scantune.top_k(np.zeros(2, complex), 1), TypeError, "top_k: x has items of complex128"),
        (lambda: scantune.argtop_k(ITEMS, 1, axis=2), IndexError, "argtop_k: axis is 2, and x has 2 dimensions"),
        (lambda: scantune.top_k(ITEMS, 0), ValueError, "top_k: k is 0; it must be an integer, not less than 1"),
        (lambda: scantune.top_k(ITEMS, -1), ValueError, "top_k: k is -1; it must be an integer, not less than 1"),
        (lambda: scantune.top_k(ITEMS, 1.5), ValueError, "top_k: k is 1.5; it must be an integer, not less than 1"),  # type: ignore[arg-type]
        (lambda: scantune.argtop_k(ITEMS, 5, axis=0), ValueError, "k is 5, and x has 4 items along the axis: ask"),
        (lambda: scantune.top_k(np.asarray(1), 2), ValueError, "k is 2, and x has 1 items along the axis: ask"),
        (lambda: scantune.top_k(ITEMS[:, :0], 1), ValueError, "k is 1, and x has 0 items along the axis: ask"),
        (lambda: scantune.argtop_k(np.zeros(40_000), 30_000), ValueError, "k is more than one CTA can put in order"),
        (lambda: scantune.top_k(ITEMS, 2, values=FOUND), ValueError, "top_k: values has another shape than x"),
        (lambda: scantune.top_k(ITEMS, 2, stream=1), ValueError, "stream is given, and x is in the CPU's memory"),
        (lambda: scantune.top_k(ITEMS, 2, out=FOUND), TypeError, "top_k: out must be a tuple of 2 arrays"),  # type: ignore[arg-type]
        (lambda: scantune.top_k(ITEMS, 2, out=(FOUND, FOUND)), ValueError, r"out\[1\] overlaps out\[0\] in memory: p"),
        (lambda: scantune.top_k(ITEMS, 2, out=(FOUND, ITEMS[:, :2])), ValueError, r"out\[1\] overlaps x in memory: pa"),
        (lambda: scantune.top_k(ITEMS, 3, out=(FOUND, INDICES)), ValueError, r"out\[0\] has another shape than the re"),
        (lambda: scantune.argtop_k(ITEMS, 2, out=np.zeros((4, 2))), TypeError, "out has items of float64; they must"),
        (lambda: scantune.argtop_k(ITEMS, 2, out=np.zeros((4, 2), "i2")), TypeError, "must be integers of 32 or 64 bi"),
        (
            lambda: scantune.top_k(ITEMS, 2, out=(np.zeros((4, 2)), INDICES)),
            TypeError,
            r"out\[0\] has items of float64, and results are int64",
        ),
        (
            lambda: scantune.top_k(ITEMS, 2, values=np.zeros((4, 8)), out=(FOUND, INDICES)),
            TypeError,
            r"out\[1\] has items of int64, and results are float64",
        ),
        (
            lambda: scantune.argtop_k(ITEMS, 2, out=np.zeros((2, 4), "i8").T),
            ValueError,
            "out is not contiguous with the axis as its last one",
        ),
    ],
)
def test_what_cannot_be_sorted_is_refused_by_the_name_of_the_argument(
    call: Callable[[], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("function", ["sort", "argsort"])
def test_drawn_arrays_give_what_the_array_api_standard_says(function: str) -> None:
    random = np.random.default_rng(45)
    for _ in range(16):
        shape = tuple(int(size) for size in random.integers(0, 7, random.integers(1, 4)))
        x = strict.asarray(
            random.integers(0, 9, shape).astype(random.choice(["int8", "uint32", "int64", "float32", "float64"]))
        )
        asked: dict[str, Any] = {
            "axis": int(random.integers(-len(shape), len(shape))),
            "descending": bool(random.integers(2)),
            "stable": True,
        }
        found, expected = getattr(scantune, function)(x, **asked), getattr(strict, function)(x, **asked)
        assert (type(found), found.dtype, found.shape) == (type(expected), expected.dtype, expected.shape), (x, asked)
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected), err_msg=str((x, asked)))
