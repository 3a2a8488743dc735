"""The origin of a record: told by whoever exported it first, and kept through every later export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

NO_ORIGIN = "none"  # what `db forget` calls records without one, so that nobody exports by that name
_MOST_TEXT = {"by": 64, "file": 128, "run": 16, "host": 64, "signer": 128}  # characters


@dataclass(frozen=True)
class Origin:
    """What somebody said of a record. The signer was verified only in a database that imports and syncs here write."""

    by: str  # who exported it; empty where they did not say
    file: str  # the name of the database it was exported from, without a directory
    run: str  # Run.digest of the run that measured it
    host: str = ""  # digest of the machine it was measured on, where that was asked for
    signer: str = ""  # principal of a signature that the import verified

    def __post_init__(self) -> None:
        for name, text in vars(self).items():
            if not isinstance(text, str) or len(text) > _MOST_TEXT[name] or not text.isprintable():
                raise ValueError(f"{name} of an origin is {text!r}"[:200])
        if not self.file or not self.run:
            raise ValueError("an origin lacks its file or its run")

    @classmethod
    def from_message(cls, message: object) -> Origin:
        """Raise ValueError if it is invalid. Members of later versions are left out."""
        if not isinstance(message, Mapping) or not {"by", "file", "run"} <= message.keys():
            raise ValueError(f"an origin is {message!r}"[:200])
        return cls(**{name: message[name] for name in _MOST_TEXT if name in message})

    def message(self) -> dict[str, Any]:
        return {name: text for name, text in asdict(self).items() if text or name == "by"}

    def __str__(self) -> str:
        """Return the same words as the library, in runtime/select/record_origin.cpp."""
        by = f" by {self.by}" if self.by else ""
        signed = f", signed by {self.signer}" if self.signer else ""
        return f"exported{by} from {self.file} (run {self.run}){signed}"


def fitting(text: str, name: str) -> str:
    """Return the part of a text that the origin's member of that name may hold."""
    return "".join(character for character in text if character.isprintable())[: _MOST_TEXT[name]]
