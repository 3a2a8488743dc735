"""The user's own operator: its source reaches the workers and nothing else, and no other source shares its trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import QUICK, Tune, rows
from examples import scan
from fake_worker import FOR_LARGE, MISTAKE
from scantune.compare.exchange import import_database
from scantune.compare.precedence import Precedence
from scantune.errors import ScantuneError
from scantune.model.operator_source import OperatorSource
from scantune.search.study_storage import StudyStorage
from scantune.store.archive import Archive
from scantune.store.database import Database, open_database
from scantune.store.export import export_database

AFFINE = scan("custom8", "custom_moderate:affine")
SECRET = "secret_constant"


def source(text: str) -> OperatorSource:
    return OperatorSource(text, Path("affine.cu"), 4)


FIRST = source(f"struct Value {{ float a, b; }};\nValue combine(Value e, Value l);  // {SECRET}")
SECOND = source("struct Value { float a, b; };\nValue combine(Value earlier, Value later);")
LATER, LAST = "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"


def tried(database: Database) -> list[tuple[str, str, str]]:
    return [(row["template_hash"], row["family"], row["config"]) for row in rows(database, "all_trials")]


def test_every_request_carries_name_source_and_alignment(
    tune: Tune, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    outcome, _ = tune(problems=(AFFINE,), source=FIRST)
    assert [record.problem for record in outcome.records] == [AFFINE]
    asked = [request for request in request_log() if request["method"] not in ("hello", "built_in")]
    assert {request["method"] for request in asked} >= {"space", "compile", "verify", "measure"}
    for request in asked:
        assert request["request"]["op"] == "custom_moderate:affine"
        assert request["request"]["operator"] == {"source": FIRST.text, "alignment": 4}


def test_class_of_operators_is_tuned_without_a_source(
    tune: Tune, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    outcome, _ = tune(problems=(scan("custom8", "custom_moderate"),))
    assert len(outcome.records) == 1
    assert not any("operator" in request.get("request", {}) for request in request_log())


def test_source_is_in_no_database_even_when_a_compiler_quotes_it(
    tune: Tune, database: Database, tmp_path: Path
) -> None:
    quoted = source(f"{FIRST.text}\n// {MISTAKE} {FOR_LARGE} {SECRET}")
    with StudyStorage(str(tmp_path / "studies.db.log")) as storage:
        tune(problems=(AFFINE,), source=quoted, policy=replace(QUICK, trials=60), storage=storage)
    failed = {row["reason"] for row in rows(database, "all_trials") if row["status"] == "compile_error"}
    assert failed == {"the operator's kernel does not compile; the log, which may quote its source, is not kept"}
    export_database(database, tmp_path / "export.db")
    assert b"the operator's kernel does not compile" in (tmp_path / "studies.db.log").read_bytes()
    for path in tmp_path.glob("*.db*"):
        assert SECRET.encode() not in path.read_bytes()


def test_source_that_does_not_compile_is_reported_with_its_line_and_nothing_is_saved(
    tune: Tune, database: Database
) -> None:
    with pytest.raises(ScantuneError) as caught:
        tune(problems=(AFFINE,), source=source(f"{SECOND.text}\n{MISTAKE}"))
    message = str(caught.value)
    assert message.startswith("affine.cu does not compile as an operator of custom8 custom_moderate:affine, so nothing")
    assert message.count("operator.cu(3): error: in 'MISTAKE'") == 1
    assert rows(database, "all_trials") == []


def test_shortage_of_the_machine_is_not_blamed_on_the_source(tune: Tune, faults: Callable[..., None]) -> None:
    faults(no_disk={"method": "compile"})
    with pytest.raises(ScantuneError, match=r"(?s)not even the default configs.*No space left.*scantune doctor"):
        tune(problems=(AFFINE,), source=FIRST)


def test_unchanged_source_is_finished(tune: Tune) -> None:
    first, _ = tune(problems=(AFFINE,), source=FIRST)
    again, notebook = tune(problems=(AFFINE,), source=replace(FIRST, path=Path("moved.cu")))
    assert (again.records, notebook.skipped, notebook.tries) == (first.records, 1, 0)


def test_changed_source_is_searched_anew_from_the_old_winner(
    tune: Tune, database: Database, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    old, _ = tune(problems=(AFFINE,), source=FIRST)
    before, requests = tried(database), len(request_log())
    new, notebook = tune(problems=(AFFINE,), source=SECOND, started_at=LATER)
    assert notebook.tries > 5
    raced = [request["configs"] for request in request_log()[requests:] if request["method"] == "measure"]
    assert old.records[0].config.message() in raced[0]
    assert tried(database)[: len(before)] == before
    assert {kernel_hash for kernel_hash, _, _ in tried(database)} == {
        f"{'a' * 64}+{one.digest}" for one in (FIRST, SECOND)
    }
    # The runtime compares a record's templates with its own.
    assert [record.run.template_hash for record in new.records] == ["a" * 64]
    assert Archive(database).records() == new.records


def test_source_that_changes_back_is_decided_again_and_repeats_no_trial(tune: Tune, database: Database) -> None:
    tune(problems=(AFFINE,), source=FIRST)
    tune(problems=(AFFINE,), source=SECOND, started_at=LATER)
    back, notebook = tune(problems=(AFFINE,), source=FIRST, started_at=LAST)
    assert notebook.skipped == 0
    assert back.records[0].run.source_digest == FIRST.digest
    assert len(tried(database)) == len(set(tried(database)))


def test_record_of_the_stand_in_does_not_finish_the_operator(tune: Tune) -> None:
    tune(problems=(AFFINE,))
    _, notebook = tune(problems=(AFFINE,), source=FIRST, started_at=LATER)
    assert notebook.skipped == 0


def test_import_keeps_the_trials_of_two_sources_apart(tune: Tune, database: Database, tmp_path: Path) -> None:
    tune(problems=(AFFINE,), source=FIRST)
    tune(problems=(AFFINE,), source=SECOND, started_at=LATER)
    with open_database(tmp_path / "theirs.db") as theirs:
        report = import_database(theirs, database.path, Precedence())
        assert (report.rejected, sorted(tried(theirs))) == (0, sorted(tried(database)))
        assert Archive(theirs).records() == Archive(database).records()
        runs = "SELECT count(DISTINCT template_hash || started_at) FROM run"
        assert theirs._connection.execute(runs).fetchone()[0] == 2
