"""The tables of scantune gallery: what answers which row, races of families, and their work by N."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scantune.model.device import Device
from scantune.model.gallery_race import CUB, Contender, GalleryRace
from scantune.model.gallery_rows import DocumentedChoice, GalleryRow
from scantune.model.gallery_verdict import fastest, operator_of, place_of
from scantune.model.quantity import format_size, three_digits
from scantune.model.race_exhibit import RaceExhibit
from scantune.report.listing import Column, Listing, Row
from scantune.worker.defaults import Defaults

NONE = "–"
_ABOUT_RACES = (
    "wrong: of as many schedules, each drawn from a seed, those under which the results were wrong. The kernel and the "
    "family without its race run under the same."
)
_ABOUT = (
    "of copy: share of the bandwidth of a copy of as many bytes. steps: how many operations wait for each other in a "
    "row. efficiency: operations of a serial run over those of this one. config: what departs from the family's "
    "default."
)
_ABOUT_EXCLUSIVE = " Steps and operations are those of the inclusive scan."
_ABOUT_PEAK = " of peak: share of the {} GB/s that the device's memory moves at most, by its clock and its bus."
_ABOUT_PROBES = " ~: timed but once, because it is many times slower than the fastest."
_ABOUT_CUB = " CUB: timed by cub_bench, not in turns with the others."
_ABOUT_HOST = " These times describe the CPU of the host device, never a GPU."


def rows_listing(rows: Sequence[GalleryRow]) -> Listing:
    """Return which families and which command answer each row, a section for each document."""
    columns = [Column("row", is_text=True), Column("what", is_text=True), Column("name", is_text=True)]
    shown, document = list[Row](), ""
    for row in rows:
        if row.document != document:
            document = row.document
            shown.append(Row([row.number.partition(".")[0], document, ""], begins_section=bool(shown)))
        shown.append(Row([row.number, row.what, row.names], row.command))
    return Listing("What five tutorials on scans and sums teach", columns, shown, "command")


def race_table(race: GalleryRace, device: Device, defaults: Defaults) -> Listing:
    """Return the table of one race."""
    of_peak = ["of peak"] if race.peak else []
    numbers = map(Column, ("µs", "GB/s", "of copy", *of_peak, "steps", "operations", "efficiency"))
    columns = [Column("name", is_text=True), *numbers]
    rows = [Row(_cells(race, one), _detail(race, one, defaults)) for one in race.contenders]
    about = _ABOUT
    about += _ABOUT_EXCLUSIVE if race.is_exclusive else ""
    about += _ABOUT_PEAK.format(f"{race.peak:,.0f}") if race.peak else ""
    about += _ABOUT_PROBES if any(one.probe_only for one in race.contenders) else ""
    about += _about_cub([race]) + _about_contradictions([race])
    about += _ABOUT_HOST if device.is_host else ""
    return Listing(f"{race.title}, on {device}", columns, rows, "config", about)


def refusals(race: GalleryRace) -> list[str]:
    """Return a line for each reason for which families cannot do the problem."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in race.refused.items():
        by_reason.setdefault(reason, []).append(name)
    return [f"left out {', '.join(names)}: {reason}" for reason, names in by_reason.items()]


def times_table(races: Sequence[GalleryRace], device: Device) -> Listing:
    """Return a row for each race, and in it the time of each contender."""
    names = list(dict.fromkeys(one.name for race in races for one in race.contenders))
    columns = [Column("N"), *(Column(f"{name} µs") for name in names)]
    rows = []
    for race in races:
        told = {one.name: _time(one) for one in race.contenders}
        rows.append(Row([format_size(race.n), *(told.get(name, NONE) for name in names)]))
    about = _ABOUT_PROBES if any(one.probe_only for race in races for one in race.contenders) else ""
    about += _about_cub(races) + _about_contradictions(races) + (_ABOUT_HOST if device.is_host else "")
    return Listing(f"Times by N, on {device}", columns, rows, "", about.strip())


def _about_cub(races: Sequence[GalleryRace]) -> str:
    """Return how CUB was timed, and why it was not where it was not."""
    told = _ABOUT_CUB if any(one.name == CUB for race in races for one in race.contenders) else ""
    reasons = dict.fromkeys(race.without_cub for race in races if race.without_cub)
    return told + "".join(f" CUB was not measured: {reason}." for reason in reasons)


def _about_contradictions(races: Sequence[GalleryRace]) -> str:
    """Return where a faster config is not what its document says is best."""
    told = dict[tuple[DocumentedChoice, str], list[str]]()
    for race in races:
        for one in race.contradictions():
            times = f"{three_digits(one.median_us)} µs and {three_digits(one.documented_us)} by default"
            told.setdefault((one.choice, one.found), []).append(f"N = {format_size(race.n)} ({times})")
    return "".join(
        f" {choice.family}: its document chooses {choice} (row {choice.row}); here a config with "
        f"{choice.parameter}={found} is faster at {', '.join(places)}."
        for (choice, found), places in told.items()
    )


def races_table(exhibits: Sequence[RaceExhibit], device: Device) -> Listing:
    """Return under how many schedules each kernel with a race was wrong, and what the first of these is."""
    columns = [
        Column("kernel", is_text=True), Column("wrong"), Column("without the race", is_text=True), Column("wrong"),
        Column("first seed"),
    ]  # fmt: skip
    rows = [
        Row([one.name, f"{one.wrong} of {one.schedules}", one.family, f"{one.wrong_of_family} of {one.schedules}",
             NONE if one.seed is None else str(one.seed)],
            "\n".join(filter(None, (one.flaw, one.fault, one.schedule))))
        for one in exhibits
    ]  # fmt: skip
    title = f"Kernels with a race, on {device}"
    return Listing(title, columns, rows, "what is missing; what the first schedule shows", _ABOUT_RACES)


def when_table(races: Sequence[GalleryRace], device: Device) -> Listing:
    """Return the time of each family by problem, and which is the fastest."""
    names = list(dict.fromkeys(one.name for race in races for one in race.contenders if one.is_family))
    columns = [Column("operator", is_text=True), Column("in", is_text=True), *(Column(f"{name} µs") for name in names)]
    rows = []
    for race in races:
        told = {one.name: _time(one) for one in race.contenders if one.is_family}
        best = " or ".join(one.name for one in fastest(race))
        rows.append(Row([operator_of(race), place_of(race), *(told.get(name, NONE) for name in names)], best or NONE))
    about = "fastest: those that differ by no more than the noise are named together."
    about += _ABOUT_PROBES if any(one.probe_only for race in races for one in race.contenders) else ""
    return Listing(
        f"Which when, on {device}", columns, rows, "fastest", about + (_ABOUT_HOST if device.is_host else "")
    )


def counts_table(counts: Iterable[Mapping[str, object]], title: str, caption: str) -> Listing:
    """Return a table of numbers by N, in the columns that each row has; None is an unknown number."""
    rows = list(counts)
    names = list(rows[0]) if rows else []
    columns = [Column(name, is_text=name == "name") for name in names]
    shown = []
    for place, row in enumerate(rows):
        begins = bool(place) and "name" in row and row["N"] != rows[place - 1]["N"]
        shown.append(Row([_told(row[name], name) for name in names], begins_section=begins))
    return Listing(title, columns, shown, "", caption)


def _told(value: object, name: str) -> str:
    if value is None:
        return NONE
    if name == "N" and isinstance(value, int):
        return format_size(value)
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _cells(race: GalleryRace, one: Contender) -> list[str]:
    bandwidth, efficiency = race.gigabytes_per_second(one), race.work_efficiency(one)
    return [
        one.name,
        _time(one),
        three_digits(bandwidth) if bandwidth else NONE,
        _share(race.share_of_copy(one)),
        *([_share(race.share_of_peak(one))] if race.peak else []),
        f"{one.work.steps:,}" if one.work else NONE,
        f"{one.work.operations:,}" if one.work else NONE,
        f"{efficiency:.2f}" if efficiency else NONE,
    ]


def _share(share: float | None) -> str:
    return f"{share:.0%}" if share else NONE


def _time(one: Contender) -> str:
    if one.median_us is None:
        return NONE
    return f"{'~' if one.probe_only else ''}{one.median_us:.2f}"


def _detail(race: GalleryRace, one: Contender, defaults: Defaults) -> str:
    config = defaults.told(*race.cell, one.config) if one.config else one.origin
    return "\n".join(filter(None, (config, one.failure)))
