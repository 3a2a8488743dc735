"""The processes of a command: itself, its workers, and the compilers that these start."""

from __future__ import annotations

import contextlib
import enum
import os
import signal
from pathlib import Path


class Victim(enum.Enum):
    group = "process group"
    command = "command"
    worker = "worker"
    compiler = "compiler"


def send(pid: int, victim: Victim, sent: signal.Signals, lot: float) -> Victim:
    """Send the signal to a process of that kind, or to the command where there is none; return which kind it was.

    `lot`, from 0 and below 1, chooses among several.
    """
    if victim is Victim.group:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, sent)
        return victim
    if victim is not Victim.command and (candidates := _descendants(pid, victim)):
        # A compiler may have ended since it was seen.
        with contextlib.suppress(ProcessLookupError):
            os.kill(candidates[int(lot * len(candidates))], sent)
            return victim
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, sent)
    return Victim.command


def of_folder(folder: Path) -> dict[int, str]:
    """Return the living processes, by id, whose TMPDIR is in the folder: they inherit their command's environment."""
    mark = f"TMPDIR={folder}/".encode()
    found = {}
    for pid in _all():
        with contextlib.suppress(OSError):
            if mark in Path(f"/proc/{pid}/environ").read_bytes():
                found[pid] = _name(pid)
    return found


def _descendants(pid: int, victim: Victim) -> list[int]:
    children: dict[int, list[int]] = {}
    for one in _all():
        with contextlib.suppress(OSError, ValueError):
            children.setdefault(_parent(one), []).append(one)
    found, waiting = [], [pid]
    while waiting:
        waiting += (more := children.get(waiting.pop(), []))
        found += more
    return [one for one in found if (_name(one) == "scantune-worker") is (victim is Victim.worker)]


def _all() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent(pid: int) -> int:
    # The name in parentheses may contain anything, so the last one counts.
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _name(pid: int) -> str:
    try:
        first = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return "gone"
    return Path(os.fsdecode(first)).name
