"""Reductions of arrays: what NumPy computes, along every axis, whatever the strides, and where extremes are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import array_api_strict as strict
import ml_dtypes
import numpy as np
import pytest

import scantune
from array_cases import EDGES, FLOATS, INTEGERS, LAYOUTS, OPERATIONS, SHAPES, Array, arranged, expect, made, read_only

pytestmark = pytest.mark.usefixtures("kept_kernels")


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_sums_along_every_axis_of_every_layout_are_those_of_numpy(dtype: str) -> None:
    for x, told in arranged(dtype):
        for axis in [None, *range(-1, x.ndim)]:
            expect(scantune.reduce(x, axis=axis), np.asarray(np.sum(x, axis)), *told, axis)


@pytest.mark.parametrize("n", EDGES)
def test_sums_of_edge_sizes_are_those_of_numpy(n: int) -> None:
    expect(scantune.reduce(made("int32", (n,))), np.asarray(made("int32", (n,)).sum()))
    # Columns that are read in the order of memory, and have results in another.
    columns = made("int32", (n, 3, 4)).transpose(2, 1, 0)
    expect(scantune.reduce(columns, axis=2), columns.sum(2))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3), (1, 6, 1)])
def test_arrays_of_no_and_of_single_items_are_taken_as_numpy_takes_them(shape: tuple[int, ...]) -> None:
    x = made("int32", shape)
    for axis in [None, *range(max(1, x.ndim))]:
        expect(scantune.reduce(x, axis=axis), np.asarray(np.sum(x, axis)), axis)
        found = scantune.reduce(x, axis=axis, init=7)
        expect(found, np.asarray(np.sum(x, axis, initial=7)), axis)


@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (0, 0)])
def test_of_no_items_there_is_no_extreme_without_init(op: str, shape: tuple[int, ...]) -> None:
    x = np.zeros(shape)
    for axis in [None, *range(x.ndim)]:
        if axis is not None and x.shape[axis] > 0:  # there are no results
            expect(scantune.reduce(x, op, axis=axis), OPERATIONS[op].reduce(x, axis))
            continue
        with pytest.raises(ValueError, match="no identity"):
            OPERATIONS[op].reduce(x, axis)
        with pytest.raises(ValueError, match=r"reduce: x has no items along the axis.*: pass init"):
            scantune.reduce(x, op, axis=axis)
        expect(scantune.reduce(x, op, axis=axis, init=4), np.asarray(OPERATIONS[op].reduce(x, axis, initial=4)))


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("init", [None, 3])
def test_reductions_of_all_operations(op: str, init: int | None) -> None:
    x = made("int64", (4, 30))
    start = {} if init is None else {"initial": init}
    expect(scantune.reduce(x, op, init=init), OPERATIONS[op].reduce(x, axis=1, **start))


@pytest.mark.parametrize(("op", "start"), [("min", True), ("bit_and", True), ("max", False), ("bit_xor", False)])
def test_booleans_stay_booleans_and_a_row_of_none_yields_the_identity(op: str, start: bool) -> None:
    x = made("bool", (3, 20))
    expect(scantune.reduce(x, op), OPERATIONS[op].reduce(x, axis=1))
    none = np.zeros((2, 0), bool)
    found = scantune.reduce(none, op, init=start) if op in ("min", "max") else scantune.reduce(none, op)
    assert found.view("uint8").tolist() == [start] * 2


@pytest.mark.parametrize("results", ["int8", "uint64", "float64"])
def test_results_have_the_type_that_is_asked_for(results: str) -> None:
    x = made("int64", (200,))
    expect(scantune.reduce(x, dtype=results), np.asarray(np.sum(x, dtype=results)))
    out = np.zeros((), results)
    assert scantune.reduce(x, out=out) is out
    assert out == np.sum(x, dtype=results)


def test_16_bit_floats_are_accumulated_in_32_bits() -> None:
    x = np.full(600, 1, ml_dtypes.bfloat16)
    expect(scantune.reduce(x), np.asarray(600).astype(ml_dtypes.bfloat16))


POSITIONS: dict[str, Callable[..., Any]] = {"argmin": np.argmin, "argmax": np.argmax}


@pytest.mark.parametrize("function", POSITIONS)
@pytest.mark.parametrize(
    ("dtype", "layouts"),
    [("int64", list(LAYOUTS)), ("uint8", ["as made"]), ("bool", ["as made"]), ("float16", ["transposed"])],
)
def test_positions_are_those_of_the_first_among_equals(function: str, dtype: str, layouts: list[str]) -> None:
    for shape, layout in product(SHAPES if dtype == "int64" else SHAPES[:1], layouts):
        x = LAYOUTS[layout](made(dtype, shape))
        for axis, keepdims in product([None, *range(-1, x.ndim)], (False, True)):
            expected = POSITIONS[function](x, axis, keepdims=keepdims)
            expect(getattr(scantune, function)(x, axis, keepdims=keepdims), np.asarray(expected), shape, layout, axis)


@pytest.mark.parametrize("n", EDGES[1:])
def test_positions_in_edge_sizes_are_those_of_numpy(n: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    assert (scantune.argmin(x), scantune.argmax(x)) == (np.argmin(x), np.argmax(x))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_first_nan_is_the_extreme_and_zeros_of_both_signs_are_equal(dtype: str) -> None:
    for items in ([1, np.nan, -3, np.nan], [0.0, -0.0], [-0.0, 0.0], [np.inf, np.inf], [-np.inf, 3, -np.inf]):
        x = np.asarray(items, dtype)
        assert (scantune.argmin(x), scantune.argmax(x)) == (np.argmin(x), np.argmax(x)), items


def test_results_go_where_out_says() -> None:
    x = made("int32", (6, 8))
    memory = np.full((16,), -1)
    out = memory[13:1:-2]
    assert scantune.reduce(x, out=out) is out
    expect(out, np.sum(x, 1))
    out[...] = -1
    np.testing.assert_array_equal(memory, -1)
    assert scantune.argmax(x, 0, out=memory[:8]).base is memory
    expect(memory[:8], np.argmax(x, 0))
    np.testing.assert_array_equal(memory[8:], -1)


ITEMS = np.zeros((4, 8), "int64")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: scantune.reduce([1, 2]), TypeError, "reduce: x is an object of type list, which is not an array"),
        (lambda: scantune.reduce(ITEMS, "first_min"), ValueError, "reduce: op is 'first_min'; it must be one of sum,"),
        (lambda: scantune.reduce(ITEMS, axis=2), IndexError, "reduce: axis is 2, and x has 2 dimensions"),
        (lambda: scantune.reduce(np.zeros(2), dtype="i4"), TypeError, "x has items of float64, which do not become i"),
        (lambda: scantune.reduce(np.zeros(2), "bit_or"), TypeError, "x has items of float64, and bit_or is for integ"),
        (lambda: scantune.reduce(ITEMS, init=1.5), TypeError, "reduce: init is an object of type float; it must be a"),
        (lambda: scantune.reduce(ITEMS, stream=1), ValueError, "stream is given, and x is in the CPU's memory"),
        (lambda: scantune.reduce(ITEMS, determinism="yes"), ValueError, "reduce: determinism is 'yes'; it must be Non"),
        (lambda: scantune.reduce(ITEMS, out=np.zeros(8, "i8")), ValueError, "reduce: out has another shape than the"),
        (lambda: scantune.reduce(ITEMS, out=read_only(np.zeros(4, "i8"))), ValueError, "reduce: out is read-only"),
        (lambda: scantune.reduce(ITEMS, out=ITEMS[:, 3]), ValueError, "reduce: out overlaps x in memory"),
        (
            lambda: scantune.reduce(ITEMS, out=np.lib.stride_tricks.as_strided(np.zeros(4, "i8"), (4,), (0,))),
            ValueError,
            "reduce: out has items that overlap each other",
        ),
        (lambda: scantune.argmin(ITEMS, out=np.zeros((), "i4")), TypeError, "argmin: out has items of int32, and resu"),
        (lambda: scantune.argmax(np.zeros((2, 0)), 1), ValueError, "argmax: x has no items along the axis"),
        (lambda: scantune.argmax(np.zeros(0)), ValueError, "argmax: x has no items along the axis"),
    ],
)
def test_what_cannot_be_reduced_is_refused_by_the_name_of_the_argument(
    call: Callable[[], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("function", [*POSITIONS, "sum", "max"])
def test_drawn_arrays_give_what_the_array_api_standard_says(function: str) -> None:
    random = np.random.default_rng(45)
    for _ in range(24):
        shape = tuple(int(size) for size in random.integers(1, 7, random.integers(1, 5)))
        x = strict.asarray(random.integers(0, 3, shape).astype(random.choice(["int8", "uint16", "float32"])))
        asked: dict[str, Any] = {
            "axis": None if random.integers(4) == 0 else int(random.integers(-len(shape), len(shape)))
        }
        if function in POSITIONS:
            asked["keepdims"] = bool(random.integers(2))
            found = getattr(scantune, function)(x, **asked)
        else:
            found = scantune.reduce(x, function, **asked)
        expected = getattr(strict, function)(x, **asked)
        assert (type(found), found.dtype, found.shape) == (type(expected), expected.dtype, expected.shape), (x, asked)
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected), err_msg=str((x, asked)))


def test_a_read_only_array_is_reduced_and_stays_as_it_was() -> None:
    x: Array = read_only(made("int32", (300,)))
    assert scantune.reduce(x) == x.sum()
