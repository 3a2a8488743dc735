#!/usr/bin/env python3
"""Times what changing one parameter of the config that is selected does, for a few problems.

    python tests/bench/parameter_effects.py measure --json effects.json
    python tests/bench/parameter_effects.py table effects.json

In every cell, a type and N, the config that runtime::scan() would run and every legal one that differs from it in one
value of one parameter take turns, round by round, in one request to the worker. Nothing is verified: what is found is
to be read, not to be kept as a record.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import statistics
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from scantune.cli.workers import chosen_worker, compile_pool
from scantune.errors import ScantuneError
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.config import Config
from scantune.model.measurement import Measurement
from scantune.model.policy import Rounds
from scantune.model.quantity import format_size, parse_sizes
from scantune.model.space import Family
from scantune.model.trial import Failure
from scantune.model.wish import Types, Wish
from scantune.worker.client import Worker, WorkerError
from scantune.worker.compile_pool import CompilePool
from scantune.worker.evaluation import Evaluator, Timeouts
from scantune.worker.selection import select

_TYPES = "i8,i32,f32,f64"
_SIZES = "2^10,2^14,2^18,2^22,2^26,2^28"
_SURE = 2.0  # standard errors
_METHOD = (
    "the selected config and those that differ from it in one value, interleaved round by round in one request; "
    "ratio: median over the rounds of the time over that of the selected one; "
    "error: the standard error of that median, 0.93 of the interquartile range over the root of the rounds"
)


def changed(family: Family, config: Config) -> dict[tuple[str, str], Config]:
    """Return by parameter and value, as text, every config that differs from one in that alone, legal or not."""
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


def effects_of(
    configs: Mapping[tuple[str, str], Config], times: Mapping[Config, Measurement | Failure], selected: Measurement
) -> dict[str, dict[str, Any]]:
    """Return by parameter and value the ratio to the selected config's time and its error, or why there is none."""
    effects: dict[str, dict[str, Any]] = {}
    for (parameter, value), config in configs.items():
        if (outcome := times.get(config)) is None:
            continue
        if isinstance(outcome, Failure):
            effect: dict[str, Any] = {"failure": outcome.reason}
        else:
            ratio, error = ratio_of(outcome.samples_us, selected.samples_us)
            effect = {"ratio": round(ratio, 5), "error": round(error, 5)}
        effects.setdefault(parameter, {})[value] = effect
    return effects


def measured_cell(worker: Worker, pool: CompilePool, wish: Wish, n: int, rounds: Rounds) -> dict[str, Any]:
    """Return the config that is selected there, and what each change of it does. Raises WorkerError and WorkerDied."""
    evaluator = Evaluator(worker, Timeouts.of(worker.hello().device))
    problem = evaluator.resolve(wish, n)
    space = evaluator.space(problem, n)
    selection = select(worker, problem, n, databases=[])
    selected = space.known(selection.config)
    if selected is None:
        raise WorkerError("internal", f"{wish} {format_size(n)}: there is no family {selection.config.family}")
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
        raise WorkerError("internal", f"{wish} {format_size(n)}: {selected} was not timed: {base.reason}")
    return {
        "type": str(wish.types), "n": n, "origin": selection.origin, "config": selected.message(),
        "median_us": base.median_us, "effects": effects_of(configs, times, base),
    }  # fmt: skip


def table(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return the Markdown: percent of the selected config's time, by the best and by the worst value of a parameter.

    A gain within two standard errors is none; a cell of another family, or without another legal value, is empty.
    """
    sizes = sorted({cell["n"] for cell in cells})
    types = list(dict.fromkeys(cell["type"] for cell in cells))
    columns = [(name, n) for name in types for n in sizes]
    heads = [f"{name} {format_size(n)}" for name, n in columns]
    shown: dict[tuple[str, str], dict[tuple[str, int], str]] = {}
    for cell in cells:
        for parameter, values in cell["effects"].items():
            row = shown.setdefault((cell["config"]["family"], parameter), {})
            row[cell["type"], cell["n"]] = _extremes([one for one in values.values() if "ratio" in one])
    lines = ["| family.parameter | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for (family, parameter), row in sorted(shown.items()):
        lines.append(f"| {family}.{parameter} | " + " | ".join(row.get(column, "") for column in columns) + " |")
    return "\n".join(lines)


def _extremes(effects: Sequence[Mapping[str, float]]) -> str:
    if not effects:
        return ""
    best = min(effects, key=lambda one: one["ratio"] + _SURE * one["error"])
    worst = max(effects, key=lambda one: one["ratio"] - _SURE * one["error"])
    gain = best["ratio"] - 1 if best["ratio"] + _SURE * best["error"] < 1 else 0.0
    loss = worst["ratio"] - 1 if worst["ratio"] - _SURE * worst["error"] > 1 else 0.0
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
    device = hello.device
    message: dict[str, Any] = {
        "device": {"arch": device.arch, "name": device.name, "sm_count": device.sm_count},
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "commit": _commit(), "method": _METHOD,
        "policy": rounds.message(), "cells": [],
    }  # fmt: skip
    for name in options.types:
        for n in parse_sizes(options.sizes):
            wish = Wish(algorithm, Types.parse(name))
            try:
                cell = measured_cell(worker, pool, wish, n, rounds)
            except ScantuneError as error:
                print(f"{name} {format_size(n)}: {error}", flush=True)
                continue
            print(f"{name} {format_size(n)}: {sum(map(len, cell['effects'].values()))} changes", flush=True)
            message["cells"].append(cell)
            # After each cell, so that it holds what was measured however the run ends.
            options.json.write_text(json.dumps(message, indent=1) + "\n", encoding="utf-8")


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
    measuring.add_argument("--json", type=Path, required=True)
    measuring.add_argument("--types", type=_names, default=_TYPES)
    measuring.add_argument("--sizes", type=_names, default=_SIZES)
    measuring.add_argument("--arch", default="auto")
    measuring.add_argument("--device")
    measuring.add_argument("--rounds", type=_rounds, default=31)
    measuring.add_argument("--round-ms", type=float, default=1.0)
    measuring.add_argument("--compilers", type=int, help="processes that compile; one for each core by default")
    printing = modes.add_parser("table", help="print such a file as a table")
    printing.add_argument("json", type=Path)
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    if options.mode == "table":
        print(table(json.loads(options.json.read_text(encoding="utf-8"))["cells"]))
        return
    with contextlib.ExitStack() as stack:
        measure(options, stack)


if __name__ == "__main__":
    main()
