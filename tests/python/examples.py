"""The table of examples for all tests of round trips."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scantune.model.algorithm import Algorithm, Extent, Member, Operand, Spelling
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.measurement import Measurement
from scantune.model.octave import Range, octave_up_to
from scantune.model.policy import Effort
from scantune.model.probe import Probe
from scantune.model.problem import Problem
from scantune.model.record import Record, Run
from scantune.model.trial import Failure, Trial

TYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "custom")
OPERATORS = ("sum", "product", "max", "bit_xor", "custom_cheap", "custom_moderate", "custom_expensive")


def tokens(name: str, *values: str) -> Member:
    """Return a member whose default is the first of its values."""
    return Member(name, values, values[0])


def type_member(role: str) -> Member:
    return Member(f"{role}_type", TYPES, None, Spelling.value_type)


SCAN = Algorithm(
    "scan",
    (
        type_member("input"), type_member("accumulator"), type_member("output"),
        Member("op", OPERATORS, "sum", Spelling.value_operator),
        Member("kind", ("inclusive", "exclusive"), "inclusive", is_served=True),
        Member("init", ("none", "value"), None, is_recorded=False),
        tokens("direction", "forward", "reverse"), tokens("n_source", "call", "memory"),
        tokens("segments", "none", "rows", "columns"),
        tokens("determinism", "unconstrained", "run_to_run"),
        tokens("forward_progress", "in_order", "documented"), tokens("latency", "back_to_back", "isolated"),
    ),
    (
        Extent("rows", where=("segments", "rows"), stored_as="row_items"),
        Extent("columns", where=("segments", "columns")),
    ),
    operands=(Operand("input", "input", "input_type", "n"), Operand("output", "output", "output_type", "n")),
)  # fmt: skip


def scan(types: str, op: str = "sum", **others: str) -> Problem:
    """Return the problem of one type, or of input, accumulator and output as i8:i64:i32."""
    names = types.split(":")
    named = dict(zip((member.name for member in SCAN.types), names if len(names) == 3 else 3 * names, strict=True))
    operator = {} if op == "sum" else {"op": op}
    return Problem("scan", tuple({**named, **operator, **others}.items())).declared_by(SCAN)


NOON = "2026-01-01T12:00:00Z"
DEVICES = [Device("sm_90", "NVIDIA H200", 132), Device("sm_90", "NVIDIA H100 PCIe", 114), Device("host", "A CPU", 8)]
CONFIGS = [
    Config("single_block", (("block_threads", 32), ("pdl", 0))),
    Config("lookback", (("window", 8), ("layout", "warp_transposed"), ("poll_delay_ns", 0))),
    Config("no_parameters", ()),
    Config("extreme", (("smallest", -(2**31)), ("largest", 2**31 - 1))),
]
PROBLEMS = [
    scan("i32"),
    scan("bf16", "max"),
    scan("i8:i32:i32", kind="exclusive", determinism="run_to_run", forward_progress="documented"),
    scan("u16:u64:u8", "bit_xor", determinism="run_to_run"),
    scan("f16:f32:f16", "product", forward_progress="documented"),
    scan("i32", latency="isolated"),
    scan("custom8", "custom_moderate"),
    scan("custom32", "custom_expensive:Affine_pair-2.0"),
    scan("i32:i64:i64", "custom_cheap:" + 64 * "x"),
]
MEASUREMENTS = [
    Measurement(0.71, spread=0.0, samples=1),
    Measurement(2045.04, spread=0.0041, samples=31, sm_clock_mhz=1980),
    Measurement(3.5, spread=0.5, samples=3),
]
FAILURES = [
    Failure("compile_error", "error: expected a ';'\n  and a second line"),
    Failure("wrong_result", "n = 4097: index 17: expected 3, found 4 (µ)"),
    Failure("launch_error", ""),
    Failure("timeout", "verify took longer than 30 s"),
    Failure("crash", "the worker ended (killed by SIGSEGV)"),
]
TRIALS = [Trial(config, MEASUREMENTS[0], compile_ms=61.5) for config in CONFIGS] + [
    Trial(Config("failing", (("number", index),)), failure=failure) for index, failure in enumerate(FAILURES)
]
RUNS = [
    Run(
        started_at="2026-01-01T00:00:00Z", tool_version="0.1.0", template_hash="a" * 64,
        compiler_version="NVRTC 13.0", driver_version="580.65", effort=Effort.quick, seed=1, policy="{}",
    ),
    Run(
        started_at="2026-02-28T23:59:59Z", tool_version="0.2.0", template_hash="b" * 64,
        compiler_version="g++ 12.2", driver_version="", effort=Effort.exhaustive, seed=2**31 - 1,
        policy='{"trials":64}',
    ),
    Run(
        started_at=NOON, tool_version="0.3.0", template_hash="a" * 64,
        compiler_version="NVRTC 13.0", driver_version="580", effort=Effort.normal, seed=1,
        policy='{"operator_source":"0123456789abcdef"}',
    ),
]  # fmt: skip
PROBES = (Probe(1000, 0, 31.5, 40.25), Probe(1500, 64, 33.25, 33.0), Probe(601, 1, 30.0, 100.0 / 3))
RECORDS = [
    Record(
        DEVICES[0], PROBLEMS[0], 2**30, CONFIGS[1], median_us=2045.0, spread=0.004, default_us=2713.4,
        ceiling_us=2050.1, finished_at="2026-01-01T00:05:00Z", run=RUNS[0],
    ),
    Record(
        DEVICES[1], PROBLEMS[1], 1, CONFIGS[0], median_us=0.71, spread=0.0, default_us=1.81,
        ceiling_us=None, finished_at="2026-01-02T00:00:00Z", run=RUNS[0],
    ),
    Record(
        DEVICES[2], PROBLEMS[2], 1000, CONFIGS[3], median_us=31.5, spread=0.2, default_us=None,
        ceiling_us=12.0, finished_at="2026-03-01T00:00:00Z", run=RUNS[1], serves=Range(600, 1500), probes=PROBES,
    ),
    *(
        Record(
            DEVICES[0], problem, 4096, CONFIGS[0], median_us=2.5, spread=0.0, default_us=3.0,
            ceiling_us=2.0, finished_at=NOON, run=RUNS[2],
        )
        for problem in PROBLEMS[3:]
    ),
]  # fmt: skip


def at(record: Record, n: int, **changes: Any) -> Record:
    """Return the record as one of another n, which serves its octave up to there."""
    return replace(record, **{"n": n, "serves": octave_up_to(n), "probes": (), **changes})
