"""Searches, and comparisons, that are restricted to some families and values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import invoke
from conftest import QUICK, SUM, TABLES, Tune, rows
from examples import RUNS
from fake_worker import DEFAULTS, invalid_reason, true_us
from fake_worker import space as fake_space
from scantune.errors import ScantuneError
from scantune.model.config import Config
from scantune.model.coverage import Way
from scantune.model.policy import Effort
from scantune.model.record import Run
from scantune.model.restriction import Restriction
from scantune.model.space import Space
from scantune.store.archive import Archive
from scantune.store.database import Database

N = 2**14
DEFAULT = Config("lookback", tuple(DEFAULTS["lookback"].items()))
SINGLE_BLOCK = Restriction(("single_block",))
NARROW = Restriction(("lookback",), (("block_threads", 128), ("window", 8)))
FAST = Restriction((), (("layout", "warp_transposed"),))  # of which some beat the default
SLOW = Restriction((), (("layout", "direct"), ("block_threads", 128)))  # all slower than the default
LATER = "2026-01-02T00:00:00Z"

Requests = Callable[[], list[dict[str, Any]]]


def space(n: int = N) -> Space:
    return Space.from_message(fake_space(SUM.request(n)), TABLES)


def is_legal(config: Config) -> bool:
    return invalid_reason(SUM.request(N), config.message()) is None


def time_of(config: Config) -> float:
    return true_us(SUM.request(N), config.message())


def tried(database: Database) -> set[Config]:
    found = (Config.from_row(row["family"], row["config"]) for row in rows(database, "all_trials"))
    return {Config(one.family, one.values) for one in found}


def test_space_holds_what_is_listed_with_the_fixed_values_in_place() -> None:
    among = NARROW.of(space(), is_legal)
    (family,) = among.families.values()
    assert set(among.searched) == {
        replace(config, values=tuple((name, {**dict(config.values), **dict(NARROW.fixed)}[name])
                                     for name, _ in config.values))
        for config in space().searched
        if config.family == "lookback"
    }  # fmt: skip
    assert all(NARROW.admits(config) for config in among.searched)
    assert family.default == Config("lookback", (("block_threads", 128), ("items_per_thread", 16),
                                                 ("layout", "striped"), ("window", 8)))  # fmt: skip
    assert among.known(DEFAULT) is None
    assert among.default == DEFAULT
    assert DEFAULT not in among.defaults


def test_value_that_is_not_listed_is_taken_where_it_is_legal() -> None:
    off = Restriction(("lookback",), (("block_threads", 192),))
    among = off.of(space(), is_legal)
    assert {dict(config.values)["block_threads"] for config in among.searched} == {192}
    assert not off.of(space(), lambda config: False).families


def test_default_of_a_restricted_family_is_the_legal_one_nearest_to_its_own() -> None:
    def is_odd(config: Config) -> bool:
        return dict(config.values)["items_per_thread"] == 32

    among = NARROW.of(space(), is_odd)
    assert among.families["lookback"].default == Config(
        "lookback", (("block_threads", 128), ("items_per_thread", 32), ("layout", "striped"), ("window", 8))
    )


def test_only_what_was_asked_for_is_searched_beside_what_serves(tune: Tune, database: Database) -> None:
    outcome, _ = tune(restriction=NARROW, policy=replace(QUICK, trials=1000, patience=1000))
    assert all(NARROW.admits(config) or config == DEFAULT for config in tried(database))
    assert {config for config in NARROW.of(space(), is_legal).searched if is_legal(config)} <= tried(database)
    (found,) = outcome.records
    assert NARROW.admits(found.config)
    best = min(filter(NARROW.admits, tried(database)), key=time_of)
    assert time_of(found.config) <= time_of(best) * 1.01


def test_winner_that_does_not_beat_what_serves_is_told_and_not_saved(tune: Tune, database: Database) -> None:
    outcome, _ = tune(restriction=SLOW)
    (covered,) = outcome.coverage
    assert (covered.way, covered.unbeaten) == (Way.restricted, DEFAULT)
    assert dict(outcome.records[0].config.values)["layout"] == "direct"
    assert outcome.saved == Archive(database).records() == []
    assert outcome.is_complete
    assert covered.gain == pytest.approx(time_of(DEFAULT) / time_of(outcome.records[0].config), rel=0.02)


def test_winner_that_beats_what_serves_is_saved_as_of_a_restricted_search(tune: Tune, database: Database) -> None:
    outcome, _ = tune(restriction=FAST)
    (record,) = Archive(database).records()
    assert outcome.saved == [record]
    assert outcome.coverage[0].unbeaten is None
    assert record.run.restriction == FAST
    assert record.run.is_cut_short
    assert record.default_us == pytest.approx(time_of(DEFAULT), rel=0.01)


def test_finished_record_stays_as_it_is_unless_it_is_beaten(tune: Tune, database: Database) -> None:
    tune(policy=replace(QUICK, trials=60))
    before = Archive(database).records()
    outcome, _ = tune(restriction=NARROW, effort=Effort.exhaustive, started_at=LATER)
    assert Archive(database).records() == before
    assert outcome.coverage[0].unbeaten == before[0].config
    assert tune(started_at=LATER)[1].skipped == 1, "the search of before counts as finished"
    # Also where the restriction admits the winner itself.
    same = Restriction((before[0].config.family,), before[0].config.values[:1])
    outcome, _ = tune(restriction=same, started_at=LATER)
    assert Archive(database).records() == before
    assert outcome.coverage[0].unbeaten


def test_record_that_is_beaten_is_replaced_and_the_cell_is_searched_again_later(tune: Tune, database: Database) -> None:
    few = replace(QUICK, trials=2, patience=2)
    tune(policy=few)
    (before,) = Archive(database).records()
    tune(restriction=FAST, started_at=LATER)
    (after,) = Archive(database).records()
    assert time_of(after.config) < time_of(before.config)
    _, notebook = tune(started_at=LATER)
    assert (notebook.skipped, len(notebook.searches)) == (0, 1)
    (last,) = Archive(database).records()
    assert not last.run.restriction
    assert not last.run.is_cut_short


def test_no_trial_is_repeated_by_searches_with_other_restrictions_or_none(tune: Tune, database: Database) -> None:
    every = replace(QUICK, trials=1000, patience=1000)
    for restriction in (FAST, NARROW, FAST, None):
        before, count = tried(database), len(rows(database, "all_trials"))
        _, notebook = tune(restriction=restriction, policy=every, started_at=LATER)
        after = rows(database, "all_trials")
        assert len(after) == len(tried(database)) == count + notebook.tries
        assert before <= tried(database)
    assert set(space().searched) <= tried(database)


def test_what_is_much_faster_does_not_keep_restricted_configs_from_being_verified(
    tune: Tune, request_log: Requests
) -> None:
    outcome, _ = tune(restriction=SLOW)
    verified = [Config.from_message(one["config"]) for one in request_log() if one["method"] == "verify"]
    assert outcome.records[0].config in verified
    assert verified[-1] == outcome.records[0].config


def test_wrong_configs_do_not_win_a_restricted_search(tune: Tune, faults: Callable[..., None]) -> None:
    faults(wrong_result={"layout": "direct", "items_per_thread": 8})  # the fastest
    outcome, _ = tune(restriction=Restriction((), (("layout", "direct"),)))
    assert dict(outcome.records[0].config.values)["items_per_thread"] != 8


def test_cell_in_which_no_such_config_is_legal_is_left_out(tune: Tune) -> None:
    outcome, notebook = tune(sizes=(2**16, 2**18), restriction=SINGLE_BLOCK)
    assert [covered.way for covered in outcome.coverage] == [Way.restricted, Way.unfit]
    assert "single_block does not support it" in notebook.given_up[0]
    assert outcome.is_complete
    assert outcome.without_winner == []


def test_search_whose_configs_all_fail_ends_without_a_winner(tune: Tune, faults: Callable[..., None]) -> None:
    faults(wrong_result={"layout": "warp_transposed"})
    with pytest.raises(ScantuneError, match=r"(?s)no config of i32 sum, .*index 17"):
        tune(restriction=FAST)


def test_search_whose_time_ends_before_one_of_its_configs_is_measured_is_left_for_the_next_run(tune: Tune) -> None:
    tune(restriction=FAST)  # measures the default, so the next search has something at once
    outcome, _ = tune(restriction=SLOW, policy=replace(QUICK, budget_s=0.001), started_at=LATER)
    assert [covered.way for covered in outcome.coverage] == [Way.left]
    assert not outcome.is_complete


def test_restricted_search_starts_from_its_neighbours_winners_with_its_values(
    tune: Tune, database: Database, request_log: Requests
) -> None:
    tune(policy=replace(QUICK, trials=60))
    (winner,) = Archive(database).records()
    fixed = Restriction((), (("window", 1),))
    tune(sizes=(2 * N,), restriction=fixed, policy=replace(QUICK, trials=3))
    expected = replace(winner.config, values=(*winner.config.values[:-1], ("window", 1)))
    assert expected.message() in [one["config"] for one in request_log() if one["method"] == "compile"]


def test_run_tells_its_restriction_and_one_invocation_has_one_digest() -> None:
    run: Run = RUNS[0].restricted_to(NARROW)
    assert (run.restriction, run.is_cut_short, run.digest) == (NARROW, True, RUNS[0].digest)
    assert not RUNS[0].restriction
    assert RUNS[0].restricted_to(Restriction()) == RUNS[0]
    for text in ("[]", '{"restriction":3}', '{"restriction":{"families":[7],"fixed":{}}}',
                 '{"restriction":{"families":["a"],"fixed":{"b":1.5}}}'):  # fmt: skip
        assert not replace(run, policy=text).restriction


COMMON = ["--arch", "host", "--type", "i32", "--n", "2^14"]


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize("command", ["tune", "regret"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--family", "lookbak"], "--family lookbak: scan has no such family; did you mean lookback[?] there are"),
        (["--family", "copy_vectors"], "--family copy_vectors: scan has no such family; there are single_block, look"),
        (["--family", "Look!"], "--family 'Look!': not a name"),
        (["--fix", "window"], "--fix window: write NAME=VALUE"),
        (["--fix", "window=1.5"], "--fix window=1.5: write NAME=VALUE"),
        (["--fix", "window=1", "--fix", "window=8"], "--fix window=8: window is already 1"),
        (["--fix", "windw=8"], "a family of scan has no parameter windw; did you mean window[?] single_block has"),
        (["--family", "single_block", "--fix", "window=8"], "single_block has no parameter window; single_block has"),
        (["--fix", "pdl=1", "--fix", "window=8"], "no family has all .*; pdl is of single_block; window is of lookb"),
        (["--fix", "layout=3"], "--fix layout=3: .*layout cannot be 3 .lookback.; layout is searched as direct, str"),
        (["--fix", "window=wide"], "window cannot be wide .lookback.; window is searched as 1, 8, 32"),
        (["--fix", "block_threads=9000"], "the tile does not fit in shared memory .*is searched as 64, 128, 256, 512"),
    ],
)
def test_what_leaves_no_config_is_refused_by_its_option(command: str, arguments: list[str], words: str) -> None:
    sizes = ["--n", "2^12..2^14"] if command == "regret" else []
    result = invoke(command, *COMMON, *sizes, *arguments)
    assert result.exit_code == 2, result.output
    assert re.search(words, " ".join(result.output.split())), result.output


@pytest.mark.usefixtures("fake_worker_command")
def test_table_and_json_say_what_was_not_saved_and_why(tmp_path: Path) -> None:
    file, db = tmp_path / "tune.json", str(tmp_path / "a.db")
    slow = [
        "--workers",
        "1",
        "--fix",
        "layout=direct",
        "--fix",
        "block_threads=128",
        "--require-complete",
        "--db",
        db,
        "--json",
        str(file),
    ]
    result = invoke("tune", *COMMON, *slow)
    assert result.exit_code == 0, result.output
    assert "among any family with layout=direct block_threads=128" in result.output
    assert "not saved: beyond the noise it does not beat lookback default" in result.output
    assert re.search(r"0 winners in .*; 1 not saved, because the current winner is faster", result.output)
    message = json.loads(file.read_text())
    (cell,), (winner,) = message["cells"], message["winners"]
    assert (cell["way"], cell["unbeaten"]["parameters"]["layout"]) == ("restricted", "striped")
    assert winner["config"]["parameters"]["layout"] == "direct"


@pytest.mark.usefixtures("fake_worker_command")
def test_sizes_at_which_no_such_config_is_legal_are_left_out_and_told(tmp_path: Path) -> None:
    arguments = ["--workers", "1", "--family", "single_block", "--n", "2^12,2^20", "--db", str(tmp_path / "a.db")]
    result = invoke("tune", "--arch", "host", "--type", "i32", *arguments)
    assert result.exit_code == 0, result.output
    assert re.search(
        r"left out, because none of these .*2\^20: single_block does not support", result.output, re.DOTALL
    )
    assert "2 cells: 1 restricted, 1 unfit" in result.output


@pytest.mark.usefixtures("fake_worker_command")
@pytest.mark.parametrize(("value", "is_below_one"), [("warp_transposed", False), ("direct", True)])
def test_regret_is_told_against_the_best_of_what_was_asked_for(tmp_path: Path, value: str, is_below_one: bool) -> None:
    file = tmp_path / "regret.json"
    ends = ["--n", "2^16..2^18", "--samples", "1", "--trials", "8", "--within", "90", "--fix", "block_threads=128"]
    result = invoke("regret", "--arch", "host", "--type", "i32", *ends, "--fix", f"layout={value}", "--json", str(file))
    assert result.exit_code == 0, result.output
    (one,) = json.loads(file.read_text())["results"]
    assert one["best"]["parameters"]["layout"] == value
    assert one["config"]["parameters"]["layout"] == "striped"
    assert (one["ratio"] < 1) is is_below_one
