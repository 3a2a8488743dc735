"""The tables of the documents about what `scantune gallery` measured and counted. figures.py puts them in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gallery_results
from figure_table import microseconds, size, table
from gallery_results import COUNTS, TIMES, Contender, Race

from scantune.model.gallery_rows import DOCUMENTED_CHOICES, EVERY, ROWS

NONE = "–"
GAINS = "gallery gains"


def tables() -> dict[str, Callable[[], str]]:
    """Return the tables of what was measured or counted, by their names."""
    if not gallery_results.are_there():
        return {}
    return {name: shown for name, shown in TABLES.items() if gallery_results.has_table(_number(name))}


def rows(document: str) -> str:
    """Return what a document teaches, with the families and the command that answer each of its rows."""
    body = (
        [row.number, row.what, ", ".join(f"`{name}`" for name in row.families) or EVERY, f"`{row.command}`"]
        for row in ROWS
        if row.document == document
    )
    return table(["row", "what", "name", "command"], body)


def _number(name: str) -> str:
    """Return the number of a table, as the files of results have it; the gains are of the run of all families."""
    return "" if name == GAINS else name[-1]


def told_us(one: Contender | None) -> str:
    """Return microseconds, behind a ~ where they were taken but once."""
    return f"{'~' if one.is_probe else ''}{microseconds(str(one.us))}" if one and one.us else NONE


def told_share(share: float | None) -> str:
    """Return a percentage, with two digits at least."""
    return NONE if share is None else f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def told_config(one: Contender | None) -> str:
    """Return what departs from the default, or why there is no time; the version of CUB."""
    if one is None:
        return ""
    if one.failure:
        return f"failed: {one.failure}".replace("|", r"\|")
    if not one.family:
        return one.origin
    config = f"`{one.config}`" if one.config else "default"
    return config if one.is_family else f"`{one.family}`, {config}"


def ladder(number: str) -> str:
    """Return what each rung reaches, with its default and with the config that a search found."""
    races = gallery_results.races_of(number)
    of_peak = ["share of the peak"] if any(race.peak for race in races) else []
    rows = [_rung(race, one) for race in races for one in race.contenders]
    return table(["N", "name", "µs", "GB/s", "share of a copy's speed", *of_peak, "config"], rows, TIMES)


def _rung(race: Race, one: Contender) -> Sequence[str]:
    bandwidth = race.gigabytes_per_second(one)
    told_bandwidth = f"{bandwidth:,.0f}" if bandwidth else NONE
    of_peak = [told_share(race.share_of_peak(one))] if race.peak else []
    beside_copy = told_share(race.share(one))
    return size(race.n), name(one), told_us(one), told_bandwidth, beside_copy, *of_peak, told_config(one)


def name(one: Contender) -> str:
    """Return the name, that of a family as code."""
    return one.name.replace(one.family, f"`{one.family}`") if one.is_family else one.name


def by_n() -> str:
    """Return microseconds of all that was raced, by N."""
    races = gallery_results.races_of("3")
    cells = {race.n: _times(race) for race in races}
    names = list(dict.fromkeys(one for told in cells.values() for one in told))
    rows = ([size(n), *(told.get(one, NONE) for one in names)] for n, told in cells.items())
    return table(["N", *names], rows, TIMES)


def _times(race: Race) -> dict[str, str]:
    """Return the time of what stands beside families, and two of each family that was searched."""
    told: dict[str, str] = {}
    for one in race.contenders:
        if not one.is_family:
            told[one.name] = told_us(one)
            continue
        told[f"`{one.family}` by default"] = told_us(race.default(one.family))
        if tuned := race.tuned(one.family):
            told[f"`{one.family}` tuned"] = told_us(tuned)
    return told


def steps_and_operations() -> str:
    """Return steps, operations and efficiency of each family, by N."""
    rows = gallery_results.counts_of("1")
    cells = {(row["N"], row["name"]): _counted(row["steps"], row["operations"], row["efficiency"]) for row in rows}
    sizes, names = (list(dict.fromkeys(row[what] for row in rows)) for what in ("N", "name"))
    body = ([size(int(n)), *(cells.get((n, one), NONE) for one in names)] for n in sizes)
    return table(["N", *(f"`{one}`" for one in names)], body, COUNTS)


def _counted(steps: str, operations: str, efficiency: str) -> str:
    if not steps:
        return NONE
    return f"{int(steps):,} / {int(operations):,} / {float(efficiency):.2f}"


def additions() -> str:
    """Return the rows of the table as it is told, with the names of families as code."""
    rows = gallery_results.counts_of("4")
    names = [one for one, value in rows[0].items() if one not in ("table", "N") and any(row[one] for row in rows)]
    heads = [" ".join(f"`{word}`" if "_" in word else word for word in one.split()) for one in names]
    body = ([size(int(row["N"])), *(f"{int(row[one]):,}" if row[one] else NONE for one in names)] for row in rows)
    return table(["N", *heads], body, COUNTS)


def gains() -> str:
    """Return what the search of each family won over its default, in the run of all families."""
    rows = [
        [f"`{family}`", race.group.lower(), size(race.n), *_gain(race.default(family), tuned)]
        for race in gallery_results.races_of("")
        for family in race.families
        if (tuned := race.tuned(family))
    ]
    return table(["", "problem", "N", "µs by default", "µs tuned", "gain", "tuned config"], rows, TIMES)


def _gain(default: Contender | None, tuned: Contender) -> Sequence[str]:
    gain = f"**{default.us / tuned.us:.2f}**" if default and default.us and tuned.us else NONE
    return told_us(default), told_us(tuned), gain, told_config(tuned)


def of_family(family: str) -> str:
    """Return what a family took in every race, by problem and N; nothing before it was measured."""
    heads = ["problem", "N", "µs by default", "µs tuned", "share of a copy's speed, tuned", "tuned config"]
    races = sorted(gallery_results.of_family(family), key=lambda race: (race.group, race.n))
    rows = [[race.group.lower(), size(race.n), *_tuned(race, family)] for race in races]
    return table(heads, rows, TIMES) if rows else ""


def contradictions(family: str) -> list[str]:
    """Return at which sizes a search took another value than the family's document says is best."""
    told = []
    for choice in (one for one in DOCUMENTED_CHOICES if one.family == family):
        places = dict[str, list[str]]()
        for race in sorted(gallery_results.of_family(family), key=lambda race: race.n):
            tuned = race.tuned(family)
            found = dict(one.split("=") for one in tuned.config.split()).get(choice.parameter) if tuned else None
            if found and found != choice.value:
                places.setdefault(found, []).append(size(race.n))
        told += [
            f"Its document takes `{choice}` ([row {choice.row}](index.md#fenwick-trees)). A search on an H200 took "
            f"`{choice.parameter}={found}` at {', '.join(sizes)}."
            for found, sizes in places.items()
        ]
    return told


def _tuned(race: Race, family: str) -> Sequence[str]:
    default, tuned = race.default(family), race.tuned(family)
    return told_us(default), told_us(tuned), told_share(race.share(tuned)), told_config(tuned)


TABLES: dict[str, Callable[[], str]] = {
    "gallery table 0": lambda: ladder("0"),
    "gallery table 1": steps_and_operations,
    "gallery table 2": lambda: ladder("2"),
    "gallery table 3": by_n,
    "gallery table 4": additions,
    GAINS: gains,
}
