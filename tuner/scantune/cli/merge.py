"""The command that merges files of records into one: scantune db merge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from scantune.cli.exchange import note_what_is_left_out, noted_signature
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import DryRunOption, JsonOption
from scantune.cli.standard_file import is_standard, output_file
from scantune.cli.terminal import leave_standard_output, note, reported_errors, say
from scantune.compare.merge import Conflict, MergeReport, merged
from scantune.compare.precedence import Precedence
from scantune.errors import UsageError
from scantune.model.quantity import counted, format_size
from scantune.model.record import Record
from scantune.report.differences import measured_text
from scantune.report.messages import winner_message
from scantune.store.archive import Archive
from scantune.store.database import Database
from scantune.store.export import export_database, export_text
from scantune.store.text_form import is_text_name


def merge_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Databases, or records as text.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; - is standard output.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Write text, as for a name that ends in .jsonl.")] = False,
    force: Annotated[bool, typer.Option(help="Replace the output if it exists.")] = False,
    dry_run: DryRunOption = False,
    json_: JsonOption = None,
) -> None:
    """Merge the winners and trials of FILEs by the rules of import. Their order does not matter.

    If two files have different winners for a cell, the one measured with the current templates is kept, then the better
    measured, then the newer. Each such conflict is reported.
    """
    with reported_errors(), Precedence() as precedence:
        if output is None and not dry_run:
            raise UsageError("db merge needs -o FILE, the file to write; --dry-run only shows the result")
        if output and json_ and is_standard(output) and is_standard(json_):
            raise UsageError("only one of -o and --json can be -: standard output is one")
        told = JsonOutput.of(json_, "db merge")
        if output and is_standard(output):
            leave_standard_output()
        text = text or bool(output and is_text_name(output))
        with merged(files, precedence) as (database, report):
            if output and not dry_run:
                _write(database, output, text, force)
        _print(report, precedence)
        place = f"merged into {output}" if output and not dry_run else "after a merge; nothing was written"
        say(
            f"{counted(report.winners, 'winner')}, {counted(report.breakpoints, 'breakpoint')}, "
            f"{counted(report.trials, 'trial')} {place}; {counted(len(report.conflicts), 'conflict')}, "
            f"{counted(report.measured_twice, 'cell')} of one winner measured more than once"
        )
        for path, other in report.same_as.items():
            note(f"{path} has the same content as {other}; the two count once")
        for path, left_out in report.files.items():
            note_what_is_left_out(path, left_out)
        told.write(
            files=[str(path) for path in files], output=str(output) if output else None, text=text, dry_run=dry_run,
            winners=report.winners, breakpoints=report.breakpoints, trials=report.trials,
            measured_twice=report.measured_twice,
            conflicts=[_message(conflict, report) for conflict in report.conflicts],
            rejected={str(path): one.rejected for path, one in report.files.items()},
        )  # fmt: skip


def _write(database: Database, output: Path, text: bool, force: bool) -> None:
    with noted_signature(output), output_file(output) as target:
        if text:
            archive = Archive(database)
            export_text(archive.records(), archive.breakpoints(), target, overwrite=force)
        else:
            export_database(database, target, overwrite=force)


def _print(report: MergeReport, precedence: Precedence) -> None:
    for conflict in report.conflicts:
        kept = conflict.kept
        say(f"{kept.device}, {kept.problem} {format_size(kept.n)}:")
        say(f"  kept    {_named(kept, report, precedence)}")
        for record, why in conflict.others:
            say(f"  against {_named(record, report, precedence)}: {why}")


def _named(record: Record, report: MergeReport, precedence: Precedence) -> str:
    files = ", ".join(map(str, report.sources[record]))
    return f"{record.median_us:.2f} µs of {files}: {measured_text(record, precedence.space(record))}"


def _message(conflict: Conflict, report: MergeReport) -> dict[str, Any]:
    kept = conflict.kept
    return {
        "device": vars(kept.device), "problem": kept.problem.message(), "n": kept.n, "kept": _side(kept, report),
        "others": [{**_side(record, report), "because": why} for record, why in conflict.others],
    }  # fmt: skip


def _side(record: Record, report: MergeReport) -> dict[str, Any]:
    message = winner_message(record, None)
    kept = {key: value for key, value in message.items() if key not in ("device", "problem", "n", "departures")}
    return {"files": [str(path) for path in report.sources[record]], **kept}
