"""What a run's proof leaves of its records: what loses is withdrawn, and the others keep the times of their cases."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from command import ended_well
from examples import RECORDS
from scantune.compare.pairs import Pairs
from scantune.compare.proof import Proven, Result, Times, Unproven
from scantune.compare.withdrawal import settle
from scantune.model.config import Config
from scantune.model.draws import Case, Place
from scantune.model.probe import Probe
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.database import Database
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
