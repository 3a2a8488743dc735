"""Changes of configs, and exchanges: one number of a config goes up and another one down, so that their product stays.

Often a product is what matters: 256 threads of 8 items have the tile of 128 threads of 16. Each of the two changes
alone then loses, and a model that adds up what changes do never proposes both.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from scantune.model.space import Indices, Parameter


def exchanges(parameters: Sequence[Parameter], centre: Indices) -> Iterator[Indices]:
    """Yield configs, legal or not: for every two numbers the exchange that raises the one least and lowers the other.

    A product of 0 says nothing, so numbers that are 0 take no part.
    """
    ordered = [place for place, parameter in enumerate(parameters) if parameter.is_ordered]
    for up, down in itertools.permutations(ordered, 2):
        raised, lowered = _numbers(parameters[up]), _numbers(parameters[down])
        product = raised[centre[up]] * lowered[centre[down]]
        pairs = itertools.product(range(centre[up] + 1, len(raised)), range(centre[down]))
        for above, below in pairs:
            if 0 < product == raised[above] * lowered[below]:
                yield changed(changed(centre, up, above), down, below)
                break


def single_changes(centre: Indices, exchanged: Indices) -> list[Indices]:
    """Return the configs that each make one change of an exchange."""
    return [changed(centre, place, value) for place, value in enumerate(exchanged) if value != centre[place]]


def changed(indices: Indices, place: int, value: int) -> Indices:
    """Return the indices with one parameter changed."""
    return (*indices[:place], value, *indices[place + 1 :])


def neighbours(parameters: Sequence[Parameter], centre: Indices) -> list[Indices]:
    """Return the configs that differ from the centre in one parameter, by any value."""
    return [
        changed(centre, place, value)
        for place, parameter in enumerate(parameters)
        for value in range(len(parameter.values))
        if value != centre[place]
    ]


def _numbers(parameter: Parameter) -> list[int]:
    return [int(value) for value in parameter.values]
