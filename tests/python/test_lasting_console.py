"""Output that cannot be printed, or that nobody reads, ends no run."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scantune.cli.lasting_console import PrintFailures

pytestmark = pytest.mark.usefixtures("fake_worker_command")


# 2^6 is the last size, so a search that a failing print had ended would lack it.
def test_output_that_cannot_be_printed_ends_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "gbk")
    monkeypatch.setenv("COLUMNS", "0")
    command = [sys.executable, "-m", "scantune"]
    search = ["tune", "--arch", "host", "--type", "i32", "--n", "2^4..2^6", "--budget", "5s"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*command, *search], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, done.stderr.count(b"could not be printed: No space left")) == (1, 1), done.stderr
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    shown = subprocess.run([*command, "db", "show"], capture_output=True, timeout=60, check=False)
    assert (shown.returncode, shown.stdout.count(b"i32 sum"), b"?" in shown.stdout) == (0, 3, False), shown


@pytest.mark.parametrize(
    ("text", "encoding", "printed"),
    [("\u00b5s \u2013 \u00d7 \u2500", "ascii", b"us - x -"), ("\u4e2d", "latin-1", b"?")],
)
def test_letters_that_an_encoding_lacks_are_plain(text: str, encoding: str, printed: bytes) -> None:
    buffer = io.BytesIO()
    file = io.TextIOWrapper(buffer, encoding, write_through=True)
    PrintFailures().watched(file).write(text)
    assert buffer.getvalue() == printed
    file.close()


def test_reader_that_leaves_is_no_failure() -> None:
    kept = PrintFailures()
    reading, writing = os.pipe()
    os.close(reading)
    file = os.fdopen(writing, "w")
    kept.watched(file).write("row\n")
    kept.watched(file).flush()
    assert kept.first is None
    kept.watched(None).write("row\n")
    assert kept.first == "it is closed"
    with contextlib.suppress(BrokenPipeError):
        file.close()
