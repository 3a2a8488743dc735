"""The time of CUB, by the benchmark of the checkout, where that was built."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from scantune import paths
from scantune.compare.gallery_problem import GalleryProblem
from scantune.model.gallery_race import CUB, Contender

_TIMEOUT_S = 300.0


def cub_bench() -> Path | None:
    """Return the program that times CUB: $SCANTUNE_CUB_BENCH, else that of the checkout; None without either."""
    named = os.environ.get("SCANTUNE_CUB_BENCH")
    program = Path(named) if named else paths.checkout() / "build/tests/bench/cub_bench"
    return program if program.is_file() else None


def no_cub(program: Path | None, device: str, has_rows: bool) -> str:
    """Return why CUB is not timed on a device; empty where it is."""
    if has_rows:
        return "cub_bench has no scans of rows"
    if device != "cuda:0":
        return "cub_bench runs on GPU 0 only"
    if program is None:
        return "cub_bench is not built; build it with 'make bench', or name it in SCANTUNE_CUB_BENCH"
    return ""


def cub_time(program: Path, problem: GalleryProblem, type_: str, n: int) -> Contender:
    """Return the time of the fastest CUB for the sum or the sums of n items, cold; else why it was not measured."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "cub.json"
        command = [
            str(program), "--algorithm", problem.algorithm, "--types", type_, "--ops", "sum", "--sizes", f"={n}",
            "--conditions", "cold", "--json", str(target), *(["--kinds", problem.scan] if problem.has_kind else []),
        ]  # fmt: skip
        said = ""
        try:
            said = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False).stderr
            return _contender(json.loads(target.read_text(encoding="utf-8")))
        except (OSError, subprocess.TimeoutExpired) as error:
            reason = "".join(said.strip().splitlines()[-1:]) or str(error)
            return Contender(CUB, failure=f"{program.name} has timed nothing: {reason}"[:300])
        except (ValueError, KeyError, TypeError) as error:
            return Contender(CUB, failure=f"{program.name} wrote other results: {error!r}"[:300])


def _contender(message: Any) -> Contender:
    """Raise ValueError and the like for results of another form."""
    (result,) = message["results"]
    times = [
        (float(one["cold"]["us"]), float(one["cold"]["spread"]), str(one["name"]))
        for one in result["contenders"]
        if one["role"] == "cub" and "cold" in one
    ]
    if not times:
        return Contender(CUB, failure="its result was wrong, and was not timed")
    median_us, spread, name = min(times)
    return Contender(CUB, origin=name, median_us=median_us, spread=spread)
