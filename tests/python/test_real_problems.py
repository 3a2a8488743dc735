"""The tuner over the worker that was built, by the problems of each algorithm: tuned, shown, selected, or refused."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from command import streams_here
from test_real_worker import BUDGET, pytestmark, real_worker, streams

__all__ = ["pytestmark", "real_worker"]  # what pytest reads of this file


@pytest.mark.usefixtures("made_up_times")
@pytest.mark.timeout(200)
def test_rows_are_tuned_kept_by_their_length_and_selected_for_others_like_them(tmp_path: Path) -> None:
    db = tmp_path / "tuning.db"
    common = ["--arch", "host", "--type", "i32", "--segments", "rows", "--db", str(db)]
    streams(*common, "--n", "6000", "--row-items", "200", "--budget", BUDGET)
    with sqlite3.connect(db) as connection:
        (problem,) = connection.execute("SELECT request, shape FROM problem").fetchall()
        ((family,),) = connection.execute("SELECT family FROM record").fetchall()
    types = '"input_type":"i32","accumulator_type":"i32","output_type":"i32"'
    assert problem == (f'{{{types},"segments":"rows"}}', '{"row_items":7.5}')
    # The rows are as long as those that were tuned, because a config of whole runs does not serve every length.
    for n, origin in (("6000", "exact_n"), ("5400", "between_n")):
        explained, _ = streams("db", "explain", *common, "--n", n, "--row-items", "200", "--json", "-")
        (selection,) = json.loads(explained)["results"]
        assert (selection["origin"], selection["config"]["family"]) == (origin, family)


def campaign(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.campaign)


def told_by(folder: Path, **commands: list[str]) -> dict[str, str]:
    """Run commands with one database, and return what each printed."""
    db = ["--db", str(folder / "tuning.db")]
    return {name: streams(*command, *db)[0] for name, command in commands.items()}


@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    ("named", "title"),
    [
        (["i32"], "select i32:u64"),
        campaign(["u8:u32", "--criterion", "flagged", "--selected", "indices"], "select u8:u32 flagged indices"),
        campaign(
            ["custom12", "--criterion", "unique_by", "--rejected", "apart"], "select custom12:u64 unique_by apart"
        ),
    ],
)
def test_selection_is_tuned_and_shown_without_a_bandwidth(named: list[str], title: str, tmp_path: Path) -> None:
    """Nobody knows before how many items are written."""
    problem = ["--arch", "host", "--algorithm", "select", "--n", "2^12", "--type", *named]
    told = told_by(
        tmp_path,
        tune=["tune", *problem, "--budget", BUDGET],
        show=["db", "show"],
        bench=["bench", *problem, "--json", "-"],
    )
    (result,) = json.loads(told["bench"])["results"]
    family = result["config"]["family"]
    assert (result["failure"], family in {"select_lookback", "select_ring"}) == (None, True)
    for table in (told["tune"], told["show"]):
        assert re.search(rf"^{title} +2\^12 +\d+\.\d+ +– +– .* {family}", table, re.MULTILINE), table
    assert (result["gigabytes_per_second"], result["ceiling_us"]) == (None, None)


def refusal(algorithm: str, named: list[str], folder: Path) -> str:
    """Return what the command says of a problem that it does not tune."""
    command = ["tune", "--arch", "host", "--algorithm", algorithm, "--n", "2^12", "--type", *named]
    code, _, err = streams_here(*command, "--db", str(folder / "tuning.db"))
    assert code != 0
    return " ".join(err.split())


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        (["custom12"], "items of a custom type have no order: pass a predicate of your own"),
        (["i32:u8", "--selected", "indices"], "indices are integers of 4 or 8 bytes: i32, i64, u32 or u64"),
        (["i32:u32"], "index_type is for selections that write indices: leave it out"),
        (["i32", "--rejected", "apart", "--values", "bytes_1"], "of rejected items nothing else is written"),
        (["i32", "--op", "max"], "select takes no operator"),
        (["i32", "--criterion", "odd"], "request.criterion must be one of less, less_equal,"),
    ],
)
def test_selection_that_is_none_is_refused_with_what_is_wrong(named: list[str], reason: str, tmp_path: Path) -> None:
    assert reason in refusal("select", named, tmp_path)


@pytest.mark.usefixtures("made_up_times")
@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    ("named", "title"),
    [
        (["u32"], "load_balance u32 segments≈2^10"),
        campaign(
            ["u64:i32", "--assigned", "segments_and_ranks"], "load_balance u64:i32 segments_and_ranks segments≈2^10"
        ),
        campaign(["i32:custom12", "--assigned", "values"], "load_balance i32:custom12 values segments≈2^10"),
    ],
)
def test_load_balance_is_tuned_and_kept_by_the_magnitude_of_its_segments(
    named: list[str], title: str, tmp_path: Path
) -> None:
    problem = ["--arch", "host", "--algorithm", "load_balance", "--n", "2^12", "--type", *named, "--segments"]
    told = told_by(
        tmp_path, tune=["tune", *problem, "1000", "--budget", BUDGET], show=["db", "show"],
        explain=["db", "explain", *problem, "1100", "--json", "-"],
    )  # fmt: skip
    for table in (told["tune"], told["show"]):
        assert re.search(rf"^{re.escape(title)} +2\^12 +\d+\.\d+ .* load_balance_merge", table, re.MULTILINE), table
    (selection,) = json.loads(told["explain"])["results"]
    assert (selection["origin"], selection["config"]["family"]) == ("exact_n", "load_balance_merge")


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        (["u32"], "--segments"),
        (["u16", "--segments", "7"], "offsets are integers of 4 or 8 bytes: i32, i64, u32 or u64"),
        (["u32:f32", "--segments", "7"], "segments and ranks are integers of 4 or 8 bytes: i32, i64, u32 or u64"),
        (["u32:custom12", "--segments", "7"], "segments and ranks are numbers, not of a custom type"),
        (["u32", "--segments", "7", "--assigned", "both"], "request.assigned must be one of segments, ranks,"),
    ],
)
def test_load_balance_that_is_none_is_refused_with_what_is_wrong(named: list[str], reason: str, tmp_path: Path) -> None:
    assert reason in refusal("load_balance", named, tmp_path)


@pytest.mark.usefixtures("made_up_times")
@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    ("named", "title"),
    [
        (["u32"], "sort u32"),
        campaign(["f32:custom12", "--sorted", "pairs", "--order", "descending"], "sort f32:custom12 descending pairs"),
        campaign(
            ["i16:u32", "--sorted", "indices", "--segments", "rows", "--row-items", "64"],
            "sort i16:u32 indices rows row_items≈2^6",
        ),
        campaign(
            ["u64:u32", "--key-bits", "some", "--end-bit", "40", "--bits", "20"],
            "sort u64:u32 some end_bit≈2^5 bits≈2^4",
        ),
        campaign(["i32", "--input-use", "consumed"], "sort i32 consumed"),
    ],
)
def test_sort_is_tuned_and_shown(named: list[str], title: str, tmp_path: Path) -> None:
    problem = ["--arch", "host", "--algorithm", "sort", "--n", "2^12", "--type", *named]
    told = told_by(
        tmp_path, tune=["tune", *problem, "--budget", BUDGET], show=["db", "show"],
        explain=["db", "explain", *problem, "--json", "-"],
    )  # fmt: skip
    for table in (told["tune"], told["show"]):
        assert re.search(rf"^{re.escape(title)} +2\^12 +\d+\.\d+ .* sort_", table, re.MULTILINE), table
    (selection,) = json.loads(told["explain"])["results"]
    assert selection["origin"] == "exact_n"


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        (["custom12"], "keys of a custom type have no order"),
        (["i32:u8", "--sorted", "indices"], "indices are integers of 4 or 8 bytes: i32, i64, u32 or u64"),
        (["i32:f32"], "value_type is for sorts with values or indices: leave it out"),
        (["i32", "--segments", "columns"], "rows are sorted, and columns are not: transpose them"),
        (["i16", "--key-bits", "some", "--end-bit", "17", "--bits", "4"], "bits end behind the key's last one"),
        (["i32", "--order", "random"], "request.order must be one of ascending, descending"),
    ],
)
def test_sort_that_is_none_is_refused_with_what_is_wrong(named: list[str], reason: str, tmp_path: Path) -> None:
    assert reason in refusal("sort", named, tmp_path)
