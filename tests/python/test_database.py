"""Databases that are good, damaged, foreign, locked, read-only, from the future, or on a full disk."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from examples import CONFIGS, DEVICES, PROBLEMS, RECORDS, RUNS, TRIALS
from scantune.model.trial import Trial
from scantune.store import connection as connection_module
from scantune.store.archive import Archive
from scantune.store.database import Database, DatabaseError, open_database, open_readonly
from scantune.store.schema import SCHEMA_VERSION


def fill(path: Path, count: int = 1) -> None:
    with open_database(path) as database:
        for record in RECORDS:
            Archive(database).start(record.run, record.device).save_record(record)
        session = Archive(database).start(RUNS[0], DEVICES[0])
        for n in range(1, count + 1):
            session.save_trial(PROBLEMS[0], n, TRIALS[0], is_default=False)


def not_sqlite(path: Path) -> None:
    path.write_bytes(b"this is no database " * 500)


def truncated(path: Path) -> None:
    fill(path, 200)
    path.write_bytes(path.read_bytes()[:6000])


def corrupt(path: Path) -> None:
    fill(path, 400)
    content = bytearray(path.read_bytes())
    for start in range(4096, len(content), 4096):  # every page but the first
        content[start : start + 200] = b"\xff" * 200
    path.write_bytes(content)


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmark (url TEXT)")


def from_the_future(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def without_a_table(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE record")


def view_in_place_of_a_table(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE record")
        connection.execute("CREATE VIEW record AS SELECT 1")


def virtual_table_in_place_of_a_table(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE record")
        connection.execute("CREATE VIRTUAL TABLE record USING fts5(n)")


def directory(path: Path) -> None:
    path.mkdir()


BAD_FILES = [
    (not_sqlite, "not an SQLite database"),
    (truncated, "damaged"),
    (corrupt, "damaged"),
    (foreign, "another program's database"),
    (from_the_future, "schema is version 5, and this scantune knows versions up to 4; update scantune"),
    (without_a_table, "no table record"),
    (virtual_table_in_place_of_a_table, "its schema has a virtual table that no tuner creates, 'record'"),
    (view_in_place_of_a_table, "its schema has a view that no tuner creates, 'record'"),
    (directory, "not a regular file"),
]


@pytest.mark.parametrize(("spoil", "words"), BAD_FILES, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("opener", [open_database, open_readonly])
def test_bad_file_is_named_with_what_is_wrong_and_is_left_alone(
    tmp_path: Path, spoil: Callable[[Path], None], words: str, opener: Callable[[Path], Database]
) -> None:
    path = tmp_path / "bad.db"
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(DatabaseError, match=words) as caught, opener(path) as opened:
        Archive(opened).records()
        opened.rows("all_trials")
    assert str(path) in str(caught.value)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_new_database_has_its_identity_and_is_a_wal(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "tuning.db"
    open_database(path).close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] == 0x73636E74
        assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "tuning.db"
    path.touch()
    with open_database(path) as database:
        assert Archive(database).records() == []


def test_two_processes_may_create_it_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "tuning.db"
    program = (
        "from pathlib import Path; from scantune.store.database import open_database; "
        f"open_database(Path({str(path)!r}))"
    )
    racers = [subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) for _ in range(6)]
    endings = [racer.communicate(timeout=40)[1] for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * 6, endings


def test_lock_of_another_process_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "tuning.db"
    with open_database(path) as database:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(0.5, lambda: other.execute("COMMIT")).start()
        started = time.monotonic()
        Archive(database).start(RUNS[0], DEVICES[0]).save_trial(PROBLEMS[0], 1, TRIALS[0], is_default=False)
        assert time.monotonic() - started > 0.3
        other.close()


def test_lock_that_does_not_end_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "BUSY_TIMEOUT_S", 0.2)
    path = tmp_path / "tuning.db"
    with open_database(path) as database:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseError, match="another process has held it"):
            database.check_writable()
        other.close()


def test_full_disk_is_reported_and_what_was_saved_stays(tmp_path: Path) -> None:
    path = tmp_path / "tuning.db"
    fill(path)
    with open_database(path) as database:
        pages = database._connection.execute("PRAGMA page_count").fetchone()[0]
        database._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        session = Archive(database).start(RUNS[0], DEVICES[0])
        with pytest.raises(DatabaseError, match=r"the disk is full; what was saved before is safe"):
            for n in range(2, 10_000):
                session.save_trial(PROBLEMS[0], n, TRIALS[0], is_default=False)
    with open_readonly(path) as database:
        database.check_pages()
        assert len(Archive(database).records()) == len(RECORDS)
        assert len(database.rows("all_trials")) == n - 1


def test_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    with open_database(tmp_path / "tuning.db") as database:
        with pytest.raises(KeyboardInterrupt), database.transaction():
            Archive(database).device_id(DEVICES[0])
            raise KeyboardInterrupt
        assert database.rows("find_device", vars(DEVICES[0])) == []
        Archive(database).start(RUNS[0], DEVICES[0]).save_trial(PROBLEMS[0], 1, TRIALS[0], is_default=False)


def test_value_that_the_schema_forbids_is_not_stored(tmp_path: Path) -> None:
    with open_database(tmp_path / "tuning.db") as database:
        session = Archive(database).start(RUNS[0], DEVICES[0])
        with pytest.raises(DatabaseError, match="CHECK"):
            session.save_trial(PROBLEMS[0], 0, TRIALS[0], is_default=False)


def test_first_of_two_equal_trials_is_kept(tmp_path: Path) -> None:
    with open_database(tmp_path / "tuning.db") as database:
        session = Archive(database).start(RUNS[0], DEVICES[0])
        session.save_trial(PROBLEMS[0], 1, TRIALS[0], is_default=False)
        session.save_trial(PROBLEMS[0], 1, Trial(CONFIGS[0], failure=TRIALS[-1].failure), is_default=False)
        (trial,) = session.trials(PROBLEMS[0], 1)
        assert trial.measurement == TRIALS[0].measurement


def as_nobody(program: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the database module `d`, as a user without rights even if the tests run as root."""
    # Modules are imported first, because that user may not read the folders of the interpreter and the package.
    prepare = (
        "import os; from pathlib import Path; import scantune.store.database as d;"
        "d.sql('refused_schema'), d.sql('all_records'); os.geteuid() == 0 and (os.setgid(65534), os.setuid(65534));"
    )
    return subprocess.run([sys.executable, "-c", prepare + program], capture_output=True, text=True, timeout=40)


def test_read_only_database_can_be_read_but_not_tuned_into() -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own directories are closed to other users
        path = Path(name) / "tuning.db"
        fill(path)
        path.chmod(0o444)
        Path(name).chmod(0o555)
        read = as_nobody(f"print(len(d.open_readonly(Path({str(path)!r})).rows('all_records')))")
        write = as_nobody(f"d.open_database(Path({str(path)!r})).check_writable()")
        Path(name).chmod(0o755)
    assert read.stdout.strip() == str(len(RECORDS)), read.stderr
    assert "it cannot be written" in write.stderr or "cannot be opened" in write.stderr
    assert str(path) in write.stderr
