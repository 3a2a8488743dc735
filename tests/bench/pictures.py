#!/usr/bin/env python3
"""Draws files of results: the speed-up by type and N, and both scans' share of a copy's speed against N.

    python tests/bench/pictures.py build/cub_bench.csv --out docs/pictures

Several files make one picture. Each picture comes in colours for a light and for a dark page. Needs matplotlib:
pip install 'scantune[plots]'.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import results_file

mpl.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

_TYPES = ("i8", "i16", "f16", "i32", "f32", "i64", "f64")  # unsigned ones and bf16 differ little from these
_PANELS = ("i8", "i16", "i32", "i64")  # one for each size of items
_LEAST, _MOST = 0.5, 4.0  # speed-ups with the strongest colours
WIDTH_IN = 6.25  # inches, the width of a page of 600 pixels


@dataclass(frozen=True)
class Colours:
    """The colours of one kind of page. The map goes from where scantune is slower over 1.0 to where it is faster."""

    ink: str
    page: str
    map: str
    lines: Mapping[str, str]
    further: Sequence[str]  # of lines beside these two

    @property
    def palette(self) -> Sequence[str]:
        return (*self.lines.values(), *self.further)


LIGHT = Colours(
    "#1f2328", "#ffffff", "BrBG", {"scantune": "#0b6e4f", "CUB": "#c8553d"},
    ("#1f6feb", "#9a6700", "#8250df", "#bf3989"),
)  # fmt: skip
DARK = Colours(
    "#e6edf3", "#0d1117", "BrBG", {"scantune": "#4cc38a", "CUB": "#ff9e80"},
    ("#79c0ff", "#e3b341", "#d2a8ff", "#ff9bce"),
)  # fmt: skip
PAGES = {"": LIGHT, "-dark": DARK}


@dataclass(frozen=True)
class Cell:
    """An inclusive sum of a power of two of items into their own type. Shares are of the speed of a copy."""

    type: str
    exponent: int
    speedup: float  # the faster CUB's time over scantune's
    shares: Mapping[str, float]


def cells(results: results_file.Results, condition: str) -> list[Cell]:
    """Return what can be drawn. Raises ValueError if nothing can."""
    found = [_cell(row) for row in results.rows if _is_drawn(row, condition)]
    if not found:
        raise ValueError(f"no inclusive sums of a power of two of items were measured {condition}")
    return found


def _is_drawn(row: results_file.Row, condition: str) -> bool:
    n = int(row["n"])
    is_usual = (row["op"], row["kind"], row["output"], row["condition"]) == (
        "sum",
        "inclusive",
        row["input"],
        condition,
    )
    return is_usual and n & (n - 1) == 0 and bool(row["cub_us"])


def _cell(row: results_file.Row) -> Cell:
    own_us, cub_us = float(row["scantune_us"]), float(row["cub_us"])
    copy_us = float(row["copy_us"]) if row["copy_us"] else None
    shares = {"scantune": copy_us / own_us, "CUB": copy_us / cub_us} if copy_us else {}
    return Cell(row["input"], int(row["n"]).bit_length() - 1, cub_us / own_us, shares)


def draw_speedups(drawn: Sequence[Cell], heading: str, colours: Colours) -> Figure:
    """Draw a table of types and sizes, in which colour and number tell the faster CUB's time over scantune's."""
    types = [name for name in _TYPES if any(cell.type == name for cell in drawn)]
    exponents = sorted({cell.exponent for cell in drawn})
    shown = {(cell.type, cell.exponent): cell.speedup for cell in drawn if cell.type in types}
    rows = [[shown.get((name, exponent), float("nan")) for exponent in exponents] for name in types]
    figure, axes = plt.subplots(figsize=(WIDTH_IN, 1.45 + 0.3 * len(types)), layout="constrained")
    norm = TwoSlopeNorm(0, vmin=np.log2(_LEAST), vmax=np.log2(_MOST))
    image = axes.imshow(np.log2(rows), cmap=colours.map, norm=norm, aspect="auto")
    for (name, exponent), speedup in shown.items():
        place = (exponents.index(exponent), types.index(name))
        ink = readable_on(image.cmap(norm(np.clip(np.log2(speedup), norm.vmin, norm.vmax))))
        axes.text(*place, f"{speedup:.2f}", ha="center", va="center", fontsize=8, color=ink)
    axes.set_xticks(range(len(exponents)), [f"$2^{{{exponent}}}$" for exponent in exponents])
    axes.set_yticks(range(len(types)), types)
    axes.set_xlabel("N, the number of items", fontsize=8)
    axes.set_ylabel("type of the items", fontsize=8)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(f"Times as fast as the faster CUB: inclusive sums of N items\n{heading}", fontsize=8, loc="left")
    bar = figure.colorbar(image, ax=axes, fraction=0.025, pad=0.01)
    marks = [_LEAST, 1.0, 2.0, _MOST]
    bar.set_ticks(np.log2(marks).tolist(), labels=[f"{mark:g}" for mark in marks], fontsize=8)
    bar.ax.axhline(0, color="black", linewidth=1.5)  # where both take as long
    bar.set_label("CUB's time / scantune's", fontsize=8)
    bar.outline.set_visible(False)
    return figure


def readable_on(colour: Sequence[float]) -> str:
    """Return black or white, whichever contrasts more with a colour of red, green and blue from 0 to 1."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "white"


def draw_shares(drawn: Sequence[Cell], heading: str, colours: Colours) -> Figure:
    """Draw one panel for each size of items: which share of a copy's speed scantune and the faster CUB reach."""
    types = [name for name in _PANELS if any(cell.type == name and cell.shares for cell in drawn)]
    if not types:
        raise ValueError(f"none of {', '.join(_PANELS)} was measured beside a copy")
    size = (WIDTH_IN, 2.6)
    figure, panels = plt.subplots(1, len(types), figsize=size, sharey=True, squeeze=False, layout="constrained")
    for panel, name in zip(panels[0], types, strict=True):
        of_type = sorted((one for one in drawn if one.type == name and one.shares), key=lambda one: one.exponent)
        _draw_panel(panel, of_type, colours)
    panels[0][0].set_ylabel("share of a copy's speed", fontsize=8)
    figure.supxlabel("N, the number of items", fontsize=8)
    panels[0][-1].legend(fontsize=7, frameon=False, loc="lower right")
    figure.suptitle(heading, fontsize=8, x=0.01, ha="left")
    return figure


def _draw_panel(panel: Axes, drawn: Sequence[Cell], colours: Colours) -> None:
    exponents = [cell.exponent for cell in drawn]
    for name, colour in colours.lines.items():
        panel.plot(exponents, [cell.shares[name] for cell in drawn], "o-", markersize=2.5, linewidth=1.2, color=colour,
                   label=name)  # fmt: skip
    panel.set_title(f"{drawn[0].type} sum", fontsize=8)
    panel.set_xticks(exponents[:: max(1, len(exponents) // 4)])
    panel.xaxis.set_major_formatter(lambda value, _: f"$2^{{{value:.0f}}}$")
    panel.axhline(1, color=colours.ink, linewidth=0.6, linestyle="--")
    panel.set_ylim(0, 1.35)
    panel.tick_params(labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)


def draw_all(sources: Sequence[Path], condition: str, out: Path) -> None:
    """Write every picture of the files, each with the digest of what it is drawn from."""
    results = [results_file.read(source) for source in sources]
    drawn = [cell for one in results for cell in cells(one, condition)]
    heading = "; ".join(dict.fromkeys(one.provenance for one in results))
    out.mkdir(parents=True, exist_ok=True)
    for ending, colours in PAGES.items():
        with styled(colours):
            save(draw_speedups(drawn, _broken(heading), colours), out / f"speedup{ending}.svg", digest(sources))
            save(draw_shares(drawn, _broken(heading), colours), out / f"bandwidth{ending}.svg", digest(sources))


def styled(colours: Colours) -> AbstractContextManager[None]:
    """Return a context in which matplotlib draws for a kind of page."""
    names = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    grounds = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")
    settings: dict[Any, Any] = {**dict.fromkeys(names, colours.ink), **dict.fromkeys(grounds, colours.page)}
    return mpl.rc_context({**settings, "svg.fonttype": "none", "font.size": 8})


def _broken(heading: str) -> str:
    """Return a caption with a line for each source of what is drawn."""
    return heading.replace("; ", "\n")


def digest(sources: Sequence[Path]) -> str:
    """Return a digest of the files and of the code here. Sources of other pictures have the code that draws them."""
    programs = [Path(__file__), Path(results_file.__file__)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in [*sources, *programs])).hexdigest()


def paths(folder: Path) -> list[Path]:
    """Return the paths of the pictures."""
    return [folder / f"{name}{ending}.svg" for name in ("speedup", "bandwidth") for ending in PAGES]


def is_drawn_from(path: Path, sources: Sequence[Path]) -> bool:
    """Return whether a picture is there, is drawn from the files as they are, and was not changed since."""
    if not path.exists():
        return False
    text = path.read_text(encoding="utf-8")
    told = f"{digest(sources)} {_digest_of(_UNTOLD.sub(_NOTHING, text))}"
    return told in text


_NOTHING = "0" * 64
_UNTOLD = re.compile(r"(?<=[0-9a-f]{64} )[0-9a-f]{64}")  # the picture's own digest, behind that of its sources


def _digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def save(figure: Figure, path: Path, told: str) -> None:
    """Write an SVG that is the same for the same figures, with the digest of what it is drawn from and its own."""
    with mpl.rc_context({"svg.hashsalt": path.name}):
        figure.savefig(path, metadata={"Date": None, "Description": f"{told} {_NOTHING}"})
    plt.close(figure)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"{told} {_NOTHING}", f"{told} {_digest_of(text)}"), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sources", nargs="+", type=Path, help="files of results, as tabulate.py writes them")
    parser.add_argument("--out", type=Path, default=Path("docs/pictures"), help="the folder of the pictures")
    parser.add_argument("--condition", default="cold", help="cold, hot, cold_isolated or hot_isolated")
    options = parser.parse_args(arguments)
    draw_all(options.sources, options.condition, options.out)


if __name__ == "__main__":
    main()
