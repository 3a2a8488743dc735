#!/usr/bin/env python3
"""Times cumulative sums of Python's arrays by scantune, torch, CuPy and JAX.

    python tests/bench/arrays.py --csv arrays.csv [--bare-ns 2350]

Sums of f32 along an axis, into arrays that are given and into new ones. What differs from sums in double precision
is refused. host_ns: of one call, the median over batches of calls, which the stream takes without making them wait,
the interpreter's share included; contenders take turns, batch by batch. added_ns: beyond a bare launch, which
host_path_bench times. device_us: of one call, the median over replays of CUDA graphs whose calls rotate over arrays
that exceed the L2 cache together, contenders in turns; JAX has no graphs, and its calls are timed until all are done.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import gpu_arrays
import results_file

import scantune

torch: Any = importlib.import_module("torch")

_CALLS = 200
_BATCHES = 41
_REPLAYS = 15
_CALLS_IN_GRAPH = 64  # 4 of large arrays
_ROTATED_BYTES = 512 << 20
_MOST_ARRAYS = 32
# Shapes and the axis along which is summed.
_SHAPES = [((1 << 12,), 0), ((1 << 20,), 0), ((1 << 26,), 0), ((1 << 14, 1 << 10), 1), ((1 << 10, 1 << 14), 0)]
_HOST_SHAPES = 2  # the first ones, whose kernels take no longer than their calls

Array = Any


@dataclass
class Contender:
    """One way to sum: `call` takes an array, and one for results or None, and returns the results."""

    name: str
    call: Callable[[Array, Array], Array]
    arrays: list[Array]
    outs: list[Array]
    graph: Callable[[Callable[[], None]], Callable[[], None]] | None = None
    host_ns: list[float] = field(default_factory=list)
    device_us: list[float] = field(default_factory=list)

    def at(self, i: int) -> Array:
        return self.call(self.arrays[i % len(self.arrays)], self.outs[i % len(self.outs)])


def torch_graph(work: Callable[[], None]) -> Callable[[], None]:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return lambda: graph.replay()  # in the current stream


def cupy_graph(work: Callable[[], None]) -> Callable[[], None]:
    cupy: Any = importlib.import_module("cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        work()
        graph = stream.end_capture()
    return lambda: graph.launch(cupy.cuda.Stream.from_external(torch.cuda.current_stream()))


def contenders(shape: tuple[int, ...], axis: int) -> list[Contender]:
    count = min(_MOST_ARRAYS, max(2, _ROTATED_BYTES // (8 * torch.Size(shape).numel())))
    tensors = [torch.randn(shape, device="cuda") for _ in range(count)]
    outs = [torch.empty_like(tensor) for tensor in tensors]
    nothing = [None]
    plan = scantune.plan(tensors[0], axis=axis, out=outs[0], captured_launches=_CALLS_IN_GRAPH)

    found = [
        Contender("scantune, torch, out", lambda x, y: scantune.cumsum(x, axis, out=y), tensors, outs, torch_graph),
        Contender("torch, out", lambda x, y: torch.cumsum(x, axis, out=y), tensors, outs, torch_graph),
        Contender("scantune, torch", lambda x, _: scantune.cumsum(x, axis), tensors, nothing, torch_graph),
        Contender("torch", lambda x, _: torch.cumsum(x, axis), tensors, nothing, torch_graph),
        Contender("scantune plan, torch", plan, tensors, outs, torch_graph),
    ]
    try:
        cupy: Any = importlib.import_module("cupy")
        arrays = [cupy.asarray(tensor) for tensor in tensors]
        results = [cupy.asarray(out) for out in outs]
        found += [
            Contender("scantune, CuPy, out", lambda x, y: scantune.cumsum(x, axis, out=y), arrays, results, cupy_graph),
            Contender("CuPy, out", lambda x, y: cupy.cumsum(x, axis, out=y), arrays, results, cupy_graph),
            Contender("scantune, CuPy", lambda x, _: scantune.cumsum(x, axis), arrays, nothing, cupy_graph),
            Contender("CuPy", lambda x, _: cupy.cumsum(x, axis), arrays, nothing, cupy_graph),
        ]
    except ImportError as error:
        print(f"skipped: {error}")
    try:
        jax: Any = importlib.import_module("jax")
        inputs = [jax.dlpack.from_dlpack(tensor) for tensor in tensors]
        compiled = jax.jit(lambda x: jax.numpy.cumsum(x, axis))
        found += [
            Contender("scantune, JAX", lambda x, _: scantune.cumsum(x, axis), inputs, nothing),
            Contender("JAX", lambda x, _: compiled(x), inputs, nothing),
        ]
    except ImportError as error:
        print(f"skipped: {error}")
    return found


def check(contender: Contender, axis: int) -> None:
    x = torch.from_dlpack(contender.arrays[0])
    if contender.outs[0] is not None:
        torch.from_dlpack(contender.outs[0]).fill_(float("nan"))
        torch.cuda.synchronize()
    found = torch.from_dlpack(contender.at(0))
    torch.cuda.synchronize()
    rounding = (found.double() - x.double().cumsum(axis)).abs().max() / x.double().abs().sum(axis).max()
    if not rounding < 1e-5:
        raise SystemExit(f"{contender.name}: {tuple(x.shape)} along {axis} is wrong by {float(rounding)}")


def time_host(contender: Contender) -> None:
    call, x, out = contender.call, contender.arrays[0], contender.outs[0]
    torch.cuda.synchronize()
    start = time.perf_counter_ns()
    for _ in range(_CALLS):
        call(x, out)
    contender.host_ns.append((time.perf_counter_ns() - start) / _CALLS)


def device_us(replay: Callable[[], None], in_graph: bool) -> float:
    torch.cuda.synchronize()
    if not in_graph:
        start = time.perf_counter_ns()
        replay()
        return (time.perf_counter_ns() - start) / 1e3
    before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    before.record()
    replay()
    after.record()
    after.synchronize()
    return float(before.elapsed_time(after) * 1e3)


def time_device(contenders: list[Contender]) -> None:
    replays: list[tuple[Contender, int, Callable[[], None]]] = []
    for contender in contenders:
        calls = 4 if len(contender.arrays) < _MOST_ARRAYS else _CALLS_IN_GRAPH

        def work(contender: Contender = contender, calls: int = calls) -> None:
            results = [contender.at(i) for i in range(calls)]
            if contender.graph is None:
                results[-1].block_until_ready()

        try:
            replays.append((contender, calls, contender.graph(work) if contender.graph else work))
        except Exception as error:  # a library that cannot be captured is told, not timed
            print(f"{contender.name}: no graph: {str(error)[:200]}")
    for _ in range(_REPLAYS):
        for contender, calls, replay in replays:
            contender.device_us.append(device_us(replay, in_graph=contender.graph is not None) / calls)


def rows_of(shape: tuple[int, ...], axis: int, timed_host: bool, bare_ns: float | None) -> list[list[Any]]:
    compared = contenders(shape, axis)
    for contender in compared:
        check(contender, axis)
        contender.at(1)
    if timed_host:
        for _ in range(_BATCHES):
            for contender in compared:
                time_host(contender)
    time_device(compared)
    name = "x".join(map(str, shape))
    rows = [[name, axis, "bare launch", bare_ns, 0.0, None]] if timed_host and bare_ns is not None else []
    for contender in compared:
        host = statistics.median(contender.host_ns) if contender.host_ns else None
        device = statistics.median(contender.device_us[2:]) if contender.device_us else None
        added = None if host is None or bare_ns is None else host - bare_ns
        rows.append([name, axis, contender.name, host, added, device])
        print(*(f"{value:.1f}" if isinstance(value, float) else value for value in rows[-1]), sep="  ", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--csv", type=Path, help="writes the figures there too")
    parser.add_argument("--commit", default="", help="names the commit in the file")
    parser.add_argument("--bare-ns", type=float, help="what a bare launch takes on this machine")
    options = parser.parse_args()
    with torch.cuda.stream(torch.cuda.Stream()):
        rows = [
            row
            for i, (shape, axis) in enumerate(_SHAPES)
            for row in rows_of(shape, axis, i < _HOST_SHAPES, options.bare_ns)
        ]
    if options.csv is not None:
        facts = {
            "gpu": torch.cuda.get_device_name(),
            "driver": gpu_arrays.driver(),
            "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
            "commit": options.commit,
            "against": ", ".join(
                f"{name} {sys.modules[name].__version__}" for name in ("torch", "cupy", "jax") if name in sys.modules
            ),
            "method": " ".join((__doc__ or "").split("\n\n", 2)[2].split()),
        }
        columns = ["shape", "axis", "contender", "host_ns", "added_ns", "device_us"]
        options.csv.write_text(results_file.text_of(facts, columns, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
