"""Set-up (.ci/setup): what it installs for whom, on programs that stand in for the system's, and its locks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tree import ROOT

LOCKS = ROOT / ".ci/requirements"

# Writes down how it was called, and leaves what set-up looks for afterwards.
STAND_IN = r"""#!/bin/bash
name=${0##*/}
case "$name $*" in
  python*\ -V*) echo Python 3.11 ;;
  python*\ -c*) ;;
  g++\ --version) echo g++ 12 ;;
  g++\ -dumpversion) echo 12 ;;
  g++\ *) ! grep "$MISSING" ;;  # reads to the end, or who writes would fail
  *)
    echo "$name $*" >>"$CALLS"
    case "$name $*" in
      *\ -m\ venv*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
      *nvrtc.txt*) mkdir -p .venv/lib/python3.11/site-packages/nvidia/cu13/include ;;
      cmake*) mkdir -p "$4" && echo >"$4/build.ninja" ;;
    esac
    ;;
esac
"""
REAL = "bash cat cp cut dirname grep head id mkdir mktemp rm sed sha256sum tail tr"
STOOD_IN_FOR = "c++ clang++ cmake g++ ninja pkg-config python3 ssh-keygen"
USUAL_TOOLKIT = "/usr/local/cuda"
OLDEST_CUDA = 12080


def make_toolkit(folder: Path, version: int = 13000) -> str:
    """Make what set-up looks for in the folder of a toolkit; return the folder."""
    for made in (folder / "include", folder / "lib64"):
        made.mkdir(parents=True)
    (folder / "include/nvrtc.h").touch()
    (folder / "include/cuda.h").write_text(f"#define CUDA_VERSION {version}\n")
    (folder / "lib64/libnvrtc.so").touch()
    return str(folder)


class Clone:
    """What set-up reads of a clone, on a system where nothing is missing and CUDA_HOME names a toolkit."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin, self.calls = folder / "clone", folder / "bin", folder / "calls"
        self.usual_toolkit = folder / "usual-cuda"  # stands for that of this system
        for made in (self.root / ".ci", self.bin):
            made.mkdir(parents=True)
        script = (ROOT / ".ci/setup").read_text()
        assert script.count(USUAL_TOOLKIT) == 1
        (self.root / ".ci/setup").write_text(script.replace(USUAL_TOOLKIT, str(self.usual_toolkit)))
        shutil.copytree(LOCKS, self.root / ".ci/requirements")
        shutil.copy(ROOT / "pyproject.toml", self.root)
        for name in REAL.split():
            found = shutil.which(name)
            assert found, name
            (self.bin / name).symlink_to(found)
        for name in STOOD_IN_FOR.split():
            (self.bin / name).write_text(STAND_IN)
            (self.bin / name).chmod(0o755)
        self.environment = {"PATH": str(self.bin), "CUDA_HOME": make_toolkit(folder / "cuda"), "CALLS": str(self.calls)}

    def set_up(self, *arguments: str, missing: str = "nothing") -> subprocess.CompletedProcess[str]:
        """Run set-up where headers whose names hold the word are missing."""
        self.calls.write_text("")
        return subprocess.run(
            [self.bin / "bash", ".ci/setup", *arguments],
            cwd=self.root, env=self.environment | {"MISSING": missing, "TMPDIR": os.environ.get("TMPDIR", "/tmp")},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def done(self, *arguments: str) -> list[str]:
        """Return what set-up ran, each in the words that matter."""
        result = self.set_up(*arguments)
        assert result.returncode == 0, result.stderr
        word = re.compile(
            r"venv|--clear|--no-index|--only-binary|--no-compile|--require-hashes|\w+\.txt|cmake|-DSCANTUNE_\w+=\S+"
        )
        return [" ".join(word.findall(line)) for line in self.calls.read_text().splitlines()]


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


NEW, ITSELF = "venv --clear venv", "--no-index"
USER = "--require-hashes --only-binary --no-compile user.txt"
DEV = "--require-hashes dev.txt"
WHEELS_INCLUDE = "-DSCANTUNE_CUDA_INCLUDE_DIR=.venv/lib/python3.11/site-packages/nvidia/cu13/include"


def test_users_get_what_they_need_and_contributors_the_rest_without_starting_anew(clone: Clone) -> None:
    assert clone.done("user") == [NEW, USER, ITSELF, "cmake -DSCANTUNE_BUILD_TESTS=OFF"]
    assert clone.done("user") == []
    assert clone.done() == [DEV, ITSELF, "cmake"]
    assert clone.done() == clone.done("user") == []
    (clone.root / ".ci/requirements/user.txt").write_text("another\n")
    assert clone.done() == clone.done("user") == [], "what contributors get is another lock's"
    (clone.root / ".ci/requirements/dev.txt").write_text("another\n")
    assert clone.done("user") == [NEW, USER, ITSELF]
    assert clone.done() == [DEV, ITSELF]


def test_a_fresh_clone_gets_all_that_tests_need_at_once(clone: Clone) -> None:
    assert clone.done() == [NEW, DEV, ITSELF, "cmake"]
    assert clone.done("user") == []


def test_without_a_toolkit_users_and_contributors_get_the_locked_wheels_of_nvrtc(clone: Clone) -> None:
    del clone.environment["CUDA_HOME"]
    user_build = f"cmake -DSCANTUNE_BUILD_TESTS=OFF {WHEELS_INCLUDE}"
    assert clone.done("user") == [NEW, f"{USER} nvrtc.txt", ITSELF, user_build]
    assert clone.done("user") == []
    assert clone.done() == [f"{DEV} nvrtc.txt", ITSELF, f"cmake {WHEELS_INCLUDE}"]
    (clone.root / ".ci/requirements/nvrtc.txt").write_text("another\n")
    assert clone.done() == [NEW, f"{DEV} nvrtc.txt", ITSELF]
    make_toolkit(clone.usual_toolkit)
    assert clone.done() == [NEW, DEV, ITSELF, "cmake"], "a toolkit that comes later takes the place of the wheels"


@pytest.mark.parametrize("place", ["CUDA_HOME", "CUDA_PATH", USUAL_TOOLKIT])
def test_a_toolkit_is_found_where_it_is_named_or_usually_lies(clone: Clone, place: str) -> None:
    toolkit = clone.environment.pop("CUDA_HOME")
    if place == USUAL_TOOLKIT:
        make_toolkit(clone.usual_toolkit)
    else:
        clone.environment[place] = toolkit
    assert clone.done() == [NEW, DEV, ITSELF, "cmake"]


@pytest.mark.parametrize("lacks", ["a new version", "lib64/libnvrtc.so", "include/nvrtc.h", "include/cuda.h"])
def test_a_toolkit_that_is_old_or_lacks_a_part_is_passed_over(clone: Clone, lacks: str) -> None:
    toolkit = Path(clone.environment["CUDA_HOME"])
    if lacks == "a new version":
        (toolkit / "include/cuda.h").write_text("#define CUDA_VERSION 12060\n")
    else:
        (toolkit / lacks).unlink()
    assert clone.done("user")[1] == f"{USER} nvrtc.txt"
    make_toolkit(clone.usual_toolkit, OLDEST_CUDA)
    assert clone.done("user")[1] == USER


@pytest.mark.parametrize(
    ("arguments", "asked_for"),
    [(("user",), ""), ((), "libgtest-dev libgmock-dev clang"), (("fuzz",), "libgtest-dev libgmock-dev clang")],
)
def test_only_contributors_need_the_packages_of_tests(clone: Clone, arguments: tuple[str, ...], asked_for: str) -> None:
    (clone.bin / "clang++").unlink()
    result = clone.set_up(*arguments, missing=r"gtest\|gmock")
    assert (result.returncode == 0) == (not asked_for)
    assert set("".join(re.findall(r"are missing: (.*)", result.stderr)).split()) == set(asked_for.split())


def test_another_word_for_whom_is_refused(clone: Clone) -> None:
    result = clone.set_up("users")
    assert (result.returncode, result.stderr) == (1, "setup: there is no 'users', only 'user' and 'fuzz'\n")


def locked(name: str) -> dict[tuple[str, str], list[str]]:
    """Return the hashes of a lock by package and version; all its lines must have some."""
    lines = re.sub(r"^#.*\n", "", (LOCKS / name).read_text(), flags=re.MULTILINE).replace("\\\n", "").splitlines()
    hashes = {}
    for line in lines:
        found = re.fullmatch(r"([a-z0-9-]+)==([\w.]+)(?: ; [^#]*?)?((?: +--hash=sha256:[0-9a-f]{64})+)", line)
        assert found, line
        hashes[found[1], found[2]] = found[3].split()
    return hashes


def test_what_is_downloaded_is_pinned_by_hash_and_the_same_for_all() -> None:
    assert locked("user.txt").items() < locked("dev.txt").items()
    assert {name for name, _ in locked("nvrtc.txt")} == {"nvidia-cuda-nvrtc", "nvidia-cuda-runtime"}


def test_locks_hold_what_the_package_asks_for_and_users_get_no_tools() -> None:
    versions: dict[str, defaultdict[str, list[str]]] = {}
    for name in ("user", "dev"):
        versions[name] = defaultdict(list)
        for package, version in locked(f"{name}.txt"):
            versions[name][package].append(version)
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")  # which pytest brings
    project = toml.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    # Contributors need no dashboard, and the tests do without it.
    (shared,) = (line for line in extras["dev"] if line.startswith("scantune["))
    of_extras = [line for name in ("dev", *Requirement(shared).extras) for line in extras[name]]
    asked = [Requirement(line) for line in of_extras if not line.startswith("scantune[")]
    tools = {canonicalize_name(one.name) for one in asked}
    needed = [*map(Requirement, project["dependencies"]), *asked]
    assert {"pytest", "ruff", "clang-format", "kernel-tuner"} <= tools
    for one in needed:
        name = canonicalize_name(one.name)
        for lock in ("dev",) if name in tools else ("dev", "user"):
            assert versions[lock][name], f"{lock}.txt has no {name}: run .ci/lock"
            assert all(one.specifier.contains(version) for version in versions[lock][name]), f"run .ci/lock: {one}"
    assert [name for name in sorted(tools) if name in versions["user"]] == []
