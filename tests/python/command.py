"""The command in a process of its own, as people run it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

from typer.testing import CliRunner, Result

from scantune.cli.app import app

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "scantune", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heed_ctrl_c,
    )


def scantune(*arguments: str, timeout: float = 50) -> tuple[int, str]:
    """Return exit code and all output."""
    code, out, err = streams(*arguments, timeout=timeout)
    return code, out + err


def streams(*arguments: str, timeout: float = 50) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error."""
    process = start(*arguments)
    out, err = process.communicate(timeout=timeout)
    return process.returncode, _ANSI.sub("", out), _ANSI.sub("", err)


def _heed_ctrl_c() -> None:
    """Restore SIGINT: a shell lets commands in the background ignore it, and the tested command would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def invoke(*arguments: str) -> Result:
    """Run the command in this process, which saves the start of another."""
    result = CliRunner().invoke(app, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def streams_here(*arguments: str) -> tuple[int, str, str]:
    """Return what streams() returns, of the command in this process."""
    result = invoke(*arguments)
    return result.exit_code, _ANSI.sub("", result.stdout), _ANSI.sub("", result.stderr)


def scantune_here(*arguments: str) -> tuple[int, str]:
    """Return what scantune() returns, of the command in this process."""
    code, out, err = streams_here(*arguments)
    return code, out + err
