"""The parameters of a family's configs, and what earlier rows mean that have others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from scantune.model.config import Config, Value


class Standing(str, Enum):
    """What a family is for, which decides who tries it."""

    library = "library"
    gallery = "gallery"  # to be read: nobody's default, and searched only where it is named


@dataclass(frozen=True)
class FamilyTable:
    family: str
    names: tuple[str, ...]
    absent: Mapping[str, Value]  # parameters that were added later, with the values that rows without them mean
    former: Mapping[tuple[str, Value], Mapping[str, Value]]  # names and values that were removed, and what they became
    standing: Standing = Standing.library

    @classmethod
    def from_message(cls, message: object) -> FamilyTable:
        """Read a family of the protocol's `hello`; raise ValueError if it is invalid."""
        try:
            return cls._of(message)  # type: ignore[arg-type]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"a table of its families is {message!r}: {error!r}"[:300]) from None

    @classmethod
    def _of(cls, message: Mapping[str, Any]) -> FamilyTable:
        parameters = message["parameters"]
        absent = {one["name"]: one["absent_means"] for one in parameters if "absent_means" in one}
        former = {(one["name"], one["value"]): dict(one["becomes"]) for one in message["former_values"]}
        names = tuple(one["name"] for one in parameters)
        for values in (dict.fromkeys(names, 0), absent, *former.values(), *(dict([one]) for one in former)):
            Config.from_parameters(message["name"], values)
        return cls(message["name"], names, absent, former, Standing(message["standing"]))

    @cached_property
    def left_out(self) -> frozenset[tuple[str, Value]]:
        return frozenset(self.absent.items())

    def config(self, values: Mapping[str, Value]) -> Config:
        """Return a config that has a value for each parameter."""
        return Config(self.family, tuple((name, values[name]) for name in self.names), self.left_out)

    def complete(self, config: Config) -> Config | None:
        """Return what a row means: with all parameters, in order; None if it is not of this table."""
        values: dict[str, Value] = {**self.absent}
        replaced: dict[str, Value] = {}
        for name, value in config.values:
            if name in self.names:
                values[name] = value
            elif (name, value) in self.former:
                replaced |= self.former[name, value]
            else:
                return None
        values |= replaced
        return self.config(values) if values.keys() == set(self.names) else None


class FamilyTables(dict[str, FamilyTable]):
    """The families of one algorithm, by name."""

    @classmethod
    def from_message(cls, messages: Iterable[object]) -> FamilyTables:
        """Read families of the protocol's `hello`; raise ValueError if they are invalid."""
        return cls({table.family: table for table in map(FamilyTable.from_message, messages)})

    @property
    def of_library(self) -> FamilyTables:
        """The families that are searched without being named."""
        return FamilyTables({name: table for name, table in self.items() if table.standing is Standing.library})

    def has_gallery(self, names: Iterable[str]) -> bool:
        """Return whether one of these families is in the gallery."""
        return any(self[name].standing is Standing.gallery for name in names if name in self)

    def complete(self, config: Config) -> Config:
        """Return the config with all parameters, in order; one that no family has stays as it is."""
        table = self.get(config.family)
        return (table.complete(config) if table else None) or config
