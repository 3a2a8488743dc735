"""Where the time of a run goes."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TypeVar

Step = TypeVar("Step")


class Stopwatch:
    """Seconds by what they were spent on, each second once: of what is timed within something else, the inner counts.

    The clock may start anywhere.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._clock = clock
        self._inner_s = 0.0  # timed within what is being timed

    @contextlib.contextmanager
    def on(self, what: str) -> Iterator[None]:
        began_s, outer_s = self._clock(), self._inner_s
        self._inner_s = 0.0
        try:
            yield
        finally:
            whole_s = self._clock() - began_s
            self.seconds[what] += whole_s - self._inner_s
            self._inner_s = outer_s + whole_s


class OwnTime:
    """A clock that stands still but for the steps of one who takes turns with others."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._spent_s = 0.0
        self._since: float | None = None

    def __call__(self) -> float:
        return self._spent_s + (self._clock() - self._since if self._since is not None else 0.0)

    def add(self, seconds: float) -> None:
        """Count seconds in which nobody had a turn."""
        self._spent_s += seconds

    def of(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Yield the steps of an iterator, whose time this is."""
        while True:
            self._since = self._clock()
            try:
                step = next(steps)
            except StopIteration:
                return
            finally:
                self._spent_s, self._since = self(), None
            yield step
