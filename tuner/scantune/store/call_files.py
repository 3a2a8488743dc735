"""Files of recorded calls, which programs append to while they run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scantune.errors import UsageError
from scantune.input_files import opened
from scantune.model.algorithms import Algorithms
from scantune.model.called import Called
from scantune.model.cell import Cell
from scantune.model.device import Device

_MOST_LINE = 2**16  # bytes; the library writes none longer


@dataclass
class CallFiles:
    """What files of recorded calls say."""

    called: list[Called] = field(default_factory=list)  # what takes longest in all first
    unread: list[str] = field(default_factory=list)  # lines that cannot be read, and why

    @classmethod
    def read(cls, paths: Iterable[Path], algorithms: Algorithms) -> CallFiles:
        """Add up the calls of all files. Raises UsageError if a file cannot be read."""
        files, added = cls(), dict[tuple[Device, Cell], Called]()
        for path in paths:
            for number, line in _lines(path):
                try:
                    one = Called.from_line(json.loads(line), algorithms)
                except (ValueError, RecursionError) as error:
                    files.unread.append(f"{path}, line {number}: {error}")
                    continue
                added[one.key] = added[one.key].with_later(one) if one.key in added else one
        files.called = sorted(added.values(), key=lambda one: -one.total_us)
        return files


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not empty, and their numbers. A line that is too long comes in parts, which no reader
    takes for one.
    """
    try:
        with opened(path) as file:
            number = 0
            while line := file.readline(_MOST_LINE):
                number += 1
                if line.strip():
                    yield number, line
    except OSError as error:
        raise UsageError(
            f"--from {path}: it cannot be read ({error.strerror}); name what SCANTUNE_RECORD names"
        ) from None
