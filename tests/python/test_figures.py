"""The figures in the documents are those in the files of results."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is missing: pip install 'scantune[plots]'")

import figures
import results_file

FILES = sorted(results_file.ROOM.glob("*.csv"))
MOST_LINES = 6000


def test_documents_and_pictures_are_as_the_results_say() -> None:
    assert figures.out_of_date() == []


def test_a_table_that_was_changed_by_hand_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    original = (figures.ROOT / "README.md").read_text(encoding="utf-8")
    assert figures.filled(original) == original
    changed = original.replace("| i8 | 2", "| i8 | 9", 1)
    assert changed != original
    assert figures.filled(changed) == original


def test_every_table_stands_in_a_document_and_every_file_is_quoted_by_one() -> None:
    texts = [path.read_text(encoding="utf-8") for path in figures.ROOT.rglob("*.md") if "build" not in path.parts]
    assert [name for name in figures.TABLES if not any(f"<!-- figures: {name} -->" in text for text in texts)] == []
    assert [path.name for path in FILES if not any(path.stem in text for text in texts)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_says_on_what_when_and_how_it_was_measured(path: Path) -> None:
    results = results_file.read(path)
    is_counted = results.facts.get("method", "").startswith("counted")  # which is the same on any machine
    assert {"date", "commit", "method", *(() if is_counted else ("gpu", "driver"))} <= set(results.facts)
    assert results.rows


def test_results_take_few_lines() -> None:
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in results_file.ROOM.iterdir()) <= MOST_LINES


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text(results_file.text_of({"gpu": "a: b, c", "driver": ""}, ("n", "us"), [(1, 2.0000049), (2, None)]))
    read = results_file.read(path)
    assert read.facts == {"gpu": "a: b, c"}
    assert read.rows == [{"n": "1", "us": "2"}, {"n": "2", "us": ""}]


def test_a_line_with_a_field_too_few_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("# gpu: x\nn,us\n1\n")
    with pytest.raises(ValueError, match="shorter"):
        results_file.read(path)
