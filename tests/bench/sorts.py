#!/usr/bin/env python3
"""Times sorts beside CUB's and torch's, each of the library's families, and configs of them beside each other.

    nvcc -std=c++20 -O3 -arch=sm_90 -shared -Xcompiler -fPIC -cudart static -o libcub.so tests/bench/cub_sorts.cu
    python tests/bench/sorts.py --library build/runtime/libscantune.so --cub libcub.so --out build/sorts

times the table: sort_problems.py has its rows and sizes. Every --cub is one build of CUB, such as the toolkit's and a
newer one's. What else there is:

    --only "u32 keys,u32 pairs" --sizes 20,24     some rows and sizes of the table
    --problem "n=2^24 type=u64 sorted=pairs value_bytes=8 keys=entropy_0.2"      other problems instead
    --config "sort_onesweep items_per_thread=12,16,20 digit_bits=7,8"            configs in turn with the default
    --draws 300 --seed 7                                                         drawn problems
    --again sorts.csv                                    a file's slower problems, with three times the rounds
    --first 40                                           goes on where a run of any of these ended

Contenders take turns, by replays of CUDA graphs over arrays that exceed the L2 cache together from some size on. Each
result is compared with torch's stable sort before it is timed. "own workspace" is the default in memory of the plan, as
graphs have it, the others get one workspace. CUB's form with double buffers writes over its keys, so they are put back
before each replay, and that is not timed. CUB's segmented sort waits for the stream, so it is timed by single calls.
Where CUB has no indices, it sorts pairs whose values are these; writing them before is not timed. torch's keys are
signed, as wide, and its indices have 64 bits.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import functools
import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import c_interface
import results_file
from gpu_arrays import INTEGERS, Output, driver, placed, stream, torch
from graph_times import captured, seconds, seconds_of_calls
from sort_problems import (
    FAMILIES,
    KEY_BYTES,
    SORTED,
    Case,
    Config,
    best_family,
    case_of,
    compact_table,
    comparable,
    configs_of,
    distributed,
    drawn,
    draws_table,
    line,
    name_of_config,
    ratio,
    slower_of,
    sweep_table,
    table_cases,
)

Tensor = Any
Row = dict[str, Any]

_TYPES = {"i8": 1, "u8": 5, "u16": 6, "u32": 7, "u64": 8, "f16": 9, "bf16": 10, "f32": 11}
_CUSTOM = 13  # the type of items that are only moved
_CUB_TYPES = {name: index for index, name in enumerate(KEY_BYTES)}
_PLAIN, _DOUBLE, _SEGMENTED, _SEGMENTED_RADIX = range(4)
_ROTATED_BYTES = 512 << 20
_MOST_KEPT_SETS = 32
_MOST_RADIX_ROWS = 1 << 14  # a CTA takes each: 3.5 million rows of 32 keys took 580 ms


class _CubSort(ctypes.Structure):
    _fields_ = (
        ("key_type", ctypes.c_int), ("value_bytes", ctypes.c_int), ("descending", ctypes.c_int),
        ("begin_bit", ctypes.c_int), ("end_bit", ctypes.c_int), ("form", ctypes.c_int), ("n", ctypes.c_uint),
        ("rows", ctypes.c_uint), ("temporary", ctypes.c_void_p), ("temporary_bytes", ctypes.POINTER(ctypes.c_size_t)),
        ("keys", ctypes.c_void_p), ("keys_output", ctypes.c_void_p), ("values", ctypes.c_void_p),
        ("values_output", ctypes.c_void_p), ("current", ctypes.POINTER(ctypes.c_int)), ("stream", ctypes.c_void_p),
    )  # fmt: skip


@dataclass
class Memory:
    """One set of arrays of a case. CUB's double buffers are the spare inputs and the outputs."""

    keys: Tensor
    values: Tensor  # for CUB the places, where indices are asked for
    output: Output
    values_output: Output
    spare_keys: Tensor
    spare_values: Tensor

    def put_back(self) -> None:
        self.spare_keys.copy_(self.keys)
        self.spare_values.copy_(self.values)


def _bits(items: int, item_bytes: int, seed: int) -> Tensor:
    made = torch.Generator(device="cuda").manual_seed(seed)
    words = -(-items * item_bytes // 4)
    drawn_words = torch.randint(-(1 << 31), 1 << 31, (words,), generator=made, device="cuda", dtype=torch.int32)
    return drawn_words.view(torch.int8)[: items * item_bytes].view(INTEGERS[min(item_bytes, 8)])


def _in_order(case: Case, keys: Tensor) -> Tensor:
    ranks = comparable(Case(case.n, case.type), keys)
    return keys[torch.sort(ranks, descending=case.keys == "reversed").indices]


def memory_of(case: Case, seed: int, double: bool) -> Memory:
    draw = lambda turn: _bits(case.n, case.key_bytes, 1000 * seed + turn)  # noqa: E731
    keys = placed(distributed(case, draw, functools.partial(_in_order, case)), case.input_offset)
    if case.sorted == "pairs":
        words = max(1, case.value_bytes // 8)  # of an item
        values = placed(_bits(case.n, case.value_bytes, seed + 7777), case.values_offset * words)
    else:
        items = case.n if case.value_bytes else 0
        length = items // max(case.rows, 1)
        kind = INTEGERS[case.value_bytes or 4]
        values = torch.arange(length, dtype=kind, device="cuda").repeat(max(case.rows, 1))
    spares = [torch.empty_like(one if double else one[:0]) for one in (keys, values)]
    return Memory(
        keys, values, Output(case.n, case.key_bytes, case.output_offset),
        Output(case.n if case.value_bytes else 0, case.value_bytes, case.values_offset), *spares,
    )  # fmt: skip


@dataclass
class Expected:
    keys: Tensor
    values: Tensor  # or indices

    @staticmethod
    def of(case: Case, memory: Memory) -> Expected:
        rows = max(case.rows, 1)
        ranks = comparable(case, memory.keys).view(rows, -1)
        order = torch.sort(ranks, dim=1, stable=True).indices
        if case.rows:
            order += torch.arange(rows, device="cuda")[:, None] * (case.n // rows)
        order = order.view(-1)
        items = memory.values.view(case.n, -1) if case.value_bytes > 8 else memory.values
        return Expected(memory.keys[order], items[order] if case.value_bytes else memory.values)


class Library(c_interface.Library):
    def plan(self, case: Case, config: Config, captured_launches: int = 0) -> ctypes.c_void_p:
        sorting = self.request(
            "sort", captured_launches=captured_launches, n=case.n, input_type=_TYPES[case.type],
            sorted=SORTED.index(case.sorted), order=int(case.order == "descending"), begin_bit=case.begin_bit,
            end_bit=case.end_bit, segments=int(case.rows > 0), rows=case.rows,
            config=json.dumps(config).encode() if config else None,
        )  # fmt: skip
        if case.value_bytes > 8:
            sorting.value_type, sorting.custom_bytes, sorting.custom_alignment = _CUSTOM, case.value_bytes, 16
        elif case.value_bytes:
            of = _TYPES["u64" if case.value_bytes == 8 else "u32"]
            sorting.value_type, sorting.index_type = (of, 0) if case.sorted == "pairs" else (0, of)
        return self.made_plan(sorting)

    def run(self, plan: ctypes.c_void_p, case: Case, workspace: Tensor | None, memory: Memory) -> None:
        arrays = {"input": memory.keys.data_ptr(), "output": memory.output.address}
        beside = memory.values_output.address
        if case.sorted == "pairs":
            arrays |= {"values": memory.values.data_ptr(), "values_output": beside}
        elif case.sorted != "keys":
            arrays["output" if case.sorted == "indices" else "indices"] = beside
        room = (workspace.data_ptr(), workspace.numel()) if workspace is not None else None
        self.run_plan(plan, stream(), room, **arrays)

    def config(self, plan: ctypes.c_void_p) -> str:
        """Return family and parameters, as the plan describes them."""
        return self.describe(plan).partition("config: ")[2].partition("\n")[0]


class Cub:
    def __init__(self, path: Path) -> None:
        self._loaded = ctypes.CDLL(str(path.resolve()))
        version = self._loaded.cub_version()
        self.name = f"CUB {version // 100000}.{version // 100 % 1000}.{version % 100}"

    def contenders(self, case: Case, memory: Memory, double: bool) -> list[Contender]:
        if case.rows:
            forms = {"": _SEGMENTED} | ({" radix": _SEGMENTED_RADIX} if case.rows <= _MOST_RADIX_ROWS else {})
        else:
            forms = {"": _PLAIN, " double": _DOUBLE} if double else {"": _PLAIN}
        return [self._contender(case, memory, added, form) for added, form in forms.items()]

    def _contender(self, case: Case, some: Memory, added: str, form: int) -> Contender:
        size, current = ctypes.c_size_t(), ctypes.c_int()
        begin, end = case.key_bits
        temporary = torch.empty(0, dtype=torch.uint8, device="cuda")

        def call(memory: Memory) -> None:
            inputs = (memory.spare_keys, memory.spare_values) if form == _DOUBLE else (memory.keys, memory.values)
            made = _CubSort(
                _CUB_TYPES[case.type], case.value_bytes, int(case.order == "descending"), begin, end, form, case.n,
                max(case.rows, 1), temporary.data_ptr() if temporary.numel() else None, ctypes.pointer(size),
                inputs[0].data_ptr(), memory.output.address, inputs[1].data_ptr(), memory.values_output.address,
                ctypes.pointer(current), stream(),
            )  # fmt: skip
            status = self._loaded.cub_sort(ctypes.byref(made))
            if status != 0:
                raise RuntimeError(f"{self.name}{added} returned {status}")

        def written(memory: Memory) -> tuple[Tensor, Tensor]:
            if form == _DOUBLE and current.value == 0:
                wide = case.value_bytes > 8
                return memory.spare_keys, memory.spare_values.view(case.n, -1) if wide else memory.spare_values
            return _outputs(case, memory)

        call(some)  # asks for the size
        temporary = torch.empty(max(1, size.value), dtype=torch.uint8, device="cuda")
        before = Memory.put_back if form == _DOUBLE else None
        return Contender(self.name + added, call, written, before, is_captured=form != _SEGMENTED)


def _outputs(case: Case, memory: Memory) -> tuple[Tensor, Tensor]:
    empty = memory.values[:0]
    return (
        memory.output.words(case.key_bytes) if case.sorted != "indices" else empty,
        memory.values_output.words(case.value_bytes) if case.value_bytes else empty,
    )


@dataclass
class Contender:
    name: str
    call: Callable[[Memory], None]
    written: Callable[[Memory], tuple[Tensor, Tensor]]  # keys, and values or indices; none of what was not asked for
    prepare: Callable[[Memory], None] | None = None  # before each replay, of every set
    is_captured: bool = True


def check(contender: Contender, case: Case, memory: Memory, expected: Expected) -> None:
    """Raise RuntimeError if the contender sorts wrongly or writes beside its outputs."""
    for output in (memory.output, memory.values_output):
        output.poison()
    if contender.prepare is not None:
        contender.prepare(memory)
    contender.call(memory)
    torch.cuda.synchronize()
    keys, values = contender.written(memory)
    for what, found, right in (("keys", keys, expected.keys), ("values", values, expected.values)):
        if found.numel() and not torch.equal(found, right):
            wrong = (found != right).nonzero()
            raise RuntimeError(f"{what} are wrong in {len(wrong)} of {found.numel()} places, first {wrong[0].tolist()}")
    if not (memory.output.surroundings_intact() and memory.values_output.surroundings_intact()):
        raise RuntimeError("something was written beside an output")


def torch_contender(case: Case, sets: Sequence[Memory]) -> Contender | None:
    """Return torch's stable sort into arrays that are there already; None of what it has not."""
    if case.sorted == "pairs" or case.end_bit or case.begin_bit:
        return None
    floats = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
    kind = ({"u8": torch.uint8} | floats).get(case.type, INTEGERS[case.key_bytes])
    shape = (max(case.rows, 1), -1)
    keys = {id(memory): memory.keys.view(kind).view(shape) for memory in sets}
    found = torch.empty_like(keys[id(sets[0])])
    places = torch.empty(found.shape, dtype=torch.int64, device="cuda")
    descending = case.order == "descending"

    def call(memory: Memory) -> None:
        torch.sort(keys[id(memory)], dim=1, stable=True, descending=descending, out=(found, places))

    def written(memory: Memory) -> tuple[Tensor, Tensor]:  # its order is another one, of signed keys
        return memory.values[:0], memory.values[:0]

    return Contender("torch", call, written)


def medians(
    contenders: Iterable[Contender], sets: Sequence[Memory], calls: int, rounds: int
) -> tuple[dict[str, float], list[str]]:
    """Return the microseconds of one call of each contender, which take turns, and which could not be captured."""
    timed: list[tuple[Contender, Callable[[], float], int]] = []
    failed: list[str] = []
    for one in contenders:
        its_calls = min(calls, len(sets)) if one.prepare is not None else calls  # no set is sorted again
        try:
            if one.is_captured:
                run = functools.partial(seconds, captured(one.call, sets, its_calls))
            else:
                run, its_calls = functools.partial(seconds_of_calls, one.call, sets), len(sets)
            timed.append((one, run, its_calls))
        except RuntimeError as error:
            failed.append(f"{one.name}: {error}"[:300])
    samples: dict[str, list[float]] = {one.name: [] for one, _, _ in timed}
    for turn in range(rounds + 1):
        for one, run, its_calls in timed:
            if one.prepare is not None:
                for memory in sets:
                    one.prepare(memory)
            taken = run() / its_calls
            if turn > 0:  # the first replay warms up
                samples[one.name].append(taken)
    return {name: statistics.median(of_one) * 1e6 for name, of_one in samples.items()}, failed


def empty_row(label: str, case: Case) -> Row:
    return {"label": label, "case": case, "us": {}, "failed": [], "cannot": {}, "config": "", "family": ""}


@dataclass
class Bench:
    library: Library
    cubs: list[Cub]
    configs: list[Config]  # each timed beside the default
    families: bool
    double: bool
    torch: bool
    own_workspace: bool
    rounds: int

    def asked_configs(self) -> list[Config]:
        return [{}, *({"family": name} for name in FAMILIES if self.families), *self.configs]

    def timed(self, label: str, case: Case, plans: Mapping[str, Future[ctypes.c_void_p]]) -> Row:
        """Return the medians in microseconds of all contenders, which are checked first."""
        gc.collect()  # graphs and their memory are in cycles
        torch.cuda.empty_cache()
        calls = 64 if case.n <= 1 << 20 else 16 if case.n <= 1 << 24 else 4
        double = self.double and bool(self.cubs) and not case.rows
        count = max(2, min(calls, _MOST_KEPT_SETS, _ROTATED_BYTES // case.moved_bytes))
        sets = [memory_of(case, seed, double) for seed in range(count)]
        expected = Expected.of(case, sets[0])
        row = empty_row(label, case)
        contenders = self._own(case, plans, row)
        # A workspace for each call that a graph has is much memory, so this plan is made for this case alone.
        own_plan = self.library.plan(case, {}, calls) if self.own_workspace else None
        try:
            if own_plan is not None:
                run = functools.partial(self.library.run, own_plan, case, None)
                contenders.append(Contender("own workspace", run, functools.partial(_outputs, case)))
            for cub in self.cubs:
                contenders += cub.contenders(case, sets[0], double)
            right = []
            for contender in contenders:
                try:
                    check(contender, case, sets[0], expected)
                    right.append(contender)
                except RuntimeError as error:
                    row["failed"].append(f"{contender.name}: {error}"[:300])
            beside = torch_contender(case, sets) if self.torch else None
            del expected
            row["us"], failed = medians([*right, *([beside] if beside else [])], sets, calls, self.rounds)
            row["failed"] += [one for one in failed if not one.startswith("torch")]  # which cannot always be captured
        finally:
            if own_plan is not None:
                self.library.destroy(own_plan)
        return row

    def _own(self, case: Case, plans: Mapping[str, Future[ctypes.c_void_p]], row: Row) -> list[Contender]:
        made: dict[str, ctypes.c_void_p] = {}
        for name, plan in plans.items():
            try:
                made[name] = plan.result()
            except RuntimeError as error:  # the family cannot, or the config is not legal
                row["cannot"][name] = str(error)
                if name == "default":
                    row["failed"].append(f"default: {error}"[:300])
        if "default" in made:
            row["config"] = self.library.config(made["default"])
            row["family"] = next((name for name in FAMILIES if name in row["config"]), "")
        # The default of the family that the library chooses is the default.
        made = {
            name: plan for name, plan in made.items() if name == "default" or self.library.config(plan) != row["config"]
        }
        most = max((self.library.workspace_bytes(plan) for plan in made.values()), default=0)
        workspace = torch.full((max(most, 1),), 0xFF, dtype=torch.uint8, device="cuda")  # nothing clears it
        written = functools.partial(_outputs, case)
        return [
            Contender(name, functools.partial(self.library.run, plan, case, workspace), written)
            for name, plan in made.items()
        ]


def facts(options: argparse.Namespace, bench: Bench) -> dict[str, str]:
    commit = options.commit
    if not commit:
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True,
                                    cwd=Path(__file__).parent).stdout.strip()  # fmt: skip
    builds = ", ".join(cub.name for cub in bench.cubs)
    asked = f" --draws {options.draws} --seed {options.seed}" if options.draws else ""
    asked += f" --again {options.again.name}" if options.again else ""
    return {
        "gpu": torch.cuda.get_device_name(), "driver": options.driver or driver(), "compiler": options.compiler,
        "date": datetime.now(timezone.utc).date().isoformat(), "commit": commit, "torch": torch.__version__,
        "method": f"tests/bench/sorts.py{asked}, default configs; beside {builds or 'nothing'}; medians of "
        f"{options.rounds} replays of graphs whose launches rotate over up to 512 MiB of arrays; results compared with "
        "torch's first; ratio: the faster CUB's time over ours; double: CUB's form that writes over its keys; radix: "
        "its segmented radix sort, beside the segmented sort by single calls; own workspace: ours, in memory of the "
        "plan",
    }  # fmt: skip


def csv_of(said: dict[str, str], rows: Sequence[Row]) -> str:
    """Return a file of results, with a column for each contender."""
    names = list(dict.fromkeys(name for row in rows for name in row["us"]))
    shown = ("type", "sorted", "value_bytes", "order", "keys", "rows", "begin_bit", "end_bit", "input_offset",
             "output_offset", "values_offset", "n")  # fmt: skip
    columns = ["label", *shown, *(_column(name) for name in names), "ratio", "config"]
    lines = [
        [row["label"], *(getattr(row["case"], name) for name in shown), *(row["us"].get(name) for name in names),
         ratio(row), row["config"]]
        for row in rows
    ]  # fmt: skip
    return results_file.text_of(said, columns, lines)


def _column(name: str) -> str:
    return "us" if name == "default" else f"{name.lower().replace(' ', '_')}_us"


def write(folder: Path, said: dict[str, str], rows: Sequence[Row]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shown = [row | {"case": row["case"].__dict__, "ratio": ratio(row), "best": best_family(row)} for row in rows]
    (folder / "sorts.json").write_text(json.dumps({"facts": said, "rows": shown}))
    (folder / "sorts.csv").write_text(csv_of(said, rows))


def asked_cases(options: argparse.Namespace) -> list[tuple[str, Case]]:
    if options.draws:
        return [("draw", case) for case in drawn(options.draws, options.seed, options.most)]
    if options.again:
        return [("again", case) for case in slower_of(options.again)]
    if options.problem:
        return [("problem", case) for case in options.problem]
    return table_cases([one for one in options.only.split(",") if one], options.sizes)


def measured(bench: Bench, cases: Sequence[tuple[str, Case]], options: argparse.Namespace) -> list[Row]:
    """Return a row for each case that was begun within the seconds there are."""
    began, rows = time.monotonic(), list[Row]()
    said = facts(options, bench)
    configs = {name_of_config(config): config for config in bench.asked_configs()}
    with ThreadPoolExecutor(options.compilers) as compiling:
        plans = [
            {name: compiling.submit(bench.library.plan, case, config) for name, config in configs.items()}
            for _, case in cases
        ]
    print(f"compiled in {time.monotonic() - began:.0f} s", flush=True)
    for number, ((label, case), its_plans) in enumerate(zip(cases, plans, strict=True), options.first):
        if time.monotonic() - began > options.seconds:
            print(f"out of time after {len(rows)} of {len(cases)} cases: go on with --first {number}", flush=True)
            break
        try:
            row = bench.timed(label, case, its_plans)
        except RuntimeError as error:  # such as that the GPU's memory is short
            row = empty_row(label, case) | {"failed": [str(error)[:300]]}
        rows.append(row)
        print(number, sweep_table(row) if bench.configs else line(row), flush=True)
        print(*row["failed"], sep="\n", end="\n" if row["failed"] else "", flush=True)
        for plan in its_plans.values():
            if plan.exception() is None:
                bench.library.destroy(plan.result())
        write(options.out, said, rows)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--cub", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, required=True, help="the folder of sorts.json and sorts.csv")
    parser.add_argument("--only", default="", help="rows of the table whose names begin so")
    parser.add_argument("--sizes", type=lambda text: [int(one) for one in text.split(",")], help="powers of two")
    parser.add_argument("--problem", type=case_of, action="append", help="another problem than the table's")
    parser.add_argument("--again", type=Path, help="the slower problems of this file, with three times the rounds")
    parser.add_argument("--config", type=configs_of, action="append", default=[], help="a family and parameter=values")
    parser.add_argument("--configs", type=Path, help="a file with one --config a line")
    parser.add_argument("--draws", type=int, default=0, help="measure so many drawn cases instead of the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first problem that is measured")
    parser.add_argument("--most", type=float, default=28, help="the power of two up to which N is drawn")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no case later")
    parser.add_argument("--without", default="", help="any of families,double,torch,own")
    parser.add_argument("--compilers", type=int, default=16, help="threads that compile")
    parser.add_argument("--commit", default="")
    parser.add_argument("--driver", default="", help="its version, if this machine's is not to be named")
    parser.add_argument("--compiler", default=f"NVRTC {torch.version.cuda}")
    options = parser.parse_args()
    texts = options.configs.read_text().splitlines() if options.configs else []
    configs = [config for some in (*options.config, *map(configs_of, filter(None, texts))) for config in some]
    left_out = set(options.without.split(","))
    if configs or options.draws or options.again:
        left_out |= {"families", "torch", "own"} | ({"double"} if configs else set())
    options.rounds *= 3 if options.again else 1
    bench = Bench(Library(options.library), [Cub(path) for path in options.cub], configs, "families" not in left_out,
                  "double" not in left_out, "torch" not in left_out, "own" not in left_out, options.rounds)  # fmt: skip
    rows = measured(bench, asked_cases(options)[options.first :], options)
    if not configs:
        print(draws_table(rows) if options.draws or options.again else compact_table(rows))
    failures = [f"FAILED {row['label']} {row['case'].text()}: {one}" for row in rows for one in row["failed"]]
    print(*failures[:20], f"{len(failures)} failures", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
