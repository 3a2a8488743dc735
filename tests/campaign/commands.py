"""The commands that write, each with the files that it writes and what must hold for them after a kill."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

from leftovers import Contents, damage_of, strangers_in
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.measurement import Measurement
from scantune.model.policy import Effort
from scantune.model.problem import Problem
from scantune.model.record import Record, Run
from scantune.model.trial import Trial
from scantune.store.archive import Archive
from scantune.store.database import open_database

_ROOT = Path(__file__).resolve().parents[2]
_LONGEST_RUN_S = 120.0
_NOON = "2026-01-01T12:00:00Z"
_SUM_OF_I32 = tuple((f"{role}_type", "i32") for role in ("input", "accumulator", "output"))
_RUN = Run(
    started_at="2026-01-01T00:00:00Z", tool_version="0.1.0", template_hash="a" * 64,
    compiler_version="NVRTC 13.0", driver_version="580.65", effort=Effort.quick, seed=1, policy="{}",
)  # fmt: skip
_DEVICES = (Device("sm_90", "NVIDIA H200", 132), Device("host", "A CPU", 8))

_TYPES = ("i32", "f32", "u8", "i64", "f64", "i16", "u32", "f16", "i8", "u64", "bf16", "u16")

_SCHEMA_VERSION_2 = _ROOT / "tests" / "python" / "schema_version_2.sql"
_ROWS_OF_VERSION_2 = f"""
INSERT INTO run VALUES (3, '{_NOON}', '0.1.0', '{"a" * 64}', 'NVRTC 13.0', '580', 'quick', 1, '{{}}');
INSERT INTO device VALUES (5, 'sm_90', 'NVIDIA H200', 132);
INSERT INTO problem VALUES
  (7, 'i32', 'i32', 'i32', 'sum', 'inclusive', 'unconstrained', 'in_order', 'back_to_back'),
  (9, 'i32', 'i32', 'i32', 'max', 'inclusive', 'unconstrained', 'in_order', 'back_to_back');
INSERT INTO record SELECT 5, id, 4096, 'lookback', '{{"window":0}}', 3, 0.7, 0.01, 0.9, NULL, '{_NOON}' FROM problem;
INSERT INTO trial SELECT NULL, 3, 5, id, 4096, 'lookback', '{{"window":0}}', '{"a" * 64}', 'ok', NULL, 0, 0.7, 0.01, 3,
  1.0, 1980, '{_NOON}' FROM problem;
"""

_MORE_RECORDS = """
WITH RECURSIVE more (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM more LIMIT ?)
INSERT INTO record SELECT device_id, problem_id, n + k, family, config, run_id, median_us, spread, default_us,
  ceiling_us, finished_at, n + k - 1, n + k, probes FROM record, more
"""
_MORE_TRIALS = """
WITH RECURSIVE more (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM more LIMIT ?)
INSERT INTO trial SELECT trial.id + k, run_id, device_id, problem_id, n, family, json_object('window', k),
  template_hash, status, reason, is_default, median_us, spread, samples, compile_ms, sm_clock_mhz, finished_at
FROM trial, more
"""


class Scene:
    """A command in a folder of its own, with caches, temporary files and databases there."""

    much, little = 300, 30  # records of databases

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "files" / "tuning.db"
        self.longest_s = 0.0  # latest time of a kill
        self._runs = 0
        for name in ("files", "temporary", "home", "cache"):
            (folder / name).mkdir()

    def arguments(self) -> list[str]:
        """Return the arguments of the next run."""
        raise NotImplementedError

    def before(self) -> None:
        """Put the files into the state that the next run starts from."""

    def faults(self) -> list[str]:
        """Return what is wrong with the files after a kill."""
        raise NotImplementedError

    def unfinished(self) -> list[str]:
        """Return what a command that ran to its end has not done."""
        return []

    def resumed(self) -> list[str]:
        """Run the command to its end after all kills, and return what is wrong then."""
        self.before()
        return self.continued(self.arguments())

    def continued(self, arguments: list[str]) -> list[str]:
        """Run the command to its end on the files that are there, a day later, and return what is wrong then."""
        _let_a_day_pass(self.folder / "files")
        return self.run(arguments) + self.faults() + self.unfinished()

    def strangers(self) -> list[str]:
        """Return the files that no command promised."""
        return strangers_in(self.folder / "files", {self.database.name + end for end in ("", "-wal", "-shm")})

    def variants(self) -> list[list[str]]:
        """Return the arguments of each form of the command whose every write is a kill point."""
        return [self.arguments()]

    def summary(self) -> str:
        raise NotImplementedError

    def start(self, arguments: list[str] | None = None) -> subprocess.Popen[bytes]:
        self._runs += 1
        return self.process(arguments or self.arguments())

    def process(self, arguments: list[str]) -> subprocess.Popen[bytes]:
        """Start the command in a session of its own; what it prints goes to the file `output`."""
        with (self.folder / "output").open("wb") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "scantune", *arguments],
                env=self.environment(),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def output(self) -> str:
        """Return what the last run printed."""
        return (self.folder / "output").read_text(errors="replace")

    def run(self, arguments: list[str]) -> list[str]:
        """Run a command to its end; return its output if it fails."""
        with self.start(arguments) as command:
            status = command.wait(_LONGEST_RUN_S)
        return [] if status == 0 else [f"{shlex.join(arguments)} ended with {status}:\n{self.output()[-2000:]}"]

    def timed(self, arguments: list[str]) -> float:
        """Return the seconds that a command takes, which must succeed."""
        started = time.monotonic()
        if wrong := self.run(arguments):
            raise SystemExit(wrong[0])
        return time.monotonic() - started

    def environment(self) -> dict[str, str]:
        cleared = {name: value for name, value in os.environ.items() if not name.startswith(("SCANTUNE_", "XDG_"))}
        return cleared | {
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "temporary"),
            "SCANTUNE_CACHE": str(self.folder / "cache"),
            "SCANTUNE_WORKER": shlex.quote(str(_worker())),
            "COLUMNS": "200",
        }


class Tune(Scene):
    """Searches that every run continues; every fourth is for a portfolio, and all write their studies to a journal."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._studies = folder / "studies.log"
        self._known = Contents.of(self.database)
        with self.start() as command:
            started = time.monotonic()
            while not Contents.of(self.database).trials and command.poll() is None:
                time.sleep(0.1)
            self.longest_s = time.monotonic() - started + 3
            command.kill()

    def arguments(self) -> list[str]:
        portfolio = ["--portfolio"] if self._runs % 4 == 3 else []
        # Every fourth run has new sizes, or there would be nothing left to search. The next three continue with them
        # until there are winners. More sizes would be searched in turns, and killed runs would find no winner.
        turn = self._runs // 4
        sizes = ",".join(str(2**power + turn) for power in (6, 9))
        problem = ["--arch", "host", "--type", _TYPES[turn % len(_TYPES)], "--n", sizes, "--workers", "2"]
        files = ["--db", str(self.database), "--storage", str(self._studies)]
        return ["tune", *problem, *portfolio, "--budget", "60s", *files]

    def faults(self) -> list[str]:
        if wrong := damage_of(self.database):
            return wrong
        now = Contents.of(self.database)
        wrong = self._known.lost_in(now)
        self._known = now
        return wrong

    def resumed(self) -> list[str]:
        left = _let_a_day_pass(self.folder / "temporary")
        began = datetime.now()
        wrong = self.run([*self.arguments(), "--budget", "5s"]) + self.faults()
        # The size is new, because kernels that are compiled already need no directory, and remove none.
        wrong += self.run([*self.arguments(), "--n", "100", "--budget", "5s"]) + self.faults()
        wrong += self.run(["db", "show", "--db", str(self.database)])
        wrong += self._wrong_studies(began)
        # This run itself may leave one: it ends its workers while they compile, and only later runs remove that.
        return wrong + [f"{path} was left over" for path in left if path.exists()]

    def _wrong_studies(self, since: datetime) -> list[str]:
        """Return what is wrong with the studies after runs since then came to their ends."""
        storage, wrong = JournalStorage(JournalFileBackend(str(self._studies))), []
        for name in optuna.get_all_study_names(storage):
            trials = optuna.load_study(study_name=name, storage=storage).trials
            wrong += [
                f"trial {trial.number} of {name} is half written"
                for trial in trials
                if trial.state is TrialState.COMPLETE and (trial.value is None or len(trial.params) < 2)
            ]
            was_continued = any(trial.datetime_start and trial.datetime_start >= since for trial in trials)
            if was_continued and (running := [one.number for one in trials if one.state is TrialState.RUNNING]):
                wrong.append(f"trials {running} of {name} are left running")
        return wrong

    def summary(self) -> str:
        return f"{len(self._known.trials)} trials and {len(self._known.records)} records kept"


class Import(Scene):
    """An import that merges all of a database into ours, or nothing."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._theirs, self._ours = folder / "theirs.db", folder / "ours.db"
        save(self._theirs, self.much, microseconds=2.0)
        save(self._ours, self.little, microseconds=3.0)
        self._merged = 0
        self.before()
        self._old = Contents.of(self.database)
        self.longest_s = 1.1 * self.timed(self.arguments())
        self._new = Contents.of(self.database)

    def arguments(self) -> list[str]:
        return ["db", "import", str(self._theirs), "--db", str(self.database)]

    def before(self) -> None:
        for path in self.database.parent.iterdir():
            path.unlink()
        shutil.copy(self._ours, self.database)

    def faults(self) -> list[str]:
        if wrong := damage_of(self.database):
            return wrong
        now = Contents.of(self.database)
        self._merged += now == self._new
        return [] if now in (self._old, self._new) else [f"half of it was merged: {len(now.trials)} trials"]

    def unfinished(self) -> list[str]:
        return self.strangers() + ([] if Contents.of(self.database) == self._new else ["it is not merged"])

    def summary(self) -> str:
        return f"{self._merged} of {self._runs} runs had merged {len(self._new.trials)} trials"


class Export(Scene):
    """An export that replaces an older one as a whole or not at all; every other run writes the built-in form."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._targets = (folder / "files" / "export.db", folder / "files" / "export.jsonl")
        self._older, self._newer = folder / "older", folder / "newer"
        for state, count in ((self._older, self.little), (self._newer, self.much)):
            state.mkdir()
            self.database.unlink(missing_ok=True)
            save(self.database, count, microseconds=2.0)
            for target in self._targets:
                self.longest_s = 1.1 * self.timed(self._writing(target))
                target.replace(state / target.name)
        self._replaced = 0

    def arguments(self) -> list[str]:
        return self._writing(self._targets[self._runs % 2])

    def before(self) -> None:
        for target in self._targets:
            shutil.copy(self._older / target.name, target)

    def faults(self) -> list[str]:
        wrong = damage_of(self._targets[0])
        for target in self._targets:
            whole = [_content(state / target.name) for state in (self._older, self._newer)]
            now = _content(target)
            self._replaced += now == whole[1]
            if now not in whole:
                wrong.append(f"{target.name} is neither the older export nor the newer one")
        return wrong

    def strangers(self) -> list[str]:
        targets = [str(target) for target in self._targets]
        return [one for one in super().strangers() if not one.startswith(tuple(f"{target} " for target in targets))]

    def continued(self, arguments: list[str]) -> list[str]:
        wrong = super().continued(arguments) + self.strangers()
        target = Path(next(one for one in arguments if one in map(str, self._targets)))
        is_new = _content(target) == _content(self._newer / target.name)
        return wrong + ([] if is_new else [f"{target.name} was not replaced"])

    def variants(self) -> list[list[str]]:
        return [self._writing(target) for target in self._targets]

    def summary(self) -> str:
        return f"{self._replaced} of {self._runs} runs had replaced the file"

    def _writing(self, target: Path) -> list[str]:
        built_in = ["--built-in"] if target.suffix == ".jsonl" else []
        return ["db", "export", str(target), "--force", *built_in, "--db", str(self.database)]


class Merge(Export):
    """A merge of two databases that replaces an older one in the same way; every other run writes text."""

    def __init__(self, folder: Path) -> None:
        self._theirs = folder / "theirs.db"
        save(self._theirs, self.much // 3, microseconds=1.0)
        super().__init__(folder)

    def continued(self, arguments: list[str]) -> list[str]:
        left = _let_a_day_pass(self.folder / "temporary")
        return super().continued(arguments) + [f"{path} was left over" for path in left if path.exists()]

    def _writing(self, target: Path) -> list[str]:
        return ["db", "merge", str(self.database), str(self._theirs), "-o", str(target), "--force"]


class Regret(Scene):
    """A command that writes what it has compared after each size."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._file = folder / "files" / "regret.json"
        save(self.database, 1, microseconds=2.0)
        self.timed(self.arguments())  # fills the kernel cache
        self.longest_s = self.timed(self.arguments())
        self._results = 0

    def arguments(self) -> list[str]:
        problem = ["--arch", "host", "--type", "i32", "--n", "2^6..2^9", "--samples", "3", "--trials", "0"]
        return ["regret", *problem, "--within", "1e9", "--json", str(self._file), "--db", str(self.database)]

    def faults(self) -> list[str]:
        if not self._file.exists():
            return damage_of(self.database)
        try:
            self._results += len(json.loads(self._file.read_text()))
            return damage_of(self.database)
        except ValueError as error:
            return [f"half of {self._file.name} was written: {error}"]

    def summary(self) -> str:
        return f"{self._results} comparisons were read"


class Forget(Scene):
    """A command that drops the winners of one device, or none."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._full = folder / "full.db"
        save(self._full, self.much, microseconds=2.0)
        self.before()
        self._old = self._state()
        self.longest_s = 1.1 * self.timed(self.arguments())
        self._new = self._state()
        self._changed = 0

    def arguments(self) -> list[str]:
        return ["db", "forget", "--arch", "sm_90", "--db", str(self.database)]

    def before(self) -> None:
        for path in self.database.parent.iterdir():
            path.unlink()
        shutil.copy(self._full, self.database)

    def faults(self) -> list[str]:
        if wrong := damage_of(self.database):
            return wrong
        now = self._state()
        self._changed += now == self._new
        return [] if now in (self._old, self._new) else [f"half of it was done: {now}"]

    def unfinished(self) -> list[str]:
        return self.strangers() + ([] if self._state() == self._new else ["it was not done"])

    def summary(self) -> str:
        return f"{self._changed} of {self._runs} runs had changed the database"

    def _state(self) -> Mapping[str, object]:
        """Return the version of the schema and how many rows each table has."""
        with closing(sqlite3.connect(self.database)) as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            counts = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}
            return {"version": connection.execute("PRAGMA user_version").fetchone()[0], **counts}


class Vacuum(Forget):
    """A command that drops what no winner names, and writes the file anew."""

    def arguments(self) -> list[str]:
        return ["db", "vacuum", "--db", str(self.database)]

    def before(self) -> None:
        super().before()
        with closing(sqlite3.connect(self.database)) as connection, connection:
            connection.execute("DELETE FROM record WHERE device_id = 1")


class Upgrade(Forget):
    """The first command that writes to a database of an older schema."""

    def arguments(self) -> list[str]:
        return ["db", "vacuum", "--db", str(self.database)]

    def before(self) -> None:
        for path in self.database.parent.iterdir():
            path.unlink()
        with closing(sqlite3.connect(self.database)) as connection:
            connection.executescript(_SCHEMA_VERSION_2.read_text(encoding="utf-8"))
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_ROWS_OF_VERSION_2)


COMMANDS: Mapping[str, type[Scene]] = {
    "tune": Tune,
    "import": Import,
    "export": Export,
    "merge": Merge,
    "forget": Forget,
    "vacuum": Vacuum,
    "upgrade": Upgrade,
    "regret": Regret,
}


def save(
    path: Path, count: int, microseconds: float, devices: Sequence[Device] = _DEVICES, finished_at: str = _NOON
) -> None:
    """Make a database with `records` records on each device, and ten times as many trials on the last."""
    problem, config = Problem(DEFAULT_ALGORITHM, _SUM_OF_I32), Config("lookback", (("window", 0),))
    with open_database(path) as database:
        for device in devices:
            session = Archive(database).start(_RUN, device)
            session.save_record(
                Record(
                    device, problem, 1, config, median_us=microseconds, spread=0.0, default_us=3.0, ceiling_us=2.0,
                    finished_at=finished_at, run=_RUN,
                )
            )  # fmt: skip
        measurement = Measurement(microseconds, spread=0.0, samples=1)
        session.save_trial(problem, 1, Trial(config, measurement, compile_ms=61.5), is_default=False)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(_MORE_RECORDS, (count - 1,))
        connection.execute(_MORE_TRIALS, (10 * count - 1,))


def _let_a_day_pass(folder: Path) -> list[Path]:
    """Make the files in a folder so old that a command removes those that killed ones left there; return them."""
    paths = list(folder.iterdir())
    for path in [*folder.rglob("*")]:
        os.utime(path, (0, 0))
    return paths


def _content(path: Path) -> object:
    return Contents.of(path) if path.suffix == ".db" else path.read_bytes()


def _worker() -> Path:
    build = _ROOT / os.environ.get("BUILD", "build")
    found = next((path for path in build.rglob("scantune-worker") if path.is_file()), None)
    if found is None:
        raise SystemExit(f"there is no scantune-worker in {build}; build it first: make test")
    return found
