"""Rows of results on terminals of any width."""

from __future__ import annotations

import pytest
from rich.console import Console

from scantune.report.listing import Column, Listing, Row

WORDS = "one_shot block_threads=512 items_per_thread=16 vector_bytes=16 warp_scan=kogge_stone load_hint=evict_first"
LISTING = Listing(
    "Fastest kernels on [/x] NVIDIA H200",
    [Column("problem", is_text=True), Column("N"), Column("µs"), Column("origin", is_text=True)],
    [
        Row(["i8:i64:i32 custom_moderate:affine run_to_run isolated", "2^8", "0.65", "other_operator"], WORDS),
        Row(["i32 sum", "1,073,741,825", "4101.00", "exact_n"], "lookback default\n" + "x" * 300, begins_section=True),
    ],
    "family and config",
    "config: what departs from the family's default.",
)


def printed(width: int) -> list[str]:
    console = Console(width=width, record=True)
    console.print(LISTING)
    return [line.rstrip() for line in console.export_text().splitlines()]


@pytest.mark.parametrize("width", [40, 80, 100, 160, 400])
def test_nothing_is_left_out_at_any_width(width: int) -> None:
    lines = printed(width)
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    squeezed = "".join("".join(lines).split())
    for word in (*WORDS.split(), "x" * 300, "0.65", "4101.00", "1,073,741,825", "exact_n"):
        assert word in squeezed, word


def test_a_word_that_fits_on_a_line_is_not_broken() -> None:
    text = "\n".join(printed(80))
    for word in (*WORDS.split(), "custom_moderate:affine", "other_operator"):
        assert word in text, word


def test_details_stand_beside_their_rows_where_there_is_room_and_below_elsewhere() -> None:
    wide, narrow = printed(500), printed(80)
    assert any("0.65" in line and "load_hint" in line for line in wide)
    assert not any("0.65" in line and "block_threads" in line for line in narrow)
    (row,) = [index for index, line in enumerate(narrow) if "0.65" in line]
    assert any(line.startswith("  one_shot block_threads=512") for line in narrow[row:])


def test_numbers_stand_below_each_other() -> None:
    ends = {
        line.index(number) + len(number) for line in printed(500) for number in (" 0.65", "4101.00") if number in line
    }
    assert len(ends) == 1


def test_columns_that_do_not_fit_follow_in_parts_that_repeat_the_columns_up_to_n() -> None:
    families = [f"family_{index}" for index in range(12)]
    columns = [Column("problem", is_text=True), Column("N"), *(Column(f"{name} µs") for name in families)]
    rows = [Row(["i32 sum", n, *(f"{index}.25" for index in range(12))], "a detail") for n in ("2^10", "2^20")]
    console = Console(width=80, record=True)
    console.print(Listing("Times", columns, rows, "config", "A caption."))
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    for word in (*families, *(f"{index}.25" for index in range(12))):
        assert word in text, word
    parts = sum("problem" in line for line in lines)
    assert parts > 1
    assert sum("2^20" in line for line in lines) == parts
    assert (text.count("Times"), text.count("A caption."), text.count("a detail")) == (1, 1, 2)
