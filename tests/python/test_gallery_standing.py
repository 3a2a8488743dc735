"""Nothing tries a family of the gallery unless it is named."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from command import ended_well, scantune_here
from conftest import QUICK, SUM, Tune, rows
from fake_worker import GALLERY
from gallery_command import HOST, Requests, tried
from scantune.model.config import Config
from scantune.model.restriction import Restriction
from scantune.model.work import Work
from scantune.store.database import Database
from scantune.worker.client import Worker, WorkerError
from scantune.worker.defaults import Defaults
from scantune.worker.evaluation import Evaluator, Timeouts

pytestmark = pytest.mark.usefixtures("fake_worker_command")


# Standing.


@pytest.mark.parametrize("surveys", [False, True])
def test_search_that_names_nothing_never_tries_a_family_of_the_gallery(
    tune: Tune, request_log: Requests, surveys: bool
) -> None:
    everything = replace(QUICK, trials=1000, patience=1000, surveys=surveys)
    outcome, _ = tune(sizes=(2**9, 2**14), policy=everything)
    assert outcome.records
    assert tried(request_log()) == {"single_block", "lookback"}
    assert not any(one.get("gallery") for one in request_log() if one["method"] == "space")


def test_search_of_values_alone_never_tries_a_family_of_the_gallery(tune: Tune, request_log: Requests) -> None:
    tune(sizes=(2**9,), restriction=Restriction((), (("block_threads", 128),)))
    assert tried(request_log()) == {"single_block", "lookback"}


@pytest.mark.parametrize("surveys", [False, True])
def test_search_of_the_gallery_leaves_what_programs_run_alone(
    tune: Tune, database: Database, request_log: Requests, surveys: bool
) -> None:
    outcome, _ = tune(sizes=(2**9,), restriction=Restriction(("kogge_stone",)))
    (covered,) = outcome.coverage
    assert covered.winner
    assert covered.winner.family == "kogge_stone"
    assert covered.unbeaten
    assert covered.unbeaten.family != "kogge_stone"
    assert rows(database, "all_records") == []
    before = len(request_log())
    tune(sizes=(2**9, 2**10), started_at="2026-01-02T00:00:00Z", policy=replace(QUICK, surveys=surveys))
    assert tried(request_log()[before:]) == {"single_block", "lookback"}
    assert {row["family"] for row in rows(database, "all_records")} <= {"single_block", "lookback"}


def test_replays_sweeps_and_explanations_never_try_a_family_of_the_gallery(
    tmp_path: Path, request_log: Requests
) -> None:
    space = str(tmp_path / "space.json.gz")
    swept = ["sweep", *HOST, "--type", "i32", "--n", "2^9", "-o", space, "--workers", "1"]
    for command in (swept, ["explain", *HOST, "--type", "i32", "--n", "2^9"], ["bench", *HOST, "--n", "2^9"],
                    ["replay", space, "--seeds", "1", "--effort", "quick"]):  # fmt: skip
        said = ended_well(*command)
    assert tried(request_log()) == {"single_block", "lookback"}
    assert not set(GALLERY) & set(re.findall(r"\w+", said))


def test_evaluator_has_of_the_gallery_only_what_is_named(worker: Worker) -> None:
    evaluator = Evaluator(worker, Timeouts())
    assert set(evaluator.space(SUM, 2**9).families) == {"single_block", "lookback"}
    assert set(evaluator.space(SUM, 2**9, named=["kogge_stone"]).families) == {
        "single_block", "lookback", "kogge_stone",
    }  # fmt: skip
    assert evaluator.gallery(SUM) == list(GALLERY)
    assert evaluator.template_hash(SUM, 2**9, "kogge_stone") == "a" * 64


def test_config_of_the_gallery_is_told_by_its_departures(worker: Worker) -> None:
    defaults = Defaults(Evaluator(worker, Timeouts()))
    assert defaults.told(SUM, 2**9, Config("kogge_stone", (("block_threads", 64),))) == "kogge_stone block_threads=64"


def test_work_is_what_the_worker_says_of_a_config(worker: Worker) -> None:
    evaluator = Evaluator(worker, Timeouts())
    config = Config("kogge_stone", (("block_threads", 64),))
    assert evaluator.work(SUM, 2**9, config) == Work(operations=512 * 9 - 511, steps=9, bytes=4096)
    assert evaluator.work(SUM, 2**20, config) is None  # it is refused
    assert evaluator.work(SUM, 2**9, evaluator.space(SUM, 2**9).default) is None


@pytest.mark.parametrize("work", [{}, [], {"operations": 1, "steps": 1}, {"operations": -1, "steps": 1, "bytes": 1}])
def test_work_that_is_none_is_refused(worker: Worker, monkeypatch: pytest.MonkeyPatch, work: object) -> None:
    monkeypatch.setattr(Worker, "call", lambda *_: {"valid": True, "work": work})
    with pytest.raises(WorkerError, match="the work is"):
        Evaluator(worker, Timeouts()).work(SUM, 2**9, Config("kogge_stone", (("block_threads", 64),)))


# Naming a family of the gallery.


def test_family_that_is_named_is_tuned_and_nothing_else(tmp_path: Path, request_log: Requests) -> None:
    db = str(tmp_path / "a.db")
    said = ended_well("tune", *HOST, "--family", "kogge_stone", "--type", "i32", "--n", "2^9", "--db", db)
    assert "kogge_stone block_threads=64" in said
    assert tried(request_log()) == {"kogge_stone", "single_block", "lookback"}
    of_library = {str(config) for one in request_log() if one["method"] == "measure" for config in one["configs"]
                  if config["family"] != "kogge_stone"}  # fmt: skip
    assert len(of_library) == 2  # the default, and what serves


def test_config_of_the_gallery_is_timed_and_raced() -> None:
    said = ended_well("bench", *HOST, "--type", "i32", "--config", "brent_kung", "--n", "2^10")
    assert "brent_kung default" in said
    said = ended_well("bench", *HOST, "--type", "i32", "--compare", "kogge_stone", "brent_kung", "selected",
                          "--n", "2^9")  # fmt: skip
    assert re.findall(r"kogge_stone default|brent_kung default|lookback default", said) == [
        "kogge_stone default", "brent_kung default", "lookback default",
    ]  # fmt: skip


def test_best_known_config_of_a_named_family_comes_from_the_trials(tmp_path: Path) -> None:
    common = [*HOST, "--family", "brent_kung", "--type", "i32", "--n", "2^9", "--db", str(tmp_path / "a.db")]
    assert scantune_here("tune", *common)[0] == 0
    said = ended_well("bench", *common)
    assert "brent_kung block_threads=64" in said


def test_values_alone_name_no_parameter_of_the_gallery() -> None:
    code, said = scantune_here("bench", *HOST, "--type", "i32", "--n", "2^9", "--fix", "block_thread=64")
    assert code == 2
    assert "kogge_stone" not in said
