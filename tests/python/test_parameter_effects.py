"""What one parameter does to the time of a selected config, by a fake worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import parameter_effects
import pytest

from fake_worker import DEFAULTS, FAMILIES


def cell(effects: dict[str, Any], type_: str = "i32", n: int = 1024, family: str = "lookback") -> dict[str, Any]:
    return {"type": type_, "n": n, "config": {"family": family, "parameters": {}}, "effects": effects}


def test_ratio_is_that_of_the_same_round_so_that_drift_cancels() -> None:
    selected = [10.0, 20.0, 40.0, 80.0]
    ratio, error = parameter_effects.ratio_of([1.5 * one for one in selected], selected)
    assert ratio == pytest.approx(1.5)
    assert error == pytest.approx(0)


def test_error_is_that_of_the_median_of_the_ratios() -> None:
    _, error = parameter_effects.ratio_of([1.0, 1.1, 1.2, 1.3, 1.4], [1.0] * 5)
    assert error == pytest.approx(0.93 * 0.2 / 5**0.5)


def test_table_has_best_and_worst_change_in_percent_of_the_time() -> None:
    effects = {"block_threads": {"128": {"ratio": 0.95, "error": 0.01}, "512": {"ratio": 1.3, "error": 0.01}}}
    lines = parameter_effects.table([cell(effects)]).splitlines()
    assert lines[0] == "| family.parameter | i32 2^10 |"
    assert lines[2] == "| lookback.block_threads | -5.0 / +30 |"


def test_table_takes_what_noise_explains_for_no_change() -> None:
    effects = {"window": {"8": {"ratio": 0.99, "error": 0.006}, "16": {"ratio": 1.01, "error": 0.006}}}
    assert parameter_effects.table([cell(effects)]).splitlines()[2] == "| lookback.window | +0.0 / +0.0 |"


def test_table_leaves_cells_of_other_families_and_without_times_empty() -> None:
    one = cell({"window": {"8": {"ratio": 2.0, "error": 0.0}}})
    other = cell({"pdl": {"0": {"failure": "it does not compile"}}}, "f64", family="one_shot")
    lines = parameter_effects.table([one, other]).splitlines()
    assert lines[2:] == ["| lookback.window | +0.0 / +100 |  |", "| one_shot.pdl |  |  |"]


@pytest.mark.usefixtures("fake_worker_command")
def test_every_legal_value_of_every_parameter_is_measured_beside_the_selected_config(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "effects.json"
    parameter_effects.main(
        ["measure", "--json", str(path), "--types", "i32", "--sizes", "2^10,2^18", "--arch", "host", "--rounds", "5",
         "--compilers", "1"]
    )  # fmt: skip
    message = json.loads(path.read_text())
    assert [one["n"] for one in message["cells"]] == [2**10, 2**18]
    assert set(message) >= {"device", "date", "commit", "method", "policy"}
    large = message["cells"][1]
    assert large["config"] == {"family": "lookback", "parameters": DEFAULTS["lookback"]}
    for name, (_, values) in FAMILIES["lookback"].items():
        legal = [str(value) for value in values if value != DEFAULTS["lookback"][name]]
        assert list(large["effects"][name]) == legal, name
    assert large["effects"]["block_threads"]["512"]["ratio"] > 0
    capsys.readouterr()
    parameter_effects.main(["table", str(path)])
    assert "| lookback.window | " in capsys.readouterr().out
