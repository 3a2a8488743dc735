"""What `scantune gallery --json` writes of races and counts whose times are made up, and files of results of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gallery_results
import tabulate_gallery

TUNED = {"block_threads": 64, "unroll": 4}
LADDERS = {0: ("batch", "vector"), 2: ("sum_batch", "sum_vector"), 3: ("fenwick", "reduce_then_scan")}


def contender(name: str, us: float | None, **changes: Any) -> dict[str, Any]:
    """Return what stands beside families, which moves 8,000 bytes."""
    return {
        "name": name, "config": None, "departures": None, "is_default": False, "origin": None, "median_us": us,
        "spread": 0.01, "probe_only": False, "gigabytes_per_second": 8 / us if us else None, "share_of_copy": None,
        "work": None, "work_efficiency": None, "failure": None, **changes,
    }  # fmt: skip


def family(name: str, us: float | None, departures: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return contender(name, us, **{
        "config": {"family": name.partition(" ")[0], "parameters": {"block_threads": 256, "unroll": 1, **departures}},
        "departures": departures, "is_default": not departures, "origin": "trial",
        "work": {"operations": 2997, "steps": 12, "bytes": 8000}, **changes,
    })  # fmt: skip


def tuned(name: str, us: float) -> list[dict[str, Any]]:
    """Return a family with a config that takes two thirds of its default's time."""
    return [family(name, us, TUNED), family(f"{name} (default)", 1.5 * us, {}, origin="default")]


def race(*contenders: dict[str, Any], n: int = 1000, group: str = "Whole scans", **changes: Any) -> dict[str, Any]:
    """Return a race beside a copy that takes 2 µs and what is selected."""
    selected = family("selected", 2.5, {"unroll": 2}, origin="exact_n", work=None)
    selected["config"]["family"] = "one_shot"
    return {
        "group": group, "problem": {"algorithm": "scan", "input_type": "i32", "op": "sum"}, "extents": {}, "n": n,
        "ceiling_us": 2.0, "contenders": [contender("copy", 2.0), selected, *contenders], "left_out": {},
        "without_cub": None, **changes,
    }  # fmt: skip


def message(*races: dict[str, Any], table: int | None = None, **changes: Any) -> dict[str, Any]:
    return {
        "command": "gallery", "scantune": "0.2.0", "date": "2026-01-01T00:00:00Z",
        "device": {"arch": "sm_90", "name": "NVIDIA H200", "sm_count": 132}, "compiler": "NVRTC 13.0", "driver": "13.0",
        "peak_gigabytes_per_second": None, "left_out": [], "table": table, "races": list(races), **changes,
    }  # fmt: skip


def counted(table: int, *rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "command": "gallery",
        "scantune": "0.2.0",
        "date": "2026-01-01T00:00:00Z",
        "table": table,
        "counts": list(rows),
    }


def measured() -> list[dict[str, Any]]:
    """Return the messages of the run of all families and of the tables of times."""
    cub = contender("CUB", 4.0, origin="CUB 3.6.0")
    every = [race(*tuned("kogge_stone", 4.0), family("serial", 800.0, {}, probe_only=True), n=2**10)]
    ladders = [message(race(*(one for name in names for one in tuned(name, 5.0)), cub), table=table)
               for table, names in LADDERS.items()]  # fmt: skip
    return [message(*every), *ladders]


def counts() -> list[dict[str, Any]]:
    """Return the messages of both tables of counts."""
    steps = {"N": 16, "name": "serial", "steps": 15, "operations": 15, "efficiency": 1.0}
    unknown = {"N": 16, "name": "hybrid", "steps": None, "operations": None, "efficiency": None}
    additions = {
        "N": 1024, "work_inefficient steps": 10, "additions": 9217, "N log2 N": 10240, "work_efficient steps": 19,
        "its additions": 3059, "2 N": 2048,
    }  # fmt: skip
    return [counted(1, steps, unknown), counted(4, additions)]


def write(folder: Path, times: list[dict[str, Any]] | None = None) -> None:
    """Write both files of results."""
    for name, messages in ((gallery_results.TIMES, times or measured()), (gallery_results.COUNTS, counts())):
        (folder / f"{name}.csv").write_text(tabulate_gallery.table(messages, "abc1234"))
