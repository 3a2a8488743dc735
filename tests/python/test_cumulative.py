"""cumsum and cumprod of NumPy arrays: what NumPy computes, of every type, along every axis, whatever the strides."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import scantune

Array = NDArray[Any]

# Names of types, shapes as they are made, what then becomes of the array, and the axis. Each type, each layout and each
# place of the axis occurs.
CASES: list[tuple[str, tuple[int, ...], str, int | None]] = [
    ("bool", (300,), "as made", None),
    ("int8", (5, 7), "as made", None),
    ("int16", (5, 7), "as made", 0),
    ("int32", (5, 7), "as made", -1),
    ("int64", (5, 7), "transposed", None),
    ("uint8", (5, 7), "transposed", 0),
    ("uint16", (40,), "every third, reversed", None),
    ("uint32", (9, 8), "every third, reversed", 1),
    ("uint64", (2, 3, 4), "transposed", 1),
    ("float16", (20,), "as made", 0),
    ("float32", (2, 3, 4, 5), "as made", 1),
    ("float64", (2, 3, 4, 5, 2), "every third, reversed", 2),
    ("int32", (4, 3, 4, 5), "transposed", -2),
    ("int32", (6,), "repeated", 0),
    ("int32", (6,), "repeated", 1),
    ("int32", (1, 6, 1), "read-only", 1),
    ("int32", (0,), "as made", None),
    ("int32", (3, 0), "as made", 0),
    ("int32", (), "as made", None),
]


def read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "as made": lambda array: array,
    "transposed": lambda array: array.T,
    "every third, reversed": lambda array: array[..., ::-3],
    "repeated": lambda array: np.broadcast_to(array, (3, *array.shape)),
    "read-only": read_only,
}


@pytest.fixture(autouse=True)
def kept_kernels(kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_CACHE", str(kernels))


def made(dtype: str, shape: tuple[int, ...]) -> Array:
    """Return small items, so that sums and products of floats are exact, with an item at each place that differs."""
    items = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 4, shape)
    return np.asarray(items).astype(dtype)


@pytest.mark.parametrize(("dtype", "shape", "layout", "axis"), CASES)
def test_sums_are_those_of_numpy(dtype: str, shape: tuple[int, ...], layout: str, axis: int | None) -> None:
    x = LAYOUTS[layout](made(dtype, shape))
    expected, found = np.cumsum(x, axis), scantune.cumsum(x, axis)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("dtype", "axis"), [("uint8", None), ("int32", 0), ("float32", 1)])
def test_products_are_those_of_numpy(dtype: str, axis: int | None) -> None:
    x = made(dtype, (4, 6)) + np.asarray(1, dtype)
    expected, found = np.cumprod(x, axis), scantune.cumprod(x, axis)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("dtype", "results"), [("int64", "int8"), ("int32", "float32"), ("float64", "float32")])
def test_results_have_the_type_that_is_asked_for(dtype: str, results: str) -> None:
    x = made(dtype, (200,))
    found = scantune.cumsum(x, dtype=results)
    assert found.dtype == results
    np.testing.assert_array_equal(found, np.cumsum(x, dtype=results))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: scantune.cumsum([1, 2]), TypeError, "cumsum: takes a NumPy array, not an object of type list"),
        (lambda: scantune.cumprod(np.zeros(2, complex)), TypeError, "cumprod: takes .* not of complex128"),
        (lambda: scantune.cumsum(np.zeros(2, ">i4")), TypeError, "not of >i4"),
        (lambda: scantune.cumsum(np.array(["a"])), TypeError, "not of <U1"),
        (lambda: scantune.cumsum(np.zeros(2), dtype="i4"), TypeError, "float64 does not become int32: convert"),
        (lambda: scantune.cumsum(np.zeros(2), dtype=bool), TypeError, "there are no results of dtype bool"),
        (lambda: scantune.cumsum(np.zeros(2), 1), IndexError, "there is no axis 1 of an array with 1 dim"),
        (lambda: scantune.cumsum(np.zeros((2, 2)), -3), IndexError, "there is no axis -3 of an array with 2 dim"),
    ],
)
def test_what_cannot_be_summed_is_refused_by_name(call: Callable[[], Array], error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_threads_sum_at_once() -> None:
    arrays = [np.full(5000, thread) for thread in range(8)]
    with ThreadPoolExecutor(4) as pool:
        for x, found in zip(arrays, pool.map(scantune.cumsum, arrays), strict=True):
            np.testing.assert_array_equal(found, np.cumsum(x))


def test_the_package_exports_what_the_extension_has_and_imports_nothing_for_it() -> None:
    program = (
        "import sys, time; start = time.perf_counter(); import scantune; took = time.perf_counter() - start; "
        "loaded = sorted({'numpy', 'optuna', 'scantune._native', 'nanobind_backend'} & set(sys.modules)); "
        "print(took < 0.06, loaded); scantune.cumsum; import scantune._native as native; "
        "print({name for name in vars(native) if name[0] != '_'} == set(scantune.__all__) - {'__version__'})"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed == "True []\nTrue\n"
