"""The command that brings a database up to date: scantune db upgrade."""

from __future__ import annotations

from scantune.cli.json_output import JsonOutput
from scantune.cli.options import DbOption, DryRunOption, JsonOption, existing_database
from scantune.cli.terminal import reported_errors, say
from scantune.model.quantity import counted
from scantune.store.carrying import carry_planned
from scantune.store.database import open_database, open_readonly
from scantune.store.schema import SCHEMA_VERSION


def upgrade_command(db: DbOption = None, dry_run: DryRunOption = False, json_: JsonOption = None) -> None:
    """Bring a database to the current schema, and records of unchanged kernels to their current hashes.

    Tuning does this automatically; programs read older databases as they are.
    """
    with reported_errors():
        output = JsonOutput.of(json_, "db upgrade")
        path = existing_database(db)
        with open_readonly(path) as database:
            version, planned = database.version, carry_planned(database)
        if not dry_run:
            open_database(path).close()
        done = "would be carried over" if dry_run else "carried over"
        schema = f"schema {version}" + (f" to {SCHEMA_VERSION}" if version < SCHEMA_VERSION else "")
        say(f"{path}: {schema}; {counted(planned.trials, 'trial')} and {counted(planned.runs, 'run')} {done}")
        output.write(
            database=str(path), dry_run=dry_run, schema_before=version, carried_trials=planned.trials,
            carried_runs=planned.runs,
        )  # fmt: skip
