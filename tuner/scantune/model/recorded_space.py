"""Recorded spaces: the configs of a problem at one N, each with its samples. Searches are replayed on them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from scantune.model.config import Config, is_token
from scantune.model.device import Device
from scantune.model.family_table import FamilyTable, FamilyTables
from scantune.model.problem import Problem
from scantune.model.quantity import MAX_N
from scantune.model.space import Family, Parameter, Space
from scantune.model.trial import Failure

SCHEMA = "scantune-space"
VERSION = 1
_MAX_REASON = 120  # characters of a failure's first line
_MAX_CONFIGS = 1_000_000


@dataclass(frozen=True)
class RecordedConfig:
    """A config with its samples or, if it failed, with its failure."""

    config: Config
    is_listed: bool  # whether the worker lists it; others are a step or two from the fastest
    samples_us: tuple[float, ...] = ()  # corrected for drift
    final_us: tuple[float, ...] = ()  # samples of the final round, where it took part
    failure: Failure | None = None

    @property
    def all_us(self) -> tuple[float, ...]:
        """Every sample, from before the final round and from it."""
        return self.samples_us + self.final_us

    @cached_property
    def true_us(self) -> float:
        """The time that counts for it; infinite for a config that failed."""
        samples = self.final_us or self.samples_us
        return statistics.median(samples) if samples else float("inf")


@dataclass(frozen=True)
class Provenance:
    """The programs that took the numbers, and how they took them."""

    tool_version: str
    compiler_version: str
    driver_version: str
    template_hash: str  # hash of what all kernels are compiled from
    date: str
    commit: str | None = None
    method: Mapping[str, Any] = field(default_factory=dict)  # rounds, min_round_ms and the like


@dataclass(frozen=True)
class RecordedSpace:
    device: Device
    problem: Problem
    n: int
    families: tuple[Family, ...]  # their rows are the listed configs among the recorded ones
    default: Config
    configs: tuple[RecordedConfig, ...]  # the listed ones come first
    left_out: int  # configs that were to be measured, and were not
    ceiling_us: float | None  # time of a copy of as many bytes
    provenance: Provenance

    @classmethod
    def from_message(cls, message: object) -> RecordedSpace:
        """Read the content of a file; raise ValueError if it is invalid."""
        if not isinstance(message, Mapping) or message.get("schema") != SCHEMA:
            raise ValueError("not a recorded space")
        if message.get("version") != VERSION:
            raise ValueError(f"it has version {message.get('version')!r} of the format, this tuner reads {VERSION}")
        try:
            return cls._read(message)
        except (AttributeError, KeyError, TypeError, IndexError, ArithmeticError) as error:
            raise ValueError(f"it is damaged: {error!r}"[:300]) from None

    @classmethod
    def _read(cls, message: Mapping[str, Any]) -> RecordedSpace:
        bare = [_bare_family(one) for one in message["families"]]
        rows, listed = message["configs"], int(message["listed"])
        if len(rows) > _MAX_CONFIGS:
            raise ValueError(f"it has {len(rows)} configs")
        finals = {int(place): _times(samples) for place, samples in message["finalists"]}
        configs = tuple(
            replace(_recorded(bare, row, place < listed), final_us=finals.get(place, ()))
            for place, row in enumerate(rows)
        )
        families = tuple(
            family.with_rows([row[1] for row in rows[:listed] if row[0] == index]) for index, family in enumerate(bare)
        )
        if len({one.config for one in configs}) != len(configs) or not finals.keys() <= set(range(len(rows))):
            raise ValueError("it has a config twice, or finalists that it does not have")
        ceiling = message["ceiling_us"]
        versions = message["measured"]
        return cls(
            Device(**message["device"]), _problem(message["problem"]), _size(message["n"]), families,
            _config(bare, *message["default"]), configs, int(message["left_out"]),
            None if ceiling is None else _times([ceiling])[0],
            Provenance(
                str(message["scantune"]), str(versions["compiler"]), str(versions["driver"]),
                str(versions["template_hash"]), str(versions["date"]), versions["commit"], versions["method"],
            ),
        )  # fmt: skip

    def message(self) -> dict[str, Any]:
        """Return the content of a file, for JSON."""
        places = {family.name: index for index, family in enumerate(self.families)}
        ordered = sorted(self.configs, key=lambda one: not one.is_listed)
        by_time = sorted((one for one in ordered if one.final_us), key=lambda one: one.true_us)
        row_of = {one.config: place for place, one in enumerate(ordered)}
        provenance = self.provenance
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "scantune": provenance.tool_version,
            "device": vars(self.device),
            "problem": {**self.problem.columns, "extents": dict(self.problem.extents)},
            "n": self.n,
            "measured": {
                "date": provenance.date,
                "commit": provenance.commit,
                "compiler": provenance.compiler_version,
                "driver": provenance.driver_version,
                "template_hash": provenance.template_hash,
                "method": dict(provenance.method),
            },
            "families": [_family_message(family) for family in self.families],
            "default": self._place(places, self.default),
            "left_out": self.left_out,
            "ceiling_us": self.ceiling_us and _digits(self.ceiling_us),
            "listed": sum(one.is_listed for one in ordered),
            "configs": [[*self._place(places, one.config), _outcome(one)] for one in ordered],
            "finalists": [[row_of[one.config], list(map(_digits, one.final_us))] for one in by_time],
        }

    @cached_property
    def space(self) -> Space:
        """The families with the listed configs that were tried, as a worker would list them."""
        return Space({family.name: family for family in self.families}, self.default)

    @cached_property
    def space_message(self) -> dict[str, Any]:
        """The protocol's `space`."""
        return {
            "default_config": self.default.message(),
            "families": [
                {
                    **_family_message(family),
                    "default": family.default.message() if family.default else None,
                    "configs": family.indices.tolist(),
                }
                for family in self.families
            ],
        }

    def only_listed(self) -> RecordedSpace:
        """Return the space with its listed configs alone: no measured time decided which those are."""
        return replace(self, configs=tuple(one for one in self.configs if one.is_listed))

    @cached_property
    def tables(self) -> FamilyTables:
        return FamilyTables({family.name: family.table for family in self.families})

    @cached_property
    def by_config(self) -> Mapping[Config, RecordedConfig]:
        return {one.config: one for one in self.configs}

    @cached_property
    def optimum(self) -> RecordedConfig | None:
        """The fastest config of the final round, or of all where there was none; None when nothing works."""
        working = [one for one in self.configs if one.samples_us]
        finalists = [one for one in working if one.final_us]
        return min(finalists or working, key=lambda one: one.true_us, default=None)

    def _place(self, places: Mapping[str, int], config: Config) -> list[Any]:
        index = places[config.family]
        indices = self.families[index].indices_of(config)
        if indices is None:
            raise ValueError(f"{config} has a value that its family does not declare")
        return [index, list(indices)]


def _outcome(recorded: RecordedConfig) -> list[float] | str:
    if recorded.failure is None:
        return list(map(_digits, recorded.samples_us))
    return f"{recorded.failure.status}: {(recorded.failure.reason.splitlines() or [''])[0][:_MAX_REASON]}"


def _digits(time_us: float) -> float:
    return float(f"{time_us:.4g}")


def _family_message(family: Family) -> dict[str, Any]:
    default = family.indices_of(family.default) if family.default else None
    return {
        "name": family.name,
        "template_hash": family.template_hash,
        "default": list(default) if default else None,
        "parameters": [
            {"name": one.name, "role": "primary" if one.is_primary else "secondary", "values": list(one.values)}
            for one in family.parameters
        ],
    }


def _bare_family(message: Mapping[str, Any]) -> Family:
    """Return the family without rows."""
    name = message["name"]
    parameters = tuple(
        Parameter(one["name"], one["role"] == "primary", tuple(one["values"])) for one in message["parameters"]
    )
    for place in range(max(len(one.values) for one in parameters)):  # each value once is legal to name
        Config.from_parameters(name, {one.name: one.values[place % len(one.values)] for one in parameters})
    table = FamilyTable(name, tuple(one.name for one in parameters), {}, {})
    family = Family(name, table, str(message["template_hash"]), parameters, np.empty((0, 0), np.int16), None)
    default = message["default"]
    return family if default is None else replace(family, default=_config([family], 0, default))


def _config(families: Sequence[Family], family: int, indices: Sequence[int]) -> Config:
    chosen = families[family]
    if family < 0 or any(not 0 <= one < len(own.values) for one, own in zip(indices, chosen.parameters, strict=True)):
        raise ValueError(f"it has a config {indices} of {chosen.name}, which declares no such values")
    return chosen.config(indices)


def _recorded(families: Sequence[Family], row: Sequence[Any], is_listed: bool) -> RecordedConfig:
    family, indices, outcome = row
    config = _config(families, family, indices)
    if isinstance(outcome, str):
        status, _, reason = outcome.partition(": ")
        return RecordedConfig(config, is_listed, failure=Failure(status, reason))
    return RecordedConfig(config, is_listed, _times(outcome))


def _size(n: object) -> int:
    if not isinstance(n, int) or not 1 <= n <= MAX_N:
        raise ValueError(f"it is of {n!r} items"[:300])
    return n


def _times(samples: Iterable[float]) -> tuple[float, ...]:
    times = tuple(map(float, samples))
    if not times or not all(0 < time < float("inf") for time in times):
        raise ValueError(f"it has samples of {times!r} µs"[:300])
    return times


def _problem(message: Mapping[str, Any]) -> Problem:
    extents = tuple((name, int(size)) for name, size in message["extents"].items())
    if not all(is_token(name) for name, _ in extents):
        raise ValueError(f"it has extents {extents!r}"[:300])
    return replace(Problem.from_row(message), extents=extents)
