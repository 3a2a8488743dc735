"""The tables that the tutorials print, as `scantune gallery --table` regenerates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scantune.cli.terminal import note
from scantune.compare.gallery_problem import BLOCKED, SUMS, WHOLE, GalleryProblem
from scantune.errors import UsageError
from scantune.model.cell import Cell
from scantune.model.device import Device, Hello
from scantune.model.gallery_race import work_efficiency
from scantune.model.quantity import format_size, parse_sizes
from scantune.model.work import Work
from scantune.worker.evaluation import Evaluator

Counts = Mapping[str, object]  # a row, by the headers of its columns


@dataclass(frozen=True)
class NumberedTable:
    """A table of times, or of counts, which need no device."""

    title: str
    families: tuple[str, ...]
    kind: str  # of the problem
    sizes: str  # as --n takes them
    host_sizes: str
    is_of_counts: bool = False
    is_by_n: bool = False  # one table with a row for each N, in place of a table for each

    def default_sizes(self, device: Device) -> list[int]:
        return parse_sizes([self.host_sizes if device.is_host else self.sizes])


_FEW = "2^4..2^10"
TABLES: tuple[NumberedTable, ...] = (
    NumberedTable(
        "The ladder of blocked scans",
        ("naive_global", "shared_single", "shared_double", "warp_shuffle", "batch", "vector"), BLOCKED, "2^30", "2^16",
    ),
    NumberedTable(
        "Steps and operations of scans in one block, and of three phases",
        ("serial", "kogge_stone", "brent_kung", "hybrid", "scan_then_add", "reduce_then_scan"), WHOLE, _FEW, _FEW,
        is_of_counts=True,
    ),
    NumberedTable(
        "The ladder of sums", ("sum_two_pass", "sum_two_pass_warp", "sum_atomic", "sum_batch", "sum_vector"), SUMS,
        "2^30", "2^16",
    ),
    NumberedTable(
        "Fenwick trees against three phases", ("fenwick", "reduce_then_scan"), WHOLE, "10^2..10^9:10", "10^2..10^5:10",
        is_by_n=True,
    ),
    NumberedTable(
        "Steps and additions of the two scans in one block", ("work_inefficient", "work_efficient"), WHOLE, _FEW, _FEW,
        is_of_counts=True,
    ),
)  # fmt: skip
_ADDITIONS = 4  # the table of these counts has a row for each N


def numbered(number: int) -> NumberedTable:
    """Return the table of a document; raise UsageError if the number is unknown."""
    if not 0 <= number < len(TABLES):
        told = "; ".join(f"{place}: {table.title[0].lower()}{table.title[1:]}" for place, table in enumerate(TABLES))
        raise UsageError(f"--table {number}: there are {told}")
    return TABLES[number]


def counts(
    number: int, hello: Hello, evaluator: Evaluator, problem: GalleryProblem, type_: str, sizes: Sequence[int]
) -> tuple[list[Counts], str]:
    """Return the rows of a table of counts, and its caption."""
    table, works = TABLES[number], dict[int, dict[str, Work]]()
    cells = {n: problem.cell(hello, evaluator, type_, n) for n in sizes}
    for n, cell in cells.items():
        works[n] = _works(cell, evaluator, table.families)
        if lacking := [name for name in table.families if name not in works[n]]:
            note(f"{format_size(n)}: without {', '.join(lacking)}, which has no legal default there")
    if number == _ADDITIONS:
        return [_additions(n, works[n]) for n in sizes], "additions: how often two items are combined."
    rows = [_operations(cells[n], name, works[n].get(name)) for n in sizes for name in table.families]
    return rows, "efficiency: N - 1, the operations of a serial run, over those of this one."


def _works(cell: Cell, evaluator: Evaluator, families: Sequence[str]) -> dict[str, Work]:
    """Return the cost of a run of each family's default; families without one are left out."""
    found = evaluator.space(*cell, configs=False, named=families).families
    defaults = {name: found[name].default for name in families if name in found}
    works = {name: evaluator.work(*cell, default) for name, default in defaults.items() if default}
    return {name: work for name, work in works.items() if work}


def _operations(cell: Cell, name: str, work: Work | None) -> Counts:
    return {
        "N": cell.n, "name": name, "steps": work.steps if work else None,
        "operations": work.operations if work else None, "efficiency": work_efficiency(cell, work),
    }  # fmt: skip


def _additions(n: int, works: Mapping[str, Work]) -> Counts:
    simple, efficient = (works.get(name) for name in TABLES[_ADDITIONS].families)
    log2 = (n - 1).bit_length()
    return {
        "N": n, "work_inefficient steps": simple.steps if simple else None,
        "additions": simple.operations if simple else None, "N log2 N": n * log2,
        "work_efficient steps": efficient.steps if efficient else None,
        "its additions": efficient.operations if efficient else None, "2 N": 2 * n,
    }  # fmt: skip
