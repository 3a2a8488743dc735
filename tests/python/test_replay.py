"""Searches on recorded spaces: what a recording answers, and how near the search comes to the fastest config."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from command import scantune_here, streams_here
from conftest import SUM
from examples import scan
from fake_gpu import DEFAULTS
from scantune.cli.replay import shipped_spaces
from scantune.model.config import Config
from scantune.model.policy import Effort
from scantune.model.recorded_space import RecordedConfig, RecordedSpace
from scantune.model.trial import Failure
from scantune.search.recorded_worker import RecordedCompilers, RecordedWorker
from scantune.search.replay import Replayed, Trace, replay, replay_policy
from scantune.search.sampler_names import Sampler
from scantune.store.space_file import read_space, write_space
from scantune.worker.client import WorkerError
from scantune.worker.evaluation import Evaluator, Timeouts
from test_sweep import N, swept


@cache
def recorded() -> RecordedSpace:
    return swept(refused=lambda config: dict(config.values).get("block_threads") == 1024)


def evaluator(seed: int = 1) -> Evaluator:
    return Evaluator(RecordedWorker.of(recorded(), seed), Timeouts())


def policy(effort: Effort = Effort.normal) -> Any:
    return replay_policy(recorded(), effort)


def test_recorded_space_is_what_a_worker_would_list() -> None:
    space = evaluator().space(SUM, N)
    assert space.default == recorded().default
    assert set(space.searched) == {one.config for one in recorded().configs if one.is_listed}
    assert evaluator().untuned(SUM, N) == recorded().default


def test_config_that_was_not_recorded_is_illegal() -> None:
    unlisted = next(one.config for one in recorded().configs if not one.is_listed)
    assert evaluator().is_valid(SUM, N, unlisted)
    unknown = {**DEFAULTS["lookback"], "window": 8, "first_delay_ns": 1600, "min_ctas_per_sm": 4, "layout": "direct"}
    assert not evaluator().is_valid(SUM, N, Config("lookback", tuple(unknown.items())))


def test_measurements_draw_recorded_samples_alike_for_one_seed() -> None:
    one = next(one for one in recorded().configs if one.final_us)
    racing = policy().racing

    def medians(seed: int) -> list[float]:
        measuring = evaluator(seed)
        outcomes = [measuring.measure(SUM, N, [one.config], racing).outcomes[0] for _ in range(20)]
        return [outcome.median_us for outcome in outcomes if not isinstance(outcome, Failure)]

    assert medians(1) == medians(1) != medians(2)
    assert set(medians(1)) <= set(one.all_us)
    assert len(set(medians(1))) > 1


def test_slow_config_is_dropped_after_its_probe() -> None:
    working = sorted((one for one in recorded().configs if one.samples_us), key=lambda one: one.true_us)
    fast, slow = evaluator().measure(SUM, N, [working[0].config, working[-1].config], policy().racing).outcomes
    assert not isinstance(fast, Failure)
    assert not isinstance(slow, Failure)
    assert (fast.probe_only, slow.probe_only) == (False, True)


@pytest.mark.parametrize("status", ["launch_error", "wrong_result", "timeout", "crash"])
def test_failure_that_was_recorded_comes_again(status: str) -> None:
    config = recorded().default
    space = RecordedSpace(
        recorded().device, SUM, N, recorded().families, config,
        (RecordedConfig(config, True, failure=Failure(status, "as it was")),), 0, None, recorded().provenance,
    )  # fmt: skip
    measuring = Evaluator(RecordedWorker.of(space, 1), Timeouts())
    (outcome,) = measuring.measure(SUM, N, [config], policy().racing).outcomes
    assert isinstance(outcome, Failure)
    assert (outcome.status, "as it was" in outcome.reason) == (status, True)
    verified = measuring.verify(SUM, N, config, 1)
    assert verified
    assert verified.status == status
    with pytest.raises(WorkerError):
        RecordedWorker.of(space, 1).call("compile", {}, 1.0)


def test_config_that_did_not_compile_does_not_compile_again() -> None:
    failed = next(one for one in recorded().configs if one.failure)
    outcome = RecordedCompilers.of(recorded()).submit({}, failed.config).result()
    assert isinstance(outcome, Failure)
    assert outcome.status == "compile_error"


def test_default_search_comes_within_two_percent_of_the_fastest() -> None:
    traces = [replay(recorded(), Sampler.default, seed, policy()) for seed in range(1, 4)]
    assert sorted(trace.share_at(60) for trace in traces)[1] > 0.95
    assert all(trace.final_share > 0.98 for trace in traces)
    assert all(len(trace.shares) <= policy().trials for trace in traces)


def test_replay_of_one_seed_is_always_alike() -> None:
    first, again = (replay(recorded(), Sampler.default, 3, policy(Effort.quick)) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("sampler", [Sampler.tpe, Sampler.cmaes, Sampler.random])
def test_other_samplers_evaluate_each_config_once_and_hold_the_fastest(sampler: Sampler) -> None:
    few = replace(policy(), trials=24)
    first, again, other = (replay(recorded(), sampler, seed, few) for seed in (1, 1, 2))
    assert len(first.shares) == 24
    assert first.shares[-1] >= first.shares[0] > 0
    assert first == again != other


@pytest.mark.parametrize(
    ("sampler", "package", "installed"),
    [("gp", "torch", "torch"), ("cmaes", "cmaes", "scantune[samplers]"), ("qmc", "scipy", "scantune[samplers]")],
)
def test_sampler_whose_package_is_missing_names_it(
    monkeypatch: pytest.MonkeyPatch, sampler: str, package: str, installed: str
) -> None:
    monkeypatch.setattr("scantune.search.sampler_names.find_spec", lambda name: None)
    code, text = scantune_here("replay", "--sampler", sampler)
    assert code == 2
    assert f"--sampler {sampler} needs the package {package}: pip install '{installed}'" in text


def test_space_of_listed_configs_leaves_out_what_lies_around_the_fastest() -> None:
    listed = recorded().only_listed()
    assert len(listed.configs) == sum(one.is_listed for one in recorded().configs) < len(recorded().configs)
    assert listed.optimum
    assert listed.optimum.is_listed
    around = next(one.config for one in recorded().configs if not one.is_listed)
    assert not Evaluator(RecordedWorker.of(listed, 1), Timeouts()).is_valid(SUM, N, around)
    assert replay(listed, Sampler.default, 1, policy(Effort.quick)).final_share > 0.95


def test_figures_are_medians_and_null_where_most_searches_did_not_get_there() -> None:
    slow, fast = Trace([0.0, 0.9, 0.97], 0.97), Trace([0.96, 0.985], 0.985)
    message = Replayed("a space", "default", [slow, fast, fast]).message()
    assert message["seeds"] == 3
    assert message["median_share_at_20"] == message["median_share_at_200"] == 0.985
    assert message["worst_tenth_share_at_60"] == 0.97
    assert (message["evaluations_to_95"], message["evaluations_to_98"]) == (1, 2)
    assert message["evaluations_to_99"] is None
    assert slow.evaluations_to(0.95) == 3
    assert math.isinf(slow.evaluations_to(0.98))


def test_command_replays_files_and_writes_what_it_prints(tmp_path: Path) -> None:
    file, json_file = tmp_path / "space.json.gz", tmp_path / "out.json"
    write_space(recorded(), file)
    code, out, err = streams_here(
        "replay", str(file), "--effort", "quick", "--seeds", "2", "--workers", "2", "--json", str(json_file)
    )
    assert code == 0, err
    (result,) = json.loads(json_file.read_text())["results"]
    assert (result["sampler"], result["seeds"], result["file"]) == ("default", 2, str(file))
    assert f"{result['median_share_at_60']:.4f}" in out
    alone = replay(recorded(), Sampler.default, 1, policy(Effort.quick))
    assert abs(alone.final_share - result["median_final_share"]) < 0.02


def test_command_searches_with_and_without_what_other_spaces_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scantune.cli import replay as command

    file, other = tmp_path / "space.json.gz", tmp_path / "other.json.gz"
    write_space(recorded(), file)
    write_space(replace(recorded(), problem=scan("f32")), other)
    monkeypatch.setattr(command, "shipped_spaces", lambda: [file, other])
    told = []
    for options in ((), ("--no-effects",)):
        json_file = tmp_path / "out.json"
        arguments = ["replay", str(file), "--effort", "quick", "--seeds", "2", "--workers", "1"]
        code, text = scantune_here(*arguments, "--json", str(json_file), *options)
        assert code == 0, text
        told += json.loads(json_file.read_text())["results"]
    assert [one.pop("effects") for one in told] == [True, False]
    # Two searches of a made-up space cannot tell which of the two is better.
    assert told[0] != told[1]


def test_command_without_files_where_none_are_shipped_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from scantune.cli import replay as command

    code, text = scantune_here("replay", "/no/such.json.gz")
    assert (code, "/no/such.json.gz: it cannot be read" in text) == (1, True), text
    monkeypatch.setattr(command.paths, "sql_directory", lambda: Path("/no/such"))
    assert command.shipped_spaces() == []


@pytest.mark.parametrize("file", shipped_spaces(), ids=lambda file: file.name)
def test_shipped_space_is_whole_and_its_default_search_finds_something_better_than_the_default(file: Path) -> None:
    space = read_space(file)
    assert space.optimum
    assert space.optimum.final_us
    trace = replay(space, Sampler.default, 1, replay_policy(space, Effort.quick))
    assert trace.final_share >= trace.shares[0] > 0
