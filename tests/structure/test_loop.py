"""The scripts of the loop: budgets of suites, how a suite is run, and which tests a change touches."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import budget
import pytest
import suite
import touched

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = {"select_test": 4.0, "python": 100.0}


def labelled(name: str, *labels: str) -> dict[str, Any]:
    return {"name": name, "properties": [{"name": "LABELS", "value": list(labels)}]}


def listing(*more: dict[str, Any]) -> dict[str, Any]:
    return {"tests": [labelled("select_test", "cpu"), labelled("python", "python"), *more]}


@pytest.mark.parametrize(
    ("test", "fault"),
    [
        (labelled("sort_test", "host"), "sort_test has no row"),
        (labelled("sort_test", "hots"), r"sort_test has the labels \['hots'\]"),
        (labelled("sort_test", "host", "nvrtc"), r"sort_test has the labels \['host', 'nvrtc'\]"),
        ({"name": "sort_test"}, r"sort_test has the labels \[\]"),
    ],
)
def test_suites_that_nothing_would_run_or_that_have_no_budget_are_refused(test: dict[str, Any], fault: str) -> None:
    assert budget.faults_of(listing(), BUDGETS) == []
    assert budget.faults_of(listing(labelled("gpu_test", "gpu"), {"name": "gpu_long_test_NOT_BUILT"}), BUDGETS) == []
    (found,) = budget.faults_of(listing(test), BUDGETS)
    assert re.search(fault, found)


def test_row_of_a_suite_that_is_gone_is_told() -> None:
    assert budget.faults_of(listing(), BUDGETS | {"gone": 1.0}) == ["gone is in .ci/budgets.tsv, and no test"]


@pytest.mark.parametrize(
    ("row", "fault"), [("python\t3", "not: python"), ("python\t3\t", "not: python"), ("select\t1\tx", "two rows")]
)
def test_table_of_budgets_says_once_what_a_suite_costs_and_what_it_is_for(row: str, fault: str) -> None:
    with pytest.raises(budget.BudgetError, match=fault):
        budget.declared(f"# comment\nselect\t1.5\trules\n{row}\n")


def test_suite_may_take_half_more_than_its_budget_on_a_machine_as_fast() -> None:
    def over(core_s: float, factor: float) -> int:
        return len(budget.excesses([budget.Cost("select_test", core_s, core_s)], BUDGETS, factor))

    assert (over(7.9, 1.0), over(8.1, 1.0), over(8.1, 2.0)) == (0, 1, 0)


def test_suite_of_mutants_has_no_budget_where_a_template_was_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    costs, budgets = [budget.Cost("mutation_test", 40.0, 40.0)], {"mutation_test": 10.0}
    monkeypatch.delenv("SCANTUNE_MUTANTS", raising=False)
    assert len(budget.excesses(costs, budgets, 1.0)) == 1
    monkeypatch.setenv("SCANTUNE_MUTANTS", "lookback")
    assert budget.excesses(costs, budgets, 1.0) == []


GTEST = """[ RUN      ] Scans.AreRight/3
x.cpp:1: Failure
[  FAILED  ] Scans.AreRight/3, where GetParam() = 7 (12 ms)
[  FAILED  ] Plan.Runs (0 ms)
[  PASSED  ] 3 tests.
[  FAILED  ] 2 tests, listed below:
[  FAILED  ] Scans.AreRight/3, where GetParam() = 7
[  FAILED  ] Plan.Runs
"""
PYTEST = "FAILED tests/python/test_cli.py::test_it[a b] - AssertionError: no\n1 failed, 3 passed in 2s\n"


def test_failed_tests_are_named_with_the_command_that_repeats_them() -> None:
    assert suite.failures(GTEST) == ["Scans.AreRight/3", "Plan.Runs"]
    assert suite.failures(PYTEST) == ["tests/python/test_cli.py::test_it[a b]"]
    program = str(ROOT / "build/tests/scan_test")
    assert suite.repeated([program, "--gtest_brief=1"], "Plan.Runs") == "build/tests/scan_test --gtest_filter=Plan.Runs"
    again = suite.repeated(["python", "-m", "pytest", "-n", "2", "tests"], "tests/a.py::test_b")
    assert again == "python -m pytest tests/a.py::test_b"


def test_suite_that_passed_runs_again_only_if_an_input_has_changed(tmp_path: Path) -> None:
    read, costs, failed = tmp_path / "read.txt", tmp_path / "costs", tmp_path / "failed"
    script = tmp_path / "suite.sh"
    script.write_text(f"echo ran >>{tmp_path}/runs\n! grep -q wrong {read} || exit 3\n")

    def run(text: str) -> tuple[int, int]:
        read.write_text(text)
        settings = {
            "SUITE_COSTS": costs,
            "SUITE_FAILED": failed,
            "SUITE_PASSED": tmp_path / "passed",
            "SUITE_INPUTS": read,
        }
        code = subprocess.run(
            [sys.executable, ROOT / ".ci/suite.py", "shell", "bash", str(script)],
            env=os.environ | {name: str(value) for name, value in settings.items()}, capture_output=True, check=False,
        ).returncode  # fmt: skip
        return code, len((tmp_path / "runs").read_text().splitlines())

    assert [run("a"), run("a"), run("b"), run("wrong"), run("wrong"), run("b")] == [
        (0, 1), (0, 1), (0, 2), (1, 3), (1, 4), (0, 4),
    ]  # fmt: skip
    assert len(costs.read_text().splitlines()) == 6
    assert failed.read_text() == 2 * f"shell\tended with 3\tbash {script}\n"


def test_change_touches_what_includes_it_and_the_closest_first() -> None:
    users = {
        "runtime/select/rules.h": {"select_test", "scantune_select"},
        "templates/scan/config/scan.h": {"a", "b", "select_test"},
    }
    suites = ["a", "b", "select_test"]
    assert touched.touched_suites(["runtime/select/rules.cpp"], users, suites) == {"select_test": 1}
    found = touched.touched_suites(["templates/scan/config/scan.h", "runtime/select/rules.h"], users, suites)
    assert found == {"a": 3, "b": 3, "select_test": 1}


def test_change_of_a_module_touches_tests_that_reach_it_by_imports() -> None:
    imports = {
        "tuner/scantune/store/archive.py": {"json"},
        "tuner/scantune/cli/db.py": {"scantune.store.archive"},
        "tests/python/test_archive.py": {"scantune.store.archive", "scantune.store"},
        "tests/python/test_db.py": {"scantune.cli.db"},
        "tests/python/test_other.py": {"scantune.model"},
    }
    assert touched.python_tests(["tuner/scantune/store/archive.py"], imports) == [
        "tests/python/test_archive.py",
        "tests/python/test_db.py",
    ]


def test_change_of_the_extension_touches_the_tests_of_arrays() -> None:
    found = touched.python_tests(["runtime/python/rows.cpp"], touched.imports_of_project())
    assert {"tests/python/test_arrays.py", "tests/python/test_cumulative.py"} <= set(found[:8])


def test_command_is_reached_from_the_table_that_names_its_module() -> None:
    assert "scantune.cli.bench" in touched.modules_of(ROOT / "tuner/scantune/cli/app.py")
