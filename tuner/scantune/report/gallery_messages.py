"""Messages of `scantune gallery --json`."""

from __future__ import annotations

from typing import Any

from scantune.model.algorithm import SIZE
from scantune.model.gallery_race import Contender, Contradiction, GalleryRace
from scantune.model.gallery_rows import GalleryRow
from scantune.report.messages import config_message
from scantune.worker.defaults import Defaults


def row_message(row: GalleryRow) -> dict[str, Any]:
    return {
        "row": row.number, "document": row.document, "what": row.what, "families": list(row.families),
        "command": row.command,
    }  # fmt: skip


def race_message(race: GalleryRace, defaults: Defaults) -> dict[str, Any]:
    extents = {name: size for name, size in race.cell.problem.counts(race.n).items() if name != SIZE}
    return {
        "group": race.group, "problem": race.cell.problem.message(), "extents": extents, "n": race.n,
        "ceiling_us": race.ceiling_us,
        "contenders": [_contender_message(race, one, defaults) for one in race.contenders],
        "left_out": dict(race.refused), "without_cub": race.without_cub or None,
        "contradictions": [_contradiction_message(one) for one in race.contradictions()],
    }  # fmt: skip


def _contradiction_message(one: Contradiction) -> dict[str, Any]:
    return {
        "family": one.choice.family, "row": one.choice.row, "parameter": one.choice.parameter,
        "documented": one.choice.value, "found": one.found, "median_us": one.median_us,
        "documented_us": one.documented_us,
    }  # fmt: skip


def _contender_message(race: GalleryRace, one: Contender, defaults: Defaults) -> dict[str, Any]:
    none = {"config": None, "departures": None}
    config = config_message(*race.cell, one.config, defaults) if one.config else none
    return {
        "name": one.name, **config, "is_default": config["departures"] == {}, "origin": one.origin or None,
        "median_us": one.median_us, "spread": one.spread, "probe_only": one.probe_only,
        "gigabytes_per_second": race.gigabytes_per_second(one), "share_of_copy": race.share_of_copy(one),
        "share_of_peak": race.share_of_peak(one),
        "work": one.work.message() if one.work else None, "work_efficiency": race.work_efficiency(one),
        "failure": one.failure or None,
    }  # fmt: skip
