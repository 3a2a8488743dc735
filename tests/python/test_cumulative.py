"""Scans of NumPy arrays: what NumPy computes, of every type, along every axis, whatever the strides."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import scantune
from array_cases import EDGES, FLOATS, INTEGERS, LAYOUTS, OPERATIONS, Array, arranged, expect, made, read_only

pytestmark = pytest.mark.usefixtures("kept_kernels")


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_sums_along_every_axis_of_every_layout_are_those_of_numpy(dtype: str) -> None:
    for x, told in arranged(dtype):
        for axis in [None, *range(-1, x.ndim)]:
            expect(scantune.cumsum(x, axis), np.cumsum(x, axis), *told, axis)


@pytest.mark.parametrize("n", EDGES)
def test_sums_of_edge_sizes_are_those_of_numpy(n: int) -> None:
    expect(scantune.cumsum(made("int32", (n,))), np.cumsum(made("int32", (n,))))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3), (1, 6, 1)])
def test_arrays_of_no_and_of_single_items_are_taken_as_numpy_takes_them(shape: tuple[int, ...]) -> None:
    x = made("int32", shape)
    for axis in [None, *range(max(1, x.ndim))]:
        expect(scantune.cumsum(x, axis), np.cumsum(x, axis), axis)


@pytest.mark.parametrize(("dtype", "axis"), [("uint8", None), ("int32", 0), ("float32", 1)])
def test_products_are_those_of_numpy(dtype: str, axis: int | None) -> None:
    x = made(dtype, (4, 6)) + np.asarray(1, dtype)
    expect(scantune.cumprod(x, axis), np.cumprod(x, axis))


@pytest.mark.parametrize("dtype", ["int64", "float32"])
@pytest.mark.parametrize("results", ["int8", "uint64", "float16", "float64"])
def test_results_have_the_type_that_is_asked_for(dtype: str, results: str) -> None:
    x = made(dtype, (200,))
    if dtype.startswith("float") and not results.startswith("float"):
        with pytest.raises(TypeError, match=f"x has items of {dtype}, which do not become {results}: convert"):
            scantune.cumsum(x, dtype=results)
    else:
        expect(scantune.cumsum(x, dtype=results), np.cumsum(x, dtype=results))


def test_bfloat16_of_ml_dtypes_is_accumulated_in_32_bits() -> None:
    x = np.full(600, 1, ml_dtypes.bfloat16)
    found = scantune.cumsum(x)
    expect(found, np.arange(1, 601, dtype="float32").astype(ml_dtypes.bfloat16))


def last_extremes(x: Array, axis: int, is_later: Callable[[Any, Any], Any]) -> tuple[Array, Array]:
    """Return the cumulative extremes and the index of the last one among equals; a NaN stays."""
    x = np.moveaxis(x, axis, 0)
    values, places = x.copy(), np.zeros(x.shape, "int64")
    for i in range(1, len(x)):
        takes = is_later(x[i], values[i - 1]) | (x[i] != x[i])
        values[i], places[i] = np.where(takes, x[i], values[i - 1]), np.where(takes, i, places[i - 1])
    return np.moveaxis(values, 0, axis), np.moveaxis(places, 0, axis)


@pytest.mark.parametrize(
    ("function", "is_later", "dtype", "layouts"),
    [
        ("cummax", np.greater_equal, "int64", list(LAYOUTS)),
        ("cummax", np.greater_equal, "float16", ["as made"]),
        ("cummin", np.less_equal, "bool", ["every third, reversed"]),
        ("cummin", np.less_equal, "float64", ["transposed"]),
    ],
)
def test_extremes_come_with_the_last_index_among_equals(
    function: str, is_later: Callable[[Any, Any], Any], dtype: str, layouts: list[str]
) -> None:
    for layout in layouts:
        x = LAYOUTS[layout](made(dtype, (6, 40)))
        for axis in (0, -1):
            found = getattr(scantune, function)(x, axis)
            for one, expected in zip(found, last_extremes(x, axis, is_later), strict=True):
                expect(one, expected, layout, axis)


def test_a_nan_stays_the_extreme_and_a_later_one_is_the_last() -> None:
    x = np.asarray([1, 3, np.nan, 5, np.nan, 2])
    for values, places in (scantune.cummax(x), scantune.cummin(x)):
        np.testing.assert_array_equal(values[2:], np.nan)
        assert places[2:].tolist() == [2, 2, 4, 4]


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 2e-3), ("float32", 1e-6), ("float64", 1e-14)])
def test_logarithms_of_summed_exponentials_do_not_overflow(dtype: str, tolerance: float) -> None:
    x = np.random.default_rng(2).normal(0, 300, (3, 400)).astype(dtype)
    expected = np.logaddexp.accumulate(x.astype("float64"), axis=1)
    np.testing.assert_allclose(scantune.logcumsumexp(x, 1), expected, rtol=tolerance, atol=tolerance)
    edges = np.asarray([-np.inf, -np.inf, 2, np.inf, 3, np.nan, 0], dtype)
    expect(scantune.logcumsumexp(edges), np.asarray([-np.inf, -np.inf, 2, np.inf, np.inf, np.nan, np.nan], dtype))


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("init", [None, 3])
def test_scans_of_all_operations_kinds_and_directions(op: str, reverse: bool, init: int | None) -> None:
    x = made("int64", (4, 30))
    ordered = x[:, ::-1] if reverse else x
    identities = {"min": np.iinfo("int64").max, "max": np.iinfo("int64").min}  # NumPy has none for these
    start = identities.get(op, OPERATIONS[op].identity) if init is None else init
    all_results = OPERATIONS[op].accumulate(np.hstack([np.full((4, 1), start), ordered]), axis=1)
    for inclusive in (True, False):
        expected = all_results[:, 1:] if inclusive else all_results[:, :-1]
        found = scantune.scan(x, op, reverse=reverse, inclusive=inclusive, init=init)
        expect(found, expected[:, ::-1] if reverse else expected, inclusive)


@pytest.mark.parametrize(("op", "start"), [("min", True), ("bit_and", True), ("max", False), ("bit_xor", False)])
def test_an_exclusive_scan_of_booleans_begins_with_one(op: str, start: bool) -> None:
    found = scantune.scan(np.asarray([False, True]), op, inclusive=False)
    assert found.dtype == bool
    assert found.view("uint8").tolist() == [start, OPERATIONS[op](start, False)]


def test_equal_bits_on_every_run_are_asked_for_by_name() -> None:
    x = np.random.default_rng(3).normal(0, 1e3, 30_000).astype("float32")
    first, second = (scantune.scan(x, determinism="run_to_run") for _ in range(2))
    expect(first.view("uint32"), second.view("uint32"))
    assert "run_to_run" in scantune.describe(scantune.scan, x, determinism="run_to_run")
    np.testing.assert_allclose(first, np.cumsum(x, dtype="float64"), rtol=1e-3, atol=1)


def test_results_go_where_out_says() -> None:
    x = made("int32", (6, 8))
    memory = np.full((16, 12), -1)
    out = memory[1:13:2, 10:2:-1]
    assert scantune.cumsum(x, 1, out=out) is out
    expect(out, np.cumsum(x, 1))
    out[...] = -1
    np.testing.assert_array_equal(memory, -1)
    # In place, and with the type of out.
    expected = np.cumsum(x, 0, dtype="float32")
    same = np.asarray(x, "float32")
    assert scantune.scan(same, axis=0, out=same) is same
    expect(same, expected)
    expect(scantune.cumsum(x, 0, out=np.empty((6, 8), "int16")), np.cumsum(x, 0, dtype="int16"))


ITEMS = np.zeros(8, "int64")
UNALIGNED = np.zeros(33, "uint8")[1:].view("int64")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: scantune.cumsum([1, 2]), TypeError, "cumsum: x is an object of type list, which is not an array"),
        (lambda: scantune.cumprod(np.zeros(2, complex)), TypeError, "cumprod: x has items of complex128"),
        (lambda: scantune.cumsum(np.zeros(2, ">i4")), TypeError, "cumsum: x has items of >i4"),
        (lambda: scantune.cumsum(np.array(["a"])), TypeError, "cumsum: x has items of <U1"),
        (lambda: scantune.cumsum(np.ma.array([1, 2])), TypeError, "cumsum: x has a mask"),
        (
            lambda: scantune.cumsum(np.zeros(2, "u1,i4")["f1"]),
            ValueError,
            "x has a stride of 5 bytes, which is not a m",
        ),
        (lambda: scantune.cumsum(UNALIGNED), ValueError, "cumsum: x is not aligned to its items"),
        (
            lambda: scantune.cumsum(np.zeros(2), dtype="i4"),
            TypeError,
            "x has items of float64, which do not become int",
        ),
        (lambda: scantune.cumsum(ITEMS, dtype=bool), TypeError, "cumsum: results are numbers, and would be bool"),
        (
            lambda: scantune.cumsum(np.ones(4, bool), out=np.zeros(4, bool)),
            TypeError,
            "cumsum: results are numbers, and would be bool",
        ),
        (lambda: scantune.cumsum(ITEMS, dtype="c8"), TypeError, "dtype is complex64, of which there are no results"),
        (lambda: scantune.cumsum(ITEMS, 1), IndexError, "cumsum: axis is 1, and x has 1 dimensions"),
        (lambda: scantune.cumsum(np.zeros((2, 2)), -3), IndexError, "cumsum: axis is -3, and x has 2 dimensions"),
        (lambda: scantune.cummax(np.zeros(()), 1), IndexError, "cummax: axis is 1, and x has 0 dimensions"),
        (lambda: scantune.cumulative_sum(np.zeros((2, 2))), ValueError, "axis is None, and x has 2 dimensions: name"),
        (
            lambda: scantune.logcumsumexp(ITEMS),
            TypeError,
            "logcumsumexp: x has items of int64, and the function is for",
        ),
        (lambda: scantune.scan(np.zeros(2), "bit_or"), TypeError, "x has items of float64, and bit_or is for integers"),
        (
            lambda: scantune.scan(ITEMS, "last_max"),
            ValueError,
            "scan: op is 'last_max'; it must be one of sum, product",
        ),
        (lambda: scantune.scan(ITEMS > 0, "max", init="no"), ValueError, "scan: init is no; it must be a bool"),
        (lambda: scantune.scan(ITEMS, init=1.5), TypeError, "init is an object of type float; it must be an integer"),
        (
            lambda: scantune.scan(ITEMS, init=2**63),
            ValueError,
            "scan: init is 9223372036854775808, which is not of type int64",
        ),
        (
            lambda: scantune.scan(np.zeros(2, "int8"), "max", init=1.5),
            TypeError,
            "init is an object of type float; it must be an integer",
        ),
        (
            lambda: scantune.scan(np.zeros(2, "uint8"), "max", init=300),
            ValueError,
            "scan: init is 300, which is not of type uint8",
        ),
        (lambda: scantune.scan(np.zeros(2), init="1.5e"), TypeError, "init is an object of type str; it must be a num"),
        (lambda: scantune.scan(ITEMS, stream=1), ValueError, "stream is given, and x is in the CPU's memory"),
        (
            lambda: scantune.scan(ITEMS, determinism="yes"),
            ValueError,
            "determinism is 'yes'; it must be None or run_to",
        ),
        (lambda: scantune.cumsum(ITEMS, out=[1]), TypeError, "cumsum: out is an object of type list"),
        (lambda: scantune.cumsum(ITEMS, out=np.zeros(7, "i8")), ValueError, "cumsum: out has another shape"),
        (lambda: scantune.cumsum(ITEMS, out=read_only(np.zeros(8, "i8"))), ValueError, "cumsum: out is read-only"),
        (lambda: scantune.scan(np.int64(3), out=np.int64(0)), ValueError, "scan: out is read-only"),
        (
            lambda: scantune.cumsum(np.zeros(8), out=ITEMS),
            TypeError,
            "x has items of float64, which do not become int64",
        ),
        (
            lambda: scantune.cumsum(ITEMS, dtype="i4", out=ITEMS),
            TypeError,
            "out has items of int64, and dtype is int32",
        ),
        (lambda: scantune.cumsum(ITEMS[1:], out=ITEMS[:-1]), ValueError, "cumsum: out overlaps x in memory"),
        (lambda: scantune.cumsum(ITEMS, out=ITEMS[::-1]), ValueError, "cumsum: out overlaps x in memory"),
        (
            lambda: scantune.cumsum(ITEMS, out=np.lib.stride_tricks.as_strided(np.zeros(8, "i8"), (8,), (0,))),
            ValueError,
            "cumsum: out has items that overlap each other",
        ),
    ],
)
def test_what_cannot_be_scanned_is_refused_by_the_name_of_the_argument(
    call: Callable[[], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call()


def test_a_read_only_array_is_scanned_and_stays_as_it_was() -> None:
    x = read_only(made("int32", (300,)))
    before = x.copy()
    expect(scantune.cumsum(x), np.cumsum(before))
    expect(x, before)


def test_threads_scan_at_once_the_same_array_too() -> None:
    arrays = [np.full(5000, thread // 2) for thread in range(8)]
    arrays += arrays[:4]
    with ThreadPoolExecutor(4) as pool:
        for x, found in zip(arrays, pool.map(scantune.cumsum, arrays), strict=True):
            expect(found, np.cumsum(x))


def test_a_child_that_was_forked_after_a_scan_scans() -> None:
    program = (
        "import os, numpy, scantune; x = numpy.arange(3000); scantune.cumsum(x); child = os.fork()\n"
        "if not child: os._exit(int((scantune.cumsum(x) != numpy.cumsum(x)).any()))\n"
        "assert os.waitpid(child, 0)[1] == 0"
    )
    subprocess.run([sys.executable, "-c", program], env=dict(os.environ), check=True, timeout=30)


def test_the_program_of_the_page_runs() -> None:
    page = Path(__file__).resolve().parents[2] / "docs/python.md"
    (program,) = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    subprocess.run([sys.executable, "-c", program], env=dict(os.environ), check=True, timeout=30)


def test_the_package_exports_what_the_extension_has_and_imports_nothing_for_it() -> None:
    program = (
        "import sys, time; start = time.perf_counter(); import scantune; took = time.perf_counter() - start; "
        "loaded = sorted({'numpy', 'optuna', 'scantune._native', 'nanobind_backend'} & set(sys.modules)); "
        "print(took < 0.06, loaded); scantune.cumsum; import scantune._native as native; "
        "print({name for name in vars(native) if name[0] != '_'} == set(scantune.__all__) - {'__version__'})"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed == "True []\nTrue\n"


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_results_have_their_axes_in_the_order_that_those_of_the_items_have_in_memory(dtype: str) -> None:
    x = made(dtype, (4, 30, 6)).transpose(2, 0, 1)
    for view in (x, x[:, ::2], x[:, :, ::-1]):
        found = scantune.scan(view, axis=1)
        assert found.strides == np.empty_like(view, found.dtype).strides
        np.testing.assert_array_equal(found, np.cumsum(view, 1, dtype=found.dtype))
    repeated = np.broadcast_to(x[0, 0], (5, 6, 30))
    assert scantune.scan(repeated, axis=1).flags.c_contiguous
