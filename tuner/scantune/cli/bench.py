"""The command that times what the library would run: scantune bench."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any

import typer

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
from scantune.cli.terminal import console, note, reported_errors
from scantune.cli.workers import chosen_worker
from scantune.compare.bench import Benched, bench, bench_table
from scantune.errors import ScantuneError
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.device import Hello
from scantune.model.quantity import format_size, parse_sizes
from scantune.model.trial import Failure
from scantune.worker.defaults import Defaults
from scantune.worker.device_choice import AUTO
from scantune.worker.evaluation import Evaluator, Timeouts


def bench_command(
    ctx: typer.Context,
    algorithm: AlgorithmOption = DEFAULT_ALGORITHM,
    arch: ArchOption = AUTO,
    n: SizesOption = None,
    type_: TypeOption = None,
    op: OpOption = None,
    json_: JsonOption = None,
    db: DbOption = None,
    device: DeviceOption = None,
) -> None:
    """Time what runtime::scan() would run here, beside a copy of as many bytes. Tunes nothing.

    Without options: what a tuning run without options tunes. With --db, by the records of that database and those that
    come with the library. Results are checked before they are timed; those of large scans at 2^20 items, or 2^14 on
    the host device. A file of --json is written after each result, so that it holds what was measured however the
    command ends. Ends with 1 if something could not be timed.
    """
    with reported_errors(), contextlib.ExitStack() as stack:
        output = JsonOutput.of(json_, "bench")
        named = NamedProblems(listed(type_), listed(op), given_options(ctx), algorithm=algorithm)
        named.check()
        given = parse_sizes(n) if n else None
        databases = databases_to_read(db)
        worker = chosen_worker(stack, arch, device)
        hello = worker.hello()
        evaluator = Evaluator(worker, Timeouts.of(hello.device))
        bench_run = _Bench(output, hello, Defaults(evaluator))
        named = named.or_else(default_types(hello.device))
        sizes = given or named.sizes(hello, evaluator, default_sizes(hello.device), note)
        problems = named.problems(hello, evaluator, sizes[0], note)
        try:
            bench(worker, problems, sizes, databases, bench_run.keep)
        finally:
            bench_run.report()
        if any(isinstance(one.outcome, Failure) for one in bench_run.results):
            raise ScantuneError("not everything could be timed; the table says why")


@dataclass
class _Bench:
    """What was measured so far."""

    output: JsonOutput
    hello: Hello
    defaults: Defaults
    results: list[Benched] = field(default_factory=list)

    def keep(self, benched: Benched) -> None:
        self.results.append(benched)
        self.defaults.space(benched.problem, benched.n)  # asked now: Ctrl-C ends the worker, and the table comes after
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
    """Show that it goes on; the table with all the rest comes at the end."""
    time = "failed" if isinstance(benched.outcome, Failure) else f"{benched.outcome.median_us:.2f} µs"
    note(f"{benched.problem} {format_size(benched.n)}: {time}")
