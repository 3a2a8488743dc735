"""What the benchmarks of sorts, segments and selections time: problems, distributions and configs, without a GPU."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import results_file
import segment_problems
import selection_problems
import sort_problems
from sort_problems import DISTRIBUTIONS, KEY_BYTES, SIZES, SORTED, Case

Array = Any
_INTEGERS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def drawer(case: Case) -> Callable[[int], Array]:
    def draw(turn: int) -> Array:
        drawn = np.random.default_rng(turn).bytes(case.n * case.key_bytes)
        return np.frombuffer(drawn, dtype=_INTEGERS[case.key_bytes]).copy()

    return draw


def keys_of(case: Case) -> Array:
    def in_order(keys: Array) -> Array:
        ordered = keys[np.argsort(sort_problems.comparable(Case(case.n, case.type), keys), kind="stable")]
        return ordered[::-1] if case.keys == "reversed" else ordered

    return sort_problems.distributed(case, drawer(case), in_order)


def unsigned(case: Case, keys: Array) -> Array:
    return keys.view(f"u{case.key_bytes}")


def numbers_of(case: Case, keys: Array) -> Array:
    """Return the numbers that bits are of."""
    if case.type == "bf16":
        return (unsigned(case, keys).astype(np.uint32) << 16).view(np.float32)
    return keys.view({"f": "f", "i": "i"}.get(case.type[0], "u") + str(case.key_bytes))


@pytest.mark.parametrize(("kind", "entropy"), [("uniform", 1.0), ("entropy 0.54", 0.54), ("entropy 0.2", 0.2)])
def test_each_bit_has_the_entropy_that_the_distribution_says(kind: str, entropy: float) -> None:
    case = Case(1 << 16, keys=kind)
    share = np.unpackbits(keys_of(case).view(np.uint8)).mean()
    found = -share * math.log2(share) - (1 - share) * math.log2(1 - share)
    assert found == pytest.approx(entropy, abs=0.01)


def test_keys_are_alike_or_in_order_where_the_distribution_says_so() -> None:
    constant, rising, falling = (keys_of(Case(4096, keys=kind)) for kind in ("constant", "sorted", "reversed"))
    assert len(set(constant.tolist())) == 1
    assert constant[0] != 0
    assert (np.diff(rising.view(np.uint32).astype(np.int64)) >= 0).all()
    assert (rising[::-1] == falling).all()


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32"])
def test_floating_point_keys_are_numbers_that_are_not_zero(kind: str) -> None:
    for keys in DISTRIBUTIONS:
        case = Case(1 << 16, kind, keys=keys)
        numbers = numbers_of(case, keys_of(case))
        assert np.isfinite(numbers).all()
        assert (numbers != 0).all()


@pytest.mark.parametrize("order", ["ascending", "descending"])
@pytest.mark.parametrize("kind", KEY_BYTES)
def test_keys_are_compared_as_numbers_of_their_type(kind: str, order: str) -> None:
    case = Case(5000, kind, order=order)
    keys = keys_of(case)
    found = keys[np.argsort(sort_problems.comparable(case, keys), kind="stable")]
    expected = np.sort(numbers_of(case, keys))
    assert (numbers_of(case, found) == (expected if order == "ascending" else expected[::-1])).all()


@pytest.mark.parametrize(("kind", "begin", "end"), [("u8", 2, 5), ("u32", 0, 31), ("u32", 31, 32), ("u64", 17, 0)])
def test_only_some_bits_are_compared_and_equal_ones_keep_their_order(kind: str, begin: int, end: int) -> None:
    case = Case(3000, kind, begin_bit=begin, end_bit=end)
    keys = keys_of(case)
    first, behind = case.key_bits
    numbers = [int(key) % 2**behind >> first for key in unsigned(case, keys)]
    expected = sorted(range(case.n), key=numbers.__getitem__)
    assert np.argsort(sort_problems.comparable(case, keys), kind="stable").tolist() == expected


def test_draws_of_sorts_have_each_type_with_each_distribution_and_result_at_all_sizes() -> None:
    cases = list(sort_problems.drawn(300, 7))
    met = {("rows" if case.rows else case.type, case.sorted, case.keys) for case in cases}
    assert met == set(itertools.product([*KEY_BYTES, "rows"], SORTED, DISTRIBUTIONS))
    assert [sort_problems.case_of(case.text()) for case in cases] == cases
    assert all(0 <= first < behind <= 8 * case.key_bytes for case in cases for first, behind in [case.key_bits])
    assert all(case.n % case.rows == 0 for case in cases if case.rows)
    assert max(np.diff([8, *sorted(math.log2(case.n) for case in cases), 28])) < 0.5


def test_draws_of_sorts_are_of_problems_that_the_library_of_cub_has() -> None:
    for case in sort_problems.drawn(300, 7):
        assert case.value_bytes in ((0, 4, 8) if case.type in ("i8", "f16", "bf16") else (0, 4, 8, 16, 32))
        assert not case.rows or (case.type, case.order, case.end_bit) == ("u32", "ascending", 0)
        assert not case.rows or case.value_bytes <= 4


def test_draws_of_sorts_leave_room_for_workspaces() -> None:
    moved = [case.moved_bytes for seed in range(20) for case in sort_problems.drawn(40, seed)]
    assert (7 << 30) < max(moved) <= (8 << 30)


@pytest.mark.parametrize("drawn", [sort_problems.drawn, segment_problems.drawn, selection_problems.drawn])
def test_a_draw_depends_on_its_number_and_the_seed_alone(drawn: Callable[[int, int], Iterator[Any]]) -> None:
    whole = list(drawn(64, 3))
    assert whole == list(drawn(64, 3))
    assert whole != list(drawn(64, 4))


def test_table_has_each_row_at_each_size_that_memory_holds() -> None:
    cases = sort_problems.table_cases([], None)
    assert {label for label, _ in cases} == set(sort_problems.TABLE)
    assert [case.n for label, case in cases if label == "u32 keys"] == [1 << power for power in SIZES]
    assert max(case.n for label, case in cases if label == "u64 keys") == 1 << 27
    rows = [(case.n // case.rows, case.n) for _, case in sort_problems.table_cases(["u32 rows"], None)]
    assert rows[:3] == [(1 << power - 10, 1 << power) for power in (20, 22, 24)]
    assert rows[3:] == [(length, 1 << 24) for length in (64, 256, 1024, 4096, 16384, 65536)]


def test_one_text_names_every_combination_of_parameters() -> None:
    found = sort_problems.configs_of("sort_onesweep digit_bits=7,8 tile_order=ticket")
    assert found == [
        {"family": "sort_onesweep", "digit_bits": 7, "tile_order": "ticket"},
        {"family": "sort_onesweep", "digit_bits": 8, "tile_order": "ticket"},
    ]
    assert sort_problems.name_of_config(found[0]) == "sort_onesweep digit_bits=7 tile_order=ticket"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("type=u32", "n is missing"), ("n=8 type=i3", "none of u8"), ("n=8 sorted=pairs", "value_bytes"), ("m=8", "m=8")],
)
def test_a_problem_that_is_none_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        sort_problems.case_of(text)


def test_ratio_is_that_of_the_faster_cub_and_of_double_buffers_only_where_they_count() -> None:
    row = {"label": "u32 keys", "case": Case(1 << 20), "failed": [], "cannot": {}}
    row["us"] = {"default": 10.0, "sort_block": 8.0, "CUB 1.0": 12.0, "CUB 2.0": 11.0, "CUB 1.0 double": 5.0}
    assert sort_problems.ratio(row) == pytest.approx(1.1)
    assert sort_problems.ratio(row, doubled=True) == pytest.approx(0.5)
    assert sort_problems.best_family(row) == ("sort_block", 1.25)
    assert "10.00 1.10x (block 1.25x)" in sort_problems.compact_table([row])


def test_draws_are_summed_up_where_ratios_are_equal() -> None:
    rows = [{"label": "draw", "case": Case(n), "us": {"default": 10.0, "CUB 1.0": us}}
            for n, us in ((8, 9.0), (9, 12.0), (10, 9.0))]  # fmt: skip
    assert sort_problems.draws_table(rows).splitlines()[0] == "3 draws, 2 below 0.98, least 0.90, median 0.90"


def test_draws_of_segments_have_each_type_with_each_kind_of_lengths_at_all_sizes() -> None:
    drawn = list(segment_problems.drawn(300, seed=1))
    for algorithm in segment_problems.ALGORITHMS:
        own = [case for case in drawn if case.algorithm == algorithm]
        types = segment_problems.types_of(algorithm)
        if algorithm != "top_k":  # of rows, which are all alike
            assert {(one.type, one.lengths) for one in own} == set(itertools.product(types, segment_problems.LENGTHS))
        exponents = sorted(math.log2(case.n) for case in own)
        assert max(np.diff([8, *exponents, 27])) < 1.5


def test_segment_problems_are_read_as_they_are_written() -> None:
    for case in (*segment_problems.drawn(40, seed=2), *segment_problems.table()):
        assert segment_problems.case_of(case.text()) == case
    assert segment_problems.case_of("segmented_scan n=2^24 mean=8 lengths=power_law").n == 1 << 24


@pytest.mark.parametrize(
    ("text", "told"),
    [("scan n=8", "scan is none of"), ("segmented_scan", "n is missing"), ("top_k n=8 length=3", "a problem has"),
     ("segmented_scan n=8 type=u32", "type is u32, which is none of i8")],
)  # fmt: skip
def test_a_wrong_segment_problem_is_refused(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        segment_problems.case_of(text)


def test_draws_of_selections_have_each_type_with_each_share_at_all_sizes() -> None:
    drawn = list(selection_problems.drawn(300, seed=1))
    for criterion in selection_problems.CRITERIA:
        own = [case for case in drawn if case.criterion == criterion]
        shares = (1.0, 0.5, 0.125, 0.0078125) if criterion == "unique" else (0.0, 0.5, 1.0, "drawn")
        met = {(case.type, case.kept if case.kept in shares else "drawn") for case in own}
        assert met == set(itertools.product(selection_problems.ITEM_BYTES, shares))
        assert max(np.diff([8, *sorted(math.log2(case.n) for case in own), 28])) < 1.5


def test_selection_problems_are_read_as_they_are_written() -> None:
    for case in (*selection_problems.drawn(40, seed=2), *selection_problems.table()):
        assert selection_problems.case_of(case.text()) == case
    read = selection_problems.case_of("three_way n=2^24 type=u8 kept=0.3")
    assert read == selection_problems.Case("three way", 1 << 24, "u8", 0.3)


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("kind", selection_problems.ITEM_BYTES)
def test_the_share_of_selected_items_is_below_the_bound(kind: str, kept: float) -> None:
    source, case = np.random.default_rng(1), selection_problems.Case("less", 1 << 16, kind, kept)
    if kind.startswith("f"):
        items = source.random(case.n)
    else:  # the largest one is never drawn
        limits = np.iinfo(f"{kind[0]}{case.item_bytes}")
        items = source.integers(limits.min, limits.max, case.n, dtype=limits.dtype)
    assert (items < case.bound).mean() == pytest.approx(kept, abs=0.01 if 0 < kept < 1 else 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("most n=8", "criterion is most, which is none of less"),
        ("less", "n is missing"),
        ("less n=8 type=u3", "type is"),
    ],
)
def test_a_wrong_selection_problem_is_refused(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        selection_problems.case_of(text)


@pytest.mark.parametrize("problems", [sort_problems, selection_problems])
def test_slower_problems_of_a_file_are_measured_again(problems: Any, tmp_path: Path) -> None:
    cases = list(problems.drawn(30, 5))
    names = [one.name for one in dataclasses.fields(problems.Case)]
    ratios = [None, 0.5, 0.979, 0.98, 1.2] * 6
    rows = [[*(getattr(case, name) for name in names), ratio] for case, ratio in zip(cases, ratios, strict=True)]
    (tmp_path / "draws.csv").write_text(results_file.text_of({"gpu": "one"}, [*names, "ratio"], rows))
    slower = [case for case, ratio in zip(cases, ratios, strict=True) if ratio in (0.5, 0.979)]
    assert problems.slower_of(tmp_path / "draws.csv") == slower


def test_ratio_of_selections_is_that_of_the_faster_cub() -> None:
    us = {"scantune": 10.0, "config 1": 5.0, "CUB 1.0": 12.0, "CUB 2.0": 11.0}
    assert selection_problems.ratio({"us": us}) == pytest.approx(1.1)
    assert selection_problems.ratio({"us": {"scantune": 10.0}}) is None
