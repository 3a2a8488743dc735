"""The members of a request, as the worker declares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scantune.model.config import is_token
from scantune.model.problem import ALGORITHM


@dataclass(frozen=True)
class Member:
    name: str
    values: tuple[str, ...]
    default: str | None  # None: other members decide it
    is_option: bool  # of the command line, under its own name
    meaning: str

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Member:
        """Raise ValueError if it is none."""
        name, values, default = (message.get(key) for key in ("name", "values", "default"))
        if not isinstance(values, list) or not values or not all(map(is_token, [name, *values, default or "none"])):
            raise ValueError(f"a member of its requests is {message!r}"[:300])
        return cls(
            str(name), tuple(values), default, message.get("is_option") is True, str(message.get("meaning", ""))[:200]
        )

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")


def members_of_scans(algorithms: object) -> tuple[Member, ...]:
    """Read the algorithms of the protocol's `hello`; raise ValueError if there are no scans among them."""
    for algorithm in algorithms if isinstance(algorithms, list) else []:
        if isinstance(algorithm, Mapping) and algorithm.get("name") == ALGORITHM:
            members = algorithm.get("members")
            if isinstance(members, list) and all(isinstance(member, Mapping) for member in members):
                return tuple(map(Member.from_message, members))
    raise ValueError(f"its algorithms are {algorithms!r}"[:300])
