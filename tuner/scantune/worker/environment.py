"""Faults of the machine, which pass, as opposed to failures of a config, which stay."""

from __future__ import annotations

import math
import re
from pathlib import Path

from scantune.errors import ScantuneError
from scantune.worker.client import WorkerDied, WorkerError

_MEMORY = Path("/proc/meminfo")
_NO_MEMORY = ("out of memory", "out_of_memory", "memory is short")  # of a device, in what drivers say

# What compilers, drivers and the system say when there is no room; no kind of the protocol tells it from a bad config.
_NO_ROOM = (
    "no space left on device",
    "disk quota exceeded",
    "cannot allocate memory",
    "virtual memory exhausted",
    "out of memory",
    "memory is short",
    "too many open files",
    "read-only file system",
    "cannot make a directory",
    "cannot write",
    "could not run",
    # A compiler is killed to get memory back, or because the machine shuts down.
    "killed signal",
    "terminated signal",
    "interrupt signal",
    "bad_alloc",
)


class EnvironmentFault(ScantuneError):
    """The machine cannot do it now: there is no memory, no disk or no compiler. This says nothing about a config."""


class MemoryShort(EnvironmentFault):
    """The device has too little memory for it."""


def memory_left() -> float:
    """Return the bytes of the machine that are not in use; infinity where it does not tell."""
    try:
        found = re.search(r"^MemAvailable: +(\d+) kB$", _MEMORY.read_text(encoding="ascii"), re.MULTILINE)
    except (OSError, ValueError):
        return math.inf
    return int(found[1]) * 1024 if found else math.inf


def check_environment(step: str, error: WorkerError | WorkerDied) -> None:
    """Raise EnvironmentFault if the machine is to blame for what happened in a step."""
    if isinstance(error, WorkerError) and _is_environments(step, error):
        is_short = error.kind == "device_error" and any(words in str(error).lower() for words in _NO_MEMORY)
        raise (MemoryShort if is_short else EnvironmentFault)(f"{step}: {error}") from None


def _is_environments(step: str, error: WorkerError) -> bool:
    if error.kind == "device_error":
        return True
    if step == "compile" and error.kind == "launch_error":
        return True  # nothing was launched: the compiler is missing
    text = str(error).lower()
    return error.kind in ("compile_error", "launch_error", "internal") and any(words in text for words in _NO_ROOM)
