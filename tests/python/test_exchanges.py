"""Exchanges: a number goes up and another down by the same factor, and a search tries them where it stands still."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from conftest import SUM, TABLES
from fake_worker import space as fake_space
from scantune.model.config import Config
from scantune.model.space import Parameter, Space
from scantune.search import proposals as proposing
from scantune.search.exchanges import changed, exchanges, single_changes
from scantune.search.neighbour_sampler import PROPOSED
from scantune.search.proposals import Kind
from scantune.search.study import SearchStudy
from studies import proposals, study_of, tell, tried

THREADS = Parameter("threads", True, (128, 256, 512, 640, 1024))
ITEMS = Parameter("items", True, (4, 8, 16))
LAYOUT = Parameter("layout", True, ("direct", "striped"))
WARPS = Parameter("warps", False, (0, 1, 2))
PARAMETERS = (THREADS, ITEMS, LAYOUT, WARPS)


def values(indices: tuple[int, ...]) -> tuple[object, ...]:
    return tuple(parameter.values[index] for parameter, index in zip(PARAMETERS, indices, strict=True))


def test_exchanges_keep_the_product_of_two_numbers_and_take_the_nearest_value_that_does() -> None:
    found = {values(one) for one in exchanges(PARAMETERS, (2, 1, 0, 1))}
    assert found == {
        (1024, 4, "direct", 1),  # not 640 threads: no number of items makes the same tile of them
        (256, 16, "direct", 1),
        (256, 8, "direct", 2),
        (512, 4, "direct", 2),
    }


def test_number_that_is_0_takes_no_part_in_exchanges() -> None:
    delay = Parameter("delay", False, (0, 200))
    assert list(exchanges((WARPS, delay), (0, 1))) == []


def test_changes_of_an_exchange_are_those_that_together_make_it() -> None:
    assert single_changes((2, 1, 0, 1), (4, 0, 0, 1)) == [(4, 1, 0, 1), (2, 0, 0, 1)]
    assert changed((2, 1, 0, 1), 2, 1) == (2, 1, 1, 1)


FEW = {"block_threads": 128, "items_per_thread": 32, "layout": "direct", "window": 8}
MANY = {**FEW, "block_threads": 256, "items_per_thread": 16}


@pytest.fixture
def space() -> Space:
    return Space.from_message(fake_space(SUM.request(2**16)), TABLES)


def time_of(config: Config) -> float:
    """Any other tile than one of 4096 items costs much; of those that have it, more threads gain a little."""
    of = {name: value for name, value in config.values if isinstance(value, int)}
    tile = of["block_threads"] * of["items_per_thread"]
    departures = sum(FEW[name] != value for name, value in config.values if name in ("layout", "window"))
    return 1.0 + 0.5 * abs(math.log2(tile / 4096)) + 0.2 * departures - 0.05 * math.log2(of["block_threads"] / 128)


def standing_still(
    space: Space, is_legal: Callable[[Config], bool] = lambda config: True, is_resumed: bool = False
) -> SearchStudy:
    """Return a search that knows a config of few threads and what is a step from it, all of which is slower."""
    family = space.families["lookback"]
    search = study_of(replace(space, families={"lookback": family}), is_legal=is_legal)
    few = family.table.config(FEW)
    for config in [few, *family.neighbours(few)]:
        if is_resumed:
            search.add(tried(config, time_of(config)))
        else:
            tell(search, config, time_of(config))
    return search


def suggestions(search: SearchStudy, count: int) -> list[Config]:
    return list(itertools.islice(proposals(search), count))


def test_search_that_stands_still_tries_the_exchange_that_gains_before_long(space: Space) -> None:
    many = space.families["lookback"].table.config(MANY)
    assert time_of(many) < time_of(space.families["lookback"].table.config(FEW))
    assert many in suggestions(standing_still(space), 8)


def test_no_exchange_is_tried_before_so_many_trials_brought_no_gain(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = space.families["lookback"].table.config(MANY)
    monkeypatch.setattr(proposing, "_EXCHANGE_AFTER", 1000)
    assert many not in suggestions(standing_still(space), 8)


def test_exchange_that_is_illegal_is_not_tried(space: Space) -> None:
    family = space.families["lookback"]
    few = family.table.config(FEW)
    listed = {few, *family.neighbours(few)}
    unlisted = family.with_rows([row for row in map(tuple, family.indices.tolist()) if family.config(row) in listed])
    search = standing_still(replace(space, families={"lookback": unlisted}), lambda config: False)
    assert suggestions(search, 8) == []


def test_exchanges_in_vain_do_not_use_up_the_patience(space: Space) -> None:
    search = standing_still(space)
    before = told = search.in_vain
    for config in itertools.islice(proposals(search), 20):
        tell(search, config, 3.0)
        told += 1
    assert before < search.in_vain < told


@pytest.mark.parametrize("is_resumed", [False, True])
def test_trials_of_an_earlier_search_bring_no_exchange_nearer(space: Space, is_resumed: bool) -> None:
    search = standing_still(space, is_resumed=is_resumed)
    for config in suggestions(search, 4):
        tell(search, config, 3.0)
    kinds = [trial.system_attrs[PROPOSED][0] for trial in search.trials if PROPOSED in trial.system_attrs]
    assert (Kind.exchange.value in kinds) == (not is_resumed)
