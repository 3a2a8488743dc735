"""Every command on a terminal of 80 columns: no value is left out, and no line is longer."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.main import get_command

from command import ended_well, scantune_here, streams_here
from scantune.cli import cache
from scantune.cli.app import app
from shown import ROOT
from test_cli_json import commands

pytestmark = pytest.mark.usefixtures("fake_worker_command")

WIDTH = 80
SIZES = ["--arch", "host", "--type", "i32,i8:i64", "--n", "2^12,2^20"]
CELL = ["--type", "i32", "--n", "2^20"]
SMALL = ["--workers", "1", "--budget", "2s"]
SPACE = str(ROOT / "db/spaces/h200-reduce-i32-2p20.json.gz")
CACHE = {
    "directory": "/var/cache/scantune/of-a-user", "kernels": 12345, "bytes": 2**34, "least_recent_use": 0,
    "removed_kernels": 1234, "removed_bytes": 2**33,
}  # fmt: skip

# In order: a command may need the files of those before it.
RUNS = [
    ("tune", ["tune", *SIZES, "--workers", "1", "--db", "a.db", "--portfolio"]),
    ("bench", ["bench", *SIZES]),
    (
        "bench",
        [
            "bench",
            "--arch",
            "host",
            "--type",
            "i32",
            "--n",
            "2^12",
            "--compare",
            "selected",
            "lookback",
            "single_block",
        ],
    ),
    ("regret", ["regret", *SIZES, "--samples", "2", "--trials", "4", "--db", "a.db", "--workers", "1"]),
    ("prove", ["prove", "--arch", "host", "--cases", "2", "--against", "defaults", "--db", "a.db"]),
    ("explain", ["explain", "--arch", "host", *CELL, "--db", "a.db"]),
    ("sweep", ["sweep", "--arch", "host", *CELL, "-o", "space.json", *SMALL]),
    ("replay", ["replay", "space.json.gz", "--seeds", "1", "--no-effects", "--effort", "quick"]),
    ("gallery", ["gallery", "--list"]),
    ("gallery", ["gallery", "--arch", "host", "--n", "2^12"]),
    ("gallery", ["gallery", "--arch", "host", "--races"]),
    ("doctor", ["doctor"]),
    ("db show", ["db", "show", "--db", "a.db"]),
    ("db show", ["db", "show", "--built-in"]),
    ("db export", ["db", "export", "a.jsonl", "--db", "a.db"]),
    ("db import", ["db", "import", "a.jsonl", "--db", "c.db"]),
    ("db explain", ["db", "explain", "--arch", "host", *CELL, "--db", "a.db"]),
    ("db diff", ["db", "diff", "a.db", "b.db"]),
    ("db merge", ["db", "merge", "a.db", "b.db", "-o", "both.db"]),
    ("db verify", ["db", "verify", "--arch", "host", "--db", "a.db", "--budget", "5s", "--workers", "1"]),
    ("db sync", ["db", "sync"]),
    ("db upgrade", ["db", "upgrade", "--db", "a.db"]),
    ("db vacuum", ["db", "vacuum", "--db", "a.db"]),
    ("db forget", ["db", "forget", "--db", "a.db", "--type", "i32"]),
    ("cache show", ["cache", "show"]),
    ("cache limit", ["cache", "limit", "1G"]),
    ("cache clear", ["cache", "clear"]),
]
NAMES = [name for name, _ in commands(get_command(app))]


def check(text: str, of: object) -> None:
    assert "…" not in text, of
    long = [line for line in text.splitlines() if cell_len(line) > WIDTH]
    assert [line for line in long if len(line.split()) > 1] == [], of  # a path of the test's own may be longer


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def test_results_of_every_command_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: Callable[..., None]
) -> None:
    monkeypatch.setattr(cache, "_ask", lambda params: CACHE)
    assert {name for name, _ in RUNS} == set(NAMES)
    shutil.copy(SPACE, tmp_path / "space.json.gz")
    (tmp_path / "config/scantune").mkdir(parents=True)
    (tmp_path / "config/scantune/layers.json").write_text("[]")
    said: dict[str, str] = {}
    with monkeypatch.context() as here:
        here.chdir(tmp_path)
        faults(wrong_result={"method": "verify", "items_per_thread": 32})
        ended_well("tune", *SIZES, "--workers", "1", "--db", "b.db")
        faults()
        for name, arguments in RUNS:
            code, said[name] = scantune_here(*arguments)
            assert code in (0, 3), said[name]  # 3: something is slower
            check(said[name], arguments)
    assert re.search(r"; [1-9] conflicts?,", said["db merge"]), said["db merge"]
    for name in ("db diff", "db merge", "db verify"):
        assert "lookback items_per_thread=" in said[name], said[name]
        assert "layout=striped" not in said[name], "it is the default"


def test_every_number_of_a_replay_is_shown(tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    said = ended_well("replay", SPACE, "--seeds", "1", "--no-effects", "--effort", "quick", "--json", str(told))
    (result,) = json.loads(told.read_text())["results"]
    for name in ("median_share_at_20", "median_share_at_200", "worst_tenth_share_at_60"):
        assert f"{result[name]:.4f}" in said, said
    assert "reduce i32 2^20, NVIDIA H200" in said


@pytest.mark.parametrize("name", ["", "db", "cache", *NAMES])
def test_help_is_whole(name: str) -> None:
    code, said, _ = streams_here(*name.split(), "--help")
    assert code == 0, said
    check(said, name)


def test_paragraphs_of_a_help_fill_their_lines() -> None:
    said = ended_well("replay", "--help")
    assert (
        "A share is the time of\n the fastest config divided by that of the search's best config. No GPU and no"
        in "\n".join(line.rstrip() for line in said.splitlines())
    )


@pytest.mark.parametrize("arguments", [["--algorithm", "reduce", "--help"], ["--help", "--algorithm=reduce"]])
def test_help_shows_the_members_of_the_named_algorithm_alone(arguments: list[str]) -> None:
    said = " ".join(ended_well("bench", *arguments).split())
    assert "--position none|first" in said
    assert "--forward-progress" not in said
    assert "the options of another algorithm: scan, copy, row_sum" in said
    unnamed = ended_well("bench", "--help")
    assert "--forward-progress" in unnamed
    assert "--position" not in unnamed


def test_a_long_word_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 100 + ".db")
    code, out, err = streams_here("db", "show", "--db", str(path))
    assert code == 1, out
    assert str(path) in err
    assert all(cell_len(line) <= WIDTH or str(path) in line for line in err.splitlines())


def test_lines_of_files_and_pipes_are_not_folded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("COLUMNS")
    _, _, err = streams_here("db", "show", "--db", str(tmp_path / "none.db"), "--built-in")
    assert len(err.splitlines()) == 1
    assert cell_len(err.rstrip()) > WIDTH
