"""Databases that an older scantune wrote are read as they are, and brought up to date before something is written."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import ended_well
from conftest import Tune
from examples import CONFIGS, DEVICES, NOON, RECORDS, at, scan
from scantune.compare.exchange import import_database
from scantune.compare.precedence import Precedence
from scantune.errors import ScantuneError
from scantune.model import carried_hashes
from scantune.model.carried_hashes import joint_hash
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.octave import octave_up_to
from scantune.model.problem import Problem
from scantune.model.quantity import MAX_N
from scantune.model.record import Record
from scantune.store import schema
from scantune.store.archive import Archive
from scantune.store.database import Database, DatabaseError, open_database, open_readonly
from scantune.store.export import export_database
from scantune.store.schema import LAST_WITH_MEMBERS, SCHEMA_VERSION

VERSIONS = (1, 2, 3)
SUM, MAX = scan("i32"), scan("i32", "max")
SIZES = (256, 4096)
# The columns of a problem up to version 2, with their defaults.
MEMBERS = {
    "input_type": "", "accumulator_type": "", "output_type": "", "op": "sum", "kind": "inclusive",
    "determinism": "unconstrained", "forward_progress": "in_order", "latency": "back_to_back",
}  # fmt: skip


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def old_file(tmp_path: Path, version: int) -> Path:
    """Return a file of an older schema: two problems, each with a record and a trial at two sizes."""
    path = tmp_path / "old.db"
    schema = Path(__file__).with_name(f"schema_version_{version}.sql")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(schema.read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(
            f"INSERT INTO run VALUES (3, '{NOON}', '0.1.0', '{'a' * 64}', 'NVRTC 13.0', '580', 'quick', 1, '{{}}')"
        )
        device = DEVICES[0]
        connection.execute("INSERT INTO device VALUES (5, ?, ?, ?)", (device.arch, device.name, device.sm_count))
        for problem_id, op in ((7, "sum"), (9, "max")):
            add_problem(connection, version, problem_id, scan("i32", op))
            for n in SIZES:
                values = (problem_id, n, CONFIGS[0].family, CONFIGS[0].text)
                connection.execute(
                    "INSERT INTO record VALUES (5, ?, ?, ?, ?, 3, 0.7, 0.01, 0.9, NULL, ?)", (*values, NOON)
                )
                connection.execute(
                    "INSERT INTO trial VALUES (NULL, 3, 5, ?, ?, ?, ?, ?, 'ok', NULL, 0, 0.7, 0.01, 3, 1.0, 1980, ?)",
                    (*values, "a" * 64, NOON),
                )
        if version > 1:
            probes = "[[257,0.7,0.9],[4096,2.0,1.5]]"
            connection.execute("INSERT INTO breakpoint VALUES (5, 7, 256, 4096, 1000, ?, 0.02, 3, ?)", (probes, NOON))
        connection.commit()
    return path


def add_problem(connection: sqlite3.Connection, version: int, problem_id: int, problem: Problem) -> None:
    """Add a problem as the tuner of that version did."""
    if version > LAST_WITH_MEMBERS:
        values = tuple(problem.columns.values())
    else:
        found = {name: value for name, value in {**MEMBERS, **dict(problem.members)}.items() if name in MEMBERS}
        values = tuple(value for name, value in found.items() if name != "latency" or version > 1)
    connection.execute(f"INSERT INTO problem VALUES (?{', ?' * len(values)})", (problem_id, *values))


def keys(records: list[Record]) -> set[tuple[Problem, int]]:
    return {(record.problem, record.n) for record in records}


EVERYTHING = {(problem, n) for problem in (SUM, MAX) for n in SIZES}


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def tables_of(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))


def contents(database: Database) -> dict[str, list[dict[str, Any]]]:
    return {query: [dict(row) for row in database.rows(query)] for query in ("all_records", "all_trials")}


def test_old_file_is_read_as_measured_back_to_back_and_stays_as_it_is(old_file: Path, version: int) -> None:
    with open_readonly(old_file) as database:
        assert keys(Archive(database).records()) == EVERYTHING
        assert len(database.rows("all_trials")) == len(EVERYTHING)
    assert version_of(old_file) == version


# N of an older record, and what it served then: its octave up to its N.
RANGES = {
    1: (0, 1), 2: (1, 2), 3: (2, 3), 4: (2, 4), 5: (4, 5), 1_000_000: (2**19, 1_000_000), 2**20: (2**19, 2**20),
    2**20 + 1: (2**20, 2**20 + 1), MAX_N - 1: (MAX_N // 2, MAX_N - 1), MAX_N: (MAX_N // 2, MAX_N),
}  # fmt: skip


@pytest.mark.parametrize("opener", [open_readonly, open_database])
def test_record_of_an_old_file_serves_its_octave_up_to_its_own_n(
    old_file: Path, opener: Callable[[Path], Database]
) -> None:
    config = CONFIGS[0]
    with closing(sqlite3.connect(old_file)) as connection, connection:
        connection.executemany(
            "INSERT INTO record VALUES (5, 9, ?, ?, ?, 3, 1e9, 0.01, NULL, NULL, ?)",
            [(n, config.family, config.text, NOON) for n in RANGES],
        )
    with opener(old_file) as database:
        records = Archive(database).records()
    assert {one.n: one.serves.message() for one in records if one.n in RANGES} == {
        n: list(range_) for n, range_ in RANGES.items()
    }
    assert all(octave_up_to(one.n) == one.serves for one in records)
    assert {one.probes for one in records} == {()}


def test_writing_to_an_old_file_leaves_out_records_that_its_schema_should_have_refused(
    old_file: Path, version: int
) -> None:
    """A file that others made may lack the checks, or have been written without them."""
    config = CONFIGS[0]
    with closing(sqlite3.connect(old_file)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.executemany(
            "INSERT INTO record VALUES (5, 7, ?, ?, ?, 3, ?, 0.01, ?, NULL, ?)",
            [
                (n, config.family, config.text, median_us, default_us, NOON)
                for n, median_us, default_us in ((512, 0.0, 0.9), (0, 0.7, 0.9), (-512, 0.7, 0.9), (1024, 0.7, 0.0))
            ],
        )
        # It may be the end of a breakpoint, too.
        connection.execute("UPDATE record SET median_us = 0 WHERE problem_id = 7 AND n = 4096")
    kept = EVERYTHING - {(SUM, 4096)}
    with open_database(old_file) as database:
        assert {(row["problem_id"], row["n"]) for row in database.rows("all_records")} == {
            (7 if problem == SUM else 9, n) for problem, n in kept
        }
        assert keys(Archive(database).records()) == kept
        assert list(Archive(database).breakpoints()) == []
    assert version_of(old_file) == SCHEMA_VERSION


def test_writing_to_an_old_file_keeps_every_record_and_trial(old_file: Path) -> None:
    """Records of more items than this version takes included: each has the range that readers gave it."""
    config = CONFIGS[0]
    with closing(sqlite3.connect(old_file)) as connection, connection:
        connection.executemany(
            "INSERT INTO record VALUES (5, 9, ?, ?, ?, 3, 1e9, 0.01, NULL, NULL, ?)",
            [(n, config.family, config.text, NOON) for n in (MAX_N + 1, 32 * MAX_N, 256 * MAX_N, 256 * MAX_N + 1)],
        )
    with open_readonly(old_file) as database:
        before = contents(database)
    with open_database(old_file) as database:
        assert contents(database) == before
    assert version_of(old_file) == SCHEMA_VERSION


def test_writing_to_an_old_file_keeps_its_breakpoints(old_file: Path, version: int) -> None:
    with open_database(old_file) as database:
        found = [(one.problem, one.n_low, one.n_high, one.n_switch) for one in Archive(database).breakpoints()]
    assert found == ([(SUM, 256, 4096, 1000)] if version > 1 else [])


def test_updated_file_knows_its_problems_by_the_same_ids(old_file: Path) -> None:
    """A search continues from earlier trials only if it finds their problem."""
    with open_database(old_file) as database:
        archive = Archive(database)
        assert [archive.problem_id(problem) for problem in (SUM, MAX)] == [7, 9]


def test_updated_file_spells_a_problem_as_a_worker_does(old_file: Path, version: int) -> None:
    others = {"kind": "exclusive", "determinism": "run_to_run", "forward_progress": "documented"}
    others |= {"latency": "isolated"} if version > 1 else {}
    problem = scan("custom8", "custom_cheap:affine", **others)
    with closing(sqlite3.connect(old_file)) as connection, connection:
        add_problem(connection, version, 11, problem)
    with open_database(old_file) as database:
        assert Archive(database).problem_id(problem) == 11


def test_updated_file_has_the_schema_of_a_new_one(old_file: Path, tmp_path: Path) -> None:
    open_database(old_file).close()
    open_database(tmp_path / "new.db").close()
    assert tables_of(old_file) == tables_of(tmp_path / "new.db")
    with closing(sqlite3.connect(old_file)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_updated_file_takes_records_of_the_other_latency(old_file: Path) -> None:
    isolated = scan("i32", latency="isolated")
    with open_database(old_file) as database:
        archive = Archive(database)
        [record] = [record for record in archive.records() if (record.problem, record.n) == (SUM, 256)]
        isolated_record = Record(**{**vars(record), "problem": isolated})
        archive.add_record(isolated_record, archive.run_id(record.run))
        assert keys(archive.records()) == EVERYTHING | {(isolated, 256)}


def test_update_that_ends_halfway_leaves_the_old_file(
    old_file: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tables_of(old_file)

    def failing(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("scantune.store.schema.statements", failing)
    with pytest.raises(KeyboardInterrupt):
        open_database(old_file)
    assert (tables_of(old_file), version_of(old_file)) == (before, version)
    monkeypatch.undo()
    with open_database(old_file) as database:
        assert keys(Archive(database).records()) == EVERYTHING


def test_update_by_a_schema_without_a_wanted_table_is_refused(
    old_file: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = schema.sql
    monkeypatch.setattr(schema, "sql", lambda name: whole(name).replace("CREATE TABLE record", "CREATE TABLE riddle"))
    with pytest.raises(ScantuneError, match=r"schema.sql creates no table record; .*install scantune again"):
        open_database(old_file)
    assert version_of(old_file) == version


def test_two_processes_update_one_file_once(old_file: Path) -> None:
    script = (
        "from pathlib import Path; from scantune.store.database import open_database; "
        f"open_database(Path({str(old_file)!r}))"
    )
    both = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(2)]
    assert [process.wait(timeout=30) for process in both] == [0, 0]
    with open_database(old_file) as database:
        assert keys(Archive(database).records()) == EVERYTHING


def test_old_file_is_imported(old_file: Path, database: Database) -> None:
    report = import_database(database, old_file, Precedence())
    assert (report.new_records, report.new_trials, report.rejected) == (4, 4, 0)
    assert keys(Archive(database).records()) == EVERYTHING


def test_newer_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    for opener in (open_database, open_readonly):
        with pytest.raises(DatabaseError, match="version 5, and this scantune knows versions up to 4; update scantune"):
            opener(path)


def later(config: Config = CONFIGS[0], problem: Problem = SUM, policy: str = "{}") -> Record:
    """Return a record as another version with the same schema may write it."""
    return at(RECORDS[0], 512, config=config, problem=problem, run=replace(RECORDS[0].run, policy=policy))


OF_OTHER_VERSIONS = {
    "a family": later(Config("warp_specialised", (("block_threads", 32),))),
    "a parameter": later(Config("lookback", (*CONFIGS[1].values, ("clusters", 4)))),
    "a member of the request": later(problem=Problem("scan", (*SUM.members, ("segments", "rows")))),
    "a shape by the number of rows": later(
        problem=Problem("scan", (*SUM.members, ("segments", "rows")), '{"rows":10}', (("rows", 2**10),))
    ),
    "an algorithm": later(problem=Problem("sort", (("key_type", "i32"),))),
    "a word of the run": later(policy='{"trials":64,"energy":{"joules":1.5}}'),
}


@pytest.mark.parametrize("what", OF_OTHER_VERSIONS)
def test_what_another_version_wrote_outlives_reading_tuning_and_export(
    tune: Tune, database: Database, tmp_path: Path, what: str
) -> None:
    record = OF_OTHER_VERSIONS[what]
    archive = Archive(database)
    archive.add_record(record, archive.run_id(record.run))
    before = all_rows(database)
    tune(sizes=(256,))
    assert before.items() <= all_rows(database).items()
    export_database(database, tmp_path / "export.db")
    with open_readonly(tmp_path / "export.db") as exported:
        assert before.items() <= all_rows(exported).items()


def all_rows(database: Database) -> dict[tuple[object, object], tuple[object, ...]]:
    """Return the texts of records by problem and N."""
    problems = {row["id"]: row["request"] for row in database.rows("all_problems")}
    policies = {row["id"]: row["policy"] for row in database.rows("all_runs")}
    return {
        (problems[row["problem_id"]], row["n"]): (
            row["family"],
            row["config"],
            row["median_us"],
            policies[row["run_id"]],
        )
        for row in database.rows("all_records")
    }


def started(tune: Tune, archive: Archive, config: Config, log: Callable[[], list[dict[str, Any]]]) -> list[Any]:
    """Return what a search races first where a record has this config, of other templates."""
    record = at(RECORDS[0], 2**14, device=Device("host", "Fake CPU", 8), problem=SUM, config=config)
    archive.add_record(record, archive.run_id(replace(record.run, template_hash="c" * 64)))
    outcome, notebook = tune()
    assert notebook.tries > 5
    assert outcome.records[0].run.template_hash == "a" * 64
    return next(list(request["configs"]) for request in log() if request["method"] == "measure")


def test_record_of_a_family_that_has_changed_seeds_the_next_search(
    tune: Tune, database: Database, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    winner = Config("lookback", (("block_threads", 128), ("items_per_thread", 32), ("layout", "direct"), ("window", 1)))
    assert winner.message() in started(tune, Archive(database), winner, request_log)


@pytest.mark.parametrize(
    "gone",
    [
        Config("blelloch", (("block_threads", 128),)),
        Config("lookback", (("block_threads", 128), ("spin_ns", 20))),
        Config("lookback", (("block_threads", 512), ("items_per_thread", 32), ("layout", "direct"), ("window", 1))),
    ],
    ids=["family", "parameter", "no longer legal"],
)
def test_record_whose_config_this_version_does_not_have_leaves_the_search_to_the_others(
    tune: Tune, database: Database, request_log: Callable[[], list[dict[str, Any]]], gone: Config
) -> None:
    raced = started(tune, Archive(database), gone, request_log)
    assert raced
    assert gone.message() not in raced


BEFORE, ANOTHER = "a" * 64, "c" * 64
NOW, ANOTHER_NOW = "b" * 64, "d" * 64


@pytest.fixture
def successors(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kernels of two families have other hashes now, and are what they were."""
    monkeypatch.setattr(carried_hashes, "successors", lambda: {BEFORE: NOW, ANOTHER: ANOTHER_NOW})
    carried_hashes._joint_successors.cache_clear()
    yield
    carried_hashes._joint_successors.cache_clear()


def hashes_in(path: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [str(row[0]) for row in connection.execute(f"SELECT template_hash FROM {table} ORDER BY id")]


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


@pytest.mark.usefixtures("successors")
def test_hashes_of_the_same_kernels_are_read_as_they_are_called_now(old_file: Path, version: int) -> None:
    change(old_file, "UPDATE run SET template_hash = ?", joint_hash(BEFORE, ANOTHER))
    with open_readonly(old_file) as database:
        assert {record.run.template_hash for record in Archive(database).records()} == {joint_hash(NOW, ANOTHER_NOW)}
        trials = Archive(database).trials(DEVICES[0])
    assert {kernel_hash for _, kernel_hash, _ in trials} == {NOW}
    assert (hashes_in(old_file, "trial"), version_of(old_file)) == ([BEFORE] * 4, version)


@pytest.mark.usefixtures("successors")
def test_writing_carries_trials_and_runs_over(old_file: Path) -> None:
    source = "e" * 12
    change(old_file, "UPDATE trial SET template_hash = ? WHERE id = 1", f"{ANOTHER}+{source}")
    change(old_file, "UPDATE trial SET template_hash = ? WHERE id = 2", "f" * 64)
    open_database(old_file).close()
    assert hashes_in(old_file, "trial") == [f"{ANOTHER_NOW}+{source}", "f" * 64, NOW, NOW]
    assert hashes_in(old_file, "run") == [NOW]
    with open_database(old_file) as database:
        assert keys(Archive(database).records()) == EVERYTHING


@pytest.mark.usefixtures("successors")
def test_trial_that_was_repeated_stays_as_it_was_repeated(old_file: Path) -> None:
    columns = "run_id, device_id, problem_id, n, family, config, status, reason, is_default, spread, samples"
    copied = f"{columns}, compile_ms, sm_clock_mhz, finished_at"
    change(
        old_file,
        f"INSERT INTO trial ({copied}, template_hash, median_us) SELECT {copied}, ?, 0.5 FROM trial WHERE id = 1", NOW,
    )  # fmt: skip
    open_database(old_file).close()
    with closing(sqlite3.connect(old_file)) as connection:
        found = connection.execute("SELECT template_hash, median_us FROM trial ORDER BY median_us").fetchall()
    assert found == [(NOW, 0.5), *[(NOW, 0.7)] * 3]


@pytest.mark.usefixtures("successors")
def test_import_carries_over(old_file: Path, database: Database) -> None:
    source = "e" * 12
    change(old_file, "UPDATE trial SET template_hash = template_hash || ? WHERE id = 1", f"+{source}")
    import_database(database, old_file, Precedence())
    assert {row["template_hash"] for row in database.rows("all_trials")} == {NOW, f"{NOW}+{source}"}
    assert set(hashes_in(database.path, "run")) == {NOW}
    assert {record.run.template_hash for record in Archive(database).records()} == {NOW}


@pytest.mark.usefixtures("successors", "fake_worker_command")
def test_command_upgrades_and_says_what_it_did(old_file: Path, version: int, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    messages = []
    for dry_run in (["--dry-run"], [], []):
        ended_well("db", "upgrade", *dry_run, "--db", str(old_file), "--json", str(told))
        messages.append(json.loads(told.read_text()))
    planned, done, again = messages
    for message in planned, done:
        assert (message["schema_before"], message["carried_trials"], message["carried_runs"]) == (version, 4, 1)
    assert (again["schema_before"], again["carried_trials"], again["carried_runs"]) == (SCHEMA_VERSION, 0, 0)
    assert hashes_in(old_file, "trial") == [NOW] * 4


def test_every_hash_of_before_leads_to_one_of_now_at_once() -> None:
    successors = carried_hashes.successors()
    assert successors
    assert all(re.fullmatch(r"[0-9a-f]{64}", one) for pair in successors.items() for one in pair)
    assert not successors.keys() & set(successors.values())
