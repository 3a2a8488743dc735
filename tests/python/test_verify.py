"""Records of others are measured again before they are trusted."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import ended_well, invoke, scantune_here
from conftest import FAKE_WORKER, QUICK, SUM
from examples import scan
from scantune.compare.correction import DatabaseCorrection, TextCorrection
from scantune.compare.suspicion import Suspicion
from scantune.compare.verify import Checked, Verdict, Verification
from scantune.model.breakpoint import Breakpoint, PairProbe
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.measurement import Measurement
from scantune.model.octave import Range
from scantune.model.origin import Origin
from scantune.model.policy import Effort
from scantune.model.probe import Probe
from scantune.model.problem import Problem
from scantune.model.record import Record, Run, now
from scantune.model.trial import Trial
from scantune.store.archive import Archive
from scantune.store.database import Database, DatabaseError, open_database
from scantune.store.text_form import text_of
from scantune.worker.client import Worker, WorkerError
from scantune.worker.compile_pool import CompilePool
from scantune.worker.environment import EnvironmentFault
from scantune.worker.evaluation import Evaluator, Timeouts

HERE = Device("host", "Fake CPU", 8)
RUN = Run(now(), "0.2.0", "a" * 64, "g++ 12", "none", Effort.normal, 1, "{}")
N = 2**18
TRUE_US = 5.3  # about the time of GOOD


def lookback(threads: int, items: int, layout: str, window: int) -> Config:
    values = {"block_threads": threads, "items_per_thread": items, "layout": layout, "window": window}
    return Config("lookback", tuple(values.items()))


GOOD = lookback(512, 8, "warp_transposed", 8)
SLOW = lookback(128, 4, "direct", 1)
ILLEGAL = lookback(512, 32, "warp_transposed", 8)
WRONG = lookback(256, 8, "warp_transposed", 8)
FAULT = {"wrong_result": {"block_threads": 256, "items_per_thread": 8}}


def record(config: Config, n: int = N, problem: Problem = SUM, device: Device = HERE, run: Run = RUN) -> Record:
    return Record(device, problem, n, config, TRUE_US, 0.01, 1.2 * TRUE_US, 1.0, now(), run)


@pytest.fixture
def verify() -> Callable[..., list[Checked]]:
    """Return a function that verifies records with the fake worker."""

    def run(*records: Record, budget_s: float = 30.0) -> list[Checked]:
        with (
            Worker(FAKE_WORKER, "host") as worker,
            CompilePool(lambda: Worker(FAKE_WORKER, "host"), 2, 30.0) as pool,
        ):
            declare = worker.hello().algorithms.declared
            known = [replace(one, problem=declare(one.problem)) for one in records]
            verification = Verification(worker, Evaluator(worker, Timeouts()), pool, None, QUICK, 1)
            return list(verification.run(known, budget_s))

    return run


Verify = Callable[..., list[Checked]]


def verdicts(results: list[Checked]) -> dict[int, Verdict]:
    return {one.record.n: one.verdict for one in results}


def test_each_record_gets_the_verdict_that_it_deserves(verify: Verify, faults: Callable[..., None]) -> None:
    faults(**FAULT)
    found = verify(record(GOOD, N), record(SLOW, N + 1), record(ILLEGAL, N + 2), record(WRONG, N + 3))
    assert verdicts(found) == {
        N: Verdict.verified, N + 1: Verdict.slower, N + 2: Verdict.not_applicable, N + 3: Verdict.wrong,
    }  # fmt: skip
    reasons = {one.record.n: one.reason for one in found}
    assert "the default" in reasons[N + 1]
    assert reasons[N + 2] == "the worker refuses its config: the tile does not fit in shared memory"
    assert "expected 3, found 4" in reasons[N + 3]


def test_verified_record_takes_the_times_of_now_and_no_origin(verify: Verify) -> None:
    run = RUN.with_origin(Origin("ada", "berlin.db", RUN.digest)).may_gain_more(0.05)
    probes = (Probe(N, 0, 1.0, 1.1), Probe(N + 5, 1, 1.1, 1.2))
    recorded = replace(record(GOOD, run=run), serves=Range(N - 1, N + 5), probes=probes)
    (found,) = verify(replace(recorded, median_us=1.0, default_us=1.1))
    renewed = found.renewed
    assert renewed
    assert (renewed.serves, renewed.probes) == (Range(N - 1, N + 5), probes)
    assert renewed.median_us == pytest.approx(TRUE_US, rel=0.2)
    assert renewed.default_us
    assert renewed.default_us > renewed.median_us
    assert renewed.run.origin is None
    assert (renewed.run.effort, renewed.run.may_gain, renewed.run.is_cut_short) == (Effort.normal, 0.05, False)
    assert found.suspicions == [Suspicion.foreign]


def test_verified_record_of_other_templates_is_to_be_searched_again(verify: Verify) -> None:
    (found,) = verify(record(GOOD, run=RUN.of_templates("b" * 64).may_gain_more(0.05)))
    assert found.verdict is Verdict.verified
    assert found.renewed
    assert (found.renewed.run.template_hash, found.renewed.run.is_cut_short) == ("a" * 64, True)
    assert found.renewed.run.may_gain is None


def test_record_is_slower_than_what_is_in_use_now(verify: Verify, faults: Callable[..., None]) -> None:
    faults(selected=dict(GOOD.values))
    fair = lookback(512, 8, "striped", 8)  # 10 % slower than GOOD, faster than the default
    (found,) = verify(record(fair))
    assert found.verdict is Verdict.slower
    assert "what is in use now" in found.reason
    assert found.rivals["what is in use now"][0] == GOOD


def test_rival_that_is_wrong_takes_nobodys_place(verify: Verify, faults: Callable[..., None]) -> None:
    faults(selected=dict(WRONG.values), **FAULT)
    fair = lookback(512, 8, "striped", 8)
    (found,) = verify(record(fair))
    assert found.verdict is Verdict.verified


@pytest.mark.parametrize(("n", "verdict"), [(3780, Verdict.verified), (3900, Verdict.slower)])
def test_difference_counts_as_in_final_rounds(
    verify: Verify, faults: Callable[..., None], monkeypatch: pytest.MonkeyPatch, n: int, verdict: Verdict
) -> None:
    monkeypatch.setenv("FAKE_WORKER_NOISE", "0")
    faults(selected=dict(GOOD.values))  # faster by 0.14 % and 2.2 %
    (found,) = verify(record(Config("single_block", (("block_threads", 128), ("items_per_thread", 4), ("pdl", 1))), n))
    assert found.verdict is verdict


def test_default_that_is_recorded_is_raced_with_nothing_else(
    verify: Verify, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    (found,) = verify(record(lookback(256, 16, "striped", 32)))
    assert (found.verdict, found.rivals) == (Verdict.verified, {})
    assert [len(one["configs"]) for one in request_log() if one["method"] == "measure"] == [1]
    assert found.renewed
    assert found.renewed.default_us == found.renewed.median_us


@pytest.mark.parametrize("fault", ["crash", "poison", "too_fast"])
def test_record_that_does_not_run_is_wrong_and_the_next_is_still_measured(
    verify: Verify, faults: Callable[..., None], fault: str
) -> None:
    n = 2**21  # smaller scans are not compared with a copy
    faults(**{fault: {"layout": "warp_transposed", "items_per_thread": 16}})
    bad = lookback(512, 16, "warp_transposed", 8)
    found = verify(record(bad, n), record(lookback(256, 32, "warp_transposed", 8), n + 1))
    assert verdicts(found) == {n: Verdict.wrong, n + 1: Verdict.verified}


def test_machine_without_memory_says_nothing_about_a_record(verify: Verify, faults: Callable[..., None]) -> None:
    faults(no_memory={"method": "measure", "layout": "direct"})
    found = verify(record(SLOW), record(GOOD, N + 1))
    assert verdicts(found) == {N: Verdict.not_reached, N + 1: Verdict.verified}
    assert "OUT_OF_MEMORY" in found[0].reason


def test_what_cannot_be_tried_here_is_not_applicable(verify: Verify) -> None:
    found = verify(
        record(GOOD, device=Device("sm_90", "NVIDIA H200", 132)),
        record(GOOD, problem=scan("i32", "custom_moderate:affine")),
        record(GOOD, run=replace(RUN, policy='{"operator_source":"0123456789abcdef"}')),
    )
    assert {one.verdict for one in found} == {Verdict.not_applicable}
    assert [one.reason.split()[3] for one in found] == ["NVIDIA", "a", "a"]


def test_most_doubtful_come_first_and_the_budget_leaves_the_rest(verify: Verify) -> None:
    theirs = RUN.with_origin(Origin("ada", "berlin.db", RUN.digest))
    implausible = replace(record(GOOD, N + 5), default_us=3 * TRUE_US)
    records = [
        record(GOOD, N), replace(record(GOOD, N + 1), finished_at="2025-01-01T00:00:00Z"),
        record(GOOD, N + 2, run=RUN.cut_short()), record(GOOD, N + 3, run=RUN.of_templates("b" * 64)),
        record(GOOD, N + 4, run=theirs), implausible,
    ]  # fmt: skip
    found = verify(*records)
    assert [one.record.n for one in found] == [N + 5, N + 4, N + 3, N + 2, N + 1, N]
    assert [list(one.suspicions) for one in found] == [*([one] for one in Suspicion), []]
    assert {one.verdict for one in verify(*records, budget_s=1e-9)} == {Verdict.not_reached}


def test_what_another_process_has_changed_meanwhile_stays(verify: Verify, database: Database) -> None:
    (slow,), (good,) = verify(record(SLOW)), verify(record(GOOD))
    archive = Archive(database)
    newer = replace(record(SLOW), median_us=7.0)
    archive.start(RUN, HERE).save_record(newer)
    with Worker(FAKE_WORKER, "host") as worker:
        for checked in (slow, good):
            assert not DatabaseCorrection(archive, Evaluator(worker, Timeouts())).apply(checked)
    assert archive.records() == [newer]


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return another's file with a good record, a slow one, one that is not legal and a wrong one."""
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join(FAKE_WORKER))
    monkeypatch.setenv("FAKE_WORKER_FAULTS", json.dumps(FAULT))
    path = tmp_path / "theirs.db"
    with open_database(path) as database:
        session = Archive(database).start(RUN, HERE)
        for n, config in enumerate((GOOD, SLOW, ILLEGAL, WRONG), N):
            session.save_record(record(config, n))
            session.save_trial(SUM, n, Trial(config, Measurement(TRUE_US, 0.01, 5)), is_default=False)
    return path


def left_in(path: Path) -> list[int]:
    with open_database(path) as database:
        return [one.n for one in Archive(database).records()]


def test_bad_records_that_were_planted_are_found_and_forgotten(planted: Path, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    options = ["db", "verify", str(planted), "--arch", "host", "--workers", "2", "--json", str(told)]
    before = planted.read_bytes()
    code, output = scantune_here(*options)
    assert (code, planted.read_bytes()) == (3, before), output
    message = json.loads(told.read_text())
    assert {one["n"]: one["verdict"] for one in message["results"]} == {
        N: "verified", N + 1: "slower", N + 2: "not_applicable", N + 3: "wrong",
    }  # fmt: skip
    assert message["applied"] is False

    output = ended_well(*options, "--apply")
    assert "2 forgotten, 1 with new times" in output
    assert left_in(planted) == [N, N + 2]
    with open_database(planted) as database:
        failed = {row["n"]: row["status"] for row in database.rows("all_trials") if row["status"] != "ok"}
    assert failed == {N + 3: "wrong_result"}

    output = ended_well(*options)
    assert "2 winners of" in output


def test_text_is_verified_and_written_anew_without_the_bad_ones(planted: Path) -> None:
    text = planted.with_suffix(".jsonl")
    assert scantune_here("db", "export", str(text), "--db", str(planted))[0] == 0
    before = text.read_text()
    options = ["db", "verify", str(text), "--arch", "host", "--workers", "2"]
    code, output = scantune_here(*options)
    assert (code, text.read_text()) == (3, before), output
    output = ended_well(*options, "--apply")
    lines = text.read_text().splitlines()
    assert [json.loads(line)["n"] for line in lines] == [N, N + 2]
    assert lines[1] in before.splitlines()
    assert lines[0] not in before.splitlines()

    text.write_text(before.replace('"spread"', '"later":1,"spread"'))
    code, output = scantune_here(*options, "--apply")
    assert (code, "would be lost if it were rewritten" in output) == (1, True), output
    assert '"later"' in text.read_text()


def test_text_that_was_changed_meanwhile_stays(planted: Path, verify: Verify) -> None:
    (slow,) = verify(record(SLOW))
    text = planted.with_suffix(".jsonl")
    text.write_text("{}\n")
    text.write_text("{}\n{}\n")  # somebody changes the file while its records are read or measured
    correction = TextCorrection(text, b"{}\n", [slow.record], [])
    assert correction.apply(slow)
    with pytest.raises(DatabaseError, match="it was changed"):
        correction.finish()
    assert not correction.is_written
    assert text.read_text() == "{}\n{}\n"


def test_results_are_told_though_the_file_cannot_be_written(
    planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, told = planted.with_suffix(".jsonl"), tmp_path / "told.json"
    assert scantune_here("db", "export", str(text), "--db", str(planted))[0] == 0

    def failing(self: TextCorrection) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(TextCorrection, "finish", failing)
    options = ["--arch", "host", "--workers", "2", "--apply", "--json", str(told)]
    result = invoke("db", "verify", str(text), *options)
    code, output = result.exit_code, result.output
    assert (code, "the disk is full" in output, " forgotten" in output) == (1, True, False), output
    assert "1 verified, 1 slower, 1 wrong, 1 not applicable" in output
    message = json.loads(told.read_text())
    assert (len(message["results"]), message["applied"]) == (4, False)


def test_line_that_stands_twice_goes_as_one(verify: Verify, tmp_path: Path) -> None:
    (slow,) = verify(record(SLOW))
    text = tmp_path / "twice.jsonl"
    text.write_text(text_of([slow.record, slow.record], []))
    correction = TextCorrection(text, text.read_bytes(), [slow.record, slow.record], [])
    assert correction.apply(slow)
    correction.finish()
    assert text.read_text() == ""


def test_breakpoint_stays_with_the_config_that_it_was_measured_with(verify: Verify, tmp_path: Path) -> None:
    """Git's union of two versions has two lines of one record, and only one has the breakpoint."""
    (slow,), (good,) = verify(record(SLOW)), verify(record(GOOD))
    high = record(GOOD, 2 * N)
    for low, stays in ((slow.record, False), (good.record, True)):
        found = Breakpoint(HERE, SUM, N, 2 * N, 2 * N, (PairProbe(2 * N, 2.0, 1.0),), low.config, GOOD, now(), RUN)
        text = tmp_path / "union.jsonl"
        text.write_text(text_of([slow.record, good.record, high], [found]))
        assert text.read_text().count('"breakpoint"') == 1
        correction = TextCorrection(text, text.read_bytes(), [slow.record, good.record, high], [found])
        assert correction.apply(slow)
        correction.finish()
        assert [json.loads(line)["family"] for line in text.read_text().splitlines()] == [GOOD.family] * 2
        assert ('"breakpoint"' in text.read_text()) is stays
    assert '"breakpoint"' not in text_of([good.record, replace(high, config=SLOW)], [found])


def test_wrong_record_without_a_trial_leaves_a_failed_one(planted: Path) -> None:
    with open_database(planted) as database:
        database.run("drop_all_trials", {})
    ended_well("db", "verify", str(planted), "--arch", "host", "--workers", "2", "--apply")
    with open_database(planted) as database:
        trials = database.rows("all_trials")
        assert [(row["n"], row["status"], row["is_default"]) for row in trials] == [(N + 3, "wrong_result", 0)]


def test_failure_of_a_later_compilation_is_nobody_elses(verify: Verify, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_kernels = Verification._compile

    def failing(self: Verification, later: Record) -> None:
        if later.n == N + 1:
            raise EnvironmentFault("the disk is full")
        compile_kernels(self, later)

    monkeypatch.setattr(Verification, "_compile", failing)
    found = verify(record(GOOD, N), record(GOOD, N + 1), record(GOOD, N + 2))
    assert verdicts(found) == {N: Verdict.verified, N + 1: Verdict.not_reached, N + 2: Verdict.verified}


def test_failure_of_the_first_questions_is_of_its_record_alone(verify: Verify, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = Evaluator.refusal

    def failing(self: Evaluator, problem: Problem, n: int, config: Config) -> str:
        if n == N:
            raise WorkerError("internal", "it has failed", False)
        return refusal(self, problem, n, config)

    monkeypatch.setattr(Evaluator, "refusal", failing)
    assert verdicts(verify(record(GOOD, N), record(GOOD, N + 1))) == {N: Verdict.not_reached, N + 1: Verdict.verified}


def test_own_database_is_verified_where_no_file_is_named(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_DB", str(planted))
    output = ended_well("db", "verify", "--arch", "host", "--n", f"{N},{N + 2}", "--type", "i32", "--workers", "1")
    assert "1 verified, 0 slower, 0 wrong, 1 not applicable, 0 not reached" in output
    assert "the tile does not fit in shared memory" in output
    code, output = scantune_here("db", "verify", str(planted.with_name("absent.db")))
    assert (code, "no such database" in output) == (2, True), output
