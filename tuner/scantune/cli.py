"""The command line."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer.core import TyperGroup

from scantune import __version__, paths
from scantune.archive import Archive
from scantune.asked import Asked, Filter, OwnOperator
from scantune.compile_pool import CompilePool
from scantune.database import open_database, open_readonly
from scantune.device_choice import AUTO, choose_worker
from scantune.doctor import Verdict, diagnose
from scantune.errors import ScantuneError
from scantune.evaluation import Evaluator, Timeouts
from scantune.exchange import import_database
from scantune.export import export_built_in, export_database
from scantune.policy import Effort, policy_of
from scantune.problem import Problem
from scantune.quantity import counted, format_duration, format_size, parse_duration, parse_sizes
from scantune.record import Run, now, policy_text
from scantune.referee import Referee
from scantune.report import ProgressReport, standard_output, winners_table
from scantune.worker import Worker
from scantune.worker_command import worker_command

if TYPE_CHECKING:
    from scantune.tuning_run import Outcome

_GPU_TYPES = ["all"]
_HOST_TYPES = ["i32", "f32"]
_GPU_SIZES = ["2^8..2^30"]
_HOST_SIZES = ["2^8..2^18"]
_MAX_COMPILE_WORKERS = 12  # each holds a context on the GPU
_INTERRUPTED = 130
_UNCONSTRAINED = Problem.determinism
_IN_ORDER = Problem.forward_progress

console = standard_output()
errors = Console(stderr=True)


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
db_app = typer.Typer(no_args_is_help=True, help="Look at, carry and question the tuning database.")
app.add_typer(db_app, name="db")

DbOption = Annotated[Path | None, typer.Option("--db", help="The tuning database, instead of $SCANTUNE_DB.")]
TypeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        help="Value types: i32; i8:i32 (input:output); i8:i64:i32 (input:accumulator:output); custom8, a struct of 8 "
        "bytes; all, every built-in type.",
    ),
]
OpOption = Annotated[
    list[str] | None, typer.Option(help="Operators: sum, max, ...; custom_moderate, any custom one of that cost.")
]
DeterminismOption = Annotated[str, typer.Option(help="unconstrained, or run_to_run: equal inputs give equal bits.")]
ForwardProgressOption = Annotated[
    str, typer.Option(help="in_order, or documented: only orders of CTAs that the programming model guarantees.")
]
DeviceOption = Annotated[str | None, typer.Option("--device", help="cuda:0, cuda:1, ... or host.")]


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
    arch: Annotated[str, typer.Option(help="sm_90 and the like, host, or auto: the GPU if there is one.")] = AUTO,
    n: Annotated[
        list[str] | None, typer.Option(help="Sizes: 1000, 2^20, 1M (= 2^20), 2^8..2^18 in steps of 4.")
    ] = None,
    type_: TypeOption = None,
    op: OpOption = None,
    determinism: DeterminismOption = _UNCONSTRAINED,
    forward_progress: ForwardProgressOption = _IN_ORDER,
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
) -> None:
    """Search, verify and save the best kernel for each problem and N. Ctrl-C saves; running again resumes.

    The source of your own operator (--operator) is never stored. Run again when it has changed, which a record does not
    show: the search then starts anew, from the old winner.
    """
    with _reported_errors():
        types = _listed(type_)
        ops, source = OwnOperator(operator, name, cost, alignment).checked(types, _listed(op))
        asked = Asked(types, ops, determinism, forward_progress, source)
        budget_s = parse_duration(budget) if budget else None
        sizes = parse_sizes(n) if n else None
        path = paths.database_path(db)
        try:
            with _sigterm_as_interrupt(), contextlib.ExitStack() as stack:
                _tune(stack, path, arch, device, asked, effort, budget_s, seed, workers, sizes)
        except KeyboardInterrupt:
            again = shlex.join(["scantune", *sys.argv[1:]])
            errors.print(
                f"\nstopped; all that was tried is saved in {path}. To resume: {again}", markup=False, soft_wrap=True
            )
            raise typer.Exit(_INTERRUPTED) from None


def _tune(
    stack: contextlib.ExitStack, path: Path, arch: str, device: str | None, asked: Asked, effort: Effort,
    budget_s: float | None, seed: int, workers: int | None, sizes: list[int] | None,
) -> None:  # fmt: skip
    # Optuna is slow to import, and no other command needs it.
    from scantune.tuning_run import TuningRun

    database = stack.enter_context(open_database(path))
    database.check_writable()
    command = worker_command()
    worker = choose_worker(arch, device, lambda name: Worker(command, name, seed), _note)
    stack.callback(worker.close)
    hello = worker.hello()
    is_host = hello.device.is_host
    sizes = sizes or parse_sizes(_HOST_SIZES if is_host else _GPU_SIZES)
    asked = asked.or_else(_HOST_TYPES if is_host else _GPU_TYPES)
    timeouts = Timeouts.of(hello.device)
    problems = asked.problems(hello, Evaluator(worker, timeouts, asked.source), sizes[0], _note)
    policy = policy_of(hello.device, effort, budget_s)
    run = Run(
        now(), __version__, hello.template_hash, hello.compiler_version, hello.driver_version, effort, seed,
        policy_text(policy, asked.source),
    )  # fmt: skip
    _note(f"tuning {hello.device}; {effort.value} effort, at most {format_duration(policy.budget_s)}; saving to {path}")
    with ProgressReport(console) as progress:
        pool = CompilePool(
            lambda: Worker(command, worker.device, seed), workers or _compile_workers(), timeouts.compile_s
        )
        outcome = TuningRun(
            Archive(database), worker, pool, run, policy, progress, timeouts, asked.source
        ).run(problems, sizes)  # fmt: skip
    console.print(winners_table(outcome.records, outcome.spaces, f"Fastest kernels on {hello.device}"))
    _say(f"{counted(len(outcome.records), 'winner')} in {path}, {format_duration(outcome.seconds)}")
    _note_what_the_budget_left(outcome)
    if outcome.without_winner:
        raise ScantuneError("there is no winner for:\n" + "\n".join(outcome.without_winner))


def _note_what_the_budget_left(outcome: Outcome) -> None:
    if outcome.cut_short:
        _note(
            f"the budget cut {counted(len(outcome.cut_short), 'search')} short, and each has the best that it tried: "
            "--effort normal searches on"
        )
    if outcome.out_of_budget:
        searches = counted(len(outcome.out_of_budget), "search")
        _note(f"the budget ended before {searches}: run again to resume, or raise --budget")


@app.command()
def doctor(db: DbOption = None, device: DeviceOption = None) -> None:
    """Check worker, driver, NVRTC, GPU, cache and database. Ends with 1 if something needed is missing."""
    with _reported_errors():
        findings = diagnose(paths.database_path(db), device or "cuda:0")
        colours = {Verdict.good: "green", Verdict.absent: "yellow", Verdict.missing: "red"}
        table = Table(show_header=False, box=None)
        for finding in findings:
            colour = colours[finding.verdict]
            table.add_row(f"[{colour}]{finding.verdict.value}[/]", finding.subject, escape(finding.text))
        console.print(table)
        if any(finding.verdict is Verdict.missing for finding in findings):
            raise typer.Exit(1)


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
    with _reported_errors():
        path = paths.database_path(db)
        with open_readonly(path) as database:
            records = Archive(database).records()
        wanted = Filter(_listed(type_), _listed(op))
        records = [record for record in records if arch in (None, record.device.arch) and wanted.admits(record.problem)]
        for device in dict.fromkeys(record.device for record in records):
            console.print(winners_table([one for one in records if one.device == device], {}, str(device)))
        _say(f"{counted(len(records), 'winner')} in {path}")


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
    with _reported_errors():
        with open_readonly(paths.database_path(db)) as database:
            records = Archive(database).records()
            if built_in:
                records = export_built_in(records, file, overwrite=force)
            else:
                export_database(database, file, overwrite=force)
        _say(f"{counted(len(records), 'winner')} exported to {file}")


@db_app.command("import")
def import_command(file: Path, db: DbOption = None) -> None:
    """Merge the winners and trials of FILE.

    Of two winners that of the templates here stays, then the better measured, then the newer. None of ours gives way to
    one that the worker refuses.
    """
    with _reported_errors():
        path = paths.database_path(db)
        with open_database(path) as database, Referee() as referee:
            report = import_database(database, file, referee)
        _say(
            f"{counted(report.new_records, 'new winner')}, {report.better_records} replaced ours, "
            f"{report.kept_records} of ours kept, {counted(report.new_trials, 'new trial')} in {path}"
        )
        if report.rejected:
            listed = "\n  ".join(report.rejected[:10])
            _note(f"{counted(len(report.rejected), 'row')} of {file} left out because not valid:\n  {listed}")
        if report.took_nothing:
            raise ScantuneError(f"{file}: not one of its rows is valid")


@db_app.command()
def explain(
    n: Annotated[list[str], typer.Option(help="Sizes, as for tune.")],
    type_: Annotated[list[str], typer.Option("--type", help="Value types, as for tune.")],
    op: Annotated[
        list[str] | None, typer.Option(help="Operators, as for tune; custom_moderate:NAME is one that has a name.")
    ] = None,
    determinism: DeterminismOption = _UNCONSTRAINED,
    forward_progress: ForwardProgressOption = _IN_ORDER,
    arch: Annotated[str, typer.Option(help="As for tune.")] = AUTO,
    db: DbOption = None,
    device: DeviceOption = None,
) -> None:
    """Say what runtime::scan() would run, from which record and why, and which records it rejects."""
    with _reported_errors(), contextlib.ExitStack() as stack:
        # Without the option the worker reads what runtime::scan() reads, which can be several databases.
        databases = {"databases": [str(paths.database_path(db).absolute())]} if db else {}
        command = worker_command()
        worker = choose_worker(arch, device, lambda name: Worker(command, name), _note)
        stack.callback(worker.close)
        sizes = parse_sizes(n)
        asked = Asked(_listed(type_), _listed(op), determinism, forward_progress).or_else([])
        for problem in asked.problems(worker.hello(), Evaluator(worker, Timeouts()), sizes[0], _note):
            for size in sizes:
                selection = worker.call("select", {"request": problem.request(size), **databases}, 60)
                _print_selection(problem, size, selection)


def _print_selection(problem: Problem, n: int, selection: dict[str, Any]) -> None:
    config = selection.get("config") or {}
    values = " ".join(f"{name}={value}" for name, value in (config.get("parameters") or {}).items())
    lines = [
        f"{problem} {format_size(n)}: {selection.get('origin')}: {selection.get('reason')}",
        f"  {config.get('family')} {values}",
        *(f"  rejected {row.get('row')}: {row.get('reason')}" for row in selection.get("rejected") or []),
    ]
    _say("\n".join(lines))


def _listed(values: list[str] | None) -> list[str]:
    """Return the values of an option that may be repeated, or hold commas."""
    return list(dict.fromkeys(part.strip() for value in values or [] for part in value.split(",") if part.strip()))


def _compile_workers() -> int:
    """One core is the measuring worker's."""
    return max(1, min(_MAX_COMPILE_WORKERS, len(os.sched_getaffinity(0)) - 1))


def _say(text: str) -> None:
    """Print a result as it is: a path may hold what rich takes for markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _note(text: str) -> None:
    errors.print(text, markup=False, highlight=False, soft_wrap=True)


@contextlib.contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """End as by Ctrl-C, so that the workers are ended too."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _reported_errors() -> Iterator[None]:
    try:
        yield
    except ScantuneError as error:
        errors.print(f"scantune: {error}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(error.exit_code) from None


def main() -> None:
    app()
