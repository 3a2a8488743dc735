"""What came of a race of families that do one problem at one size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scantune.model.cell import Cell
from scantune.model.config import Config, Value
from scantune.model.gallery_rows import DOCUMENTED_CHOICES, DocumentedChoice
from scantune.model.measurement import noise_of
from scantune.model.quantity import format_size
from scantune.model.work import Work

COPY, SELECTED, CUB = "copy", "selected", "CUB"  # what is raced beside families
BY_DEFAULT = " (default)"  # follows the name of a family whose default is raced, too, besides a config that was found


@dataclass(frozen=True)
class Contender:
    """A family with its best known config, or a reference that families race against."""

    name: str
    config: Config | None = None  # None: not one of our kernels
    origin: str = ""  # how the config was found
    median_us: float | None = None
    spread: float | None = None
    probe_only: bool = False  # whether it was timed but once, because it is many times slower than the fastest
    work: Work | None = None
    failure: str = ""  # why it has no time
    standard_error_us: float = 0.0  # of the median

    @property
    def is_family(self) -> bool:
        """Whether it is a family by the best config that is known of it."""
        return self.config is not None and self.name == self.config.family

    def value(self, parameter: str) -> Value | None:
        """Return the value of a parameter; None where the config has no such parameter."""
        return dict(self.config.values).get(parameter) if self.config else None


@dataclass(frozen=True)
class Contradiction:
    """A config with another value than a document says is best, and faster than with that."""

    choice: DocumentedChoice
    found: str  # the value in the faster config
    median_us: float
    documented_us: float  # of the default, which has the document's value


@dataclass(frozen=True)
class GalleryRace:
    group: str  # what the problem is to readers
    cell: Cell
    contenders: Sequence[Contender]
    ceiling_us: float | None  # time of a copy of as many bytes
    refused: Mapping[str, str]  # families that cannot do it, and why
    without_cub: str = ""  # why CUB is not among the contenders, where it is not
    peak: float | None = None  # GB/s that the device's memory moves at most; None: it is not known

    @property
    def n(self) -> int:
        return self.cell.n

    @property
    def is_exclusive(self) -> bool:
        return ("kind", "exclusive") in self.cell.problem.members

    @property
    def title(self) -> str:
        # Without its shape, which says no more than the group, and less exactly.
        problem = replace(self.cell.problem, shape="", extents=())
        return f"{self.group}: {problem}, N = {format_size(self.n)}"

    def gigabytes_per_second(self, one: Contender) -> float | None:
        """Return the bandwidth by the bytes that must be moved."""
        return self.cell.bytes_moved / one.median_us * 1e-3 if one.median_us else None

    def share_of_copy(self, one: Contender) -> float | None:
        return self.ceiling_us / one.median_us if self.ceiling_us and one.median_us else None

    def share_of_peak(self, one: Contender) -> float | None:
        bandwidth = self.gigabytes_per_second(one)
        return bandwidth / self.peak if bandwidth and self.peak else None

    def contradictions(self) -> list[Contradiction]:
        """Return the choices of documents that a faster config departs from, where both were timed in turns."""
        timed = {one.name: one for one in self.contenders if one.config and one.median_us and not one.probe_only}
        found = list[Contradiction]()
        for choice in DOCUMENTED_CHOICES:
            best, default = timed.get(choice.family), timed.get(choice.family + BY_DEFAULT)
            values = [str(one.value(choice.parameter)) for one in (best, default) if one]
            if best and default and values[0] != choice.value == values[1]:
                us, default_us = best.median_us or 0.0, default.median_us or 0.0
                noise = noise_of(us, best.standard_error_us, default_us, default.standard_error_us)
                found += [Contradiction(choice, values[0], us, default_us)] if default_us - us > noise else []
        return found

    def work_efficiency(self, one: Contender) -> float | None:
        return work_efficiency(self.cell, one.work)


def work_efficiency(cell: Cell, work: Work | None) -> float | None:
    """Return the operations of a serial run, one less than items in each row, over those of this one."""
    if work is None or not work.operations:
        return None
    rows = cell.problem.counts(cell.n).get("rows", 1)
    return (cell.n - rows) / work.operations
