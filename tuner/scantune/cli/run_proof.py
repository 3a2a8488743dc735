"""The proof of a run: a fresh worker times drawn cases with and without the run's records."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scantune.cli.terminal import note, say
from scantune.compare.pairs import Verdict
from scantune.compare.proof import Proof, Proven, Result
from scantune.compare.proof_tables import described, mean_ratio
from scantune.compare.served import served_sizes
from scantune.compare.withdrawal import settle
from scantune.errors import ScantuneError
from scantune.model.config import Config
from scantune.model.draws import drawn_case
from scantune.model.policy import Policy
from scantune.model.problem import Problem
from scantune.model.quantity import counted
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.database import open_database
from scantune.store.private_directory import private_directory
from scantune.worker.client import Worker
from scantune.worker.compile_pool import CompilePool
from scantune.worker.evaluation import Evaluator
from scantune.worker.selection import Selection, select

PROOF_SHARE = 0.15  # of a run's time
_MOST_CASES = 2000  # unchanged cases take no time
_SEEDS_APART = 2**20  # from the seed that the run's searches used
_PREFIX = "scantune-proof-"


@dataclass(frozen=True)
class RunProof:
    results: Sequence[Result]
    withdrawn: Sequence[Record]

    def message(self) -> dict[str, Any]:
        """Return the proof for --json. It counts all cases, also those with withdrawn records."""
        return {
            "cases": len(self.results), "geometric_mean": mean_ratio(self.results),
            "withdrawn": [{"problem": record.problem.message(), "n": record.n} for record in self.withdrawn],
        }  # fmt: skip

    def tell(self) -> None:
        """Print one sentence. It never claims that nothing is slower: only a proof in another process could."""
        told = f"what your programs run: {mean_ratio(self.results) or 1.0:.3f} times as fast over "
        told += counted(len(self.results), "drawn case")
        say(told + (f"; {counted(len(self.withdrawn), 'record')} withdrawn" if self.withdrawn else ""))


class RunProver:
    """Times drawn cases of the records that a run has saved, and withdraws those that lose."""

    def __init__(
        self, archive: Archive, database: Path, worker: Worker, evaluator: Evaluator, pool: CompilePool, policy: Policy,
        earlier: Sequence[Record],
    ) -> None:  # fmt: skip
        """Compare the records in `database` with the `earlier` ones, those before the run. What ran without any
        `evaluator` tells.
        """
        self._archive = archive
        self._database = database
        self._worker = worker
        self._evaluator = evaluator
        self._pool = pool
        self._policy = policy
        self._earlier = earlier

    def prove(self, records: Sequence[Record], seed: int, seconds: float) -> RunProof | None:
        """Take that many seconds. Returns None if the records serve no case that could be drawn.

        Records that have lost are withdrawn even after an interruption. Raises ScantuneError as workers do.
        """
        self._worker.kill()  # the next request starts a process that has measured nothing yet
        served = served_sizes(records, self._worker.hello().device, self._evaluator)
        try:
            cases = [drawn_case(served, seed + _SEEDS_APART, index) for index in range(_MOST_CASES)]
        except ValueError:
            return None
        results: list[Result] = []
        withdrawn: list[Record] = []
        with self._earlier_database() as earlier:
            proof = Proof(
                self._evaluator, self._pool, self._policy, seed, lambda problem, n: self._before(problem, n, earlier),
                lambda problem, n: select(self._worker, problem, n, [self._database]),
            )  # fmt: skip
            try:
                for one in proof.run(cases, seconds):
                    results.append(one)
                    if not isinstance(one, Proven) or one.verdict is Verdict.slower:
                        note(described(one))
            finally:
                withdrawn += settle(self._archive, records, self._earlier, results, self._default_of)
        return RunProof(results, withdrawn)

    @contextlib.contextmanager
    def _earlier_database(self) -> Iterator[Path | None]:
        """Yield a temporary database of the earlier records; None without earlier records."""
        if not self._earlier:
            yield None
            return
        with private_directory(_PREFIX) as directory:
            path = directory / "earlier.db"
            with open_database(path) as database, database.transaction():
                archive = Archive(database, self._archive.algorithms)
                for record in self._earlier:
                    archive.add_record(record, archive.run_id(record.run))
            yield path

    def _default_of(self, record: Record) -> Config | None:
        """Return the default for a record's N; None if the worker does not answer, as when the run is interrupted."""
        with contextlib.suppress(ScantuneError):
            return self._evaluator.space(record.problem, record.n, configs=False).default
        return None

    def _before(self, problem: Problem, n: int, earlier: Path | None) -> Selection:
        """Return what ran before the run: by an earlier record, or without any."""
        if earlier is not None:
            selected = select(self._worker, problem, n, [earlier])
            if selected.record and selected.record["layer"] != "built_in":
                return selected
        config = self._evaluator.untuned(problem, n) or self._evaluator.space(problem, n, configs=False).default
        return Selection(config, "untuned", "", ())
