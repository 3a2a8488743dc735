"""The pictures of what the benchmarks have measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is missing: pip install 'scantune[bench]'")

import pictures

SIZES = (2**20, 2**24, 2**28)


def result(value_type: str, n: int, **changes: Any) -> dict[str, Any]:
    """Return a case as cub_bench writes it."""
    us = n / 2**19
    contenders = [
        {"role": "scantune", "name": "scantune", "cold": {"us": us, "spread": 0.01}},
        {"role": "cub", "name": "CUB 3.0.1", "cold": {"us": 1.5 * us, "spread": 0.01}},
        {"role": "cub", "name": "CUB 3.6.0", "cold": {"us": 1.25 * us, "spread": 0.01}},
        {"role": "lookahead", "name": "CUB 3.6.0 forced look-ahead", "cold": {"us": us / 2, "spread": 0.01}},
        {"role": "copy", "name": "copy_bulk", "cold": {"us": 0.8 * us, "spread": 0.01}},
    ]
    return {
        "type": value_type, "output_type": value_type, "op": "sum", "kind": "inclusive", "n": n, "bytes_moved": 8 * n,
        "contenders": contenders, "cub_over_scantune": {"cold": 1.25}, **changes,
    }  # fmt: skip


def figures(results: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    all_types = [result(name, n) for name in ("i32", "i8", "f16") for n in SIZES]
    return {
        "gpu": "NVIDIA H200", "commit": "abc1234", "date": "2026-01-01T00:00:00Z", "cub": ["CUB 3.0.1", "CUB 3.6.0"],
        "results": all_types if results is None else results,
    }  # fmt: skip


def texts(path: Path) -> str:
    """Return what an SVG says; matplotlib keeps the text beside its outlines, as comments."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    return " ".join(element.text or "" for element in ElementTree.parse(path, parser).iter())


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    (tmp_path / "figures.json").write_text(json.dumps(figures()))
    pictures.main([str(tmp_path / "figures.json"), "--out", str(tmp_path / "pictures")])
    return tmp_path / "pictures"


def test_both_pictures_say_where_and_against_what_was_measured(drawn: Path) -> None:
    for name in ("bandwidth.svg", "speedup.svg"):
        said = texts(drawn / name)
        for expected in ("NVIDIA H200", "CUB 3.6.0", "abc1234", "2026-01-01"):
            assert expected in said, name


def test_pictures_are_small_and_the_same_for_the_same_figures(drawn: Path, tmp_path: Path) -> None:
    pictures.main([str(tmp_path / "figures.json"), "--out", str(tmp_path / "again")])
    for name in ("bandwidth.svg", "speedup.svg"):
        assert (drawn / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
        assert (drawn / name).stat().st_size < 200_000


def test_the_legend_names_what_any_panel_shows() -> None:
    bare, usual = result("i8", 2**20), result("i32", 2**20)
    bare["contenders"] = [one for one in bare["contenders"] if one["role"] != "copy"]
    figure = pictures.draw_bandwidths(pictures.cells(figures([bare, usual]), "cold"), "")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["scantune", "faster CUB", "copy"]


def test_speedups_are_written_out_for_every_type_and_size(drawn: Path) -> None:
    assert texts(drawn / "speedup.svg").count("1.25") == 9


def test_bandwidth_follows_from_bytes_and_time_and_is_the_faster_cub_s() -> None:
    (cell,) = pictures.cells(figures([result("i32", 2**20)]), "cold")
    assert cell.gigabytes_per_second == pytest.approx(
        {"scantune": 2**22 * 1e-3, "faster CUB": 2**22 * 1e-3 / 1.25, "copy": 2**22 * 1e-3 / 0.8}, rel=1e-6
    )


@pytest.mark.parametrize(
    "change", [{"op": "max"}, {"kind": "exclusive"}, {"output_type": "i64"}, {"n": 1000}, {"cub_over_scantune": {}}]
)
def test_other_cases_are_left_out(change: dict[str, Any]) -> None:
    usual = result("i32", 2**20)
    assert len(pictures.cells(figures([usual, {**usual, **change}]), "cold")) == 1


def test_figures_without_anything_to_draw_are_refused() -> None:
    with pytest.raises(ValueError, match="no inclusive sums"):
        pictures.cells(figures([]), "cold")
