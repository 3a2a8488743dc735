"""The tables and pictures of what scantune gallery measured follow its files of results."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is missing: pip install 'scantune[plots]'")

import figures
import gallery_figures
import gallery_pictures
import gallery_results
import pictures
import results_file

import gallery_measured
from gallery_measured import contender, family, message, race, tuned

PROVENANCE = "NVIDIA H200, driver 13.0, NVRTC 13.0, 2026-01-01, commit abc1234 (`h200-gallery.csv`)"


def cells(name: str) -> list[list[str]]:
    """Return the rows of a table, heads first."""
    lines = [line for line in gallery_figures.TABLES[name]().splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split(" | ")] for line in lines if "---" not in line]


def texts(path: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(path).iter()]


@pytest.fixture
def measured(room: Path) -> Path:
    gallery_measured.write(room)
    return room


@pytest.fixture(scope="module")
def drawn_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results_file, "ROOM", folder)
        gallery_measured.write(folder)
        gallery_pictures.draw_all(folder / "pictures")
    return folder / "pictures"


@pytest.fixture
def drawn(measured: Path, drawn_once: Path) -> Path:
    """Return pictures that a test may change."""
    return shutil.copytree(drawn_once, measured / "pictures")


# Tables.


@pytest.mark.usefixtures("measured")
def test_ladder_has_a_row_for_each_contender_and_tells_its_config() -> None:
    assert cells("gallery table 0") == [
        ["N", "name", "µs", "GB/s", "share of a copy's speed", "config"],
        ["10^3", "copy", "2", "4", "100 %", ""],
        ["10^3", "selected", "2.5", "3", "80 %", "`one_shot`, `unroll=2`"],
        ["10^3", "`batch`", "5", "2", "40 %", "`block_threads=64 unroll=4`"],
        ["10^3", "`batch` (default)", "7.5", "1", "27 %", "default"],
        ["10^3", "`vector`", "5", "2", "40 %", "`block_threads=64 unroll=4`"],
        ["10^3", "`vector` (default)", "7.5", "1", "27 %", "default"],
        ["10^3", "CUB", "4", "2", "50 %", "CUB 3.6.0"],
    ]
    assert gallery_figures.TABLES["gallery table 2"]().endswith(f"\n\n{PROVENANCE}\n")


def test_ladder_tells_the_share_of_a_peak_that_was_known(room: Path) -> None:
    gallery_measured.write(room, [message(race(), table=0, peak_gigabytes_per_second=8.0)])
    assert cells("gallery table 0") == [
        ["N", "name", "µs", "GB/s", "share of a copy's speed", "share of the peak", "config"],
        ["10^3", "copy", "2", "4", "100 %", "50 %", ""],
        ["10^3", "selected", "2.5", "3", "80 %", "40 %", "`one_shot`, `unroll=2`"],
    ]


def test_page_says_where_a_search_contradicts_the_document(room: Path) -> None:
    def found(n: int, **config: str) -> dict[str, Any]:
        return race(family("fenwick", 5.0, config), family("fenwick (default)", 7.5, {}, origin="default"), n=n)

    races = [found(10**6, kernels="three"), found(10**3, kernels="three", shuffles="1"), found(10**4, shuffles="1")]
    gallery_measured.write(room, [message(*races)])
    assert gallery_figures.contradictions("fenwick") == [
        "Its document takes `kernels=two` ([row 3.3](index.md#fenwick-trees)). A search on an H200 took "
        "`kernels=three` at 10^3, 10^6."
    ]
    assert gallery_figures.contradictions("batch") == []


def test_table_of_times_has_two_columns_for_a_family_that_was_searched(room: Path) -> None:
    races = [
        race(*tuned("fenwick", 5.0), family("reduce_then_scan", 12345.6, {}, origin="default"), n=10**3),
        race(family("fenwick", 9.0, {}), contender("CUB", 4.0), n=10**9),
    ]
    gallery_measured.write(room, [message(*races, table=3)])
    assert cells("gallery table 3") == [
        ["N", "copy", "selected", "`fenwick` by default", "`fenwick` tuned", "`reduce_then_scan` by default", "CUB"],
        ["10^3", "2", "2.5", "7.5", "5", "12,350", "–"],
        ["10^9", "2", "2.5", "9", "9", "–", "4"],
    ]


@pytest.mark.usefixtures("measured")
def test_counts_stand_by_n_and_what_is_not_known_is_a_dash() -> None:
    assert cells("gallery table 1") == [["N", "`serial`", "`hybrid`"], ["2^4", "15 / 15 / 1.00", "–"]]
    heads, row = cells("gallery table 4")
    assert heads == ["N", "`work_inefficient` steps", "additions", "N log2 N", "`work_efficient` steps",
                     "its additions", "2 N"]  # fmt: skip
    assert row == ["2^10", "10", "9,217", "10,240", "19", "3,059", "2,048"]


@pytest.mark.usefixtures("measured")
def test_gains_are_of_the_defaults_in_the_run_of_all_families() -> None:
    assert cells("gallery gains")[1:] == [
        ["`kogge_stone`", "whole scans", "2^10", "6", "4", "**1.50**", "`block_threads=64 unroll=4`"],
        ["`serial`", "whole scans", "2^10", "~800", "~800", "**1.00**", "default"],
    ]


def test_races_of_a_family_stand_by_problem_and_n(room: Path) -> None:
    sizes = {"Whole scans": (2**24, 10**3), "Scans of rows of 2^10": (2**24, 2**10)}
    races = [race(*tuned("vector", 4.0), n=n, group=group) for group, several in sizes.items() for n in several]
    gallery_measured.write(room, [message(*races)])
    rows = gallery_figures.of_family("vector").splitlines()[2:6]
    assert [row.split(" | ")[:2] for row in rows] == [
        ["| scans of rows of 2^10", "2^10"], ["| scans of rows of 2^10", "2^24"], ["| whole scans", "10^3"],
        ["| whole scans", "2^24"],
    ]  # fmt: skip


def test_failed_config_has_its_reason_in_place_of_a_time(room: Path) -> None:
    wrong = family("batch", None, {"unroll": 4}, failure="item 3 | 4")
    gallery_measured.write(room, [message(race(wrong, family("batch (default)", 6.0, {})))])
    assert gallery_figures.TABLES["gallery gains"]().splitlines()[2] == (
        r"| `batch` | whole scans | 10^3 | 6 | – | – | failed: item 3 \| 4 |"
    )


def test_documents_take_the_tables_once_the_gallery_was_measured(room: Path) -> None:
    assert gallery_figures.tables() == {}
    gallery_measured.write(room)
    assert gallery_figures.tables() == gallery_figures.TABLES


def test_tables_of_the_gallery_are_among_those_of_the_documents() -> None:
    assert gallery_figures.tables().items() <= figures.TABLES.items()
    assert all(re.fullmatch(r"gallery (table [0-4]|gains)", name) for name in gallery_figures.TABLES)


# Pictures.


def test_each_table_has_a_picture_for_light_and_for_dark_pages(drawn: Path) -> None:
    names = {f"table-{number}{page}.svg" for number in range(5) for page in ("", "-dark")}
    assert {path.name for path in drawn.iterdir()} == names == {path.name for path in gallery_pictures.paths(drawn)}
    for path in gallery_pictures.paths(drawn):
        assert path.stat().st_size < 100_000
        assert any("commit abc1234" in text for text in texts(path)), path.name
        assert (pictures.DARK.page in path.read_text()) == path.stem.endswith("-dark")


def test_pictures_follow_the_files_of_results(drawn: Path) -> None:
    assert gallery_pictures.out_of_date(drawn) == []
    path = drawn / "table-0.svg"
    path.write_text(path.read_text().replace("40 %", "41 %", 1))
    assert gallery_pictures.out_of_date(drawn) == [path]
    (drawn / "table-3.svg").unlink()
    assert gallery_pictures.out_of_date(drawn) == [path, drawn / "table-3.svg"]
    gallery_measured.write(drawn.parent, [message(race(), table=0)])
    assert gallery_pictures.out_of_date(drawn) == gallery_pictures.paths(drawn)


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Draw these alone: a picture takes a third of a second."""
    monkeypatch.setattr(gallery_pictures, "_DRAWN", {name: gallery_pictures._DRAWN[name] for name in names})


def test_picture_of_a_ladder_tells_bandwidth_and_share_of_what_was_timed(
    drawn: Path, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, "table-0")
    assert {"batch", "batch (default)", "CUB", "2, 40 %", "1, 27 %"} <= set(texts(drawn / "table-0.svg"))
    times = gallery_measured.measured()
    times[1] = message(race(family("batch", None, {}, failure="wrong")), table=0)
    gallery_measured.write(room, times)
    gallery_pictures.draw_all(drawn)
    assert "batch" not in texts(drawn / "table-0.svg")


def test_defaults_beside_a_config_that_was_found_have_a_fainter_bar(drawn: Path) -> None:
    assert len(re.findall(r"fill: #0b6e4f; fill-opacity: 0\.5", (drawn / "table-0.svg").read_text())) == 2


def test_lines_of_times_have_the_points_that_were_timed(room: Path) -> None:
    cub = contender("CUB", 3.0)
    races = [race(*tuned("fenwick", 4.0), cub, n=100), race(family("fenwick", 5.0, {}), n=1000)]
    gallery_measured.write(room, [message(*races, table=3)])
    drawn = gallery_pictures.lines_of_times(gallery_results.races(), pictures.LIGHT)
    assert {one.label: one.points for one in drawn} == {
        "copy": {100: 2.0, 1000: 2.0}, "selected": {100: 2.5, 1000: 2.5}, "CUB": {100: 3.0},
        "fenwick by default": {100: 6.0, 1000: 5.0}, "fenwick tuned": {100: 4.0, 1000: 5.0},
    }  # fmt: skip
    assert [one.is_dashed for one in drawn if one.mark] == [True, False]


def test_pictures_by_n_name_their_lines(drawn: Path) -> None:
    assert {"copy", "selected", "CUB", "fenwick by default", "fenwick tuned"} <= set(texts(drawn / "table-3.svg"))
    assert {"steps", "operations", "serial"} <= set(texts(drawn / "table-1.svg"))
    assert {"work_efficient", "N log2 N", "2 N"} <= set(texts(drawn / "table-4.svg"))


def test_script_draws_the_same_pictures_for_the_same_results_and_finds_those_that_differ(
    drawn: Path, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, "table-1", "table-2")
    for name, path in {"ROOT": room, "_PICTURES": room / "others", "_GALLERY": room / "again"}.items():
        monkeypatch.setattr(figures, name, path)
    monkeypatch.setattr(figures, "documents", list)
    figures.main([])
    for path in gallery_pictures.paths(drawn):
        assert path.read_bytes() == (room / "again" / path.name).read_bytes()
    assert figures.out_of_date() == []
    (room / "again/table-2.svg").unlink()
    assert figures.out_of_date() == ["again/table-2.svg"]


def test_before_the_gallery_was_measured_there_are_no_pictures(room: Path) -> None:
    gallery_pictures.draw_all(room / "pictures")
    assert not (room / "pictures").exists()
    assert gallery_pictures.out_of_date(room / "pictures") == []
    assert not gallery_results.are_there()
