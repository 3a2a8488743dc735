"""Sweeps: measurements of every config of a space, on which searches are replayed.

A sweep measures the listed configs first, and then the unlisted ones that a search may walk to from the fastest.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import random
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import asdict, dataclass

from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.measurement import Measurement
from scantune.model.policy import Rounds
from scantune.model.problem import Problem
from scantune.model.recorded_space import Provenance, RecordedConfig, RecordedSpace
from scantune.model.space import Space
from scantune.model.trial import Failure
from scantune.worker.compile_pool import CompilePool
from scantune.worker.environment import EnvironmentFault
from scantune.worker.evaluation import Evaluator

_WINDOW = 64  # waiting configs among which any that is compiled may go first
_SMOOTHED = 2  # batches before and after each whose reference times count for its drift too
_CLOSING_ROUNDS = 2
_FAR = 1.4  # no known config was faster by this factor than its family's default and the steps from that
# Each stage ends by its share of the budget; the final round comes after the whole budget.
_WALKS_UNTIL, _LISTED_UNTIL, _PAIRS_UNTIL, _WALKS_AGAIN_UNTIL, _FAR_UNTIL = 0.35, 0.75, 0.83, 0.92, 0.95


@dataclass(frozen=True)
class SweepPlan:
    budget_s: float
    rounds: int = 5
    min_round_ms: float = 1.0
    batch: int = 16  # configs measured together, beside the reference
    centres: int = 12  # fastest configs around which secondary parameters are varied in pairs
    pairs_limit: int = 2000  # configs of these that are measured
    beam: int = 8  # configs whose every neighbour is measured, in each step of the walks from the defaults
    finalists: int = 50
    final_rounds: int = 25
    verify_items: int = 2**18
    seed: int = 1  # seed of the order and of verified inputs

    @property
    def racing(self) -> Rounds:
        return Rounds(self.rounds, self.min_round_ms, samples=True)

    @property
    def final(self) -> Rounds:
        return Rounds(self.final_rounds, self.min_round_ms, ceiling=True, samples=True)


@dataclass(frozen=True)
class _Taken:
    """Samples of one config, as the clock of its batch showed them."""

    samples_us: tuple[float, ...]
    batch: int


class _References:
    """The times of the reference in each batch, which correct for drift: clocks drift, but ratios hardly do."""

    def __init__(self) -> None:
        self._batches: list[tuple[float, ...]] = []

    def add(self, samples_us: tuple[float, ...]) -> int:
        """Add the samples of the next batch, possibly empty, and return its index."""
        self._batches.append(samples_us)
        return len(self._batches) - 1

    @property
    def median_us(self) -> float | None:
        samples = list(itertools.chain.from_iterable(self._batches))
        return statistics.median(samples) if samples else None

    def medians_us(self, reach: int) -> list[float | None]:
        """Return the reference's median over each batch and `reach` of them on either side; None without samples."""
        around = (
            list(itertools.chain.from_iterable(self._batches[max(0, place - reach) : place + reach + 1]))
            for place in range(len(self._batches))
        )
        return [statistics.median(samples) if samples else None for samples in around]


class Sweep:
    """One sweep; each object serves for one. recorded() may be called at any time, also after run() was interrupted."""

    def __init__(
        self, evaluator: Evaluator, pool: CompilePool, device: Device, problem: Problem, n: int, plan: SweepPlan,
        watcher: Callable[[Sweep], None] = lambda sweep: None, clock: Callable[[], float] = time.monotonic,
        earlier: RecordedSpace | None = None,
    ) -> None:  # fmt: skip
        """Prepare a sweep; `watcher` is called after each batch. Configs of `earlier`, a recording of the same space,
        are not measured again.
        """
        self._evaluator = evaluator
        self._pool = pool
        self._device = device
        self._problem = problem
        self._n = n
        self._plan = plan
        self._watcher = watcher
        self._clock = clock
        self._began = clock()
        self._request = evaluator.request(problem, n)
        self._space: Space = evaluator.space(problem, n)
        self._reference: Config | None = None
        self._references, self._final_references = _References(), _References()
        self._taken: dict[Config, _Taken] = {}
        self._final: dict[Config, _Taken] = {}
        self._failures: dict[Config, Failure] = {}
        self.faults: dict[Config, str] = {}  # failures that the machine is to blame for, which are not recorded
        self._waiting: set[Config] = set()
        self.ceiling_us: float | None = None
        self.compiling_s = 0.0  # time spent waiting for compilers
        self.measuring_s = 0.0
        if earlier:
            self._go_on_from(earlier)

    @property
    def listed(self) -> int:
        return len(self._space)

    @property
    def tried(self) -> int:
        return len(self._taken) + len(self._failures)

    @property
    def left_out(self) -> int:
        return len({*self._space.searched, *self._waiting} - self._taken.keys() - self._failures.keys())

    def run(self) -> None:
        """Measure until all is measured or the budget is over, and then verify the fastest and measure them again."""
        plan = self._plan
        self._choose_reference()

        def until(share: float) -> float:
            return self._began + share * plan.budget_s

        self._measure_all(self._first(), until(_LISTED_UNTIL))
        self._walk(until(_WALKS_UNTIL))
        near, far = self._rest()
        self._measure_all(near, until(_LISTED_UNTIL))
        self._measure_all(itertools.islice(self._around_fastest(), plan.pairs_limit), until(_PAIRS_UNTIL))
        self._walk(until(_WALKS_AGAIN_UNTIL))
        self._measure_all(far, until(_FAR_UNTIL))
        for _ in range(_CLOSING_ROUNDS):
            self._measure_all(self._steps_from_fastest(), self._began + plan.budget_s)
        self._decide()

    def _go_on_from(self, earlier: RecordedSpace) -> None:
        """Take over what was measured. The default was timed in both sweeps, which tells how the clocks differ."""
        default = earlier.by_config.get(earlier.default)
        place = self._references.add(default.samples_us if default else ())
        for _ in range(_SMOOTHED):
            self._references.add(())  # batches of this sweep tell nothing about the drift of the earlier one
        for one in earlier.configs:
            if one.failure:
                self._failures[one.config] = one.failure
            else:
                self._taken[one.config] = _Taken(one.samples_us, place)

    def recorded(self, provenance: Provenance) -> RecordedSpace:
        times, finals, listed = self._corrected(), self._corrected_finals(), self._space.searched
        configs = [
            RecordedConfig(config, config in listed, samples_us, finals.get(config, ()))
            for config, samples_us in times.items()
        ]
        configs += [
            RecordedConfig(config, config in listed, failure=failure) for config, failure in self._failures.items()
        ]
        configs.sort(key=lambda one: not one.is_listed)
        return RecordedSpace(
            self._device, self._problem, self._n, tuple(self._space.families.values()), self._space.default,
            tuple(configs), self.left_out, self.ceiling_us, provenance,
        )  # fmt: skip

    def method(self) -> dict[str, object]:
        """Return how the space was measured, for the file."""
        return {
            **asdict(self._plan),
            "compiling_s": round(self.compiling_s, 1),
            "measuring_s": round(self.measuring_s, 1),
        }

    def _choose_reference(self) -> None:
        """Take the first default that compiles; the default of the whole space comes before those of families."""
        for config in self._space.defaults:
            with contextlib.suppress(EnvironmentFault):  # the first batch meets the same fault and tells of it
                if not isinstance(self._pool.submit(self._request, config, measured_only=True).result(), Failure):
                    self._reference = config
                    return

    def _first(self) -> list[Config]:
        """Return the defaults and the listed configs that are a step from them."""
        listed, defaults = self._space.searched, self._space.defaults
        steps = [step for config in defaults for step in self._space.families[config.family].neighbours(config)]
        return list(dict.fromkeys([*defaults, *(step for step in steps if step in listed)]))

    def _rest(self) -> tuple[list[Config], list[Config]]:
        """Return the listed configs that are not measured yet, in a random order: of families that may win, of others.

        So if the budget ends first, what may win is recorded wholly, and a fair sample of the rest.
        """
        rest = [config for config in self._space.searched if self._is_news(config)]
        random.Random(self._plan.seed).shuffle(rest)
        near = set(self._near_families())
        return [one for one in rest if one.family in near], [one for one in rest if one.family not in near]

    def _near_families(self) -> list[str]:
        best = {family: min(self._times_of(family), default=math.inf) for family in self._space.families}
        return [family for family, best_us in best.items() if best_us <= _FAR * min(best.values())]

    def _walk(self, deadline: float) -> None:
        """Measure every neighbour of the configs that a search from the defaults may walk over, and of the fastest."""
        left: set[Config] = set()  # centres whose neighbours are all measured
        defaults = [self._space.families[family].default for family in self._near_families()]
        level = [default for default in defaults if default in self._taken]
        while level and self._clock() < deadline:
            steps = {centre: list(self._steps_from(centre)) for centre in level}
            news = list(filter(self._is_news, dict.fromkeys(itertools.chain(*steps.values()))))
            self._measure_all(news, deadline)
            self._waiting.difference_update(news)  # these do not count as left out: a walk may not have reached them
            left.update(level)
            times = {config: statistics.median(samples) for config, samples in self._corrected().items()}
            gains = {step for centre in level for step in steps[centre] if times.get(step, math.inf) < times[centre]}
            level = sorted(gains - left, key=times.__getitem__)[: self._plan.beam]
            if not level:
                fastest = sorted(times, key=times.__getitem__)[: 3 * self._plan.beam]
                level = [config for config in fastest if config not in left][: self._plan.beam]

    def _steps_from(self, centre: Config) -> Iterator[Config]:
        """Yield the configs that differ from the centre in one parameter, by any value."""
        family, values = self._space.families[centre.family], dict(centre.values)
        for parameter in family.parameters:
            for value in parameter.values:
                if value != values[parameter.name]:
                    yield family.table.config({**values, parameter.name: value})

    def _times_of(self, family: str) -> Iterator[float]:
        return (statistics.median(one.samples_us) for config, one in self._taken.items() if config.family == family)

    def _around_fastest(self) -> Iterator[Config]:
        """Yield configs that depart from the fastest in one secondary parameter or in two, by any of their values."""
        centres = self._fastest(self._plan.centres)
        seen: set[Config] = set()
        for departures in (1, 2):
            for centre in centres:
                for config in self._departing(centre, departures):
                    if config not in seen and self._is_news(config):
                        seen.add(config)
                        yield config

    def _departing(self, centre: Config, departures: int) -> Iterator[Config]:
        family = self._space.families[centre.family]
        values = dict(centre.values)
        secondary = [parameter for parameter in family.parameters if not parameter.is_primary]
        for chosen in itertools.combinations(secondary, departures):
            others = ([value for value in one.values if value != values[one.name]] for one in chosen)
            for changed in itertools.product(*others):
                changes = {one.name: value for one, value in zip(chosen, changed, strict=True)}
                yield family.table.config({**values, **changes})

    def _steps_from_fastest(self) -> Iterator[Config]:
        """Yield the configs that a walk from the fastest would try next."""
        seen: set[Config] = set()
        for centre in self._fastest(self._plan.centres):
            for config in self._space.families[centre.family].neighbours(centre):
                if config not in seen and self._is_news(config):
                    seen.add(config)
                    yield config

    def _is_news(self, config: Config) -> bool:
        if config in self._taken or config in self._failures or config in self.faults or config in self._waiting:
            return False
        return config in self._space.searched or self._evaluator.is_valid(self._problem, self._n, config)

    def _fastest(self, count: int) -> list[Config]:
        times = self._corrected()
        return sorted(times, key=lambda config: statistics.median(times[config]))[:count]

    def _measure_all(self, configs: Iterable[Config], deadline: float) -> None:
        """Compile all configs in order, and measure them as they are compiled, until the deadline."""
        waiting = deque((config, self._pool.submit(self._request, config, measured_only=True)) for config in configs)
        self._waiting |= {config for config, _ in waiting}
        while waiting and self._clock() < deadline:
            self._measure_batch(self._next_batch(waiting, deadline))
            self._watcher(self)
        for _, future in waiting:
            future.cancel()

    def _next_batch(self, waiting: deque[tuple[Config, Future[float | Failure]]], deadline: float) -> list[Config]:
        batch: list[Config] = []
        while waiting and len(batch) < self._plan.batch:
            ahead = itertools.islice(waiting, _WINDOW)
            place = next((place for place, (_, future) in enumerate(ahead) if future.done()), 0)
            config, future = waiting[place]
            began = self._clock()
            try:
                outcome = future.result(max(0.0, deadline - began))
            except FutureTimeoutError:
                return batch
            except EnvironmentFault as error:
                self.faults[config] = str(error)
            else:
                if isinstance(outcome, Failure):
                    self._failures[config] = outcome
                else:
                    batch.append(config)
            finally:
                self.compiling_s += self._clock() - began
            del waiting[place]
            self._waiting.discard(config)
        return batch

    def _measure_batch(self, batch: Sequence[Config]) -> None:
        for config, outcome in self._measured(batch, self._plan.racing, self._references).items():
            if isinstance(outcome, Failure):
                self._failures[config] = outcome
            else:
                self._taken[config] = outcome

    def _measured(
        self, batch: Sequence[Config], rounds: Rounds, references: _References
    ) -> dict[Config, _Taken | Failure]:
        """Measure configs beside the reference; where the machine fails with several, in ever smaller groups."""
        if not batch:
            return {}
        configs = list(dict.fromkeys([*([self._reference] if self._reference else []), *batch]))
        began = self._clock()
        try:
            measured = self._evaluator.measure(self._problem, self._n, configs, rounds)
        except EnvironmentFault as error:
            if len(batch) == 1:
                self.faults[batch[0]] = str(error)
                return {}
            middle = len(batch) // 2
            halves = (batch[:middle], batch[middle:])
            return {
                config: outcome
                for half in halves
                for config, outcome in self._measured(half, rounds, references).items()
            }
        finally:
            self.measuring_s += self._clock() - began
        if measured.ceiling_us:
            self.ceiling_us = measured.ceiling_us
        outcomes = dict(zip(configs, measured.outcomes, strict=True))
        reference = outcomes.get(self._reference) if self._reference else None
        place = references.add(reference.samples_us if isinstance(reference, Measurement) else ())
        return {
            config: outcome if isinstance(outcome, Failure) else _Taken(_samples_us(outcome), place)
            for config, outcome in outcomes.items()
            if config in batch
        }

    def _decide(self) -> None:
        """Verify the fastest, and measure those that are right once more, together."""
        verified = self._verified()
        for config, outcome in self._measured(verified, self._plan.final, self._final_references).items():
            if isinstance(outcome, Failure):
                self._reject(config, outcome)
            else:
                self._final[config] = outcome
        self._watcher(self)

    def _verified(self) -> list[Config]:
        """Return the finalists, which are the fastest verified configs; one that is wrong becomes a failure."""
        candidates = self._fastest(2 * self._plan.finalists)
        for config in candidates[: self._plan.finalists]:
            self._pool.submit(self._request, config)
        chosen: list[Config] = []
        for config in candidates:
            if len(chosen) == self._plan.finalists:
                break
            began = self._clock()
            try:
                self._pool.submit(self._request, config).result()
                self.compiling_s += self._clock() - began
                failure = self._evaluator.verify_at_most(
                    self._problem, self._n, self._plan.verify_items, config, self._plan.seed
                )
            except EnvironmentFault as error:
                self.faults[config] = str(error)
                del self._taken[config]
                continue
            if failure:
                self._reject(config, failure)
            else:
                chosen.append(config)
        return chosen

    def _reject(self, config: Config, failure: Failure) -> None:
        self._failures[config] = failure
        self._taken.pop(config, None)

    def _corrected(self) -> dict[Config, tuple[float, ...]]:
        """Return samples as if no clock had drifted."""
        return _corrected(self._taken, self._references.median_us, self._references.medians_us(_SMOOTHED))

    def _corrected_finals(self) -> dict[Config, tuple[float, ...]]:
        # Each batch has enough samples of the reference, so its neighbours need not count.
        return _corrected(self._final, self._references.median_us, self._final_references.medians_us(0))


def _corrected(
    taken: dict[Config, _Taken], median_us: float | None, batches_us: Sequence[float | None]
) -> dict[Config, tuple[float, ...]]:
    factors = [median_us / own_us if median_us and own_us else 1.0 for own_us in batches_us]
    return {
        config: tuple(factors[one.batch] * sample_us for sample_us in one.samples_us) for config, one in taken.items()
    }


def _samples_us(measurement: Measurement) -> tuple[float, ...]:
    """Return the samples above zero: taking the neighbours' time off a short run may leave less."""
    return tuple(one for one in measurement.samples_us if one > 0) or (measurement.median_us,)
