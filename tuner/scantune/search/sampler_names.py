"""The names of the samplers that can search a recorded space."""

from __future__ import annotations

from enum import Enum


class Sampler(str, Enum):
    default = "default"  # the search of this tuner
    tpe = "tpe"
    gp = "gp"
    cmaes = "cmaes"
    ga = "ga"
    random = "random"
    greedy = "greedy"

    @property
    def is_slow(self) -> bool:
        return self in (Sampler.gp, Sampler.cmaes)
