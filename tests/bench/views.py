#!/usr/bin/env python3
"""Times scans and reductions of drawn views of arrays beside torch, and beside torch's copies of these views.

    python tests/bench/views.py --library build/runtime/libscantune.so --json views.json [--draws 400] [--seed 46] \\
        [--worker build/runtime/scantune-worker] [--only scan]

A view has one to three axes, may be transposed, sliced and flipped, and may begin at an odd item; results are as torch
places them, in the order of the view's axes in memory. Calls replay in CUDA graphs over up to 16 views in turns, which
exceed the L2 cache together. torch gets its fastest single expression of the same output type: an inclusive sum for an
exclusive one, and one flip where the scan goes from the end. The first of the views is compared with torch's results
before it is timed, item by item: items are whole numbers with small sums.
The worker times our copy of the view to such a place (copy_us), torch its clone() and its copy_() to there (clone_us,
torch_copy_us).
tb_per_s counts the 32-byte sectors that are touched. The file is whole after each case, and --seconds end the run.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import itertools
import json
import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import c_interface
import results_file
from shapes import Worker, captured, seconds

torch: Any = importlib.import_module("torch")
Tensor = Any

_TYPES = {
    "i8": (1, torch.int8), "i32": (3, torch.int32), "f16": (9, torch.float16), "bf16": (10, torch.bfloat16),
    "f32": (11, torch.float32), "f64": (12, torch.float64),
}  # fmt: skip
_OPERATIONS = ("scan", "exclusive", "reverse", "sum", "max", "argmax")
_MOST_ITEMS, _MOST_BYTES = 1 << 28, 4 << 30
_VERIFIED_ITEMS = 1 << 22
_ROTATED_BYTES = 256 << 20
_MOST_VIEWS = 16
_ROUNDS = 7
_SLOW_US, _SLOW_ROUNDS = 20_000.0, 3
_SECTOR = 32


@dataclass(frozen=True)
class View:
    """A view of a base: per axis its size, its step (below 0 from the end) and the base's room; and an operation."""

    type: str
    operation: str
    axis: int  # along which
    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    room: tuple[int, ...]
    order: tuple[int, ...]  # of the axes in memory, the outermost first
    start: int  # of the base, in items from an aligned address

    @property
    def items(self) -> int:
        return math.prod(self.sizes)

    @property
    def is_scan(self) -> bool:
        return self.operation in ("scan", "exclusive", "reverse")

    @property
    def goes_from_the_end(self) -> bool:
        return (self.operation == "reverse") != (self.steps[self.axis] < 0)

    def distances(self, room: tuple[int, ...]) -> tuple[int, ...]:
        """Return how far apart neighbours along each axis are in memory of this room, in items."""
        inner = {axis: self.order[place + 1 :] for place, axis in enumerate(self.order)}
        return tuple(math.prod(room[other] for other in inner[axis]) for axis in range(len(room)))

    @property
    def strides(self) -> tuple[int, ...]:
        return tuple(step * apart for step, apart in zip(self.steps, self.distances(self.room), strict=True))

    @property
    def first(self) -> int:
        """Return where the view's first item is in the base."""
        return sum((size - 1) * -stride for size, stride in zip(self.sizes, self.strides, strict=True) if stride < 0)

    @property
    def kind(self) -> str:
        """Say which neighbours are next to each other in memory."""
        near = [axis for axis in self.order if self.sizes[axis] > 1]
        if not near or abs(self.strides[near[-1]]) != 1:
            return "apart"
        name = "rows" if near[-1] == self.axis else "columns"
        return f"{name}, dense" if self.room == self.sizes else name

    def bytes_touched(self) -> int:
        """Return the bytes of the sectors that are read, and of the results."""
        width = torch.empty((), dtype=_TYPES[self.type][1]).element_size()
        inner = self.order[-1]
        run = ((self.sizes[inner] - 1) * abs(self.steps[inner]) + 1) * width
        sectors = min(self.sizes[inner], run / _SECTOR + (run % _SECTOR != 0))
        read = self.items * width if self.room == self.sizes else self.items // self.sizes[inner] * sectors * _SECTOR
        read = min(read, math.prod(self.room) * width)
        written = self.items if self.is_scan else self.items // self.sizes[self.axis]
        return int(read + written * (8 + width if self.operation == "argmax" else width))


def drawn(source: random.Random) -> View:
    axes = source.choice((1, 2, 2, 2, 3, 3))
    items = 2 ** source.uniform(10, 28)
    cuts = [0.0, *sorted(source.random() for _ in range(axes - 1)), 1.0]
    sizes = tuple(max(1, round(items ** (high - low))) for low, high in itertools.pairwise(cuts))
    steps = tuple(source.choice((1, 1, 1, 2, 3)) * source.choice((1, 1, 1, -1)) for _ in sizes)
    gaps = [source.choice((0, 0, source.randrange(1, 40))) for _ in sizes]
    if source.random() < 0.4:
        steps, gaps = (1,) * axes, [0] * axes
    order = tuple(source.sample(range(axes), axes) if source.random() < 0.5 else range(axes))
    view = View(
        source.choice(list(_TYPES)), source.choice(_OPERATIONS), source.randrange(axes), sizes, steps,
        tuple(size * abs(step) + gap for size, step, gap in zip(sizes, steps, gaps, strict=True)), order,
        source.choice((0, 0, source.randrange(1, 16))),
    )  # fmt: skip
    fits = view.items <= _MOST_ITEMS and math.prod(view.room) * 8 <= _MOST_BYTES
    return view if fits else drawn(source)


def base_of(view: View, seed: int) -> Tensor:
    """Return a base in whose view the sums from both ends are small whole numbers, which all types hold."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    base = torch.randint(-100, 100, (view.start + math.prod(view.room),), generator=generator, device="cuda")
    base = base.to(_TYPES[view.type][1])
    sums = torch.randint(0, 100, view.sizes, generator=generator, device="cuda", dtype=torch.int16)
    before = torch.zeros_like(sums.narrow(view.axis, 0, 1))
    of_torch(view, base).copy_(torch.diff(sums, dim=view.axis, prepend=before))
    return base


def of_torch(view: View, base: Tensor) -> Tensor:
    """Return the view with all of its axes in ascending order, as torch has no other."""
    return base.as_strided(view.sizes, [abs(stride) for stride in view.strides], view.start)


def results_of(view: View) -> tuple[Tensor, ...]:
    sizes = tuple(size for axis, size in enumerate(view.sizes) if view.is_scan or axis != view.axis)
    values = torch.empty(math.prod(sizes), device="cuda", dtype=_TYPES[view.type][1])
    if view.is_scan:
        return (values.as_strided(view.sizes, view.distances(view.sizes)),)
    positions = torch.empty(math.prod(sizes), device="cuda", dtype=torch.int64)
    return (values.view(sizes), positions.view(sizes))[: 2 if view.operation == "argmax" else 1]


def by_torch(view: View, x: Tensor) -> Tensor:
    if view.operation == "sum":
        return torch.sum(x, view.axis, dtype=x.dtype)
    if not view.is_scan:
        return x.amax(view.axis) if view.operation == "max" else x.argmax(view.axis)
    return torch.cumsum(x.flip(view.axis) if view.goes_from_the_end else x, view.axis, dtype=x.dtype)


def copy_us(worker: Worker, view: View) -> float:
    """Return the time of our copy of the view to where the results of its scan are."""
    others = [axis for axis in range(len(view.sizes)) if axis != view.axis]

    def layout(strides: tuple[int, ...], first: int) -> dict[str, int]:
        named = dict(zip(("sequence", "plane"), (strides[axis] for axis in reversed(others)), strict=False))
        return {"item": strides[view.axis], **named, "first": first}

    request = {
        "algorithm": "copy", "input_type": view.type, "segments": "rows", "n": view.items,
        "rows": view.items // view.sizes[view.axis],
        "layout": {
            "plane_sequences": view.sizes[others[-1]] if others else 1, "input": layout(view.strides, view.first),
            "output": layout(view.distances(view.sizes), 0),
        },
    }  # fmt: skip
    config = worker.ask("space", request=request, configs=False)["default_config"]
    if view.items <= _VERIFIED_ITEMS:
        worker.ask("verify", request=request, config=config)
    policy = {"rounds": _ROUNDS, "min_round_ms": 2.0}
    (measured,) = worker.ask("measure", request=request, configs=[config], policy=policy)["measurements"]
    if "error" in measured:
        raise RuntimeError(measured["error"]["message"])
    return float(measured["median_us"])


class Library(c_interface.Library):
    def plan(self, view: View) -> ctypes.c_void_p:
        axes = [axis for axis in range(len(view.sizes)) if axis != view.axis]
        rows = [1, *(view.sizes[axis] for axis in axes)][-2:] if axes else [1, 1]
        request = self.request(
            "scan" if view.is_scan else "reduce", n=view.items, captured_launches=64, segments=1,
            rows=math.prod(rows), planes=rows[0],
        )  # fmt: skip
        request.input_type = request.output_type = _TYPES[view.type][0]
        self.set_strides(request, "", view, view.strides, axes)
        if view.is_scan:
            self.set_strides(request, "out_", view, view.distances(view.sizes), axes)
            request.kind, request.direction = int(view.operation == "exclusive"), int(view.operation == "reverse")
        elif view.operation != "sum":
            request.op = c_interface.CONSTANTS["MAX"]
        if view.operation == "argmax":
            request.position, request.index_type = 1, c_interface.CONSTANTS["I64"]
        return self.made_plan(request)

    @staticmethod
    def set_strides(request: Any, prefix: str, view: View, strides: tuple[int, ...], axes: list[int]) -> None:
        setattr(request, f"{prefix}item_stride", strides[view.axis])
        for name, axis in zip(("row", "plane"), reversed(axes), strict=False):
            setattr(request, f"{prefix}{name}_stride", strides[axis])

    def run(self, plan: ctypes.c_void_p, view: View, base: Tensor, results: tuple[Tensor, ...]) -> None:
        first = base.data_ptr() + (view.start + view.first) * base.element_size()
        places = dict(zip(("output", "indices"), (result.data_ptr() for result in results), strict=False))
        self.run_plan(plan, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), input=first, **places)


def expected(view: View, base: Tensor) -> tuple[Tensor, ...]:
    """Return what the results are, as integers."""
    x = of_torch(view, base)
    flipped = [axis for axis, step in enumerate(view.steps) if step < 0]
    items = (x.flip(flipped) if flipped else x).movedim(view.axis, -1).to(torch.int64)
    if not view.is_scan:
        greatest, places = items.max(-1).values, items.argmax(-1)
        return {"sum": (items.sum(-1),), "max": (greatest,), "argmax": (greatest, places)}[view.operation]
    items = items.flip(-1) if view.operation == "reverse" else items
    sums = items.cumsum(-1) - (items if view.operation == "exclusive" else 0)
    return ((sums.flip(-1) if view.operation == "reverse" else sums).movedim(-1, view.axis),)


def check(view: View, base: Tensor, results: tuple[Tensor, ...]) -> None:
    for found, right in zip(results, expected(view, base), strict=True):
        if not torch.equal(found.to(torch.int64), right.to(found.dtype).to(torch.int64)):
            raise RuntimeError("wrong")


def medians_us(contenders: dict[str, Callable[[int], object]], calls: int) -> dict[str, float]:
    graphs, samples = {}, {}
    for name, call in contenders.items():
        call(0)
        torch.cuda.synchronize()
        start = time.perf_counter()
        call(1)
        torch.cuda.synchronize()
        own_calls = 1 if (time.perf_counter() - start) * 1e6 > _SLOW_US else calls
        graphs[name] = captured(call, own_calls), own_calls
        samples[name] = [seconds(graphs[name][0]) * 1e6 / own_calls]
    for turn in range(1, _ROUNDS):
        for name, (graph, own_calls) in graphs.items():
            if turn < _SLOW_ROUNDS or samples[name][0] < _SLOW_US:
                samples[name].append(seconds(graph) * 1e6 / own_calls)
    return {name: statistics.median(found) for name, found in samples.items()}


def timed(library: Library, worker: Worker | None, view: View) -> dict[str, Any]:
    width = torch.empty((), dtype=_TYPES[view.type][1]).element_size()
    base_bytes = max(1, math.prod(view.room) * width)
    count = max(2, min(_MOST_VIEWS, _ROTATED_BYTES // base_bytes))
    bases = [base_of(view, seed) for seed in range(count)]
    results = [results_of(view) for _ in bases]
    plan = library.plan(view)
    try:
        for result in results[0]:
            result.fill_(77)
        library.run(plan, view, bases[0], results[0])
        torch.cuda.synchronize()
        check(view, bases[0], results[0])
        views = [of_torch(view, base) for base in bases]
        copies = [
            torch.empty_like(base[: view.items]).as_strided(view.sizes, view.distances(view.sizes)) for base in bases
        ]
        times = medians_us(
            {
                "us": lambda turn: library.run(plan, view, bases[turn % count], results[turn % count]),
                "torch_us": lambda turn: by_torch(view, views[turn % count]),
                "clone_us": lambda turn: views[turn % count].clone(),
                "torch_copy_us": lambda turn: copies[turn % count].copy_(views[turn % count]),
            },
            32 if view.items <= 1 << 20 else 8 if view.items <= 1 << 24 else 4,
        )
        description = library.describe(plan)
    finally:
        library.destroy(plan)
        torch.cuda.empty_cache()
    if worker:
        times["copy_us"] = copy_us(worker, view)
    family = description.split("config: ")[1].split("{")[0] if "config: " in description else ""
    speed = view.bytes_touched() / times["us"] / 1e6
    return {
        **asdict(view), "kind": view.kind, "strides": view.strides, "family": family, "tb_per_s": round(speed, 3),
        **{name: round(value, 2) for name, value in times.items()}, "ratio": round(times["torch_us"] / times["us"], 3),
    }  # fmt: skip


_COLUMNS = (
    "algorithm", "items", "kind", "cases", "torch_over_ours_geomean", "worst", "below_1", "tb_per_s_median",
    "tb_per_s_worst",
)  # fmt: skip


_SHOWN = (
    "ratio", "us", "copy_us", "clone_us", "torch_copy_us", "tb_per_s", "type", "operation", "sizes", "strides", "axis",
    "family",
)  # fmt: skip


def classes(rows: list[dict[str, Any]]) -> list[list[str | int | float]]:
    """Return a row for each kind of view, algorithm and size."""
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        items = math.prod(row["sizes"])
        size = "to 2^16" if items <= 1 << 16 else "to 2^22" if items <= 1 << 22 else "to 2^28"
        algorithm = "scan" if row["operation"] in ("scan", "exclusive", "reverse") else "reduce"
        found.setdefault((algorithm, size, row["kind"]), []).append(row)
    summed: list[list[str | int | float]] = []
    for name, members in sorted(found.items()):
        ratios = [row["ratio"] for row in members]
        speeds = [row["tb_per_s"] for row in members]
        geomean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
        below = sum(ratio < 1 for ratio in ratios)
        summed.append(
            [*name, len(members), geomean, min(ratios), below, float(statistics.median(speeds)), float(min(speeds))]
        )
    return summed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--worker", type=Path, help="times our copies too, which takes as long again")
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--csv", type=Path, help="receives a row for each kind of view and size")
    parser.add_argument("--commit", default="", help="names the commit in that file")
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--seed", type=int, default=46)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--only", choices=("scan", "reduce"), help="leaves out the others of the draws")
    options = parser.parse_args()
    library, worker = Library(options.library), Worker(options.worker) if options.worker else None
    source, rows, failures = random.Random(options.seed), [], []
    end = time.monotonic() + options.seconds
    for _ in range(options.draws):
        view = drawn(source)
        if time.monotonic() > end:
            break
        if options.only and view.is_scan != (options.only == "scan"):
            continue
        try:
            rows.append(timed(library, worker, view))
        except RuntimeError as error:
            failures.append({**asdict(view), "error": str(error)[:300]})
            print("FAILED", view, str(error)[:300], flush=True)
        found = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "failed": failures, "rows": rows}
        options.json.write_text(json.dumps(found))
    facts = {
        "gpu": torch.cuda.get_device_name(), "date": datetime.now(timezone.utc).date().isoformat(),
        "commit": options.commit, "against": f"torch {torch.__version__}",
        "method": f"tests/bench/views.py, seed {options.seed}, {len(rows)} drawn views",
    }  # fmt: skip
    text = results_file.text_of(facts, _COLUMNS, classes(rows))
    if options.csv:
        options.csv.write_text(text, encoding="utf-8")
    for row in sorted(rows, key=lambda row: row["ratio"])[:30]:
        print(*(row[name] for name in _SHOWN if name in row))
    print(text)
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
