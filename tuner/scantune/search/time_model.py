"""What a search costs, so that a budget can be split before anything was measured."""

from __future__ import annotations

from dataclasses import dataclass

from scantune.model.device import Device
from scantune.model.problem import Problem


@dataclass(frozen=True)
class TimeModel:
    """Seconds. `byte` is one of those that a scan has to move: its input's and its output's."""

    search_s: float  # of one search: its first compilation, its final round
    search_byte_s: float  # filling the input, the final round, verifying the winner at its own size
    trial_s: float  # of one trial, while its compilation is hidden behind others
    trial_byte_s: float

    def ending_s(self, problem: Problem, n: int) -> float:
        """Return what a search takes beside its trials; most of it comes after them."""
        return self.search_s + self.search_byte_s * problem.bytes_moved(n)

    def trials_s(self, problem: Problem, n: int, trials: int) -> float:
        return trials * (self.trial_s + self.trial_byte_s * problem.bytes_moved(n))

    def probe_s(self, problem: Problem, n: int) -> float:
        """Return what timing two configs at a size of its own takes: its input, and more rounds than a trial."""
        return 4 * self.trials_s(problem, n, 1)


# From the 4521 trials of a quick run on an H200 with 16 cores. A trial at 2^10 took 25 to 45 ms, however fast its scan;
# one of 17 GB took 150 ms, and such a search 14 s beside its trials.
_GPU = TimeModel(search_s=0.4, search_byte_s=0.9e-9, trial_s=0.045, trial_byte_s=6e-12)
_HOST = TimeModel(search_s=2.0, search_byte_s=4e-7, trial_s=0.2, trial_byte_s=25e-9)


def time_model_of(device: Device) -> TimeModel:
    return _HOST if device.is_host else _GPU
