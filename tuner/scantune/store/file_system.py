"""The file system of a database: whether other machines write to it, and whether its locks exclude them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import struct
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

# The names of file systems in /proc/self/mountinfo. The library knows them by number: runtime/support/file_system.cpp.
_OF_NETWORKS = {
    "9p", "afs", "beegfs", "ceph", "cifs", "gfs2", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs",
    "panfs", "smb3", "smbfs", "vboxsf",
}  # fmt: skip
_FUSE = "fuse"  # sshfs and many cluster file systems are of this type
_MOUNTS = Path("/proc/self/mountinfo")
_PREFIX = ".scantune-lock-"
_DAY_S = 24 * 3600


def network_file_system(path: Path) -> str | None:
    """Return the kind of network file system that holds the file, or would hold it; None for a local one."""
    found = _type_of(path)
    return found if found in _OF_NETWORKS or found.partition(".")[0] == _FUSE else None


def broken_locks(directory: Path) -> str | None:
    """Return what is wrong with the locks of files in a directory; None if nothing is, or if that cannot be told.

    Locks that hold on one machine and not between two cannot be told from those that do.
    """
    try:
        with _two_openings(directory) as (first, second):
            try:
                # SQLite locks files in the same way.
                fcntl.lockf(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                return f"its file system cannot lock files ({error.strerror})"
            return "its file system grants a lock to two processes at a time" if _is_granted(second) else None
    except OSError:
        return None  # no file can be made there, which opening the database will report


def _is_granted(file: int) -> bool:
    """Return whether another opening of the file gets a lock that conflicts with that of this process."""
    whole_file = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, whole_file)
    except OSError:
        return False  # the lock was refused, or the system has no such locks and cannot tell
    return True


def remove_trial_files(directory: Path) -> None:
    """Remove the files of lock trials that commands of this user left when they were killed a day or more ago."""
    for file in directory.glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):
            found = file.lstat()
            if found.st_uid == os.geteuid() and time.time() - found.st_mtime > _DAY_S:
                file.unlink()


@contextlib.contextmanager
def _two_openings(directory: Path) -> Iterator[tuple[int, int]]:
    """Yield two descriptors of a temporary file.

    It is not the database, because closing one descriptor of a file gives up all locks of the process on it.
    """
    remove_trial_files(directory)
    first, name = tempfile.mkstemp(prefix=_PREFIX, dir=directory)
    try:
        try:
            second = os.open(name, os.O_RDWR)
        finally:
            Path(name).unlink()
        try:
            yield first, second
        finally:
            os.close(second)
    finally:
        os.close(first)


def _type_of(path: Path) -> str:
    """Return the type of the file system that is mounted nearest above the path; "" where the system does not tell."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    real, nearest, kind = path.resolve(), -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        mount = Path(_unescaped(before.split()[4]))
        # The later one of two at one place hides the other.
        if real.is_relative_to(mount) and len(mount.parts) >= nearest:
            nearest, kind = len(mount.parts), after.split()[0]
    return kind


def _unescaped(text: str) -> str:
    """Return a path of mountinfo as it is named; blanks and the like are written there as octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
