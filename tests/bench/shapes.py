#!/usr/bin/env python3
"""Times scans of rows and columns beside a copy of as many bytes and torch's cumulative sums.

    python tests/bench/shapes.py --library build/runtime/libscantune.so --worker build/runtime/scantune-worker \\
        --json shapes.json [--draws 300] [--reverse] [--device-n]

The worker times the config that is chosen, in turns with the copy. Here scans and torch.cumsum take turns, by replays
of CUDA graphs over up to 32 pairs of arrays, which from a megabyte on exceed the L2 cache together. --device-n compares
no results: tests do. Every other result is compared with torch's before it is timed:
integers bit by bit, floats against sums in double precision, relative to the sum of all magnitudes. Of draws some have
strides or go in reverse; torch then gets the same views, and goes forward.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import importlib
import json
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import c_interface

torch: Any = importlib.import_module("torch")
Tensor = Any

_TYPES = {
    "i8": (1, torch.int8), "i16": (2, torch.int16), "i32": (3, torch.int32), "i64": (4, torch.int64),
    "f16": (9, torch.float16), "bf16": (10, torch.bfloat16), "f32": (11, torch.float32), "f64": (12, torch.float64),
}  # fmt: skip
_ROWS, _COLUMNS = 1, 2
_ROTATED_BYTES = 256 << 20
_ROUNDS = 7
_GUARD = 64  # items behind an output
_SLOW_SECONDS = 0.5  # one sample is enough of what takes so long
# Rounding of one addition, and of what is stored: relative to the sum of all magnitudes of a sequence.
_TOLERANCES = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 1e-5, "f64": 1e-13}

_STRUCT = "custom8"  # of 8 bytes, combined by a stand-in for an operator of the caller's
_TABLE = (
    *(("f32", "rows", 1 << 28 - length, 1 << length) for length in (4, 6, 8, 10, 12, 14, 18, 24, 28)),
    *(("f32", "columns", count, length) for count, length in (
        (1 << 14, 1 << 14), (1 << 10, 1 << 18), (64, 1 << 22), (2, 1 << 27), (1 << 18, 1 << 10),
    )),
    *(("f32", "rows", count, length) for count, length in ((64, 1024), (1024, 1024), (32, 16384), (8, 131072))),
    *((kind, *shape) for kind in ("i8", "f16", "f64", _STRUCT) for shape in (
        ("rows", 1 << 18, 1 << 10), ("rows", 1 << 10, 1 << 18), ("columns", 1 << 14, 1 << 14),
        ("columns", 1 << 10, 1 << 18),
    )),
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One shape: `count` sequences of `length` items each; offsets are in items from an aligned address."""

    type: str
    segments: str  # "rows", "columns", or "none" for one sequence
    count: int
    length: int
    exclusive: bool = False
    input_offset: int = 0
    output_offset: int = 0
    reverse: bool = False
    # Rows may be cut into planes of `count` rows each. Strides lead from plane to plane, row to row and item to item.
    planes: int = 1
    strides: tuple[int, int, int] | None = None
    out_strides: tuple[int, int, int] | None = None

    @property
    def n(self) -> int:
        return self.planes * self.count * self.length

    @property
    def size(self) -> tuple[int, int, int]:
        return self.planes, self.count, self.length

    def dense(self) -> Case:
        return Case(self.type, self.segments, self.planes * self.count, self.length)

    def room(self, strides: tuple[int, int, int] | None) -> int:
        """Return how many items an array has, gaps included."""
        if strides is None:
            return self.n
        return 1 + sum((many - 1) * stride for many, stride in zip(self.size, strides, strict=True))

    @property
    def request(self) -> dict[str, Any]:
        shape = {} if self.segments == "none" else {"segments": self.segments, self.segments: self.count}
        kind = {"kind": "exclusive"} if self.exclusive else {}
        if self.type == _STRUCT:
            kind["op"] = "custom_cheap"
        return {"algorithm": "scan", "input_type": self.type, "n": self.n, **shape, **kind}


class Library(c_interface.Library):
    def plan(self, case: Case, device_n: Tensor | None = None) -> ctypes.c_void_p:
        request = self.request(
            "scan", n=case.n, kind=int(case.exclusive), captured_launches=64, direction=int(case.reverse),
            segments={"none": 0, "rows": _ROWS, "columns": _COLUMNS}[case.segments],
            device_n=None if device_n is None else device_n.data_ptr(),
        )  # fmt: skip
        request.input_type = request.output_type = _TYPES[case.type][0]
        if case.segments != "none":
            setattr(request, case.segments, case.planes * case.count)
        if case.strides is not None and case.out_strides is not None:
            request.planes = case.planes
            request.plane_stride, request.row_stride, request.item_stride = case.strides
            request.out_plane_stride, request.out_row_stride, request.out_item_stride = case.out_strides
        return self.made_plan(request)

    def run(self, plan: ctypes.c_void_p, source: Tensor, target: Tensor) -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.run_plan(plan, stream, input=source.data_ptr(), output=target.data_ptr())


class Worker:
    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [path, "--device", "cuda"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"id": 1, "method": method, "params": params}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if not answer["ok"]:
            raise RuntimeError(answer["error"]["message"])
        return dict(answer["result"])

    def times(self, case: Case) -> tuple[str, float, float]:
        """Return the family that is chosen, its time and that of the copy, in microseconds."""
        config = self.ask("select", request=case.request)["config"]
        policy = {"rounds": 9, "min_round_ms": 2.0, "ceiling": True}
        answer = self.ask("measure", request=case.request, configs=[config], policy=policy)
        return config["family"], float(answer["measurements"][0]["median_us"]), float(answer["ceiling_us"])


def items_of(case: Case, seed: int) -> Tensor:
    made = torch.Generator(device="cuda").manual_seed(seed)
    kind = _TYPES[case.type][1]
    room = case.room(case.strides) + case.input_offset
    if kind.is_floating_point:
        items = torch.rand(room, generator=made, device="cuda", dtype=torch.float32)
        return (items * min(1.0, 1000 / case.length)).to(kind)  # sums of all types stay finite
    return torch.randint(-100, 100, (room,), generator=made, device="cuda", dtype=kind)


def shaped(case: Case, items: Tensor, strides: tuple[int, int, int] | None = None) -> Tensor:
    """Return the sequences as a tensor, along axis() of which each lies."""
    if strides is not None:
        return items.as_strided(case.size, strides)
    return items.view(case.length, case.count) if case.segments == "columns" else items.view(case.count, case.length)


def axis(case: Case) -> int:
    return 2 if case.strides is not None else 0 if case.segments == "columns" else 1


def worst_error(case: Case, source: Tensor, found: Tensor) -> float:
    """Return the largest error, relative to the sum of a sequence's magnitudes; of integers 0, or infinity."""
    wide = torch.float64 if source.is_floating_point() else torch.int64
    # Sequences are turned into rows, since torch takes seconds along the first of two axes.
    views = (shaped(case, source, case.strides), shaped(case, found, case.out_strides))
    rows, got = (view.movedim(axis(case), -1).reshape(-1, case.length) for view in views)
    if case.reverse:
        rows, got = rows.flip(1), got.flip(1)
    rows = rows.to(wide)
    expected = torch.stack([torch.cumsum(row, 0) for row in rows]) if case.count <= 16 else torch.cumsum(rows, 1)
    if case.exclusive:
        expected -= rows
    if wide == torch.int64:
        return 0.0 if torch.equal(expected.to(source.dtype), got) else float("inf")
    scale = rows.abs().sum(1, keepdim=True).clamp_min(1e-300)
    return float(((got.to(wide) - expected).abs() / scale).max())


def check(library: Library, case: Case, plan: ctypes.c_void_p) -> None:
    for seed in (1, 2):
        source = items_of(case, seed)[case.input_offset :]
        room = case.output_offset + case.room(case.out_strides) + _GUARD
        target = torch.full((room,), 77, device="cuda").to(_TYPES[case.type][1])
        own = target[case.output_offset : target.numel() - _GUARD]
        library.run(plan, source, own)
        torch.cuda.synchronize()
        error = worst_error(case, source, own)
        if not error <= _TOLERANCES.get(case.type, 0.0):
            raise RuntimeError(f"{case}: error {error}, by {library.describe(plan)}")
        if case.out_strides is not None:
            shaped(case, own, case.out_strides).fill_(77)
        around = target if case.out_strides is not None else torch.cat((target[: case.output_offset], target[-_GUARD:]))
        if not bool((around == 77).all()):
            raise RuntimeError(f"{case}: something was written beside the results")


def captured(call: Callable[[int], object], calls: int) -> Any:
    call(0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for turn in range(calls):
            call(turn)
    return graph


def seconds(graph: Any) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) / 1e3


def medians_us(contenders: Mapping[str, tuple[Callable[[int], None], int]]) -> dict[str, float]:
    """Return the time of one call of each contender, given as its call and how many of them a graph holds."""
    graphs = {name: (captured(*contender), contender[1]) for name, contender in contenders.items()}
    samples: dict[str, list[float]] = {name: [] for name in graphs}
    for _ in range(_ROUNDS):
        for name, (graph, _) in graphs.items():
            if not samples[name] or samples[name][0] < _SLOW_SECONDS:
                samples[name].append(seconds(graph))
    return {name: statistics.median(samples[name]) / graphs[name][1] * 1e6 for name in graphs}


def against_torch(library: Library, case: Case, plan: ctypes.c_void_p) -> dict[str, float]:
    nbytes = max(1, case.n * items_of(Case(case.type, "rows", 1, 1), 1).element_size())
    sets = max(2, min(32, _ROTATED_BYTES // (2 * nbytes)))
    pairs = []
    for seed in range(sets):
        source = items_of(case, seed)[case.input_offset :]
        room = case.room(case.out_strides) + case.output_offset
        pairs.append((source, torch.empty(room, dtype=source.dtype, device="cuda")))

    def own(turn: int) -> None:
        source, target = pairs[turn % sets]
        library.run(plan, source, target[case.output_offset :])

    def its(turn: int) -> None:
        source, target = pairs[turn % sets]
        into = shaped(case, target[case.output_offset :], case.out_strides)
        torch.cumsum(shaped(case, source, case.strides), axis(case), dtype=source.dtype, out=into)

    calls = 32 if case.n <= 1 << 22 else 8
    slow = case.n > 1 << 22 and min(case.count, case.length) < 4096
    contenders = {"scantune": (own, calls), "torch": (its, 1 if slow else calls)}
    if case.segments == "columns" and case.count < 16 and case.length > 1 << 20:
        del contenders["torch"]  # it takes seconds for 64 columns, and longer the fewer there are
    return medians_us(contenders)


def timed_struct(worker: Worker, case: Case) -> dict[str, Any]:
    """Return what the worker says of a type that torch does not have."""
    config = worker.ask("select", request=case.request)["config"]
    worker.ask("verify", request=case.request, config=config)
    return described(case, *worker.times(case))


def timed(library: Library, worker: Worker, case: Case) -> dict[str, Any]:
    if case.type == _STRUCT:
        return timed_struct(worker, case)
    plan = library.plan(case)
    try:
        check(library, case, plan)
        family, own_us, copy_us = worker.times(case.dense())
        api = against_torch(library, case, plan)
        if case.strides is not None or case.reverse:
            family, own_us = library.describe(plan).split("config: ")[1].split("{")[0], api["scantune"]
    finally:
        library.destroy(plan)
        torch.cuda.empty_cache()
    return described(case, family, own_us, copy_us, api)


def described(
    case: Case, family: str, own_us: float, copy_us: float, api: Mapping[str, float] | None = None
) -> dict[str, Any]:
    api = api or {}
    return {
        "type": case.type, "segments": case.segments, "count": case.count, "length": case.length,
        "exclusive": case.exclusive, "input_offset": case.input_offset, "output_offset": case.output_offset,
        "reverse": case.reverse, "planes": case.planes, "strides": case.strides, "out_strides": case.out_strides,
        "family": family, "us": round(own_us, 2), "copy_us": round(copy_us, 2), "share": round(copy_us / own_us, 3),
        "api_us": round(api["scantune"], 2) if api else None,
        "torch_us": round(api["torch"], 2) if "torch" in api else None,
        "ratio": round(api["torch"] / api["scantune"], 2) if "torch" in api else None,
    }  # fmt: skip


def drawn(count: int, seed: int) -> Iterator[Case]:
    """Yield cases whose sizes are log-uniform, each pointer aligned in one case of two."""
    source = random.Random(seed)
    for _ in range(count):
        kind = source.choice(["i8", "i32", "f16", "f32", "f64"])
        n = 2 ** source.uniform(10, 27)
        many = max(1, round(2 ** source.uniform(0, 1) * n ** source.uniform(0.05, 0.95)))
        length = max(1, round(n / many))
        offset, out_offset = (source.choice([0, source.randrange(1, 16)]) for _ in range(2))
        exclusive, reverse = source.random() < 0.5, source.random() < 0.3
        if source.random() < 0.4:
            planes = source.choice([1, 1, source.randint(1, many)])
            size = planes, max(1, round(many / planes)), length
            strides, out_strides = drawn_strides(size, source), drawn_strides(size, source)
            yield Case(
                kind, "rows", size[1], length, exclusive, offset, out_offset, reverse, planes, strides, out_strides
            )
        else:
            yield Case(kind, source.choice(["rows", "columns"]), many, length, exclusive, offset, out_offset, reverse)


def drawn_strides(size: tuple[int, int, int], source: random.Random) -> tuple[int, int, int]:
    """Return strides of planes, rows and items in some order of the axes, with gaps in one case of three."""
    axes = source.choice([(2, 1, 0), (1, 2, 0), (1, 0, 2)])  # the innermost first
    strides, reach = [0, 0, 0], 1
    for axis_ in axes:
        strides[axis_] = reach + source.choice([0, 0, source.randint(1, 3)])
        reach = strides[axis_] * size[axis_]
    return strides[0], strides[1], strides[2]


def reversed_times(library: Library) -> Iterator[dict[str, Any]]:
    """Yield times of reverse scans beside those of forward ones."""
    shapes = (("none", 1, 1 << 28), ("none", 1, 1 << 20), ("rows", 1 << 18, 1 << 10), ("rows", 1 << 10, 1 << 18),
              ("rows", 1 << 24, 1 << 4), ("columns", 1 << 14, 1 << 14), ("columns", 2, 1 << 27))  # fmt: skip
    for kind in ("f32", "i8"):
        for shape in shapes:
            forward, backward = Case(kind, *shape), Case(kind, *shape, reverse=True)
            plans = {case.reverse: library.plan(case) for case in (forward, backward)}
            if shape[0] != "none":
                check(library, backward, plans[True])
            sources = [items_of(forward, seed) for seed in range(2)]
            targets = [torch.empty_like(source) for source in sources]

            def run(turn: int, plan: ctypes.c_void_p, read: list[Tensor] = sources, to: list[Tensor] = targets) -> None:
                library.run(plan, read[turn % 2], to[turn % 2])

            contenders = {name: (functools.partial(run, plan=plan), 8) for name, plan in plans.items()}
            times = medians_us({str(name): contender for name, contender in contenders.items()})
            yield {"type": kind, "segments": shape[0], "count": shape[1], "length": shape[2],
                   "forward_us": round(times["False"], 2), "reverse_us": round(times["True"], 2)}  # fmt: skip
            for plan in plans.values():
                library.destroy(plan)
            del sources, targets, contenders
            torch.cuda.empty_cache()


def device_n_times(library: Library, most: int) -> Iterator[dict[str, Any]]:
    """Yield times of scans whose n lies in memory, beside those of plans for that n."""
    where = torch.zeros(1, dtype=torch.int64, device="cuda")
    case = Case("i32", "none", 1, most)
    plan = library.plan(case, where)
    sources = [items_of(case, seed) for seed in range(2)]
    targets = [torch.empty_like(source) for source in sources]
    for exponent in (28, 27, 26, 24, 22, 20, 18, 16, 12, 8):
        if 1 << exponent > most:
            continue
        n = 1 << exponent
        fixed = library.plan(Case("i32", "none", 1, n))
        where.fill_(n)
        calls = 32 if n <= 1 << 22 else 8

        def by_memory(turn: int) -> None:
            library.run(plan, sources[turn % 2], targets[turn % 2])

        def by_call(turn: int, own: ctypes.c_void_p = fixed) -> None:
            library.run(own, sources[turn % 2], targets[turn % 2])

        times = medians_us({"memory": (by_memory, calls), "fixed": (by_call, calls)})
        library.destroy(fixed)
        yield {"most_n": most, "n": n, "memory_us": round(times["memory"], 2), "fixed_us": round(times["fixed"], 2)}
    library.destroy(plan)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=0, help="measure so many drawn cases instead of the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reverse", action="store_true", help="measure reverse scans beside forward ones")
    parser.add_argument("--device-n", action="store_true", help="measure scans whose n lies in memory")
    options = parser.parse_args()
    library, worker = Library(options.library), Worker(options.worker)
    rows: list[dict[str, Any]] = []
    failed = 0

    def keep(row: dict[str, Any]) -> None:
        rows.append(row)
        save(options.json, rows, failed)  # at once, since a run may be cut off

    if options.device_n:
        for most in (1 << 28, 1 << 24):
            for row in device_n_times(library, most):
                keep(row)
                print(row["most_n"], row["n"], row["memory_us"], row["fixed_us"], flush=True)
    elif options.reverse:
        for row in reversed_times(library):
            keep(row)
            print(*row.values(), round(row["reverse_us"] / row["forward_us"], 3), flush=True)
    else:
        cases = drawn(options.draws, options.seed) if options.draws else (Case(*cell) for cell in _TABLE)
        for case in cases:
            try:
                row = timed(library, worker, case)
            except RuntimeError as error:
                print(f"FAILED {case}: {error}", flush=True)
                failed += 1
                continue
            keep(row)
            print(*(row[name] for name in ("type", "segments", "count", "length", "family", "us", "share", "ratio")))
    save(options.json, rows, failed)
    return 1 if failed else 0


def save(path: Path, rows: list[dict[str, Any]], failed: int) -> None:
    found = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "failed": failed, "rows": rows}
    path.write_text(json.dumps(found))


if __name__ == "__main__":
    sys.exit(main())
