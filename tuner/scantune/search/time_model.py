"""The time that searches are expected to take, by which a budget is split before anything was measured."""

from __future__ import annotations

from dataclasses import dataclass

from scantune.model.device import Device
from scantune.model.least_time import HOST_BYTE_US
from scantune.model.problem import Problem


@dataclass(frozen=True)
class TimeModel:
    """Costs in seconds, and in seconds for each byte that must be read and written."""

    search_s: float  # one search: its first compilation, its final round
    search_byte_s: float  # filling the input, the final round, verifying the winner at its own size
    trial_s: float  # one trial, while its compilation overlaps with others
    trial_byte_s: float

    def ending_s(self, problem: Problem, n: int) -> float:
        """Return the seconds that a search takes beside its trials; most of them come after the trials."""
        return self.search_s + self.search_byte_s * problem.bytes_moved(n)

    def trials_s(self, problem: Problem, n: int, trials: int) -> float:
        return trials * (self.trial_s + self.trial_byte_s * problem.bytes_moved(n))

    def probe_s(self, problem: Problem, n: int) -> float:
        """Return the seconds of one probe: two configs at a size of their own, with more rounds than in a trial."""
        return 4 * self.trials_s(problem, n, 1)


# The figures come from two runs on an H200 with 16 cores each. In each, 1,712 and 1,648 trials and some 390 rounds of
# races and finals took 120 s of the worker, without waits for compilers. These include winners at 2^30, which the
# device itself checks. What final rounds time elsewhere in the octave took 0.45 s of
# a later run for each cell up to 2^24.
_GPU = TimeModel(search_s=0.7, search_byte_s=0.6e-9, trial_s=0.025, trial_byte_s=6e-12)
_HOST = TimeModel(search_s=2.0, search_byte_s=4e-7, trial_s=0.2, trial_byte_s=1e-6 * HOST_BYTE_US)


def time_model_of(device: Device) -> TimeModel:
    return _HOST if device.is_host else _GPU
