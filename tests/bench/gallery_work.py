"""The file of what families of the gallery cost on any machine: operations, steps and bytes of sums of i32 by N."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator
from pathlib import Path

from scantune.model.work import Work
from scantune.worker.client import Worker

SIZES = (16, 256, 1024, 2**20)
ALGORITHMS = ("scan", "reduce")
_HEADS = ("family", "n", "operations", "steps", "bytes")
_TIMEOUT_S = 60.0

WorkOfFamilies = dict[str, dict[int, Work]]


def asked(command: str) -> WorkOfFamilies:
    """Return what a worker says of the families' default configs, for the sizes that each can do."""
    with Worker(shlex.split(command), "host") as worker:
        answers = [one for algorithm in ALGORITHMS for n in SIZES for one in _asked(worker, algorithm, n)]
    found: WorkOfFamilies = {}
    for family, n, work in sorted(answers, key=lambda one: one[:2]):
        found.setdefault(family, {})[n] = work
    return found


def _asked(worker: Worker, algorithm: str, n: int) -> Iterator[tuple[str, int, Work]]:
    """Yield the families that declare their work, which are those of the gallery."""
    request = {"algorithm": algorithm, "input_type": "i32", "n": n}
    space = worker.call("space", {"request": request, "configs": False, "gallery": True}, _TIMEOUT_S)
    for family in space["families"]:
        told = worker.call("validate", {"request": request, "config": family["default"]}, _TIMEOUT_S)
        if work := Work.from_message(told.get("work")):
            yield family["name"], n, work


def read(path: Path) -> WorkOfFamilies:
    found: WorkOfFamilies = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            work = Work(*(int(row[head]) for head in _HEADS[2:]))
            found.setdefault(row["family"], {})[int(row["n"])] = work
    return found


def text_of(families: WorkOfFamilies) -> str:
    """Return the file, which read() reads again."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(_HEADS)
    for family, by_n in families.items():
        writer.writerows((family, n, work.operations, work.steps, work.bytes) for n, work in by_n.items())
    return written.getvalue()
