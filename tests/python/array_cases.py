"""Arrays for tests of functions on arrays: types, shapes, layouts, and what two of them must have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
# By these shapes and layouts an axis is worked on as rows, columns and strided rows, of planes, and by several calls.
SHAPES = [(5, 7), (2, 3, 4), (2, 3, 4, 5, 2)]
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "as made": lambda array: array,
    "transposed": lambda array: array.T,
    "every third, reversed": lambda array: array[..., ::-3],
    "repeated": lambda array: np.broadcast_to(array[..., :1], array.shape),
}
# Sizes about those of warps and tiles.
EDGES = [0, 1, 31, 32, 33, 2047, 2048, 2049, 20_000]
OPERATIONS: dict[str, Any] = {
    "sum": np.add, "product": np.multiply, "min": np.minimum, "max": np.maximum,
    "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor,
}  # fmt: skip


def made(dtype: str, shape: tuple[int, ...]) -> Array:
    """Return small items, so that sums and products of floats are exact, with an item at each place that differs."""
    items = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 4, shape)
    return np.asarray(items).astype(dtype)


def expect(found: Array, expected: Array, *what: object) -> None:
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), what
    np.testing.assert_array_equal(found, expected, err_msg=str(what))


def arranged(dtype: str) -> Iterator[tuple[Array, tuple[object, ...]]]:
    """Return arrays of a type, and of what shape and layout they are: of int32 all, of others a few."""
    of_all = dtype == "int32"
    for shape in SHAPES if of_all else SHAPES[:1]:
        for layout in LAYOUTS if of_all else ("as made", "every third, reversed"):
            yield LAYOUTS[layout](made(dtype, shape)), (shape, layout)


class Lent:
    """An array that DLPack lends, of a library that nobody knows."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()

    def __dlpack__(self, **asked: Any) -> Any:
        return self._array.__dlpack__(**asked)


def read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
