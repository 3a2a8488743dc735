#!/usr/bin/env python3
"""Times selections beside CUB's, and configs of selections beside each other.

    nvcc -std=c++20 -O3 -arch=sm_90 -shared -Xcompiler -fPIC -cudart static -o libcub.so tests/bench/cub_selections.cu
    python tests/bench/selections.py --library build/runtime/libscantune.so --cub libcub.so --csv selections.csv \\
        [--draws 300 --seed 7 --first 0] [--problem "three_way n=2^24 type=u8 kept=0.3"] [--again slower.csv]

Every --cub is one build of CUB, such as the toolkit's and a newer one's, compiled as above. selection_problems.py has
the table and the draws; --first goes on where a run ended, and --again measures those problems of a file once
more that were slower, with three times the rounds. Contenders take turns, by replays of CUDA graphs over arrays that
exceed the L2 cache together from some size on. Before anything is timed, our results are compared with torch's bit by
bit, and of CUB's the items that are kept. --config is JSON, as in {"family": "select_lookback", "block_threads": 256},
and runs in turn with the default.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import gc
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import c_interface
import results_file
from gpu_arrays import Output, bits_of, driver, placed, stream, torch
from graph_times import Call, medians
from problems import SLOWER
from selection_problems import CRITERIA, ITEM_BYTES, Case, case_of, drawn, ratio, slower_of, table

Tensor = Any
Row = dict[str, Any]

_NUMBERS = {"u8": torch.uint8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "f32": torch.float32,
            "f64": torch.float64}  # fmt: skip
_ASKED = {"flagged": "FLAGGED", "unique": "UNIQUE", "three way": "AROUND"}  # others are LESS
_REJECTED = {"partition": "APART", "into one": "BEHIND", "reversed": "BEHIND_REVERSED", "three way": "APART"}
_CUB_CRITERIA = {"less": 0, "flagged": 1, "unique": 2, "partition": 3, "into one": 3, "reversed": 3, "three way": 4}
_ROTATED_BYTES = 512 << 20
_MOST_SETS = 32


class _CubCall(ctypes.Structure):
    _fields_ = (
        ("criterion", ctypes.c_int), ("item_type", ctypes.c_int), ("temporary", ctypes.c_void_p),
        ("temporary_bytes", ctypes.POINTER(ctypes.c_size_t)), ("input", ctypes.c_void_p), ("flags", ctypes.c_void_p),
        ("output", ctypes.c_void_p), ("second", ctypes.c_void_p), ("rest", ctypes.c_void_p),
        ("count", ctypes.c_void_p), ("n", ctypes.c_int), ("bound", ctypes.c_void_p), ("stream", ctypes.c_void_p),
    )  # fmt: skip


@dataclass
class Memory:
    """One set of arrays of a case."""

    items: Tensor
    flags: Tensor
    output: Output
    rejected: Output
    second: Output
    count: Tensor  # two of 64 bits; CUB's have 32


def _bound(case: Case) -> Tensor:
    """Return the bound as an item in memory of the host."""
    return torch.tensor([case.bound], dtype=_NUMBERS[case.type])


def _items(case: Case, seed: int) -> Tensor:
    made = torch.Generator(device="cuda").manual_seed(seed)
    kind, many = _NUMBERS[case.type], -(-case.n // case.run_length)
    if kind.is_floating_point:
        items = torch.rand(many, generator=made, device="cuda", dtype=kind)
    else:  # the largest number is never drawn, so that all items can be less than it
        limits = torch.iinfo(kind)
        items = torch.randint(limits.min, limits.max, (many,), generator=made, device="cuda", dtype=kind)
    if case.criterion == "three way":  # an eighth is equal to the bound
        items[torch.randint(0, 8, (many,), generator=made, device="cuda", dtype=torch.int8) == 0] = case.bound
    return items.repeat_interleave(case.run_length)[: case.n] if case.run_length > 1 else items


def memory_of(case: Case, seed: int) -> Memory:
    made = torch.Generator(device="cuda").manual_seed(seed + 1000)
    draws = torch.rand(case.n if case.criterion == "flagged" else 0, generator=made, device="cuda")
    counts = (case.n, case.n if _is_apart(case) else 0, case.n if case.criterion == "three way" else 0)
    outputs = [Output(count, case.item_bytes, case.output_offset) for count in counts]
    return Memory(placed(_items(case, seed), case.input_offset), (draws < case.kept).to(torch.uint8), *outputs,
                  torch.zeros(2, dtype=torch.int64, device="cuda"))  # fmt: skip


def _is_apart(case: Case) -> bool:
    return _REJECTED.get(case.criterion) == "APART"


@dataclass
class Expected:
    written: Mapping[str, Tensor]  # the bits of each array that is written, from its start
    counts: list[int]


def expected_of(case: Case, memory: Memory) -> Expected:
    items, bound = memory.items, _bound(case).item()
    if case.criterion == "flagged":
        kept = memory.flags != 0
    elif case.criterion == "unique":
        kept = torch.ones_like(items, dtype=torch.bool)
        kept[1:] = items[1:] != items[:-1]
    else:
        kept = items < bound
    first, rest = items[kept], items[~kept]
    written, counts = {"output": first}, [first.numel()]
    if case.criterion == "partition":
        written["rejected"] = rest
    elif case.criterion in ("into one", "reversed"):
        written["output"] = torch.cat([first, rest if case.criterion == "into one" else rest.flip(0)])
    elif case.criterion == "three way":
        written |= {"second": rest[rest == bound], "rejected": rest[rest != bound]}
        counts.append(written["second"].numel())
    return Expected({name: bits_of(right) for name, right in written.items()}, counts)


def _number(name: str) -> int:
    return c_interface.CONSTANTS[name.upper()]


def _calls(case: Case) -> int:
    """Return how many calls a graph has."""
    return 64 if case.n <= 1 << 22 else 16 if case.n <= 1 << 26 else 4


class Library(c_interface.Library):
    def plan(self, case: Case, config: str) -> ctypes.c_void_p:
        bound, asked = _bound(case), _ASKED.get(case.criterion, "LESS")
        return self.made_plan(
            self.request(
                "select",
                n=case.n,
                captured_launches=_calls(case),
                input_type=_number(case.type),
                criterion=_number(asked),
                rejected=_number(_REJECTED.get(case.criterion, "DROPPED")),
                constant=bound.data_ptr() if asked in ("LESS", "AROUND") else None,
                config=config.encode() or None,
            )
        )

    def run(self, plan: ctypes.c_void_p, case: Case, memory: Memory) -> None:
        arrays = {"input": memory.items.data_ptr(), "output": memory.output.address, "count": memory.count.data_ptr()}
        if case.criterion == "flagged":
            arrays["flags"] = memory.flags.data_ptr()
        if _is_apart(case):
            arrays["rejected"] = memory.rejected.address
        if case.criterion == "three way":
            arrays["second"] = memory.second.address
        self.run_plan(plan, stream(), **arrays)


class Cub:
    def __init__(self, path: Path) -> None:
        self._loaded = ctypes.CDLL(str(path.resolve()))
        version = self._loaded.cub_version()
        self.name = f"CUB {version // 100000}.{version // 100 % 1000}.{version % 100}"

    def call(self, case: Case, some: Memory) -> Call:
        bound, size = _bound(case), ctypes.c_size_t()

        def run(temporary: int | None, memory: Memory) -> None:
            made = _CubCall(
                _CUB_CRITERIA[case.criterion], list(ITEM_BYTES).index(case.type), temporary, ctypes.pointer(size),
                memory.items.data_ptr(), memory.flags.data_ptr(), memory.output.address, memory.second.address,
                memory.rejected.address, memory.count.data_ptr(), case.n, bound.data_ptr(), stream(),
            )  # fmt: skip
            if (status := self._loaded.cub_select(ctypes.byref(made))) != 0:
                raise RuntimeError(f"{self.name} returned {status}")

        run(None, some)  # asks for the size
        temporary = torch.empty(max(1, size.value), dtype=torch.uint8, device="cuda")
        return lambda memory: run(temporary.data_ptr(), memory)


def check(call: Call, case: Case, memory: Memory, expected: Expected, *, is_own: bool) -> None:
    """Raise RuntimeError if items or counts are wrong, or something is written beside the items. CUB puts items that it
    rejects in other orders, so of its results only those are compared that are kept.
    """
    outputs = {"output": memory.output, "rejected": memory.rejected, "second": memory.second}
    for output in outputs.values():
        output.poison()
    memory.count.fill_(-1)
    call(memory)
    torch.cuda.synchronize()
    counts = (memory.count if is_own else memory.count.view(torch.int32)).tolist()[: len(expected.counts)]
    if counts != expected.counts:
        raise RuntimeError(f"the counts are {counts}, not {expected.counts}")
    for name, output in outputs.items():
        right = expected.written.get(name, memory.items[:0])
        compared = right if is_own else right[: counts[0]] if name == "output" else right[:0]
        if not torch.equal(output.words(case.item_bytes)[: compared.numel()], bits_of(compared)):
            raise RuntimeError(f"{name} is wrong")
        if is_own and not output.surroundings_intact(right.numel() * case.item_bytes):
            raise RuntimeError(f"something was written beside {name}")


def timed(
    library: Library, cubs: Sequence[Cub], case: Case, plans: Mapping[str, Future[ctypes.c_void_p]], rounds: int
) -> Row:
    """Return the medians of all contenders, which are checked first."""
    gc.collect()  # graphs and their memory are in cycles
    torch.cuda.empty_cache()
    calls = _calls(case)
    rotated = _ROTATED_BYTES // (2 * case.n * case.item_bytes)
    sets = [memory_of(case, seed) for seed in range(max(2, min(calls, _MOST_SETS, rotated)))]
    expected = expected_of(case, sets[0])
    row: Row = {"case": case, "us": {}, "failed": [], "config": ""}
    contenders = _own(library, case, plans, row) | {cub.name: cub.call(case, sets[0]) for cub in cubs}
    for name, call in list(contenders.items()):
        try:
            check(call, case, sets[0], expected, is_own=not name.startswith("CUB"))
        except RuntimeError as error:
            row["failed"].append(f"{name}: {error}"[:300])
            del contenders[name]
    del expected
    row["us"] = medians(contenders, sets, calls, rounds)
    return row


def _own(library: Library, case: Case, plans: Mapping[str, Future[ctypes.c_void_p]], row: Row) -> dict[str, Call]:
    contenders: dict[str, Call] = {}
    for name, plan in plans.items():
        try:
            made = plan.result()
        except RuntimeError as error:
            row["failed"].append(f"{name}: {error}"[:300])
            continue
        row["config"] = row["config"] or library.describe(made).partition("config: ")[2].partition("\n")[0]
        contenders[name] = functools.partial(library.run, made, case)
    return contenders


def line(row: Row) -> str:
    times = " ".join(f"{name} {us:.2f}" for name, us in row["us"].items())
    found = ratio(row)
    told = (row["case"].text(), row["config"].partition("{")[0], times, f"{found:.2f}" if found else "")
    return " | ".join([*told, *row["failed"]])


def summary(rows: Sequence[Row]) -> str:
    """Return, by criterion, how many were slower than CUB, and the slowest of them."""
    lines = []
    for criterion in CRITERIA:
        of_one = [row for row in rows if row["case"].criterion == criterion]
        found = sorted((one, row["case"].text()) for row in of_one if (one := ratio(row)) is not None)
        slower = [f"    {one:.2f} {text}" for one, text in found if one < SLOWER]
        if found:
            lines.append(f"{criterion}: {len(found)} compared, median {found[len(found) // 2][0]:.2f}, least "
                         f"{found[0][0]:.2f}, {len(slower)} below {SLOWER}")  # fmt: skip
            lines += slower[:8]
    return "\n".join(lines)


def csv_of(facts: Mapping[str, str], rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row["us"]))
    shown = ("criterion", "type", "kept", "n", "input_offset", "output_offset")
    columns = [*shown, *("us" if name == "scantune" else f"{name.lower().replace(' ', '_')}_us" for name in names),
               "ratio", "config"]  # fmt: skip
    lines = [[*(getattr(row["case"], name) for name in shown), *(row["us"].get(name) for name in names), ratio(row),
              row["config"]] for row in rows]  # fmt: skip
    return results_file.text_of(facts, columns, lines)


def asked_cases(options: argparse.Namespace) -> list[Case]:
    if options.draws:
        return list(drawn(options.draws, options.seed, options.most))
    if options.again:
        return slower_of(options.again)
    only = options.only.replace("_", " ").split(",") if options.only else CRITERIA
    return options.problem or [case for case in table() if case.criterion in only]


def facts_of(options: argparse.Namespace, cubs: Sequence[Cub]) -> dict[str, str]:
    asked = f" --draws {options.draws} --seed {options.seed}" if options.draws else ""
    asked += f" --again {options.again.name}" if options.again else ""
    return {
        "gpu": torch.cuda.get_device_name(), "driver": driver(), "compiler": f"NVRTC {torch.version.cuda}",
        "date": datetime.now(timezone.utc).date().isoformat(), "commit": options.commit, "torch": torch.__version__,
        "against": ", ".join(dict.fromkeys(cub.name for cub in cubs)),
        "method": f"tests/bench/selections.py{asked}, default configs; medians of {options.rounds} replays of graphs "
        "whose launches rotate over up to 512 MiB of arrays; results compared with torch's first; ratio: the faster "
        "CUB's time over ours; partition: ours writes two arrays, CUB one; into one: both write one, and CUB the "
        "rejected items backwards; three way: an eighth is equal to the pivot",
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--cub", type=Path, action="append", default=[])
    parser.add_argument("--csv", type=Path, required=True)
    parser.add_argument("--only", default="", help="criteria of the table, as in into_one,unique")
    parser.add_argument("--problem", type=case_of, action="append", help="another problem than the table's")
    parser.add_argument("--again", type=Path, help="the slower problems of this file, with three times the rounds")
    parser.add_argument("--config", action="append", default=[], help="as JSON, timed beside the default")
    parser.add_argument("--draws", type=int, default=0, help="measure so many drawn cases instead of the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first problem that is measured")
    parser.add_argument("--most", type=float, default=28, help="the power of two up to which N is drawn")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no case later")
    parser.add_argument("--compilers", type=int, default=16, help="threads that compile")
    parser.add_argument("--commit", default="")
    options = parser.parse_args()
    if sum(map(bool, (options.draws, options.only or options.problem, options.again))) > 1:
        parser.error("--draws, --again, and --only or --problem say each which problems: leave all but one out")
    options.rounds *= 3 if options.again else 1
    library, cubs = Library(options.library), [Cub(path) for path in options.cub]
    cases, facts = asked_cases(options)[options.first :], facts_of(options, cubs)
    configs = {"scantune": ""} | {f"config {number}": text for number, text in enumerate(options.config, 1)}
    began, rows = time.monotonic(), list[Row]()
    with ThreadPoolExecutor(options.compilers) as compiling:
        plans = [{name: compiling.submit(library.plan, case, config) for name, config in configs.items()}
                 for case in cases]  # fmt: skip
    print(f"compiled in {time.monotonic() - began:.0f} s", flush=True)
    for number, (case, its_plans) in enumerate(zip(cases, plans, strict=True), options.first):
        if time.monotonic() - began > options.seconds:
            print(f"out of time: go on with --first {number}", flush=True)
            break
        try:
            rows.append(timed(library, cubs, case, its_plans, options.rounds))
        except RuntimeError as error:  # such as that the GPU's memory is short
            rows.append({"case": case, "us": {}, "failed": [str(error)[:300]], "config": ""})
        print(number, line(rows[-1]), flush=True)
        for plan in its_plans.values():
            if plan.exception() is None:
                library.destroy(plan.result())
        options.csv.write_text(csv_of(facts, rows))
    failures = [f"FAILED {row['case'].text()}: {one}" for row in rows for one in row["failed"]]
    print(summary(rows), *failures[:20], f"{len(rows)} cases, {len(failures)} failures", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
