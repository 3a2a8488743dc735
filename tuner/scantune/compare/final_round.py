"""The final round of a search, or of a race: which config wins over an octave, and whether its results are right."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterable, Sequence

from scantune.compare.octave_times import OctaveTimes
from scantune.compare.pairs import Verdict, verdict
from scantune.compare.place_timer import PlaceTimer, Reject
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.decision import Decision
from scantune.model.device import Device
from scantune.model.octave import Range
from scantune.model.policy import Policy
from scantune.model.probe import Probe
from scantune.model.record import Record, Run, now
from scantune.model.trial import Failure
from scantune.worker.compile_pool import CompilePool, Waits
from scantune.worker.evaluation import Evaluator

_MOST_PASSES = 3  # so often two configs are measured of which neither is clearly the faster


def record_of(decision: Decision, device: Device, cell: Cell, default: Config | None, run: Run) -> Record:
    """Return the record of a decision. `default` need not have been measured; None: it has failed."""
    winner, default_time = decision.times[decision.winner], decision.times.get(default) if default else None
    return Record(
        device, *cell, decision.winner, winner.median_us, winner.spread,
        default_time.median_us if default_time else None, decision.ceiling_us, now(), run, decision.serves,
        decision.probes,
    )  # fmt: skip


class FinalRound:
    """A round in which finalists meet at the cell's N and at places drawn in its octave. The winner is verified."""

    def __init__(
        self, evaluator: Evaluator, pool: CompilePool, cell: Cell, policy: Policy, seed: int,
        verified: set[tuple[Cell, Config]], failed: Container[Config] = (), gaps: Iterable[Range] = (),
        held: Record | None = None,
    ) -> None:  # fmt: skip
        """Prepare a round. `verified` holds winners of earlier rounds, each at its size, which need no verification.
        What has `failed` is not tried again. `gaps` are the octaves beside the cell's that nothing of this device
        serves: the winner may. `held` is the record that the cell has.
        """
        self._evaluator = evaluator
        self._pool = pool
        self._cell = cell
        self._seed = seed
        self._timer = PlaceTimer(evaluator, pool, cell, policy, seed, failed)
        self._verified = verified
        self._failed = failed
        self._gaps = gaps
        self._held = held

    def decide(
        self, finalists: Sequence[Config], holders: Sequence[Config], reject: Reject,
        may_win: Callable[[Config], bool] = lambda config: True,
    ) -> Generator[Waits, None, Decision | None]:  # fmt: skip
        """Return the best over the octave that may win; the first such holder that can be timed stays unless it is
        beaten. None when all failed that may win.

        Yields the compilations that are waited for. `reject` is called with every config that fails.
        """
        times = self._timer.octave()
        finalists = [
            *dict.fromkeys(one for one in (*holders, times.own.untuned, *finalists) if one not in self._failed)
        ]
        failed: set[Config] = set()

        def fail(config: Config, failure: Failure) -> None:
            failed.add(config)
            times.forget(config)
            reject(config, failure)

        yield from self._timer.measure(times, times.places[:1], finalists, fail)
        times.settle_baseline(finalists, self._failed)
        while left := [config for config in finalists if times.own.has(config)]:
            yield from self._timer.measure(times, times.places[1:], times.unseen(left), fail)
            left = [config for config in left if config not in failed]
            holder = next((config for config in (*holders, times.own.untuned) if config in left), None)
            rivals = [config for config in left if may_win(config)]
            if not rivals:
                return None
            rivals.sort(key=lambda config: (not times.score(config).is_fit, times.score(config).score))
            news = yield from self._first_to_beat(holder, rivals, times, fail)
            winner = news or (holder if holder and may_win(holder) else rivals[0])
            if winner in failed or holder in failed:
                continue
            is_news = winner == news
            beyond = yield from self._reach(winner, times, fail)
            if winner in failed:
                continue
            if (failure := (yield from self._verify(winner))) is None:
                return self._decision(winner, left, times, beyond, is_news)
            fail(winner, failure)
        return None

    def _first_to_beat(
        self, holder: Config | None, rivals: Iterable[Config], times: OctaveTimes, reject: Reject
    ) -> Generator[Waits, None, Config | None]:
        """Return the first rival that is faster than the holder; None if none before the holder is. What seems to be
        the fastest may be so by chance, and the next one be so in truth.
        """
        for rival in rivals:
            if holder is None:
                return rival
            if rival == holder:
                return None
            if (yield from self._beats(rival, holder, times, reject)):
                return rival
        return None

    def _beats(self, best: Config, holder: Config, times: OctaveTimes, reject: Reject) -> Generator[Waits, None, bool]:
        """Return whether a config is faster than the holder over the octave. Both are measured again while that is
        undecided.
        """
        held = self._held.serves if self._held and self._held.config == holder else None
        for left in reversed(range(_MOST_PASSES)):
            is_fit, decided = times.score(best).is_fit, verdict(*times.against(best, holder, held))
            if not is_fit or decided is not Verdict.undecided or not left:
                return is_fit and decided is Verdict.faster
            yield from self._timer.measure(times, times.places, [best, holder], reject)
            if not times.own.has(best) or not times.own.has(holder):
                return False
        return False

    def _reach(
        self, winner: Config, times: OctaveTimes, reject: Reject
    ) -> Generator[Waits, None, list[tuple[Range, list[Probe]]]]:
        """Return the octaves beside the cell's that the winner is to serve, with what was timed there: it must be
        faster over the places drawn in it and its far end, and slower at none.
        """
        reached: list[tuple[Range, list[Probe]]] = []
        if winner in (times.own.default, times.own.untuned):
            return reached  # there it runs already, or each N has its own default
        serves = times.score(winner).serves
        for gap in self._gaps:
            if not gap.touches(serves):
                continue
            places = self._timer.beside(gap)
            yield from self._timer.measure(times, places, [winner], reject)
            pairs = [place.pairs(winner, place.untuned) for place in places]
            found = [one for one in pairs if one and verdict([one]) is not Verdict.slower]
            if len(found) == len(places) > 1 and verdict(found) is Verdict.faster:
                reached.append((gap, [probe for place in places if (probe := place.probe(winner))]))
        return reached

    def _decision(
        self, winner: Config, met: Iterable[Config], times: OctaveTimes, beyond: Sequence[tuple[Range, list[Probe]]],
        is_news: bool,
    ) -> Decision:  # fmt: skip
        score = times.score(winner)
        above = min([score.serves.above, *(gap.above for gap, _ in beyond)])
        up_to = max([score.serves.up_to, *(gap.up_to for gap, _ in beyond)])
        probes = [*times.probes(winner), *(probe for _, found in beyond for probe in found)]
        return Decision(
            winner, dict(times.own.times), self._timer.ceiling_us, Range(above, up_to),
            tuple(sorted(probes, key=lambda probe: (probe.n, probe.offset))),
            {config: times.ratio(config, winner) for config in met},
            1 / (score.score if score.is_fit else score.ratio), is_news,
        )  # fmt: skip

    def _verify(self, winner: Config) -> Generator[Waits, None, Failure | None]:
        """Verify a winner by kernels of every kind."""
        if (self._cell, winner) in self._verified:
            return None
        compiling = self._pool.submit(self._evaluator.request(*self._cell), winner, all_kinds=True)
        yield [compiling]
        if isinstance(outcome := self._evaluator.compiled(compiling), Failure):
            return outcome
        failure = self._evaluator.verify(*self._cell, winner, self._seed, all_kinds=True)
        if failure is None:
            self._verified.add((self._cell, winner))
        return failure
