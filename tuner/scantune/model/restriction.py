"""What the configs of a space are restricted to: some families, and some values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scantune.model.config import Config, Value, is_token
from scantune.model.space import Family, Space


@dataclass(frozen=True)
class Restriction:
    """One that names nothing is false, and admits every config."""

    families: tuple[str, ...] = ()  # any of them; none: any at all
    fixed: tuple[tuple[str, Value], ...] = ()  # names and values, all of them

    @classmethod
    def from_message(cls, message: object) -> Restriction:
        """Read what message() returns; raise ValueError if it is nothing of that kind."""
        if not isinstance(message, Mapping) or not isinstance(families := message.get("families"), list):
            raise ValueError(f"a restriction is {message!r}"[:300])
        if not all(map(is_token, families)):
            raise ValueError(f"the families of a restriction are {families!r}"[:300])
        return cls(tuple(families), Config.from_parameters("any", message.get("fixed")).values)

    def message(self) -> dict[str, Any]:
        return {"families": list(self.families), "fixed": dict(self.fixed)}

    def __bool__(self) -> bool:
        return bool(self.families or self.fixed)

    def __str__(self) -> str:
        values = " ".join(f"{name}={value}" for name, value in self.fixed)
        return f"{' or '.join(self.families) or 'any family'}{f' with {values}' if values else ''}"

    def names(self, family: str) -> bool:
        """Return whether the family is one of those in question."""
        return not self.families or family in self.families

    def admits(self, config: Config) -> bool:
        return self.names(config.family) and set(self.fixed) <= set(config.values)

    def applied(self, config: Config) -> Config | None:
        """Return the config with the fixed values; None where it is of another family, or lacks such a parameter."""
        fixed = dict(self.fixed)
        if not self.names(config.family) or not fixed.keys() <= dict(config.values).keys():
            return None
        return replace(config, values=tuple((name, fixed.get(name, value)) for name, value in config.values))

    def of(self, space: Space, is_legal: Callable[[Config], bool]) -> Space:
        """Return the families that have a legal config of these, each with such a default: the nearest to its own.

        The default of the space stays, and may be outside the restriction.
        """
        families = {name: family for name, family in space.families.items() if self._fits(family)}
        if self.fixed:
            fixed = {name: family.fixed_to(dict(self.fixed)) for name, family in families.items()}
            nearest = {name: next(filter(is_legal, _by_distance(family)), None) for name, family in fixed.items()}
            families = {name: replace(fixed[name], default=default) for name, default in nearest.items() if default}
        return Space(families, space.default)

    def misfit(self, space: Space, refusal: Callable[[Config], str | None]) -> str:
        """Return why a space has no legal config of these; `refusal` tells it of one."""
        names = {name for name, _ in self.fixed}
        having = [one for one in space.families.values() if self.names(one.name) and names <= set(one.table.names)]
        if not having:
            return f"{self} does not support it; these do: {', '.join(space.families)}"
        reasons: dict[str, list[str]] = {}
        for family in having:
            default = family.fixed_to(dict(self.fixed)).default
            wrong = "; ".join(f"{name} cannot be {value}" for name, value in self._of_another_kind(family))
            reason = wrong or (refusal(default) if default else "it has no default")
            reasons.setdefault(str(reason), []).append(family.name)
        told = "; ".join(f"{reason} ({', '.join(families)})" for reason, families in reasons.items())
        searched = "; ".join(f"{name} is searched as {_values_text(name, having)}" for name, _ in self.fixed)
        return f"{told}; {searched}"

    def _fits(self, family: Family) -> bool:
        """Return whether the family is in question, and has parameters of these names and kinds."""
        return self.names(family.name) and not self._of_another_kind(family)

    def _of_another_kind(self, family: Family) -> list[tuple[str, Value]]:
        """Return the fixed values that are a word where the family has numbers, or the reverse, or nothing at all."""
        kinds = {parameter.name: type(parameter.values[0]) for parameter in family.parameters}
        return [(name, value) for name, value in self.fixed if kinds.get(name) is not type(value)]


def _by_distance(family: Family) -> Iterator[Config]:
    """Yield the default, then what is listed, the nearest to it first."""
    if family.default is None:
        return
    yield family.default
    if (place := family.nearest_indices(family.default)) is not None:
        for row in family.distances(place).argsort(kind="stable"):
            yield family.config(family.indices[row].tolist())


def _values_text(name: str, families: Iterable[Family]) -> str:
    """Return the declared values of a parameter of several families."""
    values = dict.fromkeys(
        v for family in families for one in family.parameters if one.name == name for v in one.values
    )
    numbers = sorted(value for value in values if isinstance(value, int))
    return ", ".join(map(str, numbers if len(numbers) == len(values) else values))
