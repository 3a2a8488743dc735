"""Chosen rows are dropped with what refers to them, and no others."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from command import ended_well, scantune_here
from examples import CONFIGS, DEVICES, MEASUREMENTS, NOON, PROBLEMS, RECORDS, RUNS, at
from scantune.model.algorithms import Algorithms
from scantune.model.breakpoint import Breakpoint, PairProbe
from scantune.model.origin import Origin
from scantune.model.record import Record
from scantune.model.trial import Trial
from scantune.store.archive import Archive
from scantune.store.database import Database, open_database
from scantune.store.forget import Entry, chosen, forget

ADA = Origin("ada", "berlin.db", "0123456789ab", host="its-host")
LOW = RECORDS[0]
HIGH = at(LOW, 2 * LOW.n, config=CONFIGS[0])
ABOVE = at(HIGH, 4 * LOW.n, config=CONFIGS[2], finished_at="2026-02-01T00:00:00Z")
ELSEWHERE = replace(LOW, device=DEVICES[1], run=RUNS[0].with_origin(ADA))


def between(low: Record, high: Record) -> Breakpoint:
    probes = (PairProbe(low.n + 1, 4000.0, 5000.0), PairProbe(high.n, 5000.0, 4000.0))
    return Breakpoint(low.device, low.problem, low.n, high.n, high.n, probes, low.config, high.config, NOON, RUNS[0])


@pytest.fixture
def filled(database: Database) -> Database:
    """Return a database with four records of two devices, two breakpoints, and a trial for each record."""
    for record in (LOW, HIGH, ABOVE, ELSEWHERE):
        session = Archive(database).start(record.run, record.device)
        session.save_record(record)
        session.save_trial(record.problem, record.n, Trial(record.config, MEASUREMENTS[0]), is_default=False)
    for pair in ((LOW, HIGH), (HIGH, ABOVE)):
        Archive(database).start(RUNS[0], LOW.device).save_breakpoint(between(*pair))
    return database


def left(database: Database) -> tuple[list[Record], list[int], int]:
    """Return the records, the lower ends of the breakpoints, and how many trials there are."""
    archive = Archive(database)
    return archive.records(), [one.n_low for one in archive.breakpoints()], len(database.rows("all_trials"))


@pytest.mark.parametrize(
    ("admits", "records", "breakpoints"),
    [
        (lambda entry: entry.device == DEVICES[1], [LOW, HIGH, ABOVE], [LOW.n, HIGH.n]),
        (lambda entry: entry.n == HIGH.n, [ELSEWHERE, LOW, ABOVE], []),
        (lambda entry: entry.n == ABOVE.n, [ELSEWHERE, LOW, HIGH], [LOW.n]),
        (lambda entry: entry.family == CONFIGS[0].family, [ELSEWHERE, LOW, ABOVE], []),
        (lambda entry: entry.run.origin == ADA, [LOW, HIGH, ABOVE], [LOW.n, HIGH.n]),
        (lambda entry: entry.problem == PROBLEMS[1], [ELSEWHERE, LOW, HIGH, ABOVE], [LOW.n, HIGH.n]),
    ],
)
def test_records_go_with_their_breakpoints_and_trials(
    filled: Database, admits: Callable[[Entry], bool], records: list[Record], breakpoints: list[int]
) -> None:
    seen = chosen(filled, admits, Algorithms())
    assert left(filled)[2] == 4
    assert forget(filled, admits, Algorithms()) == seen
    assert left(filled) == (records, breakpoints, len(records))
    assert (len(seen.records), len(seen.breakpoints)) == (4 - len(records), 2 - len(breakpoints))


def test_forgetting_is_all_or_nothing(filled: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    before = left(filled)
    run = filled.run

    def failing(query: str, parameters: dict[str, object]) -> int:
        if query == "drop_trials":
            raise KeyboardInterrupt
        return run(query, parameters)

    monkeypatch.setattr(filled, "run", failing)
    with pytest.raises(KeyboardInterrupt):
        forget(filled, lambda entry: True, Algorithms())
    assert left(filled) == before


def test_rows_that_are_not_valid_are_counted_and_stay(filled: Database) -> None:
    with closing(sqlite3.connect(filled.path)) as connection, connection:
        connection.execute("UPDATE record SET config = 'no JSON' WHERE n = ?", (LOW.n,))
    assert forget(filled, lambda entry: True, Algorithms()).unread == 3  # and the breakpoint at one of them
    with closing(sqlite3.connect(filled.path)) as connection:
        assert connection.execute("SELECT count(*) FROM record").fetchone() == (2,)


@pytest.fixture
def path(filled: Database) -> Path:
    filled.close()
    return filled.path


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize(
    ("options", "winners", "breakpoints", "trials"),
    [
        (["--device", "h100"], 1, 0, 1),
        (["--device", "H200", "--n", "2^31"], 1, 2, 1),
        (["--arch", "sm_80"], 0, 0, 0),
        (["--type", "i32", "--op", "sum"], 4, 2, 4),
        (["--op", "max"], 0, 0, 0),
        (["--family", "single_block,lookback"], 3, 2, 3),
        (["--older-than", "100d", "--algorithm", "scan"], 4, 2, 0),
        (["--origin", "ada"], 1, 0, 1),
        (["--origin", "berlin.db"], 1, 0, 1),
        (["--origin", "none"], 3, 2, 3),
        (["--origin", "0123456789ab"], 1, 0, 1),
        (["--origin", "its-host"], 1, 0, 1),
        (["--all"], 4, 2, 4),
    ],
)
def test_dry_run_tells_what_the_options_choose_and_drops_nothing(
    path: Path, tmp_path: Path, options: list[str], winners: int, breakpoints: int, trials: int
) -> None:
    told = tmp_path / "told.json"
    output = ended_well("db", "forget", *options, "--dry-run", "--db", str(path), "--json", str(told))
    assert f"would be forgotten in {path}" in output
    message = json.loads(told.read_text())
    assert message["dry_run"] is True
    assert [message[name] for name in ("winners", "breakpoints", "trials")] == [winners, breakpoints, trials]
    with open_database(path) as database:
        assert left(database)[2] == 4


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize(("options", "is_left"), [(["--origin", "ada"], 3), (["--all"], 0)])
def test_what_is_told_is_dropped(path: Path, options: list[str], is_left: int) -> None:
    output = ended_well("db", "forget", *options, "--db", str(path))
    assert f"trial{'s' if is_left == 0 else ''} forgotten in {path}" in output
    with open_database(path) as database:
        records, _, trials = left(database)
    assert len(records) == trials == is_left


@pytest.mark.usefixtures("fake_worker_command")
def test_what_is_no_choice_ends_with_2(path: Path) -> None:
    for options, words in (
        ([], "nothing is chosen"),
        (["--all", "--device", "H200"], "contradicts the other options"),
        (["--older-than", "1000000000d"], "no record is that old"),
        (["--family", "a b"], "not a name"),
        (["--origin", ""], "names nobody"),
        (["--origin", " "], "names nobody"),
        (["--all", "--db", str(path.with_name("other.db"))], "no such database"),
    ):
        code, output = scantune_here("db", "forget", "--db", str(path), *options)
        assert (code, words in output) == (2, True), output
    with open_database(path) as database:
        assert len(left(database)[0]) == 4


def test_problems_are_not_chosen_where_no_worker_tells_them(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", "/no/such/worker")
    code, output = scantune_here("db", "forget", "--db", str(path), "--op", "sum")
    assert (code, "without a worker" in output) == (1, True), output
    assert scantune_here("db", "forget", "--db", str(path), "--device", "H100")[0] == 0
