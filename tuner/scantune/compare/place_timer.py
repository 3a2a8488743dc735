"""The clock of a final round: it times configs at a cell's N and at places drawn around it."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Sequence
from dataclasses import replace
from itertools import pairwise

from scantune.compare.octave_times import OctaveTimes
from scantune.compare.place_times import PlaceTimes
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.draws import Place, drawn_places
from scantune.model.measurement import Measurement
from scantune.model.octave import Range, octave_of
from scantune.model.policy import Policy
from scantune.model.trial import Failure
from scantune.worker.compile_pool import Compiled, CompilePool, Waits
from scantune.worker.environment import EnvironmentFault
from scantune.worker.evaluation import Evaluator

Reject = Callable[[Config, Failure], None]

# Where so many bytes are moved, filling buffers takes longer than all else, and it hardly matters where a tile ends:
# one place is drawn, which is odd and behind a boundary.
_DEAR_BYTES = 2**28


class PlaceTimer:
    def __init__(
        self, evaluator: Evaluator, pool: CompilePool, cell: Cell, policy: Policy, seed: int, failed: Container[Config]
    ) -> None:
        """Time configs of a cell, except those that have `failed`. `seed` draws the places."""
        self._evaluator = evaluator
        self._pool = pool
        self._cell = cell
        self._policy = policy
        self._seed = seed
        self._failed = failed
        self._step = evaluator.size_step(*cell)
        self._is_dear = cell.bytes_moved > _DEAR_BYTES
        self.ceiling_us: float | None = None  # of the copy, once the cell's own N was timed

    def octave(self) -> OctaveTimes:
        """Return the times over the cell's octave, none so far: at its N, and at places that are drawn."""
        n = self._cell.n
        octave = octave_of(n)
        if self._is_dear:
            drawn = [place._replace(offset=1) for place in self._drawn(octave, 1)]
        else:
            drawn = list(self._drawn(octave, self._policy.drawn))
        drawn += [] if n == octave.up_to else [Place(octave.up_to)]
        own, *others = self._times_at([Place(n), *(place for place in drawn if place.n != n)])
        return OctaveTimes(own, others)

    def beside(self, gap: Range) -> list[PlaceTimes]:
        """Return the times, none so far, at the far end of an octave beside the cell's and at places drawn in it."""
        far_end = gap.up_to if gap.above >= self._cell.n else gap.above + self._step
        return self._times_at([Place(far_end), *self._drawn(gap, self._policy.drawn)])

    def measure(
        self, octave: OctaveTimes, places: Sequence[PlaceTimes], configs: Sequence[Config], reject: Reject
    ) -> Generator[Waits, None, None]:
        """Time configs at places, each beside what runs there untuned. Where a config is illegal it has no time.

        At the cell's own N a search or a race has timed them before, so that their kernels are kept.
        """
        if not configs:
            return
        evaluator, problem = self._evaluator, self._cell.problem
        lineups: list[list[Config]] = []
        for times in places:
            families = {config.family for config in configs}
            space = evaluator.space(problem, times.place.n, configs=False, named=families)
            ran = [times.untuned, *(octave.run_by(config, times) for config in configs)]
            lineups.append(
                evaluator.legal(problem, times.place.n, space, [one for one in ran if one not in self._failed])
            )
        compiling = [
            {} if times is octave.own else {config: self._compile(times.place, config) for config in lineup}
            for times, lineup in zip(places, lineups, strict=True)
        ]
        yield [future for place in compiling for future in place.values()]
        for times, lineup, place in zip(places, lineups, compiling, strict=True):
            compiled = {config: evaluator.compiled(future) for config, future in place.items()}
            failures = {config: outcome for config, outcome in compiled.items() if isinstance(outcome, Failure)}
            ready = [config for config in lineup if config not in failures]
            timed = self._timed(times.place, ready) if ready else []
            outcomes = dict(zip(ready, timed, strict=True)) if timed else {}
            times.learn({config: outcome for config, outcome in outcomes.items() if isinstance(outcome, Measurement)})
            failures |= {config: outcome for config, outcome in outcomes.items() if isinstance(outcome, Failure)}
            for config, failure in failures.items():
                if config in configs:
                    reject(config, failure)

    def _times_at(self, places: Sequence[Place]) -> list[PlaceTimes]:
        """Return the times at places, none so far, and at both sides of where another config begins to run untuned:
        what ran up to there is often at its best, and may beat there what is slower farther below.
        """
        evaluator, problem = self._evaluator, self._cell.problem
        own = self._cell.n
        found = {one: self._at(one) for one in places if one.n == own or evaluator.supports_size(problem, one.n)}
        for low, high in pairwise(sorted(found)) if not self._is_dear else ():
            if found[low].untuned != found[high].untuned:
                ends = (Place(n) for n in self._switch_between(low.n, high.n))
                return [*found.values(), *(self._at(end) for end in ends if end not in found)]
        return list(found.values())

    def _switch_between(self, low: int, high: int) -> tuple[int, int]:
        """Return the last N with what runs untuned at the lower end, if it changes once, and the next one."""
        first = self._untuned(low)
        while (steps := (high - low) // self._step) > 1:
            middle = low + steps // 2 * self._step
            low, high = (middle, high) if self._untuned(middle) == first else (low, middle)
        return low, high

    def _at(self, place: Place) -> PlaceTimes:
        default = self._evaluator.space(self._cell.problem, place.n, configs=False).default
        return PlaceTimes(place, self._untuned(place.n) or default, default)

    def _untuned(self, n: int) -> Config | None:
        return self._evaluator.untuned(self._cell.problem, n)

    def _drawn(self, within: Range, count: int) -> Sequence[Place]:
        return drawn_places(within, count, self._seed, self._step)

    def _compile(self, place: Place, config: Config) -> Compiled:
        request = self._evaluator.request(self._cell.problem, place.n)
        return self._pool.submit(request, config, measured_only=True, offset=place.offset)

    def _timed(self, place: Place, configs: Sequence[Config]) -> list[Measurement | Failure]:
        is_own = place == Place(self._cell.n)
        rounds = replace(self._policy.final if is_own else self._policy.probing, samples=True)
        rounds = replace(rounds, ceiling=rounds.ceiling and self.ceiling_us is None)
        what = "measuring" if is_own else "probing"
        try:
            measured = self._evaluator.measure(self._cell.problem, place.n, configs, rounds, place.offset, what)
        except EnvironmentFault:
            if place.n <= self._cell.n:
                raise
            return []  # as where more items than the cell's have no room
        self.ceiling_us = self.ceiling_us or measured.ceiling_us
        return measured.outcomes
