"""Options that several commands share, and what is meant where they are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scantune.device import Device
from scantune.problem import Problem
from scantune.quantity import parse_sizes

UNCONSTRAINED = Problem.determinism
IN_ORDER = Problem.forward_progress
BACK_TO_BACK = Problem.latency

ArchOption = Annotated[str, typer.Option(help="sm_90 and the like, host, or auto: the GPU if there is one.")]
SizesOption = Annotated[list[str] | None, typer.Option(help="Sizes: 1000, 2^20, 1M (= 2^20), 2^8..2^18 in steps of 4.")]
DbOption = Annotated[Path | None, typer.Option("--db", help="The tuning database, instead of $SCANTUNE_DB.")]
TypeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        help="Value types: i32; i8:i32 (input:output); i8:i64:i32 (input:accumulator:output); custom8, a struct of 8 "
        "bytes; all, every built-in type.",
    ),
]
OpOption = Annotated[
    list[str] | None, typer.Option(help="Operators: sum, max, ...; custom_moderate, any custom one of that cost.")
]
DeterminismOption = Annotated[str, typer.Option(help="unconstrained, or run_to_run: equal inputs give equal bits.")]
ForwardProgressOption = Annotated[
    str, typer.Option(help="in_order, or documented: only orders of CTAs that the programming model guarantees.")
]
LatencyOption = Annotated[
    str,
    typer.Option(help="back_to_back: fast between other scans, which overlap; isolated: between ordinary kernels."),
]
DeviceOption = Annotated[str | None, typer.Option("--device", help="cuda:0, cuda:1, ... or host.")]


def default_types(device: Device) -> list[str]:
    return ["i32", "f32"] if device.is_host else ["all"]


def default_sizes(device: Device) -> list[int]:
    return parse_sizes(["2^8..2^18" if device.is_host else "2^8..2^30"])


def portfolio_sizes(device: Device) -> list[int]:
    return parse_sizes(["2^6..2^16:2" if device.is_host else "2^6..2^22:2"])


def listed(values: list[str] | None) -> list[str]:
    """Return the values of an option that may be repeated, or hold commas."""
    return list(dict.fromkeys(part.strip() for value in values or [] for part in value.split(",") if part.strip()))
