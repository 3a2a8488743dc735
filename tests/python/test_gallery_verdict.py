"""Which family is the fastest when, as races of some families say it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from command import streams_here
from conftest import SUM
from gallery_command import HOST, Requests, contenders, message
from scantune.compare.gallery_problem import Kind
from scantune.compare.which_when import cases
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.gallery_race import COPY, SELECTED, Contender, GalleryRace
from scantune.model.gallery_verdict import fastest, findings
from scantune.report.gallery_tables import when_table

pytestmark = pytest.mark.usefixtures("fake_worker_command")

GPU = Device("sm_90", "GPU", 132)
COSTLY = "custom_expensive"


def timed(name: str, us: float | None, error_us: float = 0.0) -> Contender:
    return Contender(name, Config(name, ()), median_us=us, standard_error_us=error_us)


def race(n: int, op: str = "sum", rows: int = 0, peak: float | None = None, **times: float | None) -> GalleryRace:
    """Return a race of families, beside a copy that takes 1 µs and what is selected, which takes less than all."""
    members = SUM.members if op == "sum" else (*SUM.members, ("op", op))
    problem = replace(SUM, members=members, extents=(("row_items", n // rows),) if rows else ())
    families = [timed(name, us) for name, us in times.items()]
    beside = [Contender(COPY, median_us=1.0), Contender(SELECTED, Config("lookback", ()), median_us=0.5)]
    return GalleryRace("", Cell(problem, n), [*beside, *families], 1.0, {}, peak=peak)


def texts(*races: GalleryRace) -> list[tuple[str, str]]:
    return [(one.about, one.text) for one in findings(races)]


def test_sizes_with_the_same_fastest_family_are_told_together() -> None:
    assert texts(race(32, a=2, b=3), race(128, a=3, b=4), race(512, a=5, b=4), race(1024, a=9, b=7)) == [
        ("size", "sum, one row: a from N = 2^5 to 2^7, b from N = 2^9 to 2^10.")
    ]


@pytest.mark.parametrize(
    ("other", "error_us", "names"), [(2.1, 0.0, "a"), (2.009, 0.0, "a or b"), (2.1, 0.1, "a or b")]
)
def test_families_that_differ_by_no_more_than_the_noise_are_named_together(
    other: float, error_us: float, names: str
) -> None:
    one = race(32)
    contenders = [timed("a", 2.0), timed("b", other, error_us)]
    assert texts(replace(one, contenders=contenders)) == [("size", f"sum, one row: {names} at N = 2^5.")]


@pytest.mark.parametrize(("peak", "share"), [(None, ""), (40.96, " and 20% of the peak")])
def test_many_rows_are_told_with_the_share_of_a_copy_and_of_the_peak(peak: float | None, share: str) -> None:
    assert texts(race(2**12, rows=4, peak=peak, a=4, b=5, c=6)) == [
        ("bandwidth", f"sum, 4 rows of 2^10: a, at 25% of a copy's speed{share}; b takes 1.25 times as long.")
    ]


def test_costly_operator_is_told_with_what_it_changes() -> None:
    told = texts(race(32, a=2, b=3), race(64, a=2, b=3), race(32, COSTLY, a=8, b=6), race(64, COSTLY, a=6, b=9))
    assert [text for about, text in told if about == "operator"] == [
        f"{COSTLY} instead of sum, one row of 2^5: b instead of a; times as long: a 4.00, b 2.00.",
        f"{COSTLY} instead of sum, one row of 2^6: still a; times as long: a 3.00, b 3.00.",
    ]


def test_races_in_which_no_family_was_timed_say_nothing() -> None:
    assert fastest(race(32, a=None)) == []
    assert texts(race(32, a=None), race(64, a=2)) == [("size", "sum, one row: a at N = 2^6.")]


def test_table_has_the_time_of_each_family_and_names_the_fastest() -> None:
    shown = when_table([race(32, a=2, b=3), race(2**12, COSTLY, rows=4, b=5)], GPU)
    assert [column.header for column in shown.columns] == ["operator", "in", "a µs", "b µs"]
    assert [(*row.cells, row.detail) for row in shown.rows] == [
        ("sum", "one row of 2^5", "2.00", "3.00", "a"), (COSTLY, "4 rows of 2^10", "–", "5.00", "b"),
    ]  # fmt: skip


def test_sizes_operators_and_many_rows_are_raced(request_log: Requests) -> None:
    told = message("--when", "--families", "kogge_stone,brent_kung", "--n", "2^5,2^7")
    raced = [(race["problem"]["op"], race["n"], race["extents"]) for race in told["races"]]
    assert raced == [(op, n, {"rows": 4} if n == 2**12 else {}) for op in ("sum", COSTLY) for n in (2**5, 2**7, 2**12)]
    assert all("CUB" not in contenders(race) and race["without_cub"] is None for race in told["races"])
    assert {one["about"] for one in told["verdict"]} == {"size", "bandwidth", "operator"}
    measured = {one["request"].get("op", "sum") for one in request_log() if one["method"] == "measure"}
    assert measured == {"sum", COSTLY}


def test_verdict_is_printed_below_the_table() -> None:
    code, out, err = streams_here("gallery", *HOST, "--when", "--families", "kogge_stone,brent_kung", "--n", "2^5")
    assert code == 0, err
    assert [line.split()[0] for line in out.splitlines() if "one row of 2^5" in line][:2] == ["sum", COSTLY]
    (verdict,) = [line for line in out.splitlines() if line.startswith("sum, one row: ")]
    assert verdict.endswith(" at N = 2^5.")
    assert "These times describe the CPU" in " ".join(out.split())


def test_gpu_is_filled_by_many_rows() -> None:
    raced = [(problem.op, n, problem.row_items) for problem, n in cases(GPU, 2**10, Kind.inclusive, None)]
    assert raced[4] == ("sum", 2**24, 2**10)
    assert [n for op, n, rows in raced if op == COSTLY and not rows] == [2**5, 2**7, 2**9, 2**10]


@pytest.mark.parametrize("other", [["--table", "3"], ["--list"], ["--families", "kogge_stone,sum_vector"]])
def test_when_goes_with_no_table_no_list_and_no_sums(other: list[str]) -> None:
    code, _, err = streams_here("gallery", *HOST, "--when", *other)
    assert code == 2
    assert "--when" in err
