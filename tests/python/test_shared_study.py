"""What a search makes of the trials of others, and of earlier runs, that a storage of studies has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.distributions import IntDistribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import create_trial

from conftest import QUICK, Tune
from scantune.model.config import Config
from scantune.model.policy import Effort
from scantune.model.space import Space
from scantune.search.sampler_names import Sampler
from scantune.search.study import SearchStudy
from scantune.search.study_storage import StudyStorage
from studies import params_of, proposals, space_of_sums, study_of, tell, tried


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "studies.log"


@pytest.fixture
def space() -> Space:
    return space_of_sums()


def stored(journal: Path) -> optuna.Study:
    storage = JournalStorage(JournalFileBackend(str(journal)))
    (found,) = storage.get_all_studies()
    return optuna.load_study(study_name=found.study_name, storage=storage)


def told(journal: Path, space: Space, times: dict[Config, float | None]) -> None:
    """Let another process tell these times."""
    with StudyStorage(str(journal)) as storage:
        study = study_of(space, storage=storage)
        for config, time_us in times.items():
            tell(study, config, time_us)


def test_failure_that_the_tuning_database_has_counts_more_than_a_time_in_the_storage(
    journal: Path, space: Space
) -> None:
    wrong = space.defaults[0]
    told(journal, space, {wrong: 5.0})  # and was killed between the two
    with StudyStorage(str(journal)) as storage:
        study = study_of(space, storage=storage)
        study.add(tried(wrong, None))
    assert stored(journal).user_attrs == {"rejected trial 0": "wrong_result: index 17"}


def test_failure_that_deserves_a_retry_is_proposed_again(journal: Path, space: Space) -> None:
    failed, lasting = space.defaults[:2]
    told(journal, space, {failed: None, lasting: None})
    with StudyStorage(str(journal)) as storage:
        study = study_of(space, storage=storage)
        study.retry(failed)
        proposed = list(proposals(study))
    assert failed in proposed
    assert lasting not in proposed


def test_time_that_no_device_takes_is_no_more_than_a_trial_that_was_not_made(journal: Path, space: Space) -> None:
    impossible, possible = space.defaults[:2]
    told(journal, space, {impossible: 1e-9, possible: 7.0})
    with StudyStorage(str(journal)) as storage:
        study = study_of(space, storage=storage, is_possible=lambda time_us: time_us > 1)
        assert study.best_elsewhere() == possible
        later = next(config for config in space.searched if config not in (impossible, possible))
        tell(study, later, 5.0)
        assert study.in_vain == 0
        assert impossible in proposals(study)


@pytest.mark.parametrize(("times", "tries"), [([1e-9], 0), ([2.5], 1), ([2.5, 2.6], 2), ([2.5] * 5, QUICK.finalists)])
def test_search_measures_some_of_the_fastest_elsewhere_that_a_device_can_run_so_fast(
    journal: Path, tune: Tune, space: Space, times: list[float], tries: int
) -> None:
    policy = replace(QUICK, trials=8)
    with StudyStorage(str(journal)) as storage:
        tune(storage=storage, policy=policy)
    theirs = stored(journal)
    tried_ones = [trial.params for trial in theirs.trials]
    untried = (params for params in map(params_of, space.searched) if params not in tried_ones)
    distributions = {name: one for trial in theirs.trials for name, one in trial.distributions.items()}
    for time_us, params in zip(times, untried, strict=False):
        own = {name: distributions[name] for name in params}
        theirs.add_trial(create_trial(value=time_us, params=params, distributions=own))
    with StudyStorage(str(journal)) as storage:
        _, notebook = tune(storage=storage, policy=policy, effort=Effort.normal, started_at="2026-01-02T00:00:00Z")
    assert notebook.tries == tries


def test_study_of_other_parameters_ends_the_use_of_a_storage_and_not_the_run(journal: Path, tune: Tune) -> None:
    with StudyStorage(str(journal)) as storage:
        tune(storage=storage)
    theirs = stored(journal)
    theirs.add_trial(create_trial(value=1.0, params={"x": 1}, distributions={"x": IntDistribution(0, 9)}))
    with StudyStorage(str(journal)) as storage:
        outcome, _ = tune(storage=storage, effort=Effort.normal, started_at="2026-01-02T00:00:00Z")
    assert outcome.records[0].run.effort is Effort.normal
    assert "has another parameter x" in (storage.failure or "")


def test_samplers_of_two_tuners_with_one_storage_have_two_seeds(
    journal: Path, tune: Tune, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = []

    class Watched(SearchStudy):
        def __init__(self, name: str, space: Space, sampler: Sampler, seed: int, *rest: Any) -> None:
            seeds.append(seed)
            super().__init__(name, space, sampler, seed, *rest)

    monkeypatch.setattr("scantune.search.study.SearchStudy", Watched)
    tune(seed=7)
    with StudyStorage(str(journal)) as storage:
        tune(seed=7, storage=storage, effort=Effort.normal)
        monkeypatch.setattr("platform.node", lambda: "another")
        tune(seed=7, storage=storage, effort=Effort.exhaustive)
    assert seeds[0] == 7
    assert len({*seeds}) == len(seeds) == 3


def test_run_of_the_default_sampler_searches_what_another_one_finished(tune: Tune) -> None:
    tune(sampler=Sampler.random)
    _, notebook = tune(started_at="2026-01-02T00:00:00Z")
    assert len(notebook.searches) == 1
    _, again = tune(started_at="2026-01-03T00:00:00Z", sampler=Sampler.random)
    assert not again.searches
