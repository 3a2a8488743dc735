"""The command that searches for the fastest kernels and saves them: scantune tune, or scantune alone."""

from __future__ import annotations

import contextlib
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from scantune import __version__, paths
from scantune.cli.asked import Asked, OwnOperator
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import (
    AlgorithmOption,
    AlignmentOption,
    ArchOption,
    CostOption,
    DbOption,
    DeviceOption,
    JsonOption,
    NameOption,
    OperatorOption,
    OpOption,
    SizesOption,
    TypeOption,
    WorkersOption,
    default_sizes,
    default_types,
    listed,
    portfolio_sizes,
)
from scantune.cli.problem_options import given_options
from scantune.cli.terminal import console, errors, note, reported_errors, say
from scantune.cli.workers import chosen_worker, compile_pool, sigterm_as_interrupt
from scantune.errors import ScantuneError, Status
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.coverage import Way
from scantune.model.outcome import Outcome
from scantune.model.policy import Effort, policy_of
from scantune.model.quantity import counted, format_duration, parse_duration, parse_sizes
from scantune.model.record import Run, now, policy_text
from scantune.report.messages import is_complete, outcome_message
from scantune.report.progress import ProgressReport
from scantune.report.tables import coverage_table, coverage_text, portfolio_table
from scantune.store.archive import Archive
from scantune.store.database import open_database
from scantune.worker.defaults import Defaults
from scantune.worker.device_choice import AUTO, check_choice
from scantune.worker.evaluation import Evaluator, Timeouts


@dataclass(frozen=True)
class _Tuning:
    """What the command was asked to do."""

    arch: str
    device: str | None
    asked: Asked
    sizes: list[int] | None  # None: the default ones of the device
    effort: Effort
    budget_s: float | None
    seed: int
    workers: int | None
    is_portfolio: bool
    requires_complete: bool
    has_built_in: bool
    database: Path
    output: JsonOutput


def tune_command(
    ctx: typer.Context,
    algorithm: AlgorithmOption = DEFAULT_ALGORITHM,
    arch: ArchOption = AUTO,
    n: SizesOption = None,
    type_: TypeOption = None,
    op: OpOption = None,
    operator: OperatorOption = None,
    name: NameOption = None,
    cost: CostOption = None,
    alignment: AlignmentOption = None,
    effort: Annotated[Effort, typer.Option(help="How hard to search.")] = Effort.quick,
    budget: Annotated[
        str | None,
        typer.Option(help="Wall time of the whole run: 90s, 10m, 2h. What may gain most comes first."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Of proposals and of verified inputs.")] = 1,
    db: DbOption = None,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    portfolio: Annotated[
        bool,
        typer.Option(
            "--portfolio",
            help="Also measure, between neighbouring sizes, from where on the winner of the larger serves. Sizes are "
            "2^6..2^22 unless --n says otherwise; the budget is three times that of other runs.",
        ),
    ] = False,
    built_in: Annotated[
        bool,
        typer.Option(
            "--built-in/--no-built-in",
            help="Start from the records that come with the library, or as if there were none of the device.",
        ),
    ] = True,
    require_complete: Annotated[
        bool, typer.Option("--require-complete", help="End with 4 if the budget did not suffice for everything.")
    ] = False,
    json_: JsonOption = None,
) -> None:
    """Search, verify and save the best kernel for each problem and N. Ctrl-C saves; running again resumes.

    The source of your own operator (--operator) is never stored. Run again when it has changed, which a record does not
    show: the search then starts anew, from the old winner.
    """
    with reported_errors():
        types = listed(type_)
        ops, source = OwnOperator(operator, name, cost, alignment).checked(types, listed(op))
        tuning = _Tuning(
            arch, device, Asked(types, ops, given_options(ctx), source, algorithm),
            parse_sizes(n) if n is not None else None, effort, None if budget is None else parse_duration(budget), seed,
            workers, portfolio, require_complete, built_in, paths.database_path(db), JsonOutput.of(json_, "tune"),
        )  # fmt: skip
        tuning.asked.check()
        check_choice(arch, device)
        try:
            with sigterm_as_interrupt(), contextlib.ExitStack() as stack:
                _report(_tune(tuning, stack), tuning)
        except KeyboardInterrupt:
            again = shlex.join(["scantune", *sys.argv[1:]])
            errors.print(
                f"\nstopped; all that was tried is saved in {tuning.database}. To resume: {again}", markup=False,
                soft_wrap=True,
            )  # fmt: skip
            raise typer.Exit(Status.interrupted) from None


def _tune(tuning: _Tuning, stack: contextlib.ExitStack) -> Outcome:
    # Optuna is slow to import, and no other command needs it.
    from scantune.search.tuning_run import TuningRun

    database = stack.enter_context(open_database(tuning.database))
    database.check_writable()
    worker = chosen_worker(stack, tuning.arch, tuning.device, tuning.seed)
    hello = worker.hello()
    fallback = portfolio_sizes if tuning.is_portfolio else default_sizes
    asked = tuning.asked.or_else(default_types(hello.device))
    timeouts = Timeouts.of(hello.device)
    evaluator = Evaluator(worker, timeouts, asked.source)
    sizes = tuning.sizes or asked.sizes(hello, evaluator, fallback(hello.device), note)
    problems = asked.problems(hello, evaluator, sizes[0], note)
    policy = policy_of(hello.device, tuning.effort, tuning.budget_s, tuning.is_portfolio)
    run = Run(
        now(), __version__, hello.template_hash, hello.compiler_version, hello.driver_version, tuning.effort,
        tuning.seed, policy_text(policy, asked.source),
    )  # fmt: skip
    note(
        f"tuning {hello.device}; {tuning.effort.value} effort, at most {format_duration(policy.budget_s)}; saving to "
        f"{tuning.database}"
    )
    with ProgressReport(console) as progress:
        pool = compile_pool(worker, tuning.seed, tuning.workers)
        outcome = TuningRun(
            Archive(database, hello.algorithms), worker, pool, run, policy, progress, timeouts, asked.source,
            is_portfolio=tuning.is_portfolio, has_built_in=tuning.has_built_in,
        ).run(problems, sizes)  # fmt: skip
    defaults = Defaults(evaluator)
    spaces = {(record.problem, record.n): defaults.space(record.problem, record.n) for record in outcome.records}
    title = f"Fastest kernels on {hello.device}"
    console.print(coverage_table(outcome.coverage, outcome.records, spaces, title))
    tuning.output.write(device=vars(hello.device), database=str(tuning.database), **outcome_message(outcome, defaults))
    return outcome


def _report(outcome: Outcome, tuning: _Tuning) -> None:
    if outcome.breakpoints:
        console.print(portfolio_table(outcome.breakpoints, "Breakpoints between them"))
    say(f"{counted(len(outcome.records), 'winner')} in {tuning.database}, {format_duration(outcome.seconds)}")
    if spent := [f"{what} {format_duration(seconds)}" for what, seconds in outcome.spent_s.items() if seconds >= 1]:
        say(f"of that {', '.join(spent)}")
    say(coverage_text(outcome.coverage))
    _note_what_the_budget_left(outcome)
    if outcome.without_breakpoint:
        note(
            "no breakpoint could be measured, to be tried again by the next run:\n  "
            + "\n  ".join(outcome.without_breakpoint)
        )
    if outcome.without_winner:
        raise ScantuneError("there is no winner for:\n" + "\n".join(outcome.without_winner))
    if tuning.requires_complete and not is_complete(outcome):
        raise typer.Exit(Status.incomplete)


def _note_what_the_budget_left(outcome: Outcome) -> None:
    if cut_short := outcome.covered(Way.cut_short):
        note(
            f"the budget cut {counted(len(cut_short), 'search')} short, and each has the best that it tried: "
            "run again to search on"
        )
    for name, count in outcome.unknown.items():
        note(
            f"{counted(count, 'winner')} of the algorithm {name}, which the worker here does not know: left out of "
            "tuning, and kept as they are"
        )
    unsearched = outcome.covered(Way.raced, Way.left)
    if given_up := [f"{covered.cell}: {covered.reason}" for covered in unsearched if covered.reason]:
        note("not searched, and what was known before serves:\n  " + "\n  ".join(given_up))
    if len(unsearched) > len(given_up):
        searches = counted(len(unsearched) - len(given_up), "search")
        note(f"the budget ended before {searches}: run again to resume, or raise --budget")
    if outcome.unprobed:
        pairs = counted(outcome.unprobed, "pair")
        note(f"the budget ended before the breakpoints of {pairs} of neighbouring sizes: run again to resume")
