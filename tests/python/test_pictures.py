"""The pictures of the benchmarks' results."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is missing: pip install 'scantune[plots]'")

import pictures
import results_file
import tabulate

SIZES = (2**20, 2**24, 2**28)


def result(value_type: str, n: int, **changes: Any) -> dict[str, Any]:
    """Return a case as cub_bench writes it."""
    us = n / 2**19
    contenders = [
        {"role": "scantune", "name": "scantune", "cold": {"us": us, "spread": 0.01}},
        {"role": "cub", "name": "CUB 3.0.1", "cold": {"us": 1.5 * us, "spread": 0.01}},
        {"role": "cub", "name": "CUB 3.6.0", "cold": {"us": 1.25 * us, "spread": 0.02}},
        {"role": "lookahead", "name": "CUB 3.6.0 forced look-ahead", "cold": {"us": us / 2, "spread": 0.01}},
        {"role": "copy", "name": "copy_bulk", "cold": {"us": 0.8 * us, "spread": 0.01}},
    ]
    return {
        "type": value_type, "accumulator_type": value_type, "output_type": value_type, "op": "sum", "kind": "inclusive",
        "n": n, "input_offset": 0, "output_offset": 0, "contenders": contenders, **changes,
    }  # fmt: skip


def figures(results: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return what cub_bench writes of such cases."""
    all_types = [result(name, n) for name in ("i32", "i8", "f16") for n in SIZES]
    return {
        "gpu": "NVIDIA H200", "driver": "13.0", "compiler": "NVRTC 13.0", "commit": "abc1234", "failures": [],
        "date": "2026-01-01T00:00:00Z", "cub": ["CUB 3.0.1", "CUB 3.6.0"],
        "results": all_types if results is None else results,
    }  # fmt: skip


def table(results: list[dict[str, Any]] | None = None) -> str:
    """Return the file of results of such cases."""
    return tabulate.table(figures(results))


def cells(tmp_path: Path, results: list[dict[str, Any]] | None = None) -> list[pictures.Cell]:
    (tmp_path / "some.csv").write_text(table(results))
    return pictures.cells(results_file.read(tmp_path / "some.csv"), "cold")


def texts(path: Path) -> str:
    return " ".join(element.text or "" for element in ElementTree.parse(path).iter())


@pytest.fixture(scope="module")
def drawn_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    (folder / "sums.csv").write_text(table())
    pictures.main([str(folder / "sums.csv"), "--out", str(folder / "pictures")])
    return folder


@pytest.fixture
def drawn(drawn_once: Path, tmp_path: Path) -> Path:
    """Return a copy of the pictures, beside what they are drawn from."""
    shutil.copytree(drawn_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "pictures"


def test_results_of_reductions_tell_whether_a_position_was_asked_for() -> None:
    reductions = [result("f32", 2**20, op="max", position=position) for position in ("none", "first")]
    for one in reductions:
        del one["kind"]
    assert [line.split(",")[3:6] for line in table(reductions).splitlines()[-2:]] == [
        ["max", "value", "1048576"], ["max", "first", "1048576"],
    ]  # fmt: skip


def test_pictures_say_where_and_against_what_was_measured(drawn: Path) -> None:
    for path in pictures.paths(drawn):
        for expected in ("NVIDIA H200", "CUB 3.6.0", "abc1234", "2026-01-01"):
            assert expected in texts(path), path.name


def test_pictures_name_their_axes(drawn: Path) -> None:
    for path in pictures.paths(drawn):
        expected = "CUB's time / scantune's" if path.name.startswith("speedup") else "share of a copy's speed"
        assert "N, the number of items" in texts(path)
        assert expected in texts(path)


def test_pictures_are_small_and_the_same_for_the_same_figures(drawn: Path, tmp_path: Path) -> None:
    pictures.main([str(tmp_path / "sums.csv"), "--out", str(tmp_path / "again")])
    for path in pictures.paths(drawn):
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
        assert path.stat().st_size < 100_000


def test_pictures_tell_from_which_figures_they_are_drawn(drawn: Path, tmp_path: Path) -> None:
    sources = [tmp_path / "sums.csv"]
    assert all(pictures.is_drawn_from(path, sources) for path in pictures.paths(drawn))
    sources[0].write_text(table([result("i32", 2**20)]))
    assert not any(pictures.is_drawn_from(path, sources) for path in pictures.paths(drawn))


def test_a_picture_that_was_changed_by_hand_is_found(drawn: Path, tmp_path: Path) -> None:
    path = drawn / "speedup.svg"
    path.write_text(path.read_text().replace("1.25", "9.99", 1))
    assert not pictures.is_drawn_from(path, [tmp_path / "sums.csv"])
    path.unlink()
    assert not pictures.is_drawn_from(path, [tmp_path / "sums.csv"])


def test_dark_pictures_have_light_letters_on_dark(drawn: Path) -> None:
    assert pictures.DARK.page in (drawn / "speedup-dark.svg").read_text()
    assert pictures.DARK.page not in (drawn / "speedup.svg").read_text()


def test_speedups_are_written_out_for_every_type_and_size(drawn: Path) -> None:
    assert texts(drawn / "speedup.svg").count("1.25") == 9


@pytest.mark.parametrize(
    ("colour", "ink"),
    [((1, 1, 1), "black"), ((0, 0, 0), "white"), ((0.0, 0.24, 0.19), "white"), ((0.8, 0.9, 0.9), "black")],
)
def test_letters_are_readable_on_their_colour(colour: tuple[float, ...], ink: str) -> None:
    assert pictures.readable_on(colour) == ink


def test_shares_are_of_a_copy_and_the_faster_cub_s(tmp_path: Path) -> None:
    (cell,) = cells(tmp_path, [result("i32", 2**20)])
    assert cell.speedup == pytest.approx(1.25)
    assert cell.shares == pytest.approx({"scantune": 0.8, "CUB": 0.64})


@pytest.mark.parametrize("change", [{"op": "max"}, {"kind": "exclusive"}, {"output_type": "i64"}, {"n": 1000}])
def test_other_cases_are_left_out(tmp_path: Path, change: dict[str, Any]) -> None:
    usual = result("i32", 2**20)
    assert len(cells(tmp_path, [usual, {**usual, **change}])) == 1


def test_cases_that_cub_or_scantune_lost_are_left_out(tmp_path: Path) -> None:
    usual = result("i32", 2**20)
    roles = {"without CUB": ("scantune", "copy"), "without scantune": ("cub", "copy")}
    lost = [
        {**usual, "contenders": [one for one in usual["contenders"] if one["role"] in kept]} for kept in roles.values()
    ]
    assert len(cells(tmp_path, [usual, *lost])) == 1
    assert len(table([usual, *lost]).splitlines()) == len(table([usual]).splitlines()) + 1


def test_figures_without_anything_to_draw_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no inclusive sums"):
        cells(tmp_path, [])
