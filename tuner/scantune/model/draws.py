"""Random cases that nobody has tuned for: sizes within a range, and unaligned pointers."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from scantune.model.octave import Range
from scantune.model.problem import Problem

_VECTORS = 4  # a size that is a multiple of it leaves no vector partly filled, but, as it is drawn, the last tile
_BEHIND_A_BOUNDARY = 3  # one case in so many
_MOST_DRAWS = 1000  # of one case, until it is one that was not tuned to


class Place(NamedTuple):
    """Where configs are timed: the number of items, and by how many of them each array is past a boundary."""

    n: int
    offset: int = 0


class Case(NamedTuple):
    problem: Problem
    place: Place


@dataclass(frozen=True)
class Served:
    """The sizes of a problem that records serve."""

    forms: Sequence[Problem]  # of each value of the members of which a record serves all
    ranges: Sequence[Range]  # none overlaps another
    tuned: Set[Place]  # where its records were measured
    step: int = 1  # every size is a multiple of it


def drawn_case(served: Sequence[Served], seed: int, index: int) -> Case:
    """Draw an algorithm, one of its problems, a size that records serve (every octave is equally likely), and the
    alignment of its arrays. No tuned place is drawn.

    The case depends on seed, index and `served` only. Raises ValueError if there is no case to draw.
    """
    draw = random.Random(f"{seed} {index}")
    algorithms = sorted({one.forms[0].algorithm for one in served})
    for _ in range(_MOST_DRAWS if served else 0):
        algorithm = draw.choice(algorithms)
        one = draw.choice([one for one in served if one.forms[0].algorithm == algorithm])
        # A range is drawn as often as it has octaves. The ends count one more, so that (0, 1], with one size, has some.
        octaves = [math.log((within.up_to + 1) / (within.above + 1)) for within in one.ranges]
        (within,) = draw.choices(one.ranges, octaves)
        n = one.step * (math.floor(log_uniform(draw, within.above + 1, within.up_to + 1)) // one.step)
        place = Place(n, int(draw.randrange(_BEHIND_A_BOUNDARY) == 0))
        problem = draw.choice(one.forms)
        if n in within and place not in one.tuned:
            return Case(problem, place)
    raise ValueError("the records serve only sizes that they were measured at")


def log_uniform(draw: random.Random, above: float, up_to: float) -> float:
    """Draw a number between two, each of their octaves as likely as another."""
    return math.exp(draw.uniform(math.log(max(1, above)), math.log(up_to)))


def drawn_places(within: Range, count: int, seed: int, step: int = 1) -> Sequence[Place]:
    """Draw at most `count` places within a range, each from a part of its own. The first N is odd, the second leaves
    the last tile partly filled, the third is past a boundary, and so on.

    Every N is a multiple of `step`. None is the range's upper end. The same seed draws the same places.
    """
    draw = random.Random(f"{seed} {within.above}")
    parts = list(range(count))
    draw.shuffle(parts)
    width = (within.up_to / max(1, within.above)) ** (1 / count) if count else 1.0
    places: dict[int, Place] = {}
    for kind, part in enumerate(parts):
        least = max(1, within.above) * width**part
        n = round(log_uniform(draw, least, least * width))
        n = step * round(n / step) if step > 1 else _of_kind(n, kind)
        if within.above < n < within.up_to:
            places.setdefault(n, Place(n, int(kind % 3 == 2)))
    return sorted(places.values())


def _of_kind(n: int, kind: int) -> int:
    if kind % 3 == 0:
        return n | 1
    return n // _VECTORS * _VECTORS if kind % 3 == 1 and n >= _VECTORS else n
