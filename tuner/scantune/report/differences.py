"""The table of records of several files side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scantune.model.problem import Problem
from scantune.model.quantity import counted, format_size
from scantune.model.record import Record
from scantune.model.space import Space, config_text
from scantune.report.listing import Column, Listing, Row

Cell = tuple[Problem, int, Sequence[float | None], str, Sequence[str]]


def differences_table(cells: Iterable[Cell], title: str) -> Listing:
    """Return a row for each cell: its times in A and B, how they differ, and a line about each side."""
    columns = [Column("problem", is_text=True), *map(Column, ("N", "A µs", "B µs", "B/A")), Column("differs", True)]
    rows = []
    for problem, n, (a_us, b_us), kind, lines in cells:
        ratio = f"{b_us / a_us:.3f}" if a_us and b_us else "–"
        times = [f"{us:.2f}" if us else "–" for us in (a_us, b_us)]
        rows.append(Row([str(problem), format_size(n), *times, ratio, kind], "\n".join(lines)))
    return Listing(title, columns, rows, "winners")


def measured_text(record: Record, space: Space | None) -> str:
    """Return a record's departures, its range, when it was measured, and with what effort and versions."""
    run = record.run
    with_what = ", ".join(filter(None, (run.compiler_version, run.driver_version and f"driver {run.driver_version}")))
    cut_short = ", cut short" if run.is_cut_short else ""
    origin = f"; {run.origin}" if run.origin else ""
    probes = f", {counted(len(record.probes), 'probe')}" if record.probes else ""
    return (
        f"{config_text(record.config, space)}; serves {record.serves}{probes}; {record.finished_at}, "
        f"{run.effort.value}{cut_short}, templates {run.template_hash[:8]}, {with_what}{origin}"
    )
