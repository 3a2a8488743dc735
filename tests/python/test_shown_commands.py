"""The commands that pages show are commands that their programs take. test_shown_runs.py runs what can run here."""

from __future__ import annotations

import argparse
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest
import typer
from typer.main import get_command

from scantune.cli.app import app
from shown import PAGES, ROOT, Shown, commands_in, commands_named_in, lines_with_options, text_of

pytestmark = pytest.mark.usefixtures("fake_worker_command")

# What has no parser that could be asked without running it.
NOT_PARSED = {
    "app": "a program of the reader's",
    "git": "the week of two teams runs it",
    "echo": "the week of two teams runs it",
    "g++": "an install test builds a program by it",
    "compute-sanitizer": "it comes with CUDA's toolkit",
    "cmake": "make names its targets, and a build has them",
}


def parse(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a program read its arguments, and run nothing."""
    program, *arguments = words
    match program.removeprefix(".venv/bin/"):
        case "scantune":
            parse_scantune(arguments)
        case "make":
            parse_make(arguments, monkeypatch)
        case "python":
            parse_python(arguments, monkeypatch)
        case "ctest":
            checked([program, "-N", *arguments])
        case script if script.startswith(".ci/"):
            parse_script(script, arguments)
        case suite if suite.startswith("build/"):
            parse_suite(ROOT / suite.removeprefix("build/"), arguments)
        case other:
            assert other in NOT_PARSED, f"nobody knows how {other} reads its arguments"


def parse_scantune(arguments: list[str]) -> None:
    """Go down to the command that takes the arguments."""
    command: Any = get_command(app)
    try:
        context = command.make_context("scantune", list(arguments))
        while hasattr(context.command, "resolve_command"):
            rest = [*context._protected_args, *context.args]
            name, command, rest = context.command.resolve_command(context, rest)
            context = command.make_context(name, rest, parent=context)
    except typer.Exit:  # --help
        pass


def parse_make(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse what a target would run, of what has arguments from the command line."""
    for line in checked(["make", "-n", "--no-print-directory", *arguments]).splitlines():
        if any(argument.startswith("ARGS=") for argument in arguments):
            parse(shlex.split(line), monkeypatch)


def parse_python(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if arguments[:2] == ["-m", "pytest"]:
        # Collecting a whole folder takes 3 s, and what -k selects is in the files that hold its word.
        folder, *rest = arguments[2:]
        if (ROOT / folder).is_dir() and rest[:1] == ["-k"]:
            named = [path for path in sorted((ROOT / folder).glob("test_*.py")) if rest[1] in path.read_text()]
            arguments = [*arguments[:2], *map(str, named[:3]), *rest]
        checked([sys.executable, *arguments, "--collect-only"])
        return
    parse_arguments = argparse.ArgumentParser.parse_args

    class Parsed(Exception):
        pass

    def parse_and_leave(parser: argparse.ArgumentParser, *given: Any, **named: Any) -> NoReturn:
        parse_arguments(parser, *given, **named)
        raise Parsed

    script = ROOT / arguments[0]
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_leave)
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(Parsed):
        runpy.run_path(str(script), run_name="__main__")


def parse_script(script: str, arguments: list[str]) -> None:
    """Look for each word in a script of the shell, and for each option in the program that it hands them to."""
    text = (ROOT / script).read_text(encoding="utf-8")
    text += "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/bench").glob("bench_options.cpp"))
    for word in arguments:
        if re.match(r"--?[a-z]|[a-z]+$", word):
            assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text), f"{script} knows no {word}"


def parse_suite(suite: Path, arguments: list[str]) -> None:
    """Look for an executable of tests in what its folder builds, and for the tests that it is to run."""
    folder = suite.parent
    assert f"scantune_test({suite.name} " in (folder / "CMakeLists.txt").read_text(), f"there is no {suite.name}"
    for wanted in arguments:
        name = wanted.removeprefix("--gtest_filter=").strip("*")
        assert any(name in path.read_text() for path in folder.glob("*.cpp")), f"{suite.name} has no {wanted}"


def checked(command: list[str]) -> str:
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


COMMANDS = list(dict.fromkeys(one for page in PAGES for one in commands_in(page, text_of(page))))
NAMED = list({one.line: one for page in PAGES for one in commands_named_in(page, text_of(page))}.values())


@pytest.mark.parametrize("shown", COMMANDS, ids=str)
def test_a_page_shows_commands_that_are_taken(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    parse(shown.words, monkeypatch)


@pytest.mark.parametrize("named", NAMED, ids=str)
def test_a_sentence_names_commands_that_are_taken_once_they_are_given_all_they_need(named: Shown) -> None:
    try:
        parse_scantune(named.words[1:])
    except Exception as error:  # typer has click's exceptions by another name
        if not re.match("Missing parameter|Option .* requires an argument", str(error)):
            raise


@pytest.mark.parametrize("page", PAGES)
def test_what_looks_like_a_command_is_taken_for_one(page: str) -> None:
    lines = {one.line for one in commands_in(page, text_of(page))}
    assert [line for line in lines_with_options(text_of(page)) if not any(line.startswith(one) for one in lines)] == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("scantune --tyqe f32", "tyqe"),
        ("scantune db shew  # shows it", "shew"),
        ('make tune ARGS="--effort huge"', "huge"),
        ("make tunes", "tunes"),
        ('make kills ARGS="--kils 3"', "2"),
        ('make bench ARGS="--sices 22-30"', "sices"),
        ("SCANTUNE_DB_PATH=/team/tuned.db scantune db explain --typo", "typo"),
        (".venv/bin/python tests/bench/tabulate.py", "2"),
        (".venv/bin/python tests/bench/tabulator.py", "tabulator"),
        (".venv/bin/python -m pytest tests/python/test_paths.py -k 'not test'", "no tests|deselected"),
        (".ci/fuzz maximise", "maximise"),
        ("build/tests/cpu/selector_test --gtest_filter='*Nearest*'", "selector_test"),
        ("build/tests/cpu/select_selector_test --gtest_filter='*Farthest*'", "Farthest"),
    ],
)
def test_a_command_that_is_not_taken_is_noticed(line: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = commands_in("page.md", f"Text:\n\n    {line}\n")
    with pytest.raises(BaseException, match=complaint):
        parse(shown.words, monkeypatch)


def test_a_command_of_an_unknown_program_is_noticed() -> None:
    assert lines_with_options("    scamtune --type f32\n") == ["scamtune --type f32"]
    assert commands_in("page.md", "    scamtune --type f32\n") == []
