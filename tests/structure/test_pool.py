"""The tests that a commit draws, and the cost that is reported for them."""

from pathlib import Path
from typing import Any

import pool
import pytest


def labelled(name: str, *labels: str) -> dict[str, Any]:
    return {"name": name, "properties": [{"name": "LABELS", "value": list(labels)}]}


LISTING: dict[str, Any] = {
    "tests": [
        labelled("Selector.Selects", "cpu"),
        labelled("Sample.IsDrawn", "host-drawn"),
        *(labelled(f"All/Scan.IsRight/case_{case}  # GetParam() = 0x{case}", "host-drawn") for case in range(400)),
        labelled("All/Mutation.IsCaught/lookback_line_3_no_fence", "host-drawn"),
        labelled("OnGpu.Scans", "gpu"),
    ]
}
TESTS = pool.listed(LISTING)


def with_tests(*more: dict[str, Any]) -> dict[str, Any]:
    return {"tests": [*LISTING["tests"], *more]}


def drawn(share: int, seed: str, changed: tuple[str, ...] = ()) -> set[str]:
    return {test.name for test in pool.draw(TESTS, {"cpu", "host"}, share, seed, changed)}


def test_only_cases_of_products_are_left_out() -> None:
    assert {"Selector.Selects", "Sample.IsDrawn"} <= drawn(1000, "a")
    assert len(drawn(1, "a")) == 403
    assert "OnGpu.Scans" not in drawn(1, "a")


@pytest.mark.parametrize(
    ("test", "complaint"),
    [
        (labelled("Selector.Selects", "nvrtc"), "2 tests are called Selector.Selects"),
        (labelled("New.Test", "host", "nvrtc"), r"New.Test has the labels \['host', 'nvrtc'\]"),
        (labelled("New.Test", "hots"), r"New.Test has the labels \['hots'\]"),
        ({"name": "New.Test"}, r"New.Test has the labels \[\]"),
    ],
)
def test_tests_that_nothing_would_run_are_refused(test: dict[str, Any], complaint: str) -> None:
    with pytest.raises(pool.PoolError, match=complaint):
        pool.listed(with_tests(test))


def test_label_without_a_test_is_refused() -> None:
    with pytest.raises(pool.PoolError, match="there is no python test"):
        pool.draw(TESTS, ["cpu", "python"], 8, "a")


def test_executable_that_is_not_built_may_be_missing_only_where_cases_are_drawn() -> None:
    # The executable is listed twice, because its tests that run alone are listed by themselves.
    tests = pool.listed(with_tests({"name": "gpu_test_NOT_BUILT"}, {"name": "gpu_test_NOT_BUILT"}))
    assert pool.draw(tests, ["cpu"], 8, "a")
    with pytest.raises(pool.PoolError, match="not built: gpu_test_NOT_BUILT"):
        pool.draw(tests, ["cpu"], 1, "a")


def test_numbers_are_those_of_ctest() -> None:
    assert [test.number for test in TESTS] == list(range(1, len(LISTING["tests"]) + 1))


def test_another_commit_draws_other_cases_and_all_come_up() -> None:
    assert drawn(8, "a") == drawn(8, "a")
    assert drawn(8, "a") != drawn(8, "b")
    assert 20 < len(drawn(8, "a")) < 90
    assert set().union(*(drawn(8, str(seed)) for seed in range(120))) == drawn(1, "a")


def test_new_test_leaves_the_draw_of_the_others_alone() -> None:
    new = pool.Test(1, "All/Scan.IsRight/a_new_case", "host", True)
    before, after = (pool.draw(tests, {"host"}, 8, "a") for tests in (TESTS, [new, *TESTS]))
    assert [test for test in after if test is not new] == before


def test_mutants_of_changed_templates_are_drawn_all() -> None:
    mutant = "All/Mutation.IsCaught/lookback_line_3_no_fence"
    assert all(mutant in drawn(10**6, str(seed), ("lookback",)) for seed in range(5))
    assert mutant not in drawn(10**6, "a", ("pipelined",))


def test_durations_are_by_name_and_of_tests_that_ran(tmp_path: Path) -> None:
    junit = tmp_path / "ctest.xml"
    junit.write_text(
        '<testsuite><testcase name="All/Scan.IsRight/case_1  # GetParam() = x" time="2.5" status="run"/>'
        '<testcase name="OnGpu.Scans" time="100" status="disabled"/></testsuite>'
    )
    assert pool.durations(junit) == {"All/Scan.IsRight/case_1": 2.5}


def test_share_of_a_family_is_of_its_tests_and_a_tenth_of_its_cases() -> None:
    tests = pool.listed(
        {
            "tests": [
                labelled("OneShot.AlwaysRuns", "cpu"),
                labelled("All/Compile.Compiles/one_shot_sm90", "nvrtc-drawn"),
                labelled("Selector.Selects", "cpu"),
            ]
        }
    )
    seconds = {
        "OneShot.AlwaysRuns": 3.0,
        "All/Compile.Compiles/one_shot_sm90": 5.0 * pool.SHARE,
        "Selector.Selects": 7.0,
    }
    assert pool.cost(tests, seconds) == 15.0
    assert pool.family_shares(tests, seconds, ["one_shot", "lookback"]) == {"one_shot": 8 / 15, "lookback": 0.0}


@pytest.mark.parametrize(("limit", "costly"), [(0.5, ["one_shot"]), (0.6, [])])
def test_family_above_its_limit_is_named(
    limit: float, costly: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "family_names", lambda: ["one_shot"])
    tests = pool.listed({"tests": [labelled("a_one_shot", "cpu"), labelled("b", "cpu")]})
    assert pool.costly_families(tests, {"a_one_shot": 5.5, "b": 4.5}, limit) == costly
    assert "one_shot 55.0%" in capsys.readouterr().out


def test_families_are_those_of_the_templates() -> None:
    assert {"lookback", "one_shot", "pipelined", "single_block", "three_phase"} <= set(pool.family_names())
    assert "copy" not in pool.family_names()
