"""The command: in this process, or in one of its own where a test is about the process."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from typer.testing import CliRunner, Result

from scantune.cli import problem_options, replay, terminal
from scantune.cli.app import app

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start the command in a process, for what only a process has: signals, pipes, an end while others go on."""
    return subprocess.Popen(
        [sys.executable, "-m", "scantune", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heed_ctrl_c,
    )


def scantune(*arguments: str, timeout: float = 50) -> tuple[int, str]:
    """Return exit code and all output of a process."""
    process = start(*arguments)
    out, err = process.communicate(timeout=timeout)
    return process.returncode, _ANSI.sub("", out + err)


def _heed_ctrl_c() -> None:
    """Restore SIGINT: a shell lets commands in the background ignore it, and the tested command would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def invoke(*arguments: str, given: bytes | None = None) -> Result:
    """Run the command in this process, which saves the start of another. It reads the bytes that are given."""
    with _as_in_a_new_process():
        result = CliRunner().invoke(app, arguments, input=given)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def streams_here(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of the command in this process."""
    result = invoke(*arguments)
    return result.exit_code, _ANSI.sub("", result.stdout), _ANSI.sub("", result.stderr)


def scantune_here(*arguments: str) -> tuple[int, str]:
    """Return exit code and all output of the command in this process."""
    code, out, err = streams_here(*arguments)
    return code, out + err


def ended_well(*arguments: str) -> str:
    """Return all output of the command in this process, which has to succeed."""
    code, output = scantune_here(*arguments)
    assert code == 0, output
    return output


@contextlib.contextmanager
def of_user(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Let commands in this process run in a folder, and with an environment in place of that of the tests."""
    own = dict(os.environ)
    back = Path.cwd()
    os.chdir(folder)
    _set_environment(environment)
    try:
        yield
    finally:
        _set_environment(own)
        os.chdir(back)


def run_line(line: str, folder: Path, environment: Mapping[str, str], timeout: float = 100) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a line of the shell, in a user's folder.

    A line that is one call of the command runs in this process. All others are bash's.
    """
    call = re.fullmatch(r"((?:\w+=[^\s$~`]+ )*)scantune( [^|&;<>`$*?~]*)?", line)
    if call is None:
        ended = subprocess.run(
            ["bash", "-e", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout
        )
        return ended.returncode, ended.stdout, ended.stderr
    variables = dict(one.split("=", 1) for one in shlex.split(call[1]))
    with of_user(folder, {**environment, **variables}):
        return streams_here(*shlex.split(call[2] or ""))


def _set_environment(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


@contextlib.contextmanager
def _as_in_a_new_process() -> Iterator[None]:
    """Forget what an earlier command found out for itself, and see that this one leaves no handler of a signal."""
    problem_options._declared.cache_clear()
    replay._read.cache_clear()
    columns = int(os.environ.get("COLUMNS", 0))
    terminal.console._width, terminal.errors._width = columns or terminal.WIDTH_OF_FILES, columns or None
    handlers = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    yield
    assert handlers == [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
