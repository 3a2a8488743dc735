#!/usr/bin/env python3
"""Turns what `scantune gallery --json` has written into a file of results: a line for each contender of each race.

    python tests/bench/tabulate_gallery.py --commit abc1234 all.json table-0.json > tests/bench/results/h200-gallery.csv
    python tests/bench/tabulate_gallery.py --commit abc1234 table-1.json > tests/bench/results/h200-gallery-counts.csv
    python tests/bench/tabulate_gallery.py --commit abc1234 --after h200-gallery.csv large.json > both.csv

Times and counts belong into files of their own. Of a table of counts, each row is a line. With --after, the races come
after those of a file that the same machine made earlier.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import results_file
from gallery_results import COLUMNS, NO, YES
from results_file import Results, Value

from scantune.model.gallery_race import CUB

Message = Mapping[str, Any]

_METHOD_OF_TIMES = (
    "scantune gallery; sums, in scans inclusive; microseconds, medians in turns, beside a copy of as many bytes "
    "(ceiling_us), which after a sum is timed by itself, as CUB is by cub_bench; bytes: that must be read and written; "
    "config: what departs from the family's default; origin: trial is the fastest config of a search, and default that "
    "of a family that was not searched, and of CUB its version; is_probe: timed but once; steps and operations: what a "
    "family declares"
)
_AND = " and "
_OF_ONE_MACHINE = ("gpu", "driver", "compiler", "peak_gigabytes_per_second", "method")
_METHOD_OF_COUNTS = "counted, and not timed: what the families' default configs declare to scantune gallery"


def table(messages: Sequence[Message], commit: str) -> str:
    """Return the text of the file. Raises ValueError for what belongs into no file, or into several."""
    kinds = {kind for kind in ("races", "counts") for one in messages if kind in one}
    if len(kinds) != 1 or any(kinds.isdisjoint(one) for one in messages):
        raise ValueError("these are not all times, and not all counts, of scantune gallery: give the files of --table "
                         "1 and 4 in one call, and the others in another")  # fmt: skip
    return times(messages, commit) if kinds == {"races"} else counts(messages, commit)


def times(messages: Sequence[Message], commit: str) -> str:
    """Return the file of races. Raises ValueError where several machines ran them, or two are the same."""
    races = [(one, race) for one in messages for race in one["races"]]
    contenders = [one for _, race in races for one in race["contenders"]]
    _check_distinct([_told(one["table"], race["group"], race["n"]) for one, race in races])
    facts = {
        "gpu": _only("GPU", (one["device"]["name"] for one in messages)),
        "driver": _only("driver", (one["driver"] for one in messages)),
        "compiler": _only("compiler", (one["compiler"] for one in messages)),
        "peak_gigabytes_per_second": _only("peak", (_peak(one) for one in messages)), **_when(messages, commit),
        "cub": _joined(one["origin"] for one in contenders if one["name"] == CUB and one["origin"]),
        "types": _joined(race["problem"]["input_type"] for _, race in races),
        "failures": str(sum(one["failure"] is not None for one in contenders)), "method": _METHOD_OF_TIMES,
    }  # fmt: skip
    lines = [[*_place(told, race), *_line(race, one)] for told, race in races for one in race["contenders"]]
    return results_file.text_of(facts, COLUMNS, lines)


def counts(messages: Sequence[Message], commit: str) -> str:
    """Return the file of counts, with the columns of all tables. Raises ValueError where a table stands twice."""
    _check_distinct([f"table {one['table']}" for one in messages])
    rows = [{"table": one["table"], **row} for one in messages for row in one["counts"]]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    facts = {**_when(messages, commit), "method": _METHOD_OF_COUNTS}
    return results_file.text_of(facts, columns, ([row.get(name) for name in columns] for row in rows))


def after(earlier: Results, later: Results) -> str:
    """Return the file of the races of two. Raises ValueError for others, and where both have a race."""
    if any(tuple(row) != COLUMNS for row in (*earlier.rows, *later.rows)):
        raise ValueError("--after is for files of times; count tables 1 and 4 anew")
    races = (dict.fromkeys(_told(row["table"], row["group"], row["n"]) for row in one.rows) for one in (earlier, later))
    _check_distinct([told for one in races for told in one])
    names = dict.fromkeys([*earlier.facts, *later.facts])
    facts = {name: _fact_of_both(name, earlier.facts.get(name, ""), later.facts.get(name, "")) for name in names}
    return results_file.text_of(facts, COLUMNS, (list(row.values()) for row in (*earlier.rows, *later.rows)))


def _fact_of_both(name: str, earlier: str, later: str) -> str:
    if name == "failures":
        return str(int(earlier) + int(later))
    if name in _OF_ONE_MACHINE:
        return _only(name, (earlier, later))
    return _joined([*earlier.split(_AND), *later.split(_AND)])


def _peak(message: Message) -> str:
    peak = message["peak_gigabytes_per_second"]
    return f"{peak:.5g}" if peak else ""


def _when(messages: Sequence[Message], commit: str) -> dict[str, str]:
    return {"date": _joined(one["date"][:10] for one in messages), "commit": commit}


def _place(message: Message, race: Message) -> tuple[Value, ...]:
    """Return what tells a race from the others: the first four columns."""
    return message["table"], race["group"], race["n"], race["extents"].get("rows")


def _line(race: Message, one: Message) -> list[Value]:
    work, config = one["work"] or {}, one["config"] or {}
    return [
        _bytes(race), one["name"], config.get("family"), told_config(one["departures"] or {}),
        YES if one["is_default"] else NO, one["origin"], one["median_us"], YES if one["probe_only"] else NO,
        race["ceiling_us"], work.get("steps"), work.get("operations"), " ".join((one["failure"] or "").split()),
    ]  # fmt: skip


def told_config(departures: Mapping[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in departures.items())


def _bytes(race: Message) -> int | None:
    """Return the bytes that all contenders must move; None where nothing was timed."""
    timed = (one for one in race["contenders"] if one["gigabytes_per_second"])
    return next((round(one["gigabytes_per_second"] * one["median_us"] * 1e3) for one in timed), None)


def _only(what: str, values: Iterable[str]) -> str:
    found = list(dict.fromkeys(values))
    if len(found) > 1:
        raise ValueError(f"these are of more than one {what}: {', '.join(found)}; make a file of each")
    return found[0]


def _joined(values: Iterable[str]) -> str:
    return _AND.join(sorted(set(filter(None, values))))


def _told(table: Value, group: str, n: Value) -> str:
    of_table = "" if table in (None, "") else f" of table {table}"
    return f"{group.lower()} at N = {n}{of_table}"


def _check_distinct(told: Sequence[str]) -> None:
    if repeated := [one for one in dict.fromkeys(told) if told.count(one) > 1]:
        raise ValueError(f"two of the files have {', '.join(repeated)}: leave one of them out")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("messages", nargs="+", type=Path, help="what scantune gallery --json has written")
    parser.add_argument("--commit", required=True, help="what was measured")
    parser.add_argument("--after", type=Path, metavar="CSV", help="a file of results whose races come first")
    options = parser.parse_args(arguments)
    try:
        told = table([json.loads(path.read_text(encoding="utf-8")) for path in options.messages], options.commit)
        if options.after:
            told = after(results_file.read(options.after), results_file.parsed(told))
    except ValueError as error:
        parser.error(str(error))
    sys.stdout.write(told)


if __name__ == "__main__":
    main()
