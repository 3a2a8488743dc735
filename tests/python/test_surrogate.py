"""The surrogate: what times of a few configs tell about others."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from scantune.search.surrogate import Array, Points, Prior, Surrogate

# The log time that each value costs, of four parameters: two of numbers, two of tokens.
EFFECTS = ([0.0, 0.1, 0.3, 0.6], [0.2, 0.0, 0.1], [0.0, 0.15], [0.05, 0.0, 0.3])
ALL = np.array(list(itertools.product(*(range(len(one)) for one in EFFECTS))))


def log_times(points: Points) -> Array:
    return np.array([sum(EFFECTS[place][value] for place, value in enumerate(point)) for point in points])


NONE = [[0.0] * len(one) for one in EFFECTS]


def surrogate(seed: int = 1, effects: Sequence[Sequence[float]] = NONE) -> Surrogate:
    kinds = [(True, 0.15), (True, 0.05), (False, 0.15), (False, 0.05)]
    return Surrogate([Prior(*kind, expected) for kind, expected in zip(kinds, effects, strict=True)], seed)


def singles(centre: tuple[int, ...]) -> Points:
    """Return the centre and every config that differs from it in one parameter."""
    return np.array([point for point in ALL if sum(point != np.array(centre)) <= 1])


def test_changes_that_gain_alone_are_expected_to_gain_together() -> None:
    known = singles((1, 0, 0, 0))
    one = surrogate()
    for _ in range(5):
        one.learn(known, log_times(known))
    combined = np.array([[0, 1, 0, 1]])  # better than the centre in three parameters, and the best of all
    gains = one.expected_gain(ALL, float(log_times(known).min()))
    assert ALL[int(gains.argmax())].tolist() == combined[0].tolist()


def test_what_is_known_is_expected_with_little_doubt_and_other_with_more() -> None:
    known = singles((2, 2, 1, 2))
    one = surrogate()
    one.learn(known, log_times(known))
    mean, deviation = one.predict(known)
    assert mean == pytest.approx(log_times(known), abs=0.01)
    assert deviation.max() < 0.01
    _, doubt = one.predict(np.array([[0, 0, 0, 0]]))
    assert doubt[0] > 0.05


def test_what_is_supposed_is_not_proposed_by_its_neighbours_again() -> None:
    known = singles((1, 0, 0, 0))
    one = surrogate()
    one.learn(known, log_times(known))
    best = float(log_times(known).min())
    asked = np.array([[0, 1, 0, 1]])
    before = one.expected_gain(asked, best)[0]
    one.suppose(asked)
    assert one.expected_gain(asked, best)[0] < 0.1 * before


def test_parameter_that_matters_little_is_learned_to() -> None:
    """Both secondary parameters are alike before; then the times tell."""
    points = np.array([point for point in ALL if point[0] == 0 and point[2] == 0])
    times = 0.4 * points[:, 1].astype(float)  # the last parameter changes nothing
    one = surrogate()
    for _ in range(8):
        one.learn(points, times)
    near, far = one.predict(np.array([[0, 1, 1, 0], [0, 1, 1, 2]]))[0]
    assert abs(near - far) < 0.05


def test_effects_of_other_problems_are_expected_until_times_say_otherwise() -> None:
    default = np.array([[1, 0, 0, 0]])
    told = [*NONE[:3], [0.0, -0.05, 0.3]]  # as it is, of the last parameter
    one = surrogate(effects=told)
    one.learn(default, log_times(default))
    better, worse = one.predict(np.array([[1, 0, 0, 1], [1, 0, 0, 2]]))[0]
    assert worse - better == pytest.approx(0.35)

    wrong = surrogate(effects=[*NONE[:3], [0.0, 0.3, -0.3]])
    known = np.array([(first, second, 0, last) for first in range(4) for second in range(2) for last in range(3)])
    wrong.learn(known, log_times(known))
    better, worse = wrong.predict(np.array([[1, 2, 0, 1], [1, 2, 0, 2]]))[0]
    assert better < worse


def test_supposing_what_is_expected_to_gain_does_not_raise_what_others_have_to_beat() -> None:
    default = np.array([[1, 0, 0, 0]])
    one = surrogate(effects=[*NONE[:3], [0.0, -0.4, 0.0]])
    one.learn(default, log_times(default))
    asked = np.array([[1, 0, 0, 1]])
    assert one.predict(asked)[0] < log_times(default)
    one.suppose(asked)
    assert one.predict(asked)[0] == pytest.approx(log_times(default), abs=0.01)
