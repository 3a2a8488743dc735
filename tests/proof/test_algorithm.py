"""A patch adds an algorithm with a second extent, its door among that, and everything takes it in."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from patched_tree import ROOT, PatchedTree, User, files_of

MOST_EDITED, MOST_NEW = 4, 9  # without kernels
N, ROWS = 5001, 1000  # rows have six items, but for the last ones
CONFIG = {"family": "row_sums", "parameters": {"block_threads": 128, "row_threads": 8, "unroll": 4}}
ASKED = ("--algorithm", "row_sums", "--type", "i32", "--n", str(N))
# A program that prints the description of the plan for some rows, and the sums of rows of ones.
PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <scantune/runtime.hpp>

namespace runtime = scantune::runtime;

int main(int, char** arguments) {
  const std::uint64_t n = std::strtoull(arguments[1], nullptr, 10), rows = std::strtoull(arguments[2], nullptr, 10);
  const auto plan = runtime::row_sums_plan<int>(n, rows);
  std::puts(plan.describe().c_str());

  const runtime::Buffer<int> input(std::vector<int>(n, 1)), output(rows), at_once(rows);
  plan(input.data(), output.data());
  runtime::row_sums(input.data(), at_once.data(), n, rows);
  std::vector<int> sums(rows), others(rows);
  output.download(sums.data());
  at_once.download(others.data());
  for (const int sum : sums) std::printf("%d ", sum);
  return sums != others;
}
"""
TARGET = """
add_executable(row_sums_program row_sums_program.cpp)
target_link_libraries(row_sums_program PRIVATE scantune)
"""

pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(scope="module")
def tuned(user: User) -> User:
    user.scantune("--arch", "host", *ASKED, "--rows", str(ROWS), "--budget", "8s")
    return user


@pytest.fixture(scope="module")
def program(tree: PatchedTree) -> Path:
    (tree.path / "row_sums_program.cpp").write_text(PROGRAM)
    with (tree.path / "CMakeLists.txt").open("a") as file:
        file.write(TARGET)
    tree.build("row_sums_program")
    return tree.path / "build/row_sums_program"


@pytest.fixture
def mistaken(tree: PatchedTree, user: User) -> Iterator[User]:
    """Return the user of a kernel that leaves out the last item of each row."""
    kernel = tree.path / "templates/row_sums/kernels/row_sums.h"
    right = kernel.read_text()
    wrong = right.replace("first < end;", "first < end - 1;").replace("index < end ?", "index < end - 1 ?")
    assert wrong != right
    try:
        kernel.write_text(wrong)
        tree.build("scantune-worker")
        yield user
    finally:
        kernel.write_text(right)
        tree.build("scantune-worker")


def request(n: int = N, rows: int = ROWS) -> dict[str, object]:
    return {"algorithm": "row_sums", "input_type": "i32", "n": n, "rows": rows}


def explained(user: User, rows: int) -> dict[str, str]:
    answer = user.scantune("db", "explain", "--device", "host", *ASKED, "--rows", str(rows), "--json", "-")
    (result,) = json.loads(answer)["results"]
    return dict(result)


def trials(user: User) -> int:
    with closing(sqlite3.connect(user.database)) as connection:
        return int(connection.execute("SELECT count(*) FROM trial").fetchone()[0])


def test_patch_touches_the_files_that_contributing_lists() -> None:
    table = re.findall(r"^\| `(\S+)`: .* \| ?(1?) \| ?(1?) \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    listed = {file.replace("NAME", "row_sums"): edited == "1" for file, _, edited in table}
    assert {file: (ROOT / file).exists() for file in files_of("algorithm.patch")} == listed
    assert all((new == "1") != (edited == "1") for _, new, edited in table)
    edited = sum(listed.values())
    assert edited <= MOST_EDITED
    assert len([file for file in listed if "/kernels/" not in file]) - edited <= MOST_NEW


@pytest.mark.campaign
def test_worker_lists_it_with_its_extent(user: User) -> None:
    algorithms = {one["name"]: one for one in user.ask_worker("hello")["result"]["algorithms"]}
    assert list(algorithms) == ["scan", "reduce", "copy", "select", "load_balance", "sort", "row_sums"]
    assert [extent["name"] for extent in algorithms["row_sums"]["extents"]] == ["rows"]
    assert [operand["extent"] for operand in algorithms["row_sums"]["operands"]] == ["n", "rows"]


@pytest.mark.campaign
@pytest.mark.parametrize("rows", [1, ROWS, N])
def test_worker_verifies_it(user: User, rows: int) -> None:
    answer = user.ask_worker("verify", request=request(rows=rows), config=CONFIG)
    assert answer["result"]["checks"] >= 20, answer


@pytest.mark.campaign
def test_worker_refuses_a_mistake_in_the_kernel(mistaken: User) -> None:
    error = mistaken.ask_worker("verify", request=request(), config=CONFIG)["error"]
    assert error["kind"] == "wrong_result"
    assert "failed a i32 row_sums" in error["message"]
    assert "item 0 should be" in error["message"]


@pytest.mark.campaign
def test_worker_says_why_it_does_not_do_it(user: User) -> None:
    error = user.ask_worker("space", request=request(n=10, rows=11))["error"]
    assert error["kind"] == "unsupported"
    assert "there are more rows than items" in error["message"]


@pytest.mark.campaign
def test_record_keeps_algorithm_request_and_the_magnitude_of_the_extent(tuned: User) -> None:
    with closing(sqlite3.connect(tuned.database)) as connection:
        (row,) = connection.execute("SELECT algorithm, request, shape FROM problem").fetchall()
        ((n, family),) = connection.execute("SELECT n, family FROM record").fetchall()
    assert row == ("row_sums", '{"input_type":"i32","output_type":"i32"}', '{"rows":10}')
    assert (n, family) == (N, "row_sums")


@pytest.mark.campaign
def test_second_run_resumes(tuned: User) -> None:
    before = trials(tuned)
    assert before > 0
    assert "1 cell: 1 finished" in tuned.scantune("--arch", "host", *ASKED, "--rows", str(ROWS), "--budget", "8s")
    assert trials(tuned) == before


@pytest.mark.campaign
def test_record_serves_as_many_rows_and_no_others(tuned: User) -> None:
    same = explained(tuned, ROWS)
    assert same["origin"] == "exact_n"
    assert re.fullmatch(rf"tuned for n = {N}, which serves \d+ to \d+ items, on this device", same["reason"])
    other = explained(tuned, 60)
    assert other["origin"] == "default"
    assert other["reason"].startswith("no tuning record serves ")


@pytest.mark.campaign
def test_command_line_shows_it(tuned: User) -> None:
    assert "row_sums i32 rows≈2^10" in tuned.scantune("db", "show")
    (winner,) = json.loads(tuned.scantune("db", "show", "--json", "-"))["winners"]
    assert (winner["problem"]["algorithm"], winner["problem"]["shape"]) == ("row_sums", '{"rows":10}')
    assert explained(tuned, 60)["problem"] == {**winner["problem"], "shape": '{"rows":6}'}
    assert "--rows" in tuned.scantune("bench", "--help")


@pytest.mark.campaign
def test_default_sizes_are_those_that_hold_the_rows(tuned: User) -> None:
    benched = tuned.scantune("bench", "--arch", "host", "--algorithm", "row_sums", "--type", "i32", "--rows", "2^17",
                             "--json", "-")  # fmt: skip
    assert {result["n"] for result in json.loads(benched)["results"]} == {2**18}


@pytest.mark.campaign
def test_programs_run_what_was_tuned(tuned: User, program: Path) -> None:
    described = tuned.run(program, str(N), str(ROWS))
    assert f"i32 row_sums of {N} items, {ROWS} rows on " in described
    assert "config: row_sums{" in described
    assert f"origin: exact_n, tuned for n = {N}, which serves " in described
    assert described.splitlines()[-1].split() == ["6"] * 833 + ["3"] + ["0"] * 166


@pytest.mark.campaign
def test_programs_with_other_rows_run_the_default_and_are_told_so(tuned: User, program: Path) -> None:
    described = tuned.run(program, str(N), "3")
    assert f"origin: default, no tuning record serves i32 row_sums of {N} items, 3 rows" in described
    assert described.splitlines()[-1].split() == ["1667"] * 3
