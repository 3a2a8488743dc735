"""Problems that programs have called: read from what SCANTUNE_RECORD names, tuned and explained."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command import ended_well, scantune_here, streams_here
from examples import PROBLEMS, SCAN, scan
from scantune.cli import explain_calls
from scantune.cli.called import weights
from scantune.cli.workers import described_worker
from scantune.errors import UsageError
from scantune.model.algorithms import Algorithms
from scantune.model.called import Called
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.problem import Problem
from scantune.store.archive import Archive
from scantune.store.call_files import CallFiles
from scantune.store.database import open_database, open_readonly
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import Selection
from test_real_worker import BUILD, WORKER

ALGORITHMS = Algorithms({"scan": SCAN})
FAKE = Device("host", "Fake CPU", 8)
I32 = {"input_type": "i32", "accumulator_type": "i32", "output_type": "i32"}
F64 = {"input_type": "f64", "accumulator_type": "f64", "output_type": "f64"}


def line(**others: Any) -> dict[str, Any]:
    """Return a line as the library writes it."""
    return {
        "arch": "host", "device_name": "Fake CPU", "sm_count": 8, "algorithm": "scan", "request": I32, "shape": "",
        "n": 4096, "extents": {}, "family": "lookback", "config": {"block_threads": 256}, "origin": "default",
        "reason": "no tuning record serves it", "record": None, "calls": 10, "alignment": 256, **others,
    }  # fmt: skip


def written(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def called(**others: Any) -> Called:
    return Called.from_line(line(**others), ALGORITHMS)


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_line_names_the_problem_as_records_do(problem: Problem) -> None:
    found = called(request=dict(problem.members)).cell.problem
    assert (found, found.declared) == (problem.tuned_form, SCAN)


def test_exclusive_scans_count_towards_the_problem_whose_record_serves_them() -> None:
    assert called(request={**I32, "kind": "exclusive"}).cell == Cell(scan("i32"), 4096)


def test_extents_are_those_of_the_calls_and_not_of_their_class() -> None:
    rows = called(
        request={**I32, "segments": "rows"}, shape={"row_items": 7.5}, extents={"row_items": 200}, n=6000
    ).cell.problem
    assert rows.counts(6000) == {"n": 6000, "rows": 30}


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ({"algorithm": "sum"}, "the worker does not know the algorithm 'sum'"),
        ({"request": {"input_type": "i32"}}, "the request names no accumulator_type"),
        ({"request": {**I32, "op": "sum"}}, "is not spelled as tuners spell it"),
        ({"shape": {"columns": 10}}, "whose extents are not those of this scan"),
        (
            {"request": {**I32, "segments": "columns"}, "shape": {"columns": 10}},
            "its extents are {}, not one for each of ['columns']",
        ),
        ({"n": 0}, "n is 0"),
        ({"n": True}, "n is True"),
        ({"calls": -1}, "calls is -1"),
        ({"alignment": 3}, "alignment is 3"),
        ({"arch": "x86"}, "'x86' is not an architecture"),
        ({"config": []}, "are not an object"),
        ({"reason": "\x1b[2J"}, "reason is '\\x1b[2J'"),
        ({"record": {"n": 1}}, "it has no median_us"),
        ({"record": {"n": 1, "median_us": float("inf")}}, "median_us is inf"),
    ],
    ids=str,
)
def test_line_that_no_library_writes_is_left_out(others: dict[str, Any], reason: str, tmp_path: Path) -> None:
    file = written(tmp_path / "calls.jsonl", line(), line(**others))
    found = CallFiles.read([file], ALGORITHMS)
    assert [one.calls for one in found.called] == [10]
    assert len(found.unread) == 1
    assert found.unread[0].startswith(f"{file}, line 2: ")
    assert reason in found.unread[0]


def test_calls_of_all_files_add_up_and_a_torn_line_costs_itself_alone(tmp_path: Path) -> None:
    first = written(tmp_path / "a.jsonl", line(), line(calls=5, alignment=4))
    second = tmp_path / "b.jsonl"
    second.write_text(json.dumps(line())[:100] + "\n\n" + json.dumps(line(calls=7, origin="exact_n")) + "\n")
    found = CallFiles.read([first, second], ALGORITHMS)
    assert [(one.calls, one.alignment, one.origin) for one in found.called] == [(22, 4, "exact_n")]
    assert len(found.unread) == 1


def test_line_that_begins_with_a_newline_is_whole_after_a_torn_one(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    torn = "\n" + json.dumps(line())[:100]
    file.write_text("\n" + json.dumps(line()) + "\n" + torn + "\n" + json.dumps(line(calls=7)) + "\n")
    found = CallFiles.read([file], ALGORITHMS)
    assert [one.calls for one in found.called] == [17]
    assert [one.partition(": ")[0] for one in found.unread] == [f"{file}, line 4"]


def test_what_takes_most_time_in_all_comes_first_by_records_or_by_bytes(tmp_path: Path) -> None:
    of_gpu = {"arch": "sm_90", "device_name": "NVIDIA H200", "sm_count": 132}
    file = written(
        tmp_path / "calls.jsonl",
        line(**of_gpu, n=1000, calls=1000),  # about 2 µs each
        line(**of_gpu, n=2**28, calls=100),  # about 440 µs each
        line(**of_gpu, n=2**20, calls=100, record={"n": 2**20, "median_us": 900.0}),
    )
    found = CallFiles.read([file], ALGORITHMS).called
    assert [one.cell.n for one in found] == [2**20, 2**28, 1000]
    assert found[0].total_us == 90_000


def test_time_of_a_record_is_that_of_other_sizes_in_proportion_to_a_launch_and_the_bytes() -> None:
    of_gpu = {"arch": "sm_90", "device_name": "NVIDIA H200", "sm_count": 132}
    record = {"n": 1024, "median_us": 3.0}
    assert called(**of_gpu, n=1024, record=record).call_us == pytest.approx(3.0)
    assert called(**of_gpu, n=16, record=record).call_us == pytest.approx(3.0, rel=0.01), "it is launched all the same"
    large, larger = (called(**of_gpu, n=n, record=record).call_us for n in (2**30, 2**31))
    assert larger == pytest.approx(2 * large, rel=0.01)


def test_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"calls.jsonl: it cannot be read \(No such file or directory\)"):
        CallFiles.read([tmp_path / "calls.jsonl"], ALGORITHMS)


@pytest.fixture
def tune(fake_worker_command: None, tmp_path: Path) -> Callable[..., str]:
    """Return what tunes what the lines say, by the fake worker."""

    def run(*lines: dict[str, Any], options: tuple[str, ...] = ()) -> str:
        file = str(written(tmp_path / "calls.jsonl", *lines))
        db = ["--db", str(tmp_path / "my.db"), "--workers", "1"]
        return ended_well("tune", "--arch", "host", *db, "--from", file, *options)

    return run


def cells(path: Path) -> list[tuple[str, int, str]]:
    told = json.loads(path.read_text())["cells"]
    return [(one["problem"]["input_type"], one["n"], one["way"]) for one in told]


def test_tuning_covers_each_problem_at_its_own_size_and_nothing_else(tune: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    tune(line(n=1000), line(request=F64, n=5000), options=("--json", str(file)))
    assert cells(file) == [("f64", 5000, "searched"), ("i32", 1000, "searched")]


def test_octave_is_tuned_once_at_its_heaviest_size(tune: Callable[..., str], tmp_path: Path) -> None:
    """A record at 600 serves 1000 too, but not 1025."""
    file = tmp_path / "run.json"
    lines = [
        line(n=600, calls=10), line(n=1000, calls=5), line(n=5000, calls=1, request=F64), line(n=1025, calls=1),
    ]  # fmt: skip
    tune(*lines, options=("--json", str(file)))
    assert cells(file) == [("f64", 5000, "searched"), ("i32", 600, "searched"), ("i32", 1025, "searched")]


def test_octave_weighs_as_much_as_all_its_calls(fake_worker_command: None, tmp_path: Path) -> None:
    file = written(tmp_path / "calls.jsonl", line(n=600), line(n=1000, calls=20), line(n=1024, calls=1), line(n=512))
    all_us = {one.cell.n: one.total_us for one in CallFiles.read([file], ALGORITHMS).called}
    with contextlib.ExitStack() as stack:
        worker = described_worker(stack, FAKE)
        found = weights([file], worker.hello(), Evaluator(worker, Timeouts()))
    assert {cell.n: us for cell, us in found.items()} == {
        1000: pytest.approx(all_us[600] + all_us[1000] + all_us[1024]), 512: pytest.approx(all_us[512]),
    }  # fmt: skip


@pytest.mark.parametrize("heavy", [1000, 5000])
def test_budget_goes_to_what_takes_most_time_in_all(heavy: int, tune: Callable[..., str], tmp_path: Path) -> None:
    """A search that is given so little time takes it all."""
    file = tmp_path / "run.json"
    lines = [line(n=n, calls=1000 if n == heavy else 1) for n in (1000, 5000)]
    tune(*lines, options=("--budget", "0.1s", "--json", str(file)))
    assert {n: way != "left" for _, n, way in cells(file)} == {n: n == heavy for n in (1000, 5000)}


def test_what_cannot_be_tuned_here_is_told(tune: Callable[..., str]) -> None:
    output = tune(
        line(),
        line(arch="sm_90", device_name="NVIDIA H200", sm_count=132, request=F64),
        line(device_name="Other CPU", request=F64),
        line(sm_count=64, request=F64),
        line(request={**I32, "op": "custom_cheap:affine"}),
    )
    assert "1 cell: 1 searched" in output
    assert "left out, called on NVIDIA H200 (sm_90, 132 SMs): f64 sum" in output
    assert "left out, called on Other CPU (host): f64 sum" in output
    assert re.search(r"only a digest of the operator's source is recorded .*: i32 custom_cheap:affine", output), output


_PROBLEMS = "names the problems and sizes"
_ALGORITHMS = "may name problems of several algorithms"


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize(
    ("command", "option", "value", "reason"),
    [
        ("tune", "--type", "i32", _PROBLEMS),
        ("tune", "--op", "max", _PROBLEMS),
        ("tune", "--algorithm", "reduce", _PROBLEMS),
        ("tune", "--operator", "affine.cu", _PROBLEMS),
        ("tune", "--cost", "cheap", _PROBLEMS),
        ("tune", "--segments", "rows", _PROBLEMS),
        ("tune", "--n", "2^12", _PROBLEMS),
        ("tune", "--portfolio", None, _PROBLEMS),
        ("tune", "--family", "lookback", _ALGORITHMS),
        ("tune", "--fix", "block_threads=256", _ALGORITHMS),
        ("explain", "--type", "i32", _PROBLEMS),
        ("explain", "--row-items", "64", _PROBLEMS),
        ("explain", "--n", "2^12", _PROBLEMS),
        ("explain", "--arch", "host", "names the devices"),
        ("explain", "--device", "H200", "names the devices"),
    ],
    ids=str,
)
def test_option_that_says_what_the_calls_say_is_refused_by_name(
    command: str, option: str, value: str | None, reason: str, tmp_path: Path
) -> None:
    file = str(written(tmp_path / "calls.jsonl", line()))
    code, output = scantune_here(command, "--from", file, option, *([value] if value else []))
    assert (code, f"calls.jsonl {reason}: leave out {option}" in " ".join(output.split())) == (2, True), output


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize("command", ["tune", "explain"])
@pytest.mark.parametrize(
    ("text", "reason"), [("\n", "no calls are recorded there; run"), ("{}\n", "no line there can be read; name")]
)
def test_files_without_calls_are_all_named_with_the_reason(
    text: str, reason: str, command: str, tmp_path: Path
) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b c.jsonl"]
    for file in files:
        file.write_text(text)
    arch = ["--arch", "host"] if command == "tune" else []
    code, output = scantune_here(command, *arch, "--from", *map(str, files))
    assert (code, f"--from {files[0]} '{files[1]}': {reason}" in " ".join(output.split())) == (2, True), output


@pytest.mark.usefixtures("fake_worker_command")
def test_files_follow_one_option_as_a_shell_names_them(tmp_path: Path) -> None:
    for name in "ab":
        written(tmp_path / f"{name}.jsonl", line())
    _, out, _ = streams_here(
        "explain", "--from", str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), "--json", "-"
    )  # fmt: skip
    assert [one["calls"] for one in json.loads(out)["results"]] == [20]


def test_explanation_says_what_served_and_what_would_now(tune: Callable[..., str], tmp_path: Path) -> None:
    tune(line())
    file = written(tmp_path / "calls.jsonl", line(), line(calls=2, alignment=4))
    told = json.loads(
        streams_here("explain", "--from", str(file), "--db", str(tmp_path / "my.db"), "--json", "-")[1]
    )  # fmt: skip
    (one,) = told["results"]
    assert (one["served_by"], one["origin"], one["calls"], one["alignment"]) == ("default", "exact_n", 12, 4)


@pytest.fixture
def serving(fake_worker_command: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let every problem be served from such an origin, by such a record."""

    def serve(origin: str, record: dict[str, Any] | None = None) -> None:
        def selection(*_: object) -> Selection:
            return Selection(Config.from_parameters("lookback", {}), origin, "so", (), record)

        monkeypatch.setattr(explain_calls, "select", selection)

    return serve


OWN = {**I32, "op": "custom_cheap:affine"}


@pytest.mark.parametrize(
    ("origin", "served"),
    [("default", "2 run on defaults and 0"), ("other_types", "0 run on defaults and 2")],
)
def test_explanation_says_what_command_tunes_what_can_be_tuned(
    origin: str, served: str, serving: Callable[..., None], tmp_path: Path
) -> None:
    serving(origin)
    file = written(tmp_path / "my calls.jsonl", line(), line(request=F64), line(request=OWN))
    database = tmp_path / "my.db"
    with open_database(database):
        pass
    _, _, told = streams_here("explain", "--from", str(file), "--db", str(database))
    flat = " ".join(told.split())
    assert f"of 3 problems {served} on records of other problems or devices; on Fake CPU (host) this" in flat, told
    assert flat.endswith(f"tunes them: scantune tune --from '{file}' --db {database}"), told
    _, _, told = streams_here("explain", "--from", str(file))
    assert " ".join(told.split()).endswith(f"scantune tune --from '{file}'"), told


def test_no_command_is_said_to_tune_what_is_left_out(serving: Callable[..., None], tmp_path: Path) -> None:
    serving("default")
    file = written(tmp_path / "calls.jsonl", line(request=OWN))
    _, out, told = streams_here("explain", "--from", str(file))
    assert "custom_cheap:affine" in out
    assert "scantune tune" not in told


def test_gain_is_told_by_records_of_the_same_problem_alone(
    tune: Callable[..., str], serving: Callable[..., None], tmp_path: Path
) -> None:
    tune(line())
    database = tmp_path / "my.db"
    with open_readonly(database) as opened:
        (record,) = Archive(opened).records()
    assert record.ceiling_us is not None
    serving("other_types", {
        "device": vars(record.device), **record.problem.columns, "n": record.n, "finished_at": record.finished_at,
        "database": str(database), "layer": "user",
    })  # fmt: skip
    lines = [line(), line(n=4000, alignment=4), line(request=F64), line(request={**I32, "op": "max"})]
    file = written(tmp_path / "calls.jsonl", *lines)
    _, out, _ = streams_here("explain", "--from", str(file), "--db", str(database), "--json", "-")
    found = {(one["problem"]["input_type"], one["problem"]["op"], one["n"]): one["may_gain"]
             for one in json.loads(out)["results"]}  # fmt: skip
    assert {place for place, gain in found.items() if gain is not None} == {("i32", "sum", 4096), ("i32", "sum", 4000)}
    assert len(found) == 4


@pytest.mark.skipif(WORKER is None, reason=f"there is no scantune-worker in {BUILD}; build it first")
@pytest.mark.usefixtures("made_up_times")
@pytest.mark.timeout(200)
def test_program_is_recorded_tuned_and_served_exactly(
    kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = [BUILD / f"docs/examples/example_{name}_cpp" for name in ("scan", "reduce")]
    if not all(program.exists() for program in programs):
        pytest.skip(f"there is not each of {programs}; build them first")
    file = tmp_path / "calls.jsonl"
    for name, value in {
        "SCANTUNE_WORKER": str(WORKER), "SCANTUNE_CACHE": str(kernels), "SCANTUNE_DEVICE": "host",
        "SCANTUNE_RECORD": str(file), "SCANTUNE_LOG": "quiet",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)

    def origins() -> list[str]:
        file.unlink(missing_ok=True)
        for program in programs:
            subprocess.run([program], check=True, capture_output=True, env=os.environ)
        return [json.loads(one)["origin"] for one in file.read_text().splitlines() if one]

    assert origins() == 3 * ["default"]
    before = ended_well("explain", "--from", str(file))
    assert re.search(r"of 3 problems 3 run on defaults and 0 on records .* tunes them:\s+scantune tune --from ", before)
    ended_well("tune", "--arch", "host", "--from", str(file), "--budget", "20s")
    assert origins() == 3 * ["exact_n"]
    _, out, _ = streams_here("explain", "--from", str(file), "--json", "-")
    told = json.loads(out)["results"]
    assert {one["origin"] for one in told} == {"exact_n"}
    (gain,) = [one["may_gain"] for one in told if one["problem"]["algorithm"] == "scan"]
    assert 0 <= gain < 1, "a copy was timed beside the scan"
