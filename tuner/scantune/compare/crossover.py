"""The search for breakpoints of a portfolio: at sizes between two records, their two configs are measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from scantune.model.breakpoint import Breakpoint, PairProbe
from scantune.model.config import Config
from scantune.model.measurement import Measurement
from scantune.model.policy import Policy
from scantune.model.problem import Problem
from scantune.model.record import Record, Run, now
from scantune.model.trial import Failure
from scantune.worker.evaluation import Evaluator

Measure = Callable[[int], PairProbe]  # measures at one size

# There is a cliff where the config that serves below a breakpoint loses more than this share at it, such as where it
# needs one tile more than there are SMs. So many probes find a cliff to the item, in an octave of 2^20 of them.
_CLIFF = 0.05
_PROBES_OF_A_CLIFF = 20


def pairs_to_probe(
    records: Sequence[Record], known: Sequence[Breakpoint], run_of: Callable[[Problem, int, Config, Config], Run]
) -> list[tuple[Record, Record]]:
    """Return the pairs of neighbouring records, of one problem on one device, that have no known breakpoint.

    Two records of one config need none. `run_of` returns the run that a breakpoint between two configs would name if it
    were found now.
    """
    found = {
        (one.problem, one.n_low, one.n_high, one.low, one.high)
        for one in known
        if one.run.covers(run_of(one.problem, one.n_high, one.low, one.high))
    }
    neighbours = pairwise(sorted(records, key=lambda record: record.n))
    return [
        (low, high)
        for low, high in neighbours
        if low.config != high.config and (low.problem, low.n, high.n, low.config, high.config) not in found
    ]


def probes_between(low: Record, high: Record, policy: Policy) -> int:
    """Return how many sizes are measured: the policy's, and one more for each doubling of the octaves between."""
    octaves = math.log2(high.n / low.n)
    return policy.probes + max(0, math.ceil(math.log2(octaves)))


def find_breakpoint(low: Record, high: Record, measure: Measure, probes: int, run: Run) -> Breakpoint:
    """Return where the larger record takes over, by `probes` probes, or fewer if there are fewer sizes between.

    The first two are at the ends. The one just above low's size is needed because a config that fills its tiles there
    may need another tile for one item more. The one at the upper end bounds what low's config can cost below it.
    The others halve, in log N, the widest gap between two probes that different configs won. Where one config wins at
    both ends, they halve the widest gap of all. Where the switch is at a cliff, more probes find the very size.
    """
    taken = [measure(n) for n in dict.fromkeys((low.n + 1, high.n))]

    def take_up_to(most: int, next_size: Callable[[Sequence[PairProbe]], int | None]) -> None:
        while len(taken) < most and (n := next_size(taken)) is not None:
            taken.append(measure(n))
            taken.sort(key=lambda probe: probe.n)

    take_up_to(probes, _next_size)
    take_up_to(probes + _PROBES_OF_A_CLIFF, _next_size_at_cliff)
    return Breakpoint(
        low.device, low.problem, low.n, high.n, _best_switch(taken), tuple(taken), low.config, high.config, now(), run
    )


def _next_size(taken: Sequence[PairProbe]) -> int | None:
    """Return the size to probe next; None where no size is left."""
    gaps = [gap for gap in pairwise(taken) if _middle(*gap)]
    crossings = [(below, above) for below, above in gaps if below.low_is_faster != above.low_is_faster]
    widest = max(crossings or gaps, key=lambda gap: gap[1].n / gap[0].n, default=None)
    return _middle(*widest) if widest else None


def _next_size_at_cliff(taken: Sequence[PairProbe]) -> int | None:
    """Return the size to probe next below the switch; None where little is lost at it, or no size is left."""
    n_switch = _best_switch(taken)
    for below, above in pairwise(taken):
        if above.n == n_switch and (above.fails(low_serves=True) or above.excess(low_serves=True) > _CLIFF):
            return _middle(below, above)
    return None


def _best_switch(probes: Sequence[PairProbe]) -> int:
    """Return the size from which on the larger record is to serve, so that the largest loss at any probe is least.

    The last probe is at the larger record's own size, which that record serves in any case. A config that failed at a
    probe is worse than any slow one.
    """

    def cost(n_switch: int) -> tuple[int, float, float, int]:
        served = [(probe, probe.n < n_switch) for probe in probes[:-1]]
        excesses = [probe.excess(low_serves) for probe, low_serves in served]
        failures = sum(probe.fails(low_serves) for probe, low_serves in served)
        return failures, max(excesses, default=0.0), sum(excesses), n_switch

    return min((probe.n for probe in probes), key=cost)


def prober(evaluator: Evaluator, problem: Problem, low: Config, high: Config, policy: Policy) -> Measure:
    """Return a function that times both configs, interleaved, at a size. It raises EnvironmentFault."""
    rounds = replace(policy.final, ceiling=False)

    def measure(n: int) -> PairProbe:
        low_us, high_us = map(_microseconds, evaluator.measure(problem, n, [low, high], rounds).outcomes)
        return PairProbe(n, low_us, high_us)

    return measure


def _microseconds(outcome: Measurement | Failure) -> float | None:
    return None if isinstance(outcome, Failure) else outcome.median_us


def _middle(below: PairProbe, above: PairProbe) -> int | None:
    """Return the size halfway between two probes in log N; None if no size is between."""
    n = round(math.sqrt(below.n * above.n))
    return n if below.n < n < above.n else None
