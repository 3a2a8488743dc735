"""The three problems that families of the gallery are raced on: scans of rows, whole scans, and sums."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from scantune.model.cell import Cell
from scantune.model.device import Hello
from scantune.model.quantity import format_size
from scantune.model.stated_problem import StatedProblem, Types
from scantune.worker.evaluation import Evaluator

BLOCKED, WHOLE, SUMS = "blocked", "whole", "sums"


class Kind(str, Enum):
    """Which items a result of a scan combines."""

    inclusive = "inclusive"
    exclusive = "exclusive"


@dataclass(frozen=True)
class GalleryProblem:
    kind: str
    algorithm: str
    row_items: int = 0  # items of each row; 0: there are no rows
    scan: Kind = Kind.inclusive  # unused for sums
    op: str | None = None  # None: the algorithm's default, sum

    @property
    def has_kind(self) -> bool:
        return self.kind != SUMS

    @property
    def title(self) -> str:
        titles = {BLOCKED: f"Scans of rows of {format_size(self.row_items)}", WHOLE: "Whole scans", SUMS: "Sums"}
        return titles[self.kind]

    def stated(self, hello: Hello, type_: str) -> StatedProblem:
        kind = [("kind", self.scan.value)] if self.scan is Kind.exclusive else []
        segments = [("segments", "rows")] if self.row_items else []
        extents = (("row_items", self.row_items),) if self.row_items else ()
        return StatedProblem(hello.algorithms[self.algorithm], Types.parse(type_), self.op, (*kind, *segments), extents)

    def cell(self, hello: Hello, evaluator: Evaluator, type_: str, n: int) -> Cell:
        """Return the problem at n items. Raises WorkerError where the worker knows it not, or no family solves it."""
        stated = self.stated(hello, type_)
        n = stated.algorithm.whole(dict(stated.extents), n)
        return Cell(evaluator.resolve(stated, n), n)


def gallery_problems(row_items: int, scan: Kind = Kind.inclusive) -> dict[str, GalleryProblem]:
    """Return the problems by their kinds. Of exclusive ones there are scans alone."""
    scans = {BLOCKED: GalleryProblem(BLOCKED, "scan", row_items, scan), WHOLE: GalleryProblem(WHOLE, "scan", 0, scan)}
    return scans if scan is Kind.exclusive else {**scans, SUMS: GalleryProblem(SUMS, "reduce")}
