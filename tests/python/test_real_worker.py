"""The tuner over the worker that was built: both sides speak one protocol and mean one database."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[2] / os.environ.get("BUILD", "build")
WORKER = next((path for path in BUILD.rglob("scantune-worker") if path.is_file()), None)


@pytest.mark.timeout(200)
def test_tuned_record_is_what_the_runtime_selects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if WORKER is None:
        pytest.skip(f"there is no scantune-worker in {BUILD}; build it first")
    monkeypatch.setenv("SCANTUNE_WORKER", str(WORKER))
    db = tmp_path / "tuning.db"
    common = ["--arch", "host", "--type", "f32", "--n", "5000", "--db", str(db)]
    scantune = [sys.executable, "-m", "scantune"]
    tuned = subprocess.run([*scantune, *common, "--budget", "10s"], capture_output=True, text=True, timeout=150)
    assert tuned.returncode == 0, tuned.stdout + tuned.stderr
    with sqlite3.connect(db) as connection:
        ((family, config),) = connection.execute("SELECT family, config FROM record").fetchall()
        assert connection.execute("SELECT count(*) FROM trial WHERE status = 'ok' AND is_default").fetchone()[0] == 1
    explained = subprocess.run([*scantune, "db", "explain", *common], capture_output=True, text=True, timeout=40)
    values = " ".join(re.findall(r'"(\w+)":"?(\w+)', config)[0])
    assert explained.returncode == 0, explained.stderr
    assert "exact_n" in explained.stdout
    first = values.replace(" ", "=")
    assert re.search(rf"^ +{family} {first}\b", explained.stdout, re.MULTILINE), explained.stdout
