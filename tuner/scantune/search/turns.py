"""Turns among several activities, so that one uses the device while others wait for compilers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from scantune.worker.compile_pool import CompilePool, Waits
from scantune.worker.stopwatch import Stopwatch

_WAITING = "waiting for compilers"

Steps = Generator[Waits, None, None]  # yields what the next step waits for


@dataclass(eq=False)
class _Active:
    steps: Steps
    waits: Waits | None = field(default_factory=list)

    @property
    def is_ready(self) -> bool:
        return all(future.done() for future in self.waits or [])


def in_turns(
    next_one: Callable[[], Steps | None], most: int, pool: CompilePool, stopwatch: Stopwatch,
    waited: Callable[[float], None] = lambda seconds: None,
) -> None:  # fmt: skip
    """Run all that `next_one` returns to their ends, at most `most` at once; None means that nothing can begin now.

    A step is taken where the compilations that it waits for are done. `waited` is told the seconds in which none was
    ready.
    """
    abreast = pool.abreast(most)
    active: list[_Active] = []
    try:
        while True:
            while len(active) < abreast and (steps := next_one()) is not None:
                active.append(_Active(steps))
            if not active:
                return
            if (one := next((one for one in active if one.is_ready), None)) is None:
                before_s = stopwatch.seconds[_WAITING]
                with stopwatch.on(_WAITING):
                    pool.wait_for_any([future for one in active for future in one.waits or () if not future.done()])
                waited(stopwatch.seconds[_WAITING] - before_s)
                continue
            one.waits = next(one.steps, None)
            active.remove(one)
            if one.waits is not None:
                active.append(one)  # at the end, so that each has its turn
    finally:
        for one in active:
            one.steps.close()
