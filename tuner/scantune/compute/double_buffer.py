"""A pair of arrays of which a sort reads one and may overwrite both."""

from __future__ import annotations

from typing import Any


class DoubleBuffer:
    """After a sort current() is the array with the results; the other one holds anything."""

    def __init__(self, d_current: Any, d_alternate: Any) -> None:
        self.d_buffers = [d_current, d_alternate]
        self.selector = 0

    def current(self) -> Any:
        """Return the array that holds the items."""
        return self.d_buffers[self.selector]

    def alternate(self) -> Any:
        """Return the other array."""
        return self.d_buffers[1 - self.selector]
