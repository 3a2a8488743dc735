"""An algorithm as a worker declares it: the members and extents of its requests, and what it reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar

from scantune.model.config import is_token
from scantune.model.family_table import FamilyTables
from scantune.model.value import CUSTOM_TYPE, bytes_of

DEFAULT_ALGORITHM = "scan"  # what commands mean that name none
SIZE = "n"  # the number of items, which every request has beside its extents
_ONE = "one"
_COUNT = "count"  # the role of what says afterwards how many items of the output are written
_ROLES = ("input", "output", _COUNT, "init")

Part = TypeVar("Part", bound="Member | Extent | Operand")


class Spelling(str, Enum):
    """How a member's value is written."""

    token = "token"
    value_type = "value_type"  # a struct is spelled by its bytes, as custom8
    value_operator = (
        "value_operator"  # a custom one is spelled by its cost class, and may have a name: custom_cheap:NAME
    )


@dataclass(frozen=True)
class Member:
    name: str
    values: tuple[str, ...]
    default: str | None  # None: other members decide it
    spelling: Spelling = Spelling.token
    is_recorded: bool = True  # whether a database names it
    is_option: bool = False  # whether the command line takes it under its own name
    meaning: str = ""
    is_served: bool = False  # whether a record serves requests of each of its values

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Member:
        """Raise ValueError if it is invalid."""
        name, values, default = (message.get(key) for key in ("name", "values", "default"))
        if not isinstance(values, list) or not values or not all(map(is_token, [name, *values, default or "none"])):
            raise ValueError(f"a member of its requests is {message!r}"[:300])
        return cls(
            str(name), tuple(values), default, Spelling(message.get("spelling")),
            message.get("match") != "per_call", message.get("is_option") is True, _meaning(message),
            message.get("match") == "served",
        )  # fmt: skip

    @property
    def option_name(self) -> str:
        return self.name

    @property
    def option(self) -> str:
        return option_of(self.name)


@dataclass(frozen=True)
class Extent:
    """A size of the problem beside n."""

    name: str
    meaning: str = ""
    where: tuple[str, str] | None = None  # the member and its value that problems have which it is a size of; None: all
    stored_as: str = ""  # what names a problem in its place: how many items each of so many has; "": its number

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Extent:
        """Raise ValueError if it is invalid."""
        stored_as = message.get("stored_as", "")
        if not is_token(message.get("name")) or message["name"] in (SIZE, _ONE) or not is_token(stored_as or "rows"):
            raise ValueError(f"an extent of its requests is {message!r}"[:300])
        where = message.get("where")
        if where is None:
            return cls(message["name"], _meaning(message), None, stored_as)
        if (
            not isinstance(where, Mapping)
            or len(where) != 1
            or not all(is_token(word) for word in (*where, *where.values()))
        ):
            raise ValueError(f"an extent of its requests is {message!r}"[:300])
        ((member, value),) = where.items()
        return cls(message["name"], _meaning(message), (member, value), stored_as)

    @property
    def option_name(self) -> str:
        return self.stored_as or self.name

    @property
    def option(self) -> str:
        return option_of(self.option_name)

    def number(self, stored: int, n: int) -> int:
        """Return the extent of a request of n items: of rows, as many as hold them, rounded as the library does."""
        return max(1, (n + stored // 2) // stored) if self.stored_as else stored


@dataclass(frozen=True)
class Operand:
    """What a request at its defaults reads or writes."""

    name: str
    role: str  # input, output, count or init
    type: str  # the member whose value is its type, or a built-in type
    extent: str  # n, one, or an extent's name

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Operand:
        """Raise ValueError if it is invalid."""
        values = [message.get(key) for key in ("name", "role", "type", "extent")]
        if not all(map(is_token, values)) or values[1] not in _ROLES:
            raise ValueError(f"an operand of its requests is {message!r}"[:300])
        return cls(*map(str, values))


@dataclass(frozen=True)
class Algorithm:
    name: str
    members: tuple[Member, ...]
    extents: tuple[Extent, ...] = ()
    operands: tuple[Operand, ...] = ()
    families: FamilyTables = field(default_factory=FamilyTables, repr=False)

    def __post_init__(self) -> None:
        types, extents = {member.name for member in self.types}, {extent.name for extent in self.extents}
        built_in = {value for member in self.types for value in member.values} - {CUSTOM_TYPE}
        for operand in self.operands:
            if operand.type not in types | built_in or operand.extent not in {SIZE, _ONE, *extents}:
                raise ValueError(f"an operand of {self.name} is {operand}, whose type or extent does not exist there")
        values = {(member.name, value) for member in self.members for value in member.values}
        for extent in self.extents:
            if extent.where is not None and extent.where not in values:
                raise ValueError(f"an extent of {self.name} is {extent}, whose member or value does not exist there")
        names = [
            SIZE,
            *(member.name for member in self.members),
            *extents,
            *(one.stored_as for one in self.extents if one.stored_as),
        ]
        if len(set(names)) < len(names) or not types:
            raise ValueError(f"the members and extents of {self.name} are {names}, not each once with a type"[:300])

    @classmethod
    def from_message(cls, message: object, families: FamilyTables) -> Algorithm:
        """Read the protocol's `algorithm`; raise ValueError if it is invalid."""
        if not isinstance(message, Mapping) or not is_token(message.get("name")):
            raise ValueError(f"an algorithm is {message!r}"[:300])
        return cls(
            message["name"], _parts(message, "members", Member), _parts(message, "extents", Extent),
            _parts(message, "operands", Operand), families,
        )  # fmt: skip

    @cached_property
    def types(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.spelling is Spelling.value_type)

    @cached_property
    def operator(self) -> Member | None:
        """The member that says how values are combined; None for an algorithm that combines none."""
        return next((member for member in self.members if member.spelling is Spelling.value_operator), None)

    @property
    def options(self) -> tuple[Member | Extent, ...]:
        """The members and extents that the command line takes."""
        return (*(member for member in self.members if member.is_option), *self.extents)

    def extents_of(self, members: Mapping[str, str]) -> tuple[Extent, ...]:
        """Return the extents that a problem has; members at their default may be left out."""
        named = {member.name: member.default for member in self.members} | dict(members)
        return tuple(
            extent for extent in self.extents if extent.where is None or named[extent.where[0]] == extent.where[1]
        )

    def counts(self, extents: Mapping[str, int], n: int) -> dict[str, int]:
        """Return n, and the extents of a request of a problem with these."""
        numbers = {
            one.name: one.number(extents[one.option_name], n) for one in self.extents if one.option_name in extents
        }
        return {SIZE: n, **numbers}

    def whole(self, extents: Mapping[str, int], n: int) -> int:
        """Return the greatest size up to n that whole rows fill; n itself without rows, or where one has more."""
        items = next(
            (extents[one.option_name] for one in self.extents if one.stored_as and one.option_name in extents), 1
        )
        return n // items * items or n

    @property
    def built_in_types(self) -> list[str]:
        return [name for name in self.types[0].values if name != CUSTOM_TYPE]

    @cached_property
    def writes_all(self) -> bool:
        """Whether the whole output is written, and not as much of it as the input makes of it."""
        return all(operand.role != _COUNT for operand in self.operands)

    def bytes_moved(self, members: Mapping[str, str], extents: Mapping[str, int], n: int) -> int:
        """Return the bytes that a request must read and write, or at most writes."""
        counts = {_ONE: 1, **self.counts(extents, n)}
        return sum(counts[one.extent] * bytes_of(members.get(one.type, one.type)) for one in self.operands)


def option_of(name: str) -> str:
    """Return the option of the command line for a member or an extent."""
    return "--" + name.replace("_", "-")


def _parts(message: Mapping[str, Any], name: str, kind: type[Part]) -> tuple[Part, ...]:
    found = message.get(name)
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        raise ValueError(f"the {name} of {message['name']} are {found!r}"[:300])
    return tuple(map(kind.from_message, found))  # type: ignore[arg-type]


def _meaning(message: Mapping[str, Any]) -> str:
    return str(message.get("meaning", ""))[:200]
