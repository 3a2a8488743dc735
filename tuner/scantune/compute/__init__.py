"""Functions with the names and keywords of NVIDIA's package cuda.compute, of those algorithms that exist here.

d_in and d_out are arrays of NumPy (which the host device works on), torch or CuPy, or others with __dlpack__() or
__cuda_array_interface__; they are contiguous, and the first num_items of them count. The stream is an object with
__cuda_stream__(), or what other functions of scantune take; by default the array library's current one. An operator is
an OpKind, or CUDA C++: a scantune.Op, or a text for predicates, equality and order. Nothing waits for results.

Each function has a form make_...(), which returns a callable: with temp_storage=None it returns how many bytes it needs
of the caller, which is 0, and with anything else it runs.

Raises TypeError for a wrong type and ValueError for a wrong value, after the names of function and argument.
"""

from scantune.compute.determinism import Determinism
from scantune.compute.double_buffer import DoubleBuffer
from scantune.compute.op_kind import OpKind
from scantune.compute.reductions import (
    make_reduce_into,
    make_segmented_reduce,
    reduce_into,
    segmented_reduce,
)
from scantune.compute.scans import exclusive_scan, inclusive_scan, make_exclusive_scan, make_inclusive_scan
from scantune.compute.selections import (
    make_select,
    make_three_way_partition,
    make_unique_by_key,
    select,
    three_way_partition,
    unique_by_key,
)
from scantune.compute.sort_order import SortOrder
from scantune.compute.sorts import (
    make_merge_sort,
    make_radix_sort,
    make_segmented_sort,
    merge_sort,
    radix_sort,
    segmented_sort,
)

__all__ = [
    "Determinism",
    "DoubleBuffer",
    "OpKind",
    "SortOrder",
    "exclusive_scan",
    "inclusive_scan",
    "make_exclusive_scan",
    "make_inclusive_scan",
    "make_merge_sort",
    "make_radix_sort",
    "make_reduce_into",
    "make_segmented_reduce",
    "make_segmented_sort",
    "make_select",
    "make_three_way_partition",
    "make_unique_by_key",
    "merge_sort",
    "radix_sort",
    "reduce_into",
    "segmented_reduce",
    "segmented_sort",
    "select",
    "three_way_partition",
    "unique_by_key",
]
