"""Which of some families is the fastest when: what their races say of size, bandwidth and the cost of the operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from scantune.model.gallery_race import Contender, GalleryRace
from scantune.model.measurement import noise_of
from scantune.model.quantity import format_size


@dataclass(frozen=True)
class Finding:
    about: str  # size, bandwidth or operator
    text: str


def fastest(race: GalleryRace) -> list[Contender]:
    """Return the fastest family, then those that differ from it by no more than the noise."""
    timed = sorted(
        (one for one in race.contenders if one.is_family and one.median_us), key=lambda one: one.median_us or 0.0
    )
    return [one for one in timed if _excess_us(one, timed[0]) <= _noise_us(one, timed[0])]


def findings(races: Sequence[GalleryRace]) -> list[Finding]:
    """Return what the races say by size, by bandwidth and by operator; nothing of those in which nothing was timed."""
    decided = [race for race in races if fastest(race)]
    by_operator = {op: [race for race in decided if operator_of(race) == op] for op in map(operator_of, decided)}
    told = [Finding("size", text) for op, some in by_operator.items() for text in _by_size(op, some)]
    told += [Finding("bandwidth", text) for op, some in by_operator.items() for text in _by_bandwidth(op, some)]
    return told + [Finding("operator", text) for text in _by_operator(by_operator)]


def operator_of(race: GalleryRace) -> str:
    return race.cell.problem.operator or ""


def rows_of(race: GalleryRace) -> int:
    """Return how many rows there are, 0 where all items are one."""
    return race.cell.problem.counts(race.n).get("rows", 0)


def place_of(race: GalleryRace) -> str:
    rows = rows_of(race)
    if not rows:
        return f"one row of {format_size(race.n)}"
    return f"{format_size(rows)} rows of {format_size(-(-race.n // rows))}"


def _excess_us(one: Contender, other: Contender) -> float:
    return (one.median_us or 0.0) - (other.median_us or 0.0)


def _noise_us(one: Contender, other: Contender) -> float:
    return noise_of(one.median_us or 0.0, one.standard_error_us, other.median_us or 0.0, other.standard_error_us)


def _names(race: GalleryRace) -> str:
    return " or ".join(sorted(one.name for one in fastest(race)))


def _by_size(op: str, races: Sequence[GalleryRace]) -> Iterator[str]:
    blocks = sorted((race for race in races if not rows_of(race)), key=lambda race: race.n)
    parts = []
    for names, alike in groupby(blocks, _names):
        sizes = [format_size(race.n) for race in alike]
        parts.append(f"{names} {f'from N = {sizes[0]} to {sizes[-1]}' if len(sizes) > 1 else f'at N = {sizes[0]}'}")
    if parts:
        yield f"{op}, one row: {', '.join(parts)}."


def _by_bandwidth(op: str, races: Sequence[GalleryRace]) -> Iterator[str]:
    for race in filter(rows_of, races):
        best = fastest(race)[0]
        shares = {"a copy's speed": race.share_of_copy(best), "the peak": race.share_of_peak(best)}
        told = " and ".join(f"{share:.0%} of {what}" for what, share in shares.items() if share)
        others = [one for one in race.contenders if one.is_family and one.median_us and one not in fastest(race)]
        text = f"{op}, {place_of(race)}: {_names(race)}" + (f", at {told}" if told else "")
        if others:
            nearest = min(others, key=lambda one: one.median_us or 0.0)
            text += f"; {nearest.name} takes {(nearest.median_us or 0.0) / (best.median_us or 1.0):.2f} times as long"
        yield f"{text}."


def _by_operator(by_operator: dict[str, list[GalleryRace]]) -> Iterator[str]:
    """Yield for each problem that two operators did what the second changes."""
    if len(by_operator) < 2:
        return
    (cheap, of_cheap), (costly, of_costly) = list(by_operator.items())[:2]
    for race in of_cheap:
        for other in of_costly:
            if (other.n, rows_of(other)) != (race.n, rows_of(race)):
                continue
            now, before = _names(other), _names(race)
            change = f"still {now}" if now == before else f"{now} instead of {before}"
            yield f"{costly} instead of {cheap}, {place_of(race)}: {change}{_slower(race, other)}."


def _slower(race: GalleryRace, other: GalleryRace) -> str:
    """Return how many times as long each family takes with the other operator."""
    times = {one.name: one.median_us for one in race.contenders if one.is_family and one.median_us}
    ratios = [
        f"{one.name} {one.median_us / times[one.name]:.2f}"
        for one in other.contenders
        if one.is_family and one.median_us and one.name in times
    ]
    return f"; times as long: {', '.join(ratios)}" if ratios else ""
