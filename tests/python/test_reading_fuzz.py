"""What the tuner reads of strangers: a fixed number of mutated inputs. `make fuzz` looks for others."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from reading_fuzz import TARGETS, fuzz

from scantune.store import text_form
from test_real_worker import WORKER

INPUTS = 150

pytestmark = pytest.mark.skipif(WORKER is None, reason="there is no scantune-worker; build it first")


@pytest.fixture(autouse=True)
def real_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.quote(str(WORKER)))


def test_mutated_inputs_are_refused_or_read_and_written_unchanged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz(50, seed=1, found=tmp_path, most=INPUTS) == 0, capsys.readouterr()
    told = capsys.readouterr().out
    assert told.startswith(f"{INPUTS} inputs")
    assert all(f" 0 {name}" not in told for name in TARGETS)


def test_reader_that_changes_what_it_reads_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "reading_fuzz.text_of", lambda records, breakpoints: text_form.text_of(records[1:], breakpoints)
    )
    assert fuzz(50, seed=1, found=tmp_path, most=INPUTS) == 1
    assert list(tmp_path.iterdir())
