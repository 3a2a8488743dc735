"""A simulated GPU: families whose times follow what was recorded, and a clock that only they advance.

Nothing sleeps, starts a process or depends on this machine: ten minutes pass in seconds, and every run is the same.
"""

from __future__ import annotations

import functools
import json
import math
from bisect import bisect
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from examples import SCAN
from fake_worker import family_message, family_table
from scantune.model.algorithms import Algorithms
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.device import Device, Hello
from scantune.model.family_table import FamilyTables
from scantune.model.policy import Effort
from scantune.model.record import Record, Run
from scantune.model.trial import Failure
from scantune.model.value import bytes_of
from scantune.store.text_form import built_in_text
from scantune.worker.client import WorkerDied, WorkerError

if TYPE_CHECKING:
    from fake_worker import Table

# Returns the error of a method for a request and, if the method has one, a config. It is called for each config that is
# measured.
Faults = Callable[[str, dict[str, Any], dict[str, Any] | None], WorkerError | WorkerDied | None]

GPU = Device("sm_90", "NVIDIA X200", 132)  # the library has no records of it
TYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64")

FAMILIES: dict[str, Table] = {
    "single_block": {
        "block_threads": ("primary", [128, 256, 512, 1024]),
        "items_per_thread": ("primary", [1, 2, 4, 8, 16]),
        "pdl": ("secondary", [0, 1]),
    },
    "one_shot": {
        "block_threads": ("primary", [128, 256, 512, 1024]),
        "items_per_thread": ("primary", [2, 4, 8, 16, 32]),
        "layout": ("primary", ["direct", "striped", "warp_transposed"]),
        "cluster_blocks": ("primary", [1, 2, 4, 8, 16]),
        "poll_warps": ("secondary", [1, 2, 4]),
        "min_ctas_per_sm": ("secondary", [1, 2, 4]),
        "pdl": ("secondary", [0, 1]),
    },
    "lookback": {
        "block_threads": ("primary", [128, 256, 384, 512]),
        "items_per_thread": ("primary", [4, 8, 12, 16, 20, 24, 32]),
        "layout": ("primary", ["direct", "striped", "warp_transposed"]),
        "tile_order": ("primary", ["block_index", "ticket"]),
        "window": ("secondary", [8, 16, 32, 64]),
        "first_delay_ns": ("secondary", [0, 400, 1000, 1600]),
        "min_ctas_per_sm": ("secondary", [1, 2, 3, 4]),
    },
    "pipelined": {
        "consumer_warps": ("primary", [4, 8, 12, 16]),
        "vectors_per_thread": ("primary", [3, 5, 7]),
        "stages": ("primary", [4, 6, 8, 10, 16]),
        "look_back_warps": ("primary", [1, 2]),
        "poll_distance": ("primary", [0, 1, 2, 3]),
        "look_ahead": ("secondary", [2, 3, 4, 6]),
        "refill_distance": ("secondary", [0, 1, 2]),
    },
    "three_phase": {
        "block_threads": ("primary", [128, 256, 512]),
        "items_per_thread": ("primary", [4, 8, 16, 32]),
        "layout": ("primary", ["direct", "striped", "warp_transposed"]),
        "window": ("secondary", [8, 32]),
    },
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "single_block": {"block_threads": 256, "items_per_thread": 4, "pdl": 1},
    "one_shot": {
        "block_threads": 256, "items_per_thread": 8, "layout": "striped", "cluster_blocks": 1, "poll_warps": 1,
        "min_ctas_per_sm": 1, "pdl": 1,
    },
    "lookback": {
        "block_threads": 256, "items_per_thread": 16, "layout": "striped", "tile_order": "block_index", "window": 32,
        "first_delay_ns": 0, "min_ctas_per_sm": 1,
    },
    "pipelined": {
        "consumer_warps": 8, "vectors_per_thread": 5, "stages": 10, "look_back_warps": 2, "poll_distance": 2,
        "look_ahead": 4, "refill_distance": 1,
    },
    "three_phase": {"block_threads": 256, "items_per_thread": 16, "layout": "striped", "window": 32},
}  # fmt: skip
TOKENS = {"direct": 1.3, "striped": 1.04, "warp_transposed": 1.0, "block_index": 1.0, "ticket": 1.03}


def true_us(request: dict[str, Any], config: dict[str, Any]) -> float:
    """Return the time without noise: the family's best, and 3 % more for each step that a number is off."""
    family = config["family"]
    best = best_parameters(request, family)
    return best_us(request, family) * math.prod(
        TOKENS[value] if isinstance(value, str) else 1 + 0.03 * steps(FAMILIES[family][name][1], value, best[name])
        for name, value in config["parameters"].items()
    )


def steps(values: list[Any], one: int, other: int) -> int:
    return abs(bisect(values, one) - bisect(values, other))


def best_us(request: dict[str, Any], family: str) -> float:
    n, item_bytes = request["n"], bytes_of(request["input_type"])
    moved = 2 * n * item_bytes
    return {
        "single_block": 0.7 + n / 2500,
        "one_shot": 1.6 + 0.9 * min(1, n / 2**17) + moved / 2.6e6,
        "lookback": 1.9 + max(moved / 3.5e6, n / 5.2e5),
        "pipelined": 5.5 + moved / 4.2e6,
        "three_phase": 4.5 + max(moved / 2.7e6, n / 5.2e5),
    }[family]


def best_parameters(request: dict[str, Any], family: str) -> dict[str, Any]:
    """Return the best parameters, which depend on the size of an item, and on whether there are many."""
    n, item_bytes = request["n"], bytes_of(request["input_type"])
    large = n > 2**20
    items = min(32, 4 * (128 if large else 32) // (16 * item_bytes))
    return {
        "single_block": {"block_threads": 512, "items_per_thread": 2, "pdl": 1},
        "one_shot": {
            "block_threads": 512, "items_per_thread": items, "cluster_blocks": 8 if n <= 2**15 else 1, "poll_warps": 2,
            "min_ctas_per_sm": 2 if large else 1, "pdl": 1,
        },
        "lookback": {
            "block_threads": 384 if large else 512, "items_per_thread": items, "window": 8 if large else 32,
            "first_delay_ns": 1600 if large else 0, "min_ctas_per_sm": 2 if large else 1,
        },
        "pipelined": {
            "consumer_warps": 8 if item_bytes > 1 else 12, "vectors_per_thread": 5, "stages": 10 if large else 6,
            "look_back_warps": 2, "poll_distance": 2, "look_ahead": 4, "refill_distance": 1,
        },
        "three_phase": {"block_threads": 512, "items_per_thread": items, "window": 32},
    }[family]  # fmt: skip


def supports(family: str, request: dict[str, Any]) -> bool:
    """Return whether a family takes so many items: single_block and one_shot take few, pipelined takes many."""
    n = request["n"]
    limits = {
        "single_block": n <= 2**17, "one_shot": n * max(4, bytes_of(request["input_type"])) <= 2**26,
        "pipelined": n >= 4096,
    }  # fmt: skip
    return limits.get(family, True)


@functools.cache
def family(name: str) -> dict[str, Any]:
    """Return the family as `space` lists it: any config is legal at any size."""
    return family_message(name, FAMILIES[name], DEFAULTS[name], lambda config: True)


def space(request: dict[str, Any]) -> dict[str, Any]:
    families = [family(name) for name in FAMILIES if supports(name, request)]
    chosen = min((family["name"] for family in families), key=lambda name: best_us(request, name))
    return {"families": families, "default_config": {"family": chosen, "parameters": DEFAULTS[chosen]}}


TABLES = FamilyTables.from_message([family_table(name, table) for name, table in FAMILIES.items()])
ALGORITHMS = Algorithms(scan=replace(SCAN, families=TABLES))


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class FakeGpuWorker:
    """A worker whose answers advance the clock by what such answers were seen to take."""

    def __init__(
        self, clock: Clock, shipped: Mapping[Cell, Config] | None = None, faults: Faults = lambda *_: None,
        drift: Callable[[], float] = lambda: 1.0, shipped_of: Device = GPU,
    ) -> None:  # fmt: skip
        """Make a worker; `drift` returns by what factor the clock of one measurement is slow."""
        self._shipped_of = shipped_of
        self.device = "cuda:0"
        self._drift = drift
        self._faults = faults
        self._shipped = shipped or {}
        self.measured: list[tuple[dict[str, Any], dict[str, Any]]] = []  # request and config
        self.compilers: FakeCompilers | None = None  # these must have compiled what is verified
        self._clock = clock
        self._buffers: dict[str, Any] | None = None  # the request whose input is on the device

    def hello(self) -> Hello:
        return Hello(
            GPU, version="0.1.0", template_hash="a" * 64, compiler_version="NVRTC 13.0", driver_version="13.0",
            algorithms=ALGORITHMS,
        )  # fmt: skip

    def kill(self) -> None:
        pass

    def call(self, method: str, params: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        self._clock.seconds += 1e-3
        if method == "built_in":
            return {"records": [self._built_in(*one) for one in self._shipped.items()]}
        if method != "measure" and (error := self._faults(method, params["request"], params.get("config"))):
            raise error
        answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "space": lambda params: space(params["request"]),
            "select": lambda params: self._select(params["request"]),
            "validate": lambda params: {"valid": True},
            "verify": self._verify,
            "measure": self._measure,
        }
        return answers[method](params)

    def _built_in(self, cell: Cell, config: Config) -> dict[str, Any]:
        run = Run(
            started_at="2026-01-01T00:00:00Z", tool_version="0.1.0", template_hash="a" * 64,
            compiler_version="NVRTC 13.0", driver_version="13.0", effort=Effort.normal, seed=1, policy="{}",
        )  # fmt: skip
        us = true_us(cell.problem.request(cell.n), config.message())
        record = Record(
            self._shipped_of, *cell, config, median_us=us, spread=0.002, default_us=None, ceiling_us=None,
            finished_at="2026-01-01T00:00:00Z", run=run,
        )  # fmt: skip
        return dict(json.loads(built_in_text([record], [])))

    def _select(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return what runs untuned: the library's record of this device, for any type as wide, else the default."""
        for (problem, n), config in self._shipped.items():
            if n == request["n"] and bytes_of(problem.types["input_type"]) == bytes_of(request["input_type"]):
                return {"config": config.message(), "origin": "built_in", "reason": "a record that came along"}
        return {"config": space(request)["default_config"], "origin": "default", "reason": "nothing was tuned"}

    def _verify(self, params: dict[str, Any]) -> dict[str, Any]:
        assert self.compilers is None or self.compilers.has(params["request"], params["config"], params["all_kinds"])
        # These are the times of an H200, where some 500 candidates and 390 winners of a run took 22 s.
        other_kinds_s = 0.03 if params["all_kinds"] else 0.0
        self._clock.seconds += 0.01 + other_kinds_s + 0.05e-9 * moved_bytes(params["request"])
        return {"checks": 24}

    def _measure(self, params: dict[str, Any]) -> dict[str, Any]:
        request, policy = params["request"], params["policy"]
        self._fill(request)
        errors = [self._faults("measure", request, config) for config in params["configs"]]
        if died := next((error for error in errors if isinstance(error, WorkerDied)), None):
            raise died
        times = [true_us(request, config) for config in params["configs"]]
        drift = self._drift()
        copy_us = moved_bytes(request) / 4.2e6 + 0.8
        slowest_us = policy.get("slower_than", math.inf) * min(times)
        measurements: list[dict[str, Any]] = []
        for config, time_us, error in zip(params["configs"], times, errors, strict=True):
            self.measured.append((request, config))
            if isinstance(error, WorkerError):
                measurements.append({"error": {"kind": error.kind, "message": str(error)}})
                continue
            rounds = policy["rounds"] if time_us <= slowest_us else 0
            self._launch(request["n"], time_us, rounds, policy["min_round_ms"])
            samples_us = [drift * time_us * factor for factor in noise(max(1, rounds))]
            measured = {"median_us": drift * time_us, "spread": 0.002, "samples": max(1, rounds), "sm_clock_mhz": 1980}
            each = {"samples_us": samples_us} if params.get("samples") else {}
            measurements.append({**measured, **each, "probe_only": not rounds})
        for rounds in [policy["rounds"], 0, 0, 0, 0] if policy["ceiling"] else []:
            self._launch(request["n"], copy_us, rounds, policy["min_round_ms"])
        return {"measurements": measurements, "ceiling_us": copy_us if policy["ceiling"] else None}

    def _fill(self, request: dict[str, Any]) -> None:
        if self._buffers != request:
            self._buffers = request
            self._clock.seconds += 0.05 + 0.25e-9 * moved_bytes(request)

    def _launch(self, n: int, time_us: float, rounds: int, min_round_ms: float) -> None:
        """Load a kernel, make its graph, probe it and take its samples."""
        graph_s = time_us * 1e-6 * (64 if n <= 2**22 else 16 if n <= 2**26 else 4)
        probes = 2 if graph_s < 5e-3 else 1
        self._clock.seconds += 4e-3 + probes * graph_s + rounds * max(graph_s, 1e-3 * min_round_ms)


def noise(count: int) -> list[float]:
    """Return different factors around a median of 1."""
    return [1 + 0.002 * (index - (count - 1) / 2) / count for index in range(count)]


def moved_bytes(request: dict[str, Any]) -> int:
    return int(request["n"] * (bytes_of(request["input_type"]) + bytes_of(request["output_type"])))


class FakeCompilers:
    """Processes that compile beside the worker; a kernel that is needed before it is there advances the clock."""

    def __init__(
        self, clock: Clock, processes: int, compile_s: float, refused: Callable[[Config], bool] = lambda config: False
    ) -> None:
        self._refused = refused
        self._clock = clock
        self._free_at = [0.0] * processes
        self._compile_s = compile_s
        # By type and config: the times at which shares of the usual kernels are compiled.
        self._compiled: dict[tuple[str, str], dict[float, float]] = {}

    def __enter__(self) -> FakeCompilers:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(
        self, request: dict[str, Any], config: Config, all_kinds: bool = False, measured_only: bool = False,
        offset: int = 0,
    ) -> Future[float | Failure]:  # fmt: skip
        kernel = request["input_type"], str(config.message())
        compiled = self._compiled.setdefault(kernel, {})
        before, share = max(compiled, default=0.0), 3.0 if all_kinds else 0.5 if measured_only else 1.0
        if share <= before:
            compiled[share] = min(compiled.get(share, math.inf), self._clock.seconds + 2e-3)
        else:
            first = min(range(len(self._free_at)), key=self._free_at.__getitem__)
            self._free_at[first] = max(self._free_at[first], self._clock.seconds) + self._compile_s * (share - before)
            compiled[share] = self._free_at[first]
        return self._compilation(config, max(compiled[share], self._clock.seconds))

    def abreast(self, most: int) -> int:
        return min(most, len(self._free_at) + 1)

    def wait_for_any(self, futures: list[Compilation]) -> None:
        self._clock.seconds = max(self._clock.seconds, min(future.ready_at for future in futures))

    def has(self, request: dict[str, Any], config: dict[str, Any], all_kinds: bool) -> bool:
        """Return whether the kernels that verify a config are compiled by now."""
        compiled = self._compiled.get((request["input_type"], str(config)), {})
        needed = 3.0 if all_kinds else 1.0
        return any(share >= needed and ready_at <= self._clock.seconds for share, ready_at in compiled.items())

    def _compilation(self, config: Config, ready_at: float) -> Compilation:
        refusal = Failure("compile_error", "error: expected a ';'\nmore of it")
        return Compilation(self._clock, ready_at, refusal if self._refused(config) else 1.0)


class Compilation(Future[float | Failure]):
    def __init__(self, clock: Clock, ready_at: float, outcome: float | Failure) -> None:
        super().__init__()
        self._outcome = outcome
        self._clock = clock
        self.ready_at = ready_at

    def done(self) -> bool:
        return self._clock.seconds >= self.ready_at

    def result(self, timeout: float | None = None) -> float | Failure:
        self._clock.seconds = max(self._clock.seconds, self.ready_at)
        return self._outcome
