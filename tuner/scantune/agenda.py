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


@dataclass(frozen=True)
class Turn:
    problem: Problem
    n: int
    trials_s: float  # for its trials; what comes after them has been taken off


class Agenda:
    """Searches in the order of what they gain, so that a budget which ends too soon leaves out what gains least.

    Neighbouring sizes follow each other, because each search starts from the winners before it.
    """

    def __init__(self, tasks: Sequence[Task], model: TimeModel, policy: Policy) -> None:
        # The larger of two sizes that are equally far: there is more to gain.
        self._waiting = deque(sorted(tasks, key=lambda task: (abs(math.log2(task[1] / _FIRST_N)), -task[1])))
        self._model = model
        self._policy = policy
        self._has_begun = False
        self.left_out: list[Task] = []  # for want of time

    def next(self, left_s: float) -> Turn | None:
        """Return the next search that can end in the time left, with its share of it; None when there is none.

        The first one always gets its turn.
        """
        while self._waiting:
            whole_s = sum(map(self._cost_s, self._waiting))
            problem, n = task = self._waiting.popleft()
            ending_s = self._model.ending_s(problem, n)
            if ending_s <= left_s or not self._has_begun:
                self._has_begun = True
                # What a quick search leaves over, the later ones share.
                return Turn(problem, n, left_s * self._cost_s(task) / whole_s - ending_s)
            self.left_out.append(task)
        return None

    def _cost_s(self, task: Task) -> float:
        return self._model.ending_s(*task) + self._model.trials_s(*task, self._policy.trials)
