"""Files that were made to keep a reader busy, to fill its memory, to run something, or that were left half-written."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from command import scantune_here
from conftest import FAKE_WORKER
from examples import DEVICES, RECORDS, TRIALS
from scantune.cli import doctor
from scantune.compare.exchange import import_database
from scantune.compare.precedence import Precedence
from scantune.errors import ScantuneError
from scantune.store.archive import Archive
from scantune.store.budget import Budget
from scantune.store.contents import Contents
from scantune.store.database import Database, DatabaseError, open_database, open_readonly
from scantune.store.export import export_database
from scantune.store.space_file import read_space

COMMANDS = {
    "show": ("db", "show", "--db", "{file}"),
    "import": ("db", "import", "{file}", "--db", "{ours}"),
    "diff": ("db", "diff", "{file}", "{file}"),
    "merge": ("db", "merge", "{file}", "-o", "{ours}"),
    "tune": ("tune", "--arch", "host", "--type", "i32", "--n", "2^6", "--workers", "1", "--db", "{file}"),
}


@pytest.fixture(autouse=True)
def fake_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join(FAKE_WORKER))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a database with winners of three devices and a trial, in one file."""
    path = tmp_path / "file.db"
    with open_database(path) as database:
        for record in RECORDS:
            Archive(database).start(record.run, record.device).save_record(record)
        Archive(database).start(RECORDS[0].run, DEVICES[0]).save_trial(RECORDS[0].problem, 4, TRIALS[0], False)
    return path


def changed(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


TEN_SECONDS = """(instr(replace(hex(zeroblob(500000)), '0', substr(arch, 2, 1)),
                        replace(hex(zeroblob(250000)), '0', substr(arch, 2, 1)) || 'b'))"""
QUOTED = TEN_SECONDS.replace("'", "''")
FOR_EVER = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 'a', 'b' || x, 1 FROM c WHERE x < 0"
SCHEMAS = {
    "functions in a generated column": f"""
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = 'CREATE TABLE device (id INTEGER PRIMARY KEY, arch TEXT, sm_count INTEGER, '
                                       || 'name TEXT AS {QUOTED}, UNIQUE (arch, name, sm_count))'
        WHERE name = 'device'""",
    "generated column": """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = replace(sql, 'name     TEXT NOT NULL', 'name     TEXT AS (arch || arch)')
        WHERE name = 'device'""",
    "trigger": f"""
        CREATE TRIGGER t AFTER INSERT ON trial
        BEGIN INSERT INTO device (arch, name, sm_count) {FOR_EVER}; END""",
    "view": f"DROP TABLE device; CREATE VIEW device AS SELECT 1 AS id, * FROM ({FOR_EVER})",
    "virtual table": "CREATE VIRTUAL TABLE t USING fts5(n)",
    "functions in an index": "CREATE INDEX i ON device (lower(name))",
    "index": "CREATE INDEX i ON device (name || arch)",
    "constraint of table": """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = replace(sql, 'CHECK (median_us > 0)', 'CHECK (instr(config, reason) = 0)')
        WHERE name = 'trial'""",
    "functions in what SQLite reads itself": f"""
        CREATE INDEX i ON device (arch);
        ANALYZE;
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = 'CREATE TABLE sqlite_stat1 (arch, idx, s, stat AS {QUOTED})'
        WHERE name = 'sqlite_stat1'""",
}


@pytest.mark.parametrize("what", SCHEMAS)
def test_schema_that_could_run_something_is_refused_before_anything_runs(
    file: Path, database: Database, what: str
) -> None:
    changed(file, SCHEMAS[what])
    before = file.read_bytes()
    openers: tuple[Callable[[], object], ...] = (
        lambda: open_readonly(file), lambda: open_database(file), lambda: import_database(database, file, Precedence()),
    )  # fmt: skip
    for opener in openers:
        started = time.process_time()
        with pytest.raises(DatabaseError, match=rf"its schema .*{what.split(' in ')[0]}.*use another file"):
            opener()
        assert time.process_time() - started < 0.5
    assert file.read_bytes() == before


def many_records(path: Path, count: int) -> None:
    changed(
        path,
        f"""
        WITH RECURSIVE k (v) AS (SELECT 5000 UNION ALL SELECT v + 1 FROM k LIMIT {count})
        INSERT INTO record SELECT device_id, problem_id, v, family, config, run_id, median_us, spread, default_us,
                                  ceiling_us, finished_at, v - 1, v, probes FROM record, k WHERE n = 1000""",
    )


def one_long_name(path: Path) -> None:
    many_records(path, 5000)
    changed(path, "UPDATE device SET name = hex(zeroblob(500000))")


def costly_function(path: Path) -> None:
    changed(path, SCHEMAS["functions in a generated column"])


def endless_trigger(path: Path) -> None:
    changed(path, SCHEMAS["trigger"])


def one_huge_value(path: Path) -> None:
    program = (
        f"import sqlite3; c = sqlite3.connect({str(path)!r}); c.execute('PRAGMA journal_mode = DELETE');"
        "c.execute('UPDATE run SET policy = CAST(zeroblob(120000000) AS TEXT) WHERE id = 1'); c.commit()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)  # SQLite may not hold it in this process


@pytest.mark.parametrize("spoil", [one_long_name, one_huge_value, costly_function, endless_trigger])
def test_every_command_refuses_a_hostile_file_soon_and_in_little_memory(
    file: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(file)
    for command in COMMANDS.values():
        arguments = [part.format(file=file, ours=tmp_path / "ours.db") for part in command]
        started_s, held_kib = time.process_time(), resident_kib()
        code, message = scantune_here(*arguments)
        assert (code, "use another file" in message) == (1, True), (arguments, message)
        assert time.process_time() - started_s < 3, arguments
        assert most_resident_kib() - held_kib < 100 * 1024, arguments


def resident_kib() -> int:
    """Return what this process holds, and let the most that it held begin anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status_kib("VmRSS")


def most_resident_kib() -> int:
    return _status_kib("VmHWM")


def _status_kib(name: str) -> int:
    (found,) = re.findall(rf"^{name}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found)


def test_text_that_many_rows_refer_to_is_read_once(file: Path) -> None:
    changed(file, "UPDATE device SET name = 'x' || hex(zeroblob(30000))")
    many_records(file, 3000)
    with open_readonly(file) as database:
        contents = Contents(database)
        assert contents._budget.text > 60 * 2**20
        assert contents.records() == []  # the name is not one
        assert contents._budget.text > 50 * 2**20


@pytest.mark.parametrize("budget", [Budget(rows=5), Budget(text=100)], ids=["rows", "text"])
def test_file_with_more_than_a_tuner_writes_is_refused(
    file: Path, budget: Budget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scantune.store.contents.Budget", lambda: replace(budget))
    with open_readonly(file) as database, pytest.raises(DatabaseError, match="larger than any tuner writes"):
        Archive(database).records()


def test_value_longer_than_a_tuner_writes_is_refused(file: Path) -> None:
    changed(file, "UPDATE run SET policy = hex(zeroblob(40000))")
    with open_readonly(file) as database, pytest.raises(DatabaseError, match="longer than any that a tuner writes"):
        Archive(database).records()


NOT_UTF8 = "CAST(x'7bff7d' AS TEXT)"


def test_text_that_is_not_utf8_costs_its_row_only(file: Path, tmp_path: Path, database: Database) -> None:
    changed(file, f"UPDATE record SET config = {NOT_UTF8} WHERE n = 1000")
    with open_readonly(file) as damaged:
        others = Archive(damaged).records()
    assert {record.n for record in others} == {record.n for record in RECORDS} - {1000}
    report = import_database(database, file, Precedence())
    assert (report.rejected, report.new_records) == (1, len(RECORDS) - 1)
    assert "config" in report.reasons[0]
    with open_database(file) as damaged:
        Archive(damaged).start(RECORDS[2].run, RECORDS[2].device).save_record(RECORDS[2])
        assert len(Archive(damaged).records()) == len(RECORDS)


def test_row_that_refers_to_text_that_is_not_utf8_is_left_out(file: Path, database: Database) -> None:
    changed(file, f"UPDATE device SET name = {NOT_UTF8} WHERE arch = 'host'; UPDATE record SET run_id = 77 WHERE n = 1")
    report = import_database(database, file, Precedence())
    assert (report.rejected, report.new_records) == (2, len(RECORDS) - 2)
    assert re.search("name of a device", "".join(report.reasons))
    assert "records: there is no run 77" in report.reasons


def interrupted(path: Path, file: Path) -> int:
    """Write what a writer leaves that is killed within a transaction, half of which is in the file; return its rows."""
    with open_readonly(file) as database:
        export_database(database, path.with_name("whole.db"))
    many_records(path.with_name("whole.db"), 1500)
    with closing(sqlite3.connect(path.with_name("whole.db"), isolation_level=None)) as writer:
        count = int(writer.execute("SELECT count(*) FROM record").fetchone()[0])
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN")
        writer.execute("DELETE FROM record WHERE n >= 5000")
        shutil.copy(path.with_name("whole.db"), path)
        shutil.copy(path.with_name("whole.db-journal"), path.with_name(f"{path.name}-journal"))
    return count


def test_reader_names_a_file_that_was_interrupted_and_a_writer_repairs_it(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    count = interrupted(path, file)
    before = path.read_bytes()
    with pytest.raises(DatabaseError, match=r"killed.db: an interrupted write left it incomplete:"):
        open_readonly(path)
    assert path.read_bytes() == before
    with open_database(path) as database:
        assert len(Archive(database).records()) == count
    with open_readonly(path) as database:
        database.check_pages()
        assert len(Archive(database).records()) == count


# SQLite deletes the file that the end of a journal names, once it has rolled back.
def test_journal_that_names_another_file_is_not_rolled_back(file: Path, tmp_path: Path) -> None:
    path, theirs = tmp_path / "killed.db", tmp_path / "precious.txt"
    theirs.write_text("thesis")
    interrupted(path, file)
    journal = path.with_name("killed.db-journal")
    name = str(theirs).encode()
    page_bytes = int.from_bytes(journal.read_bytes()[24:28], "big")
    with journal.open("ab") as end:
        end.write((0x40000000 // page_bytes + 1).to_bytes(4, "big") + name + len(name).to_bytes(4, "big"))
        end.write(sum(name).to_bytes(4, "big") + bytes.fromhex("d9d505f920a163d7"))
    for command in (*COMMANDS.values(), ("doctor", "--db", "{file}"), ("db", "vacuum", "--db", "{file}")):
        code, message = scantune_here(*(part.format(file=path, ours=tmp_path / "ours.db") for part in command))
        assert (code, "names another file" in message) == (1, True), (command, message)
        assert "doctor" not in message
    assert theirs.read_text() == "thesis"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_journal_of_somebody_else_is_not_rolled_back(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    interrupted(path, file)
    os.chown(path.with_name("killed.db-journal"), 4321, -1)
    with pytest.raises(DatabaseError, match="belongs to user 4321"):
        open_database(path)


def test_doctor_repairs_a_file_that_was_interrupted(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    count = interrupted(path, file)
    assert doctor._database(path).text == f"{path}, {count} records"
    open_readonly(path).close()


def test_exported_file_keeps_a_log_once_a_tuner_writes_to_it(file: Path, tmp_path: Path) -> None:
    with open_readonly(file) as database:
        export_database(database, tmp_path / "export.db")
    with open_database(tmp_path / "export.db") as database:
        assert database._connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert len(Archive(database).records()) == len(RECORDS)


@pytest.mark.parametrize("suffix", ["", "-journal", "-wal", "-shm"])
@pytest.mark.parametrize("kind", ["FIFO", "link", "directory"])
def test_file_or_side_file_that_is_not_regular_is_refused_before_it_is_opened(
    file: Path, suffix: str, kind: str
) -> None:
    planted = file.with_name(file.name + suffix)
    planted.unlink(missing_ok=True)
    make = {"FIFO": os.mkfifo, "link": lambda path: path.symlink_to("/dev/zero"), "directory": Path.mkdir}
    make[kind](planted)
    other_end = os.open(planted, os.O_RDWR) if kind == "FIFO" else None  # without it, opening would wait for ever
    for opener in (open_readonly, open_database):
        with pytest.raises(DatabaseError, match=f"{file}: .*not a regular file"):
            opener(file)
    if other_end is not None:
        os.close(other_end)


def test_name_of_300_letters_is_an_error_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    for opener in (open_readonly, open_database):
        with pytest.raises(DatabaseError, match="File name too long"):
            opener(path)


@pytest.mark.parametrize("way", ["owner", "mode"])
def test_file_that_others_may_have_written_is_checked_whole_before_it_is_read(
    file: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    checked: list[Path] = []
    monkeypatch.setattr(Database, "check_pages", lambda database: checked.append(database.path))
    file.chmod(0o600)
    for opener in (open_readonly, open_database):
        opener(file).close()
    assert checked == []
    if way == "owner":
        monkeypatch.setattr("os.geteuid", lambda: file.stat().st_uid + 1)
    else:
        file.chmod(0o660)
    for opener in (open_readonly, open_database):
        opener(file).close()
    assert checked == [file, file]


@pytest.mark.parametrize("opener", [open_readonly, open_database])
def test_schema_that_sqlite_cannot_quote_in_utf8_is_an_error_like_any_other(
    file: Path, opener: Callable[[Path], Database]
) -> None:
    """Python raised UnicodeDecodeError in place of SQLite's error."""
    changed(
        file,
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET name = CAST(x'81' AS TEXT), sql = 'CREATE' "
        "WHERE name = 'record';",
    )
    with pytest.raises(DatabaseError, match=f"{file}: it is damaged, or was forged"):
        opener(file)


def test_schema_of_hundreds_of_tables_is_not_loaded(file: Path) -> None:
    """Loading one whose pages refer to each other would never end."""
    changed(file, "".join(f"CREATE TABLE t{number} (a);" for number in range(1000)))
    with pytest.raises(DatabaseError, match="takes longer than its size explains"):
        open_readonly(file)


def test_what_is_read_is_of_one_moment(file: Path) -> None:
    with open_database(file) as writer, open_readonly(file) as reader:
        reasons: list[str] = []
        contents = Contents(reader, reasons.append)
        with writer.transaction():
            added = replace(RECORDS[0], device=replace(RECORDS[0].device, name="Another"))
            Archive(writer).add_record(added, Archive(writer).run_id(added.run))
        assert (len(contents.records()), reasons) == (len(RECORDS), [])


# The clock was ahead when they were written, and was put right since.
def test_own_records_of_a_time_to_come_are_told_exported_and_forgotten(file: Path, tmp_path: Path) -> None:
    changed(file, "UPDATE record SET finished_at = '2999-01-01T00:00:00Z'")
    with open_readonly(file) as database:
        assert len(Archive(database).records()) == len(RECORDS)
    ahead = replace(RECORDS[0], finished_at="2999-01-01T00:00:00Z")
    assert RECORDS[0].better_than(ahead)
    assert not ahead.better_than(RECORDS[0])
    text = tmp_path / "all.jsonl"
    assert scantune_here("db", "export", str(text), "--db", str(file))[0] == 0
    code, message = scantune_here("db", "import", str(text), "--db", str(tmp_path / "ours.db"))
    assert (code, "is in the future" in message) == (1, True), message
    code, message = scantune_here("db", "forget", "--algorithm", "scan", "--db", str(file))
    assert (code, f"{len(RECORDS)} winners" in message) == (0, True), message


def test_rows_that_are_left_out_are_counted(file: Path, tmp_path: Path) -> None:
    changed(file, f"UPDATE record SET config = {NOT_UTF8} WHERE n = 1000")
    for command in (("db", "show"), ("db", "export", str(tmp_path / "all.jsonl")), ("doctor",)):
        message = scantune_here(*command, "--db", str(file))[1]
        assert re.search("1 row of .* left out as invalid|1 more are not valid", message), (command, message)


# What is named FIFO is one, and in every place where a command reads or replaces a file that may come from others.
WITH_A_FIFO = {
    "signature": ("db", "import", "{file}", "--allowed-signers", "{file}", "--db", "{ours}"),
    "log of a linked database": ("db", "merge", "{link}", "{file}", "-o", "{ours}"),
    "recorded space": ("replay", "{fifo}"),
    "operator": (
        "tune",
        "--operator",
        "{fifo}",
        "--name",
        "own",
        "--type",
        "i32",
        "--n",
        "2^6",
        "--arch",
        "host",
        "--db",
        "{ours}",
    ),
    "allowed signers": ("db", "import", "{signed}", "--allowed-signers", "{fifo}", "--db", "{ours}"),
    "layers": ("db", "sync", "--layers", "{fifo}"),
    "output": ("sweep", "--n", "2^6", "--type", "i32", "--arch", "host", "--budget", "1s", "-o", "{fifo}"),
}


@pytest.mark.parametrize("command", WITH_A_FIFO.values(), ids=WITH_A_FIFO)
def test_fifo_in_the_place_of_a_file_is_refused(file: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    named = {name: tmp_path / name for name in ("fifo", "link", "ours", "signed")}
    shutil.copy(file, named["signed"])
    named["signed"].with_name("signed.sig").touch()
    named["link"].symlink_to(file)
    for fifo in (named["fifo"], file.with_name("file.db.sig"), named["link"].with_name("link-wal")):
        os.mkfifo(fifo)
    with stopped_after(20):
        code, message = scantune_here(*(part.format(file=file, **named) for part in command))
    if "merge" in command:  # where SQLite looks for the log of a link, there is none
        assert code == 0, message
    else:
        assert code != 0
        assert re.search("not a regular file|only a regular file", message), message
    assert named["fifo"].is_fifo()


LONG = {
    "export": ("db", "export", "{long}", "--db", "{file}"),
    "signed export": ("db", "export", "{long}", "--sign", "{long}", "--db", "{file}"),
    "merge": ("db", "merge", "{file}", "-o", "{long}"),
    "verify": ("db", "verify", "{long}"),
    "sweep": ("sweep", "--n", "2^6", "--type", "i32", "--arch", "host", "--budget", "1s", "-o", "{long}"),
    "gallery": ("gallery", "--list", "--json", "{long}"),
    "doctor": ("doctor", "--db", "{long}"),
}


@pytest.mark.parametrize("command", LONG.values(), ids=LONG)
def test_name_that_no_file_system_takes_is_told_in_a_line(file: Path, command: tuple[str, ...]) -> None:
    code, message = scantune_here(*(part.format(file=file, long="a" * 300) for part in command))
    assert code in (1, 2), message
    assert re.search("longer than a file system|File name too long", message), message


@contextmanager
def stopped_after(seconds: int) -> Iterator[None]:
    """Let the test fail that still waits then."""

    def stop(*_: object) -> None:
        pytest.fail(f"it waits after {seconds} s")  # which no handler of errors takes

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_merge_does_not_read_all_of_a_sparse_file(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    shutil.copy(file, other)
    os.truncate(other, 2**40)
    with stopped_after(20):
        assert scantune_here("db", "merge", str(file), str(other), "-o", str(tmp_path / "ours.db"))[0] == 0


def test_space_of_more_values_than_memory_holds_is_refused(tmp_path: Path) -> None:
    space = tmp_path / "space.json"
    space.write_bytes(b"[" + b"[]," * 5_000_000 + b"[]]")
    with pytest.raises(ScantuneError, match="more than 8,000,000 values"):
        read_space(space)
