"""A copy of the sources with every patch of this folder, and a user of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / os.environ.get("BUILD", "build")


def run(*command: str | Path, given: str | None = None, **environment: str) -> str:
    """Return what the command prints; fail with all of it if the command fails."""
    everything = {**os.environ, **environment}
    result = subprocess.run(command, env=everything, input=given, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def cached(name: str) -> str:
    """Return the value of a variable in the CMake cache of this tree; "" where it has none."""
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def files_of(patch: str) -> list[str]:
    """Return the files that a patch of this folder changes."""
    changed = run("git", "apply", "--numstat", HERE / patch).splitlines()
    return [line.split("\t")[2] for line in changed]


@dataclass(frozen=True)
class PatchedTree:
    path: Path

    @classmethod
    def at(cls, path: Path) -> PatchedTree:
        """Make the copy at a path, and build worker and library."""
        for folder in ("db", "runtime", "templates", "tuner"):
            shutil.copytree(ROOT / folder, path / folder, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "CMakeLists.txt", path)
        run("git", "-C", path, "apply", *sorted(HERE.glob("*.patch")))
        # The build is a user's: it has the compilers and places of this one, and no tests.
        told = ("CMAKE_CXX_COMPILER", "CMAKE_PREFIX_PATH", "SCANTUNE_CUDA_INCLUDE_DIR", "SCANTUNE_CCACHE")
        settings = [f"-D{name}={cached(name)}" for name in told if cached(name)]
        run("cmake", "-S", path, "-B", path / "build", "-G", "Ninja", "-DSCANTUNE_BUILD_TESTS=OFF",
            "-DSCANTUNE_INSTALL=OFF", *settings)  # fmt: skip
        tree = cls(path)
        tree.build("scantune", "scantune-worker")
        return tree

    def build(self, *targets: str) -> None:
        # Every copy has another path, so ccache must know it by its contents.
        run("cmake", "--build", self.path / "build", "--target", *targets,
            CCACHE_BASEDIR=str(self.path), CCACHE_NOHASHDIR="1")  # fmt: skip


@dataclass(frozen=True)
class User:
    """A user of the host device, with a database of his own."""

    tree: PatchedTree
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.home), "XDG_CACHE_HOME": str(self.home / "cache"), "SCANTUNE_DB": str(self.database),
            "SCANTUNE_WORKER": str(self.worker), "PYTHONPATH": str(self.tree.path / "tuner"),
            "SCANTUNE_DEVICE": "host", "COLUMNS": "200",
        }  # fmt: skip

    @property
    def database(self) -> Path:
        return self.home / "tuning.db"

    @property
    def worker(self) -> Path:
        return self.tree.path / "build/runtime/scantune-worker"

    def scantune(self, *arguments: str) -> str:
        return self.run(sys.executable, "-m", "scantune", *arguments)

    def run(self, *command: str | Path) -> str:
        return run(*command, **self.environment)

    def ask_worker(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the worker's answer, which may be an error."""
        line = json.dumps({"id": 1, "method": method, "params": params}) + "\n"
        answer: dict[str, Any] = json.loads(
            run(self.worker, "--device", "host", given=line, **self.environment)
        )  # fmt: skip
        return answer
