"""Sweeps record all of a space into a file, what matters most first."""

from __future__ import annotations

import gzip
import json
import random
import statistics
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from command import scantune_here, streams_here
from conftest import SUM
from fake_gpu import GPU, Clock, FakeCompilers, FakeGpuWorker, Faults, true_us
from fake_gpu import space as fake_space
from scantune.cli.sweep import _report
from scantune.errors import ScantuneError
from scantune.model.config import Config
from scantune.model.recorded_space import Provenance, RecordedSpace
from scantune.search.sweep import Sweep, SweepPlan
from scantune.store.space_file import read_space, write_space
from scantune.worker.client import Worker, WorkerDied, WorkerError
from scantune.worker.compile_pool import CompilePool
from scantune.worker.evaluation import Evaluator, Timeouts

N = 2**16
REQUEST = SUM.request(N)
PROVENANCE = Provenance("0.2.0", "NVRTC 13.0", "13.0", "a" * 64, "2026-01-01T00:00:00Z", "abc", {"rounds": 5})


def sweep(
    budget_s: float = 3600, faults: Faults = lambda *_: None, drift: Callable[[], float] = lambda: 1.0,
    refused: Callable[[Config], bool] = lambda config: False, clock: Clock | None = None,
    earlier: RecordedSpace | None = None,
) -> Sweep:  # fmt: skip
    clock = clock or Clock()
    worker = FakeGpuWorker(clock, faults=faults, drift=drift)
    pool = FakeCompilers(clock, processes=12, compile_s=0.7, refused=refused)
    evaluator = Evaluator(cast(Worker, worker), Timeouts())
    return Sweep(evaluator, cast(CompilePool, pool), GPU, SUM, N, SweepPlan(budget_s), clock=clock, earlier=earlier)


def swept(**options: Any) -> RecordedSpace:
    one = sweep(**options)
    one.run()
    return one.recorded(PROVENANCE)


def _measuring_s_of_all() -> float:
    one = sweep()
    one.run()
    return one.measuring_s


def listed() -> int:
    return sum(len(family["configs"]) for family in fake_space(REQUEST)["families"])


def test_sweep_records_every_listed_config_and_what_lies_around_the_fastest() -> None:
    recorded = swept()
    assert recorded.left_out == 0
    assert sum(one.is_listed for one in recorded.configs) == listed()
    around = [one for one in recorded.configs if not one.is_listed]
    assert 200 < len(around) <= 2000 + 12 * 2 * 20
    assert sum(bool(one.final_us) for one in recorded.configs) == 50
    assert all(len(one.samples_us) == 5 and len(one.final_us) in (0, 25) for one in recorded.configs)


def test_optimum_is_no_slower_than_any_config_that_is_a_step_away() -> None:
    recorded = swept()
    assert recorded.optimum
    best = recorded.optimum.config
    steps = recorded.space.families[best.family].neighbours(best)
    assert true_us(REQUEST, best.message()) <= min(true_us(REQUEST, step.message()) for step in steps)


def test_every_neighbour_of_the_defaults_and_of_the_fastest_is_there() -> None:
    recorded = swept()
    fastest = sorted(recorded.configs, key=lambda one: one.true_us)[:8]
    for centre in [*recorded.space.defaults, *(one.config for one in fastest)]:
        family = recorded.space.families[centre.family]
        if centre.family in ("one_shot", "lookback"):  # the other families are too slow to be walked in
            for parameter in family.parameters:
                for value in parameter.values:
                    step = family.table.config({**dict(centre.values), parameter.name: value})
                    assert step in recorded.by_config


def test_sweep_goes_on_from_what_an_earlier_one_kept_at_the_pace_of_its_own_clock() -> None:
    first = swept(budget_s=20.0)
    clock = Clock()
    second = sweep(earlier=first, drift=lambda: 1.25, clock=clock)
    second.run()
    both = second.recorded(PROVENANCE)
    whole = swept()
    assert {one.config for one in both.configs} >= {one.config for one in whole.configs if one.is_listed}
    assert both.left_out == 0
    for one in both.configs:
        assert one.true_us == pytest.approx(1.25 * true_us(REQUEST, one.config.message()), rel=0.02)
    assert second.measuring_s < 0.9 * _measuring_s_of_all()


def test_drift_from_batch_to_batch_is_taken_out_of_the_samples() -> None:
    draw = random.Random(1)
    slowness = iter(lambda: 1 + 0.3 * draw.random(), None)
    walk = [1.0]

    def drift() -> float:
        walk.append(0.9 * walk[-1] + 0.1 * next(slowness))
        return walk[-1]

    recorded = swept(drift=drift)
    ratios = [statistics.median(one.samples_us) / true_us(REQUEST, one.config.message()) for one in recorded.configs]
    middle = statistics.median(ratios)
    assert max(walk) / min(walk) > 1.1
    assert statistics.quantiles([abs(ratio / middle - 1) for ratio in ratios], n=20)[-1] < 0.02
    finals = [one.true_us / true_us(REQUEST, one.config.message()) for one in recorded.configs if one.final_us]
    assert max(finals) / min(finals) < 1.001


def test_failures_of_compilers_and_launches_are_recorded_with_their_reasons() -> None:
    def refused(config: Config) -> bool:
        return dict(config.values).get("block_threads") == 1024

    def faults(method: str, request: dict[str, Any], config: dict[str, Any] | None) -> WorkerError | WorkerDied | None:
        if method == "measure" and config and config["parameters"].get("stages") == 16:
            return WorkerError("launch_error", "too many resources requested")
        return None

    recorded = swept(refused=refused, faults=faults)
    assert sum(one.is_listed for one in recorded.configs) == listed()
    for one in recorded.configs:
        values = dict(one.config.values)
        status = one.failure.status if one.failure else "ok"
        is_large, is_deep = values.get("block_threads") == 1024, values.get("stages") == 16
        assert status == ("compile_error" if is_large else "launch_error" if is_deep else "ok")


def test_finalist_with_wrong_results_is_a_failure_and_the_next_fastest_takes_its_place() -> None:
    right = swept()
    by_time = sorted(right.configs, key=lambda one: one.true_us)
    bad = [one.config.message() for one in by_time[:10]]

    def faults(method: str, request: dict[str, Any], config: dict[str, Any] | None) -> WorkerError | WorkerDied | None:
        return WorkerError("wrong_result", "index 17: expected 3") if method == "verify" and config in bad else None

    recorded = swept(faults=faults)
    rejected = [one for one in recorded.configs if one.failure]
    assert [one.config.message() in bad for one in rejected] == [True] * len(bad)
    assert all(one.failure and one.failure.status == "wrong_result" and not one.samples_us for one in rejected)
    assert sum(bool(one.final_us) for one in recorded.configs) == 50
    assert recorded.optimum
    assert recorded.optimum.true_us > by_time[9].true_us


def test_what_the_machine_is_to_blame_for_is_left_out_and_fails_nothing_else() -> None:
    def faults(method: str, request: dict[str, Any], config: dict[str, Any] | None) -> WorkerError | WorkerDied | None:
        if method == "measure" and config and config["parameters"].get("look_back_warps") == 1:
            return WorkerError("device_error", "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY")
        return None

    recorded = swept(faults=faults)
    missing = [one for one in fake_space(REQUEST)["families"] if one["name"] == "pipelined"]
    assert recorded.left_out >= sum(row[3] == 0 for row in missing[0]["configs"]) > 0
    assert not any(one.failure for one in recorded.configs)
    assert sum(one.is_listed for one in recorded.configs) + recorded.left_out >= listed()


def test_budget_that_ends_early_leaves_a_fair_sample_with_the_defaults_and_a_final_round() -> None:
    clock = Clock()
    recorded = swept(budget_s=20.0, clock=clock)
    assert 20 * 0.8 < clock.seconds < 40
    assert recorded.left_out > 0
    tried = {one.config for one in recorded.configs}
    assert set(recorded.space.defaults) <= tried
    assert sum(bool(one.final_us) for one in recorded.configs) == 50
    sizes = Counter(one.config.family for one in recorded.configs if one.is_listed)
    whole = {family["name"]: len(family["configs"]) for family in fake_space(REQUEST)["families"]}
    shares = {name: sizes[name] / whole[name] for name in ("one_shot", "lookback", "pipelined")}
    assert shares["one_shot"] == pytest.approx(shares["lookback"], rel=0.6)
    assert shares["pipelined"] < 0.2 * shares["lookback"]  # it is more than twice as slow, and comes last


def test_sweep_that_is_interrupted_tells_what_it_has() -> None:
    one = sweep()
    one._watcher = lambda sweep: (_ for _ in ()).throw(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        one.run()
    recorded = one.recorded(PROVENANCE)
    assert len(recorded.configs) == 16
    assert recorded.left_out == listed() - 16


@pytest.mark.parametrize("name", ["space.json", "space.json.gz"])
def test_recorded_space_comes_back_from_its_file(tmp_path: Path, name: str) -> None:
    recorded = swept(refused=lambda config: dict(config.values).get("block_threads") == 1024)
    write_space(recorded, tmp_path / name)
    again = read_space(tmp_path / name)
    assert again.message() == recorded.message()
    assert (again.device, again.problem, again.n, again.default) == (GPU, SUM, N, recorded.default)
    assert again.provenance == PROVENANCE
    assert [one.config for one in again.configs] == [one.config for one in recorded.configs]
    for ours, theirs in zip(recorded.configs, again.configs, strict=True):
        assert theirs.samples_us == pytest.approx(ours.samples_us, rel=5e-4)
        assert (ours.failure is None) == (theirs.failure is None)
    assert {name: len(family) for name, family in again.space.families.items()} == {
        name: sum(one.is_listed for one in recorded.configs if one.config.family == name) for name in again.tables
    }
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_five_thousand_configs_are_well_below_300_kilobytes(tmp_path: Path) -> None:
    recorded = swept()
    write_space(recorded, tmp_path / "space.json.gz")
    assert (tmp_path / "space.json.gz").stat().st_size / len(recorded.configs) < 40


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda message: message.update(schema="other"), "not a recorded space"),
        (lambda message: message.update(n=-1), "of -1 items"),
        (lambda message: message.update(listed=float("inf")), "damaged"),
        (lambda message: message.update(ceiling_us="fast"), "fast"),
        (lambda message: message.update(ceiling_us=-1.0), "samples of"),
        (lambda message: message["configs"].append(message["configs"][0]), "a config twice"),
        (lambda message: message["finalists"].append([10**6, [1.0]]), "finalists that it does not have"),
        (lambda message: message["families"][0]["parameters"][0].update(values=[]), "damaged"),
        (lambda message: message.update(version=2), "version 2"),
        (lambda message: message["configs"][0].__setitem__(1, [99] * 7), "declares no such values"),
        (lambda message: message["configs"][0].__setitem__(1, [-1] * 7), "declares no such values"),
        (lambda message: message["configs"][0].__setitem__(2, [0.0]), "samples of"),
        (lambda message: message["configs"][0].__setitem__(2, "odd: 1"), "not a failure"),
        (lambda message: message.pop("families"), "damaged"),
        (lambda message: message["families"][0]["parameters"][0].update(name="a b"), "not a parameter"),
        (lambda message: message["problem"].update(request="{}}"), "Extra data"),
    ],
)
def test_damaged_file_is_refused(tmp_path: Path, change: Callable[[Any], object], complaint: str) -> None:
    message = json.loads(json.dumps(sweep_of_few().message()))
    change(message)
    file = tmp_path / "space.json.gz"
    file.write_bytes(gzip.compress(json.dumps(message).encode()))
    with pytest.raises(ScantuneError, match=complaint) as told:
        read_space(file)
    assert str(file) in str(told.value)


@pytest.mark.parametrize("content", [b"", b"nothing", gzip.compress(b"{}" * 9, mtime=0)[:-6]])
def test_file_that_is_cut_short_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "space.json.gz").write_bytes(content)
    with pytest.raises(ScantuneError):
        read_space(tmp_path / "space.json.gz")


def sweep_of_few() -> RecordedSpace:
    return swept(budget_s=5.0)


def test_sweep_that_its_budget_ended_says_how_many_configs_are_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = sweep(budget_s=5.0)
    one.run()
    recorded = one.recorded(PROVENANCE)
    assert recorded.left_out > 0
    _report(recorded, one, tmp_path / "space.json")
    assert f"the budget ended before {recorded.left_out} configs" in capsys.readouterr().err


OWN = ["--operator", "affine.cu", "--name", "affine", "--type", "custom8"]


@pytest.mark.usefixtures("fake_worker_command")
def test_own_operator_is_swept_and_its_source_is_not_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "affine.cu").write_text("struct Value { float a, b; };  // secret_constant")
    file = tmp_path / "space.json"
    operator = [str(tmp_path / one) if one.endswith(".cu") else one for one in OWN]
    code, out, err = streams_here("sweep", "--arch", "host", *operator, "--n", "2^14", "-o", str(file), "--json", "-")
    assert code == 0, err
    recorded, told = read_space(file), json.loads(out)
    assert (told["command"], told["file"], told["configs"]) == ("sweep", str(file), len(recorded.configs))
    assert str(recorded.problem) == "custom8 custom_moderate:affine"
    assert recorded.optimum
    assert told["config"] == recorded.optimum.config.message()
    assert "secret_constant" not in file.read_text()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--type", "i32", "--n", "2^10,2^12"], "one problem and one N"),
        (["--n", "2^10"], "one problem and one N"),
        (["--type", "i32,f32", "--n", "2^10"], "run once for each"),
        (["--type", "i32", "--n", "2^10", "-o", "/no/such/folder/space.json"], "an existing folder"),
    ],
)
@pytest.mark.usefixtures("fake_worker_command")
def test_sweep_of_what_is_no_single_space_is_refused(tmp_path: Path, options: list[str], complaint: str) -> None:
    code, text = scantune_here("sweep", "--arch", "host", "-o", str(tmp_path / "space.json"), *options)
    assert (code, complaint in text) == (2, True), text
