#!/usr/bin/env python3
"""Times what a call of torch.cumsum costs the CPU, as host_path_bench does for scantune and CUB.

    python tests/bench/host_path_torch.py --json host_path_torch.json

Inclusive i32 sums into a tensor that is given. Nanoseconds per call: the median over batches of calls that the stream
takes without making them wait, the interpreter's share included.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import time
from pathlib import Path
from typing import Any

_CALLS_PER_BATCH = 200
_BATCHES = 101
_EXPONENTS = (8, 10, 16, 20)


def batch_ns(torch: Any, source: Any, sums: Any) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter_ns()
    for _ in range(_CALLS_PER_BATCH):
        torch.cumsum(source, 0, dtype=source.dtype, out=sums)
    return (time.perf_counter_ns() - start) / _CALLS_PER_BATCH


def call_ns(torch: Any, n: int) -> float:
    source = torch.ones(n, dtype=torch.int32, device="cuda")
    sums = torch.empty_like(source)
    batch_ns(torch, source, sums)  # loads kernels
    return statistics.median(batch_ns(torch, source, sums) for _ in range(_BATCHES))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, help="writes the figures there too")
    path: Path | None = parser.parse_args().json
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        print(f"skipped: {error}")
        return
    if not torch.cuda.is_available():
        print("skipped: torch sees no GPU")
        return
    calls = []
    for exponent in _EXPONENTS:
        n = 1 << exponent
        calls.append({"n": n, "ns": call_ns(torch, n)})
        print(f"torch {torch.__version__}, i32 sum of {n} items: {calls[-1]['ns']:.1f} ns")
    if path is not None:
        path.write_text(json.dumps({"torch": torch.__version__, "calls": calls}, indent=1) + "\n")


if __name__ == "__main__":
    main()
