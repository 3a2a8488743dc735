"""The names of the samplers that can propose what a search tries."""

from __future__ import annotations

from enum import Enum
from importlib.util import find_spec

from scantune.errors import UsageError


class Sampler(str, Enum):
    default = "default"  # the sampler of this tuner
    tpe = "tpe"
    gp = "gp"
    cmaes = "cmaes"
    ga = "ga"
    nsga3 = "nsga3"
    qmc = "qmc"
    random = "random"

    @property
    def is_slow(self) -> bool:
        return self in (Sampler.gp, Sampler.cmaes)

    @property
    def has_prior(self) -> bool:
        """Whether it knows what other problems tell of parameters."""
        return self is Sampler.default

    @property
    def takes_all_parameters(self) -> bool:
        """Whether it samples only parameters that all trials have, so that a trial has those of every family."""
        return self in (Sampler.gp, Sampler.cmaes, Sampler.ga, Sampler.nsga3, Sampler.qmc)

    @property
    def takes_places(self) -> bool:
        """Whether it knows no order of categories, so that a number is told as its place in the list of values."""
        return self in (Sampler.gp, Sampler.cmaes, Sampler.qmc)

    @property
    def takes_numbers(self) -> bool:
        """Whether it knows no categories at all, so that words are told as places too."""
        return self in (Sampler.cmaes, Sampler.qmc)

    def check(self) -> None:
        """Raise UsageError if a package is missing that Optuna needs for it and does not bring."""
        package = _PACKAGES.get(self)
        if package and not find_spec(package):
            installed = package if self is Sampler.gp else "scantune[samplers]"
            raise UsageError(f"--sampler {self.value} needs the package {package}: pip install '{installed}'")


_PACKAGES = {Sampler.gp: "torch", Sampler.cmaes: "cmaes", Sampler.qmc: "scipy"}
