"""The defaults of the families, from which configs depart, as a worker tells them."""

from __future__ import annotations

from scantune.model.config import Config, Value
from scantune.model.problem import Problem
from scantune.model.space import Space, config_text, departures
from scantune.worker.client import WorkerDied, WorkerError
from scantune.worker.evaluation import Evaluator


class Defaults:
    """A cache of the defaults for each problem and N. Where a worker tells none, every value counts as a departure."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._spaces: dict[tuple[Problem, int], Space | None] = {}

    def space(self, problem: Problem, n: int) -> Space | None:
        """Return the families with their defaults, those of the gallery too, but without the configs that a search
        would try.
        """
        if (problem, n) not in self._spaces:
            try:
                named = self._evaluator.gallery(problem)
                self._spaces[problem, n] = self._evaluator.space(problem, n, configs=False, named=named)
            except (WorkerError, WorkerDied):
                self._spaces[problem, n] = None
        return self._spaces[problem, n]

    def departures(self, problem: Problem, n: int, config: Config) -> dict[str, Value]:
        """Return the parameters in which a config differs from its family's default."""
        return departures(config, self.space(problem, n))

    def told(self, problem: Problem, n: int, config: Config) -> str:
        """Return the family and what departs from its default, for people."""
        return config_text(config, self.space(problem, n))
