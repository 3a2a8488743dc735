"""What the times of a few configs say about all others of their family: a Gaussian process over log times.

Configs are alike by how few parameters differ, and by how much those matter, which is learned from the times with a
prior by the parameter's role. Small weights make it nearly additive: what two changes gain, both together are expected
to gain, until a time says otherwise. After Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006,
algorithm 2.1 and section 5.4; the gain that is expected after Jones, Schonlau and Welch, "Efficient Global Optimization
of Expensive Black-Box Functions", 1998.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Points = npt.NDArray[np.int64]  # a row for each config: the index of each parameter's value

# Half and twice as much of each moved the mean share of the spaces in db/spaces after 60 trials by at most 0.01.
_DEVIATION = 0.2  # of log times, before anything is known
_NOISE = 0.004  # of a log time
_WEIGHTS = {True: 0.15, False: 0.05}  # of a step in a primary parameter, in another one
_WEIGHTS_DEVIATION = 2.0  # of their logarithms
_PESSIMISM = 0.1  # log time by which an unknown config is taken to be slower than the fastest known
_MOST_STEPS = 3  # what is farther is as unlike
_TRIES = (0.7, -0.7)  # changes of a weight's logarithm, one of which is made where that explains the times better
_LEAST_TO_LEARN = 6  # times, for weights to be learned
_LEARNED_EVERY = 2  # more of them


class Surrogate:
    """learn() before anything is asked."""

    def __init__(self, is_ordered: Sequence[bool], is_primary: Sequence[bool], seed: int) -> None:
        """One entry for each parameter."""
        self._is_ordered = np.array(is_ordered)
        self._prior = np.log([_WEIGHTS[one] for one in is_primary])
        self._weights = self._prior.copy()  # logarithms
        self._random = np.random.default_rng(seed)
        self._learned = 0  # times that the weights were learned from

    def learn(self, points: Points, log_times: Array) -> None:
        """Take in all that is known."""
        self._points, self._mean = points, float(log_times.min()) + _PESSIMISM
        self._steps, self._values = self._steps_between(points, points), log_times - self._mean
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
        self._values = np.append(self._values, np.maximum(expected - self._mean, self._values.min()))
        self._solve()

    def predict(self, points: Points) -> tuple[Array, Array]:
        """Return the log times that are expected, and their standard deviations."""
        covariance = self._covariance(self._steps_between(points, self._points), self._weights)
        variance = np.maximum(_DEVIATION**2 - np.einsum("ij,ij->i", covariance @ self._inverse, covariance), 1e-10)
        return self._mean + covariance @ self._solved, np.sqrt(variance)

    def expected_gain(self, points: Points, best: float) -> Array:
        """Return by how much each point is expected to lower the best log time; one that does not counts as 0."""
        mean, deviation = self.predict(points)
        standing = (best - mean) / deviation
        below = np.array([0.5 * math.erfc(-one / math.sqrt(2)) for one in standing])
        density = np.exp(-(standing**2) / 2) / math.sqrt(2 * math.pi)
        return np.asarray(deviation * (standing * below + density), dtype=np.float64)

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
