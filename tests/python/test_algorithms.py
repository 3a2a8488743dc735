"""Algorithms beside the default one: a second one, and one with an extent beside n."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import ended_well, streams_here
from conftest import FAKE_WORKER, SUM, Tune
from examples import DEVICES, RECORDS, RUNS, TRIALS, scan
from fake_worker import algorithms
from scantune.cli.filter import Filter
from scantune.cli.named_problems import NamedProblems, OwnOperator
from scantune.compare.exchange import import_database
from scantune.compare.precedence import Precedence
from scantune.errors import UsageError
from scantune.model.algorithm import Algorithm
from scantune.model.algorithms import Algorithms
from scantune.model.family_table import FamilyTables
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.database import Database, open_database
from scantune.store.export import export_database
from scantune.store.text_form import built_in_text
from scantune.worker.client import Worker, WorkerUnavailable
from scantune.worker.evaluation import Evaluator, Timeouts

Log = Callable[[], list[dict[str, Any]]]

DECLARED = {one["name"]: Algorithm.from_message(one, FamilyTables()) for one in algorithms()}
COPY, ROW_SUM = DECLARED["copy"], DECLARED["row_sum"]
TYPES = (("input_type", "i8"), ("output_type", "i64"))
ROWS = Problem("row_sum", TYPES, '{"rows":10}', (("rows", 1000),), ROW_SUM)
# A problem of an algorithm that a later version has; its members and extents have no meaning here.
MEDIAN = Problem("median", (("input_type", "i32"), ("rank", "upper")), '{"windows":5}', (("windows", 32),))


def problems(worker: Worker, types: list[str], algorithm: str, **given: Any) -> list[Problem]:
    named = NamedProblems(types, algorithm=algorithm, **given)
    return named.problems(worker.hello(), Evaluator(worker, Timeouts()), [4096], lambda note: None)


def keep(database: Database, *found: Record) -> None:
    for record in found:
        Archive(database).start(record.run, record.device).save_record(record)


def columns_of(path: Path) -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return set(connection.execute("SELECT algorithm, request, shape FROM problem"))


@pytest.fixture
def median(database: Database) -> Record:
    """Save a record that this version's worker does not know beside one that it knows, and return it."""
    record = replace(RECORDS[0], device=DEVICES[2], problem=MEDIAN)
    keep(database, record, replace(record, problem=scan("i32")))
    return record


def test_second_algorithm_has_its_own_members(worker: Worker) -> None:
    narrow, wide = problems(worker, ["i32", "i8:i64"], "copy")
    assert (str(narrow), str(wide)) == ("copy i32", "copy i8:i64")
    assert wide.columns == {"algorithm": "copy", "request": '{"input_type":"i8","output_type":"i64"}', "shape": ""}
    assert problems(worker, ["all"], "copy") == problems(
        worker, ["i8", "i16", "i32", "i64", "f16", "f32", "f64"], "copy"
    )


def test_extent_is_kept_by_its_class_and_asked_for_by_its_size(worker: Worker, request_log: Log) -> None:
    (problem,) = problems(worker, ["i8:i64"], "row_sum", options=(("rows", "1000"),))
    assert problem.columns == {
        "algorithm": "row_sum", "request": '{"input_type":"i8","output_type":"i64"}', "shape": '{"rows":9}',
    }  # fmt: skip
    assert str(problem) == "row_sum i8:i64 rows≈2^9"
    assert problem.request(64) == {"algorithm": "row_sum", **dict(TYPES), "n": 64, "rows": 1000}
    assert list(request_log()[-1]["request"]) == ["algorithm", "input_type", "output_type", "n", "rows"]
    (alike,) = problems(worker, ["i8:i64"], "row_sum", options=(("rows", "512"),))
    (other,) = problems(worker, ["i8:i64"], "row_sum", options=(("rows", "1024"),))
    assert alike == problem != other


def test_extent_is_one_of_the_problems_whose_member_says_so(worker: Worker, request_log: Log) -> None:
    (flat,) = problems(worker, ["i32"], "scan")
    assert (flat.extents, flat.shape, "rows" in request_log()[-1]["request"]) == ((), "", False)
    found = [flat]
    for name, option, kind in (("rows", "row_items", 10), ("columns", "columns", 9)):
        (cut,) = problems(worker, ["i32"], "scan", options=(("segments", name), (option, "1000")))
        told = (str(cut), cut.extents, cut.shape)
        assert told == (f"i32 sum {name} {option}≈2^{kind}", ((option, 1000),), f'{{"{option}":{kind}}}')
        asked = {"algorithm": "scan", "input_type": "i32", "segments": name}
        assert request_log()[-1]["request"] == {**asked, "n": 4096, name: 4 if name == "rows" else 1000}
        assert Algorithms(DECLARED).problem(cut.columns) == cut
        found.append(cut)
    for one, other in itertools.permutations(found, 2):
        with pytest.raises(ValueError, match="extents are not those of this scan"):
            Algorithms(DECLARED).problem({**one.columns, "shape": other.shape})


def test_sizes_of_rows_are_those_that_whole_rows_fill(worker: Worker) -> None:
    named = NamedProblems(["i32"], options=(("segments", "rows"), ("row_items", "1000")))
    notes = list[str]()
    assert named.whole(worker.hello(), [4096, 2**20], notes.append) == [4000, 1_048_000]
    assert notes == ["sizes that whole rows fill: 4,000, 1,048,000"]
    assert NamedProblems(["i32"]).whole(worker.hello(), [4097], notes.append) == [4097]
    assert len(notes) == 1
    (problem,) = problems(worker, ["i32"], "scan", options=named.options)
    assert [problem.counts(n)["rows"] for n in (4000, 1_048_000, 1200, 1500, 192)] == [4, 1048, 1, 2, 1]


def test_row_with_a_shape_is_a_problem_of_a_size_in_its_class() -> None:
    read = Algorithms(DECLARED).problem(ROWS.columns)
    assert (read, read.extents, read.declared) == (ROWS, (("rows", 1024),), ROW_SUM)


def test_bytes_are_those_of_the_operands() -> None:
    assert Problem("copy", TYPES, declared=COPY).bytes_moved(100) == 100 * (1 + 8)
    assert ROWS.bytes_moved(4000) == 4000 * 1 + 1000 * 8
    (message,) = [one for one in algorithms() if one["name"] == "copy"]
    total = {**message["operands"][1], "extent": "one"}
    reduction = Algorithm.from_message({**message, "operands": [message["operands"][0], total]}, FamilyTables())
    assert Problem("copy", TYPES, declared=reduction).bytes_moved(100) == 100 + 8
    assert MEDIAN.bytes_moved(100) == 0


def test_bandwidth_is_not_told_where_only_the_result_says_how_much_is_written() -> None:
    (message,) = [one for one in algorithms() if one["name"] == "copy"]
    count = {"name": "count", "role": "count", "type": "i64", "extent": "one"}
    declared = Algorithm.from_message({**message, "operands": [*message["operands"], count]}, FamilyTables())
    problem = Problem("copy", TYPES, declared=declared)
    assert (problem.bytes_moved(100), problem.operand_types) == (100 * (1 + 8) + 8, ["i8", "i64", "i64"])
    assert problem.gigabytes_per_second(100, 2.0) is None
    assert Problem("copy", TYPES, declared=COPY).gigabytes_per_second(100, 2.0) == pytest.approx(0.45)
    assert MEDIAN.gigabytes_per_second(100, 2.0) is None


def test_algorithm_and_shape_tell_problems_apart(database: Database) -> None:
    of_each = [
        Problem("copy", TYPES), Problem("move", TYPES), ROWS, replace(ROWS, shape='{"rows":11}', extents=()), MEDIAN,
    ]  # fmt: skip
    found = [replace(RECORDS[0], problem=problem) for problem in of_each]
    keep(database, *found, *found)
    read = Archive(database).records()
    assert {record.key for record in read} == {record.key for record in found}
    assert len(read) == len(of_each) == len({record.problem for record in read})


@pytest.mark.parametrize(
    "change",
    [
        {"members": []}, {"members": "input_type"}, {"members": None}, {"operands": None},
        {"members": [{"name": "input_type", "values": []}]},
        {"operands": [{"name": "input", "role": "input", "type": "key_type", "extent": "n"}]},
        {"operands": [{"name": "count", "role": "count", "type": "u128", "extent": "one"}]},
        {"operands": [{"name": "count", "role": "count", "type": "custom", "extent": "one"}]},
        {"operands": [{"name": "input", "role": "input", "type": "input_type", "extent": "columns"}]},
        {"operands": [{"name": "input", "role": "flag", "type": "input_type", "extent": "n"}]},
        {"operands": [7]}, {"extents": [{"name": "n"}]}, {"extents": [{"name": "input_type"}]}, {"extents": [{}]},
        {"extents": [{"name": "rows", "where": "segments"}]}, {"extents": [{"name": "rows", "where": {"kind": "new"}}]},
        {"extents": [{"name": "rows", "where": {"input_type": 7}}]}, {"extents": [{"name": "rows", "where": {}}]},
        {"name": "row sum"},
    ],
)  # fmt: skip
def test_declaration_that_is_none_is_refused(change: dict[str, Any]) -> None:
    (message,) = [one for one in algorithms() if one["name"] == "row_sum"]
    with pytest.raises(ValueError, match=r".+"):
        Algorithm.from_message({**message, **change}, FamilyTables())


def test_worker_that_declares_no_algorithm_is_not_understood(faults: Callable[..., None]) -> None:
    faults(without=list(DECLARED))
    with Worker(FAKE_WORKER, "host") as worker, pytest.raises(WorkerUnavailable, match="its algorithms are"):
        worker.hello()


@pytest.mark.parametrize(
    ("types", "given", "words"),
    [
        (
            ["i32"],
            {"algorithm": "sort"},
            "--algorithm sort: unknown; the worker knows scan, reduce, copy, row_sum",
        ),
        (["i32"], {"ops": ["max"]}, "--op max: copy takes no operator; leave it out"),
        (["i8:i8:i8"], {}, "--type i8:i8:i8: copy has 2 types, written input:output; name the first only"),
        (["i32"], {"options": (("rows", "8"),)}, "--rows 8: copy has no such option; is for row_sum: name"),
        (["i32"], {"options": (("rank", "upper"),)}, "--rank upper: copy has no such option; leave it out"),
        (["i32"], {"algorithm": "row_sum"}, "row_sum needs --rows SIZE, such as --rows 2.10. How many rows there are"),
        (["i32"], {"algorithm": "row_sum", "options": (("rows", "many"),)}, "--rows: 'many' is not a size; write 1000"),
        (["i32"], {"algorithm": "row_sum", "options": (("rows", "8,16"),)}, "--rows 8,16: takes one size"),
        (
            ["i32"],
            {"algorithm": "scan", "options": (("row_items", "8"),)},
            "--row-items 8: is for --segments rows: add that option",
        ),
        (
            ["i32"],
            {"algorithm": "scan", "options": (("segments", "rows"), ("row_items", "8"), ("columns", "8"))},
            "--columns 8: is for --segments columns: add that option",
        ),
        (
            ["i32"],
            {"algorithm": "scan", "options": (("segments", "columns"),)},
            "--segments columns needs --columns SIZE, such as",
        ),
        (
            ["i32"],
            {"algorithm": "scan", "options": (("segments", "rows"),)},
            "--segments rows needs --row-items SIZE, such as",
        ),
        (
            ["i32"],
            {"algorithm": "scan", "options": (("segments", "rows"), ("row_items", "2^13"))},
            "--row-items 2.13: 2.12 items do not fill a row; give a larger --n",
        ),
        (["i8:f32"], {}, "copy i8:f32 of 2.12 items cannot be tuned: no family converts so"),
        (["u128"], {}, "--type u128: the type u128 is unknown; the worker knows i8, i16, i32"),
    ],
)
def test_what_an_algorithm_does_not_take_is_refused_with_what_to_do(
    worker: Worker, types: list[str], given: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError) as caught:
        problems(worker, types, **{"algorithm": "copy", **given})
    assert re.search(words, str(caught.value)), caught.value


def test_own_operator_is_refused_where_nothing_is_combined(worker: Worker, tmp_path: Path) -> None:
    path = tmp_path / "affine.cu"
    path.write_text("Value combine(Value earlier, Value later);")
    ops, source = OwnOperator(path, "affine").checked(["i32"], [])
    with pytest.raises(UsageError, match=r"--operator .*affine.cu: copy takes no operator"):
        problems(worker, ["i32"], "copy", ops=ops, source=source)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(), [ROWS, MEDIAN, SUM]),
        (Filter(algorithm="median"), [MEDIAN]),
        (Filter(["i8:i64"]), [ROWS]),
        (Filter(["i32"]), [MEDIAN, SUM]),
        (Filter(ops=["sum"]), [SUM]),
        (Filter(ops=["upper"]), [MEDIAN]),  # which of its members is an operator, if one is, nobody tells
    ],
)
def test_filter_takes_problems_of_every_algorithm(wanted: Filter, expected: list[Problem]) -> None:
    assert [problem for problem in (ROWS, MEDIAN, SUM) if wanted.admits(problem)] == expected


def test_algorithms_are_tuned_apart_in_one_database(
    tune: Tune, worker: Worker, database: Database, request_log: Log
) -> None:
    copies = problems(worker, ["i8:i64"], "copy")
    rows = problems(worker, ["i8:i64"], "row_sum", options=(("rows", "2^10"),))
    for found in ((SUM,), tuple(copies), tuple(rows)):
        outcome, _ = tune(problems=found)
        assert [record.problem for record in outcome.records] == list(found)
        again, notebook = tune(problems=found)
        assert (again.records, notebook.skipped, notebook.tries) == (outcome.records, 1, 0)
    assert {request["rows"] for one in request_log() if "rows" in (request := one.get("request", {}))} == {1024}
    stored = Archive(database, worker.hello().algorithms).records()
    assert [(one.problem, one.config.family) for one in stored] == [
        (SUM, "lookback"), (copies[0], "copy_vectors"), (rows[0], "row_warps"),
    ]  # fmt: skip


def test_breakpoints_are_measured_with_the_extents_that_were_asked_for(
    tune: Tune, worker: Worker, request_log: Log
) -> None:
    sizes = (2**12, 2**14)
    rows = problems(worker, ["i8"], "row_sum", options=(("rows", "1000"),))
    tune(problems=tuple(rows), sizes=sizes)
    _, notebook = tune(problems=tuple(rows), sizes=sizes, is_portfolio=True)
    assert len(notebook.found_breakpoints) == 1
    assert {one["request"]["rows"] for one in request_log() if one["method"] == "measure"} == {1000}


@pytest.mark.parametrize(
    ("given", "sizes", "noted"),
    [
        ({"algorithm": "row_sum", "options": (("rows", "1000"),)}, [4096, 65536], "so few items: 2.6, 2.8$"),
        ({"algorithm": "row_sum", "options": (("rows", "64"),)}, [64, 256, 4096, 65536], "^$"),
        ({"algorithm": "row_sum", "options": (("rows", "2^20"),)}, [64, 256, 4096, 65536], "^$"),
        ({"algorithm": "copy"}, [64, 256, 4096, 65536], "^$"),
    ],
)
def test_default_sizes_begin_where_the_extents_allow(
    worker: Worker, given: dict[str, Any], sizes: list[int], noted: str
) -> None:
    notes: list[str] = []
    default = [64, 256, 4096, 65536]
    assert (
        NamedProblems(["i8"], **given).sizes(worker.hello(), Evaluator(worker, Timeouts()), default, notes.append)
        == sizes
    )
    assert re.search(noted, "".join(notes)), notes


@pytest.mark.usefixtures("fake_worker_command")
def test_command_tunes_and_shows_what_it_was_asked_for(tmp_path: Path) -> None:
    db = tmp_path / "my.db"
    options = ["--arch", "host", "--n", "2^12", "--type", "i8:i64", "--workers", "1", "--db", str(db)]
    code, out, err = streams_here("--algorithm", "row_sum", "--rows", "2^10", *options, "--json", "-")
    assert code == 0, err
    problem = json.loads(out)["winners"][0]["problem"]
    assert problem == {"algorithm": "row_sum", "input_type": "i8", "output_type": "i64", "shape": '{"rows":10}'}
    output = ended_well("tune", *options, "--algorithm=copy")
    assert {(algorithm, shape) for algorithm, _, shape in columns_of(db)} == {("row_sum", '{"rows":10}'), ("copy", "")}
    output = ended_well("db", "show", "--db", str(db))
    assert "row_sum i8:i64 rows≈2^10" in output
    assert "copy i8:i64" in output
    for command in ("bench", "regret --n 2^11 --samples 1 --trials 0", "db explain"):
        output = ended_well(*command.split(), "--algorithm", "copy", "--type", "i8:i64", "--n", "2^12")
        assert "copy i8:i64" in output


@pytest.mark.usefixtures("fake_worker_command")
def test_help_lists_options_by_algorithm() -> None:
    def told(*arguments: str) -> str:
        code, out, _ = streams_here("tune", *arguments, "--help")
        assert code == 0
        return " ".join(out.split())

    of_scan = told()
    assert of_scan.index("--type input:accumulator:output, --op one of sum, min, max") < of_scan.index("--determinism")
    assert "--type input:output" in told("--algorithm", "copy")
    assert "--rows SIZE: required. How many rows there are." in told("--algorithm", "row_sum")


@pytest.mark.usefixtures("fake_worker_command")
def test_run_without_options_is_of_one_algorithm(tmp_path: Path) -> None:
    db = tmp_path / "my.db"
    ended_well("--arch", "host", "--n", "64", "--budget", "2s", "--workers", "1", "--db", str(db))
    assert {algorithm for algorithm, _, _ in columns_of(db)} == {"scan"}


@pytest.mark.usefixtures("fake_worker_command")
def test_reduction_has_a_bandwidth_and_no_copy_that_it_is_held_against(tmp_path: Path) -> None:
    named = ["--arch", "host", "--algorithm", "reduce", "--type", "f32", "--op", "max", "--position", "first"]
    db = ["--db", str(tmp_path / "my.db")]
    code, out, err = streams_here("tune", *named, "--n", "2^14", "--budget", "2s", "--workers", "1", *db)
    assert code == 0, err
    assert re.search(r"reduce f32 max first +2\^14 +\d+\.\d\d +\d+\.\d+ +– +\d", out), out
    code, out, err = streams_here("bench", *named, "--n", "2^14", *db, "--json", "-")
    assert code == 0, err
    (result,) = json.loads(out)["results"]
    assert result["problem"]["position"] == "first"
    # One value is written, whatever the request: its index counts for nothing.
    assert result["gigabytes_per_second"] == pytest.approx((2**14 + 1) * 4e-3 / result["median_us"])
    assert (result["ceiling_us"], result["share_of_ceiling"]) == (None, None)


def test_records_of_an_unknown_algorithm_are_left_out_of_tuning_and_stay(
    tune: Tune, database: Database, median: Record
) -> None:
    outcome, _ = tune(problems=(SUM,))
    assert outcome.unknown == {"median": 1}
    assert outcome.records[0].problem == SUM
    assert median in Archive(database).records()


@pytest.mark.usefixtures("fake_worker_command")
def test_records_of_an_unknown_algorithm_are_listed_with_a_word(database: Database, median: Record) -> None:
    code, out, err = streams_here("db", "show", "--db", str(database.path))
    assert code == 0, err
    (line,) = [line for line in out.splitlines() if line.startswith("median")]
    assert re.match(r"median i32 upper windows≈2\^5 +2\^30 +2045.00 +– +100%", line), line
    assert "1 winner of the algorithm median, which the worker here does not know: listed as kept, and left out" in err
    code, _, err = streams_here(
        "--arch", "host", "--type", "i32", "--n", "64", "--db", str(database.path), "--workers", "1"
    )
    assert code == 0, err
    assert "1 winner of the algorithm median, which the worker here does not know: left out of tuning" in err
    assert median in Archive(database).records()


def test_listing_without_a_worker_tells_what_rows_name(
    database: Database, median: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", "/no/such/worker")
    code, out, err = streams_here("db", "show", "--db", str(database.path))
    assert code == 0, err
    shown = [line.split()[:2] for line in out.splitlines() if "2045.00" in line]
    assert sorted(shown) == [["i32", "2^30"], ["median", "i32"]]
    assert "without a worker, members at their default and bandwidths are not shown" in err


@pytest.mark.usefixtures("fake_worker_command")
def test_rows_of_an_unknown_algorithm_are_exported_and_imported(
    database: Database, tmp_path: Path, median: Record
) -> None:
    Archive(database).start(RUNS[0], DEVICES[2]).save_trial(MEDIAN, 64, TRIALS[0], is_default=False)
    file = tmp_path / "export.db"
    export_database(database, file)
    with open_database(tmp_path / "other.db") as other, Precedence() as precedence:
        report = import_database(other, file, precedence)
        assert (report.new_records, report.new_trials, report.rejected) == (2, 1, 0)
        assert median in Archive(other).records()
        again = import_database(other, file, precedence)
        assert (again.new_records, again.better_records, again.kept_records, again.new_trials) == (0, 0, 2, 0)


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize(("templates", "wins"), [(RUNS[0].template_hash, True), (RUNS[1].template_hash, False)])
def test_newer_record_of_an_unknown_algorithm_replaces_ours_of_the_same_templates(
    median: Record, templates: str, wins: bool
) -> None:
    newer = replace(median, run=replace(median.run, template_hash=templates), finished_at="2026-02-01T00:00:00Z")
    with Precedence() as precedence:
        assert precedence.prefers(newer, median) is wins
        assert not precedence.prefers(median, newer)


def test_records_that_come_with_the_library_name_algorithm_and_shape() -> None:
    line = json.loads(built_in_text([replace(RECORDS[0], problem=ROWS)], []))
    assert (line["algorithm"], line["shape"]) == ("row_sum", {"rows": 10})
    assert "shape" not in json.loads(built_in_text(RECORDS[:1], []))
