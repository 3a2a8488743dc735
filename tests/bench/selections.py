#!/usr/bin/env python3
"""Times selections beside CUB's, and configs of selections beside each other.

    nvcc -std=c++20 -O3 -arch=sm_90 -shared -Xcompiler -fPIC -o libcub.so tests/bench/cub_selections.cu
    python tests/bench/selections.py --library build/runtime/libscantune.so --cub libcub.so --json selections.json \\
        [--draws 300] [--configs configs.json]

Every --cub is one build of CUB, such as the toolkit's and a newer one's, compiled as above. All contenders take turns,
by replays of CUDA graphs over arrays that exceed the L2 cache together from some size on. Each result is compared with
torch's before it is timed. --configs names a list of configs, each of which runs in turn with the default.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import json
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import c_interface
from gpu_arrays import stream, torch
from graph_times import medians

Tensor = Any

_TYPES = {"u8": (5, torch.uint8), "i16": (2, torch.int16), "i32": (3, torch.int32), "i64": (4, torch.int64)}
_LESS, _FLAGGED, _UNIQUE, _AROUND = 0, 6, 7, 11
_CRITERIA = {
    "less": _LESS, "flagged": _FLAGGED, "unique": _UNIQUE, "partition": _LESS, "into one": _LESS, "reversed": _LESS,
    "three way": _AROUND,
}  # fmt: skip
_CUB_CRITERIA = {"less": 0, "flagged": 1, "unique": 2, "partition": 3, "into one": 3, "reversed": 3, "three way": 4}
_APART, _AFTER, _REVERSED = 1, 2, 3  # CUB's partition into one array reverses the rest
_REJECTED = {"partition": _APART, "into one": _AFTER, "reversed": _REVERSED, "three way": _APART}
_ROTATED_BYTES = 512 << 20
_GUARD = 64  # items behind an output

_SIZES = (12, 16, 20, 24, 28)
_TABLE = (
    *(("less", "i32", share) for share in (0.5, 1.0, 0.0)), ("flagged", "i32", 0.5), ("unique", "i32", 0.125),
    ("less", "i64", 0.5), ("less", "u8", 0.5), ("flagged", "u8", 0.5), ("partition", "i32", 0.5),
    ("partition", "u8", 0.5), ("into one", "i32", 0.5), ("into one", "u8", 0.5), ("reversed", "i32", 0.5),
    ("reversed", "u8", 0.5), ("three way", "i32", 0.5),
)  # fmt: skip


class _CubCall(ctypes.Structure):
    _fields_ = (
        ("criterion", ctypes.c_int), ("item_bytes", ctypes.c_int), ("temporary", ctypes.c_void_p),
        ("temporary_bytes", ctypes.POINTER(ctypes.c_size_t)), ("input", ctypes.c_void_p), ("flags", ctypes.c_void_p),
        ("output", ctypes.c_void_p), ("second", ctypes.c_void_p), ("rest", ctypes.c_void_p),
        ("count", ctypes.c_void_p), ("n", ctypes.c_int), ("bound", ctypes.c_void_p), ("stream", ctypes.c_void_p),
    )  # fmt: skip


@dataclass(frozen=True)
class Case:
    criterion: str
    type: str
    share: float  # of the items that are kept
    n: int
    input_offset: int = 0  # in items from an aligned address
    output_offset: int = 0

    @property
    def item(self) -> Any:
        return _TYPES[self.type][1]

    def bound(self) -> int:
        """Return a number below which that share of evenly distributed items lies."""
        limits = torch.iinfo(self.item)
        return int(limits.min + ((limits.max - limits.min) * round(self.share * (1 << 20)) >> 20))


@dataclass
class Memory:
    """One set of arrays of a case."""

    items: Tensor
    flags: Tensor
    output: Tensor
    rejected: Tensor
    second: Tensor
    count: Tensor


def items_of(case: Case, seed: int) -> Tensor:
    made = torch.Generator(device="cuda").manual_seed(seed)
    limits = torch.iinfo(case.item)
    length = max(1, round(1 / max(case.share, 1e-6))) if case.criterion == "unique" else 1
    count = -(-case.n // length)
    room = case.n + case.input_offset
    # The largest number is never drawn, so that all items can lie below it.
    drawn = torch.randint(limits.min, limits.max, (count if length > 1 else room,), generator=made, device="cuda",
                          dtype=case.item)  # fmt: skip
    if case.criterion == "three way":  # an eighth is equal to the pivot
        drawn[torch.randint(0, 8, drawn.shape, generator=made, device="cuda") == 0] = case.bound()
    return drawn.repeat_interleave(length)[: case.n] if length > 1 else drawn[case.input_offset :]


def memory_of(case: Case, seed: int) -> Memory:
    made = torch.Generator(device="cuda").manual_seed(seed + 1000)
    draws = torch.rand(case.n, generator=made, device="cuda") if case.criterion == "flagged" else torch.zeros(1)
    room = case.n + case.output_offset + _GUARD
    poisoned = [torch.full((room,), 77, dtype=case.item, device="cuda") for _ in range(3)]
    return Memory(
        items_of(case, seed), (draws < case.share).to(torch.uint8), poisoned[0][case.output_offset :],
        poisoned[1][case.output_offset :], poisoned[2][case.output_offset :],
        torch.zeros(2, dtype=torch.int64, device="cuda"),
    )  # fmt: skip


def kept_of(case: Case, memory: Memory) -> Tensor:
    if case.criterion == "flagged":
        return memory.flags != 0
    if case.criterion == "unique":
        kept = torch.ones_like(memory.items, dtype=torch.bool)
        kept[1:] = memory.items[1:] != memory.items[:-1]
        return kept
    return memory.items < case.bound()


class Library(c_interface.Library):
    def plan(self, case: Case, config: dict[str, Any] | None = None) -> ctypes.c_void_p:
        bound = torch.tensor([case.bound()], dtype=case.item)
        family = "select_two_pass" if case.criterion == "into one" else "select_lookback"
        return self.made_plan(
            self.request(
                "select",
                n=case.n,
                captured_launches=128,
                input_type=_TYPES[case.type][0],
                criterion=_CRITERIA[case.criterion],
                rejected=_REJECTED.get(case.criterion, 0),
                constant=bound.data_ptr() if _CRITERIA[case.criterion] in (_LESS, _AROUND) else None,
                config=json.dumps({"family": family} | config).encode() if config else None,
            )
        )

    def run(self, plan: ctypes.c_void_p, case: Case, memory: Memory) -> None:
        arrays = {"input": memory.items, "output": memory.output, "count": memory.count}
        if case.criterion == "flagged":
            arrays["flags"] = memory.flags
        if _REJECTED.get(case.criterion) == _APART:
            arrays["rejected"] = memory.rejected
        if case.criterion == "three way":
            arrays["second"] = memory.second
        self.run_plan(plan, stream(), **{role: array.data_ptr() for role, array in arrays.items()})


class Cub:
    def __init__(self, path: Path) -> None:
        self._loaded = ctypes.CDLL(str(path))
        version = self._loaded.cub_version()
        self.name = f"CUB {version // 100000}.{version // 100 % 1000}.{version % 100}"

    def runner(self, case: Case) -> Callable[[Memory], None]:
        bound = torch.tensor([case.bound()], dtype=case.item)
        size = ctypes.c_size_t()

        def call(temporary: int | None, memory: Memory) -> None:
            made = _CubCall(
                _CUB_CRITERIA[case.criterion], bound.element_size(), temporary, ctypes.pointer(size),
                memory.items.data_ptr(), memory.flags.data_ptr(), memory.output.data_ptr(), memory.second.data_ptr(),
                memory.rejected.data_ptr(), memory.count.data_ptr(), case.n, bound.data_ptr(), stream(),
            )  # fmt: skip
            status = self._loaded.cub_select(ctypes.byref(made))
            if status != 0:
                raise RuntimeError(f"{self.name} returned {status}")

        call(None, memory_of(replace(case, n=1), 0))
        temporary = torch.empty(max(1, size.value), dtype=torch.uint8, device="cuda")
        return lambda memory: call(temporary.data_ptr(), memory)


def check(library: Library, plan: ctypes.c_void_p, case: Case, memory: Memory) -> None:
    for written in (memory.output, memory.rejected, memory.second):
        written.fill_(77)
    memory.count.fill_(-1)
    library.run(plan, case, memory)
    torch.cuda.synchronize()
    kept = kept_of(case, memory)
    first, rest = memory.items[kept], memory.items[~kept]
    counts = [first.numel()]
    parts = [(memory.output, first)]
    if case.criterion == "partition":
        parts.append((memory.rejected, rest))
    if case.criterion == "into one":
        parts = [(memory.output, torch.cat([first, rest]))]
    if case.criterion == "reversed":
        parts = [(memory.output, torch.cat([first, rest.flip(0)]))]
    if case.criterion == "three way":
        equal = memory.items == case.bound()
        parts += [(memory.second, memory.items[equal]), (memory.rejected, memory.items[~kept & ~equal])]
        counts.append(int(equal.sum()))
    for found, expected in parts:
        many = expected.numel()
        if not torch.equal(found[:many], expected) or not bool((found[many:] == 77).all()):
            raise RuntimeError(f"{case}: wrong, by {library.describe(plan)}")
    if memory.count.tolist()[: len(counts)] != counts:
        raise RuntimeError(f"{case}: counts {memory.count.tolist()}, by {library.describe(plan)}")


def name_of(config: dict[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in config.items()) or "default"


def timed(library: Library, cubs: list[Cub], case: Case, configs: list[dict[str, Any]], rounds: int) -> dict[str, Any]:
    """Return the medians in microseconds of all contenders and configs."""
    nbytes = case.n * torch.tensor([], dtype=case.item).element_size() * 2
    calls = 64 if case.n <= 1 << 22 else 16 if case.n <= 1 << 26 else 4
    sets = [memory_of(case, seed) for seed in range(max(2, min(calls, 32, _ROTATED_BYTES // nbytes)))]
    plans: dict[str, ctypes.c_void_p] = {}
    failed: list[str] = []
    with ThreadPoolExecutor(16) as compiling:
        made = [(name_of(config), compiling.submit(library.plan, case, config)) for config in ({}, *configs)]
    for name, compiled in made:
        try:
            check(library, compiled.result(), case, sets[len(plans) % len(sets)])
            plans[name] = compiled.result()
        except RuntimeError as error:
            failed.append(f"{name}: {error}"[:300])
    contenders: dict[str, Callable[[Memory], None]] = {
        name: functools.partial(library.run, plan, case) for name, plan in plans.items()
    }
    contenders |= {cub.name: cub.runner(case) for cub in cubs}
    times = medians(contenders, sets, calls, rounds)
    config = library.describe(plans["default"]).split("config: ")[1].split("\n")[0] if "default" in plans else ""
    del contenders
    for plan in plans.values():
        library.destroy(plan)
    del sets
    torch.cuda.empty_cache()
    return {"case": case.__dict__, "us": times, "config": config, "failed": failed}


def ratio(row: dict[str, Any]) -> float:
    """Return the faster CUB's time over the default's."""
    return float(min(us for name, us in row["us"].items() if name.startswith("CUB")) / row["us"]["default"])


def drawn(count: int, seed: int) -> Iterator[Case]:
    source = random.Random(seed)
    for _ in range(count):
        criterion, kind = source.choice(sorted(_CRITERIA)), source.choice(sorted(_TYPES))
        share = source.choice([0.0, 0.5, 1.0, source.random(), source.random()])
        if criterion == "unique":
            share = 2.0 ** -source.randrange(8)
        offsets = [source.choice([0, source.randrange(1, 16)]) for _ in range(2)]
        yield Case(criterion, kind, share, round(2 ** source.uniform(10, 27)), *offsets)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--cub", type=Path, action="append", default=[])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--sizes", type=lambda text: [int(one) for one in text.split(",")], default=_SIZES)
    parser.add_argument("--only", default="", help="such cases of the table, as in less-i32-0.5,unique")
    parser.add_argument("--draws", type=int, default=0, help="measure so many drawn cases instead of the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--configs", type=Path, help="a list of configs, each timed too")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    library, cubs = Library(options.library), [Cub(path) for path in options.cub]
    configs = json.loads(options.configs.read_text()) if options.configs else []
    cells = [(f"{criterion}-{kind}-{share}", criterion, kind, share) for criterion, kind, share in _TABLE]
    wanted = [cell[1:] for cell in cells if any(cell[0].startswith(one) for one in options.only.split(","))]
    table = (Case(*cell, 1 << size) for cell in wanted for size in options.sizes)
    rows: list[dict[str, Any]] = []
    failures = 0
    for case in drawn(options.draws, options.seed) if options.draws else table:
        row = timed(library, cubs, case, configs, options.rounds)
        if options.draws and cubs and ratio(row) < 0.98:
            row = timed(library, cubs, case, configs, 3 * options.rounds)
        rows.append(row)
        failures += len(row["failed"])
        best = sorted((us, name) for name, us in row["us"].items())[:3] if configs else []
        times = " ".join(f"{row['us'][name]:.2f}" for name in ("default", *(cub.name for cub in cubs)))
        print(case.criterion, case.type, round(case.share, 3), case.n, times, f"{ratio(row):.2f}" if cubs else "",
              *(f"| {us:.2f} {name}" for us, name in best), *row["failed"], flush=True)  # fmt: skip
        options.json.write_text(json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
                                            "failures": failures, "rows": rows}))  # fmt: skip
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
