"""Breakpoints: found by bisection, saved, resumed, carried between machines, and refused if they are not valid."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conftest import QUICK, SUM, Notebook, Tune
from examples import CONFIGS, DEVICES, NOON, RUNS, scan
from fake_worker import true_us
from scantune.compare.crossover import find_breakpoint, pairs_to_probe, probes_between
from scantune.compare.exchange import import_database
from scantune.compare.precedence import Precedence
from scantune.model.breakpoint import Breakpoint, PairProbe, probes_of
from scantune.model.carried_hashes import joint_hash
from scantune.model.config import Config
from scantune.model.policy import Effort
from scantune.model.problem import Problem
from scantune.model.record import Record, Run
from scantune.store.archive import Archive
from scantune.store.contents import Contents
from scantune.store.database import Database, open_database, open_readonly
from scantune.store.export import export_built_in

SIZES = (2**10, 2**11, 2**12, 2**13)  # one CTA is faster for the first two


def record(n: int, config: int = 0) -> Record:
    return Record(
        DEVICES[0], SUM, n, CONFIGS[config], median_us=1.0, spread=0.0, default_us=None, ceiling_us=None,
        finished_at=NOON, run=RUNS[0],
    )  # fmt: skip


LOW, HIGH = record(4096), record(8192, config=1)
FOUND = Breakpoint(
    DEVICES[0], SUM, n_low=4096, n_high=8192, n_switch=6000,
    probes=(PairProbe(5000, 1.0, 1.2), PairProbe(6000, 1.05, 1.0)), low=LOW.config, high=HIGH.config,
    finished_at=NOON, run=RUNS[0],
)  # fmt: skip


def crossing_at(n_crossing: float) -> Callable[[int], PairProbe]:
    """Return probes in which the time of the larger's config is constant, and that of the smaller's grows with n."""
    return lambda n: PairProbe(n, n / n_crossing, 1.0)


@pytest.mark.parametrize("n_crossing", [4200, 5000, 5793, 7000, 8100])
def test_breakpoint_is_found_to_a_sixteenth_of_an_octave(n_crossing: int) -> None:
    found = find_breakpoint(LOW, HIGH, crossing_at(n_crossing), 6, RUNS[0])
    assert len(found.probes) == 6
    assert 0 <= math.log2(found.n_switch / n_crossing) <= 1 / 16 + 0.001
    assert found.regret == pytest.approx(found.n_switch / n_crossing - 1, abs=1e-3)


def test_smaller_config_that_never_loses_serves_up_to_the_larger_record() -> None:
    found = find_breakpoint(LOW, HIGH, crossing_at(10_000), 6, RUNS[0])
    assert found.n_switch == 8192
    assert found.regret == pytest.approx(10_000 / 8192 - 1)  # of the record at its own size, which is then not the best


@pytest.mark.parametrize("fits", [4097, 5001, 6500, 8190])
def test_cliff_is_found_to_the_item(fits: int) -> None:
    def measure(n: int) -> PairProbe:  # one item more takes another tile than there are SMs
        return PairProbe(n, 1.0 if n <= fits else 1.4, 1.1)

    found = find_breakpoint(LOW, HIGH, measure, 6, RUNS[0])
    assert found.n_switch == fits + 1
    assert found.regret == 0
    assert len(found.probes) <= 6 + 12


def test_config_that_fails_somewhere_does_not_serve_there() -> None:
    def measure(n: int) -> PairProbe:
        return PairProbe(n, 0.5 if n < 5000 else None, 1.0)

    found = find_breakpoint(LOW, HIGH, measure, 6, RUNS[0])
    assert found.n_switch == 5000
    assert found.regret == 0


def test_no_size_is_probed_twice_where_few_lie_between() -> None:
    probed: list[int] = []

    def measure(n: int) -> PairProbe:
        probed.append(n)
        return PairProbe(n, 1.0, 2.0)

    find_breakpoint(record(16), record(19, config=1), measure, 6, RUNS[0])
    assert probed == [17, 19, 18]
    probed.clear()
    find_breakpoint(record(16), record(17, config=1), measure, 6, RUNS[0])
    assert probed == [17]


def test_larger_config_that_wins_everywhere_serves_from_one_item_more_on() -> None:
    found = find_breakpoint(LOW, HIGH, lambda n: PairProbe(n, 2.0, 1.0), 6, RUNS[0])
    assert found.n_switch == 4097
    assert found.regret == 0
    assert len(found.probes) == 6


def test_one_probe_does_not_decide_for_all_sizes_between() -> None:
    def measure(n: int) -> PairProbe:  # only at one item more than its tiles hold is the smaller's config slower
        return PairProbe(n, 1.2 if n < 4100 else 1.0, 1.1 if n < 8000 else 0.97)

    found = find_breakpoint(LOW, HIGH, measure, 6, RUNS[0])
    assert len(found.probes) == 6
    assert 7600 < found.n_switch <= 8192
    assert found.regret == pytest.approx(1.2 / 1.1 - 1)  # at 4097


def test_switch_is_where_the_worst_of_all_probes_is_least_bad() -> None:
    times = {
        4097: (1.0, 0.5),
        8192: (1.0, 0.5),
    }  # the larger's config is twice as fast at the ends, a little slower between

    found = find_breakpoint(LOW, HIGH, lambda n: PairProbe(n, *times.get(n, (1.0, 1.1))), 6, RUNS[0])
    assert found.n_switch == 4097
    assert found.regret == pytest.approx(0.1)


def test_wider_gaps_get_more_probes() -> None:
    widths = {2: 6, 4: 7, 8: 8, 16: 8, 32: 9}
    assert {width: probes_between(record(64), record(64 * width), QUICK) for width in widths} == widths
    found = find_breakpoint(record(4096), record(4096 * 8, config=1), crossing_at(20_000), widths[8], RUNS[0])
    assert 0 <= math.log2(found.n_switch / 20_000) <= 1 / 16


def test_regret_is_the_worst_that_a_size_pays() -> None:
    assert FOUND.regret == pytest.approx(0.05)  # just below 6000
    assert replace(FOUND, n_switch=5000).regret == pytest.approx(0.2)  # 5000 itself


def test_only_neighbours_of_different_configs_are_probed() -> None:
    three = [record(4096), record(16384, config=1), record(8192)]

    def run_of(problem: Problem, n: int, low: Config, high: Config) -> Run:
        return RUNS[0]

    assert [(low.n, high.n) for low, high in pairs_to_probe(three, [], run_of)] == [(8192, 16384)]
    known = replace(FOUND, n_low=8192, n_high=16384, n_switch=9000, probes=(PairProbe(9000, 1.0, 1.0),))
    assert pairs_to_probe(three, [known], run_of) == []
    assert len(pairs_to_probe(three, [known], lambda *_: replace(RUNS[0], template_hash="c" * 64))) == 1
    assert len(pairs_to_probe(three, [replace(known, high=CONFIGS[2])], run_of)) == 1


def test_breakpoint_between_two_families_names_the_templates_of_both(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    templates = {"single_block": "c" * 64, "lookback": "d" * 64}
    faults(templates=templates)
    outcome, _ = tune(sizes=(256, 2**18), is_portfolio=True)
    low, high = outcome.records
    assert (low.config.family, high.config.family) == ("single_block", "lookback")
    assert [one.run.template_hash for one in (low, high)] == list(templates.values())
    (found,) = Archive(database).breakpoints()
    assert found.run.template_hash == joint_hash(*templates.values())
    _, again = tune(sizes=(256, 2**18), is_portfolio=True, started_at="2026-01-02T00:00:00Z")
    assert again.found_breakpoints == []
    faults(templates={**templates, "single_block": "e" * 64})
    _, later = tune(sizes=(256, 2**18), is_portfolio=True, started_at="2026-01-03T00:00:00Z")
    assert len(later.found_breakpoints) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"n_switch": 4096}, {"n_switch": 8193}, {"n_switch": "6000"}, {"n_high": 4000}, {"n_high": 2**62},
        {"n_high": None}, {"n": 0}, {"n": -1}, {"low_family": None, "low_config": None}, {"high_config": "{"},
        {"high_family": None}, {"probes": "[[1]]"}, {"probes": "nonsense"}, {"probes": "[" * 5000},
        {"probes": json.dumps([[5000, -1.0, 2.0]])}, {"probes": '[[5000, Infinity, 1]]'}, {"probes": "[[0, 1, 1]]"},
        {"probes": json.dumps([[5000, 1.0, 1.0]] * 100)}, {"probes": None}, {"probes": "[]"},
        {"probes": "[[4096,1,1]]"}, {"probes": "[[8193,1,1]]"}, {"probes": "[[6000,1,1],[5000,1,1]]"},
        {"probes": "[[5000,1,1],[5000,1,1]]"}, {"probes": "[[5000,1e14,1e-300],[6000,1,1]]"},
        {"probes": "[[5000,1,1e-300]]"},
        {"finished_at": "3000-01-01T00:00:00Z"},
    ],
    ids=str,
)  # fmt: skip
def test_row_that_no_tuner_wrote_is_refused(database: Database, change: dict[str, Any]) -> None:
    save(database)
    contents = Contents(database)
    [row] = map(contents._joined, contents._with_ends())
    assert Breakpoint.from_row(row) == FOUND
    with pytest.raises(ValueError, match=r"."):
        Breakpoint.from_row({**row, **change})


def save(database: Database) -> None:
    session = Archive(database).start(RUNS[0], DEVICES[0])
    for end in (LOW, HIGH):
        session.save_record(end)
    session.save_breakpoint(FOUND)


def test_probes_survive_a_row() -> None:
    probes = (PairProbe(5000, 1.5, None), PairProbe(8192, None, 2.25))
    assert probes_of(replace(FOUND, probes=probes).probes_text) == probes


def test_record_that_changes_its_config_loses_its_breakpoints(database: Database) -> None:
    for end in (LOW, HIGH):
        save(database)
        Archive(database).start(RUNS[0], DEVICES[0]).save_record(replace(end, median_us=0.5))
        assert Archive(database).breakpoints() == [FOUND]
        Archive(database).start(RUNS[0], DEVICES[0]).save_record(replace(end, config=CONFIGS[2]))
        assert Archive(database).breakpoints() == []


def test_breakpoint_whose_record_was_dropped_meanwhile_is_not_saved(database: Database) -> None:
    session = Archive(database).start(RUNS[0], DEVICES[0])
    session.save_record(LOW)
    session.save_breakpoint(FOUND)
    assert Archive(database).breakpoints() == []


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "theirs.db"
    with open_database(path) as database:
        save(database)
    return path


def test_import_takes_breakpoints_between_records_that_it_takes(source: Path, database: Database) -> None:
    report = import_database(database, source, Precedence())
    assert (report.new_records, report.new_breakpoints) == (2, 1)
    assert Archive(database).breakpoints() == [FOUND]
    assert import_database(database, source, Precedence()).new_breakpoints == 0


def test_import_leaves_breakpoints_between_configs_that_are_not_ours(source: Path, database: Database) -> None:
    ours = replace(HIGH, config=CONFIGS[2], finished_at="2026-02-01T00:00:00Z")
    Archive(database).start(RUNS[0], DEVICES[0]).save_record(ours)
    assert import_database(database, source, Precedence()).new_breakpoints == 0
    assert Archive(database).breakpoints() == []


def test_import_keeps_what_we_measured_ourselves(source: Path, database: Database) -> None:
    save(database)
    ours = replace(FOUND, n_switch=7000)
    Archive(database).start(RUNS[0], DEVICES[0]).save_breakpoint(ours)
    import_database(database, source, Precedence())
    assert Archive(database).breakpoints() == [ours]


def test_import_takes_a_breakpoint_in_place_of_ours_of_other_templates(source: Path, database: Database) -> None:
    save(database)
    older = replace(FOUND, n_switch=7000, run=replace(RUNS[0], template_hash="c" * 64))
    Archive(database).start(older.run, DEVICES[0]).save_breakpoint(older)
    assert import_database(database, source, Precedence()).new_breakpoints == 1
    assert Archive(database).breakpoints() == [FOUND]


def test_import_takes_breakpoints_where_ours_spanned_a_size_that_we_did_not_have(
    source: Path, database: Database
) -> None:
    with open_database(source) as theirs:
        Archive(theirs).start(RUNS[0], DEVICES[0]).save_record(record(16384, config=2))
    session = Archive(database).start(RUNS[0], DEVICES[0])
    for end in (LOW, record(16384, config=2)):
        session.save_record(end)
    wide = replace(FOUND, n_high=16384, high=CONFIGS[2])
    session.save_breakpoint(wide)
    import_database(database, source, Precedence())
    assert Archive(database).breakpoints() == [FOUND]


def test_import_leaves_a_breakpoint_that_spans_a_record_of_ours(source: Path, database: Database) -> None:
    Archive(database).start(RUNS[0], DEVICES[0]).save_record(record(6000, config=2))
    assert import_database(database, source, Precedence()).new_breakpoints == 0


def test_record_between_the_ends_of_a_breakpoint_ends_it(database: Database) -> None:
    save(database)
    session = Archive(database).start(RUNS[0], DEVICES[0])
    for n in (4095, 8193):
        session.save_record(record(n))
    assert Archive(database).breakpoints() == [FOUND]
    session.save_record(record(5000))
    assert Archive(database).breakpoints() == []


def test_import_names_breakpoints_that_are_not_valid(source: Path, database: Database) -> None:
    with open_database(source) as theirs:
        theirs._connection.execute("PRAGMA foreign_keys = OFF")
        theirs._connection.execute("UPDATE breakpoint SET n_high = 9000")
    report = import_database(database, source, Precedence())
    assert report.reasons == ["breakpoints: there is no record at its end n = 9000"]
    assert (report.new_records, report.new_breakpoints) == (2, 0)


def test_built_in_rows_carry_the_breakpoint_above_them(source: Path, tmp_path: Path) -> None:
    with open_readonly(source) as database:
        archive = Archive(database)
        export_built_in(archive.records(), archive.breakpoints(), tmp_path / "records.jsonl")
    low, high = map(json.loads, (tmp_path / "records.jsonl").read_text().splitlines())
    assert low["breakpoint"] == {"n_high": 8192, "n_switch": 6000, "regret": 0.05, "template_hash": "a" * 64}
    assert (low["n"], high["n"], "breakpoint" in high) == (4096, 8192, False)


def test_portfolio_finds_a_breakpoint_between_neighbours_that_differ(tune: Tune, database: Database) -> None:
    outcome, notebook = tune(sizes=SIZES, is_portfolio=True)
    different = [(low.n, high.n) for low, high in pairwise(outcome.records) if low.config != high.config]
    assert different
    assert [(found.n_low, found.n_high) for found in outcome.breakpoints] == different
    assert notebook.found_breakpoints == outcome.breakpoints == Archive(database).breakpoints()


def test_portfolio_switches_where_the_larger_winner_begins_to_win(tune: Tune) -> None:
    outcome, _ = tune(sizes=SIZES, is_portfolio=True)
    for found in outcome.breakpoints:
        for n in range(found.n_low + 1, found.n_high, 97):
            low_us, high_us = (true_us(SUM.request(n), config.message()) for config in (found.low, found.high))
            assert (low_us if n < found.n_switch else high_us) <= 1.06 * min(low_us, high_us)


def test_portfolio_measures_nothing_again_that_it_knows(
    tune: Tune, request_log: Callable[[], list[dict[str, Any]]]
) -> None:
    first, _ = tune(sizes=SIZES, is_portfolio=True)
    asked = len(request_log())
    second, notebook = tune(sizes=SIZES, is_portfolio=True)
    assert second.breakpoints == first.breakpoints
    assert notebook.found_breakpoints == []
    assert not [one for one in request_log()[asked:] if one["method"] == "measure"]


def test_small_sizes_of_all_problems_are_probed_first(tune: Tune) -> None:
    problems = (SUM, scan("i32", "max"))
    _, notebook = tune(sizes=SIZES, problems=problems, is_portfolio=True)
    ends = [found.n_low for found in notebook.found_breakpoints]
    assert {found.problem for found in notebook.found_breakpoints} == set(problems)
    assert ends == sorted(ends)


def test_run_without_portfolio_probes_nothing(tune: Tune, database: Database) -> None:
    outcome, notebook = tune(sizes=SIZES)
    assert outcome.breakpoints == notebook.found_breakpoints == Archive(database).breakpoints() == []


def test_portfolio_without_memory_for_the_probes_says_between_which_sizes_and_why(
    tune: Tune, faults: Callable[..., None]
) -> None:
    tune(sizes=SIZES)
    faults(no_memory={"method": "measure"})
    outcome, _ = tune(sizes=SIZES, is_portfolio=True, notebook=Notebook())
    assert outcome.breakpoints == []
    assert outcome.unprobed == 0
    assert outcome.without_breakpoint
    assert re.match(r"i32 sum between 2\^1\d and 2\^1\d: measure: .*OUT_OF_MEMORY", outcome.without_breakpoint[0])


def test_portfolio_out_of_time_finds_the_rest_when_it_runs_again(tune: Tune) -> None:
    tune(sizes=SIZES)
    late, _ = tune(sizes=SIZES, is_portfolio=True, policy=replace(QUICK, budget_s=0.0))
    assert late.breakpoints == []
    assert late.unprobed > 0
    again, _ = tune(sizes=SIZES, is_portfolio=True)
    assert len(again.breakpoints) == late.unprobed
    assert again.unprobed == 0


def test_more_effort_measures_the_breakpoints_anew(tune: Tune) -> None:
    tune(sizes=SIZES, is_portfolio=True)
    _, notebook = tune(sizes=SIZES, is_portfolio=True, effort=Effort.normal, started_at="2026-01-02T00:00:00Z")
    assert notebook.found_breakpoints
