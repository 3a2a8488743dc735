"""Tables for people in which nothing is left out: what does not fit beside the others goes below, or is folded."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
        for part in self._parts(options.max_width):
            yield from part._printed(options)

    def _parts(self, most: int) -> Iterator[Listing]:
        """Yield the table, or parts that fit a narrow terminal: each repeats the columns up to N, or the first one."""
        least = [self._least_width(index) + _GAP for index in range(len(self.columns))]
        keys = next((index for index, column in enumerate(self.columns) if column.header == "N"), 0) + 1
        begin = keys
        while begin < len(self.columns):
            end = begin + 1
            while end < len(self.columns) and sum(least[:keys]) + sum(least[begin : end + 1]) - _GAP <= most:
                end += 1
            yield self._part([*range(keys), *range(begin, end)], begin == keys, end == len(self.columns))
            begin = end
        if len(self.columns) <= keys:
            yield self

    def _part(self, shown: Sequence[int], is_first: bool, is_last: bool) -> Listing:
        rows = [
            replace(row, cells=[row.cells[index] for index in shown], detail=row.detail if is_last else "")
            for row in self.rows
        ]
        return Listing(
            self.title if is_first else "", [self.columns[index] for index in shown], rows,
            self.detail if is_last else "", self.caption if is_last else "",
        )  # fmt: skip

    def _least_width(self, index: int) -> int:
        """Return the width below which a column would break a word, or a number and its unit."""
        cells = [row.cells[index] for row in self.rows]
        words = [word for text in (self.columns[index].header, *cells) for word in text.split()]
        whole = [] if self.columns[index].is_text else cells
        return max(map(cell_len, [*words, *whole]), default=0)

    def _printed(self, options: ConsoleOptions) -> Iterator[Text]:
        widths = self._widths(options.max_width)
        beside = options.max_width - sum(widths) - _GAP * len(widths)
        longest = max((cell_len(line) for row in self.rows for line in row.detail.splitlines()), default=0)
        is_beside = max(longest, cell_len(self.detail)) <= beside
        yield Text(self.title, style="table.title")
        yield from (Text(line, style="table.header") for line in self._header(widths, is_beside))
        yield Text("─" * min(options.max_width, sum(widths) + _GAP * len(widths) + (longest if is_beside else 0)))
        for row in self.rows:
            yield from map(Text, self._lines(row, widths, is_beside, options.max_width))
        yield from (Text(line, style="table.caption") for line in folded_text(self.caption, options.max_width) if line)

    def _widths(self, most: int) -> list[int]:
        """Return the widths of the columns: as wide as their cells, unless one has to make room for the others.

        It makes room between words, and within those of a text where that is not enough.
        """
        cells = [[column.header, *(row.cells[index] for row in self.rows)] for index, column in enumerate(self.columns)]
        widths = [max(map(cell_len, column)) for column in cells]
        whole = [self._least_width(index) for index in range(len(self.columns))]
        broken = [
            min(_LEAST_WIDTH, least) if self.columns[index].is_text else least for index, least in enumerate(whole)
        ]
        for least in (whole, broken):
            while sum(widths) + _GAP * (len(widths) - 1) > most:
                room, widest = max((width - least[index], index) for index, width in enumerate(widths))
                if not room:
                    break
                widths[widest] -= 1
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


def print_lines(console: Console, text: str, style: str = "") -> None:
    """Print text without markup, wrapped between words on a terminal; files and pipes have no line width.

    A word that is longer than a line, such as a path, stays whole, so that it can be copied.
    """
    has_width = console.is_terminal or "COLUMNS" in os.environ
    for line in text.splitlines() or [""]:
        indent = " " * (len(line) - len(line.lstrip()))
        rest = indent + " " * _INDENT
        parts = textwrap.wrap(
            line.strip(), console.width, initial_indent=indent, subsequent_indent=rest, break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip
        for part in parts if has_width and cell_len(line) > console.width else [line]:
            console.print(part, style=style, markup=False, highlight=False, soft_wrap=True)


def _at(lines: Sequence[str], index: int) -> str:
    return lines[index] if index < len(lines) else ""
