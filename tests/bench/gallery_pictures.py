"""Draws the tables of `scantune gallery --table`: bars of bandwidth, and lines of times and counts by N.

figures.py writes the pictures, each in colours for a light and for a dark page. Needs matplotlib.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import figure_table
import gallery_results
import matplotlib.pyplot as plt
import pictures
import results_file
from gallery_results import COUNTS, TIMES, Contender, Race
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from pictures import PAGES, WIDTH_IN, Colours
from results_file import Row

_BAR_IN, _HEAD_IN = 0.2, 0.7
_BESIDE = "#8c959f"  # bars of what stands beside families
_MARKS = "osD^v*"


@dataclass(frozen=True)
class Series:
    """A line by N. Those of one family have one colour."""

    label: str
    points: Mapping[int, float]
    colour: str
    mark: str = ""  # none: what stands beside families
    is_dashed: bool = False


def draw_all(out: Path) -> None:
    """Write the picture of each table, with the digest of what it is drawn from. Nothing before there are results."""
    if not gallery_results.are_there():
        return
    out.mkdir(parents=True, exist_ok=True)
    told = pictures.digest(sources())
    for ending, colours in PAGES.items():
        with pictures.styled(colours):
            for name in _drawn():
                pictures.save(_DRAWN[name](colours), out / f"{name}{ending}.svg", told)


def paths(folder: Path) -> list[Path]:
    """Return the paths of the pictures; none before there are results."""
    return [folder / f"{name}{ending}.svg" for name in _drawn() for ending in PAGES]


def _drawn() -> list[str]:
    """Return the names of the pictures of what was measured or counted."""
    if not gallery_results.are_there():
        return []
    return [name for name in _DRAWN if gallery_results.has_table(name.removeprefix("table-"))]


def sources() -> list[Path]:
    """Return what the pictures are drawn from, and by."""
    results = [results_file.ROOM / f"{name}.csv" for name in (TIMES, COUNTS)]
    return [*results, Path(__file__), Path(gallery_results.__file__), Path(figure_table.__file__)]


def out_of_date(folder: Path) -> list[Path]:
    return [path for path in paths(folder) if not pictures.is_drawn_from(path, sources())]


# Bars.


def draw_ladder(table: str, colours: Colours) -> Figure:
    """Draw a panel for each race, with a bar for each contender that was timed."""
    timed = [(race, [one for one in race.contenders if one.us]) for race in gallery_results.races_of(table)]
    heights = [_HEAD_IN + _BAR_IN * len(contenders) for _, contenders in timed]
    figure, panels = plt.subplots(len(timed), 1, figsize=(WIDTH_IN, sum(heights)), squeeze=False, layout="constrained",
                                  height_ratios=heights)  # fmt: skip
    for panel, (race, contenders) in zip(panels[:, 0], timed, strict=True):
        _draw_bars(panel, race, contenders, colours)
    _head(figure, TIMES)
    return figure


def _draw_bars(panel: Axes, race: Race, contenders: Sequence[Contender], colours: Colours) -> None:
    places = range(len(contenders))
    lengths = [race.gigabytes_per_second(one) or 0.0 for one in contenders]
    bars = panel.barh(places, lengths, color=[_colour(one, colours) for one in contenders])
    panel.bar_label(bars, [_told(race, one) for one in contenders], fontsize=7, padding=2)
    panel.set_yticks(places, [one.name for one in contenders])
    panel.invert_yaxis()
    panel.margins(x=0.2, y=0.02)  # room for the numbers
    panel.set_xlabel("GB/s, and share of a copy's speed")
    panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.set_title(_raised(f"{race.group}, N = {figure_table.size(race.n)}"), fontsize=8, loc="left")
    panel.spines[["top", "right"]].set_visible(False)


def _told(race: Race, one: Contender) -> str:
    share = race.share(one)
    return f"{race.gigabytes_per_second(one):,.0f}" + (f", {100 * share:.0f} %" if share else "")


def _colour(one: Contender, colours: Colours) -> tuple[str, float]:
    """Return a colour and how much of it there is: less in the defaults of families that have another config."""
    if not one.is_family:
        return colours.lines.get(one.name, _BESIDE), 1.0
    return colours.lines["scantune"], 1.0 if one.name == one.family else 0.5


# Lines.


def draw_times(colours: Colours) -> Figure:
    """Draw times of all that was raced for the table by N."""
    figure, panels = plt.subplots(1, 1, figsize=(WIDTH_IN, 3.6), squeeze=False, layout="constrained")
    _draw_lines(panels[0][0], lines_of_times(gallery_results.races_of("3"), colours), "µs", 10)
    panels[0][0].legend(fontsize=7, frameon=False)
    _head(figure, TIMES)
    return figure


def lines_of_times(races: Sequence[Race], colours: Colours) -> list[Series]:
    """Return a line of what stands beside families, and two of each family that was searched."""
    names = list(dict.fromkeys(one.name for race in races for one in race.contenders if not one.is_family))
    families = list(dict.fromkeys(family for race in races for family in race.families))
    drawn = [_beside(races, name, colours) for name in names]
    for place, family in enumerate(families):
        drawn += _of_family(races, family, *_look(place, colours.further))
    return drawn


def _beside(races: Sequence[Race], name: str, colours: Colours) -> Series:
    lines = {"selected": colours.lines["scantune"], **colours.lines}
    return Series(name, _points(races, lambda race: race.named(name)), lines.get(name, colours.ink))


def _of_family(races: Sequence[Race], family: str, colour: str, mark: str) -> Iterable[Series]:
    by_default = _points(races, lambda race: race.default(family))
    yield Series(f"{family} by default", by_default, colour, mark, is_dashed=True)
    if tuned := _points(races, lambda race: race.tuned(family)):
        yield Series(f"{family} tuned", tuned, colour, mark)


def _look(place: int, palette: Sequence[str]) -> tuple[str, str]:
    """Return the colour and the mark of a line."""
    return palette[place % len(palette)], _MARKS[place % len(_MARKS)]


def _points(races: Iterable[Race], chosen: Callable[[Race], Contender | None]) -> dict[int, float]:
    found = {race.n: chosen(race) for race in races}
    return {n: one.us for n, one in found.items() if one and one.us}


def draw_counts(colours: Colours) -> Figure:
    """Draw steps and operations of each family."""
    rows = gallery_results.counts_of("1")
    names = list(dict.fromkeys(row["name"] for row in rows))
    steps, operations = (
        [
            Series(name, _column([row for row in rows if row["name"] == name], what), *_look(place, colours.palette))
            for place, name in enumerate(names)
        ]
        for what in ("steps", "operations")
    )
    return _draw_counted(steps, operations)


def draw_additions(colours: Colours) -> Figure:
    """Draw steps and additions of both scans, beside what the literature says of additions."""
    rows = gallery_results.counts_of("4")
    (first, mark), (second, other) = (_look(place, colours.palette) for place in range(2))
    steps = [
        Series("work_inefficient", _column(rows, "work_inefficient steps"), first, mark),
        Series("work_efficient", _column(rows, "work_efficient steps"), second, other),
    ]
    additions = [
        Series("work_inefficient", _column(rows, "additions"), first, mark),
        Series("N log2 N", _column(rows, "N log2 N"), first, is_dashed=True),
        Series("work_efficient", _column(rows, "its additions"), second, other),
        Series("2 N", _column(rows, "2 N"), second, is_dashed=True),
    ]
    return _draw_counted(steps, additions)


def _column(rows: Iterable[Row], name: str) -> dict[int, float]:
    return {int(row["N"]): float(row[name]) for row in rows if row[name]}


def _draw_counted(steps: Sequence[Series], operations: Sequence[Series]) -> Figure:
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH_IN, 3.2), layout="constrained")
    _draw_lines(panels[0], steps, "steps", 2)
    panels[0].set_yscale("log", base=2)  # there are too few steps for powers of ten
    panels[0].yaxis.set_major_formatter("{x:,.0f}")
    _draw_lines(panels[1], operations, "operations", 2)
    lines = {str(line.get_label()): line for panel in panels for line in panel.lines}
    figure.legend(lines.values(), lines, loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    _head(figure, COUNTS)
    return figure


def _draw_lines(panel: Axes, drawn: Sequence[Series], unit: str, base: int) -> None:
    """Draw lines on logarithmic scales, of which that of N has powers of the base."""
    for one in drawn:
        style = "--" if one.is_dashed else "-" if one.mark else ":"
        panel.plot(list(one.points), list(one.points.values()), style, marker=one.mark or None, markersize=3.5,
                   linewidth=1.2, color=one.colour, label=one.label)  # fmt: skip
    panel.set_xscale("log", base=base)
    panel.set_yscale("log")
    panel.yaxis.set_major_formatter("{x:,.10g}")
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.set_xlabel("N")
    panel.set_title(unit, fontsize=8, loc="left")
    panel.spines[["top", "right"]].set_visible(False)


def _head(figure: Figure, name: str) -> None:
    figure.suptitle(figure_table.read(name).provenance, fontsize=8, x=0.01, ha="left")


def _raised(text: str) -> str:
    """Return a text with its powers as matplotlib sets them."""
    return re.sub(r"(\d+)\^(\d+)", r"$\1^{\2}$", text)


_DRAWN: dict[str, Callable[[Colours], Figure]] = {
    "table-0": lambda colours: draw_ladder("0", colours),
    "table-1": draw_counts,
    "table-2": lambda colours: draw_ladder("2", colours),
    "table-3": draw_times,
    "table-4": draw_additions,
}
