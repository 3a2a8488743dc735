"""The final round of a search, or the only one of a race: which config wins, and whether its results are right."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.measurement import Measurement, noise_of
from scantune.model.policy import Rounds
from scantune.model.record import Record, Run, now
from scantune.model.trial import Failure
from scantune.worker.compile_pool import CompilePool, Waits
from scantune.worker.evaluation import Evaluator

Reject = Callable[[Config, Failure], None]


@dataclass(frozen=True)
class Decision:
    winner: Config
    times: Mapping[Config, Measurement]  # times of all that could be measured, in the same round
    ceiling_us: float | None


def record_of(decision: Decision, device: Device, cell: Cell, default: Config, run: Run) -> Record:
    """Return the record of a decision. `default` need not have been measured."""
    winner, default_time = decision.times[decision.winner], decision.times.get(default)
    return Record(
        device, *cell, decision.winner, winner.median_us, winner.spread,
        default_time.median_us if default_time else None, decision.ceiling_us, now(), run,
    )  # fmt: skip


class FinalRound:
    """A round that measures finalists together, and verifies the winner at its own size."""

    def __init__(
        self, evaluator: Evaluator, pool: CompilePool, cell: Cell, seed: int, verified: set[tuple[Cell, Config]]
    ) -> None:
        """Prepare a round. `verified` holds winners of earlier rounds, each at its size, which need no verification."""
        self._verified = verified
        self._evaluator = evaluator
        self._pool = pool
        self._cell = cell
        self._seed = seed

    def decide(
        self, finalists: Sequence[Config], holders: Sequence[Config], rounds: Rounds, reject: Reject,
        save: Callable[[Mapping[Config, Measurement]], None] = lambda times: None,
        may_win: Callable[[Config], bool] = lambda config: True,
    ) -> Generator[Waits, None, Decision | None]:  # fmt: skip
        """Return the fastest that may win; the first such holder that can be measured stays unless it is beaten.

        None when all failed that may win. Yields the compilations that verifying the winner waits for. `reject` is
        called with every config that fails; `save` is called with the times before anything is waited for.
        """
        measured = self._evaluator.measure(*self._cell, finalists, rounds)
        times: dict[Config, Measurement] = {}
        for config, outcome in zip(finalists, measured.outcomes, strict=True):
            if isinstance(outcome, Failure):
                reject(config, outcome)
            else:
                times[config] = outcome
        save(times)
        left = {config: time for config, time in times.items() if may_win(config)}
        while (winner := pick_winner(left, next((config for config in holders if config in left), None))) is not None:
            if (failure := (yield from self._verify(winner))) is None:
                return Decision(winner, times, measured.ceiling_us)
            reject(winner, failure)
            del left[winner], times[winner]
        return None

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


def pick_winner(measured: Mapping[Config, Measurement], holder: Config | None) -> Config | None:
    """Return the fastest config if it beats the holder beyond the noise, else the holder; None if nothing was measured.

    The holder is the record of an earlier run, or the default.
    """
    if not measured:
        return None
    best = min(measured, key=lambda config: measured[config].median_us)
    if holder is None or holder not in measured:
        return best
    return best if beats(measured[best], measured[holder]) else holder


def beats(challenger: Measurement, holder: Measurement) -> bool:
    """Return whether the challenger is faster by more than the noise."""
    return holder.median_us - challenger.median_us > noise_us(challenger, holder)


def noise_us(one: Measurement, other: Measurement) -> float:
    """Return what two times of one round may differ by for no reason: two standard errors of the difference, and at
    least 0.5 % of the slower.
    """
    return noise_of(one.median_us, one.standard_error_us, other.median_us, other.standard_error_us)
