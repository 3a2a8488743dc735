#!/usr/bin/env python3
"""Times load balances beside Thrust's upper_bound and a copy of as many bytes, and configs beside each other.

    nvcc -std=c++20 -O3 -arch=sm_90 -shared -Xcompiler -fPIC -o libthrust.so tests/bench/thrust_upper_bound.cu
    python tests/bench/load_balances.py --library build/runtime/libscantune.so --thrust libthrust.so \\
        --json load_balances.json [--configs configs.json] [--draws 60 --seed 7]

Contenders take turns, as in selections.py. Offsets and segments have 32 bits. Each result is compared with torch's
before it is timed. Draws are small: of 2^10 to 2^16 items, with ranks.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import c_interface
import problems
from gpu_arrays import stream, torch
from graph_times import medians

Tensor = Any
_ROTATED_BYTES = 512 << 20
_U32 = 7
_SEGMENTS, _BOTH = 0, 2
_KINDS = ("4", "256", "power")


@dataclass
class Memory:
    offsets: Tensor  # int32
    segment_of: Tensor
    rank_of: Tensor


def lengths_of(kind: str, n: int, seed: int) -> Tensor:
    """Return lengths whose sum is n: even ones of a mean, empty ones among them, or those of a power law."""
    made = torch.Generator(device="cuda").manual_seed(seed)
    if kind == "power":
        draws = torch.rand(max(1, n // 16), generator=made, device="cuda", dtype=torch.float64).clamp_min(1e-9)
        lengths = draws.pow(-1 / 1.2).to(torch.int64) - 1
        lengths = (lengths.double() * (n / max(1.0, float(lengths.sum())))).to(torch.int64)
    else:
        mean = int(kind)
        lengths = torch.randint(0, 2 * mean + 1, (max(1, n // mean),), generator=made, device="cuda")
    ends = torch.cumsum(lengths, 0).clamp_max(n)
    ends[-1] = n
    return torch.diff(ends, prepend=torch.zeros(1, dtype=ends.dtype, device="cuda"))


def memory_of(kind: str, n: int, seed: int) -> Memory:
    lengths = lengths_of(kind, n, seed)
    offsets = torch.zeros(lengths.numel() + 1, dtype=torch.int32, device="cuda")
    offsets[1:] = torch.cumsum(lengths, 0).to(torch.int32)
    room = [torch.full((n,), -7, dtype=torch.int32, device="cuda") for _ in range(2)]
    return Memory(offsets, *room)


class Library(c_interface.Library):
    def plan(self, n: int, segments: int, ranks: bool, config: dict[str, Any]) -> ctypes.c_void_p:
        given = json.dumps({"family": "load_balance_merge"} | config).encode() if config else None
        return self.made_plan(
            self.request(
                "load_balance",
                n=n,
                segment_count=segments,
                input_type=_U32,
                output_type=_U32,
                assigned=_BOTH if ranks else _SEGMENTS,
                config=given,
            )
        )

    def run(self, plan: ctypes.c_void_p, ranks: bool, memory: Memory) -> None:
        of_ranks = {"indices": memory.rank_of.data_ptr()} if ranks else {}
        written = {"output": memory.segment_of.data_ptr(), **of_ranks}
        self.run_plan(plan, stream(), input=memory.offsets.data_ptr(), **written)


def check(library: Library, plan: ctypes.c_void_p, ranks: bool, memory: Memory) -> None:
    memory.segment_of.fill_(-7)
    memory.rank_of.fill_(-7)
    library.run(plan, ranks, memory)
    lengths = torch.diff(memory.offsets.to(torch.int64))
    ids = torch.arange(lengths.numel(), device="cuda", dtype=torch.int64).repeat_interleave(lengths)
    right = torch.equal(ids, memory.segment_of.to(torch.int64))
    if ranks:
        expected = torch.arange(ids.numel(), device="cuda") - memory.offsets.to(torch.int64)[ids]
        right = right and torch.equal(expected, memory.rank_of.to(torch.int64))
    if not right:
        raise RuntimeError("wrong, by " + library.describe(plan))


def copy(pairs: dict[int, list[Tensor]], memory: Memory) -> None:
    to, source = pairs[id(memory)]
    to.copy_(source)


def name_of(config: dict[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in config.items()) or "default"


def timed(
    library: Library, thrust: Any, kind: str, ranks: bool, n: int, configs: list[dict[str, Any]], rounds: int
) -> dict[str, Any]:
    """Return the medians in microseconds of the default, of Thrust, of a copy, and of the configs."""
    calls = 64 if n <= 1 << 22 else 16 if n <= 1 << 26 else 4
    sets = [memory_of(kind, n, seed) for seed in range(max(2, min(calls, 32, _ROTATED_BYTES // (8 * n))))]
    segments = sets[0].offsets.numel() - 1
    failed: list[str] = []
    contenders: dict[str, Callable[[Memory], None]] = {}
    with ThreadPoolExecutor(16) as compiling:
        made = [
            (name_of(config), compiling.submit(library.plan, n, segments, ranks, config)) for config in ({}, *configs)
        ]
    for name, compiled in made:
        try:
            check(library, compiled.result(), ranks, sets[len(contenders) % len(sets)])
            contenders[name] = functools.partial(library.run, compiled.result(), ranks)
        except RuntimeError as error:
            failed.append(f"{name}: {error}"[:300])

    def upper_bound(memory: Memory) -> None:
        pointers = ctypes.c_void_p(memory.offsets.data_ptr()), segments, ctypes.c_void_p(memory.segment_of.data_ptr())
        if thrust.thrust_upper_bound(*pointers, n, stream()) != 0:
            raise RuntimeError("thrust_upper_bound failed")

    moved = (segments + n * (2 if ranks else 1)) * 4 // 2
    copied = [[torch.ones(moved, dtype=torch.uint8, device="cuda") for _ in range(2)] for _ in sets]
    pairs = {id(memory): pair for memory, pair in zip(sets, copied, strict=True)}
    contenders["thrust"] = upper_bound
    contenders["copy"] = functools.partial(copy, pairs)
    times = medians(contenders, sets, calls, rounds)
    del contenders, sets, copied, pairs
    torch.cuda.empty_cache()
    return {"kind": kind, "ranks": ranks, "n": n, "segments": segments, "us": times, "failed": failed}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--thrust", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--sizes", type=lambda text: [int(one) for one in text.split(",")], default=[12, 16, 20, 24])
    parser.add_argument("--draws", type=int, default=0, help="measure so many drawn cases instead of the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--configs", type=Path, help="a list of configs, each timed too")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    library, thrust = Library(options.library), ctypes.CDLL(str(options.thrust))
    configs = json.loads(options.configs.read_text()) if options.configs else []
    rows = []
    cases = [(kind, ranks, 1 << size) for ranks in (False, True) for kind in _KINDS for size in options.sizes]
    if options.draws:
        design = problems.covering_design(options.draws, options.seed, _KINDS, lambda _: (True,), 10, 16)
        cases = [(kind, ranks, n) for kind, ranks, n, _ in design]
    for kind, ranks, n in cases:
        row = timed(library, thrust, kind, ranks, n, configs, options.rounds)
        rows.append(row)
        us = row["us"]
        best = sorted((time, name) for name, time in us.items() if name not in ("thrust", "copy"))[:4]
        print(
            *(row[name] for name in ("kind", "ranks", "n")), f"{us['default']:.2f} thrust {us['thrust']:.2f}",
            f"{us['thrust'] / us['default']:.2f} copy {us['copy']:.2f} {us['copy'] / us['default']:.2f}",
            *(f"| {time:.2f} {name}" for time, name in best if configs), *row["failed"], flush=True,
        )  # fmt: skip
        options.json.write_text(json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
                                            "rows": rows}))  # fmt: skip
    return 1 if any(row["failed"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
