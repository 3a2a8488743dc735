"""Lets many processes tune, import, forget, vacuum and read one database at once, and checks that nothing is lost.

It runs the worker that was built on the host device: tests/campaign/many_processes.py --seconds 60 --processes 16
It ends with 1 if a command failed, or if anything was lost or changed that nobody forgot; its folder is then kept.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commands import Scene, save
from leftovers import Contents, damage_of
from scantune.model.device import Device
from scantune.model.record import now

# Each process repeats the command of its role; fewer processes than roles take the first ones.
ROLES = (
    "tune", "import", "forget", "show", "tune", "vacuum", "tune", "explain",
    "tune", "import", "tune", "show", "tune", "forget", "tune", "import",
)  # fmt: skip
_TYPES = ("i32", "f32", "u8", "i64")  # there are fewer than tuners, so that some search the same
_OLD = "A CPU of last year"
_LAST_YEAR = "2025-01-01T00:00:00Z"
_LONGEST_ENDING_S = 90.0
_READ_EVERY_S = 0.5


@dataclass
class Crowd:
    """The processes, with what they have done so far and what was wrong."""

    folder: Path
    seconds: float
    scene: Scene
    runs: Counter[str] = field(default_factory=Counter)
    reads: int = 0
    wrong: list[str] = field(default_factory=list)
    winners: list[Mapping[str, Any]] = field(default_factory=list)  # winners that tuners have reported
    imported: set[Path] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.deadline = time.monotonic() + self.seconds

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def play(self, number: int) -> None:
        """Run the commands of one process until the time is over."""
        role, runs = ROLES[number], 0
        while self.seconds_left > 0:
            self.run(role, number, runs)
            runs += 1

    def run(self, role: str, number: int, run: int) -> None:
        """Run the command of a role to its end, and keep its result."""
        output = self.folder / f"output-{number}"
        arguments = [*self._arguments(role, number, run), "--db", str(self.scene.database)]
        with output.open("wb") as target:
            command = subprocess.Popen(
                [sys.executable, "-m", "scantune", *arguments], env=self.scene.environment(), cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=target, stderr=subprocess.STDOUT,
            )  # fmt: skip
        try:
            status = command.wait(max(0.0, self.seconds_left) + _LONGEST_ENDING_S)
        except subprocess.TimeoutExpired:
            command.kill()
            status = command.wait()
        self.runs[role] += 1
        if status != 0:
            told = output.read_text(errors="replace")[-2000:]
            self.wrong.append(f"{shlex.join(arguments)} ended with {status}:\n{told}")
        elif role == "tune":
            self.winners += json.loads(self._told(number).read_text())["winners"]
        elif role == "import":
            self.imported.add(Path(arguments[2]))

    def _arguments(self, role: str, number: int, run: int) -> list[str]:
        if role == "tune":
            # Each run has three new sizes, or there would be nothing left to search.
            sizes = ",".join(str(2**power + run) for power in (6, 9, 12))
            asked = ["--arch", "host", "--type", _TYPES[number // 2 % len(_TYPES)], "--n", sizes, "--workers", "1"]
            return [
                "tune",
                *asked,
                "--budget",
                f"{max(1.0, self.seconds_left):.0f}s",
                "--json",
                str(self._told(number)),
            ]
        return {
            "import": ["db", "import", str(self.folder / ("old.db" if run % 2 else f"young-{number}.db"))],
            "forget": ["db", "forget", "--older-than", "30d"],
            "vacuum": ["db", "vacuum"],
            "show": ["db", "show"],
            "explain": ["db", "explain", "--arch", "host", "--type", "i32", "--n", "2^6..2^12"],
        }[role]

    def _told(self, number: int) -> Path:
        return self.folder / f"told-{number}.json"

    def watch(self) -> None:
        """Read until the end, and check that all rows stay but those that are old."""
        before = kept(Contents.of(self.scene.database))
        while self.seconds_left > 0:
            time.sleep(_READ_EVERY_S)
            later = kept(Contents.of(self.scene.database))
            self.wrong += before.lost_in(later)
            before, self.reads = later, self.reads + 1

    def check(self) -> None:
        """Check what is left once all have ended."""
        self.wrong += damage_of(self.scene.database)
        now_there = Contents.of(self.scene.database)
        for file in sorted(self.imported - {self.folder / "old.db"}):
            self.wrong += [f"{file.name}: {one}" for one in Contents.of(file).lost_in(now_there)]
        there = {(row[1], json.loads(row[4])["input_type"], row[6]) for row in now_there.records}
        for winner in self.winners:
            place = winner["device"]["name"], winner["problem"]["input_type"], winner["n"]
            if place not in there:
                self.wrong.append(f"the winner of {place} was told and is lost")
        self.wrong += self.scene.run(["db", "forget", "--older-than", "30d", "--db", str(self.scene.database)])
        left = Contents.of(self.scene.database)
        if old := [row for row in (*left.records, *left.trials) if row[1] == _OLD]:
            self.wrong.append(f"{len(old)} old rows were not forgotten")
        self.wrong += kept(now_there).lost_in(left)

    def summary(self) -> str:
        told = ", ".join(f"{count} {role}" for role, count in sorted(self.runs.items()))
        left = Contents.of(self.scene.database)
        return (
            f"runs: {told}; {self.reads} reads beside them; {len(self.winners)} winners told, {len(left.trials)} "
            f"trials and {len(left.records)} records kept"
        )


def kept(contents: Contents) -> Contents:
    """Return the rows that no process forgets."""
    trials = {key: row for key, row in contents.trials.items() if key[1] != _OLD}
    return Contents(trials, frozenset(row for row in contents.records if row[1] != _OLD))


def prepare(folder: Path, processes: int) -> Scene:
    """Make the files that are imported, and the database, which holds the old ones."""
    scene = Scene(folder)
    old = folder / "old.db"
    save(old, 50, microseconds=2.0, devices=[Device("host", _OLD, 8)], finished_at=_LAST_YEAR)
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE trial SET finished_at = ?", (_LAST_YEAR,))
    shutil.copy(old, scene.database)
    for number, role in enumerate(ROLES[:processes]):
        if role == "import":
            device = Device("host", f"CPU {number}", 8)
            save(folder / f"young-{number}.db", 50, microseconds=2.0, devices=[device], finished_at=now())
    return scene


def campaign(processes: int, seconds: float) -> bool:
    """Return whether all checks held."""
    folder = Path(tempfile.mkdtemp(prefix="many-processes-"))
    crowd = Crowd(folder, seconds, prepare(folder, processes))
    with ThreadPoolExecutor(processes + 1) as pool:
        playing = [pool.submit(crowd.play, number) for number in range(processes)]
        pool.submit(crowd.watch).result()
        for one in playing:
            one.result()
    crowd.check()
    for fault in crowd.wrong:
        print(fault, flush=True)
    print(
        f"{processes} processes for {seconds:.0f} s: {crowd.summary()}; {len(crowd.wrong) or 'no'} faults", flush=True
    )
    if crowd.wrong:
        print(f"their files are in {folder}")
    else:
        shutil.rmtree(folder)
    return not crowd.wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--processes",
        type=int,
        default=len(ROLES),
        choices=range(1, len(ROLES) + 1),
        metavar="N",
        help=f"at once, 1 to {len(ROLES)} ({len(ROLES)})",
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="until they are to end (60)")
    options = parser.parse_args()
    return 0 if campaign(options.processes, options.seconds) else 1


if __name__ == "__main__":
    sys.exit(main())
