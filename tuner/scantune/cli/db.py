"""The commands for the database: scantune db."""

from __future__ import annotations

from typing import ClassVar

import typer

from scantune.cli.later import LaterGroup


class CommandsOnDatabases(LaterGroup):
    places: ClassVar = {
        "show": "scantune.cli.show:show_command",
        "export": "scantune.cli.exchange:export_command",
        "import": "scantune.cli.exchange:import_command",
        "explain": "scantune.cli.explain:explain_command",
        "diff": "scantune.cli.diff:diff_command",
        "merge": "scantune.cli.merge:merge_command",
        "forget": "scantune.cli.forget:forget_command",
        "sync": "scantune.cli.sync:sync_command",
        "upgrade": "scantune.cli.upgrade:upgrade_command",
        "vacuum": "scantune.cli.vacuum:vacuum_command",
        "verify": "scantune.cli.verify:verify_command",
    }
    on_problems = ("explain",)


db_app = typer.Typer(
    cls=CommandsOnDatabases, no_args_is_help=True, help="Show, export, import and check tuning records."
)
