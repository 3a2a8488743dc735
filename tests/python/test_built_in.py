"""Records that come with the library are written from a database, in an order that does not change."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from pathlib import Path

import pytest

from examples import PROBES, RECORDS, at, scan
from scantune.model.octave import Range
from scantune.store.archive import Archive
from scantune.store.database import DatabaseError, open_database
from scantune.store.export import export_built_in
from scantune.store.text_form import built_in_text

SHIPPED = Path(__file__).parents[2] / "db" / "builtin" / "records.jsonl"
QUERIES = Path(__file__).parents[2] / "db" / "queries"
H200 = replace(RECORDS[0], problem=scan("i32"))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def columns_of(query: str) -> list[str]:
    columns = (QUERIES / query).read_text(encoding="utf-8").partition("FROM")[0].partition("SELECT")[2].split(",")
    return [column.split(".")[-1].split(" AS ")[-1].strip() for column in columns]


def test_lines_are_sorted_whatever_order_the_winners_were_found_in(tmp_path: Path) -> None:
    records = [at(H200, n, problem=scan(name)) for name in ("u8", "f64", "i32") for n in (2**30, 8)]
    for file, found in (("one", records), ("other", records[::-1])):
        assert len(export_built_in(found, [], tmp_path / file)) == len(records)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    keys = [(line["request"]["input_type"], line["n"]) for line in lines(tmp_path / "one")]
    assert keys == [("f64", 8), ("f64", 2**30), ("i32", 8), ("i32", 2**30), ("u8", 8), ("u8", 2**30)]


def test_line_holds_what_the_library_reads_of_a_record() -> None:
    line = json.loads(built_in_text([at(H200, 1000, serves=Range(600, 1500), probes=PROBES)], []))
    of_breakpoint = {"n_high", "n_switch"}
    read = {name for query in ("device", "problem", "run", "records") for name in columns_of(f"load_{query}.sql")}
    names = {name for name in read if not name.endswith("_id")}
    of_range = {"served_above", "served_up_to"}
    assert len(names) == 18
    assert names - set(line) == {*of_breakpoint, *of_range, "shape", "policy"}, (
        "a scan has no shape, and no origin is told"
    )
    assert (line["serves"], "probes" in line) == ([600, 1500], False)
    assert (line["device_name"], line["config"]) == ("NVIDIA H200", dict(H200.config.values))
    assert (line["median_us"], line["default_us"], line["ceiling_us"]) == (2045.0, 2713.4, 2050.1)
    assert (line["compiler_version"], line["effort"]) == ("NVRTC 13.0", "quick")


def test_what_is_the_users_alone_is_left_out(tmp_path: Path) -> None:
    own = replace(H200, problem=scan("custom8", "custom_moderate:affine"))
    stand_in = replace(H200, problem=scan("custom8", "custom_moderate"))
    host = RECORDS[2]
    assert host.device.is_host
    assert export_built_in([own, stand_in, host, H200], [], tmp_path / "file") == [stand_in, H200]


def test_file_is_replaced_only_when_told_to(tmp_path: Path) -> None:
    target = tmp_path / "records.jsonl"
    target.write_text("precious")
    with pytest.raises(DatabaseError, match="--force"):
        export_built_in([H200], [], target)
    assert target.read_text() == "precious"
    export_built_in([H200], [], target, overwrite=True)
    assert len(lines(target)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["records.jsonl"]


def test_shipped_records_stand_in_the_order_that_an_export_gives_them() -> None:
    names = ["arch", "device_name", "sm_count", "algorithm", "request", "shape", "n"]
    shipped = lines(SHIPPED)
    assert all([name for name in line if name in names] == [name for name in names if name in line] for line in shipped)
    compact = functools.partial(json.dumps, separators=(",", ":"))
    keys = [
        (
            *list(line.values())[:4],
            compact(line["request"]),
            compact(line["shape"]) if "shape" in line else "",
            line["n"],
        )
        for line in shipped
    ]
    assert keys == sorted(set(keys))


def test_records_of_a_database_come_back_from_its_export(tmp_path: Path) -> None:
    with open_database(tmp_path / "tuning.db") as database:
        archive = Archive(database)
        for record in RECORDS:
            archive.start(record.run, record.device).save_record(record)
        written = export_built_in(archive.records(), archive.breakpoints(), tmp_path / "records.jsonl")
    assert [line["n"] for line in lines(tmp_path / "records.jsonl")] == [record.n for record in written]
    assert set(written) < set(RECORDS)
