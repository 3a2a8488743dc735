"""The numbered tables of scantune gallery, its pictures, and CUB beside its families."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from command import streams_here
from conftest import SUM
from fake_worker import SUMS
from gallery_command import HOST, Faults, Requests, contenders, message, tried
from scantune.cli.gallery_tables import numbered
from scantune.compare.cub_time import cub_time
from scantune.compare.gallery_problem import WHOLE, GalleryProblem, Kind
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.gallery_race import Contender, GalleryRace
from scantune.report.gallery_tables import times_table

pytestmark = pytest.mark.usefixtures("fake_worker_command")


# Numbered tables.


def test_tables_of_counts_follow_from_what_families_declare(request_log: Requests) -> None:
    told = message("--table", "1", "--n", "2^4,2^9")
    found = {(one["N"], one["name"]): one for one in told["counts"]}
    assert found[512, "kogge_stone"] == {
        "N": 512, "name": "kogge_stone", "steps": 9, "operations": 512 * 9 - 511,
        "efficiency": pytest.approx(511 / (512 * 9 - 511)),
    }  # fmt: skip
    assert found[16, "brent_kung"]["steps"] == 8
    assert found[16, "serial"]["operations"] is None  # the fake worker has none
    assert tried(request_log()) == set()


def test_table_of_additions_stands_beside_both_formulas() -> None:
    counts = message("--table", "4", "--n", "2^4,2^5")["counts"]
    assert [(one["N"], one["N log2 N"], one["2 N"]) for one in counts] == [(16, 64, 32), (32, 160, 64)]


def test_table_of_sums_races_those_of_the_ladder_at_its_own_size() -> None:
    (race,) = message("--table", "2")["races"]
    assert (race["group"], race["n"]) == ("Sums", 2**16)
    assert set(contenders(race)) == {"copy", "selected", *SUMS}


def test_table_of_times_goes_to_a_billion_items_on_a_gpu() -> None:
    sizes = numbered(3).default_sizes(Device("sm_90", "GPU", 132))
    assert sizes == [10**digits for digits in range(2, 10)]


def test_table_of_families_that_the_worker_lacks_is_refused() -> None:
    code, _, err = streams_here("gallery", *HOST, "--table", "0", "--n", "2^12")
    assert code == 2
    assert "the worker knows none of naive_global, shared_single" in err


# What documents say is best.


def fenwick_race(n: int, found: str, us: float, default_us: float, **changes: Any) -> GalleryRace:
    """Return a race of a config that was found with the default."""
    best, default = (Config("fenwick", (("kernels", kernels),)) for kernels in (found, "two"))
    contenders = [Contender("fenwick", best, median_us=us, **changes),
                  Contender("fenwick (default)", default, median_us=default_us)]  # fmt: skip
    return GalleryRace("Whole scans", Cell(SUM, n), contenders, None, {})


@pytest.mark.parametrize(
    ("found", "us", "changes", "is_contradicted"),
    [("three", 5.0, {}, True), ("two", 5.0, {}, False), ("three", 8.0, {}, False), ("three", 7.49, {}, False),
     ("three", 5.0, {"probe_only": True}, False)],
)  # fmt: skip
def test_faster_config_contradicts_a_document_that_takes_another(
    found: str, us: float, changes: dict[str, Any], is_contradicted: bool
) -> None:
    told = fenwick_race(1000, found, us, 7.5, **changes).contradictions()
    assert [(one.choice.row, one.found, one.median_us, one.documented_us) for one in told] == (
        [("3.3", "three", 5.0, 7.5)] if is_contradicted else []
    )


def test_table_by_n_says_at_which_sizes_a_document_is_contradicted() -> None:
    races = [fenwick_race(1000, "three", 5.0, 7.5), fenwick_race(2000, "two", 5.0, 7.5),
             fenwick_race(10**4, "three", 6.0, 8.0)]  # fmt: skip
    assert times_table(races, Device("sm_90", "GPU", 132)).caption == (
        "fenwick: its document chooses kernels=two (row 3.3); here a config with kernels=three is faster at N = 1,000 "
        "(5.00 µs and 7.50 by default), N = 10,000 (6.00 µs and 8.00 by default)."
    )


# Pictures and CUB.


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_picture_of_races_is_drawn(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / f"a.{ending}"
    message("--families", "kogge_stone", "--n", "2^9", "--plot", str(target))
    assert target.read_bytes()[:5] == {"svg": b"<?xml", "png": b"\x89PNG\r"}[ending]


def cub(tmp_path: Path, text: str) -> Path:
    """Return a program in the place of cub_bench, which writes a text to the file behind --json."""
    program = tmp_path / "cub_bench"
    program.write_text(f"#!/bin/sh\nwhile [ $1 != --json ]; do shift; done\ncat > $2 <<'END'\n{text}\nEND\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def test_time_of_cub_is_the_faster_one_s(tmp_path: Path) -> None:
    both = [{"role": "cub", "name": "CUB 2", "cold": {"us": 5.0, "spread": 0.1}},
            {"role": "cub", "name": "CUB 3", "cold": {"us": 4.0, "spread": 0.1}},
            {"role": "scantune", "name": "", "cold": {"us": 1.0, "spread": 0.1}}]  # fmt: skip
    found = cub_time(
        cub(tmp_path, json.dumps({"results": [{"contenders": both}]})), GalleryProblem(WHOLE, "scan"), "i32", 100
    )
    assert (found.name, found.median_us, found.origin) == ("CUB", 4.0, "CUB 3")


@pytest.mark.parametrize(
    ("problem", "kinds"),
    [(GalleryProblem(WHOLE, "scan", 0, Kind.exclusive), "--kinds exclusive"),
     (GalleryProblem(WHOLE, "scan"), "--kinds inclusive"), (GalleryProblem("sums", "reduce"), "")],
)  # fmt: skip
def test_cub_is_asked_for_the_kind_of_a_scan(tmp_path: Path, problem: GalleryProblem, kinds: str) -> None:
    program = tmp_path / "cub_bench"
    program.write_text(f'#!/bin/sh\necho "$*" > {tmp_path}/asked\n')
    program.chmod(0o755)
    cub_time(program, problem, "i32", 100)
    asked = (tmp_path / "asked").read_text()
    assert kinds in asked
    assert ("--kinds" in asked) == bool(kinds)


@pytest.mark.parametrize(
    ("text", "words"),
    [('{"results": []}', "other results"), ("no JSON", "other results"),
     ('{"results": [{"contenders": []}]}', "its result was wrong")],
)  # fmt: skip
def test_cub_without_a_time_says_why(tmp_path: Path, text: str, words: str) -> None:
    found = cub_time(cub(tmp_path, text), GalleryProblem(WHOLE, "scan"), "i32", 100)
    assert found.median_us is None
    assert words in found.failure


@pytest.mark.parametrize(
    ("device", "problem", "words"),
    [
        (
            "cuda:0",
            ["--families", "sum_vector"],
            "CUB was not measured: cub_bench is not built; build it with 'make bench'",
        ),
        ("cuda:1", ["--families", "sum_vector"], "CUB was not measured: cub_bench runs on GPU 0 only."),
        ("host", ["--table", "2"], "CUB was not measured: cub_bench runs on GPU 0 only."),
        ("cuda:0", ["--families", "kogge_stone"], "CUB was not measured: cub_bench has no scans of rows."),
    ],
)
def test_table_says_why_cub_is_not_in_it(
    faults: Faults, monkeypatch: pytest.MonkeyPatch, device: str, problem: list[str], words: str
) -> None:
    monkeypatch.setenv("SCANTUNE_CUB_BENCH", "/no/such/program")
    faults(gpu="sm_90")
    code, out, err = streams_here("gallery", "--device", device, *problem, "--n", "2^12")
    assert code == 0, err
    assert words in " ".join(out.split())


def test_cub_that_fails_says_so_in_the_table(tmp_path: Path, faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_CUB_BENCH", str(cub(tmp_path, "no JSON")))
    faults(gpu="sm_90")
    code, out, err = streams_here("gallery", "--families", "sum_vector", "--n", "2^12", "--json", "-")
    assert code == 0, err
    (race,) = json.loads(out)["races"]
    assert "other results" in race["without_cub"]
    assert "CUB" not in contenders(race)


def test_cub_stands_beside_families_on_a_gpu(tmp_path: Path, faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    timed = {"results": [{"contenders": [{"role": "cub", "name": "CUB 3", "cold": {"us": 4.0, "spread": 0.1}}]}]}
    monkeypatch.setenv("SCANTUNE_CUB_BENCH", str(cub(tmp_path, json.dumps(timed))))
    faults(gpu="sm_90")
    code, out, err = streams_here("gallery", "--families", "lookback", "--n", "2^12", "--json", "-")
    assert code == 0, err
    assert contenders(json.loads(out)["races"][-1])["CUB"]["median_us"] == 4.0
