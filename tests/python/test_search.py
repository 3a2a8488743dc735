"""Proposals: valid, never twice, and better than chance."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from conftest import SUM, TABLES
from fake_worker import space as fake_space
from fake_worker import true_us
from scantune.model.config import Config
from scantune.model.space import Space
from scantune.search.proposals import Search


@pytest.fixture
def space() -> Space:
    return Space.from_message(fake_space(SUM.request(2**16)), TABLES)


def time_of(config: Config) -> float:
    return true_us(SUM.request(2**16), config.message())


def proposals(search: Search) -> Iterator[Config]:
    while (config := search.suggest()) is not None:
        yield config


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_valid_config_comes_exactly_once(space: Space, seed: int) -> None:
    search = Search(space, seed, patience=1000)
    seen = []
    for config in proposals(search):
        seen.append(config)
        search.tell(config, None if len(seen) % 5 == 0 else time_of(config))
    assert len(seen) == len(set(seen)) == len(space)
    assert set(seen) == set(space.searched)


def test_configs_tried_before_are_not_proposed(space: Space) -> None:
    search = Search(space, 1, patience=1000)
    known = list(space.searched)[::3]
    for config in known:
        search.tell(config, time_of(config))
    assert not set(known) & set(proposals(search))


def test_a_batch_of_proposals_without_answers_holds_no_config_twice(space: Space) -> None:
    search = Search(space, 1, patience=1000)
    batch = [search.suggest() for _ in range(20)]
    assert len(set(batch)) == 20


def test_config_off_the_grid_is_learned_from(space: Space) -> None:
    search = Search(space, 1, patience=1000)
    off = Config("lookback", (("block_threads", 500), ("items_per_thread", 7), ("layout", "direct"), ("window", 8)))
    search.tell(off, 1.0)
    assert not search.take(off)
    assert search.suggest() is not None


def test_search_beats_random_choice(space: Space) -> None:
    """The measure is the median rank of the best of 25 trials, over a dozen seeds."""
    ranking = sorted(space.searched, key=time_of)

    def best_rank_of_search(seed: int) -> int:
        search, best = Search(space, seed, patience=1000), len(ranking)
        for _ in range(25):
            config = search.suggest()
            assert config
            search.tell(config, time_of(config))
            best = min(best, ranking.index(config))
        return best

    searched = sorted(best_rank_of_search(seed) for seed in range(12))
    drawn = sorted(min(random.Random(seed).sample(range(len(ranking)), 25)) for seed in range(12))
    assert searched[6] <= drawn[6]


def test_what_is_not_legal_is_not_proposed_and_what_is_legal_beyond_the_list_is(space: Space) -> None:
    search = Search(space, 1, 1000, lambda config: dict(config.values).get("window") == 8)
    for config in space.defaults:
        search.tell(config, time_of(config))
    beyond = []
    for config in itertools.islice(proposals(search), 60):
        search.tell(config, time_of(config))
        beyond += [] if space.lists(config) else [config]
    assert beyond
    assert {dict(config.values)["window"] for config in beyond} == {8}


def test_family_that_is_far_behind_or_never_works_is_proposed_only_when_nothing_else_is_left(space: Space) -> None:
    search = Search(space, 1, patience=1000)
    for config in space.defaults:
        search.tell(config, 1.0 if config.family == "lookback" else 2.0 if config.family == "single_block" else None)
    assert search.may_win("lookback")
    assert not search.may_win("single_block")
    assert {config.family for config in itertools.islice(proposals(search), 30)} == {"lookback"}


def test_time_of_a_config_that_failed_later_is_forgotten(space: Space) -> None:
    search = Search(space, 1, patience=1000)
    times = {"lookback": 1.0, "single_block": 2.0}
    for config in space.defaults:
        search.tell(config, times.get(config.family))
    assert not search.may_win("single_block")
    search.tell(space.families["lookback"].default or space.default, None)
    assert search.may_win("single_block")


def test_estimate_of_what_is_left_falls_while_nothing_is_gained(space: Space) -> None:
    search = Search(space, 1, patience=1000)
    for config in space.defaults:
        search.tell(config, time_of(config))
    left = [search.may_gain]
    for config in itertools.islice(proposals(search), 120):
        search.tell(config, time_of(config))
        left.append(search.may_gain)
    assert left[0] > 0.04
    assert left[-1] < 0.02


def test_neighbours_differ_in_one_parameter_by_one_step(space: Space) -> None:
    config = Config("lookback", (("block_threads", 256), ("items_per_thread", 5), ("layout", "direct"), ("window", 32)))
    values = dict(config.values)
    steps = [
        {name: value for name, value in near.values if value != values[name]}
        for near in space.families["lookback"].neighbours(config)
    ]
    assert steps == [
        {"block_threads": 128},
        {"block_threads": 512},
        {"items_per_thread": 4},
        {"items_per_thread": 8},
        {"layout": "striped"},
        {"layout": "warp_transposed"},
        {"window": 8},
    ]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"families": []}, "no families"),
        ({"families": None}, "no families"),
        ({"default_config": {"family": "lookback"}}, "parameters of lookback"),
    ],
)
def test_space_that_is_none_is_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Space.from_message({**fake_space(SUM.request(1024)), **change}, TABLES)


@pytest.mark.parametrize("rows", [[[0, 0, 9]], [[0, 0]], [[0, 0, -1]], [["x", 0, 0]], None, [[99999999, 0, 0]]])
def test_space_with_an_index_without_a_value_is_refused(rows: object) -> None:
    message = fake_space(SUM.request(1024))
    message["families"][0]["configs"] = rows
    with pytest.raises(ValueError, match="single_block"):
        Space.from_message(message, TABLES)
