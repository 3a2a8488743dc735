"""The valid configs of one problem and N, as the worker declares them; no value or constraint is repeated here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scantune.model.config import Config, Value, is_token
from scantune.model.family_table import FamilyTable, FamilyTables, Standing

if TYPE_CHECKING:  # numpy takes a fifth of a start, and many commands read no space
    import numpy as np
    import numpy.typing as npt

Indices = tuple[int, ...]

_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Parameter:
    name: str
    is_primary: bool
    values: tuple[Value, ...]

    @cached_property
    def is_ordered(self) -> bool:
        """Whether values are numbers, which behave like their neighbours; tokens have no order."""
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
    template_hash: str  # hash of what its kernels for the problem are compiled from
    parameters: tuple[Parameter, ...]
    indices: npt.NDArray[np.int16]  # one row per searched config: the index of each parameter's value
    default: Config | None
    fixed: frozenset[tuple[str, Value]] = frozenset()  # names and values that every config has; rows may be illegal

    def fixed_to(self, values: Mapping[str, Value]) -> Family:
        """Return the family in which each of these parameters has one value, whether it is a declared one or not.

        Its rows are those of this one with these values, its default likewise; the worker knows which are legal.
        Raises KeyError where the family lacks a parameter.
        """
        import numpy as np

        places = {parameter.name: place for place, parameter in enumerate(self.parameters)}
        rows = self.indices.copy()
        rows[:, [places[name] for name in values]] = 0
        parameters = [
            replace(one, values=(values[one.name],)) if one.name in values else one for one in self.parameters
        ]
        default = self.table.config({**dict(self.default.values), **values}) if self.default else None
        _, firsts = np.unique(rows, axis=0, return_index=True)
        return replace(
            self, parameters=tuple(parameters), indices=rows[np.sort(firsts)], default=default,
            fixed=self.fixed | values.items(),
        )  # fmt: skip

    def with_rows(self, rows: list[Indices]) -> Family:
        """Return the family with other searched configs. Raises ValueError for an index without a value."""
        return replace(self, indices=_rows(self.name, rows, [len(parameter.values) for parameter in self.parameters]))

    def __len__(self) -> int:
        return len(self.indices)

    def config(self, row: Sequence[int]) -> Config:
        """Return the config of one row of indices."""
        pairs = zip(self.parameters, row, strict=True)
        return self.table.config({parameter.name: parameter.values[index] for parameter, index in pairs})

    def known(self, config: Config) -> Config | None:
        """Return the config with all parameters, in order; None if it is not of this table or departs from `fixed`."""
        known = self.table.complete(config)
        return known if known and self.fixed <= set(known.values) else None

    def nearest_indices(self, config: Config) -> Indices | None:
        """Return the config's indices in the declared values; None if it is not of this family."""
        known = self.known(config)
        if known is None:
            return None
        values = dict(known.values)
        indices = [parameter.nearest_index(values[parameter.name]) for parameter in self.parameters]
        return None if None in indices else tuple(index for index in indices if index is not None)

    def distances(self, indices: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return how far each searched config is, as an array of shape (configs,).

        A number counts by its share of the steps from the first to the last value, another token counts 1. Secondary
        parameters count half.
        """
        import numpy as np

        target = np.asarray(indices)
        ordered = np.array([parameter.is_ordered for parameter in self.parameters])
        lengths = np.array([max(1, len(parameter.values) - 1) for parameter in self.parameters])
        weights = np.array([1.0 if parameter.is_primary else 0.5 for parameter in self.parameters])
        steps = np.abs(self.indices - target)
        return np.asarray(np.where(ordered, steps / lengths, steps != 0) @ weights, dtype=np.float64)

    def indices_of(self, config: Config) -> Indices | None:
        """Return the indices of the config's values; None if one of them is not declared."""
        indices = self.nearest_indices(config)
        return indices if indices and self.config(indices) == config else None

    def lists(self, config: Config) -> bool:
        """Return whether the config is one of the searched ones, which are legal."""
        indices = None if self.fixed else self.indices_of(config)
        return indices is not None and bool((self.indices == indices).all(axis=1).any())

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
    refused: Mapping[str, str] = field(default_factory=dict)  # families that do not support the request, and why
    n_step: int = 1  # what every N of a program is a multiple of

    @classmethod
    def from_message(cls, message: Mapping[str, Any], tables: FamilyTables) -> Space:
        """Read the protocol's `space`; raise ValueError if it is invalid."""
        families = message.get("families")
        if not isinstance(families, list) or not families:
            raise ValueError("the worker's space has no families")
        parsed = [_family(family, tables) for family in families]
        default = tables.complete(Config.from_message(message.get("default_config")))
        n_step = message.get("n_step", 1)
        if type(n_step) is not int or n_step < 1:
            raise ValueError(f"n_step is {n_step!r}")
        return cls({one.name: one for one in parsed}, default, _refused(message.get("refused", {})), n_step)

    def with_gallery(self, named: Collection[str]) -> Space:
        """Return the families of the library, and of the gallery those that are named."""
        kept = {
            name: family
            for name, family in self.families.items()
            if family.table.standing is Standing.library or name in named
        }
        return replace(self, families=kept)

    def __len__(self) -> int:
        return sum(len(family) for family in self.families.values())

    @property
    def defaults(self) -> list[Config]:
        """The default first if it is one of these, then the default of every family."""
        of_families = [family.default for family in self.families.values() if family.default]
        first = [self.default] if self.known(self.default) else []
        return list(dict.fromkeys([*first, *of_families]))

    def known(self, config: Config) -> Config | None:
        """Return the config with all parameters of its family, in order; None if no family has it."""
        family = self.families.get(config.family)
        return None if family is None else family.known(config)

    def lists(self, config: Config) -> bool:
        """Return whether the config is one of the searched ones, which are legal."""
        return config.family in self.families and self.families[config.family].lists(config)

    @cached_property
    def searched(self) -> Collection[Config]:
        """Every searched config, in the order of the worker. Making them takes time; for one, lists() is quick."""
        return dict.fromkeys(family.config(row) for family in self.families.values() for row in family.indices.tolist())

    def departures(self, config: Config) -> dict[str, Value]:
        """Return the parameters in which a config differs from its family's default; all of them without one."""
        family = self.families.get(config.family)
        default = dict(family.default.values) if family is not None and family.default else {}
        values = (self.known(config) or config).values
        return {name: value for name, value in values if default.get(name) != value}


def _refused(message: object) -> Mapping[str, str]:
    if not isinstance(message, dict) or not all(isinstance(reason, str) for reason in message.values()):
        raise ValueError(f"the worker's reasons for refusing families are {message!r}"[:300])
    return message


def _family(message: Mapping[str, Any], tables: FamilyTables) -> Family:
    name, template_hash = message.get("name"), message.get("template_hash")
    if not isinstance(name, str) or not is_token(name):
        raise ValueError(f"the worker's space has a family named {name!r}")
    if not isinstance(template_hash, str) or not _HASH.fullmatch(template_hash):
        raise ValueError(f"the worker's space has a template hash of {name} that is {template_hash!r}"[:300])
    parameters = tuple(_parameter(name, parameter) for parameter in message.get("parameters", ()))
    table = tables.get(name)
    if table is None or table.names != tuple(parameter.name for parameter in parameters):
        raise ValueError(f"the worker's space has a table of {name} that differs from its hello")
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
    import numpy as np

    lengths = np.array(list(lengths))
    if not isinstance(configs, list):
        raise ValueError(f"the worker's space lists no configs of {family}")
    try:
        rows = np.array(configs, dtype=np.int16).reshape(len(configs), len(lengths))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"the worker's configs of {family} are not rows of {len(lengths)} indices") from None
    if rows.size and ((rows < 0).any() or (rows >= lengths).any()):
        raise ValueError(f"the worker's configs of {family} have an index without a value")
    return rows


def departures(config: Config, space: Space | None) -> dict[str, Value]:
    """Return the values that depart from the family's default, or every value without a space."""
    return dict(config.values) if space is None else space.departures(config)


def config_text(config: Config, space: Space | None) -> str:
    """Return the family and its departures, for people."""
    values = " ".join(f"{name}={value}" for name, value in departures(config, space).items())
    return f"{config.family} {values or 'default'}"
