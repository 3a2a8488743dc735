"""Export here and import there lose nothing, and nothing that a stranger wrote is used unchecked."""

from __future__ import annotations

import os
import re
import shlex
import socket
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import FAKE_WORKER
from examples import CONFIGS, DEVICES, RECORDS, RUNS, TRIALS, at
from fake_worker import DEFAULTS
from scantune.compare.exchange import import_database
from scantune.compare.precedence import Precedence
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.policy import Effort
from scantune.model.record import Record
from scantune.store import database as database_module
from scantune.store.archive import Archive
from scantune.store.contents import Contents
from scantune.store.database import Database, DatabaseError, open_database, open_readonly
from scantune.store.export import export_database
from scantune.store.schema import SCHEMA_VERSION

BASE = RECORDS[0]


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a worker that was built, and the GPU it may find, out of the decisions."""
    monkeypatch.setenv("SCANTUNE_WORKER", "/no/such/worker")


def save(path: Path, records: list[Record], trials: int = 0) -> None:
    with open_database(path) as database:
        for record in records:
            session = Archive(database).start(record.run, record.device)
            session.save_record(record)
            for trial in TRIALS[:trials]:
                session.save_trial(record.problem, record.n, trial, is_default=False)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.db"
    save(path, RECORDS, trials=len(TRIALS))
    return path


def merged(database: Database, path: Path) -> list[Record]:
    import_database(database, path, Precedence())
    return Archive(database).records()


def trials_of(database: Database) -> list[str]:
    """Return all trials with what they refer to, but for ids and the policy."""
    left_out = ("id", "device_id", "problem_id", "run_id", "policy")
    trials = Contents(database).trials(lambda row: {name: row[name] for name in row if name not in left_out})
    return sorted(map(str, trials))


def test_export_and_import_carry_every_record_and_trial(database: Database, source: Path, tmp_path: Path) -> None:
    exported = tmp_path / "export.db"
    with open_readonly(source) as original:
        export_database(original, exported)
        report = import_database(database, exported, Precedence())
        assert (report.new_records, report.rejected) == (len(RECORDS), 0)
        assert report.new_trials == len(RECORDS) * len(TRIALS)
        assert sorted(map(str, Archive(database).records())) == sorted(map(str, Archive(original).records()))
        assert trials_of(database) == trials_of(original)


def test_second_import_changes_nothing(database: Database, source: Path) -> None:
    import_database(database, source, Precedence())
    before = list(database._connection.iterdump())
    report = import_database(database, source, Precedence())
    assert (report.new_records, report.better_records, report.new_trials) == (0, 0, 0)
    assert report.kept_records == len(RECORDS)
    assert list(database._connection.iterdump()) == before


def test_export_is_one_file_of_ours_and_leaves_nothing_else(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out" / "export.db"
    target.parent.mkdir()
    with open_readonly(source) as original:
        export_database(original, target)
    assert list(target.parent.iterdir()) == [target]
    with sqlite3.connect(target) as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] == 0x73636E74
        assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"


def test_export_removes_what_killed_ones_left_a_day_ago(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    for name, mode in {"old_a1b2": 0o700, "new_a1b2": 0o700, "read_all": 0o755, "mine": 0o700}.items():
        (folder / f".scantune-export-{name}").mkdir(mode)
        for file in ("export", "export-journal"):
            (folder / f".scantune-export-{name}" / file).touch()
    (folder / ".scantune-export-linkabcd").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "export").touch()
    for path in folder.iterdir():
        if path.name != ".scantune-export-new_a1b2":
            os.utime(path, (0, 0), follow_symlinks=False)
    with open_readonly(source) as database:
        export_database(database, folder / "tuning.db")
    assert {path.name for path in folder.iterdir()} == {
        "tuning.db", ".scantune-export-new_a1b2", ".scantune-export-read_all", ".scantune-export-mine",
        ".scantune-export-linkabcd"
    }  # fmt: skip
    assert (tmp_path / "export").exists()


def test_export_replaces_a_file_only_when_told_to(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("precious")
    with open_readonly(source) as original:
        with pytest.raises(DatabaseError, match="exists already"):
            export_database(original, target)
        assert target.read_text() == "precious"
        with pytest.raises(DatabaseError, match="onto itself"):
            export_database(original, source, overwrite=True)
        export_database(original, target, overwrite=True)
    open_readonly(target).close()


@pytest.mark.parametrize("kind", ["directory", "FIFO", "link to no regular file", "socket"])
@pytest.mark.parametrize("overwrite", [False, True], ids=["", "force"])
def test_export_replaces_nothing_but_a_regular_file(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, overwrite: bool
) -> None:
    target = tmp_path / "target"
    if kind == "socket":
        monkeypatch.chdir(tmp_path)  # its name may be no longer than a hundred letters
        socket.socket(socket.AF_UNIX).bind(target.name)
    elif kind == "FIFO":
        os.mkfifo(target)
    elif kind == "directory":
        target.mkdir()
    else:
        target.symlink_to("nowhere")
    before = target.lstat()
    with open_readonly(source) as original, pytest.raises(DatabaseError, match=f"it is a {kind}.*; choose another"):
        export_database(original, target, overwrite)
    assert (*target.lstat()[:7], target.lstat().st_mtime_ns) == (*before[:7], before.st_mtime_ns)  # it may be read
    assert not (tmp_path / "nowhere").exists()


def test_export_replaces_what_a_link_leads_to_and_keeps_the_link(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "link"
    target.symlink_to("file")
    (tmp_path / "file").write_text("old")
    with open_readonly(source) as original:
        export_database(original, target, overwrite=True)
    assert target.is_symlink()
    open_readonly(tmp_path / "file").close()


def test_export_to_a_full_disk_names_the_target_and_leaves_nothing(source: Path, tmp_path: Path) -> None:
    class Full:
        in_transaction = False

        def execute(self, *_: object) -> None:
            raise sqlite3.OperationalError("database or disk is full")

    target = tmp_path / "out" / "export.db"
    target.parent.mkdir()
    words = "out/export.db: the disk is full, and nothing was written; free some"
    with pytest.raises(DatabaseError, match=words):
        export_database(Database(source, Full()), target)  # type: ignore[arg-type]
    assert list(target.parent.iterdir()) == []


def test_export_to_a_name_of_300_letters_is_an_error_like_any_other(source: Path, tmp_path: Path) -> None:
    with open_readonly(source) as original, pytest.raises(DatabaseError, match=r"File name too long; choose another"):
        export_database(original, tmp_path / ("x" * 300))
    with open_readonly(source) as original:
        export_database(original, tmp_path / ("x" * 250))  # nothing beside it needs a longer name


def test_export_to_a_missing_directory_is_refused(source: Path, tmp_path: Path) -> None:
    with open_readonly(source) as original, pytest.raises(DatabaseError, match="its directory cannot be written"):
        export_database(original, tmp_path / "nowhere" / "export.db")


NEWER = "2026-04-01T00:00:00Z"
THOROUGH = replace(RUNS[0], effort=Effort.normal)


@pytest.mark.parametrize(
    ("theirs", "wins"),
    [
        (replace(BASE, finished_at=NEWER), True),
        (replace(BASE, finished_at="2025-01-01T00:00:00Z"), False),
        (replace(BASE, run=THOROUGH, finished_at="2025-01-01T00:00:00Z"), True),  # better measured, though older
        (BASE, False),
        (replace(BASE, median_us=1.0, finished_at="2025-01-01T00:00:00Z"), False),  # faster is no argument
    ],
    ids=["newer", "older", "more effort", "same", "faster but older"],
)
def test_of_two_winners_the_better_measured_stays_then_the_newer(
    database: Database, tmp_path: Path, theirs: Record, wins: bool
) -> None:
    theirs = replace(theirs, config=CONFIGS[2])
    Archive(database).start(BASE.run, BASE.device).save_record(BASE)
    save(tmp_path / "theirs.db", [theirs])
    assert merged(database, tmp_path / "theirs.db") == [theirs if wins else BASE]


OURS = "a" * 64  # the templates of the fake worker
OLD = "b" * 64
DEVICE = Device("host", "Fake CPU", 8)
GOOD = Config("lookback", tuple(DEFAULTS["lookback"].items()))
OTHER = Config("lookback", tuple({**DEFAULTS["lookback"], "window": 8}.items()))
REFUSED = Config("lookback", tuple({**DEFAULTS["lookback"], "block_threads": 512, "items_per_thread": 32}.items()))


def host_record(config: Config, template_hash: str, effort: Effort = Effort.quick) -> Record:
    run = replace(RUNS[0], template_hash=template_hash, effort=effort)
    return replace(BASE, device=DEVICE, config=config, run=run)


@pytest.mark.parametrize("with_worker", [True, False], ids=["worker", "no worker"])
@pytest.mark.parametrize(
    ("ours", "theirs", "wins", "wins_without_worker"),
    [
        (host_record(GOOD, OURS), host_record(OTHER, OLD, Effort.exhaustive), False, False),
        (host_record(GOOD, OLD, Effort.exhaustive), host_record(OTHER, OURS), True, False),
        (host_record(GOOD, OURS), host_record(OTHER, OURS, Effort.normal), True, True),
        (host_record(GOOD, OURS, Effort.normal), host_record(OTHER, OURS), False, False),
        (host_record(GOOD, "c" * 64), host_record(OTHER, OLD, Effort.normal), True, False),
    ],
    ids=["other templates", "ours is stale", "more effort", "less effort", "both are stale"],
)
def test_templates_of_the_tool_here_come_before_effort(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    with_worker: bool, ours: Record, theirs: Record, wins: bool, wins_without_worker: bool,
) -> None:  # fmt: skip
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join(FAKE_WORKER) if with_worker else "/no/such/worker")
    save(database.path, [ours])
    save(tmp_path / "theirs.db", [theirs])
    expected = wins if with_worker else wins_without_worker
    assert merged(database, tmp_path / "theirs.db") == [theirs if expected else ours]


def test_config_that_the_worker_refuses_replaces_none_of_ours(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join(FAKE_WORKER))
    ours = host_record(GOOD, OURS)
    save(database.path, [ours])
    save(tmp_path / "theirs.db", [host_record(REFUSED, OURS, Effort.exhaustive)])
    report = import_database(database, tmp_path / "theirs.db", Precedence())
    assert (report.kept_records, report.better_records) == (1, 0)
    assert Archive(database).records() == [ours]


def test_refused_config_does_not_slip_in_beside_a_good_one_of_the_same_key(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join(FAKE_WORKER))
    save(database.path, [host_record(GOOD, OURS)])
    good = host_record(OTHER, OURS, Effort.normal)
    path = tmp_path / "theirs.db"
    save(path, [good])
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE twice AS SELECT * FROM record UNION ALL SELECT * FROM record")
        connection.execute("UPDATE twice SET config = ? WHERE rowid = 2", (REFUSED.text,))
        connection.execute("DROP TABLE record")
        connection.execute("CREATE TABLE record AS SELECT * FROM twice")
        connection.execute("DROP TABLE twice")
    assert merged(database, path) == [good]


def test_records_of_a_gpu_elsewhere_are_judged_by_a_worker_that_answers_for_it(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join(FAKE_WORKER))
    ours = replace(BASE, config=GOOD, run=replace(THOROUGH, template_hash=OLD))
    theirs = replace(BASE, config=OTHER, run=replace(BASE.run, template_hash=OURS))
    save(database.path, [ours])
    save(tmp_path / "theirs.db", [theirs])
    assert merged(database, tmp_path / "theirs.db") == [theirs]


@pytest.mark.parametrize(("stale", "wins"), [("lookback", True), ("single_block", False)])
def test_each_record_is_judged_by_the_templates_of_its_own_family(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: Callable[..., None], stale: str,
    wins: bool,
) -> None:  # fmt: skip
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join(FAKE_WORKER))
    faults(templates={stale: "c" * 64})
    ours = at(host_record(GOOD, OURS, Effort.normal), 4096)
    theirs = replace(ours, config=Config("single_block", tuple(DEFAULTS["single_block"].items())), run=RUNS[0])
    save(database.path, [ours])
    save(tmp_path / "theirs.db", [theirs])
    assert merged(database, tmp_path / "theirs.db") == [theirs if wins else ours]


def test_file_that_takes_too_long_to_read_is_refused(
    database: Database, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("_FREE_S", 0.0), ("_BYTES_PER_S", 2**60), ("_STEPS_PER_LOOK", 10)):
        monkeypatch.setattr(database_module, name, value)
    with pytest.raises(DatabaseError, match="takes longer than its size explains"):
        import_database(database, source, Precedence())
    assert Archive(database).records() == []


def test_tables_without_keys_are_read_row_by_row(database: Database, tmp_path: Path) -> None:
    """A join by SQLite would try every combination of rows."""
    path = tmp_path / "theirs.db"
    save(path, [BASE])
    with sqlite3.connect(path) as connection:
        for table in ("device", "problem", "run", "record"):
            connection.execute(f"CREATE TABLE copy AS SELECT * FROM {table}")
            connection.execute(f"DROP TABLE {table}")
            connection.execute(f"CREATE TABLE {table} AS SELECT * FROM copy")
            connection.execute("DROP TABLE copy")
            for _ in range(9):
                connection.execute(f"INSERT INTO {table} SELECT * FROM {table}")
    started = time.monotonic()
    assert merged(database, path) == [BASE]
    assert time.monotonic() - started < 5


def test_winners_of_other_devices_stand_side_by_side(database: Database, tmp_path: Path) -> None:
    Archive(database).start(BASE.run, BASE.device).save_record(BASE)
    save(tmp_path / "theirs.db", [replace(BASE, device=DEVICES[1])])
    assert {record.device for record in merged(database, tmp_path / "theirs.db")} == {DEVICES[0], DEVICES[1]}


def with_member(name: str, value: str) -> str:
    """Return the statement that gives a member of all requests a value."""
    return f"UPDATE problem SET request = json_set(request, '$.{name}', {value})"


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE record SET family = 'rm -rf /'", "'rm -rf /' is not a family"),
        ("""UPDATE record SET config = '{"a": "x; y"}'""", "neither an integer nor a token"),
        ("UPDATE record SET config = '{'", "not JSON"),
        ("UPDATE record SET finished_at = '2999-01-01T00:00:00Z'", "in the future"),
        ("UPDATE record SET finished_at = 'yesterday'", "not a time in UTC"),
        ("UPDATE record SET spread = 'x'", "spread is 'x'"),
        ("UPDATE record SET median_us = 1e300", "median_us"),
        ("UPDATE record SET median_us = 1e-300", "median_us: 1e-300 µs are impossible"),
        ("UPDATE record SET default_us = 1e-300", "default_us: 1e-300 µs are impossible"),
        ("UPDATE record SET n = 1 << 50", "n is"),
        ("UPDATE record SET served_above = n, served_up_to = n + 1", "the range .* does not hold the record's own n"),
        ("UPDATE record SET served_up_to = n - 1", "the range .* does not hold the record's own n"),
        ("UPDATE record SET served_above = -1", "no size is in the range above -1 and up to"),
        ("UPDATE record SET served_above = 'some'", "no size is in the range above 'some'"),
        ("UPDATE record SET served_above = 0.5", "no size is in the range above 0.5"),
        ("UPDATE record SET served_up_to = (1 << 40) + 1", "no size is in the range above"),
        ("UPDATE record SET served_up_to = 1 << 62", "no size is in the range above"),
        ("UPDATE record SET probes = ''", "the probes are not JSON"),
        ("UPDATE record SET probes = x'5b5d'", "the probes are not a short text"),
        ("UPDATE record SET probes = '{}'", "the probes are {}"),
        ("UPDATE record SET probes = '[' || replace(hex(zeroblob(32)), '0', '0,') || '0]'", "the probes are"),
        ("UPDATE record SET probes = '[' || hex(zeroblob(5000)) || ']'", "the probes are not a short text"),
        ("UPDATE record SET probes = '[[4096, 1, 1.0]]'", "a probe is"),
        ("UPDATE record SET probes = '[[0, 1, 1.0, 2.0]]'", "a probe is at 0 items"),
        ("UPDATE record SET probes = '[[1099511627777, 1, 1e9, 2e9]]'", "a probe is at 1099511627777 items"),
        ("UPDATE record SET probes = '[[4096, 65, 1.0, 2.0]]'", "a probe is at 4096 items, off by 65"),
        ("UPDATE record SET probes = '[[4096, -1, 1.0, 2.0]]'", "a probe is at 4096 items, off by -1"),
        ("UPDATE record SET probes = '[[4096, true, 1.0, 2.0]]'", "off by True"),
        ("UPDATE record SET probes = '[[4096, 1, 1.0, null]]'", "a probe took None"),
        ("UPDATE record SET probes = '[[4096, 1, NaN, 2.0]]'", "a probe took nan"),
        ("UPDATE record SET probes = '[[4096, 1, 1.0, 1e-300]]'", "a probe: 1e-300 µs are impossible"),
        ("UPDATE device SET arch = 'sm_9000'", "not an architecture"),
        ("UPDATE device SET name = char(27) || '[2J'", "not the name of a device"),
        (with_member("op", "'sum()'"), "op: 'sum\\(\\)' is not a token"),
        (with_member("op", "'sum:mine'"), "only a custom operator has a name"),
        (with_member("op", "'custom_cheap:'"), "'' is not a name for an operator"),
        (
            with_member("op", "'custom_cheap:a b'"),
            "'a b' is not a name for an operator",
        ),
        (
            with_member("op", "'custom_cheap:' || hex(zeroblob(33))"),
            "is not a name for an operator",
        ),
        (with_member("op", "7"), "op: 7 is not a token"),
        ("UPDATE run SET tool_version = hex(zeroblob(500))", "tool_version"),
        ("UPDATE run SET effort = 'heroic'", "heroic"),
        ("UPDATE problem SET request = replace(request, ',', ', ')", "not spelled as tuners spell it"),
    ],
)
def test_row_that_is_not_valid_is_left_out_with_its_reason(
    database: Database, tmp_path: Path, statement: str, words: str
) -> None:
    path = tmp_path / "theirs.db"
    save(path, [BASE])
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement)
    report = import_database(database, path, Precedence())
    assert report.took_nothing
    (reason,) = report.reasons
    assert re.search(words, reason), reason
    assert Archive(database).records() == []


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (with_member("input_type", "'string'"), "'string' is not a value type"),
        (with_member("input_type", "'custom'"), "'custom' is not a value type"),
        (with_member("output_type", "'custom0'"), "'custom0' is not a value type"),
        (with_member("accumulator_type", "'custom100'"), "'custom100' is not a value type"),
        ("UPDATE problem SET request = json_remove(request, '$.output_type')", "the request names no output_type"),
        ("""UPDATE problem SET shape = '{"rows":10}'""", "extents are not those of this scan"),
    ],
)
def test_row_that_is_not_as_the_worker_declares_it_is_left_out(
    database: Database, tmp_path: Path, statement: str, words: str
) -> None:
    path = tmp_path / "theirs.db"
    save(path, [BASE])
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    with Precedence() as precedence:
        report = import_database(database, path, precedence)
    assert report.took_nothing
    assert any(re.search(words, reason) for reason in report.reasons), report.reasons


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE trial SET status = 'splendid'",
        "UPDATE trial SET median_us = NULL WHERE status = 'ok'",
        "UPDATE trial SET median_us = 1e-300 WHERE status = 'ok'",
        "UPDATE trial SET samples = 'many' WHERE status = 'ok'",
        "UPDATE trial SET compile_ms = 'long'",
        "UPDATE trial SET is_default = 7",
        "UPDATE trial SET reason = NULL WHERE status <> 'ok'",
        "UPDATE trial SET template_hash = hex(zeroblob(500)) || id",
    ],
)
def test_trial_that_is_not_valid_is_left_out(database: Database, source: Path, statement: str) -> None:
    with sqlite3.connect(source) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        changed = connection.execute(statement).rowcount
    report = import_database(database, source, Precedence())
    assert report.rejected == changed > 0
    assert report.new_trials == len(RECORDS) * len(TRIALS) - changed
    assert report.new_records == len(RECORDS)


def test_one_bad_row_does_not_keep_the_good_ones_out(database: Database, source: Path) -> None:
    with sqlite3.connect(source) as connection:
        connection.execute("UPDATE record SET config = '{' WHERE n = 1000")
    report = import_database(database, source, Precedence())
    assert (report.new_records, report.rejected, report.took_nothing) == (len(RECORDS) - 1, 1, False)


def test_import_that_fails_half_way_leaves_ours_as_it_was(
    database: Database, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Archive(database).start(BASE.run, BASE.device).save_record(BASE)
    before = list(database._connection.iterdump())
    run: Callable[..., int] = database.run
    calls: list[str] = []

    def fail_late(query: str, parameters: dict[str, object]) -> int:
        calls.append(query)
        if calls.count("add_trial") == 5:
            raise DatabaseError("the disk is full")
        return run(query, parameters)

    monkeypatch.setattr(database, "run", fail_late)
    with pytest.raises(DatabaseError, match="disk is full"):
        import_database(database, source, Precedence())
    assert list(database._connection.iterdump()) == before


def test_damaged_file_is_refused_whole(database: Database, source: Path) -> None:
    content = bytearray(source.read_bytes())
    content[-4096:] = b"\xff" * 4096
    source.write_bytes(content)
    with pytest.raises(DatabaseError, match="damaged"):
        import_database(database, source, Precedence())
    assert Archive(database).records() == []


def test_database_is_not_imported_into_itself(database: Database) -> None:
    Archive(database).start(BASE.run, BASE.device).save_record(BASE)
    with pytest.raises(DatabaseError, match="into itself"):
        import_database(database, database.path, Precedence())


def test_missing_file_is_named(database: Database, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match=r"missing\.db: no such database"):
        import_database(database, tmp_path / "missing.db", Precedence())
