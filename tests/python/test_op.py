"""Operators of the caller's own in functions on arrays."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest

import scantune
from array_cases import LAYOUTS, Array, expect, made

pytestmark = pytest.mark.usefixtures("kept_kernels")

# The last item that is not 0: it does not commute.
LAST = scantune.Op("__device__ Value combine(Value a, Value b) { return b != 0 ? b : a; }", identity=0, name="last")


def lasts(x: Array) -> Array:
    """Return the last item that is not 0 of each row up to each place."""
    found = x.copy()
    for i in range(1, x.shape[-1]):
        found[..., i] = np.where(x[..., i] != 0, x[..., i], found[..., i - 1])
    return found


@pytest.mark.parametrize("dtype", ["int64", "float16"])
def test_an_operator_need_not_commute(dtype: str) -> None:
    for layout in ("as made", "every third, reversed"):
        x = LAYOUTS[layout](made(dtype, (4, 300)))
        expected = lasts(x)
        expect(scantune.scan(x, LAST), expected, layout)
        shifted = np.hstack([np.zeros((4, 1), dtype), expected[:, :-1]])
        expect(scantune.scan(x, LAST, inclusive=False), shifted, layout)
        expect(scantune.reduce(x, LAST), expected[:, -1], layout)
        expect(scantune.reduce(x.T, LAST, axis=0), expected[:, -1], layout)


def test_segments_take_an_operator() -> None:
    x, keys = made("int64", (40,)), np.repeat(np.arange(4), 10)
    expected = lasts(x.reshape(4, 10))
    expect(scantune.scan_by_key(keys, x, LAST), expected.reshape(-1))
    expect(scantune.reduce_by_key(keys, x, LAST)[1], expected[:, -1])
    expect(scantune.segmented_reduce(x, np.asarray([0, 10, 20, 20]), LAST), np.append(expected[:2, -1], 0))


def test_a_state_is_passed_with_each_call() -> None:
    x = np.arange(200)
    source = (
        "struct State { int modulus; };\n"
        "__device__ Value combine(Value a, Value b, State state) { return (a + b) % state.modulus; }"
    )
    for modulus in (7, 10):
        op = scantune.Op(source, state=struct.pack("i", modulus))
        expect(scantune.scan(x % modulus, op), np.cumsum(x % modulus) % modulus)


def test_without_an_identity_an_exclusive_scan_needs_init() -> None:
    op = scantune.Op("__device__ Value combine(Value a, Value b) { return a < b ? a : b; }")
    x = np.asarray([5, 3, 8])
    expect(scantune.scan(x, op, inclusive=False, init=9), np.asarray([9, 5, 3]))
    for call in (lambda: scantune.scan(x, op, inclusive=False), lambda: scantune.reduce(x[:0], op)):
        with pytest.raises(ValueError, match="identity"):
            call()


ITEMS = np.zeros((4, 8), "int64")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: scantune.Op(3), TypeError, "Op: source must be a text that is not empty"),
        (lambda: scantune.Op("x", name=""), TypeError, "Op: name must be a text that is not empty"),
        (lambda: scantune.Op("x", state="a"), TypeError, "Op: state must be bytes"),
        (lambda: scantune.Op("x", state=b"a" * 33), ValueError, "Op: state has 33 bytes; it must have 1 to 32"),
        (lambda: scantune.scan(ITEMS, 3), TypeError, "scan: op is an object of type int; it must be a name or a scan"),
        (lambda: scantune.scan(np.zeros(3, bool), LAST), TypeError, "results are numbers, and would be bool"),
        (
            lambda: scantune.reduce(ITEMS, scantune.Op("x", identity=1.5)),
            TypeError,
            r"reduce: op\.identity is an object of type float; it must be an integer",
        ),
        (lambda: scantune.scan(ITEMS, scantune.Op("int f();")), RuntimeError, "combine"),
    ],
)
def test_what_cannot_be_computed_is_refused_by_the_name_of_the_argument(
    call: Callable[[], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call()
