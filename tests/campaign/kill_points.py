"""Kills every command that writes at each call by which it changes a file, runs it again, and checks what is left.

It runs in one process, under kill_points.c, and forks it for each command. Scenes are named on its input, and each is
answered by a line of JSON. By hand: LD_PRELOAD=build/tests/libkill_points.so tests/campaign/kill_points.py import
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import time
import unittest.mock
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.testing import CliRunner

from commands import COMMANDS, Scene
from kill_and_resume import left_running
from leftovers import Contents, damage_of
from scantune import __main__ as scantune_main
from scantune.cli import app
from scantune.store.database import Database

MOST_PARTS = 4  # kill points among calls on files that are not renamed yet
_LONGEST_S = 60.0
_FAKE_WORKER = Path(__file__).resolve().parents[1] / "python" / "start_fake_worker.py"


@dataclass
class Outcome:
    """What a scene was killed at, and what was wrong."""

    points: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Fork:
    """A command in a fork of this process, with what Scene uses of a subprocess.Popen."""

    def __init__(self, scene: Scene, arguments: Sequence[str], at: int = 0, told_to: Path | None = None) -> None:
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _run(scene, arguments, at, told_to)

    def poll(self) -> int | None:
        if self._status is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if done else None
        return self._status

    def wait(self, timeout: float | None = None) -> int:
        deadline = time.monotonic() + (timeout or _LONGEST_S)
        while (status := self.poll()) is None:
            if time.monotonic() > deadline:
                self.kill()
                raise TimeoutError(f"a command takes more than {timeout or _LONGEST_S} s")
            time.sleep(0.002)
        return status

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Fork:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


def _run(scene: Scene, arguments: Sequence[str], at: int, told_to: Path | None) -> NoReturn:
    """Be the command, as a new process of it would be."""
    status = 70
    try:
        os.setsid()
        os.chdir(scene.folder)
        os.environ.clear()
        os.environ.update(scene.environment())
        tempfile.tempdir = os.environ["TMPDIR"]  # which it would try out by a file of its own
        output = os.open(scene.folder / "output", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
        for number, opened in ((0, os.open(os.devnull, os.O_RDONLY)), (1, output), (2, output)):
            os.dup2(opened, number)
        told = os.open(told_to, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644) if told_to else -1
        sys.argv = ["scantune", *arguments]
        _arm(scene, at, told)
        try:
            scantune_main.main()
            status = 0
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else int(left.code is not None)
        with contextlib.suppress(OSError):
            sys.stdout.flush()
    finally:
        os._exit(status)


def _arm(scene: Scene, at: int, told: int) -> None:
    """Count calls on the scene's files and temporary files, which is all that commands may change, from now on."""
    preloaded = ctypes.CDLL(None)
    preloaded.kill_points_arm(os.fsencode(scene.folder.resolve()), ctypes.c_long(at), ctypes.c_int(told))


class _Forked:
    """Lets scenes start their commands as forks."""

    def process(self: Scene, arguments: list[str]) -> Fork:  # type: ignore[misc]
        return Fork(self, arguments)


class Tune(Scene):
    """A short search with the stand-in of a worker, whose times are known; it writes what it found as JSON, too."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._told = folder / "files" / "told.json"
        self.timed(self.arguments())
        self._whole = Contents.of(self.database)
        self._left = self._whole

    def environment(self) -> dict[str, str]:
        return super().environment() | {"SCANTUNE_WORKER": shlex.join([sys.executable, "-S", "-E", str(_FAKE_WORKER)])}

    def arguments(self) -> list[str]:
        problem = ["--arch", "host", "--type", "i32", "--n", "2^6", "--family", "single_block"]
        few = ["--fix", "block_threads=64", "--workers", "1", "--budget", "60s"]
        return ["tune", *problem, *few, "--json", str(self._told), "--db", str(self.database)]

    def before(self) -> None:
        for path in self.database.parent.iterdir():
            path.unlink()
        self._left = Contents({}, frozenset())

    def faults(self) -> list[str]:
        if wrong := damage_of(self.database):
            return wrong
        before, self._left = self._left, Contents.of(self.database)
        try:
            json.loads(self._told.read_text() if self._told.exists() else "{}")
        except ValueError as error:
            return [f"half of {self._told.name} was written: {error}"]
        return before.lost_in(self._left)

    def unfinished(self) -> list[str]:
        is_whole = self._left.trials.keys() == self._whole.trials.keys() and self._left.records == self._whole.records
        return [] if is_whole and self._told.exists() else ["it has not found and told everything"]

    def summary(self) -> str:
        return f"{len(self._left.trials)} trials"


SCENES: Mapping[str, type[Scene]] = {
    "tune": Tune,
    **{name: COMMANDS[name] for name in ("import", "export", "merge", "forget", "vacuum", "upgrade")},
}


def points_of(scene: Scene, arguments: list[str]) -> list[str]:
    """Return the calls by which the command changes files, in order, each with its file."""
    told = scene.folder.parent / "told"
    scene.before()
    with Fork(scene, arguments, told_to=told) as command:
        status = command.wait()
    if status != 0:
        raise RuntimeError(f"{arguments} ended with {status}:\n{scene.output()[-2000:]}")
    return told.read_text().splitlines()


def chosen(points: Sequence[str]) -> list[int]:
    """Return the numbers, from 1, of the calls to kill at: of those alike on one file the first and the last.

    Of those on files that are not renamed yet they are spread.
    """
    alike: dict[str, list[int]] = {}
    for number, point in enumerate(points, start=1):
        if point == "write output":
            continue
        # Files of such names become something only by the last call, which renames them.
        is_part = "scantune-" in point and not point.startswith("rename ")
        alike.setdefault("part" if is_part else point, []).append(number)
    return sorted(
        number for what, numbers in alike.items() for number in _spread(numbers, MOST_PARTS if what == "part" else 2)
    )


def _spread(numbers: Sequence[int], most: int) -> Sequence[int]:
    if len(numbers) <= most:
        return numbers
    return [numbers[round(index * (len(numbers) - 1) / (most - 1))] for index in range(most)]


def kill_at(scene: Scene, arguments: list[str], number: int) -> list[str]:
    """Kill the command at a call, and run it again; return what is wrong."""
    scene.before()
    with Fork(scene, arguments, at=number) as command:
        status = command.wait()
    if status != -signal.SIGKILL:
        return [f"it ended with {status} and was not killed there:\n{scene.output()[-2000:]}"]
    wrong = left_running(scene.folder) + scene.faults()
    return wrong + [f"run again: {one}" for one in scene.continued(arguments)]


@contextlib.contextmanager
def _in_place(target: Path, overwrite: bool) -> Iterator[Path]:
    target.unlink(missing_ok=True)
    yield target


@contextlib.contextmanager
def _in_steps(database: Database) -> Iterator[None]:
    yield


# Mistakes that must be found: an export that writes to its target, and transactions that commit at each statement.
PLANTED: Mapping[str, tuple[str, Any]] = {
    "export": ("scantune.store.export.replacement", _in_place),
    "import": ("scantune.store.database.Database.transaction", _in_steps),
}


def run_planted(name: str) -> Outcome:
    """Run a scene with the mistake that is planted for it, up to the first kill point that finds it."""
    with unittest.mock.patch(*PLANTED[name]):
        return run_scene(name, until_wrong=True)


def run_scene(name: str, until_wrong: bool = False) -> Outcome:
    outcome = Outcome()
    folder = Path(tempfile.mkdtemp(prefix=f"kill-points-{name}-", dir=_memory()))
    scene_folder = folder / "scene"
    scene_folder.mkdir()
    scene = type(name, (_Forked, SCENES[name]), {"much": 3, "little": 1})(scene_folder)
    for arguments in scene.variants():
        points = points_of(scene, arguments)
        for number in chosen(points):
            point = f"{name} {number}/{len(points)}: {_plain(points[number - 1])}"
            outcome.points.append(point)
            outcome.wrong += [f"killed at {point}: {one}" for one in kill_at(scene, arguments, number)]
            if outcome.wrong and until_wrong:
                break
    shutil.rmtree(folder)
    return outcome


def _plain(point: str) -> str:
    """Return a point without the parts of its name that change from run to run."""
    call, _, path = point.partition(" ")
    parts = ["*" if "scantune-" in part else part for part in path.split("/")]
    return re.sub(r"\.\d+\.part$", ".*.part", f"{call} {'/'.join(parts)}")


def _memory() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # avoids waiting for a disk


def _load() -> None:
    """Load in this process what every fork would load anew: the commands, and what they import when they first run."""
    groups: list[Any] = [typer.main.get_command(app.app)]
    for group in groups:
        loaded = [group.get_command(None, name) for name in group.list_commands(None)]
        groups += [one for one in loaded if hasattr(one, "list_commands")]
    CliRunner().invoke(app.app, ["db", "show", "--db", os.devnull])
    for module in ("_strptime", "numpy.random"):
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page


def main() -> int:
    _load()
    if len(sys.argv) > 1:
        outcomes = [run_scene(name) for name in sys.argv[1:]]
        for outcome in outcomes:
            print(*outcome.points, *outcome.wrong, sep="\n")
        return int(any(outcome.wrong for outcome in outcomes))
    for line in sys.stdin:
        name, *planted = line.split()
        print(json.dumps(asdict(run_planted(name) if planted else run_scene(name))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
