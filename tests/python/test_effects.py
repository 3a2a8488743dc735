"""Effects of parameters that other problems tell, and their use by a search."""

from __future__ import annotations

import json
from dataclasses import replace

from conftest import SUM
from examples import scan
from scantune import paths
from scantune.cli.replay import shipped_spaces
from scantune.model.problem import Problem
from scantune.model.recorded_space import RecordedConfig, RecordedSpace
from scantune.search.effects import Effects, learned_from, shipped_effects
from scantune.search.replay import effects_for
from scantune.store.space_file import read_space
from test_sweep import swept

FAMILY = "lookback"
LAYOUTS = {"direct": 1.5, "striped": 1.0, "warp_transposed": 1.1}


def space(problem: Problem = SUM, n: int = 2**16) -> RecordedSpace:
    """Return a space in which the layout alone decides the times of configs."""
    recorded = swept()

    def timed(one: RecordedConfig) -> RecordedConfig:
        return replace(one, samples_us=(LAYOUTS.get(str(dict(one.config.values).get("layout")), 2.0),), final_us=())

    working = (one for one in recorded.configs if not one.failure)
    return replace(recorded, problem=problem, n=n, configs=tuple(map(timed, working)))


def test_effects_tell_what_changes_of_a_value_did() -> None:
    learned = learned_from([space()] * 3)
    layout = learned.find(FAMILY, "layout")
    assert layout
    assert layout.effects["striped"] < layout.effects["warp_transposed"] < layout.effects["direct"]
    assert 0.2 < layout.effects["direct"] - layout.effects["striped"] < 0.41  # drawn towards no effect, from log 1.5
    threads = learned.find(FAMILY, "block_threads")
    assert threads
    assert max(map(abs, threads.effects.values())) < 1e-9
    assert threads.deviation < layout.deviation


def test_effects_that_problems_do_not_agree_on_are_smaller_and_uncertain() -> None:
    one = space()
    inverse = tuple(replace(config, samples_us=(1 / config.samples_us[0],)) for config in one.configs)
    alone, both = learned_from([one] * 4), learned_from([one, replace(one, configs=inverse)] * 2)
    sure, unsure = alone.find(FAMILY, "layout"), both.find(FAMILY, "layout")
    assert sure
    assert unsure
    assert abs(unsure.effects["direct"]) < abs(sure.effects["direct"])
    assert unsure.deviation > 2 * sure.deviation


def test_what_a_problem_is_searched_with_it_has_not_told_itself_at_any_size() -> None:
    own, same, other = space(), space(n=2**20), space(scan("f64"))
    others = [replace(other, n=n) for n in (2**10, 2**16, 2**20)]
    assert effects_for(own, [own, same]) == Effects()
    assert effects_for(own, [own, same, *others]) == learned_from(others) != Effects()


def test_effects_that_are_written_are_read_again() -> None:
    message = learned_from([space()] * 3).message()
    assert message
    assert Effects.from_message(json.loads(json.dumps(message))).message() == message


def test_shipped_effects_are_what_the_shipped_spaces_tell() -> None:
    """After a change of either, run python tests/bench/learn_effects.py."""
    told = learned_from(read_space(file) for file in shipped_spaces()).message()
    assert json.loads((paths.sql_directory() / "effects.json").read_text(encoding="utf-8")) == told
    assert shipped_effects().message() == told
