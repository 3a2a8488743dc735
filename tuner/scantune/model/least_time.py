"""Times that no device can have taken, by the bounds in db/least_times.json, which the library reads too."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from scantune import paths
from scantune.model.device import Device
from scantune.model.problem import Problem

_BYTES_PER_US = 1e3  # of one gigabyte per second
_LAUNCH_US = 2.0  # of a small scan on an H200; the host device starts threads, which takes no less
HOST_BYTE_US = 0.025  # of a trial on the host device, by which its searches are planned too


def impossibility(device: Device, problem: Problem, n: int, time_us: float) -> str | None:
    """Return why a run for n items cannot have taken so little; None if it can.

    Without a declaration of the problem's algorithm its bytes are not known, and the launch alone counts.
    """
    bounds = _bounds()
    if time_us < bounds["launch_us"]:
        return f"{time_us:.6g} µs are impossible: an empty launch takes more than {bounds['launch_us']:.6g}"
    bandwidth = _bandwidth(device)
    moved = problem.bytes_moved(n)
    # What L2 holds comes faster than from memory, and a record tells the extents beside n by their classes.
    least_us = bounds["memory_share"] * moved / (bandwidth * _BYTES_PER_US)
    if time_us >= least_us:
        return None
    told = f"no device of {device.arch} moves {moved:.6g} bytes in less than {least_us:.6g}"
    return f"{time_us:.6g} µs are impossible: {told}"


def possible(device: Device, problem: Problem, n: int, name: str, time_us: float) -> float:
    """Return the time of that name; raise ValueError if no device can have taken so little."""
    if reason := impossibility(device, problem, n, time_us):
        raise ValueError(f"{name}: {reason}")
    return time_us


def about_us(device: Device, problem: Problem, n: int) -> float:
    """Return about how long a run takes where nobody has measured one: a launch, and moving its bytes."""
    byte_us = HOST_BYTE_US if device.is_host else 1 / (_bandwidth(device) * _BYTES_PER_US)
    return _LAUNCH_US + byte_us * problem.bytes_moved(n)


def _bandwidth(device: Device) -> float:
    bounds = _bounds()
    others = bounds["memory_gigabytes_per_second_of_others"]
    return float(bounds["memory_gigabytes_per_second"].get(device.arch, others))


@cache
def _bounds() -> dict[str, Any]:
    with (paths.sql_directory() / "least_times.json").open(encoding="utf-8") as file:
        bounds: dict[str, Any] = json.load(file)
    return bounds
