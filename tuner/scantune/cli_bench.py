"""The command that times what the library would run: scantune bench."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from scantune import paths
from scantune.asked import Asked
from scantune.bench import Benched, bench, bench_table, write_bench
from scantune.cli_worker import chosen_worker
from scantune.device_choice import AUTO
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
)
from scantune.quantity import format_size, parse_sizes
from scantune.terminal import console, note, reported_errors
from scantune.trial import Failure


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
