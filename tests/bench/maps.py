#!/usr/bin/env python3
"""Times offsets of what a predicate keeps, by a map, beside CUB's exclusive sum over a transform iterator.

    nvcc -std=c++20 -O3 -arch=sm_90 -shared -Xcompiler -fPIC -o libcub.so tests/bench/cub_offsets.cu
    python tests/bench/maps.py --library build/runtime/libscantune.so --cub libcub.so --json maps.json

Contenders take turns as those of selections.py do. "plain" is scantune's exclusive sum of the same items, without a
map. Results are compared with torch's first.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import c_interface
from gpu_arrays import stream, torch
from graph_times import medians

Tensor = Any

_I32, _EXCLUSIVE, _MAP_ITEM = 3, 1, 2
_SOURCE = b"struct State { int bound; };\n__device__ int load(int x, State state) { return x < state.bound; }\n"
_BOUND = 1 << 20
_ROTATED_BYTES = 512 << 20
_SIZES = (8, 12, 16, 20, 22, 24, 26, 28)


class Library(c_interface.Library):
    def plan(self, n: int, *, mapped: bool) -> ctypes.c_void_p:
        request = self.request(
            "scan", n=n, kind=_EXCLUSIVE, captured_launches=128, input_type=_I32, accumulator_type=_I32,
            output_type=_I32,
        )  # fmt: skip
        state = ctypes.c_int(_BOUND)
        load: Any = c_interface.struct("scantune_function")()
        load.struct_bytes, load.role, load.source = ctypes.sizeof(load), _MAP_ITEM, _SOURCE
        load.state, load.state_bytes = ctypes.addressof(state), 4
        request.load = ctypes.addressof(load) if mapped else None
        return self.made_plan(request)

    def run(self, plan: ctypes.c_void_p, items: Tensor, output: Tensor) -> None:
        self.run_plan(plan, stream(), input=items.data_ptr(), output=output.data_ptr())


def cub_runner(path: Path, n: int) -> tuple[str, Callable[[tuple[Tensor, Tensor]], None]]:
    loaded = ctypes.CDLL(str(path))
    version = loaded.cub_version()
    size = ctypes.c_size_t()

    def call(temporary: int | None, items: Tensor, output: Tensor) -> None:
        status = loaded.cub_offsets(ctypes.c_void_p(temporary), ctypes.byref(size), ctypes.c_void_p(items.data_ptr()),
                                    ctypes.c_void_p(output.data_ptr()), n, _BOUND, stream())  # fmt: skip
        if status != 0:
            raise RuntimeError(f"CUB returned {status}")

    empty = torch.empty(1, dtype=torch.int32, device="cuda")
    call(None, empty, empty)
    room = torch.empty(max(1, size.value), dtype=torch.uint8, device="cuda")
    name = f"CUB {version // 100000}.{version // 100 % 1000}.{version % 100}"
    return name, lambda arrays: call(room.data_ptr(), *arrays)


def timed(library: Library, cubs: list[Path], n: int, rounds: int) -> dict[str, float]:
    """Return the medians in microseconds of all contenders."""
    calls = 64 if n <= 1 << 22 else 16 if n <= 1 << 26 else 4
    sets = [
        (
            torch.randint(0, 2 * _BOUND, (n,), dtype=torch.int32, device="cuda"),
            torch.full((n,), -1, dtype=torch.int32, device="cuda"),
        )
        for _ in range(max(2, min(calls, 32, _ROTATED_BYTES // (8 * n))))
    ]
    plans = [library.plan(n, mapped=mapped) for mapped in (True, False)]
    contenders: dict[str, Callable[[tuple[Tensor, Tensor]], None]] = {
        "map": lambda arrays: library.run(plans[0], *arrays),
        "plain": lambda arrays: library.run(plans[1], *arrays),
    } | dict(cub_runner(path, n) for path in cubs)
    for name, call in contenders.items():
        items, output = sets[0]
        output.fill_(-1)
        call(sets[0])
        flags = items if name == "plain" else (items < _BOUND).to(torch.int32)
        if not torch.equal(output, (torch.cumsum(flags, 0, dtype=torch.int32) - flags).to(torch.int32)):
            raise RuntimeError(f"{name} is wrong for {n} items")
    times = medians(contenders, sets, calls, rounds)
    for plan in plans:
        library.destroy(plan)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--cub", type=Path, action="append", required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--sizes", type=lambda text: [int(one) for one in text.split(",")], default=_SIZES)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    library = Library(options.library)
    rows = []
    for size in options.sizes:
        times = timed(library, options.cub, 1 << size, options.rounds)
        fastest = min(us for name, us in times.items() if name.startswith("CUB"))
        rows.append({"n": 1 << size, "us": times, "ratio": fastest / times["map"]})
        print(1 << size, *(f"{name} {us:.2f}" for name, us in times.items()), f"{rows[-1]['ratio']:.2f}", flush=True)
        options.json.write_text(json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
                                            "rows": rows}))  # fmt: skip
        torch.cuda.empty_cache()
    return 0


if __name__ == "__main__":
    sys.exit(main())
