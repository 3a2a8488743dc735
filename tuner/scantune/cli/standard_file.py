"""Files that a command reads or writes, where "-" stands for standard input or output."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scantune.errors import ScantuneError, UsageError

_STANDARD = Path("-")


def is_standard(file: Path) -> bool:
    return file == _STANDARD


@contextlib.contextmanager
def output_file(file: Path) -> Iterator[Path]:
    """Yield the file to write. For "-" it is a temporary file, copied to standard output if there was no error."""
    if not is_standard(file):
        yield file
        return
    if sys.stdout.isatty():
        raise UsageError("- is standard output, here a terminal: pipe it to a program, or name a file")
    with _temporary_file("standard-output") as written:
        yield written
        with _told("has the reading program ended?"), written.open("rb") as source:
            shutil.copyfileobj(source, sys.stdout.buffer)
            sys.stdout.buffer.flush()


@contextlib.contextmanager
def input_file(file: Path) -> Iterator[Path]:
    """Yield the file to read. For "-" it is a temporary file with all of standard input."""
    if not is_standard(file):
        yield file
        return
    if sys.stdin.isatty():
        raise UsageError("- is standard input, here a terminal: pipe a file into it, or name one")
    with _temporary_file("standard-input") as read:
        with _told("is the disk full?"), read.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        yield read


@contextlib.contextmanager
def _temporary_file(name: str) -> Iterator[Path]:
    with contextlib.ExitStack() as stack:
        with _told("is the disk full?"):
            directory = stack.enter_context(tempfile.TemporaryDirectory())
        yield Path(directory) / name


@contextlib.contextmanager
def _told(question: str) -> Iterator[None]:
    """Report a failure to copy, with its likely cause."""
    try:
        yield
    except OSError as error:
        raise ScantuneError(f"-: {error.strerror}; {question}") from None
