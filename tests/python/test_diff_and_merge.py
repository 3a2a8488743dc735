"""Two files of records compared, and merged with the same result in any order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from command import ended_well, scantune_here
from examples import CONFIGS, DEVICES, NOON, PROBES, PROBLEMS, RECORDS, RUNS, TRIALS, at
from scantune.compare.diff import Kind, counts, differences
from scantune.compare.holdings import holdings_of
from scantune.compare.merge import merged
from scantune.compare.precedence import Precedence
from scantune.compare.ranking import Ranked
from scantune.model.breakpoint import Breakpoint, PairProbe
from scantune.model.measurement import Measurement
from scantune.model.policy import Effort
from scantune.model.record import Record
from scantune.model.trial import Trial
from scantune.store.archive import Archive
from scantune.store.contents import Contents
from scantune.store.database import Database, open_database, open_readonly
from scantune.store.foreign import foreign_contents
from scantune.store.text_form import text_of

CELL = at(RECORDS[0], 4096)
NEXT = at(CELL, 8192, config=CONFIGS[0])
OTHER_WINNER = replace(CELL, config=CONFIGS[2], median_us=CELL.median_us / 2, finished_at="2026-02-01T00:00:00Z")
OTHER_TIME = replace(NEXT, median_us=NEXT.median_us * 1.25, finished_at="2026-02-01T00:00:00Z")
H100 = RECORDS[1]
ABOVE = Breakpoint(
    CELL.device, CELL.problem, n_low=4096, n_high=8192, n_switch=6000, probes=(PairProbe(6000, 1.0, 1.0),),
    low=CELL.config, high=NEXT.config, finished_at=NOON, run=RUNS[0],
)  # fmt: skip


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a worker that was built, and the GPU it may find, out of the decisions."""
    monkeypatch.setenv("SCANTUNE_WORKER", "/no/such/worker")


def saved(path: Path, records: Sequence[Record], breakpoints: Sequence[Breakpoint] = (), trial_us: float = 1.0) -> Path:
    """Write a database with a trial of each record, or text."""
    if path.suffix == ".jsonl":
        path.write_text(text_of(records, breakpoints))
        return path
    with open_database(path) as database:
        archive = Archive(database)
        for record in records:
            session = archive.start(record.run, record.device)
            session.save_record(record)
            trial = Trial(record.config, Measurement(trial_us, spread=0.0, samples=1), compile_ms=1.0)
            session.save_trial(record.problem, record.n, trial, is_default=False)
        for found in breakpoints:
            archive.start(found.run, found.device).save_breakpoint(found)
    return path


def content(database: Database) -> list[str]:
    """Return what a database holds, but for when trials were saved."""
    trials = Contents(database).trials(lambda row: {name: row[name] for name in row if name != "finished_at"})
    archive = Archive(database)
    return [text_of(archive.records(), archive.breakpoints()), *map(str, trials)]


@pytest.mark.parametrize("form", ["db", "jsonl"])
def test_cells_differ_by_winner_time_or_presence_and_not_by_origin(form: str, tmp_path: Path) -> None:
    a = saved(tmp_path / f"a.{form}", [CELL, NEXT, H100, RECORDS[2]])
    of_b = replace(RECORDS[2], run=RECORDS[2].run.exported("bob", "elsewhere.db"))
    b = saved(tmp_path / f"b.{form}", [OTHER_WINNER, OTHER_TIME, RECORDS[3], of_b])
    with Precedence() as precedence:
        found = differences(holdings_of(a, precedence), holdings_of(b, precedence), precedence)
    assert {one.record.key: one.kind for one in found} == {
        CELL.key: Kind.other_winner, NEXT.key: Kind.other_time, H100.key: Kind.only_a, RECORDS[3].key: Kind.only_b,
        RECORDS[2].key: Kind.same,
    }  # fmt: skip
    assert counts(found)[Kind.other_breakpoint] == 0
    assert {one.ratio for one in found} == {None, 0.5, 1.25, 1.0}


def test_diff_tells_both_sides_when_and_with_what(tmp_path: Path) -> None:
    newer = replace(OTHER_WINNER, run=replace(RUNS[1], driver_version="590.1"))
    a, b = saved(tmp_path / "a.db", [CELL, NEXT], [ABOVE]), saved(tmp_path / "b.jsonl", [newer, NEXT])
    output = ended_well("db", "diff", str(a), str(b), "--json", str(tmp_path / "diff.json"))
    assert "1 cell the same; 1 with another winner, 0 with another time" in output
    lines = "\n".join(line.strip() for line in output.splitlines())
    assert "0.500" in lines
    folded = " ".join(lines.split())
    assert "A: lookback window=8 layout=warp_transposed poll_delay_ns=0; serves (2^11, 2^12]; 2026-01-01" in folded
    assert "T00:05:00Z, quick, templates" in folded
    assert "driver 590.1; exported from b.jsonl" in folded
    message = json.loads((tmp_path / "diff.json").read_text())
    (cell,) = message["cells"]
    assert (cell["difference"], cell["b_over_a"], cell["n"]) == ("other_winner", 0.5, 4096)
    assert (cell["a"]["n_switch"], cell["b"]["n_switch"]) == (6000, None)
    assert (cell["a"]["driver_version"], cell["b"]["driver_version"]) == ("580.65", "590.1")
    assert message["counts"]["same"] == 1


def test_breakpoint_that_moved_is_a_difference_of_its_own(tmp_path: Path) -> None:
    moved = replace(ABOVE, n_switch=7000, probes=(PairProbe(7000, 1.0, 1.0),))
    a, b = (saved(tmp_path / f"{i}.db", [CELL, NEXT], [found]) for i, found in enumerate((ABOVE, moved)))
    with Precedence() as precedence:
        found = differences(holdings_of(a, precedence), holdings_of(b, precedence), precedence)
    assert [one.kind for one in found] == [Kind.other_breakpoint, Kind.same]


def test_diff_of_a_file_that_is_not_there_names_it(tmp_path: Path) -> None:
    a = saved(tmp_path / "a.db", [CELL])
    for missing in (tmp_path / "missing.db", tmp_path / "missing.jsonl"):
        code, output = scantune_here("db", "diff", str(a), str(missing))
        assert (code, f"{missing}: no such" in output) == (1, True), output


@pytest.mark.parametrize("forms", [("db", "db", "db"), ("db", "jsonl", "db"), ("jsonl", "jsonl", "jsonl")])
def test_merge_is_the_same_in_whatever_order(forms: tuple[str, ...], tmp_path: Path) -> None:
    # Two that only their text tells apart, which an import would leave to chance.
    tied = [replace(H100, config=config) for config in CONFIGS[1:3]]
    holdings = [([CELL, NEXT, tied[0]], [ABOVE]), ([OTHER_WINNER, tied[1]], []), ([CELL, OTHER_TIME, H100], [])]
    files = [
        saved(tmp_path / f"{index}.{form}", *held, trial_us=1.0 + index)
        for index, (form, held) in enumerate(zip(forms, holdings, strict=True))
    ]
    found = []
    for order in permutations(files):
        with Precedence() as precedence, merged(order, precedence) as (database, report):
            found.append(content(database))
        assert (report.winners, len(report.conflicts), report.measured_twice) == (3, 2, 1)
    assert all(one == found[0] for one in found)
    assert len(found[0]) > (1 if "db" in forms else 0), "trials come along"


@pytest.mark.parametrize("form", ["db", "jsonl"])
def test_copy_of_a_file_counts_once_and_in_whatever_order(form: str, tmp_path: Path) -> None:
    a, b = saved(tmp_path / f"a.{form}", [CELL, NEXT], [ABOVE]), tmp_path / f"b.{form}"
    b.write_bytes(a.read_bytes())
    found = []
    for order in ((a, b), (b, a)):
        with Precedence() as precedence, merged(order, precedence) as (database, report):
            found.append([*content(database), *(str(row["policy"]) for row in database.rows("all_runs"))])
        assert report.same_as == {b: a}
    assert found[0] == found[1]
    output = ended_well("db", "merge", str(b), str(a), "--dry-run")
    assert f"{b} has the same content as {a}" in output


def test_merge_reads_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = saved(tmp_path / "a.db", [CELL]), saved(tmp_path / "b.db", [NEXT])
    opened = []

    def counted(path: Path, *arguments: Any) -> Any:
        opened.append(path)
        return foreign_contents(path, *arguments)

    for module in ("holdings", "merge"):
        monkeypatch.setattr(f"scantune.compare.{module}.foreign_contents", counted, raising=False)
    with Precedence() as precedence, merged([a, b], precedence) as (_, report):
        assert (sorted(opened), report.trials) == ([a, b], 2)


def test_merge_tells_each_conflict_and_why_and_takes_breakpoints_of_the_winners_alone(tmp_path: Path) -> None:
    short = replace(OTHER_WINNER, run=OTHER_WINNER.run.cut_short())
    a, b = saved(tmp_path / "a.db", [CELL, NEXT], [ABOVE]), saved(tmp_path / "b.jsonl", [short])
    c, report = tmp_path / "c.db", tmp_path / "merge.json"
    output = ended_well("db", "merge", str(b), str(a), "-o", str(c), "--json", str(report))
    assert f"kept    2045.00 µs of {a}: lookback window=8" in output
    assert f"against 1022.50 µs of {b}: no_parameters default" in output
    assert "cut short, templates aaaaaaaa" in " ".join(output.split())
    message = json.loads(report.read_text())
    ((conflict,), winners) = message["conflicts"], message["winners"]
    assert (winners, conflict["n"], conflict["kept"]["files"]) == (2, 4096, [str(a)])
    assert [other["because"] for other in conflict["others"]] == ["its search was finished"]
    with open_readonly(c) as written:
        assert [found.n_switch for found in Archive(written).breakpoints()] == [6000]
        origins = [record.run.origin for record in Archive(written).records()]
        assert [origin and origin.file for origin in origins] == ["a.db", "a.db"]
    saved(tmp_path / "b.jsonl", [OTHER_WINNER])
    assert scantune_here("db", "merge", str(a), str(b), "-o", str(c), "--force")[0] == 0
    with open_readonly(c) as written:
        assert Archive(written).breakpoints() == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"probes": PROBES, "run": RUNS[0].cut_short()}, "it was measured at more sizes"),
        ({"run": replace(RUNS[0], effort=Effort.normal)}, "its search took more effort"),
        ({"finished_at": "2026-01-02T00:00:00Z"}, "it is newer"),
        ({"median_us": 3000.0}, "they differ in their text only"),
    ],
)
def test_reason_is_the_first_that_decides(changes: dict[str, Any], reason: str) -> None:
    with Precedence() as precedence:
        other, better = Ranked(CELL, precedence), Ranked(replace(CELL, **changes), precedence)
        assert other < better
        assert better.why_before(other) == reason


def test_dry_run_writes_nothing_and_without_a_target_merge_says_what_it_needs(tmp_path: Path) -> None:
    a, b = saved(tmp_path / "a.db", [CELL]), saved(tmp_path / "b.db", [NEXT])
    code, output = scantune_here("db", "merge", str(a), str(b), "--dry-run")
    assert (code, "2 winners, 0 breakpoints, 2 trials after a merge; nothing was written" in output) == (0, True), (
        output
    )
    code, output = scantune_here("db", "merge", str(a), str(b), "-o", str(tmp_path / "c.db"), "--dry-run")
    assert (code, (tmp_path / "c.db").exists()) == (0, False), output
    code, output = scantune_here("db", "merge", str(a), str(b))
    assert (code, "needs -o FILE" in output) == (2, True), output


def test_merge_replaces_a_file_only_when_told_to_and_never_one_in_use(tmp_path: Path) -> None:
    a, b = saved(tmp_path / "a.db", [CELL]), saved(tmp_path / "b.db", [NEXT])
    assert scantune_here("db", "merge", str(a), str(b), "-o", str(b))[0] == 1
    assert scantune_here("db", "merge", str(a), str(b), "-o", str(b), "--force")[0] == 0
    with open_readonly(b) as written:
        assert [record.n for record in Archive(written).records()] == [4096, 8192]
    with open_database(a) as user:
        Archive(user).start(RUNS[0], DEVICES[0]).save_trial(PROBLEMS[0], 64, TRIALS[0], is_default=False)
        code, output = scantune_here("db", "merge", str(a), str(b), "-o", str(a), "--force")
        assert (code, "a.db-wal beside it has changes" in output) == (1, True), output


def test_merge_that_meets_a_broken_file_writes_nothing(tmp_path: Path) -> None:
    a, broken = saved(tmp_path / "a.db", [CELL]), tmp_path / "b.jsonl"
    broken.write_text(text_of([NEXT], []) + "<<<<<<< ours\n")
    code, output = scantune_here("db", "merge", str(a), str(broken), "-o", str(tmp_path / "c.db"))
    assert (code, f"{broken}, line 2: it marks a conflict" in output) == (1, True), output
    assert not (tmp_path / "c.db").exists()
    broken.write_text(text_of([NEXT], []) + json.dumps({"n": 0}) + "\n")
    code, output = scantune_here("db", "merge", str(a), str(broken), "-o", str(tmp_path / "c.db"))
    assert (code, f"1 row of {broken} left out as invalid" in output) == (0, True), output
