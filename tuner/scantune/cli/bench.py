"""The command that times what the library would run: scantune bench."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from scantune import paths
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
    databases_to_read,
    default_sizes,
    default_types,
    listed,
)
from scantune.cli.problem_options import given_options
from scantune.cli.restriction_options import FamilyOption, FixOption, check, given_restriction
from scantune.cli.stated_config import SELECTED, StatedConfig, check_legal
from scantune.cli.terminal import console, note, reported_errors
from scantune.cli.workers import chosen_worker
from scantune.compare.bench import Benched, Candidates, bench, bench_table
from scantune.compare.known import KnownConfigs
from scantune.errors import ScantuneError, UsageError
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.cell import Cell
from scantune.model.device import Hello
from scantune.model.problem import Problem
from scantune.model.quantity import format_size, parse_sizes
from scantune.model.restriction import Restriction
from scantune.model.trial import Failure
from scantune.worker.client import Worker
from scantune.worker.defaults import Defaults
from scantune.worker.device_choice import AUTO
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import Selection, select


def bench_command(
    ctx: typer.Context,
    algorithm: AlgorithmOption = DEFAULT_ALGORITHM,
    arch: ArchOption = AUTO,
    n: SizesOption = None,
    type_: TypeOption = None,
    op: OpOption = None,
    family: FamilyOption = None,
    fix: FixOption = None,
    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            metavar="CONFIG",
            help="Time this config: lookback, lookback:block_threads=256,layout=striped (other parameters "
            "at their default), or JSON.",
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Race two or more configs, given as arguments; 'selected' is what would run."),
    ] = False,
    configs: Annotated[list[str] | None, typer.Argument(metavar="CONFIG", help="The configs of --compare.")] = None,
    json_: JsonOption = None,
    db: DbOption = None,
    device: DeviceOption = None,
) -> None:
    """Time what runtime::scan() would run here, beside a copy of as many bytes. Nothing is tuned.

    Without options, times what a tuning run without options tunes. With --db, configs come from the records of that
    database and of the library. Results are checked before they are timed; large scans are checked at 2^20 items, or
    2^14 on the host device. The --json file is written after each result, so an interrupted command keeps its results.
    Exits with 1 if something could not be timed.

    With --family or --fix, times the best known of these configs: the selected one, the fastest trial of the database,
    or a default with these values. --config times one config. --compare races several, and says for each whether it
    differs from the first by more than the noise.
    """
    with reported_errors(), contextlib.ExitStack() as stack:
        output = JsonOutput.of(json_, "bench")
        named = NamedProblems(listed(type_), listed(op), given_options(ctx), algorithm=algorithm)
        named.check()
        given = parse_sizes(n) if n else None
        choice = _Choice.of(given_restriction(family, fix), config, compare, configs or [])
        databases = databases_to_read(db)
        worker = chosen_worker(stack, arch, device)
        hello = worker.hello()
        evaluator = Evaluator(worker, Timeouts.of(hello.device))
        bench_run = _Bench(output, hello, Defaults(evaluator))
        named = named.or_else(default_types(hello.device))
        sizes = given or named.sizes(hello, evaluator, default_sizes(hello.device), note)
        sizes = named.whole(hello, sizes, note)
        problems = named.problems(hello, evaluator, sizes, note)
        candidates = choice.candidates(worker, evaluator, algorithm, problems, sizes, databases, db)
        try:
            bench(worker, problems, sizes, databases, bench_run.keep, candidates)
        finally:
            bench_run.report()
        if any(isinstance(one.outcome, Failure) for one in bench_run.results):
            raise ScantuneError("some cases could not be timed; the table says why")


@dataclass(frozen=True)
class _Choice:
    """The configs to time, if not the selected one."""

    restriction: Restriction
    stated: Sequence[StatedConfig | None]  # None: what is selected

    @classmethod
    def of(cls, restriction: Restriction, config: str | None, compare: bool, configs: Sequence[str]) -> _Choice:
        """Raise UsageError for options that contradict each other, and for an invalid config."""
        asked = {"--family or --fix": restriction, "--config": config is not None, "--compare": compare}
        if len(given := [option for option, is_given in asked.items() if is_given]) > 1:
            raise UsageError(f"{' and '.join(given)} contradict each other: each says what to time")
        if configs and not compare:
            raise UsageError(f"{configs[0]}: is it a config? '--config {configs[0]}' times it, --compare races several")
        if compare and len(configs) < 2:
            raise UsageError("--compare needs two configs or more, such as --compare selected lookback")
        if config is not None:
            return cls(restriction, [StatedConfig.parse(config, "--config")])
        return cls(
            restriction, [None if text == SELECTED else StatedConfig.parse(text, "--compare") for text in configs]
        )

    def candidates(
        self, worker: Worker, evaluator: Evaluator, algorithm: str, problems: Sequence[Problem], sizes: Sequence[int],
        databases: Sequence[Path] | None, db: Path | None,
    ) -> Candidates | None:  # fmt: skip
        """Return the configs of each cell; note cells without any. Raises UsageError if that is so in every cell."""
        hello = worker.hello()
        check(self.restriction, hello, algorithm, evaluator, problems, sizes)
        given = [one for one in self.stated if one]
        for one in given:
            one.check(hello.algorithms[algorithm])
        check_legal(given, [Cell(problem, n) for problem in problems for n in sizes], evaluator)
        own = [path for path in [paths.database_path(db)] if path.exists()]
        known = KnownConfigs(worker, evaluator, self.restriction, databases, own)

        def found(problem: Problem, n: int) -> list[Selection]:
            cell = Cell(problem, n)
            if self.restriction:
                all_found: list[Selection | str] = [known.best(cell)]
            else:
                all_found = [
                    one.of(cell, evaluator) if one else select(worker, *cell, databases) for one in self.stated
                ]
            for reason in (one for one in all_found if isinstance(one, str)):
                note(f"left out {cell}: {reason}")
                return []
            return [one for one in all_found if not isinstance(one, str)]

        return found if self.restriction or self.stated else None


@dataclass
class _Bench:
    """The results so far."""

    output: JsonOutput
    hello: Hello
    defaults: Defaults
    results: list[Benched] = field(default_factory=list)

    def keep(self, benched: Benched) -> None:
        self.results.append(benched)
        # The space is asked for now: Ctrl-C ends the worker, and the table comes after it.
        self.defaults.space(benched.problem, benched.n)
        _note_benched(benched)
        self.output.update(**self._message())

    def report(self) -> None:
        if self.results:
            console.print(bench_table(self.results, self.hello, self.defaults))
        self.output.write(**self._message())

    def _message(self) -> dict[str, Any]:
        return {
            "device": vars(self.hello.device), "compiler": self.hello.compiler_version,
            "driver": self.hello.driver_version, "results": [one.message(self.defaults) for one in self.results],
        }  # fmt: skip


def _note_benched(benched: Benched) -> None:
    """Show that the command goes on; the table with all the rest comes at the end."""
    time = "failed" if isinstance(benched.outcome, Failure) else f"{benched.outcome.median_us:.2f} µs"
    verdict = f", {benched.against_first.verdict.value}" if benched.against_first else ""
    note(f"{benched.problem} {format_size(benched.n)}: {time}{verdict}")
