"""Measurements of what runs on this machine, beside a copy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conftest import FAKE_WORKER, SUM
from examples import scan
from scantune.compare.bench import Benched, bench, bench_table
from scantune.model.measurement import Measurement
from scantune.model.trial import Failure
from scantune.worker.client import Worker
from scantune.worker.defaults import Defaults
from scantune.worker.evaluation import Evaluator, Timeouts

MAXIMUM = scan("f32", "max")

Faults = Callable[..., None]


def printed(results: list[Benched], worker: Worker) -> str:
    console = Console(width=200, record=True)
    console.print(bench_table(results, worker.hello(), Defaults(Evaluator(worker, Timeouts()))))
    return console.export_text()


def test_every_problem_is_measured_at_every_size_with_the_selected_config(worker: Worker) -> None:
    seen: list[Benched] = []
    results = bench(worker, [SUM, MAXIMUM], [2**14, 2**20], measured=seen.append)
    assert [(one.problem, one.n) for one in results] == [(p, n) for p in (SUM, MAXIMUM) for n in (2**14, 2**20)]
    assert seen == results
    assert {(one.selection.config.family, one.selection.origin) for one in results} == {("lookback", "exact_n")}


def test_share_and_bandwidth_follow_from_the_copy_and_the_bytes_moved(worker: Worker) -> None:
    (one,) = bench(worker, [SUM], [2**20])
    assert isinstance(one.outcome, Measurement)
    assert one.ceiling_us == pytest.approx(2**20 / 400_000 + 0.5)
    assert one.share_of_ceiling == pytest.approx(one.ceiling_us / one.outcome.median_us)
    assert one.gigabytes_per_second == pytest.approx(2**20 * 8 / one.outcome.median_us * 1e-3)


def test_results_are_checked_before_they_are_timed(
    worker: Worker, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    bench(worker, [SUM], [2**20])
    methods = [entry["method"] for entry in request_log()]
    assert methods[-3:] == ["select", "verify", "measure"]


def test_wrong_result_is_not_timed_and_the_rest_goes_on(
    faults: Faults, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    faults(wrong_result={"family": "lookback"})
    with Worker(FAKE_WORKER, "host") as worker:
        results = bench(worker, [SUM], [2**14, 2**20])
        assert all(isinstance(one.outcome, Failure) for one in results)
        assert "index 17" in printed(results, worker)
    assert len(results) == 2
    assert "measure" not in [entry["method"] for entry in request_log()]


def test_only_named_databases_are_read(
    worker: Worker, tmp_path: Path, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    bench(worker, [SUM], [2**14])
    bench(worker, [SUM], [2**14], databases=[tmp_path / "one.db"])
    selects = [entry for entry in request_log() if entry["method"] == "select"]
    assert "databases" not in selects[0]
    assert selects[1]["databases"] == [str(tmp_path / "one.db")]


def test_table_says_what_ran_how_fast_and_that_host_times_say_nothing_of_a_gpu(worker: Worker) -> None:
    text = printed(bench(worker, [SUM], [2**20]), worker)
    for expected in ("i32 sum", "2^20", "exact_n", "lookback default", "%", "never a GPU"):
        assert expected in text


def test_times_of_a_gpu_carry_no_such_warning(faults: Faults) -> None:
    faults(gpu="sm_90")
    with Worker(FAKE_WORKER, "cuda:0") as worker:
        assert "never a GPU" not in printed(bench(worker, [SUM], [2**20]), worker)


def test_every_result_has_the_same_keys_in_json(worker: Worker) -> None:
    results = bench(worker, [SUM], [2**14])
    failed = Benched(SUM, 7, results[0].selection, Failure("timeout", "too slow"), None)
    defaults = Defaults(Evaluator(worker, Timeouts()))
    good, bad = (json.loads(json.dumps(one.message(defaults))) for one in [*results, failed])
    assert good["problem"]["op"] == "sum"
    assert good["config"]["family"] == "lookback"
    assert good["departures"] == {}
    assert good["median_us"] > 0
    assert bad["failure"] == {"status": "timeout", "reason": "too slow"}
    assert good.keys() == bad.keys()
    assert (good["failure"], bad["median_us"]) == (None, None)
