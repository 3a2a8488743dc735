"""What `scantune gallery` measured and counted, as tabulate_gallery.py keeps it in files of results."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import figure_table
import results_file
from results_file import Row

from scantune.model.gallery_race import BY_DEFAULT

TIMES, COUNTS = "h200-gallery", "h200-gallery-counts"
COLUMNS = (
    "table", "group", "n", "rows", "bytes", "name", "family", "config", "is_default", "origin", "median_us", "is_probe",
    "ceiling_us", "steps", "operations", "failure",
)  # fmt: skip
YES, NO = "yes", "no"


@dataclass(frozen=True)
class Contender:
    """What was raced: a family, or what stands beside families."""

    name: str
    family: str  # none: it is none of ours
    config: str  # what departs from the family's default
    is_default: bool
    origin: str  # how the config was found; of CUB its version
    us: float | None
    is_probe: bool  # whether it was timed but once
    failure: str  # why it has no time

    @property
    def is_family(self) -> bool:
        return self.name in (self.family, self.family + BY_DEFAULT) and bool(self.family)

    @property
    def was_searched(self) -> bool:
        """Whether it is the fastest of those configs of its family that a search has tried."""
        return self.origin == "trial"


@dataclass(frozen=True)
class Race:
    """Contenders that did one problem at one size."""

    table: str  # the number of the table that it was raced for; none: the run of all families
    group: str  # what the problem is to readers
    n: int
    bytes: int  # that must be read and written
    copy_us: float | None
    contenders: Sequence[Contender]
    peak: float | None = None  # GB/s that the GPU's memory moves at most, where that was told

    @property
    def families(self) -> list[str]:
        return list(dict.fromkeys(one.family for one in self.contenders if one.is_family))

    def named(self, name: str) -> Contender | None:
        return next((one for one in self.contenders if one.name == name), None)

    def default(self, family: str) -> Contender | None:
        """Return the family's default, which stands by itself only where another config was found."""
        return next((one for one in self._of(family) if one.is_default), None)

    def tuned(self, family: str) -> Contender | None:
        """Return the family's fastest config of a search; None where nobody searched."""
        return next((one for one in self._of(family) if one.name == family and one.was_searched), None)

    def share(self, one: Contender | None) -> float | None:
        """Return the share of the speed of a copy of as many bytes."""
        return self.copy_us / one.us if self.copy_us and one and one.us else None

    def share_of_peak(self, one: Contender) -> float | None:
        bandwidth = self.gigabytes_per_second(one)
        return bandwidth / self.peak if bandwidth and self.peak else None

    def gigabytes_per_second(self, one: Contender) -> float | None:
        return self.bytes / one.us * 1e-3 if one.us else None

    def _of(self, family: str) -> list[Contender]:
        return [one for one in self.contenders if one.is_family and one.family == family]


def are_there() -> bool:
    """Return whether the gallery was measured."""
    return all((results_file.ROOM / f"{name}.csv").exists() for name in (TIMES, COUNTS))


def has_table(table: str) -> bool:
    """Return whether a numbered table was measured or counted."""
    return any(row["table"] == table for name in (TIMES, COUNTS) for row in figure_table.read(name).rows)


def races() -> list[Race]:
    def key(row: Row) -> tuple[str, ...]:
        return row["table"], row["group"], row["n"], row["rows"]

    measured = figure_table.read(TIMES)
    told = measured.facts.get("peak_gigabytes_per_second")
    peak = float(told) if told else None
    return [_race(list(rows), peak) for _, rows in itertools.groupby(measured.rows, key)]


def races_of(table: str) -> list[Race]:
    """Return the races of a numbered table, or of the run of all families. Raises ValueError where there are none."""
    found = [race for race in races() if race.table == table]
    if not found:
        raise ValueError(f"{TIMES}.csv has no race {f'of table {table}' if table else 'of all families'}: "
                         "give tests/bench/tabulate_gallery.py what scantune gallery wrote of it")  # fmt: skip
    return found


def counts_of(table: str) -> list[Row]:
    """Return the rows of a table of counts. Raises ValueError where there are none."""
    found = [row for row in figure_table.read(COUNTS).rows if row["table"] == table]
    if not found:
        raise ValueError(f"{COUNTS}.csv has nothing of table {table}: "
                         "give tests/bench/tabulate_gallery.py what scantune gallery wrote of it")  # fmt: skip
    return found


def of_family(family: str) -> list[Race]:
    """Return the races that a family was in; none before the gallery was measured."""
    is_measured = (results_file.ROOM / f"{TIMES}.csv").exists()
    return [race for race in races() if family in race.families] if is_measured else []


def _race(rows: Sequence[Row], peak: float | None) -> Race:
    first = rows[0]
    copy_us = float(first["ceiling_us"]) if first["ceiling_us"] else None
    contenders = tuple(map(_contender, rows))
    return Race(first["table"], first["group"], int(first["n"]), int(first["bytes"] or 0), copy_us, contenders, peak)


def _contender(row: Row) -> Contender:
    us = float(row["median_us"]) if row["median_us"] else None
    return Contender(
        row["name"], row["family"], row["config"], row["is_default"] == YES, row["origin"], us,
        row["is_probe"] == YES, row["failure"],
    )  # fmt: skip
