"""Scans, reductions and sorts of segments, by keys and by offsets, and runs, against loops of NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import scantune
from array_cases import EDGES, FLOATS, INTEGERS, OPERATIONS, Array, expect, made, read_only

pytestmark = pytest.mark.usefixtures("kept_kernels")


def keyed(n: int, dtype: str = "int32") -> Array:
    return np.repeat(np.arange(n), np.random.default_rng(n).integers(1, 9, n))[:n].astype(dtype)


def runs_of(keys: Array) -> list[slice]:
    starts = [i for i in range(keys.size) if i == 0 or keys[i] != keys[i - 1]]
    return [slice(a, b) for a, b in zip(starts, [*starts, keys.size][1:], strict=True)]


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_sums_of_every_type_by_key_are_those_of_numpy(dtype: str) -> None:
    x, keys = made(dtype, (120,)), keyed(120)
    runs = runs_of(keys)
    sums = [x[run].sum() for run in runs]
    expect(scantune.scan_by_key(keys, x), np.concatenate([np.cumsum(x[run]) for run in runs]))
    found_keys, found = scantune.reduce_by_key(keys, x)
    expect(found_keys, np.asarray([keys[run.start] for run in runs], "int32"))
    expect(found, np.asarray(sums))
    offsets = np.asarray([*(run.start for run in runs), keys.size])
    expect(scantune.segmented_reduce(x, offsets), np.asarray(sums))
    expect(scantune.segmented_scan(x, offsets), np.concatenate([np.cumsum(x[run]) for run in runs]))


@pytest.mark.parametrize("keys_type", ["bool", "uint8", "int16", "int64", "float16", "float32"])
def test_keys_are_of_any_type_and_layout(keys_type: str) -> None:
    keys = np.repeat([1, 0, 1, 1, 0], [3, 30, 2, 7, 14]).astype(keys_type)
    for layout in (keys, np.repeat(keys, 2)[::2], keys[::-1]):
        items, lengths = scantune.run_length_encode(layout)
        runs = runs_of(layout)
        expect(items, np.asarray([layout[run.start] for run in runs], keys_type))
        expect(lengths, np.asarray([run.stop - run.start for run in runs]))


@pytest.mark.parametrize("n", EDGES)
def test_edge_sizes(n: int) -> None:
    x, keys = made("int32", (n,)), keyed(n)
    runs = runs_of(keys)
    sums = np.asarray([x[run].sum() for run in runs], "int64")
    expect(scantune.scan_by_key(keys, x), np.concatenate([np.zeros(0, "int64"), *(np.cumsum(x[run]) for run in runs)]))
    expect(scantune.reduce_by_key(keys, x)[1], sums)
    offsets = np.asarray([*(run.start for run in runs), n], "int32")
    expect(scantune.segmented_reduce(x, offsets), sums)
    expect(scantune.segmented_scan(x, offsets), scantune.scan_by_key(keys, x))
    expect(scantune.segmented_sort(x, offsets), np.concatenate([x[:0], *(np.sort(x[run]) for run in runs)]))
    expect(scantune.run_length_encode(keys)[1], np.asarray([run.stop - run.start for run in runs], "int64"))


@pytest.mark.parametrize("op", OPERATIONS)
def test_all_operations_kinds_and_directions(op: str) -> None:
    x, keys = made("int64", (60,)), keyed(60)
    runs = runs_of(keys)
    offsets = np.asarray([*(run.start for run in runs), 60])
    # How an operator is named does not depend on kinds and directions, so one sees them all.
    kinds = [(False, True), (False, False), (True, False), (True, True)][: 4 if op == "max" else 1]
    for reverse, inclusive in kinds:
        expected = []
        for run in runs:
            ordered = np.append([3], x[run][::-1] if reverse else x[run])
            results = OPERATIONS[op].accumulate(ordered)
            results = results[1:] if inclusive else results[:-1]
            expected.append(results[::-1] if reverse else results)
        found = scantune.scan_by_key(keys, x, op, inclusive=inclusive, reverse=reverse, init=3)
        expect(found, np.concatenate(expected), reverse, inclusive)
        found = scantune.segmented_scan(x, offsets, op, inclusive=inclusive, reverse=reverse, init=3)
        expect(found, np.concatenate(expected), reverse, inclusive)
    expect(scantune.reduce_by_key(keys, x, op)[1], np.asarray([OPERATIONS[op].reduce(x[run]) for run in runs]))
    expected_totals = np.asarray([OPERATIONS[op].reduce(x[run], initial=3) for run in runs])
    expect(scantune.segmented_reduce(x, offsets, op, init=3), expected_totals)


def test_an_empty_segment_yields_the_identity_or_init() -> None:
    x = np.asarray([5, 2, 7], "int32")
    offsets = np.asarray([0, 2, 2, 9, 1])  # past the end, and back
    expect(scantune.segmented_reduce(x, offsets), np.asarray([7, 0, 7, 0]))
    expect(scantune.segmented_reduce(x, offsets, init=4), np.asarray([11, 4, 11, 4]))
    least = scantune.segmented_reduce(np.asarray([True]), np.asarray([0, 1, 1]), "bit_and")
    assert least.view("uint8").tolist() == [1, 1]
    expect(scantune.segmented_reduce(x, offsets[:1]), np.zeros(0, "int64"))


def test_segments_may_be_in_any_order_and_leave_gaps() -> None:
    x = np.asarray([5, 2, 7, 1, 9, 4, 3, 8], "int32")
    offsets = np.asarray([4, 8, 1, 3], "uint32")  # from 8 back to 1 is no segment, and item 0 and 3 are in none
    for function, segments in (
        (scantune.segmented_scan, ([2, 9], [9, 13, 16, 24])),
        (scantune.segmented_sort, ([2, 7], [3, 4, 8, 9])),
        (scantune.segmented_argsort, ([0, 1], [2, 1, 3, 0])),
    ):
        out = np.full(8, -1, "int64" if function is not scantune.segmented_sort else "int32")
        assert function(x, offsets, out=out) is out
        assert out.tolist() == [-1, *segments[0], -1, *segments[1]], function
    for function in (scantune.segmented_scan, scantune.segmented_sort, scantune.segmented_argsort):
        assert function(x, offsets[:1]).shape == x.shape


@pytest.mark.parametrize("dtype", ["bool", "int16", "uint64", "float16", "float32"])
@pytest.mark.parametrize("descending", [False, True])
def test_segments_are_sorted_as_sort_does(dtype: str, descending: bool) -> None:
    x = made(dtype, (120,))[::-1]
    runs = runs_of(keyed(120))
    offsets = np.asarray([*(run.start for run in runs), 120], "int32")
    asked = {"descending": descending}
    values = [scantune.sort(x[run], **asked) for run in runs]
    indices = [scantune.argsort(x[run], **asked) for run in runs]
    expect(scantune.segmented_sort(x, offsets, **asked), np.concatenate(values))
    expect(scantune.segmented_argsort(x, offsets, **asked), np.concatenate(indices))


def test_results_go_where_out_says_with_its_type() -> None:
    x, keys = made("int32", (50,)), keyed(50)
    runs = runs_of(keys)
    same = x.copy()
    assert scantune.scan_by_key(keys, same, out=same) is same
    expect(same, np.concatenate([np.cumsum(x[run]) for run in runs]).astype("int32"))
    out, count = (np.full(50, -1, "int32"), np.full(50, -1, "float64")), np.zeros((), "int64")
    assert scantune.reduce_by_key(keys, x, out=out, count=count)[1] is out[1]
    assert count == len(runs)
    expect(out[1][:count], np.asarray([x[run].sum() for run in runs], "float64"))
    assert (out[0][count:] == -1).all()
    items, lengths = scantune.run_length_encode(keys, size=60, fill_value=-5)
    assert (items[len(runs) :] == -5).all()
    assert (lengths[len(runs) :] == 0).all()
    same = x.copy()
    assert scantune.segmented_scan(same, np.asarray([0, 20, 50]), out=same) is same
    expect(same, np.concatenate([np.cumsum(x[:20]), np.cumsum(x[20:])]).astype("int32"))
    totals = np.zeros(2, "float32")
    assert scantune.segmented_reduce(x, np.asarray([0, 20, 50]), out=totals) is totals
    expect(totals, np.asarray([x[:20].sum(), x[20:].sum()], "float32"))


ITEMS = np.zeros(8, "int64")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: scantune.scan_by_key(ITEMS[1:], ITEMS), ValueError, "scan_by_key: keys has 7 items, and x has 8"),
        (lambda: scantune.scan_by_key(ITEMS, ITEMS, "xor"), ValueError, "scan_by_key: op is 'xor'; it must be one of"),
        (lambda: scantune.scan_by_key(ITEMS, ITEMS.copy(), out=ITEMS), ValueError, "scan_by_key: out overlaps keys in"),
        (
            lambda: scantune.scan_by_key(np.zeros(7), ITEMS[1:], out=ITEMS[:-1]),
            ValueError,
            "scan_by_key: out overlaps x in memory",
        ),
        (
            lambda: scantune.scan_by_key(ITEMS, ITEMS.copy(), out=read_only(np.zeros(8, "i8"))),
            ValueError,
            "scan_by_key: out is read-only",
        ),
        (lambda: scantune.reduce_by_key(ITEMS, np.zeros(8), "bit_or"), TypeError, "reduce_by_key: x has items of flo"),
        (lambda: scantune.reduce_by_key(ITEMS, ITEMS, out=ITEMS, count=ITEMS), TypeError, "out must be a tuple of 2 a"),
        (lambda: scantune.run_length_encode(np.zeros((2, 2))), ValueError, "run_length_encode: x has 2 dimensions; it"),
        (
            lambda: scantune.segmented_scan(ITEMS, np.zeros(2, "i2")),
            TypeError,
            "segmented_scan: offsets has items of i",
        ),
        (
            lambda: scantune.segmented_scan(ITEMS.copy(), ITEMS, out=ITEMS),
            ValueError,
            "segmented_scan: out overlaps offsets in memory",
        ),
        (lambda: scantune.segmented_sort(ITEMS, ITEMS[:0]), ValueError, "segmented_sort: offsets is empty"),
        (lambda: scantune.segmented_sort(ITEMS, ITEMS.copy(), out=ITEMS), ValueError, "segmented_sort: out overlaps x"),
        (lambda: scantune.segmented_argsort(np.zeros(8), ITEMS, out=np.zeros(8)), TypeError, "results are int64"),
        (
            lambda: scantune.segmented_sort(ITEMS, np.zeros(2, "i8"), out=np.zeros(16, "i8")[::2]),
            ValueError,
            "segmented_sort: out is not contiguous",
        ),
        (lambda: scantune.segmented_reduce(ITEMS, np.zeros(2)), TypeError, "offsets has items of float64; they must b"),
        (lambda: scantune.segmented_reduce(ITEMS, ITEMS[:0]), ValueError, "segmented_reduce: offsets is empty"),
        (
            lambda: scantune.segmented_reduce(ITEMS.copy(), ITEMS, out=ITEMS[1:]),
            ValueError,
            "segmented_reduce: out overlaps offsets in memory",
        ),
        (
            lambda: scantune.segmented_reduce(ITEMS, np.zeros(3, "i8"), out=np.zeros(3, "i8")),
            ValueError,
            "segmented_reduce: out has another shape than the results",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused_by_the_name_of_the_argument(
    call: Callable[[], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call()
