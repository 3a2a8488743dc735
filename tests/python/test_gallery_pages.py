"""The pages of the gallery are what its headers, step lists and counts make of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import gallery_pages
import gallery_work
import pytest
import step_picture
from gallery_pages import HEADERS, PAGES, PICTURES, ROOT, STEPS, WALK, WORK, Header
from step_picture import Steps

import gallery_measured
from test_real_worker import WORKER

FAMILIES = sorted(gallery_pages.headers())
DRAWN = step_picture.read(STEPS)
SVG = "{http://www.w3.org/2000/svg}"
COUNT = r"(\d[\d,]*)\s+(operations|steps|bytes)"

# What a serial scan of three items does, and a tree that adds up four, whose root two threads put together.
SCAN = {"family": "a", "config": "a{x=1}", "n": 3, "kind": "scan", "operations": [[0, 0, 1, 0], [1, 1, 2, 0]]}
TREE = {"family": "b", "config": "b{}", "n": 4, "kind": "sum",
        "operations": [[0, 0, 2, 0], [1, 0, 3, 0], [0, 1, 1, 1], [0, 1, 1, 1]]}  # fmt: skip


@pytest.fixture
def drawn(tmp_path: Path) -> dict[str, Steps]:
    path = tmp_path / "steps.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (SCAN, TREE)))
    return step_picture.read(path)


def paths(svg: str) -> list[str]:
    return [path.attrib["d"] for path in ElementTree.fromstring(svg).iter(f"{SVG}path")]


def labels(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


# What is committed.


def test_pages_and_pictures_are_as_their_sources_say() -> None:
    assert gallery_pages.out_of_date() == []


@pytest.mark.parametrize("source", ["STEPS", "WORK", "HEADERS"])
def test_what_differs_from_a_source_is_found(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = getattr(gallery_pages, source)
    changed = tmp_path / original.name
    if source == "HEADERS":
        changed.mkdir()
        for path in original.glob("*.h"):
            (changed / path.name).write_text(path.read_text("utf-8").replace("the sequential loop", "a loop"))
    elif source == "STEPS":
        changed.write_text(original.read_text("utf-8").replace("[0, 0, 1, 0], ", "", 1))
    else:
        changed.write_text(original.read_text("utf-8").replace("serial,1024,1023", "serial,1024,1024"))
    monkeypatch.setattr(gallery_pages, source, changed)
    assert "docs/gallery/serial.md" in gallery_pages.out_of_date()


def test_every_family_has_a_page_that_the_index_and_the_site_lead_to() -> None:
    index, site = (PAGES / "index.md").read_text("utf-8"), (ROOT / "docs/mkdocs.yml").read_text("utf-8")
    assert FAMILIES
    for name in FAMILIES:
        assert (PAGES / f"{name}.md").exists()
        assert f"[`{name}`]({name}.md)" in index
        assert f"- {name}: gallery/{name}.md\n" in site
    assert {path.stem for path in PAGES.glob("*.md")} == {*FAMILIES, "index", "walk", "h200", "races"}


@pytest.mark.parametrize("name", FAMILIES)
def test_page_is_short_enough_to_be_read(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text("utf-8")
    code = [line for block in re.findall(r"^```cpp\n(.*?)^```$", text, re.M | re.S) for line in block.splitlines()]
    assert 0 < len(code) <= 120
    assert "SCANTUNE_DEVICE" in "\n".join(code)
    idea = text.partition("\n## ")[0]
    assert 1 <= len(re.findall(r"[.:](?:\s|$)", idea)) <= 10


# Step lists and pictures.


@pytest.mark.parametrize("steps", DRAWN.values(), ids=lambda one: one.family)
def test_steps_put_every_result_together_from_its_items_once(steps: Steps) -> None:
    items = {(column, 0): Counter([column]) for column in range(steps.n)}
    for operation in sorted(steps.operations, key=lambda one: steps.result(one)[1]):
        items[steps.result(operation)] = items[operation[0]] + items[operation[1]]
    for place in steps.results().items():
        assert items[place] == Counter(range(steps.n if steps.is_sum else place[0] + 1)), place


@pytest.mark.parametrize("steps", DRAWN.values(), ids=lambda one: one.family)
def test_picture_fits_a_page_and_stays_small(steps: Steps) -> None:
    svg = (PICTURES / f"{steps.family}.svg").read_text("utf-8")
    assert len(svg.encode()) < 30_000
    assert int(ElementTree.fromstring(svg).attrib["width"]) <= 720
    assert svg == step_picture.picture(steps)


def test_every_step_list_is_of_a_family_with_a_page() -> None:
    assert set(DRAWN) <= set(FAMILIES)


def test_picture_of_a_scan_has_a_dot_for_each_operation_and_an_output_for_each_item(drawn: dict[str, Steps]) -> None:
    ends, lines, rings, outputs, dots = paths(step_picture.picture(drawn["a"]))
    assert dots == "M68 50h0M108 86h0"
    assert lines == "M28 17L68 50M68 17V50M68 50L108 86M108 17V86"
    assert [len(re.findall("M", one)) for one in (ends, rings, outputs)] == [3, 3, 3]
    assert drawn["a"].steps == 2


def test_picture_of_a_sum_gathers_at_the_first_column(drawn: dict[str, Steps]) -> None:
    svg = step_picture.picture(drawn["b"])
    *_, outputs, dots = paths(svg)
    assert dots == "M28 50h0M28 86h0M68 50h0"
    assert outputs == "M28 104h0"


def test_picture_numbers_steps_and_tells_what_is_done_more_than_once(drawn: dict[str, Steps]) -> None:
    assert labels(step_picture.picture(drawn["b"])) == ["0", "1", "2", "×2"]


def test_without_step_lists_pages_have_no_picture(tmp_path: Path) -> None:
    assert step_picture.read(tmp_path / "steps.jsonl") == {}
    header = gallery_pages.headers()["serial"]
    assert "## Data flow" not in gallery_pages.page(header, None, gallery_work.read(WORK))


# Times.


def test_page_tells_the_times_of_its_family_behind_its_work(room: Path) -> None:
    header, work = gallery_pages.headers()["fenwick"], gallery_work.read(WORK)
    assert "On an H200" not in gallery_pages.page(header, None, work)
    gallery_measured.write(room)
    section = gallery_pages.page(header, None, work).partition("\n## On an H200\n")[2].partition("\n## ")
    assert section[2].startswith("Run it\n")
    assert section[0].splitlines()[4:] == [
        "| problem | N | µs by default | µs tuned | share of a copy's speed, tuned | tuned config |",
        "| --- | --- | --- | --- | --- | --- |",
        "| whole scans | 10^3 | 7.5 | 5 | 40 % | `block_threads=64 unroll=4` |",
        "",
        "NVIDIA H200, driver 13.0, NVRTC 13.0, 2026-01-01, commit abc1234 (`h200-gallery.csv`)",
    ]
    assert "On an H200" not in gallery_pages.page(gallery_pages.headers()["hybrid"], None, work)


def test_page_whose_times_differ_from_the_results_is_found(room: Path) -> None:
    gallery_measured.write(room)
    assert set(gallery_pages.out_of_date()) >= {"docs/gallery/fenwick.md", "docs/gallery/sum_batch.md"}


# Headers.


def test_idea_is_the_comment_at_the_head_without_the_name() -> None:
    header = Header("abc", "// abc: the scan of\n// somebody.\n//\n// It costs.\n#pragma once\n\n// No idea.\n")
    assert header.idea == ["The scan of somebody.", "It costs."]


def test_header_without_kernels_is_no_family() -> None:
    text = (HEADERS / "kogge_stone.h").read_text("utf-8")
    with pytest.raises(ValueError, match=r"kogge_stone\.h has no kernels"):
        _ = Header("kogge_stone", text.replace("namespace scantune {", "namespace other {")).code


def test_code_is_the_scan_of_a_block_and_the_kernels() -> None:
    scan, kernel = gallery_pages.headers()["kogge_stone"].code
    assert scan.startswith("struct KoggeStone : HillisSteeleCost {\n")
    assert kernel.startswith("template <class Problem, KoggeStoneConfig kConfig>\n")
    (only,) = gallery_pages.headers()["quadratic"].code
    assert only.startswith("// Phase 1")


# Work.


def test_work_is_read_as_it_is_written() -> None:
    assert gallery_work.text_of(gallery_work.read(WORK)) == WORK.read_text("utf-8")
    assert set(gallery_work.read(WORK)) == set(FAMILIES)


@pytest.mark.skipif(WORKER is None, reason="there is no scantune-worker; build it first")
@pytest.mark.parametrize("size", gallery_work.SIZES)
def test_work_is_what_the_worker_says(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery_work, "SIZES", (size,))
    written = {
        name: {n: work for n, work in by_n.items() if n == size} for name, by_n in gallery_work.read(WORK).items()
    }
    assert gallery_work.asked(str(WORKER)) == {name: by_n for name, by_n in written.items() if by_n}


def test_walk_counts_as_the_families_do() -> None:
    work = gallery_work.read(WORK)
    told = 0
    for section in re.split(r"^(?=##)", WALK.read_text("utf-8"), flags=re.MULTILINE):
        heading, _, text = section.partition("\n")
        costs = work.get(heading.removeprefix("### "), {}).values()
        for number, what in re.findall(COUNT, text) if costs else ():
            assert int(number.replace(",", "")) in {getattr(one, what) for one in costs}, (heading, number, what)
            told += 1
    assert told >= 30
