"""Replays of searches on recorded spaces: how near to the fastest config they came, and how soon."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scantune.model.config import Config
from scantune.model.policy import Effort, Policy, policy_of
from scantune.model.recorded_space import RecordedSpace
from scantune.search.effects import Effects, learned_from
from scantune.search.problem_search import ProblemSearch, Tools
from scantune.search.recorded_worker import RecordedCompilers, RecordedSession, RecordedWorker
from scantune.search.sampler_names import Sampler
from scantune.worker.evaluation import Evaluator, Timeouts

SHARES_AT = (20, 40, 60, 200)
REACHED = (0.95, 0.98, 0.99)
_WORST_AT = 60


@dataclass(frozen=True)
class Trace:
    """One search: after each evaluation, the speed of the best known as a share of the fastest config's speed."""

    shares: Sequence[float]  # 0 while nothing has worked
    final_share: float  # that of the config that the search returns

    def share_at(self, evaluations: int) -> float:
        """Return the share after so many evaluations, or after the last where there were fewer."""
        return self.shares[min(evaluations, len(self.shares)) - 1] if self.shares else 0.0

    def evaluations_to(self, share: float) -> float:
        """Return after how many evaluations the share was reached first; infinite if it never was."""
        return next((count for count, reached in enumerate(self.shares, 1) if reached >= share), math.inf)


@dataclass(frozen=True)
class Replayed:
    """The searches of one space by one sampler, one for each seed."""

    space: str
    sampler: str
    traces: Sequence[Trace]

    def message(self) -> dict[str, Any]:
        """Return medians over the seeds, and the best share of the worst tenth; null for what was not reached."""
        shares_at = {f"median_share_at_{count}": _rounded(self._median_share(count)) for count in SHARES_AT}
        worst = sorted(trace.share_at(_WORST_AT) for trace in self.traces)
        reached = {f"evaluations_to_{share * 100:.0f}": self._evaluations_to(share) for share in REACHED}
        return {
            "space": self.space,
            "sampler": self.sampler,
            "seeds": len(self.traces),
            **shares_at,
            f"worst_tenth_share_at_{_WORST_AT}": _rounded(worst[max(0, math.ceil(len(worst) / 10) - 1)]),
            **reached,
            "median_final_share": _rounded(statistics.median(trace.final_share for trace in self.traces)),
        }

    def _median_share(self, count: int) -> float:
        return statistics.median(trace.share_at(count) for trace in self.traces)

    def _evaluations_to(self, share: float) -> float | None:
        median = statistics.median(trace.evaluations_to(share) for trace in self.traces)
        return None if math.isinf(median) else median


@dataclass
class _Notebook:
    """A watcher that remembers which config a search holds for the best after each trial."""

    held: list[Config | None] = field(default_factory=list)

    def tried(self, trials: int, limit: int, best: Config | None, best_us: float | None) -> None:
        self.held += [best] * (trials - len(self.held))


def replay_policy(recorded: RecordedSpace, effort: Effort) -> Policy:
    """Return the policy of a run of that effort, without a limit of time. A space has times of one N alone."""
    return replace(policy_of(recorded.device, effort), budget_s=math.inf, drawn=0)


def effects_for(recorded: RecordedSpace, others: Iterable[RecordedSpace]) -> Effects:
    """Return the effects learned from the other spaces, leaving out those of the same problem at any N."""
    return learned_from(other for other in others if other.problem != recorded.problem)


def replay(
    recorded: RecordedSpace, sampler: Sampler, seed: int, policy: Policy, effects: Effects | None = None,
    starts: Iterable[Config] = (),
) -> Trace:  # fmt: skip
    """Run one search and return its trace. `starts` are tried after the defaults. Optuna's samplers know no effects.

    Raises UsageError if a package of the sampler is missing.
    """
    evaluator = Evaluator(RecordedWorker.of(recorded, seed), Timeouts())
    notebook = _Notebook()
    tools = Tools(
        evaluator, RecordedCompilers.of(recorded), RecordedSession.of(recorded, policy, seed), policy, seed, notebook,
        clock=lambda: 0.0, effects=effects or Effects(), sampler=sampler,
    )  # fmt: skip
    problem, n = recorded.problem, recorded.n
    search = ProblemSearch(tools, problem, n, evaluator.space(problem, n), deadline=math.inf)
    untuned = evaluator.untuned(problem, n)
    record = search.run(starts, holders=[untuned] if untuned else [])
    return trace_of(recorded, notebook.held, record.config if record else None)


def trace_of(recorded: RecordedSpace, held: Sequence[Config | None], winner: Config | None = None) -> Trace:
    """Return the trace of a search; `held` has the config that was held for the best after each evaluation.

    Without a winner the last of them counts as one. Raises ValueError when no config of the space works.
    """
    optimum = recorded.optimum
    if optimum is None:
        raise ValueError("no config of the space works")

    def share(config: Config | None) -> float:
        # A config that no final round has timed may look faster than the fastest of those that one has timed.
        return min(1.0, optimum.true_us / recorded.by_config[config].true_us) if config else 0.0

    return Trace([share(config) for config in held], share(winner or (held[-1] if held else None)))


def _rounded(share: float) -> float:
    return round(share, 4)
