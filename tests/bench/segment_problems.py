"""What segments.py times: scans, reductions and sorts of segments, runs of keys, top-k and merge sorts.

Nothing here needs a GPU.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import problems

# Those of numbers are drawn with these types, and those of keys with the types of _SORTED.
ALGORITHMS = ("scan_by_key", "reduce_by_key", "run_lengths", "segmented_scan", "segmented_reduce", "segmented_sort",
              "top_k", "merge_sort")  # fmt: skip
_COMBINED = ("i8", "i32", "f32", "f64")
_SORTED = ("u32", "u64", "f32")
_OF_KEYS = ("segmented_sort", "top_k", "merge_sort", "run_lengths")
# How long segments are: as long as each other, up to 100 times apart, by a power law (most are short), one with half of
# all items, and as uneven ones, every other one empty.
LENGTHS = ("equal", "uneven", "power law", "one long", "half empty")
_LARGEST_K = 4096


@dataclass(frozen=True)
class Case:
    algorithm: str
    n: int
    type: str = "i32"  # of the items; of sorts, runs and top-k, of the keys
    mean: int = 64  # items of a segment or run on average; of top-k the length of a row
    lengths: str = "uneven"
    exclusive: bool = False
    key_bytes: int = 4  # of a run's keys
    offset_bytes: int = 4
    value_bytes: int = 0  # moved with the keys of a merge sort; of top-k an index
    k: int = 0
    input_offset: int = 0  # in items from an aligned address
    output_offset: int = 0

    @property
    def count(self) -> int:
        """Return how many segments, runs or rows there are at most."""
        return max(1, self.n // self.mean)

    def text(self) -> str:
        """Return what departs from the defaults, as `case_of` reads it."""
        return " ".join([self.algorithm, *problems.parts_of(self, "algorithm")])


def case_of(text: str) -> Case:
    """Return a problem as in "scan_by_key n=2^24 mean=8 lengths=power_law". Raises ValueError."""
    algorithm, *parts = text.split()
    if algorithm not in ALGORITHMS:
        raise ValueError(f"{algorithm} is none of {', '.join(ALGORITHMS)}")
    words = {"type": types_of(algorithm), "lengths": LENGTHS}
    return Case(algorithm, **problems.members_of(Case, parts, words))


def types_of(algorithm: str) -> Sequence[str]:
    return _SORTED if algorithm in _OF_KEYS else _COMBINED


def table() -> list[Case]:
    """Return the problems whose times have targets."""
    many = 1 << 28
    cases = []
    for algorithm in ("segmented_scan", "segmented_reduce"):
        cases += [Case(algorithm, many, mean=mean, lengths="equal") for mean in (16, 64, 256, 1024, 4096)]
        cases += [Case(algorithm, many, mean=64, lengths=lengths) for lengths in LENGTHS[1:]]
        cases += [Case(algorithm, (1 << 28) + (1 << 23), mean=256, lengths="one long")]
        cases += [Case(algorithm, 1 << size, mean=mean, lengths="equal")
                  for size in (12, 16, 20, 24) for mean in (16, 256, 4096) if mean <= 1 << size]  # fmt: skip
    for algorithm in ("scan_by_key", "reduce_by_key", "run_lengths"):
        kind = types_of(algorithm)[0]
        cases += [Case(algorithm, 1 << size, kind if algorithm == "run_lengths" else "i32", mean=mean)
                  for size in (12, 16, 20, 24, 28) for mean in (1, 8, 5000) if mean <= 1 << size]  # fmt: skip
    cases += [Case("segmented_sort", 1 << 26, "u32", mean, lengths)
              for mean in (64, 4096) for lengths in ("equal", "uneven")]  # fmt: skip
    cases += [Case("top_k", many, "f32", many, k=k) for k in (32, 4096)]
    cases.append(Case("top_k", 4096 * 50257, "f32", 50257, k=50, value_bytes=8))
    cases += [Case("merge_sort", 1 << size, kind, value_bytes=values)
              for size in (16, 20, 24) for kind, values in (("u32", 4), ("u32", 0), ("u64", 0))]  # fmt: skip
    return cases


def drawn(count: int, seed: int, most: float = 27) -> Iterator[Case]:
    """Yield a covering design over algorithms, and of each over types and kinds of lengths."""

    def choices_of(algorithm: str) -> list[tuple[str, str]]:
        return list(itertools.product(types_of(algorithm), LENGTHS))

    for algorithm, (kind, lengths), n, source in problems.covering_design(count, seed, ALGORITHMS, choices_of, 8, most):
        case = Case(
            algorithm, n, kind, min(n, round(2 ** source.uniform(0, 16))), lengths, source.random() < 0.5,
            source.choice((4, 8)), source.choice((4, 8)),
            input_offset=problems.drawn_offset(source), output_offset=problems.drawn_offset(source),
        )  # fmt: skip
        yield _completed(case, source)


def _completed(case: Case, source: random.Random) -> Case:
    if case.algorithm == "merge_sort":
        return replace(case, value_bytes=source.choice((0, 4)))
    if case.algorithm != "top_k":
        return case
    mean = case.n if source.random() < 0.5 else case.mean
    k = min(mean, round(2 ** source.uniform(0, 12)), _LARGEST_K)
    return replace(case, n=mean * (case.n // mean), mean=mean, lengths="equal", k=k, value_bytes=source.choice((0, 8)))
