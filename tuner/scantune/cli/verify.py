"""The command that measures records again, mainly those of others: scantune db verify."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from scantune.cli.exchange import noted_signature
from scantune.cli.filter import Filter
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import (
    ArchOption,
    DbOption,
    DeviceOption,
    JsonOption,
    SizesOption,
    WorkersOption,
    databases_to_read,
    existing_database,
    listed,
)
from scantune.cli.terminal import console, note, note_rows_left_out, reported_errors, say
from scantune.cli.workers import chosen_worker, compile_pool, sigterm_as_interrupt
from scantune.compare.correction import BAD, Correction, DatabaseCorrection, TextCorrection
from scantune.compare.verify import Checked, Verdict, Verification
from scantune.errors import ScantuneError, Status
from scantune.model.algorithms import Algorithms
from scantune.model.device import Hello
from scantune.model.policy import Effort, policy_of
from scantune.model.quantity import counted, format_size, parse_duration, parse_sizes
from scantune.report.listing import Column, Listing, Row
from scantune.store.archive import Archive
from scantune.store.database import open_database
from scantune.store.foreign import foreign_contents
from scantune.store.text_contents import TextContents
from scantune.worker.defaults import Defaults
from scantune.worker.device_choice import AUTO
from scantune.worker.evaluation import Evaluator, Timeouts

_TRIED = (Verdict.verified, *BAD)


def verify_command(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A file of records; default: the database.")
    ] = None,
    budget: Annotated[
        str, typer.Option(help="Wall time for measuring: 90s, 10m. The most doubtful records come first.")
    ] = ("2m"),
    is_applied: Annotated[
        bool,
        typer.Option(
            "--apply/--dry-run",
            help="Forget wrong and slower records, and save new times of the others; or change nothing.",
        ),
    ] = False,
    algorithm: Annotated[str | None, typer.Option(help="Only this algorithm.")] = None,
    type_: Annotated[list[str] | None, typer.Option("--type", help="Only these value types, as for tune.")] = None,
    op: Annotated[list[str] | None, typer.Option(help="Only these operators, as for db show.")] = None,
    n: SizesOption = None,
    arch: ArchOption = AUTO,
    device: DeviceOption = None,
    db: DbOption = None,
    workers: WorkersOption = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of the verified inputs.")] = 1,
    json_: JsonOption = None,
) -> None:
    """Verify and measure records again on this device, each in a race with the default and the config in use.

    The records are those of the database, or of FILE. The order is: implausible times, records that others measured,
    other templates, searches that were cut short, the oldest. Without --apply nothing is changed. With it, wrong and
    slower records are forgotten in their database or FILE. The --json file is written after each record. Exits with 3
    if a wrong or slower record is left.
    """
    with reported_errors(), sigterm_as_interrupt(), contextlib.ExitStack() as stack:
        output = JsonOutput.of(json_, "db verify")
        wanted = Filter(listed(type_), listed(op), algorithm=algorithm)
        wanted.check()
        sizes = frozenset(parse_sizes(n) if n else ())
        budget_s = parse_duration(budget)
        path = existing_database(file or db)
        databases = databases_to_read(db)
        worker = chosen_worker(stack, arch, device, seed)
        hello = worker.hello()
        source = _Source(path, hello.algorithms)
        records = [
            record for record in source.records if wanted.admits(record.problem) and (not sizes or record.n in sizes)
        ]
        evaluator = Evaluator(worker, Timeouts.of(hello.device))
        pool = stack.enter_context(compile_pool(worker, seed, workers))
        policy = policy_of(hello.device, Effort.quick)
        verification = Verification(worker, evaluator, pool, databases, policy, seed)
        correction = source.correction(stack, evaluator) if is_applied else None
        report = _Report(output, path, hello, correction, Defaults(evaluator))
        try:
            for checked in verification.run(records, budget_s):
                report.keep(checked)
        finally:
            report.tell()
        if report.leaves_bad_ones:
            raise typer.Exit(Status.not_within)


class _Source:
    """The content of a file, a database or text."""

    def __init__(self, path: Path, algorithms: Algorithms) -> None:
        rejected: list[str] = []
        with foreign_contents(path, rejected.append, algorithms, trusts_times=True) as contents:
            self.records, self._breakpoints = contents.records(), contents.breakpoints()
            self._text = contents.content if isinstance(contents, TextContents) else None
            self._is_whole = not (rejected or contents.unknown_keys)
        note_rows_left_out(path, rejected)
        self._path, self._algorithms = path, algorithms

    def correction(self, stack: contextlib.ExitStack, evaluator: Evaluator) -> Correction:
        if self._text is None:
            database = stack.enter_context(open_database(self._path))
            return DatabaseCorrection(Archive(database, self._algorithms), evaluator)
        if not self._is_whole:
            raise ScantuneError(
                f"{self._path}: has lines or keys that are unknown here and would be lost if it were "
                "rewritten; leave out --apply, or import it first and verify the database"
            )
        return TextCorrection(self._path, self._text, self.records, self._breakpoints)


@dataclass
class _Report:
    """The results so far, and the corrections made."""

    output: JsonOutput
    path: Path
    hello: Hello
    correction: Correction | None  # None: change nothing
    defaults: Defaults
    results: list[Checked] = field(default_factory=list)
    applied: Counter[Verdict] = field(default_factory=Counter)
    leaves_bad_ones: bool = False

    def keep(self, checked: Checked) -> None:
        self.results.append(checked)
        if checked.verdict in _TRIED:
            note(str(checked))
            # The space is asked for now: Ctrl-C ends the worker, and the table comes after it.
            self.defaults.space(checked.record.problem, checked.record.n)
            self.output.update(**self._message())
        is_applied = self.correction is not None and self.correction.apply(checked)
        self.applied[checked.verdict] += is_applied
        self.leaves_bad_ones |= checked.verdict in BAD and not is_applied

    def tell(self) -> None:
        """Print all results first: writing the file may fail, and measuring took long. Raises DatabaseError."""
        shown = [one for one in self.results if one.verdict in _TRIED or one.record.device == self.hello.device]
        if shown:
            console.print(_table(shown, self.defaults, str(self.hello.device)))
        counts = Counter(one.verdict for one in self.results)
        told = ", ".join(f"{counts[verdict]} {verdict.value.replace('_', ' ')}" for verdict in Verdict)
        say(f"{counted(len(self.results), 'winner')} of {self.path}: {told}")
        if elsewhere := len(self.results) - len(shown):
            say(f"{elsewhere} of the not applicable are of other devices")
        try:
            if self.correction:
                with noted_signature(self.path):
                    self.correction.finish()
                forgotten = sum(self.applied[verdict] for verdict in BAD)
                say(f"{forgotten} forgotten, {self.applied[Verdict.verified]} with new times")
        finally:
            self.output.write(**self._message())

    def _message(self) -> dict[str, Any]:
        return {
            "device": vars(self.hello.device), "source": str(self.path),
            "applied": self.correction is not None and self.correction.is_written,
            "results": [one.message() for one in self.results],
        }  # fmt: skip


def _table(results: Sequence[Checked], defaults: Defaults, title: str) -> Listing:
    columns = [Column("problem", is_text=True), Column("N"), Column("verdict", is_text=True)]
    columns += [Column("recorded µs"), Column("µs"), Column("doubts", is_text=True)]
    caption = "doubts: why a record was measured early, the most serious first. config: departures from the default."
    return Listing(title, columns, [_row(one, defaults) for one in results], "config", caption)


def _row(one: Checked, defaults: Defaults) -> Row:
    record = one.record
    measured = f"{one.measured.median_us:.2f}" if one.measured else "–"
    cells = [
        str(record.problem), format_size(record.n), one.verdict.value.replace("_", " "), f"{record.median_us:.2f}",
        measured, ", ".join(one.suspicions) or "–",
    ]  # fmt: skip
    reason = f"\n{one.reason}" if one.verdict is not Verdict.verified else ""
    return Row(cells, f"{defaults.told(record.problem, record.n, record.config)}{reason}")
