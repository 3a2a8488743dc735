"""The order of searches and their shares of a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conftest import QUICK, SUM
from scantune.model.cell import Cell
from scantune.search.agenda import Agenda, Turn
from scantune.search.time_model import TimeModel

MODEL = TimeModel(search_s=1.0, search_byte_s=0.0, trial_s=0.1, trial_byte_s=0.0)
POLICY = replace(QUICK, trials=100)  # a search takes 1 s beside its trials, which take 10 s
LEAST_S = 1.2  # time of the least number of trials
SIZES = [2**k for k in range(22, 31)]


def alike(_: Cell) -> float:
    return 0.05


def more_at_24(cell: Cell) -> float:
    return 0.1 if cell.n == 2**24 else 0.05


def turns(agenda: Agenda, budget_s: float) -> list[Turn]:
    """Return the turns when every search takes all of its share."""
    taken = []
    while turn := agenda.next(budget_s):
        budget_s -= 1.0 + turn.trials_s
        taken.append(turn)
    return taken


def agenda(promise: Callable[[Cell], float] = alike) -> Agenda:
    return Agenda([Cell(SUM, n) for n in reversed(SIZES)], promise, MODEL, POLICY)


@pytest.mark.parametrize("budget_s", [2.2, 5.0, 10.0, 19.8, 30.0, 99.0, 500.0])
def test_every_turn_pays_for_a_few_trials_and_all_end_within_the_budget(budget_s: float) -> None:
    taken = turns(agenda(), budget_s)
    assert all(turn.trials_s >= LEAST_S - 1e-9 for turn in taken)
    assert sum(1.0 + turn.trials_s for turn in taken) == pytest.approx(budget_s)


def test_what_a_short_budget_leaves_out_is_what_costs_most_of_what_gains_alike() -> None:
    short = agenda()
    assert [turn.cell.n for turn in turns(short, 10.0)] == SIZES[:4]
    assert [cell.n for cell in short.left_out] == SIZES[4:]


def test_what_may_gain_most_comes_first_and_gets_the_greatest_share() -> None:
    first, second, *_ = turns(agenda(more_at_24), 99.0)
    assert (first.cell.n, second.cell.n) == (2**24, 2**22)
    assert first.trials_s > 1.5 * second.trials_s


def test_cell_in_which_nothing_is_to_be_gained_gets_no_turn() -> None:
    taken = turns(agenda(lambda cell: 0.0 if cell.n > 2**24 else 0.05), 99.0)
    assert [turn.cell.n for turn in taken] == SIZES[:3]


def test_promise_that_is_gone_by_then_costs_no_turn() -> None:
    promises = dict.fromkeys(SIZES, 0.05)
    changing = agenda(lambda cell: promises[cell.n])
    assert changing.next(99.0)
    promises[SIZES[1]] = 0.0
    turn = changing.next(99.0)
    assert turn
    assert turn.cell.n == SIZES[2]


def test_budget_for_everything_is_shared_alike_by_searches_that_cost_alike() -> None:
    shares = [turn.trials_s for turn in turns(agenda(), 99.0)]
    assert shares == pytest.approx([10.0] * len(SIZES))


def test_first_search_gets_its_turn_however_short_the_budget_is() -> None:
    first = agenda().next(0.1)
    assert first
    assert first.cell.n == SIZES[0]


def test_time_that_a_search_leaves_over_goes_to_those_after_it() -> None:
    planned, quick = agenda(), agenda()
    for one in (planned, quick):
        one.next(99.0)
    usual, more = planned.next(88.0), quick.next(98.0)
    assert usual
    assert more
    assert more.trials_s > usual.trials_s
