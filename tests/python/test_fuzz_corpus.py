"""Archives of the fuzz corpus say nothing but what their inputs are: one that is packed again does not differ."""

from __future__ import annotations

import hashlib
import os
import tarfile
from pathlib import Path

import pytest
from fuzz_corpus import pack

ARCHIVES = sorted((Path(__file__).parents[1] / "fuzz" / "corpus").iterdir())


def inputs_of(archive: Path) -> list[tuple[tarfile.TarInfo, bytes]]:
    found = []
    with tarfile.open(archive, "r:") as opened:  # "r:" refuses a compressed one
        for member in opened:
            file = opened.extractfile(member)
            assert file is not None, f"{member.name} is no file"
            found.append((member, file.read()))
    return found


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda archive: archive.name)
def test_archive_is_sorted_without_times_and_holds_each_input_once(archive: Path) -> None:
    inputs = inputs_of(archive)
    assert inputs
    for member, content in inputs:
        assert member.name == f"{archive.stem}/{hashlib.sha1(content).hexdigest()}"
        assert (member.mtime, member.uid, member.gid, member.mode) == (0, 0, 0, 0o644)
        assert (member.uname, member.gname) == ("", "")
    names = [member.name for member, _ in inputs]
    assert names == sorted(set(names))


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda archive: archive.name)
def test_archive_of_the_same_inputs_is_the_same(archive: Path, tmp_path: Path) -> None:
    folder, again = tmp_path / "inputs", tmp_path / archive.name
    folder.mkdir()
    for place, (_, content) in enumerate(reversed(inputs_of(archive))):
        file = folder / str(place)
        file.write_bytes(content)
        os.utime(file, (place, place))
    (folder / "twice").write_bytes(content)
    pack(folder, again)
    assert again.read_bytes() == archive.read_bytes()
