"""What a run's proof leaves of its records: what loses is withdrawn, and the others keep the times of their cases."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from command import ended_well
from examples import RECORDS, RUNS, at, scan
from fake_gpu import ALGORITHMS, DEFAULTS, GPU, Clock, FakeCompilers, FakeGpuWorker
from scantune.cli.run_proof import RunProof, RunProver
from scantune.compare.pairs import Pairs
from scantune.compare.proof import Proven, Result, Times, Unproven
from scantune.compare.withdrawal import settle
from scantune.model.config import Config
from scantune.model.draws import Case, Place
from scantune.model.policy import Effort, policy_of
from scantune.model.probe import Probe
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.database import Database, open_readonly
from scantune.worker.client import Worker
from scantune.worker.compile_pool import CompilePool
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import Selection

ONE, OTHER = RECORDS[0], RECORDS[3]
BEFORE = Config("lookback", (("block_threads", 96),))


@pytest.fixture
def archive(database: Database) -> Archive:
    archive = Archive(database)
    with database.transaction():
        for record in (ONE, OTHER):
            archive.add_record(record, archive.run_id(record.run))
    return archive


def proven(record: Record, first: float, again: float | None = None, place: Place | None = None) -> Result:
    """Return a case that a record serves, in so many times the time of before."""
    told = {**record.problem.columns, "n": record.n}
    times = [None if ratio is None else Times(10.0, 10.0 * ratio, pairs(ratio)) for ratio in (first, again)]
    case = Case(record.problem, place or Place(record.n - 1))
    return Proven(case, BEFORE, Selection(record.config, "between_n", "", (), told), *times)


def default_of(record: Record) -> Config:
    return BEFORE


def pairs(ratio: float) -> Pairs:
    return Pairs((10.0 * ratio,) * 27, (10.0,) * 27)


def test_record_by_which_a_case_is_slower_twice_is_withdrawn(archive: Archive) -> None:
    results = [proven(ONE, 1.1, 1.09), proven(OTHER, 1.1, 1.0), proven(OTHER, 0.8)]
    assert settle(archive, [ONE, OTHER], [], results, default_of) == [ONE]
    kept = {record.key: record for record in archive.records()}
    assert kept[OTHER.key].config == OTHER.config
    # The default takes its place: the next run does not find the loser again in what it has tried.
    assert (kept[ONE.key].config, kept[ONE.key].median_us) == (BEFORE, ONE.default_us)
    assert kept[ONE.key].probes == (Probe(ONE.n, 0, ONE.default_us, ONE.default_us),)


def test_record_of_before_comes_back_for_one_that_is_withdrawn(archive: Archive) -> None:
    earlier = replace(ONE, config=BEFORE, median_us=7.0)
    assert settle(archive, [ONE], [earlier], [proven(ONE, 1.1, 1.1)], default_of) == [ONE]
    assert earlier in archive.records()


def test_record_whose_config_does_not_work_in_a_case_is_withdrawn(archive: Archive) -> None:
    told = {**ONE.problem.columns, "n": ONE.n}
    broken = Selection(ONE.config, "between_n", "", (), told)
    case = Case(ONE.problem, Place(ONE.n - 1))
    assert settle(archive, [ONE], [], [Unproven(case, "the machine is full")], default_of) == []
    assert settle(archive, [ONE], [], [Unproven(case, "wrong_result", broken)], default_of) == [ONE]
    assert ONE not in archive.records()


def test_record_that_stands_keeps_the_times_of_its_cases(archive: Archive) -> None:
    place = Place(OTHER.n - 3, 1)
    assert settle(archive, [ONE, OTHER], [], [proven(OTHER, 0.8, place=place)], default_of) == []
    kept = {record.key: record for record in archive.records()}
    assert kept[ONE.key] == ONE
    assert kept[OTHER.key].probes == (*OTHER.probes, Probe(*place, 8.0, 10.0))
    assert kept[OTHER.key].better_than(OTHER)


def test_record_that_another_process_has_changed_stays(archive: Archive) -> None:
    news = replace(ONE, config=BEFORE)
    with archive.database.transaction():
        archive.add_record(news, archive.run_id(news.run))
    assert settle(archive, [ONE], [], [proven(ONE, 1.1, 1.1)], default_of) == []
    assert news in archive.records()


def test_case_of_somebody_else_s_record_says_nothing_of_ours(archive: Archive) -> None:
    assert settle(archive, [OTHER], [], [proven(ONE, 1.1, 1.1)], default_of) == []
    assert len(archive.records()) == 2


class Selecting(FakeGpuWorker):
    """A worker that selects by the records of the databases that it is given, within their ranges."""

    def __init__(self, clock: Clock, ends_after: int = 10**9) -> None:
        super().__init__(clock)
        self.kills = 0
        self._ends_after = ends_after  # measurements, and then somebody presses Ctrl-C

    def kill(self) -> None:
        self.kills += 1

    def call(self, method: str, params: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        assert self.kills == 1, "a fresh process measures"
        if method == "measure":
            self._ends_after -= 1
            if self._ends_after < 0:
                raise KeyboardInterrupt
        if method == "select":
            for path in params["databases"]:
                with open_readonly(Path(path)) as database:
                    for record in Archive(database, ALGORITHMS).records():
                        if params["request"]["n"] in record.serves:
                            told = {**record.problem.columns, "n": record.n, "layer": "user"}
                            return {"config": record.config.message(), "origin": "", "reason": "", "record": told}
        return super().call(method, params, timeout_s)


SMALL_N, LARGE_N = 2**14, 2**17
FAIR, GOOD, BAD = (
    Config.from_parameters("lookback", {**DEFAULTS["lookback"], **departures})
    for departures in (
        {"block_threads": 512},
        {"block_threads": 512, "layout": "warp_transposed"},
        {"first_delay_ns": 1600},
    )
)


def proved(
    database: Database, small: Config, large: Config, earlier: Sequence[Record] = (), **faults: int
) -> tuple[RunProof | None, dict[int, Config]]:
    """Return what a run's proof says of two records, and which configs are left."""
    archive = Archive(database, ALGORITHMS)
    records = [recorded(SMALL_N, small), recorded(LARGE_N, large)]
    with database.transaction():
        for record in records:
            archive.add_record(record, archive.run_id(record.run))
    clock = Clock()
    worker = cast(Worker, Selecting(clock, **faults))
    pool = cast(CompilePool, FakeCompilers(clock, processes=4, compile_s=0.1))
    prover = RunProver(
        archive, database.path, worker, Evaluator(worker, Timeouts()), pool, policy_of(GPU, Effort.quick), earlier
    )
    proof = None
    with contextlib.suppress(KeyboardInterrupt):
        proof = prover.prove(records, seed=1, seconds=0.3)
    return proof, {record.n: record.config for record in archive.records()}


def recorded(n: int, config: Config) -> Record:
    return at(Record(GPU, scan("i32"), n, config, 5.0, 0.01, 6.0, None, "2026-01-01T00:05:00Z", RUNS[0]), n)


def test_run_withdraws_what_loses_in_a_fresh_process(database: Database) -> None:
    proof, left = proved(database, small=BAD, large=GOOD)
    assert proof
    assert [record.n for record in proof.withdrawn] == [SMALL_N]
    served = {one.case.place.n: one.first for one in proof.results if isinstance(one, Proven)}
    assert all(served.values())
    assert left[LARGE_N] == GOOD
    assert left[SMALL_N] not in (GOOD, BAD)  # the default of that N
    assert proof.message()["withdrawn"] == [{"problem": scan("i32").message(), "n": SMALL_N}]


def test_run_is_held_against_the_records_before_it(database: Database) -> None:
    """The record of the larger N is faster than the default, and slower than the one of before."""
    proof, left = proved(database, small=GOOD, large=FAIR, earlier=[recorded(LARGE_N, GOOD)])
    assert proof
    assert [record.n for record in proof.withdrawn] == [LARGE_N]
    assert left == {SMALL_N: GOOD, LARGE_N: GOOD}


def test_what_has_lost_is_withdrawn_when_the_proof_is_interrupted(database: Database) -> None:
    proof, left = proved(database, small=BAD, large=BAD, ends_after=4)
    assert proof is None
    assert BAD in left.values(), "which of the two no case was drawn of yet"
    assert len(set(left.values())) == 2


@pytest.mark.usefixtures("fake_worker_command")
def test_run_on_a_gpu_ends_with_a_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_WORKER_FAULTS", json.dumps({"gpu": "sm_90"}))
    file, n = tmp_path / "run.json", 2**14
    output = ended_well(
        "--arch", "sm_90", "--workers", "1", "--type", "i32", "--n", str(n), "--budget", "20s", "--json", str(file),
        "--db", str(tmp_path / "my.db"),
    )  # fmt: skip
    assert "what your programs run: " in output
    told = json.loads(file.read_text())
    assert told["proof"]["cases"] > 10
    assert told["proof"]["geometric_mean"] > 0.9
    assert told["seconds"] < 25
