"""The tuner over the fake worker: it finds what is fast, survives every fault, repeats nothing and loses nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conftest import QUICK, SUM, TABLES, Notebook, Tune, rows
from examples import scan
from fake_worker import DEFAULTS, true_us
from fake_worker import space as fake_space
from scantune.errors import ScantuneError
from scantune.model.config import Config
from scantune.model.coverage import Way
from scantune.model.policy import Effort
from scantune.model.record import Record
from scantune.model.space import Space
from scantune.store.archive import Archive
from scantune.store.database import Database
from scantune.worker.evaluation import Timeouts

N = 2**14
EVERYTHING = replace(QUICK, trials=1000, patience=1000)
IMPATIENT = Timeouts(compile_s=3.0, base_s=1.5)
BIG = {"block_threads": 512}  # the fast configs: a fault there cannot be missed by the search
ONE = {"family": "single_block", **DEFAULTS["single_block"]}  # a family's default, which is always tried


def time_of(config: Config, n: int = N) -> float:
    return true_us(SUM.request(n), config.message())


def statuses(database: Database) -> Counter[str]:
    return Counter(row["status"] for row in rows(database, "all_trials"))


def test_winner_is_among_the_fastest_and_saved_with_the_default_and_the_ceiling(tune: Tune, database: Database) -> None:
    outcome, _ = tune()
    (record,) = outcome.records
    space = Space.from_message(fake_space(SUM.request(N)), TABLES)
    assert time_of(record.config) <= sorted(map(time_of, space.searched))[2] * 1.01
    assert record.median_us == pytest.approx(time_of(record.config), rel=0.01)
    assert record.default_us == pytest.approx(time_of(space.default), rel=0.01)
    assert record.ceiling_us
    assert Archive(database).records() == [record]


def test_search_combines_departures_that_the_list_does_not_hold(tune: Tune) -> None:
    outcome, _ = tune(policy=replace(QUICK, trials=60))
    space = Space.from_message(fake_space(SUM.request(N)), TABLES)
    (record,) = outcome.records
    assert record.config not in space.searched
    assert time_of(record.config) < min(map(time_of, space.searched))


def test_default_is_always_tried_and_marked(tune: Tune, database: Database) -> None:
    tune()
    (row,) = [row for row in rows(database, "all_trials") if row["is_default"]]
    assert Config.from_row(row["family"], row["config"]) == Config("lookback", tuple(DEFAULTS["lookback"].items()))
    assert row["status"] == "ok"


def test_no_config_is_tried_twice_and_only_valid_ones_are(
    tune: Tune, database: Database, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    tune(policy=EVERYTHING)
    tried = [(row["family"], row["config"]) for row in rows(database, "all_trials")]
    assert len(tried) == len(set(tried))
    assert statuses(database).keys() == {"ok"}
    space = Space.from_message(fake_space(SUM.request(N)), TABLES)
    assert set(space.searched) <= {Config.from_row(*row) for row in tried}
    asked = [request for request in request_log() if request["method"] == "compile"]
    compiled = Counter(str(one) for one in asked)
    # The families' defaults are compiled once more, before anything is tried.
    assert sum(compiled.values()) - len(compiled) <= len(space.families)


def test_what_only_verifying_runs_is_compiled_for_what_may_win_alone(
    tune: Tune, database: Database, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    tune(policy=EVERYTHING)
    compilations = [request for request in request_log() if request["method"] == "compile"]
    whole = {str(request["config"]) for request in compilations if not request.get("measured_only")}
    verified = {str(request["config"]) for request in request_log() if request["method"] == "verify"}
    assert whole == verified


def test_only_what_may_win_is_verified(
    tune: Tune, database: Database, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    tune(policy=EVERYTHING)
    verified = {str(request["config"]) for request in request_log() if request["method"] == "verify"}
    assert 3 <= len(verified) < statuses(database)["ok"] / 2


def test_candidates_are_verified_small_and_the_winner_at_its_own_size_for_all_kinds(
    tune: Tune, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    n = 2**20
    outcome, _ = tune(sizes=(n,))
    checks = [request for request in request_log() if request["method"] == "verify"]
    last = checks.pop()
    assert Config.from_message(last["config"]) == outcome.records[0].config
    assert (last["request"]["n"], last["all_kinds"]) == (n, True)
    assert {(check["request"]["n"], check["all_kinds"]) for check in checks} == {(QUICK.verify_items, False)}


@pytest.mark.parametrize(
    ("fault", "condition", "status", "words"),
    [
        ("crash", BIG, "crash", "segmentation fault, as asked for"),
        ("crash", {**BIG, "method": "compile"}, "crash", "compile:"),
        ("crash", {**BIG, "method": "measure"}, "crash", "measure:"),
        ("hang", ONE, "timeout", "took longer than"),
        ("hang", {**ONE, "method": "measure"}, "timeout", "measure took longer"),
        ("garbage", {**BIG, "method": "verify"}, "crash", "not JSON"),
        ("lie", BIG, "crash", "cannot be true"),
        ("poison", BIG, "launch_error", "illegal memory access"),
        ("compile_error", BIG, "compile_error", "expected a ';'"),
        ("wrong_result", BIG, "wrong_result", "index 17: expected 3, found 4"),
    ],
)
def test_faulty_candidate_is_recorded_with_its_reason_and_the_search_goes_on(
    tune: Tune, database: Database, faults: Callable[..., None],
    fault: str, condition: dict[str, Any], status: str, words: str,
) -> None:  # fmt: skip
    faults(**{fault: condition})
    outcome, _ = tune(timeouts=IMPATIENT)
    guilty = {name: value for name, value in condition.items() if name not in ("method", "family")}
    failed = [row for row in rows(database, "all_trials") if row["status"] != "ok"]
    assert failed
    for row in failed:
        config = dict(Config.from_row(row["family"], row["config"]).values)
        assert guilty.items() <= config.items(), f"an innocent config was blamed: {row}"
        assert row["status"] == status
        assert words in row["reason"]
    assert statuses(database)["ok"] >= 5
    assert not guilty.items() <= dict(outcome.records[0].config.values).items()


def test_winner_that_fails_at_its_own_size_is_recorded_and_the_next_one_wins(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    faults(wrong_at_full_n={"items_per_thread": 32})
    outcome, _ = tune(sizes=(2**20,))
    assert dict(outcome.records[0].config.values)["items_per_thread"] != 32
    assert statuses(database)["wrong_result"] >= 1


def test_next_fastest_are_asked_when_every_finalist_fails_at_its_own_size(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    faults(wrong_at_full_n={"items_per_thread": 32})  # the fastest configs have this value
    outcome, _ = tune(sizes=(2**20,), policy=replace(EVERYTHING, finalists=1))
    assert dict(outcome.records[0].config.values)["items_per_thread"] != 32
    assert statuses(database)["wrong_result"] >= 1


@pytest.mark.parametrize(
    ("fault", "n", "reason"),
    [
        ("too_fast", 2**22, "0.20 µs is implausible: a copy of as many bytes takes"),
        ("impossible", 2**10, "measure: 1e-300 µs are impossible: an empty launch takes more than 0.1"),
    ],
)
def test_impossibly_fast_candidate_fails_and_does_not_win(
    tune: Tune, database: Database, faults: Callable[..., None], fault: str, n: int, reason: str
) -> None:
    faults(**{fault: {"block_threads": 128}})
    outcome, _ = tune(sizes=(n,))
    assert dict(outcome.records[0].config.values)["block_threads"] != 128
    assert reason in str([row["reason"] for row in rows(database, "all_trials")])


def test_drifting_clocks_do_not_choose_the_winner(tune: Tune, faults: Callable[..., None]) -> None:
    faults(drift=1.5)
    outcome, _ = tune(policy=replace(QUICK, trials=60))
    space = Space.from_message(fake_space(SUM.request(N)), TABLES)
    assert time_of(outcome.records[0].config) <= sorted(map(time_of, space.searched))[2] * 1.02


def test_failing_default_leaves_a_record_without_its_time(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    faults(wrong_result={"family": "lookback", **DEFAULTS["lookback"]})
    outcome, _ = tune()
    assert outcome.records[0].default_us is None
    assert Archive(database).records() == outcome.records


def test_device_on_which_nothing_works_ends_the_run_with_reasons(tune: Tune, faults: Callable[..., None]) -> None:
    faults(wrong_result={})
    faults(wrong_result={"method": "verify"})
    with pytest.raises(ScantuneError, match=r"(?s)no config of i32 sum, N = 2\^14, works.*index 17"):
        tune(policy=replace(QUICK, trials=8))


def test_missing_compiler_is_no_trial(tune: Tune, database: Database, faults: Callable[..., None]) -> None:
    faults(compile_error={"method": "compile"})
    with pytest.raises(ScantuneError, match=r"(?s)not even the default configs compile.*expected a ';'"):
        tune()
    assert rows(database, "all_trials") == []


@pytest.mark.parametrize(
    "fault",
    [
        {"no_memory": {**BIG, "method": "measure"}},
        {"no_memory": {**BIG, "method": "verify"}},
        {"no_disk": {**BIG, "method": "compile"}},
    ],
    ids=["memory to measure", "memory to verify", "disk to compile"],
)
def test_fault_of_the_machine_is_no_trial_and_the_next_run_finds_the_winner(
    tune: Tune, database: Database, faults: Callable[..., None], fault: dict[str, Any]
) -> None:
    faults(**fault)
    outcome, notebook = tune()
    assert outcome.records == []
    (reason,) = notebook.given_up
    assert "OUT_OF_MEMORY" in reason or "No space left" in reason
    assert statuses(database).keys() <= {"ok"}
    faults()
    outcome, _ = tune(started_at="2026-01-02T00:00:00Z")
    assert dict(outcome.records[0].config.values)["block_threads"] == 512


@pytest.mark.parametrize("signal", ["Killed", "Terminated", "Interrupt"])
@pytest.mark.parametrize("method", ["compile", "verify"])
def test_compiler_that_is_killed_says_nothing_about_its_config(
    tune: Tune, database: Database, faults: Callable[..., None], method: str, signal: str
) -> None:
    faults(killed_compiler={**BIG, "method": method}, signal=signal)
    _, notebook = tune()
    assert f"{signal} signal terminated program" in notebook.given_up[0]
    assert statuses(database).keys() <= {"ok"}


def test_compiler_that_crashes_over_a_config_has_tried_it(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    faults(killed_compiler={**BIG, "method": "compile"}, signal="Segmentation fault")
    outcome, _ = tune()
    assert len(outcome.records) == 1
    assert statuses(database)["compile_error"] > 0


def test_search_of_another_size_goes_on_after_one_lacked_memory(tune: Tune, faults: Callable[..., None]) -> None:
    faults(no_memory={"family": "single_block", "method": "measure"})
    outcome, notebook = tune(sizes=(2**12, 2**18))  # single_block scans the smaller one only
    assert [record.n for record in outcome.records] == [2**18]
    assert len(notebook.given_up) == len(outcome.without_winner) == 1


def test_full_disk_from_the_start_is_reported_as_such(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    faults(no_disk={"method": "compile"})
    with pytest.raises(ScantuneError, match=r"(?s)not even the default configs compile.*No space left"):
        tune()
    assert rows(database, "all_trials") == []


def test_crash_is_tried_once_more_by_a_later_run_and_then_no_more(
    tune: Tune, database: Database, faults: Callable[..., None], request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    def tries() -> Counter[str]:
        asked = [request for request in request_log() if request["method"] == "compile"]
        return Counter(str(one["config"]) for one in asked if BIG.items() <= one["config"]["parameters"].items())

    faults(crash={**BIG, "method": "compile"})
    tune(policy=EVERYTHING)
    guilty = tries()
    assert statuses(database)["crash"] == len(guilty) > 0
    assert set(guilty.values()) == {1}
    for effort in (Effort.normal, Effort.exhaustive):
        tune(policy=EVERYTHING, effort=effort, started_at="2026-01-02T00:00:00Z")
        assert {tries()[config] for config in guilty} == {1, 2}  # not all are proposed again
    again = [row for row in rows(database, "all_trials") if str(row["reason"]).startswith("again: ")]
    assert len(again) == sum(count == 2 for count in tries().values()) > 0


def test_crash_by_chance_is_forgotten_once_a_retry_succeeds(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    faults(crash={**BIG, "method": "verify"})
    tune(policy=EVERYTHING)
    trials = len(rows(database, "all_trials"))
    faults()
    outcome, _ = tune(policy=EVERYTHING, effort=Effort.normal, started_at="2026-01-02T00:00:00Z")
    assert statuses(database).keys() == {"ok"}
    assert statuses(database)["ok"] >= trials
    assert dict(outcome.records[0].config.values)["block_threads"] == 512


@pytest.mark.parametrize("fault", ["wrong_result", "crash"])
def test_default_is_tried_again_however_often_it_failed(tune: Tune, faults: Callable[..., None], fault: str) -> None:
    few = replace(QUICK, trials=8)
    faults(**{fault: {"family": "lookback", **DEFAULTS["lookback"], "method": "verify"}})
    for effort in (Effort.quick, Effort.normal):
        outcome, _ = tune(effort=effort, policy=few)
        assert outcome.records[0].default_us is None
    faults()
    outcome, _ = tune(effort=Effort.exhaustive, policy=few)
    assert outcome.records[0].default_us


def test_finished_search_is_skipped_at_once(
    tune: Tune, database: Database, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    first, _ = tune()
    trials, requests = rows(database, "all_trials"), len(request_log())
    second, notebook = tune(started_at="2026-01-02T00:00:00Z")
    assert second.records == first.records
    assert (notebook.skipped, notebook.tries) == (1, 0)
    assert rows(database, "all_trials") == trials
    assert {request["method"] for request in request_log()[requests:]} <= {"hello", "built_in", "space"}


def test_more_effort_searches_on_and_repeats_no_trial(tune: Tune, database: Database) -> None:
    tune()
    before = {(row["family"], row["config"]) for row in rows(database, "all_trials")}
    _, notebook = tune(effort=Effort.normal, policy=replace(QUICK, trials=40), started_at="2026-01-02T00:00:00Z")
    after = [(row["family"], row["config"]) for row in rows(database, "all_trials")]
    assert len(after) == len(set(after)) == len(before) + notebook.tries
    assert before < set(after)
    assert Archive(database).records()[0].run.effort is Effort.normal


def test_interrupted_search_resumes_without_repeating_a_trial(tune: Tune, database: Database) -> None:
    def interrupt(tries: int) -> None:
        if tries == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(notebook=Notebook(on_try=interrupt))
    saved = rows(database, "all_trials")
    assert len(saved) >= 7  # and those measured together with the seventh
    assert Archive(database).records() == []
    outcome, notebook = tune(started_at="2026-01-02T00:00:00Z")
    assert len(outcome.records) == 1
    assert len(rows(database, "all_trials")) == len(saved) + notebook.tries
    assert rows(database, "all_trials")[: len(saved)] == saved


def test_changed_templates_repeat_the_search_from_the_old_winner(
    tune: Tune, database: Database, monkeypatch: pytest.MonkeyPatch,
    request_log: Callable[[], list[dict[str, Any]]],
) -> None:  # fmt: skip
    old, _ = tune()
    requests = len(request_log())
    monkeypatch.setenv("FAKE_WORKER_TEMPLATES", "b" * 64)
    new, notebook = tune(started_at="2026-01-02T00:00:00Z")
    assert notebook.tries > 5
    assert new.records[0].run.template_hash == "b" * 64
    raced = [request["configs"] for request in request_log()[requests:] if request["method"] == "measure"]
    assert old.records[0].config.message() in raced[0]


def test_changed_templates_of_one_family_leave_the_trials_of_others(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    tune(sizes=(4096,))
    before = rows(database, "all_trials")
    faults(templates={"lookback": "b" * 64})
    tune(sizes=(4096,), effort=Effort.normal, policy=replace(QUICK, trials=40), started_at="2026-01-02T00:00:00Z")
    added = rows(database, "all_trials")[len(before) :]
    assert {row["template_hash"] for row in added if row["family"] == "lookback"} == {"b" * 64}
    assert {row["template_hash"] for row in added if row["family"] == "single_block"} <= {"a" * 64}
    again = {row["config"] for row in before} & {row["config"] for row in added}
    assert again
    assert again.isdisjoint(row["config"] for row in before if row["family"] == "single_block")


@pytest.mark.parametrize(("family", "is_finished"), [("lookback", False), ("single_block", True)])
def test_search_is_finished_as_long_as_the_templates_of_its_winner_stay(
    tune: Tune, faults: Callable[..., None], family: str, is_finished: bool
) -> None:
    first, _ = tune()
    assert first.records[0].config.family == "lookback"
    faults(templates={family: "b" * 64})
    _, notebook = tune(started_at="2026-01-02T00:00:00Z")
    assert notebook.skipped == is_finished


def test_winner_of_an_earlier_run_stays_unless_beaten(tune: Tune, database: Database) -> None:
    """A search that finds nothing better, here for want of trials, leaves the record's config alone."""
    space = Space.from_message(fake_space(SUM.request(N)), TABLES)
    values = {**DEFAULTS["lookback"], "block_threads": 512, "items_per_thread": 8, "layout": "warp_transposed"}
    fastest = space.known(Config("lookback", tuple({**values, "window": 8}.items())))
    outcome, _ = tune()
    assert fastest
    record = Record(**{**vars(outcome.records[0]), "config": fastest})
    Archive(database).start(record.run, record.device).save_record(record)
    again, _ = tune(policy=replace(QUICK, trials=4), effort=Effort.normal, seed=9, started_at="2026-01-02T00:00:00Z")
    assert again.records[0].config == fastest
    assert again.records[0].run.effort is Effort.normal


def test_neighbouring_sizes_and_types_start_from_each_others_winners(
    tune: Tune, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    first, _ = tune(sizes=(2**16,))
    requests = len(request_log())
    tune(sizes=(2**18,), problems=(scan("f32"),), started_at="2026-01-02T00:00:00Z")
    raced = [request["configs"] for request in request_log()[requests:] if request["method"] == "measure"]
    assert first.records[0].config.message() in raced[0]


def test_budget_ends_the_run_and_what_is_left_is_named(tune: Tune, database: Database) -> None:
    sizes = tuple(2**k for k in range(8, 20))
    outcome, notebook = tune(sizes=sizes, policy=replace(QUICK, budget_s=0.1))
    assert outcome.covered(Way.left)
    assert len(outcome.records) + len(outcome.covered(Way.left)) == len(sizes)
    assert len(notebook.found_records) == len(outcome.records) >= 1
    assert outcome.seconds < 10


def test_budget_that_cannot_even_end_a_search_still_gives_it_its_default(tune: Tune) -> None:
    outcome, _ = tune(policy=replace(EVERYTHING, budget_s=0.1))
    assert [covered.cell for covered in outcome.covered(Way.cut_short)] == [(SUM, N)]
    assert outcome.records[0].default_us


def test_search_cut_short_is_resumed_by_the_same_command_until_it_is_finished(tune: Tune, database: Database) -> None:
    short, _ = tune(policy=replace(QUICK, budget_s=0.1))
    assert [covered.cell for covered in short.covered(Way.cut_short)] == [(SUM, N)]
    tried = {(row["family"], row["config"]) for row in rows(database, "all_trials")}
    whole, notebook = tune(started_at="2026-01-02T00:00:00Z")
    assert (notebook.skipped, whole.covered(Way.cut_short)) == (0, [])
    after = [(row["family"], row["config"]) for row in rows(database, "all_trials")]
    assert len(after) == len(set(after)) == len(tried) + notebook.tries
    assert notebook.tries > 0
    _, notebook = tune(started_at="2026-01-03T00:00:00Z")
    assert notebook.skipped == 1


def test_worker_that_cannot_be_restarted_ends_the_run_and_keeps_the_trials(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    def break_everything(tries: int) -> None:
        if tries == 3:
            faults(start="die")

    faults(crash={**BIG, "method": "verify"})
    with pytest.raises(ScantuneError, match=r"(?s)did not start.*libmissing"):
        tune(notebook=Notebook(on_try=break_everything))
    assert len(rows(database, "all_trials")) >= 3
