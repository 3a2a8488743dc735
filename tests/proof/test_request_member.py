"""A patch of four files adds a member to the request, and everything takes it in."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
PATCH = Path(__file__).with_name("request_member.patch")
MOST_FILES = 4
PROGRAM = """
#include <cstdio>
#include <scantune/runtime.hpp>
int main() { std::puts(scantune::runtime::describe<int>(256, {.residency = SCANTUNE_HOT}).c_str()); }
"""

pytestmark = pytest.mark.timeout(1200)


def run(*command: str | Path, **environment: str) -> str:
    """Return what the command prints; fail with all of it if the command fails."""
    everything = {**os.environ, **environment}
    result = subprocess.run(command, env=everything, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def cached(name: str) -> str:
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources with the patch, built."""
    tree = tmp_path_factory.mktemp("tree")
    for folder in ("db", "runtime", "templates", "tuner"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "CMakeLists.txt", tree)
    run("git", "-C", tree, "apply", PATCH)
    # A user's build: what this one was told of compilers and places, and no tests.
    told = ("CMAKE_CXX_COMPILER", "CMAKE_PREFIX_PATH", "SCANTUNE_CUDA_INCLUDE_DIR", "SCANTUNE_CCACHE")
    settings = [f"-D{name}={cached(name)}" for name in told if cached(name)]
    run("cmake", "-S", tree, "-B", tree / "build", "-G", "Ninja", "-DSCANTUNE_BUILD_TESTS=OFF",
        "-DSCANTUNE_INSTALL=OFF", *settings)  # fmt: skip
    run("cmake", "--build", tree / "build", "--target", "scantune", "scantune-worker")
    return tree


@pytest.fixture(scope="module")
def environment(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    return {
        "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "SCANTUNE_DB": str(home / "tuning.db"),
        "SCANTUNE_WORKER": str(tree / "build/runtime/scantune-worker"), "PYTHONPATH": str(tree / "tuner"),
        "SCANTUNE_DEVICE": "host", "COLUMNS": "200",
    }  # fmt: skip


@pytest.fixture(scope="module")
def tuned(environment: dict[str, str]) -> None:
    """Tune a scan before the member was there, and one that has it."""
    for option in ([], ["--residency", "hot"]):
        run(sys.executable, "-m", "scantune", "--arch", "host", "--type", "i32", "--n", "2^8", "--budget", "8s",
            *option, **environment)  # fmt: skip


def test_patch_touches_few_files() -> None:
    changed = run("git", "apply", "--numstat", PATCH).splitlines()
    assert 0 < len(changed) <= MOST_FILES, changed


@pytest.mark.slow
def test_records_name_the_member_where_it_departs_from_its_default(tuned: None, environment: dict[str, str]) -> None:
    with closing(sqlite3.connect(environment["SCANTUNE_DB"])) as connection:
        found = [json.loads(request) for (request,) in connection.execute("SELECT request FROM problem ORDER BY id")]
    assert [request.get("residency") for request in found] == [None, "hot"]


@pytest.mark.slow
def test_records_are_selected_by_it(tuned: None, environment: dict[str, str]) -> None:
    explain = (sys.executable, "-m", "scantune", "db", "explain", "--type", "i32", "--n", "2^8", "--device", "host")
    hot = json.loads(run(*explain, "--residency", "hot", "--json", "-", **environment))["results"][0]
    assert (hot["origin"], hot["problem"]["residency"]) == ("exact_n", "hot")
    cold = json.loads(run(*explain, "--json", "-", **environment))["results"][0]
    assert (cold["origin"], "residency" in cold["problem"]) == ("exact_n", False)


@pytest.mark.slow
def test_command_line_shows_it(tuned: None, environment: dict[str, str]) -> None:
    assert "i32 sum hot" in run(sys.executable, "-m", "scantune", "db", "show", **environment)
    described = run(sys.executable, "-m", "scantune", "bench", "--help", **environment)
    assert "--residency cold|hot: cold unless given. hot: the input" in " ".join(described.split())


@pytest.mark.slow
def test_programs_ask_for_it(tuned: None, tree: Path, environment: dict[str, str], tmp_path: Path) -> None:
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(PROGRAM)
    libraries = tree / "build/runtime"
    run(cached("CMAKE_CXX_COMPILER"), "-std=c++20", f"-I{tree}/runtime/include", source, "-o", program,
        f"-L{libraries}", "-lscantune", f"-Wl,-rpath,{libraries}")  # fmt: skip
    described = run(program, **environment)
    assert "i32 inclusive sum, hot residency of 256 items" in described
    assert "origin: exact_n" in described
