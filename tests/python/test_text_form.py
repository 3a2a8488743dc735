"""Records as text: one line each, sorted, nothing lost, and nothing that a stranger wrote is used unchecked."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command import scantune_here
from examples import CONFIGS, DEVICES, NOON, PROBLEMS, RECORDS, RUNS, TRIALS, at
from scantune.compare.exchange import ImportReport, import_database
from scantune.compare.precedence import Precedence
from scantune.model.breakpoint import Breakpoint, PairProbe
from scantune.model.octave import Range
from scantune.model.origin import Origin
from scantune.model.policy import Effort
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.database import Database, DatabaseError, open_database
from scantune.store.export import export_text
from scantune.store.foreign import is_text
from scantune.store.text_contents import TextContents
from scantune.store.text_form import line_of, text_of

SHIPPED = Path(__file__).parents[2] / "db" / "builtin" / "records.jsonl"
LOW = at(RECORDS[0], 4096, median_us=1.0 / 3.0)
HIGH = at(LOW, 8192, config=CONFIGS[0], run=RUNS[1])
ROWS = replace(LOW, problem=Problem("row_sum", (("input_type", "f32"),), '{"rows":10}', (("rows", 1024),)))
ABOVE = Breakpoint(
    LOW.device, LOW.problem, n_low=4096, n_high=8192, n_switch=6000,
    probes=(PairProbe(5000, 1.0, 1.2), PairProbe(6000, 1.05, None)), low=LOW.config, high=HIGH.config,
    finished_at=NOON, run=RUNS[1],
)  # fmt: skip


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a worker that was built, and the GPU it may find, out of the decisions."""
    monkeypatch.setenv("SCANTUNE_WORKER", "/no/such/worker")


@pytest.fixture
def text(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes a file of text."""

    def write(content: str, name: str = "records.jsonl") -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


def read(path: Path) -> tuple[list[Record], list[Breakpoint]]:
    contents = TextContents(path, pytest.fail)
    return contents.records(), contents.breakpoints()


def imported(database: Database, path: Path, **named: str) -> ImportReport:
    with Precedence() as precedence:
        return import_database(database, path, precedence, **named)


def test_text_holds_all_of_a_record_and_of_its_breakpoint(text: Callable[[str], Path]) -> None:
    records = [*RECORDS, LOW, HIGH, ROWS]
    found, breakpoints = read(text(text_of(records, [ABOVE])))
    assert sorted(map(str, found)) == sorted(map(str, records))
    assert breakpoints == [ABOVE]


def test_same_records_make_the_same_text_and_one_new_time_moves_one_line() -> None:
    records = [*RECORDS, LOW, HIGH, ROWS]
    lines = text_of(records, [ABOVE]).splitlines()
    assert text_of(random.Random(1).sample(records, len(records)), [ABOVE]).splitlines() == lines
    again = [*RECORDS, LOW, HIGH, replace(ROWS, median_us=2.0)]
    moved = [new for new, old in zip(text_of(again, [ABOVE]).splitlines(), lines, strict=True) if new != old]
    assert [json.loads(line)["shape"] for line in moved] == [{"rows": 10}]


def test_text_is_of_ascii_lines_whatever_the_names_are(text: Callable[[str], Path]) -> None:
    named = replace(LOW, device=replace(LOW.device, name="Größe 9"))
    path = text(text_of([named], []))
    assert path.read_bytes().isascii()
    assert read(path)[0] == [named]


@pytest.mark.parametrize("policy", ["no JSON", '{"spaces": 1}', '"text"', '{"nested":{"a":[1.5,null]}}'])
def test_policy_comes_back_as_it_was_spelled(policy: str, text: Callable[[str], Path]) -> None:
    record = replace(LOW, run=replace(LOW.run, policy=policy))
    assert read(text(text_of([record], [])))[0] == [record]


def test_lines_that_come_with_the_library_are_read_as_records(database: Database) -> None:
    report = imported(database, SHIPPED)
    assert report.new_records == len(SHIPPED.read_text().splitlines())
    assert not report.reasons


def test_line_of_an_older_version_serves_its_octave_up_to_its_own_n(text: Callable[[str], Path]) -> None:
    lines = [json.loads(line_of(at(LOW, n, serves=Range(0, 2**20)))) for n in (1, 1024, 1025, 1_000_000)]
    for line in lines:
        del line["serves"]
    found, _ = read(text("\n".join(map(json.dumps, lines))))
    assert [one.serves for one in found] == [Range(0, 1), Range(512, 1024), Range(1024, 1025), Range(2**19, 1_000_000)]
    assert [one.probes for one in found] == [()] * 4


def test_database_and_text_carry_the_same_winners(database: Database, tmp_path: Path) -> None:
    archive = Archive(database)
    for record in (*RECORDS, LOW, HIGH):
        archive.start(record.run, record.device).save_record(record)
    archive.start(ABOVE.run, ABOVE.device).save_breakpoint(ABOVE)
    export_text(archive.records(), archive.breakpoints(), tmp_path / "a.jsonl")
    with open_database(tmp_path / "other.db") as other:
        report = imported(other, tmp_path / "a.jsonl")
        assert (report.new_records, report.new_breakpoints, report.rejected) == (len(RECORDS) + 2, 1, 0)
        assert text_of(Archive(other).records(), Archive(other).breakpoints()) == (tmp_path / "a.jsonl").read_text()


@pytest.mark.parametrize("swap", [False, True])
def test_of_two_lines_of_one_record_the_better_one_counts(
    swap: bool, database: Database, text: Callable[[str], Path]
) -> None:
    better = replace(LOW, config=CONFIGS[2], run=replace(LOW.run, effort=Effort.exhaustive))
    other = replace(ABOVE, low=better.config, run=better.run)
    lines = [line_of(LOW, ABOVE), line_of(better, other), line_of(HIGH)]
    assert imported(database, text("\n".join(lines[::-1] if swap else lines))).new_records == 2
    assert [record.config for record in Archive(database).records()] == [better.config, HIGH.config]
    assert [found.low for found in Archive(database).breakpoints()] == [better.config]


def broken(**changes: Any) -> str:
    return json.dumps({**json.loads(line_of(LOW, ABOVE)), **changes})


def broken_above(**changes: Any) -> str:
    return broken(breakpoint={**json.loads(line_of(LOW, ABOVE))["breakpoint"], **changes})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (broken(n=0), "line 2: n is 0"),
        (broken(n=True), "line 2: n is True"),
        (broken(serves=[]), "line 2: a range is [], not [above, up to]"),
        (broken(serves="all"), "line 2: a range is 'all'"),
        (broken(serves=[False, 4096]), "line 2: no size is in the range above False and up to 4096"),
        (broken(serves=[4096, 8192]), "line 2: the range (2^12, 2^13] does not hold the record's own n, 4096"),
        (broken(serves=[2048, 4095]), "line 2: the range (2^11, 4,095] does not hold the record's own n, 4096"),
        (broken(serves=[0, 2**40 + 1]), "line 2: no size is in the range above"),
        (broken(probes=0), "line 2: the probes are 0"),
        (broken(probes=[[4096, 0, 1.0, "1"]]), "line 2: a probe took '1'"),
        (broken(median_us=-1), "line 2: median_us is -1"),
        (broken(median_us="3"), "line 2: median_us is '3'"),
        (broken(arch="sm_90; rm"), "line 2: 'sm_90; rm' is not an architecture"),
        (broken(device_name="a\x1b[31m"), "line 2: 'a\\x1b[31m' is not the name of a device"),
        (broken(request='{"input_type":"i32"}'), 'line 2: request is \'{"input_type":"i32"}\', which is not an object'),
        (broken(config={"a": [1]}), "line 2: lookback: a is [1], neither an integer nor a token"),
        (broken(config=None), "line 2: config is None, which is not an object"),
        (broken(finished_at="2999-01-01T00:00:00Z"), "line 2: 2999-01-01T00:00:00Z is in the future"),
        (broken(seed=2**63), "line 2: seed has 64 bits"),
        (broken(effort="most"), "line 2: 'most' is not a valid Effort"),
        (broken(policy="\ud800"), "line 2: 'utf-8' codec can't encode"),
        (broken(policy={"a": "b" * 5000}), "line 2: policy is not a short text"),
        (broken(breakpoint=[]), "line 2: its breakpoint: it is []"),
        (broken_above(n_switch=9000), "line 2: its breakpoint: the breakpoint 9000 is not between 4096 and 8192"),
        (broken_above(probes=[[1, 2]]), "line 2: its breakpoint: a probe is [1, 2]"),
    ],
)  # fmt: skip
def test_line_that_is_not_valid_costs_itself_and_not_the_file(
    line: str, reason: str, text: Callable[[str], Path], database: Database
) -> None:
    report = imported(database, text(f"{line_of(HIGH)}\n{line}\n"))
    assert report.rejected == 1
    assert report.reasons[0].startswith(reason)
    assert HIGH.n in [record.n for record in Archive(database).records()]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("<<<<<<< ours", "line 2: it marks a conflict that git left: remove the marks"),
        ("=======", "line 2: it marks a conflict"),
        ('{"arch":"sm_90"', "line 2: not a record"),
        ("[]", "line 2: not a record: not an object"),
        ("[" * 3000, "line 2: not a record"),
        ('{"arch":"' + "a" * 2**16 + '"}', "line 2: it holds a value longer than any that a tuner writes"),
        ("\udcff", "line 2: not a record: 'utf-8' codec can't decode"),
    ],
)
def test_line_that_is_none_is_named_and_nothing_is_imported(
    line: str, reason: str, database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(f"{line_of(HIGH)}\n{line}\n".encode(errors="surrogateescape"))
    with pytest.raises(DatabaseError) as raised:
        imported(database, path)
    assert f"{path}, {reason}" in str(raised.value)
    assert not Archive(database).records()


def test_form_is_told_by_content_and_an_empty_file_s_by_its_name(text: Callable[..., Path], database: Database) -> None:
    assert is_text(text(line_of(LOW), name="records.db"))
    assert is_text(text("<<<<<<< HEAD\n", name="records"))
    assert not is_text(database.path)
    assert is_text(text("", name="empty.jsonl"))
    assert not is_text(text("", name="empty.db"))
    assert imported(database, text("\n\n")).rejected == 0


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_number_that_json_does_not_have_is_refused_and_never_written(text: Callable[[str], Path], number: str) -> None:
    with pytest.raises(DatabaseError, match=f"line 1: not a record: {number} is not a JSON number"):
        TextContents(text(line_of(LOW).replace('"spread":', f'"later":{number},"spread":')))
    policy = f'{{"a":{number}}}'
    written = line_of(replace(LOW, run=replace(LOW.run, policy=policy)))
    assert TextContents(text(written)).records()[0].run.policy == policy
    with pytest.raises(ValueError, match="JSON"):
        line_of(replace(LOW, spread=float(number)))


def test_keys_of_a_later_version_are_told(text: Callable[[str], Path], database: Database) -> None:
    line = json.loads(line_of(LOW, ABOVE))
    line |= {"power_w": 300}
    line["breakpoint"] |= {"power_w": 200}
    report = imported(database, text(json.dumps(line)))
    assert report.unknown_keys == ["breakpoint.power_w", "power_w"]
    assert (report.new_records, report.rejected) == (1, 0)


def test_of_many_keys_of_a_later_version_some_are_told(text: Callable[[str], Path]) -> None:
    line = json.loads(line_of(LOW)) | {f"{index:04d}" + "k" * 50: 1 for index in range(1000)}
    contents = TextContents(text(json.dumps(line)))
    assert len(contents.unknown_keys) == 20
    assert len(contents.records()) == 1


def test_no_signer_is_believed_that_was_not_verified_here(text: Callable[[str], Path], database: Database) -> None:
    forged = replace(LOW, run=LOW.run.with_origin(Origin("ada", "a.db", "1", signer="ops@example.org")))
    path = text(line_of(forged))
    imported(database, path)
    assert [record.run.origin for record in Archive(database).records()] == [Origin("ada", "a.db", "1")]
    with open_database(database.path.with_name("verified.db")) as other:
        imported(other, path, signer="bob@example.org")
        assert Archive(other).records()[0].run.origin == Origin("ada", "a.db", "1", signer="bob@example.org")


def saved(path: Path, *records: Record) -> Path:
    with open_database(path) as database:
        for record in records:
            session = Archive(database).start(record.run, record.device)
            session.save_record(record)
            session.save_trial(record.problem, record.n, TRIALS[0], is_default=False)
    return path


def origins(path: Path) -> list[Origin | None]:
    with open_database(path) as database:
        return [record.run.origin for record in Archive(database).records()]


@pytest.mark.parametrize("form", ["db", "jsonl"])
def test_first_origin_stays_through_any_number_of_exports(form: str, tmp_path: Path) -> None:
    here, there, home = saved(tmp_path / "berlin.db", LOW), tmp_path / "there.db", tmp_path / "home.db"
    first, second = tmp_path / f"first.{form}", tmp_path / f"second.{form}"
    assert scantune_here("db", "export", str(first), "--db", str(here), "--by", "ada")[0] == 0
    assert scantune_here("db", "import", str(first), "--db", str(there))[0] == 0
    assert scantune_here("db", "export", str(second), "--db", str(there), "--by", "bob")[0] == 0
    assert scantune_here("db", "import", str(second), "--db", str(home))[0] == 0
    assert origins(here) == [None]
    assert origins(there) == origins(home) == [Origin("ada", "berlin.db", LOW.run.digest)]
    code, output = scantune_here("db", "show", "--db", str(home), "--json", str(tmp_path / "shown.json"))
    assert (code, f"exported by ada from berlin.db (run {LOW.run.digest})" in output) == (0, True), output
    (winner,) = json.loads((tmp_path / "shown.json").read_text())["winners"]
    assert winner["origin"] == {"by": "ada", "file": "berlin.db", "run": LOW.run.digest}


def test_export_says_nothing_of_a_machine_or_nobody_unless_asked(tmp_path: Path) -> None:
    here, there = saved(tmp_path / "berlin.db", LOW), tmp_path / "there.db"
    assert (
        scantune_here("db", "export", str(tmp_path / "a.jsonl"), "--db", str(here), "--by", "", "--with-host")[0] == 0
    )
    assert scantune_here("db", "import", str(tmp_path / "a.jsonl"), "--db", str(there))[0] == 0
    (origin,) = origins(there)
    assert origin is not None
    assert (origin.by, len(origin.host)) == ("", 12)
    assert scantune_here("db", "export", str(tmp_path / "b.jsonl"), "--db", str(here))[0] == 0
    assert "host" not in json.loads((tmp_path / "b.jsonl").read_text())["policy"]["origin"]


def test_record_without_an_origin_is_of_the_file_it_came_in_and_our_own_stays_ours(tmp_path: Path) -> None:
    copy, here = saved(tmp_path / "copy.db", LOW, HIGH), saved(tmp_path / "here.db", LOW)
    assert scantune_here("db", "import", str(copy), "--db", str(here))[0] == 0
    assert origins(here) == [None, Origin("", "copy.db", HIGH.run.digest)]


def test_text_goes_through_pipes_and_is_asked_for_by_name_or_option(tmp_path: Path) -> None:
    here, file = saved(tmp_path / "here.db", LOW, replace(LOW, device=DEVICES[2], problem=PROBLEMS[1])), tmp_path / "a"
    assert scantune_here("db", "export", str(file), "--text", "--db", str(here)) == (
        0,
        f"2 winners exported to {file}\n",
    )
    assert len(file.read_text().splitlines()) == 2
    code, output = scantune_here("db", "export", str(here), "--text", "--force", "--db", str(here))
    assert (code, "cannot be exported onto itself" in output) == (1, True), output
    code, output = scantune_here("db", "import", str(file), "--db", str(tmp_path / "there.db"))
    assert (code, output.startswith("2 new winners, 0 replaced ours")) == (0, True), output


def git(directory: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    command = ["git", *identity, "-C", str(directory), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout


def test_git_merges_two_branches_of_records_without_a_driver(tmp_path: Path) -> None:
    """Both branches measured one cell anew, and each another one; union keeps all lines, and import settles them."""
    repository, file = tmp_path / "tunings", tmp_path / "tunings" / "records.jsonl"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    (repository / ".gitattributes").write_text("*.jsonl merge=union\n")

    def commit(*records: Record) -> None:
        export_text(records, [], file, overwrite=True)
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "Measure")

    commit(LOW, HIGH)
    newer, newest = (replace(HIGH, config=CONFIGS[i], finished_at=f"2026-03-0{i}T00:00:00Z") for i in (1, 2))
    git(repository, "checkout", "-q", "-b", "berlin")
    commit(LOW, newer, at(LOW, 2**20))
    git(repository, "checkout", "-q", "main")
    commit(at(LOW, 64), LOW, newest)
    git(repository, "merge", "-q", "berlin", "-m", "Merge berlin")
    assert len(file.read_text().splitlines()) == 5, "both winners of 8192 items"
    with open_database(tmp_path / "tuning.db") as database:
        assert imported(database, file).rejected == 0
        found = {record.n: record for record in Archive(database).records()}
    assert sorted(found) == [64, 4096, 8192, 2**20]
    assert found[8192] == newest
