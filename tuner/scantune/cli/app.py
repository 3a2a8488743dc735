"""The command line."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import typer

from scantune import __version__
from scantune.cli.later import LaterGroup
from scantune.cli.terminal import console


class TuneByDefault(LaterGroup):
    """`scantune --arch sm_90` means `scantune tune --arch sm_90`."""

    places: ClassVar = {
        "tune": "scantune.cli.tune:tune_command",
        "bench": "scantune.cli.bench:bench_command",
        "regret": "scantune.cli.regret:regret_command",
        "prove": "scantune.cli.prove:prove_command",
        "explain": "scantune.cli.explain:explain_command",
        "sweep": "scantune.cli.sweep:sweep_command",
        "replay": "scantune.cli.replay:replay_command",
        "gallery": "scantune.cli.gallery:gallery_command",
        "doctor": "scantune.cli.doctor:doctor_command",
        "db": "scantune.cli.db:db_app",
        "cache": "scantune.cli.cache:cache_app",
    }
    on_problems = ("tune", "bench", "regret", "explain", "sweep")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        if not args or (args[0].startswith("-") and args[0] not in own):
            args = ["tune", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=TuneByDefault,
    add_completion=False,
    help="Finds the fastest prefix-scan kernels for this machine's GPU and saves them. Without a command: tune.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(f"scantune {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    pass


def main() -> None:
    app()
