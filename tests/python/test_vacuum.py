"""Vacuuming drops what nothing refers to and gives the space back; readers meanwhile see the old state."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from command import ended_well, scantune_here
from examples import MEASUREMENTS, RECORDS
from scantune.model.algorithms import Algorithms
from scantune.model.config import Config
from scantune.model.trial import Trial
from scantune.store.archive import Archive
from scantune.store.connection import BUSY_TIMEOUT_S
from scantune.store.database import Database, open_database, open_readonly
from scantune.store.forget import forget
from scantune.store.vacuum import unreferred, vacuum, vacuum_planned

NOTHING = {"runs": 0, "problems": 0, "devices": 0}


def fill(database: Database) -> None:
    """Save a record of each kind, and 2,000 trials of the first."""
    for record in RECORDS:
        session = Archive(database).start(record.run, record.device)
        session.save_record(record)
    session = Archive(database).start(RECORDS[0].run, RECORDS[0].device)
    with session.together():
        for window in range(2000):
            config = Config("lookback", (("window", window),))
            session.save_trial(RECORDS[0].problem, 4096, Trial(config, MEASUREMENTS[0]), is_default=False)


def test_nothing_is_dropped_that_something_refers_to(database: Database) -> None:
    fill(database)
    assert vacuum(database).dropped == NOTHING
    assert len(Archive(database).records()) == len(RECORDS)
    assert len(database.rows("all_trials")) == 2000


def test_what_forgotten_rows_referred_to_goes_and_the_file_shrinks(database: Database) -> None:
    fill(database)
    forget(database, lambda entry: entry.device == RECORDS[0].device, Algorithms())
    planned = vacuum_planned(database)
    done = vacuum(database)
    gone = {"runs": 1, "problems": len({one.problem for one in RECORDS}) - 2, "devices": 1}
    assert done.dropped == planned.dropped == gone
    assert done.bytes_before == planned.bytes_before
    assert planned.bytes_after < done.bytes_before
    assert done.bytes_after == database.path.stat().st_size < done.bytes_before / 4
    assert unreferred(database) == NOTHING
    assert len(Archive(database).records()) == 2
    database.check_pages()
    database.check_schema()


def test_readers_of_before_see_what_was_there(database: Database) -> None:
    fill(database)
    with open_readonly(database.path) as reader:
        forget(database, lambda entry: True, Algorithms())
        began = time.monotonic()
        vacuum(database)
        assert time.monotonic() - began < BUSY_TIMEOUT_S / 2, "it waited for a reader that stays"
        assert len(reader.rows("all_records")) == len(RECORDS)
    with open_readonly(database.path) as reader:
        assert reader.rows("all_records") == []


def test_run_that_found_its_problem_before_saves_after(database: Database) -> None:
    record = RECORDS[0]
    session = Archive(database).start(record.run, record.device)
    assert session.trials(record.problem, record.n) == []
    with open_database(database.path) as other:
        assert vacuum(other).dropped["problems"] == 1
        Archive(other).problem_id(RECORDS[1].problem)  # takes the same id
    session.save_record(record)
    assert Archive(database).records() == [record]


@pytest.mark.usefixtures("fake_worker_command")
def test_command_tells_bytes_before_and_after(database: Database, tmp_path: Path) -> None:
    fill(database)
    forget(database, lambda entry: True, Algorithms())
    database.close()
    told = tmp_path / "told.json"
    messages = []
    for dry_run in (["--dry-run"], []):
        output = ended_well("db", "vacuum", *dry_run, "--db", str(database.path), "--json", str(told))
        messages.append(json.loads(told.read_text()))
    planned, done = messages
    assert planned["dropped_runs"] == done["dropped_runs"] == 3
    assert done["bytes_after"] == database.path.stat().st_size < planned["bytes_before"]
    code, output = scantune_here("db", "vacuum", "--db", str(tmp_path / "other.db"))
    assert (code, "no such database" in output) == (2, True), output
