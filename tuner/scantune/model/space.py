"""The valid configs of one problem and N, as the worker declares them; nothing of them is repeated here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from scantune.model.config import Config, Value, is_token
from scantune.model.family_table import FamilyTable, FamilyTables

Indices = tuple[int, ...]

_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Parameter:
    name: str
    is_primary: bool
    values: tuple[Value, ...]

    @cached_property
    def is_ordered(self) -> bool:
        """Whether values are numbers, whose neighbours behave alike; tokens have no order."""
        return all(isinstance(value, int) for value in self.values)

    def nearest_index(self, value: Value) -> int | None:
        """Return the index of the value, or of the nearest number to it; None for an unknown token."""
        if value in self.values:
            return self.values.index(value)
        if not self.is_ordered or not isinstance(value, int):
            return None
        return min(range(len(self.values)), key=lambda index: abs(int(self.values[index]) - value))

    def neighbours(self, value: Value) -> list[Value]:
        """Return the values one step away: the numbers just below and above, or every other token."""
        if not self.is_ordered or not isinstance(value, int):
            return [other for other in self.values if other != value]
        numbers = sorted(int(other) for other in self.values)
        below = [other for other in numbers if other < value][-1:]
        above = [other for other in numbers if other > value][:1]
        return [*below, *above]


@dataclass(frozen=True)
class Family:
    name: str
    table: FamilyTable
    template_hash: str  # of what its kernels for the problem are compiled from
    parameters: tuple[Parameter, ...]
    indices: npt.NDArray[np.int16]  # one row per searched config: the index of each parameter's value
    default: Config | None

    def with_rows(self, rows: list[Indices]) -> Family:
        """Return the family with other searched configs. Raises ValueError for an index without a value."""
        return replace(self, indices=_rows(self.name, rows, [len(parameter.values) for parameter in self.parameters]))

    def __len__(self) -> int:
        return len(self.indices)

    def config(self, row: Sequence[int]) -> Config:
        """Return the config of one row of indices."""
        pairs = zip(self.parameters, row, strict=True)
        return self.table.config({parameter.name: parameter.values[index] for parameter, index in pairs})

    def nearest_indices(self, config: Config) -> Indices | None:
        """Return where the config lies among the declared values; None if it is not of this family's table."""
        known = self.table.complete(config)
        if known is None:
            return None
        values = dict(known.values)
        indices = [parameter.nearest_index(values[parameter.name]) for parameter in self.parameters]
        return None if None in indices else tuple(index for index in indices if index is not None)

    def distances(self, indices: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return how far each searched config is: steps over the length for numbers, 1 for another token."""
        target = np.asarray(indices)
        ordered = np.array([parameter.is_ordered for parameter in self.parameters])
        lengths = np.array([max(1, len(parameter.values) - 1) for parameter in self.parameters])
        weights = np.array([1.0 if parameter.is_primary else 0.5 for parameter in self.parameters])
        steps = np.abs(self.indices - target)
        return np.asarray(np.where(ordered, steps / lengths, steps != 0) @ weights, dtype=np.float64)

    def indices_of(self, config: Config) -> Indices | None:
        """Return where the config lies if every value of it is a declared one."""
        indices = self.nearest_indices(config)
        return indices if indices and self.config(indices) == config else None

    def lists(self, config: Config) -> bool:
        """Return whether the config is one of the searched ones."""
        indices = self.indices_of(config)
        return indices is not None and bool((self.indices == np.asarray(indices)).all(axis=1).any())

    def neighbours(self, config: Config) -> list[Config]:
        """Return the configs that differ in one parameter by one step, legal or not; primary parameters first."""
        values = dict(config.values)
        ordered = sorted(self.parameters, key=lambda parameter: not parameter.is_primary)
        return [
            self.table.config({**values, parameter.name: other})
            for parameter in ordered
            for other in parameter.neighbours(values[parameter.name])
        ]


@dataclass(frozen=True)
class Space:
    families: Mapping[str, Family]
    default: Config

    @classmethod
    def from_message(cls, message: Mapping[str, Any], tables: FamilyTables) -> Space:
        """Read the protocol's `space`; raise ValueError if it is none."""
        families = message.get("families")
        if not isinstance(families, list) or not families:
            raise ValueError("the worker's space has no families")
        parsed = [_family(family, tables) for family in families]
        default = tables.complete(Config.from_message(message.get("default_config")))
        return cls({family.name: family for family in parsed}, default)

    def __len__(self) -> int:
        return sum(len(family) for family in self.families.values())

    @property
    def defaults(self) -> list[Config]:
        """The default first, then the default of every family."""
        of_families = [family.default for family in self.families.values() if family.default]
        return list(dict.fromkeys([self.default, *of_families]))

    def known(self, config: Config) -> Config | None:
        """Return the config with all parameters of its family, in order; None if no family has these."""
        family = self.families.get(config.family)
        return None if family is None else family.table.complete(config)

    def lists(self, config: Config) -> bool:
        """Return whether the config is one of the searched ones."""
        return config.family in self.families and self.families[config.family].lists(config)

    @cached_property
    def searched(self) -> Collection[Config]:
        """Every searched config, in the order of the worker. Making them takes time: lists() asks for one."""
        return dict.fromkeys(family.config(row) for family in self.families.values() for row in family.indices.tolist())

    def departures(self, config: Config) -> dict[str, Value]:
        """Return the parameters in which a config differs from its family's default; all of them without one."""
        family = self.families.get(config.family)
        default = dict(family.default.values) if family is not None and family.default else {}
        values = (self.known(config) or config).values
        return {name: value for name, value in values if default.get(name) != value}


def _family(message: Mapping[str, Any], tables: FamilyTables) -> Family:
    name, template_hash = message.get("name"), message.get("template_hash")
    if not isinstance(name, str) or not is_token(name):
        raise ValueError(f"the worker's space has a family named {name!r}")
    if not isinstance(template_hash, str) or not _HASH.fullmatch(template_hash):
        raise ValueError(f"the worker's space has a template hash of {name} that is {template_hash!r}"[:300])
    parameters = tuple(_parameter(name, parameter) for parameter in message.get("parameters", ()))
    table = tables.get(name)
    if table is None or table.names != tuple(parameter.name for parameter in parameters):
        raise ValueError(f"the worker's space has another table of {name} than its hello")
    rows = _rows(name, message.get("configs"), [len(parameter.values) for parameter in parameters])
    default = message.get("default")
    return Family(
        name, table, template_hash, parameters, rows, tables.complete(Config.from_message(default)) if default else None
    )  # fmt: skip


def _parameter(family: str, message: Mapping[str, Any]) -> Parameter:
    name, values = message.get("name"), message.get("values")
    if not isinstance(name, str) or not isinstance(values, list) or not values:
        raise ValueError(f"the worker's space has a bad parameter of {family}: {message!r}")
    checked = Config.from_parameters(family, {name: values[0]})
    for value in values[1:]:
        checked = Config.from_parameters(family, {name: value})
    return Parameter(checked.values[0][0], message.get("role") == "primary", tuple(values))


def _rows(family: str, configs: object, lengths: Iterable[int]) -> npt.NDArray[np.int16]:
    lengths = np.array(list(lengths))
    if not isinstance(configs, list):
        raise ValueError(f"the worker's space lists no configs of {family}")
    try:
        rows = np.array(configs, dtype=np.int16).reshape(len(configs), len(lengths))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"the worker's configs of {family} are not rows of {len(lengths)} indices") from None
    if rows.size and ((rows < 0).any() or (rows >= lengths).any()):
        raise ValueError(f"the worker's configs of {family} hold an index without a value")
    return rows


def departures(config: Config, space: Space | None) -> dict[str, Value]:
    """Return what departs from the family's default, or without a space every value."""
    return dict(config.values) if space is None else space.departures(config)


def config_text(config: Config, space: Space | None) -> str:
    """Return the family and its departures, for people."""
    values = " ".join(f"{name}={value}" for name, value in departures(config, space).items())
    return f"{config.family} {values or 'default'}"
