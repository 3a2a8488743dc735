"""scantune.compute: the names and keywords of cuda.compute, and what NumPy computes for its functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scantune
from array_cases import Array, Lent, expect, made, read_only
from scantune import compute
from scantune.compute import DoubleBuffer, OpKind, SortOrder

pytestmark = pytest.mark.usefixtures("kept_kernels")

# The functions of cuda.compute 1.2.1 (of the wheel cuda-cccl), with their keywords; those with '=' have a default.
# compute_capability, for kernels of other GPUs, is left out.
FUNCTIONS = """
binary_transform: d_in1 d_in2 d_out op num_items stream=
exclusive_scan: d_in d_out op init_value num_items stream=
histogram_even: d_samples d_histogram num_output_levels lower_level upper_level num_samples stream=
inclusive_scan: d_in d_out op init_value= num_items stream=
lower_bound: d_data num_items d_values num_values d_out comp= stream=
make_binary_transform: d_in1 d_in2 d_out op
make_exclusive_scan: d_in d_out op init_value
make_histogram_even: d_samples d_histogram h_num_output_levels h_lower_level h_upper_level num_samples
make_inclusive_scan: d_in d_out op init_value=
make_lower_bound: d_data d_values d_out comp=
make_merge_sort: d_in_keys d_in_values= d_out_keys d_out_values= op
make_radix_sort: d_in_keys d_out_keys d_in_values d_out_values order
make_reduce_into: d_in d_out op h_init= determinism=
make_segmented_reduce: d_in d_out start_offsets_in end_offsets_in op h_init
make_segmented_sort: d_in_keys d_out_keys= d_in_values= d_out_values= start_offsets_in end_offsets_in order
make_select: d_in d_out d_num_selected_out cond
make_three_way_partition: d_in d_first_part_out d_second_part_out d_unselected_out d_num_selected_out
    select_first_part_op select_second_part_op
make_unary_transform: d_in d_out op
make_unique_by_key: d_in_keys d_in_items d_out_keys d_out_items d_out_num_selected op
make_upper_bound: d_data d_values d_out comp=
merge_sort: d_in_keys d_in_values= d_out_keys d_out_values= num_items op stream=
radix_sort: d_in_keys d_out_keys d_in_values= d_out_values= num_items order begin_bit= end_bit= stream=
reduce_into: d_in d_out num_items op h_init= stream= determinism=
segmented_reduce: d_in d_out num_segments start_offsets_in end_offsets_in op h_init max_segment_size= stream=
segmented_sort: d_in_keys d_out_keys= d_in_values= d_out_values= num_items num_segments start_offsets_in
    end_offsets_in order stream=
select: d_in d_out d_num_selected_out cond num_items stream=
three_way_partition: d_in d_first_part_out d_second_part_out d_unselected_out d_num_selected_out
    select_first_part_op select_second_part_op num_items stream=
unary_transform: d_in d_out op num_items stream=
unique_by_key: d_in_keys d_in_items d_out_keys d_out_items d_out_num_selected op num_items stream=
upper_bound: d_data num_items d_values num_values d_out comp= stream=
"""
OTHER_NAMES = {"Determinism", "DoubleBuffer", "OpKind", "SortOrder"}
ABSENT = {"binary_transform", "histogram_even", "lower_bound", "unary_transform", "upper_bound"}
# Their enumerations, as far as there is something behind a name here.
MEMBERS = {
    "Determinism": "NOT_GUARANTEED RUN_TO_RUN",
    "OpKind": "PLUS MULTIPLIES BIT_AND BIT_OR BIT_XOR MINIMUM MAXIMUM EQUAL_TO LESS GREATER",
    "SortOrder": "ASCENDING DESCENDING",
}

LATEST = scantune.Op("__device__ Value combine(Value, Value later) { return later; }", name="latest")
IS_LARGE = "__device__ bool keep(Value item) { return item > 2; }"
IS_ODD = "#define ODD 1\n__device__ bool keep(Value item) { return int(item) % 2 == ODD; }"


def both_forms(name: str, **arguments: Any) -> None:
    """Call a function, and check that its form of two calls does the same, and nothing at the first one."""
    made_with = dict(inspect.signature(getattr(compute, f"make_{name}")).parameters)
    outputs = {key: array for key, array in arguments.items() if "out" in key and isinstance(array, np.ndarray)}
    before = {key: array.copy() for key, array in outputs.items()}
    two_step = getattr(compute, f"make_{name}")(**{key: arguments.get(key) for key in made_with if key in arguments})
    given = {key: value for key, value in arguments.items() if key != "order"}
    assert two_step(temp_storage=None, **given) == 0
    for key, array in outputs.items():
        expect(array, before[key], name, key)
    assert two_step(temp_storage=np.empty(0, "uint8"), **given) == 0
    after = {key: array.copy() for key, array in outputs.items()}
    for key, array in outputs.items():
        array[...] = before[key]
    getattr(compute, name)(**arguments)
    for key, array in outputs.items():
        expect(array, after[key], name, key)


def test_names_and_keywords_are_those_of_cuda_compute() -> None:
    theirs = {
        name: set(keywords.split())
        for name, _, keywords in (line.partition(":") for line in FUNCTIONS.replace("\n    ", " ").strip().split("\n"))
    }
    absent = ABSENT | {f"make_{name}" for name in ABSENT}
    assert set(compute.__all__) == (set(theirs) - absent) | OTHER_NAMES
    for name in set(theirs) - absent:
        parameters = inspect.signature(getattr(compute, name)).parameters.values()
        assert {one.kind for one in parameters} == {inspect.Parameter.KEYWORD_ONLY}
        ours = {one.name + ("" if one.default is inspect.Parameter.empty else "=") for one in parameters}
        assert ours == theirs[name], name
    for name, members in MEMBERS.items():
        assert {member.name for member in getattr(compute, name)} == set(members.split())


@pytest.mark.parametrize(
    ("kind", "op", "types", "init", "expected"),
    [
        ("exclusive", OpKind.PLUS, "int32:int32", np.asarray([10], "int32"), lambda x: 10 + np.cumsum(x) - x),
        ("exclusive", OpKind.MINIMUM, "float64:float64", np.float64(1.5), np.minimum.accumulate),
        ("exclusive", LATEST, "int16:int64", -7, lambda x: np.append(-7, x[:-1])),
        ("inclusive", OpKind.MULTIPLIES, "int8:int32", None, np.cumprod),
        ("inclusive", OpKind.MAXIMUM, "float32:float32", np.asarray(2, "float32"), np.maximum.accumulate),
        ("inclusive", OpKind.BIT_OR, "bool:bool", None, np.bitwise_or.accumulate),
        ("inclusive", OpKind.BIT_AND, "uint16:uint16", np.uint16(6), np.bitwise_and.accumulate),
        ("inclusive", OpKind.BIT_XOR, "uint64:uint64", None, np.bitwise_xor.accumulate),
    ],
)
def test_scans(kind: str, op: Any, types: str, init: Any, expected: Callable[[Array], Array]) -> None:
    items, results = types.split(":")
    x = made(items, (5, 20))
    out = np.full(120, 1, results)
    both_forms(f"{kind}_scan", d_in=x, d_out=out, op=op, init_value=init, num_items=90)
    flat = x.reshape(-1)[:90]
    if op in (OpKind.MINIMUM, OpKind.MAXIMUM, OpKind.BIT_AND):
        started = np.append(np.asarray(init, items), flat)
        wanted = expected(started)[:-1] if kind == "exclusive" else expected(started)[1:]
    else:
        wanted = expected(flat)
    expect(out, np.append(wanted.astype(results), np.full(30, 1, results)))


def test_an_initial_value_may_be_in_the_memory_of_the_device() -> None:
    x, start = made("int32", (50,)), np.asarray([4, 99], "int32")
    for _ in range(2):
        compute.exclusive_scan(
            d_in=Lent(x), d_out=(out := np.zeros(50, "int32")), op=OpKind.PLUS, init_value=Lent(start), num_items=50
        )
        expect(out, (start[0] + np.cumsum(x) - x).astype("int32"))
        start[0] = -1000


def test_a_scan_may_be_in_place() -> None:
    x = made("int32", (80,))
    expected = np.append(np.cumsum(x[:60], dtype="int32"), x[60:])
    compute.inclusive_scan(d_in=x, d_out=x, op=OpKind.PLUS, num_items=60)
    expect(x, expected)


def test_reductions() -> None:
    x = np.arange(1, 101, dtype="int32")
    out = np.full(2, 7, "int64")
    both_forms("reduce_into", d_in=x, d_out=out, num_items=9, op=OpKind.MULTIPLIES, h_init=np.asarray([2], "int64"))
    expect(out, np.asarray([2 * 362880, 7]))
    both_forms("reduce_into", d_in=x, d_out=out[1:], num_items=100, op=OpKind.MULTIPLIES, h_init=0)
    expect(out, np.asarray([2 * 362880, 0]))
    both_forms("reduce_into", d_in=x, d_out=out, num_items=0, op=OpKind.MULTIPLIES, h_init=5)
    both_forms("reduce_into", d_in=x, d_out=out[1:], num_items=0, op=OpKind.MULTIPLIES)
    expect(out, np.asarray([5, 0]))
    last = np.zeros((), "int64")
    both_forms("reduce_into", d_in=x, d_out=last, num_items=42, op=LATEST)
    assert last == 42
    compute.reduce_into(
        d_in=x, d_out=last, num_items=3, op=LATEST, determinism=compute.Determinism.NOT_GUARANTEED, h_init=8
    )
    assert last == 3


def test_reductions_of_segments() -> None:
    x = np.arange(100, dtype="float32")
    begins, ends = np.asarray([90, 0, 5, 3, 1]), np.asarray([100, 40, 5, 10, 2])  # out of order, apart, one in another
    out = np.zeros(5, "float32")
    arguments = {"d_in": x, "d_out": out, "start_offsets_in": begins, "end_offsets_in": ends, "op": OpKind.MINIMUM}
    both_forms("segmented_reduce", **arguments, num_segments=4, h_init=np.float32(50.5), max_segment_size=40)
    expect(out, np.asarray([50.5, 0, 50.5, 3, 0], "float32"))


PAIRS = [(order, bits) for order in SortOrder for bits in ((None, None), (1, 3), (0, 0))]


@pytest.mark.parametrize(("order", "bits"), PAIRS)
def test_radix_sorts(order: SortOrder, bits: tuple[int | None, int | None]) -> None:
    keys = np.random.default_rng(5).integers(0, 16, 70).astype("uint16")
    values = np.arange(70, dtype="float64")
    first, last = bits[0] or 0, 16 if bits[1] is None else bits[1]
    compared = (keys[:60].astype(int) >> first) & (2 ** (last - first) - 1)
    places = np.argsort(compared if order is SortOrder.ASCENDING else -compared, kind="stable")
    keys_out, values_out = np.zeros_like(keys), np.zeros_like(values)
    asked = {"num_items": 60, "order": order, "begin_bit": bits[0], "end_bit": bits[1]}
    arrays = {"d_in_keys": keys, "d_out_keys": keys_out, "d_in_values": values, "d_out_values": values_out}
    both_forms("radix_sort", **arrays, **asked)
    expect(keys_out, np.append(keys[places], np.zeros(10, "uint16")))
    expect(values_out, np.append(values[places], np.zeros(10)))

    buffers = DoubleBuffer(keys.copy(), np.zeros_like(keys)), DoubleBuffer(values.copy(), np.zeros_like(values))
    compute.radix_sort(d_in_keys=buffers[0], d_out_keys=None, d_in_values=buffers[1], d_out_values=None, **asked)
    assert [buffer.selector for buffer in buffers] == [1, 1]
    expect(buffers[0].current()[:60], keys[places])
    expect(buffers[1].current()[:60], values[places])


BY_SQUARE = "__device__ bool less(Value a, Value b) { return a * a < b * b; }"
MERGED: list[tuple[Any, Callable[[Array], Array]]] = [
    (OpKind.LESS, lambda keys: keys), (OpKind.GREATER, lambda keys: -keys), (BY_SQUARE, lambda keys: keys * keys),
]  # fmt: skip


@pytest.mark.parametrize(("op", "compared"), MERGED)
def test_merge_sorts(op: Any, compared: Callable[[Array], Array]) -> None:
    keys = np.random.default_rng(6).integers(-9, 9, 70).astype("float32")
    places = np.argsort(compared(keys[:60]), kind="stable")
    keys_out, values_out = np.zeros_like(keys), np.zeros(70, "uint8")
    arrays = {"d_in_keys": keys, "d_out_keys": keys_out}
    both_forms("merge_sort", **arrays, num_items=60, op=op)
    expect(keys_out[:60], keys[places])
    values = np.arange(70, dtype="uint8")
    both_forms("merge_sort", **arrays, d_in_values=values, d_out_values=values_out, num_items=60, op=op)
    expect(values_out, np.append(values[places], np.zeros(10, "uint8")))


def test_a_sort_may_be_in_place() -> None:
    for op, compared in reversed(MERGED):
        keys, values = np.random.default_rng(8).integers(-9, 9, 70).astype("int32"), np.arange(70, dtype="int16")
        places = np.append(np.argsort(compared(keys[:60]), kind="stable"), np.arange(60, 70))
        sorted_keys, sorted_values = keys[places], values[places]
        compute.merge_sort(
            d_in_keys=keys, d_in_values=values, d_out_keys=keys, d_out_values=values, num_items=60, op=op
        )
        expect(keys, sorted_keys)
        expect(values, sorted_values)
    ends = np.asarray([0, 60, 65])
    keys[60:65] = [5, 1, 4, 2, 3]
    segments = {"start_offsets_in": ends[:-1], "end_offsets_in": ends[1:], "order": SortOrder.DESCENDING}
    compute.segmented_sort(d_in_keys=keys, d_out_keys=keys, num_items=70, num_segments=2, **segments)
    expect(keys[:60], sorted_keys[59::-1])
    expect(keys[60:], np.append(np.asarray([5, 4, 3, 2, 1], "int32"), sorted_keys[65:]))


@pytest.mark.parametrize("order", SortOrder)
def test_sorts_of_segments(order: SortOrder) -> None:
    keys = np.random.default_rng(7).integers(-9, 9, 60).astype("int32")
    values = np.arange(60, dtype="int64")
    begins, ends = np.asarray([40, 0, 0, 9], "int32"), np.asarray([60, 0, 30, 9], "int32")
    expected, moved = np.zeros_like(keys), np.zeros_like(values)
    for begin, end in zip(begins[:3], ends[:3], strict=True):
        part = keys[begin:end]
        places = np.argsort(part if order is SortOrder.ASCENDING else -part, kind="stable")
        expected[begin:end], moved[begin:end] = part[places], values[begin:end][places]
    keys_out, values_out = np.zeros_like(keys), np.zeros_like(values)
    segments = {"num_items": 60, "num_segments": 3, "start_offsets_in": begins, "end_offsets_in": ends, "order": order}
    both_forms("segmented_sort", d_in_keys=keys, d_out_keys=keys_out, **segments)
    expect(keys_out, expected)
    arrays = {"d_in_keys": keys, "d_out_keys": keys_out, "d_in_values": values, "d_out_values": values_out}
    both_forms("segmented_sort", **arrays, **segments)
    expect(values_out, moved)
    buffer = DoubleBuffer(keys.copy(), np.zeros_like(keys))
    compute.segmented_sort(d_in_keys=buffer, **segments)
    expect(buffer.current(), expected)


@pytest.mark.parametrize("dtype", ["int32", "float16"])
def test_selections(dtype: str) -> None:
    x = made(dtype, (70,))
    kept = x[:60][x[:60] > 2]
    out, count = np.full(70, -1, dtype), np.full(2, 9, "int32")
    arguments = {"d_in": x, "d_num_selected_out": count, "cond": IS_LARGE, "num_items": 60}
    both_forms("select", **arguments, d_out=out)
    expect(out, np.append(kept, np.full(70 - kept.size, -1, dtype)))
    expect(count, np.asarray([kept.size, 9], "int32"))
    compute.select(**arguments, d_out=(few := np.full(4, -1, dtype))[:3])
    expect(few, np.append(kept[:3], np.asarray([-1], dtype)))
    assert count[0] == kept.size
    compute.select(**{**arguments, "num_items": 0}, d_out=out)
    assert count[0] == 0


@pytest.mark.parametrize("dtype", ["int32", "float16"])
def test_partitions_into_three(dtype: str) -> None:
    x = made(dtype, (70,))
    used = x[:60]
    parts = [used[used > 2], used[used == 1], used[(used == 0) | (used == 2)]]
    outputs, counts = np.full((3, 60), -1, dtype), np.zeros(3, "uint64")
    both_forms(
        "three_way_partition", d_in=x, d_first_part_out=outputs[0], d_second_part_out=outputs[1],
        d_unselected_out=outputs[2], d_num_selected_out=counts, select_first_part_op=IS_LARGE,
        select_second_part_op=IS_ODD, num_items=60,
    )  # fmt: skip
    expect(counts, np.asarray([parts[0].size, parts[1].size, 0], "uint64"))
    for out, part in zip(outputs, parts, strict=True):
        expect(out, np.append(part, np.full(60 - part.size, -1, dtype)))


SAME_PARITY = "__device__ bool equal(Value before, Value item) { return int(before) % 2 == int(item) % 2; }"


@pytest.mark.parametrize(
    ("op", "compared"), [(OpKind.EQUAL_TO, lambda keys: keys), (SAME_PARITY, lambda keys: keys % 2)]
)
@pytest.mark.parametrize("dtype", ["int64", "float16"])
def test_first_items_of_runs(op: Any, compared: Callable[[Array], Array], dtype: str) -> None:
    keys, values = np.repeat(made(dtype, (30,)), 3)[:80], np.arange(80, dtype="int16")
    steps = compared(keys[:70])
    starts = np.flatnonzero(np.append(True, steps[1:] != steps[:-1]))
    keys_out, values_out, count = np.full(80, -1, dtype), np.full(70, -1, "int16"), np.zeros(1, "int64")
    both_forms(
        "unique_by_key", d_in_keys=keys, d_in_items=values, d_out_keys=keys_out, d_out_items=values_out,
        d_out_num_selected=count, op=op, num_items=70,
    )  # fmt: skip
    assert count[0] == starts.size
    expect(keys_out, np.append(keys[starts], np.full(80 - starts.size, -1, dtype)))
    expect(values_out, np.append(values[starts], np.full(70 - starts.size, -1, "int16")))


X, OUT, COUNT = np.zeros(8, "int32"), np.zeros(8, "int32"), np.zeros(2, "int64")
SCAN = {"d_in": X, "d_out": OUT, "op": OpKind.PLUS, "num_items": 8}
SORT = {"d_in_keys": X, "d_out_keys": OUT, "num_items": 8, "order": SortOrder.ASCENDING}
SELECT = {"d_in": X, "d_out": OUT, "d_num_selected_out": COUNT, "cond": IS_LARGE, "num_items": 8}
UNIQUE = {
    "d_in_keys": X, "d_in_items": X, "d_out_keys": OUT, "d_out_items": OUT[:4], "d_out_num_selected": COUNT,
    "op": OpKind.EQUAL_TO, "num_items": 8,
}  # fmt: skip


class CountingIterator:
    pass


@pytest.mark.parametrize(
    ("name", "arguments", "changed", "error", "text"),
    [
        ("inclusive_scan", SCAN, {"op": lambda a, b: a + b}, TypeError, "op is a Python function, which scantune does"),
        ("inclusive_scan", SCAN, {"op": max}, TypeError, "or a scantune.Op, whose source is CUDA C"),
        ("inclusive_scan", SCAN, {"op": OpKind.LESS}, TypeError, "op is OpKind.LESS; it must be one of PLUS, MULTIPL"),
        ("inclusive_scan", SCAN, {"op": "sum"}, TypeError, "op is an object of type str; it must be one of PLUS"),
        ("make_exclusive_scan", {**SCAN, "init_value": 0}, {"op": None}, TypeError, "op is an object of type NoneType"),
        ("exclusive_scan", SCAN, {"init_value": None}, ValueError, "init_value is None; an exclusive scan must have"),
        ("inclusive_scan", SCAN, {"init_value": np.zeros(2)}, ValueError, "init_value has 2 items; it must have one"),
        ("inclusive_scan", SCAN, {"init_value": 0.5}, TypeError, "init_value is an object of type float; it must be"),
        ("inclusive_scan", SCAN, {"init_value": Lent(COUNT)}, TypeError, "init_value has items of int64, and it must"),
        ("inclusive_scan", SCAN, {"init_value": Lent(OUT[:1])}, ValueError, "init_value overlaps d_out in memory"),
        ("inclusive_scan", SCAN, {"d_in": CountingIterator()}, TypeError, "d_in is an object of type CountingIter"),
        ("inclusive_scan", SCAN, {"d_out": None}, TypeError, "d_out is an object of type NoneType"),
        ("inclusive_scan", SCAN, {"num_items": 9}, ValueError, "d_in has 8 items; it must have at least 9"),
        ("inclusive_scan", SCAN, {"num_items": -1}, ValueError, "num_items is -1; it must be an integer, not less"),
        ("inclusive_scan", SCAN, {"d_in": np.zeros(16, "int32")[::2]}, ValueError, "d_in is not contiguous: pass a"),
        ("inclusive_scan", SCAN, {"d_in": OUT[1:], "num_items": 7}, ValueError, "d_out overlaps d_in in memory"),
        ("inclusive_scan", SCAN, {"d_out": read_only(np.zeros(8, "int32"))}, ValueError, "d_out is read-only"),
        ("inclusive_scan", SCAN, {"d_in": np.zeros(8)}, TypeError, "d_in has items of float64, which do not become i"),
        ("inclusive_scan", SCAN, {"d_out": np.zeros(8, bool)}, TypeError, "results are numbers, and would be bool"),
        ("inclusive_scan", SCAN, {"stream": 1}, ValueError, "stream is given, and d_in is in the CPU's memory"),
        ("reduce_into", SCAN, {"d_out": X[:1]}, ValueError, "d_out overlaps d_in in memory"),
        ("reduce_into", SCAN, {"h_init": 1 << 40}, ValueError, "h_init is 1099511627776, which is not of type int32"),
        ("reduce_into", SCAN, {"determinism": 1}, TypeError, "determinism is 1; it must be a Determinism"),
        ("radix_sort", SORT, {"order": 0}, TypeError, "order is 0; it must be a SortOrder"),
        ("radix_sort", SORT, {"end_bit": 33}, ValueError, "end_bit is 33, and keys of int32 have 32 bits"),
        ("radix_sort", SORT, {"d_out_keys": COUNT[:0], "num_items": 0}, TypeError, "d_out_keys has items of int64, an"),
        ("radix_sort", SORT, {"d_in_values": X}, TypeError, "one of d_in_values and d_out_values is given"),
        ("radix_sort", SORT, {"d_in_keys": OUT[1:], "num_items": 7}, ValueError, "d_out_keys overlaps d_in_keys in m"),
        ("radix_sort", SORT, {"d_in_keys": DoubleBuffer(X, OUT), "d_in_values": COUNT}, TypeError, "pass two of them"),
        ("radix_sort", SORT, {"d_in_keys": DoubleBuffer(X, OUT)}, TypeError, "d_out_keys is given, and d_in_keys is"),
        ("make_merge_sort", {"d_in_keys": X, "d_out_keys": OUT}, {"op": OpKind.PLUS}, TypeError, "be OpKind.LESS, OpK"),
        ("make_merge_sort", {"d_in_keys": X, "d_out_keys": OUT}, {"op": max}, TypeError, "OpKind.GREATER, or CUDA C"),
        (
            "make_merge_sort",
            {"d_in_keys": X, "d_out_keys": OUT},
            {"op": LATEST},
            TypeError,
            "op is an object of type Op",
        ),
        (
            "select",
            SELECT,
            {"cond": bool},
            TypeError,
            "cond is a Python function, .* that defines __device__ bool keep",
        ),
        (
            "select",
            SELECT,
            {"d_num_selected_out": COUNT[:0]},
            ValueError,
            "selected_out has 0 items; it must have at",
        ),
        ("select", SELECT, {"d_num_selected_out": np.zeros(1)}, TypeError, "they must be integers of 32 or 64 bits"),
        ("unique_by_key", UNIQUE, {}, ValueError, "d_out_items overlaps d_out_keys in memory"),
        ("unique_by_key", UNIQUE, {"op": OpKind.LESS}, TypeError, "op is OpKind.LESS; it must be OpKind.EQUAL_TO, or"),
    ],
)
def test_what_is_wrong_is_refused_by_the_name_of_the_argument(
    name: str, arguments: dict[str, Any], changed: dict[str, Any], error: type[Exception], text: str
) -> None:
    function = getattr(compute, name)
    given = {**arguments, **changed}
    if name.startswith("make_"):
        given.pop("num_items", None)
    with pytest.raises(error, match=f"^{name}: .*{text}"):
        function(**given)


def test_the_program_of_the_page_runs() -> None:
    page = Path(__file__).resolve().parents[2] / "docs/coming-from-python.md"
    (program,) = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    exec(compile(program, str(page), "exec"), {})
