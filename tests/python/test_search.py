"""Proposals: valid, never twice, and better than chance."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from optuna.trial import TrialState

from conftest import SUM, TABLES
from fake_worker import space as fake_space
from fake_worker import true_us
from scantune.model.config import Config
from scantune.model.space import Space
from scantune.search.neighbour_sampler import PROPOSED
from scantune.search.sampler_names import Sampler
from studies import FAILURE, proposals, study_of, tell, tried


@pytest.fixture
def space() -> Space:
    return Space.from_message(fake_space(SUM.request(2**16)), TABLES)


def time_of(config: Config) -> float:
    return true_us(SUM.request(2**16), config.message())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_valid_config_comes_exactly_once(space: Space, seed: int) -> None:
    search = study_of(space, seed)
    seen = []
    for config in proposals(search):
        seen.append(config)
        tell(search, config, None if len(seen) % 5 == 0 else time_of(config))
    assert len(seen) == len(set(seen)) == len(space)
    assert set(seen) == set(space.searched)


def test_nothing_is_tried_where_nothing_is_left_to_propose(space: Space) -> None:
    """What a study draws at random may be legal all the same."""
    search = study_of(space, is_legal=lambda config: True)
    for config in space.defaults:
        tell(search, config, time_of(config))
    for config in proposals(search):
        tell(search, config, time_of(config))
    assert [search.ask() for _ in range(8)] == [None] * 8
    begun = [trial for trial in search.trials[len(space.defaults) :] if PROPOSED not in trial.system_attrs]
    assert [trial.state for trial in begun] == [TrialState.FAIL]


def test_configs_tried_before_are_not_proposed(space: Space) -> None:
    search = study_of(space)
    known = list(space.searched)[::3]
    for config in known:
        search.add(tried(config, time_of(config)))
    assert not set(known) & set(proposals(search))


def test_a_batch_of_proposals_without_answers_holds_no_config_twice(space: Space) -> None:
    search = study_of(space)
    batch = [search.ask() for _ in range(20)]
    assert len(set(batch)) == 20


def test_config_off_the_grid_is_learned_from(space: Space) -> None:
    search = study_of(space)
    off = Config("lookback", (("block_threads", 500), ("items_per_thread", 7), ("layout", "direct"), ("window", 8)))
    tell(search, off, 1.0)
    near = {"block_threads": 512, "items_per_thread": 8, "layout": "direct", "window": 8}
    near_off = space.families["lookback"].table.config(near)
    proposed = search.ask()
    assert proposed
    assert proposed != near_off
    differing = [name for name, value in proposed.values if near[name] != value]
    assert proposed.family == "lookback"
    assert 1 <= len(differing) <= 2


def test_search_beats_random_choice(space: Space) -> None:
    """The measure is the median rank of the best of 25 trials, over a dozen seeds."""
    ranking = sorted(space.searched, key=time_of)

    def best_rank_of_search(seed: int) -> int:
        search, best = study_of(space, seed), len(ranking)
        for config in itertools.islice(proposals(search), 25):
            tell(search, config, time_of(config))
            best = min(best, ranking.index(config))
        return best

    searched = sorted(best_rank_of_search(seed) for seed in range(12))
    drawn = sorted(min(random.Random(seed).sample(range(len(ranking)), 25)) for seed in range(12))
    assert searched[6] <= drawn[6]


def test_what_is_not_legal_is_not_proposed_and_what_is_legal_beyond_the_list_is(space: Space) -> None:
    search = study_of(space, is_legal=lambda config: dict(config.values).get("window") == 8)
    for config in space.defaults:
        tell(search, config, time_of(config))
    beyond = []
    for config in itertools.islice(proposals(search), 60):
        tell(search, config, time_of(config))
        beyond += [] if space.lists(config) else [config]
    assert beyond
    assert {dict(config.values)["window"] for config in beyond} == {8}


def test_family_that_is_far_behind_or_never_works_is_proposed_only_when_nothing_else_is_left(space: Space) -> None:
    search = study_of(space)
    for config in space.defaults:
        tell(search, config, 1.0 if config.family == "lookback" else 2.0 if config.family == "single_block" else None)
    assert {config.family for config in itertools.islice(proposals(search), 30)} == {"lookback"}


def test_time_of_a_config_that_failed_later_is_forgotten(space: Space) -> None:
    search = study_of(space)
    times = {"lookback": 1.0, "single_block": 2.0}
    for config in space.defaults:
        tell(search, config, times.get(config.family))
    assert {config.family for config in itertools.islice(proposals(search), 8)} == {"lookback"}
    search.fail(space.families["lookback"].default or space.default, FAILURE)
    assert {config.family for config in itertools.islice(proposals(search), 8)} == {"single_block"}


def test_estimate_of_what_is_left_falls_while_nothing_is_gained(space: Space) -> None:
    search = study_of(space)
    for config in space.defaults:
        tell(search, config, time_of(config))
    first = search.may_gain
    for config in itertools.islice(proposals(search), 120):
        tell(search, config, time_of(config))
    last = search.may_gain
    assert first
    assert last
    assert first > 0.04
    assert last < 0.02


def test_trials_in_vain_are_counted_since_the_last_gain_of_this_search(space: Space) -> None:
    search = study_of(space)
    first, second, third, fourth, fifth = itertools.islice(space.searched, 5)
    search.add(tried(first, 5.0))
    counts = []
    for config, time_us in ((second, 6.0), (third, None), (fourth, 4.0), (fifth, 3.999)):
        tell(search, config, time_us)
        counts.append(search.in_vain)
    assert counts == [1, 2, 0, 1]


@pytest.mark.parametrize("sampler", [one for one in Sampler if one is not Sampler.gp])
def test_each_sampler_proposes_legal_configs_once_and_only_the_own_one_tells_what_is_left(
    space: Space, sampler: Sampler
) -> None:
    search = study_of(space, is_legal=lambda config: dict(config.values).get("window") == 8, sampler=sampler)
    for config in space.defaults:
        tell(search, config, time_of(config))
    seen = list(itertools.islice(proposals(search), 40))
    assert len(seen) == len({*seen, *space.defaults}) - len(space.defaults) == 40
    assert all(space.lists(config) or dict(config.values).get("window") == 8 for config in seen)
    assert (search.may_gain is None) == (sampler is not Sampler.default)


def test_listed_config_of_a_family_with_fixed_values_takes_no_place_of_another_where_it_is_illegal(
    space: Space,
) -> None:
    fixed = space.families["lookback"].fixed_to({"window": 8})
    even = replace(space, families={"lookback": fixed})
    search = study_of(
        even, is_legal=lambda config: dict(config.values)["items_per_thread"] == 4, sampler=Sampler.random
    )
    assert {dict(config.values)["items_per_thread"] for config in itertools.islice(proposals(search), 20)} == {4}


def test_illegal_proposal_gives_way_to_the_nearest_legal_config_that_was_not_tried(space: Space) -> None:
    family = space.families["lookback"]
    listed = family.with_rows([family.indices_of(config) or () for config in family.neighbours(family.default)])
    search = study_of(replace(space, families={"lookback": listed}, default=family.default), sampler=Sampler.random)
    first = list(itertools.islice(proposals(search), len(listed)))
    assert {*first} == {*family.neighbours(family.default)}
    assert search.ask() is None


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
