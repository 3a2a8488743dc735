"""The effect of one parameter on the time of a selected config, by a fake worker."""

from __future__ import annotations

from pathlib import Path

import parameter_effects
import pytest
import results_file

from fake_worker import DEFAULTS, FAMILIES


def effect(value: str, ratio: str, error: str = "0", **changes: str) -> dict[str, str]:
    usual = {"type": "i32", "n": "1024", "family": "lookback", "parameter": "window"}
    return {**usual, "value": value, "ratio": ratio, "error": error, **changes}


def test_ratio_is_that_of_the_same_round_so_that_drift_cancels() -> None:
    selected = [10.0, 20.0, 40.0, 80.0]
    ratio, error = parameter_effects.ratio_of([1.5 * one for one in selected], selected)
    assert ratio == pytest.approx(1.5)
    assert error == pytest.approx(0)


def test_error_is_that_of_the_median_of_the_ratios() -> None:
    _, error = parameter_effects.ratio_of([1.0, 1.1, 1.2, 1.3, 1.4], [1.0] * 5)
    assert error == pytest.approx(0.93 * 0.2 / 5**0.5)


def test_table_has_best_and_worst_change_in_percent_of_the_time() -> None:
    effects = [effect("128", "0.95", "0.01"), effect("512", "1.3", "0.01")]
    lines = parameter_effects.table(effects).splitlines()
    assert lines[0] == "| family.parameter | i32 2^10 |"
    assert lines[2] == "| lookback.window | -5.0 / +30 |"


def test_table_takes_what_noise_explains_for_no_change() -> None:
    effects = [effect("8", "0.99", "0.006"), effect("16", "1.01", "0.006")]
    assert parameter_effects.table(effects).splitlines()[2] == "| lookback.window | +0.0 / +0.0 |"


def test_table_leaves_cells_of_other_families_and_without_times_empty() -> None:
    failed = effect("0", "", "", type="f64", family="one_shot", parameter="pdl")
    lines = parameter_effects.table([effect("8", "2.0"), failed]).splitlines()
    assert lines[2:] == ["| lookback.window | +0.0 / +100 |  |", "| one_shot.pdl |  |  |"]


@pytest.mark.usefixtures("fake_worker_command")
def test_every_legal_value_of_every_parameter_is_measured_beside_the_selected_config(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "effects.csv"
    parameter_effects.main(
        ["measure", "--csv", str(path), "--types", "i32", "--sizes", "2^10,2^18", "--arch", "host", "--rounds", "5",
         "--compilers", "1"]
    )  # fmt: skip
    results = results_file.read(path)
    assert {"gpu", "driver", "compiler", "date", "method"} <= set(results.facts)
    assert {row["n"] for row in results.rows} == {str(2**10), str(2**18)}
    large = [row for row in results.rows if row["n"] == str(2**18)]
    assert {row["family"] for row in large} == {"lookback"}
    for name, (_, values) in FAMILIES["lookback"].items():
        found = [row for row in large if row["parameter"] == name]
        assert [row["value"] for row in found] == [str(one) for one in values if one != DEFAULTS["lookback"][name]], (
            name
        )
        assert {row["selected"] for row in found} == {str(DEFAULTS["lookback"][name])}
        assert all(float(row["ratio"]) > 0 for row in found)
    capsys.readouterr()
    parameter_effects.main(["table", str(path)])
    assert "| lookback.window | " in capsys.readouterr().out
