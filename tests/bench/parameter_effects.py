#!/usr/bin/env python3
"""Times the effect of changing one parameter of the config that is selected, for a few problems.

    python tests/bench/parameter_effects.py measure --csv effects.csv
    python tests/bench/parameter_effects.py table effects.csv

In every cell, a type and N, the config that runtime::scan() would run and every legal one that differs from it in one
value of one parameter take turns, round by round, in one request to the worker. Nothing is verified, because the
results are for reading and not for records.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path

import results_file
from results_file import Row, Value

from scantune.cli.workers import chosen_worker, compile_pool
from scantune.errors import ScantuneError
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.config import Config
from scantune.model.measurement import Measurement
from scantune.model.policy import Rounds
from scantune.model.quantity import format_size, parse_sizes
from scantune.model.space import Family
from scantune.model.stated_problem import StatedProblem, Types
from scantune.model.trial import Failure
from scantune.worker.client import Worker, WorkerError
from scantune.worker.compile_pool import CompilePool
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import select

_TYPES = "i8,i32,f32,f64"
_SIZES = "2^10,2^14,2^18,2^22,2^26,2^28"
_SURE = 2.0  # standard errors that a gain must exceed
_COLUMNS = ("type", "n", "origin", "family", "parameter", "selected", "value", "ratio", "error")
_METHOD = (
    "the selected config and those that differ from it in one value, interleaved round by round in one request; "
    "ratio: median over the rounds of the time over that of the selected one; "
    "error: the standard error of that median, 0.93 of the interquartile range over the root of the rounds"
)


def changed(family: Family, config: Config) -> dict[tuple[str, str], Config]:
    """Return every config that differs from one in one parameter, legal or not, by that parameter and value as text."""
    values = dict(config.values)
    return {
        (parameter.name, str(value)): family.table.config({**values, parameter.name: value})
        for parameter in family.parameters
        for value in parameter.values
        if value != values[parameter.name]
    }


def ratio_of(changed_us: Sequence[float], selected_us: Sequence[float]) -> tuple[float, float]:
    """Return the median of the ratios of samples from the same rounds, and its standard error."""
    ratios = [one / other for one, other in zip(changed_us, selected_us, strict=True)]
    first, _, third = statistics.quantiles(ratios, n=4, method="inclusive")
    return statistics.median(ratios), 0.93 * (third - first) / math.sqrt(len(ratios))


def measured_cell(
    worker: Worker, pool: CompilePool, stated: StatedProblem, n: int, rounds: Rounds
) -> list[Sequence[Value]]:
    """Return the rows of the config that is selected there, one for each change of it.

    A change that failed has None for ratio and error. Raises WorkerError and WorkerDied.
    """
    evaluator = Evaluator(worker, Timeouts.of(worker.hello().device))
    problem = evaluator.resolve(stated, n)
    space = evaluator.space(problem, n)
    selection = select(worker, problem, n, databases=[])
    selected = space.known(selection.config)
    if selected is None:
        raise WorkerError("internal", f"{stated} {format_size(n)}: there is no family {selection.config.family}")
    configs = changed(space.families[selected.family], selected)
    times: dict[Config, Measurement | Failure] = {}
    legal = [selected, *evaluator.legal(problem, n, space, configs.values())]
    futures = {config: pool.submit(evaluator.request(problem, n), config, measured_only=True) for config in legal}
    for config, future in futures.items():
        if isinstance(compiled := evaluator.compiled(future), Failure):
            times[config] = compiled
    timed = [config for config in legal if config not in times]
    times |= zip(timed, evaluator.measure(problem, n, timed, rounds).outcomes, strict=True)
    if isinstance(base := times[selected], Failure):
        raise WorkerError("internal", f"{stated} {format_size(n)}: {selected} was not timed: {base.reason}")
    values = dict(selected.values)
    place = (str(stated.types), n, selection.origin, selected.family)
    return [
        [*place, parameter, str(values[parameter]), value, *_ratio_to(base, times[config])]
        for (parameter, value), config in configs.items()
        if config in times
    ]


def _ratio_to(selected: Measurement, outcome: Measurement | Failure) -> tuple[float | None, float | None]:
    return (None, None) if isinstance(outcome, Failure) else ratio_of(outcome.samples_us, selected.samples_us)


def table(rows: Sequence[Row]) -> str:
    """Return the Markdown: percent of the selected config's time, by the best and by the worst value of a parameter.

    A gain within two standard errors is none; a cell of another family, or without another legal value, is empty.
    """
    sizes = sorted({int(row["n"]) for row in rows})
    types = list(dict.fromkeys(row["type"] for row in rows))
    columns = [(name, n) for name in types for n in sizes if any(_column(row) == (name, n) for row in rows)]
    heads = [f"{name} {format_size(n)}" for name, n in columns]
    shown: dict[tuple[str, str], dict[tuple[str, int], list[Row]]] = {}
    for row in rows:
        shown.setdefault((row["family"], row["parameter"]), {}).setdefault(_column(row), []).append(row)
    lines = ["| family.parameter | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for (family, parameter), found in sorted(shown.items()):
        lines.append(f"| {family}.{parameter} | " + " | ".join(_extremes(found.get(one, [])) for one in columns) + " |")
    return "\n".join(lines)


def _column(row: Row) -> tuple[str, int]:
    return row["type"], int(row["n"])


def _extremes(rows: Sequence[Row]) -> str:
    effects = [(float(row["ratio"]), _SURE * float(row["error"])) for row in rows if row["ratio"]]
    if not effects:
        return ""
    best, gain_error = min(effects, key=sum)
    worst, loss_error = max(effects, key=lambda one: one[0] - one[1])
    gain = best - 1 if best + gain_error < 1 else 0.0
    loss = worst - 1 if worst - loss_error > 1 else 0.0
    return f"{_percent(gain)} / {_percent(loss)}"


def _percent(change: float) -> str:
    return f"{100 * change:+.1f}" if abs(change) < 0.1 else f"{100 * change:+.0f}"


def _commit() -> str:
    """Return the checkout's commit, marked where files have changed since; nothing where there is no repository."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return ""


def measure(options: argparse.Namespace, stack: contextlib.ExitStack) -> None:
    worker = chosen_worker(stack, options.arch, options.device)
    hello = worker.hello()
    pool = stack.enter_context(compile_pool(worker, seed=1, workers=options.compilers))
    algorithm = hello.algorithms[DEFAULT_ALGORITHM]
    rounds = Rounds(options.rounds, options.round_ms, samples=True)
    facts = {
        "gpu": hello.device.name, "driver": hello.driver_version, "compiler": hello.compiler_version,
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"), "commit": _commit(),
        "method": f"{_METHOD}; {rounds.rounds} rounds of {rounds.min_round_ms} ms",
    }  # fmt: skip
    rows: list[Sequence[Value]] = []
    for name in options.types:
        for n in parse_sizes(options.sizes):
            stated = StatedProblem(algorithm, Types.parse(name))
            try:
                cell = measured_cell(worker, pool, stated, n, rounds)
            except ScantuneError as error:
                print(f"{name} {format_size(n)}: {error}", flush=True)
                continue
            print(f"{name} {format_size(n)}: {len(cell)} changes", flush=True)
            rows += cell
            # The file is written after each cell, so that it holds what was measured however the run ends.
            options.csv.write_text(results_file.text_of(facts, _COLUMNS, rows), encoding="utf-8")


def _rounds(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 2 on, which an error needs")
    return int(text)


def _names(text: str) -> list[str]:
    return text.split(",")


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    modes = parser.add_subparsers(dest="mode", required=True)
    measuring = modes.add_parser("measure", help="time, and write a file")
    measuring.add_argument("--csv", type=Path, required=True)
    measuring.add_argument("--types", type=_names, default=_TYPES)
    measuring.add_argument("--sizes", type=_names, default=_SIZES)
    measuring.add_argument("--arch", default="auto")
    measuring.add_argument("--device")
    measuring.add_argument("--rounds", type=_rounds, default=31)
    measuring.add_argument("--round-ms", type=float, default=1.0)
    measuring.add_argument("--compilers", type=int, help="processes that compile; one for each core by default")
    printing = modes.add_parser("table", help="print such a file as a table")
    printing.add_argument("csv", type=Path)
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    if options.mode == "table":
        print(table(results_file.read(options.csv).rows))
        return
    with contextlib.ExitStack() as stack:
        measure(options, stack)


if __name__ == "__main__":
    main()
