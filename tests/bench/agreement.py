#!/usr/bin/env python3
"""Times the winners of two tuning databases beside each other, cell by cell: how far two runs of the tuner agree.

    python tests/bench/agreement.py first.db second.db --json agreement.json

Both winners of a cell are timed in turn, in one request to the worker. They agree where they differ by no more than 1 %
or than the noise: half the 95 % interval of their ratio, of which 1.5 % counts at most.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scantune.cli.workers import chosen_worker, compile_pool
from scantune.model.algorithms import Algorithms
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.measurement import Measurement
from scantune.model.policy import Rounds
from scantune.model.record import Record
from scantune.model.trial import Failure
from scantune.store.archive import Archive
from scantune.store.database import open_database
from scantune.worker.device_choice import AUTO
from scantune.worker.evaluation import Evaluator, Timeouts

_NEAR = 0.01
_MOST_NOISE = 0.015
_ROUNDS = Rounds(rounds=41, min_round_ms=2.0)


@dataclass(frozen=True)
class Pair:
    cell: Cell
    configs: tuple[Config, Config]
    times: tuple[Measurement, Measurement] | None  # None where both winners are one config

    @property
    def ratio(self) -> float:
        """The slower one's time over the faster one's."""
        if self.times is None:
            return 1.0
        medians = sorted(time.median_us for time in self.times)
        return medians[1] / medians[0]

    @property
    def noise(self) -> float:
        """Half the 95 % interval of the ratio."""
        if self.times is None:
            return 0.0
        return 1.96 * math.hypot(*(time.standard_error_us / time.median_us for time in self.times))

    @property
    def agrees(self) -> bool:
        return self.ratio - 1 <= max(_NEAR, min(self.noise, _MOST_NOISE))

    def message(self) -> dict[str, Any]:
        medians = [round(time.median_us, 4) for time in self.times] if self.times else None
        return {
            "problem": str(self.cell.problem), "n": self.cell.n, "ratio": round(self.ratio, 4),
            "noise": round(self.noise, 4), "agrees": self.agrees, "median_us": medians,
            "configs": [str(config) for config in self.configs],
        }  # fmt: skip


def common_cells(
    first: Iterable[Record], second: Iterable[Record], device: Device
) -> dict[Cell, tuple[Config, Config]]:
    """Return both winners of every cell of a device in which both databases have one."""
    ours, theirs = (
        {Cell(one.problem, one.n): one.config for one in all_ if one.device == device} for all_ in (first, second)
    )
    return {cell: (config, theirs[cell]) for cell, config in ours.items() if cell in theirs}


def summary(pairs: Sequence[Pair]) -> dict[str, Any]:
    worst = max(pairs, key=lambda pair: pair.ratio)
    return {
        "cells": len(pairs), "agreeing_share": round(sum(pair.agrees for pair in pairs) / len(pairs), 4),
        "same_config": sum(pair.times is None for pair in pairs), "worst_ratio": round(worst.ratio, 4),
        "worst": str(worst.cell),
    }  # fmt: skip


def compare(evaluator: Evaluator, cells: Mapping[Cell, tuple[Config, Config]]) -> list[Pair]:
    return [
        Pair(cell, configs, _timed(evaluator, cell, configs) if configs[0] != configs[1] else None)
        for cell, configs in cells.items()
    ]


def _timed(evaluator: Evaluator, cell: Cell, configs: Sequence[Config]) -> tuple[Measurement, Measurement]:
    first, second = evaluator.measure(*cell, configs, _ROUNDS).outcomes
    if isinstance(first, Failure) or isinstance(second, Failure):
        raise SystemExit(f"{cell} cannot be timed: {first}, {second}")
    return first, second


def _records(path: Path, algorithms: Algorithms) -> list[Record]:
    with open_database(path) as database:
        return Archive(database, algorithms).records()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("databases", type=Path, nargs=2)
    parser.add_argument("--arch", default=AUTO)
    parser.add_argument("--device")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    with ExitStack() as stack:
        worker = chosen_worker(stack, asked.arch, asked.device)
        hello = worker.hello()
        evaluator = Evaluator(worker, Timeouts.of(hello.device))
        first, second = (_records(path, hello.algorithms) for path in asked.databases)
        cells = common_cells(first, second, hello.device)
        if not cells:
            raise SystemExit(f"the databases have no winner of {hello.device} in common")
        with compile_pool(worker, 1, None) as pool:
            for cell, configs in cells.items():
                for config in dict.fromkeys(configs):
                    pool.submit(evaluator.request(*cell), config)
            pairs = compare(evaluator, cells)
        for pair in sorted(pairs, key=lambda one: -one.ratio):
            if not pair.agrees:
                print(f"{pair.cell}: {pair.ratio:.4f}, {' or '.join(map(str, pair.configs))}")
        print(json.dumps(summary(pairs)))
        if asked.json:
            told = {"device": vars(hello.device), "driver": hello.driver_version, "compiler": hello.compiler_version}
            text = json.dumps({**told, **summary(pairs), "pairs": [pair.message() for pair in pairs]}, indent=1)
            asked.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
