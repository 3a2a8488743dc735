"""What the times of a few configs say about all others of their family: a Gaussian process over log times.

Configs are alike by how few parameters differ, and by how much those matter, which is learned from the times with a
prior. Small weights make it nearly additive: what two changes gain, both together are expected to gain, until a time
says otherwise. Before there are times, a config is expected to take as much more as the effects of its values say.
After Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, algorithm 2.1 and section 5.4; the gain
that is expected after Jones, Schonlau and Welch, "Efficient Global Optimization of Expensive Black-Box Functions",
1998.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Points = npt.NDArray[np.int64]  # a row for each config: the index of each parameter's value

# Half and twice as much of each moved the mean share of the spaces in db/spaces after 60 trials by about 0.01.
_DEVIATION = 0.1  # of log times, before anything is known
_NOISE = 0.004  # of a log time
_WEIGHTS_DEVIATION = 2.0  # of their logarithms
_PESSIMISM = 0.1  # log time by which an unknown config is taken to be slower than the fastest known
_MOST_STEPS = 3  # what is farther is as unlike
_TRIES = (0.7, -0.7)  # changes of a weight's logarithm, one of which is made where that explains the times better
_LEAST_TO_LEARN = 6  # times, for weights to be learned
_LEARNED_EVERY = 2  # more of them


@dataclass(frozen=True)
class Prior:
    """What is known of a parameter before any time is."""

    is_ordered: bool
    weight: float  # of a step in it, in how unlike configs are
    effects: Sequence[float]  # by how much more each value lets the log time be expected


def weight_of(deviation: float) -> float:
    """Return the weight of a step by which log times change with a standard deviation."""
    return deviation**2 / (2 * _DEVIATION**2)


class Surrogate:
    """learn() before anything is asked."""

    def __init__(self, priors: Sequence[Prior], seed: int) -> None:
        """One prior for each parameter."""
        self._is_ordered = np.array([one.is_ordered for one in priors])
        self._effects = [np.array(one.effects) for one in priors]
        self._prior = np.log([one.weight for one in priors])
        self._weights = self._prior.copy()  # logarithms
        self._random = np.random.default_rng(seed)
        self._learned = 0  # times that the weights were learned from

    def learn(self, points: Points, log_times: Array) -> None:
        """Take in all that is known."""
        corrected, best = log_times - self._effects_of(points), int(log_times.argmin())
        self._points, self._mean, self._best = points, float(corrected[best]) + _PESSIMISM, float(log_times[best])
        self._steps, self._values = self._steps_between(points, points), corrected - self._mean
        if len(points) >= max(_LEAST_TO_LEARN, self._learned + _LEARNED_EVERY):
            self._learn_weights()
            self._learned = len(points)
        self._solve()

    def suppose(self, points: Points) -> None:
        """Take what is expected of points for known, until learn(): who asks next is to look elsewhere."""
        expected, _ = self.predict(points)
        across, among = self._steps_between(self._points, points), self._steps_between(points, points)
        self._steps = np.concatenate(
            [np.concatenate([self._steps, across], axis=1), np.concatenate([across.swapaxes(0, 1), among], axis=1)]
        )
        self._points = np.vstack([self._points, points])
        # No better than the best: a gain that is only expected must not raise what others have to beat.
        supposed = np.maximum(expected, self._best) - self._effects_of(points) - self._mean
        self._values = np.append(self._values, supposed)
        self._solve()

    def predict(self, points: Points) -> tuple[Array, Array]:
        """Return the log times that are expected, and their standard deviations."""
        covariance = self._covariance(self._steps_between(points, self._points), self._weights)
        variance = np.maximum(_DEVIATION**2 - np.einsum("ij,ij->i", covariance @ self._inverse, covariance), 1e-10)
        return self._mean + self._effects_of(points) + covariance @ self._solved, np.sqrt(variance)

    def expected_gain(self, points: Points, best: float) -> Array:
        """Return by how much each point is expected to lower the best log time; one that does not counts as 0."""
        mean, deviation = self.predict(points)
        standing = (best - mean) / deviation
        below = np.array([0.5 * math.erfc(-one / math.sqrt(2)) for one in standing])
        density = np.exp(-(standing**2) / 2) / math.sqrt(2 * math.pi)
        return np.asarray(deviation * (standing * below + density), dtype=np.float64)

    def _effects_of(self, points: Points) -> Array:
        effects = [of[points[:, place]] for place, of in enumerate(self._effects)]
        return np.asarray(np.sum(effects, axis=0), dtype=np.float64)

    def _steps_between(self, rows: Points, columns: Points) -> Array:
        apart = np.abs(rows[:, None, :] - columns[None, :, :])
        return np.asarray(np.minimum(apart, np.where(self._is_ordered, _MOST_STEPS, 1)), dtype=np.float64)

    def _covariance(self, steps: Array, weights: Array) -> Array:
        return np.asarray(_DEVIATION**2 * np.exp(-(steps @ np.exp(weights))), dtype=np.float64)

    def _noisy(self, weights: Array) -> Array:
        covariance = self._covariance(self._steps, weights)
        return covariance + _NOISE**2 * np.eye(len(covariance))

    def _solve(self) -> None:
        self._inverse = np.linalg.inv(self._noisy(self._weights))
        self._solved = self._inverse @ self._values

    def _learn_weights(self) -> None:
        """Change each weight once, where that makes the times likelier; every learn() goes a step further."""
        likelihood = self._likelihood(self._weights)
        for parameter in self._random.permutation(len(self._weights)):
            for change in _TRIES:
                tried = self._weights.copy()
                tried[parameter] += change
                if (better := self._likelihood(tried)) > likelihood:
                    self._weights, likelihood = tried, better
                    break

    def _likelihood(self, weights: Array) -> float:
        """Return the logarithm of how likely times and weights are, up to a constant."""
        factor = np.linalg.cholesky(self._noisy(weights))
        solved = np.linalg.solve(factor, self._values)
        unlikely = ((weights - self._prior) / _WEIGHTS_DEVIATION) ** 2
        return float(-0.5 * solved @ solved - np.log(np.diag(factor)).sum() - 0.5 * unlikely.sum())
