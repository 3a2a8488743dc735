#!/usr/bin/env python3
"""Times the cumulative sums of torch, CuPy and JAX beside scantune's, where they are installed.

    python tests/bench/peers.py --library build/runtime/libscantune.so --json peers.json

All take turns, round by round, on one buffer each. The CPU's clock is read around so many calls that its own cost does
not count. So these are times of calls as programs make them, launch costs included. "graph" replays a CUDA graph of
many calls.
Every result is compared with NumPy's before it is timed.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import math
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import c_interface
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
_TYPES = {"i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}
_OWN_TYPES = {"int32": 3, "int64": 4, "float32": 11, "float64": 12}  # numbers of scantune_type
_GRAPH_CALLS = 32
_PILOT_CALLS = 3
_MOST_EXPONENT = 34


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Scan:
    """One scan, ready to run: `call` enqueues it `calls` times, `wait` returns once all are done.

    As a context manager it closes itself: `close` frees what the garbage collector does not.
    """

    call: Callable[[], object]
    wait: Callable[[], object]
    result: Callable[[], Array]
    calls: int = 1
    close: Callable[[], object] = _nothing

    def __enter__(self) -> Scan:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class Peer:
    name: str
    version: str
    prepare: Callable[[Array], Scan]


@dataclass(frozen=True)
class Time:
    """The time of one scan."""

    median_us: float
    spread: float  # interquartile range over the median

    @classmethod
    def of(cls, samples_us: Sequence[float]) -> Time:
        median = statistics.median(samples_us)
        first, _, third = statistics.quantiles(samples_us, n=4, method="inclusive")
        return cls(median, (third - first) / median)


class Missing(Exception):
    """The peer is not here, or does not work here; the text says why."""


def torch_peers() -> list[Peer]:
    torch = _imported("torch")
    if not torch.cuda.is_available():
        raise Missing("torch sees no GPU")

    def eager(items: Array) -> Scan:
        source = torch.from_numpy(items).cuda()
        sums = torch.empty_like(source)
        return Scan(
            lambda: torch.cumsum(source, 0, dtype=source.dtype, out=sums), torch.cuda.synchronize,
            lambda: sums.cpu().numpy(),
        )  # fmt: skip

    def graph(items: Array) -> Scan:
        one = eager(items)
        one.call()  # loads kernels, which a capture forbids
        torch.cuda.synchronize()
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            for _ in range(_GRAPH_CALLS):
                one.call()

        def replay(reads: Scan = one) -> None:  # nothing else keeps the items that the graph reads
            captured.replay()

        return Scan(replay, one.wait, one.result, _GRAPH_CALLS)

    return [Peer("torch", torch.__version__, eager), Peer("torch graph", torch.__version__, graph)]


def cupy_peers() -> list[Peer]:
    cupy = _imported("cupy")

    def prepare(items: Array) -> Scan:
        source = cupy.asarray(items)
        sums = cupy.empty_like(source)
        return Scan(
            lambda: cupy.cumsum(source, dtype=source.dtype, out=sums), cupy.cuda.Device().synchronize,
            lambda: cupy.asnumpy(sums),
        )  # fmt: skip

    return [Peer("CuPy", cupy.__version__, prepare)]


def jax_peers() -> list[Peer]:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take the memory of all others
    jax = _imported("jax")
    jax.config.update("jax_enable_x64", True)
    if not any(device.platform == "gpu" for device in jax.devices()):
        raise Missing("JAX sees no GPU")
    cumulative = jax.jit(lambda items: jax.numpy.cumsum(items, dtype=items.dtype))

    def prepare(items: Array) -> Scan:
        source = jax.device_put(items)
        latest = [cumulative(source)]

        def call() -> None:
            latest[0] = cumulative(source)

        return Scan(call, lambda: latest[0].block_until_ready(), lambda: np.asarray(latest[0]))

    return [Peer("JAX", jax.__version__, prepare)]


def scantune_peers(library: Path | None) -> list[Peer]:
    """Return scantune's plans, called through the C interface; buffers are its own."""
    if library is None:
        raise Missing("scantune is left out without --library")
    try:
        own = _OwnLibrary(library)
    except OSError as error:
        raise Missing(str(error)) from None
    return [Peer("scantune", own.version, own.prepare)]


class _OwnLibrary(c_interface.Library):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.version = str(self.loaded.scantune_version().decode())

    def prepare(self, items: Array) -> Scan:
        with ExitStack() as made:
            source, sums = (made.enter_context(self._buffer(items.nbytes)) for _ in range(2))
            nbytes = ctypes.c_uint64(items.nbytes)
            self.check(self.loaded.scantune_buffer_upload(source, ctypes.c_void_p(items.ctypes.data), nbytes))
            plan = made.enter_context(self._plan(items))
            return self._scan(items, plan, source, sums, made.pop_all().close)

    def _scan(
        self, items: Array, plan: ctypes.c_void_p, source: ctypes.c_void_p, sums: ctypes.c_void_p,
        close: Callable[[], object],
    ) -> Scan:  # fmt: skip
        read, written = (self.loaded.scantune_buffer_data(buffer) for buffer in (source, sums))
        # What comes with every call is made once.
        arrays: Any = c_interface.struct("scantune_arrays")(2)
        arrays.of[0], arrays.of[1] = read, written
        run, given, stream = self.loaded.scantune_plan_run, ctypes.byref(arrays), ctypes.c_void_p(None)

        def download(result: Array) -> Array:
            target = ctypes.c_void_p(result.ctypes.data)
            self.check(self.loaded.scantune_buffer_download(sums, target, ctypes.c_uint64(result.nbytes)))
            return result

        # A download waits for the scans before it; one item of it is enough for that.
        return Scan(
            lambda: self.check(run(plan, given, None, stream)), lambda: download(np.empty(1, items.dtype)),
            lambda: download(np.empty_like(items)), close=close,
        )  # fmt: skip

    @contextmanager
    def _buffer(self, nbytes: int) -> Iterator[ctypes.c_void_p]:
        buffer = ctypes.c_void_p()
        self.check(self.loaded.scantune_buffer_create(ctypes.c_uint64(nbytes), 0, ctypes.byref(buffer)))
        try:
            yield buffer
        finally:
            self.loaded.scantune_buffer_destroy(buffer)

    @contextmanager
    def _plan(self, items: Array) -> Iterator[ctypes.c_void_p]:
        kind = _OWN_TYPES[items.dtype.name]
        plan = self.made_plan(self.request("scan", n=items.size, input_type=kind, output_type=kind))
        try:
            yield plan
        finally:
            self.destroy(plan)


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing(str(error)) from None


def found_peers(sources: Sequence[Callable[[], list[Peer]]]) -> tuple[list[Peer], list[str]]:
    """Return the peers that are here, and why the others are not."""
    peers, missing = [], []
    for source in sources:
        try:
            peers += source()
        except Missing as error:
            missing.append(str(error))
    return peers, missing


def check(peer: Peer, items: Array, scan: Scan) -> None:
    """Raise ValueError unless the scan returns what NumPy does; floating-point sums may differ by rounding."""
    scan.call()
    scan.wait()
    expected, found = np.cumsum(items, dtype=items.dtype), scan.result()
    if items.dtype.kind == "i":
        is_right = np.array_equal(found, expected)
    else:
        bound = 4 * np.sqrt(items.size) * np.finfo(items.dtype).eps * np.cumsum(np.abs(items), dtype=np.float64)
        is_right = bool(np.all(np.abs(found.astype(np.float64) - np.cumsum(items, dtype=np.float64)) <= bound + 1e-30))
    if not is_right:
        raise ValueError(f"{peer.name} is wrong for {items.size} items of {items.dtype}")


def race(scans: Mapping[str, Scan], rounds: int, round_ms: float, clock: Callable[[], float]) -> dict[str, Time]:
    """Time all scans in turn, round by round; each round calls a scan for about round_ms."""
    repeats = {name: max(1, int(1e-3 * round_ms / _pilot_s(scan, clock))) for name, scan in scans.items()}
    samples_us: dict[str, list[float]] = {name: [] for name in scans}
    for _ in range(rounds):
        for name, scan in scans.items():
            seconds = _seconds(scan, repeats[name], clock)
            samples_us[name].append(1e6 * seconds / (repeats[name] * scan.calls))
    return {name: Time.of(samples) for name, samples in samples_us.items()}


def _pilot_s(scan: Scan, clock: Callable[[], float]) -> float:
    return max(1e-9, min(_seconds(scan, 1, clock) for _ in range(_PILOT_CALLS)))


def _seconds(scan: Scan, repeats: int, clock: Callable[[], float]) -> float:
    scan.wait()
    start = clock()
    for _ in range(repeats):
        scan.call()
    scan.wait()
    return clock() - start


def line_of(result: Mapping[str, Any]) -> str:
    times = "  ".join(f"{name} {time['us']:.2f} us ({time['spread']:.1%})" for name, time in result["times"].items())
    return f"{result['type']} 2^{result['n'].bit_length() - 1}: {times}"


def compare(peers: Sequence[Peer], type_name: str, exponent: int, rounds: int, round_ms: float) -> dict[str, Any]:
    items = np.random.default_rng(exponent).integers(-100, 100, 1 << exponent).astype(_TYPES[type_name])
    with ExitStack() as prepared:
        scans = {peer.name: prepared.enter_context(peer.prepare(items)) for peer in peers}
        for peer in peers:
            check(peer, items, scans[peer.name])
        times = race(scans, rounds, round_ms, time.perf_counter)
    shown = {name: {"us": one.median_us, "spread": one.spread} for name, one in times.items()}
    return {"type": type_name, "n": 1 << exponent, "times": shown}


def _type_names(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in _TYPES:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(_TYPES)}")
    return names


def _exponents(text: str) -> list[int]:
    parts = text.split(",")
    for part in parts:
        if not part.isdecimal() or int(part) > _MOST_EXPONENT:
            raise argparse.ArgumentTypeError(f"{part!r} is no exponent of 2 from 0 to {_MOST_EXPONENT}")
    return [int(part) for part in parts]


def _rounds(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 2 on, which a spread needs")
    return int(text)


def _milliseconds(text: str) -> float:
    try:
        milliseconds = float(text)
    except ValueError:
        milliseconds = math.nan
    if not 0 < milliseconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive number of milliseconds")
    return milliseconds


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--library", type=Path, help="libscantune.so; left out, scantune is")
    parser.add_argument("--types", type=_type_names, default="i32", help=f"of {', '.join(_TYPES)}")
    parser.add_argument("--sizes", type=_exponents, default="12,16,20,24,28", help="exponents of 2")
    parser.add_argument("--rounds", type=_rounds, default=15)
    parser.add_argument("--round-ms", type=_milliseconds, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    peers, missing = found_peers([lambda: scantune_peers(options.library), torch_peers, cupy_peers, jax_peers])
    for reason in missing:
        print(f"missing: {reason}")
    if not peers:
        return
    results = []
    for type_name in options.types:
        for exponent in options.sizes:
            results.append(compare(peers, type_name, exponent, options.rounds, options.round_ms))
            print(line_of(results[-1]), flush=True)
    if options.json:
        message = {
            "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "versions": {peer.name: peer.version for peer in peers}, "missing": missing, "results": results,
        }  # fmt: skip
        options.json.write_text(json.dumps(message, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
