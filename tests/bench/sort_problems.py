"""What sorts.py times: problems, how their keys are distributed, draws of them, and configs that depart from a default.

Nothing here needs a GPU. Arrays are torch's or numpy's, of signed integers as wide as the keys, whose bits they hold.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import problems
from problems import SLOWER

Array = Any
Config = dict[str, Any]
Row = Mapping[str, Any]  # of one case: "label", "case", "us" by contender, ...

FAMILIES = ("sort_block", "sort_cluster", "sort_onesweep", "sort_fill")
# CUB's library numbers the types in this order.
KEY_BYTES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4, "i8": 1, "f16": 2, "bf16": 2}
_FRACTION_BITS = {"f32": 23, "f16": 10, "bf16": 7}
_FEW_VALUES = ("i8", "f16", "bf16")  # CUB's library has only values of 4 and 8 bytes beside them
SORTED = ("keys", "pairs", "indices", "keys_and_indices")
# How many draws are combined by AND. The entropy of each bit is that of CUB's benchmarks.
_COMBINED = {"uniform": 1, "entropy 0.54": 3, "entropy 0.2": 5, "constant": 1, "sorted": 1, "reversed": 1}
DISTRIBUTIONS = tuple(_COMBINED)
ROWS = 1 << 10  # of the table's sorts of rows
ROW_LENGTHS = (64, 256, 1024, 4096, 16384, 65536)  # and those of its rows of a fixed length
_ROW_KEYS = 1 << 24
_MOST_MOVED = 8 << 30  # bytes of a draw's arrays, of which there are two sets


@dataclass(frozen=True)
class Case:
    n: int
    type: str = "u32"
    sorted: str = "keys"
    value_bytes: int = 0  # of values and indices
    order: str = "ascending"
    keys: str = "uniform"
    rows: int = 0  # 0: the keys are no rows
    begin_bit: int = 0
    end_bit: int = 0  # 0: all bits are compared
    input_offset: int = 0  # in items from an aligned address
    output_offset: int = 0
    values_offset: int = 0

    @property
    def key_bytes(self) -> int:
        return KEY_BYTES[self.type]

    @property
    def key_bits(self) -> tuple[int, int]:
        """Return the first bit that is compared and the one behind the last."""
        return self.begin_bit, self.end_bit or 8 * self.key_bytes

    @property
    def moved_bytes(self) -> int:
        """Return the bytes of one set of inputs and outputs."""
        return self.n * 2 * (self.key_bytes + self.value_bytes)

    def text(self) -> str:
        """Return what departs from the defaults, as `case_of` reads it."""
        return " ".join([f"n={size(self.n)}", *problems.parts_of(self, "n")])


_U32 = Case(0)
TABLE: dict[str, Case] = {
    "u32 keys": _U32,
    "u32 pairs": replace(_U32, sorted="pairs", value_bytes=4),
    "u64 keys": replace(_U32, type="u64"),
    "u8 keys": replace(_U32, type="u8"),
    "u32 descending": replace(_U32, order="descending"),
    "f32 keys": replace(_U32, type="f32"),
    "u32 argsort": replace(_U32, sorted="indices", value_bytes=4),
    **{f"u32 {kind}": replace(_U32, keys=kind) for kind in DISTRIBUTIONS if kind != "uniform"},
    "u32 rows": replace(_U32, rows=ROWS),
    **{f"u32 rows of {length}": Case(_ROW_KEYS, rows=_ROW_KEYS // length) for length in ROW_LENGTHS},
}
SIZES = (12, 16, 20, 24, 28)
_ROW_SIZES = (20, 22, 24)  # rows of 2^10 to 2^14 keys
_MOST_BYTES = 1 << 30  # of the keys


def size(n: int) -> str:
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 and n > 0 else str(n)


def table_cases(only: Sequence[str], sizes: Sequence[int] | None) -> list[tuple[str, Case]]:
    """Return the cases of those rows of the table whose labels begin with one of `only`."""
    found = []
    for label, case in TABLE.items():
        if only and not any(label.startswith(one) for one in only):
            continue
        powers = sizes or (_ROW_SIZES if case.rows else SIZES)
        counts = dict.fromkeys(case.n or min(1 << power, _MOST_BYTES // case.key_bytes) for power in powers)
        found += [(label, replace(case, n=n)) for n in counts]
    return found


def case_of(text: str) -> Case:
    """Return a problem as in "n=2^24 type=u64 sorted=pairs value_bytes=8 keys=entropy_0.2". Raises ValueError."""
    words = {"type": list(KEY_BYTES), "sorted": SORTED, "order": ("ascending", "descending"), "keys": DISTRIBUTIONS}
    case = Case(**problems.members_of(Case, text.split(), words))
    if (case.sorted == "keys") != (case.value_bytes == 0):
        raise ValueError("value_bytes is for pairs and indices, which need it")
    return case


def configs_of(text: str) -> list[Config]:
    """Return all combinations of what a text as in "sort_onesweep digit_bits=7,8 items_per_thread=12,16" names."""
    family, *parts = text.split()
    if family not in FAMILIES:
        raise ValueError(f"{family} is none of {', '.join(FAMILIES)}")
    choices = []
    for part in parts:
        name, equals, values = part.partition("=")
        if not equals:
            raise ValueError(f"{part} is no parameter=value")
        choices.append([(name, int(one) if one.lstrip("-").isdigit() else one) for one in values.split(",")])
    return [{"family": family} | dict(chosen) for chosen in itertools.product(*choices)]


def name_of_config(config: Config) -> str:
    parts = [f"{name}={value}" for name, value in config.items() if name != "family"]
    return " ".join([config["family"], *parts]) if config else "default"


def distributed(case: Case, draw: Callable[[int], Array], in_order: Callable[[Array], Array]) -> Array:
    """Return keys, of which `draw` makes uniform ones for each number that it is given."""
    keys = draw(0)
    for turn in range(1, _COMBINED[case.keys]):
        keys &= draw(turn)
    if case.type in _FRACTION_BITS:  # NaNs become numbers, and there are no zeros: those of both signs are equal to CUB
        bits, below = 8 * case.key_bytes, _FRACTION_BITS[case.type]
        most = (1 << (bits - 1 - below)) - 1
        exponents = (keys >> below) & most
        keys ^= (((((exponents + 1) & most) >> 1) - 1) >> (bits - 1)) & (1 << (bits - 2))
    if case.keys == "constant":
        keys[:] = int(keys[len(keys) // 2])
    return in_order(keys) if case.keys in ("sorted", "reversed") else keys


def comparable(case: Case, keys: Array) -> Array:
    """Return numbers whose ascending order is that of the sort: equal keys get equal ones."""
    bits = 8 * case.key_bytes
    least = -(1 << (bits - 1))
    places = keys ^ least if case.type == "i8" else keys
    if case.type in _FRACTION_BITS:
        places = keys ^ (least | (keys >> (bits - 1)))
    begin, end = case.key_bits
    places = places ^ least if end - begin == bits else (places >> begin) & ((1 << (end - begin)) - 1)
    return ~places if case.order == "descending" else places


def drawn(count: int, seed: int, most: float = 28) -> Iterator[Case]:
    """Yield a covering design over what is sorted, and of each over types, and rows of u32, and distributions."""
    types = [*KEY_BYTES, "rows"]

    def choices_of(_: str) -> Sequence[tuple[str, str]]:
        return list(itertools.product(types, DISTRIBUTIONS))

    for what, (kind, keys), n, source in problems.covering_design(count, seed, SORTED, choices_of, 8, most):
        offsets = [problems.drawn_offset(source) for _ in range(3)]
        case = Case(n, "u32" if kind == "rows" else kind, what, _drawn_value_bytes(kind, what, source), keys=keys,
                    input_offset=offsets[0], output_offset=offsets[1], values_offset=offsets[2])  # fmt: skip
        case = _as_rows(case, source) if kind == "rows" else _completed(case, source)
        yield replace(case, n=min(case.n, _MOST_MOVED // replace(case, n=1).moved_bytes))


def _drawn_value_bytes(kind: str, what: str, source: random.Random) -> int:
    if what == "keys":
        return 0
    if kind == "rows":
        return 4
    if what == "pairs" and kind not in _FEW_VALUES:
        return source.choice((4, 4, 4, 8, 8, 8, 16, 32))
    return source.choice((4, 4, 8))


def _as_rows(case: Case, source: random.Random) -> Case:
    length = round(2 ** source.uniform(4, math.log2(case.n)))
    rows = max(1, case.n // length)
    return replace(case, n=rows * length, rows=rows)


def _completed(case: Case, source: random.Random) -> Case:
    case = replace(case, order=source.choice(("ascending", "descending")))
    if source.random() >= 0.3:
        return case
    bits = 8 * case.key_bytes
    begin = source.randrange(bits)
    return replace(case, begin_bit=begin, end_bit=source.randrange(begin, bits) + 1)


def slower_of(path: Path) -> list[Case]:
    """Return the problems that a file of results has as slower."""
    return [case_of(" ".join(one)) for one in problems.slower_ones(path, [one.name for one in fields(Case)])]


def ratio(row: Row, doubled: bool = False) -> float | None:
    """Return the faster CUB's time over the default's; None where one is missing. CUB's forms that write over the keys
    count if `doubled`.
    """
    times = [us for name, us in row["us"].items()
             if name.startswith("CUB") and (doubled or not name.endswith("double"))]  # fmt: skip
    return min(times) / row["us"]["default"] if times and "default" in row["us"] else None


def best_family(row: Row) -> tuple[str, float] | None:
    """Return the family that was faster than the default, and by which factor; None if there is none."""
    own = {name: us for name, us in row["us"].items() if name in FAMILIES}
    if not own or "default" not in row["us"]:
        return None
    best = min(own, key=lambda name: own[name])
    return (best, row["us"]["default"] / own[best]) if own[best] < 0.98 * row["us"]["default"] else None


def line(row: Row) -> str:
    """Return one case's times: ours, by family, then the others', and the ratios."""
    times = " ".join(f"{_short(name)} {us:.2f}" for name, us in row["us"].items())
    ratios = "/".join(f"{one:.2f}" for one in (ratio(row), ratio(row, True)) if one is not None)
    return " | ".join(part for part in (row["label"], row["case"].text(), row.get("family", ""), times, ratios) if part)


def compact_table(rows: Sequence[Row]) -> str:
    """Return, by label and size, microseconds, CUB's time over ours, and which family would have been faster."""
    sizes = sorted({row["case"].n for row in rows})
    cells: dict[str, dict[int, str]] = {}
    for row in rows:
        better, own = best_family(row), ratio(row)
        cells.setdefault(row["label"], {})[row["case"].n] = " ".join(
            [f"{row['us']['default']:.2f}" if "default" in row["us"] else "failed",
             *([f"{own:.2f}x"] if own is not None else []),
             *([f"({_short(better[0])} {better[1]:.2f}x)"] if better else [])]
        )  # fmt: skip
    return "\n".join(
        [" | ".join(["us, CUB over ours", *map(size, sizes)]),
         *(" | ".join([label, *(found.get(n, "") for n in sizes)]) for label, found in cells.items())]
    )  # fmt: skip


def draws_table(rows: Sequence[Row]) -> str:
    """Return how many draws there are, how many were slower than CUB, and the slowest ones."""
    found = [(one, row) for row in rows if (one := ratio(row)) is not None]
    found.sort(key=lambda both: both[0])
    if not found:
        return "no draws were compared"
    ratios = [one for one, _ in found]
    slower = [f"{one:.3f} {row['case'].text()} {row.get('family', '')}" for one, row in found if one < SLOWER]
    said = f"{len(found)} draws, {len(slower)} below {SLOWER}, least {ratios[0]:.2f}"
    return "\n".join([f"{said}, median {ratios[len(ratios) // 2]:.2f}", *slower[:20]])


def sweep_table(row: Row) -> str:
    """Return one line a config, the fastest first, each with the default's time over its own."""
    default = row["us"].get("default")
    refused = [f"{len(row['cannot'])} refused: {next(iter(row['cannot'].items()))}"[:300]] if row["cannot"] else []
    lines = [f"{us:9.2f} {default / us if default else 0:.3f} {name}" for name, us in row["us"].items()]
    return "\n".join([row["case"].text(), *sorted(lines, key=lambda text: float(text.split()[0])), *refused])


def _short(name: str) -> str:
    return name.removeprefix("sort_")
