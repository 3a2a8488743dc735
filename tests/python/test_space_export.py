"""Recorded spaces in the formats of other tuners: Kernel Tuner searches them, and T4's schema accepts them."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command import scantune_here
from scantune.model.recorded_space import RecordedSpace
from scantune.store.space_export import Format, message_of
from scantune.store.space_file import write_space
from test_replay import recorded


def space() -> RecordedSpace:
    return recorded().only_listed()


@pytest.mark.parametrize("family", [None, "lookback"])
def test_cache_of_kernel_tuner_has_each_config_under_its_values(family: str | None) -> None:
    message = message_of(space(), Format.kernel_tuner, family)
    keys = message["tune_params_keys"]
    assert keys == list(message["tune_params"])
    configs = [one for one in space().configs if family in (None, one.config.family)]
    assert len(message["cache"]) == len(configs)
    for key, row in message["cache"].items():
        assert key == ",".join(str(row[name]) for name in keys)
        assert all(row[name] in message["tune_params"][name] for name in keys)
    working = {key: row["time"] for key, row in message["cache"].items() if "__error__" not in row}
    optimum = min((one for one in configs if one.samples_us), key=lambda one: one.true_us)
    assert min(working.values()) == pytest.approx(1e-3 * optimum.true_us, rel=1e-4)
    assert sum(row.get("__error__") == "CompilationFailedConfig" for row in message["cache"].values()) == sum(
        one.failure is not None for one in configs
    )


def test_parameters_of_other_families_are_constant() -> None:
    rows = message_of(space(), Format.kernel_tuner)["cache"].values()
    idle = {row["lookback_window"] for row in rows if row["family"] != "lookback"}
    assert len(idle) == 1
    assert len({row["lookback_window"] for row in rows if row["family"] == "lookback"}) > 1


def test_kernel_tuner_simulates_a_search_of_one_family(tmp_path: Path) -> None:
    kernel_tuner = pytest.importorskip("kernel_tuner")
    write_space(space(), tmp_path / "space.json")
    cache = tmp_path / "cache.json"
    code, text = scantune_here(
        "replay", str(tmp_path / "space.json"), "--export", "kernel_tuner", "--family", "three_phase", "-o", str(cache)
    )
    assert code == 0, text
    results, _ = kernel_tuner.tune_cache(str(cache), strategy="brute_force", quiet=True)
    expected = [one for one in space().configs if one.config.family == "three_phase" and not one.failure]
    assert len(results) == len(expected)
    best = min(results, key=lambda row: row["time"])
    fastest = min(expected, key=lambda one: one.true_us)
    assert {name: best[name] for name, _ in fastest.config.values} == dict(fastest.config.values)


def test_strategy_of_kernel_tuner_is_replayed_on_all_families() -> None:
    pytest.importorskip("kernel_tuner")
    import kernel_tuner_replay

    message = kernel_tuner_replay.replay(space(), "a space", "genetic_algorithm", evaluations=60, seeds=2)
    assert (message["space"], message["sampler"], message["seeds"]) == ("a space", "genetic_algorithm", 2)
    assert 0.7 < message["median_share_at_20"] <= message["median_share_at_60"] <= 1
    cache = message_of(space(), Format.kernel_tuner)
    rows = list(cache["cache"].values())[:30]
    trace = kernel_tuner_replay.trace_of_run(space(), cache, [*rows, *rows])
    assert len(trace.shares) == 30


def test_t4_results_are_as_their_schema_says() -> None:
    results = message_of(space(), Format.t4)
    if schema := t4_schema():
        pytest.importorskip("jsonschema").validate(results, schema)
    assert len(results["results"]) == len(space().configs)
    failed = [one for one in results["results"] if one["invalidity"] != "correct"]
    assert {one["invalidity"] for one in failed} == {"compile"}
    assert all(not one["times"]["runtimes"] and not one["measurements"] for one in failed)
    fine = next(one for one in results["results"] if one["invalidity"] == "correct")
    assert len(fine["times"]["runtimes"]) >= 5
    assert fine["measurements"][0]["unit"] == "ms"


def t4_schema() -> Any:
    """Return Kernel Tuner's copy of the schema; None where it is not installed."""
    try:
        from kernel_tuner.file_utils import output_file_schema
    except ImportError:
        return None
    return output_file_schema("results")[1]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--export", "t4"], "--export takes one file"),
        (["-o", "out.json"], "--export takes one file"),
        (["--export", "t4", "-o", "out.json", "--family", "none"], "--family none: the space has single_block"),
    ],
)
def test_export_that_lacks_something_is_refused(tmp_path: Path, options: list[str], complaint: str) -> None:
    write_space(space(), tmp_path / "space.json")
    code, text = scantune_here("replay", str(tmp_path / "space.json"), *options)
    assert (code, complaint in text) == (2, True), text


def test_t4_file_is_written(tmp_path: Path) -> None:
    write_space(space(), tmp_path / "space.json")
    code, text = scantune_here(
        "replay", str(tmp_path / "space.json"), "--export", "t4", "-o", str(tmp_path / "t4.json")
    )
    assert code == 0, text
    assert json.loads((tmp_path / "t4.json").read_text()) == message_of(
        RecordedSpace.from_message(json.loads((tmp_path / "space.json").read_text())), Format.t4
    )


def test_program_of_the_page_on_spaces_reads_a_file(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "spaces.md").read_text(encoding="utf-8")
    program = page.partition("```python\n")[2].partition("```")[0]
    write_space(space(), tmp_path / "space.json.gz")
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert ended.returncode == 0, ended.stderr
    fastest = min((one for one in space().configs if one.samples_us), key=lambda one: statistics.median(one.samples_us))
    values = tuple(value for _, value in fastest.config.values)
    assert ended.stdout.startswith(f"{sum(bool(one.samples_us) for one in space().configs)} ")
    assert repr((fastest.config.family, values)) in ended.stdout
