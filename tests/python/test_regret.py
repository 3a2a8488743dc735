"""The comparison of what is selected between tuned sizes with the best known there."""

from __future__ import annotations

import json
import math
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner, Result

from conftest import FAKE_WORKER, QUICK, SUM
from fake_gpu import GPU, Clock, FakeCompilers, FakeGpuWorker
from fake_worker import DEFAULTS, true_us
from scantune.cli import regret as cli_regret
from scantune.cli.app import app
from scantune.compare.regret import Comparable, Compared, Comparison, Uncompared, sampled_sizes, summary
from scantune.model.config import Config
from scantune.model.policy import Effort, Rounds, policy_of
from scantune.model.problem import Problem
from scantune.model.trial import Failure
from scantune.worker.client import Worker
from scantune.worker.defaults import Defaults
from scantune.worker.evaluation import Evaluator, Measured, Timeouts

SELECTED = Config("lookback", tuple(DEFAULTS["lookback"].items()))  # what the fake worker selects for everything
FASTER = Config(
    "lookback", (("block_threads", 512), ("items_per_thread", 8), ("layout", "warp_transposed"), ("window", 8))
)
LARGE = 100_000


def comparison(worker: Worker) -> Comparison:
    return Comparison(worker, Evaluator(worker, Timeouts()), QUICK, None, seed=1)


def compared(worker: Worker, n: int, found: Config | None) -> Compared:
    result = comparison(worker).compare(SUM, n, found)
    assert isinstance(result, Compared), result
    return result


def time_of(config: Config, n: int) -> float:
    return true_us(SUM.request(n), config.message())


def test_sizes_lie_between_the_ends_and_are_as_likely_in_every_octave() -> None:
    sizes = sampled_sizes(2**6, 2**22, 400, seed=1)
    assert sizes == sampled_sizes(2**6, 2**22, 400, seed=1) != sampled_sizes(2**6, 2**22, 400, seed=2)
    assert len(set(sizes)) == 400
    assert 2**6 < sizes[0] < sizes[-1] < 2**22
    assert 0.4 < sum(n < 2**14 for n in sizes) / 400 < 0.6
    assert sampled_sizes(10, 13, 5, seed=1) == [11, 12]
    assert sampled_sizes(10, 11, 5, seed=1) == []


def test_ratio_is_of_the_selected_config_to_the_fastest_known(worker: Worker) -> None:
    result = compared(worker, LARGE, FASTER)
    assert (result.selection.config, result.best) == (SELECTED, FASTER)
    assert result.ratio == pytest.approx(time_of(SELECTED, LARGE) / time_of(FASTER, LARGE), rel=0.02)


def test_default_of_another_family_counts_among_the_known(worker: Worker) -> None:
    result = compared(worker, 300, None)
    assert result.best.family == "single_block"
    assert result.ratio > 1.5


def test_selected_config_that_nothing_beats_has_a_ratio_of_one(worker: Worker) -> None:
    result = compared(worker, LARGE, None)
    assert (result.best, result.ratio) == (SELECTED, 1.0)


@pytest.mark.parametrize("fault", ["wrong_result", "crash"])
def test_config_that_does_not_work_is_no_measure(faults: Callable[..., None], fault: str) -> None:
    faults(**{fault: {"window": 8, "method": "verify"}})
    with Worker(FAKE_WORKER, "host") as worker:
        assert compared(worker, LARGE, FASTER).best == SELECTED


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("no_memory", "OUT_OF_MEMORY"), ("crash", r"which is selected, cannot be timed: measure: the worker")],
)
def test_size_whose_selected_config_cannot_be_timed_tells_why(
    faults: Callable[..., None], fault: str, reason: str
) -> None:
    faults(**{fault: {"window": 32, "method": "measure"}})
    with Worker(FAKE_WORKER, "host") as worker:
        result = comparison(worker).compare(SUM, LARGE, FASTER)
    assert isinstance(result, Uncompared)
    assert re.search(reason, result.reason), result.reason
    assert result.message(Defaults(Evaluator(worker, Timeouts())))["error"] == result.reason


class FailsInDuels(Evaluator):
    """An evaluator that times many configs, but fails to time the faster of two alone."""

    def measure(self, problem: Problem, n: int, configs: Sequence[Config], rounds: Rounds) -> Measured:
        measured = super().measure(problem, n, configs, rounds)
        if len(configs) > 2:
            return measured
        return Measured([measured.outcomes[0], Failure("timeout", "it hung")], None)


def test_duel_that_fails_is_no_ratio(worker: Worker) -> None:
    evaluator = FailsInDuels(worker, Timeouts())
    result = Comparison(worker, evaluator, QUICK, None, seed=1).compare(SUM, LARGE, FASTER)
    assert isinstance(result, Uncompared)
    assert result.reason == f"{FASTER}, which is the fastest, cannot be timed: it hung"


def test_summary_names_the_worst_and_counts_what_is_missing(worker: Worker) -> None:
    one = compared(worker, LARGE, None)
    worse = replace(one, n=300, selected_us=1.2, best_us=1.0)
    text = "3 sizes: worst ratio 1.200 at i32 sum 300, median 1.000; 2 within 5%"
    assert summary([one, worse, one], 0.05) == text
    missing = Uncompared(SUM, 400, "it hung")
    assert summary([one, missing, worse, one], 0.05) == f"{text}; 1 could not be compared"
    assert summary([missing], 0.05) == "0 sizes; 1 could not be compared"


def test_every_size_is_searched_on_a_gpu_too_where_a_default_run_would_only_race(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, sizes, trials = Clock(), (10**8, 11 * 10**7), 24  # where the default is nearly as fast as a copy
    worker = FakeGpuWorker(clock)
    monkeypatch.setattr(cli_regret, "compile_pool", lambda *_: FakeCompilers(clock, processes=4, compile_s=0.5))
    policy = policy_of(GPU, Effort.quick)
    found = cli_regret._searched(cast(Worker, worker), policy, [SUM], sizes, trials, seed=1, workers=None)
    assert found.keys() == {(SUM, n) for n in sizes}
    for n in sizes:
        tried = {json.dumps(config) for request, config in worker.measured if request["n"] == n}
        assert trials - 4 <= len(tried) <= trials + 4


def regret(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["regret", "--arch", "host", "--type", "i32", "--workers", "1", *arguments])


@pytest.fixture
def fake_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join([sys.executable, FAKE_WORKER[-1]]))


@pytest.mark.usefixtures("fake_worker")
def test_command_ends_with_3_if_a_size_is_slower_than_allowed(tmp_path: Path) -> None:
    file = tmp_path / "regret.json"
    result = regret("--n", "2^16..2^18", "--samples", "2", "--trials", "20", "--json", str(file))
    assert result.exit_code == 3, result.output
    assert "2 sizes: worst ratio" in result.output
    ratios = [one["ratio"] for one in json.loads(file.read_text())["results"]]
    assert len(ratios) == 2
    assert all(ratio > 1.05 and math.isfinite(ratio) for ratio in ratios)
    assert regret("--n", "2^16..2^18", "--samples", "2", "--trials", "20", "--within", "90").exit_code == 0


@pytest.mark.usefixtures("fake_worker")
def test_command_writes_every_size_before_the_next_and_goes_on_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "regret.json"
    written: list[int] = []
    compare = Comparison.compare

    def failing_first(self: Comparison, problem: Problem, n: int, found: Config | None) -> Comparable:
        written.append(len(json.loads(file.read_text())["results"]) if file.exists() else 0)
        return compare(self, problem, n, found) if written[-1] else Uncompared(problem, n, "it hung")

    monkeypatch.setattr(Comparison, "compare", failing_first)
    result = regret("--n", "2^16..2^18", "--samples", "3", "--trials", "0", "--json", str(file))
    assert result.exit_code == 1, result.output
    assert written == [0, 1, 2]
    failed, *others = json.loads(file.read_text())["results"]
    assert failed["error"] == "it hung"
    assert [one["ratio"] for one in others] == [1.0, 1.0]
    assert "2 sizes: worst ratio 1.000" in result.output
    assert "some sizes could not be compared" in result.output


@pytest.mark.usefixtures("fake_worker")
def test_command_without_a_search_compiles_verifies_rivals_once_and_saves_nothing(
    tmp_path: Path, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    result = regret("--n", "2^16,2^17", "--samples", "2", "--trials", "0")
    assert result.exit_code == 0, result.output
    assert "2 sizes: worst ratio 1.000" in result.output
    requests = request_log()
    assert not [one for one in requests if one["method"] == "compile"]
    verified = [(one["request"]["n"], json.dumps(one["config"])) for one in requests if one["method"] == "verify"]
    assert verified
    assert len(verified) == len(set(verified))
    assert not (tmp_path / "data").exists()


@pytest.mark.usefixtures("fake_worker")
def test_command_needs_a_size_between_its_ends() -> None:
    output = regret("--n", "2^16").output
    assert "no size is between 2^16 and 2^16; name two that are farther apart" in " ".join(output.split())
