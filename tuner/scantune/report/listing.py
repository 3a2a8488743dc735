"""Tables for people in which nothing is left out: what does not fit beside the others goes below, or is folded."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.text import Text

_GAP = 2
_INDENT = 2
_LEAST_WIDTH = 12  # columns of a folded cell, however narrow the terminal is


@dataclass(frozen=True)
class Column:
    header: str
    is_text: bool = False  # text is aligned to the left and may be folded, numbers are aligned to the right


@dataclass(frozen=True)
class Row:
    cells: Sequence[str]  # one for each column
    detail: str = ""  # text that is too long for a column; it may have several lines
    begins_section: bool = False


@dataclass(frozen=True)
class Listing:
    """A table that a rich console prints: with the details as a last column where they fit, else each below its row."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    detail: str = ""  # the header of the details
    caption: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        widths = self._widths(options.max_width)
        beside = options.max_width - sum(widths) - _GAP * len(widths)
        longest = max((cell_len(line) for row in self.rows for line in row.detail.splitlines()), default=0)
        is_beside = max(longest, cell_len(self.detail)) <= beside
        yield Text(self.title, style="table.title")
        yield from (Text(line, style="table.header") for line in self._header(widths, is_beside))
        yield Text("─" * min(options.max_width, sum(widths) + _GAP * len(widths) + (longest if is_beside else 0)))
        for row in self.rows:
            yield from map(Text, self._lines(row, widths, is_beside, options.max_width))
        yield from (Text(line, style="table.caption") for line in textwrap.wrap(self.caption, options.max_width))

    def _widths(self, most: int) -> list[int]:
        """Return the widths of the columns: as wide as their cells, unless a text has to make room for the others."""
        cells = [[column.header, *(row.cells[index] for row in self.rows)] for index, column in enumerate(self.columns)]
        widths = [max(map(cell_len, column)) for column in cells]
        for index, column in enumerate(self.columns):
            excess = sum(widths) + _GAP * (len(widths) - 1) - most
            if column.is_text and excess > 0:
                widths[index] = max(min(_LEAST_WIDTH, widths[index]), widths[index] - excess)
        return widths

    def _header(self, widths: Sequence[int], is_beside: bool) -> list[str]:
        headers = Row([column.header for column in self.columns], self.detail if is_beside else "")
        lines = self._lines(headers, widths, is_beside, 0)
        return lines if is_beside or not self.detail else [*lines, " " * _INDENT + self.detail]

    def _lines(self, row: Row, widths: Sequence[int], is_beside: bool, most: int) -> list[str]:
        folded = [folded_text(cell, width) for cell, width in zip(row.cells, widths, strict=True)]
        details = row.detail.splitlines()
        beside = details if is_beside else []
        lines = [""] if row.begins_section else []
        for index in range(max(len(beside), *map(len, folded))):
            cells = [self._aligned(number, _at(cell, index), widths) for number, cell in enumerate(folded)]
            lines.append((" " * _GAP).join([*cells, _at(beside, index)]).rstrip())
        if not is_beside:
            lines += [" " * _INDENT + part for line in details for part in folded_text(line, most - _INDENT)]
        return lines

    def _aligned(self, column: int, cell: str, widths: Sequence[int]) -> str:
        space = " " * (widths[column] - cell_len(cell))
        return cell + space if self.columns[column].is_text else space + cell


def folded_text(text: str, width: int) -> list[str]:
    """Return the lines of a text that is folded at spaces, or within a word that is longer than a line."""
    return textwrap.wrap(text, max(1, width), break_on_hyphens=False) or [""]


def _at(lines: Sequence[str], index: int) -> str:
    return lines[index] if index < len(lines) else ""
