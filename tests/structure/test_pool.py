"""Which tests a commit draws, and what they are said to cost."""

from pathlib import Path

import pool
import pytest


def labelled(name: str, label: str) -> dict[str, object]:
    return {"name": name, "properties": [{"name": "LABELS", "value": [label]}]}


LISTING = {
    "tests": [
        labelled("Selector.Selects", "cpu"),
        labelled("Sample.IsDrawn", "host-drawn"),
        *(labelled(f"All/Scan.IsRight/case_{case}  # GetParam() = 0x{case}", "host-drawn") for case in range(400)),
        labelled("All/Mutation.IsCaught/lookback_line_3_no_fence", "host-drawn"),
        labelled("OnGpu.Scans", "gpu"),
        {"name": "gpu_test_NOT_BUILT"},
    ]
}
TESTS = pool.listed(LISTING)


def drawn(share: int, seed: str, changed: tuple[str, ...] = ()) -> set[str]:
    return {test.name for test in pool.draw(TESTS, {"cpu", "host"}, share, seed, changed)}


def test_only_cases_of_products_are_left_out() -> None:
    assert {"Selector.Selects", "Sample.IsDrawn"} <= drawn(1000, "a")
    assert len(drawn(1, "a")) == 403
    assert not drawn(1, "a") & {"OnGpu.Scans", "gpu_test_NOT_BUILT"}


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


def test_costs_are_those_of_tests_that_name_the_family(tmp_path: Path) -> None:
    junit = tmp_path / "ctest.xml"
    junit.write_text(
        '<testsuite><testcase name="OneShot/Schedules.Wrap/one_cta" time="2.5" status="run"/>'
        '<testcase name="All/Compile.Compiles/one_shot_sm90  # GetParam() = x" time="3" status="run"/>'
        '<testcase name="Selector.Selects" time="7" status="run"/>'
        '<testcase name="OnGpu.Scans" time="100" status="disabled"/></testsuite>'
    )
    seconds = pool.durations(junit)
    assert sum(seconds.values()) == 12.5
    assert pool.families(seconds, ["one_shot", "lookback"]) == {"one_shot": 5.5, "lookback": 0.0}


@pytest.mark.parametrize(("limit", "costly"), [(5.0, ["one_shot"]), (6.0, [])])
def test_family_above_its_limit_is_named(
    limit: float, costly: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "family_names", lambda: ["one_shot"])
    assert pool.report({"a/one_shot": 5.5, "b": 1.0}, limit) == costly
    assert "one_shot 6" in capsys.readouterr().out


def test_families_are_those_of_the_templates() -> None:
    assert {"lookback", "one_shot", "pipelined", "single_block", "three_phase"} <= set(pool.family_names())
    assert "copy" not in pool.family_names()
