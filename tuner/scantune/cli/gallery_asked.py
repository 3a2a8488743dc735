"""What scantune gallery was asked to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scantune.cli.gallery_plot import PictureOutput
from scantune.cli.gallery_tables import NumberedTable, numbered
from scantune.compare import which_when
from scantune.compare.gallery_problem import BLOCKED, SUMS, GalleryProblem, Kind, gallery_problems
from scantune.errors import UsageError
from scantune.model.device import Device
from scantune.model.gallery_rows import named_families
from scantune.model.quantity import parse_duration, parse_sizes

ROW_ITEMS, SEARCH = "2^10", "15s"
_SIZES, _HOST_SIZES = "2^16,2^28", "2^12"


@dataclass(frozen=True)
class Asked:
    """What the command was asked to do."""

    table: int | None
    families: Sequence[str]  # empty: all that answer a row
    sizes: Sequence[int] | None  # None: the default ones
    kind: Kind
    type: str
    row_items: int
    tunes: bool
    picture: PictureOutput
    search_s: float  # for one family at one size
    asks_when: bool = False  # when each of some families is fastest

    @property
    def numbered(self) -> NumberedTable | None:
        return None if self.table is None else numbered(self.table)

    def check(self) -> None:
        """Raise UsageError for options that contradict each other."""
        if not self.tunes and self.search_s != parse_duration(SEARCH):
            raise UsageError("--budget is how long --tune searches: add --tune")
        if self.asks_when and self.table is not None:
            raise UsageError("--when has problems of its own: leave out --table")
        if self.numbered is None:
            return
        if self.numbered.kind != BLOCKED and self.row_items != one_size(ROW_ITEMS):
            raise UsageError(f"--table {self.table} is not of rows: leave out --row-items")
        if self.kind is Kind.exclusive and (self.numbered.kind == SUMS or self.numbered.is_of_counts):
            reason = "counts the steps of inclusive scans" if self.numbered.is_of_counts else "is of sums"
            raise UsageError(f"--table {self.table} {reason}: leave out --kind")
        if self.families:
            raise UsageError(f"--table {self.table} has families of its own: leave out --families")
        if self.numbered.is_of_counts and (self.tunes or self.picture.target):
            option = "--tune" if self.tunes else "--plot"
            raise UsageError(f"--table {self.table} counts and times nothing: leave out {option}")

    def cases(self, device: Device) -> Iterable[tuple[GalleryProblem, int]]:
        """Return the problems with their sizes, in the order in which they are raced."""
        if self.asks_when:
            return which_when.cases(device, self.row_items, self.kind, self.sizes)
        return [(problem, n) for n in self.sizes_for(device) for problem in self.problems()]

    def problems(self) -> list[GalleryProblem]:
        problems = gallery_problems(self.row_items, self.kind)
        return [problems[self.numbered.kind]] if self.numbered else list(problems.values())

    def names(self) -> Sequence[str]:
        if self.numbered:
            return self.numbered.families
        return self.families or (which_when.FAMILIES if self.asks_when else named_families())

    @property
    def is_of_all_races(self) -> bool:
        """Whether one table shows all races, in place of a table for each."""
        return self.asks_when or (self.numbered is not None and self.numbered.is_by_n)

    def sizes_for(self, device: Device) -> Sequence[int]:
        if self.sizes:
            return self.sizes
        if self.numbered:
            return self.numbered.default_sizes(device)
        return parse_sizes([_HOST_SIZES if device.is_host else _SIZES])


def one_size(text: str) -> int:
    sizes = parse_sizes([text])
    if len(sizes) > 1:
        raise UsageError(f"--row-items {text}: takes one size; run once for each")
    return sizes[0]
