#!/usr/bin/env python3
"""Writes the results of measurements into the documents: tables, by their names, and the pictures.

    python tests/bench/figures.py            # writes them anew
    python tests/bench/figures.py --check    # says which differ from the files of results, and ends with 1

A table stands between "<!-- figures: NAME -->" and "<!-- end of figures -->"; TABLES has the names.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import gallery_figures
import gallery_pages
import gallery_pictures
import parameter_effects
import pictures
import results_file
from figure_table import microseconds, read, share, size, table
from results_file import Row

from scantune.model.gallery_rows import DOCUMENTS

ROOT = Path(__file__).parents[2]
_PICTURES = ROOT / "docs" / "pictures"
_GALLERY = _PICTURES / "gallery-h200"
_BLOCK = re.compile(r"(<!-- figures: (.*?) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
_SUMS = ("h200-sums-small", "h200-sums-large")
_SORTS, _SORT_DRAWS = "h100-sorts", "h200-sort-draws"  # their tables are empty until they are there
_PICTURED = [results_file.ROOM / f"{name}.csv" for name in _SUMS]
_TYPES = ("i8", "u8", "i16", "u16", "f16", "bf16", "i32", "u32", "f32", "i64", "u64", "f64")


def ratio(row: Row) -> float:
    """Return the faster CUB's time over scantune's."""
    return float(row["cub_us"]) / float(row["scantune_us"])


def sums(*names: str) -> str:
    """Return microseconds, the speed-up over the faster CUB, and the share of a copy's speed, by type and N."""
    rows = [row for name in names for row in read(name).rows if row["input"] == row["output"]]
    sizes = sorted({int(row["n"]) for row in rows})
    shown = {(row["input"], int(row["n"])): _sum_cell(row) for row in rows}
    types = [name for name in _TYPES if (name, sizes[0]) in shown]
    body = ([name, *(shown[name, n] for n in sizes)] for name in types)
    return table(["", *map(size, sizes)], body, *names)


def _sum_cell(row: Row) -> str:
    is_copied = int(row["n"]) >= 2**22 and row["copy_us"]  # nothing is copied beside a reduction
    copied = f", {share(row['copy_us'], row['scantune_us'])}" if is_copied else ""
    return f"{microseconds(row['scantune_us'])} µs, **{ratio(row):.2f}**{copied}"


def ratios() -> str:
    """Return a short table of speed-ups: four types, four sizes."""
    types, sizes = ("i8", "i32", "f32", "f64"), (2**10, 2**16, 2**22, 2**28)
    rows = {(row["input"], int(row["n"])): row for name in _SUMS for row in read(name).rows
            if row["input"] == row["output"]}  # fmt: skip
    return table(["", *map(size, sizes)], ([one, *(f"{ratio(rows[one, n]):.2f}" for n in sizes)] for one in types))


def wider() -> str:
    rows = [row for row in read("h200-sums-large").rows if row["input"] != row["output"]]
    sizes = sorted({int(row["n"]) for row in rows})
    pairs = list(dict.fromkeys((row["input"], row["output"]) for row in rows))
    shown = {(row["input"], row["output"], int(row["n"])): row for row in rows}
    body = (
        [
            f"{one} to {other}",
            *(f"{ratio(shown[one, other, n]):.2f}" if (one, other, n) in shown else "" for n in sizes),
        ]
        for one, other in pairs
    )
    return table(["", *map(size, sizes)], body, "h200-sums-large")


def draws() -> str:
    bounds = [(2**low, 2 ** (low + 4)) for low in range(8, 28, 4)]
    rows = [row for name in ("h200-draws-small", "h200-draws-large") for row in read(name).rows]
    body = []
    for low, high in bounds:
        found = [ratio(row) for row in rows if low <= int(row["n"]) < high]
        body.append([f"{size(low)} to {size(high)}", str(len(found)), f"{min(found):.2f}",
                     f"{statistics.median(found):.2f}", f"{max(found):.2f}"])  # fmt: skip
    return table(["N", "cases", "least", "median", "most"], body, "h200-draws-small", "h200-draws-large")


def between_sizes() -> str:
    ratios = sorted(float(row["ratio"]) for row in read("h200-between-sizes").rows)
    near = sum(one <= 1.05 for one in ratios)
    middle = f"{math.exp(statistics.fmean(map(math.log, ratios))):.3f}"
    heads = ["sizes", "within 5 % of the best known", "time over the best's, geometric mean", "the most"]
    return table(heads, [[str(len(ratios)), str(near), middle, f"{ratios[-1]:.3f}"]], "h200-between-sizes")


def proof() -> str:
    """Return what a default run gained in drawn cases, by algorithm, over what ran in its place. Unchanged ones have no
    line, and a ratio of 1.
    """
    found = read("h200-proof-baselines")
    unchanged = {algorithm: int(count) for algorithm, count in map(str.split, found.facts["unchanged"].split("; "))}
    unchanged["all"] = sum(unchanged.values())
    body = []
    for algorithm, same in unchanged.items():
        rows = [row for row in found.rows if algorithm in (row["algorithm"], "all")]
        gains = [statistics.geometric_mean([*(float(row[name]) for row in rows), *[1.0] * same]) for name in _BASELINES]
        slower = [sum(_is_slower(row, name) for row in rows) for name in _BASELINES]
        told = [f"{gain:.3f}, {count}" for gain, count in zip(gains, slower, strict=True)]
        body.append([algorithm, str(len(rows) + same), *told])
    return table(["cases of", "cases", *_BASELINES.values()], body, "h200-proof-baselines")


_BASELINES = {
    "defaults": "over the defaults, slower",
    "old_defaults": "over the defaults before",
    "old_records": "over the records before",
}


def _is_slower(row: Mapping[str, str], baseline: str) -> bool:
    """Return whether a case is slower by over 2 % in both measurements."""
    again = row[f"{baseline}_again"]
    return bool(again) and float(row[baseline]) < 0.98 and float(again) < 0.98


def custom_operators() -> str:
    rows = read("h200-custom-operators").rows
    body = ([row["problem"], size(int(row["n"])), microseconds(row["built_in_us"]),
             f"{float(row['custom_us']) / float(row['built_in_us']):.3f}"] for row in rows)  # fmt: skip
    return table(["problem", "N", "built in, µs", "the same as source takes, times"], body, "h200-custom-operators")


def wide_items() -> str:
    body = (
        [row["problem"], size(int(row["n"])), microseconds(row["scan_us"]), share(row["copy_us"], row["scan_us"])]
        for row in read("h200-wide-items").rows
    )
    return table(["problem", "N", "µs", "share of a copy's speed"], body, "h200-wide-items")


def shapes() -> str:
    """Return microseconds, the share of a copy's speed, and torch's time over ours, of rows and columns."""
    body = (
        [row["type"], f"{size(int(row['count']))} {row['segments']} of {size(int(row['length']))}", row["family"],
         microseconds(row["us"]), share(row["copy_us"], row["us"]), row["torch_ratio"] or "–"]
        for row in read("h200-shapes-mended").rows
    )  # fmt: skip
    heads = ["type", "shape", "family", "µs", "share of a copy's speed", "torch's time over ours"]
    return table(heads, body, "h200-shapes-mended")


def selections() -> str:
    """Return the faster CUB's time over ours, by criterion, type and share of the items that is kept."""
    rows = read("h100-selections").rows
    sizes = sorted({int(row["n"]) for row in rows})
    shown = {(row["criterion"], row["type"], row["kept"], int(row["n"])): row["ratio"] for row in rows}
    cells = dict.fromkeys((row["criterion"], row["type"], row["kept"]) for row in rows)
    body = (
        [f"`{criterion}`, {kind}", kept, *(f"{float(shown[criterion, kind, kept, n]):.2f}" for n in sizes)]
        for criterion, kind, kept in cells
    )
    return table(["", "kept", *map(size, sizes)], body, "h100-selections")


def maps() -> str:
    """Return microseconds of a mapped and of a plain scan, and the faster CUB's time over the mapped one's."""
    rows = read("h100-maps").rows
    body = ([size(int(row["n"])), microseconds(row["us"]), microseconds(row["plain_us"]), row["ratio"]] for row in rows)
    return table(["N", "µs", "without a map, µs", "CUB's time over ours"], body, "h100-maps")


def selection_draws() -> str:
    """Return how many drawn selections there are, and the least and the median of CUB's time over ours."""
    found: dict[str, list[float]] = {}
    for row in read("h200-selection-draws").rows:
        found.setdefault(row["criterion"], []).append(float(row["ratio"]))
    body = (
        [f"`{name}`", str(len(ratios)), str(sum(one < 0.98 for one in ratios)), f"{min(ratios):.2f}",
         f"{statistics.median(ratios):.2f}"]
        for name, ratios in sorted(found.items())
    )  # fmt: skip
    return table(["", "cases", "below 0.98", "least", "median"], body, "h200-selection-draws")


def load_balances() -> str:
    """Return microseconds, Thrust's time over ours and the share of a copy's speed, by the segments' lengths."""
    rows = read("h100-load-balances").rows
    sizes = sorted({int(row["n"]) for row in rows})
    shown = {(row["lengths"], row["ranks"], int(row["n"])): row for row in rows}
    named = {"4": "of 4 items", "256": "of 256 items", "power": "by a power law"}
    body = (
        [named[lengths] + (", with ranks" if ranks == "true" else ""),
         *(_balance_cell(shown[lengths, ranks, n]) for n in sizes)]
        for lengths, ranks in dict.fromkeys((row["lengths"], row["ranks"]) for row in rows)
    )  # fmt: skip
    return table(["segments", *map(size, sizes)], body, "h100-load-balances")


def _balance_cell(row: Row) -> str:
    return f"{microseconds(row['us'])} µs, **{float(row['thrust_ratio']):.2f}**, {share(row['copy_us'], row['us'])}"


def sorts() -> str:
    """Return microseconds, and the faster CUB's time over ours, by what is sorted."""
    return _sorts(lambda row: row["rows"] == "0")


def row_sorts() -> str:
    """Return the same of sorts of rows."""
    return _sorts(lambda row: row["rows"] != "0")


def _is_measured(name: str) -> bool:
    return (results_file.ROOM / f"{name}.csv").exists()


def _sorts(is_shown: Callable[[Row], bool]) -> str:
    if not _is_measured(_SORTS):
        return ""
    rows = [row for row in read(_SORTS).rows if is_shown(row)]
    sizes = sorted({int(row["n"]) for row in rows})
    shown = {
        (row["label"], int(row["n"])): f"{microseconds(row['us'])} µs, **{float(row['ratio']):.2f}**" for row in rows
    }
    body = (
        [label, *(shown.get((label, n), "") for n in sizes)] for label in dict.fromkeys(row["label"] for row in rows)
    )
    return table(["", *map(size, sizes)], body, _SORTS)


def sorts_beside() -> str:
    """Return the time of the faster CUB with double buffers over ours, and torch's, by what is sorted."""
    if not _is_measured(_SORTS):
        return ""
    rows = [row for row in read(_SORTS).rows if row["rows"] == "0"]
    sizes = sorted({int(row["n"]) for row in rows})
    shown = {(row["label"], int(row["n"])): _beside_cell(row) for row in rows}
    body = (
        [label, *(shown.get((label, n), "") for n in sizes)] for label in dict.fromkeys(row["label"] for row in rows)
    )
    return table(["", *map(size, sizes)], body, _SORTS)


def _beside_cell(row: Row) -> str:
    double = [float(row[name]) for name in row if name.endswith("_double_us") and row[name]]
    ours = float(row["us"])
    told = [f"{min(double) / ours:.2f}"] if double else []
    return ", ".join(told + ([f"{float(row['torch_us']) / ours:.2f}"] if row["torch_us"] else []))


def sort_draws() -> str:
    """Return how many drawn sorts there are, and the least and the median of CUB's time over ours, by type."""
    if not _is_measured(_SORT_DRAWS):
        return ""
    found: dict[str, list[float]] = {}
    for row in read(_SORT_DRAWS).rows:
        found.setdefault(row["type"], []).append(float(row["ratio"]))
    body = (
        [name, str(len(ratios)), str(sum(one < 0.98 for one in ratios)), f"{min(ratios):.2f}",
         f"{statistics.median(ratios):.2f}"]
        for name, ratios in sorted(found.items())
    )  # fmt: skip
    return table(["keys", "cases", "below 0.98", "least", "median"], body, _SORT_DRAWS)


def host_path() -> str:
    rows = read("h200-host-path").rows
    heads = ["subject", "call", "ns", "beyond the bare launch", "instructions"]
    body = (
        [sized(row["subject"]), row["call"], rounded(row["ns"]), rounded(row["added_ns"]), row["instructions"]]
        for row in rows
    )
    return table(heads, body, "h200-host-path")


def sized(subject: str) -> str:
    """Return a subject with its number of items as tables have it."""
    return re.sub(r"\b\d+(?= items)", lambda number: size(int(number[0])), subject)


def rounded(text: str) -> str:
    return f"{float(text):.0f}" if text else ""


def first_calls() -> str:
    body = ([size(int(row["n"])), row["returned_ms"], row["done_ms"], row["slowest_ms"]]
            for row in read("h200-first-calls").rows)  # fmt: skip
    return table(["N", "returned after, ms", "done after, ms", "the slowest, ms"], body, "h200-first-calls")


def peers() -> str:
    rows = read("h200-peers").rows
    subjects = list(dict.fromkeys(row["subject"] for row in rows))
    shown = {(int(row["n"]), row["subject"]): microseconds(row["us"]) for row in rows}
    body = ([size(n), *(shown.get((n, one), "") for one in subjects)] for n in sorted({n for n, _ in shown}))
    return table(["N", *subjects], body, "h200-peers")


def arrays() -> str:
    """Return, of each way to sum and shape, the CPU's and the GPU's time; the CPU's where the GPU is not waited for."""
    rows = read("h200-arrays").rows
    shapes = list(dict.fromkeys((row["shape"], row["axis"]) for row in rows))
    shown = {(row["contender"], row["shape"], row["axis"]): row for row in rows}
    heads = [f"{' by '.join(size(int(one)) for one in shape.split('x'))}, axis {axis}" for shape, axis in shapes]
    body = (
        [name, *(_both_times(shown.get((name, *shape), {})) for shape in shapes)]
        for name in dict.fromkeys(row["contender"] for row in rows)
    )
    return table(["call", *heads], body, "h200-arrays")


def _both_times(row: Mapping[str, str]) -> str:
    host, device = row.get("host_ns", ""), row.get("device_us", "")
    return " / ".join(microseconds(us) for us in (str(float(host) / 1000) if host else "", device) if us)


def effects(*families: str) -> Callable[[], str]:
    def shown() -> str:
        rows = [row for row in read("h200-parameter-effects").rows if row["family"] in families]
        return parameter_effects.table(rows) + "\n"

    return shown


def replays() -> str:
    """Return, by sampler and space, the median share and the worst tenth's after 60 evaluations, and the evaluations to
    a share of 0.98.
    """
    rows = read("h200-replays").rows
    spaces = list(dict.fromkeys(row["space"] for row in rows))
    shown = {(row["sampler"], row["space"]): row for row in rows}
    samplers = dict.fromkeys((row["sampler"], row["seeds"]) for row in rows)
    body = ([f"{one} ({seeds})", *(_replayed(shown[one, space]) for space in spaces)] for one, seeds in samplers)
    return table(["sampler (seeds)", *map(_space, spaces)], body)


def samplers() -> str:
    """Return the mean shares after so many evaluations, of the tuner's sampler and of TPE with and without a prior."""
    rows = read("h200-samplers").rows
    shown = {(row["space"], row["sampler"]): row for row in rows}
    subjects = list(dict.fromkeys(row["sampler"] for row in rows))
    columns = [name for name in rows[0] if name.startswith("mean_share_at_")]

    def both(space: str, column: str) -> str:
        return " / ".join(f"{float(shown[space, one][column]):.3f}" for one in subjects)

    spaces = dict.fromkeys(row["space"] for row in rows)
    body = ([_space(space), *(both(space, name) for name in columns)] for space in spaces)
    return table([" / ".join(subjects), *(name.replace("mean_share_at_", "after ") for name in columns)], body)


def _space(name: str) -> str:
    return name.removeprefix("h200-").replace("-2p", " 2^")


def _replayed(row: Row) -> str:
    share, worst = (f"{float(row[name]):.3f}" for name in ("median_share_at_60", "worst_tenth_share_at_60"))
    return f"{share} / {worst}, {row['evaluations_to_98'] or '–'}"


TABLES: dict[str, Callable[[], str]] = {
    "ratios": ratios,
    "large sums": lambda: sums("h200-sums-large"),
    "small sums": lambda: sums("h200-sums-small"),
    "isolated sums": lambda: sums("h200-sums-small-isolated"),
    "reductions": lambda: sums("h200-reduce-sums"),
    "wider sums": wider,
    "draws": draws,
    "between sizes": between_sizes,
    "proof": proof,
    "custom operators": custom_operators,
    "wide items": wide_items,
    "shapes": shapes,
    "selections": selections,
    "selection draws": selection_draws,
    "load balances": load_balances,
    "sorts": sorts,
    "sorts of rows": row_sorts,
    "sorts beside others": sorts_beside,
    "sort draws": sort_draws,
    "maps": maps,
    "host path": host_path,
    "first calls": first_calls,
    "peers": peers,
    "arrays": arrays,
    "replays": replays,
    "samplers": samplers,
    "effects where the input fits the SMs": effects("single_block", "one_shot"),
    "effects beyond": effects("lookback", "pipelined", "three_phase"),
    "work": gallery_pages.walk_table,
    **{f"rows of {document}": partial(gallery_figures.rows, document) for document in DOCUMENTS},
    **gallery_figures.tables(),
}


def filled(text: str) -> str:
    """Return a document with its tables as the files of results have them. Raises KeyError for an unknown name."""
    return _BLOCK.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


def documents() -> list[Path]:
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in found if _BLOCK.search(path.read_text(encoding="utf-8"))]


def out_of_date() -> list[str]:
    """Return which documents and pictures differ from the files of results."""
    texts = [path for path in documents() if filled(path.read_text(encoding="utf-8")) != path.read_text("utf-8")]
    drawn = [path for path in pictures.paths(_PICTURES) if not pictures.is_drawn_from(path, _PICTURED)]
    drawn += gallery_pictures.out_of_date(_GALLERY)
    return [str(path.relative_to(ROOT)) for path in [*texts, *drawn]]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    if parser.parse_args(arguments).check:
        if differing := out_of_date():
            sys.exit("differ from tests/bench/results: " + ", ".join(differing) + "; run python tests/bench/figures.py")
        return
    for path in documents():
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
    pictures.draw_all(_PICTURED, "cold", _PICTURES)
    gallery_pictures.draw_all(_GALLERY)


if __name__ == "__main__":
    main()
