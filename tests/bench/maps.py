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
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selections import medians, stream

torch: Any = importlib.import_module("torch")
Tensor = Any

_I32, _EXCLUSIVE, _MAP_ITEM = 3, 1, 0
_SOURCE = b"struct State { int bound; };\n__device__ int load(int x, State state) { return x < state.bound; }\n"
_BOUND = 1 << 20
_ROTATED_BYTES = 512 << 20
_SIZES = (8, 12, 16, 20, 22, 24, 26, 28)


class _Map(ctypes.Structure):
    _fields_ = (
        ("struct_bytes", ctypes.c_size_t), ("source", ctypes.c_char_p), ("kind", ctypes.c_int),
        ("state_bytes", ctypes.c_uint32), ("state", ctypes.c_void_p),
    )  # fmt: skip


class _Problem(ctypes.Structure):
    """scantune_problem, initialised by the library."""

    _fields_ = (
        ("struct_bytes", ctypes.c_size_t), ("n", ctypes.c_uint64), ("input_type", ctypes.c_int),
        ("accumulator_type", ctypes.c_int), ("output_type", ctypes.c_int), ("op", ctypes.c_int), ("kind", ctypes.c_int),
        ("determinism", ctypes.c_int), ("forward_progress", ctypes.c_int), ("latency", ctypes.c_int),
        ("init", ctypes.c_void_p), ("device_init", ctypes.c_void_p), ("custom", ctypes.c_void_p),
        ("captured_launches", ctypes.c_int32), ("reserved", ctypes.c_uint32), ("config", ctypes.c_char_p),
        ("segments", ctypes.c_int), ("more_reserved", ctypes.c_uint32), ("rows", ctypes.c_uint64),
        ("device_n", ctypes.c_void_p), ("device_clamped", ctypes.c_void_p), ("columns", ctypes.c_uint64),
        ("direction", ctypes.c_int), ("last_reserved", ctypes.c_uint32), ("strides", ctypes.c_int64 * 7),
        ("device_inits", ctypes.c_void_p), ("load", ctypes.POINTER(_Map)), ("store", ctypes.POINTER(_Map)),
        ("item_bytes", ctypes.c_uint32), ("item_alignment", ctypes.c_uint32),
    )  # fmt: skip


class Library:
    def __init__(self, path: Path) -> None:
        self._loaded = ctypes.CDLL(str(path))
        self._loaded.scantune_error_message.restype = ctypes.c_char_p

    def plan(self, n: int, *, mapped: bool) -> ctypes.c_void_p:
        problem = _Problem()
        self._check(self._loaded.scantune_problem_init(ctypes.byref(problem), ctypes.c_size_t(ctypes.sizeof(problem))))
        problem.n, problem.kind, problem.captured_launches = n, _EXCLUSIVE, 128
        problem.input_type = problem.accumulator_type = problem.output_type = _I32
        state = ctypes.c_int(_BOUND)
        if mapped:
            address = ctypes.cast(ctypes.pointer(state), ctypes.c_void_p)
            problem.load = ctypes.pointer(_Map(ctypes.sizeof(_Map), _SOURCE, _MAP_ITEM, 4, address))
        made = ctypes.c_void_p()
        self._check(self._loaded.scantune_plan_create(ctypes.byref(problem), ctypes.byref(made)))
        return made

    def run(self, plan: ctypes.c_void_p, items: Tensor, output: Tensor) -> None:
        pointers = ctypes.c_void_p(items.data_ptr()), ctypes.c_void_p(output.data_ptr())
        self._check(self._loaded.scantune_plan_run(plan, *pointers, stream()))

    def destroy(self, plan: ctypes.c_void_p) -> None:
        self._loaded.scantune_plan_destroy(plan)

    def _check(self, status: int) -> None:
        if status != 0:
            raise RuntimeError(self._loaded.scantune_error_message().decode())


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
