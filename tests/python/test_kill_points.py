"""Every command that writes is killed at each call by which it changes a file, and nothing is lost or half written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kill_points
from kill_points import PLANTED, SCENES, Outcome, chosen
from test_real_worker import WORKER

BUILD = Path(__file__).resolve().parents[2] / os.environ.get("BUILD", "build")

Kill = Callable[[str], Outcome]


@pytest.fixture(scope="module")
def kill() -> Iterator[Kill]:
    """Return a function that kills the command of a scene, with a planted mistake if it says so."""
    preloaded = next(BUILD.rglob("libkill_points.so"), None)
    if WORKER is None or preloaded is None:
        pytest.skip("there is no scantune-worker, or no libkill_points.so; build them first")
    environment = os.environ | {"LD_PRELOAD": str(preloaded), "PYTHONHASHSEED": "0"}
    killer = subprocess.Popen(
        [sys.executable, str(kill_points.__file__)],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def run(line: str) -> Outcome:
        assert killer.stdin
        assert killer.stdout
        killer.stdin.write(f"{line}\n")
        killer.stdin.flush()
        return Outcome(**json.loads(killer.stdout.readline()))

    with killer:
        yield run
        assert killer.stdin
        killer.stdin.close()


@pytest.mark.timeout(200)
@pytest.mark.parametrize("scene", SCENES)
def test_command_killed_at_any_call_loses_nothing_and_runs_again(kill: Kill, scene: str) -> None:
    outcome = kill(scene)
    assert outcome.wrong == []
    assert len(outcome.points) >= 8


@pytest.mark.parametrize("scene", PLANTED)
def test_planted_mistake_is_found(kill: Kill, scene: str) -> None:
    assert kill(f"{scene} planted").wrong


def test_points_are_the_first_and_last_calls_of_each_kind() -> None:
    points = [*("write files/tuning.db-wal" for _ in range(9)), "rename files/export.db", "unlink files/tuning.db-wal"]
    assert chosen(points) == [1, 9, 10, 11]
