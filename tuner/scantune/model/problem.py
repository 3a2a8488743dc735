"""The problem: what an algorithm is to do, without its size n."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from scantune.model.algorithm import DEFAULT_ALGORITHM, SIZE, Algorithm, Member, Spelling
from scantune.model.config import is_token
from scantune.model.operator_source import OperatorSource
from scantune.model.quantity import format_size
from scantune.model.value import bytes_of, is_value_type, split_operator

_MOST_TEXT = 1024
_MOST_CLASS = 48


@dataclass(frozen=True)
class Problem:
    """A request of an algorithm without n, as a database keeps it.

    The values of members are tokens; a custom operator may have a name beside it (custom_moderate:NAME). Which tokens
    they may be the algorithm's declaration says, where there is one.
    """

    algorithm: str
    members: tuple[tuple[str, str], ...]  # types, and those that depart from their default, in the order of the table
    shape: str = ""  # classes of the extents beside n, as JSON: {"columns":10} for about 2^10; empty without extents
    extents: tuple[tuple[str, int], ...] = field(default=(), compare=False)  # a value of each class
    declared: Algorithm | None = field(default=None, compare=False, repr=False)  # None: no worker at hand knows it

    def __post_init__(self) -> None:
        if not is_token(self.algorithm):
            raise ValueError(f"the algorithm is {self.algorithm!r}, which is not a token"[:300])
        for name, value in self.members:
            if not is_token(name):
                raise ValueError(f"{name!r} is not a member"[:300])
            try:
                split_operator(value)
            except ValueError as error:
                raise ValueError(f"{name}: {error}"[:300]) from None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Problem:
        """Read the columns of a problem; raise ValueError if no tuner writes such columns."""
        members = _object(row["request"], "request")
        shape = row.get("shape", "")
        problem = cls(row["algorithm"], tuple(members.items()), shape, _extents(shape))
        if problem.text != row["request"]:
            raise ValueError(f"the request is not spelled as tuners spell it: {row['request']}")
        return problem

    def declared_by(self, algorithm: Algorithm) -> Problem:
        """Return the problem with its declaration; raise ValueError if that spells the problem otherwise."""
        problem = replace(self, declared=algorithm)
        problem._check(algorithm)
        return problem

    @cached_property
    def text(self) -> str:
        """The canonical JSON of the request."""
        return json.dumps(dict(self.members), separators=(",", ":"))

    @property
    def columns(self) -> dict[str, str]:
        """The columns that a database knows the problem by."""
        return {"algorithm": self.algorithm, "request": self.text, "shape": self.shape}

    @cached_property
    def types(self) -> dict[str, str]:
        """The value types by their members, in the order of the table.

        Without a declaration they are the members whose values read as types.
        """
        if self.declared is None:
            return {name: value for name, value in self.members if is_value_type(value)}
        named = dict(self.members)
        return {member.name: named[member.name] for member in self.declared.types}

    @cached_property
    def operand_types(self) -> list[str]:
        """The types of what is read and written; none without a declaration."""
        return [self.types.get(one.type, one.type) for one in self.declared.operands] if self.declared else []

    @cached_property
    def others(self) -> tuple[tuple[str, str], ...]:
        """The members other than types."""
        return tuple(member for member in self.members if member[0] not in self.types)

    @property
    def operator(self) -> str | None:
        """What values are combined by; None where nothing is combined, or where that is not known."""
        member = self.declared.operator if self.declared else None
        return dict(self.members).get(member.name, member.default) if member else None

    @property
    def forms(self) -> list[Problem]:
        """The problems that its records serve: of each value of the members of which they serve all."""
        forms = [self]
        for member in self.declared.members if self.declared else ():
            if member.is_served:
                forms = [form._with(member.name, value) for form in forms for value in member.values]
        return forms

    @property
    def tuned_form(self) -> Problem:
        """The problem whose record serves every form."""
        form = self
        for member in self.declared.members if self.declared else ():
            if member.is_served and member.name in dict(form.members):
                form = form._with(member.name, str(member.default))
        return form

    @property
    def is_of_users_own(self) -> bool:
        """Whether the problem names an operator of the user's own."""
        return any(":" in value for _, value in self.members)

    def message(self) -> dict[str, str]:
        """Return the problem for --json, which leaves out members at their default, except types and operator."""
        return {"algorithm": self.algorithm, **dict(self._stated()), "shape": self.shape}

    def request(self, n: int, source: OperatorSource | None = None) -> dict[str, Any]:
        """Return the protocol's `request`. A custom operator without a source means the worker's stand-in for it."""
        return request_of(self.algorithm, dict(self.members), self.counts(n), source)

    def counts(self, n: int) -> dict[str, int]:
        """Return n, and the extents that a request of n items has, such as its rows."""
        extents = dict(self.extents)
        return self.declared.counts(extents, n) if self.declared else {SIZE: n, **extents}

    def bytes_moved(self, n: int) -> int:
        """Return the bytes that must be read and written for n items, at most; 0 without a declaration."""
        if self.declared is None:
            return 0
        return self.declared.bytes_moved(dict(self.members), dict(self.extents), n)

    def gigabytes_per_second(self, n: int, median_us: float) -> float | None:
        """Return the bandwidth by the bytes that must be moved; None where it is not known how many these are."""
        if self.declared is None or not self.declared.writes_all:
            return None
        return self.bytes_moved(n) / median_us * 1e-3

    def _with(self, name: str, value: str) -> Problem:
        named = {**dict(self.members), name: value}
        members = [(one.name, one.default) for one in self.declared.members] if self.declared else []
        return replace(
            self, members=tuple((one, named[one]) for one, default in members if named.get(one, default) != default)
        )

    def _check(self, algorithm: Algorithm) -> None:
        recorded = {member.name: member for member in algorithm.members if member.is_recorded}
        names = [name for name, _ in self.members]
        if missing := [member.name for member in algorithm.types if member.name not in names]:
            raise ValueError(f"the request names no {missing[0]}")
        is_good = names == [name for name in recorded if name in names] and all(
            _is_spelled(recorded[name], value) for name, value in self.members
        )
        if not is_good:
            raise ValueError(f"the request is not spelled as tuners spell it: {self.text}")
        if [name for name, _ in self.extents] != [
            extent.option_name for extent in algorithm.extents_of(dict(self.members))
        ]:
            raise ValueError(f"the shape is {self.shape!r}, whose extents are not those of this {algorithm.name}")

    def _stated(self) -> Iterator[tuple[str, str]]:
        """Yield the members, and the operator in its place if it is the default one."""
        if self.declared is None:
            yield from self.members
            return
        named = dict(self.members)
        for member in self.declared.members:
            value = named.get(member.name, member.default if member == self.declared.operator else None)
            if value is not None:
                yield member.name, value

    def __str__(self) -> str:
        algorithm = [] if self.algorithm == DEFAULT_ALGORITHM else [self.algorithm]
        types = list(self.types.values())
        others = [value for name, value in self._stated() if name not in self.types]
        shape = [f"{name}≈{format_size(size)}" for name, size in _extents(self.shape)]
        return " ".join([*algorithm, ":".join(types if len(set(types)) > 1 else types[:1]), *others, *shape])


def request_of(
    algorithm: str, members: Mapping[str, str], extents: Mapping[str, int], source: OperatorSource | None
) -> dict[str, Any]:
    """Return the protocol's `request` of these members and extents, of which n is one."""
    operator = {"operator": source.message()} if source else {}
    return {"algorithm": algorithm, **members, **extents, **operator}


def _is_spelled(member: Member, value: str) -> bool:
    """Return whether a problem may spell the member's value so; raise ValueError if it is not a type."""
    if member.spelling is Spelling.value_type:
        return bytes_of(value) > 0
    return value != member.default and (member.spelling is Spelling.value_operator or value in member.values)


def _object(text: object, column: str) -> dict[str, Any]:
    if not isinstance(text, str) or len(text) > _MOST_TEXT:
        raise ValueError(f"the {column} is not a short text")
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError(f"the {column} is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError(f"the {column} is {text!r}, which is not an object"[:300])
    return found


def _classes(shape: object) -> dict[str, float]:
    """Return the class of each extent: its log2 in quarters; raise ValueError for what no tuner writes."""
    if shape == "":
        return {}
    classes = _object(shape, "shape")
    is_good = all(is_token(name) and _is_class(kind) for name, kind in classes.items())
    if not classes or not is_good or json.dumps(classes, separators=(",", ":")) != shape:
        raise ValueError(f"the shape is {shape!r}, which is not spelled as tuners spell it"[:300])
    return classes


def _extents(shape: object) -> tuple[tuple[str, int], ...]:
    """Return a value of each extent that has its class: 2^10 of 10, 1.25 times as much of 10.25."""
    return tuple((name, int((1 + kind % 1) * 2 ** int(kind))) for name, kind in _classes(shape).items())


def _is_class(kind: object) -> bool:
    is_whole, is_quarter = type(kind) is int, isinstance(kind, float) and kind % 1 in (0.25, 0.5, 0.75)
    return (is_whole or is_quarter) and 0 <= kind <= _MOST_CLASS  # type: ignore[operator]
