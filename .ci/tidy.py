"""Runs clang-tidy on sources, but not on those whose preprocessed text it has found clean before.

tidy.py BUILD JOBS SOURCE...
"""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIDY = Path(sys.prefix) / "bin" / "clang-tidy"
# It has the declarations of all families as virtual calls: clang's analyzer walks through them for seven minutes, and
# tests of the space evaluate them.
NOT_WALKED = {"runtime/space/algorithm.cpp": "--checks=-clang-analyzer-*"}


def preprocess(entry: dict[str, str]) -> bytes:
    """Return what clang-tidy sees for an entry of the compilation database: text, its own comments, and macros."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    command = [*words[:output], *words[output + 2 :], "-E", "-C", "-dD"]
    run = subprocess.run(command, cwd=entry["directory"], capture_output=True)
    if run.returncode != 0:
        raise SystemExit(f"{entry['file']} does not compile:\n{run.stderr.decode(errors='replace')}")
    return entry["command"].encode() + run.stdout


def main() -> int:
    if not TIDY.exists():
        raise SystemExit("there is no clang-tidy in .venv: it has a wheel for x86_64 alone, so run this check there")
    build, jobs, *sources = sys.argv[1:]
    clean = Path(build) / "tidy"
    clean.mkdir(exist_ok=True)
    entries = {entry["file"]: entry for entry in json.loads((Path(build) / "compile_commands.json").read_text())}
    rules = (
        subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout + Path(".clang-tidy").read_bytes()
    )

    def is_clean(source: str) -> bool:
        if str(Path(source).resolve()) not in entries:
            print(f"{source} is in no target, so that nothing compiles it")
            return False
        stamp = clean / hashlib.sha256(rules + preprocess(entries[str(Path(source).resolve())])).hexdigest()
        if stamp.exists():
            return True
        options = [NOT_WALKED[source]] if source in NOT_WALKED else []
        run = subprocess.run([TIDY, "-p", build, "--quiet", *options, source], capture_output=True, text=True)
        if run.returncode != 0:
            print(run.stdout, end="", flush=True)
            return False
        stamp.touch()
        return True

    with ThreadPoolExecutor(int(jobs)) as pool:
        return 0 if all(list(pool.map(is_clean, sources))) else 1


if __name__ == "__main__":
    sys.exit(main())
