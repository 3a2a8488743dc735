"""The campaign of many processes that share a database notices the faults that it is meant to find."""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from command import invoke
from commands import Scene
from leftovers import Contents
from many_processes import Crowd, kept, prepare
from test_real_worker import WORKER

pytestmark = pytest.mark.skipif(WORKER is None, reason="there is no scantune-worker; build it first")


@pytest.fixture
def crowd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Crowd:
    """Return a crowd whose processes have imported everything and ended; what it checks runs in this process."""
    crowd = Crowd(tmp_path, 0.0, prepare(tmp_path, 2))
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.quote(str(WORKER)))
    monkeypatch.setattr(Scene, "run", lambda _, arguments: [] if invoke(*arguments).exit_code == 0 else arguments)
    invoke("db", "import", str(tmp_path / "young-1.db"), "--db", str(crowd.scene.database))
    crowd.imported.add(tmp_path / "young-1.db")
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


def test_command_that_fails_is_noticed(tmp_path: Path) -> None:
    crowd = Crowd(tmp_path, 0.0, Scene(tmp_path))
    crowd.scene.database.write_text("no database")
    crowd.run("show", 3, 0)
    assert ["ended with 1" in one for one in crowd.wrong] == [True]
