"""Directories of this user's for files that are written and then moved or removed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_DAY_S = 24 * 3600
_MADE = re.compile("[a-z0-9_]{8}")  # what tempfile ends its names with


@contextlib.contextmanager
def private_directory(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """Yield a new directory that nobody else can write to, and remove it afterwards.

    Those of the same prefix that commands left when they were killed a day ago or earlier are removed, too. Raises
    OSError if none can be made.
    """
    parent = parent or Path(tempfile.gettempdir())
    _remove_abandoned(parent, prefix)
    directory = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _remove_abandoned(parent: Path, prefix: str) -> None:
    for directory in parent.glob(prefix + "*"):
        with contextlib.suppress(OSError):
            found = directory.lstat()
            is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and found.st_mode & 0o077 == 0
            is_old = time.time() - found.st_mtime > _DAY_S
            if is_ours and is_old and _MADE.fullmatch(directory.name.removeprefix(prefix)):
                shutil.rmtree(directory, ignore_errors=True)
