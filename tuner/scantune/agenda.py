"""Which search comes next, and how much of a run's time it may take."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from scantune.policy import Policy
from scantune.problem import Problem
from scantune.time_model import TimeModel

Task = tuple[Problem, int]

# Where the largest gains begin: bandwidth limits a scan from here on, a trial still costs little, and what wins is
# among the fastest of all larger scans.
_FIRST_N = 2**26

# The families' defaults, winners of similar searches and a step or two from them: with fewer, a search says hardly more
# than the records around it do.
_LEAST_TRIALS = 12


@dataclass(frozen=True)
class Turn:
    problem: Problem
    n: int
    trials_s: float  # for its trials; what comes after them has been taken off


class Agenda:
    """Searches in the order of what they gain, so that a budget which ends too soon leaves out what gains least.

    A size comes after those between it and the first one, because each search starts from the winners before it.
    """

    def __init__(self, tasks: Sequence[Task], model: TimeModel, policy: Policy) -> None:
        # The larger of two sizes that are equally far: there is more to gain.
        self._waiting = deque(sorted(tasks, key=lambda task: (abs(math.log2(task[1] / _FIRST_N)), -task[1])))
        self._model = model
        self._policy = policy
        self._has_begun = False
        self.left_out: list[Task] = []  # for want of time

    def next(self, left_s: float) -> Turn | None:
        """Return the next search that the time left can pay for, with its share of it; None when there is none.

        The first one always gets its turn.
        """
        while self._waiting:
            trials_s = self._share_s(left_s)
            task = self._waiting.popleft()
            if trials_s >= self._least_trials_s(task) or not self._has_begun:
                self._has_begun = True
                return Turn(*task, trials_s)
            self.left_out.append(task)
        return None

    def take_up_what_was_left_out(self) -> None:
        """Let those that were left out wait again: there is more time than it seemed."""
        self._waiting.extend(self.left_out)
        self.left_out = []

    def _share_s(self, left_s: float) -> float:
        """Return what the next search may spend on trials: its least, and its share of what all have beyond theirs.

        What a quick search leaves over, the later ones share. Those that can no longer have even the least get nothing.
        """
        spare_s, wanted_s = left_s, 0.0
        for position, task in enumerate(self._waiting):
            needed_s = self._model.ending_s(*task) + self._least_trials_s(task)
            if position > 0 and needed_s > spare_s:
                break
            spare_s -= needed_s
            wanted_s += self._wanted_s(task)
        first = self._waiting[0]
        return self._least_trials_s(first) + spare_s * (self._wanted_s(first) / wanted_s if wanted_s else 1.0)

    def _least_trials_s(self, task: Task) -> float:
        return self._model.trials_s(*task, min(_LEAST_TRIALS, self._policy.trials))

    def _wanted_s(self, task: Task) -> float:
        """What its trials may take beyond the least of them."""
        return self._model.trials_s(*task, self._policy.trials) - self._least_trials_s(task)
