"""Runs one suite of tests, and tells what it cost and which of its tests failed; ctest starts every suite through it.

suite.py NAME COMMAND...

SUITE_COSTS   a file that gets a line: name, core-seconds of the command and its children, seconds by the clock
SUITE_FAILED  a file that gets a line for each test that failed: suite, test, and the command that repeats it
SUITE_PASSED  a folder of stamps: a suite that passed with the same inputs does not run again. Inputs are the files that
              the command names, the folders in SUITE_INPUTS, and the compilers that tests call.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_COMPILERS = ("c++", "g++", "clang++")
_FAILED = re.compile(r"^\[  FAILED  \] (\S+?),? *(?:where .*|\(\d+ ms\))?$|^FAILED (\S+?::\S.*?)(?: - .*)?$")


def files_under(path: Path) -> Iterator[Path]:
    """Yield a file, or the files below a folder, without what git does not keep of it."""
    if path.is_file():
        yield path
        return
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", str(path)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in sorted(filter(None, listed.stdout.split("\0"))):
        if (ROOT / name).is_file():
            yield ROOT / name


def key_of(command: list[str], inputs: list[str]) -> str:
    """Return a digest of all that decides how a suite ends."""
    digest = hashlib.sha256(shlex.join(command).encode() + os.environ.get("SCANTUNE_MUTANTS", "").encode())
    for word in [*command, *inputs]:
        path = Path(word)
        if word not in inputs and not path.is_file():
            continue
        for file in files_under(path):
            digest.update(str(file).encode() + hashlib.sha256(file.read_bytes()).digest())
    for name in _COMPILERS:
        for folder in os.environ.get("PATH", "").split(":"):
            compiler = Path(folder) / name
            if compiler.is_file():
                stat = compiler.stat()
                digest.update(f"{compiler.resolve()} {stat.st_size} {stat.st_mtime_ns}".encode())
                break
    return digest.hexdigest()


def repeated(command: list[str], test: str) -> str:
    """Return the command that runs one test of a suite again."""
    program = [os.path.relpath(word, ROOT) if Path(word).is_absolute() else word for word in command]
    if "pytest" in command:
        return shlex.join([program[0], "-m", "pytest", test])
    return shlex.join([program[0], f"--gtest_filter={test}"])


def failures(output: str) -> list[str]:
    """Return the tests that the output of GoogleTest or pytest says have failed, each once."""
    found = [one.group(1) or one.group(2) for line in output.splitlines() if (one := _FAILED.match(line))]
    return list(dict.fromkeys(found))


def run(command: list[str]) -> tuple[int, str, float, float]:
    """Run a command and return its exit status, its output, its core-seconds and its seconds by the clock."""
    start, lines = time.monotonic(), []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, "".join(lines), usage.ru_utime + usage.ru_stime, time.monotonic() - start


def append(variable: str, *fields: object) -> None:
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write("\t".join(map(str, fields)) + "\n")


def main() -> int:
    name, command = sys.argv[1], sys.argv[2:]
    passed = os.environ.get("SUITE_PASSED")
    stamp = None
    if passed:
        stamp = Path(passed) / f"{name.replace('/', '_')}-{key_of(command, os.environ.get('SUITE_INPUTS', '').split())}"
        if stamp.exists():
            print(f"suite: {name} passed before with the same inputs")
            append("SUITE_COSTS", name, 0.0, 0.0)
            return 0
    status, output, core_s, wall_s = run(command)
    append("SUITE_COSTS", name, round(core_s, 2), round(wall_s, 2))
    if status != 0:
        tests = failures(output)
        for test in tests:
            append("SUITE_FAILED", name, test, repeated(command, test))
        if not tests:
            append("SUITE_FAILED", name, f"ended with {status}", shlex.join(command))
        return 1
    if stamp is not None:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        for old in stamp.parent.glob(f"{name.replace('/', '_')}-" + "[0-9a-f]" * 64):
            old.unlink()
        stamp.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
