"""The budget of reading a database: more memory than a tuner's rows ever need, and less than a machine has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scantune.store.connection import TOO_LONG

_MAX_VALUE = 2**16  # characters of a text, or bytes of a blob


@dataclass
class Budget:
    rows: int = 200_000
    text: float = 64 * 2**20

    def excess_after(self, row: Iterable[object]) -> str | None:
        """Take a row off the budget; if it is too much, return what is wrong with the file."""
        lengths = [len(value) for value in row if isinstance(value, (str, bytes))]
        self.rows -= 1
        self.text -= sum(lengths)
        if max(lengths, default=0) > _MAX_VALUE:
            return TOO_LONG
        if self.rows < 0 or self.text < 0:
            return "it is larger than any tuner writes; use another file"
        return None
