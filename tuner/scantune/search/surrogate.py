"""A surrogate of the times of a family's configs: a Gaussian process over log times, which a few of them train.

Two configs are the more alike, the fewer parameters differ and the less these matter. How much a parameter matters is
its weight, which is learned from the times with a prior. Small weights make the model nearly additive: two changes
together are expected to gain the sum of what each gains, until a time says otherwise. Before there are times, a config
is expected to take as much longer as the effects of its values say.

The method is that of Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, algorithm 2.1 and section
5.4. The expected gain is that of Jones, Schonlau and Welch, "Efficient Global Optimization of Expensive Black-Box
Functions", 1998.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Points = npt.NDArray[np.int64]  # a row for each config: the index of each parameter's value

# Halving or doubling any of these moved the mean share reached after 60 trials, over the spaces in db/spaces, by about
# 0.01.
_DEVIATION = 0.1  # prior standard deviation of log times
_NOISE = 0.004  # standard deviation of one measured log time
_WEIGHTS_DEVIATION = 2.0  # prior standard deviation of the weights' logarithms
_PESSIMISM = 0.1  # log time by which an unknown config is taken to be slower than the fastest known
_MOST_STEPS = 3  # values of an ordered parameter that are farther apart count as so many steps
_TRIES = (0.7, -0.7)  # changes of a weight's logarithm, one of which is made where that explains the times better
_LEAST_TO_LEARN = 6  # times that are needed before weights are learned
_LEARNED_EVERY = 2  # times that are needed before they are learned again


@dataclass(frozen=True)
class Prior:
    """What is known of a parameter before any time is."""

    is_ordered: bool
    weight: float  # how much one step in it adds to the distance between configs
    effects: Sequence[float]  # log time that each value is expected to add


def weight_of(deviation: float) -> float:
    """Return the weight of a step that changes log times by `deviation`, a standard deviation."""
    return deviation**2 / (2 * _DEVIATION**2)


class Surrogate:
    """The model of one family. learn() has to be called before any other method."""

    def __init__(self, priors: Sequence[Prior], seed: int) -> None:
        """Take one prior for each parameter; `seed` orders the weights when they are learned."""
        self._most_steps = np.array([_MOST_STEPS if one.is_ordered else 1 for one in priors], dtype=np.int16)
        self._effects = [np.array(one.effects) for one in priors]
        self._prior = np.log([one.weight for one in priors])
        self._weights = self._prior.copy()  # logarithms
        self._random = np.random.default_rng(seed)
        self._learned = 0  # how many times the weights were learned from

    def learn(self, points: Points, log_times: Array) -> None:
        """Replace what is known by the log times of these points."""
        corrected, best = log_times - self._effects_of(points), int(log_times.argmin())
        self._points, self._mean, self._best = points, float(corrected[best]) + _PESSIMISM, float(log_times[best])
        self._steps, self._values = self._steps_between(points, points), corrected - self._mean
        if len(points) >= max(_LEAST_TO_LEARN, self._learned + _LEARNED_EVERY):
            self._learn_weights()
            self._learned = len(points)
        self._solve()

    def suppose(self, points: Points) -> None:
        """Treat the expected log times of points as known until learn(), so that the next proposals are elsewhere."""
        expected, _ = self.predict(points)
        across, among = self._steps_between(self._points, points), self._steps_between(points, points)
        self._steps = np.concatenate(
            [np.concatenate([self._steps, across], axis=1), np.concatenate([across.swapaxes(0, 1), among], axis=1)]
        )
        self._points = np.vstack([self._points, points])
        # A supposed time is no better than the best: other points need not beat a gain that is only expected.
        supposed = np.maximum(expected, self._best) - self._effects_of(points) - self._mean
        self._values = np.append(self._values, supposed)
        self._solve()

    def predict(self, points: Points) -> tuple[Array, Array]:
        """Return the expected log times and their standard deviations, one of each for each point."""
        covariance = self._covariance(self._steps_between(points, self._points), self._weights)
        variance = np.maximum(_DEVIATION**2 - np.einsum("ij,ij->i", covariance @ self._inverse, covariance), 1e-10)
        return self._mean + self._effects_of(points) + covariance @ self._solved, np.sqrt(variance)

    def expected_gain(self, points: Points, best: float) -> Array:
        """Return by how much each point is expected to lower the best log time, where a slower outcome counts as 0."""
        mean, deviation = self.predict(points)
        standing = (best - mean) / deviation
        below = np.array([0.5 * math.erfc(-one / math.sqrt(2)) for one in standing])
        density = np.exp(-(standing**2) / 2) / math.sqrt(2 * math.pi)
        return np.asarray(deviation * (standing * below + density), dtype=np.float64)

    def _effects_of(self, points: Points) -> Array:
        effects = [of[points[:, place]] for place, of in enumerate(self._effects)]
        return np.asarray(np.sum(effects, axis=0), dtype=np.float64)

    def _steps_between(self, rows: Points, columns: Points) -> Array:
        apart = np.abs(rows.astype(np.int16)[:, None, :] - columns.astype(np.int16)[None, :, :])
        return np.asarray(np.minimum(apart, self._most_steps), dtype=np.float64)

    def _covariance(self, steps: Array, weights: Array) -> Array:
        return np.asarray(_DEVIATION**2 * np.exp(-(steps @ np.exp(weights))), dtype=np.float64)

    def _noisy(self, weights: Array) -> Array:
        covariance = self._covariance(self._steps, weights)
        return covariance + _NOISE**2 * np.eye(len(covariance))

    def _solve(self) -> None:
        self._inverse = np.linalg.inv(self._noisy(self._weights))
        self._solved = self._inverse @ self._values

    def _learn_weights(self) -> None:
        """Change each weight by one step where that makes the times likelier; later calls go further."""
        likelihood = self._likelihood(self._weights)
        for parameter in self._random.permutation(len(self._weights)):
            for change in _TRIES:
                tried = self._weights.copy()
                tried[parameter] += change
                if (better := self._likelihood(tried)) > likelihood:
                    self._weights, likelihood = tried, better
                    break

    def _likelihood(self, weights: Array) -> float:
        """Return the log likelihood of the times and the weights, up to a constant."""
        factor = np.linalg.cholesky(self._noisy(weights))
        solved = np.linalg.solve(factor, self._values)
        unlikely = ((weights - self._prior) / _WEIGHTS_DEVIATION) ** 2
        return float(-0.5 * solved @ solved - np.log(np.diag(factor)).sum() - 0.5 * unlikely.sum())
