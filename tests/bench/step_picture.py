"""Draws which values a kernel of the gallery combines, step by step, as the diagram of a prefix network.

What is drawn stands in docs/gallery/steps.jsonl, one JSON object a line. A value is a column, that of the item where it
stands, and the step since which it stands there; the items stand there since step 0.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

Value = tuple[int, int]  # column and step

_WIDTH = 720  # pixels, what a page shows without scaling
_LEFT, _RIGHT, _TOP, _ROW = 28, 24, 14, 36
_WIDEST_PITCH = 40  # pixels between columns
_LEGIBLE_PITCH = 20  # below which there is no room for numbers
_DENSE_PITCH = 12  # below which lines and dots are thinner
_INK, _ACCENT = "#808080", "#1f9e76"  # which stand out from white and from black


@dataclass(frozen=True)
class Steps:
    """The operations of a run of a config. The result of one stands at its second column, in a sum at its first."""

    family: str
    config: str
    n: int
    is_sum: bool
    operations: tuple[tuple[Value, Value], ...]

    @property
    def steps(self) -> int:
        return max((step for _, step in map(self.result, self.operations)), default=0)

    def result(self, operation: tuple[Value, Value]) -> Value:
        first, second = operation
        return (first if self.is_sum else second)[0], max(first[1], second[1]) + 1

    def results(self) -> dict[int, int]:
        """Return the columns where results of the whole run stand, with the step since which they do."""
        since = dict.fromkeys(range(self.n), 0)
        for column, step in map(self.result, self.operations):
            since[column] = max(since[column], step)
        return {0: since[0]} if self.is_sum else since


def read(path: Path) -> dict[str, Steps]:
    """Return the steps of each family in a file; none where there is no file."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {one.family: one for one in map(_steps, lines)}


def _steps(line: str) -> Steps:
    told = json.loads(line)
    operations = tuple(((a, since_a), (b, since_b)) for a, since_a, b, since_b in told["operations"])
    return Steps(told["family"], told["config"], told["n"], told["kind"] == "sum", operations)


def picture(steps: Steps) -> str:
    """Return the diagram as SVG on a transparent ground. The same steps give the same text."""
    return _Drawing(steps, _pitch(steps)).text()


def is_legible(steps: Steps) -> bool:
    """Return whether the diagram has room for how often an operation is done."""
    return _pitch(steps) >= _LEGIBLE_PITCH


def _pitch(steps: Steps) -> int:
    return min(_WIDEST_PITCH, (_WIDTH - _LEFT - _RIGHT) // max(1, steps.n - 1))


class _Drawing:
    def __init__(self, steps: Steps, pitch: int) -> None:
        self.steps, self.pitch = steps, pitch
        self.counts = Counter(sorted(steps.operations))  # several threads may do the same
        self.dots = Counter[Value]()
        for operation, count in self.counts.items():
            self.dots[steps.result(operation)] += count
        self.radius = 3 if pitch >= _DENSE_PITCH else 2
        self.bottom = _TOP + _ROW * steps.steps + _ROW // 2
        self.width = _LEFT + pitch * (steps.n - 1) + _RIGHT
        self.height = self.bottom + 12

    def text(self) -> str:
        shown = f"{self.steps.family}: {len(self.steps.operations)} operations in {self.steps.steps} steps"
        radius = self.radius
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img">',
            f"<title>{shown}, {self.steps.n} items</title>",
            f'<g fill="none" stroke="{_INK}" stroke-width="{1 if self.pitch >= _DENSE_PITCH else 0.6}">',
            f'<path opacity=".45" d="{self.ends()}"/>',
            f'<path d="{self.paths()}"/>',
            f'<path d="{"".join(map(self.ring, range(self.steps.n)))}"/>',
            f'<path stroke-linecap="round" stroke-width="{2 * radius}" d="{self.marks()}"/>',
            f'<path stroke="{_ACCENT}" stroke-linecap="round" stroke-width="{2 * radius + 1}" d="{self.points()}"/>',
            "</g>",
            f'<g fill="{_INK}" font-family="sans-serif" font-size="11">',
            *(f'<text x="4" y="{_TOP + _ROW * step + 4}">{step}</text>' for step in range(self.steps.steps + 1)),
            *(self.repeated() if is_legible(self.steps) else ()),
            "</g>",
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def place(self, value: Value) -> tuple[int, int]:
        return _LEFT + self.pitch * value[0], _TOP + _ROW * value[1]

    def ring(self, column: int) -> str:
        x, y = self.place((column, 0))
        radius = self.radius
        return f"M{x - radius} {y}a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0-{2 * radius} 0"

    def paths(self) -> str:
        """Return a line from each value to each result that it is part of."""
        used = ((value, self.steps.result(operation)) for operation in self.counts for value in operation)
        return "".join(self.line(*one) for one in sorted(set(used)))

    def line(self, value: Value, result: Value) -> str:
        (x, y), (to_x, to_y) = self.place(value), self.place(result)
        if value[1] == 0:
            y += self.radius  # behind the ring
        return f"M{x} {y}" + (f"V{to_y}" if x == to_x else f"L{to_x} {to_y}")

    def points(self) -> str:
        return "".join("M{} {}h0".format(*self.place(value)) for value in sorted(self.dots))

    def ends(self) -> str:
        """Return a line down to the bottom from each value that is a result of the whole run."""
        return "".join("M{} {}".format(*self.place(one)) + f"V{self.bottom}" for one in self.steps.results().items())

    def marks(self) -> str:
        return "".join(f"M{self.place((column, 0))[0]} {self.bottom}h0" for column in self.steps.results())

    def repeated(self) -> Iterable[str]:
        """Return how often an operation is done, where that is more than once."""
        for value, count in sorted(self.dots.items()):
            x, y = self.place(value)
            if count > 1:
                yield f'<text x="{x + 5}" y="{y - 3}">×{count}</text>'
