"""The problem: what is scanned, without its size."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scantune.model.config import is_token
from scantune.model.operator_source import OperatorSource

_BUILT_IN_TYPE = re.compile(r"(?:i|u|f|bf)(8|16|32|64)")
_CUSTOM_TYPE = re.compile(r"custom([1-9][0-9]?)")  # a struct of so many bytes
_CUSTOM_OPERATOR = "custom_"  # begins the tokens of the cost classes
_OPERATOR_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
MAX_N = 2**40
ALGORITHM = "scan"
_TYPES = ("input_type", "accumulator_type", "output_type")
_MOST_TEXT = 1024


@dataclass(frozen=True)
class Problem:
    """A request of an algorithm without its size, of which only what this tuner computes with is known by name.

    Tokens are the worker's to judge; this only checks that they are tokens, and that the types have a size.
    """

    input_type: str
    accumulator_type: str
    output_type: str
    op: str = "sum"  # a custom one may have a name: custom_moderate:NAME
    others: tuple[tuple[str, str], ...] = ()  # members that depart from their default

    def __post_init__(self) -> None:
        split_operator(self.op)
        for name, value in self.others:
            if not is_token(name) or not is_token(value):
                raise ValueError(f"{name!r} is {value!r}, which is not a token")
        for value_type in (self.input_type, self.accumulator_type, self.output_type):
            bytes_of(value_type)

    @classmethod
    def of(cls, value_type: str, op: str) -> Problem:
        """Return the inclusive scan of one type. A record of it serves exclusive scans too."""
        return cls(value_type, value_type, value_type, op)

    @classmethod
    def parse(cls, text: object) -> Problem:
        """Read the canonical JSON of a request; raise ValueError if it is none."""
        if not isinstance(text, str) or len(text) > _MOST_TEXT:
            raise ValueError("the request is no short text")
        try:
            members = json.loads(text)
        except RecursionError:
            raise ValueError("the request is nested too deeply") from None
        if not isinstance(members, dict):
            raise ValueError(f"the request is {text!r}, which is no object"[:300])
        try:
            input_type, accumulator_type, output_type = [members.pop(name) for name in _TYPES]
        except KeyError as error:
            raise ValueError(f"the request names no {error.args[0]}") from None
        op = members.pop("op", cls.op)
        return cls(input_type, accumulator_type, output_type, op, tuple(members.items()))

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Problem:
        """Raise ValueError if it is of an algorithm, or of a shape, that is not known here."""
        if row["algorithm"] != ALGORITHM:
            raise ValueError(f"the algorithm is {row['algorithm']!r}, which this version does not know"[:300])
        if row.get("shape"):
            raise ValueError(f"the shape is {row['shape']!r}, and a scan has no extent beside n"[:300])
        return cls.parse(row["request"])

    def columns(self) -> dict[str, str]:
        """Return what a database knows the problem by."""
        return {"algorithm": ALGORITHM, "request": self.text, "shape": ""}

    @property
    def text(self) -> str:
        """The canonical JSON of the request: types are always named, other members where they depart."""
        members = {name: value for name, value in self.members().items() if (name, value) != ("op", type(self).op)}
        return json.dumps(members, separators=(",", ":"))

    def members(self) -> dict[str, str]:
        """Return what is asked for by name; members that are not here have their default."""
        types = dict(zip(_TYPES, (self.input_type, self.accumulator_type, self.output_type), strict=True))
        return {**types, "op": self.op, **dict(self.others)}

    def request(self, n: int, source: OperatorSource | None = None) -> dict[str, Any]:
        """Return the protocol's `request`. A custom operator without a source means the worker's stand-in for it."""
        return request_of(self.members(), n, source)

    def bytes_moved(self, n: int) -> int:
        """Return the bytes that a scan of n items must read and write."""
        return n * (bytes_of(self.input_type) + bytes_of(self.output_type))

    def __str__(self) -> str:
        types = [self.input_type]
        if (self.accumulator_type, self.output_type) != (self.input_type, self.input_type):
            types += [self.accumulator_type, self.output_type]
        return " ".join([":".join(types), self.op, *(value for _, value in self.others)])


def request_of(members: Mapping[str, Any], n: int, source: OperatorSource | None) -> dict[str, Any]:
    """Return the protocol's `request` with these members, of which `op` may hold a name."""
    operator = {"operator": source.message()} if source else {}
    return {**members, "n": n, **operator}


def split_operator(op: object) -> tuple[str, str | None]:
    """Return an operator's token and the name that its user gave it; raise ValueError for what is no operator."""
    token, colon, name = op.partition(":") if isinstance(op, str) else ("", "", "")
    if not is_token(token):
        raise ValueError(f"op is {op!r}, which is not a token")
    if not colon:
        return token, None
    if not is_custom_operator(token):
        raise ValueError(f"op is {op!r}, but only a custom operator has a name")
    check_operator_name(name)
    return token, name


def check_operator_name(name: str) -> None:
    """Raise ValueError unless records may be kept under the name."""
    if not _OPERATOR_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for an operator: 1 to 64 letters, digits and signs of '_', '-' and '.'")


def is_custom_operator(token: str) -> bool:
    return token.startswith(_CUSTOM_OPERATOR)


def operator_of_cost(cost: str, name: str) -> str:
    """Return how the problem spells a named operator of a cost class."""
    return f"{_CUSTOM_OPERATOR}{cost}:{name}"


def is_custom_type(value_type: str) -> bool:
    return _CUSTOM_TYPE.fullmatch(value_type) is not None


def is_integer_type(value_type: str) -> bool:
    return value_type[0] in "iu"


def bytes_of(value_type: str) -> int:
    """Return the size of a value type, which its name tells; raise ValueError for other names."""
    if match := _BUILT_IN_TYPE.fullmatch(value_type):
        return int(match[1]) // 8
    if match := _CUSTOM_TYPE.fullmatch(value_type):
        return int(match[1])
    raise ValueError(f"{value_type!r} is not a value type")
