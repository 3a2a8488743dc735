"""The source of the user's own operator. It goes to workers and nowhere else: no database keeps it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scantune.errors import UsageError
from scantune.input_files import content_of

_MOST_BYTES = 16 * 2**20


@dataclass(frozen=True)
class OperatorSource:
    text: str
    path: Path
    alignment_bytes: int | None = None  # alignment of the struct Value; None: the largest that its size allows

    @classmethod
    def read(cls, path: Path, alignment_bytes: int | None) -> OperatorSource:
        """Raise UsageError if the file cannot be read or holds no text."""
        try:
            content = content_of(path, _MOST_BYTES)
            text = content.decode() if content is not None else ""
        except OSError as error:
            raise UsageError(f"--operator {path}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise UsageError(f"--operator {path}: not UTF-8 text: {error.reason} at byte {error.start}") from None
        if content is None:
            raise UsageError(f"--operator {path}: larger than {_MOST_BYTES >> 20} MiB, too large for an operator")
        if not text.strip():
            raise UsageError(
                f"--operator {path}: empty; it must define '__device__ Value combine(Value earlier, Value later)'"
            )
        return cls(text, path, alignment_bytes)

    @property
    def digest(self) -> str:
        """The digest that tells kernels of this source from those of another."""
        return hashlib.sha256(f"{self.alignment_bytes}\n{self.text}".encode()).hexdigest()[:16]

    def message(self) -> dict[str, Any]:
        """Return the members of the protocol's `request.operator`."""
        return {"source": self.text, **({"alignment": self.alignment_bytes} if self.alignment_bytes else {})}
