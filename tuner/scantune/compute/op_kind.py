"""Operators by cuda.compute's names."""

from __future__ import annotations

from enum import Enum
from typing import Any

from scantune import extension

_NATIVE = extension.load()


class OpKind(Enum):
    """Operators that need no source; the value is scantune's name. No function takes all of them."""

    PLUS = "sum"
    MULTIPLIES = "product"
    MINIMUM = "min"
    MAXIMUM = "max"
    BIT_AND = "bit_and"
    BIT_OR = "bit_or"
    BIT_XOR = "bit_xor"
    EQUAL_TO = "equal"
    LESS = "less"
    GREATER = "greater"


_COMBINING = tuple(OpKind)[:7]


def combining(function: str, op: Any) -> Any:
    """Return the operator of a scan or a reduction as the extension takes it."""
    if isinstance(op, OpKind) and op in _COMBINING:
        return op.value
    if isinstance(op, _NATIVE.Op):
        return op
    names = ", ".join(kind.name for kind in _COMBINING)
    raise refused(function, "op", op, f"one of {names}, or a scantune.Op, whose source is CUDA C++")


def source(function: str, argument: str, op: Any, declaration: str) -> str:
    """Return the source of a function of the caller's."""
    if isinstance(op, str):
        return op
    raise refused(function, argument, op, f"CUDA C++ that defines {declaration}")


def refused(function: str, argument: str, op: Any, expected: str) -> TypeError:
    """Return why an operator is not taken."""
    found = f"an object of type {type(op).__name__}"
    if isinstance(op, OpKind):
        found = str(op)
    elif callable(op):
        found = "a Python function, which scantune does not compile"
    return TypeError(f"{function}: {argument} is {found}; it must be {expected}")
