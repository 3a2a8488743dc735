"""Scans."""

from __future__ import annotations

from typing import Any

from scantune import extension
from scantune.compute.initial_value import number_and_array
from scantune.compute.op_kind import combining
from scantune.compute.two_step import TwoStep

_NATIVE = extension.load()


def exclusive_scan(*, d_in: Any, d_out: Any, op: Any, init_value: Any, num_items: int, stream: Any = None) -> None:
    """Combine init_value and all items before each item.

    d_out may be d_in, if its items are of the same size, and overlaps it in no other way. Items are combined in the
    type of d_out, or of d_in if that is wider and of the same class, in at least 32 bits.
    op: PLUS, MULTIPLIES, MINIMUM, MAXIMUM, BIT_AND, BIT_OR, BIT_XOR, or a scantune.Op.
    init_value: a number, an array of NumPy of one item, or one on the device of d_in of the type in which items are
    combined, which is read in stream order.
    """
    if init_value is None:
        raise ValueError("exclusive_scan: init_value is None; an exclusive scan must have one")
    _scan("exclusive_scan", d_in, d_out, op, init_value, num_items, False, stream)


def inclusive_scan(
    *, d_in: Any, d_out: Any, op: Any, init_value: Any = None, num_items: int, stream: Any = None
) -> None:
    """Combine init_value, if any, and all items up to each item. The arguments are those of exclusive_scan()."""
    _scan("inclusive_scan", d_in, d_out, op, init_value, num_items, True, stream)


def make_exclusive_scan(*, d_in: Any, d_out: Any, op: Any, init_value: Any) -> TwoStep:
    """Return a callable that takes the arguments of exclusive_scan(), and temp_storage."""
    combining("make_exclusive_scan", op)
    return TwoStep(exclusive_scan)


def make_inclusive_scan(*, d_in: Any, d_out: Any, op: Any, init_value: Any = None) -> TwoStep:
    """Return a callable that takes the arguments of inclusive_scan(), and temp_storage."""
    combining("make_inclusive_scan", op)
    return TwoStep(inclusive_scan)


def _scan(
    function: str, d_in: Any, d_out: Any, op: Any, init_value: Any, num_items: int, is_inclusive: bool, stream: Any
) -> None:
    number, array = number_and_array(function, "init_value", init_value)
    op = combining(function, op)
    _NATIVE._scan_into(function, d_in, d_out, op, number, array, num_items, is_inclusive, stream)
