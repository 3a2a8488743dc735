"""The algorithms that a worker declares, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scantune.model.algorithm import Algorithm
from scantune.model.config import Config
from scantune.model.family_table import FamilyTables
from scantune.model.problem import Problem


class Algorithms(dict[str, Algorithm]):
    """Algorithms by name. Rows of other algorithms are taken as they are: a later version wrote them."""

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Algorithms:
        """Read algorithms and families of the protocol's `hello`; raise ValueError if they are invalid."""
        algorithms, families = message.get("algorithms"), message.get("families")
        if not isinstance(algorithms, list) or not algorithms:
            raise ValueError(f"its algorithms are {algorithms!r}"[:300])
        if not isinstance(families, list) or not families or not all(isinstance(one, Mapping) for one in families):
            raise ValueError(f"its families are {families!r}"[:300])
        found = [
            Algorithm.from_message(one, FamilyTables.from_message(_of(one, families))) for one in algorithms
        ]  # fmt: skip
        return cls({algorithm.name: algorithm for algorithm in found})

    def problem(self, row: Mapping[str, Any]) -> Problem:
        """Read the columns of a problem; raise ValueError if no tuner writes such columns."""
        return self.declared(Problem.from_row(row))

    def declared(self, problem: Problem) -> Problem:
        """Return the problem with its declaration, if there is one; raise ValueError if that spells it otherwise."""
        algorithm = self.get(problem.algorithm)
        return problem.declared_by(algorithm) if algorithm else problem

    def tables(self, problem: Problem) -> FamilyTables:
        """Return the families of the problem's algorithm; none where the algorithm is not known."""
        algorithm = self.get(problem.algorithm)
        return algorithm.families if algorithm else FamilyTables()

    def complete(self, problem: Problem, config: Config) -> Config:
        """Return the config with all parameters, in order; one that no family of the algorithm has stays as it is."""
        return self.tables(problem).complete(config)


def _of(algorithm: object, families: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the families of an algorithm."""
    name = algorithm.get("name") if isinstance(algorithm, Mapping) else None
    return [family for family in families if family.get("algorithm") == name]
