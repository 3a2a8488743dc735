"""The choice: a family and a value for each of its parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Value = int | str

_TOKEN = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MAX_PARAMETERS = 24
_MAX_INTEGER = 2**31


def is_token(text: object) -> bool:
    """Return whether the text may name a family, a parameter, a type or an enumerator."""
    return isinstance(text, str) and _TOKEN.fullmatch(text) is not None


@dataclass(frozen=True)
class Config:
    """One choice. It is immutable; two configs are equal if family, names, order and values are."""

    family: str
    values: tuple[tuple[str, Value], ...]
    # Parameters that were added later, with the values that rows without them mean.
    left_out: frozenset[tuple[str, Value]] = field(default=frozenset(), compare=False, repr=False)

    @classmethod
    def from_parameters(cls, family: object, parameters: object) -> Config:
        """Take names and values as a worker or a database gives them; raise ValueError if they are not legal."""
        if not isinstance(family, str) or not is_token(family):
            raise ValueError(f"{family!r} is not a family")
        if not isinstance(parameters, Mapping) or len(parameters) > _MAX_PARAMETERS:
            raise ValueError(f"the parameters of {family} are not an object of at most {_MAX_PARAMETERS} members")
        for name, value in parameters.items():
            if not is_token(name):
                raise ValueError(f"{family}: {name!r} is not a parameter")
            if not is_token(value) and not is_integer(value):
                raise ValueError(f"{family}: {name} is {value!r}, neither an integer nor a token")
        return cls(family, tuple(parameters.items()))

    @classmethod
    def from_message(cls, message: object) -> Config:
        """Read the protocol's `config`; raise ValueError if it is invalid."""
        if not isinstance(message, Mapping):
            raise ValueError(f"{message!r} is not a config")
        return cls.from_parameters(message.get("family"), message.get("parameters"))

    @classmethod
    def from_row(cls, family: object, text: object) -> Config:
        """Read the columns `family` and `config` of a row; raise ValueError if they hold no config."""
        if not isinstance(text, str) or len(text) > 4096:
            raise ValueError(f"the config of {family} is not a short text")
        try:
            parameters = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"the config of {family} is not JSON: {error}") from None
        return cls.from_parameters(family, parameters)

    def message(self) -> dict[str, Any]:
        """Return the protocol's `config`."""
        return {"family": self.family, "parameters": dict(self.values)}

    @property
    def text(self) -> str:
        """The parameters as rows keep them: JSON without spaces, in the order of the family's table.

        A parameter that was added later is left out where it has the value that earlier rows mean. So those rows are as
        they would be written now, and earlier libraries read what is written now.
        """
        kept = {name: value for name, value in self.values if (name, value) not in self.left_out}
        return json.dumps(kept, separators=(",", ":"))

    def __str__(self) -> str:
        return f"{self.family}{{{', '.join(f'{name}={value}' for name, value in self.values)}}}"


def is_integer(value: object) -> bool:
    """Return whether it may be the value of a parameter that is a number."""
    return isinstance(value, int) and not isinstance(value, bool) and -_MAX_INTEGER <= value < _MAX_INTEGER
