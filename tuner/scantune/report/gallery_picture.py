"""The picture of races: bars of each family's time and of its share of a copy's speed. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from scantune.model.gallery_race import COPY, CUB, SELECTED, Contender, GalleryRace
from scantune.model.quantity import three_digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDINGS = (".svg", ".png")

_INK, _BAR, _BESIDE = "#1f2328", "#0b6e4f", "#8c959f"
_FAR = 30  # times are so far apart that only a logarithmic scale shows the least of them
_WIDTH_IN, _BAR_IN, _HEAD_IN = 7.5, 0.22, 0.75


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def draw(races: Sequence[GalleryRace], heading: str, target: Path) -> None:
    """Write a picture with a row of two panels for each race in which something was timed, one at least.

    Raises OSError where the file cannot be written.
    """
    from matplotlib.figure import Figure

    timed = [(race, [one for one in race.contenders if one.median_us]) for race in races]
    timed = [(race, contenders) for race, contenders in timed if contenders]
    heights = [_HEAD_IN + _BAR_IN * len(contenders) for _, contenders in timed]
    figure = Figure(figsize=(_WIDTH_IN, sum(heights) + 0.3), layout="constrained")
    panels = figure.subplots(len(timed), 2, squeeze=False, sharey="row", height_ratios=heights)
    for (race, contenders), (times, shares) in zip(timed, panels, strict=True):
        _draw_bars(times, contenders, [one.median_us or 0.0 for one in contenders], "µs")
        least, most = (choose(one.median_us or 0.0 for one in contenders) for choose in (min, max))
        if most > _FAR * least:
            times.set_xscale("log")
            times.set_xlim(least / 2, most * 4)
        times.set_yticks(range(len(contenders)), [one.name for one in contenders])
        times.invert_yaxis()
        times.set_title(race.title, loc="left", fontsize=8)
        percents = [100 * (race.share_of_copy(one) or 0.0) for one in contenders]
        _draw_bars(shares, contenders, percents, "% of a copy's speed")
    figure.suptitle(heading, fontsize=8, x=0.01, ha="left", color=_INK)
    figure.savefig(target, dpi=200)


def _draw_bars(panel: Axes, contenders: Sequence[Contender], lengths: Sequence[float], unit: str) -> None:
    bars = panel.barh(range(len(contenders)), lengths, color=[_colour(one) for one in contenders])
    panel.bar_label(bars, labels=[three_digits(one) if one else "" for one in lengths], fontsize=7, padding=2)
    panel.margins(x=0.15)  # room for the numbers
    panel.set_xlabel(unit, fontsize=8)
    panel.tick_params(labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)


def _colour(one: Contender) -> str:
    return _BESIDE if one.name in (COPY, SELECTED, CUB) else _BAR
