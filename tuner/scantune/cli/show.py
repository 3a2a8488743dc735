"""The command that shows the records of a database or the library: scantune db show."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from scantune import paths
from scantune.cli.filter import Filter
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import DbOption, JsonOption, listed
from scantune.cli.terminal import console, note, note_rows_left_out, reported_errors, say
from scantune.cli.workers import described_worker
from scantune.errors import ScantuneError, UsageError
from scantune.model.algorithms import Algorithms
from scantune.model.breakpoint import Breakpoint
from scantune.model.device import Device
from scantune.model.quantity import counted
from scantune.model.record import Record
from scantune.report.messages import breakpoint_message, winner_message
from scantune.report.tables import portfolio_table, winners_table
from scantune.store.archive import Archive
from scantune.store.database import open_readonly
from scantune.worker.built_in import NO_DEVICE, built_in_records
from scantune.worker.client import Worker
from scantune.worker.defaults import Defaults
from scantune.worker.evaluation import Evaluator, Timeouts

Found = TypeVar("Found", Record, Breakpoint)


def show_command(
    db: DbOption = None,
    arch: Annotated[str | None, typer.Option(help="Only this architecture.")] = None,
    algorithm: Annotated[str | None, typer.Option(help="Only this algorithm.")] = None,
    type_: Annotated[
        list[str] | None, typer.Option("--type", help="Only these value types, spelled as for tune.")
    ] = None,
    op: Annotated[
        list[str] | None,
        typer.Option(
            help="Only these operators; custom_moderate includes all named ones of its class, or custom_moderate:NAME."
        ),
    ] = None,
    device: Annotated[str | None, typer.Option(help="Only devices whose name contains this, such as H200.")] = None,
    built_in: Annotated[
        bool, typer.Option("--built-in", help="Show the library's records instead of a database's.")
    ] = False,
    json_: JsonOption = None,
) -> None:
    """Print the winners, one table per device."""
    with reported_errors(), contextlib.ExitStack() as stack:
        output = JsonOutput.of(json_, "db show")
        wanted = Filter(listed(type_), listed(op), arch, device, algorithm)
        wanted.check()
        if built_in and db:
            raise UsageError(f"--built-in and --db {db} contradict each other: leave one out")
        source = "the library" if built_in else str(paths.database_path(db))
        records, breakpoints = _built_in(stack) if built_in else _stored(paths.database_path(db))
        devices = filter(wanted.admits_device, dict.fromkeys(record.device for record in records))
        workers = {device: _started(stack, device) for device in devices}
        algorithms = next((worker.hello().algorithms for worker in workers.values() if worker), Algorithms())
        chosen, found = _shown(records, wanted, algorithms), _shown(breakpoints, wanted, algorithms)
        defaults = {device: Defaults(Evaluator(worker, Timeouts())) for device, worker in workers.items() if worker}
        _print_winners(chosen, found, defaults)
        _note_what_is_not_known(chosen, algorithms)
        say(f"{counted(len(chosen), 'winner')} in {source}")
        if records and not chosen:
            say("it has winners of " + ", ".join(map(str, dict.fromkeys(record.device for record in records))))
        output.write(
            source=source, winners=[winner_message(record, defaults.get(record.device)) for record in chosen],
            breakpoints=[breakpoint_message(one) for one in found],
        )  # fmt: skip


def _stored(path: Path) -> tuple[list[Record], list[Breakpoint]]:
    with open_readonly(path) as database:
        archive = Archive(database)
        records, breakpoints = archive.records(), archive.breakpoints()
    note_rows_left_out(path, archive.left_out)
    if not paths.is_written_here(path):
        records = [replace(record, run=record.run.without_signer()) for record in records]
    return records, breakpoints


def _built_in(stack: contextlib.ExitStack) -> tuple[list[Record], list[Breakpoint]]:
    # The library's breakpoints are not shown: it does not keep the probes that found them.
    return built_in_records(described_worker(stack, NO_DEVICE)), []


def _started(stack: contextlib.ExitStack, device: Device) -> Worker | None:
    """Return a worker that answers for a device; None if it cannot be started."""
    try:
        worker = described_worker(stack, device)
        worker.hello()
    except ScantuneError:
        return None
    return worker


def _shown(found: Iterable[Found], wanted: Filter, algorithms: Algorithms) -> list[Found]:
    """Return the records that the filter admits, with their problem as declared: libraries read no other spelling."""
    declared = cache(algorithms.declared)
    shown = []
    for one in found:
        if wanted.admits_device(one.device):
            with contextlib.suppress(ValueError):
                problem = declared(one.problem)
                shown += [replace(one, problem=problem)] if wanted.admits(problem) else []
    return shown


def _print_winners(
    records: Sequence[Record], breakpoints: Sequence[Breakpoint], defaults: Mapping[Device, Defaults]
) -> None:
    for device in dict.fromkeys(record.device for record in records):
        known = defaults.get(device)
        of_device = [record for record in records if record.device == device]
        spaces = {(one.problem, one.n): known.space(one.problem, one.n) for one in of_device} if known else {}
        console.print(winners_table(of_device, spaces, str(device)))
        if found := [one for one in breakpoints if one.device == device]:
            console.print(portfolio_table(found, "Breakpoints between them"))


def _note_what_is_not_known(records: Sequence[Record], algorithms: Algorithms) -> None:
    unknown = Counter(record.problem.algorithm for record in records if not record.problem.declared)
    if unknown and not algorithms:
        note("without a worker, members at their default and bandwidths are not shown; see scantune doctor")
        return
    for name, count in unknown.items():
        note(
            f"{counted(count, 'winner')} of the algorithm {name}, which the worker here does not know: listed as kept, "
            "and left out of tuning"
        )
