"""Studies of fake spaces, and what tests do with them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from conftest import SUM, TABLES
from fake_worker import space as fake_space
from fake_worker import true_us
from scantune.model.config import Config
from scantune.model.measurement import Measurement
from scantune.model.space import Space
from scantune.model.trial import Failure, Trial
from scantune.search.effects import Effects
from scantune.search.sampler_names import Sampler
from scantune.search.study import SearchStudy
from scantune.search.study_storage import StudyStorage

FAILURE = Failure("wrong_result", "index 17")


def space_of_sums() -> Space:
    return Space.from_message(fake_space(SUM.request(2**16)), TABLES)


def time_of(config: Config) -> float:
    return true_us(SUM.request(2**16), config.message())


def params_of(config: Config) -> dict[str, object]:
    return {"family": config.family, **{f"{config.family}.{name}": value for name, value in config.values}}


def study_of(
    space: Space, seed: int = 1, is_legal: Callable[[Config], bool] = lambda config: False,
    sampler: Sampler = Sampler.default, storage: StudyStorage | None = None,
    is_possible: Callable[[float], bool] = lambda time_us: True,
) -> SearchStudy:  # fmt: skip
    return SearchStudy("a study", space, sampler, seed, Effects(), is_legal, storage, is_possible)


def tell(study: SearchStudy, config: Config, time_us: float | None) -> None:
    """Tell what came of a config, whose trial begins now unless the study proposed it."""
    if study.take(config):
        study.begin(config)
    if time_us is None:
        study.fail(config, FAILURE)
    else:
        study.tell(config, time_us)


def proposals(study: SearchStudy) -> Iterator[Config]:
    while (config := study.ask()) is not None:
        yield config


def tried(config: Config, time_us: float | None) -> Trial:
    """Return the trial of an earlier run."""
    if time_us is None:
        return Trial(config, failure=FAILURE)
    return Trial(config, Measurement(median_us=time_us, spread=0.0, samples=3, sm_clock_mhz=None, probe_only=False))


def let_write(storage: StudyStorage) -> None:
    """Wait until a storage has all that was to be written, unless it has failed."""
    done = threading.Event()
    storage.submit(done.set)
    while storage.failure is None and not done.wait(0.01):
        pass
