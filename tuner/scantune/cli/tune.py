"""The command that searches for the fastest kernels and saves them: scantune tune, or scantune alone."""

from __future__ import annotations

import contextlib
import shlex
import sys
from typing import Annotated

import typer

from scantune import paths
from scantune.cli.called import FromOption, check_alone
from scantune.cli.json_output import JsonOutput
from scantune.cli.named_problems import NamedProblems, OwnOperator
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
    SamplerOption,
    SizesOption,
    TypeOption,
    WorkersOption,
    listed,
)
from scantune.cli.problem_options import given_options, problem_options
from scantune.cli.restriction_options import FamilyOption, FixOption, given_restriction
from scantune.cli.run_notes import note_what_was_not_tried
from scantune.cli.staged_run import Tuning, tuned
from scantune.cli.terminal import errors, note, reported_errors, say
from scantune.cli.workers import sigterm_as_interrupt
from scantune.errors import ScantuneError, Status
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.outcome import Outcome
from scantune.model.policy import Effort
from scantune.model.quantity import counted, format_duration, parse_duration, parse_sizes
from scantune.report.tables import coverage_text
from scantune.search.sampler_names import Sampler
from scantune.storage_url import hidden
from scantune.worker.device_choice import AUTO, check_choice


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
    from_: FromOption = None,
    family: FamilyOption = None,
    fix: FixOption = None,
    effort: Annotated[Effort, typer.Option(help="How hard to search.")] = Effort.quick,
    budget: Annotated[
        str | None,
        typer.Option(help="Wall time of the whole run: 90s, 10m, 2h. The largest gains come first."),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(min=0, max=2**31 - 1, help="Seed of proposals, verified inputs and drawn cases."),
    ] = 1,
    sampler: SamplerOption = Sampler.default,
    storage: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Also write the studies of all searches there, for optuna-dashboard and other tuners: a URL of "
            "an Optuna storage, such as sqlite:///a.db, or a file for its journal.",
        ),
    ] = None,
    db: DbOption = None,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    portfolio: Annotated[
        bool,
        typer.Option(
            "--portfolio",
            help="Also measure where, between neighbouring sizes, the winner of the larger takes over. Sizes are "
            "2^6..2^22 unless --n says otherwise; the budget is three times that of other runs.",
        ),
    ] = False,
    built_in: Annotated[
        bool,
        typer.Option(
            "--built-in/--no-built-in",
            help="Start from the library's records, or without records of the device.",
        ),
    ] = True,
    require_complete: Annotated[
        bool, typer.Option("--require-complete", help="Exit with 4 if the budget was too short for everything.")
    ] = False,
    json_: JsonOption = None,
) -> None:
    """Search, verify and save the best kernel for each problem and N. Ctrl-C saves; running again resumes.

    The source of your own operator (--operator) is never stored. Run again when it changes, because records do not show
    that: the search then starts again, from the old winner.

    With --from, the problems are those that programs have called on this device, each octave of N at the N of most
    time: first where most time may be gained in all.

    With --family or --fix, nothing else is searched. The current winner is measured, too, and stays unless beaten. A
    later run without these options searches the rest.
    """
    with reported_errors():
        files = from_ or ()
        own = {"--operator": operator, "--name": name, "--cost": cost, "--alignment": alignment}
        problems = {**problem_options(ctx, algorithm, type_, op), **own}
        check_alone(files, "names the problems and sizes", {**problems, "--n": n, "--portfolio": portfolio})
        check_alone(files, "may name problems of several algorithms", {"--family": family, "--fix": fix})
        types = listed(type_)
        ops, source = OwnOperator(operator, name, cost, alignment).checked(types, listed(op))
        tuning = Tuning(
            arch, device, NamedProblems(types, ops, given_options(ctx), source, algorithm),
            given_restriction(family, fix), parse_sizes(n) if n is not None else None, effort,
            None if budget is None else parse_duration(budget), seed, workers, portfolio, require_complete, built_in,
            sampler, storage, paths.database_path(db), JsonOutput.of(json_, "tune"), files,
        )  # fmt: skip
        tuning.named.check()
        tuning.sampler.check()
        check_choice(arch, device)
        try:
            with sigterm_as_interrupt(), contextlib.ExitStack() as stack:
                _report(tuned(tuning, stack), tuning)
        except KeyboardInterrupt:
            again = shlex.join(["scantune", *map(hidden, sys.argv[1:])])  # --storage may have a password
            errors.print(
                f"\nstopped; all trials are saved in {tuning.database}. To resume: {again}", markup=False,
                soft_wrap=True,
            )  # fmt: skip
            raise typer.Exit(Status.interrupted) from None


def _report(outcome: Outcome, tuning: Tuning) -> None:
    unsaved = len(outcome.records) - len(outcome.saved)
    not_saved = f"; {unsaved} not saved, because the current winner is faster" if unsaved else ""
    say(f"{counted(len(outcome.saved), 'winner')} in {tuning.database}, {format_duration(outcome.seconds)}{not_saved}")
    if spent := [f"{what} {format_duration(seconds)}" for what, seconds in outcome.spent_s.items() if seconds >= 1]:
        say(f"of that {', '.join(spent)}")
    say(coverage_text(outcome.coverage))
    note_what_was_not_tried(outcome)
    if outcome.without_breakpoint:
        note("no breakpoint could be measured; the next run tries again:\n  " + "\n  ".join(outcome.without_breakpoint))
    if outcome.without_winner:
        raise ScantuneError("there is no winner for:\n" + "\n".join(outcome.without_winner))
    if tuning.requires_complete and not outcome.is_complete:
        raise typer.Exit(Status.incomplete)
