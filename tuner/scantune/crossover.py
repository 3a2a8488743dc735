"""Finds the breakpoints of a portfolio by measuring the two configs on either side of each at sizes between."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from scantune.breakpoint import Breakpoint, Probe
from scantune.config import Config
from scantune.evaluation import Evaluator
from scantune.measurement import Measurement
from scantune.policy import Policy
from scantune.problem import Problem
from scantune.record import Record, Run, now
from scantune.trial import Failure

Measure = Callable[[int], Probe]  # at one size


def pairs_to_probe(records: Sequence[Record], known: Sequence[Breakpoint], run: Run) -> list[tuple[Record, Record]]:
    """Return neighbouring records, of one problem on one device, between which it is not known yet who serves.

    Between two of one config there is nothing to know.
    """
    found = {(one.n_low, one.n_high, one.low, one.high) for one in known if one.run.covers(run)}
    neighbours = pairwise(sorted(records, key=lambda record: record.n))
    return [
        (low, high)
        for low, high in neighbours
        if low.config != high.config and (low.n, high.n, low.config, high.config) not in found
    ]


def find_breakpoint(low: Record, high: Record, measure: Measure, probes: int, run: Run) -> Breakpoint:
    """Return where the larger record takes over, by bisection in log N with so many probes.

    The first two are at the ends. What fills its tiles at low's size may need another for one item more, and what low's
    config costs at the upper end bounds what it can cost below.
    """
    taken: list[Probe] = []
    last_of_low, first_of_high = low.n, high.n
    ends = [low.n + 1, high.n] if low.n + 1 < high.n else [high.n]
    while len(taken) < probes:
        n = ends.pop(0) if ends else _middle(last_of_low, first_of_high)
        if n is None:
            break
        taken.append(measure(n))
        if not taken[-1].low_is_faster:
            first_of_high = min(first_of_high, n)
        elif n != high.n:  # which keeps its own record whatever comes of it
            last_of_low = max(last_of_low, n)
    ordered = tuple(sorted(taken, key=lambda probe: probe.n))
    return Breakpoint(
        low.device, low.problem, low.n, high.n, first_of_high, ordered, low.config, high.config, now(), run
    )


def prober(evaluator: Evaluator, problem: Problem, low: Config, high: Config, policy: Policy) -> Measure:
    """Return what times both configs, interleaved, at a size. EnvironmentFault may come out of it."""
    rounds = replace(policy.final, ceiling=False)

    def measure(n: int) -> Probe:
        low_us, high_us = map(_microseconds, evaluator.measure(problem, n, [low, high], rounds).outcomes)
        return Probe(n, low_us, high_us)

    return measure


def _microseconds(outcome: Measurement | Failure) -> float | None:
    return None if isinstance(outcome, Failure) else outcome.median_us


def _middle(low: int, high: int) -> int | None:
    """Return the size halfway in log N; None when there is none between."""
    n = round(math.sqrt(low * high))
    return n if low < n < high else None
