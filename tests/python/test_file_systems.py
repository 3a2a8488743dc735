"""Databases on network file systems, and on those whose locks fail or do not exclude, which a library simulates."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from examples import RECORDS
from scantune.paths import checkout
from scantune.store import database as database_module
from scantune.store import file_system
from scantune.store.archive import Archive
from scantune.store.database import open_database, open_readonly
from test_database import fill

# SQLite calls the C library's fcntl() for every lock, and Python too.
LOCKS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

static int locked(int file, int command, void* argument) {
  int is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK;
  if (is_lock && FAILURE) { errno = FAILURE; return -1; }
  if (is_lock) return 0;
  int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
  return real(file, command, argument);
}
#define REPLACE(name) int name(int file, int command, ...) { \
  va_list rest; va_start(rest, command); void* argument = va_arg(rest, void*); va_end(rest); \
  return locked(file, command, argument); }
REPLACE(fcntl)
REPLACE(fcntl64)
"""

# What /proc/self/mountinfo calls each number of statfs(); those of FUSE all begin alike.
NAMES = {
    0x6969: {"nfs", "nfs4"}, 0x517B: {"smbfs"}, 0xFE534D42: {"smb3"}, 0xFF534D42: {"cifs"}, 0x65735546: set(),
    0x01021997: {"9p"}, 0x564C: {"ncpfs"}, 0x00C36400: {"ceph"}, 0x0BD00BD0: {"lustre"}, 0x47504653: {"gpfs"},
    0x19830326: {"beegfs"}, 0xAAD7AAEA: {"panfs"}, 0x20030528: {"orangefs"}, 0x5346414F: {"afs"}, 0x6B414653: {"afs"},
    0x7461636F: {"ocfs2"}, 0x01161970: {"gfs2"}, 0x786F4256: {"vboxsf"},
}  # fmt: skip


def test_library_and_tuner_know_the_same_file_systems_of_networks() -> None:
    source = (checkout() / "runtime/support/file_system.cpp").read_text()
    listed = re.findall(r"^ +(0x[0-9A-Fa-f]+),", source, re.MULTILINE)
    assert sorted(int(number, 16) for number in listed) == sorted(NAMES)
    assert set().union(*NAMES.values()) == file_system._OF_NETWORKS


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(tmp_path_factory.mktemp("failing"), "ENOLCK")


@pytest.fixture(scope="module")
def lying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(tmp_path_factory.mktemp("lying"), "0")


def _built(directory: Path, failure: str) -> Path:
    source, library = directory / "locks.c", directory / "locks.so"
    source.write_text(LOCKS)
    subprocess.run(
        ["cc", "-shared", "-fPIC", f"-DFAILURE={failure}", "-o", library, source, "-ldl"], check=True, timeout=60
    )
    return library


ON_NETWORK = "d.network_file_system = lambda path: 'nfs4'; "


def run_with(library: Path, program: str) -> str:
    """Run Python on the database module `d` with such locks; return what it prints, or what it raised."""
    prepare = "from pathlib import Path; import scantune.store.database as d; "
    done = subprocess.run(
        [sys.executable, "-c", prepare + program],
        env={**os.environ, "LD_PRELOAD": str(library)}, capture_output=True, text=True, timeout=20,
    )  # fmt: skip
    return done.stdout + done.stderr


def on_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "network_file_system", lambda path: "nfs4")


def journal_of(path: Path) -> str:
    with open_database(path) as database:
        return str(database._connection.execute("PRAGMA journal_mode").fetchone()[0])


MOUNTS = """\
22 1 254:0 / / rw - ext4 /dev/vda rw
30 22 0:30 / /net rw - nfs4 server:/net rw,vers=4.2
31 30 0:31 / /net/alice/my\\040disk rw - xfs /dev/vdb rw
32 22 0:32 / /mnt/host rw - fuse.sshfs host: rw
33 22 0:33 / /over rw - tmpfs tmpfs rw
34 22 0:34 / /over rw - cifs //server/over rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/tuning.db", None),
        ("/net/alice/tuning.db", "nfs4"),
        ("/network/tuning.db", None),
        ("/net/alice/my disk/tuning.db", None),
        ("/mnt/host/deep/down/tuning.db", "fuse.sshfs"),
        ("/over/tuning.db", "cifs"),
    ],
)
def test_file_system_is_that_of_the_nearest_mount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, kind: str | None
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    monkeypatch.setattr(file_system, "_MOUNTS", mounts)
    assert file_system.network_file_system(Path(path)) == kind


def test_locks_of_this_machine_work_and_leave_nothing_behind(tmp_path: Path) -> None:
    assert file_system.broken_locks(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    assert file_system.broken_locks(tmp_path / "absent") is None


def test_tuner_refuses_a_file_that_cannot_be_locked_at_once(tmp_path: Path, failing: Path) -> None:
    started = time.monotonic()
    said = run_with(failing, f"d.open_database(Path({str(tmp_path / 'tuning.db')!r}))")
    assert "tuning.db: its file system cannot lock files (No locks available)" in said
    assert "on a local disk" in said
    assert time.monotonic() - started < 10
    assert list(tmp_path.iterdir()) == []


def test_tuner_refuses_a_file_whose_lock_two_get_at_a_time(tmp_path: Path, lying: Path) -> None:
    said = run_with(lying, f"d.open_database(Path({str(tmp_path / 'tuning.db')!r}))")
    assert "tuning.db: its file system grants a lock to two processes at a time" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["failing", "lying"])
def test_database_that_nobody_changes_is_read_without_locks(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "tuning.db"
    fill(path)
    program = f"{ON_NETWORK}print(len(d.open_readonly(Path({str(path)!r})).rows('all_records')))"
    assert run_with(request.getfixturevalue(kind), program).strip() == str(len(RECORDS))
    assert list(tmp_path.iterdir()) == [path]


def test_database_that_is_being_changed_is_not_read_without_locks(tmp_path: Path, failing: Path) -> None:
    path = tmp_path / "tuning.db"
    fill(path)
    with open_database(path) as database:
        database._connection.execute("PRAGMA wal_autocheckpoint = 0")
        database.check_writable()
        said = run_with(failing, f"{ON_NETWORK}d.open_readonly(Path({str(path)!r}))")
    assert "cannot lock files (No locks available), and a tuner is changing it" in said


def test_database_on_a_network_keeps_a_journal_and_one_that_comes_there_loses_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tuning.db"
    fill(path)
    assert journal_of(path) == "wal"
    with monkeypatch.context() as patch:
        on_network(patch)
        assert journal_of(path) == "delete"
        assert journal_of(tmp_path / "new.db") == "delete"
        with open_readonly(path) as database:
            assert len(Archive(database).records()) == len(RECORDS)
    assert journal_of(path) == "wal"


def test_reader_on_a_network_makes_no_file_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tuning.db"
    fill(path)
    on_network(monkeypatch)
    with open_readonly(path) as database:
        assert len(Archive(database).records()) == len(RECORDS)
        assert list(tmp_path.iterdir()) == [path]
