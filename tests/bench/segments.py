#!/usr/bin/env python3
"""Times segments, runs of keys, top-k and merge sorts beside CUB's, torch's top-k, and a copy of as many bytes.

    for name in by_keys segments; do
      nvcc -std=c++20 -O3 -arch=sm_90 -shared -Xcompiler -fPIC -cudart static -o $name.so tests/bench/cub_$name.cu
    done
    python tests/bench/segments.py --library build/runtime/libscantune.so --cub by_keys.so --cub segments.so \\
        --csv segments.csv [--draws 300 --seed 7 --first 0] [--problem "segmented_scan n=2^24 mean=8 lengths=equal"]

segment_problems.py has the table and the draws; --first goes on where a run ended. Contenders take turns, by
replays of CUDA graphs over arrays that exceed the L2 cache together from some size on; sorts of segments, which CUB
does not let be captured, by single calls. Our results and CUB's are compared bit by bit with torch's before they are
timed: items of sums are small whole numbers, which no sum rounds. CUB of CUDA 13.0 has no scan of segments by offsets
and no top-k.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import gc
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import c_interface
import results_file
from gpu_arrays import INTEGERS, Output, bits_of, driver, placed, stream, torch
from graph_times import medians
from problems import SLOWER
from segment_problems import ALGORITHMS, Case, case_of, drawn, table

Tensor = Any
Row = dict[str, Any]

_NUMBERS = {
    "i8": torch.int8, "i32": torch.int32, "f32": torch.float32, "f64": torch.float64, "u32": torch.int32,
    "u64": torch.int64,
}  # fmt: skip
_CUB_TYPES = {"i8": 0, "i32": 1, "f32": 2, "f64": 3, "u32": 4, "u64": 5}
_CUB_ALGORITHMS = {"scan_by_key": 0, "reduce_by_key": 1, "run_lengths": 2, "segmented_reduce": 3, "segmented_sort": 4,
                   "merge_sort": 5}  # fmt: skip
_NOT_SUPPORTED = 801  # cudaErrorNotSupported: the library has not that algorithm
_ROTATED_BYTES = 512 << 20
_MOST_SETS = 32


class _CubSegments(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int) for name in ("algorithm", "type", "key_bytes", "offset_bytes", "value_bytes",
                                            "exclusive", "n", "segments")),
        ("temporary", ctypes.c_void_p), ("temporary_bytes", ctypes.POINTER(ctypes.c_size_t)),
        *((name, ctypes.c_void_p) for name in ("input", "keys", "offsets", "values", "output", "keys_output",
                                               "values_output", "count", "stream")),
    )  # fmt: skip


def bounds_of(case: Case) -> Tensor:
    """Return where each segment begins, and the end of the last one, as torch.int64."""
    made = torch.Generator(device="cuda").manual_seed(case.n)
    count = case.count
    drawn_ones = torch.rand(count, generator=made, device="cuda", dtype=torch.float64)
    if case.lengths == "uneven":
        weights = 100**drawn_ones
    elif case.lengths == "power law":
        weights = (1 - drawn_ones) ** (-1 / 1.2)
    elif case.lengths == "half empty":
        weights = 100**drawn_ones
        weights[::2] = 0
    else:
        weights = torch.ones_like(drawn_ones)
    if case.lengths == "one long":
        weights[count // 2] = max(1, count - 1)
    ends = torch.cumsum(weights, 0)
    bounds = torch.zeros(count + 1, dtype=torch.int64, device="cuda")
    bounds[1:] = (ends / ends[-1].clamp_min(1) * case.n).round().to(torch.int64).clamp(0, case.n)
    bounds[-1] = case.n
    return torch.cummax(bounds, 0).values  # a sum of floats may descend by a rounding


@dataclass
class Memory:
    """One set of arrays of a case."""

    items: Tensor
    keys: Tensor  # of runs
    offsets: Tensor
    values: Tensor
    output: Output
    keys_output: Output
    values_output: Output  # or indices
    count: Tensor


def _sizes(case: Case) -> tuple[int, int, int]:
    """Return the items of the output, of the output of keys, and of that of values or indices."""
    if case.algorithm == "segmented_reduce":
        return case.count, 0, 0
    if case.algorithm == "top_k":
        return case.count * case.k, 0, case.count * case.k if case.value_bytes else 0
    return case.n, case.n if _has_totals(case) else 0, case.n if case.value_bytes else 0


def _has_totals(case: Case) -> bool:
    return case.algorithm in ("reduce_by_key", "run_lengths")


def _has_keys(case: Case) -> bool:
    return _has_totals(case) or case.algorithm == "scan_by_key"


def _is_sorted(case: Case) -> bool:
    return case.algorithm in ("segmented_sort", "merge_sort")


def _key_type(case: Case) -> str:
    return case.type if case.algorithm == "run_lengths" else "u32" if case.key_bytes == 4 else "u64"


def _width(kind: str) -> int:
    return int(torch.empty(0, dtype=_NUMBERS[kind]).element_size())


def _items(case: Case, seed: int) -> Tensor:
    made = torch.Generator(device="cuda").manual_seed(seed)
    kind = _NUMBERS[case.type]
    if case.algorithm in ("segmented_sort", "top_k", "merge_sort"):
        if kind.is_floating_point:
            return torch.randn(case.n, generator=made, device="cuda", dtype=kind)
        return torch.randint(torch.iinfo(kind).min, torch.iinfo(kind).max, (case.n,), generator=made, device="cuda",
                             dtype=kind)  # fmt: skip
    return torch.randint(-8, 9, (case.n,), generator=made, device="cuda", dtype=torch.int8).to(kind)


def memory_of(case: Case, bounds: Tensor, seed: int) -> Memory:
    sizes, empty = _sizes(case), torch.empty(0, dtype=torch.int32, device="cuda")
    keys = empty
    if _has_keys(case):
        ids = torch.arange(case.count, device="cuda") * 0x9E3779B1 + seed  # neighbours differ
        kind = _NUMBERS[_key_type(case)]
        values = (ids & 0x7FFFFF).to(kind) if kind.is_floating_point else ids.to(kind)
        keys = torch.repeat_interleave(values, bounds.diff(), output_size=case.n)
    offsets = bounds.to(torch.int32 if case.offset_bytes == 4 else torch.int64)
    values = torch.arange(case.n, dtype=torch.int32, device="cuda") if case.algorithm == "merge_sort" else empty
    items = empty if case.algorithm == "run_lengths" else placed(_items(case, seed), case.input_offset)
    width = 4 if case.algorithm == "run_lengths" else _width(case.type)
    return Memory(
        items, keys, offsets, values, Output(sizes[0], width, case.output_offset),
        Output(sizes[1], _width(_key_type(case)), case.output_offset),
        Output(sizes[2], case.value_bytes or 4, case.output_offset), torch.zeros(1, dtype=torch.int32, device="cuda"),
    )  # fmt: skip


def _comparable(items: Tensor, kind: str) -> Tensor:
    """Return signed numbers whose order is that of the keys."""
    bits = bits_of(items)
    least = torch.iinfo(bits.dtype).min
    return bits ^ ((bits >> 31) & 0x7FFFFFFF) if kind == "f32" else bits ^ least


Expected = Mapping[str, Tensor]  # the bits of each array that is written, from its start


def expected_of(case: Case, bounds: Tensor, memory: Memory) -> Expected:
    if case.algorithm in ("merge_sort", "top_k"):
        ranks = _comparable(memory.items, case.type).view(-1, case.n if case.algorithm == "merge_sort" else case.mean)
        order = torch.sort(ranks, dim=1, stable=True, descending=case.algorithm == "top_k").indices
        order = order[:, : case.k] if case.k else order
        rows = torch.arange(ranks.shape[0], device="cuda")[:, None] * ranks.shape[1]
        found = {"output": bits_of(memory.items)[(order + rows).reshape(-1)]}
        places = order.reshape(-1).to(INTEGERS[case.value_bytes or 8])
        return found | ({"values": places} if case.value_bytes else {})
    lengths = bounds.diff()
    if case.algorithm == "segmented_sort":
        order = torch.argsort(_comparable(memory.items, case.type))
        ids = torch.repeat_interleave(torch.arange(case.count, device="cuda"), lengths, output_size=case.n)
        order = order[torch.argsort(ids[order], stable=True)]
        return {"output": bits_of(memory.items)[order]}
    runs = lengths > 0
    if case.algorithm == "run_lengths":
        totals = lengths[runs].to(torch.int32)
    else:
        sums = torch.zeros(case.n + 1, dtype=torch.int64, device="cuda")
        torch.cumsum(memory.items.to(torch.int64), 0, out=sums[1:])
        totals = (sums[bounds[1:]] - sums[bounds[:-1]]).to(memory.items.dtype)
    if case.algorithm in ("scan_by_key", "segmented_scan"):
        ended = sums[:-1] if case.exclusive else sums[1:]
        before = torch.repeat_interleave(sums[bounds[:-1]], lengths, output_size=case.n)
        return {"output": bits_of((ended - before).to(memory.items.dtype))}
    if case.algorithm == "segmented_reduce":
        return {"output": bits_of(totals)}
    first = memory.keys[bounds[:-1][runs]]
    return {"output": bits_of(totals[runs] if case.algorithm == "reduce_by_key" else totals), "keys": bits_of(first),
            "count": runs.sum().to(torch.int32).reshape(1)}  # fmt: skip


def _number(name: str) -> int:
    return c_interface.CONSTANTS[name.upper()]


def _function(role: str, source: bytes) -> Any:
    kind = c_interface.struct("scantune_function")
    made: Any = kind()
    made.struct_bytes, made.role, made.source = ctypes.sizeof(kind), _number("FUNCTION_" + role), source
    return made


_LESS = _function("LESS", b"__device__ bool less(Value a, Value b) { return a < b; }")
_ONES = _function("GENERATE", b"__device__ Result load(unsigned long long) { return 1; }")


def _members(case: Case) -> tuple[str, dict[str, Any]]:
    """Return the algorithm of the request, and the members that are not at their defaults."""
    kind = _number("u32" if case.algorithm == "run_lengths" else case.type)
    made: dict[str, Any] = {"n": case.n, "captured_launches": 0 if _is_sorted(case) else 128, "input_type": kind}
    if case.algorithm.startswith("segmented"):
        offset = _number("u32" if case.offset_bytes == 4 else "u64")
        made |= {"segments": _number("BY_OFFSETS"), "offset_type": offset, "segment_count": case.count}
    if case.algorithm == "segmented_sort":
        return "sort", made
    if case.algorithm == "merge_sort":
        of_values = {"sorted": _number("SORTED_PAIRS"), "value_type": _number("u32")} if case.value_bytes else {}
        return "sort", made | of_values | {"less": ctypes.addressof(_LESS)}
    if case.algorithm == "top_k":
        what = {"sorted": _number("SORTED_KEYS_AND_INDICES"), "index_type": _number("u64")} if case.value_bytes else {}
        rows = {"segments": _number("ROWS"), "rows": case.count} if case.count > 1 else {}
        return "top_k", made | what | rows | {"order": _number("DESCENDING"), "k": case.k}
    made["output_type"] = kind
    if case.algorithm == "segmented_reduce":
        return "reduce", made
    if _has_keys(case):
        made |= {"segments": _number("BY_KEYS"), "key_type": _number(_key_type(case))}
    if _has_totals(case):
        made |= {"results": _number("TOTALS"), "count_type": _number("i32")}
        return "scan", made | ({"load": ctypes.addressof(_ONES)} if case.algorithm == "run_lengths" else {})
    return "scan", made | {"kind": int(case.exclusive)}


class Library(c_interface.Library):
    def plan(self, case: Case, config: str) -> ctypes.c_void_p:
        algorithm, members = _members(case)
        return self.made_plan(self.request(algorithm, config=config.encode() or None, **members))

    def run(self, plan: ctypes.c_void_p, case: Case, workspace: Tensor, memory: Memory) -> None:
        arrays = {"output": memory.output.address}
        if case.algorithm != "run_lengths":
            arrays["input"] = memory.items.data_ptr()
        if _has_keys(case):
            arrays["keys"] = memory.keys.data_ptr()
        if _has_totals(case):
            arrays |= {"keys_output": memory.keys_output.address, "count": memory.count.data_ptr()}
        if case.algorithm.startswith("segmented"):
            arrays["begins"] = memory.offsets.data_ptr()
        if case.algorithm == "merge_sort" and case.value_bytes:
            arrays |= {"values": memory.values.data_ptr(), "values_output": memory.values_output.address}
        if case.algorithm == "top_k" and case.value_bytes:
            arrays["indices"] = memory.values_output.address
        # Sorts share one workspace, which is large. Other plans have what they clear themselves, as programs use them.
        room = (workspace.data_ptr(), workspace.numel()) if _is_sorted(case) else None
        self.run_plan(plan, stream(), room, **arrays)


class Cub:
    """A build of CUB. Of two libraries each has some of the algorithms."""

    def __init__(self, path: Path) -> None:
        self._loaded = ctypes.CDLL(str(path.resolve()))
        version = self._loaded.cub_version()
        self.name = f"CUB {version // 100000}.{version // 100 % 1000}.{version % 100}"

    def call(self, case: Case, some: Memory) -> Callable[[Memory], None] | None:
        """Return CUB's call for a case, or None of what it has not."""
        if case.algorithm not in _CUB_ALGORITHMS:
            return None
        size = ctypes.c_size_t()

        def run(temporary: int | None, memory: Memory) -> int:
            made = _CubSegments(
                _CUB_ALGORITHMS[case.algorithm], _CUB_TYPES[case.type], case.key_bytes, case.offset_bytes,
                case.value_bytes, int(case.exclusive), case.n, case.count, temporary, ctypes.pointer(size),
                memory.items.data_ptr(), memory.keys.data_ptr(), memory.offsets.data_ptr(), memory.values.data_ptr(),
                memory.output.address, memory.keys_output.address, memory.values_output.address,
                memory.count.data_ptr(), stream(),
            )  # fmt: skip
            return int(self._loaded.cub_run(ctypes.byref(made)))

        status = run(None, some)
        if status == _NOT_SUPPORTED:
            return None
        temporary = torch.empty(max(1, size.value), dtype=torch.uint8, device="cuda")

        def call(memory: Memory) -> None:
            if (failed := status or run(temporary.data_ptr(), memory)) != 0:
                raise RuntimeError(f"{self.name} returned {failed}")

        return call


def torch_top_k(case: Case) -> Callable[[Memory], None]:
    """Return torch's top-k into arrays that are there already. Its u64 keys are signed."""
    values = torch.empty((case.count, case.k), dtype=_NUMBERS[case.type], device="cuda")
    places = torch.empty((case.count, case.k), dtype=torch.int64, device="cuda")
    return lambda memory: torch.topk(memory.items.view(case.count, -1), case.k, out=(values, places))


def check(call: Callable[[Memory], None], memory: Memory, expected: Expected) -> None:
    """Raise RuntimeError if the results are wrong or something is written beside the outputs."""
    outputs = {"output": memory.output, "keys": memory.keys_output, "values": memory.values_output}
    for output in outputs.values():
        output.poison()
    memory.count.fill_(-1)
    call(memory)
    torch.cuda.synchronize()
    for what, right in expected.items():
        found = memory.count if what == "count" else outputs[what].words(right.element_size())[: right.numel()]
        if not torch.equal(found, right):
            wrong = (found != right).nonzero()
            raise RuntimeError(f"{what} is wrong in {len(wrong)} of {right.numel()} places, first {wrong[0].tolist()}")
    if not all(output.surroundings_intact() for output in outputs.values()):
        raise RuntimeError("something was written beside an output")


def ratio(row: Row) -> float | None:
    """Return the faster time of CUB and torch over ours; None where one is missing."""
    times = [us for name, us in row["us"].items() if name.startswith(("CUB", "torch"))]
    return min(times) / row["us"]["scantune"] if times and "scantune" in row["us"] else None


def _moved_bytes(case: Case) -> int:
    """Return the bytes that are read and written once, offsets too."""
    size = _width(case.type)
    if case.algorithm == "run_lengths":
        return case.n * size + case.count * (size + 4)
    if case.algorithm == "reduce_by_key":
        return case.n * (size + case.key_bytes) + case.count * (size + case.key_bytes)
    if case.algorithm == "scan_by_key":
        return case.n * (2 * size + case.key_bytes)
    if case.algorithm == "segmented_reduce":
        return case.n * size + case.count * (size + case.offset_bytes)
    if case.algorithm == "top_k":
        return case.n * size
    if case.algorithm == "merge_sort":
        return 2 * case.n * (size + case.value_bytes)
    return 2 * case.n * size + case.count * case.offset_bytes


def _own(
    library: Library, case: Case, plans: Mapping[str, Future[ctypes.c_void_p]], row: Row
) -> dict[str, Callable[[Memory], None]]:
    contenders: dict[str, Callable[[Memory], None]] = {}
    for name, plan in plans.items():
        try:
            made = plan.result()
        except RuntimeError as error:
            row["failed"].append(f"{name}: {error}"[:300])
            continue
        row["config"] = row["config"] or library.describe(made).partition("config: ")[2].partition("\n")[0]
        room = torch.full((max(library.workspace_bytes(made), 1),), 0xFF, dtype=torch.uint8, device="cuda")
        contenders[name] = functools.partial(library.run, made, case, room)
    return contenders


def timed(
    library: Library, cubs: Sequence[Cub], case: Case, plans: Mapping[str, Future[ctypes.c_void_p]], rounds: int
) -> Row:
    """Return the medians of all contenders, which are checked first."""
    gc.collect()  # graphs and their memory are in cycles
    torch.cuda.empty_cache()
    calls = 64 if case.n <= 1 << 20 else 16 if case.n <= 1 << 24 else 4
    nbytes = _moved_bytes(case)
    bounds = bounds_of(case)
    sets = [memory_of(case, bounds, seed) for seed in range(max(2, min(calls, _MOST_SETS, _ROTATED_BYTES // nbytes)))]
    expected = expected_of(case, bounds, sets[0])
    row: Row = {"case": case, "us": {}, "failed": [], "config": ""}
    contenders = _own(library, case, plans, row)
    for cub in cubs:
        if (call := cub.call(case, sets[0])) is not None:
            contenders[cub.name] = call
    for name, call in list(contenders.items()):
        try:
            check(call, sets[0], expected)
        except RuntimeError as error:
            row["failed"].append(f"{name}: {error}"[:300])
            del contenders[name]
    del expected
    if case.algorithm == "top_k" and case.type != "u64":
        contenders["torch"] = torch_top_k(case)
    elif case.algorithm in ("segmented_scan", "segmented_reduce"):
        copied = torch.zeros((2, nbytes // 16 + 1), dtype=torch.int64, device="cuda")
        contenders["copy"] = lambda _: torch.bitwise_not(copied[0], out=copied[1])
    for many in (rounds, 3 * rounds):
        # CUB's sort of segments waits for the stream, so it cannot be captured.
        row["us"] = medians(contenders, sets, calls, many, are_captured=case.algorithm != "segmented_sort")
        found = ratio(row)
        if found is None or found >= SLOWER:
            break
    return row


def line(row: Row) -> str:
    times = " ".join(f"{name} {us:.2f}" for name, us in row["us"].items())
    found = ratio(row)
    family = row["config"].partition("{")[0]
    return " | ".join([row["case"].text(), family, times, f"{found:.2f}" if found else "", *row["failed"]])


def summary(rows: Sequence[Row]) -> str:
    """Return, by algorithm, how many were slower than another library, and the slowest of them."""
    lines = []
    for algorithm in ALGORITHMS:
        of_one = [row for row in rows if row["case"].algorithm == algorithm]
        found = sorted((one, row["case"].text()) for row in of_one if (one := ratio(row)) is not None)
        if found:
            slower = [f"{one:.2f} {text}" for one, text in found if one < SLOWER]
            lines.append(f"{algorithm}: {len(found)} compared, median {found[len(found) // 2][0]:.2f}, least "
                         f"{found[0][0]:.2f}, {len(slower)} below {SLOWER}")  # fmt: skip
            lines += [f"    {one}" for one in slower[:8]]
    return "\n".join(lines)


def csv_of(facts: Mapping[str, str], rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row["us"]))
    shown = ("algorithm", "n", "type", "mean", "lengths", "exclusive", "key_bytes", "offset_bytes", "value_bytes", "k",
             "input_offset", "output_offset")  # fmt: skip
    columns = [*shown, *("us" if name == "scantune" else f"{name.lower().replace(' ', '_')}_us" for name in names),
               "ratio", "config"]  # fmt: skip
    lines = [[*(getattr(row["case"], name) for name in shown), *(row["us"].get(name) for name in names), ratio(row),
              row["config"]] for row in rows]  # fmt: skip
    return results_file.text_of(facts, columns, lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--cub", type=Path, action="append", default=[])
    parser.add_argument("--csv", type=Path, required=True)
    parser.add_argument("--only", default="", help="algorithms of the table, with commas between them")
    parser.add_argument("--problem", type=case_of, action="append", help="another problem than the table's")
    parser.add_argument("--config", action="append", default=[], help="as JSON, timed beside the default")
    parser.add_argument("--draws", type=int, default=0, help="measure so many drawn cases instead of the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first problem that is measured")
    parser.add_argument("--most", type=float, default=27, help="the power of two up to which N is drawn")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no case later")
    parser.add_argument("--compilers", type=int, default=16, help="threads that compile")
    parser.add_argument("--commit", default="")
    options = parser.parse_args()
    if options.draws and (options.only or options.problem):
        parser.error("--draws draws problems: leave --only and --problem out")
    library, cubs = Library(options.library), [Cub(path) for path in options.cub]
    only = options.only.split(",") if options.only else ALGORITHMS
    cases = options.problem or [case for case in table() if case.algorithm in only]
    if options.draws:
        cases = list(drawn(options.draws, options.seed, options.most))
    cases = cases[options.first :]
    facts = {
        "gpu": torch.cuda.get_device_name(), "driver": driver(), "compiler": f"NVRTC {torch.version.cuda}",
        "date": datetime.now(timezone.utc).date().isoformat(), "commit": options.commit, "torch": torch.__version__,
        "against": ", ".join(dict.fromkeys(cub.name for cub in cubs)),
        "method": f"tests/bench/segments.py{f' --draws {options.draws} --seed {options.seed}' if options.draws else ''}"
        f", default configs; medians of {options.rounds} replays of graphs whose launches rotate over up to 512 MiB of "
        "arrays, of segmented sorts of single calls; results compared bit by bit first; ratio: the faster other "
        "library's time over ours",
    }  # fmt: skip
    configs = {"scantune": ""} | {f"config {number}": text for number, text in enumerate(options.config, 1)}
    began, rows = time.monotonic(), list[Row]()
    with ThreadPoolExecutor(options.compilers) as compiling:
        plans = [{name: compiling.submit(library.plan, case, config) for name, config in configs.items()}
                 for case in cases]  # fmt: skip
    print(f"compiled in {time.monotonic() - began:.0f} s", flush=True)
    for number, (case, its_plans) in enumerate(zip(cases, plans, strict=True)):
        if time.monotonic() - began > options.seconds:
            print(f"out of time: go on with --first {options.first + number}", flush=True)
            break
        try:
            rows.append(timed(library, cubs, case, its_plans, options.rounds))
        except torch.OutOfMemoryError:
            rows.append({"case": case, "us": {}, "failed": ["the GPU's memory is short"], "config": ""})
        print(options.first + number, line(rows[-1]), flush=True)
        options.csv.write_text(csv_of(facts, rows))
    failures = [f"FAILED {row['case'].text()}: {one}" for row in rows for one in row["failed"]]
    print(summary(rows), *failures[:20], f"{len(rows)} cases, {len(failures)} failures", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
