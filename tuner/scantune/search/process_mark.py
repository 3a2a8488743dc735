"""Marks of processes, by which a later one of the same machine knows that one is gone."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_PROC = Path("/proc")


def mark_of(number: int) -> list[str | int] | None:
    """Return the mark of a process: machine, number, start. None where the system does not tell them."""
    machine, start = _machine(), _start_of(number)
    return None if machine is None or start is None else [machine, number, start]


def is_gone(mark: object) -> bool:
    """Return whether a mark, which anyone may have written, is that of a process of this machine that has ended."""
    match mark:
        case [str(machine), int(number), int(start)]:
            return machine == _machine() and _start_of(number) != start
    return False


@cache
def _machine() -> str | None:
    """Return an identity of the machine or container: process numbers are unique within one only."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{os.uname().nodename} {boot} {(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return None


def _start_of(number: int) -> int | None:
    """Return when a process began, in ticks since the machine did; None if it has ended."""
    try:
        # The program's name comes first, in parentheses, and may contain parentheses itself.
        state, *fields = (_PROC / str(number) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        return None if state in "ZX" else int(fields[18])
    except (OSError, ValueError, IndexError):
        return None
