#!/usr/bin/env python3
"""Turns what cub_bench has written as JSON into a file of results: a line for each case and condition.

python tests/bench/tabulate.py build/cub_bench.json > tests/bench/results/NAME.csv
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import results_file

CONDITIONS = ("cold", "hot", "cold_isolated", "hot_isolated")
COLUMNS = (
    "input", "accumulator", "output", "op", "kind", "n", "input_offset", "output_offset", "condition", "scantune_us",
    "spread", "cub_us", "cub", "copy_us",
)  # fmt: skip


def table(figures: Mapping[str, Any]) -> str:
    """Return the text of the file. A case in which scantune was not timed has no line; it is among the failures."""
    facts = {
        "gpu": figures["gpu"], "driver": figures["driver"], "compiler": figures["compiler"],
        "against": " and ".join(figures["cub"]), "date": figures["date"][:10], "commit": figures["commit"],
        "failures": str(len(figures["failures"])), "wrong": _wrong(figures),
        "method": "cub_bench; microseconds, medians over replays of CUDA graphs in turn",
    }  # fmt: skip
    lines = [line for case in _cases(figures) for condition in CONDITIONS for line in _lines(case, condition)]
    return results_file.text_of(facts, COLUMNS, lines)


def _cases(figures: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(figures.get("results") or figures.get("draws") or [])


def _wrong(figures: Mapping[str, Any]) -> str:
    """Return which contenders had wrong results and were not timed, with the types and how often."""
    wrong = Counter(
        f"{one['name']}, {case['type']}" for case in _cases(figures) for one in case["contenders"] if one.get("wrong")
    )
    return "; ".join(f"{who}: {count}" for who, count in sorted(wrong.items()))


def _lines(case: Mapping[str, Any], condition: str) -> Iterator[list[results_file.Value]]:
    times: dict[str, list[tuple[float, float, str]]] = {}
    for one in case["contenders"]:
        if condition in one:
            times.setdefault(one["role"], []).append((one[condition]["us"], one[condition]["spread"], one["name"]))
    if "scantune" not in times:
        return
    own_us, own_spread, _ = times["scantune"][0]
    cub_us, cub_spread, cub = min(times.get("cub", []), default=(None, 0.0, ""))
    copy_us = min(times["copy"])[0] if "copy" in times else None
    yield [
        case["type"], case["accumulator_type"], case["output_type"], case["op"], _kind(case), case["n"],
        case["input_offset"], case["output_offset"], condition, own_us, max(own_spread, cub_spread), cub_us, cub,
        copy_us,
    ]  # fmt: skip


def _kind(case: Mapping[str, Any]) -> str:
    """Return the kind of a scan; of a reduction whether a value alone is asked for, or where it stands first."""
    return str(case["kind"]) if "kind" in case else {"none": "value"}.get(case["position"], case["position"])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("figures", type=Path, help="what cub_bench --json has written")
    options = parser.parse_args(arguments)
    sys.stdout.write(table(json.loads(options.figures.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
