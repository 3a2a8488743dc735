"""Packs the inputs of a fuzz target into its archive in tests/fuzz/corpus.

fuzz_corpus.py FOLDER ARCHIVE

The same inputs make the same archive: sorted, uncompressed, without the times, owners and modes of the files. An input
is named by its content, as libFuzzer names it, in a folder named as the archive is.
"""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path


def archive_of(target: str, inputs: Iterable[bytes]) -> bytes:
    """Return the archive of a target's inputs, each of them once."""
    named = {hashlib.sha1(content).hexdigest(): content for content in inputs}
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(named.items()):
            member = tarfile.TarInfo(f"{target}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


def pack(folder: Path, archive: Path) -> None:
    archive.write_bytes(archive_of(archive.stem, (file.read_bytes() for file in folder.iterdir())))


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]))
