"""What problems of segments, selections and sorts have in common: their text, and covering designs of draws.

Nothing here needs a GPU. A problem is a dataclass of numbers and words.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import results_file

_T = TypeVar("_T")

SLOWER = 0.98  # a problem with a ratio below this one is measured again


def parts_of(problem: Any, without: str) -> list[str]:
    """Return name=value for each member that departs from its default, but for one, as `members_of` reads it."""
    said = {one.name: getattr(problem, one.name) for one in fields(problem)
            if one.name != without and getattr(problem, one.name) != one.default}  # fmt: skip
    return [f"{name}={_written(value)}" for name, value in said.items()]


def _written(value: Any) -> str:
    return str(value).replace(" ", "_")


def members_of(kind: Any, parts: Sequence[str], words: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what parts as in "n=2^24" say about a problem. Raises ValueError for a member that it has not, for one of
    text that is none of its words, and where there is no n.
    """
    known = {one.name: one.type for one in fields(kind)}
    said: dict[str, Any] = {}
    for part in parts:
        name, _, value = part.partition("=")
        if name not in known:
            raise ValueError(f"{part}: a problem has {', '.join(known)}")
        said[name] = _read(value, known[name], name, words.get(name, ()))
    if "n" not in said:
        raise ValueError(f"{' '.join(parts)}: n is missing")
    return said


def _read(value: str, kind: Any, name: str, words: Sequence[str]) -> str | int | float | bool:
    if kind == "int":
        base, _, power = value.partition("^")
        return int(base) ** int(power or 1)
    if kind == "float":
        return float(value)
    if kind == "bool":
        return value == "True"
    for word in words:
        if value in (word, _written(word)):
            return word
    raise ValueError(f"{name} is {value}, which is none of {', '.join(words)}")


def covering_design(
    count: int, seed: int, kinds: Sequence[str], choices_of: Callable[[str], Sequence[_T]], least: float, most: float
) -> Iterator[tuple[str, _T, int, random.Random]]:
    """Yield a kind, one of its choices, N, and a source for all else of each draw. Each kind gets an equal share of the
    draws: N by equal steps of its logarithm from 2^least to 2^most, and its choices in turn. A draw depends on its
    number, on how many there are, and on the seed alone.
    """
    turns = -(-count // len(kinds))
    for number in range(count):
        turn, kind = number // len(kinds), kinds[number % len(kinds)]
        of_kind = random.Random(f"{seed} {kind}")
        step = of_kind.sample(range(turns), turns)[turn]
        choices = list(choices_of(kind))
        of_kind.shuffle(choices)
        source = random.Random(f"{seed} {number}")
        n = round(2 ** (least + (most - least) * (step + source.random()) / turns))
        yield kind, choices[turn % len(choices)], n, source


def drawn_offset(source: random.Random) -> int:
    """Return how many items after an aligned address an array begins: 0 in half of the draws."""
    return source.choice((0, source.randrange(1, 16)))


def slower_ones(path: Path, names: Sequence[str]) -> list[list[str]]:
    """Return what these columns of a file of results say about each slower problem, as `members_of` reads it."""
    return [
        [f"{name}={_written(row[name])}" for name in names if row[name]]
        for row in results_file.read(path).rows
        if row["ratio"] and float(row["ratio"]) < SLOWER
    ]
