"""A console on which printing never fails: characters that it cannot print are transliterated or left out."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import IO, Any, TextIO, cast

from rich.console import Console

# Substitutes for letters that an encoding lacks.
_PLAIN = str.maketrans(
    {
        "µ": "u",
        "–": "-",
        "—": "-",
        "×": "x",
        "≤": "<=",
        "≥": ">=",
        "±": "+-",
        "…": "...",
        "→": "->",
        "²": "^2",
        "─": "-",
        "━": "-",
        "│": "|",
    }
)


class PrintFailures:
    """The first failure to print; it is reported at the end."""

    def __init__(self) -> None:
        self.first: str | None = None

    def watched(self, file: TextIO | None) -> Any:
        return _WatchedFile(self, file)

    def keep(self, error: OSError | ValueError, file: TextIO | None) -> None:
        # The reader of a pipe may leave when it has seen enough.
        if self.first is None and getattr(error, "errno", None) != errno.EPIPE:
            self.first = getattr(error, "strerror", None) or str(error)
        if (
            file is not None
            and isinstance(error, OSError)
            and any(file is one for one in (sys.__stdout__, sys.__stderr__))
        ):
            _discard(file)


class _WatchedFile:
    """A text file whose writes never raise."""

    def __init__(self, kept: PrintFailures, file: TextIO | None) -> None:
        self._kept = kept
        self._file = file

    def write(self, text: str) -> int:
        if self._file is None:
            self._kept.keep(ValueError("it is closed"), None)
            return len(text)
        try:
            try:
                self._file.write(text)
            except UnicodeEncodeError:
                self._file.write(_plain(text, self._file.encoding))
        except (OSError, ValueError) as error:
            self._kept.keep(error, self._file)
        return len(text)

    def flush(self) -> None:
        try:
            if self._file is not None:
                self._file.flush()
        except (OSError, ValueError) as error:
            self._kept.keep(error, self._file)

    def isatty(self) -> bool:
        return self._file is not None and not self._file.closed and self._file.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class LastingConsole(Console):
    """rich's console on standard output or standard error as they are when it prints."""

    def __init__(self, **options: Any) -> None:
        self.failures = PrintFailures()
        super().__init__(**options)

    @property
    def file(self) -> Any:
        # If standard output is closed, rich writes to a null file.
        is_closed = self._file is None and (sys.stderr if self.stderr else sys.stdout) is None
        return self.failures.watched(None if is_closed else cast(TextIO, super().file))

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        Console.file.fset(self, new_file)  # type: ignore[attr-defined]

    @property
    def encoding(self) -> str:
        return (getattr(self.file, "encoding", None) or "utf-8").lower()  # releases of rich ask other files


def _discard(file: TextIO) -> None:
    """Discard the file's buffer, so that the interpreter does not try to write it again at exit."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != file.fileno():
            os.dup2(nowhere, file.fileno())
            os.close(nowhere)


def _plain(text: str, encoding: str) -> str:
    return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
