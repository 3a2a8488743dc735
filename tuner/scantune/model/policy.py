"""Policies: how hard to search and how carefully to measure."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any

from scantune.model.device import Device


class Effort(str, Enum):
    quick = "quick"
    normal = "normal"
    exhaustive = "exhaustive"

    @property
    def rank(self) -> int:
        return list(Effort).index(self)


@dataclass(frozen=True)
class Rounds:
    """How one request to measure takes its times; see the worker protocol."""

    rounds: int
    min_round_ms: float
    slower_than: float | None = None  # None: every config is measured to the end
    ceiling: bool = False
    samples: bool = False  # whether the worker tells every sample beside their median

    def message(self) -> dict[str, Any]:
        message = {"rounds": self.rounds, "min_round_ms": self.min_round_ms, "rotate": True, "ceiling": self.ceiling}
        return message if self.slower_than is None else {**message, "slower_than": self.slower_than}


@dataclass(frozen=True)
class Policy:
    trials: int  # configs per problem and N, the default included
    patience: int  # trials in a row that bring no gain; then the search ends
    batch: int  # candidates measured together, beside the fastest so far; they are what a killed tuner loses
    ahead: int  # candidates that compile, or wait to be verified, while others are measured
    finalists: int  # configs measured again in the final round, beside the default and the record of an earlier run
    racing: Rounds
    final: Rounds
    probing: Rounds  # at places drawn in the octave, where what may win meets again
    verify_items: int  # candidates are verified at this size at most; the winner at its real N
    budget_s: float  # wall time of a whole run, unless the user says otherwise
    # Sizes measured between two records of a portfolio that are an octave apart: both ends, and four between, which
    # narrow a crossing down to a sixteenth of the octave. Wider gaps get more.
    probes: int = 6
    drawn: int = 3  # such places in each octave
    # First race what is known to be good in every cell, then search only where that leaves something to be gained.
    surveys: bool = False

    def message(self) -> dict[str, Any]:
        """Return the members that a run keeps of the policy."""
        return asdict(self)


# A config whose probe is slower than the fastest by this factor cannot win any more, and is not measured on.
CLEARLY_SLOWER = 1.25

_EVERYTHING = 1_000_000

# A run without options is to take ten minutes, half a minute of which is for starting and ending it.
_GPU = {
    Effort.quick: Policy(
        trials=96, patience=36, batch=4, ahead=4, finalists=4,
        racing=Rounds(rounds=3, min_round_ms=1.0, slower_than=1.25),
        final=Rounds(rounds=15, min_round_ms=2.0, ceiling=True), probing=Rounds(rounds=9, min_round_ms=1.0),
        verify_items=2**18, budget_s=9.5 * 60, surveys=True,
    ),
    Effort.normal: Policy(
        trials=256, patience=96, batch=4, ahead=4, finalists=6,
        racing=Rounds(rounds=5, min_round_ms=2.0, slower_than=1.25),
        final=Rounds(rounds=31, min_round_ms=4.0, ceiling=True), probing=Rounds(rounds=15, min_round_ms=2.0),
        verify_items=2**20, budget_s=60 * 60,
    ),
    Effort.exhaustive: Policy(
        trials=_EVERYTHING, patience=_EVERYTHING, batch=4, ahead=16, finalists=8,
        racing=Rounds(rounds=5, min_round_ms=2.0, slower_than=1.5),
        final=Rounds(rounds=51, min_round_ms=5.0, ceiling=True), probing=Rounds(rounds=25, min_round_ms=2.0),
        verify_items=2**22, budget_s=12 * 3600,
    ),
}  # fmt: skip

# The host device takes some 30 ns per item and about 0.2 s per compilation, so it gets few trials of few rounds.
_HOST = {
    Effort.quick: Policy(
        trials=20, patience=20, batch=4, ahead=8, finalists=2,
        racing=Rounds(rounds=3, min_round_ms=0.5, slower_than=1.5),
        final=Rounds(rounds=7, min_round_ms=1.0, ceiling=True), probing=Rounds(rounds=7, min_round_ms=0.5),
        verify_items=2**13, budget_s=120, drawn=1,
    ),
    Effort.normal: Policy(
        trials=60, patience=24, batch=4, ahead=8, finalists=3,
        racing=Rounds(rounds=5, min_round_ms=1.0, slower_than=1.5),
        final=Rounds(rounds=11, min_round_ms=2.0, ceiling=True), probing=Rounds(rounds=7, min_round_ms=1.0),
        verify_items=2**14, budget_s=15 * 60, drawn=1,
    ),
    Effort.exhaustive: Policy(
        trials=_EVERYTHING, patience=_EVERYTHING, batch=4, ahead=16, finalists=4,
        racing=Rounds(rounds=5, min_round_ms=2.0, slower_than=2.0),
        final=Rounds(rounds=15, min_round_ms=4.0, ceiling=True), probing=Rounds(rounds=11, min_round_ms=2.0),
        verify_items=2**16, budget_s=6 * 3600, drawn=1,
    ),
}  # fmt: skip


# A portfolio of all types is 204 searches of five seconds, and the probes between their sizes.
_PORTFOLIO_BUDGET_FACTOR = 3


def policy_of(device: Device, effort: Effort, budget_s: float | None = None, is_portfolio: bool = False) -> Policy:
    """Return the policy of an effort on a kind of device, with the user's budget in place of the default one."""
    policy = (_HOST if device.is_host else _GPU)[effort]
    if budget_s is None:
        budget_s = policy.budget_s * (_PORTFOLIO_BUDGET_FACTOR if is_portfolio else 1)
    return replace(policy, budget_s=budget_s, surveys=policy.surveys and not is_portfolio)
