"""Sorts of arrays: what NumPy's stable sorts give, along every axis, whatever the strides."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import array_api_strict as strict
import ml_dtypes
import numpy as np
import pytest

import scantune
from array_cases import EDGES, FLOATS, INTEGERS, LAYOUTS, SHAPES, Array, expect, made, read_only

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


@pytest.mark.parametrize("n", EDGES)
def test_sorts_of_edge_sizes_are_those_of_numpy(n: int) -> None:
    x = np.random.default_rng(n).integers(-(2**31), 2**31, n).astype("int32")
    values, indices = sorted_by_numpy(x, 0, False)
    expect(scantune.sort(x), values)
    expect(scantune.argsort(x), indices)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3), (1, 6, 1), (6, 1)])
def test_arrays_of_no_and_of_single_items_keep_their_shape(shape: tuple[int, ...]) -> None:
    x = made("int32", shape)
    for axis in range(max(1, x.ndim)):
        expect(scantune.sort(x, axis=axis), np.sort(x, axis) if shape else x, axis)
        expect(
            scantune.argsort(x, axis=axis), np.argsort(x, axis, kind="stable") if shape else np.zeros((), "int64"), axis
        )


def test_floats_have_a_total_order() -> None:
    x = np.asarray([np.inf, 0.0, np.nan, -1, -0.0, -np.inf, -np.nan], "float32")
    assert scantune.argsort(x).tolist() == [6, 5, 3, 4, 1, 0, 2]
    assert scantune.argsort(x, descending=True).tolist() == [2, 0, 1, 4, 3, 5, 6]
    small = np.asarray([3, -2, 0.5], ml_dtypes.bfloat16)
    expect(scantune.sort(small), np.asarray([-2, 0.5, 3], ml_dtypes.bfloat16))


def test_results_go_where_out_says() -> None:
    x = made("int32", (6, 8))
    memory = np.full((8, 6), -1, "int32")
    assert scantune.sort(x, axis=0, out=memory.T).base is memory
    expect(memory.T, np.sort(x, 0))
    indices = np.full((7, 8), -1)
    scantune.argsort(x, out=indices[:6])
    expect(indices[:6], np.argsort(x, 1, kind="stable"))
    assert (indices[6] == -1).all()


ITEMS = np.zeros((4, 8), "int64")


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
