"""Lets strategies of Kernel Tuner search recorded spaces, and prints the figures that `scantune replay` prints.

    python tests/bench/kernel_tuner_replay.py FILE... [--strategies pso,diff_evo] [--seeds 10] [--listed]

Kernel Tuner runs in its simulation mode, on a cache whose times are drawn anew for each seed: medians of as many
recorded samples as an evaluation of the other samplers has.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import statistics
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import kernel_tuner
import numpy as np
from kernel_tuner import interface
from kernel_tuner.searchspace import Searchspace

from scantune.model.config import Config
from scantune.model.recorded_space import RecordedSpace
from scantune.search.replay import Replayed, Trace, trace_of
from scantune.store.space_export import Format, message_of
from scantune.store.space_file import read_space

ROUNDS = 5
# Strategies that keep to legal configs. Others, such as dual_annealing, hardly find one: few of all products are legal.
STRATEGIES = (
    "random_sample", "genetic_algorithm", "diff_evo", "pso", "simulated_annealing", "greedy_ils",
    "mls", "hybrid_vndx", "adaptive_tabu_greywolf",
)  # fmt: skip

Row = Mapping[str, Any]


def noisy_cache(cache: Mapping[str, Any], draw: random.Random) -> dict[str, Any]:
    """Return the cache as one run would have measured it."""

    def measured(row: Row) -> Row:
        times = row.get("times")
        return {**row, "time": statistics.median(draw.choices(times, k=ROUNDS))} if times else row

    return {**cache, "cache": {key: measured(row) for key, row in cache["cache"].items()}}


def evaluated(cache: Mapping[str, Any], strategy: str, evaluations: int, seed: int) -> list[Row]:
    """Return what one run of a strategy evaluated, in order; a config that it asks for twice is there twice."""
    random.seed(seed)
    np.random.seed(seed)
    # The product of all values is too large to be filtered, and the configs of the cache are the legal ones.
    interface.Searchspace = lambda *_, **__: Searchspace(None, None, None, from_cache=cache)
    with (
        tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings()
    ):  # fmt: skip
        warnings.simplefilter("ignore")
        file = Path(folder) / "cache.json"
        file.write_text(json.dumps(cache))
        results, _ = kernel_tuner.tune_kernel(
            cache["kernel_name"], "", cache["problem_size"], [], cache["tune_params"], cache=str(file),
            simulation_mode=True, strategy=strategy, strategy_options={"max_fevals": evaluations}, quiet=True,
        )  # fmt: skip
    return list(results)


def trace_of_run(recorded: RecordedSpace, cache: Mapping[str, Any], rows: Sequence[Row]) -> Trace:
    """Return the trace of a run; a config that is asked for again does not count as an evaluation."""
    keys = cache["tune_params_keys"]
    seen: set[tuple[Any, ...]] = set()
    held: list[Config | None] = []
    best_ms = float("inf")
    for row in rows:
        key = tuple(row[name] for name in keys)
        if key in seen:
            continue
        seen.add(key)
        is_best = "__error__" not in row and row["time"] < best_ms
        best_ms = row["time"] if is_best else best_ms
        held.append(config_of(recorded, row) if is_best else held[-1] if held else None)
    return trace_of(recorded, held)


def config_of(recorded: RecordedSpace, row: Row) -> Config:
    family = recorded.space.families[row["family"]]
    return family.table.config({one.name: row[f"{family.name}_{one.name}"] for one in family.parameters})


def replay(recorded: RecordedSpace, name: str, strategy: str, evaluations: int, seeds: int) -> dict[str, Any]:
    cache = message_of(recorded, Format.kernel_tuner)
    began = time.monotonic()
    traces = []
    for seed in range(1, seeds + 1):
        noisy = noisy_cache(cache, random.Random(seed))
        traces.append(trace_of_run(recorded, noisy, evaluated(noisy, strategy, evaluations, seed)))
    message = Replayed(name, strategy, traces).message()
    return {**message, "seconds_per_seed": round((time.monotonic() - began) / seeds, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--evaluations", type=int, default=256)
    parser.add_argument("--listed", action="store_true", help="leave out what was recorded around the fastest")
    options = parser.parse_args()
    show = partial(print, flush=True)
    for file in options.files:
        recorded = read_space(file)
        recorded = recorded.only_listed() if options.listed else recorded
        for strategy in options.strategies.split(","):
            show(json.dumps(replay(recorded, file.name, strategy, options.evaluations, options.seeds)))


if __name__ == "__main__":
    main()
