"""The files of the project as text, real or imagined, for rules that are checked against both."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CPP_SUFFIXES = (".h", ".hpp", ".cpp", ".cu", ".cuh")

Tree = Mapping[str, str]
"""Text by path relative to the project, with forward slashes."""


def project() -> dict[str, str]:
    """Return every file that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = [path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file()]
    return {path: (ROOT / path).read_text(encoding="utf-8", errors="replace") for path in paths}


def under(tree: Tree, *folders: str, suffixes: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield the files of some folders, of some suffixes if any are given."""
    for path, text in sorted(tree.items()):
        if path.startswith(tuple(f"{folder}/" for folder in folders)) and (not suffixes or path.endswith(suffixes)):
            yield path, text
