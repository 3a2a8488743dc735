"""Files that a command is given to read: none makes it wait, and none of them fills the memory.

Whoever sends files may send a FIFO, a device or a sparse file in the place of one.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def opened(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises OSError for whatever else is there."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def content_of(path: Path, most_bytes: int) -> bytes | None:
    """Return the content of a regular file, None if it holds more than that many bytes. Raises OSError."""
    with opened(path) as file:
        content = file.read(most_bytes + 1)
    return content if len(content) <= most_bytes else None
