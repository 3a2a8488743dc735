"""Selections. Items keep their order, and nothing is written after the last one of an output.

Outputs may have room for fewer items than are kept: all of them are counted. No array overlaps another.
"""

from __future__ import annotations

from typing import Any

from scantune import extension
from scantune.compute.op_kind import OpKind, refused, source
from scantune.compute.two_step import TwoStep

_NATIVE = extension.load()
_KEEP = "__device__ bool keep(Value item)"
_EQUAL = "__device__ bool equal(Value before, Value item)"


def select(*, d_in: Any, d_out: Any, d_num_selected_out: Any, cond: Any, num_items: int, stream: Any = None) -> None:
    """Write the items for which a condition holds, and their number to d_num_selected_out[0].

    d_num_selected_out: integers of 32 or 64 bits.
    cond: CUDA C++ that defines __device__ bool keep(Value item).
    """
    cond = source("select", "cond", cond, _KEEP)
    _NATIVE._select_into("select", d_in, d_out, d_num_selected_out, cond, num_items, stream)


def three_way_partition(
    *,
    d_in: Any,
    d_first_part_out: Any,
    d_second_part_out: Any,
    d_unselected_out: Any,
    d_num_selected_out: Any,
    select_first_part_op: Any,
    select_second_part_op: Any,
    num_items: int,
    stream: Any = None,
) -> None:
    """Write the items of a first condition, of those that are left the ones of a second condition, and all others.

    How many the first two parts have is written to d_num_selected_out[0] and [1]. Conditions are as in select().
    """
    function = "three_way_partition"
    first = source(function, "select_first_part_op", select_first_part_op, _KEEP)
    second = source(function, "select_second_part_op", select_second_part_op, _KEEP)
    outputs = d_first_part_out, d_second_part_out, d_unselected_out, d_num_selected_out
    _NATIVE._three_way_partition_into(function, d_in, *outputs, first, second, num_items, stream)


def unique_by_key(
    *,
    d_in_keys: Any,
    d_in_items: Any,
    d_out_keys: Any,
    d_out_items: Any,
    d_out_num_selected: Any,
    op: Any,
    num_items: int,
    stream: Any = None,
) -> None:
    """Write the first key of each run of equal keys, its item, and the number of runs to d_out_num_selected[0].

    op: OpKind.EQUAL_TO, or CUDA C++ that defines __device__ bool equal(Value before, Value item) of keys.
    """
    equal = _equality("unique_by_key", op)
    outputs = d_out_keys, d_out_items, d_out_num_selected
    _NATIVE._unique_by_key_into("unique_by_key", d_in_keys, d_in_items, *outputs, equal, num_items, stream)


def make_select(*, d_in: Any, d_out: Any, d_num_selected_out: Any, cond: Any) -> TwoStep:
    """Return a callable that takes the arguments of select(), and temp_storage."""
    source("make_select", "cond", cond, _KEEP)
    return TwoStep(select)


def make_three_way_partition(
    *,
    d_in: Any,
    d_first_part_out: Any,
    d_second_part_out: Any,
    d_unselected_out: Any,
    d_num_selected_out: Any,
    select_first_part_op: Any,
    select_second_part_op: Any,
) -> TwoStep:
    """Return a callable that takes the arguments of three_way_partition(), and temp_storage."""
    source("make_three_way_partition", "select_first_part_op", select_first_part_op, _KEEP)
    source("make_three_way_partition", "select_second_part_op", select_second_part_op, _KEEP)
    return TwoStep(three_way_partition)


def make_unique_by_key(
    *, d_in_keys: Any, d_in_items: Any, d_out_keys: Any, d_out_items: Any, d_out_num_selected: Any, op: Any
) -> TwoStep:
    """Return a callable that takes the arguments of unique_by_key(), and temp_storage."""
    _equality("make_unique_by_key", op)
    return TwoStep(unique_by_key)


def _equality(function: str, op: Any) -> str | None:
    if op is OpKind.EQUAL_TO:
        return None
    if isinstance(op, OpKind):
        raise refused(function, "op", op, f"OpKind.EQUAL_TO, or CUDA C++ that defines {_EQUAL}")
    return source(function, "op", op, _EQUAL)
