"""The rows of five published tutorials on scans and sums, with the families and the command that answer each.

Rows about applications of scans, such as sorting, are left out. docs/gallery/index.md shows the same table.
"""

from __future__ import annotations

from dataclasses import dataclass

EVERY = "every family"  # stands for the names where a row is about all of them


@dataclass(frozen=True)
class GalleryRow:
    number: str  # document and, after the point, row
    what: str
    families: tuple[str, ...]  # none: every family
    command: str

    @property
    def document(self) -> str:
        return DOCUMENTS[int(self.number.partition(".")[0])]

    @property
    def names(self) -> str:
        return ", ".join(self.families) or EVERY


@dataclass(frozen=True)
class DocumentedChoice:
    """What a document says is best; the family's default has it."""

    family: str
    parameter: str
    value: str
    row: str

    def __str__(self) -> str:
        return f"{self.parameter}={self.value}"


# Those that what was measured contradicts.
DOCUMENTED_CHOICES = (DocumentedChoice("fenwick", "kernels", "two", "3.3"),)

DOCUMENTS = ("Blocked scan ladder", "The scan chapter", "Vector-sum ladder", "Fenwick trees", "Step by step")

_GALLERY = "scantune gallery --families"
_AFFINE = "scantune tune --operator docs/examples/affine.cu --name affine --type custom8 --alignment 4 --n 2^20"
_RACES = "scantune gallery --races --device host"


def _shown(number: str, what: str, *families: str) -> GalleryRow:
    """Return a row whose families are raced beside what is selected."""
    return GalleryRow(number, what, families, f"{_GALLERY} {','.join(families)}")


ROWS: tuple[GalleryRow, ...] = (
    GalleryRow("0.1", "A scan of every block as an operation: rows", ("scan_rows",),
               "scantune bench --segments rows --row-items 2^10 --type i32 --n 2^20"),
    _shown("0.2", "Hillis and Steele's scan in global memory", "naive_global"),
    GalleryRow("0.3", "A reference on the CPU, against which results are held", (), "scantune gallery"),
    _shown("0.4", "One buffer in shared memory and two barriers a step", "shared_single"),
    _shown("0.5", "Two buffers and one barrier a step", "shared_double"),
    _shown("0.6", "Shuffles within warps, then over the totals of warps", "warp_shuffle"),
    _shown("0.7", "Several items for each thread", "batch"),
    _shown("0.8", "Vector loads", "vector"),
    GalleryRow("0.9", "Tuning of threads and items", ("batch", "vector"), f"{_GALLERY} batch,vector --tune"),
    GalleryRow("0.10", "The table of the ladder: bandwidth and share of the copy",
               ("naive_global", "shared_single", "shared_double", "warp_shuffle", "batch", "vector"),
               "scantune gallery --table 0"),
    GalleryRow("1.1", "Inclusive scans", (), "scantune gallery"),
    GalleryRow("1.2", "Exclusive scans, from an initial value", ("lookback",),
               f"{_GALLERY} lookback --kind exclusive"),
    GalleryRow("1.3", "From inclusive to exclusive and back", ("converted", "work_efficient"),
               f"{_GALLERY} converted,work_efficient --kind exclusive"),
    _shown("1.4", "The serial scan", "serial"),
    _shown("1.5", "Kogge and Stone's scan in one block", "kogge_stone"),
    GalleryRow("1.6", "The race of one buffer, and two ways out of it", ("shared_single", "shared_double"),
               _RACES),
    _shown("1.7", "Brent and Kung's scan in one block", "brent_kung"),
    GalleryRow("1.8", "Steps and operations by N", ("kogge_stone", "brent_kung", "hybrid", "serial"),
               "scantune gallery --table 1"),
    GalleryRow("1.9", "Which of them when", ("kogge_stone", "brent_kung", "hybrid"),
               "scantune gallery --when"),
    _shown("1.10", "Brent and Kung's scan with Kogge and Stone's at the top", "hybrid"),
    _shown("1.11", "Three phases: scan, scan the totals, add", "scan_then_add"),
    _shown("1.12", "The same for totals that no block holds, level by level", "scan_then_add", "reduce_then_scan",
           "three_phase"),
    _shown("1.13", "One pass, where every block waits for the one before it, or adds all earlier sums", "chained",
           "one_shot"),
    _shown("1.14", "Decoupled look-back", "lookback"),
    GalleryRow("1.15", "Work efficiency: serial, Kogge and Stone, Brent and Kung, three phases",
               ("serial", "kogge_stone", "brent_kung", "scan_then_add", "reduce_then_scan"),
               "scantune gallery --table 1"),
    GalleryRow("1.20", "Horner's rule, as an operator of one's own", ("lookback",),
               _AFFINE),
    GalleryRow("1.23", "CUB beside all that, where cub_bench is built", ("fenwick", "reduce_then_scan"),
               "scantune gallery --table 3"),
    GalleryRow("1.24", "The problems of CUB's four entry points", (), "make bench"),
    GalleryRow("1.25", "Other operators", ("lookback",), "scantune bench --op max --type i32 --n 2^20"),
    _shown("2.1", "A tree in every block, and a second launch for the totals", "sum_two_pass"),
    _shown("2.2", "The last steps within a warp", "sum_two_pass_warp"),
    GalleryRow("2.3", "Races, looked for by schedules that are drawn", ("sum_two_pass", "sum_two_pass_warp"), _RACES),
    _shown("2.4", "One pass, and an atomic addition a block", "sum_atomic"),
    _shown("2.5", "Several items for each thread", "sum_batch"),
    _shown("2.6", "Vector loads", "sum_vector"),
    GalleryRow("2.7", "CUB's reduction, where cub_bench is built", ("sum_vector",), "scantune gallery --table 2"),
    GalleryRow("2.8", "Whether the last rung beats it", ("sum_vector",), "scantune gallery --table 2"),
    GalleryRow("2.9", "The table of the ladder",
               ("sum_two_pass", "sum_two_pass_warp", "sum_atomic", "sum_batch", "sum_vector"),
               "scantune gallery --table 2"),
    _shown("3.1", "Building the tree, a launch for several levels", "fenwick"),
    _shown("3.2", "A prefix by a query of the tree", "fenwick"),
    GalleryRow("3.3", "Two kernels against three", ("fenwick",),
               "scantune bench --compare fenwick:kernels=two fenwick:kernels=three --type i32 --n 2^20"),
    GalleryRow("3.4", "Shuffles in the build", ("fenwick",),
               "scantune bench --compare fenwick:shuffles=0 fenwick:shuffles=1 --type i32 --n 2^20"),
    _shown("3.5", "The additions of the queries: N log N", "fenwick"),
    _shown("3.6", "Reduce, then scan", "reduce_then_scan", "three_phase"),
    GalleryRow("3.7", "CUB beside them, where cub_bench is built", ("fenwick", "reduce_then_scan"),
               "scantune gallery --table 3"),
    GalleryRow("3.8", "The table from 10^2 to 10^9 items", ("fenwick", "reduce_then_scan"),
               "scantune gallery --table 3"),
    GalleryRow("3.9", "Whether both are as fast, and how far from the fastest", ("fenwick", "reduce_then_scan"),
               "scantune gallery --table 3"),
    _shown("3.10", "One kernel and one pass", "lookback", "one_shot", "pipelined"),
    _shown("4.1", "A thread for each result, which reads all before it", "quadratic"),
    _shown("4.2", "What that costs: N^2 reads", "quadratic"),
    _shown("4.3", "Kogge and Stone's scan in one block", "work_inefficient", "single_block"),
    _shown("4.4", "Up the tree", "work_efficient"),
    _shown("4.5", "Down the tree, with two items for each thread", "work_efficient"),
    GalleryRow("4.6", "From exclusive to inclusive and back", ("converted", "work_efficient"),
               f"{_GALLERY} converted,work_efficient --kind inclusive"),
    _shown("4.7", "How many items one block holds", "work_inefficient", "work_efficient", "single_block"),
    GalleryRow("4.8", "Any associative operator", ("lookback",),
               _AFFINE),
    GalleryRow("4.9", "Steps of both by N", ("work_inefficient", "work_efficient"), "scantune gallery --table 4"),
    GalleryRow("4.10", "Additions of both, N log N against 2 N", ("work_inefficient", "work_efficient"),
               "scantune gallery --table 4"),
)  # fmt: skip


def named_families() -> list[str]:
    """Return every family that answers a row, in the order of the rows."""
    return list(dict.fromkeys(family for row in ROWS for family in row.families))
