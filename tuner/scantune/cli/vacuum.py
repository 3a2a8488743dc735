"""The command that makes a database smaller: scantune db vacuum."""

from __future__ import annotations

from scantune.cli.json_output import JsonOutput
from scantune.cli.options import DbOption, DryRunOption, JsonOption, existing_database
from scantune.cli.terminal import reported_errors, say
from scantune.model.quantity import counted, format_bytes
from scantune.store.database import open_database, open_readonly
from scantune.store.vacuum import Vacuumed, vacuum, vacuum_planned


def vacuum_command(db: DbOption = None, dry_run: DryRunOption = False, json_: JsonOption = None) -> None:
    """Delete the runs, problems and devices that no winner or trial uses, and free the space."""
    with reported_errors():
        output = JsonOutput.of(json_, "db vacuum")
        path = existing_database(db)
        if dry_run:
            with open_readonly(path) as database:
                found = vacuum_planned(database)
        else:
            with open_database(path) as database:
                found = vacuum(database)
        say(f"{path}: {_told(found, dry_run)}")
        dropped = {f"dropped_{table}": count for table, count in found.dropped.items()}
        output.write(
            database=str(path), dry_run=dry_run, **dropped, bytes_before=found.bytes_before,
            bytes_after=found.bytes_after,
        )  # fmt: skip


def _told(found: Vacuumed, dry_run: bool) -> str:
    rows = ", ".join(counted(count, table.removesuffix("s")) for table, count in found.dropped.items())
    before, after = format_bytes(found.bytes_before), format_bytes(found.bytes_after)
    if dry_run:
        return f"{rows} that nothing uses would be deleted; at most {after} of {before} would remain"
    return f"{rows} that nothing used deleted; {before} before, {after} now"
