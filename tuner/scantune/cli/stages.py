"""The stages of a run that was asked for nothing in particular; the first is worth most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scantune.cli.named_problems import NamedProblems
from scantune.cli.options import default_types, portfolio_sizes
from scantune.model.device import Device
from scantune.model.quantity import parse_sizes


@dataclass(frozen=True)
class Stage:
    name: str  # shown to people; empty for what the user asked for
    named: NamedProblems
    sizes: Sequence[int] | None = None  # None: the default sizes of the device
    is_portfolio: bool = False


def default_stages(device: Device) -> list[Stage]:
    """Return the stages in their order. The host device, which is for tests, has the first alone."""
    sums = Stage("sums", NamedProblems(default_types(device)))
    if device.is_host:
        return [sums]
    return [
        sums,
        Stage("minima and maxima", NamedProblems(["i32", "f32"], ["min", "max"])),
        # Types as wide are served by the records of these.
        Stage("sums of reductions", NamedProblems(["i8", "i32", "i64", "f16", "f32", "f64"], algorithm="reduce")),
        Stage("minima and maxima of reductions", NamedProblems(["i32", "f32"], ["min", "max"], algorithm="reduce")),
        Stage(
            "places of minima and maxima",
            NamedProblems(["i32", "f32"], ["min", "max"], (("position", "first"),), algorithm="reduce"),
        ),
        Stage("widening sums", NamedProblems(["i8:i32", "u8:u32", "i16:i32", "i32:i64", "f16:f32", "bf16:f32"])),
        # At larger sizes it hardly matters what runs before and after a scan.
        Stage(
            "isolated sums", NamedProblems(["all"], options=(("latency", "isolated"),)), parse_sizes(["2^8..2^20:4"])
        ),
        Stage(
            "sums with the same bits on every run",
            NamedProblems(["f16", "bf16", "f32", "f64"], options=(("determinism", "run_to_run"),)),
        ),
        # A few shapes, whose records serve others within an octave, and those nearest to them.
        *(
            Stage(
                f"sums of 2^{exponent} {segments}",
                NamedProblems(
                    ["i8", "f16", "f32", "f64"], options=(("segments", segments), (segments, f"2^{exponent}"))
                ),
                parse_sizes([sizes]),
            )
            for segments, exponent, sizes in (
                ("rows", 10, "2^16..2^28:6"),
                ("columns", 10, "2^16..2^28:6"),
                ("rows", 4, "2^16..2^28:6"),
                ("rows", 18, "2^22..2^28:6"),
                ("columns", 14, "2^22..2^28:6"),
            )
        ),
        Stage("sums between those sizes", sums.named, portfolio_sizes(device), is_portfolio=True),
    ]
