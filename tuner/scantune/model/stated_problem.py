"""Problems as people write them; the worker completes what they leave out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scantune.errors import UsageError
from scantune.model.algorithm import DEFAULT_ALGORITHM, Algorithm, option_of
from scantune.model.operator_source import OperatorSource
from scantune.model.problem import Problem, request_of
from scantune.model.quantity import format_size


@dataclass(frozen=True)
class Types:
    """The value types of an algorithm's members, in the order of its table, as i8:i64:i32.

    One name is the first type, and the worker decides the others; two are the first and the last.
    """

    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Types:
        """Split the names. The worker knows which of them are types, and how many an algorithm has."""
        return cls(tuple(text.split(":")))

    def members_of(self, algorithm: Algorithm) -> dict[str, str]:
        """Return the members that are named; raise UsageError if the algorithm has not so many types."""
        members = [member.name for member in algorithm.types]
        if len(self.names) not in (1, 2, len(members)) or len(self.names) > len(members):
            raise UsageError(
                f"--type {self}: {algorithm.name} has {len(members)} types, written "
                f"{types_text(algorithm)}; name the first only, the first and the last, or all of them"
            )
        places = members if len(self.names) == len(members) else [members[0], members[-1]]
        return dict(zip(places, self.names, strict=False))

    def cover(self, problem: Problem) -> bool:
        """Return whether the problem has these types, and any between where no more than two are named."""
        found = tuple(problem.types.values())
        if len(self.names) > 2:
            return found == self.names
        return bool(found) and (found[0], found[-1]) == (self.names[0], self.names[-1])

    def __str__(self) -> str:
        return ":".join(self.names)


def types_text(algorithm: Algorithm) -> str:
    """Return which types --type takes, and in which order."""
    return ":".join(member.name.removesuffix("_type") for member in algorithm.types)


@dataclass(frozen=True)
class StatedProblem:
    """A problem of which the worker decides whatever nobody named."""

    algorithm: Algorithm
    types: Types
    op: str | None = None
    others: tuple[tuple[str, str], ...] = ()  # the other members that were named, and their values
    extents: tuple[tuple[str, int], ...] = ()  # every extent of such a problem

    def request(self, n: int, source: OperatorSource | None = None) -> dict[str, Any]:
        """Return the protocol's `request`."""
        named = {**self.types.members_of(self.algorithm), **dict(self.others)}
        if self.algorithm.operator and self.op:
            named[self.algorithm.operator.name] = self.op
        return request_of(self.algorithm.name, named, self.algorithm.counts(dict(self.extents), n), source)

    def problem(self, answer: Mapping[str, Any]) -> Problem:
        """Return the problem in the worker's `space` answer; raise ValueError or KeyError if that is not a problem."""
        row = {"algorithm": self.algorithm.name, "request": answer["problem"], "shape": answer["shape"]}
        found = Problem.from_row(row).declared_by(self.algorithm)
        return replace(found, extents=self.extents)

    def fits(self, n: int) -> bool:
        """Return whether there are items for one row."""
        return all(
            not extent.stored_as or dict(self.extents).get(extent.option_name, 0) <= n
            for extent in self.algorithm.extents
        )

    def check_sizes(self, sizes: Iterable[int]) -> None:
        """Raise UsageError for a size that does not fill a row."""
        for n in sizes:
            if not self.fits(n):
                extents = " ".join(f"{option_of(name)} {format_size(size)}" for name, size in self.extents)
                raise UsageError(f"{extents}: {format_size(n)} items do not fill a row; give a larger --n")

    @property
    def operator(self) -> str | None:
        """What values are combined by; None where nothing is combined."""
        member = self.algorithm.operator
        return (self.op or member.default) if member else None

    def __str__(self) -> str:
        algorithm = [] if self.algorithm.name == DEFAULT_ALGORITHM else [self.algorithm.name]
        return " ".join([*algorithm, str(self.types), *([self.operator] if self.operator else [])])
