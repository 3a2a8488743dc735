"""Files of recorded spaces: JSON, compressed where the name ends in .gz."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path

from scantune.errors import ScantuneError
from scantune.model.recorded_space import RecordedSpace

_GZIP = ".gz"
_MAX_BYTES = 256 * 2**20


def write_space(space: RecordedSpace, target: Path) -> None:
    """Write the file whole or not at all, in place of one that is there. Raises ScantuneError."""
    content = (json.dumps(space.message(), separators=(",", ":"), allow_nan=False) + "\n").encode()
    if target.name.endswith(_GZIP):
        content = gzip.compress(content, mtime=0)  # without a time, so that the same content makes the same file
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    except OSError as error:
        raise ScantuneError(f"{target}: it cannot be written: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


def read_space(file: Path) -> RecordedSpace:
    """Read a file of either form. Raises ScantuneError if it cannot be read, or is no recorded space."""
    try:
        with gzip.open(file) if file.name.endswith(_GZIP) else file.open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise ScantuneError(f"{file}: it holds more than {_MAX_BYTES >> 20} MiB, which no recorded space does")
        return RecordedSpace.from_message(json.loads(content))
    except (OSError, EOFError, zlib.error) as error:
        raise ScantuneError(f"{file}: it cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ScantuneError(f"{file}: {error}") from None
