"""Output for people: results go to standard output, all else to standard error."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator, Sequence

import typer

from scantune.cli.lasting_console import LastingConsole
from scantune.errors import ScantuneError, Status
from scantune.model.quantity import counted
from scantune.report.listing import print_lines

WIDTH_OF_FILES = 160  # for files and pipes, which have room for whole rows


def _standard_output() -> LastingConsole:
    """Return the console for results."""
    if not os.environ.get("COLUMNS", "1").strip("0").isdigit():
        del os.environ["COLUMNS"]  # not a width
    has_width = (sys.stdout is not None and sys.stdout.isatty()) or "COLUMNS" in os.environ
    return LastingConsole(width=None if has_width else WIDTH_OF_FILES, emoji=False)


console = _standard_output()
errors = LastingConsole(stderr=True, emoji=False)


def say(text: str) -> None:
    """Print a result without markup: a path may contain what rich takes for markup."""
    print_lines(console, text)


def note(text: str) -> None:
    print_lines(errors, text)


def note_rows_left_out(path: object, reasons: Sequence[str]) -> None:
    if reasons:
        note(f"{counted(len(reasons), 'row')} of {path} left out as invalid; no program uses them. First: {reasons[0]}")


def leave_standard_output() -> None:
    """Print results on standard error from now on; standard output is for a program."""
    console.stderr = True
    console.width = errors.width


@contextlib.contextmanager
def reported_errors() -> Iterator[None]:
    """Turn errors and Ctrl-C into a message and an exit status.

    A failure to print is reported at the end, and is an error only then.
    """
    console.failures.first = None
    try:
        yield
        if console.failures.first is not None:
            raise ScantuneError(f"the results could not be printed: {console.failures.first}")
    except ScantuneError as error:
        note(f"scantune: {error}")
        raise typer.Exit(error.exit_code) from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        note(f"scantune: {str(error.filename)[:80]}...: the name is longer than a file system takes; choose another")
        raise typer.Exit(Status.failed) from None
    except KeyboardInterrupt:
        errors.print("\nscantune: interrupted", markup=False)
        raise typer.Exit(Status.interrupted) from None
    finally:
        console.stderr = False
