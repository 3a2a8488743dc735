"""Value types and operators, as requests spell them."""

from __future__ import annotations

import re

from scantune.model.config import is_token

CUSTOM_TYPE = "custom"  # a struct in lists of types; a request spells it with its size
_BUILT_IN_TYPE = re.compile(r"(?!custom)[a-z]+(8|16|32|64)")
_CUSTOM_TYPE = re.compile(r"custom([1-9][0-9]?)")  # a struct of so many bytes
_CUSTOM_OPERATOR = "custom_"  # prefix of the tokens of the cost classes
_OPERATOR_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def split_operator(text: object) -> tuple[str, str | None]:
    """Return an operator's token and the name that its user gave it; raise ValueError if it is not an operator.

    Only a custom operator has a name, so every token is its own spelling.
    """
    token, colon, name = text.partition(":") if isinstance(text, str) else ("", "", "")
    if not is_token(token):
        raise ValueError(f"{text!r} is not a token")
    if not colon:
        return token, None
    if not is_custom_operator(token):
        raise ValueError(f"{text!r}: only a custom operator has a name")
    check_operator_name(name)
    return token, name


def check_operator_name(name: str) -> None:
    """Raise ValueError unless records may be kept under the name."""
    if not _OPERATOR_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a name for an operator: 1 to 64 letters, digits, '_', '-' and '.'")


def is_custom_operator(token: str) -> bool:
    return token.startswith(_CUSTOM_OPERATOR)


def operator_of_cost(cost: str, name: str) -> str:
    """Return the spelling of a named operator of a cost class in a request."""
    return f"{_CUSTOM_OPERATOR}{cost}:{name}"


def is_value_type(text: str) -> bool:
    return is_custom_type(text) or _BUILT_IN_TYPE.fullmatch(text) is not None


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
