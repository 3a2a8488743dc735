"""Every header that users or both compilers read compiles alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tree import ROOT

FOLDERS = ("runtime/include/scantune", "templates/config")
HEADERS = sorted(
    str(path.relative_to(ROOT))
    for folder in FOLDERS
    for path in (ROOT / folder).iterdir()
    if path.suffix in (".h", ".hpp")
)
FLAGS = [
    "-std=c++20",
    "-fsyntax-only",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Werror",
    "-Iruntime/include",
    "-Itemplates",
]


def compile_alone(header: Path, scratch: Path) -> str:
    """Return what the compiler says against a file that includes the header twice and nothing else."""
    source = scratch / "alone.cpp"
    source.write_text(f'#include "{header}"\n#include "{header}"\n')
    compiler = os.environ.get("CXX", "g++")
    return subprocess.run([compiler, *FLAGS, str(source)], cwd=ROOT, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize("header", HEADERS)
def test_header_compiles_alone(header: str, tmp_path: Path) -> None:
    assert compile_alone(ROOT / header, tmp_path) == ""


def test_a_header_that_leans_on_others_is_noticed(tmp_path: Path) -> None:
    leaning = tmp_path / "leaning.h"
    leaning.write_text("#pragma once\ninline std::string name() { return {}; }\n")
    assert "std" in compile_alone(leaning, tmp_path)
