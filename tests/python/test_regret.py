"""What is selected between tuned sizes, held against the best known there."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from conftest import FAKE_WORKER, QUICK, SUM
from fake_worker import DEFAULTS, true_us
from scantune.cli import app
from scantune.config import Config
from scantune.evaluation import Evaluator, Timeouts
from scantune.regret import Comparison, sampled_sizes, summary
from scantune.worker import Worker

SELECTED = Config("lookback", tuple(DEFAULTS["lookback"].items()))  # by the fake worker, for everything
FASTER = Config(
    "lookback", (("block_threads", 512), ("items_per_thread", 8), ("layout", "warp_transposed"), ("window", 8))
)
LARGE = 100_000


def comparison(worker: Worker) -> Comparison:
    return Comparison(worker, Evaluator(worker, Timeouts()), QUICK, None, seed=1)


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
    compared = comparison(worker).compare(SUM, LARGE, FASTER)
    assert (compared.selection.config, compared.best) == (SELECTED, FASTER)
    assert compared.ratio == pytest.approx(time_of(SELECTED, LARGE) / time_of(FASTER, LARGE), rel=0.02)


def test_default_of_another_family_counts_among_the_known(worker: Worker) -> None:
    compared = comparison(worker).compare(SUM, 300, None)
    assert compared.best.family == "single_block"
    assert compared.ratio > 1.5


def test_selected_config_that_nothing_beats_has_a_ratio_of_one(worker: Worker) -> None:
    compared = comparison(worker).compare(SUM, LARGE, None)
    assert (compared.best, compared.ratio) == (SELECTED, 1.0)


@pytest.mark.parametrize("fault", ["wrong_result", "crash"])
def test_config_that_does_not_work_is_no_measure(faults: Callable[..., None], fault: str) -> None:
    faults(**{fault: {"window": 8, "method": "verify"}})
    with Worker(FAKE_WORKER, "host") as worker:
        assert comparison(worker).compare(SUM, LARGE, FASTER).best == SELECTED


def test_summary_names_the_worst(worker: Worker) -> None:
    one = comparison(worker).compare(SUM, LARGE, None)
    worse = replace(one, n=300, selected_us=1.2, best_us=1.0)
    text = summary([one, worse, one], 0.05)
    assert text == "3 sizes: worst ratio 1.200 at i32 sum 300, median 1.000; 2 within 5%"


def regret(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["regret", "--arch", "host", "--type", "i32", "--workers", "1", *arguments])


@pytest.fixture
def fake_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join([sys.executable, FAKE_WORKER[-1]]))


@pytest.mark.usefixtures("fake_worker")
def test_command_ends_with_1_if_a_size_is_slower_than_allowed(tmp_path: Path) -> None:
    file = tmp_path / "regret.json"
    result = regret("--n", "2^16..2^18", "--samples", "2", "--trials", "20", "--json", str(file))
    assert result.exit_code == 1, result.output
    assert "2 sizes: worst ratio" in result.output
    ratios = [one["ratio"] for one in json.loads(file.read_text())]
    assert len(ratios) == 2
    assert all(ratio > 1.05 and math.isfinite(ratio) for ratio in ratios)
    assert regret("--n", "2^16..2^18", "--samples", "2", "--trials", "20", "--within", "90").exit_code == 0


@pytest.mark.usefixtures("fake_worker")
def test_command_without_a_search_saves_and_finds_nothing() -> None:
    result = regret("--n", "2^16..2^18", "--samples", "1", "--trials", "0")
    assert result.exit_code == 0, result.output
    assert "worst ratio 1.000" in result.output


@pytest.mark.usefixtures("fake_worker")
def test_command_needs_a_size_between_its_ends() -> None:
    assert "there is no size between" in regret("--n", "2^16").output
