"""Output for people: results go to standard output, all else to standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

import typer
from rich.console import Console

from scantune.errors import ScantuneError, Status

WIDTH_OF_FILES = 160  # files and pipes have none, and room for whole rows


def _standard_output() -> Console:
    """Return the console for results."""
    has_width = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if has_width else WIDTH_OF_FILES, emoji=False)


console = _standard_output()
errors = Console(stderr=True, emoji=False)


def say(text: str) -> None:
    """Print a result without markup: a path may hold what rich takes for some."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def note(text: str) -> None:
    errors.print(text, markup=False, highlight=False, soft_wrap=True)


def leave_standard_output() -> None:
    """Print results on standard error from now on, because standard output is for a program."""
    console.stderr = True
    console.width = errors.width


@contextlib.contextmanager
def reported_errors() -> Iterator[None]:
    """Turn errors and Ctrl-C within into a message and an exit status."""
    try:
        yield
    except ScantuneError as error:
        errors.print(f"scantune: {error}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(error.exit_code) from None
    except KeyboardInterrupt:
        errors.print("\nscantune: interrupted", markup=False)
        raise typer.Exit(Status.interrupted) from None
    finally:
        console.stderr = False
