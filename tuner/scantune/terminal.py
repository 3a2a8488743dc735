"""What people read: results on standard output, all else on standard error."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import typer
from rich.console import Console

from scantune.errors import ScantuneError
from scantune.report import standard_output

console = standard_output()
errors = Console(stderr=True)


def say(text: str) -> None:
    """Print a result as it is: a path may hold what rich takes for markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def note(text: str) -> None:
    errors.print(text, markup=False, highlight=False, soft_wrap=True)


@contextlib.contextmanager
def reported_errors() -> Iterator[None]:
    try:
        yield
    except ScantuneError as error:
        errors.print(f"scantune: {error}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(error.exit_code) from None
