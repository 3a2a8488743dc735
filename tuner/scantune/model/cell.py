"""A cell of the grid that a run is to cover: one problem at one size."""

from __future__ import annotations

from typing import NamedTuple

from scantune.model.problem import Problem
from scantune.model.quantity import format_size


class Cell(NamedTuple):
    problem: Problem
    n: int

    @property
    def bytes_moved(self) -> int:
        return self.problem.bytes_moved(self.n)

    def __str__(self) -> str:
        return f"{self.problem}, N = {format_size(self.n)}"
