"""The output of commands for programs: to a file, to standard output, or nowhere."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scantune import __version__
from scantune.cli.standard_file import is_standard
from scantune.cli.terminal import leave_standard_output
from scantune.errors import ScantuneError, UsageError
from scantune.model.record import now
from scantune.store.replacement import place_to_replace, replacement


@dataclass(frozen=True)
class JsonOutput:
    """The output of one command. Every message says which command of which version wrote it, and when."""

    target: Path | None
    command: str

    @classmethod
    def of(cls, target: Path | None, command: str) -> JsonOutput:
        """Check the option --json before any work. With -, standard output is for JSON only. Raises UsageError."""
        if target is not None and is_standard(target):
            leave_standard_output()
        elif target is not None:
            target = target.expanduser()
            _check_writable(target)
        return cls(target, command)

    def update(self, **members: Any) -> None:
        """Write a message that a later one replaces, if the target is a file. Raises ScantuneError."""
        if self.target and not is_standard(self.target) and not _is_special(self.target):
            self.write(**members)

    def write(self, **members: Any) -> None:
        """Write the message. Raises ScantuneError when the file cannot be written."""
        if self.target is None:
            return
        message = {"command": self.command, "scantune": __version__, "date": now(), **members}
        text = json.dumps(message, indent=1) + "\n"
        if is_standard(self.target):
            _print(text)
            return
        try:
            _replace(self.target, text)
        except OSError as error:
            raise ScantuneError(f"--json {self.target}: cannot be written: {error.strerror}") from None


def _print(text: str) -> None:
    if sys.stdout is None:
        raise ScantuneError("--json -: standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        raise ScantuneError(f"--json -: cannot be written: {error.strerror}") from None


def _check_writable(target: Path) -> None:
    folder = target.absolute().parent
    if target.is_dir():
        raise UsageError(f"--json {target}: is a folder; name a file in it, or - for standard output")
    if not folder.is_dir():
        raise UsageError(f"--json {target}: there is no folder {folder}")
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise UsageError(f"--json {target}: is not writable; name another file")
    if not _is_special(target):
        place_to_replace(target, overwrite=True)


def _is_special(target: Path) -> bool:
    """Return whether the target is a pipe or the like, which cannot be replaced."""
    return target.exists() and not target.is_file()


def _replace(target: Path, text: str) -> None:
    if _is_special(target):
        target.write_text(text, encoding="utf-8")
        return
    # After an interruption the previous message is intact: never half of a message.
    with replacement(target, overwrite=True) as written:
        written.write_text(text, encoding="utf-8")
