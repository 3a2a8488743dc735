"""Prints the suites and the Python tests that a change touches, by the graphs of includes and imports.

touched.py BUILD SECONDS FILE...

A changed file touches the suites whose sources include it; a changed source of the library those that include its
header.
A changed module touches the test files that import it, and those that import what imports it, the nearest first. Suites
are taken until their budgets add up to SECONDS; what is left out is told on standard error. Lines on standard output:
`suite NAME` and `pytest FILE`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import budget

ROOT = Path(__file__).resolve().parents[1]
_OBJECT = re.compile(r"(?:^|/)CMakeFiles/([^/]+)\.dir/")
_PLACE = re.compile(r"(scantune(?:\.\w+)+):\w+$")
_PYTHON_TEST_S = 2.0  # what a file of Python tests takes, on average


def suites_by_file(build: Path) -> dict[str, set[str]]:
    """Return the targets that compile each file of the project, from what the last build read."""
    listed = subprocess.run(
        ["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True
    ).stdout
    users: dict[str, set[str]] = {}
    target = None
    for line in listed.splitlines():
        if not line.startswith(" "):
            found = _OBJECT.search(line.partition(":")[0])
            target = found.group(1) if found else None
        elif target is not None:
            path = (build / line.strip()).resolve()
            if path.is_relative_to(ROOT):
                users.setdefault(str(path.relative_to(ROOT)), set()).add(target)
    return users


def touched_suites(changed: Iterable[str], users: Mapping[str, set[str]], suites: Iterable[str]) -> dict[str, int]:
    """Return the suites that compile a changed file, each with the number of suites that share its closest cause.

    A source of the library stands for its header. What few suites include says more than what all do.
    """
    known, found = set(suites), dict[str, int]()
    for file in changed:
        causes = [file]
        if file.startswith("runtime/") and file.endswith(".cpp"):
            causes.append(file.removesuffix(".cpp") + ".h")
        for cause in causes:
            using = users.get(cause, set()) & known
            for suite in using:
                found[suite] = min(found.get(suite, len(known)), len(using))
    return found


def modules_of(path: Path) -> set[str]:
    """Return the names of modules that a Python file imports, with those that `from x import y` may mean.

    So are those of places, as "scantune.cli.tune:tune_command".
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (place := _PLACE.match(node.value)):
            names.add(place[1])
    return names


def module_name(path: str) -> str:
    """Return the name by which tests import a file: a module of the package, or one beside the tests."""
    parts = Path(path).with_suffix("").parts
    return ".".join(parts[1:]).removesuffix(".__init__") if parts[0] == "tuner" else parts[-1]


def _as_module(file: str) -> str:
    """Return a file, or for one of the extension's the module that loads it."""
    return "tuner/scantune/extension.py" if file.startswith("runtime/python/") else file


def python_tests(changed: Iterable[str], imports: Mapping[str, set[str]]) -> list[str]:
    """Return the test files that reach a changed file by imports, the nearest first."""
    near: list[str] = []
    front = [file for file in map(_as_module, changed) if file in imports]
    seen = set(front)
    while front:
        near += sorted(file for file in front if Path(file).name.startswith("test_"))
        names = {module_name(file) for file in front}
        front = [file for file, imported in imports.items() if file not in seen and imported & names]
        seen |= set(front)
    return near


def imports_of_project() -> dict[str, set[str]]:
    folders = ("tuner/scantune", "tests/python", "tests/structure", "tests/bench", "tests/campaign", ".ci")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return {str(path.relative_to(ROOT)): modules_of(path) for path in files}


def main() -> int:
    build, seconds, changed = Path(sys.argv[1]).resolve(), float(sys.argv[2]), sys.argv[3:]
    budgets = budget.declared(budget.TABLE.read_text(encoding="utf-8"))
    left_s, left_out = seconds, []
    found = touched_suites(changed, suites_by_file(build), budgets)
    for suite in sorted(found, key=lambda suite: (found[suite], budgets[suite])):
        if budgets[suite] <= left_s:
            left_s -= budgets[suite]
            print(f"suite {suite}")
        else:
            left_out.append(suite)
    for file in python_tests(changed, imports_of_project()):
        if left_s >= _PYTHON_TEST_S:
            left_s -= _PYTHON_TEST_S
            print(f"pytest {file}")
        else:
            left_out.append(file)
    if left_out:
        print(f"quick: left to make test: {', '.join(left_out)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
