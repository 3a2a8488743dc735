"""The members of a request, as the worker declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scantune.model.config import is_token
from scantune.model.problem import ALGORITHM, Problem


@dataclass(frozen=True)
class Member:
    name: str
    values: tuple[str, ...]
    default: str | None  # None: other members decide it
    is_recorded: bool  # whether a database names it
    is_option: bool  # of the command line, under its own name
    meaning: str

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Member:
        """Raise ValueError if it is none."""
        name, values, default = (message.get(key) for key in ("name", "values", "default"))
        if not isinstance(values, list) or not values or not all(map(is_token, [name, *values, default or "none"])):
            raise ValueError(f"a member of its requests is {message!r}"[:300])
        return cls(
            str(name),
            tuple(values),
            default,
            message.get("match") != "per_call",
            message.get("is_option") is True,
            str(message.get("meaning", ""))[:200],
        )

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")


def is_spelled(problem: Problem, members: Sequence[Member]) -> bool:
    """Return whether the problem is spelled as a tuner with these members spells it: there is one way only."""
    recorded = {member.name: member for member in members if member.is_recorded}
    names = [name for name, _ in problem.others]
    return names == [name for name in recorded if name in names] and all(
        value in recorded[name].values and value != recorded[name].default for name, value in problem.others
    )


def members_of_scans(algorithms: object) -> tuple[Member, ...]:
    """Read the algorithms of the protocol's `hello`; raise ValueError if there are no scans among them."""
    for algorithm in algorithms if isinstance(algorithms, list) else []:
        if isinstance(algorithm, Mapping) and algorithm.get("name") == ALGORITHM:
            members = algorithm.get("members")
            if isinstance(members, list) and all(isinstance(member, Mapping) for member in members):
                return tuple(map(Member.from_message, members))
    raise ValueError(f"its algorithms are {algorithms!r}"[:300])
