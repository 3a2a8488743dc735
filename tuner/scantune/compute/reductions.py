"""Reductions of all items, and of segments."""

from __future__ import annotations

from typing import Any

from scantune import extension
from scantune.compute.determinism import Determinism
from scantune.compute.initial_value import number_and_array
from scantune.compute.op_kind import combining
from scantune.compute.two_step import TwoStep

_NATIVE = extension.load()


def reduce_into(
    *,
    d_in: Any,
    d_out: Any,
    num_items: int,
    op: Any,
    h_init: Any = None,
    stream: Any = None,
    determinism: Determinism = Determinism.RUN_TO_RUN,
) -> None:
    """Combine h_init, if any, and all items. If num_items is 0 and there is no h_init, d_out stays as it is.

    d_out must not overlap d_in. Types, op and h_init are as in exclusive_scan().
    """
    _check_determinism("reduce_into", determinism)
    number, array = number_and_array("reduce_into", "h_init", h_init)
    op = combining("reduce_into", op)
    _NATIVE._reduce_into("reduce_into", d_in, d_out, op, number, array, num_items, stream)


def segmented_reduce(
    *,
    d_in: Any,
    d_out: Any,
    num_segments: int,
    start_offsets_in: Any,
    end_offsets_in: Any,
    op: Any,
    h_init: Any,
    max_segment_size: int | None = None,
    stream: Any = None,
) -> None:
    """Combine h_init and the items of each segment. An empty segment yields h_init, or without it the identity.

    start_offsets_in, end_offsets_in: arrays of integers of 32 or 64 bits, both of one type. Segments may overlap and be
    in any order; offsets below 0 count as 0, those beyond the end of d_in as its end.
    max_segment_size: not needed; kernels suit segments of any sizes.
    """
    number, array = number_and_array("segmented_reduce", "h_init", h_init)
    op = combining("segmented_reduce", op)
    _NATIVE._segmented_reduce_into(
        "segmented_reduce", d_in, d_out, op, number, array, num_segments, start_offsets_in, end_offsets_in, stream
    )


def make_reduce_into(
    *, d_in: Any, d_out: Any, op: Any, h_init: Any = None, determinism: Determinism = Determinism.RUN_TO_RUN
) -> TwoStep:
    """Return a callable that takes the arguments of reduce_into(), and temp_storage."""
    _check_determinism("make_reduce_into", determinism)
    combining("make_reduce_into", op)
    return TwoStep(reduce_into)


def make_segmented_reduce(
    *, d_in: Any, d_out: Any, start_offsets_in: Any, end_offsets_in: Any, op: Any, h_init: Any
) -> TwoStep:
    """Return a callable that takes the arguments of segmented_reduce(), and temp_storage."""
    combining("make_segmented_reduce", op)
    return TwoStep(segmented_reduce)


def _check_determinism(function: str, determinism: Any) -> None:
    if not isinstance(determinism, Determinism):
        raise TypeError(f"{function}: determinism is {determinism!r}; it must be a Determinism")
