"""Clocks that tell what the time of a run was spent on."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TypeVar

Step = TypeVar("Step")


class Stopwatch:
    """Seconds by what they were spent on. Each second counts once: if one thing is timed within another, for the inner.

    The clock may start anywhere.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._clock = clock
        self._inner_s = 0.0  # seconds that were timed within what is being timed

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
    """A clock that runs only during the steps of one of several activities that take turns."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._spent_s = 0.0
        self._since: float | None = None

    def __call__(self) -> float:
        return self._spent_s + (self._clock() - self._since if self._since is not None else 0.0)

    def add(self, seconds: float) -> None:
        """Count seconds in which no activity had a turn."""
        self._spent_s += seconds

    def of(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Yield the steps of an iterator, and count their time."""
        while True:
            self._since = self._clock()
            try:
                step = next(steps)
            except StopIteration:
                return
            finally:
                self._spent_s, self._since = self(), None
            yield step
