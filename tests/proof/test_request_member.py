"""A patch of four files adds a member to the request, and everything takes it in."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from patched_tree import User, cached, files_of, run

MOST_FILES = 4
PROGRAM = """
#include <cstdio>
#include <scantune/runtime.hpp>
int main() { std::puts(scantune::runtime::describe<int>(256, {.residency = SCANTUNE_HOT}).c_str()); }
"""

pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(scope="module")
def tuned(user: User) -> User:
    """Tune a scan before the member was there, and one that has it."""
    for option in ([], ["--residency", "hot"]):
        user.scantune("--arch", "host", "--type", "i32", "--n", "2^8", "--budget", "8s", *option)
    return user


def test_patch_touches_few_files() -> None:
    assert 0 < len(files_of("request_member.patch")) <= MOST_FILES


@pytest.mark.campaign
def test_records_name_the_member_where_it_departs_from_its_default(tuned: User) -> None:
    with closing(sqlite3.connect(tuned.database)) as connection:
        found = [json.loads(request) for (request,) in connection.execute("SELECT request FROM problem ORDER BY id")]
    assert [request.get("residency") for request in found] == [None, "hot"]


@pytest.mark.campaign
def test_records_are_selected_by_it(tuned: User) -> None:
    explain = ("db", "explain", "--type", "i32", "--n", "2^8", "--device", "host", "--json", "-")
    hot = json.loads(tuned.scantune(*explain, "--residency", "hot"))["results"][0]
    assert (hot["origin"], hot["problem"]["residency"]) == ("exact_n", "hot")
    cold = json.loads(tuned.scantune(*explain))["results"][0]
    assert (cold["origin"], "residency" in cold["problem"]) == ("exact_n", False)


@pytest.mark.campaign
def test_command_line_shows_it(tuned: User) -> None:
    assert "i32 sum hot" in tuned.scantune("db", "show")
    described = tuned.scantune("bench", "--help")
    assert "--residency cold|hot: cold unless given. hot: the input" in " ".join(described.split())


@pytest.mark.campaign
def test_programs_ask_for_it(tuned: User, tmp_path: Path) -> None:
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(PROGRAM)
    tree, libraries = tuned.tree.path, tuned.tree.path / "build/runtime"
    run(cached("CMAKE_CXX_COMPILER"), "-std=c++20", f"-I{tree}/runtime/include", source, "-o", program,
        f"-L{libraries}", "-lscantune", f"-Wl,-rpath,{libraries}")  # fmt: skip
    described = tuned.run(program)
    assert "i32 inclusive sum, hot residency of 256 items" in described
    assert "origin: exact_n" in described
