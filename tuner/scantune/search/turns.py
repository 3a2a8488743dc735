"""Lets several go on in turns, so that one uses the device while others wait for compilers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from scantune.worker.compile_pool import Waits

Steps = Generator[Waits, None, None]  # yields what the next step waits for


@dataclass
class _Active:
    steps: Steps
    waits: Waits | None = field(default_factory=list)

    @property
    def is_ready(self) -> bool:
        return all(future.done() for future in self.waits or [])


def in_turns(next_one: Callable[[], Steps | None], abreast: int) -> None:
    """Begin and end them all, at most `abreast` at once: `next_one` returns one to begin, or None while there is none.

    Each step is that of the first whose compilations are done. Where none is ready the oldest waits, and all with it.
    """
    active: list[_Active] = []
    try:
        while True:
            while len(active) < abreast and (steps := next_one()) is not None:
                active.append(_Active(steps))
            if not active:
                return
            place = next((place for place, one in enumerate(active) if one.is_ready), 0)
            one = active[place]
            one.waits = next(one.steps, None)
            del active[place]
            if one.waits is not None:
                active.append(one)  # so that each has its turn
    finally:
        for one in active:
            one.steps.close()
