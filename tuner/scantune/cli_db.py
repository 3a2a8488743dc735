"""The commands of the database: scantune db."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from scantune import paths
from scantune.archive import Archive
from scantune.asked import Asked, Filter
from scantune.cli_worker import chosen_worker
from scantune.database import open_database, open_readonly
from scantune.device_choice import AUTO
from scantune.errors import ScantuneError
from scantune.evaluation import Evaluator, Timeouts
from scantune.exchange import import_database
from scantune.export import export_built_in, export_database
from scantune.options import (
    BACK_TO_BACK,
    IN_ORDER,
    UNCONSTRAINED,
    DbOption,
    DeterminismOption,
    DeviceOption,
    ForwardProgressOption,
    LatencyOption,
    listed,
)
from scantune.problem import Problem
from scantune.quantity import counted, format_size, parse_sizes
from scantune.referee import Referee
from scantune.report import portfolio_table, winners_table
from scantune.selection import Selection, select
from scantune.terminal import console, note, reported_errors, say

db_app = typer.Typer(no_args_is_help=True, help="Look at, carry and question the tuning database.")


@db_app.command()
def show(
    db: DbOption = None,
    arch: Annotated[str | None, typer.Option(help="Only this architecture.")] = None,
    type_: Annotated[
        list[str] | None, typer.Option("--type", help="Only these value types, spelled as for tune.")
    ] = None,
    op: Annotated[
        list[str] | None,
        typer.Option(
            help="Only these operators; custom_moderate with all named ones of its class, or custom_moderate:NAME."
        ),
    ] = None,
) -> None:
    """Print the winners, one table per device."""
    with reported_errors():
        path = paths.database_path(db)
        with open_readonly(path) as database:
            records, breakpoints = Archive(database).records(), Archive(database).breakpoints()
        wanted = Filter(listed(type_), listed(op))
        records = [record for record in records if arch in (None, record.device.arch) and wanted.admits(record.problem)]
        for device in dict.fromkeys(record.device for record in records):
            console.print(winners_table([one for one in records if one.device == device], {}, str(device)))
            found = [one for one in breakpoints if one.device == device and wanted.admits(one.problem)]
            if found:
                console.print(portfolio_table(found, "Breakpoints between them"))
        say(f"{counted(len(records), 'winner')} in {path}")


@db_app.command("export")
def export_command(
    file: Path,
    db: DbOption = None,
    force: Annotated[bool, typer.Option(help="Replace FILE if it exists.")] = False,
    built_in: Annotated[
        bool,
        typer.Option("--built-in", help="Write the winners of GPUs alone, as db/builtin/records.jsonl holds them."),
    ] = False,
) -> None:
    """Write the database to FILE, for 'scantune db import' on other machines.

    With --built-in, FILE is for those who build the library: it comes with those records, and uses them untuned.
    """
    with reported_errors():
        with open_readonly(paths.database_path(db)) as database:
            records = Archive(database).records()
            if built_in:
                records = export_built_in(records, Archive(database).breakpoints(), file, overwrite=force)
            else:
                export_database(database, file, overwrite=force)
        say(f"{counted(len(records), 'winner')} exported to {file}")


@db_app.command("import")
def import_command(file: Path, db: DbOption = None) -> None:
    """Merge the winners and trials of FILE.

    Of two winners that of the templates here stays, then the better measured, then the newer. None of ours gives way to
    one that the worker refuses.
    """
    with reported_errors():
        path = paths.database_path(db)
        with open_database(path) as database, Referee() as referee:
            report = import_database(database, file, referee)
        say(
            f"{counted(report.new_records, 'new winner')}, {report.better_records} replaced ours, "
            f"{report.kept_records} of ours kept, {counted(report.new_trials, 'new trial')}, "
            f"{counted(report.new_breakpoints, 'new breakpoint')} in {path}"
        )
        if report.rejected:
            listed = "\n  ".join(report.rejected[:10])
            note(f"{counted(len(report.rejected), 'row')} of {file} left out because not valid:\n  {listed}")
        if report.took_nothing:
            raise ScantuneError(f"{file}: not one of its rows is valid")


@db_app.command()
def explain(
    n: Annotated[list[str], typer.Option(help="Sizes, as for tune.")],
    type_: Annotated[list[str], typer.Option("--type", help="Value types, as for tune.")],
    op: Annotated[
        list[str] | None, typer.Option(help="Operators, as for tune; custom_moderate:NAME is one that has a name.")
    ] = None,
    determinism: DeterminismOption = UNCONSTRAINED,
    forward_progress: ForwardProgressOption = IN_ORDER,
    latency: LatencyOption = BACK_TO_BACK,
    arch: Annotated[str, typer.Option(help="As for tune.")] = AUTO,
    db: DbOption = None,
    device: DeviceOption = None,
) -> None:
    """Say what runtime::scan() would run, from which record and why, and which records it rejects."""
    with reported_errors(), contextlib.ExitStack() as stack:
        # Without the option the worker reads what runtime::scan() reads, which can be several databases.
        databases = [paths.database_path(db)] if db else None
        worker = chosen_worker(stack, arch, device)
        sizes = parse_sizes(n)
        asked = Asked(listed(type_), listed(op), determinism, forward_progress, latency).or_else([])
        for problem in asked.problems(worker.hello(), Evaluator(worker, Timeouts()), sizes[0], note):
            for size in sizes:
                _print_selection(problem, size, select(worker, problem, size, databases))


def _print_selection(problem: Problem, n: int, selection: Selection) -> None:
    values = " ".join(f"{name}={value}" for name, value in selection.config.values)
    lines = [
        f"{problem} {format_size(n)}: {selection.origin}: {selection.reason}",
        f"  {selection.config.family} {values}",
        *(f"  rejected {row}: {reason}" for row, reason in selection.rejected),
    ]
    say("\n".join(lines))
