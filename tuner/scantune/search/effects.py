"""What the values of parameters gained and cost in other problems: what a surrogate expects before it knows better.

An effect is what a value adds to the log time of a config. Effects are learned from recorded spaces, and those that
come with the tuner are kept in db/effects.json.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from scantune import paths
from scantune.model.config import Value
from scantune.model.recorded_space import RecordedConfig, RecordedSpace
from scantune.model.space import Family

_MOST = 0.5  # log time that a change is taken to cost or gain at most: a worse config is out of the question anyway
_DOUBT = 1.0  # is added to how often a value was seen, so that effects of rare values are drawn towards none
_LEAST_CHANGES = 4  # a parameter with fewer changes has no effects: they would be chance
_DIGITS = 4


@dataclass(frozen=True)
class ParameterEffects:
    effects: Mapping[Value, float]  # log time that each value adds, for the values that were seen
    deviation: float  # standard deviation of measured changes of log time from what the effects say


@dataclass(frozen=True)
class Effects:
    of_parameters: Mapping[tuple[str, str], ParameterEffects] = field(default_factory=dict)  # key: family and name

    @classmethod
    def from_message(cls, message: Iterable[Mapping[str, Any]]) -> Effects:
        """Read the content of a file."""
        return cls(
            {
                (one["family"], one["parameter"]): ParameterEffects(dict(map(tuple, one["effects"])), one["deviation"])
                for one in message
            }
        )

    def message(self) -> list[dict[str, Any]]:
        """Return the content of a file, for JSON."""
        return [
            {
                "family": family,
                "parameter": name,
                "deviation": round(one.deviation, _DIGITS),
                "effects": [[value, round(effect, _DIGITS)] for value, effect in one.effects.items()],
            }
            for (family, name), one in self.of_parameters.items()
        ]

    def find(self, family: str, parameter: str) -> ParameterEffects | None:
        return self.of_parameters.get((family, parameter))


@cache
def shipped_effects() -> Effects:
    """Return the effects that come with the tuner."""
    with (paths.sql_directory() / "effects.json").open(encoding="utf-8") as file:
        return Effects.from_message(json.load(file))


def learned_from(spaces: Iterable[RecordedSpace]) -> Effects:
    """Return what changes of one value did to each family's default and to its fastest config, over all spaces."""
    changes: dict[tuple[str, str], list[_Change]] = defaultdict(list)
    for space in spaces:
        for family in space.families:
            for name, change in _changes(space, family):
                changes[family.name, name].append(change)
    return Effects({key: _fitted(of) for key, of in sorted(changes.items()) if len(of) >= _LEAST_CHANGES})


@dataclass(frozen=True)
class _Change:
    before: Value
    after: Value
    log_ratio: float


def _changes(space: RecordedSpace, family: Family) -> Iterator[tuple[str, _Change]]:
    working = [one for one in space.configs if one.config.family == family.name and one.samples_us]
    fastest = min(working, key=lambda one: one.true_us, default=None)
    default = space.by_config.get(family.default) if family.default else None
    for centre in dict.fromkeys((default, fastest)):
        if centre and centre.samples_us:
            yield from _changes_of(centre, space, family)


def _changes_of(centre: RecordedConfig, space: RecordedSpace, family: Family) -> Iterator[tuple[str, _Change]]:
    values = dict(centre.config.values)
    for parameter in family.parameters:
        before = values[parameter.name]
        for after in parameter.values:
            changed = space.by_config.get(family.table.config({**values, parameter.name: after}))
            if after != before and changed and changed.samples_us:
                log_ratio = math.log(changed.true_us / centre.true_us)
                yield parameter.name, _Change(before, after, max(-_MOST, min(_MOST, log_ratio)))


def _fitted(changes: Sequence[_Change]) -> ParameterEffects:
    """Return the effects that explain the changes best, by least squares."""
    values = list(dict.fromkeys(value for one in changes for value in (one.before, one.after)))
    design = np.array([[(one.after == value) - (one.before == value) for value in values] for one in changes], float)
    log_ratios = np.array([one.log_ratio for one in changes])
    effects = np.linalg.solve(design.T @ design + _DOUBT * np.eye(len(values)), design.T @ log_ratios)
    deviation = float(np.sqrt(np.mean((log_ratios - design @ effects) ** 2)))
    return ParameterEffects(dict(zip(values, map(float, effects), strict=True)), deviation)
