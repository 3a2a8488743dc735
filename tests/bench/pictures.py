#!/usr/bin/env python3
"""Draws the figures that cub_bench has written as JSON: bandwidth against N, and speed-up by type and N.

    python tests/bench/pictures.py build/cub_bench.json --out docs/pictures

Needs matplotlib: pip install 'scantune[bench]'.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("svg")
import matplotlib.pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

_TYPES = ("i8", "u8", "i16", "u16", "f16", "bf16", "i32", "u32", "f32", "i64", "u64", "f64")
_PANELS = ("i8", "i16", "i32", "i64")  # of the picture of bandwidths: one for each size of items
_COLOURS = {"scantune": "#0b6e4f", "faster CUB": "#c8553d", "copy": "#8a8a8a"}


@dataclass(frozen=True)
class Cell:
    """One inclusive sum of a power of two of items, into their own type."""

    type: str
    exponent: int
    gigabytes_per_second: dict[str, float]  # by the names in _COLOURS
    speedup: float


def cells(figures: Mapping[str, Any], condition: str) -> list[Cell]:
    """Return what can be drawn. Raises ValueError if nothing can."""
    found = [_cell(result, condition) for result in figures["results"] if _is_drawn(result, condition)]
    if not found:
        raise ValueError(f"no inclusive sums of a power of two of items were measured {condition}")
    return found


def _is_drawn(result: Mapping[str, Any], condition: str) -> bool:
    n = result["n"]
    is_usual = (result["op"], result["kind"], result["output_type"]) == ("sum", "inclusive", result["type"])
    return is_usual and n & (n - 1) == 0 and condition in result["cub_over_scantune"]


def _cell(result: Mapping[str, Any], condition: str) -> Cell:
    times: dict[str, list[float]] = {"scantune": [], "cub": [], "copy": []}
    for contender in result["contenders"]:
        if contender["role"] in times and condition in contender:
            times[contender["role"]].append(contender[condition]["us"])
    names = {"scantune": "scantune", "cub": "faster CUB", "copy": "copy"}
    bandwidths = {names[role]: result["bytes_moved"] / min(us) * 1e-3 for role, us in times.items() if us}
    return Cell(result["type"], result["n"].bit_length() - 1, bandwidths, result["cub_over_scantune"][condition])


def draw_bandwidths(drawn: Sequence[Cell], heading: str) -> Figure:
    """Draw one panel for each size of items: scantune, the faster CUB, and the ceiling that a copy sets."""
    types = [name for name in _PANELS if any(cell.type == name for cell in drawn)]
    if not types:
        raise ValueError(f"none of {', '.join(_PANELS)} was measured")
    figure, panels = plt.subplots(1, len(types), figsize=(2.9 * len(types), 3.1), sharey=True, squeeze=False)
    for panel, name in zip(panels[0], types, strict=True):
        _draw_panel(panel, sorted((cell for cell in drawn if cell.type == name), key=lambda cell: cell.exponent))
    panels[0][0].set_ylabel("TB/s, read and written")
    handles = _legend_handles(panels[0])
    figure.legend(
        handles.values(), handles.keys(), loc="lower center", ncols=len(handles), frameon=False,
        bbox_to_anchor=(0.5, -0.06),
    )  # fmt: skip
    figure.suptitle(heading, fontsize=9, x=0.01, ha="left")
    figure.tight_layout()
    return figure


def _legend_handles(panels: Sequence[Axes]) -> dict[str, Artist]:
    """Return each name's line, of whichever panel has one."""
    found: dict[str, Artist] = {}
    for panel in panels:
        found.update({label: handle for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)})
    return {name: found[name] for name in _COLOURS if name in found}


def _draw_panel(panel: Axes, drawn: Sequence[Cell]) -> None:
    for name, colour in _COLOURS.items():
        points = [
            (cell.exponent, cell.gigabytes_per_second[name] * 1e-3)
            for cell in drawn
            if name in cell.gigabytes_per_second
        ]
        style: dict[str, Any] = (
            {"linestyle": "--", "linewidth": 1.2} if name == "copy" else {"marker": "o", "markersize": 3}
        )
        if points:
            panel.plot(*zip(*points, strict=True), color=colour, label=name, **style)
    panel.set_title(f"{drawn[0].type} sum", fontsize=10)
    exponents = [cell.exponent for cell in drawn]
    panel.set_xticks(exponents[:: max(1, len(exponents) // 6)])
    panel.xaxis.set_major_formatter(lambda value, _: f"$2^{{{value:.0f}}}$")
    panel.set_xlabel("N")
    panel.set_ylim(bottom=0)
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="y", linewidth=0.4, alpha=0.5)


def draw_speedups(drawn: Sequence[Cell], heading: str) -> Figure:
    """Draw a table of types and sizes, in which colour and number tell the faster CUB's time over scantune's."""
    types = [name for name in _TYPES if any(cell.type == name for cell in drawn)]
    exponents = sorted({cell.exponent for cell in drawn})
    speedups = {(cell.type, cell.exponent): cell.speedup for cell in drawn}
    rows = [[speedups.get((name, exponent), float("nan")) for exponent in exponents] for name in types]
    figure, axes = plt.subplots(figsize=(1.6 + 0.62 * len(exponents), 1.1 + 0.32 * len(types)))
    axes.imshow(np.log2(rows), cmap="BrBG", norm=TwoSlopeNorm(0, vmin=-1, vmax=2), aspect="auto")
    for (name, exponent), speedup in speedups.items():
        shade = "white" if speedup > 2.2 or speedup < 0.6 else "black"
        place = (exponents.index(exponent), types.index(name))
        axes.text(*place, f"{speedup:.2f}", ha="center", va="center", fontsize=8, color=shade)
    axes.set_xticks(range(len(exponents)), [f"$2^{{{exponent}}}$" for exponent in exponents])
    axes.set_yticks(range(len(types)), types)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(f"{heading}\ntime of the faster CUB / time of scantune, inclusive sum", fontsize=9, loc="left")
    figure.tight_layout()
    return figure


def heading_of(figures: Mapping[str, Any], condition: str) -> str:
    commit = f", commit {figures['commit']}" if figures["commit"] else ""
    how = condition.replace("_", " ")
    return f"{figures['gpu']}, {' and '.join(figures['cub'])}, {how}, {figures['date'][:10]}{commit}"


def save(figure: Figure, path: Path) -> None:
    """Write an SVG that is the same for the same figures."""
    with mpl.rc_context({"svg.hashsalt": path.name}):
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("figures", type=Path, help="what cub_bench --json has written")
    parser.add_argument("--out", type=Path, default=Path("docs/pictures"), help="the folder of the pictures")
    parser.add_argument("--condition", default="cold", help="cold, hot, cold_isolated or hot_isolated")
    options = parser.parse_args(arguments)
    figures = json.loads(options.figures.read_text(encoding="utf-8"))
    drawn, heading = cells(figures, options.condition), heading_of(figures, options.condition)
    options.out.mkdir(parents=True, exist_ok=True)
    save(draw_bandwidths(drawn, heading), options.out / "bandwidth.svg")
    save(draw_speedups(drawn, heading), options.out / "speedup.svg")


if __name__ == "__main__":
    main()
