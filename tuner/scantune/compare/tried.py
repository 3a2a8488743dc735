"""The runner-up of a selected config among what was tried at the record's own N."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scantune.errors import ScantuneError
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.problem import Problem
from scantune.model.record import templates_of
from scantune.model.space import Space
from scantune.model.trial import Trial
from scantune.store.archive import Archive
from scantune.store.database import open_readonly
from scantune.worker.selection import Selection


@dataclass(frozen=True)
class Tried:
    """The fastest other config of the trials. Times are those of the search, and of no common round."""

    config: Config
    median_us: float
    selected_us: float | None  # the time of the selected config as a trial; None where it was none
    measured: int  # how many trials were measured


def tried_next(selection: Selection, space: Space | None) -> Tried | None:
    """Return the fastest other trial beside the record, with the kernels of now; None where none is known.

    Records that come with the library, and those that were carried as text, have no trials.
    """
    record = selection.record
    if record is None or space is None or not Path(record["database"]).is_file():
        return None
    try:
        trials = _trials(record, space.with_gallery([selection.config.family]))
    except (ScantuneError, ValueError):
        return None
    times = {trial.config: trial.measurement.median_us for trial in trials if trial.measurement}
    others = [config for config in times if config != selection.config]
    if not others:
        return None
    best = min(others, key=lambda config: times[config])
    return Tried(best, times[best], times.get(selection.config), len(times))


def _trials(record: Mapping[str, Any], space: Space) -> list[Trial]:
    """Return what was tried where the record was tuned. Raises ScantuneError or ValueError where it cannot be read."""
    problem, n = Problem.from_row(record), record["n"]
    hashes = {family.name: family.template_hash for family in space.families.values()}
    with open_readonly(Path(record["database"]), foreign=record["layer"] != "user") as database:
        found = Archive(database).trials(Device(**record["device"]))
    return [
        replace(trial, config=known)
        for cell, kernel_hash, trial in found
        if (cell.problem.columns, cell.n) == (problem.columns, n)
        and templates_of(kernel_hash) == hashes.get(trial.config.family)
        and (known := space.known(trial.config))
    ]
