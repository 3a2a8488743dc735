"""Files of results: CSV with a line for each case, after lines "# name: value" about how it was measured."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOM = Path(__file__).parent / "results"

Row = Mapping[str, str]
Value = str | int | float | None


@dataclass(frozen=True)
class Results:
    facts: Mapping[str, str]  # gpu, driver, date, commit, method, ...
    rows: Sequence[Row]

    @property
    def provenance(self) -> str:
        """Return the facts that a caption gives: all but the method and the facts about single runs."""
        told = {"gpu": "", "driver": "driver ", "compiler": "", "against": "", "date": "", "commit": "commit "}
        return ", ".join(before + self.facts[name] for name, before in told.items() if name in self.facts)


def read(path: Path) -> Results:
    """Return what a file says. Raises ValueError if a line has another number of fields than the head."""
    return parsed(path.read_text(encoding="utf-8"))


def parsed(text: str) -> Results:
    """Return what the text of a file says, as read() does."""
    lines = text.splitlines()
    said = [line for line in lines if line.startswith("#")]
    facts = dict(line.removeprefix("# ").split(": ", 1) for line in said)
    head, *body = csv.reader(lines[len(said) :])
    return Results(facts, [dict(zip(head, fields, strict=True)) for fields in body])


def text_of(facts: Mapping[str, str], columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Return the text of a file. Numbers get five digits, more than any clock resolves; None stays empty."""
    out = io.StringIO()
    out.writelines(f"# {name}: {value}\n" for name, value in facts.items() if value)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_digits(value) for value in row] for row in rows)
    return out.getvalue()


def _digits(value: Value) -> str:
    return "" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)
