"""Files of results of what scantune gallery measured and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gallery_results
import pytest
import results_file
import tabulate_gallery

import gallery_command
import gallery_measured
from gallery_measured import contender, counted, family, race, tuned


def lines(*races: dict[str, Any], table: int | None = None) -> list[str]:
    """Return the lines of the file, without facts and heads."""
    told = tabulate_gallery.table([gallery_measured.message(*races, table=table)], "abc1234").splitlines()
    return [line for line in told if not line.startswith("#")][1:]


def tabulate(folder: Path, *messages: dict[str, Any], commit: str = "abc1234", after: Path | None = None) -> None:
    """Run the program on files of the messages."""
    paths = [folder / f"{place}.json" for place in range(len(messages))]
    for path, message in zip(paths, messages, strict=True):
        path.write_text(json.dumps(message))
    tabulate_gallery.main([*map(str, paths), "--commit", commit, *(["--after", str(after)] if after else [])])


# Lines.


def test_each_contender_has_a_line_with_what_departs_from_its_default() -> None:
    found = lines(race(*tuned("batch", 4.0), contender("CUB", 5.0, origin="CUB 3.6.0")), table=3)
    assert found == [
        "3,Whole scans,1000,,8000,copy,,,no,,2,no,2,,,",
        "3,Whole scans,1000,,8000,selected,one_shot,unroll=2,no,exact_n,2.5,no,2,,,",
        "3,Whole scans,1000,,8000,batch,batch,block_threads=64 unroll=4,no,trial,4,no,2,12,2997,",
        "3,Whole scans,1000,,8000,batch (default),batch,,yes,default,6,no,2,12,2997,",
        "3,Whole scans,1000,,8000,CUB,,,no,CUB 3.6.0,5,no,2,,,",
    ]


def test_run_of_all_families_has_no_table_and_rows_have_their_count() -> None:
    assert all(line.startswith(",Scans of rows of 2^10,1024,2,") for line in lines(
        race(*tuned("batch", 4.0), n=1024, group="Scans of rows of 2^10", extents={"rows": 2})
    ))  # fmt: skip


def test_failure_and_probe_are_told_on_one_line() -> None:
    *_, wrong, slow = lines(race(
        family("batch", None, {}, failure="wrong result,\nitem 3"), family("serial", 900.0, {}, probe_only=True)
    ))  # fmt: skip
    assert wrong.endswith(',batch,batch,,yes,trial,,no,2,12,2997,"wrong result, item 3"')
    assert ",900,yes," in slow


def test_facts_are_those_of_the_machine_and_of_the_call(room: Path) -> None:
    gallery_measured.write(room)
    facts = results_file.read(room / "h200-gallery.csv").facts
    assert facts["method"].startswith("scantune gallery;")
    assert {name: value for name, value in facts.items() if name != "method"} == {
        "gpu": "NVIDIA H200", "driver": "13.0", "compiler": "NVRTC 13.0", "date": "2026-01-01", "commit": "abc1234",
        "cub": "CUB 3.6.0", "types": "i32", "failures": "0",
    }  # fmt: skip


def test_counts_have_the_columns_of_both_tables(room: Path) -> None:
    gallery_measured.write(room)
    serial, hybrid, additions = results_file.read(room / "h200-gallery-counts.csv").rows
    assert (serial["table"], serial["N"], serial["steps"], serial["additions"]) == ("1", "16", "15", "")
    assert (hybrid["name"], hybrid["steps"]) == ("hybrid", "")
    assert (additions["table"], additions["additions"], additions["2 N"], additions["name"]) == (
        "4",
        "9217",
        "2048",
        "",
    )


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([gallery_measured.message(), counted(1)], "--table 1 and 4 in one call"),
        ([{"command": "bench"}], "of scantune gallery"),
        ([gallery_measured.message(race(), table=3)] * 2, "whole scans at N = 1000 of table 3: leave one of them out"),
        ([counted(1), counted(1)], "table 1: leave one"),
        ([gallery_measured.message(), gallery_measured.message(driver="12.9")], "more than one driver: 13.0, 12.9"),
    ],
)  # fmt: skip
def test_messages_of_no_one_file_are_refused(
    messages: list[dict[str, Any]], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        tabulate(tmp_path, *messages)
    assert complaint in " ".join(capsys.readouterr().err.split())


LATER = race(*tuned("fenwick", 9.0), contender("CUB", 4.0, origin="CUB 3.7.0"), n=10**9)


def test_races_of_a_later_run_come_after_those_of_the_file(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gallery_measured.write(room)
    file = room / "h200-gallery.csv"
    earlier = results_file.read(file)
    failed = race(family("sum_atomic", None, {}, failure="too slow"), n=2**24)
    run = gallery_measured.message(LATER, failed, table=3, date="2026-02-03T00:00:00Z")
    tabulate(room, run, commit="def5678", after=file)
    file.write_text(capsys.readouterr().out)
    both = results_file.read(file)
    assert both.rows[: len(earlier.rows)] == earlier.rows
    assert [one.n for one in gallery_results.races_of("3")] == [1000, 10**9, 2**24]
    assert both.facts == earlier.facts | {
        "date": "2026-01-01 and 2026-02-03", "commit": "abc1234 and def5678", "cub": "CUB 3.6.0 and CUB 3.7.0",
        "failures": "1",
    }  # fmt: skip
    tabulate(room, gallery_measured.message(LATER, table=0, date="2026-02-03T00:00:00Z"), commit="def5678", after=file)
    assert results_file.parsed(capsys.readouterr().out).facts == both.facts


@pytest.mark.parametrize(
    ("later", "complaint"),
    [
        (gallery_measured.message(race(n=1000), table=3), "whole scans at N = 1000 of table 3: leave one of them out"),
        (gallery_measured.message(LATER, driver="12.9"), "more than one driver: 13.0, 12.9"),
        (gallery_measured.message(LATER, peak_gigabytes_per_second=4814.3), "more than one peak_gigabytes_per_second"),
        (counted(1, {"N": 16, "name": "serial"}), "count tables 1 and 4 anew"),
    ],
)
def test_later_run_of_another_machine_or_of_the_same_race_is_refused(
    later: dict[str, Any], complaint: str, room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gallery_measured.write(room)
    with pytest.raises(SystemExit):
        tabulate(room, later, after=room / "h200-gallery.csv")
    assert complaint in " ".join(capsys.readouterr().err.split())


@pytest.mark.usefixtures("fake_worker_command")
def test_what_the_command_writes_is_tabulated(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times = [
        "--families",
        "kogge_stone,sum_vector",
        "--n",
        "2^9",
        "--db",
        str(room / "a.db"),
        "--workers",
        "1",
        "--tune",
    ]
    for name, arguments in {gallery_results.TIMES: times, gallery_results.COUNTS: ["--table", "4"]}.items():
        tabulate(room, gallery_command.message(*arguments))
        (room / f"{name}.csv").write_text(capsys.readouterr().out)
    races = {race.group: race for race in gallery_results.races_of("")}
    assert races["Whole scans"].families == ["kogge_stone"]
    best = races["Sums"].tuned("sum_vector")
    assert best
    assert best.config.startswith("block_threads=")
    assert gallery_results.counts_of("4")[0]["N log2 N"] == "64"


# What is read again.


def test_family_has_its_default_and_what_a_search_found(room: Path) -> None:
    gallery_measured.write(room, [gallery_measured.message(race(*tuned("batch", 4.0), family("vector", 5.0, {})))])
    (found,) = gallery_results.races()
    assert found.families == ["batch", "vector"]
    assert [found.default("batch"), found.tuned("batch")] == [found.named("batch (default)"), found.named("batch")]
    assert found.default("vector") == found.tuned("vector") == found.named("vector")  # nothing was faster
    assert found.share(found.named("batch")) == 0.5


def test_family_that_nobody_searched_has_its_default_alone(room: Path) -> None:
    gallery_measured.write(room, [gallery_measured.message(race(family("batch", 4.0, {}, origin="default")))])
    (found,) = gallery_results.of_family("batch")
    assert found.default("batch")
    assert found.tuned("batch") is None
    assert gallery_results.of_family("one_shot") == []  # which stands there as what is selected


def test_table_that_was_not_measured_is_missed(room: Path) -> None:
    gallery_measured.write(room, [gallery_measured.message(race())])
    with pytest.raises(ValueError, match="no race of table 2: give"):
        gallery_results.races_of("2")
    with pytest.raises(ValueError, match="nothing of table 9: give"):
        gallery_results.counts_of("9")


@pytest.mark.usefixtures("room")
def test_before_anything_was_measured_there_are_no_races() -> None:
    assert not gallery_results.are_there()
    assert gallery_results.of_family("batch") == []
