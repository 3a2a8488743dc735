"""The searches of `scantune gallery --tune`: one for each family, restricted to it, before the families are raced."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from scantune import __version__
from scantune.cli.terminal import console, note
from scantune.cli.workers import compile_pool
from scantune.compare.gallery import Candidates
from scantune.errors import ScantuneError
from scantune.model.policy import Effort, policy_of
from scantune.model.record import Run, now, policy_text
from scantune.model.restriction import Restriction
from scantune.report.progress import ProgressReport
from scantune.search.tuning_run import TuningRun
from scantune.store.archive import Archive
from scantune.store.database import Database, DatabaseError
from scantune.worker.client import Worker, WorkerUnavailable

_SEED = 1


def search_each(
    worker: Worker, database: Database, candidates: Candidates, named: Collection[str], workers: int | None,
    search_s: float,
) -> None:  # fmt: skip
    """Search every family of the gallery by itself, and those that are named, each for that long plus its final round.
    Saves the trials.

    A family of the library may win a record, which programs would run, so it is searched only if named. A family
    without a working config is noted. Raises DatabaseError and WorkerUnavailable.
    """
    of_library = worker.hello().algorithms[candidates.problem.algorithm].families.of_library
    for family in (one for one in candidates.families if one not in of_library or one in named):
        try:
            _search(worker, database, candidates, family, workers, search_s)
        except (DatabaseError, WorkerUnavailable):
            raise
        except ScantuneError as error:
            note(f"{family} was not searched: {error}")


def _search(
    worker: Worker, database: Database, candidates: Candidates, family: str, workers: int | None, search_s: float
) -> None:
    hello = worker.hello()
    policy = replace(policy_of(hello.device, Effort.quick, search_s), surveys=False)
    run = Run(
        now(), __version__, hello.template_hash, hello.compiler_version, hello.driver_version, Effort.quick, _SEED,
        policy_text(policy, None),
    )  # fmt: skip
    sizes: Sequence[int] = [candidates.cell.n]
    with ProgressReport(console) as progress:
        pool = compile_pool(worker, _SEED, workers)
        archive = Archive(database, hello.algorithms)
        tuning = TuningRun(archive, worker, pool, run, policy, progress, restriction=Restriction((family,)))
        tuning.run([candidates.cell.problem], sizes)
