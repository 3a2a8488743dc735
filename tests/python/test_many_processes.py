"""Many processes share one database, and the campaign that runs them notices the faults that it is meant to find."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from leftovers import Contents
from many_processes import ROLES, Crowd, campaign, kept, prepare
from test_real_worker import WORKER


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.skipif(WORKER is None, reason="there is no scantune-worker; build it first")
def test_processes_that_tune_import_forget_vacuum_and_read_lose_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    held = campaign(processes=6, seconds=5)
    assert held, capsys.readouterr().out


@pytest.fixture
def crowd(tmp_path: Path) -> Crowd:
    """Return a crowd whose processes have imported everything and ended."""
    crowd = Crowd(tmp_path, 0.0, prepare(tmp_path, 2))
    crowd.run(ROLES[1], 1, 0)
    return crowd


def change(crowd: Crowd, statement: str) -> None:
    with closing(sqlite3.connect(crowd.scene.database)) as connection, connection:
        connection.execute(statement)


def test_old_rows_may_go_and_others_may_not(crowd: Crowd) -> None:
    before = Contents.of(crowd.scene.database)
    assert len(kept(before).records) == 50 < len(before.records)
    crowd.check()
    assert crowd.wrong == []
    change(crowd, "DELETE FROM trial WHERE id = (SELECT max(id) FROM trial)")
    crowd.check()
    assert ["is lost" in one for one in crowd.wrong] == [True]


def test_winner_that_was_told_and_is_not_there_is_noticed(crowd: Crowd) -> None:
    crowd.winners.append({"device": {"name": "CPU 1"}, "problem": {"input_type": "i32"}, "n": 50})
    crowd.check()
    assert crowd.wrong == []
    crowd.winners.append({"device": {"name": "CPU 1"}, "problem": {"input_type": "i32"}, "n": 51})
    crowd.check()
    assert ["the winner of" in one for one in crowd.wrong] == [True]


def test_command_that_fails_is_noticed(crowd: Crowd) -> None:
    crowd.scene.database.write_text("no database")
    crowd.run("show", 3, 0)
    assert ["ended with 1" in one for one in crowd.wrong] == [True]
