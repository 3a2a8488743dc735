"""The file that takes the place of another once it is whole."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from scantune.store.connection import DatabaseError, content_beside
from scantune.store.private_directory import private_directory

_PREFIX = ".scantune-export-"


@contextlib.contextmanager
def replacement(target: Path, overwrite: bool) -> Iterator[Path]:
    """Yield a file to write, which then replaces the target, so that nobody reads half of it.

    Raises DatabaseError if the target exists and is not a regular file, or cannot be written.
    """
    place = place_to_replace(target, overwrite)
    with contextlib.ExitStack() as stack:
        try:
            directory = stack.enter_context(private_directory(_PREFIX, place.parent))
        except OSError as error:
            raise DatabaseError(f"{target}: its directory cannot be written: {error.strerror}") from None
        written = directory / "export"
        try:
            yield written
            with written.open("rb") as file:
                os.fsync(file.fileno())
            written.replace(place)
        except OSError as error:
            raise DatabaseError(f"{target}: it cannot be written: {error.strerror}") from None


def place_to_replace(target: Path, overwrite: bool) -> Path:
    """Return the path to replace or make, which is what a link leads to; raise if it is there and no plain file."""
    try:
        found = target.lstat()
    except FileNotFoundError:
        return target.absolute()
    except OSError as error:
        raise DatabaseError(f"{target}: it cannot be written: {error.strerror}; choose another name") from None
    if not target.is_file():
        raise DatabaseError(
            f"{target}: it is {_kind(found.st_mode)}, and only a regular file can be replaced; choose another name"
        )
    if not overwrite:
        raise DatabaseError(f"{target}: it exists already; choose another name, or pass --force to replace it")
    if beside := content_beside(target):
        raise DatabaseError(
            f"{target}: {target.name}{beside[0]} beside it has changes of a program that uses it, which "
            "would be applied to the new file; end that program, or choose another name"
        )
    return target.resolve()


def _kind(mode: int) -> str:
    kinds = {
        stat.S_IFDIR: "a directory",
        stat.S_IFLNK: "a link to no regular file",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFSOCK: "a socket",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")
