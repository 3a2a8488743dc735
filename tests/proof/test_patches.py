"""The patches fit this tree, and what they change compiles. `-m campaign` builds all and uses it."""

from __future__ import annotations

import functools
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from patched_tree import BUILD, HERE, ROOT, files_of, run

PATCHES = sorted(HERE.glob("*.patch"))
# What a source that a patch adds is compiled like.
BESIDE = "runtime/measure/references/references.cpp"


@functools.cache
def commands_of_tree() -> dict[str, tuple[str, str]]:
    """Return the command and its folder for each source of the library, compiled by itself."""
    # The ordinary build compiles several sources together.
    settings = ("-DSCANTUNE_UNITY_BUILD=OFF", "-DSCANTUNE_BUILD_TESTS=OFF", "-DCMAKE_CXX_COMPILER=" + compiler())
    run("cmake", "-S", ROOT, "-B", BUILD / "proof", "-G", "Ninja", *settings)
    listed = json.loads((BUILD / "proof" / "compile_commands.json").read_text())
    return {entry["file"]: (entry["command"], entry["directory"]) for entry in listed}


def compiler() -> str:
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    assert found
    return found[1]


def complaints(copy: Path, source: str) -> str:
    """Return what the compiler says of a source of the copy, which it reads as the build of this tree would."""
    commands = commands_of_tree()
    known = source if str(ROOT / source) in commands else BESIDE
    command, folder = commands[str(ROOT / known)]
    command = re.sub(rf"{re.escape(str(ROOT))}/(runtime|templates)\b", rf"{copy}/\1", command)
    command = re.sub(r" -o \S+ -c \S+", "", command[command.index(" -") :])
    words = [*shlex.split(command), "-O0", "-fsyntax-only", str(copy / source)]
    ended = subprocess.run([compiler(), *words], cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0 or ended.stderr
    return ended.stderr


SOURCES = [file for patch in PATCHES for file in files_of(patch.name) if file.endswith(".cpp")]


@pytest.mark.parametrize("source", SOURCES)
def test_patched_source_compiles(sources: Path, source: str) -> None:
    assert complaints(sources, source) == ""


def test_mistake_in_a_patched_header_is_noticed(sources: Path) -> None:
    header = sources / "templates/row_sums/config/row_sums.h"
    right = header.read_text()
    header.write_text(right.replace("unsupported_reason", "unsupported_reasons", 1))
    try:
        assert "unsupported_reason" in complaints(sources, "runtime/measure/references/row_sums.cpp")
    finally:
        header.write_text(right)
