"""The search for scantune-worker."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from scantune import paths
from scantune.errors import ScantuneError

PROGRAM = "scantune-worker"


def worker_command() -> list[str]:
    """Return the command that starts a worker, without its options.

    It is $SCANTUNE_WORKER, which is a path, or a command with arguments such as `ssh there scantune-worker`. Else it is
    the program beside the package or the interpreter, in the checkout's build directory, or on PATH. Raises
    ScantuneError if there is no worker.
    """
    override = os.environ.get("SCANTUNE_WORKER")
    if override:
        return _from_variable(override)
    for candidate in _candidates():
        if _is_program(candidate):
            return [str(candidate)]
    on_path = shutil.which(PROGRAM)
    if on_path:
        return [on_path]
    looked = "\n".join(f"  {candidate}" for candidate in _candidates())
    raise ScantuneError(
        f"{PROGRAM} was not found; looked at\n{looked}\n  and on PATH. "
        "Build it with 'cmake -S . -B build && cmake --build build', or name it in SCANTUNE_WORKER"
    )


def _from_variable(override: str) -> list[str]:
    command = [override] if Path(override).is_file() else shlex.split(override)
    if not command or not shutil.which(command[0]):
        raise ScantuneError(f"SCANTUNE_WORKER is '{override}', which cannot be run")
    return command


def _candidates() -> list[Path]:
    build = paths.checkout() / "build"
    return [
        paths.package() / "bin" / PROGRAM,
        Path(sys.executable).parent / PROGRAM,
        build / "bin" / PROGRAM,
        build / "runtime" / PROGRAM,
        build / "runtime" / "worker" / PROGRAM,
        build / PROGRAM,
    ]


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
