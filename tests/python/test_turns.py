"""Whose compilations are done goes on, in turns."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

import pytest

from scantune.model.trial import Failure
from scantune.search.turns import Steps, in_turns
from scantune.worker.compile_pool import Waits

Compilation = Future[float | Failure]


def one_after_the_other(begin: list[Steps]) -> Callable[[], Steps | None]:
    return lambda: begin.pop(0) if begin else None


def told(name: str, waits: list[Waits], log: list[str]) -> Steps:
    try:
        for step in waits:
            log.append(name)
            yield step
    finally:
        log.append(f"{name} ends")


def test_each_has_its_turn_and_the_next_begins_when_one_ends() -> None:
    log: list[str] = []
    in_turns(one_after_the_other([told("a", [[]], log), told("b", [[], []], log), told("c", [[]], log)]), abreast=2)
    assert log == ["a", "b", "a ends", "b", "c", "b ends", "c ends"]


def test_others_go_on_while_one_waits_for_its_compilation() -> None:
    log: list[str] = []
    compilation = Compilation()

    def quick() -> Steps:
        yield from told("quick", [[], []], log)
        compilation.set_result(1.0)

    in_turns(one_after_the_other([told("slow", [[compilation]], log), quick()]), abreast=2)
    assert log == ["slow", "quick", "quick", "quick ends", "slow ends"]


def test_oldest_goes_on_where_all_wait_and_waits_itself() -> None:
    log: list[str] = []
    never = Compilation()
    in_turns(one_after_the_other([told("a", [[never]], log), told("b", [[never]], log)]), abreast=2)
    assert log == ["a", "b", "a ends", "b ends"]


def test_an_error_of_one_closes_the_others() -> None:
    log: list[str] = []

    def failing() -> Steps:
        yield []
        raise ValueError("lost")

    with pytest.raises(ValueError, match="lost"):
        in_turns(one_after_the_other([failing(), told("other", [[Compilation()]], log)]), abreast=2)
    assert log == ["other", "other ends"]
