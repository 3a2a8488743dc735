"""Turns: an activity goes on once its compilations are done."""

from __future__ import annotations

from concurrent.futures import Future
from typing import cast

import pytest

from scantune.model.trial import Failure
from scantune.search.turns import Steps, in_turns
from scantune.worker.compile_pool import CompilePool, Waits
from scantune.worker.stopwatch import Stopwatch

Compilation = Future[float | Failure]


class Compilers:
    """Two processes, which finish the first compilation that is waited for."""

    def abreast(self, most: int) -> int:
        return min(most, 3)

    def wait_for_any(self, futures: list[Compilation]) -> None:
        futures[0].set_result(1.0)


def run(begin: list[Steps], most: int) -> None:
    in_turns(lambda: begin.pop(0) if begin else None, most, cast(CompilePool, Compilers()), Stopwatch())


def told(name: str, waits: list[Waits], log: list[str]) -> Steps:
    try:
        for step in waits:
            log.append(name)
            yield step
    finally:
        log.append(f"{name} ends")


def test_each_has_its_turn_and_the_next_begins_when_one_ends() -> None:
    log: list[str] = []
    run([told("a", [[]], log), told("b", [[], []], log), told("c", [[]], log)], most=2)
    assert log == ["a", "b", "a ends", "b", "c", "b ends", "c ends"]


def test_others_go_on_while_one_waits_for_its_compilation() -> None:
    log: list[str] = []
    compilation = Compilation()

    def quick() -> Steps:
        yield from told("quick", [[], []], log)
        compilation.set_result(1.0)

    run([told("slow", [[compilation]], log), quick()], most=2)
    assert log == ["slow", "quick", "quick", "quick ends", "slow ends"]


def test_where_all_wait_the_first_whose_compilation_ends_goes_on() -> None:
    log: list[str] = []
    never, soon = Compilation(), Compilation()
    soon.set_running_or_notify_cancel()
    run([told("a", [[never, soon]], log), told("b", [[soon]], log), told("c", [[]], log)], most=9)
    assert log == ["a", "b", "c", "c ends", "a ends", "b ends"]


def test_no_more_are_under_way_than_compilers_can_serve() -> None:
    log: list[str] = []
    run([told(name, [[]], log) for name in "abcd"], most=9)
    assert log.index("d") > log.index("a ends")


def test_an_error_of_one_closes_the_others() -> None:
    log: list[str] = []

    def failing() -> Steps:
        yield []
        raise ValueError("lost")

    with pytest.raises(ValueError, match="lost"):
        run([failing(), told("other", [[Compilation()]], log)], most=2)
    assert log == ["other", "other ends"]
