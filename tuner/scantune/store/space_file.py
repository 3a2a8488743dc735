"""Files of recorded spaces: JSON, compressed where the name ends in .gz."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

from scantune.errors import ScantuneError
from scantune.input_files import opened
from scantune.model.recorded_space import RecordedSpace
from scantune.store.replacement import replacement

_GZIP = ".gz"
_MAX_BYTES = 256 * 2**20
_BEGINS_OF_VALUES = (b",", b"[", b"{")
_MOST_VALUES = 8_000_000  # a value takes some 60 bytes of memory and one space at most 300,000 of them


def write_space(space: RecordedSpace, target: Path) -> None:
    """Write the file whole or not at all, in place of one that is there. Raises ScantuneError."""
    content = (json.dumps(space.message(), separators=(",", ":"), allow_nan=False) + "\n").encode()
    if target.name.endswith(_GZIP):
        content = gzip.compress(content, mtime=0)  # without a time, so that the same content makes the same file
    with replacement(target, overwrite=True) as written:
        written.write_bytes(content)


def read_space(file: Path) -> RecordedSpace:
    """Read a file of either form. Raises ScantuneError if it cannot be read, or is not a recorded space."""
    try:
        with opened(file) as plain, gzip.open(plain) if file.name.endswith(_GZIP) else plain as stream:
            content = stream.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise ScantuneError(f"{file}: larger than {_MAX_BYTES >> 20} MiB, too large for a recorded space")
        if sum(map(content.count, _BEGINS_OF_VALUES)) > _MOST_VALUES:
            raise ScantuneError(f"{file}: more than {_MOST_VALUES:,} values, too many for a recorded space")
        return RecordedSpace.from_message(json.loads(content))
    except (OSError, EOFError, zlib.error) as error:
        raise ScantuneError(f"{file}: it cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ScantuneError(f"{file}: {error}") from None
