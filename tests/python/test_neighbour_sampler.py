"""The sampler as others may use it: on any study of categories and integers, and with nothing but its trials."""

from __future__ import annotations

import itertools
import pickle
import statistics
from collections.abc import Callable
from typing import Any

import optuna
import pytest
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import TrialState

from scantune.search import neighbour_sampler
from scantune.search.neighbour_sampler import REJECTED, NeighbourSampler, branches_of, values_of

optuna.logging.set_verbosity(optuna.logging.ERROR)

Objective = Callable[[optuna.Trial], float]


def flat(trial: optuna.Trial) -> float:
    """Return what is least, -4, at one place; integers, a long range of them, and words."""
    tile = trial.suggest_int("tile", 0, 12)
    width = trial.suggest_int("width", 1, 1024, log=True)
    layout = trial.suggest_categorical("layout", ["direct", "striped", "transposed"])
    stages = trial.suggest_categorical("stages", [2, 4, 8, 16])
    shape = abs(tile - 7) / 3 + abs(width.bit_length() - 6) / 2
    return shape + {"direct": 1.0, "striped": 0.0, "transposed": 0.4}[layout] + abs(stages - 8) / 8 - 4.0


def branched(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("kind", ["tree", "chain"]) == "tree":
        return 1.0 + abs(trial.suggest_int("fan", 2, 9) - 5) / 9
    return 0.5 + abs(trial.suggest_int("window", 1, 32) - 20) / 16 + 0.2 * trial.suggest_int("copies", 0, 3)


def study(sampler: BaseSampler, direction: str = "minimize") -> optuna.Study:
    return optuna.create_study(sampler=sampler, direction=direction)


def best_of(objective: Objective, sampler: BaseSampler, trials: int = 50) -> float:
    made = study(sampler)
    made.optimize(objective, n_trials=trials)
    return made.best_value


@pytest.mark.parametrize("objective", [flat, branched])
def test_it_is_ahead_of_chance_on_studies_that_it_knows_nothing_of(objective: Objective) -> None:
    own = statistics.median(best_of(objective, NeighbourSampler(seed)) for seed in range(5))
    drawn = statistics.median(best_of(objective, RandomSampler(seed)) for seed in range(5))
    assert own < drawn


def test_what_is_maximised_is_found_alike() -> None:
    least, most = study(NeighbourSampler(3)), study(NeighbourSampler(3), "maximize")
    least.optimize(flat, n_trials=30)
    most.optimize(lambda trial: -flat(trial), n_trials=30)
    assert [one.params for one in least.trials] == [one.params for one in most.trials]


@pytest.mark.parametrize("objective", [flat, branched])
def test_it_keeps_nothing_that_the_trials_do_not_hold(objective: Objective) -> None:
    kept, forgotten = study(NeighbourSampler(1)), study(NeighbourSampler(1))
    for number in range(16):
        forgotten.sampler = pickle.loads(pickle.dumps(NeighbourSampler(1)))
        for one in (kept, forgotten):
            trials = [one.ask() for _ in range(2)]
            values = [objective(trial) for trial in trials]
            for trial, value in zip(reversed(trials), reversed(values), strict=True):
                one.tell(trial, value) if number % 7 else one.tell(trial, state=TrialState.PRUNED)
    assert [one.params for one in kept.trials] == [one.params for one in forgotten.trials]


def test_two_samplers_of_one_study_propose_nothing_that_the_other_one_tries() -> None:
    shared = study(NeighbourSampler(1))
    shared.optimize(flat, n_trials=10)
    running = []
    for seed in (1, 1, 2, 2, 1):
        shared.sampler = NeighbourSampler(seed)
        trial = shared.ask()
        flat(trial)
        running.append(tuple(trial.params.items()))
    assert len(set(running)) == len(running)


def test_rejected_trial_counts_as_failed() -> None:
    made = study(NeighbourSampler(1))
    made.optimize(flat, n_trials=20)
    twin = study(NeighbourSampler(1))
    twin.add_trials(made.trials)
    best = made.best_trial
    made.set_user_attr(REJECTED.format(best.number), "wrong_result: index 17")

    def proposed_near(one: optuna.Study) -> int:
        trials = [one.ask() for _ in range(6)]
        for trial in trials:
            flat(trial)
        return sum(sum(trial.params[name] != value for name, value in best.params.items()) == 1 for trial in trials)

    assert proposed_near(made) < proposed_near(twin)


def test_other_parameters_and_those_of_another_range_are_drawn() -> None:
    made = study(NeighbourSampler(1))

    def objective(trial: optuna.Trial) -> float:
        rate = trial.suggest_float("rate", 0.0, 1.0)
        return rate + trial.suggest_int("steps", 0, 3 if trial.number < 20 else 30)

    made.optimize(objective, n_trials=40)
    assert all(0 <= one.params["rate"] <= 1 for one in made.trials)
    later = [one.params["steps"] for one in made.trials[21:]]
    assert len(set(later)) == len(later)  # it samples the range as it is now, and no place twice


def test_study_of_several_objectives_is_refused() -> None:
    made = optuna.create_study(sampler=NeighbourSampler(), directions=["minimize", "minimize"])
    with pytest.raises(ValueError, match="one objective"):
        made.ask({"n": optuna.distributions.IntDistribution(0, 3)})


def test_branches_are_told_apart_by_the_parameters_that_decide() -> None:
    made = study(RandomSampler(1))
    made.optimize(branched, n_trials=20)
    found = {
        str(one.told_by): [parameter.name for parameter in one.parameters] for one in branches_of(made.trials).values()
    }
    assert found == {"{'kind': 'tree'}": ["fan"], "{'kind': 'chain'}": ["window", "copies"]}
    (only,) = branches_of([one for one in made.trials if one.params["kind"] == "tree"]).values()
    assert only.told_by == {}


@pytest.mark.parametrize(
    ("distribution", "values"),
    [
        (optuna.distributions.IntDistribution(2, 8, step=3), (2, 5, 8)),
        (optuna.distributions.CategoricalDistribution(["b", "a", None]), ("b", "a", None)),
    ],
)
def test_values_come_in_order(distribution: Any, values: tuple[Any, ...]) -> None:
    assert values_of(distribution) == values


@pytest.mark.parametrize("log", [False, True])
def test_long_range_is_searched_at_values_spread_over_it(log: bool) -> None:
    values = values_of(optuna.distributions.IntDistribution(1, 10_000, log=log))
    assert (values[0], values[-1]) == (1, 10_000)
    assert len(values) <= neighbour_sampler._MOST_VALUES
    ratios = [after / before for before, after in itertools.pairwise(values[-10:])]
    steps = [after - before for before, after in itertools.pairwise(values)]
    assert max(ratios) - min(ratios) < 0.01 if log else max(steps) - min(steps) <= 1
