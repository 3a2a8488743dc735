"""What scantune bench times where it is not what would run: the best known of some configs, a given one, or several."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command import invoke
from conftest import FAKE_WORKER, SUM, Tune
from fake_worker import DEFAULTS, true_us
from scantune.compare.bench import Difference, Verdict
from scantune.compare.known import KnownConfigs
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.measurement import Measurement
from scantune.model.restriction import Restriction
from scantune.model.trial import Trial
from scantune.store.archive import Archive
from scantune.store.database import Database
from scantune.worker.client import Worker
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import Selection

N = 2**14
DEFAULT = Config("lookback", tuple(DEFAULTS["lookback"].items()))  # what the fake worker selects
COMMON = ["bench", "--arch", "host", "--type", "i32", "--n", "2^14"]
SLOWER = "lookback:layout=direct"
FASTER = "lookback:block_threads=512,window=8"
WHOLE = json.dumps(DEFAULT.message())

Faults = Callable[..., None]
Requests = Callable[[], list[dict[str, Any]]]


def best(restriction: Restriction, database: Database | None = None, n: int = N) -> Selection | str:
    with Worker(FAKE_WORKER, "host") as worker:
        own = [database.path] if database else []
        return KnownConfigs(worker, Evaluator(worker, Timeouts()), restriction, None, own).best(Cell(SUM, n))


def chosen(restriction: Restriction, database: Database | None = None, n: int = N) -> Selection:
    selection = best(restriction, database, n)
    assert isinstance(selection, Selection), selection
    return selection


def results(tmp_path: Path, *arguments: str, code: int = 0) -> list[dict[str, Any]]:
    """Return the results of a bench, after checking what it ended with."""
    file = tmp_path / "bench.json"
    result = invoke(*COMMON, *arguments, "--json", str(file))
    assert result.exit_code == code, result.output
    found: list[dict[str, Any]] = json.loads(file.read_text())["results"]
    return found


def test_what_is_selected_is_the_best_known_if_it_is_admitted() -> None:
    assert chosen(Restriction((), (("layout", "striped"),))).origin == "exact_n"


def test_fastest_trial_with_the_kernels_of_now_is_the_best_known_else(tune: Tune, database: Database) -> None:
    direct = Restriction((), (("layout", "direct"),))
    tune()
    selection = chosen(direct, database)
    with Worker(FAKE_WORKER, "host") as worker:
        trials = Archive(database, worker.hello().algorithms).trials(worker.hello().device)
    times = {
        trial.config: trial.measurement.median_us
        for cell, _, trial in trials
        if direct.admits(trial.config) and trial.measurement and cell.n == N
    }
    assert len(times) > 1
    assert selection.config == min(times, key=times.__getitem__)
    assert selection.origin == "trial"
    assert f"the fastest of {len(times)} trials and records of any family with layout=direct" in selection.reason
    assert chosen(direct, database, 2 * N).origin == "default", "trials are of one size"


def test_record_counts_as_a_trial_and_what_failed_or_is_of_other_kernels_does_not(
    tune: Tune, database: Database, faults: Faults
) -> None:
    warp = Restriction((), (("layout", "warp_transposed"),))
    outcome, _ = tune()
    database.run("drop_all_trials", {})
    assert chosen(warp, database).config == outcome.records[0].config
    faults(templates={"lookback": "b" * 64})
    assert chosen(warp, database).origin == "default"


def test_default_with_the_fixed_values_runs_where_nothing_was_tried() -> None:
    selection = chosen(Restriction(("lookback",), (("block_threads", 192), ("window", 4))))
    assert (selection.origin, dict(selection.config.values)) == (
        "default", {**DEFAULTS["lookback"], "block_threads": 192, "window": 4}
    )  # fmt: skip
    assert chosen(Restriction(("single_block",))).config.family == "single_block"


def test_cell_without_such_a_config_tells_why() -> None:
    assert best(Restriction(("single_block",)), n=2**20) == "single_block does not support it; these do: lookback"


@pytest.mark.parametrize(
    ("first", "other", "verdict"),
    [
        ((10.0, 0.001), (9.0, 0.001), Verdict.faster),
        ((10.0, 0.001), (11.0, 0.001), Verdict.slower),
        ((10.0, 0.001), (9.97, 0.001), Verdict.same),  # by less than clocks move
        ((10.0, 0.20), (10.6, 0.20), Verdict.same),  # by less than the noise
        ((10.0, 0.20), (5.0, 0.20), Verdict.faster),  # noisy, but twice as fast
        ((10.0, 0.0), (10.0, 0.0), Verdict.same),
    ],
)
def test_difference_counts_only_beyond_the_noise(
    first: tuple[float, float], other: tuple[float, float], verdict: Verdict
) -> None:
    found = Difference.between(Measurement(*first, samples=15), Measurement(*other, samples=15))
    assert found.verdict == verdict
    assert found.ratio == other[0] / first[0]


@pytest.mark.usefixtures("fake_worker_command")
def test_given_config_is_verified_and_timed_at_every_size(tmp_path: Path, request_log: Requests) -> None:
    found = results(tmp_path, "--config", FASTER, "--n", "2^16")
    assert [one["n"] for one in found] == [2**14, 2**16]
    expected = {"family": "lookback", "parameters": {**DEFAULTS["lookback"], "block_threads": 512, "window": 8}}
    for one in found:
        assert (one["config"], one["origin"], one["against_first"]) == (expected, "given", None)
        assert one["median_us"] == pytest.approx(true_us(SUM.request(one["n"]), expected), rel=0.02)
    methods = [one["method"] for one in request_log() if one["method"] in ("verify", "measure", "select")]
    assert methods == ["verify", "measure"] * 2


@pytest.mark.usefixtures("fake_worker_command")
def test_config_is_taken_as_json_as_results_hold_it(tmp_path: Path) -> None:
    (one,) = results(tmp_path, "--config", WHOLE)
    assert one["config"] == json.loads(WHOLE)
    assert one["departures"] == {}


@pytest.mark.usefixtures("fake_worker_command")
def test_configs_are_raced_in_one_round_and_told_apart_beyond_the_noise(tmp_path: Path, request_log: Requests) -> None:
    found = results(tmp_path, "--compare", "selected", FASTER, SLOWER, "lookback")
    assert [one["origin"] for one in found] == ["exact_n", "given", "given", "given"]
    (measured,) = [one for one in request_log() if one["method"] == "measure"]
    assert measured["configs"] == [one["config"] for one in found]
    assert found[0]["against_first"] is None
    assert [one["against_first"]["verdict"] for one in found[1:]] == ["faster", "slower", "same"]
    for one in found[1:]:
        assert one["against_first"]["ratio"] == one["median_us"] / found[0]["median_us"]


@pytest.mark.usefixtures("fake_worker_command")
def test_table_of_a_race_has_differences_and_others_do_not() -> None:
    table = invoke(*COMMON, "--compare", "lookback", SLOWER).output
    assert re.search(r"lookback layout=direct", table)
    assert re.search(r"\+1[0-9]\.\d%\s+±\d\.\d%\s+slower", table), table
    assert "to the first" in table
    assert "to the first" not in invoke(*COMMON, "--config", SLOWER).output


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize("fault", ["wrong_result", "crash"])
def test_config_that_fails_leaves_the_others_a_race_of_their_own(
    tmp_path: Path, faults: Faults, request_log: Requests, fault: str
) -> None:
    method = "verify" if fault == "wrong_result" else "measure"
    faults(**{fault: {"layout": "direct", "method": method}})
    found = results(tmp_path, "--compare", "lookback", SLOWER, FASTER, code=1)
    assert [one["failure"] and one["failure"]["status"] for one in found] == [None, fault, None]
    assert found[2]["against_first"]["verdict"] == "faster"
    assert [len(one["configs"]) for one in request_log() if one["method"] == "measure"][-1] == 2


@pytest.mark.usefixtures("fake_worker_command")
def test_race_whose_first_config_fails_compares_with_the_next(tmp_path: Path, faults: Faults) -> None:
    faults(wrong_result={"layout": "direct", "method": "verify"})
    found = results(tmp_path, "--compare", SLOWER, "lookback", FASTER, code=1)
    assert [one["against_first"] and one["against_first"]["verdict"] for one in found] == [None, None, "faster"]
    assert all(one["median_us"] for one in found[1:])


@pytest.mark.usefixtures("fake_worker_command")
def test_size_at_which_a_config_is_not_legal_is_left_out_and_told(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    result = invoke(*COMMON, "--n", "2^20", "--compare", "single_block", "selected", "--json", str(file))
    assert result.exit_code == 0, result.output
    assert "left out i32 sum, N = 2^20: single_block does not support it; these do: lookback" in result.output
    assert {one["n"] for one in json.loads(file.read_text())["results"]} == {2**14}


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--config", "Lookback"], "--config Lookback: not a config; write lookback"),
        (["--config", "{}"], "None is not a family; write lookback"),
        (["--config", '{"family":'], "Expecting value"),
        (["--config", "lokback"], "--config lokback: scan has no such family; did you mean lookback[?]"),
        (["--config", "lookback:windw=8"], "lookback has no parameter windw; did you mean window[?] lookback has bl"),
        (["--config", "lookback:window"], "--config lookback: window: write NAME=VALUE"),
        (["--config", "lookback:block_threads=9000"], "not legal; i32 sum, N = 2.14: .*does not fit in shared"),
        (["--config", "lookback", "--compare", "lookback", SLOWER], "--config and --compare contradict each other"),
        (["--config", "lookback", "--fix", "window=8"], "--family or --fix and --config contradict each other"),
        (["--compare", "lookback"], "--compare needs two configs or more"),
        (["--compare", "lookback", "selectd"], "--compare selectd: scan has no such family"),
        (["lookback"], "'--config lookback' times it"),
        (["--family", "lookbak"], "--family lookbak: scan has no such family; did you mean lookback[?]"),
        (["--family", "single_block", "--n", "2^20", "--fix", "block_threads=9000"], "does not fit in shared memory"),
    ],
)
def test_what_is_no_config_is_refused_by_its_option(arguments: list[str], words: str) -> None:
    result = invoke(*COMMON, *arguments)
    assert result.exit_code == 2, result.output
    assert re.search(words, " ".join(result.output.split())), result.output


@pytest.mark.usefixtures("fake_worker_command")
def test_bench_of_a_restriction_times_the_best_trial_of_the_database(
    tmp_path: Path, tune: Tune, database: Database
) -> None:
    with Worker(FAKE_WORKER, "host") as worker:
        device = worker.hello().device
    tune()
    (one,) = results(tmp_path, "--fix", "layout=direct", "--db", str(database.path))
    assert (one["origin"], one["config"]["parameters"]["layout"]) == ("trial", "direct")
    trials: list[Trial] = [trial for _, _, trial in Archive(database).trials(device)]
    assert one["config"] in [trial.config.message() for trial in trials]
