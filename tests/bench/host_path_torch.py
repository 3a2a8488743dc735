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
from datetime import datetime, timezone
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


def call_of(torch: Any, n: int) -> dict[str, float]:
    source = torch.ones(n, dtype=torch.int32, device="cuda")
    sums = torch.empty_like(source)
    batch_ns(torch, source, sums)  # loads kernels
    first, median, third = statistics.quantiles((batch_ns(torch, source, sums) for _ in range(_BATCHES)), n=4)
    return {"n": n, "ns": median, "spread": (third - first) / median}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, help="writes the figures there too")
    parser.add_argument("--commit", default="", help="names the commit in the report")
    options = parser.parse_args()
    path: Path | None = options.json
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
        call = call_of(torch, 1 << exponent)
        calls.append(call)
        print(f"torch {torch.__version__}, i32 sum of {call['n']} items: {call['ns']:.1f} ns ({call['spread']:.1%})")
    if path is not None:
        report = {
            "gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
            "commit": options.commit, "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "calls": calls,
        }  # fmt: skip
        path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
