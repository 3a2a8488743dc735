"""Sorts of keys, with a value for each or without. All are stable; NaNs are ordered by their sign, and -0 before +0."""

from __future__ import annotations

from typing import Any

from scantune import extension
from scantune.compute.double_buffer import DoubleBuffer
from scantune.compute.op_kind import OpKind, refused
from scantune.compute.sort_order import SortOrder
from scantune.compute.two_step import TwoStep

_NATIVE = extension.load()
_LESS = "__device__ bool less(Value a, Value b)"


def radix_sort(
    *,
    d_in_keys: Any,
    d_out_keys: Any,
    d_in_values: Any = None,
    d_out_values: Any = None,
    num_items: int,
    order: SortOrder,
    begin_bit: int | None = None,
    end_bit: int | None = None,
    stream: Any = None,
) -> None:
    """Sort keys by their bits from begin_bit to end_bit - 1, by default by all.

    An output may be its input, which is copied first; else no array overlaps another. A DoubleBuffer as d_in_keys, and
    then as d_in_values, takes the place of the outputs.
    """
    arrays = _arrays("radix_sort", d_in_keys, d_out_keys, d_in_values, d_out_values)
    descending, consumes = _is_descending("radix_sort", order), isinstance(d_in_keys, DoubleBuffer)
    _NATIVE._sort_into("radix_sort", *arrays, num_items, descending, consumes, stream, begin_bit, end_bit, None)
    _swap(d_in_keys, d_in_values)


def merge_sort(
    *,
    d_in_keys: Any,
    d_in_values: Any = None,
    d_out_keys: Any,
    d_out_values: Any = None,
    num_items: int,
    op: Any,
    stream: Any = None,
) -> None:
    """Sort keys by a comparison. Arrays are as in radix_sort().

    op: OpKind.LESS, the least first, OpKind.GREATER, or CUDA C++ that defines __device__ bool less(Value a, Value b),
    a strict weak order. Value is the type of the keys, float for 16-bit floats and unsigned char for bool.
    """
    arrays = d_in_keys, d_out_keys, d_in_values, d_out_values
    less = _comparison("merge_sort", op)
    descending = op is OpKind.GREATER
    _NATIVE._sort_into("merge_sort", *arrays, num_items, descending, False, stream, None, None, less)


def segmented_sort(
    *,
    d_in_keys: Any,
    d_out_keys: Any = None,
    d_in_values: Any = None,
    d_out_values: Any = None,
    num_items: int,
    num_segments: int,
    start_offsets_in: Any,
    end_offsets_in: Any,
    order: SortOrder,
    stream: Any = None,
) -> None:
    """Sort the keys of each segment. Arrays are as in radix_sort(), and offsets as in segmented_reduce().

    Items outside segments are not written. If segments have items in common, all results are unspecified.
    """
    arrays = _arrays("segmented_sort", d_in_keys, d_out_keys, d_in_values, d_out_values)
    descending, consumes = _is_descending("segmented_sort", order), isinstance(d_in_keys, DoubleBuffer)
    segments = num_segments, start_offsets_in, end_offsets_in
    _NATIVE._segmented_sort_into("segmented_sort", *arrays, num_items, descending, consumes, stream, *segments)
    _swap(d_in_keys, d_in_values)


def make_radix_sort(
    *, d_in_keys: Any, d_out_keys: Any, d_in_values: Any, d_out_values: Any, order: SortOrder
) -> TwoStep:
    """Return a callable that takes the arguments of radix_sort() without order, and temp_storage."""
    _is_descending("make_radix_sort", order)
    return TwoStep(radix_sort, order=order)


def make_merge_sort(
    *, d_in_keys: Any, d_in_values: Any = None, d_out_keys: Any, d_out_values: Any = None, op: Any
) -> TwoStep:
    """Return a callable that takes the arguments of merge_sort(), and temp_storage."""
    _comparison("make_merge_sort", op)
    return TwoStep(merge_sort)


def make_segmented_sort(
    *,
    d_in_keys: Any,
    d_out_keys: Any = None,
    d_in_values: Any = None,
    d_out_values: Any = None,
    start_offsets_in: Any,
    end_offsets_in: Any,
    order: SortOrder,
) -> TwoStep:
    """Return a callable that takes the arguments of segmented_sort() without order, and temp_storage."""
    _is_descending("make_segmented_sort", order)
    return TwoStep(segmented_sort, order=order)


def _is_descending(function: str, order: Any) -> bool:
    if not isinstance(order, SortOrder):
        raise TypeError(f"{function}: order is {order!r}; it must be a SortOrder")
    return order is SortOrder.DESCENDING


def _comparison(function: str, op: Any) -> str | None:
    """Return the source of a comparison of the caller's, or None for the order of numbers."""
    if op in (OpKind.LESS, OpKind.GREATER):
        return None
    if isinstance(op, str):
        return op
    raise refused(function, "op", op, f"OpKind.LESS, OpKind.GREATER, or CUDA C++ that defines {_LESS}")


def _arrays(function: str, keys: Any, keys_out: Any, values: Any, values_out: Any) -> tuple[Any, Any, Any, Any]:
    """Return keys, sorted keys, values, and values in their order."""
    if not isinstance(keys, DoubleBuffer):
        return keys, keys_out, values, values_out
    if values is not None and not isinstance(values, DoubleBuffer):
        raise TypeError(f"{function}: d_in_keys is a DoubleBuffer, and d_in_values is not: pass two of them, or none")
    for name, given in (("d_out_keys", keys_out), ("d_out_values", values_out)):
        if given is not None:
            raise TypeError(f"{function}: {name} is given, and d_in_keys is a DoubleBuffer, which takes the results")
    if values is None:
        return keys.current(), keys.alternate(), None, None
    return keys.current(), keys.alternate(), values.current(), values.alternate()


def _swap(*buffers: Any) -> None:
    for buffer in buffers:
        if isinstance(buffer, DoubleBuffer):
            buffer.selector = 1 - buffer.selector
