"""The stages of a run without named problems; the first is worth most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scantune.cli.named_problems import NamedProblems
from scantune.cli.options import default_types, portfolio_sizes
from scantune.model.cell import Cell
from scantune.model.device import Device
from scantune.model.quantity import format_size, parse_sizes

# Records of these serve all types of their width and class, here and in the stages of other lists.
_EACH_WIDTH = ["i8", "i16", "i32", "i64", "f16", "f32", "f64"]


# As reduce_by_key() asks for them with a count of 4 bytes.
_TOTALS_OF_KEYS = (
    *(("segments", "keys"), ("results", "totals")),
    *(("determinism", "run_to_run"), ("count_width", "bits_32")),
)

_ROWS_OF_2_15 = (("segments", "rows"), ("row_items", "2^15"))


@dataclass(frozen=True)
class Stage:
    name: str  # shown to people; empty for what the user asked for
    named: NamedProblems
    sizes: Sequence[int] | None = None  # None: the default sizes of the device
    is_portfolio: bool = False
    share: float | None = None  # maximal share of the run's time; None: the rest
    weights: Mapping[Cell, float] | None = None  # of the cells that programs call; None: the named problems


def default_stages(device: Device) -> list[Stage]:
    """Return the stages in order. The host device, which is for tests, has the first one only.

    Those with a share come first, so that within one run every algorithm has its turn.
    """
    if device.is_host:
        return [Stage("sums", NamedProblems(default_types(device)))]
    sums = NamedProblems(_EACH_WIDTH)
    few = parse_sizes(["2^16..2^28:6"])
    return [
        Stage("sums", sums, share=0.3),
        Stage("sums of reductions", NamedProblems(["i8", "i32", "f32", "f64"], algorithm="reduce"), share=0.09),
        Stage(
            "selections",
            NamedProblems(["i8", "i32", "i64"], algorithm="select"),
            parse_sizes(["2^10..2^26:4"]),
            share=0.09,
        ),
        Stage("sorts", NamedProblems(["u32", "u64"], algorithm="sort"), parse_sizes(["2^10..2^26:4"]), share=0.08),
        Stage(
            "sorts of pairs",
            NamedProblems(["u32:u32"], options=(("sorted", "pairs"),), algorithm="sort"),
            parse_sizes(["2^10..2^26:4"]),
            share=0.04,
        ),
        Stage("sums of rows of 2^10", _sums_of("rows", 2**10), few, share=0.03),
        Stage("sums of rows of 192", _sums_of("rows", 192), _sizes_of_rows_of_192(), share=0.02),
        Stage("a sum of each row of 2^10", _sums_of("rows", 2**10, "reduce"), few, share=0.02),
        Stage("sums of 2^10 columns", _sums_of("columns", 2**10), few, share=0.03),
        Stage("sums of 2^16 segments", _of_segments("reduce"), few, share=0.03),
        Stage("scans of 2^16 segments", _of_segments("scan"), few, share=0.03),
        Stage("sums by key", NamedProblems(["i32", "f32"], options=(("segments", "keys"),)), few, share=0.02),
        Stage("a sum for each key", NamedProblems(["i32", "f32"], options=_TOTALS_OF_KEYS), few, share=0.02),
        Stage("sorts of 2^16 segments", _of_segments("sort", ["u32"]), few, share=0.02),
        Stage(
            "the greatest 32 keys", NamedProblems(["f32"], options=(("k", "32"),), algorithm="top_k"), few, share=0.01
        ),
        Stage(
            "the greatest 50 keys of each row of 2^15",
            NamedProblems(["f32"], options=(*_ROWS_OF_2_15, ("k", "50")), algorithm="top_k"),
            few,
            share=0.01,
        ),
        Stage(
            "merge sorts",
            NamedProblems(["u32", "u64"], options=(("comparison", "source"),), algorithm="sort"),
            parse_sizes(["2^10..2^26:4"]),
            share=0.02,
        ),
        Stage(
            "load balances",
            NamedProblems(["i32"], options=(("segments", "2^16"),), algorithm="load_balance"),
            parse_sizes(["2^16..2^28:4"]),
            share=0.03,
        ),
        Stage("minima and maxima", NamedProblems(["i32", "f32"], ["min", "max"]), share=0.03),
        Stage(
            "positions of minima and maxima",
            NamedProblems(["i32", "f32"], ["min", "max"], (("position", "first"),), algorithm="reduce"),
            share=0.03,
        ),
        Stage("widening sums", NamedProblems(["i8:i32", "i16:i32", "i32:i64", "f16:f32"]), share=0.03),
        Stage("minima and maxima of reductions", NamedProblems(["i32", "f32"], ["min", "max"], algorithm="reduce")),
        # At larger sizes, what runs before and after a scan hardly matters.
        Stage(
            "isolated sums",
            NamedProblems(_EACH_WIDTH, options=(("latency", "isolated"),)),
            parse_sizes(["2^8..2^20:4"]),
        ),
        Stage(
            "sums with the same bits on every run",
            NamedProblems(["f16", "f32", "f64"], options=(("determinism", "run_to_run"),)),
        ),
        # A record serves rows whose length, or columns whose number, is at most an eighth less or more.
        *(
            Stage(f"sums of rows of {format_size(items)}", _sums_of("rows", items), few)
            for items in (2**6, 2**12, 2**15)
        ),
        *(
            Stage(f"a sum of each row of {format_size(items)}", _sums_of("rows", items, "reduce"), few)
            for items in (2**6, 2**15)
        ),
        Stage("a sum of each row of 192", _sums_of("rows", 192, "reduce"), _sizes_of_rows_of_192()),
        Stage("a sum of each of 2^10 columns", _sums_of("columns", 2**10, "reduce"), few),
        Stage("sums of 2^14 columns", _sums_of("columns", 2**14), few[1:]),
        Stage("sums between those sizes", sums, portfolio_sizes(device), is_portfolio=True),
    ]


def _of_segments(algorithm: str, types: Sequence[str] = ("i32", "f32", "f64")) -> NamedProblems:
    offsets = (("segments", "offsets"), ("segment_count", "2^16"))
    return NamedProblems(types, options=offsets, algorithm=algorithm)


def _sums_of(segments: str, number: int, algorithm: str = "scan") -> NamedProblems:
    extent = {"rows": "row_items", "columns": "columns"}[segments]
    return NamedProblems(
        ["i8", "f16", "f32", "f64"], options=(("segments", segments), (extent, str(number))), algorithm=algorithm
    )


def _sizes_of_rows_of_192() -> list[int]:
    """Return the three sizes of 2^14, 2^20 and 2^26 times 3, which whole rows fill."""
    return [3 << exponent for exponent in (14, 20, 26)]
