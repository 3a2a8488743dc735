"""The command line."""

from __future__ import annotations

import contextlib
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from typer.core import TyperGroup

from scantune import __version__, paths
from scantune.archive import Archive
from scantune.asked import Asked, OwnOperator
from scantune.bench import Benched, bench, bench_table, write_bench
from scantune.cli_db import db_app
from scantune.cli_regret import regret_command
from scantune.cli_worker import chosen_worker, compile_pool
from scantune.database import open_database
from scantune.device_choice import AUTO
from scantune.doctor import Verdict, diagnose
from scantune.errors import ScantuneError
from scantune.evaluation import Evaluator, Timeouts
from scantune.options import (
    BACK_TO_BACK,
    IN_ORDER,
    UNCONSTRAINED,
    ArchOption,
    DbOption,
    DeterminismOption,
    DeviceOption,
    ForwardProgressOption,
    LatencyOption,
    OpOption,
    SizesOption,
    TypeOption,
    default_sizes,
    default_types,
    listed,
    portfolio_sizes,
)
from scantune.policy import Effort, policy_of
from scantune.quantity import counted, format_duration, format_size, parse_duration, parse_sizes
from scantune.record import Run, now, policy_text
from scantune.report import ProgressReport, portfolio_table, winners_table
from scantune.terminal import console, errors, note, reported_errors, say
from scantune.trial import Failure

if TYPE_CHECKING:
    from scantune.tuning_run import Outcome

_INTERRUPTED = 130


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
app.command("regret")(regret_command)


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
def tune(
    arch: ArchOption = AUTO,
    n: SizesOption = None,
    type_: TypeOption = None,
    op: OpOption = None,
    determinism: DeterminismOption = UNCONSTRAINED,
    forward_progress: ForwardProgressOption = IN_ORDER,
    latency: LatencyOption = BACK_TO_BACK,
    operator: Annotated[
        Path | None,
        typer.Option(
            help="Source of your own operator, '__device__ Value combine(Value earlier, Value later)'; needs --name."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The name that records of --operator are kept under.")] = None,
    cost: Annotated[
        str | None, typer.Option(help="What --operator costs: cheap, moderate (the default) or expensive.")
    ] = None,
    alignment: Annotated[
        int | None,
        typer.Option(min=1, help="Of the struct in --operator, in bytes; default: the most its size allows."),
    ] = None,
    effort: Annotated[Effort, typer.Option(help="How hard to search.")] = Effort.quick,
    budget: Annotated[
        str | None,
        typer.Option(help="Wall time of the whole run: 90s, 10m, 2h. Large N come first, where there is most to gain."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Of proposals and of verified inputs.")] = 1,
    db: DbOption = None,
    device: DeviceOption = None,
    workers: Annotated[int | None, typer.Option(min=1, max=64, help="Processes that compile ahead.")] = None,
    portfolio: Annotated[
        bool,
        typer.Option(
            "--portfolio",
            help="Also measure, between neighbouring sizes, from where on the winner of the larger serves. Sizes are "
            "2^6..2^22:2 unless --n says otherwise; the budget is three times that of other runs.",
        ),
    ] = False,
) -> None:
    """Search, verify and save the best kernel for each problem and N. Ctrl-C saves; running again resumes.

    The source of your own operator (--operator) is never stored. Run again when it has changed, which a record does not
    show: the search then starts anew, from the old winner.
    """
    with reported_errors():
        types = listed(type_)
        ops, source = OwnOperator(operator, name, cost, alignment).checked(types, listed(op))
        asked = Asked(types, ops, determinism, forward_progress, latency, source)
        budget_s = parse_duration(budget) if budget else None
        sizes = parse_sizes(n) if n else None
        path = paths.database_path(db)
        try:
            with _sigterm_as_interrupt(), contextlib.ExitStack() as stack:
                _tune(stack, path, arch, device, asked, effort, budget_s, seed, workers, sizes, portfolio)
        except KeyboardInterrupt:
            again = shlex.join(["scantune", *sys.argv[1:]])
            errors.print(
                f"\nstopped; all that was tried is saved in {path}. To resume: {again}", markup=False, soft_wrap=True
            )
            raise typer.Exit(_INTERRUPTED) from None


def _tune(
    stack: contextlib.ExitStack, path: Path, arch: str, device: str | None, asked: Asked, effort: Effort,
    budget_s: float | None, seed: int, workers: int | None, sizes: list[int] | None, is_portfolio: bool,
) -> None:  # fmt: skip
    # Optuna is slow to import, and no other command needs it.
    from scantune.tuning_run import TuningRun

    database = stack.enter_context(open_database(path))
    database.check_writable()
    worker = chosen_worker(stack, arch, device, seed)
    hello = worker.hello()
    sizes = sizes or (portfolio_sizes(hello.device) if is_portfolio else default_sizes(hello.device))
    asked = asked.or_else(default_types(hello.device))
    timeouts = Timeouts.of(hello.device)
    problems = asked.problems(hello, Evaluator(worker, timeouts, asked.source), sizes[0], note)
    policy = policy_of(hello.device, effort, budget_s, is_portfolio)
    run = Run(
        now(), __version__, hello.template_hash, hello.compiler_version, hello.driver_version, effort, seed,
        policy_text(policy, asked.source),
    )  # fmt: skip
    note(f"tuning {hello.device}; {effort.value} effort, at most {format_duration(policy.budget_s)}; saving to {path}")
    with ProgressReport(console) as progress:
        pool = compile_pool(worker, seed, workers)
        outcome = TuningRun(
            Archive(database), worker, pool, run, policy, progress, timeouts, asked.source, is_portfolio=is_portfolio
        ).run(problems, sizes)  # fmt: skip
    console.print(winners_table(outcome.records, outcome.spaces, f"Fastest kernels on {hello.device}"))
    if outcome.breakpoints:
        console.print(portfolio_table(outcome.breakpoints, "Breakpoints between them"))
    say(f"{counted(len(outcome.records), 'winner')} in {path}, {format_duration(outcome.seconds)}")
    _note_what_the_budget_left(outcome)
    if outcome.without_winner:
        raise ScantuneError("there is no winner for:\n" + "\n".join(outcome.without_winner))


def _note_what_the_budget_left(outcome: Outcome) -> None:
    if outcome.without_breakpoint:
        pairs = counted(outcome.without_breakpoint, "pair")
        note(f"no breakpoint was measured between {pairs} of neighbouring sizes: run again to resume")
    if outcome.cut_short:
        note(
            f"the budget cut {counted(len(outcome.cut_short), 'search')} short, and each has the best that it tried: "
            "run again to search on"
        )
    if outcome.out_of_budget:
        searches = counted(len(outcome.out_of_budget), "search")
        note(f"the budget ended before {searches}: run again to resume, or raise --budget")


@app.command("bench")
def bench_command(
    arch: ArchOption = AUTO,
    n: SizesOption = None,
    type_: TypeOption = None,
    op: OpOption = None,
    determinism: DeterminismOption = UNCONSTRAINED,
    forward_progress: ForwardProgressOption = IN_ORDER,
    latency: LatencyOption = BACK_TO_BACK,
    json_: Annotated[Path | None, typer.Option("--json", help="Write the results to this file too.")] = None,
    db: DbOption = None,
    device: DeviceOption = None,
) -> None:
    """Time what runtime::scan() would run here, beside a copy of as many bytes. Tunes nothing.

    Without options: what a tuning run without options tunes. With --db, by the records of that database and those that
    come with the library. Results are checked before they are timed; those of large scans at 2^20 items, or 2^14 on
    the host device. The file is written after each result, so that it holds what was measured however the command ends.
    """
    with reported_errors(), contextlib.ExitStack() as stack:
        worker = chosen_worker(stack, arch, device)
        hello = worker.hello()
        sizes = parse_sizes(n) if n else default_sizes(hello.device)
        asked = Asked(listed(type_), listed(op), determinism, forward_progress, latency).or_else(
            default_types(hello.device)
        )
        problems = asked.problems(hello, Evaluator(worker, Timeouts.of(hello.device)), sizes[0], note)
        results: list[Benched] = []

        def keep(benched: Benched) -> None:
            results.append(benched)
            _note_benched(benched)
            if json_:
                write_bench(json_, results, hello)

        try:
            bench(worker, problems, sizes, [paths.database_path(db)] if db else None, keep)
        finally:
            console.print(bench_table(results, hello))


def _note_benched(benched: Benched) -> None:
    """Show that it goes on; the table with all the rest comes at the end."""
    time = "failed" if isinstance(benched.outcome, Failure) else f"{benched.outcome.median_us:.2f} µs"
    note(f"{benched.problem} {format_size(benched.n)}: {time}")


@app.command()
def doctor(db: DbOption = None, device: DeviceOption = None) -> None:
    """Check worker, driver, NVRTC, GPU, cache and database. Ends with 1 if something needed is missing."""
    with reported_errors():
        findings = diagnose(paths.database_path(db), device or "cuda:0")
        colours = {Verdict.good: "green", Verdict.absent: "yellow", Verdict.missing: "red"}
        table = Table(show_header=False, box=None)
        for finding in findings:
            colour = colours[finding.verdict]
            table.add_row(f"[{colour}]{finding.verdict.value}[/]", finding.subject, escape(finding.text))
        console.print(table)
        if any(finding.verdict is Verdict.missing for finding in findings):
            raise typer.Exit(1)


@contextlib.contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """End as by Ctrl-C, so that the workers are ended too."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def main() -> None:
    app()
