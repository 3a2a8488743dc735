"""The command line."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from typer.core import TyperGroup

from scantune import __version__, paths
from scantune.cli.bench import bench_command
from scantune.cli.cache import cache_app
from scantune.cli.db import db_app
from scantune.cli.doctor import Verdict, diagnose
from scantune.cli.explain import explain_command
from scantune.cli.gallery import gallery_command
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import DbOption, DeviceOption, JsonOption
from scantune.cli.problem_options import CommandOnProblems
from scantune.cli.regret import regret_command
from scantune.cli.replay import replay_command
from scantune.cli.sweep import sweep_command
from scantune.cli.terminal import console, reported_errors
from scantune.cli.tune import tune_command
from scantune.errors import Status
from scantune.worker.device_choice import AUTO, FIRST_GPU, check_choice


class TuneByDefault(TyperGroup):
    """`scantune --arch sm_90` means `scantune tune --arch sm_90`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        if not args or (args[0].startswith("-") and args[0] not in own):
            args = ["tune", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=TuneByDefault,
    add_completion=False,
    help="Finds the fastest prefix-scan kernels for this machine's GPU and remembers them. Without a command: tune.",
)
app.add_typer(db_app, name="db")
app.add_typer(cache_app, name="cache")
app.command("tune", cls=CommandOnProblems)(tune_command)
app.command("bench", cls=CommandOnProblems)(bench_command)
app.command("regret", cls=CommandOnProblems)(regret_command)
app.command("explain", cls=CommandOnProblems)(explain_command)
app.command("sweep", cls=CommandOnProblems)(sweep_command)
app.command("replay")(replay_command)
app.command("gallery")(gallery_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(f"scantune {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    pass


@app.command()
def doctor(db: DbOption = None, device: DeviceOption = None, json_: JsonOption = None) -> None:
    """Check worker, driver, NVRTC, GPU, cache and database. The command ends with 1 if something needed is missing."""
    with reported_errors():
        output = JsonOutput.of(json_, "doctor")
        check_choice(AUTO, device)
        findings = diagnose(paths.database_path(db), device or FIRST_GPU)
        colours = {Verdict.good: "green", Verdict.absent: "yellow", Verdict.missing: "red"}
        table = Table(show_header=False, box=None)
        for finding in findings:
            colour = colours[finding.verdict]
            table.add_row(f"[{colour}]{finding.verdict.value}[/]", finding.subject, escape(finding.text))
        table.columns[-1].overflow = "fold"
        console.print(table)
        is_well = not any(finding.verdict is Verdict.missing for finding in findings)
        output.write(ok=is_well, findings=[finding.message() for finding in findings])
        if not is_well:
            raise typer.Exit(Status.failed)


def main() -> None:
    app()
