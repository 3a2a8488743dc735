"""Fixtures: a fake worker with faults that a test chooses, and databases in a folder of the test's own."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import made_up
from examples import scan
from fake_worker import FAMILIES, family_table
from scantune.model.breakpoint import Breakpoint
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.coverage import Coverage
from scantune.model.family_table import FamilyTables
from scantune.model.operator_source import OperatorSource
from scantune.model.outcome import Outcome
from scantune.model.policy import Effort, Policy, Rounds
from scantune.model.problem import Problem
from scantune.model.record import Record, Run, policy_text
from scantune.model.restriction import Restriction
from scantune.model.space import Space
from scantune.search.sampler_names import Sampler
from scantune.search.study_storage import StudyStorage
from scantune.search.tuning_run import TuningRun
from scantune.store.archive import Archive
from scantune.store.database import Database, open_database
from scantune.worker import client as worker_module
from scantune.worker.client import Worker
from scantune.worker.compile_pool import CompilePool
from scantune.worker.evaluation import Timeouts

# Without the packages of the environment, whose folders take Python as long to look through as all else.
FAKE_WORKER = [sys.executable, "-S", "-E", str(Path(__file__).parent / "start_fake_worker.py")]
TABLES = FamilyTables.from_message([family_table(*one) for one in FAMILIES.items()])
SUM = scan("i32")
QUICK = Policy(
    trials=24, patience=24, batch=4, ahead=8, finalists=3,
    racing=Rounds(rounds=3, min_round_ms=0.1, slower_than=1.5), final=Rounds(rounds=7, min_round_ms=0.1, ceiling=True),
    probing=Rounds(rounds=7, min_round_ms=0.1), verify_items=2**18, budget_s=30.0,
)  # fmt: skip


@pytest.fixture(autouse=True)
def own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's settings and files out of the tests, and the tests out of them."""
    for name in ("SCANTUNE_DB", "SCANTUNE_CACHE", "SCANTUNE_WORKER", "FAKE_WORKER_FAULTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(worker_module, "START_PAUSE_S", 0.0)


@pytest.fixture(autouse=True)
def no_worker_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kill the workers that a test leaves: what ends with a command's process would be here until the last test."""
    started: list[Worker] = []
    prepare = Worker.__init__

    def prepared(worker: Worker, *arguments: Any, **named: Any) -> None:
        prepare(worker, *arguments, **named)
        started.append(worker)

    monkeypatch.setattr(Worker, "__init__", prepared)
    yield
    for worker in started:
        worker.kill()


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of kernels that workers compile once for all tests, and keep where the environment says so."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own  # by all processes of this run
    folder = Path(os.environ.get("SCANTUNE_TEST_KERNELS", shared), "python")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


@pytest.fixture
def kept_kernels(kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let functions on arrays compile into that folder."""
    monkeypatch.setenv("SCANTUNE_CACHE", str(kernels))


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let every worker started from now on have these faults."""
    return lambda **faults: monkeypatch.setenv("FAKE_WORKER_FAULTS", json.dumps(faults))


@pytest.fixture
def request_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[dict[str, Any]]]:
    """Return a function that returns the requests to all workers."""
    path = tmp_path / "requests.jsonl"
    monkeypatch.setenv("FAKE_WORKER_LOG", str(path))
    return lambda: [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def fake_worker_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands start the fake worker."""
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join(FAKE_WORKER))


@pytest.fixture
def made_up_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the real worker answer all but what it would compile, verify and time: worker_host_test does that."""
    monkeypatch.setattr(Worker, "call", made_up.call)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Take an empty folder for that of the files of results."""
    monkeypatch.setattr("results_file.ROOM", tmp_path)
    return tmp_path


@pytest.fixture
def worker() -> Iterator[Worker]:
    with Worker(FAKE_WORKER, "host") as worker:
        yield worker


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(tmp_path / "tuning.db") as database:
        yield database


@dataclass
class Notebook:
    """A watcher that remembers what it was told."""

    tries: int = 0
    races: list[Cell] = field(default_factory=list)
    searches: list[Cell] = field(default_factory=list)
    found_records: list[Record] = field(default_factory=list)
    found_breakpoints: list[Breakpoint] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)
    skipped: int = 0
    on_try: Callable[[int], None] = lambda tries: None

    def started(self, tasks: int, finished: int, budget_s: float) -> None:
        self.skipped = finished

    def raced(self, covered: Coverage, record: Record, space: Space) -> None:
        self.races.append(covered.cell)

    def searching(self, cell: Cell) -> None:
        self.searches.append(cell)

    def tried(self, trials: int, limit: int, best: Config | None, best_us: float | None) -> None:
        self.tries += 1
        self.on_try(self.tries)

    def found(self, covered: Coverage, record: Record, space: Space) -> None:
        self.found_records.append(record)

    def switches(self, found: Breakpoint) -> None:
        self.found_breakpoints.append(found)

    def gave_up(self, covered: Coverage) -> None:
        self.given_up.append(covered.reason)


Tune = Callable[..., tuple[Outcome, Notebook]]


@pytest.fixture
def tune(database: Database) -> Tune:
    """Return a function that runs the tuner over the fake worker and returns the outcome."""

    def run(
        sizes: tuple[int, ...] = (2**14,), problems: tuple[Problem, ...] = (SUM,), policy: Policy = QUICK,
        effort: Effort = Effort.quick, seed: int = 1, started_at: str = "2026-01-01T00:00:00Z",
        timeouts: Timeouts | None = None, notebook: Notebook | None = None, source: OperatorSource | None = None,
        is_portfolio: bool = False, restriction: Restriction | None = None, sampler: Sampler = Sampler.default,
        storage: StudyStorage | None = None,
    ) -> tuple[Outcome, Notebook]:  # fmt: skip
        notebook = notebook or Notebook()
        with Worker(FAKE_WORKER, "host", seed) as worker:
            hello = worker.hello()
            own = Run(
                started_at, "0.2.0", hello.template_hash, hello.compiler_version, "none", effort, seed,
                policy_text(policy, source, sampler.value),
            )  # fmt: skip
            patience = timeouts or Timeouts.of(hello.device)
            pool = CompilePool(lambda: Worker(FAKE_WORKER, "host", seed), 2, patience.compile_s)
            tuner = TuningRun(
                Archive(database, hello.algorithms),
                worker,
                pool,
                own,
                policy,
                notebook,
                patience,
                source,
                is_portfolio=is_portfolio,
                restriction=restriction,
                sampler=sampler,
                storage=storage,
            )
            return tuner.run(problems, sizes), notebook

    return run


def rows(database: Database, query: str) -> list[dict[str, Any]]:
    """Return all rows of all_trials or all_records."""
    return [dict(row) for row in database.rows(query)]
