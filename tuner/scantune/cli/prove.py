"""The command that times drawn cases with the configs before tuning and those now: scantune prove."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from scantune import paths
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import (
    ArchOption,
    DeviceOption,
    JsonOption,
    WorkersOption,
    databases_to_read,
    existing_database,
    listed,
)
from scantune.cli.terminal import console, note_rows_left_out, reported_errors, say
from scantune.cli.workers import chosen_worker, compile_pool
from scantune.compare.pairs import Verdict
from scantune.compare.proof import Proof, Result, Select, Unproven
from scantune.compare.proof_tables import count, described, mean_ratio, proof_table, summary
from scantune.compare.served import served_sizes
from scantune.errors import ScantuneError, Status, UsageError
from scantune.model.algorithms import Algorithms
from scantune.model.device import Device
from scantune.model.draws import Case, drawn_case
from scantune.model.policy import Effort, policy_of
from scantune.model.problem import Problem
from scantune.model.quantity import parse_duration
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.database import open_readonly
from scantune.worker.client import Worker
from scantune.worker.device_choice import AUTO
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import Selection, select

_DEFAULTS = "defaults"
_BUILT_IN = "built-in"


def prove_command(
    against: Annotated[
        str,
        typer.Option(
            metavar="defaults|built-in|DB",
            help="What ran before: the default configs, the library's records, or those of another database.",
        ),
    ],
    db: Annotated[
        list[Path] | None,
        typer.Option(
            "--db", help="The tuning database, instead of $SCANTUNE_DB; may be repeated, the first has precedence."
        ),
    ] = None,
    algorithm: Annotated[list[str] | None, typer.Option(help="Only cases of this algorithm; may be repeated.")] = None,
    cases: Annotated[int, typer.Option(min=1, max=100_000, help="Number of drawn cases.")] = 200,
    first: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Begin with this case, to continue a seed.")] = 0,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of the cases and inputs.")] = 1,
    budget: Annotated[
        str | None, typer.Option(help="Wall time for measuring: 90s, 10m. By default all cases are measured.")
    ] = None,
    arch: ArchOption = AUTO,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    json_: JsonOption = None,
) -> None:
    """Time drawn cases, which no run has tuned for, with the config before tuning and with the current one.

    Cases are drawn from the problems and sizes that the records of the database serve on this device, inclusive and
    exclusive, aligned and unaligned. A slower case is measured again, with three times the rounds. The --json file is
    written after each case. Exits with 3 if a case is slower both times, by more than 2 %, and with 1 if one could not
    be compared.
    """
    with reported_errors(), contextlib.ExitStack() as stack:
        output = JsonOutput.of(json_, "prove")
        wanted = listed(algorithm)
        budget_s = parse_duration(budget) if budget else math.inf
        databases = _Databases.of(db, against)
        worker = chosen_worker(stack, arch, device, seed)
        hello = worker.hello()
        evaluator = Evaluator(worker, Timeouts.of(hello.device))
        records = databases.records(hello.algorithms)
        drawn = _drawn(records, wanted, hello.device, evaluator, seed, range(first, first + cases))
        pool = stack.enter_context(compile_pool(worker, seed, workers))
        policy = policy_of(hello.device, Effort.quick)
        before, now = databases.before(worker, evaluator), _by(worker, databases.now)
        proof = Proof(evaluator, pool, policy, seed, before, now)
        report = _Report(output, hello.device, against, seed, first, len(drawn))
        try:
            for result in proof.run(drawn, budget_s):
                report.keep(result)
        finally:
            report.tell()
        if count(report.results, Verdict.slower):
            raise typer.Exit(Status.not_within)
        if any(isinstance(one, Unproven) for one in report.results):
            raise ScantuneError("some cases could not be compared; the lines above say why")


@dataclass(frozen=True)
class _Databases:
    """The databases that configs are selected from, now and before."""

    told: list[Path]  # from which cases are drawn
    now: list[Path] | None  # None: those that runtime::scan() reads
    against: str

    @classmethod
    def of(cls, db: Sequence[Path] | None, against: str) -> _Databases:
        """Raise UsageError if one of them does not exist."""
        now = [path for one in db for path in databases_to_read(one) or []] if db else None
        told = now or [existing_database(None)]
        found = cls(told, now, against)
        if (other := found._other) is not None:
            if not other.exists():
                raise UsageError(f"--against {against}: no such file; write {_DEFAULTS}, {_BUILT_IN}, or a database")
            if len(told) == 1 and other.samefile(told[0]):
                raise UsageError(f"--against {against}: is what runs now; name another database, or {_BUILT_IN}")
        return found

    def records(self, algorithms: Algorithms) -> list[Record]:
        """Return the records that cases are drawn from. Raises DatabaseError, also for the database to compare with."""
        if self._other is not None:
            _opened_records(self._other, algorithms)
        return [record for path in self.told for record in _opened_records(path, algorithms)]

    def before(self, worker: Worker, evaluator: Evaluator) -> Select:
        if self.against == _DEFAULTS:
            return lambda problem, n: _default(evaluator, problem, n)
        return _by(worker, [] if self._other is None else [self._other])

    @property
    def _other(self) -> Path | None:
        return None if self.against in (_DEFAULTS, _BUILT_IN) else Path(self.against).expanduser()


def _opened_records(path: Path, algorithms: Algorithms) -> list[Record]:
    with open_readonly(path, foreign=not paths.is_written_here(path)) as database:
        archive = Archive(database, algorithms)
        records = archive.records()
    note_rows_left_out(path, archive.left_out)
    return records


def _by(worker: Worker, databases: list[Path] | None) -> Select:
    return lambda problem, n: select(worker, problem, n, databases)


def _default(evaluator: Evaluator, problem: Problem, n: int) -> Selection:
    return Selection(evaluator.space(problem, n, configs=False).default, _DEFAULTS, "", ())


def _drawn(
    records: Sequence[Record], wanted: Sequence[str], device: Device, evaluator: Evaluator, seed: int,
    indices: Sequence[int],
) -> list[Case]:  # fmt: skip
    """Return the cases of a seed. Raises ScantuneError if there is nothing to draw from."""
    served = served_sizes(records, device, evaluator)
    there = sorted({one.forms[0].algorithm for one in served})
    if not there:
        raise ScantuneError(f"the database has no records of {device} that programs could run; tune first")
    if missing := sorted(set(wanted) - set(there)):
        raise UsageError(f"--algorithm {missing[0]}: the records are of {', '.join(there)}")
    kept = [one for one in served if not wanted or one.forms[0].algorithm in wanted]
    try:
        return [drawn_case(kept, seed, index) for index in indices]
    except ValueError as error:
        raise ScantuneError(f"there is nothing to draw from: {error}") from None


@dataclass
class _Report:
    """The results so far."""

    output: JsonOutput
    device: Device
    against: str
    seed: int
    first: int
    cases: int
    results: list[Result] = field(default_factory=list)

    def keep(self, result: Result) -> None:
        self.results.append(result)
        if line := described(result):
            say(line)
        self.output.update(**self._message())

    def tell(self) -> None:
        """Print all results first: writing the file may fail, and measuring took long."""
        done = len(self.results)
        if mean_ratio(self.results) is not None:
            title = f"What runs now, against {self.against}: seed {self.seed}, from case {self.first}"
            console.print(proof_table(self.results, title))
        left = self.cases - done
        resumed = f": --first {self.first + done} --cases {left} continues" if left else ""
        say(summary(self.results, left) + resumed)
        self.output.write(**self._message())

    def _message(self) -> dict[str, object]:
        return {
            "device": vars(self.device), "against": self.against, "seed": self.seed, "first": self.first,
            "cases": [one.message() for one in self.results], "left": self.cases - len(self.results),
            "geometric_mean": mean_ratio(self.results), "slower": count(self.results, Verdict.slower),
        }  # fmt: skip
