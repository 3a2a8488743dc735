"""The problem: what is scanned, without its size."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Problem:
    """Tokens are the worker's to judge; this only checks that they are tokens, and that the types have a size."""

    input_type: str
    accumulator_type: str
    output_type: str
    op: str = "sum"  # a custom one may have a name: custom_moderate:NAME
    kind: str = "inclusive"
    determinism: str = "unconstrained"
    forward_progress: str = "in_order"
    latency: str = "back_to_back"  # in which surroundings the scan is timed

    def __post_init__(self) -> None:
        split_operator(self.op)
        for name, value in vars(self).items():
            if name != "op" and not is_token(value):
                raise ValueError(f"{name} is {value!r}, which is not a token")
        for value_type in (self.input_type, self.accumulator_type, self.output_type):
            bytes_of(value_type)

    @classmethod
    def of(cls, value_type: str, op: str) -> Problem:
        """Return the inclusive scan of one type. A record of it serves exclusive scans too."""
        return cls(value_type, value_type, value_type, op)

    def request(self, n: int, source: OperatorSource | None = None) -> dict[str, Any]:
        """Return the protocol's `request`. A custom operator without a source means the worker's stand-in for it."""
        init = "value" if self.kind == "exclusive" else "none"
        return request_of({**vars(self), "init": init}, n, source)

    def bytes_moved(self, n: int) -> int:
        """Return the bytes that a scan of n items must read and write."""
        return n * (bytes_of(self.input_type) + bytes_of(self.output_type))

    def __str__(self) -> str:
        types = [self.input_type]
        if (self.accumulator_type, self.output_type) != (self.input_type, self.input_type):
            types += [self.accumulator_type, self.output_type]
        words = [":".join(types), self.op]
        words += [self.kind] if self.kind != "inclusive" else []
        words += [self.determinism] if self.determinism != "unconstrained" else []
        words += [self.forward_progress] if self.forward_progress != "in_order" else []
        words += [self.latency] if self.latency != "back_to_back" else []
        return " ".join(words)


def request_of(members: Mapping[str, Any], n: int, source: OperatorSource | None) -> dict[str, Any]:
    """Return the protocol's `request` with these members, of which `op` may hold a name."""
    token, name = split_operator(members["op"])
    request = {**members, "op": token, "n": n}
    operator = {**({"name": name} if name else {}), **(source.message() if source else {})}
    return {**request, "operator": operator} if operator else request


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
