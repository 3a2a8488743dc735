"""The campaign of kills notices the faults that it is meant to find."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import processes
from examples import DEVICES, PROBLEMS, RECORDS, RUNS, TRIALS
from kill_and_resume import Kill, left_running, traceback_in
from leftovers import Contents, damage_of, strangers_in
from processes import Victim
from scantune.store.archive import Archive
from scantune.store.database import open_database


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "tuning.db"
    with open_database(path) as database:
        session = Archive(database).start(RUNS[0], DEVICES[0])
        session.save_record(RECORDS[0])
        for trial in TRIALS:
            session.save_trial(PROBLEMS[0], 4096, trial, is_default=False)
    return path


def changed(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("DELETE FROM trial WHERE status = 'ok'", "is lost"),
        ("UPDATE trial SET median_us = median_us * 2 WHERE status = 'ok'", "has become"),
        ("UPDATE trial SET status = 'ok' WHERE status = 'wrong_result'", "has become"),
        ("DELETE FROM record", "the record .* is lost"),
    ],
)
def test_row_that_is_lost_or_changed_is_noticed(saved: Path, statement: str, word: str) -> None:
    before = Contents.of(saved)
    assert before.lost_in(Contents.of(saved)) == []
    changed(saved, statement)
    assert any(re.search(word, one) for one in before.lost_in(Contents.of(saved)))


def test_trial_that_failed_by_chance_may_be_tried_again(saved: Path) -> None:
    before = Contents.of(saved)
    changed(saved, "DELETE FROM trial WHERE status IN ('crash', 'timeout')")
    assert before.lost_in(Contents.of(saved)) == []


def test_winner_may_crash_while_it_is_verified(saved: Path) -> None:
    before = Contents.of(saved)
    changed(saved, "UPDATE trial SET status = 'crash', median_us = NULL WHERE status = 'ok'")
    assert before.lost_in(Contents.of(saved)) == []


def test_absent_or_empty_database_holds_nothing_and_has_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "tuning.db"
    for _ in range(2):
        assert Contents.of(path).trials == {}
        assert damage_of(path) == []
        sqlite3.connect(path).close()


def test_damaged_page_and_row_without_its_run_are_noticed(saved: Path) -> None:
    assert damage_of(saved) == []
    changed(saved, "UPDATE record SET run_id = 99")
    assert "refers to no row" in damage_of(saved)[0]
    changed(saved, "PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(saved.read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    saved.write_bytes(content)
    assert damage_of(saved) != []


def test_file_that_nobody_promised_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "export.db").touch()
    assert strangers_in(tmp_path, {"export.db"}) == []
    (tmp_path / ".scantune-x").mkdir()
    assert len(strangers_in(tmp_path, {"export.db"})) == 1


@pytest.fixture
def sleeper(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., subprocess.Popen[bytes]]:
    """Return a function that starts a command, which starts another and sleeps."""

    def start(child: str) -> subprocess.Popen[bytes]:
        program = f"import subprocess, sys; subprocess.Popen(['{child}', '60'], start_new_session=True).wait()"
        environment = os.environ | {"TMPDIR": f"{tmp_path}/temporary"}
        started = subprocess.Popen([sys.executable, "-c", program], env=environment, start_new_session=True)
        request.addfinalizer(started.kill)
        while Path(child).name not in processes.of_folder(tmp_path).values():
            time.sleep(0.01)
        return started

    return start


def test_process_that_outlives_its_command_is_noticed_and_ended(
    tmp_path: Path, sleeper: Callable[..., subprocess.Popen[bytes]]
) -> None:
    command = sleeper("sleep")
    processes.send(command.pid, Victim.group, signal.SIGKILL, 0)
    command.wait()
    assert left_running(tmp_path) == ["sleep was left running"]
    assert left_running(tmp_path) == []


@pytest.mark.parametrize(("name", "victim"), [("scantune-worker", Victim.worker), ("cc1plus", Victim.compiler)])
def test_victims_are_told_apart_by_name(
    tmp_path: Path, sleeper: Callable[..., subprocess.Popen[bytes]], name: str, victim: Victim
) -> None:
    (tmp_path / name).symlink_to("/bin/sleep")
    command = sleeper(str(tmp_path / name))
    assert set(processes.of_folder(tmp_path).values()) == {Path(sys.executable).name, name}
    processes.send(command.pid, victim, signal.SIGKILL, 0.99)
    assert command.wait(10) == 0  # it goes on without its child


def test_traceback_of_the_tuner_is_noticed() -> None:
    tuner = Path(processes.__file__).parents[2] / "tuner"
    assert traceback_in('Traceback (most recent call last):\n  File "<frozen site>", line 1\nKeyboardInterrupt') == []
    assert len(traceback_in(f'Traceback (most recent call last):\n  File "{tuner}/scantune/cli/app.py", line 1')) == 1


def test_draws_are_the_same_for_one_seed() -> None:
    drawn = [[Kill.drawn(random.Random(seed), 4.0) for _ in range(3)] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
