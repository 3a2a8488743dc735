"""The command that compares selected configs between tuned sizes with the best known there: scantune regret."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from scantune import __version__
from scantune.cli.json_output import JsonOutput
from scantune.cli.named_problems import NamedProblems
from scantune.cli.options import (
    AlgorithmOption,
    ArchOption,
    DbOption,
    DeviceOption,
    JsonOption,
    OpOption,
    SizesOption,
    TypeOption,
    WorkersOption,
    databases_to_read,
    default_types,
    listed,
    portfolio_sizes,
)
from scantune.cli.problem_options import given_options
from scantune.cli.restriction_options import FamilyOption, FixOption, check, given_restriction
from scantune.cli.terminal import console, note, reported_errors, say
from scantune.cli.workers import chosen_worker, compile_pool
from scantune.compare.regret import (
    Comparable,
    Compared,
    Comparison,
    Uncompared,
    described,
    regret_table,
    sampled_sizes,
    summary,
)
from scantune.errors import ScantuneError, Status, UsageError
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.config import Config
from scantune.model.device import Hello
from scantune.model.policy import Effort, Policy, policy_of
from scantune.model.problem import Problem
from scantune.model.quantity import format_size, parse_sizes
from scantune.model.record import Run, now, policy_text
from scantune.model.restriction import Restriction
from scantune.report.progress import ProgressReport
from scantune.search.tuning_run import TuningRun
from scantune.store.archive import Archive
from scantune.store.database import open_database
from scantune.worker.client import Worker
from scantune.worker.defaults import Defaults
from scantune.worker.device_choice import AUTO
from scantune.worker.evaluation import Evaluator, Timeouts

_LONG_ENOUGH_S = 24 * 3600.0


def regret_command(
    ctx: typer.Context,
    algorithm: AlgorithmOption = DEFAULT_ALGORITHM,
    arch: ArchOption = AUTO,
    n: SizesOption = None,
    type_: TypeOption = None,
    op: OpOption = None,
    family: FamilyOption = None,
    fix: FixOption = None,
    samples: Annotated[int, typer.Option(min=1, max=10_000, help="Sizes per problem.")] = 100,
    trials: Annotated[
        int, typer.Option(min=0, help="Trials of a search for a better config at each size; 0: no search.")
    ] = 24,
    within: Annotated[float, typer.Option(min=0, help="How many percent slower a selected config may be.")] = 5.0,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of the sizes, proposals and inputs.")] = 1,
    json_: JsonOption = None,
    db: DbOption = None,
    device: DeviceOption = None,
    workers: WorkersOption = None,
) -> None:
    """Measure how far runtime::scan() is from the best known config, at random sizes between the smallest and largest.

    The best known is the fastest of the configs selected for the neighbouring powers of two, every family's default,
    and the winner of a short search at that size, which is not saved. The --json file is written after each size, so an
    interrupted command keeps its results. Exits with 3 if a size is not within --within, and with 1 if one could not be
    compared.

    With --family or --fix, the best known is the best of these configs. A ratio below 1 then means that the selected
    config is faster than all of them.
    """
    with reported_errors(), contextlib.ExitStack() as stack:
        output = JsonOutput.of(json_, "regret")
        named = NamedProblems(listed(type_), listed(op), given_options(ctx), algorithm=algorithm)
        named.check()
        restriction = given_restriction(family, fix)
        databases = databases_to_read(db)
        ends = parse_sizes(n) if n else None
        sizes = _sampled(ends, samples, seed) if ends else []
        worker = chosen_worker(stack, arch, device, seed)
        hello = worker.hello()
        named = named.or_else(default_types(hello.device))
        evaluator = Evaluator(worker, Timeouts.of(hello.device))
        sizes = sizes or _sampled(named.sizes(hello, evaluator, portfolio_sizes(hello.device), note), samples, seed)
        sizes = named.whole(hello, sizes, note)
        problems = named.problems(hello, evaluator, sizes, note)
        check(restriction, hello, algorithm, evaluator, problems, sizes)
        policy = policy_of(hello.device, Effort.quick)
        found = _searched(worker, policy, problems, sizes, trials, seed, workers, restriction)
        defaults = Defaults(evaluator)
        comparison = Comparison(worker, evaluator, policy, databases, seed, restriction)
        results: list[Comparable] = []
        try:
            for problem in problems:
                for size in sizes:
                    results.append(comparison.compare(problem, size, found.get((problem, size))))
                    note(described(results[-1]))
                    # The space is asked for now: Ctrl-C ends the worker, and the table comes after it.
                    defaults.space(problem, size)
                    output.update(**_message(hello, results, defaults))
        finally:
            if results:
                console.print(regret_table(results, defaults))
                say(summary(results, within / 100))
            output.write(**_message(hello, results, defaults))
        if any(isinstance(one, Uncompared) for one in results):
            raise ScantuneError("some sizes could not be compared; the table says why")
        if any(isinstance(one, Compared) and one.ratio > 1 + within / 100 for one in results):
            raise typer.Exit(Status.not_within)


def _sampled(ends: Sequence[int], samples: int, seed: int) -> list[int]:
    sizes = sampled_sizes(min(ends), max(ends), samples, seed)
    if not sizes:
        raise UsageError(
            f"no size is between {format_size(min(ends))} and {format_size(max(ends))}; name two that are "
            "farther apart, such as --n 2^10..2^20"
        )
    return sizes


def _searched(
    worker: Worker, policy: Policy, problems: Sequence[Problem], sizes: Sequence[int], trials: int, seed: int,
    workers: int | None, restriction: Restriction | None = None,
) -> dict[tuple[Problem, int], Config]:  # fmt: skip
    """Return the winners of searches of `trials` trials each. Their temporary database is removed."""
    if trials == 0:
        return {}
    hello = worker.hello()
    # Every size is searched: a race says only which of the configs found elsewhere is the best here.
    short = replace(policy, trials=trials, patience=trials, budget_s=_LONG_ENOUGH_S, surveys=False)
    run = Run(
        now(), __version__, hello.template_hash, hello.compiler_version, hello.driver_version, Effort.quick, seed,
        policy_text(short, None),
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory() as directory,
        open_database(Path(directory) / "searches.db") as database,
        ProgressReport(console) as progress,
    ):
        pool = compile_pool(worker, seed, workers)
        tuning = TuningRun(
            Archive(database, hello.algorithms), worker, pool, run, short, progress, restriction=restriction
        )
        outcome = tuning.run(problems, sizes)
    return {(record.problem, record.n): record.config for record in outcome.records}


def _message(hello: Hello, results: Sequence[Comparable], defaults: Defaults) -> dict[str, Any]:
    return {"device": vars(hello.device), "results": [one.message(defaults) for one in results]}
